//! Table 1: a drill moves over deforming hulls; the triangles in the volume it sweeps, and the exact first contact besides.

use std::hint::black_box;
use std::time::Instant;

use clap::Args;
use impinge::deform::{Lines, Planes, Surface, Tool, ToolChecker, ToolOptions, ToolPath};
use impinge::{Pose, Vec3};
use impinge_io::example::operator::{DRILL, gliding, hull, pressed};

use crate::Outcome;
use crate::rounds::Rounds;
use crate::table::{Table, count, number, target, words};

/// Milliseconds on an 866 MHz Pentium III: box alone, box and clipping planes.
const PAPER: [(usize, [f64; 2]); 2] = [(400, [0.61, 0.85]), (1600, [1.48, 2.21])];
/// So many times faster each cell must be, and microseconds for 1,600 triangles.
const FASTER: f64 = 50.0;
const MOST_1600: f64 = 40.0;
const SIZES: [usize; 4] = [400, 1600, 10_000, 100_000];

/// How it is measured.
#[derive(Args)]
pub struct Often {
    /// Rounds; times are those of the best.
    #[arg(long, default_value_t = 40)]
    pub rounds: usize,
}

/// One hull, deformed anew for every step, and the steps of the drill.
struct Work {
    triangles: Vec<[u32; 3]>,
    frames: Vec<Vec<Vec3>>,
    steps: Vec<(Pose, Pose)>,
}

/// What is done with a step.
#[derive(Clone, Copy, PartialEq)]
enum Task {
    List,
    Fine,
}

/// Measures all cells.
pub fn measure(often: &Often) -> Outcome<Table> {
    let columns = ["triangles", "volume", "listed", "list us", "at most", "paper us", "faster", "with fine test us"];
    let title = "Caby 2001, Table 1: one step of a drill over a deforming hull, one thread; ! is above target";
    let mut table = Table::new(title, &columns);
    for size in SIZES {
        let work = Work::new(size)?;
        let paper = PAPER.iter().find(|p| p.0 == size).map(|p| p.1);
        for (k, planes, name) in
            [(0, Planes::Box, "box"), (1, Planes::Clipped, "box + planes"), (2, Planes::Clusters, "+ box tree")]
        {
            eprintln!("{size} triangles, {name}");
            let [mut list, mut fine] = [Rounds::default(), Rounds::default()];
            let mut listed = 0;
            for _ in 0..often.rounds {
                let (seconds, n) = work.pass(planes, Task::List)?;
                (listed, _) = (n, list.push(seconds));
                fine.push(work.pass(planes, Task::Fine)?.0);
            }
            let us = list.best(work.steps.len());
            let paper_us = paper.and_then(|p| p.get(k).map(|ms| ms * 1e3));
            let at_most = paper_us.map(|us| if size == 1600 { (us / FASTER).min(MOST_1600) } else { us / FASTER });
            table.row(vec![
                count(work.triangles.len()),
                words(name),
                number(Some(listed as f64 / work.steps.len() as f64), 1),
                target(us, at_most.unwrap_or(f64::INFINITY), 2),
                number(at_most, 1),
                number(paper_us, 0),
                number(paper_us.zip(us).map(|(paper, us)| paper / us), 0),
                number(fine.best(work.steps.len()), 2),
            ]);
        }
    }
    Ok(table)
}

impl Work {
    fn new(size: usize) -> Outcome<Work> {
        let mesh = hull(size).into_mesh()?;
        let poses = gliding();
        let steps: Vec<(Pose, Pose)> = poses.windows(2).map(|w| (w[0].1, w[1].1)).collect();
        // A few deformations in turn: one for each step would not fit into memory.
        let frames = (0..8).map(|i| pressed(mesh.vertices(), Vec3::new(0.05 * f64::from(i) - 0.2, 0.0, 0.0))).collect();
        Ok(Work { triangles: mesh.triangles().to_vec(), frames, steps })
    }

    /// Seconds for all steps, and how many triangles were listed or touched.
    fn pass(&self, planes: Planes, task: Task) -> Outcome<(f64, usize)> {
        let mut checker = ToolChecker::new(
            Tool::cylinder(DRILL.0, 2.0 * DRILL.1, 24)?,
            ToolOptions { planes, path: ToolPath::Lines, ..ToolOptions::default() },
        )?;
        let (mut found, begin) = (0, Instant::now());
        for (i, (from, to)) in self.steps.iter().enumerate() {
            let body = Surface { triangles: &self.triangles, lines: Lines::resting(&self.frames[i % self.frames.len()]) };
            checker.sweep(from, to)?;
            found += match task {
                Task::List => black_box(checker.triangles(black_box(&body))?).len(),
                Task::Fine => black_box(checker.first_contact(black_box(&body))?).contacts.len(),
            };
        }
        Ok((begin.elapsed().as_secs_f64(), found))
    }
}
