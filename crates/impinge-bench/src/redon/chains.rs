//! Chains of the same length and the same triangles, with 6 to 200 links: the cost of depth.

use super::Run;
use super::queries::{Queries, Step, Wanted, random_path};
use super::scenes::{CHAINS, chain_among_pipes};
use super::timing::{Asker, Outlook, Timing, measure_in_turns};
use super::ways::Way;
use crate::Outcome;
use crate::plot::{Axis, Line, Plot, Scale};
use crate::report::{Goal, Report};
use crate::table::{Table, count, number, ratio, target, words};

/// Target factor of a chain of 200 links against one of 20, with the default method.
const TARGET: f64 = 10.0;
const COMPARED: (u32, u32) = (20, 200);
/// A method whose first query takes more CPU seconds than this is not measured, nor with more links.
const GIVE_UP: f64 = 0.02;

/// The rotation of joints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Turn {
    /// Every joint by up to 5 degrees: the more links, the more motion.
    Each,
    /// All joints together by up to 95 degrees, which is 5 degrees for each of 20 links.
    Together,
}

impl Turn {
    fn degrees(self, links: u32) -> f64 {
        match self {
            Turn::Each => 5.0,
            Turn::Together => 95.0 / f64::from(links - 1),
        }
    }

    fn words(self) -> &'static str {
        match self {
            Turn::Each => "5 each",
            Turn::Together => "95 together",
        }
    }
}

/// A method on free motions of one chain.
struct Cell<'a> {
    turn: Turn,
    links: u32,
    timing: Timing<'a>,
}

/// Measures free motions of all chains, with every set of stages and both bounds.
pub fn measure(run: &Run) -> Outcome<Report> {
    let askers = CHAINS.iter().map(|&links| askers(links)).collect::<Outcome<Vec<_>>>()?;
    let paths = CHAINS.iter().map(|&links| paths(links, run)).collect::<Outcome<Vec<_>>>()?;
    let mut cells = Vec::new();
    for (k, turn) in [Turn::Each, Turn::Together].into_iter().enumerate() {
        let mut given_up = Vec::new();
        for (i, &links) in CHAINS.iter().enumerate() {
            eprintln!("{links} links, degrees: {}", turn.words());
            for asker in &askers[i] {
                let steps = &paths[i][k].free[..];
                if !given_up.contains(&asker.way) && is_slow(asker, steps)? {
                    given_up.push(asker.way);
                }
                let steps = if given_up.contains(&asker.way) { &[] } else { steps };
                cells.push(Cell { turn, links, timing: Timing::new(asker, steps, Outlook::Free)? });
            }
        }
    }
    measure_in_turns(cells.iter_mut().map(|c| &mut c.timing), run.rounds)?;
    Ok(Report::new("redon-chains", "Chains of 6 to 200 links")
        .text(format!(
            "Chains of 9,600 triangles and 1.4 m among the same pipes, with 6 to 200 links; free motions. Either every joint turns by up \
             to 5 degrees, so more links mean more motion, or all joints together by up to 95 degrees, which is 5 for each joint of the \
             20-link chain. `-`: not measured, because a query of this chain, or of a shorter one, took more than {GIVE_UP} s. `spread \
             %` refers to `total`. Meshes are surfaces, as in the paper; the row `solids` is the default of the library."
        ))
        .table(table(&cells, run.rounds))
        .plot("-each", "5 degrees each", plot(&cells, Turn::Each))
        .plot("-together", "95 degrees together", plot(&cells, Turn::Together))
        .goals(goals(&cells)))
}

/// Tests whether the second query, after all trees are built, takes too long.
fn is_slow(asker: &Asker, steps: &[Step]) -> Outcome<bool> {
    let Some(step) = steps.first() else { return Ok(false) };
    asker.seconds(step)?;
    Ok(asker.seconds(step)? > GIVE_UP)
}

fn goals(cells: &[Cell<'_>]) -> [Goal; 2] {
    [Turn::Each, Turn::Together].map(|turn| {
        let claim = format!("{} degrees: {} links cost at most {TARGET} times {} links", turn.words(), COMPARED.1, COMPARED.0);
        let mut goal = Goal::at_most(claim, TARGET);
        let long = |c: &&Cell<'_>| c.timing.way().is_default() && c.turn == turn && c.links == COMPARED.1;
        for cell in cells.iter().filter(long) {
            goal.add("", ratio(cell.timing.total(), of_links(cells, cell, COMPARED.0)));
        }
        goal
    })
}

fn askers(links: u32) -> Outcome<Vec<Asker>> {
    let site = chain_among_pipes(links)?;
    Way::all().into_iter().chain([Way::of_users()]).map(|way| Asker::new(&site, way)).collect()
}

fn paths(links: u32, run: &Run) -> Outcome<[Queries; 2]> {
    let site = chain_among_pipes(links)?;
    let wanted = Wanted { colliding: 0, ..run.wanted() };
    let path = |turn: Turn| random_path(&site, turn.degrees(links), wanted, u64::from(links));
    Ok([path(Turn::Each)?, path(Turn::Together)?])
}

fn table(cells: &[Cell<'_>], rounds: usize) -> Table {
    let title = format!(
        "Microseconds per query, median of {rounds} rounds; ! is above target (default, {} links <= {TARGET} times {} links)",
        COMPARED.1, COMPARED.0
    );
    let columns = [
        "degrees",
        "links",
        "bound",
        "stages",
        "meshes",
        "n",
        "stage 1",
        "stage 2",
        "stage 3",
        "total",
        "spread %",
        "x fastest",
        "x 20 links",
    ];
    let mut table = Table::new(title, &columns);
    for cell in cells {
        let (timing, total) = (&cell.timing, cell.timing.total());
        let most = if timing.way().is_default() && cell.links == COMPARED.1 { TARGET } else { f64::INFINITY };
        let mut row = vec![
            words(cell.turn.words()),
            count(cell.links as usize),
            words(timing.way().bound_word()),
            words(timing.way().stages_word()),
            words(timing.way().meshes_word()),
            words(timing.queries()),
        ];
        row.extend(timing.stages().map(|stage| number(stage, 1)));
        row.extend([number(total, 1), number(timing.spread(), 0), number(ratio(total, fastest(cells, cell)), 2)]);
        row.push(target(ratio(total, of_links(cells, cell, COMPARED.0)), most, 2));
        table.row(row);
    }
    table
}

/// Returns the least total of all methods for the same chain and motions, with surfaces.
fn fastest(cells: &[Cell<'_>], like: &Cell<'_>) -> Option<f64> {
    let same = |c: &&Cell<'_>| c.turn == like.turn && c.links == like.links && c.timing.way().asks_as_the_paper();
    cells.iter().filter(same).filter_map(|c| c.timing.total()).min_by(f64::total_cmp)
}

/// Returns the total of a chain with a number of links, with the same method.
fn of_links(cells: &[Cell<'_>], like: &Cell<'_>, links: u32) -> Option<f64> {
    let same = |c: &&Cell<'_>| c.turn == like.turn && c.links == links && c.timing.way() == like.timing.way();
    cells.iter().find(same)?.timing.total()
}

fn plot(cells: &[Cell<'_>], turn: Turn) -> Plot {
    let lines = Way::all().into_iter().map(|way| {
        let of_way = cells.iter().filter(|c| c.timing.way() == way && c.turn == turn);
        let points = of_way.filter_map(|c| Some((f64::from(c.links), c.timing.total()?))).collect();
        Line { name: way.name(), points, stroke: way.stroke(), colour: way.stage_set() }
    });
    let log = |label: &str| Axis { label: label.into(), scale: Scale::Log };
    let title = match turn {
        Turn::Each => "Chains among pipes, every joint turns by up to 5 degrees",
        Turn::Together => "Chains among pipes, all joints together turn by up to 95 degrees",
    };
    let lines = lines.collect();
    Plot { title: title.into(), x: log("links"), y: log("microseconds per free first contact"), lines }
}
