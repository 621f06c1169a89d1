//! Whole steps of deforming bodies: public pairs of frames with known contacts.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use impinge::deform::{Element, Lines, StepAnswer, StepChecker, StepOptions, Touch, Who};
use impinge::{Mesh, Vec3};
use impinge_io::load_mesh;

use crate::report::{Goal, Missing, Report};
use crate::rounds::Rounds;
use crate::table::{Table, count, number, target, words};
use crate::{Outcome, clock};

/// The source of the frames.
#[derive(Args)]
pub struct Frames {
    /// Folder of the shared data.
    #[arg(long, default_value = "../shared/data")]
    dir: PathBuf,
    /// Rounds; numbers are medians over them.
    #[arg(long, default_value_t = 9)]
    rounds: usize,
}

/// Two frames, the files with known contacts, and the time limit of a step in milliseconds.
struct Set {
    name: &'static str,
    frames: [&'static str; 2],
    truth: &'static [&'static str],
    at_most: f64,
}

const FUNNEL: &str = "ccd-queries/scalable-ccd/cloth-funnel";
const TWIST: &str = "ccd-queries/scalable-ccd/rod-twist";
const SETS: [(&str, Set); 5] = [
    (
        FUNNEL,
        Set { name: "cloth-funnel", frames: ["227.ply", "228.ply"], truth: &["227vf.gt.csv", "227ee.gt.csv"], at_most: 100.0 },
    ),
    (
        TWIST,
        Set { name: "rod-twist", frames: ["3036.ply", "3037.ply"], truth: &["3036vf.gt.csv", "3036ee.gt.csv"], at_most: 1000.0 },
    ),
    (
        "deformable/ipc-toolkit/thick-cloth",
        Set { name: "thick-cloth", frames: ["t0.ply", "t1.ply"], truth: &[], at_most: f64::INFINITY },
    ),
    (
        "deformable/ipc-toolkit",
        Set {
            name: "two-cubes far-close",
            frames: ["two-cubes-far.ply", "two-cubes-close.ply"],
            truth: &[],
            at_most: f64::INFINITY,
        },
    ),
    (
        "deformable/ipc-toolkit",
        Set {
            name: "two-cubes far-crossing",
            frames: ["two-cubes-far.ply", "two-cubes-intersecting.ply"],
            truth: &[],
            at_most: f64::INFINITY,
        },
    ),
];

/// Measures all steps.
pub fn measure(frames: &Frames) -> Outcome<Report> {
    if !frames.dir.is_dir() {
        return Err(Missing(format!("the shared data are not in {}", frames.dir.display())).into());
    }
    let title = format!("Milliseconds, median of {} rounds; ! is above target", frames.rounds);
    let columns = [
        "step",
        "triangles",
        "contacts",
        "listed",
        "missed",
        "pairs",
        "first ms",
        "next ms",
        "next cpu ms",
        "spread %",
        "at most",
        "first contact",
    ];
    let mut table = Table::new(title, &columns);
    let mut goals = [
        Goal::at_most("every listed contact is found: number missed", 0.0),
        Goal::at_most("cloth-funnel within 100 ms, rod-twist within 1 s, including the tree: share of the limit", 1.0),
    ];
    for (folder, set) in &SETS {
        eprintln!("{}", set.name);
        let step = set.measure(&frames.dir.join(folder), frames.rounds)?;
        goals[0].add(set.name, Some(step.missed as f64));
        let milliseconds = |rounds: &Rounds| rounds.median().map(|s| 1e3 * s);
        goals[1].add(set.name, milliseconds(&step.cold).map(|ms| ms / set.at_most).filter(|_| set.at_most.is_finite()));
        table.row(vec![
            words(set.name),
            count(step.triangles),
            count(step.answer.contacts.len()),
            count(step.known),
            target(Some(step.missed as f64), 0.0, 0),
            count(step.answer.tests as usize),
            target(milliseconds(&step.cold), set.at_most, 1),
            target(milliseconds(&step.warm), set.at_most, 1),
            number(milliseconds(&step.busy), 1),
            number(step.busy.spread(), 0),
            number(set.at_most.is_finite().then_some(set.at_most), 0),
            number(step.answer.first().map(|c| c.time.1), 6),
        ]);
    }
    Ok(Report::new("steps", "Whole steps of deforming bodies")
        .text(
            "Public pairs of frames, all contacts of a step, on all cores. `first`: wall time of a step that builds the tree, without \
             information from an earlier step. `next`: wall time of a step that refits the tree. `cpu`: CPU time of all threads; `spread \
             %` refers to it. `listed`: contacts of the public ground truth. `missed`: listed contacts that were not found.",
        )
        .table(table)
        .goals(goals))
}

/// The measurements of one pair of frames.
struct Measured {
    triangles: usize,
    answer: StepAnswer,
    known: usize,
    missed: usize,
    cold: Rounds,
    warm: Rounds,
    busy: Rounds,
}

impl Set {
    fn measure(&self, folder: &Path, rounds: usize) -> Outcome<Measured> {
        let [a, b] = self.frames.map(|f| load_mesh(folder.join(f), Vec3::splat(1.0)));
        let (a, b) = (a?.value, b?.value);
        let [mut cold, mut warm, mut busy] = [Rounds::default(), Rounds::default(), Rounds::default()];
        let mut answer = checker(&a)?.check(&[Lines { start: a.vertices(), end: b.vertices() }])?;
        for _ in 0..rounds {
            let begin = Instant::now();
            let mut checker = checker(&a)?;
            answer = checker.check(&[Lines { start: a.vertices(), end: b.vertices() }])?;
            cold.push(begin.elapsed().as_secs_f64());
            let (begin, spent) = (Instant::now(), clock::of_all_threads());
            checker.check(&[Lines { start: a.vertices(), end: b.vertices() }])?;
            warm.push(begin.elapsed().as_secs_f64());
            busy.push(clock::of_all_threads() - spent);
        }
        let found: BTreeSet<Vec<u32>> = answer.contacts.iter().map(features).collect();
        let known = self.truth.iter().map(|f| truth(&folder.join(f))).collect::<Outcome<Vec<_>>>()?.concat();
        let missed = known.iter().filter(|k| !found.contains(*k)).count();
        Ok(Measured { triangles: a.triangles().len(), answer, known: known.len(), missed, cold, warm, busy })
    }
}

fn checker(mesh: &Mesh) -> Outcome<StepChecker> {
    Ok(StepChecker::new(&[mesh.triangles()], StepOptions { who: Who::Own, all: true, ..StepOptions::default() })?)
}

/// Identifies a contact by its vertices: vertex, then face, sorted; or both edges, sorted.
fn features(touch: &Touch) -> Vec<u32> {
    let mut sides: Vec<Vec<u32>> = touch.sides.iter().map(|s| vertices(&s.element)).collect();
    sides.sort_by_key(|s| (s.len(), s.clone()));
    sides.concat()
}

fn vertices(element: &Element) -> Vec<u32> {
    let mut all = match element {
        Element::Vertex(v) => vec![*v],
        Element::Edge(e) => e.to_vec(),
        Element::Face(f) => f.to_vec(),
    };
    all.sort_unstable();
    all
}

/// Reads the true contacts of a table, named as in [`features`].
fn truth(file: &Path) -> Outcome<Vec<Vec<u32>>> {
    let (text, split) = (fs::read_to_string(file)?, if file.to_string_lossy().contains("vf") { 1 } else { 2 });
    let mut found = Vec::new();
    for line in text.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        if cells.get(1) != Some(&"1") {
            continue;
        }
        let mut ids =
            cells.get(4..8).ok_or("a row without vertices")?.iter().map(|c| c.parse()).collect::<Result<Vec<u32>, _>>()?;
        let (mut a, mut b) = (ids.drain(..split).collect::<Vec<_>>(), ids);
        a.sort_unstable();
        b.sort_unstable();
        let mut sides = [a, b];
        sides.sort_by_key(|s| (s.len(), s.clone()));
        found.push(sides.concat());
    }
    Ok(found)
}
