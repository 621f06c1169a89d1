//! One overlap test of two OBBs over an interval of time: section 6 of the paper gives "about one microsecond … when the bounds on
//! the matrix elements have already been computed".
//!
//! A torus knot moves towards another and stops before contact. If no pair of triangles reaches the equations, the exact stage with
//! interval matrices consists of overlap tests, and of the bounds on one relative motion for each interval. So its time divided by its
//! tests is an upper bound of one test.

use clap::Args;
use impinge::math::Pose;
use impinge::motion::RigidMotion;
use impinge::query::Bound;
use impinge::scene::Motion;
use impinge::{Checker, Options, Scene, Verdict};
use impinge_io::example::solids::torus_knot;

use crate::report::{Goal, Report};
use crate::rounds::{Rounds, turns};
use crate::table::{Table, count, number, target, words};
use crate::{Outcome, clock, rigid_motions};

/// The paper's microseconds for one test, on a 2.4 GHz Pentium.
const PAPER: f64 = 1.0;
/// Target microseconds of impinge.
const MOST: f64 = 1.0;
/// Knots: steps along and around, 11,520 triangles each.
const KNOT: (u32, u32) = (240, 24);
/// Motions end at this share of the time of their first contact …
const SHARE: f64 = 0.9;
/// … and count if they need at least this number of tests.
const LEAST: u64 = 50;

/// Options of the benchmark.
#[derive(Args)]
pub struct Run {
    /// Rounds; numbers are medians over them.
    #[arg(long, default_value_t = 5)]
    rounds: usize,
}

/// The work of one pass over motions of a kind.
struct Pass {
    seconds: f64,
    tests: u64,
    intervals: u64,
    equations: u64,
}

/// Measures translations, and translations with a rotation.
pub fn measure(run: &Run) -> Outcome<Report> {
    let knot = || torus_knot(KNOT.0, KNOT.1).into_mesh();
    let scene = Scene::builder().body("a", knot()?).obstacle("b", knot()?, Pose::IDENTITY).build()?;
    let checker = Checker::new(scene, Options::default().bound(Bound::Interval))?;
    let title = format!("Median of {} rounds; ! is above target ({MOST} us)", run.rounds);
    let columns = ["motion", "n", "tests", "intervals", "equations", "ns per test", "spread %", "paper ns", "paper/ours"];
    let mut table = Table::new(title, &columns);
    let mut goal = Goal::at_most(format!("one overlap test takes at most {MOST} us"), MOST);
    let (moving, turning) = rigid_motions::random();
    let kinds = [free_motions(&checker, moving)?, free_motions(&checker, turning)?];
    // The first passes are a warm-up.
    let mut last = [pass(&checker, &kinds[0])?, pass(&checker, &kinds[1])?];
    let mut times = [Rounds::default(), Rounds::default()];
    for round in 0..run.rounds {
        for k in turns(kinds.len(), round) {
            last[k] = pass(&checker, &kinds[k])?;
            times[k].push(last[k].seconds);
        }
    }
    for (name, ((motions, last), rounds)) in ["moving", "turning"].into_iter().zip(kinds.iter().zip(last).zip(&times)) {
        let one = rounds.microseconds(last.tests as usize);
        goal.add(name, one);
        table.row(vec![
            words(name),
            count(motions.len()),
            count(last.tests as usize),
            count(last.intervals as usize),
            count(last.equations as usize),
            target(one.map(|us| 1e3 * us), 1e3 * MOST, 1),
            number(rounds.spread(), 0),
            number(Some(1e3 * PAPER), 0),
            number(one.map(|us| PAPER / us), 0),
        ]);
    }
    Ok(Report::new("redon-box-test", "One overlap test of two OBBs over an interval")
        .text(
            "Section 6: \"The average time required to perform a continuous overlap test between two moving OBBs is about one microsecond, when the bounds on the \
             matrix elements have already been computed.\" A torus knot of 11,520 triangles moves towards another and stops before \
             contact, with interval matrices, stage 3 alone. The number is the CPU time of the stage divided by its overlap tests. It \
             includes the bounds on the matrix elements, once per interval, and no equation is solved, so a test alone takes less.",
        )
        .table(table)
        .goals([goal]))
}

/// Returns motions of one knot towards the other that stop before contact, and are proven free without an equation.
fn free_motions(checker: &Checker, motions: Vec<RigidMotion>) -> Outcome<Vec<Motion>> {
    let body = checker.scene().body("a").ok_or("no body")?;
    let build = |rigid: RigidMotion| checker.scene().motion().rigid(body, rigid).build();
    let mut free = Vec::new();
    for rigid in motions {
        let Verdict::Contact(contact) = checker.first_contact(&build(rigid)?)? else { continue };
        let motion = build(shortened(&rigid, SHARE * contact.free_until))?;
        let (verdict, report) = checker.first_contact_reported(&motion, &|| 0.0)?;
        if verdict.is_free() && report.stages[2].is_some_and(|stage| stage.equations == 0 && stage.node_pairs >= LEAST) {
            free.push(motion);
        }
    }
    if free.is_empty() { Err("no motion is free without an equation".into()) } else { Ok(free) }
}

/// Returns the beginning of a motion.
fn shortened(motion: &RigidMotion, share: f64) -> RigidMotion {
    let way = motion.end_position - motion.start.translation;
    RigidMotion {
        start: motion.start,
        end_position: motion.start.translation + way * share,
        rotation_vector: motion.rotation_vector * share,
    }
}

fn pass(checker: &Checker, motions: &[Motion]) -> Outcome<Pass> {
    let mut sum = Pass { seconds: 0.0, tests: 0, intervals: 0, equations: 0 };
    for motion in motions {
        let report = checker.first_contact_reported(motion, &clock::of_thread)?.1;
        let stage = report.stages[2].unwrap_or_default();
        sum.seconds += stage.seconds;
        sum.tests += stage.node_pairs;
        sum.intervals += stage.intervals;
        sum.equations += stage.equations;
    }
    Ok(sum)
}
