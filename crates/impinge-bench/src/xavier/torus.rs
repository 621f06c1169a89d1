//! Section 3.1: "Complex Torus", a body of 20K polygons that moves along an environment of 98K; all interfering pairs, and distance.

use std::f64::consts::TAU;
use std::ops::ControlFlow;

use impinge::geometry::Mesh;
use impinge::math::trig::sin_cos;
use impinge::query::distance::HullTree;
use impinge::query::distance::{DistanceLimits, DistanceSession, Reading, distance, pairs_within};
use impinge::{Pose, Vec3};

use super::{Run, pass};
use crate::Outcome;
use crate::report::Report;
use crate::rounds::{Rounds, turns};
use crate::table::{Table, count, number, ratio, words};

/// The paper's queries per second: all pairs of interfering polygons, and distance.
const PAPER: [(&str, f64); 2] = [("all pairs", 44.0), ("distance", 31.0)];
/// Cells around and along: 2 · 100 · 100 = 20,000 and 2 · 140 · 350 = 98,000 triangles.
const MOVING: Torus = Torus { bend: 0.68, radius: 0.12, wrinkles: 0.02, around: 100, along: 100 };
const RESTING: Torus = Torus { bend: 2.0, radius: 0.4, wrinkles: 0.05, around: 140, along: 350 };
/// Steps of the whole path along the large torus.
const STEPS: u32 = 400;

/// Builds a torus with wrinkles, in the plane of x and y.
struct Torus {
    bend: f64,
    radius: f64,
    wrinkles: f64,
    around: u32,
    along: u32,
}

/// Measures both queries along the whole path.
pub fn measure(run: &Run) -> Outcome<Report> {
    let meshes = [MOVING.mesh()?, RESTING.mesh()?];
    let trees = [HullTree::new(&meshes[0]), HullTree::new(&meshes[1])];
    let title = format!("Microseconds per step, median of {} rounds", run.rounds);
    let columns = ["query", "steps", "us/step", "spread %", "per second", "touching", "pairs", "paper per second", "ours/paper"];
    let mut table = Table::new(title, &columns);
    let mut times = [Rounds::default(), Rounds::default()];
    let mut found = [(0, 0); 2];
    for round in 0..run.rounds {
        for k in turns(times.len(), round) {
            let (seconds, pairs) = steps(&trees, k == 1)?;
            times[k].push(seconds);
            found[k] = (pairs.iter().filter(|n| **n > 0).count(), pairs.iter().sum());
        }
    }
    for (k, (query, rate)) in PAPER.into_iter().enumerate() {
        let us = times[k].microseconds(STEPS as usize);
        table.row(vec![
            words(query),
            count(STEPS as usize),
            number(us, 1),
            number(times[k].spread(), 0),
            number(us.map(|us| 1e6 / us), 0),
            count(found[k].0),
            if k == 0 { count(found[k].1) } else { words("-") },
            number(Some(rate), 0),
            number(ratio(us.map(|us| 1e6 / us), Some(rate)), 0),
        ]);
    }
    Ok(Report::new("xavier-torus", "Section 3.1: \"Complex Torus\", 20K along 98K")
        .text(format!(
            "The models and motions of the University of North Carolina are not available: ours are two wrinkled tori of {} and {} \
             triangles. The small torus encloses the tube of the large one and moves once around it in {STEPS} steps, tumbling, so that \
             some steps are free and others in contact. The queries are all pairs of triangles in contact, and the certified distance. \
             `touching`: steps with a contact.",
            meshes[0].triangles().len(),
            meshes[1].triangles().len()
        ))
        .table(table))
}

/// Measures the seconds for all steps, and the pairs in contact in each; for distances, one if there is a contact.
fn steps(trees: &[HullTree; 2], distances: bool) -> Outcome<(f64, Vec<usize>)> {
    let session = &mut DistanceSession::new();
    let mut found = vec![0; STEPS as usize];
    let (moving, resting) = (&trees[0], &trees[1]);
    let (seconds, _) = pass(STEPS, |k| {
        let pose = place(k)?;
        let mut pairs = 0;
        if distances {
            let d = distance((moving, &pose), (resting, &Pose::IDENTITY), DistanceLimits::default(), session)?;
            pairs += usize::from(d.at_most <= 0.0);
        } else {
            let (a, b) = ((moving, &pose, Vec3::ZERO), (resting, &Pose::IDENTITY, Vec3::ZERO));
            pairs_within(a, b, Reading::Simultaneous, 0.0, session, |_| {
                pairs += 1;
                ControlFlow::Continue(())
            })?;
        }
        found[k as usize] = pairs;
        Ok(pairs)
    })?;
    Ok((seconds, found))
}

/// Returns the poses around the tube of the large torus, off its centre line and inclined in alternating directions.
fn place(k: u32) -> Outcome<Pose> {
    let along = TAU * f64::from(k) / f64::from(STEPS);
    let ((s, c), (sway, lean)) = (sin_cos(along), sin_cos(5.0 * along));
    let out = RESTING.bend + 0.16 * sway;
    // Its plane contains the radius and the vertical; yaw follows the path.
    Ok(Pose::from_rpy(Vec3::new(c * out, s * out, 0.05 * lean), Vec3::new(0.25 * TAU, 0.2 * sway, along))?)
}

impl Torus {
    fn mesh(&self) -> Outcome<Mesh> {
        let (n, m) = (self.along, self.around);
        let point = |i: u32, j: u32| {
            let (u, v) = (TAU * f64::from(i) / f64::from(n), TAU * f64::from(j) / f64::from(m));
            let ((su, cu), (sv, cv)) = (sin_cos(u), sin_cos(v));
            let wrinkle = self.wrinkles * sin_cos(11.0 * u + 3.0 * v).0 * sin_cos(7.0 * v - 5.0 * u).1;
            let r = self.radius + wrinkle;
            Vec3::new((self.bend + r * cv) * cu, (self.bend + r * cv) * su, r * sv)
        };
        let vertices = (0..n).flat_map(|i| (0..m).map(move |j| (i, j))).map(|(i, j)| point(i, j)).collect();
        let at = |i: u32, j: u32| (i % n) * m + j % m;
        let cell = |(i, j): (u32, u32)| {
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            [[a, b, c], [a, c, d]]
        };
        let triangles = (0..n).flat_map(|i| (0..m).map(move |j| (i, j))).flat_map(cell).collect();
        Ok(Mesh::new(vertices, triangles)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sizes are those of the paper, and the path has free steps and contacts.
    #[test]
    fn the_small_torus_touches_now_and_then() {
        let meshes = [MOVING, RESTING].map(|t| t.mesh().expect("a torus"));
        assert_eq!(meshes.each_ref().map(|m| m.triangles().len()), [20_000, 98_000]);
        let trees = meshes.each_ref().map(HullTree::new);
        let found = steps(&trees, true).expect("good poses").1;
        let touching: usize = found.iter().sum();
        assert!((20..380).contains(&touching), "{touching} of {STEPS} steps touch");
    }
}
