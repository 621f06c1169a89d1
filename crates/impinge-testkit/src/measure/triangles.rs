//! Two triangles: their distance by all pairs of features, or their penetration depth.
//!
//! Zero-area triangles are segments and points.

use impinge::math::Vec3;

type Triangle = [Vec3; 3];

/// Returns the distance of two triangles; if an edge of one passes through the other, minus the depth.
pub fn triangle_gap(a: &Triangle, b: &Triangle) -> f64 {
    if pierces(a, b) || pierces(b, a) {
        return -depth(a, b);
    }
    let mut squared = f64::INFINITY;
    for p in a {
        squared = squared.min(to_triangle(*p, b));
    }
    for p in b {
        squared = squared.min(to_triangle(*p, a));
    }
    for (p, q) in edges(a) {
        for (r, s) in edges(b) {
            squared = squared.min(between_segments((p, q), (r, s)));
        }
    }
    squared.sqrt()
}

fn edges(t: &Triangle) -> [(Vec3, Vec3); 3] {
    [(t[0], t[1]), (t[1], t[2]), (t[2], t[0])]
}

/// Tests whether an edge of `a` properly crosses the interior of `b`: its ends on different sides, and the line on the same side of
/// all edges of `b`.
fn pierces(a: &Triangle, b: &Triangle) -> bool {
    // Zero if it could be rounding: a triangle without area is never crossed.
    let volume = |p: Vec3, q: Vec3, r: Vec3, s: Vec3| {
        let (u, v, w) = (q - p, r - p, s - p);
        let volume = u.cross(v).dot(w);
        if volume.abs() > 1e-14 * u.norm() * v.norm() * w.norm() { volume } else { 0.0 }
    };
    let side = a.map(|p| volume(b[0], b[1], b[2], p));
    (0..3).any(|i| {
        let j = (i + 1) % 3;
        if !(side[i] < 0.0 && side[j] > 0.0 || side[i] > 0.0 && side[j] < 0.0) {
            return false;
        }
        let around = [0, 1, 2].map(|k| volume(a[i], a[j], b[k], b[(k + 1) % 3]));
        around.iter().all(|&v| v > 0.0) || around.iter().all(|&v| v < 0.0)
    })
}

/// Returns the smallest translation that separates two overlapping triangles, over all candidate directions.
fn depth(a: &Triangle, b: &Triangle) -> f64 {
    let normal = |t: &Triangle| (t[1] - t[0]).cross(t[2] - t[0]);
    let mut best = f64::INFINITY;
    let mut along = |axis: Vec3| {
        let length = axis.norm();
        if length > 1e-12 {
            let span = |t: &Triangle| {
                let on = t.map(|p| axis.dot(p) / length);
                (on[0].min(on[1]).min(on[2]), on[0].max(on[1]).max(on[2]))
            };
            let ((a0, a1), (b0, b1)) = (span(a), span(b));
            best = best.min((a1 - b0).min(b1 - a0));
        }
    };
    along(normal(a));
    along(normal(b));
    for (p, q) in edges(a) {
        for (r, s) in edges(b) {
            along((q - p).cross(s - r));
        }
    }
    if best < f64::INFINITY { best.max(0.0) } else { 0.0 }
}

/// Returns the squared distance of a point to a triangle.
fn to_triangle(p: Vec3, t: &Triangle) -> f64 {
    let rim = edges(t).into_iter().map(|e| to_segment(p, e)).fold(f64::INFINITY, f64::min);
    let n = (t[1] - t[0]).cross(t[2] - t[0]);
    let area = n.norm_squared();
    let inside = area > 0.0 && edges(t).into_iter().all(|(q, r)| n.dot((r - q).cross(p - q)) >= 0.0);
    if !inside {
        return rim;
    }
    let height = n.dot(p - t[0]);
    // Nearly flat triangles have no reliable normal: the distance to the rim is accurate enough there, and never too small.
    rim.min(height * height / area)
}

/// Returns the squared distance of a point to a segment.
fn to_segment(p: Vec3, (q, r): (Vec3, Vec3)) -> f64 {
    let along = r - q;
    let length = along.norm_squared();
    let t = if length > 0.0 { ((p - q).dot(along) / length).clamp(0.0, 1.0) } else { 0.0 };
    (p - q - along * t).norm_squared()
}

/// Returns the squared distance of two segments: between their interiors if the lines are skew, otherwise at an end of one.
fn between_segments((p, q): (Vec3, Vec3), (r, s): (Vec3, Vec3)) -> f64 {
    let ends = [to_segment(p, (r, s)), to_segment(q, (r, s)), to_segment(r, (p, q)), to_segment(s, (p, q))];
    let best = ends.into_iter().fold(f64::INFINITY, f64::min);
    let (u, v, w) = (q - p, s - r, p - r);
    // Cross products detect parallel lines down to angles without effect; scalar products do not.
    let across = u.cross(v);
    let askew = across.norm_squared();
    if askew <= 1e-24 * u.norm_squared() * v.norm_squared() {
        return best;
    }
    let (on_u, on_v) = (-w.cross(v).dot(across) / askew, -w.cross(u).dot(across) / askew);
    if !((0.0..=1.0).contains(&on_u) && (0.0..=1.0).contains(&on_v)) {
        return best;
    }
    // The distance along both directions is better conditioned than the difference of two points.
    let height = across.dot(w);
    best.min(height * height / askew)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn v(x: f64, y: f64, z: f64) -> Vec3 {
        Vec3::new(x, y, z)
    }

    const FLAT: Triangle = [Vec3::new(0.0, 0.0, 0.0), Vec3::new(4.0, 0.0, 0.0), Vec3::new(0.0, 4.0, 0.0)];

    #[test]
    fn features_of_every_kind() {
        let near = |t: Triangle| (triangle_gap(&FLAT, &t), triangle_gap(&t, &FLAT));
        assert_eq!(near([v(1.0, 1.0, 3.0), v(1.0, 1.0, 5.0), v(2.0, 1.0, 5.0)]), (3.0, 3.0));
        assert_eq!(near([v(-2.0, -3.0, -1.0), v(-2.0, 5.0, -1.0), v(-9.0, 0.0, 2.0)]).0, 5f64.sqrt());
        // In one plane: apart, touching at a corner, inside.
        assert_eq!(near([v(5.0, 0.0, 0.0), v(9.0, 0.0, 0.0), v(9.0, 1.0, 0.0)]), (1.0, 1.0));
        assert_eq!(near([v(4.0, 0.0, 0.0), v(9.0, 0.0, 0.0), v(9.0, 1.0, 0.0)]), (0.0, 0.0));
        assert_eq!(near([v(0.5, 0.5, 0.0), v(1.0, 0.5, 0.0), v(0.5, 1.0, 0.0)]), (0.0, 0.0));
        // A point and a segment.
        assert_eq!(near([v(1.0, 1.0, 2.0); 3]), (2.0, 2.0));
        assert_eq!(near([v(1.0, 1.0, -2.0), v(1.0, 1.0, 2.0), v(1.0, 1.0, 1.0)]).0, -1.0);
    }

    /// Edges that cross at a tiny angle touch in the middle, far from any end.
    #[test]
    fn edges_that_are_nearly_parallel_cross() {
        for tilt in [1e-5, 1e-7, 1e-9] {
            let a = [v(-1.0, 0.0, 0.0), v(1.0, 0.0, 0.0), v(0.0, -1.0, -1.0)];
            let b = [v(-1.0, -tilt, 0.0), v(1.0, tilt, 0.0), v(0.0, 1.0, 1.0)];
            assert!(triangle_gap(&a, &b).abs() < 1e-15, "{tilt}: {:e}", triangle_gap(&a, &b));
        }
    }

    #[test]
    fn overlap_has_a_depth() {
        let spike = [v(1.0, 1.0, -0.25), v(1.0, 1.0, 3.0), v(1.5, 1.0, 3.0)];
        assert_eq!(triangle_gap(&FLAT, &spike), -0.25);
    }
}
