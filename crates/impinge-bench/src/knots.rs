//! Rigid bodies: torus knot against torus knot, gear against plate. The first contact of a whole motion against one distance query.

use std::path::Path;
use std::sync::Arc;

use clap::Args;
use impinge::geometry::Mesh;
use impinge::math::{Pose, Vec3};
use impinge::motion::RigidMotion;
use impinge::query::Engine;
use impinge::scene::BodyId;
use impinge::{Checker, Options, Scene};
use impinge_io::example::solids::torus_knot;
use impinge_io::load_mesh;

use crate::fcl::{self, Fcl};
use crate::report::{Goal, Report};
use crate::rigid_motions;
use crate::rounds::{Questions, Rounds, repeats, turns};
use crate::table::{Table, count, number, power, ratio, target, words};
use crate::truth::{Marks, Truth, load};
use crate::{Outcome, Source};

/// Target of the first contact as a share of one distance query of FCL, without and with rotation; half of it for any contact.
const TARGETS: [f64; 2] = [0.06, 0.16];
/// The additional rotation of the gear over its whole motion.
const SPIN: Vec3 = Vec3::new(0.0, 0.0, 1.0);

/// The default engine first; for meshes that is [`Engine::Boxes`].
const ENGINES: [(&str, Engine); 3] = [("auto", Engine::Auto), ("sweep", Engine::Sweep), ("hulls", Engine::Hulls)];

/// Options of the benchmark.
#[derive(Args)]
pub struct Run {
    #[command(flatten)]
    source: Source,
    /// Every engine in turn, not only the default.
    #[arg(long)]
    engines: bool,
}

/// A pair of meshes, with the FCL peer for it.
struct Site {
    name: String,
    triangles: usize,
    checkers: Vec<(&'static str, Checker)>,
    body: BodyId,
    fcl: Option<Fcl>,
}

/// Motions of one kind, with their measurements.
#[derive(Clone)]
struct Set {
    site: usize,
    /// The index of the site's checker.
    checker: usize,
    kind: &'static str,
    motions: Vec<RigidMotion>,
    truth: Option<Truth>,
    distance: Rounds,
    questions: Questions,
}

/// Measures all sets.
pub fn measure(run: &Run) -> Outcome<Report> {
    let source = &run.source;
    let (mut sites, mut sets) = (Vec::new(), Vec::new());
    match source.folder() {
        Some(dir) => {
            for name in ["knot2880", "knot11520", "knot34560", "gpm"] {
                load_site(name, &dir.join("rigid").join(name), &mut sites, &mut sets)?;
            }
        }
        None => {
            for (along, around) in [(120, 12), (240, 24), (480, 36)] {
                let knot = || torus_knot(along, around).into_mesh();
                let (moving, turning) = rigid_motions::random();
                add_sets(sites.len(), moving, turning, None, &mut sets);
                sites.push(Site::new(format!("made{}", 2 * along * around), knot()?, knot()?)?);
            }
        }
    }
    if run.engines {
        let each = |set: Set| std::array::from_fn::<_, { ENGINES.len() }, _>(|checker| Set { checker, ..set.clone() });
        sets = sets.into_iter().flat_map(each).collect();
    }
    for round in 0..source.rounds {
        eprintln!("round {} of {}", round + 1, source.rounds);
        for k in turns(sets.len(), round) {
            sets[k].round(&mut sites, round)?;
        }
    }
    Ok(report(&sites, &sets, source.rounds).text(source.substitute()))
}

impl Site {
    fn new(name: String, a: Mesh, b: Mesh) -> Outcome<Self> {
        let triangles = a.triangles().len() + b.triangles().len();
        let mut fcl = Fcl::start();
        if let Some(fcl) = &mut fcl {
            fcl.pair(&a, &b)?;
        }
        let scene = Scene::builder().body("a", a).obstacle("b", b, Pose::IDENTITY).build()?;
        let body = scene.body("a").ok_or("no body")?;
        let scene = Arc::new(scene);
        let checkers = ENGINES
            .into_iter()
            .map(|(name, engine)| Ok((name, Checker::new(scene.clone(), Options::default().engine(engine))?)))
            .collect::<Outcome<Vec<_>>>()?;
        Ok(Site { name, triangles, checkers, body, fcl })
    }
}

fn load_site(name: &str, dir: &Path, sites: &mut Vec<Site>, sets: &mut Vec<Set>) -> Outcome<()> {
    let [a, b] = ["A.obj", "B.obj"].map(|file| load_mesh(dir.join(file), Vec3::splat(1.0)));
    let truth = load(&dir.join("gt.txt"))?;
    let (mut moving, mut turning) = (Vec::new(), Vec::new());
    let (mut moving_truth, mut turning_truth) = (Vec::new(), Vec::new());
    for (motion, truth) in rigid_motions::of_workload(dir)?.into_iter().zip(truth) {
        let (motions, truths) = if motion.rotation_vector == Vec3::ZERO {
            (&mut moving, &mut moving_truth)
        } else {
            (&mut turning, &mut turning_truth)
        };
        motions.push(motion);
        truths.push(truth);
    }
    if turning.is_empty() {
        let motions = moving.iter().map(|m: &RigidMotion| RigidMotion { rotation_vector: SPIN, ..*m }).collect();
        sets.push(Set::new(sites.len(), "spin", motions, None));
    }
    add_sets(sites.len(), moving, turning, Some((moving_truth, turning_truth)), sets);
    sites.push(Site::new(name.into(), a?.value, b?.value)?);
    Ok(())
}

fn add_sets(
    site: usize,
    moving: Vec<RigidMotion>,
    turning: Vec<RigidMotion>,
    truth: Option<(Truth, Truth)>,
    sets: &mut Vec<Set>,
) {
    let (moving_truth, turning_truth) = truth.unzip();
    for (kind, motions, truth) in [("T", moving, moving_truth), ("TR", turning, turning_truth)] {
        if !motions.is_empty() {
            sets.push(Set::new(site, kind, motions, truth));
        }
    }
}

impl Set {
    fn new(site: usize, kind: &'static str, motions: Vec<RigidMotion>, truth: Option<Truth>) -> Self {
        Set { site, checker: 0, kind, motions, truth, distance: Rounds::default(), questions: Questions::default() }
    }

    /// Measures distances of FCL and both queries of impinge, in turns.
    fn round(&mut self, sites: &mut [Site], round: usize) -> Outcome<()> {
        let (site, n) = (&mut sites[self.site], self.motions.len());
        if let Some(fcl) = &mut site.fcl {
            fcl.starts(self.motions.iter().map(|m| m.start))?;
        }
        let checker = &site.checkers[self.checker].1;
        let motion = |i: usize| checker.scene().motion().rigid(site.body, self.motions[i]).build();
        for who in turns(3, round) {
            match (who, &mut site.fcl) {
                (0 | 1, _) => self.questions.round(who, checker, n, motion)?,
                (_, Some(fcl)) => self.distance.push(fcl.distance(repeats(n))?.0),
                (_, None) => {}
            }
        }
        Ok(())
    }
}

fn report(sites: &[Site], sets: &[Set], rounds: usize) -> Report {
    let mut goals = [
        Goal::at_most(format!("first contact without rotation: at most {} of one distance query of FCL", TARGETS[0]), TARGETS[0]),
        Goal::at_most(format!("first contact with rotation: at most {} of one distance query of FCL", TARGETS[1]), TARGETS[1]),
        Goal::at_most("no contact is missed, false or undecided", 0.0),
    ];
    for set in sets {
        let (site, n) = (&sites[set.site], set.motions.len());
        let place = format!("{}, {}, {}", site.name, set.kind, site.checkers[set.checker].0);
        let part = ratio(set.questions.first.rounds.microseconds(n), set.distance.microseconds(n));
        let of_default = part.filter(|_| set.checker == 0);
        match set.kind {
            "T" => goals[0].add(&place, of_default),
            "TR" => goals[1].add(&place, of_default),
            _ => {}
        }
        let wrong = Marks::of(&set.questions.first.verdicts, set.truth.as_ref()).count();
        goals[2].add(&place, Some(wrong as f64));
    }
    Report::new("knots", "Torus knots and gears: whole motions against one distance query")
        .text(
            "T: translation; TR: with rotation; spin: the drops of the gear with an additional rotation of 1 rad. `FCL distance`: the \
             distance of both meshes at the start of the motion. `any`, `first`: any contact and the first contact of the whole motion, \
             including the construction of the motion. `wrong`: missed / false / undecided contacts, against the ground truth of the \
             workload. `auto` is the default engine. `spread %` refers to `first`.",
        )
        .text(fcl::why_missing().unwrap_or_default())
        .table(table(sites, sets, rounds))
        .goals(goals)
}

fn table(sites: &[Site], sets: &[Set], rounds: usize) -> Table {
    let title = format!(
        "Microseconds per motion, median of {rounds} rounds; ! is above target (first/distance <= {} without rotation, {} with; \
         any/distance half of that)",
        TARGETS[0], TARGETS[1]
    );
    let columns = [
        "set",
        "triangles",
        "kind",
        "engine",
        "n",
        "contacts",
        "FCL distance",
        "any",
        "first",
        "spread %",
        "any/distance",
        "first/distance",
        "any wrong",
        "first wrong",
        "widest",
        "off",
    ];
    let mut table = Table::new(title, &columns);
    for set in sets {
        let n = set.motions.len();
        let most = match set.kind {
            "T" => TARGETS[0],
            "TR" => TARGETS[1],
            _ => f64::INFINITY,
        };
        let [distance, any, first] =
            [&set.distance, &set.questions.any.rounds, &set.questions.first.rounds].map(|r| r.microseconds(n));
        let [any_marks, marks] = [&set.questions.any, &set.questions.first].map(|q| Marks::of(&q.verdicts, set.truth.as_ref()));
        table.row(vec![
            words(&sites[set.site].name),
            count(sites[set.site].triangles),
            words(set.kind),
            words(sites[set.site].checkers[set.checker].0),
            count(n),
            count(set.questions.first.verdicts.iter().filter(|v| v.contact().is_some()).count()),
            number(distance, 0),
            number(any, 1),
            number(first, 1),
            number(set.questions.first.rounds.spread(), 0),
            target(ratio(any, distance), 0.5 * most, 3),
            target(ratio(first, distance), most, 3),
            words(any_marks.wrong()),
            words(marks.wrong()),
            power(marks.widest),
            power(marks.off),
        ]);
    }
    table
}
