//! Section 3.3: the gear's whole motion at once. Does it touch (i), which pairs do (ii), and when (iii)?

use std::ops::ControlFlow;

use impinge::query::distance::{DistanceLimits, DistanceSession, Reading, Tricks, pairs_within, swept_distance};
use impinge::query::{Checker, Options, TouchOptions};
use impinge::scene::{Motion, Scene};
use impinge::{Pose, RigidMotion, Vec3, Verdict};

use super::paper::WHOLE;
use super::scenes::{Scenario, gear_plate_motor};
use super::{Run, median, timed};
use crate::table::{Table, count, number, target, words};
use crate::{Outcome, rigid_motions};

/// Milliseconds allowed for (i) and for (ii).
const TARGETS: [(&str, f64); 2] = [("(i)", 0.7), ("(ii)", 2.0)];

/// Measures the paper's motion at its margins, and the workload's motions.
pub fn measure(run: &Run) -> Outcome<Table> {
    let title = format!(
        "Xavier 1997, section 3.3: milliseconds for the whole motion, median of {} rounds; mean over motions of the workload; ! is above target",
        run.rounds
    );
    let columns = ["motions", "margin", "problem", "engine", "ms", "pairs", "touching", "paper s", "paper pairs"];
    let mut table = Table::new(title, &columns);
    let scenario = gear_plate_motor(&run.shared)?;
    let drop = vec![scenario.drop()];
    let all = run.shared.join("workloads/rigid/gpm");
    let mut sets = vec![("drop", drop)];
    if all.is_dir() {
        sets.push(("workload", rigid_motions::of_workload(&all)?));
    }
    for (name, motions) in &sets {
        for margin in if *name == "drop" { &[0.00124, 0.00126][..] } else { &[0.0][..] } {
            let asker = Asker::new(&scenario, *margin)?;
            for problem in ["(i)", "(ii)", "(iii)"] {
                let paper = WHOLE.iter().find(|w| *name == "drop" && w.0 == *margin && w.1 == problem);
                for engine in ["search", "hulls"] {
                    // Hulls know no times, and the whole workload takes them minutes.
                    if engine == "hulls" && (problem == "(iii)" || *name != "drop") {
                        continue;
                    }
                    let mut found = (0, 0);
                    let mut seconds = Vec::new();
                    for _ in 0..run.rounds {
                        let (time, pairs) =
                            timed(|| motions.iter().map(|m| asker.ask(m, problem, engine)).collect::<Outcome<Vec<_>>>())?;
                        seconds.push(1e3 * time / motions.len() as f64);
                        found = (pairs.iter().sum(), pairs.iter().filter(|n| **n > 0).count());
                    }
                    let most = TARGETS.iter().find(|t| t.0 == problem && engine == "search").map_or(f64::INFINITY, |t| t.1);
                    table.row(vec![
                        words(*name),
                        words(margin.to_string()),
                        words(problem),
                        words(engine),
                        target(Some(median(seconds)), most, 3),
                        count(found.0),
                        count(found.1),
                        number(paper.map(|p| p.2), 2),
                        number(paper.map(|p| p.3 as f64), 0),
                    ]);
                }
            }
        }
    }
    run.results.save("xavier-witnesses", &table, &[])?;
    Ok(table)
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

/// Both engines, ready to be asked.
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

    /// How many pairs touch; 0 or 1 for problem (i).
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
