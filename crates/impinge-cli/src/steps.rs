//! Recordings and trajectories, all on one clock: a step from each moment at which something changes its way to the next.
//!
//! ```text
//! dancer  |-----|-----|-----|-----|        frames
//! arm     |--------|--------|              waypoints; before the first and after the last it rests
//! steps   |-----|--|--|-----|-----|        each proven by itself, in parallel, told in order
//! ```

use std::ops::Range;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use impinge::Motion;
use impinge_io::{Loaded, Place, Track, Trajectory, load_trajectory, trajectory};

use crate::answer::Answer;
use crate::args::AskArgs;
use crate::asker::Asker;
use crate::batch::Batch;
use crate::certificate::Output;
use crate::course::Course;
use crate::follower::{Follower, joints_with_values, moved_joints};
use crate::input;
use crate::job::Job;
use crate::mover_args::EndArg;
use crate::movers::{RobotMover, chosen, split_name};
use crate::printer::{Form, Printer};
use crate::warn;

/// Steps that one session follows; the first of them is searched from scratch.
const RUN: usize = 32;

/// What is known of the robots at the moments between steps.
pub struct Steps {
    /// Seconds; numbers of waypoints where there are no times.
    moments: Vec<f64>,
    /// For each robot that does not rest, its values at every moment.
    rows: Vec<Option<Vec<Vec<f64>>>>,
    clock: Clock,
    /// The file and lines of the waypoints, where there is one trajectory.
    lines: Option<(PathBuf, Vec<usize>)>,
}

/// What moments mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Clock {
    /// Nothing: waypoints have no times.
    None,
    Seconds,
    /// Seconds, and every moment is a frame.
    Frames,
}

impl Steps {
    /// Recordings that came with the robots, and trajectories as `[NAME=]FILE`.
    ///
    /// # Errors
    /// If a file is refused, a trajectory is for nobody, or times are missing where several must share a clock.
    pub fn load(job: &Job, trajectories: &[String]) -> Result<Self> {
        let mut tracks: Vec<Option<Track>> = job.robots.iter().map(|r| r.recorded.clone()).collect();
        let mut loaded = Vec::new();
        if trajectories.iter().filter(|text| input::is_stdin(split_name(text, &job.robots).1)).count() > 1 {
            bail!("--trajectory: standard input can be read once; give files for the others");
        }
        for text in trajectories {
            let (name, path) = split_name(text, &job.robots);
            let at = chosen(&job.robots, name, "--trajectory")?;
            if path.extension().is_some_and(|e| e.eq_ignore_ascii_case("jsonl")) {
                bail!("{}: motions in JSON are given with --motions; a trajectory is a table (CSV)", path.display());
            }
            let Loaded { value: trajectory, warnings } = match input::is_stdin(path) {
                true => trajectory::parse(&input::all_of_stdin()?, input::shown(path))?,
                false => load_trajectory(path)?,
            };
            warn::tell(&warnings);
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
        // Numbers of waypoints are no seconds: among several, each needs times of its own.
        if let Some(untimed) = loaded.iter().find(|t| t.times.is_none()) {
            bail!("{}: it has no column 'time'; several motions share a clock", untimed.path.display());
        }
        Steps::of_all(job, tracks)
    }

    /// The same, where nothing that moves along a trajectory or a recording was also told where to rest.
    ///
    /// # Errors
    /// If something was: one of the two would be passed over.
    pub fn over(self, job: &Job, rests: &[EndArg]) -> Result<Self> {
        for EndArg { name, .. } in rests {
            let named = |(robot, _): &(&RobotMover, _)| name.as_ref().is_none_or(|name| *name == robot.name);
            if let Some((robot, _)) = job.robots.iter().zip(&self.rows).filter(|(_, rows)| rows.is_some()).find(named) {
                bail!("--from: '{}' has a trajectory or a recording, which says where it is; leave one of them out", robot.name);
            }
        }
        Ok(self)
    }

    /// One trajectory: its waypoints are the moments, with or without times.
    fn of_one(tracks: Vec<Option<Track>>, trajectory: &Trajectory) -> Result<Self> {
        if trajectory.rows.len() < 2 {
            bail!("{}: the trajectory has one waypoint; it needs at least two", trajectory.path.display());
        }
        let moments = tracks.iter().flatten().flat_map(|t| t.times.clone()).collect();
        let clock = if trajectory.times.is_some() { Clock::Seconds } else { Clock::None };
        let lines = Some((trajectory.path.clone(), trajectory.lines.clone()));
        Ok(Steps { moments, rows: tracks.into_iter().map(|t| t.map(|t| t.rows)).collect(), clock, lines })
    }

    /// Several, on one clock.
    fn of_all(job: &Job, tracks: Vec<Option<Track>>) -> Result<Self> {
        let mut moments: Vec<f64> = tracks.iter().flatten().flat_map(|t| t.times.iter().copied()).collect();
        moments.sort_by(f64::total_cmp);
        moments.dedup();
        if moments.len() < 2 {
            bail!("there is one frame; a motion needs at least two");
        }
        for (robot, track) in job.robots.iter().zip(&tracks) {
            let Some(track) = track else { continue };
            if track.times.windows(2).any(|w| w[0] >= w[1]) {
                bail!("'{}': two waypoints have the same time; several motions share a clock", robot.name);
            }
            if let (Some(end), Some(last)) = (track.times.last(), moments.last())
                && end < last
            {
                warn::note(&[format!("'{}' ends at {end} s; from there to {last} s it rests", robot.name)]);
            }
            if let (Some(begin), Some(first)) = (track.times.first(), moments.first())
                && begin > first
            {
                warn::note(&[format!("'{}' begins at {begin} s; from {first} s to there it rests", robot.name)]);
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

    /// Checks every step; the exit code.
    ///
    /// # Errors
    /// If the answers cannot be written.
    pub fn check(self, asker: &Asker<'_>, ask: &AskArgs) -> Result<u8> {
        let count = self.count();
        let (unit, form) = match self.lines {
            Some(_) => (("segment", "segments"), Form::Runs),
            None => (("step", "steps"), Form::First),
        };
        let batch = Batch { unit, total: Some(count as u64), threads: ask.threads };
        let mut printer = Printer::new(if ask.json { Form::Json } else { form }, ask.every_warning).with(Output::create(ask)?);
        printer.first_goes = Some(match (&self.lines, self.clock) {
            (Some(_), _) => "from waypoint 0 to waypoint 1".into(),
            (None, Clock::Frames) => "from frame 0 to frame 1".into(),
            (None, _) => format!("from {} s to {} s", self.moments[0], self.moments[1]),
        });
        if asker.follower().is_none() || !self.few_joints_move(asker) {
            return batch.run(0..count, |i| self.step(i, asker, None), &mut printer);
        }
        // Runs begin at fixed steps, so that answers are the same on any number of threads.
        let runs = (0..count).step_by(RUN).map(move |first| first..(first + RUN).min(count));
        let run = |steps: Range<usize>| {
            let mut follower = asker.follower();
            steps.map(|i| self.step(i, asker, follower.as_mut())).collect()
        };
        batch.run_many(runs, run, &mut printer)
    }

    /// Whether at most half of all joints move, on average over the steps: there a session is faster than queries from scratch.
    fn few_joints_move(&self, asker: &Asker<'_>) -> bool {
        let (mut moved, mut all) = (0, 0);
        for (model, rows) in asker.models().zip(&self.rows) {
            all += self.count() * joints_with_values(model);
            moved += rows.iter().flat_map(|rows| rows.windows(2)).map(|w| moved_joints(model, &w[0], &w[1]).len()).sum::<usize>();
        }
        2 * moved <= all
    }

    /// How many steps there are.
    pub fn count(&self) -> usize {
        self.moments.len() - 1
    }

    /// The motion of a step.
    ///
    /// # Errors
    /// If nothing says where something is, or a value is out of range; the message names the place.
    pub fn motion(&self, i: usize, asker: &Asker<'_>) -> Result<Motion> {
        asker.build(&self.courses(i), &[], &self.place(i), false)
    }

    /// How every robot moves during a step.
    fn courses(&self, i: usize) -> Vec<Option<Course<'_>>> {
        self.rows.iter().map(|rows| rows.as_deref().map(|rows| move_of(rows, i))).collect()
    }

    /// What a step is called in messages.
    pub fn place(&self, i: usize) -> Place {
        match &self.lines {
            Some((path, lines)) => Place::line(path, lines[i + 1]),
            None => Place::file(Path::new(&format!("step {i}"))),
        }
    }

    fn step(&self, i: usize, asker: &Asker<'_>, follower: Option<&mut Follower<'_>>) -> Answer {
        let id = i.into();
        let (courses, at) = (self.courses(i), self.place(i));
        let answer = match follower {
            Some(follower) => asker.followed(&id, &courses, follower, &at),
            None => asker.several(&id, &courses, &[], &at),
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

/// A robot's way from one of its rows to the next.
fn move_of(rows: &[Vec<f64>], i: usize) -> Course<'_> {
    Course::Values(&rows[i], &rows[i + 1])
}
