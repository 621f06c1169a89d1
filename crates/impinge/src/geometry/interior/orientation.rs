//! Components of a closed mesh that are inside out.
//!
//! ```text
//!   +----->-----+        A reversed component inside of another is a cavity, and stays one.
//!   |  +--<--+  |        One that is inside of nothing was exported with its faces turned around: where it overlaps others, winding
//!   |  +-----+  |        numbers would cancel, and the overlap would count as outside. It is counted as if its faces were turned back.
//!   +-----------+
//! ```

use std::collections::{BTreeMap, BTreeSet};

use crate::geometry::bounding::aabb::Aabb;
use crate::math::Vec3;

/// What a component encloses, roughly.
pub(crate) struct Extent {
    pub bounds: Aabb,
    /// Six times the signed volume, rounded.
    pub volume: f64,
}

impl Extent {
    /// Adds a triangle; `about` is the same point for all of them.
    pub fn add(&mut self, corners: [Vec3; 3], about: Vec3) {
        self.bounds = self.bounds.union(Aabb::of(corners));
        self.volume += six_volumes(corners, about);
    }

    /// Whether the volume is clearly not zero.
    pub fn is_bulky(&self) -> bool {
        let size = self.bounds.size();
        self.volume.abs() > 1e-3 * size.x * size.y * size.z
    }
}

/// Which of the closed components are counted the other way round; `None` where none is.
pub(crate) fn outwards(mut components: BTreeMap<u32, Extent>) -> Option<BTreeSet<u32>> {
    let proper: Vec<Aabb> = components.values().filter(|c| c.volume > 0.0).map(|c| c.bounds).collect();
    let within = |inner: &Aabb| proper.iter().any(|outer| outer.contains(inner.lo) && outer.contains(inner.hi));
    // Where all are inside out, none cancels another.
    if proper.is_empty() {
        return None;
    }
    components.retain(|_, c| c.volume < 0.0 && !within(&c.bounds));
    (!components.is_empty()).then(|| components.into_keys().collect())
}

/// Six times the signed volume of a tetrahedron from a triangle to a point.
fn six_volumes(corners: [Vec3; 3], about: Vec3) -> f64 {
    let [a, b, c] = corners.map(|p| p - about);
    a.dot(b.cross(c))
}
