//! Section 3.3: the gear's whole motion at once. Any contact (i), all pairs in contact (ii), and their times (iii).

use std::ops::ControlFlow;

use impinge::query::distance::{DistanceLimits, DistanceSession, Reading, Tricks, pairs_within, swept_distance};
use impinge::query::{Checker, Options, TouchOptions};
use impinge::scene::{Motion, Scene};
use impinge::{Pose, RigidMotion, Vec3, Verdict};

use super::Run;
use super::paper::WHOLE;
use super::scenes::{Scenario, gear_plate_motor};
use crate::report::{Goal, Report};
use crate::rounds::{Rounds, turns};
use crate::table::{Table, count, number, target, words};
use crate::{Outcome, clock, rigid_motions};

/// Target milliseconds for (i) and for (ii), mean of the workload.
const TARGETS: [(&str, f64); 2] = [("(i)", 0.7), ("(ii)", 2.0)];
/// The drop, at both margins of the paper.
const DROP: (&str, [f64; 2]) = ("drop", [0.00124, 0.00126]);

/// Problems and engines.
const QUESTIONS: [(&str, &str); 5] =
    [("(i)", "search"), ("(i)", "hulls"), ("(ii)", "search"), ("(ii)", "hulls"), ("(iii)", "search")];

/// Motions at a margin, with the engines.
struct Set<'a> {
    name: &'static str,
    motions: Vec<RigidMotion>,
    margin: f64,
    asker: Asker<'a>,
}

/// One problem on the motions of one set.
struct Asked {
    /// The index of the set.
    set: usize,
    motions: &'static str,
    margin: f64,
    problem: &'static str,
    engine: &'static str,
    n: usize,
    times: Rounds,
    /// Pairs in total, and motions in contact.
    found: (usize, usize),
}

/// Measures the paper's motion at its margins, and the workload's motions.
pub fn measure(run: &Run) -> Outcome<Report> {
    let scenario = gear_plate_motor(&run.shared)?;
    let workload = run.shared.join("workloads/rigid/gpm");
    let mut sets = Vec::new();
    for margin in DROP.1 {
        sets.push(Set { name: DROP.0, motions: vec![scenario.drop()], margin, asker: Asker::new(&scenario, margin)? });
    }
    if workload.is_dir() {
        let motions = rigid_motions::of_workload(&workload)?;
        sets.push(Set { name: "workload", motions, margin: 0.0, asker: Asker::new(&scenario, 0.0)? });
    }
    let mut asked: Vec<Asked> = sets.iter().enumerate().flat_map(|(k, set)| set.questions(k)).collect();
    for round in 0..run.rounds {
        eprintln!("round {} of {}", round + 1, run.rounds);
        turns(asked.len(), round).try_for_each(|k| asked[k].round(&sets))?;
    }
    let missing = "**The shared workload was not measured**: it is missing.";
    Ok(Report::new("xavier-witnesses", "Section 3.3: the whole motion at once")
        .text(
            "Problem (i): any contact; (ii): all pairs in contact; (iii): their times. `search` is the default engine; `hulls` is the \
             method of the paper, which computes no times. `drop` is the motion of the paper at its two margins, on either side of the \
             clearance; `workload` is the mean of the hundred motions of the shared workload.",
        )
        .text(&scenario.substitute)
        .text(if workload.is_dir() { "" } else { missing })
        .table(table(&asked, run.rounds))
        .goals(goals(&asked)))
}

impl Set<'_> {
    /// Returns all problems on this set, not yet run.
    fn questions(&self, set: usize) -> impl Iterator<Item = Asked> {
        QUESTIONS.into_iter().map(move |(problem, engine)| Asked {
            set,
            motions: self.name,
            margin: self.margin,
            problem,
            engine,
            n: self.motions.len(),
            times: Rounds::default(),
            found: (0, 0),
        })
    }
}

impl Asked {
    fn round(&mut self, sets: &[Set<'_>]) -> Outcome<()> {
        let set = &sets[self.set];
        let all = || set.motions.iter().map(|m| set.asker.ask(m, self.problem, self.engine)).collect::<Outcome<Vec<_>>>();
        let (seconds, pairs) = clock::timed(all);
        let pairs = pairs?;
        self.times.push(seconds);
        self.found = (pairs.iter().sum(), pairs.iter().filter(|n| **n > 0).count());
        Ok(())
    }

    fn milliseconds(&self) -> Option<f64> {
        self.times.microseconds(self.n).map(|us| 1e-3 * us)
    }

    /// Returns the target of its milliseconds, if there is one.
    fn most(&self) -> Option<f64> {
        let wanted = self.motions == "workload" && self.engine == "search";
        TARGETS.iter().find(|t| wanted && t.0 == self.problem).map(|t| t.1)
    }
}

fn table(asked: &[Asked], rounds: usize) -> Table {
    let title = format!("Milliseconds for a whole motion, median of {rounds} rounds; ! is above target");
    let columns =
        ["motions", "margin", "problem", "engine", "n", "ms", "spread %", "pairs", "touching", "paper ms", "paper pairs"];
    let mut table = Table::new(title, &columns);
    for a in asked {
        let paper = WHOLE.iter().find(|w| a.motions == DROP.0 && w.0 == a.margin && w.1 == a.problem);
        table.row(vec![
            words(a.motions),
            words(a.margin.to_string()),
            words(a.problem),
            words(a.engine),
            count(a.n),
            target(a.milliseconds(), a.most().unwrap_or(f64::INFINITY), 3),
            number(a.times.spread(), 0),
            count(a.found.0),
            count(a.found.1),
            number(paper.map(|p| 1e3 * p.2), 0),
            number(paper.map(|p| p.3 as f64), 0),
        ]);
    }
    table
}

fn goals(asked: &[Asked]) -> Vec<Goal> {
    let mut goals: Vec<Goal> = TARGETS
        .iter()
        .map(|(problem, most)| Goal::at_most(format!("{problem} under {most} ms, mean of the workload"), *most))
        .collect();
    for (goal, (problem, _)) in goals.iter_mut().zip(TARGETS) {
        asked.iter().filter(|a| a.problem == problem && a.most().is_some()).for_each(|a| goal.add("", a.milliseconds()));
    }
    let mut none = Goal::at_most("no contact at 0.00124, below the clearance", 0.0);
    let mut all = Goal::at_least("contact at 0.00126, above the clearance", 1.0);
    for a in asked.iter().filter(|a| a.motions == DROP.0) {
        let goal = if a.margin == DROP.1[0] { &mut none } else { &mut all };
        goal.add(format!("{}, {}", a.problem, a.engine), Some(a.found.0 as f64));
    }
    goals.extend([none, all]);
    goals
}

impl Scenario {
    fn drop(&self) -> RigidMotion {
        RigidMotion {
            start: Pose::from_translation(self.start),
            end_position: self.start + self.travel,
            rotation_vector: Vec3::ZERO,
        }
    }
}

/// Both engines, ready to run.
struct Asker<'a> {
    checker: Checker,
    scenario: &'a Scenario,
    margin: f64,
}

impl<'a> Asker<'a> {
    fn new(scenario: &'a Scenario, margin: f64) -> Outcome<Self> {
        let copy = |i: usize| impinge::Mesh::new(scenario.meshes[i].vertices().to_vec(), scenario.meshes[i].triangles().to_vec());
        let scene = Scene::builder().body("gear", copy(0)?).obstacle("rest", copy(1)?, Pose::IDENTITY).build()?;
        Ok(Asker { checker: Checker::new(scene, Options::default().margin(margin))?, scenario, margin })
    }

    /// Returns the number of pairs in contact; 0 or 1 for problem (i).
    fn ask(&self, rigid: &RigidMotion, problem: &str, engine: &str) -> Outcome<usize> {
        if engine == "hulls" {
            return self.by_hulls(rigid, problem);
        }
        let body = self.checker.scene().body("gear").ok_or("the gear is lost")?;
        let motion: Motion = self.checker.scene().motion().rigid(body, *rigid).build()?;
        if problem == "(i)" {
            return Ok(usize::from(!matches!(self.checker.check(&motion)?, Verdict::Free)));
        }
        let mut pairs = 0;
        let options = TouchOptions { times: problem == "(iii)", ..TouchOptions::default() };
        self.checker.touching_pairs(&motion, options, |_| {
            pairs += 1;
            ControlFlow::Continue(())
        })?;
        Ok(pairs)
    }

    fn by_hulls(&self, rigid: &RigidMotion, problem: &str) -> Outcome<usize> {
        let by = rigid.end_position - rigid.start.translation;
        let (a, b) = ((&self.scenario.trees[0], &rigid.start, by), (&self.scenario.trees[1], &Pose::IDENTITY, Vec3::ZERO));
        let session = &mut DistanceSession::with_tricks(Tricks::ONCE);
        if problem == "(i)" {
            let d = swept_distance(a, b, Reading::Simultaneous, DistanceLimits::within(self.margin), session)?;
            return Ok(usize::from(d.at_most <= self.margin));
        }
        let mut pairs = 0;
        pairs_within(a, b, Reading::Simultaneous, self.margin, session, |_| {
            pairs += 1;
            ControlFlow::Continue(())
        })?;
        Ok(pairs)
    }
}
