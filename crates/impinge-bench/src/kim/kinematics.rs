//! Kinematics on assembly trees against plain forward kinematics.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use impinge::math::trig::sin_cos;
use impinge::math::{Pose, Vec3};
use impinge::motion::assembly::{AssemblyTree, Kinematics};

use crate::Outcome;
use crate::table::{Table, count, number, target};

/// At most this share of full forward kinematics, with 1,000 bodies, 10 active joints and 5 bodies to locate.
const GOAL: f64 = 1.0 / 20.0;
const LOCATED: usize = 5;

/// The transform of a joint at an angle: what both ways need for every joint that changes.
fn joint(k: usize, angle: f64) -> Pose {
    let (s, c) = sin_cos(0.5 * angle);
    let mut q = [c, 0.0, 0.0, 0.0];
    q[1 + k % 3] = s;
    Pose::from_quaternion(Vec3::new(0.01, 0.0, 0.02), q).expect("a unit quaternion")
}

/// Chains of 10 to 10,000 bodies with 1 to all joints active.
pub fn measure() -> Outcome<Table> {
    let columns = ["bodies", "active", "depth", "plain us", "tree us", "tree/plain", "nodes"];
    let mut table = Table::new("Kinematics: redo active joints and locate 5 bodies, against all of forward kinematics", &columns);
    for n in [10usize, 100, 1000, 10_000] {
        let parents: Vec<u32> = (0..=n as u32).map(|i| i.saturating_sub(1)).collect();
        let tree = Arc::new(AssemblyTree::new(&parents));
        let top = tree.joints_from_the_top();
        let mut kinematics = Kinematics::new(tree.clone(), (0..=n).map(|k| joint(k, 0.1)).collect());
        let mut m = 1;
        while m <= n {
            let rounds = (200_000 / n).clamp(20, 2000);
            let plain = best(rounds, |turn| {
                let mut at = Pose::IDENTITY;
                for k in 1..=n {
                    at = at * joint(k, 0.1 + turn);
                }
                black_box(at);
            });
            let before = kinematics.work();
            let mut asked = 0;
            let tree_time = best(rounds, |turn| {
                top[..m].iter().for_each(|&j| kinematics.set(j, joint(j, 0.1 + turn)));
                kinematics.update();
                (1..=LOCATED).for_each(|k| {
                    black_box(kinematics.locate(n * k / LOCATED));
                });
                asked += 1;
            });
            let ratio = tree_time / plain;
            let goal = if (n, m) == (1000, 10) { GOAL } else { f64::INFINITY };
            table.row(vec![
                count(n),
                count(m),
                count(tree.depth()),
                number(Some(plain), 2),
                number(Some(tree_time), 2),
                target(Some(ratio), goal, 3),
                count(((kinematics.work() - before) / asked.max(1)) as usize),
            ]);
            m = if m == n { n + 1 } else { (m * 10).min(n) };
        }
    }
    Ok(table)
}

/// Median microseconds of many rounds.
fn best(rounds: usize, mut work: impl FnMut(f64)) -> f64 {
    let mut times: Vec<f64> = (0..rounds)
        .map(|k| {
            let began = Instant::now();
            work(1e-6 * k as f64);
            began.elapsed().as_secs_f64() * 1e6
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
