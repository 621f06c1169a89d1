//! Triangles of a hull that share a plane become one polygon, and vertices that are none are dropped.

use crate::geometry::hull::quickhull::{Facet, Quickhull};

/// The faces of a finished hull as polygons without straight corners; `points` is how many points there are.
///
/// A vertex of a polyhedron belongs to three faces or more; inside an edge it would belong to two, inside a face to one.
pub(crate) fn polygons(hull: &Quickhull<'_>, points: usize) -> Vec<Vec<u32>> {
    let group = groups(hull);
    let mut rims = rims(hull, &group);
    let mut faces_at = vec![0u32; points];
    rims.iter().flatten().for_each(|&i| faces_at[i as usize] += 1);
    for rim in &mut rims {
        rim.retain(|&i| faces_at[i as usize] >= 3);
    }
    rims
}

/// For each facet the lowest facet of its plane that can be reached without leaving the plane.
fn groups(hull: &Quickhull<'_>) -> Vec<u32> {
    const NONE: u32 = u32::MAX;
    let mut group = vec![NONE; hull.facets.len()];
    let mut open = Vec::new();
    for first in (0..hull.facets.len()).filter(|&f| hull.facets[f].alive) {
        if group[first] != NONE {
            continue;
        }
        group[first] = first as u32;
        open.push(first);
        while let Some(f) = open.pop() {
            for &g in &hull.facets[f].neighbours {
                let g = g as usize;
                if group[g] == NONE && hull.coplanar(&hull.facets[first], &hull.facets[g]) {
                    group[g] = first as u32;
                    open.push(g);
                }
            }
        }
    }
    group
}

/// The rim of each group of facets, counter-clockwise.
fn rims(hull: &Quickhull<'_>, group: &[u32]) -> Vec<Vec<u32>> {
    // Edges to other groups, by group and start: a group is convex, so each start occurs once.
    let mut edges: Vec<(u32, u32, u32)> = Vec::new();
    for (f, facet) in hull.facets.iter().enumerate().filter(|(_, f)| f.alive) {
        let outward = (0..3).filter(|&k| group[facet.neighbours[k] as usize] != group[f]);
        edges.extend(outward.map(|k| (group[f], facet.corners[k], facet.corners[(k + 1) % 3])));
    }
    edges.sort_unstable();
    edges.chunk_by(|a, b| a.0 == b.0).map(walk).collect()
}

/// Edges of one group, in the order in which they follow each other.
fn walk(edges: &[(u32, u32, u32)]) -> Vec<u32> {
    let mut rim = Vec::with_capacity(edges.len());
    let mut at = edges[0].1;
    for _ in 0..edges.len() {
        rim.push(at);
        at = edges.binary_search_by_key(&at, |e| e.1).map_or(at, |k| edges[k].2);
    }
    rim
}

impl Quickhull<'_> {
    /// Whether two facets of a finished hull lie in one plane.
    fn coplanar(&self, f: &Facet, g: &Facet) -> bool {
        g.corners.iter().all(|&i| f.plane.side(self.point(i)) == 0)
    }
}
