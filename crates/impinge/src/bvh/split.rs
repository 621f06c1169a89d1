//! Boxes of pieces: a large slanted triangle or primitive is cut, and each piece gets a box of its own.
//!
//! The pieces cover the item, so an item is missed by all its boxes only if it is missed altogether. Rods of a plant and boards of a shelf
//! are the reason: one box around a diagonal rod is almost all air.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use crate::bvh::resting::RestingSolid;
use crate::geometry::Primitive;
use crate::geometry::bounding::aabb::Aabb;
use crate::geometry::polygon::{area, clip};
use crate::math::Vec3;

/// An item is cut while the second-longest side of its box is above this share of the whole tree's longest side …
const SHARE: f64 = 0.007;
/// … and its box is mostly air: half the box's surface exceeds this multiple of the item's area. Compact triangles stay below 3.5.
const AIR: f64 = 6.0;

/// Box and item id of every piece; ids count triangles first, then solids.
pub(crate) fn pieces(triangles: &[[Vec3; 3]], solids: &[RestingSolid], bounds: Aabb) -> Vec<(Aabb, u32)> {
    let limit = SHARE * bounds.size().max_abs();
    // Rounding of cut points and rotated corners, a few units in the last place of the largest coordinate.
    let pad = 16.0 * f64::EPSILON * bounds.lo.max_abs().max(bounds.hi.max_abs());
    let mut out: Vec<(Aabb, u32)> = Vec::with_capacity(triangles.len() + triangles.len() / 4);
    let mut large = BinaryHeap::new();
    for (id, t) in triangles.iter().enumerate() {
        let piece = Piece::new(t.to_vec(), id as u32);
        if piece.waste > limit { large.push(piece) } else { out.push((piece.bounds, id as u32)) }
    }
    let budget = 2 * triangles.len() + 1024;
    while let Some(piece) = large.pop() {
        if piece.waste <= limit || out.len() + large.len() + 2 > budget {
            out.push((piece.bounds.grown(pad), piece.id));
            continue;
        }
        let axis = piece.bounds.size().longest_axis();
        let at = piece.bounds.center()[axis];
        for side in [1.0, -1.0] {
            large.push(Piece::new(clip(&piece.polygon, axis, at, side), piece.id));
        }
    }
    for (i, s) in solids.iter().enumerate() {
        let id = (triangles.len() + i) as u32;
        out.extend(solid_boxes(s, limit).into_iter().map(|b| (b.grown(pad), id)));
    }
    out
}

/// The box around everything, rotated solids included.
pub(crate) fn bounds(triangles: &[[Vec3; 3]], solids: &[RestingSolid]) -> Aabb {
    let all = Aabb::of(triangles.iter().flatten().copied());
    solids.iter().flat_map(|s| solid_boxes(s, f64::INFINITY)).fold(all, Aabb::union)
}

struct Piece {
    polygon: Vec<Vec3>,
    bounds: Aabb,
    /// The second-longest side of the box, if cutting the piece would help; else zero.
    waste: f64,
    id: u32,
}

impl Piece {
    fn new(polygon: Vec<Vec3>, id: u32) -> Self {
        let bounds = Aabb::of(polygon.iter().copied());
        let s = bounds.size();
        let smallest = s.x.min(s.y).min(s.z);
        let second_side = s.x + s.y + s.z - s.max_abs() - smallest;
        let airy = s.x * s.y + s.y * s.z + s.z * s.x > AIR * area(&polygon);
        let waste = if airy && !polygon.is_empty() { second_side } else { 0.0 };
        Piece { polygon, bounds, waste, id }
    }
}

// Largest first; ties by id so that the order never depends on anything else.
impl Ord for Piece {
    fn cmp(&self, o: &Self) -> Ordering {
        self.waste.total_cmp(&o.waste).then(o.id.cmp(&self.id))
    }
}
impl PartialOrd for Piece {
    fn partial_cmp(&self, o: &Self) -> Option<Ordering> {
        Some(self.cmp(o))
    }
}
impl PartialEq for Piece {
    fn eq(&self, o: &Self) -> bool {
        self.cmp(o) == Ordering::Equal
    }
}
impl Eq for Piece {}

/// Boxes that cover a solid. An upright box needs one; a slanted one, or a long cylinder, is cut across its sides.
fn solid_boxes(s: &RestingSolid, limit: f64) -> Vec<Aabb> {
    let half = s.primitive.half_extent();
    let slanted = s.pose.rotation.columns.iter().any(|c| c.max_abs() < c.norm1());
    let cuts = |k: usize| if slanted { ((half[k] / limit).ceil() as usize).clamp(1, 12) } else { 1 };
    let counts = match s.primitive {
        Primitive::Cuboid { .. } => [cuts(0), cuts(1), cuts(2)],
        Primitive::Sphere { .. } => [1, 1, 1],
        Primitive::Cylinder { .. } | Primitive::Capsule { .. } => [1, 1, cuts(2)],
    };
    let mut out = Vec::new();
    for i in 0..counts[0] {
        for j in 0..counts[1] {
            for k in 0..counts[2] {
                let cell = |axis: usize, n: usize| {
                    let step = 2.0 * half[axis] / counts[axis] as f64;
                    (-half[axis] + step * (n as f64 + 0.5), 0.5 * step)
                };
                let ((cx, hx), (cy, hy), (cz, hz)) = (cell(0, i), cell(1, j), cell(2, k));
                let center = s.pose.apply(Vec3::new(cx, cy, cz));
                let reach = s.pose.rotation.abs() * Vec3::new(hx, hy, hz);
                // Half sides and centre carry a few roundings each.
                let slack = Vec3::splat(16.0 * f64::EPSILON * (center.max_abs() + half.norm1()));
                out.push(Aabb { lo: center - reach - slack, hi: center + reach + slack });
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Pose;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn pieces_cover_every_point_of_a_triangle(
            corners in prop::array::uniform3(prop::array::uniform3(-1.0f64..1.0)), u in 0.0f64..1.0, v in 0.0f64..1.0,
        ) {
            let t = corners.map(Vec3::from);
            let list = pieces(&[t], &[], Aabb::of(t));
            let (u, v) = if u + v > 1.0 { (1.0 - u, 1.0 - v) } else { (u, v) };
            let p = t[0] + (t[1] - t[0]) * u + (t[2] - t[0]) * v;
            prop_assert!(list.iter().any(|(b, _)| b.grown(1e-14).contains(p)));
        }

        #[test]
        fn pieces_cover_every_point_of_a_slanted_board(rpy in prop::array::uniform3(-3.0f64..3.0), at in prop::array::uniform3(-1.0f64..1.0)) {
            let half = Vec3::new(0.7, 0.5, 0.02);
            let pose = Pose::from_rpy(Vec3::new(0.1, 0.2, 0.3), rpy.into()).expect("finite");
            let solid = RestingSolid { primitive: Primitive::Cuboid { half }, pose };
            let p = pose.apply(Vec3::new(half.x * at[0], half.y * at[1], half.z * at[2]));
            prop_assert!(solid_boxes(&solid, 0.05).iter().any(|b| b.contains(p)));
        }
    }
}
