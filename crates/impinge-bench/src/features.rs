//! Vertex/face and edge/edge queries: mean and worst time per query on public sets, and on the output of a broad phase.

use std::hint::black_box;
use std::path::PathBuf;

use clap::Args;
use impinge::features::{Answer, FeaturePair, Settings, first_contact};
use impinge_testkit::queries::{Set, sets, swept};

use crate::report::{Goal, Missing, Report};
use crate::rounds::{Rounds, turns};
use crate::table::{Table, count, number, target, words};
use crate::{Outcome, clock};

/// Target microseconds per query, by kind of set, and for the slowest single query.
const SIMULATED_TARGET: f64 = 0.7;
const HAND_MADE_TARGET: f64 = 0.3;
const SWEPT_TARGET: f64 = 0.1;
const WORST_TARGET: f64 = 1000.0;
/// Number of pairs from each scene and kind.
const SWEPT: usize = 50_000;
/// A pass is repeated until it has about this number of queries.
const QUERIES_PER_ROUND: usize = 200_000;

/// The source of the queries.
#[derive(Args)]
pub struct Data {
    /// Folder of the shared data.
    #[arg(long, default_value = "../shared")]
    dir: PathBuf,
    /// Rounds; numbers are medians over them.
    #[arg(long, default_value_t = 5)]
    rounds: usize,
}

/// Queries that are measured together.
struct Batch {
    name: String,
    pairs: Vec<FeaturePair>,
    at_most: f64,
    rounds: Rounds,
}

/// Measures all sets.
pub fn measure(data: &Data) -> Outcome<Report> {
    let queries = data.dir.join("data/ccd-queries");
    if !queries.is_dir() {
        return Err(Missing(format!("the shared queries are not in {}", queries.display())).into());
    }
    let mut batches = Vec::new();
    let simulated = sets(&queries.join("scalable-ccd"));
    for set in &simulated {
        batches.push(Batch::new(&set.name, std::slice::from_ref(set), SIMULATED_TARGET));
    }
    batches.push(Batch::new("all simulated", &simulated, SIMULATED_TARGET));
    batches.push(Batch::new("all hand-made", &sets(&queries.join("sample-queries")), HAND_MADE_TARGET));
    batches.push(Batch::new("primitives", &sets(&data.dir.join("cases/primitives.json")), f64::INFINITY));
    for scene in ["cloth-funnel", "rod-twist"] {
        for (kind, pairs) in swept(&queries.join("scalable-ccd").join(scene), SWEPT) {
            let name = format!("{scene} swept {kind:?}");
            batches.push(Batch { name, pairs, at_most: SWEPT_TARGET, rounds: Rounds::default() });
        }
    }
    for round in 0..data.rounds {
        eprintln!("round {} of {}", round + 1, data.rounds);
        for k in turns(batches.len(), round) {
            batches[k].round();
        }
    }
    let table = table(&batches, data.rounds);
    let mut goal = Goal::at_most("share of the time limit per query of a set", 1.0);
    for batch in batches.iter().filter(|b| b.at_most.is_finite()) {
        goal.add(&batch.name, batch.rounds.microseconds(batch.pairs.len()).map(|us| us / batch.at_most));
    }
    Ok(Report::new("features", "Vertex/face and edge/edge tests")
        .text(
            "Public query sets, and the pairs of two public scenes that remain after a broad phase. `exact`: queries that floating point \
             cannot decide. `worst`: the slowest query; each query is the median of three, including one reading of the clock.",
        )
        .table(table)
        .goals([goal]))
}

impl Batch {
    fn new(name: &str, sets: &[Set], at_most: f64) -> Self {
        let pairs = sets.iter().flat_map(|s| s.queries.iter().map(|q| q.pair)).collect();
        Batch { name: name.into(), pairs, at_most, rounds: Rounds::default() }
    }

    fn round(&mut self) {
        let settings = Settings::default();
        let repeats = QUERIES_PER_ROUND.div_ceil(self.pairs.len().max(1));
        let begin = clock::of_thread();
        for _ in 0..repeats {
            for pair in &self.pairs {
                black_box(first_contact(black_box(pair), &settings));
            }
        }
        self.rounds.push((clock::of_thread() - begin) / repeats as f64);
    }

    /// Returns the microseconds of the slowest query, each the median of three.
    fn worst(&self) -> Option<f64> {
        let settings = Settings::default();
        let seconds = |pair: &FeaturePair| clock::timed(|| black_box(first_contact(black_box(pair), &settings))).0;
        let median = |pair| {
            let mut rounds = Rounds::default();
            (0..3).for_each(|_| rounds.push(seconds(pair)));
            rounds.microseconds(1)
        };
        self.pairs.iter().filter_map(median).reduce(f64::max)
    }

    fn count(&self, settings: &Settings, which: impl Fn(Answer) -> bool) -> usize {
        self.pairs.iter().filter(|p| which(first_contact(p, settings))).count()
    }
}

fn table(batches: &[Batch], rounds: usize) -> Table {
    let columns = ["set", "n", "contacts", "exact", "mean us", "spread %", "at most", "worst us", "widest"];
    let title = format!("Microseconds per query, median of {rounds} rounds; ! is above target");
    let mut table = Table::new(title, &columns);
    let settings = Settings::default();
    let plain = Settings { exact: false, max_steps: 0, ..settings };
    for batch in batches {
        let n = batch.pairs.len();
        let widest = batch.pairs.iter().fold(0.0f64, |widest, p| match first_contact(p, &settings) {
            Answer::Contact { time, .. } => widest.max(time.1 - time.0),
            _ => widest,
        });
        table.row(vec![
            words(&batch.name),
            count(n),
            count(batch.count(&settings, |a| matches!(a, Answer::Contact { .. }))),
            count(batch.count(&plain, |a| matches!(a, Answer::Undecided { .. }))),
            target(batch.rounds.microseconds(n), batch.at_most, 3),
            number(batch.rounds.spread(), 0),
            number(batch.at_most.is_finite().then_some(batch.at_most), 1),
            target(batch.worst(), WORST_TARGET, 1),
            crate::table::power(widest),
        ]);
    }
    table
}
