//! Axis-aligned boxes.

use crate::math::Vec3;

/// The closed box from `lo` to `hi`; empty when `lo > hi`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// Smallest corner.
    pub lo: Vec3,
    /// Largest corner.
    pub hi: Vec3,
}

impl Aabb {
    /// Contains nothing.
    pub const EMPTY: Aabb = Aabb { lo: Vec3::splat(f64::INFINITY), hi: Vec3::splat(f64::NEG_INFINITY) };

    /// The smallest box around points.
    pub fn of(points: impl IntoIterator<Item = Vec3>) -> Self {
        points.into_iter().fold(Aabb::EMPTY, |b, p| Aabb { lo: b.lo.min(p), hi: b.hi.max(p) })
    }

    /// The smallest box around both.
    pub fn union(self, o: Aabb) -> Self {
        Aabb { lo: self.lo.min(o.lo), hi: self.hi.max(o.hi) }
    }

    /// Grown by `r` on every side.
    pub fn grown(self, r: f64) -> Self {
        Aabb { lo: self.lo - Vec3::splat(r), hi: self.hi + Vec3::splat(r) }
    }

    /// The middle.
    pub fn center(self) -> Vec3 {
        (self.lo + self.hi) * 0.5
    }

    /// Full sides.
    pub fn size(self) -> Vec3 {
        self.hi - self.lo
    }

    /// Whether the closed boxes share no point; NaN keeps nothing apart.
    pub fn apart(self, o: Aabb) -> bool {
        (0..3).any(|i| self.lo[i] > o.hi[i] || o.lo[i] > self.hi[i])
    }

    /// Whether the point lies in the closed box.
    pub fn contains(self, p: Vec3) -> bool {
        (0..3).all(|i| self.lo[i] <= p[i] && p[i] <= self.hi[i])
    }
}
