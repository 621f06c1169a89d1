//! Figure 6: a body that hovers above another. With a motion bound that ignores the closest direction, the number of steps grows as the
//! gap shrinks.

use impinge::geometry::Mesh;
use impinge::math::{Pose, Vec3};
use impinge::motion::RigidMotion;
use impinge::query::distance::HullTree;
use impinge::query::distance::{DistanceLimits, DistanceSession, distance};

use super::Run;
use super::comparison::{Case, Comparison, line};
use super::scenes::knobbly;
use crate::plot::{Axis, Line, Plot, Scale, Stroke};
use crate::report::Report;
use crate::rounds::{Rounds, turns};
use crate::table::{Table, count, number, words};
use crate::{Outcome, clock};

/// Gaps between the body and the ground, metres; the body has a radius of about one.
const GAPS: [f64; 4] = [0.1, 0.03, 0.01, 0.003];
/// The length of the translation, and the rotation about the vertical.
const WAY: f64 = 6.0;
const TURN: f64 = 1.0;
/// The distance at which the paper stops.
const THRESHOLD: f64 = 0.001;
/// Motions of each kind, in different directions.
const MOTIONS: usize = 4;
/// Cells of the ground along one side, and half its side, metres.
const GROUND: (u32, f64) = (70, 6.0);

/// The inclination of the scene: no box along the world's axes fits the ground.
const LEAN: Vec3 = Vec3::new(0.3, -0.2, 0.1);

/// Motions of one kind, above level ground.
struct Kind {
    gap: f64,
    turn: f64,
    motions: Vec<RigidMotion>,
}

impl Kind {
    fn name(&self) -> String {
        format!("gap {}, {}", self.gap, if self.turns() { "slides and turns" } else { "slides" })
    }

    fn turns(&self) -> bool {
        self.turn != 0.0
    }
}

/// Measures all methods, and advancement without the closest direction.
pub fn measure(run: &Run) -> Outcome<Report> {
    let (body, ground) = (knobbly(50, 51)?, ground()?);
    let below = -body.vertices().iter().map(|v| v.z).fold(f64::INFINITY, f64::min);
    let mut kinds = Vec::new();
    for gap in GAPS {
        for turn in [0.0, TURN] {
            let motions = (0..MOTIONS).map(|k| hover(k, below + gap, turn)).collect();
            kinds.push(Kind { gap, turn, motions });
        }
    }
    let lean = Pose::from_rpy(Vec3::ZERO, LEAN)?;
    let moved =
        |mesh: &Mesh, by: &Pose| Mesh::new(mesh.vertices().iter().map(|v| by.apply(*v)).collect(), mesh.triangles().to_vec());
    let case = |kind: &Kind| -> Outcome<Case> {
        let motions = kind.motions.iter().map(|m| leaning(&lean, m)).collect();
        Ok(Case::new(kind.name(), moved(&body, &Pose::IDENTITY)?, moved(&ground, &lean)?, motions, None))
    };
    let cases = kinds.iter().map(case).collect::<Outcome<Vec<_>>>()?;
    let title = "Figure 6: a body that hovers above another";
    let comparison = Comparison::measure(title, &cases, run)?;
    let undirected = undirected(&body, &ground, &kinds, run.rounds)?;
    Ok(Report::new("zhang-hovering", title)
        .text(format!(
            "A knobbly body of 5,000 triangles and radius one slides {WAY} m over flat, inclined ground of 9,800 triangles without \
             contact; the second kind also turns by {TURN} rad about the normal of the ground. The figure has no numbers; it compares \
             the number of advancement steps. *Undirected*: conservative advancement by certified distances and a motion bound that \
             ignores the closest direction (equation 4 of the paper), until the end or a distance of {THRESHOLD}. It runs over level \
             ground, because distances do not depend on the inclination of the scene. `interval` needs 1 to 3 steps here because the \
             ground is flat: its OBB is flat, too, at any inclination, so one interval of the whole motion proves that the boxes never \
             overlap. This is a property of this ground, not of the method."
        ))
        .table(comparison.table())
        .table(table(&kinds, &undirected, run.rounds))
        .plot("", "advancement steps against the gap", plot(title, &comparison, &kinds, &undirected))
        .goals(comparison.goals()))
}

/// Returns the same motion above inclined ground.
fn leaning(lean: &Pose, motion: &RigidMotion) -> RigidMotion {
    RigidMotion {
        start: *lean * motion.start,
        end_position: lean.apply(motion.end_position),
        rotation_vector: lean.rotation * motion.rotation_vector,
    }
}

/// Returns a lateral motion at a height, in the k-th direction.
fn hover(k: usize, height: f64, turn: f64) -> RigidMotion {
    let (along, across) = (Vec3::unit(k % 2), Vec3::unit((k + 1) % 2));
    let sign = if k < 2 { 1.0 } else { -1.0 };
    let middle = Vec3::unit(2) * height + across * (0.1 * k as f64);
    let start = Pose::from_translation(middle - along * (0.5 * sign * WAY));
    RigidMotion { start, end_position: middle + along * (0.5 * sign * WAY), rotation_vector: Vec3::unit(2) * turn }
}

fn ground() -> Outcome<Mesh> {
    let (n, half) = GROUND;
    let at = |i: u32| half * (2.0 * f64::from(i) / f64::from(n) - 1.0);
    let vertices = (0..=n).flat_map(|i| (0..=n).map(move |j| Vec3::new(at(i), at(j), 0.0))).collect();
    let cell = |k: u32| {
        let (i, j) = (k / n, k % n);
        let [a, b] = [i * (n + 1) + j, (i + 1) * (n + 1) + j];
        [[a, b, b + 1], [a, b + 1, a + 1]]
    };
    Ok(Mesh::new(vertices, (0..n * n).flat_map(cell).collect())?)
}

/// Measures advancement without the closest direction, for motions of one kind.
#[derive(Default)]
struct Undirected {
    times: Rounds,
    /// Sums over all motions.
    steps: usize,
}

/// Distances do not depend on the inclination of the scene, so level ground suffices.
fn undirected(body: &Mesh, ground: &Mesh, kinds: &[Kind], rounds: usize) -> Outcome<Vec<Undirected>> {
    let trees = [HullTree::new(body), HullTree::new(ground)];
    let reach = body.vertices().iter().map(|v| v.norm()).fold(0.0, f64::max);
    let mut all: Vec<Undirected> = kinds.iter().map(|_| Undirected::default()).collect();
    for round in 0..rounds {
        eprintln!("undirected: round {} of {rounds}", round + 1);
        for k in turns(kinds.len(), round) {
            let advance = || kinds[k].motions.iter().map(|m| advance(&trees, m, reach)).sum::<Outcome<usize>>();
            let (seconds, steps) = clock::timed(advance);
            all[k].times.push(seconds);
            all[k].steps = steps?;
        }
    }
    Ok(all)
}

fn table(kinds: &[Kind], undirected: &[Undirected], rounds: usize) -> Table {
    let title = format!("Undirected: microseconds per query, median of {rounds} rounds");
    let mut table = Table::new(title, &["scene", "n", "steps", "first", "spread %"]);
    for (kind, Undirected { times, steps }) in kinds.iter().zip(undirected) {
        let n = kind.motions.len();
        table.row(vec![
            words(kind.name()),
            count(n),
            number(Some(*steps as f64 / n as f64), 1),
            number(times.microseconds(n), 1),
            number(times.spread(), 0),
        ]);
    }
    table
}

/// Plots steps against the gap, for motions with rotation: all methods, and undirected.
fn plot(title: &str, comparison: &Comparison<'_>, kinds: &[Kind], undirected: &[Undirected]) -> Plot {
    let turning: Vec<usize> = (0..kinds.len()).filter(|&k| kinds[k].turns()).collect();
    let mut lines: Vec<Line> = Vec::new();
    for &k in &turning {
        for (way, (cell, steps)) in comparison.mean_steps(k).enumerate() {
            if way == lines.len() {
                lines.push(line(cell, way, Vec::new()));
            }
            lines[way].points.extend(steps.map(|steps| (kinds[k].gap, steps)));
        }
    }
    let points = turning.iter().map(|&k| (kinds[k].gap, undirected[k].steps as f64 / kinds[k].motions.len() as f64)).collect();
    lines.push(Line { name: "undirected".into(), points, stroke: Stroke::Dashed, colour: lines.len() });
    let log = |label: &str| Axis { label: label.into(), scale: Scale::Log };
    Plot { title: title.into(), x: log("gap, metres"), y: log("advancement steps, mean"), lines }
}

/// Counts steps of conservative advancement with the bound |v| + |w| r on the speed of any point.
fn advance(trees: &[HullTree; 2], motion: &RigidMotion, reach: f64) -> Outcome<usize> {
    let way = motion.end_position - motion.start.translation;
    let speed = way.norm() + motion.rotation_vector.norm() * reach;
    let mut session = DistanceSession::new();
    let (mut t, mut steps) = (0.0, 0);
    while t < 1.0 {
        let translation = motion.start.translation + way * t;
        let pose = Pose::from_rpy(translation, motion.rotation_vector * t)?;
        let d = distance((&trees[0], &pose), (&trees[1], &Pose::IDENTITY), DistanceLimits::default(), &mut session)?;
        steps += 1;
        if d.at_least < THRESHOLD {
            break;
        }
        t += d.at_least / speed;
    }
    Ok(steps)
}
