//! Convex polygons in space.

use crate::math::Vec3;

/// The part of a convex polygon with `side * (x[axis] - at) <= 0`. Cut points are rounded a few times, but lie at `at` exactly.
pub(crate) fn clip(polygon: &[Vec3], axis: usize, at: f64, side: f64) -> Vec<Vec3> {
    let height = |p: Vec3| side * (p[axis] - at);
    let mut out = Vec::with_capacity(polygon.len() + 2);
    for (i, &p) in polygon.iter().enumerate() {
        let q = polygon[(i + 1) % polygon.len()];
        let (hp, hq) = (height(p), height(q));
        if hp <= 0.0 {
            out.push(p);
        }
        if (hp < 0.0 && hq > 0.0) || (hp > 0.0 && hq < 0.0) {
            let mut x = p + (q - p) * (hp / (hp - hq));
            x[axis] = at;
            out.push(x);
        }
    }
    out
}

/// Area of a plane polygon.
pub(crate) fn area(polygon: &[Vec3]) -> f64 {
    polygon.windows(2).skip(1).map(|w| (w[0] - polygon[0]).cross(w[1] - polygon[0]).norm() * 0.5).sum()
}
