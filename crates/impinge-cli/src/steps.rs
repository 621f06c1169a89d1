//! Recordings and trajectories on a common clock: a step ends at the next moment at which any of them has a waypoint or frame.
//!
//! ```text
//! dancer  |-----|-----|-----|-----|        frames
//! arm     |--------|--------|              waypoints; static before the first and after the last
//! steps   |-----|--|--|-----|-----|        checked independently, in parallel, printed in order
//! ```

use std::ops::Range;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use impinge::Motion;
use impinge_io::{Loaded, Place, Track, Trajectory, load_trajectory, trajectory};

use crate::answer::Answer;
use crate::args::SearchArgs;
use crate::batch::Batch;
use crate::certificate::Output;
use crate::course::Course;
use crate::follower::{Follower, joints_with_values, moved_joints};
use crate::input;
use crate::job::Job;
use crate::mover_args::EndArg;
use crate::movers::{RobotMover, chosen, split_name};
use crate::printer::{Form, Printer};
use crate::runner::Runner;
use crate::warn;

/// Number of steps that one session follows; the first of them is searched from scratch.
const RUN: usize = 32;

/// Configurations of the robots at the moments between steps.
pub struct Steps {
    /// Seconds; numbers of waypoints if there are no times.
    moments: Vec<f64>,
    /// For each robot that moves, its values at every moment.
    rows: Vec<Option<Vec<Vec<f64>>>>,
    clock: Clock,
    /// The file and lines of the waypoints, if there is one trajectory.
    lines: Option<(PathBuf, Vec<usize>)>,
}

/// The unit of moments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Clock {
    /// None: waypoints have no times.
    None,
    Seconds,
    /// Seconds, and every moment is a frame.
    Frames,
}

impl Steps {
    /// Loads recordings of the robots, and trajectories given as `[NAME=]FILE`.
    ///
    /// # Errors
    /// If a file is refused, a trajectory has no robot, or times are missing where several motions share a clock.
    pub fn load(job: &Job, trajectories: &[String]) -> Result<Self> {
        let mut tracks: Vec<Option<Track>> = job.robots.iter().map(|r| r.recorded.clone()).collect();
        let mut loaded = Vec::new();
        if trajectories.iter().filter(|text| input::is_stdin(split_name(text, &job.robots).1)).count() > 1 {
            bail!("--trajectory: standard input can be read only once; give files for the others");
        }
        for text in trajectories {
            let (name, path) = split_name(text, &job.robots);
            let at = chosen(&job.robots, name, "--trajectory")?;
            if path.extension().is_some_and(|e| e.eq_ignore_ascii_case("jsonl")) {
                bail!("{}: this is JSON; give it with --motions. A trajectory is a table (CSV)", path.display());
            }
            let Loaded { value: trajectory, warnings } = match input::is_stdin(path) {
                true => trajectory::parse(&input::all_of_stdin()?, input::shown(path))?,
                false => load_trajectory(path)?,
            };
            warn::print(&warnings);
            let RobotMover { model, state, .. } = &job.robots[at];
            let rows = trajectory.configurations(model, state.as_deref())?;
            let untimed = || (0..rows.len()).map(|i| i as f64).collect();
            let times = trajectory.times.clone().unwrap_or_else(untimed);
            if tracks[at].replace(Track { times, rows }).is_some() {
                bail!("--trajectory: '{}' has more than one motion", job.robots[at].name);
            }
            loaded.push(trajectory);
        }
        if let ([trajectory], 1) = (&loaded[..], tracks.iter().flatten().count()) {
            return Steps::of_one(tracks, trajectory);
        }
        // Numbers of waypoints are not seconds: with several motions, each needs times.
        if let Some(untimed) = loaded.iter().find(|t| t.times.is_none()) {
            bail!("{}: the column 'time' is missing; several motions on a common clock need times", untimed.path.display());
        }
        Steps::of_all(job, tracks)
    }

    /// Refuses `--from` for robots that follow a trajectory or a recording.
    ///
    /// # Errors
    /// If there is one: either would be ignored.
    pub fn over(self, job: &Job, rests: &[EndArg]) -> Result<Self> {
        for EndArg { name, .. } in rests {
            let named = |(robot, _): &(&RobotMover, _)| name.as_ref().is_none_or(|name| *name == robot.name);
            if let Some((robot, _)) = job.robots.iter().zip(&self.rows).filter(|(_, rows)| rows.is_some()).find(named) {
                bail!("--from: '{}' follows a trajectory or a recording; remove one of them", robot.name);
            }
        }
        Ok(self)
    }

    /// Returns the steps of one trajectory: its waypoints are the moments, with or without times.
    fn of_one(tracks: Vec<Option<Track>>, trajectory: &Trajectory) -> Result<Self> {
        if trajectory.rows.len() < 2 {
            bail!("{}: the trajectory has one waypoint; it needs at least two", trajectory.path.display());
        }
        let moments = tracks.iter().flatten().flat_map(|t| t.times.clone()).collect();
        let clock = if trajectory.times.is_some() { Clock::Seconds } else { Clock::None };
        let lines = Some((trajectory.path.clone(), trajectory.lines.clone()));
        Ok(Steps { moments, rows: tracks.into_iter().map(|t| t.map(|t| t.rows)).collect(), clock, lines })
    }

    /// Returns the steps of several motions on a common clock.
    fn of_all(job: &Job, tracks: Vec<Option<Track>>) -> Result<Self> {
        let mut moments: Vec<f64> = tracks.iter().flatten().flat_map(|t| t.times.iter().copied()).collect();
        moments.sort_by(f64::total_cmp);
        moments.dedup();
        if moments.len() < 2 {
            bail!("the recording has one frame; a motion needs at least two");
        }
        for (robot, track) in job.robots.iter().zip(&tracks) {
            let Some(track) = track else { continue };
            if track.times.windows(2).any(|w| w[0] >= w[1]) {
                bail!(
                    "'{}': two waypoints have the same time; several motions on a common clock need increasing times",
                    robot.name
                );
            }
            if let (Some(end), Some(last)) = (track.times.last(), moments.last())
                && end < last
            {
                warn::note(&[format!("the motion of '{}' ends at {end} s; it is static until {last} s", robot.name)]);
            }
            if let (Some(begin), Some(first)) = (track.times.first(), moments.first())
                && begin > first
            {
                warn::note(&[format!("the motion of '{}' starts at {begin} s; it is static from {first} s", robot.name)]);
            }
        }
        let all_frames = |(r, t): (&RobotMover, &Option<Track>)| {
            t.as_ref().is_none_or(|t| r.recorded.is_some() && t.times[..] == moments[..t.times.len().min(moments.len())])
        };
        let clock = if job.robots.iter().zip(&tracks).all(all_frames) { Clock::Frames } else { Clock::Seconds };
        let sampled = |(robot, track): (&RobotMover, &Option<Track>)| {
            let track = track.as_ref()?;
            moments.iter().map(|&t| track.at(&robot.model, t)).collect::<Option<Vec<_>>>()
        };
        let rows = job.robots.iter().zip(&tracks).map(sampled).collect();
        Ok(Steps { moments, rows, clock, lines: None })
    }

    /// Checks every step; returns the exit code.
    ///
    /// # Errors
    /// If the answers cannot be printed.
    pub fn check(self, runner: &Runner<'_>, search: &SearchArgs) -> Result<u8> {
        let count = self.count();
        let (unit, form) = match self.lines {
            Some(_) => (("segment", "segments"), Form::Runs),
            None => (("step", "steps"), Form::First),
        };
        let batch = Batch { unit, total: Some(count as u64), threads: search.threads };
        let mut printer =
            Printer::new(if search.json { Form::Json } else { form }, search.every_warning).with(Output::create(search)?);
        printer.first_goes = Some(match (&self.lines, self.clock) {
            (Some(_), _) => "from waypoint 0 to waypoint 1".into(),
            (None, Clock::Frames) => "from frame 0 to frame 1".into(),
            (None, _) => format!("from {} s to {} s", self.moments[0], self.moments[1]),
        });
        if runner.follower().is_none() || !self.few_joints_move(runner) {
            return batch.run(0..count, |i| self.step(i, runner, None), &mut printer);
        }
        // Runs begin at fixed steps, so that answers are the same on any number of threads.
        let runs = (0..count).step_by(RUN).map(move |first| first..(first + RUN).min(count));
        let run = |steps: Range<usize>| {
            let mut follower = runner.follower();
            steps.map(|i| self.step(i, runner, follower.as_mut())).collect()
        };
        batch.run_many(runs, run, &mut printer)
    }

    /// Tests whether at most half of all joints move, on average over the steps: then a session is faster than queries from
    /// scratch.
    fn few_joints_move(&self, runner: &Runner<'_>) -> bool {
        let (mut moved, mut all) = (0, 0);
        for (model, rows) in runner.models().zip(&self.rows) {
            all += self.count() * joints_with_values(model);
            moved += rows.iter().flat_map(|rows| rows.windows(2)).map(|w| moved_joints(model, &w[0], &w[1]).len()).sum::<usize>();
        }
        2 * moved <= all
    }

    /// Returns the number of steps.
    pub fn count(&self) -> usize {
        self.moments.len() - 1
    }

    /// Returns the motion of a step.
    ///
    /// # Errors
    /// If a robot or body has no position, or a value is out of range; the message names the place.
    pub fn motion(&self, i: usize, runner: &Runner<'_>) -> Result<Motion> {
        runner.build(&self.courses(i), &[], &self.place(i), false)
    }

    /// Returns the course of every robot during a step.
    fn courses(&self, i: usize) -> Vec<Option<Course<'_>>> {
        self.rows.iter().map(|rows| rows.as_deref().map(|rows| move_of(rows, i))).collect()
    }

    /// Returns the place of a step for messages.
    pub fn place(&self, i: usize) -> Place {
        match &self.lines {
            Some((path, lines)) => Place::line(path, lines[i + 1]),
            None => Place::file(Path::new(&format!("step {i}"))),
        }
    }

    fn step(&self, i: usize, runner: &Runner<'_>, follower: Option<&mut Follower<'_>>) -> Answer {
        let id = i.into();
        let (courses, at) = (self.courses(i), self.place(i));
        let answer = match follower {
            Some(follower) => runner.followed(&id, &courses, follower, &at),
            None => runner.several(&id, &courses, &[], &at),
        };
        let mut answer = answer.unwrap_or_else(|e| Answer::error(&id, e.to_string()));
        if self.clock != Clock::None {
            let second = |t: f64| self.moments[i] + t * (self.moments[i + 1] - self.moments[i]);
            answer.seconds = answer.time.map(|(lo, hi)| (second(lo), second(hi)));
        }
        if self.clock == Clock::Frames {
            answer.frame = answer.time.map(|(lo, hi)| (i as f64 + lo, i as f64 + hi));
        }
        answer
    }
}

/// Returns the course of a robot between two of its rows.
fn move_of(rows: &[Vec<f64>], i: usize) -> Course<'_> {
    Course::Values(&rows[i], &rows[i + 1])
}
