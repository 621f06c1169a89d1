//! Components of a closed mesh that are inside out.
//!
//! ```text
//!   +----->-----+        A reversed component inside of another is a cavity, and stays one.
//!   |  +--<--+  |        One that is inside of nothing was exported with its faces turned around: where it overlaps others, winding
//!   |  +-----+  |        numbers would cancel, and the overlap would count as outside. It is counted as if its faces were turned back.
//!   +-----------+
//! ```

use std::collections::BTreeMap;

use crate::geometry::Mesh;
use crate::geometry::bounding::aabb::Aabb;
use crate::geometry::interior::components::component_labels;
use crate::math::Vec3;

/// What a component encloses, roughly.
struct Extent {
    bounds: Aabb,
    /// Six times the signed volume, rounded.
    volume: f64,
}

/// Which triangles are counted the other way round; `None` where none is.
pub(crate) fn reversed(mesh: &Mesh) -> Option<Vec<bool>> {
    let labels = component_labels(mesh).triangles;
    let mut components: BTreeMap<u32, Extent> = BTreeMap::new();
    for (i, &label) in labels.iter().enumerate() {
        let (corners, about) = (mesh.corners(i), mesh.vertices()[label as usize]);
        let extent = components.entry(label).or_insert(Extent { bounds: Aabb::EMPTY, volume: 0.0 });
        extent.bounds = extent.bounds.union(Aabb::of(corners));
        extent.volume += six_volumes(corners, about);
    }
    let proper: Vec<Aabb> = components.values().filter(|c| c.volume > 0.0).map(|c| c.bounds).collect();
    let within = |inner: &Aabb| proper.iter().any(|outer| outer.contains(inner.lo) && outer.contains(inner.hi));
    // Where all are inside out, none cancels another.
    if proper.is_empty() {
        return None;
    }
    components.retain(|_, c| c.volume < 0.0 && !within(&c.bounds));
    (!components.is_empty()).then(|| labels.iter().map(|label| components.contains_key(label)).collect())
}

/// Six times the signed volume of a tetrahedron from a triangle to a point.
pub(crate) fn six_volumes(corners: [Vec3; 3], about: Vec3) -> f64 {
    let [a, b, c] = corners.map(|p| p - about);
    a.dot(b.cross(c))
}
