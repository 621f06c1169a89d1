//! An arm at one site, with several methods, against the numbers of the paper.

use super::Run;
use super::paper::{Row, Times};
use super::queries::random_path;
use super::scenes::Site;
use super::timing::{Asker, Outlook, Timing, measure_in_turns};
use super::ways::Way;
use crate::Outcome;
use crate::plot::{Axis, Line, Plot, Scale, Stroke};
use crate::report::{Goal, Report};
use crate::table::{Table, at_least, number, ratio, target, words};

/// Target factor of the default method against the fastest set of stages of the paper, for every amount of motion.
const FASTER: f64 = 300.0;
/// Target factor against the fastest method.
const SLOWER: f64 = 1.2;

/// The subject of a comparison.
pub struct Comparison {
    /// Name of the files.
    pub name: &'static str,
    /// The robot and its environment.
    pub title: &'static str,
    /// The title.
    pub site: Site,
    /// The rows of the paper.
    pub paper: &'static [Row],
    /// The methods.
    pub ways: Vec<Way>,
    /// The explanation of the table.
    pub text: &'static str,
}

/// A method on queries of one kind and one amount of motion.
struct Cell<'a> {
    degrees: f64,
    timing: Timing<'a>,
}

impl Comparison {
    /// Measures all cells.
    pub fn measure(&self, run: &Run) -> Outcome<Report> {
        let askers = self.ways.iter().map(|&way| Asker::new(&self.site, way)).collect::<Outcome<Vec<_>>>()?;
        let degrees = self.degrees();
        let paths = degrees.iter().map(|&d| random_path(&self.site, d, run.wanted(), d as u64)).collect::<Outcome<Vec<_>>>()?;
        let mut cells = Vec::new();
        for (&degrees, path) in degrees.iter().zip(&paths) {
            eprintln!("up to {degrees} degrees: {} colliding, {} free", path.colliding.len(), path.free.len());
            for outlook in Outlook::BOTH {
                for asker in &askers {
                    let timing = Timing::new(asker, outlook.of(path), outlook)?;
                    cells.push(Cell { degrees, timing });
                }
            }
        }
        measure_in_turns(cells.iter_mut().map(|c| &mut c.timing), run.rounds)?;
        Ok(Report::new(self.name, self.title)
            .text(self.text)
            .table(self.table(&cells, run.rounds))
            .plot("-col", "colliding", self.plot(&cells, Outlook::Colliding))
            .plot("-no-col", "free", self.plot(&cells, Outlook::Free))
            .goals(self.goals(&cells)))
    }

    /// Returns the targets of the default method, cell by cell.
    fn goals(&self, cells: &[Cell<'_>]) -> [Goal; 3] {
        let mut goals = [
            Goal::at_least(format!("default at least {FASTER} times faster than the paper's 1+2+3"), FASTER),
            Goal::at_least(format!("default at least {FASTER} times faster than the paper's fastest set of stages"), FASTER),
            Goal::at_most(format!("default takes at most {SLOWER} times as long as the fastest method"), SLOWER),
        ];
        for cell in cells.iter().filter(|c| c.timing.way().is_default()) {
            let place = format!("{} degrees, {}", cell.degrees, cell.timing.outlook().word());
            let all_stages = self.paper.iter().find(|row| row.degrees == cell.degrees);
            let all_stages = all_stages.map(|row| row.of(cell.timing.outlook()).total);
            for (goal, milliseconds) in goals.iter_mut().zip([all_stages, self.fastest_paper(cell)]) {
                goal.add(&place, ratio(milliseconds.map(|ms| 1e3 * ms), cell.timing.total()));
            }
            goals[2].add(&place, ratio(cell.timing.total(), fastest(cells, cell)));
        }
        goals
    }

    /// Returns the amounts of motion, in the order of the paper.
    fn degrees(&self) -> Vec<f64> {
        let mut degrees: Vec<f64> = self.paper.iter().map(|row| row.degrees).collect();
        degrees.dedup();
        degrees
    }

    /// Returns the paper's times of the same stages; of all three if it has no others.
    fn paper(&self, cell: &Cell<'_>) -> Option<Times> {
        let mut rows = self.paper.iter().filter(|row| row.degrees == cell.degrees);
        let first = rows.clone().next();
        rows.find(|row| row.stages == cell.timing.way().stages_word()).or(first).map(|row| row.of(cell.timing.outlook()))
    }

    /// Returns the paper's fastest total for the same queries, milliseconds.
    fn fastest_paper(&self, cell: &Cell<'_>) -> Option<f64> {
        let rows = self.paper.iter().filter(|row| row.degrees == cell.degrees);
        rows.map(|row| row.of(cell.timing.outlook()).total).min_by(f64::total_cmp)
    }

    fn table(&self, cells: &[Cell<'_>], rounds: usize) -> Table {
        let title = format!(
            "Microseconds per query, median of {rounds} rounds, with the milliseconds of Redon et al. 2004; ! is a default that misses \
             its target (fastest paper/ours >= {FASTER}, times the fastest method <= {SLOWER})"
        );
        let columns = [
            "deg",
            "queries",
            "bound",
            "stages",
            "meshes",
            "n",
            "stage 1",
            "stage 2",
            "stage 3",
            "total",
            "spread %",
            "cold",
            "x fastest",
            "paper 1",
            "paper 2",
            "paper 3",
            "paper total",
            "paper/ours",
            "fastest paper/ours",
        ];
        let mut table = Table::new(title, &columns);
        for cell in cells {
            let (timing, total, paper) = (&cell.timing, cell.timing.total(), self.paper(cell));
            let (least, most) = if timing.way().is_default() { (FASTER, SLOWER) } else { (0.0, f64::INFINITY) };
            let faster = |milliseconds: Option<f64>| ratio(milliseconds.map(|ms| 1e3 * ms), total);
            let mut row = vec![
                words(cell.degrees.to_string()),
                words(timing.outlook().word()),
                words(timing.way().bound_word()),
                words(timing.way().stages_word()),
                words(timing.way().meshes_word()),
                words(timing.queries()),
            ];
            row.extend(timing.stages().map(|stage| number(stage, 1)));
            row.extend([number(total, 1), number(timing.spread(), 0), number(timing.cold(), 1)]);
            row.push(target(ratio(total, fastest(cells, cell)), most, 2));
            row.extend([(0, 4), (1, 2), (2, 2)].map(|(k, digits)| number(paper.and_then(|p| p.stages[k]), digits)));
            row.extend([number(paper.map(|p| p.total), 2), number(faster(paper.map(|p| p.total)), 0)]);
            row.push(at_least(faster(self.fastest_paper(cell)), least, 0));
            table.row(row);
        }
        table
    }

    /// Plots impinge solid (tube) and dashed (interval), the paper dotted; a colour for each set of stages.
    fn plot(&self, cells: &[Cell<'_>], outlook: Outlook) -> Plot {
        let ours = self.ways.iter().map(|&way| {
            let of_way = cells.iter().filter(|c| c.timing.way() == way && c.timing.outlook() == outlook);
            let points = of_way.filter_map(|c| Some((c.degrees, c.timing.total()?))).collect();
            Line { name: way.name(), points, stroke: way.stroke(), colour: way.colour() }
        });
        let sets = Way::all().into_iter().take(4);
        let paper = sets.filter_map(|way| {
            let rows = self.paper.iter().filter(|row| row.stages == way.stages_word());
            let points: Vec<_> = rows.map(|row| (row.degrees, 1e3 * row.of(outlook).total)).collect();
            let name = format!("paper, 2004, {}", way.stages_word());
            (!points.is_empty()).then_some(Line { name, points, stroke: Stroke::Dotted, colour: way.stage_set() })
        });
        let log = |label: &str| Axis { label: label.into(), scale: Scale::Log };
        Plot {
            title: format!("{}, {}", self.title, outlook.word()),
            x: log("largest rotation of a joint, degrees"),
            y: log("microseconds per first contact"),
            lines: ours.chain(paper).collect(),
        }
    }
}

/// Returns the least total of all methods for the same queries, with surfaces.
fn fastest(cells: &[Cell<'_>], like: &Cell<'_>) -> Option<f64> {
    let same = |c: &&Cell<'_>| {
        let same = c.degrees == like.degrees && c.timing.outlook() == like.timing.outlook();
        same && c.timing.way().asks_as_the_paper()
    };
    cells.iter().filter(same).filter_map(|c| c.timing.total()).min_by(f64::total_cmp)
}
