//! Kinematics on assembly trees against plain forward kinematics.

use std::hint::black_box;
use std::sync::Arc;

use clap::Args;
use impinge::math::trig::sin_cos;
use impinge::math::{Pose, Vec3};
use impinge::motion::assembly::{AssemblyTree, Kinematics};

use crate::report::{Goal, Report};
use crate::rounds::{Rounds, turns};
use crate::table::{Table, count, number, ratio, target};
use crate::{Outcome, clock};

/// Target as a share of full forward kinematics, with 1,000 bodies, 10 active joints and 5 bodies to locate.
const GOAL: f64 = 1.0 / 20.0;
const LOCATED: usize = 5;

/// Returns the transform of a joint at an angle: both methods need it for every changed joint.
fn joint(k: usize, angle: f64) -> Pose {
    let (s, c) = sin_cos(0.5 * angle);
    let mut q = [c, 0.0, 0.0, 0.0];
    q[1 + k % 3] = s;
    Pose::from_quaternion(Vec3::new(0.01, 0.0, 0.02), q).expect("a unit quaternion")
}

/// Options of the benchmark.
#[derive(Args)]
pub struct Run {
    /// Rounds; numbers are medians over them.
    #[arg(long, default_value_t = 21)]
    rounds: usize,
}

/// Measures chains of 10 to 10,000 bodies with 1 to all joints active.
pub fn measure(run: &Run) -> Outcome<Report> {
    let columns = ["bodies", "active", "depth", "plain us", "tree us", "spread %", "tree/plain", "nodes"];
    let mut table = Table::new(format!("Microseconds, median of {} rounds; ! is above target", run.rounds), &columns);
    let mut goal = Goal::at_most("1,000 bodies, 10 active joints: at most 1/20 of forward kinematics", GOAL);
    for n in [10usize, 100, 1000, 10_000] {
        let mut chain = Chain::new(n);
        let mut m = 1;
        while m <= n {
            let [plain, tree] = chain.rounds(m, run.rounds);
            let share = ratio(tree.median(), plain.median());
            let wanted = (n, m) == (1000, 10);
            goal.add("", share.filter(|_| wanted));
            table.row(vec![
                count(n),
                count(m),
                count(chain.tree.depth()),
                number(plain.microseconds(1), 2),
                number(tree.microseconds(1), 2),
                number(tree.spread(), 0),
                target(share, if wanted { GOAL } else { f64::INFINITY }, 3),
                count(chain.nodes),
            ]);
            m = if m == n { n + 1 } else { (m * 10).min(n) };
        }
    }
    Ok(Report::new("kinematics", "Section 2: kinematics on assembly trees")
        .text(format!(
            "A chain; joints at the top of the tree are active. `tree`: sets the active joints, updates the tree, and computes the poses \
             of {LOCATED} bodies. `plain`: complete forward kinematics. `nodes`: recomputed nodes of the tree. `spread %` refers to \
             `tree`."
        ))
        .table(table)
        .goals([goal]))
}

/// A chain of bodies, and its tree.
struct Chain {
    n: usize,
    tree: Arc<AssemblyTree>,
    /// Joints, those at the top of the tree first.
    top: Vec<usize>,
    kinematics: Kinematics<Pose>,
    /// Nodes computed by one update.
    nodes: usize,
}

impl Chain {
    fn new(n: usize) -> Self {
        let parents: Vec<u32> = (0..=n as u32).map(|i| i.saturating_sub(1)).collect();
        let tree = Arc::new(AssemblyTree::new(&parents));
        let kinematics = Kinematics::new(tree.clone(), (0..=n).map(|k| joint(k, 0.1)).collect());
        Chain { n, top: tree.joints_from_the_top(), tree, kinematics, nodes: 0 }
    }

    /// Measures the seconds of forward kinematics and of the tree with `m` active joints, in turns.
    fn rounds(&mut self, m: usize, rounds: usize) -> [Rounds; 2] {
        let mut times = [Rounds::default(), Rounds::default()];
        // Long compared with the resolution of the clock.
        let repeats = (4000 / self.n).max(1);
        for round in 0..=rounds {
            let angle = |k: usize| 0.1 + 1e-6 * (round * repeats + k) as f64;
            for way in turns(times.len(), round) {
                let (seconds, ()) = clock::timed(|| {
                    (0..repeats).for_each(|k| if way == 0 { self.plain(angle(k)) } else { self.by_tree(m, angle(k)) });
                });
                // The first round is a warm-up.
                if round > 0 {
                    times[way].push(seconds / repeats as f64);
                }
            }
        }
        times
    }

    fn plain(&self, angle: f64) {
        black_box((1..=self.n).fold(Pose::IDENTITY, |at, k| at * joint(k, angle)));
    }

    fn by_tree(&mut self, m: usize, angle: f64) {
        let before = self.kinematics.work();
        self.top[..m].iter().for_each(|&j| self.kinematics.set(j, joint(j, angle)));
        self.kinematics.update();
        (1..=LOCATED).for_each(|k| {
            black_box(self.kinematics.locate(self.n * k / LOCATED));
        });
        self.nodes = (self.kinematics.work() - before) as usize;
    }
}
