//! Which components of a mesh are closed, and so enclose something.
//!
//! ```text
//!   +-----+        A component is closed where every edge is passed as often one way as the other. How often a triangle is
//!   |     |  ---   there does not matter: where that spoils the balance, each counts once. Components that are open, or are
//!   +-----+        both sides of a sheet, stay surfaces; they take nothing from the others.
//! ```

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use crate::geometry::Mesh;
use crate::geometry::bounding::aabb::Aabb;
use crate::geometry::interior::components::component_labels;
use crate::geometry::interior::{Extent, outwards};

/// What a mesh encloses.
#[derive(Debug)]
pub(crate) struct Shells {
    /// Edges without a partner in the opposite direction.
    pub open_edges: usize,
    /// Whether any component is closed.
    pub enclose: bool,
    /// Which triangles winding numbers count; `None` where all do.
    pub counted: Option<Vec<bool>>,
    /// The triangles of components that are inside out, if there are any.
    pub reversed: Option<Vec<bool>>,
}

impl Shells {
    pub fn of_mesh(mesh: &Mesh) -> Self {
        let labels = component_labels(mesh);
        let corners: Vec<[u32; 3]> = mesh.triangles().iter().map(|t| t.map(|v| labels.places[v as usize])).collect();
        let labels = labels.triangles;
        let mut counted = vec![true; corners.len()];
        let mut open = open_labels(&corners, &labels, &counted).0;
        let mut open_edges = 0;
        if !open.is_empty() {
            let mut seen = HashSet::new();
            for (i, t) in corners.iter().enumerate() {
                counted[i] = !open.contains(&labels[i]) || seen.insert(from_least(*t));
            }
            (open, open_edges) = open_labels(&corners, &labels, &counted);
            for (counted, label) in counted.iter_mut().zip(&labels) {
                *counted &= !open.contains(label);
            }
        }
        let mut closed: BTreeMap<u32, Extent> = BTreeMap::new();
        for i in (0..corners.len()).filter(|&i| counted[i]) {
            let about = mesh.vertices()[labels[i] as usize];
            closed.entry(labels[i]).or_insert(Extent { bounds: Aabb::EMPTY, volume: 0.0 }).add(mesh.corners(i), about);
        }
        let mut sheets: BTreeSet<u32> = closed.iter().filter(|(_, e)| !e.is_bulky()).map(|(&label, _)| label).collect();
        keep_two_sided(&mut sheets, &corners, &labels, &counted);
        closed.retain(|label, _| !sheets.contains(label));
        for (counted, label) in counted.iter_mut().zip(&labels) {
            *counted &= !sheets.contains(label);
        }
        let enclose = !closed.is_empty();
        let reversed = outwards(closed).map(|turned| labels.iter().map(|label| turned.contains(label)).collect());
        Shells { open_edges, enclose, counted: counted.contains(&false).then_some(counted), reversed }
    }
}

/// Components with edges that have no partner, and the number of these.
fn open_labels(corners: &[[u32; 3]], labels: &[u32], counted: &[bool]) -> (BTreeSet<u32>, usize) {
    let mut balance: HashMap<(u32, u32), (i64, u32)> = HashMap::new();
    for (i, t) in corners.iter().enumerate().filter(|&(i, _)| counted[i]) {
        for k in 0..3 {
            let (a, b) = (t[k], t[(k + 1) % 3]);
            if a != b {
                balance.entry((a.min(b), a.max(b))).or_insert((0, labels[i])).0 += if a < b { 1 } else { -1 };
            }
        }
    }
    balance.retain(|_, edge| edge.0 != 0);
    (balance.values().map(|edge| edge.1).collect(), balance.len())
}

/// The same corners the same way round, from the least one on.
fn from_least([a, b, c]: [u32; 3]) -> [u32; 3] {
    if a <= b && a <= c {
        [a, b, c]
    } else if b <= c {
        [b, c, a]
    } else {
        [c, a, b]
    }
}

/// Keeps the components whose triangles all occur as often one way round as the other: both sides of a sheet, which encloses nothing.
fn keep_two_sided(sheets: &mut BTreeSet<u32>, corners: &[[u32; 3]], labels: &[u32], counted: &[bool]) {
    if sheets.is_empty() {
        return;
    }
    let mut balance: HashMap<[u32; 3], (i64, u32)> = HashMap::new();
    for i in (0..corners.len()).filter(|&i| counted[i] && sheets.contains(&labels[i])) {
        let [a, b, c] = from_least(corners[i]);
        // Without three corners it bounds nothing, either way round.
        if a != b && b != c && a != c {
            balance.entry([a, b.min(c), b.max(c)]).or_insert((0, labels[i])).0 += if b < c { 1 } else { -1 };
        }
    }
    for (n, label) in balance.into_values() {
        if n != 0 {
            sheets.remove(&label);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Primitive;
    use crate::geometry::interior::{Side, winding};
    use crate::math::Vec3;

    fn side(mesh: &Mesh, p: Vec3) -> Side {
        if winding(mesh, p) == 0 { Side::Outside } else { Side::Inside }
    }

    fn with(cube: &Mesh, vertices: &[Vec3], triangles: &[[u32; 3]]) -> Mesh {
        let all = [cube.triangles(), triangles].concat();
        Mesh::new([cube.vertices(), vertices].concat(), all).expect("valid")
    }

    /// Repeated triangles, loose ones and open components take nothing from a closed one, and enclose nothing.
    #[test]
    fn closed_components_are_solid_whatever_is_beside_them() {
        let cube = Primitive::cuboid(Vec3::splat(2.0)).expect("a box").flat_surface().expect("flat");
        let loose = [Vec3::new(5.0, 0.0, 0.0), Vec3::new(5.0, 1.0, 0.0), Vec3::new(5.0, 0.0, 1.0)];
        let [a, b, c] = cube.triangles()[3];
        let n = cube.vertices().len() as u32;
        let inside = [Vec3::new(0.5, -0.2, -0.2), Vec3::new(0.5, 0.6, 0.0), Vec3::new(0.5, 0.0, 0.6)];
        for (mesh, open_edges) in [
            (with(&cube, &[], &[[a, b, c]]), 0),
            (with(&cube, &[], &[[b, c, a], [c, a, b]]), 0),
            (with(&cube, &loose, &[[n, n + 1, n + 2]]), 3),
            (with(&cube, &inside, &[[n, n + 1, n + 2], [n, n + 1, n + 2], [a, b, c]]), 3),
            (with(&cube, &loose, &[[n, n + 1, n + 2], [n, n + 2, n + 1]]), 0),
        ] {
            assert!(mesh.encloses() && mesh.is_closed() == (open_edges == 0));
            assert_eq!(mesh.open_edges(), open_edges);
            for p in [Vec3::ZERO, Vec3::new(-0.7, 0.3, 0.1), Vec3::new(0.9, 0.8, -0.7)] {
                assert_eq!(side(&mesh, p), Side::Inside, "{p:?}");
                assert_ne!(mesh.side_grid().side(p, 0.0), Side::Outside);
            }
            for p in [Vec3::new(-3.0, 0.2, 0.2), Vec3::new(4.0, 0.2, 0.2), Vec3::new(0.0, 1.5, 0.1)] {
                assert_eq!(side(&mesh, p), Side::Outside, "{p:?}");
            }
        }
        let open = with(&cube, &[], &[[a, c, b]]);
        assert!(!open.encloses() && !open.is_closed() && open.open_edges() > 0);
    }

    /// Inside out and repeated: counted once, the right way.
    #[test]
    fn a_repeated_triangle_of_a_component_inside_out_counts_once() {
        let cube = Primitive::cuboid(Vec3::splat(2.0)).expect("a box").flat_surface().expect("flat");
        let n = cube.vertices().len() as u32;
        let far: Vec<Vec3> = cube.vertices().iter().map(|&v| v + Vec3::splat(0.5)).collect();
        let mut turned: Vec<[u32; 3]> = cube.triangles().iter().map(|&[a, b, c]| [a + n, c + n, b + n]).collect();
        turned.push(turned[5]);
        let both = with(&cube, &far, &turned);
        assert!(both.is_closed() && both.encloses());
        for (p, expected) in [(-0.8, Side::Inside), (0.3, Side::Inside), (1.2, Side::Inside), (1.6, Side::Outside)] {
            assert_eq!(side(&both, Vec3::splat(p)), expected, "{p}");
        }
    }
}
