//! Convex polygons in space.

use crate::math::Vec3;

/// The part of a convex polygon with `side * (x[axis] - at) <= 0`. Cut points are rounded a few times, but lie at `at` exactly.
pub(crate) fn clip(polygon: &[Vec3], axis: usize, at: f64, side: f64) -> Vec<Vec3> {
    let mut out = Vec::with_capacity(polygon.len() + 2);
    clip_by(polygon, |p| side * (p[axis] - at), |x| x[axis] = at, &mut out);
    out
}

/// The part of a convex polygon where a linear `height` is not positive, added to `out`. Cut points lie between the corners they are made
/// of, each coordinate rounded by at most 4 u of the larger; `correct` may put them right.
#[inline(always)]
pub(crate) fn clip_by(polygon: &[Vec3], height: impl Fn(Vec3) -> f64, correct: impl Fn(&mut Vec3), out: &mut Vec<Vec3>) {
    for (i, &p) in polygon.iter().enumerate() {
        let q = polygon[(i + 1) % polygon.len()];
        let (hp, hq) = (height(p), height(q));
        if hp <= 0.0 {
            out.push(p);
        }
        if (hp < 0.0 && hq > 0.0) || (hp > 0.0 && hq < 0.0) {
            let mut x = p + (q - p) * (hp / (hp - hq));
            correct(&mut x);
            out.push(x);
        }
    }
}

/// Area of a plane polygon.
pub(crate) fn area(polygon: &[Vec3]) -> f64 {
    polygon.windows(2).skip(1).map(|w| (w[0] - polygon[0]).cross(w[1] - polygon[0]).norm() * 0.5).sum()
}
