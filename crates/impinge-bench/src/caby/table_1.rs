//! Table 1: a drill moves over deforming hulls; the triangles in its swept volume, and the exact first contact.

use std::hint::black_box;

use clap::Args;
use impinge::deform::{Lines, Planes, Surface, Tool, ToolChecker, ToolOptions, ToolPath};
use impinge::{Pose, Vec3};
use impinge_io::example::operator::{DRILL, gliding, hull, pressed};

use crate::report::{Goal, Report};
use crate::rounds::{Rounds, turns};
use crate::table::{Table, count, number, ratio, target, words};
use crate::{Outcome, clock};

/// Milliseconds on an 866 MHz Pentium III: box alone, box and clipping planes.
const PAPER: [(usize, [f64; 2]); 2] = [(400, [0.61, 0.85]), (1600, [1.48, 2.21])];
/// Target factor of each cell, and target microseconds for 1,600 triangles.
const FASTER: f64 = 50.0;
const MOST_1600: f64 = 40.0;
const SIZES: [usize; 4] = [400, 1600, 10_000, 100_000];

/// Options of the benchmark.
#[derive(Args)]
pub struct Often {
    /// Rounds; numbers are medians over them.
    #[arg(long, default_value_t = 15)]
    pub rounds: usize,
}

/// One hull, deformed anew for every step, and the steps of the drill.
struct Work {
    triangles: Vec<[u32; 3]>,
    frames: Vec<Vec<Vec3>>,
    steps: Vec<(Pose, Pose)>,
}

/// The work of a step.
#[derive(Clone, Copy, PartialEq)]
enum Task {
    List,
    Fine,
}

/// Volumes for the list of triangles; the paper has the first two.
const VOLUMES: [(Planes, &str); 3] =
    [(Planes::Box, "box"), (Planes::Clipped, "box + planes"), (Planes::Clusters, "box + planes + box tree")];

/// Measures all cells.
pub fn measure(often: &Often) -> Outcome<Report> {
    let columns =
        ["triangles", "volume", "listed", "list us", "spread %", "at most", "paper us", "paper/ours", "with fine test us"];
    let title = format!("Microseconds per step, median of {} rounds; ! is above target", often.rounds);
    let mut table = Table::new(title, &columns);
    let mut goals = [
        Goal::at_least(format!("at least {FASTER} times faster than the paper in each cell"), FASTER),
        Goal::at_most(format!("1,600 triangles listed in at most {MOST_1600} us"), MOST_1600),
    ];
    for size in SIZES {
        eprintln!("{size} triangles");
        let work = Work::new(size)?;
        let n = work.steps.len();
        let paper = PAPER.iter().find(|p| p.0 == size).map(|p| p.1);
        for (k, cell) in work.cells(often.rounds)?.into_iter().enumerate() {
            let (us, name) = (cell.list.microseconds(n), VOLUMES[k].1);
            let paper_us = paper.and_then(|p| p.get(k).map(|ms| ms * 1e3));
            let at_most = paper_us.map(|us| if size == 1600 { (us / FASTER).min(MOST_1600) } else { us / FASTER });
            goals[0].add(format!("{size}, {name}"), ratio(paper_us, us));
            goals[1].add(name, us.filter(|_| size == 1600 && k < 2));
            table.row(vec![
                count(work.triangles.len()),
                words(name),
                number(Some(cell.listed as f64 / n as f64), 1),
                target(us, at_most.unwrap_or(f64::INFINITY), 2),
                number(cell.list.spread(), 0),
                number(at_most, 1),
                number(paper_us, 0),
                number(ratio(paper_us, us), 0),
                number(cell.fine.microseconds(n), 2),
            ]);
        }
    }
    Ok(Report::new("caby-table-1", "Table 1: a drill over deforming hulls")
        .text(
            "A drill moves over a hull that deforms in every step. `list`: the triangles inside the swept volume of the drill, as in the \
             paper, whose table has 400 and 1,600 triangles on an 866 MHz Pentium III. `with fine test`: with the exact first contact. \
             `spread %` refers to `list`.",
        )
        .table(table)
        .goals(goals))
}

/// The measurements of one kind of volume.
#[derive(Default)]
struct Cell {
    list: Rounds,
    fine: Rounds,
    listed: usize,
}

impl Work {
    fn new(size: usize) -> Outcome<Work> {
        let mesh = hull(size).into_mesh()?;
        let poses = gliding();
        let steps: Vec<(Pose, Pose)> = poses.windows(2).map(|w| (w[0].1, w[1].1)).collect();
        // A few deformations in turn: one per step would not fit into memory.
        let frames = (0..8).map(|i| pressed(mesh.vertices(), Vec3::new(0.05 * f64::from(i) - 0.2, 0.0, 0.0))).collect();
        Ok(Work { triangles: mesh.triangles().to_vec(), frames, steps })
    }

    /// Measures all volumes in turns.
    fn cells(&self, rounds: usize) -> Outcome<[Cell; 3]> {
        let mut cells: [Cell; 3] = Default::default();
        for round in 0..rounds {
            // Every volume with both tasks.
            for k in turns(2 * VOLUMES.len(), round) {
                let (planes, cell) = (VOLUMES[k / 2].0, &mut cells[k / 2]);
                if k % 2 == 0 {
                    let (seconds, listed) = self.pass(planes, Task::List)?;
                    cell.list.push(seconds);
                    cell.listed = listed;
                } else {
                    cell.fine.push(self.pass(planes, Task::Fine)?.0);
                }
            }
        }
        Ok(cells)
    }

    /// Returns the seconds for all steps, and the number of triangles listed or in contact.
    fn pass(&self, planes: Planes, task: Task) -> Outcome<(f64, usize)> {
        let mut checker = ToolChecker::new(
            Tool::cylinder(DRILL.0, 2.0 * DRILL.1, 24)?,
            ToolOptions { planes, path: ToolPath::Lines, ..ToolOptions::default() },
        )?;
        let (mut found, begin) = (0, clock::of_thread());
        for (i, (from, to)) in self.steps.iter().enumerate() {
            let body = Surface { triangles: &self.triangles, lines: Lines::resting(&self.frames[i % self.frames.len()]) };
            checker.sweep(from, to)?;
            found += match task {
                Task::List => black_box(checker.triangles(black_box(&body))?).len(),
                Task::Fine => black_box(checker.first_contact(black_box(&body))?).contacts.len(),
            };
        }
        Ok((clock::of_thread() - begin, found))
    }
}
