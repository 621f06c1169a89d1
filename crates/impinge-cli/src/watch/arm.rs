//! A robot, in joint space.

use std::path::Path;
use std::time::Instant;

use anyhow::{Result, anyhow, bail};
use impinge::predict::{ArmWatch, Budget};
use impinge::robot::{JointKind, Robot};
use impinge::scene::RobotId;
use impinge::{Checker, Contact, Options};
use impinge_io::{JointLines, Loaded, StampedJoints, zero_configuration};
use serde_json::{Value, json};

use super::{Step, WatchArgs, each_line, report};
use crate::answer::{TouchedFeature, state};
use crate::input;
use crate::job::Job;
use crate::movers::RobotMover;
use crate::values::{degrees_hint, turns, with_joints};
use crate::warn;

/// Runs `impinge watch` for a robot; returns the exit code.
///
/// # Errors
/// See [`super::run`].
pub fn run(args: &WatchArgs, joints: &Path) -> Result<u8> {
    let Loaded { value: job, warnings } = Job::load(std::slice::from_ref(&args.watched), None, &[], &args.model)?;
    let ([robot], []) = (&job.robots[..], &job.bodies[..]) else { bail!("--joints requires exactly one robot; give one URDF") };
    predictable(robot)?;
    let built = job.scene(None)?;
    warn::print(&warnings);
    warn::note(&built.warnings);
    if built.scene.checked_pairs().next().is_none() {
        warn::note(&["no pair of parts is checked, so there are no contacts; run impinge pairs for the reasons".into()]);
    }
    let id = built.scene.robot(&robot.name).ok_or_else(|| anyhow!("the robot is not in the scene"))?;
    let checker = Checker::new(built.scene, Options::default().margin(args.margin))?;
    let mut watch = ArmWatch::new(robot.model.values(), args.model(), args.horizons())?;
    if let Some(tolerance) = args.tolerance {
        watch = watch.with_tolerance(tolerance)?;
    }
    let default = robot.state.clone().unwrap_or_else(|| zero_configuration(&robot.model));
    let mut samples = JointLines::new(&robot.model).over(default);
    let mut hinted = false;
    let code = each_line(joints, |line, at| {
        let Some(sample) = samples.read(line, at).map_err(|e| with_joints(e, &robot.model))? else { return Ok(None) };
        let unnamed = samples.take_unnamed();
        if robot.state.is_none() && !unnamed.is_empty() {
            warn::aside(&[format!("{at}: joints that are not named are set to zero: {}", unnamed.join(", "))]);
        }
        if !hinted {
            let hint = hint(&checker, id, robot, &sample)?;
            hinted = hint.is_some();
            warn::hint(hint.map(|h| format!("{at}: {h}")));
        }
        answer(&mut watch, &checker, id, &sample, args.seconds()).map(Some).map_err(|e| anyhow!("{at}: {e}"))
    })?;
    if samples.is_header_alone() && code == 0 {
        bail!("{}: there is a header, but no line of values", input::shown(joints).display());
    }
    Ok(code)
}

/// Returns a hint if joint values look like degrees.
fn hint(checker: &Checker, id: RobotId, robot: &RobotMover, sample: &StampedJoints) -> Result<Option<String>> {
    let motion = checker.scene().motion().rest(id, &sample.values).build()?;
    let joint = |full: &str| robot.model.find_joint(full.strip_prefix(&robot.name)?.strip_prefix('/')?);
    Ok(degrees_hint(motion.limit_breaches(), |full| joint(full).is_some_and(|j| turns(&robot.model.joints()[j]))))
}

/// Refuses robots whose values cannot be predicted independently.
fn predictable(robot: &RobotMover) -> Result<()> {
    let RobotMover { name, model, recorded, .. } = robot;
    if recorded.is_some() {
        bail!("'{name}' has a recorded motion; watch requires joint values of a URDF");
    }
    let floating = |model: &Robot| model.joints().iter().find(|j| j.kind == JointKind::Floating).map(|j| j.name.clone());
    match floating(model) {
        Some(joint) => {
            bail!(
                "joint '{name}/{joint}' is floating: the values of its orientation cannot be predicted independently; fix the joint, or use --base"
            )
        }
        None => Ok(()),
    }
}

/// Returns the answer to one line, and the verdict of the step before it.
fn answer(watch: &mut ArmWatch, checker: &Checker, id: RobotId, sample: &StampedJoints, seconds: f64) -> Result<(Value, Step)> {
    let started = Instant::now();
    let clock = || started.elapsed().as_secs_f64();
    let motion = |a: &[f64], b: &[f64]| checker.scene().motion().joint_line(id, a, b).build();
    let (forecast, found) = watch.cycle(sample.time, &sample.values, checker, motion, &Budget { seconds, clock: &clock })?;
    let micros = started.elapsed().as_micros() as u64;
    let name = |part| checker.scene().part_name(part);
    let pair = found.as_ref().map(|c| Ok::<_, impinge::Error>([name(c.parts.0)?, name(c.parts.1)?])).transpose()?;
    let touching = json!({
        "pair": pair,
        "contact": found.as_deref().map(contact),
    });
    Ok((report(sample.time, &forecast, touching, found.is_some(), micros), Step::of(&forecast, found.is_some())))
}

fn contact(c: &Contact) -> Value {
    json!({
        "time": [c.time.0, c.time.1],
        "state": state(c.state),
        "features": [TouchedFeature::from(c.features.0), TouchedFeature::from(c.features.1)],
        "point": c.point.to_array(),
        "normal": c.normal.to_array(),
    })
}
