//! The interior of a closed mesh, in plain `f64` by solid angles: independent of the verifier, which counts crossings of rays.

use std::collections::HashMap;

use impinge::math::Vec3;
use impinge_testkit::Solid;
use impinge_testkit::world::Soup;

/// The data of a shape for containment tests in both directions.
pub struct Enclosure {
    /// A point of each connected component.
    pub starts: Vec<Vec3>,
    /// The triangles of a closed mesh.
    walls: Vec<[Vec3; 3]>,
}

impl Enclosure {
    pub fn of(solid: &Solid) -> Self {
        let Solid::Mesh(soup) = solid else { return Enclosure { starts: vec![Vec3::ZERO], walls: Vec::new() } };
        let corners = corners(soup);
        let closed = is_closed(&corners);
        let walls = if closed { (0..soup.triangles.len()).map(|i| soup.corners(i)).collect() } else { Vec::new() };
        Enclosure { starts: starts(soup, &corners), walls }
    }

    /// Tests whether the mesh is closed and winds around a point: then its triangles cover a nonzero multiple of the whole sphere.
    pub fn holds(&self, p: Vec3) -> bool {
        let beyond = |k: usize| {
            let below = |f: &dyn Fn(f64) -> bool| self.walls.iter().flatten().all(|c| f(c[k]));
            below(&|c| c < p[k]) || below(&|c| c > p[k])
        };
        if (0..3).any(beyond) {
            return false;
        }
        let covered: f64 = self.walls.iter().map(|t| solid_angle(t.map(|c| c - p))).sum();
        covered.abs() > 2.0 * std::f64::consts::PI
    }
}

/// Van Oosterom and Strackee 1983.
fn solid_angle([a, b, c]: [Vec3; 3]) -> f64 {
    let (x, y, z) = (a.norm(), b.norm(), c.norm());
    2.0 * a.dot(b.cross(c)).atan2(x * y * z + a.dot(b) * z + b.dot(c) * x + c.dot(a) * y)
}

/// Triangles whose corners are numbered by position.
fn corners(soup: &Soup) -> Vec<[usize; 3]> {
    let mut number = HashMap::new();
    let mut of = |v: Vec3| {
        let next = number.len();
        *number.entry(v.to_array().map(|c| (c + 0.0).to_bits())).or_insert(next)
    };
    (0..soup.triangles.len()).map(|i| soup.corners(i).map(&mut of)).collect()
}

/// Tests whether the edges in one direction are those in the other.
fn is_closed(corners: &[[usize; 3]]) -> bool {
    let edges = || corners.iter().flat_map(|&[a, b, c]| [(a, b), (b, c), (c, a)]);
    let (mut there, mut back): (Vec<_>, Vec<_>) = (edges().collect(), edges().map(|(a, b)| (b, a)).collect());
    there.sort_unstable();
    back.sort_unstable();
    there == back
}

/// Returns the first corner of each set of connected triangles: each set absorbs all sets that it touches.
fn starts(soup: &Soup, corners: &[[usize; 3]]) -> Vec<Vec3> {
    let mut around: HashMap<usize, Vec<usize>> = HashMap::new();
    for (i, t) in corners.iter().enumerate() {
        t.iter().for_each(|&c| around.entry(c).or_default().push(i));
    }
    let (mut seen, mut found) = (vec![false; corners.len()], Vec::new());
    for i in 0..corners.len() {
        if !seen[i] {
            found.push(soup.corners(i)[0]);
        }
        let mut stack = vec![i];
        while let Some(j) = stack.pop() {
            if !std::mem::replace(&mut seen[j], true) {
                stack.extend(corners[j].iter().filter_map(|c| around.remove(c)).flatten());
            }
        }
    }
    found
}
