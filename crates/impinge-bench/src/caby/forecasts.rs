//! Forecasts: contacts announced in time, false alarms, and the time of a cycle.
//!
//! A contact is announced if the last cycle that is at least 0.1 s before it reports an alarm. An alarm is false if there is no contact
//! within twice its horizon. Every motion ends at its first contact. Times are CPU times of the thread.

use std::path::PathBuf;

use clap::Args;
use impinge::Pose;
use impinge::deform::{Lines, Surface, Tool, ToolOptions};
use impinge::predict::{Budget, Horizons, Level, ModelOptions, ToolWatch};
use impinge_io::example::operator::{DRILL, Hand, approach, hull, recording};

use super::deforming::Body;
use super::recorded::recorded;
use super::{at_least, quantile};
use crate::report::{Goal, Report};
use crate::table::{self, Cell, Table, count, number, target, words};
use crate::{Outcome, clock};

/// Target share of announced contacts of smooth motions, and the seconds before contact.
const ANNOUNCED: f64 = 0.95;
const BEFORE: f64 = 0.1;
/// Target of the 99.9th percentile of cycles at 1 kHz, microseconds.
const CYCLE: f64 = 1000.0;

/// Options of the benchmark.
#[derive(Args)]
pub struct Watched {
    /// Motions of each kind.
    #[arg(long, default_value_t = 200)]
    motions: u64,
    /// Triangles of the hull.
    #[arg(long, default_value_t = 10_000)]
    triangles: usize,
    /// Samples per second.
    #[arg(long, default_value_t = 1000)]
    rate: u32,
    /// Order of the polynomials.
    #[arg(long, default_value_t = ModelOptions::default().order)]
    order: usize,
    /// Observation period, seconds.
    #[arg(long, default_value_t = ModelOptions::default().period)]
    period: f64,
    /// Milliseconds per cycle.
    #[arg(long, default_value_t = 0.4)]
    budget: f64,
    /// Folder of the shared data, for recorded motions.
    #[arg(long, default_value = "../shared/data")]
    dir: PathBuf,
}

/// The results of the motions of a kind.
#[derive(Default)]
struct Score {
    motions: usize,
    contacts: usize,
    announced: usize,
    /// Motions without a contact, and those of them with an alarm: reflex, considered.
    misses: usize,
    scared: [usize; 2],
    /// Cycles, those with an alarm, and those with a false one: reflex, considered.
    cycles: usize,
    alarms: [usize; 2],
    false_alarms: [usize; 2],
    cut_short: usize,
    micros: Vec<f64>,
    /// Errors of announced times, seconds, 0.1 s before.
    off: Vec<f64>,
}

/// Measures all kinds.
pub fn measure(watched: &Watched) -> Outcome<Report> {
    let mut table = Table::new("Shares in percent, cycles in microseconds; ! misses its target", &COLUMNS);
    let mut goals = [
        Goal::at_least("share of the contacts of smooth motions that are announced 0.1 s before", ANNOUNCED),
        Goal::at_most("1 kHz: 99.9th percentile of the cycle time in microseconds", CYCLE),
    ];
    let hull = hull(watched.triangles).into_mesh()?;
    let deforming = |mesh| Body { mesh, deforms: true };
    let resting = |mesh| Body { mesh, deforms: false };
    let kinds = [("smooth", Hand::Smooth), ("noisy", Hand::Trembling), ("reversing", Hand::Reversing)];
    let mut add = |name: &str, mut score: Score, smooth: bool| {
        goals[0].add(name, score.announced_share().filter(|_| smooth));
        goals[1].add(name, quantile(&mut score.micros, 0.999));
        table.row(score.row(name, if smooth { ANNOUNCED } else { 0.0 }));
    };
    for (name, hand) in kinds {
        eprintln!("{name}, the hull deforms");
        add(&format!("{name}, deforming"), Score::of_hand(hand, &deforming(&hull), watched)?, hand == Hand::Smooth);
    }
    eprintln!("smooth, the hull rests");
    add("smooth, resting", Score::of_hand(Hand::Smooth, &resting(&hull), watched)?, true);
    let mut score = Score::default();
    score.watch(&recording(), &resting(&hull), watched)?;
    add("shipped recording, resting", score, false);
    let arm = recorded(&watched.dir)?;
    if let Some(motions) = &arm {
        let mut score = Score::default();
        for (poses, body) in motions {
            score.watch(poses, &resting(body), watched)?;
        }
        add("measured arm, resting", score, false);
    }
    let missing = format!("**The measured arm is missing**: its recording is not in {}.", watched.dir.display());
    Ok(Report::new("forecasts", "Section 3.2: predicted contacts")
        .text(format!(
            "A hull of {} triangles, {} poses per second, a budget of {} ms per cycle, one thread. *Deforming*: a wave of 4 mm travels \
             through the hull, and a dent of 1 cm moves over it, so every vertex moves in every cycle. A contact is announced if the \
             last cycle that is at least 0.1 s before it reports an alarm. `at least %` is the lower end of the 95 % confidence interval \
             of this share (Wilson). `false`: share of the alarms without a contact within twice the horizon (reflex 0.1 s, considered 1 \
             s). `scared`: motions without a contact that had an alarm. `time off`: median error of the announced time. Cycles are CPU \
             time of the thread, including one reading of the clock. `p50`, `p99.9` and `worst` are quantiles over all cycles of a kind. \
             Each cycle runs once, because a second run of the watch would already contain the motion; so there are no rounds, and no \
             median or spread over rounds.",
            watched.triangles, watched.rate, watched.budget
        ))
        .text(if arm.is_none() { missing } else { String::new() })
        .table(table)
        .goals(goals))
}

/// Columns of the table.
const COLUMNS: [&str; 15] = [
    "motion",
    "n",
    "contacts",
    "announced %",
    "at least %",
    "false reflex %",
    "false considered %",
    "misses",
    "scared reflex",
    "scared considered",
    "time off ms",
    "p50 us",
    "p99.9 us",
    "worst us",
    "cut short",
];

impl Score {
    /// Generates many approaches of a hand to a body.
    fn of_hand(hand: Hand, body: &Body<'_>, watched: &Watched) -> Outcome<Self> {
        let mut score = Score::default();
        for seed in 0..watched.motions {
            score.watch(&approach(hand, seed, watched.rate), body, watched)?;
        }
        Ok(score)
    }

    fn watch(&mut self, poses: &[(f64, Pose)], body: &Body<'_>, watched: &Watched) -> Outcome<()> {
        let tool = Tool::cylinder(DRILL.0, 2.0 * DRILL.1, 24)?;
        let model = ModelOptions { order: watched.order, period: watched.period };
        let mut watch = ToolWatch::new(tool, ToolOptions::default(), model, Horizons::default())?;
        let mut told: Vec<(f64, Level, Option<f64>)> = Vec::new();
        let mut contact = None;
        let mut last = body.at(poses.first().map_or(0.0, |p| p.0));
        for (t, pose) in poses {
            let now = body.at(*t);
            let surface = [Surface { triangles: body.mesh.triangles(), lines: Lines { start: &last, end: &now } }];
            let begin = clock::of_thread();
            let clock = || clock::of_thread() - begin;
            let budget = Budget { seconds: watched.budget / 1e3, clock: &clock };
            let forecast = watch.cycle(*t, pose, &surface, &budget)?.forecast;
            self.micros.push(clock() * 1e6);
            self.cut_short += usize::from(forecast.cut_short);
            if forecast.level == Level::Now {
                contact = Some(*t);
                break;
            }
            told.push((*t, forecast.level, forecast.ahead));
            last = now;
        }
        self.judge(&told, contact);
        Ok(())
    }

    /// Returns the share of the contacts that were announced.
    fn announced_share(&self) -> Option<f64> {
        (self.contacts > 0).then(|| self.announced as f64 / self.contacts as f64)
    }

    fn judge(&mut self, told: &[(f64, Level, Option<f64>)], contact: Option<f64>) {
        self.motions += 1;
        self.cycles += told.len();
        let levels = [(Level::Reflex, 0.2), (Level::Considered, 2.0)];
        for (k, (level, within)) in levels.into_iter().enumerate() {
            let alarms = told.iter().filter(|c| c.1 == level);
            let wrong = |c: &&(f64, Level, Option<f64>)| contact.is_none_or(|t| t - c.0 > within);
            self.alarms[k] += alarms.clone().count();
            self.false_alarms[k] += alarms.clone().filter(wrong).count();
            self.scared[k] += usize::from(contact.is_none() && alarms.count() > 0);
        }
        let Some(at) = contact else {
            self.misses += 1;
            return;
        };
        let Some(before) = told.iter().rev().find(|c| at - c.0 >= BEFORE) else { return };
        self.contacts += 1;
        self.announced += usize::from(before.1 != Level::None);
        self.off.extend(before.2.map(|ahead| (before.0 + ahead - at).abs()));
    }

    fn row(mut self, name: &str, least: f64) -> Vec<Cell> {
        let share = |a: usize, b: usize| (b > 0).then(|| 100.0 * a as f64 / b as f64);
        vec![
            words(name),
            count(self.motions),
            count(self.contacts),
            table::at_least(self.announced_share().map(|s| 100.0 * s), 100.0 * least, 1),
            number(at_least(self.announced, self.contacts).map(|s| 100.0 * s), 1),
            number(share(self.false_alarms[0], self.alarms[0]), 1),
            number(share(self.false_alarms[1], self.alarms[1]), 1),
            count(self.misses),
            count(self.scared[0]),
            count(self.scared[1]),
            number(quantile(&mut self.off, 0.5).map(|s| s * 1e3), 1),
            number(quantile(&mut self.micros, 0.5), 0),
            target(quantile(&mut self.micros, 0.999), CYCLE, 0),
            number(quantile(&mut self.micros, 1.0), 0),
            count(self.cut_short),
        ]
    }
}
