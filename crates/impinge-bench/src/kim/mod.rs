//! Kim 2008: time per query against the number of active joints, with sessions and from scratch, on motions of a simulation that locks the
//! joints that hardly move; and kinematics on assembly trees.

mod dynamics;
pub mod kinematics;
pub mod replay;
pub mod scenes;
mod simulation;

use clap::Args;

use crate::Outcome;
use crate::all::{Chapter, Planned};
use crate::plot::{Axis, Line, Plot, Scale, Stroke};
use crate::report::{Goal, Report};
use crate::table::{Table, count, number, ratio, target, words};
use replay::{Times, record, replay};
use scenes::Stage;

/// The chapter of the paper in the document.
pub const CHAPTER: Chapter = Chapter {
    key: "kim",
    title: "Kim, Redon, Kim 2008: Continuous collision detection for adaptive simulation of articulated bodies",
    text: "\
Figure 4 of the paper is a plot without printed numbers, so only its shape can be compared: the time grows with the number of active \
joints. The paper times queries \"during collision\" and averages some 50 runs; here steps in contact and free steps are separate.

The motions come from a simulation with adaptive joints (`crates/impinge-bench/src/kim/`): forces through articulated bodies, impulses \
at collisions, and only the active joints are free, those with the most energy. A run has 300 steps, or ends when all bodies are at \
rest; starts are random. The steps are recorded once and then queried in three ways: with a session in which only the moving joints are \
declared active (`few`), with a session in which all joints are declared active, for the same motion (`all`), and from scratch \
(`scratch`). The order of the three changes from step to step. All three must agree on every step, or the benchmark ends with an error.",
    runs: &[
        Planned { full: "kim-figure-4-men --steps 5000 --rounds 5", quick: "kim-figure-4-men --steps 60 --rounds 2" },
        Planned { full: "kim-figure-4-pendulum --steps 5000 --rounds 5", quick: "kim-figure-4-pendulum --steps 100 --rounds 2" },
        Planned { full: "kim-figure-4-falling --steps 5000 --rounds 5", quick: "kim-figure-4-falling --steps 100 --rounds 2" },
        Planned { full: "kinematics --rounds 21", quick: "kinematics --rounds 3" },
    ],
};

/// Options of the benchmark.
#[derive(Args)]
pub struct Run {
    /// Steps for each number of active joints
    #[arg(long, default_value_t = 3000)]
    steps: usize,
    /// Rounds; numbers are medians over them
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// Seed of the starts of mechanisms
    #[arg(long, default_value_t = SEED)]
    seed: u64,
}

/// Default seed of the starts.
pub const SEED: u64 = 2008;
/// Targets: a tenth of the joints active against all; the same motion with few declared against all declared; all active against from scratch.
const FEW: f64 = 0.4;
const DECLARED: f64 = 1.1;
const ALL: f64 = 1.1;
/// About a tenth of the joints.
const TENTH: f64 = 0.15;
/// Kinds of steps, as sorted by [`replay()`].
const KINDS: [&str; 2] = ["free", "contact"];

/// Two men pulled together.
pub fn men(run: &Run) -> Outcome<Report> {
    measure("kim-men", "Figure 4: two wooden men pulled together", &scenes::men()?, run)
}

/// A pendulum in self-collision.
pub fn pendulum(run: &Run) -> Outcome<Report> {
    measure("kim-pendulum", "Figure 4: a pendulum of balls that collides with itself", &scenes::pendulum()?, run)
}

/// A man that falls on dishes.
pub fn falling(run: &Run) -> Outcome<Report> {
    measure("kim-falling", "Figure 4: a man falling on plates and pots", &scenes::falling()?, run)
}

/// Steps with a number of active joints.
struct Measured {
    active: usize,
    share: f64,
    times: [Times; 2],
}

impl Measured {
    /// Microseconds per step of a kind: few declared and the declaration, all declared, from scratch.
    fn microseconds(&self, kind: usize) -> [Option<f64>; 3] {
        [0, 1, 2].map(|way| self.times[kind].ways[way].microseconds(self.times[kind].n))
    }
}

fn measure(name: &'static str, title: &str, stage: &Stage, run: &Run) -> Outcome<Report> {
    let joints = stage.mechanism.bodies.len();
    let mut counts: Vec<usize> =
        [0.03, 0.1, 0.2, 0.35, 0.5, 0.75, 1.0].iter().map(|s| ((joints as f64 * s).round() as usize).max(1)).collect();
    counts.dedup();
    let (mut all, mut recorded) = (Vec::new(), Vec::new());
    for &active in &counts {
        eprintln!("{active} of {joints} joints active: simulating");
        recorded.push(record(stage, active, run.steps, run.seed)?);
        all.push(Measured { active, share: active as f64 / joints as f64, times: Default::default() });
    }
    // The first pass is a warm-up.
    recorded.iter().try_for_each(|steps| replay(stage, steps, 0, &mut Default::default()))?;
    for round in 0..run.rounds {
        eprintln!("round {} of {}", round + 1, run.rounds);
        for (measured, steps) in all.iter_mut().zip(&recorded) {
            replay(stage, steps, round, &mut measured.times)?;
        }
    }
    Ok(Report::new(name, format!("{title}, {joints} joints"))
        .text(
            "`few`, `all`, `scratch`: microseconds per step. `few` includes `declare`: the declaration of the active joints before a \
             step. `n` steps of a kind come from `runs` runs. `few/all`: the gain from the declaration, for the same motion. `few of all \
             active`: relative to the steps of the same kind with all joints active, as in Figure 4; this includes the effect of the \
             different motion. `spread %` refers to `few`.",
        )
        .table(table(&all, run))
        .plot("", "time per step", plot(title, &all))
        .goals(goals(&all)))
}

fn table(all: &[Measured], run: &Run) -> Table {
    let title = format!(
        "{} steps for each number of active joints, median of {} rounds; ! is above target (few of all active <= {FEW} for a tenth, in contact; \
         few/all <= {DECLARED}; few/scratch <= {ALL})",
        run.steps, run.rounds
    );
    let columns = [
        "steps",
        "active",
        "share",
        "runs",
        "n",
        "few",
        "spread %",
        "declare",
        "all",
        "scratch",
        "few/all",
        "few/scratch",
        "few of all active",
    ];
    let mut table = Table::new(title, &columns);
    for (kind, word) in KINDS.into_iter().enumerate() {
        let full = all.last().and_then(|m| m.microseconds(kind)[0]);
        for m in all {
            let [few, declared, scratch] = m.microseconds(kind);
            let times = &m.times[kind];
            let most = if kind == 1 && m.share < TENTH { FEW } else { f64::INFINITY };
            table.row(vec![
                words(word),
                count(m.active),
                number(Some(m.share), 2),
                count(times.runs),
                count(times.n),
                number(few, 1),
                number(times.ways[0].spread(), 0),
                number(times.declaring.microseconds(times.n), 1),
                number(declared, 1),
                number(scratch, 1),
                target(ratio(few, declared), if m.share < 1.0 { DECLARED } else { f64::INFINITY }, 2),
                target(ratio(few, scratch), ALL, 2),
                target(ratio(few, full), most, 2),
            ]);
        }
    }
    table
}

fn goals(all: &[Measured]) -> [Goal; 3] {
    let mut goals = [
        Goal::at_most(format!("in contact, a tenth of the joints active: at most {FEW} of the time with all joints active"), FEW),
        Goal::at_most(
            format!("the same motion: few joints declared active take at most {DECLARED} of the time with all declared active"),
            DECLARED,
        ),
        Goal::at_most(format!("at most {ALL} of the time of a query from scratch"), ALL),
    ];
    for (kind, word) in KINDS.into_iter().enumerate() {
        let full = all.last().and_then(|m| m.microseconds(kind)[0]);
        for m in all {
            let ([few, declared, scratch], place) = (m.microseconds(kind), format!("{} active, {word}", m.active));
            goals[0].add(&place, ratio(few, full).filter(|_| kind == 1 && m.share < TENTH));
            // With all joints active both sessions have the same declaration.
            goals[1].add(&place, ratio(few, declared).filter(|_| m.share < 1.0));
            goals[2].add(&place, ratio(few, scratch));
        }
    }
    goals
}

/// Plots steps in contact solid, free ones dashed; one colour for each method.
fn plot(title: &str, all: &[Measured]) -> Plot {
    let mut lines = Vec::new();
    for (kind, stroke) in [(1, Stroke::Solid), (0, Stroke::Dashed)] {
        for (way, name) in ["few declared", "all declared", "from scratch"].into_iter().enumerate() {
            let points = all.iter().filter_map(|m| Some((m.active as f64, m.microseconds(kind)[way]?))).collect();
            lines.push(Line { name: format!("{name}, {}", KINDS[kind]), points, stroke, colour: way });
        }
    }
    let axis = |label: &str| Axis { label: label.into(), scale: Scale::Linear };
    Plot { title: title.into(), x: axis("active joints"), y: axis("microseconds per step"), lines }
}
