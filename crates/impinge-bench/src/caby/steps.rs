//! Whole steps of deforming bodies: public pairs of frames with known contacts.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use impinge::deform::{Element, Lines, StepChecker, StepOptions, Touch, Who};
use impinge::{Mesh, Vec3};
use impinge_io::load_mesh;

use crate::rounds::Rounds;
use crate::table::{Table, count, number, target, words};
use crate::{Outcome, clock};

/// Where the frames are.
#[derive(Args)]
pub struct Frames {
    /// Folder of the shared data.
    #[arg(long, default_value = "../shared/data")]
    dir: PathBuf,
    /// Rounds; times are those of the best.
    #[arg(long, default_value_t = 15)]
    rounds: usize,
}

/// Two frames, the files with known contacts, and how many milliseconds a step may take.
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
pub fn measure(frames: &Frames) -> Outcome<Table> {
    if !frames.dir.is_dir() {
        return Err(format!("{} is not here: nothing to measure", frames.dir.display()).into());
    }
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
        "at most",
        "first contact",
    ];
    let title = "Whole steps, all contacts, all cores; first: tree built, start unknown; next: tree refitted; cpu: of all threads; ! is above target";
    let mut table = Table::new(title, &columns);
    for (folder, set) in &SETS {
        let folder = frames.dir.join(folder);
        eprintln!("{}", set.name);
        let [a, b] = set.frames.map(|f| load_mesh(folder.join(f), Vec3::splat(1.0)));
        let (a, b) = (a?.value, b?.value);
        let [mut cold, mut warm, mut busy] = [Rounds::default(), Rounds::default(), Rounds::default()];
        let mut answer = None;
        for _ in 0..frames.rounds {
            let begin = Instant::now();
            let mut checker = checker(&a)?;
            answer = Some(checker.check(&[Lines { start: a.vertices(), end: b.vertices() }])?);
            cold.push(begin.elapsed().as_secs_f64());
            let (begin, spent) = (Instant::now(), clock::of_all_threads());
            checker.check(&[Lines { start: a.vertices(), end: b.vertices() }])?;
            warm.push(begin.elapsed().as_secs_f64());
            busy.push(clock::of_all_threads() - spent);
        }
        let Some(answer) = answer else { continue };
        let found: BTreeSet<Vec<u32>> = answer.contacts.iter().map(features).collect();
        let known = set.truth.iter().map(|f| truth(&folder.join(f))).collect::<Outcome<Vec<_>>>()?.concat();
        let missed = known.iter().filter(|k| !found.contains(*k)).count();
        let milliseconds = |r: &Rounds| r.best(1000);
        table.row(vec![
            words(set.name),
            count(a.triangles().len()),
            count(answer.contacts.len()),
            count(known.len()),
            target(Some(missed as f64), 0.0, 0),
            count(answer.tests as usize),
            target(milliseconds(&cold), set.at_most, 1),
            target(milliseconds(&warm), set.at_most, 1),
            number(milliseconds(&busy), 1),
            number(set.at_most.is_finite().then_some(set.at_most), 0),
            number(answer.first().map(|c| c.time.1), 6),
        ]);
    }
    Ok(table)
}

fn checker(mesh: &Mesh) -> Outcome<StepChecker> {
    Ok(StepChecker::new(&[mesh.triangles()], StepOptions { who: Who::Own, all: true, ..StepOptions::default() })?)
}

/// A contact by its vertices: vertex, then face, sorted; or both edges, sorted.
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

/// True contacts of a table of answers, named as [`features`] does.
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
