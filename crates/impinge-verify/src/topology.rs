//! Which meshes enclose something, and which of their triangles are connected: corners are compared by position, nothing is computed.

use std::collections::HashMap;

/// How the triangles of a mesh are connected.
#[derive(Debug, PartialEq)]
pub struct Topology {
    /// Whether the surface is closed and consistently oriented: every edge is passed as often in one direction as in the other.
    pub closed: bool,
    /// One triangle of each connected component. Triangles that share a corner are connected.
    pub components: Vec<usize>,
}

impl Topology {
    /// Of triples of coordinates and triples of vertices.
    pub fn of(vertices: &[f64], triangles: &[usize]) -> Self {
        let place_of = places(vertices);
        let corners: Vec<[usize; 3]> = triangles.chunks_exact(3).map(|t| [t[0], t[1], t[2]].map(|v| place_of[v])).collect();
        Topology { closed: is_closed(&corners), components: components(&corners, place_of.len()) }
    }
}

/// For every vertex the first one at the same position. Zeros are equal whatever their sign.
fn places(vertices: &[f64]) -> Vec<usize> {
    let mut first_at = HashMap::new();
    let position = |v: &[f64]| [v[0], v[1], v[2]].map(|c| (c + 0.0).to_bits());
    vertices.chunks_exact(3).enumerate().map(|(i, v)| *first_at.entry(position(v)).or_insert(i)).collect()
}

fn is_closed(corners: &[[usize; 3]]) -> bool {
    let mut balance: HashMap<(usize, usize), i64> = HashMap::new();
    for &[a, b, c] in corners {
        // An edge without length bounds nothing.
        for (from, to) in [(a, b), (b, c), (c, a)].into_iter().filter(|(from, to)| from != to) {
            *balance.entry((from.min(to), from.max(to))).or_default() += if from < to { 1 } else { -1 };
        }
    }
    balance.values().all(|&n| n == 0)
}

fn components(corners: &[[usize; 3]], places: usize) -> Vec<usize> {
    let mut above: Vec<usize> = (0..places).collect();
    for &[a, b, c] in corners {
        for (x, y) in [(a, b), (a, c)] {
            let (x, y) = (top(&mut above, x), top(&mut above, y));
            above[x.max(y)] = x.min(y);
        }
    }
    let mut seen = vec![false; places];
    (0..corners.len()).filter(|&i| !std::mem::replace(&mut seen[top(&mut above, corners[i][0])], true)).collect()
}

/// The place that stands for everything connected to `i`. Paths are shortened on the way.
fn top(above: &mut [usize], mut i: usize) -> usize {
    while above[i] != i {
        above[i] = above[above[i]];
        i = above[i];
    }
    i
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tetrahedron at x; its triangles refer to vertices from `first`.
    fn tetrahedron(x: f64, first: usize) -> (Vec<f64>, Vec<usize>) {
        let vertices = vec![x, 0.0, 0.0, x + 1.0, 0.0, 0.0, x, 1.0, 0.0, x, 0.0, 1.0];
        (vertices, [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3].map(|v| v + first).to_vec())
    }

    #[test]
    fn closed_surfaces_are_recognised_by_position() {
        let (v, t) = tetrahedron(0.0, 0);
        assert!(Topology::of(&v, &t).closed);
        assert!(!Topology::of(&v, &t[..9]).closed, "a triangle is missing");
        let reversed = [&t[..9], &[1, 3, 2]].concat();
        assert!(!Topology::of(&v, &reversed).closed, "a triangle is turned over");
        // Every triangle with corners of its own; some zeros are negative.
        let own: Vec<f64> = t.iter().flat_map(|&i| v[3 * i..3 * i + 3].to_vec()).collect();
        let signed = own.iter().enumerate().map(|(i, &c)| if c == 0.0 && i % 2 == 0 { -0.0 } else { c }).collect::<Vec<_>>();
        let topology = Topology::of(&signed, &(0..12).collect::<Vec<_>>());
        assert_eq!(topology, Topology { closed: true, components: vec![0] });
        // Almost the same position is another one.
        let mut torn = own;
        torn[3] += 1e-16 + f64::EPSILON;
        assert!(!Topology::of(&torn, &(0..12).collect::<Vec<_>>()).closed);
        assert!(Topology::of(&v, &[&t[..], &[1, 1, 2]].concat()).closed, "a triangle without area passes an edge both ways");
    }

    #[test]
    fn components_share_corners() {
        let ((v, t), (w, u), (x, s)) = (tetrahedron(0.0, 0), tetrahedron(5.0, 4), tetrahedron(1.0, 8));
        let two = Topology::of(&[v.clone(), w.clone()].concat(), &[t.clone(), u.clone()].concat());
        assert_eq!(two, Topology { closed: true, components: vec![0, 4] });
        // The third touches the first with a corner.
        let three = Topology::of(&[v, w, x].concat(), &[t, u, s].concat());
        assert_eq!(three.components, vec![0, 4]);
    }
}
