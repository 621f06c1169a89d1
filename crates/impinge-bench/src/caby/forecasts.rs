//! Forecasts: contacts announced in time, false alarms, and how long a cycle takes.
//!
//! A contact is announced when an alarm stands in the last cycle that is at least 0.1 s before it. An alarm is false when nothing is touched
//! within twice its horizon. Every motion is cut off at its first contact. Times are those of the thread on its processor.

use std::path::PathBuf;

use clap::Args;
use impinge::deform::{Lines, Surface, Tool, ToolOptions};
use impinge::predict::{Budget, Horizons, Level, ModelOptions, ToolWatch};
use impinge::{Mesh, Pose};
use impinge_io::example::operator::{DRILL, Hand, approach, hull, recording};

use super::quantile;
use super::recorded::recorded;
use crate::table::{Table, count, number, target, words};
use crate::{Outcome, clock};

/// Share of contacts of smooth motions to be announced, and seconds before.
const ANNOUNCED: f64 = 0.95;
const BEFORE: f64 = 0.1;
/// Microseconds that 99.9 % of the cycles may take at most, at 1 kHz.
const CYCLE: f64 = 1000.0;

/// What is watched.
#[derive(Args)]
pub struct Watched {
    /// Motions of each kind.
    #[arg(long, default_value_t = 200)]
    motions: u64,
    /// Triangles of the hull.
    #[arg(long, default_value_t = 10_000)]
    triangles: usize,
    /// Samples a second.
    #[arg(long, default_value_t = 1000)]
    rate: u32,
    /// Order of the polynomials.
    #[arg(long, default_value_t = ModelOptions::default().order)]
    order: usize,
    /// Observation period, seconds.
    #[arg(long, default_value_t = ModelOptions::default().period)]
    period: f64,
    /// Milliseconds a cycle may take.
    #[arg(long, default_value_t = 0.4)]
    budget: f64,
    /// Folder of the shared data, for recorded motions.
    #[arg(long, default_value = "../shared/data")]
    dir: PathBuf,
}

/// What became of the motions of a kind.
#[derive(Default)]
struct Score {
    motions: usize,
    contacts: usize,
    announced: usize,
    /// Motions that touch nothing, and those of them with an alarm: reflex, considered.
    misses: usize,
    scared: [usize; 2],
    /// Cycles, those with an alarm, and those with a false one: reflex, considered.
    cycles: usize,
    alarms: [usize; 2],
    false_alarms: [usize; 2],
    cut_short: usize,
    micros: Vec<f64>,
    /// How far off announced times were, seconds, 0.1 s before.
    off: Vec<f64>,
}

/// Measures all kinds.
pub fn measure(watched: &Watched) -> Outcome<Table> {
    let columns = [
        "motion",
        "n",
        "contacts",
        "announced %",
        "at least",
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
    let title = "Forecasts at 0.1 s (reflex) and 1 s (considered), one thread; false: share of alarms; scared: near misses with an alarm; ! misses target";
    let mut table = Table::new(title, &columns);
    let mesh = hull(watched.triangles).into_mesh()?;
    let kinds = [("smooth", Hand::Smooth), ("noisy", Hand::Trembling), ("reversing", Hand::Reversing)];
    for (name, hand) in kinds {
        eprintln!("{name}");
        let mut score = Score::default();
        for seed in 0..watched.motions {
            score.watch(&approach(hand, seed, watched.rate), &mesh, watched)?;
        }
        table.row(score.row(name, if hand == Hand::Smooth { ANNOUNCED } else { 0.0 }));
    }
    let mut score = Score::default();
    score.watch(&recording(), &mesh, watched)?;
    table.row(score.row("shipped recording", 0.0));
    match recorded(&watched.dir)? {
        None => eprintln!("{} has no recorded motions", watched.dir.display()),
        Some(motions) => {
            let mut score = Score::default();
            for (poses, body) in &motions {
                score.watch(poses, body, watched)?;
            }
            table.row(score.row("measured arm", 0.0));
        }
    }
    Ok(table)
}

impl Score {
    fn watch(&mut self, poses: &[(f64, Pose)], mesh: &Mesh, watched: &Watched) -> Outcome<()> {
        let tool = Tool::cylinder(DRILL.0, 2.0 * DRILL.1, 24)?;
        let model = ModelOptions { order: watched.order, period: watched.period };
        let mut watch = ToolWatch::new(tool, ToolOptions::default(), model, Horizons::default())?;
        let body = [Surface { triangles: mesh.triangles(), lines: Lines::resting(mesh.vertices()) }];
        let mut told: Vec<(f64, Level, Option<f64>)> = Vec::new();
        let mut contact = None;
        for (t, pose) in poses {
            let begin = clock::of_thread();
            let clock = || clock::of_thread() - begin;
            let budget = Budget { seconds: watched.budget / 1e3, clock: &clock };
            let forecast = watch.cycle(*t, pose, &body, &budget)?.forecast;
            self.micros.push(clock() * 1e6);
            self.cut_short += usize::from(forecast.cut_short);
            if forecast.level == Level::Now {
                contact = Some(*t);
                break;
            }
            told.push((*t, forecast.level, forecast.ahead));
        }
        self.judge(&told, contact);
        Ok(())
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

    fn row(mut self, name: &str, at_least: f64) -> Vec<crate::table::Cell> {
        let share = |a: usize, b: usize| (b > 0).then(|| 100.0 * a as f64 / b as f64);
        let announced = share(self.announced, self.contacts);
        let mut shown = number(announced, 1);
        if announced.is_some_and(|a| a < 100.0 * at_least) {
            shown = words(format!("{:.1}!", announced.unwrap_or(0.0)));
        }
        vec![
            words(name),
            count(self.motions),
            count(self.contacts),
            shown,
            number((at_least > 0.0).then_some(100.0 * at_least), 0),
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
