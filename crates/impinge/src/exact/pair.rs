//! One moving piece and one resting item, whatever they are.

use super::closest::{Touch, closest};
use super::convex::{Convex, ConvexPair};
use super::triangles::{self, SweptTriangle};
use super::window::Window;
use crate::math::Vec3;
use crate::motion::Tube;
use crate::shape::tree::RestingItem;

/// What can touch: two triangles, or two convex shapes one of which is no triangle.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Pair<'a> {
    Triangles { moving: [Vec3; 3], reach: f64, resting: &'a [Vec3; 3] },
    Convex { pair: ConvexPair, reach: f64 },
}

/// Which directions to try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effort {
    /// Those that usually suffice.
    Usual,
    /// All there are.
    All,
}

/// Where and how a pair touches, in the resting frame relative to the tree's origin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Meeting {
    pub point: Vec3,
    /// From the resting to the moving thing; zero when the points coincide.
    pub direction: Vec3,
    /// `None` when a solid is involved.
    pub touch: Option<Touch>,
}

/// A moving piece: a triangle of its mesh, or a whole primitive.
#[derive(Clone, Copy, Debug)]
pub(crate) enum MovingItem {
    Triangle([Vec3; 3]),
    Solid(Convex),
}

impl<'a> Pair<'a> {
    /// `reach`: no point of the moving piece is farther from its body's origin.
    pub fn new(moving: MovingItem, reach: f64, resting: RestingItem<'a>) -> Self {
        let convex = |resting: Convex, pose| {
            let moving = match moving {
                MovingItem::Triangle(corners) => Convex::triangle(corners),
                MovingItem::Solid(c) => c,
            };
            Pair::Convex { pair: ConvexPair { moving, resting, pose }, reach }
        };
        match (moving, resting) {
            (MovingItem::Triangle(corners), RestingItem::Triangle(resting)) => {
                Pair::Triangles { moving: corners, reach, resting }
            }
            (_, RestingItem::Triangle(corners)) => convex(Convex::triangle(*corners), Default::default()),
            (_, RestingItem::Solid(s)) => convex(s.primitive.into(), s.pose),
        }
    }

    /// What of the span directions do not exclude, taken from where things are at `tau`; margin and `error` of the resting item count as
    /// a radius.
    #[inline(always)]
    pub fn uncovered(&self, tube: &Tube, error: f64, margin: f64, tau: f64, effort: Effort) -> Window {
        let extra = error + margin;
        match self {
            Pair::Triangles { moving, reach, resting } => {
                let swept = SweptTriangle::new(tube, moving, *reach, extra);
                let mut narrowing = triangles::narrow(&swept, resting, tau);
                // The eleven axes suffice unless triangles are coplanar, parallel or degenerate, or a margin is asked for.
                if !narrowing.window.is_empty() && (margin > 0.0 || effort == Effort::All) {
                    triangles::narrow_by_closest(&swept, resting, &mut narrowing);
                }
                narrowing.window
            }
            Pair::Convex { pair, reach } => {
                let mut window = Window::FULL;
                pair.narrow(tube, tube.radius(*reach) + extra, &mut window);
                window
            }
        }
    }

    /// A guess of how long, in tau, the tube's radius can hide a contact: twice the radius over the pair's speed.
    #[inline(always)]
    pub fn lag(&self, tube: &Tube) -> f64 {
        let (Pair::Triangles { reach, .. } | Pair::Convex { reach, .. }) = self;
        2.0 * tube.radius(*reach) / (tube.velocity.norm() * tube.half)
    }

    /// Whether contact (distance at most `margin`) is proven at the middle of the tube's span; `error` is that of the resting item.
    #[inline(always)]
    pub fn touches(&self, tube: &Tube, error: f64, margin: f64) -> bool {
        match self {
            Pair::Triangles { moving, reach, resting } => {
                triangles::proven_within(&place(tube, moving), resting, tube.rounding(*reach) + error, margin)
            }
            Pair::Convex { pair, reach } => pair.proven_within(tube, tube.rounding(*reach) + error, margin),
        }
    }

    /// An upper bound of the distance at the middle of the tube's span.
    pub fn near(&self, tube: &Tube, error: f64) -> f64 {
        match self {
            Pair::Triangles { moving, reach, resting } => {
                let placed = place(tube, moving);
                let error = tube.rounding(*reach) + error;
                if triangles::proven_within(&placed, resting, error, 0.0) {
                    0.0
                } else {
                    triangles::near(&placed, resting, error)
                }
            }
            Pair::Convex { pair, reach } => pair.near(tube, tube.rounding(*reach) + error).0,
        }
    }

    /// Closest points and features at the middle of the tube's span: a description, not a proof.
    pub fn meeting(&self, tube: &Tube) -> Meeting {
        match self {
            Pair::Triangles { moving, resting, .. } => {
                let c = closest(&place(tube, moving), resting);
                Meeting { point: (c.on_a + c.on_b) * 0.5, direction: c.on_a - c.on_b, touch: Some(c.touch) }
            }
            Pair::Convex { pair, .. } => {
                let (_, w) = pair.near(tube, 0.0);
                let d = w.on_a - w.on_b;
                let length = d.norm();
                // From the core's point out to the resting shape's own surface.
                let out = if length > 0.0 { d * (pair.resting.radius / length) } else { Vec3::ZERO };
                Meeting { point: w.on_b + out, direction: d, touch: None }
            }
        }
    }
}

#[inline(always)]
fn place(tube: &Tube, corners: &[Vec3; 3]) -> [Vec3; 3] {
    [tube.line(corners[0]).0, tube.line(corners[1]).0, tube.line(corners[2]).0]
}
