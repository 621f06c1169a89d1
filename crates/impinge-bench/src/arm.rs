//! A six-axis arm among pipes and among thin rods: the time of a whole certified motion, in poses of FCL.

use std::path::Path;

use impinge::geometry::Mesh;
use impinge::math::{Pose, Vec3};
use impinge::robot::Robot;
use impinge::scene::{RobotId, SelfCollision};
use impinge::{Checker, Options, Scene};
use impinge_io::{MotionKind, UrdfOptions, example, load_mesh, load_urdf, open_motions, to_configuration};

use crate::fcl::{self, Fcl};
use crate::report::{Goal, Report};
use crate::rounds::{Questions, Rounds, repeats, turns};
use crate::table::{Table, number, power, ratio, target, words};
use crate::truth::{Marks, Truth, load, missed};
use crate::{Outcome, Source};

/// Targets: any contact of a whole motion takes at most as long as one pose of FCL, the first contact at most this many poses.
const ANY_TARGET: f64 = 1.0;
const FIRST_TARGET: f64 = 2.5;
/// Radians of the joint that turns most between samples of FCL.
const STEPS: [f64; 2] = [0.01, 0.05];

/// An arm in its environment, with the FCL peer for it.
struct Site {
    name: &'static str,
    checker: Checker,
    arm: RobotId,
    fcl: Option<Fcl>,
}

/// Motions of one site, with their measurements.
struct Set {
    site: usize,
    degrees: String,
    motions: Vec<(Vec<f64>, Vec<f64>)>,
    truth: Option<Truth>,
    pose: Rounds,
    sampled: [Rounds; 2],
    sampled_missed: [usize; 2],
    questions: Questions,
}

/// Measures all sets.
pub fn measure(source: &Source) -> Outcome<Report> {
    let (mut sites, mut sets) = (Vec::new(), Vec::new());
    match source.folder() {
        Some(dir) => {
            for (name, folder) in [("pipes", "articulated"), ("rods", "articulated_thin")] {
                load_site(name, &dir.join(folder), &mut sites, &mut sets)?;
            }
        }
        None => {
            let built_in = example::arm_in_plant();
            let site = Site::new("example", built_in.robot, built_in.plant)?;
            for degrees in [1.0, 5.0, 15.0, 30.0] {
                sets.push(Set::new(0, degrees.to_string(), site.random_motions(degrees)?, None));
            }
            sites.push(site);
        }
    }
    for round in 0..source.rounds {
        eprintln!("round {} of {}", round + 1, source.rounds);
        for k in turns(sets.len(), round) {
            sets[k].round(&mut sites, round)?;
        }
    }
    Ok(report(&sites, &sets, source.rounds).text(source.substitute()))
}

impl Site {
    fn new(name: &'static str, robot: Robot, plant: Mesh) -> Outcome<Self> {
        let mut fcl = Fcl::start();
        if let Some(fcl) = &mut fcl {
            fcl.arm(&robot, &plant)?;
        }
        let scene = Scene::builder().robot("arm", robot).obstacle("plant", plant, Pose::IDENTITY);
        let checker = Checker::new(scene.self_collision(SelfCollision::Skip).build()?, Options::default())?;
        let arm = checker.scene().robot("arm").ok_or("no arm")?;
        Ok(Site { name, checker, arm, fcl })
    }

    /// Returns 200 motions of the example's arm that start free.
    fn random_motions(&self, degrees: f64) -> Outcome<Vec<(Vec<f64>, Vec<f64>)>> {
        let mut motions = Vec::new();
        let mut seed = 0;
        while motions.len() < 200 {
            let (from, to) = example::random_motion(seed, degrees);
            let start = self.checker.scene().motion().rest(self.arm, &from).build()?;
            if self.checker.check(&start)?.is_free() {
                motions.push((from, to));
            }
            seed += 1;
        }
        Ok(motions)
    }
}

fn load_site(name: &'static str, dir: &Path, sites: &mut Vec<Site>, sets: &mut Vec<Set>) -> Outcome<()> {
    let robot = load_urdf(dir.join("puma.urdf"), &UrdfOptions::default())?.value;
    let plant = load_mesh(dir.join("meshes/env.stl"), Vec3::splat(1.0))?.value;
    for degrees in ["01", "05", "15", "30"] {
        let mut motions = Vec::new();
        for motion in open_motions(dir.join(format!("motions_{degrees}deg.jsonl")))? {
            let MotionKind::Joints { q0, q1 } = motion?.kind else { return Err("a motion is not of joints".into()) };
            motions.push((to_configuration(&robot, &q0, None)?, to_configuration(&robot, &q1, None)?));
        }
        let truth = load(&dir.join(format!("gt_{degrees}deg.txt")))?;
        sets.push(Set::new(sites.len(), degrees.trim_start_matches('0').into(), motions, Some(truth)));
    }
    sites.push(Site::new(name, robot, plant)?);
    Ok(())
}

impl Set {
    fn new(site: usize, degrees: String, motions: Vec<(Vec<f64>, Vec<f64>)>, truth: Option<Truth>) -> Self {
        Set {
            site,
            degrees,
            motions,
            truth,
            pose: Rounds::default(),
            sampled: Default::default(),
            sampled_missed: [0; 2],
            questions: Questions::default(),
        }
    }

    /// Runs the poses of FCL, both queries of impinge, and both samplings of FCL, in turns.
    fn round(&mut self, sites: &mut [Site], round: usize) -> Outcome<()> {
        let site = &mut sites[self.site];
        let repeats = repeats(self.motions.len());
        if let Some(fcl) = &mut site.fcl {
            fcl.motions(&self.motions)?;
        }
        for who in turns(3 + STEPS.len(), round) {
            match (who, &mut site.fcl) {
                (0 | 1, _) => self.questions.round(who, &site.checker, self.motions.len(), |i| {
                    let (from, to) = &self.motions[i];
                    site.checker.scene().motion().joint_line(site.arm, from, to).build()
                })?,
                (2, Some(fcl)) => self.pose.push(fcl.poses(repeats)?.0),
                (_, Some(fcl)) => {
                    let k = who - 3;
                    let (seconds, answers) = fcl.sampled(STEPS[k], repeats)?;
                    self.sampled[k].push(seconds);
                    self.sampled_missed[k] = self.truth.as_ref().map_or(0, |t| missed(&answers, t));
                }
                (_, None) => {}
            }
        }
        Ok(())
    }
}

fn report(sites: &[Site], sets: &[Set], rounds: usize) -> Report {
    let mut goals = [
        Goal::at_most("any contact of a whole motion takes at most as long as one pose of FCL", ANY_TARGET),
        Goal::at_most(
            format!("the first contact of a whole motion takes at most as long as {FIRST_TARGET} poses of FCL"),
            FIRST_TARGET,
        ),
        Goal::at_least("any contact of a whole motion is faster than sampling every 0.01 rad with FCL", 1.0),
        Goal::at_most("no contact is missed, false or undecided", 0.0),
    ];
    for set in sets {
        let (place, n) = (format!("{}, {} degrees", sites[set.site].name, set.degrees), set.motions.len());
        let [pose, any, first, fine] =
            [&set.pose, &set.questions.any.rounds, &set.questions.first.rounds, &set.sampled[0]].map(|r| r.microseconds(n));
        goals[0].add(&place, ratio(any, pose));
        goals[1].add(&place, ratio(first, pose));
        goals[2].add(&place, ratio(fine, any));
        for asked in [&set.questions.any, &set.questions.first] {
            goals[3].add(&place, Some(Marks::of(&asked.verdicts, set.truth.as_ref()).count() as f64));
        }
    }
    Report::new("arm", "An arm among pipes and among thin rods")
        .text(
            "A six-axis arm of 796 triangles among pipes of 38,304 triangles and among rods of 1.5 mm, without self-collision. Every \
             joint turns by up to `deg` degrees. `FCL pose`: all links against the environment at the start of a motion. `FCL .01`, `FCL \
             .05`: the same at every 0.01 and 0.05 rad of the joint that turns most, until a pose is in contact. `any`, `first`: any \
             contact and the first contact of the whole motion by impinge, including the construction of the motion. `wrong`: missed / \
             false / undecided contacts, against the ground truth of the workload. `FCL missed`: contacts that both samplings miss. \
             `spread %` refers to `any`.",
        )
        .text(fcl::why_missing().unwrap_or_else(|| "FCL 0.7 runs in a separate process; rounds of both libraries alternate.".into()))
        .table(table(sites, sets, rounds))
        .goals(goals)
}

fn table(sites: &[Site], sets: &[Set], rounds: usize) -> Table {
    let title = format!(
        "Microseconds per motion, median of {rounds} rounds; ! is above target (any/pose <= {ANY_TARGET}, first/pose <= {FIRST_TARGET})"
    );
    let columns = [
        "set",
        "deg",
        "n",
        "FCL pose",
        "FCL .01",
        "FCL .05",
        "any",
        "first",
        "spread %",
        "any/pose",
        "first/pose",
        ".01/any",
        "FCL missed",
        "any wrong",
        "first wrong",
        "widest",
        "off",
    ];
    let mut table = Table::new(title, &columns);
    for set in sets {
        let n = set.motions.len();
        let [pose, any, first] = [&set.pose, &set.questions.any.rounds, &set.questions.first.rounds].map(|r| r.microseconds(n));
        let [fine, coarse] = [0, 1].map(|k| set.sampled[k].microseconds(n));
        let [any_marks, marks] = [&set.questions.any, &set.questions.first].map(|q| Marks::of(&q.verdicts, set.truth.as_ref()));
        table.row(vec![
            words(sites[set.site].name),
            words(&set.degrees),
            number(Some(n as f64), 0),
            number(pose, 1),
            number(fine, 1),
            number(coarse, 1),
            number(any, 2),
            number(first, 2),
            number(set.questions.any.rounds.spread(), 0),
            target(ratio(any, pose), ANY_TARGET, 2),
            target(ratio(first, pose), FIRST_TARGET, 2),
            number(ratio(fine, any), 1),
            words(fine.map_or("-".into(), |_| format!("{}/{}", set.sampled_missed[0], set.sampled_missed[1]))),
            words(any_marks.wrong()),
            words(marks.wrong()),
            power(marks.widest),
            power(marks.off),
        ]);
    }
    table
}
