//! How two trees lie in the frame of the second: at rest, swept by translations, turned. The search knows no more of it.
//!
//! ```text
//! still   y ↦ R y + p                                          pair
//! slide   … + s x, s in [0, 1]: every vertex and its image      sweep
//! turn    a few affine images of every vertex                   turn
//! ```
//! A body is the convex hull of its points and their images, so its farthest point along d is the farthest of all images.

use crate::bvh::hulls::solid::Solid;
use crate::bvh::hulls::{Block, farthest, vertex};
use crate::math::Vec3;
use crate::narrow::gjk::{Bodies, Enough, Nearest, Simplex, Vertex, nearest};

/// Something convex, in its own frame.
pub(crate) trait Support {
    /// The number of a point with the largest d·x, and the point.
    fn farthest(&self, d: Vec3) -> (u32, Vec3);
    /// A point by its number; any point of the same thing if there is none.
    fn point(&self, id: u32) -> Vec3;
}

/// Where the points of A and of B are, in the frame of B.
pub(crate) trait Placing {
    /// A triangle of A, and one of B, in place.
    type A: Copy;
    /// See `A`.
    type B: Copy;

    /// Every height and every distance computed from places is off by this, at most.
    fn error(&self) -> f64;
    /// By how much lengths in A and in B can grow.
    fn stretch(&self) -> (f64, f64);
    /// From B's origin to A's, about: a first direction.
    fn between(&self) -> Vec3;
    /// The vertex of A - B with the least d·w.
    fn vertex(&self, a: &impl Support, b: &impl Support, d: Vec3) -> Vertex;
    /// The vertex with the numbers that [`Placing::vertex`] gave.
    fn recalled(&self, a: &impl Support, b: &impl Support, ids: (u32, u32)) -> Vertex;
    /// At most the distance of a point of A, wherever it goes, and a point of B, before `error`; and a direction between them.
    fn points(&self, a: Vec3, b: Vec3) -> (f64, Vec3);
    /// Puts a triangle of A in place.
    fn place_a(&self, t: &[Vec3; 3]) -> Self::A;
    /// Puts a triangle of B in place.
    fn place_b(&self, t: &[Vec3; 3]) -> Self::B;
    /// The least n·x over a triangle of A.
    fn lowest(&self, a: &Self::A, n: Vec3) -> f64;
    /// The largest n·x over a triangle of B.
    fn highest(&self, b: &Self::B, n: Vec3) -> f64;
    /// The vertex of two triangles with the least d·w.
    fn corner(&self, a: &Self::A, b: &Self::B, d: Vec3) -> Vertex;
    /// Measures two triangles once more, where GJK ended before its bounds met.
    fn finer(&self, a: &Self::A, b: &Self::B, known: &Measured) -> Measured;
}

/// Bounds on the distance of two items, rounding included, and the points.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Measured {
    pub at_least: f64,
    pub at_most: f64,
    pub on_a: Vec3,
    pub on_b: Vec3,
    /// From B to A.
    pub apart: Vec3,
    /// What the points are made of.
    pub simplex: Simplex,
}

/// Compares two convex things, first along a direction; `supports` counts.
#[inline(always)]
pub(crate) fn compare(
    placing: &impl Placing,
    (a, b): (&impl Support, &impl Support),
    first: Vec3,
    known: Option<Simplex>,
    enough: Enough,
    supports: &mut u64,
) -> Nearest {
    nearest(first, known, &mut Pair { placing, a, b, supports }, enough, placing.error())
}

/// The simplex of remembered vertices, as they now are.
pub(crate) fn simplex(placing: &impl Placing, a: &impl Support, b: &impl Support, ids: &[(u32, u32)]) -> Option<Simplex> {
    let mut vertices = ids.iter().map(|&ids| placing.recalled(a, b, ids));
    let mut simplex = Simplex::of(vertices.next()?);
    for v in vertices {
        simplex.add(v);
    }
    Some(simplex)
}

/// Measures two triangles in place. Stops when they are known to be farther than `enough` apart.
#[inline(always)]
pub(crate) fn triangles<P: Placing>(
    placing: &P,
    (a, b): (&P::A, &P::B),
    first: Vec3,
    enough: f64,
    supports: &mut u64,
) -> Measured {
    let error = placing.error();
    let until = Enough { at_least: enough + error, at_most: 0.0, insist: true };
    let found = nearest(first, None, &mut Triangles { placing, a, b, supports }, until, error);
    let measured = Measured::of(&found, error);
    let loose = measured.at_most - measured.at_least > 4.0 * error + 1e-12 * measured.at_most;
    if measured.at_least > enough || found.overlapping || !loose { measured } else { placing.finer(a, b, &measured) }
}

/// Measures two items of which one at least is a solid.
pub(crate) fn items(placing: &impl Placing, a: &Item, b: &Item, first: Vec3, enough: f64, supports: &mut u64) -> Measured {
    let until = Enough { at_least: enough + placing.error(), at_most: 0.0, insist: true };
    Measured::of(&compare(placing, (a, b), first, None, until, supports), placing.error())
}

impl Measured {
    fn of(found: &Nearest, error: f64) -> Self {
        let (on_a, on_b) = found.simplex.points();
        let at_most = if found.overlapping { 0.0 } else { (on_a - on_b).norm() + error };
        let at_least = (found.at_least - error).max(0.0);
        Measured { at_least, at_most, on_a, on_b, apart: found.apart, simplex: found.simplex }
    }
}

/// A leaf's contents.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Item {
    Triangle([Vec3; 3]),
    Solid(Solid),
}

/// The hull of a node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NodeHull<'a>(pub &'a [Block]);

impl Support for NodeHull<'_> {
    #[inline(always)]
    fn farthest(&self, d: Vec3) -> (u32, Vec3) {
        farthest(self.0, d)
    }

    #[inline(always)]
    fn point(&self, id: u32) -> Vec3 {
        vertex(self.0, id)
    }
}

impl Support for Item {
    fn farthest(&self, d: Vec3) -> (u32, Vec3) {
        match self {
            Item::Triangle(t) => {
                let i = highest(t, d);
                (i as u32, t[i])
            }
            Item::Solid(solid) => (0, solid.farthest(d)),
        }
    }

    fn point(&self, id: u32) -> Vec3 {
        match self {
            Item::Triangle(t) => t[id as usize % 3],
            Item::Solid(_) => Vec3::ZERO,
        }
    }
}

/// The corner with the largest d·x.
#[inline(always)]
pub(crate) fn highest(t: &[Vec3; 3], d: Vec3) -> usize {
    let h = [d.dot(t[0]), d.dot(t[1]), d.dot(t[2])];
    if h[0] >= h[1] && h[0] >= h[2] {
        0
    } else if h[1] >= h[2] {
        1
    } else {
        2
    }
}

/// Two convex things as GJK sees them.
struct Pair<'a, P, A, B> {
    placing: &'a P,
    a: &'a A,
    b: &'a B,
    supports: &'a mut u64,
}

impl<P: Placing, A: Support, B: Support> Bodies for Pair<'_, P, A, B> {
    #[inline(always)]
    fn support(&mut self, d: Vec3) -> Vertex {
        *self.supports += 1;
        self.placing.vertex(self.a, self.b, d)
    }
}

/// Two triangles in place.
struct Triangles<'a, P: Placing> {
    placing: &'a P,
    a: &'a P::A,
    b: &'a P::B,
    supports: &'a mut u64,
}

impl<P: Placing> Bodies for Triangles<'_, P> {
    #[inline(always)]
    fn support(&mut self, d: Vec3) -> Vertex {
        *self.supports += 1;
        self.placing.corner(self.a, self.b, d)
    }
}
