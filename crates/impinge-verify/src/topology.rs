//! Closed components of a mesh, and connected triangles: corners are compared by position, without arithmetic.

use std::collections::{HashMap, HashSet};

/// The connectivity of the triangles of a mesh.
#[derive(Debug, PartialEq)]
pub struct Topology {
    /// The triangles of closed and consistently oriented components: every edge is traversed equally often in both directions.
    /// If this holds only when each triangle counts once, each is listed once.
    pub shell: Vec<usize>,
    /// One triangle of each connected component. Triangles that share a corner are connected.
    pub components: Vec<usize>,
}

impl Topology {
    /// Analyses a mesh, given as triples of coordinates and triples of vertices.
    pub fn of(vertices: &[f64], triangles: &[usize]) -> Self {
        let place_of = places(vertices);
        let corners: Vec<[usize; 3]> = triangles.chunks_exact(3).map(|t| [t[0], t[1], t[2]].map(|v| place_of[v])).collect();
        let mut above = connect(&corners, place_of.len());
        let labels: Vec<usize> = corners.iter().map(|t| top(&mut above, t[0])).collect();
        let mut seen = vec![false; place_of.len()];
        let components = (0..corners.len()).filter(|&i| !std::mem::replace(&mut seen[labels[i]], true)).collect();
        Topology { shell: shell(&corners, &labels), components }
    }
}

/// Returns the triangles of closed components.
fn shell(corners: &[[usize; 3]], labels: &[usize]) -> Vec<usize> {
    let all: Vec<usize> = (0..corners.len()).collect();
    let open = open(corners, labels, &all);
    let mut seen = HashSet::new();
    let once: Vec<usize> = all.into_iter().filter(|&i| !open.contains(&labels[i]) || seen.insert(turned(corners[i]))).collect();
    let still_open = self::open(corners, labels, &once);
    once.into_iter().filter(|&i| !still_open.contains(&labels[i])).collect()
}

/// Returns the components that have an edge which is not traversed equally often in both directions.
fn open(corners: &[[usize; 3]], labels: &[usize], which: &[usize]) -> HashSet<usize> {
    let mut balance: HashMap<(usize, usize), (i64, usize)> = HashMap::new();
    for &i in which {
        let [a, b, c] = corners[i];
        // An edge without length bounds nothing.
        for (from, to) in [(a, b), (b, c), (c, a)].into_iter().filter(|(from, to)| from != to) {
            balance.entry((from.min(to), from.max(to))).or_insert((0, labels[i])).0 += if from < to { 1 } else { -1 };
        }
    }
    balance.into_values().filter(|&(n, _)| n != 0).map(|(_, label)| label).collect()
}

/// Returns the same key for a triangle after a rotation of its corners, but not after a reversal.
fn turned([a, b, c]: [usize; 3]) -> [usize; 3] {
    [[a, b, c], [b, c, a], [c, a, b]].into_iter().min().unwrap_or([a, b, c])
}

/// Returns for every vertex the first vertex at the same position. Zeros of either sign are equal.
fn places(vertices: &[f64]) -> Vec<usize> {
    let mut first_at = HashMap::new();
    let position = |v: &[f64]| [v[0], v[1], v[2]].map(|c| (c + 0.0).to_bits());
    vertices.chunks_exact(3).enumerate().map(|(i, v)| *first_at.entry(position(v)).or_insert(i)).collect()
}

/// For every place, a place connected to it, or itself (union-find).
fn connect(corners: &[[usize; 3]], places: usize) -> Vec<usize> {
    let mut above: Vec<usize> = (0..places).collect();
    for &[a, b, c] in corners {
        for (x, y) in [(a, b), (a, c)] {
            let (x, y) = (top(&mut above, x), top(&mut above, y));
            above[x.max(y)] = x.min(y);
        }
    }
    above
}

/// Returns the representative of the component of `i`, and shortens the path to it.
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
        let closed = |v: &[f64], t: &[usize]| Topology::of(v, t).shell.len() == t.len() / 3;
        let none = |v: &[f64], t: &[usize]| Topology::of(v, t).shell.is_empty();
        assert!(closed(&v, &t));
        assert!(none(&v, &t[..9]), "a triangle is missing");
        let reversed = [&t[..9], &[1, 3, 2]].concat();
        assert!(none(&v, &reversed), "a triangle is turned over");
        // Every triangle has its own corners; some zeros are negative.
        let own: Vec<f64> = t.iter().flat_map(|&i| v[3 * i..3 * i + 3].to_vec()).collect();
        let signed = own.iter().enumerate().map(|(i, &c)| if c == 0.0 && i % 2 == 0 { -0.0 } else { c }).collect::<Vec<_>>();
        let topology = Topology::of(&signed, &(0..12).collect::<Vec<_>>());
        assert_eq!(topology, Topology { shell: vec![0, 1, 2, 3], components: vec![0] });
        // A position that differs in the last bit is different.
        let mut torn = own;
        torn[3] += 1e-16 + f64::EPSILON;
        assert!(none(&torn, &(0..12).collect::<Vec<_>>()));
        assert!(closed(&v, &[&t[..], &[1, 1, 2]].concat()), "a triangle without area passes an edge both ways");
    }

    /// A repeated triangle counts once, for any rotation of its corners; open components do not affect closed ones.
    #[test]
    fn closed_components_are_the_shell_whatever_else_there_is() {
        let ((v, t), (w, u)) = (tetrahedron(0.0, 0), tetrahedron(5.0, 4));
        let shell = |t: &[usize]| Topology::of(&[&v[..], &w].concat(), t).shell;
        assert_eq!(shell(&[&t[..], &[1, 0, 2]].concat()), [0, 1, 2, 3]);
        assert_eq!(shell(&[&t[..], &t].concat()).len(), 8);
        assert_eq!(shell(&[&t[..], &u[..3]].concat()), [0, 1, 2, 3]);
        assert_eq!(shell(&[&u[..3], &t, &t[..3], &u[..3]].concat()), [1, 2, 3, 4]);
        assert!(shell(&[&t[..], &[0, 1, 2]].concat()).is_empty(), "turned over");
    }

    #[test]
    fn components_share_corners() {
        let ((v, t), (w, u), (x, s)) = (tetrahedron(0.0, 0), tetrahedron(5.0, 4), tetrahedron(1.0, 8));
        let two = Topology::of(&[v.clone(), w.clone()].concat(), &[t.clone(), u.clone()].concat());
        assert_eq!(two, Topology { shell: (0..8).collect(), components: vec![0, 4] });
        // The third touches the first at a corner.
        let three = Topology::of(&[v, w, x].concat(), &[t, u, s].concat());
        assert_eq!(three.components, vec![0, 4]);
    }
}
