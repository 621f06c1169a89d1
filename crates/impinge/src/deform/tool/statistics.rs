//! First and second order statistics of points: their mean, and the axes along which they spread.   [Caby 2001, section 3.1]
//!
//! Axes are candidates: whatever they are, a volume is made by measuring along them.

use crate::math::{Mat3, Vec3};

/// Three axes along which points spread, at right angles to each other and of length one, both up to rounding.
pub(super) fn axes(points: &[Vec3]) -> [Vec3; 3] {
    let scale = 1.0 / points.len() as f64;
    let mean = points.iter().fold(Vec3::ZERO, |sum, &p| sum + p) * scale;
    let mut c = [0.0; 6];
    for &p in points {
        let d = p - mean;
        c = [c[0] + d.x * d.x, c[1] + d.y * d.y, c[2] + d.z * d.z, c[3] + d.x * d.y, c[4] + d.x * d.z, c[5] + d.y * d.z];
    }
    orthonormal(eigenvectors(c)).unwrap_or(Mat3::IDENTITY.columns)
}

/// Rotations of Jacobi's method: each sweep squares what is off the diagonal.
const SWEEPS: usize = 6;

/// Eigenvectors of the symmetric matrix with diagonal c0 c1 c2 and c3 = (0, 1), c4 = (0, 2), c5 = (1, 2).
fn eigenvectors(c: [f64; 6]) -> [Vec3; 3] {
    let mut m = [[c[0], c[3], c[4]], [c[3], c[1], c[5]], [c[4], c[5], c[2]]];
    let mut v = Mat3::IDENTITY.columns;
    let size = c[0] + c[1] + c[2];
    for _ in 0..SWEEPS {
        if !(m[0][1].abs() + m[0][2].abs() + m[1][2].abs() > 1e-12 * size) {
            break;
        }
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            if m[p][q] != 0.0 {
                rotate(&mut m, &mut v, p, q);
            }
        }
    }
    v
}

/// The rotation in the plane of p and q that makes their entry zero.
fn rotate(m: &mut [[f64; 3]; 3], v: &mut [Vec3; 3], p: usize, q: usize) {
    let theta = (m[q][q] - m[p][p]) / (2.0 * m[p][q]);
    let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
    let cos = 1.0 / (t * t + 1.0).sqrt();
    let sin = t * cos;
    let (r, off) = (3 - p - q, m[p][q]);
    m[p][p] -= t * off;
    m[q][q] += t * off;
    (m[p][q], m[q][p]) = (0.0, 0.0);
    let (a, b) = (m[r][p], m[r][q]);
    (m[r][p], m[r][q]) = (cos * a - sin * b, sin * a + cos * b);
    (m[p][r], m[q][r]) = (m[r][p], m[r][q]);
    (v[p], v[q]) = (v[p] * cos - v[q] * sin, v[p] * sin + v[q] * cos);
}

fn orthonormal([a, b, _]: [Vec3; 3]) -> Option<[Vec3; 3]> {
    let unit = |v: Vec3| Some(v * (1.0 / v.norm())).filter(|u| u.is_finite());
    let x = unit(a)?;
    let y = unit(b - x * x.dot(b))?;
    Some([x, y, x.cross(y)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn axes_are_orthonormal_and_uncorrelated(points in prop::collection::vec(prop::array::uniform3(-1.0f64..1.0), 1..60), thin in 0.0f64..1.0) {
            let points: Vec<Vec3> = points.iter().map(|p| Vec3::new(p[0] + p[1], p[1], p[2] * thin)).collect();
            let found = axes(&points);
            let mean = points.iter().fold(Vec3::ZERO, |s, &p| s + p) * (1.0 / points.len() as f64);
            for i in 0..3 {
                prop_assert!((found[i].norm() - 1.0).abs() < 1e-14);
                for j in 0..i {
                    prop_assert!(found[i].dot(found[j]).abs() < 1e-14);
                    let mixed: f64 = points.iter().map(|&p| (p - mean).dot(found[i]) * (p - mean).dot(found[j])).sum();
                    prop_assert!(mixed.abs() < 1e-9 * points.len() as f64, "{mixed}");
                }
            }
        }
    }

    #[test]
    fn points_of_any_size_have_axes() {
        for s in [0.0, 1e-300, 1e30, f64::NAN, f64::INFINITY] {
            let found = axes(&[Vec3::ZERO, Vec3::new(s, 0.0, 0.0), Vec3::new(0.0, s, s)]);
            assert!(found.iter().all(|a| (a.norm() - 1.0).abs() < 1e-12), "{s}");
        }
    }
}
