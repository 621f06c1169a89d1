//! Every engine on the same queries, in turns.

use std::sync::Arc;

use impinge::geometry::Mesh;
use impinge::motion::RigidMotion;
use impinge::{Pose, Scene};

use super::Run;
use super::asking::{Asked, Cell, WAYS};
use crate::Outcome;
use crate::plot::{Axis, Line, Plot, Scale, Stroke};
use crate::report::{Goal, Report};
use crate::rounds::{Rounds, turns};
use crate::table::{Table, at_least, count, number, ratio, target, words};

/// Target factor of the default against the paper.
const FASTER: f64 = 100.0;
/// The paper's number of advancement steps, on average over everything (section 6.3).
const PAPER_STEPS: f64 = 4.0;

/// Two meshes, and motions of the first.
pub struct Case {
    name: String,
    scene: (Mesh, Mesh),
    motions: Vec<RigidMotion>,
    /// The paper's queries per second, for this benchmark as a whole.
    paper: Option<f64>,
    /// A note on missing data and its replacement; empty if nothing is missing.
    substitute: String,
}

/// Cases, each measured with all methods.
pub struct Comparison<'a> {
    title: &'a str,
    rounds: usize,
    cases: Vec<(&'a Case, Vec<Cell>)>,
}

impl Case {
    pub fn new(name: impl Into<String>, a: Mesh, b: Mesh, motions: Vec<RigidMotion>, paper: Option<f64>) -> Self {
        Case { name: name.into(), scene: (a, b), motions, paper, substitute: String::new() }
    }

    /// Adds a sentence on the replacement of missing data.
    pub fn instead(self, substitute: String) -> Self {
        Case { substitute, ..self }
    }

    fn cells(&self, seconds: f64) -> Outcome<Vec<Cell>> {
        let mesh = |m: &Mesh| Mesh::new(m.vertices().to_vec(), m.triangles().to_vec());
        let (a, b) = (mesh(&self.scene.0)?, mesh(&self.scene.1)?);
        let scene = Arc::new(Scene::builder().body("a", a).obstacle("b", b, Pose::IDENTITY).build()?);
        WAYS.into_iter().map(|way| Cell::new(&scene, way, &self.motions, seconds)).collect()
    }

    /// Returns the paper's microseconds, mean of all queries.
    fn paper(&self) -> Option<f64> {
        self.paper.map(|rate| 1e6 / rate)
    }
}

/// Measures all cases; plots show every query of each.
pub fn compare(name: &'static str, title: &str, cases: &[Case], run: &Run) -> Outcome<Report> {
    let comparison = Comparison::measure(title, cases, run)?;
    let report = cases.iter().fold(Report::new(name, title), |report, case| report.text(&case.substitute));
    let mut report = report.table(comparison.table()).goals(comparison.goals());
    for (case, cells) in &comparison.cases {
        let [suffix, caption] =
            if cases.len() == 1 { [String::new(), String::new()] } else { ["-", ", "].map(|s| s.to_owned() + &case.name) };
        report = report.plot(suffix.clone(), format!("every query{caption}"), comparison.times(case, cells)).plot(
            format!("{suffix}-steps"),
            format!("advancement steps of every query{caption}"),
            comparison.steps(case, cells),
        );
    }
    Ok(report)
}

impl<'a> Comparison<'a> {
    /// Runs all methods on every case, in turns.
    pub fn measure(title: &'a str, cases: &'a [Case], run: &Run) -> Outcome<Self> {
        let mut measured = Vec::new();
        for case in cases {
            let mut cells = case.cells(run.seconds)?;
            for round in 0..run.rounds {
                eprintln!("{}: round {} of {}", case.name, round + 1, run.rounds);
                turns(cells.len(), round).try_for_each(|k| cells[k].round(round))?;
            }
            measured.push((case, cells));
        }
        Ok(Comparison { title, rounds: run.rounds, cases: measured })
    }

    /// Returns the mean steps of every method on a case.
    pub fn mean_steps(&self, case: usize) -> impl Iterator<Item = (&Cell, Option<f64>)> {
        self.cases[case].1.iter().map(|cell| (cell, cell.steps()))
    }

    pub fn table(&self) -> Table {
        let title = format!(
            "Microseconds per query, median of {} rounds for each query, mean over n queries; ! misses its target",
            self.rounds
        );
        let columns = [
            "scene",
            "triangles",
            "method",
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
        let mut table = Table::new(title, &columns);
        self.cases.iter().for_each(|(case, cells)| rows(case, cells, &mut table));
        table
    }

    pub fn goals(&self) -> Vec<Goal> {
        let mut faster = Goal::at_least(format!("default at least {FASTER} times faster than the paper"), FASTER);
        let mut any = Goal::at_most("default: any contact takes no longer than the first contact", 1.0);
        let mut agree = Goal::at_most("all methods agree: queries with another verdict than the sweep", 0.0);
        for (case, cells) in &self.cases {
            faster.add(&case.name, ratio(case.paper(), mean(&cells[0].asked, first)));
            any.add(&case.name, ratio(mean(&cells[0].asked, |a| &a.any), mean(&cells[0].asked, first)));
            cells
                .iter()
                .for_each(|cell| agree.add(format!("{}, {}", case.name, cell.name), Some(cell.differences(&cells[1]) as f64)));
        }
        let compared = self.cases.iter().any(|(case, _)| case.paper.is_some());
        [faster].into_iter().filter(|_| compared).chain([any, agree]).collect()
    }

    /// Plots the microseconds of every query, and the mean of the paper.
    fn times(&self, case: &Case, cells: &[Cell]) -> Plot {
        let times = |cell: &Cell| cell.asked.iter().filter_map(|a| Some((a.index as f64, a.first.microseconds(1)?))).collect();
        self.plot(case, cells, "microseconds per first contact", times, case.paper())
    }

    /// Plots the advancement steps of every query, and the mean of the paper.
    fn steps(&self, case: &Case, cells: &[Cell]) -> Plot {
        let steps = |cell: &Cell| cell.asked.iter().map(|a| (a.index as f64, a.work.steps as f64)).collect();
        self.plot(case, cells, "advancement steps per first contact", steps, case.paper.map(|_| PAPER_STEPS))
    }

    fn plot(
        &self,
        case: &Case,
        cells: &[Cell],
        what: &str,
        points: impl Fn(&Cell) -> Vec<(f64, f64)>,
        paper: Option<f64>,
    ) -> Plot {
        let ours = cells.iter().enumerate().map(|(colour, cell)| line(cell, colour, points(cell)));
        let ends = [0.0, (case.motions.len().max(1) - 1) as f64];
        let paper = paper.map(|mean| Line {
            name: "paper, 2006, mean".into(),
            points: ends.map(|x| (x, mean)).to_vec(),
            stroke: Stroke::Dotted,
            colour: cells.len(),
        });
        let axis = |label: &str, scale: Scale| Axis { label: label.into(), scale };
        let title = if self.cases.len() == 1 { self.title.to_owned() } else { format!("{}, {}", self.title, case.name) };
        Plot { title, x: axis("query", Scale::Linear), y: axis(what, Scale::Log), lines: ours.chain(paper).collect() }
    }
}

/// Returns a line for the method of a cell.
pub fn line(cell: &Cell, colour: usize, points: Vec<(f64, f64)>) -> Line {
    Line { name: cell.name.into(), points, stroke: cell.way.stroke(), colour }
}

fn rows(case: &Case, cells: &[Cell], table: &mut Table) {
    let triangles = case.scene.0.triangles().len() + case.scene.1.triangles().len();
    for cell in cells {
        let n = cell.asked.len();
        let (any, all) = (mean(&cell.asked, |a| &a.any), mean(&cell.asked, first));
        // The default has run on all motions.
        let default = mean(cell.asked.iter().map(|a| &cells[0].asked[a.index]), first);
        let work = cell.work();
        let each = |total: u64| number((total > 0).then(|| total as f64 / n as f64), 1);
        // The number of the paper is the mean of all queries.
        let faster = ratio(case.paper(), all).filter(|_| n == case.motions.len());
        table.row(vec![
            words(&case.name),
            count(triangles),
            words(cell.name),
            count(n),
            count(cell.asked.iter().filter(|a| a.verdict.contact().is_some()).count()),
            number(any, 1),
            number(all, 1),
            number(cell.pass.spread(), 0),
            number(cell.asked.iter().filter_map(|a| a.first.microseconds(1)).reduce(f64::max), 0),
            number(ratio(all, default), 2),
            target(ratio(any, all), if cell.way.is_default() { 1.0 } else { f64::INFINITY }, 2),
            each(work.steps),
            each(work.nodes),
            each(work.exact),
            count(cell.differences(&cells[1])),
            number(case.paper(), 0),
            at_least(faster, if cell.way.is_default() { FASTER } else { 0.0 }, 1),
        ]);
    }
}

fn first(asked: &Asked) -> &Rounds {
    &asked.first
}

/// Returns the mean of the medians of queries, microseconds.
fn mean<'a>(asked: impl IntoIterator<Item = &'a Asked>, which: impl Fn(&Asked) -> &Rounds) -> Option<f64> {
    let all: Vec<f64> = asked.into_iter().filter_map(|a| which(a).microseconds(1)).collect();
    (!all.is_empty()).then(|| all.iter().sum::<f64>() / all.len() as f64)
}
