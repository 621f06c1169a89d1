//! A surface cut into convex pieces: triangles that lie on the boundary of their common hull (Ehmann and Lin 2001, as in SWIFT++).
//!
//! ```text
//!    \____/\        from a seed over shared edges, breadth or depth first, curved to either side; the largest piece counts
//!     a    b        here {\, _, /} is a piece, curved inwards, and {/, \} would be one, curved outwards
//! ```
//! A triangle joins if its plane has the whole piece on one side and its vertices are on the piece's side of every plane of the piece, both
//! up to half of a *slack*: 2^-20 of the mesh's size, above what rounding to `f32` does to surfaces that were flat. Where a triangle lies in
//! its neighbour's plane, up to that half, it counts as part of it; so do thin triangles, which have no plane to speak of, if they do. The
//! hull reaches at most half the slack above a plane, and a triangle is at most half below: all of it is within the slack of the boundary.
//!
//! Open, non-manifold and wrongly oriented surfaces are legal: orientation is not looked at, and where many triangles share an edge each
//! knows the next and the previous.

use std::collections::VecDeque;

use crate::geometry::Mesh;
use crate::geometry::bounding::aabb::Aabb;
use crate::geometry::hull::Hull;
use crate::geometry::hull::surface::{NONE, Side, Surface};
use crate::math::Vec3;

/// A piece ends at this many triangles: each one that joins is compared with all that did.
const MAX_PIECE: usize = 1 << 14;

/// Half the slack over the longest side of the mesh's box. Rounding in heights is far below it unless the mesh is far from its origin.
const HALF_SLACK: f64 = 1.0 / (1u64 << 21) as f64;

/// Triangles of a mesh that lie on the boundary of their hull, within [`slack`].
#[derive(Clone, Debug)]
pub struct ConvexPiece {
    /// Which triangles of the mesh.
    pub triangles: Vec<u32>,
    /// The hull of their corners.
    pub hull: Hull,
}

/// Orders in which seeds are tried; the first is the cheapest to make.
#[derive(Clone, Copy, Debug)]
enum Order {
    AsGiven,
    OuterFirst,
    InnerFirst,
    Reversed,
}

/// How far inside the hull of its piece a point of a triangle may be: 2^-20 of the mesh's longest side.
pub fn slack(mesh: &Mesh) -> f64 {
    2.0 * HALF_SLACK * Aabb::of(mesh.vertices().iter().copied()).size().max_abs()
}

/// Cuts a mesh into convex pieces; every triangle is in one of them.
///
/// Of up to four orders of seeds (`orders`, at least one) the one that gives the fewest pieces is taken.
pub fn decompose(mesh: &Mesh, orders: usize) -> Vec<ConvexPiece> {
    let hull = |triangles: Vec<u32>| {
        let points: Vec<Vec3> = triangles.iter().flat_map(|&t| mesh.corners(t as usize)).collect();
        ConvexPiece { hull: Hull::of_checked(&points), triangles }
    };
    cut(mesh, orders).into_iter().map(hull).collect()
}

/// The triangles of each piece.
pub(crate) fn cut(mesh: &Mesh, orders: usize) -> Vec<Vec<u32>> {
    let surface = Surface::new(mesh);
    let all = [Order::AsGiven, Order::OuterFirst, Order::InnerFirst, Order::Reversed];
    let tried = all.into_iter().take(orders.max(1)).map(|order| surface.cut(&surface.seeds(order)));
    tried.reduce(|a, b| if b.len() < a.len() { b } else { a }).unwrap_or_default()
}

impl Surface<'_> {
    fn seeds(&self, order: Order) -> Vec<u32> {
        let mut seeds: Vec<u32> = (0..self.corners.len() as u32).collect();
        let middle = Aabb::of(self.mesh.vertices().iter().copied()).center();
        let away = |t: &u32| self.mesh.corners(*t as usize).iter().map(|c| (*c - middle).norm()).sum::<f64>();
        match order {
            Order::AsGiven => {}
            Order::Reversed => seeds.reverse(),
            Order::InnerFirst => seeds.sort_by(|a, b| away(a).total_cmp(&away(b))),
            Order::OuterFirst => seeds.sort_by(|a, b| away(b).total_cmp(&away(a))),
        }
        // What is thin joins others, if it can.
        seeds.sort_by_key(|&t| self.planes[t as usize].is_none());
        seeds
    }

    fn cut(&self, seeds: &[u32]) -> Vec<Vec<u32>> {
        let mut growth = Growth::new(self);
        let mut pieces = Vec::new();
        for &seed in seeds {
            if !growth.taken[seed as usize] {
                let piece = growth.best_from(seed);
                piece.iter().for_each(|&t| growth.taken[t as usize] = true);
                pieces.push(piece);
            }
        }
        pieces
    }
}

/// One piece while it grows, and what earlier pieces took.
struct Growth<'a> {
    surface: &'a Surface<'a>,
    taken: Vec<bool>,
    triangles: Vec<u32>,
    /// Planes of its triangles, turned so that the piece is below.
    planes: Vec<Side>,
    vertices: Vec<Vec3>,
    /// Triangles to look at, each with the plane it would continue.
    open: VecDeque<(u32, u32)>,
    /// The growth that last looked at a triangle, or took a vertex.
    looked_at: Vec<u32>,
    in_piece: Vec<u32>,
    round: u32,
}

impl<'a> Growth<'a> {
    fn new(surface: &'a Surface<'a>) -> Self {
        let (triangles, vertices) = (surface.corners.len(), surface.mesh.vertices().len());
        Growth {
            surface,
            taken: vec![false; triangles],
            triangles: Vec::new(),
            planes: Vec::new(),
            vertices: Vec::new(),
            open: VecDeque::new(),
            looked_at: vec![0; triangles],
            in_piece: vec![0; vertices],
            round: 0,
        }
    }

    /// The largest piece around a seed.
    fn best_from(&mut self, seed: u32) -> Vec<u32> {
        let Some(plane) = self.surface.planes[seed as usize] else { return vec![seed] };
        let mut best = Vec::new();
        for plane in [plane, plane.turned()] {
            for depth_first in [false, true] {
                self.grow(seed, plane, depth_first);
                if self.triangles.len() > best.len() {
                    best.clone_from(&self.triangles);
                }
            }
        }
        best
    }

    fn grow(&mut self, seed: u32, plane: Side, depth_first: bool) {
        self.round += 1;
        self.triangles.clear();
        self.planes.clear();
        self.vertices.clear();
        self.open.clear();
        self.planes.push(plane);
        self.take(seed, 0);
        while self.triangles.len() < MAX_PIECE {
            let Some((t, beside)) = (if depth_first { self.open.pop_back() } else { self.open.pop_front() }) else { break };
            if let Some(plane) = self.joins(t, beside) {
                self.take(t, plane);
            }
        }
    }

    /// Takes a triangle that lies in a plane of the piece.
    fn take(&mut self, t: u32, plane: u32) {
        self.triangles.push(t);
        for v in self.surface.corners[t as usize] {
            if self.in_piece[v as usize] != self.round {
                self.in_piece[v as usize] = self.round;
                self.vertices.push(self.surface.mesh.vertices()[v as usize]);
            }
        }
        self.looked_at[t as usize] = self.round;
        for u in self.surface.across[t as usize].into_iter().flatten() {
            if u != NONE && !self.taken[u as usize] && self.looked_at[u as usize] != self.round {
                self.looked_at[u as usize] = self.round;
                self.open.push_back((u, plane));
            }
        }
    }

    /// Whether a triangle may join beside one in plane `beside`, and in which plane it then lies.
    fn joins(&mut self, t: u32, beside: u32) -> Option<u32> {
        let (corners, slack) = (self.surface.corners[t as usize], self.surface.half_slack);
        let at = |v: u32| self.surface.mesh.vertices()[v as usize];
        let mut new = corners.into_iter().filter(|&v| self.in_piece[v as usize] != self.round);
        if !new.all(|v| self.planes.iter().all(|p| p.height(at(v)) <= slack)) {
            return None;
        }
        let neighbour = self.planes[beside as usize];
        if corners.into_iter().all(|v| neighbour.height(at(v)).abs() <= slack) {
            return Some(beside);
        }
        let plane = self.surface.planes[t as usize]?;
        // In one plane with all that is there, a triangle looks where its neighbour does.
        let plane = if plane.n.dot(neighbour.n) < 0.0 { plane.turned() } else { plane };
        let holds = |p: &Side| self.vertices.iter().all(|&v| p.height(v) <= slack);
        let plane = [plane, plane.turned()].into_iter().find(holds)?;
        self.planes.push(plane);
        Some(self.planes.len() as u32 - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::trig::sin_cos;
    use proptest::prelude::*;

    /// Every triangle once, and on the boundary of its piece's hull.
    fn check(mesh: &Mesh, orders: usize) -> usize {
        let pieces = decompose(mesh, orders);
        let mut seen = vec![0; mesh.triangles().len()];
        for piece in &pieces {
            for &t in &piece.triangles {
                seen[t as usize] += 1;
                let [a, b, c] = mesh.corners(t as usize);
                for p in [a, b, c, (a + b + c) * (1.0 / 3.0)] {
                    assert!(depth(&piece.hull, p) <= slack(mesh), "triangle {t} is inside");
                }
            }
        }
        assert!(seen.iter().all(|&n| n == 1));
        pieces.len()
    }

    /// How far inside a hull a point is, at most.
    fn depth(hull: &Hull, p: Vec3) -> f64 {
        let side = |f: &[u32]| Side::of([0, 1, 2].map(|k| hull.vertices()[f[k] as usize]));
        let depths = hull.faces().filter_map(side).map(|s| -s.height(p));
        if hull.dimension() < 3 { 0.0 } else { depths.fold(f64::INFINITY, f64::min) }
    }

    fn grid(n: u32, m: u32, closed: bool, place: impl Fn(f64, f64) -> Vec3) -> Mesh {
        let vertices = (0..n * m).map(|i| place(f64::from(i / m) / f64::from(n), f64::from(i % m) / f64::from(m))).collect();
        let at = |i: u32, k: u32| (i % n) * m + k % m;
        let cells = if closed { (n, m) } else { (n - 1, m - 1) };
        let quads = (0..cells.0).flat_map(|i| (0..cells.1).map(move |k| (i, k)));
        let triangles =
            quads.flat_map(|(i, k)| [[at(i, k), at(i + 1, k), at(i, k + 1)], [at(i + 1, k), at(i + 1, k + 1), at(i, k + 1)]]);
        Mesh::new(vertices, triangles.collect()).expect("valid")
    }

    fn turned(u: f64) -> (f64, f64) {
        sin_cos(std::f64::consts::TAU * u)
    }

    #[test]
    fn how_many_pieces() {
        let cube = crate::Primitive::cuboid(Vec3::splat(1.0)).expect("valid").flat_surface().expect("flat");
        let sphere = {
            let ((a, b), c) = ((0.3, 0.7), 0.2);
            let points: Vec<Vec3> = (0..1500)
                .map(|i| {
                    let (z, (s, c)) = (f64::from(i) / 750.0 - 0.999, turned(f64::from(i) * 0.618_033_988_7));
                    let r = (1.0 - z * z).max(0.0).sqrt();
                    Vec3::new(r * c + a, r * s + b, z)
                })
                .chain([Vec3::new(a, b, c)])
                .collect();
            let hull = Hull::of(&points).expect("valid");
            let fan = |f: &[u32]| (1..f.len() - 1).map(|k| [f[0], f[k], f[k + 1]]).collect::<Vec<_>>();
            let triangles = hull.faces().flat_map(fan).collect();
            Mesh::new(hull.vertices().to_vec(), triangles).expect("valid")
        };
        let torus = grid(60, 24, true, |u, v| {
            let ((su, cu), (sv, cv)) = (turned(u), turned(v));
            Vec3::new((3.0 + cv) * cu, (3.0 + cv) * su, sv)
        });
        for (name, mesh, most) in [("cube", &cube, 1), ("sphere", &sphere, 1), ("torus", &torus, 200)] {
            let counts = [1, 4].map(|orders| check(mesh, orders));
            println!("{name}: {} triangles, pieces {counts:?}", mesh.triangles().len());
            assert!(counts[1] <= counts[0] && counts[1] <= most, "{name}: {counts:?}");
        }
    }

    #[test]
    fn bowls_are_convex_from_either_side_and_saddles_are_not() {
        let bowl = grid(9, 9, false, |u, v| Vec3::new(u, v, (u - 0.4) * (u - 0.4) + (v - 0.4) * (v - 0.4)));
        let hill = grid(9, 9, false, |u, v| Vec3::new(u, v, -(u - 0.4) * (u - 0.4) - (v - 0.4) * (v - 0.4)));
        assert!(check(&bowl, 1) < 20 && check(&hill, 1) < 20);
        let saddle = grid(9, 9, false, |u, v| Vec3::new(u, v, (u - 0.4) * (u - 0.4) - (v - 0.4) * (v - 0.4)));
        assert!(check(&saddle, 1) > 2);
        let flat = grid(9, 9, false, |u, v| Vec3::new(u, v, 0.25 * u + 0.5 * v));
        assert_eq!(check(&flat, 1), 1);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        #[test]
        fn soups(
            points in prop::collection::vec(prop::array::uniform3(-2i32..3), 3..14),
            picks in prop::collection::vec(prop::array::uniform3(0usize..14), 1..40), scale in 0.1f64..1.0,
        ) {
            let vertices: Vec<Vec3> = points.iter().map(|p| Vec3::from(p.map(|x| f64::from(x) * scale))).collect();
            let triangles = picks.iter().map(|t| t.map(|i| (i % vertices.len()) as u32)).collect();
            check(&Mesh::new(vertices, triangles).expect("valid"), 2);
        }
    }
}
