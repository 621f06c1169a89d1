//! Distance of two surfaces at rest: torus knots and gears at the start poses of their motions, certified, against FCL; and building.

use std::sync::Arc;

use impinge::geometry::Mesh;
use impinge::math::{Pose, Vec3};
use impinge::query::Engine;
use impinge::query::distance::HullTree;
use impinge::query::distance::{DistanceLimits, DistanceSession, Tricks, distance};
use impinge::{Checker, Options, Scene};
use impinge_io::{MotionKind, load_mesh, open_motions};

use crate::fcl::{self, Fcl};
use crate::report::{Goal, Report};
use crate::rounds::{Rounds, turns, warm};
use crate::table::{Table, count, number, power, ratio, target, words};
use crate::{Outcome, Source, clock};

/// Target of the distance time, as a share of that of FCL …
const TARGET: f64 = 0.2;
/// … and of the building time, as a multiple.
const BUILD_TARGET: f64 = 2.0;

/// The number of poses, each followed by this number of steps of half a percent of the way to the middle.
const MOTIONS: usize = 10;
const STEPS: i32 = 40;

struct Site {
    name: &'static str,
    meshes: [Mesh; 2],
    trees: [HullTree; 2],
    scene: Arc<Scene>,
    poses: Vec<Pose>,
    steps: Vec<Pose>,
    fcl: Option<Fcl>,
    measured: Measured,
}

#[derive(Default)]
struct Measured {
    fcl: Rounds,
    /// Rounds of each query by itself; with a session; and with a session along the start of motions.
    alone: Rounds,
    session: Rounds,
    along: Rounds,
    fcl_build: Rounds,
    build: Rounds,
    /// Building times of the OBB trees, which queries about motions need.
    boxes: Rounds,
    /// The largest difference of the two bounds, and the sums of all distances by FCL and by impinge.
    widest: f64,
    sums: [f64; 2],
}

/// The caching of a pass over poses: none, between poses, between poses in small steps.
enum Pass {
    Alone,
    Session,
    Along,
}

/// Measures all sets.
pub fn measure(source: &Source) -> Outcome<Report> {
    let dir = source.needed()?;
    let mut sites = Vec::new();
    for name in ["knot2880", "knot11520", "knot34560", "gpm"] {
        sites.push(Site::load(name, &dir.join("rigid").join(name))?);
    }
    for round in 0..source.rounds {
        eprintln!("round {} of {}", round + 1, source.rounds);
        for k in turns(sites.len(), round) {
            sites[k].round(round)?;
        }
    }
    Ok(report(&sites, source.rounds))
}

impl Measured {
    /// Returns the seconds of both OBB trees: a difference, which noise may make negative.
    fn boxes(&self) -> Option<f64> {
        self.boxes.median().map(|seconds| seconds.max(0.0))
    }
}

impl Site {
    fn load(name: &'static str, dir: &std::path::Path) -> Outcome<Self> {
        let mesh = |file: &str| load_mesh(dir.join(file), Vec3::splat(1.0)).map(|m| m.value);
        let meshes = [mesh("A.obj")?, mesh("B.obj")?];
        let (mut poses, mut steps) = (Vec::new(), Vec::new());
        for motion in open_motions(dir.join("motions.jsonl"))? {
            let MotionKind::Rigid(rigid) = motion?.kind else { return Err("a motion is not of a body".into()) };
            let pose = Pose::from_quaternion(rigid.p0, rigid.quat0_wxyz)?;
            if poses.len() < MOTIONS {
                let step = rigid.p0 * (-1.0 / 200.0);
                steps.extend((0..STEPS).map(|i| Pose { translation: pose.translation + step * f64::from(i), ..pose }));
            }
            poses.push(pose);
        }
        let mut fcl = Fcl::start();
        if let Some(fcl) = &mut fcl {
            fcl.pair(&meshes[0], &meshes[1])?;
            fcl.starts(poses.iter().copied())?;
        }
        let trees = [HullTree::new(&meshes[0]), HullTree::new(&meshes[1])];
        let scene = Scene::builder().body("a", mesh("A.obj")?).obstacle("b", mesh("B.obj")?, Pose::IDENTITY).build()?;
        Ok(Site { name, meshes, trees, scene: Arc::new(scene), poses, steps, fcl, measured: Measured::default() })
    }

    /// Measures distances by FCL and by impinge, each after an untimed pass, and building, in turns.
    fn round(&mut self, round: usize) -> Outcome<()> {
        for who in turns(4, round) {
            match (who, &mut self.fcl) {
                (0, Some(fcl)) => {
                    let (seconds, sum) = fcl.distance(1)?;
                    self.measured.fcl.push(seconds);
                    self.measured.sums[0] = sum.parse()?;
                }
                (0, None) => {}
                (1, _) => (self.measured.sums[1], self.measured.widest) = self.pass(Pass::Alone)?,
                (2, _) => drop(self.pass(Pass::Session)?),
                _ => drop(self.pass(Pass::Along)?),
            }
        }
        for who in turns(3, round) {
            match (who, &mut self.fcl) {
                (0, Some(fcl)) => self.measured.fcl_build.push(fcl.build()?.0),
                (0, None) => {}
                (1, _) => {
                    let begin = clock::of_all_threads();
                    self.trees = [HullTree::new(&self.meshes[0]), HullTree::new(&self.meshes[1])];
                    self.measured.build.push(clock::of_all_threads() - begin);
                }
                _ => self.build_boxes(round)?,
            }
        }
        Ok(())
    }

    /// A checker builds its trees at once: the time of the OBB trees is its additional time over a checker for the sweep.
    fn build_boxes(&mut self, round: usize) -> Outcome<()> {
        let mut seconds = [0.0; 2];
        for k in turns(2, round) {
            let begin = clock::of_all_threads();
            Checker::new(self.scene.clone(), Options::default().engine([Engine::Sweep, Engine::Auto][k]))?;
            seconds[k] = clock::of_all_threads() - begin;
        }
        self.measured.boxes.push(seconds[1] - seconds[0]);
        Ok(())
    }

    /// Times a pass; returns the sum of all distances, and the largest difference of the two bounds.
    fn pass(&mut self, pass: Pass) -> Outcome<(f64, f64)> {
        let (poses, tricks, times) = match pass {
            Pass::Alone => (&self.poses, Tricks::ONCE, &mut self.measured.alone),
            Pass::Session => (&self.poses, Tricks::default(), &mut self.measured.session),
            Pass::Along => (&self.steps, Tricks::default(), &mut self.measured.along),
        };
        let b = (&self.trees[1], &Pose::IDENTITY);
        let (seconds, found) = warm(|| {
            let mut session = DistanceSession::with_tricks(tricks);
            poses.iter().try_fold((0.0, 0.0f64), |(sum, widest), pose| {
                let d = distance((&self.trees[0], pose), b, DistanceLimits::default(), &mut session)?;
                Ok::<_, impinge::Error>((sum + d.at_most, widest.max(d.at_most - d.at_least)))
            })
        });
        times.push(seconds);
        Ok(found?)
    }
}

fn report(sites: &[Site], rounds: usize) -> Report {
    let mut goals = [
        Goal::at_most(format!("a distance takes at most {TARGET} of the time of FCL"), TARGET),
        Goal::at_most(format!("building takes at most {BUILD_TARGET} times as long as with FCL"), BUILD_TARGET),
    ];
    for site in sites {
        let (m, n) = (&site.measured, site.poses.len());
        goals[0].add(site.name, ratio(m.alone.microseconds(n), m.fcl.microseconds(n)));
        goals[1].add(format!("{}, hull trees", site.name), ratio(m.build.median(), m.fcl_build.median()));
        goals[1].add(format!("{}, box trees", site.name), ratio(m.boxes(), m.fcl_build.median()));
    }
    Report::new("distance", "Distance at rest, and building the trees")
        .text(
            "Distances at the start poses of the motions. `alone`: no caches between queries. `session`: with caches. `along`: with \
             caches, in small steps. `widest`: the largest difference of the certified bounds. `off`: the mean difference from FCL. \
             `build`: both hull trees. `boxes`: both OBB trees, the median of the additional time of a checker with them. Building is \
             CPU time of all threads, in seconds. `spread %` refers to `alone`.",
        )
        .text(fcl::why_missing().unwrap_or_default())
        .table(table(sites, rounds))
        .goals(goals)
}

fn table(sites: &[Site], rounds: usize) -> Table {
    let title = format!(
        "Microseconds per distance and seconds of building, median of {rounds} rounds; ! is above target (distance <= {TARGET} of FCL's, \
         building <= {BUILD_TARGET} times)"
    );
    let columns = [
        "set",
        "triangles",
        "pieces",
        "n",
        "FCL",
        "alone",
        "session",
        "along",
        "spread %",
        "alone/FCL",
        "session/FCL",
        "FCL build s",
        "build s",
        "build/FCL",
        "boxes s",
        "boxes/FCL",
        "widest",
        "off",
    ];
    let mut table = Table::new(title, &columns);
    for site in sites {
        let (m, n) = (&site.measured, site.poses.len());
        let [fcl, alone, session] = [&m.fcl, &m.alone, &m.session].map(|r| r.microseconds(n));
        let [fcl_build, build] = [&m.fcl_build, &m.build].map(Rounds::median);
        let boxes = m.boxes();
        table.row(vec![
            words(site.name),
            count(site.meshes.iter().map(|m| m.triangles().len()).sum()),
            count(site.trees.iter().map(HullTree::pieces).sum()),
            count(n),
            number(fcl, 0),
            number(alone, 1),
            number(session, 1),
            number(m.along.microseconds(site.steps.len()), 1),
            number(m.alone.spread(), 0),
            target(ratio(alone, fcl), TARGET, 3),
            target(ratio(session, fcl), TARGET, 3),
            number(fcl_build, 3),
            number(build, 3),
            target(ratio(build, fcl_build), BUILD_TARGET, 2),
            number(boxes, 3),
            target(ratio(boxes, fcl_build), BUILD_TARGET, 2),
            power(m.widest),
            m.fcl.median().map_or(words("-"), |_| power((m.sums[0] - m.sums[1]).abs() / n as f64)),
        ]);
    }
    table
}
