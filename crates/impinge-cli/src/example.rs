//! `impinge example`: runs the main query on built-in data.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::time::Instant;

use anyhow::Result;
use impinge::geometry::Shape;
use impinge::robot::Robot;
use impinge::scene::SelfCollision;
use impinge::{Checker, Options, Pose, Scene};
use impinge_io::example::{self, Example, arm_in_plant};

use crate::args::ExampleArgs;
use crate::goal::{Goal, part_name};
use crate::plain;
use crate::printer::{Form, Printer};

/// Runs the command; the exit code is 0 with or without contacts, because the example is a demonstration.
///
/// # Errors
/// If files cannot be written.
pub fn run(args: &ExampleArgs) -> Result<u8> {
    let example = arm_in_plant();
    let form = if args.json { Form::Json } else { Form::List };
    let mut story = if args.json { String::new() } else { opening(&example) };
    if let Some(folder) = &args.out {
        let files = example::write(&example, folder)?.len();
        if !args.json {
            story += &written(folder, files);
        }
    }
    say(&story)?;
    let Example { robot, plant, motions } = example;
    let name = robot.name().to_owned();
    let builder = Scene::builder().robot(&name, robot).obstacle("plant", plant, Pose::IDENTITY);
    let scene = builder.self_collision(SelfCollision::Skip).build()?;
    let Some(arm) = scene.robot(&name) else { anyhow::bail!("the arm is not in the scene") };
    let checker = Checker::new(scene, Options::default())?;
    let mut printer = Printer::new(form, false);
    let started = Instant::now();
    let mut answers = Vec::new();
    for (i, (from, to)) in motions.iter().enumerate() {
        let motion = checker.scene().motion().joint_line(arm, from, to).build()?;
        let (_, answer) = Goal::FIRST.run(&i.into(), &checker, &motion, 0.0, |part| part_name(checker.scene(), part))?;
        answers.push(answer);
    }
    let elapsed = started.elapsed();
    printer.print(&answers)?;
    printer.finish(("motion", "motions"), elapsed)?;
    Ok(0)
}

fn opening(example: &Example) -> String {
    let mut out = String::new();
    let robot = &example.robot;
    let _ = writeln!(
        out,
        "An arm of {} joints ({} triangles) among pipes ({} triangles). Does it collide with them?",
        robot.values(),
        triangles(robot),
        example.plant.triangles().len()
    );
    let _ = writeln!(out, "Each motion is proven free from start to end, or its first contact is found.");
    out
}

fn written(folder: &Path, files: usize) -> String {
    let folder = folder.display().to_string();
    let folder = plain::shown(&folder);
    format!(
        "{files} files written; the same check from files:\n  \
         impinge check {folder}/arm.urdf --obstacle {folder}/plant.stl --no-self --motions {folder}/motions.jsonl\n\
         contacts predicted for a hand-held drill:\n  \
         impinge watch {folder}/drill.obj --body {folder}/hull.obj --poses {folder}/poses.jsonl\n\
         first contact of two motion captures:\n  \
         impinge check {folder}/dancer.bvh {folder}/other.bvh\n"
    )
}

fn triangles(robot: &Robot) -> usize {
    let of_shape = |shape: &Shape| match shape {
        Shape::Mesh(mesh) => mesh.triangles().len(),
        Shape::Primitive(_) => 0,
    };
    robot.links().iter().flat_map(|l| &l.pieces).map(|p| of_shape(&p.shape)).sum()
}

fn say(text: &str) -> std::io::Result<()> {
    let mut stdout = std::io::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    stdout.flush()
}
