//! Every engine on the same queries, in turns.

use std::sync::Arc;

use impinge::motion::RigidMotion;
use impinge::query::{Engine, FrontSession, Tally};
use impinge::scene::{BodyId, Motion};
use impinge::shape::Mesh;
use impinge::{Checker, Options, Pose, Scene, Verdict};

use crate::plot::{Axis, Line, Plot, Scale, Stroke};
use crate::rounds::Rounds;
use crate::table::{Table, count, number, ratio, words};
use crate::{Outcome, clock};

/// What is compared.
pub struct Comparison {
    pub title: &'static str,
    pub cases: Vec<Case>,
}

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
    /// From the front of the last question.
    Session,
}

const WAYS: [(Way, &str); 5] = [
    (Way::From(Engine::Auto), "auto"),
    (Way::From(Engine::Sweep), "sweep"),
    (Way::From(Engine::Hulls), "hulls"),
    (Way::From(Engine::Front), "front"),
    (Way::Session, "front, kept"),
];

/// One way on one case.
struct Cell {
    way: Way,
    checker: Checker,
    body: BodyId,
    /// For each motion, its first contact and any.
    first: Vec<Rounds>,
    any: Vec<Rounds>,
    verdicts: Vec<Verdict>,
    tally: Tally,
}

impl Comparison {
    /// Measures everything; the plot shows every query of the first case.
    pub fn measure(&self, rounds: usize) -> Outcome<(Table, Plot)> {
        let mut table = self.empty_table(rounds);
        let mut lines = Vec::new();
        for case in &self.cases {
            let mut cells = case.cells()?;
            // The first question builds trees.
            for cell in &mut cells {
                cell.round(&case.motions[..1])?;
                (cell.first[0], cell.any[0]) = Default::default();
            }
            for round in 0..rounds {
                eprintln!("{}: round {} of {rounds}", case.name, round + 1);
                for cell in &mut cells {
                    cell.round(&case.motions)?;
                }
            }
            case.rows(&cells, &mut table);
            if lines.is_empty() {
                lines = case.lines(&cells);
            }
        }
        let axis = |label: &str, scale: Scale| Axis { label: label.into(), scale };
        let (x, y) = (axis("query", Scale::Linear), axis("microseconds per first contact", Scale::Log));
        Ok((table, Plot { title: self.title.into(), x, y, lines }))
    }

    fn empty_table(&self, rounds: usize) -> Table {
        let title = format!(
            "{}: microseconds of one core per query, mean over n queries of medians over {rounds} rounds, beside the milliseconds of Zhang et al. 2006; \
             pairs of hulls, poses and pairs of triangles decided exactly, per first contact; differs: words other than those of the sweep",
            self.title
        );
        let columns = [
            "scene",
            "triangles",
            "n",
            "contacts",
            "engine",
            "any",
            "first",
            "largest",
            "hulls",
            "poses",
            "exact",
            "differs",
            "paper ms",
            "paper/ours",
        ];
        Table::new(title, &columns)
    }
}

impl Case {
    fn cells(&self) -> Outcome<Vec<Cell>> {
        let mesh = |m: &Mesh| Mesh::new(m.vertices().to_vec(), m.triangles().to_vec());
        let (a, b) = (mesh(&self.scene.0)?, mesh(&self.scene.1)?);
        let scene = Arc::new(Scene::builder().body("a", a).obstacle("b", b, Pose::IDENTITY).build()?);
        let cell = |(way, _): (Way, &str)| -> Outcome<Cell> {
            let engine = if let Way::From(engine) = way { engine } else { Engine::Front };
            let checker = Checker::new(scene.clone(), Options::default().engine(engine))?;
            let body = checker.scene().body("a").ok_or("no body")?;
            let rounds = vec![Rounds::default(); self.motions.len()];
            let (verdicts, tally) = (Vec::new(), Tally::default());
            Ok(Cell { way, checker, body, first: rounds.clone(), any: rounds, verdicts, tally })
        };
        WAYS.into_iter().map(cell).collect()
    }

    fn rows(&self, cells: &[Cell], table: &mut Table) {
        let n = self.motions.len();
        let triangles = self.scene.0.triangles().len() + self.scene.1.triangles().len();
        for (cell, (_, name)) in cells.iter().zip(WAYS) {
            let contacts = cell.verdicts.iter().filter(|v| v.contact().is_some()).count();
            let (any, first) = (mean(&cell.any), mean(&cell.first));
            let each = |total: u64| number(Some(total as f64 / n as f64), 1);
            let paper = self.paper.map(|rate| 1e3 / rate);
            table.row(vec![
                words(&self.name),
                count(triangles),
                count(n),
                count(contacts),
                words(name),
                number(any, 1),
                number(first, 1),
                number(medians(&cell.first).into_iter().reduce(f64::max), 0),
                each(if cell.uses_hulls() { cell.tally.boxes } else { 0 }),
                each(cell.tally.link_states),
                each(cell.tally.pairs),
                count(differences(&cells[1].verdicts, &cell.verdicts)),
                number(paper, 3),
                number(ratio(paper.map(|ms| 1e3 * ms), first), 1),
            ]);
        }
    }

    fn lines(&self, cells: &[Cell]) -> Vec<Line> {
        let line = |(colour, (cell, (_, name))): (usize, (&Cell, (Way, &str)))| Line {
            name: name.into(),
            points: medians(&cell.first).into_iter().enumerate().map(|(i, t)| (i as f64, t)).collect(),
            stroke: if cell.way == Way::Session { Stroke::Dashed } else { Stroke::Solid },
            colour,
        };
        let shown = cells.iter().zip(WAYS).filter(|(cell, _)| cell.way != Way::From(Engine::Auto));
        shown.enumerate().map(line).collect()
    }
}

impl Cell {
    fn uses_hulls(&self) -> bool {
        !matches!(self.way, Way::From(Engine::Auto | Engine::Sweep))
    }

    fn round(&mut self, motions: &[RigidMotion]) -> Outcome<()> {
        let built = motions.iter().map(|&m| self.checker.scene().motion().rigid(self.body, m).build());
        let built: Vec<Motion> = built.collect::<Result<_, _>>()?;
        (self.verdicts, self.tally) = (Vec::new(), Tally::default());
        let (checker, mut kept) = (&self.checker, [FrontSession::new(&self.checker), FrontSession::new(&self.checker)]);
        for (i, motion) in built.iter().enumerate() {
            let begin = clock::of_thread();
            let (verdict, tally) = match self.way {
                Way::From(_) => checker.first_contact_counted(motion)?,
                Way::Session => (kept[0].first_contact(motion)?, kept[0].tally()),
            };
            self.first[i].push(clock::of_thread() - begin);
            let begin = clock::of_thread();
            match self.way {
                Way::From(_) => checker.check(motion),
                Way::Session => kept[1].check(motion),
            };
            self.any[i].push(clock::of_thread() - begin);
            self.verdicts.push(verdict);
            self.tally.boxes += tally.boxes;
            self.tally.link_states += tally.link_states;
            self.tally.pairs += tally.pairs;
        }
        Ok(())
    }
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
