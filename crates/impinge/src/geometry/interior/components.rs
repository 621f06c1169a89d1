//! Points that stand for the connected parts of a mesh.
//!
//! Triangles that share a corner are a component. Components whose surfaces are proven to cross are a cluster: it is connected, so a surface
//! that touches none of it has all of it on one side, and one point decides on which. What lies inside of a closed component is no wider
//! than that, so wider clusters need no test.

use std::collections::{BTreeMap, HashMap};

use crate::bvh::RestingTree;
use crate::geometry::Mesh;
use crate::geometry::bounding::aabb::Aabb;
use crate::geometry::pierce::pierces;
use crate::math::Vec3;
use crate::math::orient::Plane;
use crate::math::rounding::{INFLATE, U};

/// Meshes of more clusters than this have a tree over their points.
const MANY: usize = 8;
/// Meshes of more components than this are not searched for crossings: it would take long, and they hardly become few.
const MOST_SEARCHED: usize = 1 << 8;
/// Widths are compared with this factor to spare: it covers the rounding of sizes, and of rotations that are nearly rotations.
const SPARE: f64 = 0.99;

/// The connected parts of a mesh, in its frame.
#[derive(Debug, Default)]
pub(crate) struct Components {
    /// One point of each component.
    points: Vec<Vec3>,
    clusters: Vec<Cluster>,
    /// Over the points of clusters, as triangles of no size; `None` where they are few.
    tree: Option<RestingTree>,
    /// At least the largest distance of two points of one component.
    largest: f64,
    /// The least width of a cluster.
    least: f64,
}

/// Components that are connected.
#[derive(Clone, Copy, Debug)]
struct Cluster {
    point: Vec3,
    /// At most the largest distance of two of its points.
    width: f64,
}

impl Components {
    /// Of a primitive with this half extent: its middle.
    pub fn of_convex(half: Vec3) -> Self {
        let (point, width, largest) = (Vec3::ZERO, SPARE * 2.0 * half.max_abs(), 2.0 * half.norm() * INFLATE);
        Components { points: vec![point], clusters: vec![Cluster { point, width }], tree: None, largest, least: width }
    }

    pub fn of_mesh(mesh: &Mesh) -> Self {
        let components = Component::all(mesh);
        let clusters = clusters(mesh, &components);
        let tree = (clusters.len() > MANY).then(|| {
            let origin = Aabb::of(clusters.iter().map(|c| c.point)).center();
            RestingTree::new(origin, clusters.iter().map(|c| [c.point - origin; 3]).collect(), Vec::new())
        });
        let largest = components.iter().map(|c| c.bounds.size().norm()).fold(0.0, f64::max) + 4.0 * mesh.error();
        let least = clusters.iter().map(|c| c.width).fold(f64::INFINITY, f64::min);
        Components { points: components.iter().map(|c| c.point).collect(), clusters, tree, largest, least }
    }

    /// One point of each component, in the order of the triangles.
    pub fn points(&self) -> &[Vec3] {
        &self.points
    }

    /// Tests whether a cluster may lie wholly inside a component of a closed mesh: whether it is narrow enough.
    pub fn may_be_in(&self, outer: &Components) -> bool {
        self.least <= outer.largest
    }

    /// Visits the points of clusters, in a fixed order: at least those within `radius` of `center` whose cluster may lie wholly inside of a
    /// component of a closed mesh.
    pub fn near(&self, center: Vec3, radius: f64, outer: &Components) -> impl Iterator<Item = Vec3> {
        let mut ids = Vec::new();
        let all = match &self.tree {
            None => 0..self.clusters.len(),
            Some(tree) => {
                // Differences from the origin, of the points and of the center, are off by u of themselves each.
                let rounding = 4.0 * U * (tree.extent + (center - tree.origin).norm1());
                tree.near(Aabb::of([center - tree.origin]).grown(radius + rounding), |id| ids.push(id as usize));
                ids.sort_unstable();
                0..0
            }
        };
        let largest = outer.largest;
        all.chain(ids).map(|id| self.clusters[id]).filter(move |c| c.width <= largest).map(|c| c.point)
    }
}

/// Triangles that are connected by shared corners.
struct Component {
    /// A vertex of it.
    point: Vec3,
    bounds: Aabb,
    triangles: Vec<u32>,
}

impl Component {
    /// Those of a mesh, in the order of their first triangles.
    fn all(mesh: &Mesh) -> Vec<Component> {
        let mut found: Vec<Component> = Vec::new();
        let mut number: HashMap<u32, usize> = HashMap::new();
        for (i, label) in component_labels(mesh).triangles.into_iter().enumerate() {
            let at = *number.entry(label).or_insert_with(|| {
                found.push(Component { point: mesh.vertices()[label as usize], bounds: Aabb::EMPTY, triangles: Vec::new() });
                found.len() - 1
            });
            found[at].bounds = found[at].bounds.union(Aabb::of(mesh.corners(i)));
            found[at].triangles.push(i as u32);
        }
        found
    }
}

/// Components joined where triangles of them are proven to cross, wherever the vertices are within their error.
fn clusters(mesh: &Mesh, components: &[Component]) -> Vec<Cluster> {
    let mut root: Vec<u32> = (0..components.len() as u32).collect();
    if (2..=MOST_SEARCHED).contains(&components.len()) {
        join_crossing(mesh, components, &mut root);
    }
    let mut bounds: BTreeMap<u32, Aabb> = BTreeMap::new();
    for (i, component) in components.iter().enumerate() {
        let b = bounds.entry(find(&mut root, i as u32)).or_insert(Aabb::EMPTY);
        *b = b.union(component.bounds);
    }
    let width = |b: &Aabb| SPARE * b.size().max_abs() - 2.0 * mesh.error();
    bounds.iter().map(|(&first, b)| Cluster { point: components[first as usize].point, width: width(b) }).collect()
}

fn join_crossing(mesh: &Mesh, components: &[Component], root: &mut [u32]) {
    let mut of = vec![0u32; mesh.triangles().len()];
    for (component, at) in components.iter().zip(0u32..) {
        component.triangles.iter().for_each(|&i| of[i as usize] = at);
    }
    let tree = mesh.resting_tree();
    let mut left = components.len();
    for (component, at) in components.iter().zip(0u32..) {
        let others = || components.iter().enumerate().filter(|&(other, _)| other as u32 != at).map(|(_, other)| other.bounds);
        for &i in &component.triangles {
            let corners = mesh.corners(i as usize);
            let around = Aabb::of(corners);
            if others().all(|bounds| bounds.apart(around)) {
                continue;
            }
            tree.near(Aabb::of(corners.map(|c| c - tree.origin)), |k| {
                let (a, b) = (find(root, at), find(root, of[k as usize]));
                if a != b {
                    let other = mesh.corners(k as usize);
                    if crosses(&corners, &other, mesh.error()) || crosses(&other, &corners, mesh.error()) {
                        root[a.max(b) as usize] = a.min(b);
                        left -= 1;
                    }
                }
            });
            if left == 1 {
                return;
            }
        }
    }
}

/// Tests whether a side of one triangle provably meets the other: exactly, if vertices are where they are given. Sides in the plane of the other
/// triangle prove nothing.
fn crosses(a: &[Vec3; 3], b: &[Vec3; 3], error: f64) -> bool {
    if error > 0.0 {
        return pierces(a, b, error);
    }
    let plane = Plane::new(*b);
    let sides = a.map(|p| plane.side(p));
    (0..3).map(|k| (k, (k + 1) % 3)).filter(|&(k, l)| sides[k] * sides[l] <= 0).any(|(k, l)| {
        let around: [i32; 3] = std::array::from_fn(|i| Plane::new([a[k], a[l], b[i]]).side(b[(i + 1) % 3]));
        let is_one_way = around.iter().all(|&way| way >= 0) || around.iter().all(|&way| way <= 0);
        // Where all are zero, the side lies in the plane, or the triangle on a line.
        is_one_way && around != [0; 3]
    })
}

/// The least number of those joined with `i`.
fn find(root: &mut [u32], mut i: u32) -> u32 {
    while root[i as usize] != i {
        root[i as usize] = root[root[i as usize] as usize];
        i = root[i as usize];
    }
    i
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
    use crate::geometry::Primitive;
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
            let near: Vec<Vec3> = components.near(center, radius, &components).collect();
            let mut rest = near.iter();
            for c in components.clusters.iter().filter(|c| (c.point - center).norm() <= radius) {
                prop_assert!(rest.any(|&n| n == c.point), "{:?}", c);
            }
            prop_assert!(near.len() <= components.points.len());
        }

        /// Of two shells that may cross, be nested or be apart: one cluster only where the surfaces meet, and always where they cross deeply.
        #[test]
        fn shells_are_joined_where_they_cross(middle in prop::array::uniform3(-3.0f64..3.0), half in prop::array::uniform3(0.1f64..3.0)) {
            let (middle, half) = (Vec3::from(middle), Vec3::from(half));
            let box_at = |half: Vec3, middle: Vec3| {
                let flat = Primitive::cuboid(half * 2.0).expect("a box").flat_surface().expect("flat");
                (flat.vertices().iter().map(|&v| v + middle).collect::<Vec<_>>(), flat.triangles().to_vec())
            };
            let (a, b) = (box_at(Vec3::splat(1.0), Vec3::ZERO), box_at(half, middle));
            let shifted = b.1.iter().map(|t| t.map(|i| i + a.0.len() as u32));
            let mesh = Mesh::new([a.0.clone(), b.0].concat(), a.1.iter().copied().chain(shifted).collect()).expect("valid");
            let components = Components::of_mesh(&mesh.within(1e-9).expect("small"));
            prop_assert_eq!(components.points().len(), 2);
            let gap = (0..3).map(|k| middle[k].abs() - half[k] - 1.0).fold(f64::NEG_INFINITY, f64::max);
            let inside = |outer: Vec3, inner: Vec3| (0..3).map(|k| outer[k] - inner[k] - middle[k].abs()).fold(f64::INFINITY, f64::min);
            let clear = gap.max(inside(Vec3::splat(1.0), half)).max(inside(half, Vec3::splat(1.0)));
            if clear > 0.0 {
                prop_assert_eq!(components.clusters.len(), 2);
            } else if clear < -0.01 {
                prop_assert_eq!(components.clusters.len(), 1);
                let both = Aabb { lo: -half + middle, hi: half + middle }.union(Aabb { lo: Vec3::splat(-1.0), hi: Vec3::splat(1.0) });
                prop_assert!(components.clusters[0].width <= both.size().max_abs());
            }
            prop_assert!(components.largest >= 2.0 * half.norm() && components.largest >= 12f64.sqrt());
        }
    }
}
