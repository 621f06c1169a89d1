//! Instructions per query, counted by callgrind: independent of the load of the machine.
//!
//! ```text
//! instructions ─► for each workload: valgrind --tool=callgrind --toggle-collect=counted_pass ─► this program, --workload NAME
//!                                                                                                 builds, warms up, one counted pass
//! ```

use std::hint::black_box;
use std::path::Path;
use std::process::Command;

use clap::Args;
use impinge::deform::{Lines, StepChecker, StepOptions, Who};
use impinge::features::{Settings, first_contact};
use impinge::math::trig::sin_cos;
use impinge::math::{Pose, Vec3};
use impinge::query::Session;
use impinge::scene::SelfCollision;
use impinge::{Checker, Motion, Options, Scene};
use impinge_io::example::{self, solids::torus_knot};
use impinge_testkit::queries::sets;

use crate::kim::{SEED, replay::record, scenes};
use crate::report::{Missing, Report};
use crate::table::{Table, number, words};
use crate::{Outcome, rigid_motions};

/// Options of the benchmark.
#[derive(Args)]
pub struct Run {
    /// Only workloads whose names start with this
    #[arg(long, default_value = "")]
    only: String,
    /// Count the portable twin: some releases of valgrind lack vector instructions that sessions use
    #[arg(long)]
    portable: bool,
    /// Run one workload; for callgrind
    #[arg(long, hide = true)]
    workload: Option<String>,
}

/// A pass over all queries of a workload, and the number of queries.
type Pass = (Box<dyn FnMut()>, usize);

/// A workload: its name and its constructor.
type Workload = (&'static str, fn() -> Outcome<Pass>);

const WORKLOADS: [Workload; 10] = [
    ("arm any", || arm(Checker::check)),
    ("arm first", || arm(Checker::first_contact)),
    ("knots T any", || knots(false, Checker::check)),
    ("knots T first", || knots(false, Checker::first_contact)),
    ("knots TR any", || knots(true, Checker::check)),
    ("knots TR first", || knots(true, Checker::first_contact)),
    ("features", features),
    ("session, tenth active", || session(0.1)),
    ("session, all active", || session(1.0)),
    ("deforming step", deforming_step),
];

type Query = fn(&Checker, &Motion) -> Result<impinge::Verdict, impinge::Error>;

/// Counts all workloads.
pub fn measure(run: &Run) -> Outcome<Report> {
    impinge::math::use_portable(run.portable);
    if let Some(name) = &run.workload {
        let (_, make) = WORKLOADS.iter().find(|(known, _)| known == name).ok_or("no such workload")?;
        let (mut pass, queries) = make()?;
        pass();
        counted_pass(&mut *pass);
        println!("{queries}");
        return Ok(Report::new("instructions", "Instructions"));
    }
    let mut table = Table::new("Instructions per query, by callgrind", &["workload", "queries", "instructions"]);
    for (name, _) in WORKLOADS.iter().filter(|(name, _)| name.starts_with(&run.only)) {
        eprintln!("{name}");
        match count(name, run.portable) {
            Ok((queries, instructions)) => {
                table.row(vec![words(*name), number(Some(queries), 0), number(Some(instructions / queries), 0)]);
            }
            Err(e) => eprintln!("{name}: {e}"),
        }
    }
    Ok(Report::new("instructions", "Instructions per query")
        .text("One warm pass over each workload under callgrind, on built-in examples. Unlike times, these counts do not depend on the \
         load of the machine.")
        .table(table))
}

/// The function whose instructions callgrind counts.
#[inline(never)]
fn counted_pass(pass: &mut dyn FnMut()) {
    pass();
}

/// Returns the number of queries of a workload, and the instructions of one pass.
///
/// # Errors
/// If valgrind is missing, or ends before the pass ends.
fn count(name: &str, portable: bool) -> Outcome<(f64, f64)> {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null", "--toggle-collect=*counted_pass*"])
        .arg(std::env::current_exe()?)
        .args(["instructions", "--workload", name])
        .args(portable.then_some("--portable"))
        .output()
        .map_err(|e| Missing(format!("valgrind does not run: {e}")))?;
    let (printed, messages) = (String::from_utf8(output.stdout)?, String::from_utf8(output.stderr)?);
    if messages.contains("Unrecognised instruction") {
        return Err("this valgrind lacks an instruction of the AVX2 twin; try --portable".into());
    }
    let collected = messages.lines().rev().find_map(|line| line.split_once("Collected :")).ok_or("callgrind printed no count")?;
    Ok((printed.lines().next().ok_or("no queries")?.parse()?, collected.1.trim().parse()?))
}

fn pass_of(checker: Checker, motions: Vec<Motion>, query: Query) -> Pass {
    let n = motions.len();
    let pass = move || motions.iter().for_each(|motion| _ = black_box(query(&checker, black_box(motion))));
    (Box::new(pass), n)
}

/// Returns the built-in arm in its plant, 1 to 30 degrees per joint.
fn arm(query: Query) -> Outcome<Pass> {
    let built_in = example::arm_in_plant();
    let scene = Scene::builder().robot("arm", built_in.robot).obstacle("plant", built_in.plant, Pose::IDENTITY);
    let checker = Checker::new(scene.self_collision(SelfCollision::Skip).build()?, Options::default())?;
    let arm = checker.scene().robot("arm").ok_or("no arm")?;
    let mut motions = Vec::new();
    for degrees in [1.0, 5.0, 15.0, 30.0] {
        for seed in 0..50 {
            let (from, to) = example::random_motion(seed, degrees);
            motions.push(checker.scene().motion().joint_line(arm, &from, &to).build()?);
        }
    }
    Ok(pass_of(checker, motions, query))
}

/// Two torus knots of 11,520 triangles each.
fn knots(turning: bool, query: Query) -> Outcome<Pass> {
    let knot = || torus_knot(240, 24).into_mesh();
    let scene = Scene::builder().body("a", knot()?).obstacle("b", knot()?, Pose::IDENTITY).build()?;
    let body = scene.body("a").ok_or("no body")?;
    let checker = Checker::new(scene, Options::default())?;
    let (straight, turns) = rigid_motions::random();
    let of = |rigid| checker.scene().motion().rigid(body, rigid).build();
    let motions = if turning { turns } else { straight }.into_iter().map(of).collect::<Result<_, _>>()?;
    Ok(pass_of(checker, motions, query))
}

/// Vertex/face and edge/edge tests of the shared hand-made sets.
fn features() -> Outcome<Pass> {
    let folder = Path::new("../shared/data/ccd-queries/sample-queries");
    if !folder.is_dir() {
        return Err(Missing(format!("the shared queries are not in {}", folder.display())).into());
    }
    let pairs: Vec<_> = sets(folder).into_iter().flat_map(|set| set.queries).map(|query| query.pair).collect();
    let n = pairs.len();
    let pass = move || pairs.iter().for_each(|pair| _ = black_box(first_contact(black_box(pair), &Settings::default())));
    Ok((Box::new(pass), n))
}

/// Returns steps of the pendulum in self-collision, with this share of its joints active.
fn session(share: f64) -> Outcome<Pass> {
    let stage: &'static scenes::Stage = Box::leak(Box::new(scenes::pendulum()?));
    let joints = stage.mechanism.bodies.len();
    let steps = record(stage, ((joints as f64 * share).round() as usize).max(1), 300, SEED)?;
    let n = steps.len();
    let mut session = Session::new(&stage.checker, &stage.each(&stage.start))?;
    let pass = move || {
        for step in &steps {
            black_box(step.replay(stage, &mut session)).expect("a recorded step is answered");
        }
    };
    Ok((Box::new(pass), n))
}

/// Returns a bent torus knot, for self-contact.
fn deforming_step() -> Outcome<Pass> {
    let knot = torus_knot(240, 24).into_mesh()?;
    let bent = |v: &Vec3| Vec3::new(v.x, v.y, v.z + 0.05 * sin_cos(3.0 * v.x).0);
    let (start, end) = (knot.vertices().to_vec(), knot.vertices().iter().map(bent).collect::<Vec<_>>());
    let options = StepOptions { who: Who::Own, all: true, ..StepOptions::default() };
    let mut checker = StepChecker::new(&[knot.triangles()], options)?;
    let pass = move || _ = black_box(checker.check(&[Lines { start: &start, end: &end }]));
    Ok((Box::new(pass), 1))
}
