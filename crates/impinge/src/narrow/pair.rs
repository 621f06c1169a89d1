//! One moving piece and one resting item, whatever they are.

use crate::bvh::RestingItem;
use crate::geometry::Primitive;
use crate::math::rounding::U;
use crate::math::{Pose, Vec3};
use crate::motion::{Bend, Tube};
use crate::narrow::closest::{Closest, Touch, all_within, closest, common_point, edge};
use crate::narrow::convex_pair::{Convex, ConvexPair, Core, along_lines, speed_of_lines};
use crate::narrow::triangle_pair;
use crate::narrow::triangle_pair::SweptTriangle;
use crate::narrow::window::{Narrowing, Window};

/// A triangle of one side of a pair.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Corners {
    /// Fixed in its body: carried by the tube, or at rest.
    Fixed([Vec3; 3]),
    /// Each on a line of its own, from the start of the motion to its end, in the resting frame.
    Lines { start: [Vec3; 3], end: [Vec3; 3] },
}

/// What can touch. A facet is a triangle, perhaps degenerate to a segment or a point, with a radius: triangles of meshes and of box
/// surfaces have none; capsules and spheres are segments and points with one.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Pair {
    Facets { moving: Corners, reach: f64, resting: Corners, radii: (f64, f64) },
    Convex { pair: ConvexPair, reach: f64 },
}

/// Which directions to try.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Effort {
    /// Those that usually suffice.
    Usual,
    /// All there are.
    All,
    /// These too, with what is known of how the motion bends.
    Bent,
}

/// Where and how a pair touches, in the resting frame relative to the tree's origin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Meeting {
    pub point: Vec3,
    /// From the resting to the moving thing; zero when the points coincide.
    pub direction: Vec3,
    /// `None` when a cylinder is involved.
    pub touch: Option<Touch>,
    /// The other end, where contact is along a segment.
    pub to: Option<Vec3>,
}

impl From<Primitive> for Convex {
    fn from(p: Primitive) -> Self {
        let segment = |h: f64| Core::Facet([Vec3::new(0.0, 0.0, -h), Vec3::new(0.0, 0.0, h), Vec3::new(0.0, 0.0, h)]);
        match p {
            // Boxes are their surfaces and never get here; a flat stand-in would be wrong, the ball around is not.
            Primitive::Cuboid { half } => Convex { core: segment(0.0), radius: half.norm() },
            Primitive::Sphere { radius } => Convex { core: segment(0.0), radius },
            Primitive::Capsule { radius, half_length } => Convex { core: segment(half_length), radius },
            Primitive::Cylinder { radius, half_length } => Convex { core: Core::Cylinder { radius, half_length }, radius: 0.0 },
        }
    }
}

impl Pair {
    /// Something carried by the tube, at most `reach` from its body's origin, and a triangle whose corners run along lines.
    pub fn with_lines(moving: Convex, reach: f64, (start, end): ([Vec3; 3], [Vec3; 3])) -> Self {
        match moving.core {
            Core::Facet(a) => {
                let resting = Corners::Lines { start, end };
                Pair::Facets { moving: Corners::Fixed(a), reach, resting, radii: (moving.radius, 0.0) }
            }
            Core::Cylinder { .. } | Core::Lines { .. } => {
                let resting = Convex { core: Core::Lines { start, end }, radius: 0.0 };
                Pair::Convex { pair: ConvexPair { moving, resting, pose: Pose::IDENTITY }, reach }
            }
        }
    }

    /// Two triangles whose corners run along lines.
    pub fn both_lines(a: ([Vec3; 3], [Vec3; 3]), b: ([Vec3; 3], [Vec3; 3])) -> Self {
        let lines = |(start, end): ([Vec3; 3], [Vec3; 3])| Corners::Lines { start, end };
        Pair::Facets { moving: lines(a), reach: 0.0, resting: lines(b), radii: (0.0, 0.0) }
    }

    /// `reach`: no point of the moving core is farther from its body's origin.
    pub fn new(moving: Convex, reach: f64, item: RestingItem<'_>) -> Self {
        let (resting, pose) = match item {
            RestingItem::Triangle(corners) => (Convex { core: Core::Facet(*corners), radius: 0.0 }, Pose::IDENTITY),
            RestingItem::Solid(s) => (s.primitive.into(), s.pose),
        };
        match (moving.core, resting.core) {
            (Core::Facet(a), Core::Facet(b)) => {
                let resting_corners = if matches!(item, RestingItem::Solid(_)) { b.map(|c| pose.apply(c)) } else { b };
                let radii = (moving.radius, resting.radius);
                Pair::Facets { moving: Corners::Fixed(a), reach, resting: Corners::Fixed(resting_corners), radii }
            }
            _ => Pair::Convex { pair: ConvexPair { moving, resting, pose }, reach },
        }
    }

    /// Whether two pairs are of equal triangles, so that all that is computed of them is the same.
    #[inline]
    pub fn equals(&self, other: &Pair) -> bool {
        match (self, other) {
            (
                Pair::Facets { moving: Corners::Fixed(a), reach, resting: Corners::Fixed(b), radii },
                Pair::Facets { moving: Corners::Fixed(c), reach: other_reach, resting: Corners::Fixed(d), radii: other_radii },
            ) => a == c && b == d && reach == other_reach && radii == other_radii,
            _ => false,
        }
    }

    /// What of the span directions do not exclude, taken from where things are at `tau`; margin and `error` of the resting item count as
    /// a radius.
    #[inline(always)]
    pub fn uncovered(&self, tube: &Tube, error: f64, margin: f64, tau: f64, effort: Effort) -> Window {
        match self {
            Pair::Facets { moving, reach, resting, radii } => {
                let apart = margin + radii.0 + radii.1;
                let swept = moving.carried(tube, *reach, error + apart);
                // The eleven axes suffice unless triangles are coplanar, parallel or degenerate, or have to be some distance apart.
                let more = apart > 0.0 || effort >= Effort::All;
                let Corners::Fixed(resting) = resting else {
                    return triangle_pair::narrow_both(&swept, &resting.over(tube), tau, more).window;
                };
                let mut narrowing = triangle_pair::narrow_often(&swept, resting, tau);
                if !narrowing.window.is_empty() && more {
                    triangle_pair::narrow_by_closest(&swept, resting, &mut narrowing);
                }
                narrowing.window
            }
            Pair::Convex { pair, reach } => {
                let mut window = Window::FULL;
                pair.narrow(tube, tube.radius(*reach) + error + margin, &mut window);
                window
            }
        }
    }

    /// What of the span one direction does not exclude; solids and what runs along lines try none.
    #[inline(always)]
    pub fn uncovered_along(&self, direction: Vec3, tube: &Tube, error: f64, margin: f64) -> Window {
        let Pair::Facets { moving, reach, resting: Corners::Fixed(resting), radii } = self else { return Window::FULL };
        let swept = moving.carried(tube, *reach, error + margin + radii.0 + radii.1);
        triangle_pair::narrow_by_one(&swept, resting, direction).window
    }

    /// What is left of a window that the tube's directions do not narrow, once it is known how the motion bends.
    pub fn uncovered_bent(&self, tube: &Tube, bend: &Bend, error: f64, margin: f64, window: Window) -> Window {
        let Pair::Facets { moving: Corners::Fixed(moving), reach, resting: Corners::Fixed(resting), radii } = self else {
            return window;
        };
        let mut swept = SweptTriangle::new(tube, moving, *reach, 0.0);
        swept.radius = tube.line_error(*reach) + error + margin + radii.0 + radii.1;
        let mut narrowing = Narrowing::new(window);
        triangle_pair::narrow_bent(&swept, &swept.corners.map(|x| bend.of(x)), resting, &mut narrowing);
        narrowing.window
    }

    /// A guess of how long, in tau, the tube's radius can hide a contact: twice the radius over the pair's speed.
    #[inline(always)]
    pub fn lag(&self, tube: &Tube) -> f64 {
        let (Pair::Facets { reach, .. } | Pair::Convex { reach, .. }) = self;
        let lag = 2.0 * tube.radius(*reach) / (tube.velocity.norm() * tube.half);
        if lag >= 0.0 { lag } else { f64::INFINITY }
    }

    /// Whether contact (distance at most `margin`) is proven at the middle of the tube's span; `error` is that of the resting item.
    #[inline(always)]
    pub fn touches(&self, tube: &Tube, error: f64, margin: f64) -> bool {
        match self {
            Pair::Facets { moving, reach, resting, radii } => {
                let apart = margin + radii.0 + radii.1;
                triangle_pair::proven_within(&moving.placed(tube), &resting.at(tube), tube.rounding(*reach) + error, apart)
            }
            Pair::Convex { pair, reach } => pair.proven_within(tube, tube.rounding(*reach) + error, margin),
        }
    }

    /// An upper bound of the distance at the middle of the tube's span.
    pub fn near(&self, tube: &Tube, error: f64) -> f64 {
        match self {
            Pair::Facets { moving, reach, resting, radii } => {
                let distance = triangle_pair::near(&moving.placed(tube), &resting.at(tube), tube.rounding(*reach) + error);
                (distance - radii.0 - radii.1).max(0.0)
            }
            Pair::Convex { pair, reach } => pair.near(tube, tube.rounding(*reach) + error).0,
        }
    }

    /// Whether the insides are proven to share a point at the middle of the tube's span: more than touching.
    pub fn overlaps(&self, tube: &Tube, error: f64) -> bool {
        match self {
            Pair::Facets { moving, reach, resting, radii } => {
                let (moving, resting, error) = (moving.placed(tube), resting.at(tube), tube.rounding(*reach) + error);
                triangle_pair::proven_within(&moving, &resting, error, 0.0)
                    || triangle_pair::near(&moving, &resting, error) < (radii.0 + radii.1) * (1.0 - 4.0 * U)
            }
            Pair::Convex { pair, reach } => pair.proven_overlapping(tube, tube.rounding(*reach) + error),
        }
    }

    /// Closest points and features at the middle of the tube's span: a description, not a proof.
    pub fn meeting(&self, tube: &Tube) -> Meeting {
        match self {
            Pair::Facets { moving, resting, radii, .. } => {
                let (moving, resting) = (moving.placed(tube), resting.at(tube));
                let c = closest(&moving, &resting);
                let gap = (c.on_a - c.on_b).norm();
                // Closest features of triangles that pierce each other are no places where they meet.
                let shared = if gap > radii.0 + radii.1 { common_point(&moving, &resting, gap) } else { None };
                let plain = meeting(c, *radii);
                shared.map_or(plain, |point| Meeting { point, ..plain })
            }
            Pair::Convex { pair, .. } => {
                let (w, radii) = (pair.near(tube, 0.0).1, (pair.moving.radius, pair.resting.radius));
                let direction = w.on_a - w.on_b;
                Meeting { point: between((w.on_a, w.on_b), direction, radii), direction, touch: None, to: None }
            }
        }
    }

    /// A point of each surface, moving first, nearest to each other at the middle of the tube's span, or twice one that they share: a
    /// description, not a proof.
    pub fn nearest_points(&self, tube: &Tube) -> (Vec3, Vec3) {
        let (on_a, on_b, radii) = match self {
            Pair::Facets { moving, resting, radii, .. } => {
                let (moving, resting) = (moving.placed(tube), resting.at(tube));
                let c = closest(&moving, &resting);
                let gap = (c.on_a - c.on_b).norm();
                let shared = if gap > radii.0 + radii.1 { common_point(&moving, &resting, gap) } else { None };
                if let Some(point) = shared {
                    return (point, point);
                }
                (c.on_a, c.on_b, *radii)
            }
            Pair::Convex { pair, .. } => {
                let (_, w) = pair.near(tube, 0.0);
                (w.on_a, w.on_b, (pair.moving.radius, pair.resting.radius))
            }
        };
        let d = on_a - on_b;
        let length = d.norm();
        if length <= radii.0 + radii.1 {
            let point = between((on_a, on_b), d, radii);
            return (point, point);
        }
        let out = |radius: f64| d * (radius / length);
        (on_a - out(radii.0), on_b + out(radii.1))
    }

    /// All features within `apart` of each other at the middle of the tube's span; solids have one place of contact.
    pub fn meetings(&self, tube: &Tube, apart: f64) -> Vec<Meeting> {
        match self {
            Pair::Facets { moving, resting, radii, .. } if *radii == (0.0, 0.0) => {
                let all = all_within(&moving.placed(tube), &resting.at(tube), apart);
                if all.is_empty() {
                    return vec![self.meeting(tube)];
                }
                all.into_iter().map(|c| meeting(c, *radii)).collect()
            }
            Pair::Facets { .. } | Pair::Convex { .. } => vec![self.meeting(tube)],
        }
    }

    /// A direction across two features that touch at the middle of the tube's span: the face's normal, or that of both edges.
    pub fn across(&self, touch: Touch, tube: &Tube) -> Vec3 {
        let Pair::Facets { moving, resting, .. } = self else { return Vec3::ZERO };
        let (moving, resting) = (moving.placed(tube), resting.at(tube));
        let normal = |t: &[Vec3; 3]| (t[1] - t[0]).cross(t[2] - t[0]);
        let along = |t: &[Vec3; 3], i: u8| edge(t, i).1 - edge(t, i).0;
        match touch {
            Touch::VertexFace { .. } => normal(&resting),
            Touch::FaceVertex { .. } => normal(&moving),
            Touch::EdgeEdge { a, b } => along(&moving, a).cross(along(&resting, b)),
        }
    }

    /// A bound of how far the pair's points approach each other, along their lines, while the tube's span lasts.
    pub fn travel(&self, tube: &Tube) -> f64 {
        let (Pair::Facets { reach, .. } | Pair::Convex { reach, .. }) = self;
        let own = match self {
            Pair::Facets { moving, resting, .. } => moving.speed() + resting.speed(),
            Pair::Convex { pair, .. } => pair.resting.speed(),
        };
        2.0 * tube.half * (tube.velocity.norm() + tube.spin_local.norm() * reach + own)
    }
}

fn meeting(c: Closest, radii: (f64, f64)) -> Meeting {
    Meeting { point: between((c.on_a, c.on_b), c.apart, radii), direction: c.apart, touch: Some(c.touch), to: c.to }
}

/// The point of contact of two cores with radii, from their closest points: half way between the surfaces.
///
/// ```text
///   b ---- rb ---->|   |<---- ra ---- a        (rb + L - ra) / 2 from b, where L is the way from b to a
/// ```
/// Where that is beyond a core's point, it is this: of overlapping bodies it belongs to both.
fn between((on_a, on_b): (Vec3, Vec3), apart: Vec3, radii: (f64, f64)) -> Vec3 {
    let length = apart.norm();
    if !(length > 0.0) {
        return on_b;
    }
    let share = (0.5 + 0.5 * ((radii.1 - radii.0) / length)).clamp(0.0, 1.0);
    if share > 0.5 { on_a - apart * (1.0 - share) } else { on_b + apart * share }
}

impl Corners {
    /// A moving triangle over the tube's span; `extra` is added to its radius.
    #[inline(always)]
    fn carried(&self, tube: &Tube, reach: f64, extra: f64) -> SweptTriangle {
        match self {
            Corners::Fixed(corners) => SweptTriangle::new(tube, corners, reach, extra),
            // The tube is that of the world: its radius is rounding.
            Corners::Lines { .. } => SweptTriangle { radius: tube.radius(0.0) + extra, ..self.over(tube) },
        }
    }

    /// A resting triangle, or one on lines, over the tube's span.
    fn over(&self, tube: &Tube) -> SweptTriangle {
        let travel = match self {
            Corners::Fixed(_) => [Vec3::ZERO; 3],
            Corners::Lines { start, end } => [0, 1, 2].map(|k| (end[k] - start[k]) * tube.half),
        };
        SweptTriangle { corners: self.at(tube), travel, radius: 0.0 }
    }

    /// A moving triangle at the middle of the tube's span.
    #[inline(always)]
    fn placed(&self, tube: &Tube) -> [Vec3; 3] {
        match self {
            Corners::Fixed(c) => [tube.line(c[0]).0, tube.line(c[1]).0, tube.line(c[2]).0],
            Corners::Lines { .. } => self.at(tube),
        }
    }

    /// A resting triangle, or one on lines, at the middle of the tube's span.
    #[inline(always)]
    fn at(&self, tube: &Tube) -> [Vec3; 3] {
        match self {
            Corners::Fixed(corners) => *corners,
            Corners::Lines { start, end } => along_lines(start, end, tube.middle),
        }
    }

    /// The fastest of the corners that run along lines.
    fn speed(&self) -> f64 {
        match self {
            Corners::Fixed(_) => 0.0,
            Corners::Lines { start, end } => speed_of_lines(start, end),
        }
    }
}
