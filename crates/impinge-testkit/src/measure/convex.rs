//! Two convex shapes: the distance of Gilbert, Johnson and Keerthi (1988), between a lower bound and two computed points.
//!
//! The nearest point of a simplex is found by trying all its faces: slow, but simple.

use impinge::math::{Mat3, Vec3};

use super::Gap;

/// A convex core with a radius.
#[derive(Clone, Debug)]
pub enum Convex {
    /// The hull of points.
    Points {
        /// At least one.
        points: Vec<Vec3>,
        /// Radius around the hull.
        radius: f64,
    },
    /// A solid cylinder.
    Cylinder {
        /// Its centre.
        middle: Vec3,
        /// Its own axes; the third is its axis.
        turn: Mat3,
        /// Radius.
        radius: f64,
        /// Half of the length.
        half_length: f64,
    },
}

impl Convex {
    fn radius(&self) -> f64 {
        match self {
            Convex::Points { radius, .. } => *radius,
            Convex::Cylinder { .. } => 0.0,
        }
    }

    /// Returns the farthest point of the core along a direction.
    fn support(&self, d: Vec3) -> Vec3 {
        match self {
            Convex::Points { points, .. } => {
                let mut best = points[0];
                for &p in &points[1..] {
                    if p.dot(d) > best.dot(d) {
                        best = p;
                    }
                }
                best
            }
            Convex::Cylinder { middle, turn, radius, half_length } => {
                let local = turn.transpose_mul(d);
                let flat = (local.x * local.x + local.y * local.y).sqrt();
                let rim = if flat > 0.0 { radius / flat } else { 0.0 };
                let height = if local.z >= 0.0 { *half_length } else { -half_length };
                *middle + *turn * Vec3::new(local.x * rim, local.y * rim, height)
            }
        }
    }
}

/// The iteration limit; curved shapes need a few dozen iterations for twelve digits.
const ROUNDS: usize = 300;

/// Returns the gap between two convex shapes.
pub fn convex_gap(a: &Convex, b: &Convex) -> Gap {
    let radius = a.radius() + b.radius();
    let difference = |d: Vec3| a.support(d) - b.support(-d);
    let mut simplex = vec![difference(Vec3::unit(0))];
    let mut at_least = 0.0f64;
    let mut nearest = simplex[0];
    for _ in 0..ROUNDS {
        let distance = nearest.norm();
        let size = simplex.iter().fold(1e-3, |s: f64, p| s.max(p.norm()));
        if simplex.len() == 4 && distance <= 1e-15 * size {
            return Gap { at_least: f64::NEG_INFINITY, at_most: -(depth(&simplex) + radius) };
        }
        if distance <= 1e-15 * size {
            break;
        }
        let next = difference(-nearest);
        at_least = at_least.max(nearest.dot(next) / distance);
        if distance - at_least <= 1e-13 * size || simplex.contains(&next) {
            break;
        }
        simplex.push(next);
        let (kept, point) = nearest_face(&simplex);
        if point.norm() > distance {
            break;
        }
        (simplex, nearest) = (kept, point);
    }
    Gap { at_least, at_most: nearest.norm() }.shrunk(radius)
}

/// Returns the depth of the origin in a tetrahedron, a lower bound of its depth in the difference of the two shapes.
fn depth(tetrahedron: &[Vec3]) -> f64 {
    (0..4)
        .map(|skip| {
            let face: Vec<Vec3> = (0..4).filter(|&i| i != skip).map(|i| tetrahedron[i]).collect();
            let n = (face[1] - face[0]).cross(face[2] - face[0]);
            let length = n.norm();
            if length > 0.0 { (n.dot(face[0]) / length).abs() } else { 0.0 }
        })
        .fold(f64::INFINITY, f64::min)
}

/// Returns the face of a simplex that contains the point nearest to the origin, and that point.
fn nearest_face(simplex: &[Vec3]) -> (Vec<Vec3>, Vec3) {
    let mut best: Option<(Vec<Vec3>, Vec3)> = None;
    for chosen in 1..1usize << simplex.len() {
        // Rounding can keep all points of a flat tetrahedron: five points are not a simplex.
        if chosen.count_ones() > 4 {
            continue;
        }
        let face: Vec<Vec3> = (0..simplex.len()).filter(|i| chosen >> i & 1 == 1).map(|i| simplex[i]).collect();
        let Some(weights) = weights_of_nearest(&face) else { continue };
        if weights.iter().any(|&w| w < 0.0) {
            continue;
        }
        let point = face.iter().zip(&weights).fold(Vec3::ZERO, |sum, (&p, &w)| sum + p * w);
        if best.as_ref().is_none_or(|(_, b)| point.norm_squared() < b.norm_squared()) {
            best = Some((face, point));
        }
    }
    best.unwrap_or_else(|| (vec![simplex[0]], simplex[0]))
}

/// Returns the weights, with sum one, of the point nearest to the origin on the affine hull; `None` if the points are too degenerate.
fn weights_of_nearest(points: &[Vec3]) -> Option<Vec<f64>> {
    let n = points.len() - 1;
    let e: Vec<Vec3> = points[1..].iter().map(|&p| p - points[0]).collect();
    let mut rows = [[0.0; 4]; 3];
    for i in 0..n {
        for j in 0..n {
            rows[i][j] = e[i].dot(e[j]);
        }
        rows[i][3] = -e[i].dot(points[0]);
    }
    let solution = solve(&mut rows, n)?;
    let mut weights = vec![1.0 - solution[..n].iter().sum::<f64>()];
    weights.extend(&solution[..n]);
    Some(weights)
}

/// Solves n equations by elimination with pivots; column 3 is the right side.
fn solve(rows: &mut [[f64; 4]; 3], n: usize) -> Option<[f64; 3]> {
    let size = (0..n).fold(0.0f64, |s, i| s.max(rows[i][i]));
    for k in 0..n {
        let pivot = (k..n).max_by(|&i, &j| rows[i][k].abs().total_cmp(&rows[j][k].abs()))?;
        rows.swap(k, pivot);
        if rows[k][k].abs() <= 1e-15 * size {
            return None;
        }
        for i in k + 1..n {
            let factor = rows[i][k] / rows[k][k];
            for j in k..4 {
                rows[i][j] -= factor * rows[k][j];
            }
        }
    }
    let mut x = [0.0; 3];
    for k in (0..n).rev() {
        let known: f64 = (k + 1..n).map(|j| rows[k][j] * x[j]).sum();
        x[k] = (rows[k][3] - known) / rows[k][k];
    }
    Some(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ball(at: Vec3, radius: f64) -> Convex {
        Convex::Points { points: vec![at], radius }
    }

    fn near(gap: Gap, expected: f64) {
        assert!((gap.at_least - expected).abs() < 1e-10 && (gap.at_most - expected).abs() < 1e-10, "{gap:?} is not {expected}");
    }

    #[test]
    fn known_distances() {
        near(convex_gap(&ball(Vec3::ZERO, 1.0), &ball(Vec3::new(3.0, 4.0, 0.0), 1.5)), 2.5);
        near(convex_gap(&ball(Vec3::ZERO, 1.0), &ball(Vec3::new(0.5, 0.0, 0.0), 1.0)), -1.5);
        let disc = Convex::Cylinder { middle: Vec3::ZERO, turn: Mat3::IDENTITY, radius: 2.0, half_length: 1.0 };
        near(convex_gap(&disc, &ball(Vec3::new(3.0, 4.0, 0.5), 0.0)), 3.0);
        near(convex_gap(&disc, &ball(Vec3::new(1.0, 1.0, 4.0), 0.5)), 2.5);
        near(convex_gap(&disc, &ball(Vec3::new(3.0, 0.0, 2.0), 0.0)), 2f64.sqrt());
        let edge = Convex::Points { points: vec![Vec3::new(-9.0, 3.0, 2.0), Vec3::new(9.0, 3.0, 2.0)], radius: 0.0 };
        near(convex_gap(&disc, &edge), 2f64.sqrt());
    }

    #[test]
    fn overlap_is_shown_by_a_depth() {
        let disc = Convex::Cylinder { middle: Vec3::ZERO, turn: Mat3::IDENTITY, radius: 2.0, half_length: 1.0 };
        let triangle = vec![Vec3::new(-1.0, -1.0, 0.1), Vec3::new(5.0, -1.0, 0.2), Vec3::new(0.0, 5.0, 0.3)];
        let gap = convex_gap(&disc, &Convex::Points { points: triangle, radius: 0.0 });
        assert!(gap.at_most < -1e-3, "{gap:?}");
    }
}
