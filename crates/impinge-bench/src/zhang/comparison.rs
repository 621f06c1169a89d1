//! Every engine on the same queries, in turns.

use std::sync::Arc;

use impinge::motion::RigidMotion;
use impinge::query::{Bound, Engine, FrontSession};
use impinge::scene::{BodyId, Motion};
use impinge::shape::Mesh;
use impinge::{Checker, Options, Pose, Scene, Verdict};

use super::Run;
use crate::plot::{Axis, Line, Plot, Scale, Stroke};
use crate::report::{Goal, Report};
use crate::rounds::{Rounds, turns};
use crate::table::{Table, at_least, count, number, ratio, target, words};
use crate::{Outcome, clock};

/// The default should be so many times faster than the paper.
const FASTER: f64 = 100.0;
/// Boxes and steps after which interval matrices give up as undecided: some seconds of work.
const MAX_WORK: u64 = 20_000_000;

/// Two meshes, and motions of the first.
pub struct Case {
    name: String,
    scene: (Mesh, Mesh),
    motions: Vec<RigidMotion>,
    /// The paper's queries per second, of this benchmark as a whole.
    paper: Option<f64>,
}

impl Case {
    pub fn new(name: impl Into<String>, a: Mesh, b: Mesh, motions: Vec<RigidMotion>, paper: Option<f64>) -> Self {
        Case { name: name.into(), scene: (a, b), motions, paper }
    }
}

/// A way of asking.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    From(Engine),
    /// From the front of the last query.
    Session,
    /// Oriented boxes and interval matrices: the method of CONTACT, the paper's peer.
    Interval,
}

const WAYS: [(Way, &str); 5] = [
    (Way::From(Engine::Auto), "auto"),
    (Way::From(Engine::Sweep), "sweep"),
    (Way::From(Engine::Hulls), "hulls"),
    (Way::Session, "hulls, front kept"),
    (Way::Interval, "interval"),
];

/// One way on one case.
struct Cell {
    way: Way,
    checker: Checker,
    body: BodyId,
    /// The motions that are measured: all, or as many as fit into the time of a slow way.
    motions: Vec<Motion>,
    /// For each motion, its first contact and any; and all first contacts of a round.
    first: Vec<Rounds>,
    any: Vec<Rounds>,
    pass: Rounds,
    verdicts: Vec<Verdict>,
    work: Work,
}

/// Work of all first contacts.
#[derive(Clone, Copy, Default)]
struct Work {
    /// Pairs of hulls or boxes compared; swept boxes made.
    nodes: u64,
    /// Poses at which distances were found, spans of single pairs, or intervals over which motions were bounded.
    steps: u64,
    /// Pairs of triangles decided exactly.
    exact: u64,
}

/// Measures all cases; the plot shows every query of the first one.
pub fn compare(name: &'static str, title: &str, cases: &[Case], run: &Run) -> Outcome<Report> {
    let mut table = empty_table(run.rounds);
    let mut goals = vec![
        Goal::at_least(format!("default at least {FASTER} times faster than the paper"), FASTER),
        Goal::at_most("default: yes or no costs no more than the first contact", 1.0),
        Goal::at_most("all ways agree: queries answered otherwise than by the sweep", 0.0),
    ];
    let mut lines = Vec::new();
    for case in cases {
        let mut cells = case.cells(run.seconds)?;
        for round in 0..run.rounds {
            eprintln!("{}: round {} of {}", case.name, round + 1, run.rounds);
            turns(cells.len(), round).try_for_each(|k| cells[k].round(round))?;
        }
        case.rows(&cells, &mut table, &mut goals);
        if lines.is_empty() {
            lines = lines_of(&cells);
        }
    }
    let axis = |label: &str, scale: Scale| Axis { label: label.into(), scale };
    let (x, y) = (axis("query", Scale::Linear), axis("microseconds per first contact", Scale::Log));
    let plot = Plot { title: title.into(), x, y, lines };
    if cases.iter().all(|case| case.paper.is_none()) {
        goals.remove(0);
    }
    Ok(Report::new(name, title).table(table).plot("", "every query", plot).goals(goals))
}

fn empty_table(rounds: usize) -> Table {
    let title =
        format!("Microseconds per query, median of {rounds} rounds for each query, mean over n queries; ! misses its target");
    let columns = [
        "scene",
        "triangles",
        "way",
        "n",
        "contacts",
        "any",
        "first",
        "spread %",
        "largest",
        "x auto",
        "any/first",
        "steps",
        "nodes",
        "exact",
        "differs",
        "paper us",
        "paper/ours",
    ];
    Table::new(title, &columns)
}

impl Case {
    fn cells(&self, seconds: f64) -> Outcome<Vec<Cell>> {
        let mesh = |m: &Mesh| Mesh::new(m.vertices().to_vec(), m.triangles().to_vec());
        let (a, b) = (mesh(&self.scene.0)?, mesh(&self.scene.1)?);
        let scene = Arc::new(Scene::builder().body("a", a).obstacle("b", b, Pose::IDENTITY).build()?);
        WAYS.into_iter().map(|(way, _)| Cell::new(&scene, way, &self.motions, seconds)).collect()
    }

    fn rows(&self, cells: &[Cell], table: &mut Table, goals: &mut [Goal]) {
        let triangles = self.scene.0.triangles().len() + self.scene.1.triangles().len();
        let paper = self.paper.map(|rate| 1e6 / rate);
        for (cell, (way, name)) in cells.iter().zip(WAYS) {
            let n = cell.motions.len();
            let (any, first) = (mean(&cell.any), mean(&cell.first));
            let default = way == Way::From(Engine::Auto);
            let differs = differences(&cells[1].verdicts, &cell.verdicts);
            goals[0].add(&self.name, ratio(paper, first).filter(|_| default));
            goals[1].add(&self.name, ratio(any, first).filter(|_| default));
            goals[2].add(format!("{}, {name}", self.name), Some(differs as f64));
            let each = |total: u64| number((total > 0).then(|| total as f64 / n as f64), 1);
            table.row(vec![
                words(&self.name),
                count(triangles),
                words(name),
                count(n),
                count(cell.verdicts.iter().filter(|v| v.contact().is_some()).count()),
                number(any, 1),
                number(first, 1),
                number(cell.pass.spread(), 0),
                number(medians(&cell.first).into_iter().reduce(f64::max), 0),
                number(ratio(first, mean(&cells[0].first[..n])), 2),
                target(ratio(any, first), if default { 1.0 } else { f64::INFINITY }, 2),
                each(cell.work.steps),
                each(cell.work.nodes),
                each(cell.work.exact),
                count(differs),
                number(paper, 0),
                at_least(ratio(paper, first), if default { FASTER } else { 0.0 }, 1),
            ]);
        }
    }
}

impl Cell {
    /// Asks every motion once, which builds trees and counts the work. A way that needs more than `seconds` measures fewer motions.
    fn new(scene: &Arc<Scene>, way: Way, motions: &[RigidMotion], seconds: f64) -> Outcome<Self> {
        let options = match way {
            Way::From(engine) => Options::default().engine(engine),
            Way::Session => Options::default().engine(Engine::Hulls),
            Way::Interval => Options::default().bound(Bound::Interval).max_work(MAX_WORK),
        };
        let checker = Checker::new(scene.clone(), options)?;
        let body = checker.scene().body("a").ok_or("no body")?;
        let (none, work) = (Rounds::default(), Work::default());
        let mut cell = Cell {
            way,
            checker,
            body,
            motions: Vec::new(),
            first: Vec::new(),
            any: Vec::new(),
            pass: none,
            verdicts: Vec::new(),
            work,
        };
        let begin = clock::of_thread();
        for motion in motions {
            // The way that is slow is asked no more than fits; the others always fit.
            if way == Way::Interval && cell.motions.len() >= 3 && clock::of_thread() - begin > seconds {
                break;
            }
            cell.motions.push(cell.checker.scene().motion().rigid(cell.body, *motion).build()?);
            cell.count()?;
        }
        cell.first = vec![Rounds::default(); cell.motions.len()];
        cell.any = cell.first.clone();
        Ok(cell)
    }

    /// Counts the work of the last motion.
    fn count(&mut self) -> Outcome<()> {
        let Some(motion) = self.motions.last() else { return Ok(()) };
        let (nodes, steps, exact) = match self.way {
            Way::Interval => {
                let stage = self.checker.first_contact_reported(motion, &|| 0.0)?.1.stages[2].unwrap_or_default();
                (stage.node_pairs, stage.intervals, 0)
            }
            way => {
                let tally = self.checker.first_contact_counted(motion)?.1;
                let steps = if way == Way::From(Engine::Auto) { tally.pair_steps } else { tally.link_states };
                (tally.boxes, steps, tally.pairs)
            }
        };
        self.work.nodes += nodes;
        self.work.steps += steps;
        self.work.exact += exact;
        Ok(())
    }

    /// Asks both questions about every motion; which comes first changes from motion to motion and from round to round.
    fn round(&mut self, round: usize) -> Outcome<()> {
        self.verdicts.clear();
        let (checker, mut kept) = (&self.checker, [FrontSession::new(&self.checker), FrontSession::new(&self.checker)]);
        let mut sum = 0.0;
        for (i, motion) in self.motions.iter().enumerate() {
            for question in turns(2, i + round) {
                let (seconds, verdict) = clock::timed(|| match (question, self.way) {
                    (0, Way::Session) => kept[0].first_contact(motion),
                    (0, _) => checker.first_contact(motion),
                    (_, Way::Session) => kept[1].check(motion),
                    (_, _) => checker.check(motion),
                });
                let verdict = verdict?;
                if question == 0 {
                    self.first[i].push(seconds);
                    sum += seconds;
                    self.verdicts.push(verdict);
                } else {
                    self.any[i].push(seconds);
                }
            }
        }
        self.pass.push(sum);
        Ok(())
    }
}

fn lines_of(cells: &[Cell]) -> Vec<Line> {
    let line = |(colour, (cell, (way, name))): (usize, (&Cell, (Way, &str)))| Line {
        name: name.into(),
        points: medians(&cell.first).into_iter().enumerate().map(|(i, t)| (i as f64, t)).collect(),
        stroke: match way {
            Way::From(_) => Stroke::Solid,
            Way::Session => Stroke::Dashed,
            Way::Interval => Stroke::Dotted,
        },
        colour,
    };
    cells.iter().zip(WAYS).enumerate().map(line).collect()
}

/// Words that differ, or brackets that are farther apart than time is asked for: what is nearer than the tolerance counts as contact.
fn differences(usual: &[Verdict], other: &[Verdict]) -> usize {
    let alike = |(a, b): (&Verdict, &Verdict)| match (a, b) {
        (Verdict::Contact(a), Verdict::Contact(b)) => a.time.0 <= b.time.1 + 1e-9 && b.time.0 <= a.time.1 + 1e-9,
        (Verdict::Free, Verdict::Free) | (Verdict::Undecided { .. }, Verdict::Undecided { .. }) => true,
        _ => false,
    };
    usual.iter().zip(other).filter(|&pair| !alike(pair)).count()
}

fn medians(of: &[Rounds]) -> Vec<f64> {
    of.iter().filter_map(|rounds| rounds.microseconds(1)).collect()
}

fn mean(of: &[Rounds]) -> Option<f64> {
    let all = medians(of);
    (!all.is_empty()).then(|| all.iter().sum::<f64>() / all.len() as f64)
}
