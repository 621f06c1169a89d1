//! One point of each connected component of a mesh.
//!
//! Two surfaces that do not touch are nested or apart component by component, so one point of each decides.

use std::collections::{BTreeSet, HashMap};

use crate::bvh::RestingTree;
use crate::geometry::Mesh;
use crate::geometry::bounding::aabb::Aabb;
use crate::math::Vec3;
use crate::math::rounding::U;

/// Meshes of more components than this have a tree over their points.
const MANY: usize = 8;

/// One point of each component, in the frame of the mesh.
#[derive(Debug)]
pub(crate) struct Components {
    points: Vec<Vec3>,
    /// Over the points, as triangles of no size; `None` where they are few.
    tree: Option<RestingTree>,
}

impl Components {
    pub fn of_point(point: Vec3) -> Self {
        Components { points: vec![point], tree: None }
    }

    pub fn of_mesh(mesh: &Mesh) -> Self {
        let points = component_points(mesh);
        let tree = (points.len() > MANY).then(|| {
            let origin = Aabb::of(points.iter().copied()).center();
            RestingTree::new(origin, points.iter().map(|&p| [p - origin; 3]).collect(), Vec::new())
        });
        Components { points, tree }
    }

    /// Visits at least the points within `radius` of `center`, in a fixed order.
    pub fn near(&self, center: Vec3, radius: f64) -> impl Iterator<Item = Vec3> {
        let mut ids = Vec::new();
        let all = match &self.tree {
            None => 0..self.points.len(),
            Some(tree) => {
                // Differences from the origin, of the points and of the center, are off by u of themselves each.
                let rounding = 4.0 * U * (tree.extent + (center - tree.origin).norm1());
                tree.near(Aabb::of([center - tree.origin]).grown(radius + rounding), |id| ids.push(id as usize));
                ids.sort_unstable();
                0..0
            }
        };
        all.chain(ids).map(|id| self.points[id])
    }
}

/// One vertex of each component, in the order of the triangles.
fn component_points(mesh: &Mesh) -> Vec<Vec3> {
    let mut seen = BTreeSet::new();
    let labels = component_labels(mesh).triangles.into_iter();
    labels.filter(|&label| seen.insert(label)).map(|label| mesh.vertices()[label as usize]).collect()
}

/// Vertices that stand for others.
pub(crate) struct Labels {
    /// For each vertex the first one in its place.
    pub places: Vec<u32>,
    /// For each triangle a vertex of its component, one for all of them.
    pub triangles: Vec<u32>,
}

/// Triangles that share a corner, by its position, are connected.
pub(crate) fn component_labels(mesh: &Mesh) -> Labels {
    let mut first_at: HashMap<[u64; 3], u32> = HashMap::new();
    let place = |v: &Vec3| v.to_array().map(|c| (c + 0.0).to_bits());
    let places: Vec<u32> = mesh.vertices().iter().zip(0u32..).map(|(v, i)| *first_at.entry(place(v)).or_insert(i)).collect();
    let mut root = places.clone();
    fn find(root: &mut [u32], mut i: u32) -> u32 {
        while root[i as usize] != i {
            root[i as usize] = root[root[i as usize] as usize];
            i = root[i as usize];
        }
        i
    }
    for t in mesh.triangles() {
        let (a, b, c) = (find(&mut root, t[0]), find(&mut root, t[1]), find(&mut root, t[2]));
        let low = a.min(b).min(c);
        for k in [a, b, c] {
            root[k as usize] = low;
        }
    }
    let triangles = mesh.triangles().iter().map(|t| find(&mut root, t[0])).collect();
    Labels { places, triangles }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Separate triangles: at least those points come that are within the radius, each once, in order.
        #[test]
        fn no_point_within_the_radius_is_left_out(
            corners in prop::collection::vec(prop::array::uniform3(-1.0f64..1.0), 1..60), center in prop::array::uniform3(-1.0f64..1.0),
            radius in 0.0f64..1.0, far in prop::array::uniform3(-1e9f64..1e9),
        ) {
            let far = Vec3::from(far);
            let vertices: Vec<Vec3> = corners.iter().flat_map(|&c| (0..3).map(move |k| Vec3::from(c) + Vec3::unit(k) * 1e-3 + far)).collect();
            let triangles = (0..corners.len() as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
            let mesh = Mesh::new(vertices, triangles).expect("valid");
            let components = Components::of_mesh(&mesh);
            let center = Vec3::from(center) + far;
            let near: Vec<Vec3> = components.near(center, radius).collect();
            let mut rest = near.iter();
            for p in components.points.iter().filter(|&&p| (p - center).norm() <= radius) {
                prop_assert!(rest.any(|n| n == p), "{:?}", p);
            }
            prop_assert!(near.len() <= components.points.len());
        }
    }
}
