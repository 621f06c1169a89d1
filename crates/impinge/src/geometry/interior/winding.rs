//! The winding number of the closed components of a surface around a point, exactly.
//!
//! A ray in the direction of x crosses the surface; the sum of the signs of its crossings is the winding number, which is not zero inside.
//! Whether the ray meets a triangle is a matter of exact orientations in the plane across x. Where the ray meets an edge or a corner, the
//! point is moved by (e, e^2) for an infinitesimal e, so that every shared edge is crossed on one side only.

use crate::bvh::{RestingItem, RestingTree};
use crate::geometry::Mesh;
use crate::geometry::bounding::aabb::Aabb;
use crate::math::Vec3;
use crate::math::orient::{Plane, turn};

/// The winding number around a point that is farther from the surface than rounding; in the mesh's frame.
pub(crate) fn winding(mesh: &Mesh, p: Vec3) -> i32 {
    let ray = RayCount::new(mesh, p, 0.0);
    ray.triangles.iter().map(|&id| ray.crossing(id)).sum()
}

/// The ray from a point, or from a ball around it, in the direction of x.
pub(crate) struct RayCount<'a> {
    tree: &'a RestingTree,
    reversed: Option<&'a [bool]>,
    /// Relative to the origin of the tree.
    from: Vec3,
    /// Every triangle of the closed components that may be met, each once.
    pub triangles: Vec<u32>,
}

impl<'a> RayCount<'a> {
    pub fn new(mesh: &'a Mesh, p: Vec3, radius: f64) -> Self {
        let tree = mesh.resting_tree();
        let from = p - tree.origin;
        let mut ray = Aabb::of([from]).grown(radius);
        ray.hi.x = tree.bounds.hi.x.max(ray.hi.x);
        let mut triangles = Vec::new();
        tree.near(ray, |id| triangles.push(id));
        // A large triangle may come several times.
        triangles.sort_unstable();
        triangles.dedup();
        if let Some(counted) = &mesh.shells().counted {
            triangles.retain(|&id| counted[id as usize]);
        }
        RayCount { tree, reversed: mesh.reversed(), from, triangles }
    }

    /// The corners of a triangle, relative to the origin of the tree; that of a mesh has nothing else.
    pub fn corners(&self, id: u32) -> &'a [Vec3; 3] {
        match self.tree.item(id) {
            RestingItem::Triangle(corners) => corners,
            RestingItem::Solid(_) => &[Vec3::ZERO; 3],
        }
    }

    /// The sign with which a triangle is crossed.
    pub fn crossing(&self, id: u32) -> i32 {
        let sign = crossing(self.from, self.corners(id));
        if self.reversed.is_some_and(|reversed| reversed[id as usize]) { -sign } else { sign }
    }
}

/// The sign with which the ray from `p` in the direction of x crosses a triangle; 0 if it does not.
pub(crate) fn crossing(p: Vec3, corners: &[Vec3; 3]) -> i32 {
    let [a, b, c] = *corners;
    let sign = side_of_edge(p, a, b);
    if sign == 0 || side_of_edge(p, b, c) != sign || side_of_edge(p, c, a) != sign {
        return 0;
    }
    // The normal's x has the sign of the turn; the plane is ahead where the point is on the other side of it.
    if Plane::new(*corners).side(p) * sign < 0 { sign } else { 0 }
}

/// On which side of an edge the point lies, seen along x and moved by (e, e^2): 0 only for an edge along x.
fn side_of_edge(p: Vec3, a: Vec3, b: Vec3) -> i32 {
    let sign = |x: f64| i32::from(x > 0.0) - i32::from(x < 0.0);
    match turn([a, b, p], 0) {
        0 if b.z != a.z => sign(a.z - b.z),
        0 => sign(b.y - a.y),
        turn => turn,
    }
}
