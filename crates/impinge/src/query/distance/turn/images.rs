//! Images of a body that turns, and the errors of their hulls.

use super::{Turn, Way};
use crate::bvh::HullTree;
use crate::math::pose::{Placement, rotation_about};
use crate::math::rounding::U;
use crate::math::trig::sin_cos;
use crate::math::{Mat3, Pose, Vec3};
use crate::narrow::gjk::Simplex;
use crate::narrow::hull_pair::Support;

/// An affine image of a body.
#[derive(Clone, Copy, Debug)]
struct Image {
    linear: Mat3,
    offset: Vec3,
    /// When the body's points are near it.
    time: f64,
    /// It has the linear part of the image before it, so the same points are farthest.
    like_last: bool,
}

/// The images of one body for a piece of its turn, in the frame of B.
#[derive(Clone, Copy, Debug)]
pub(super) struct Images {
    images: [Image; 4],
    len: usize,
    /// Lengths grow by this factor at most.
    pub stretch: f64,
    /// Places are off by this, at most.
    pub error: f64,
    /// Heights of places are off by 64 u of this, at most.
    pub size: f64,
}

/// A triangle's corners in all images, those of one corner side by side.
#[derive(Clone, Copy, Debug)]
pub(super) struct Corners([Vec3; 12]);

impl Images {
    /// A body that turns over the piece `(from, to)` of its motion, seen from B's start, while B goes by `minus`.
    ///
    /// Error: linear parts are products of three rotations (one of them perhaps a tangent map, of norm below 1.5), offsets sums of three
    /// vectors so mapped; each rotation is off by 16 u (if it was given), the turn by 64 u and 4 u of its angle, products by 16 u.
    pub fn new(
        (tree, world_from_body, turn): (&HullTree, &Pose, &Turn),
        world_from_b: &Pose,
        minus: Vec3,
        (from, to): (f64, f64),
        way: Way,
    ) -> Self {
        let whole = turn.rotation.norm();
        let travel = turn.translation - minus;
        let rough: f64 = [world_from_body, world_from_b].map(|p| Placement::new(*p).rotation_error).iter().sum();
        let (arm, base) = (world_from_body.translation - turn.about, turn.about - world_from_b.translation);
        let size = 1.5 * (tree.reach + arm.norm()) + base.norm() + turn.translation.norm() + minus.norm();
        // Vertices that are off stay off by no more than 1.5 times that.
        let error = (1.5 * rough + (512.0 + 16.0 * whole) * U) * size + 2.0 * tree.error;
        let unit = if whole > 0.0 { turn.rotation * (1.0 / whole) } else { Vec3::unit(2) };
        let before = rotation_about(unit, from * whole);
        let into_b = world_from_b.rotation.transpose();
        let image = |map: Mat3, time: f64, like_last: bool| Image {
            linear: into_b * (map * (before * world_from_body.rotation)),
            offset: into_b * (map * (before * arm) + base + travel * time),
            time,
            like_last,
        };
        let start = image(Mat3::IDENTITY, from, false);
        let mut images = Images { images: [start; 4], len: 1, stretch: 1.0, error, size };
        let angle = (to - from) * whole;
        if angle > 0.0 {
            let Tangents { tangent, share, secant, .. } = Tangents::new(angle);
            if way == Way::Conservative {
                let map = Mat3::IDENTITY + Mat3::cross_matrix(unit) * tangent;
                images.push(image(map, from + share * (to - from), false));
                images.push(image(map, from + (1.0 - share) * (to - from), true));
                images.stretch = secant * (1.0 + 64.0 * U);
            }
            images.push(image(rotation_about(unit, angle), to, false));
        } else if travel != Vec3::ZERO {
            images.push(image(Mat3::IDENTITY, to, true));
        }
        images
    }

    fn push(&mut self, image: Image) {
        self.images[self.len] = image;
        self.len += 1;
    }

    fn all(&self) -> &[Image] {
        &self.images[..self.len]
    }

    /// The image of a point with the largest d·x: its number and its place.
    #[inline(always)]
    pub fn farthest(&self, body: &impl Support, d: Vec3) -> (u32, Vec3) {
        let mut best = (0, Vec3::ZERO, f64::NEG_INFINITY);
        let mut point = (0, Vec3::ZERO);
        for (k, image) in self.all().iter().enumerate() {
            if !image.like_last {
                point = body.farthest(image.linear.transpose_mul(d));
            }
            let at = image.linear * point.1 + image.offset;
            let height = d.dot(at);
            if height > best.2 {
                best = (4 * point.0 + k as u32, at, height);
            }
        }
        (best.0, best.1)
    }

    /// The image with this number.
    pub fn recalled(&self, body: &impl Support, id: u32) -> Vec3 {
        self.place(body.point(id / 4), id)
    }

    /// The point of the body whose image this place is, by the number of the image. A tangent map shortens nothing, so rounding does not grow.
    pub fn source(&self, place: Vec3, id: u32) -> Vec3 {
        let image = &self.images[id as usize % 4];
        let [x, y, z] = image.linear.columns;
        let (v, across) = (place - image.offset, [y.cross(z), z.cross(x), x.cross(y)]);
        let volume = x.dot(across[0]);
        Vec3::new(v.dot(across[0]), v.dot(across[1]), v.dot(across[2])) * (1.0 / volume)
    }

    fn place(&self, y: Vec3, id: u32) -> Vec3 {
        let image = &self.images[id as usize % 4];
        image.linear * y + image.offset
    }

    /// The least and the largest d·x of all images of a point.
    pub fn range(&self, y: Vec3, d: Vec3) -> (f64, f64) {
        let heights = self.all().iter().map(|image| d.dot(image.linear * y + image.offset));
        heights.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), h| (low.min(h), high.max(h)))
    }

    /// The middle of all images of a point.
    pub fn middle(&self, y: Vec3) -> Vec3 {
        self.all().iter().fold(Vec3::ZERO, |sum, image| sum + image.linear * y + image.offset) * (1.0 / self.len as f64)
    }

    /// All images of a triangle.
    #[inline(always)]
    pub fn corners(&self, t: &[Vec3; 3]) -> Corners {
        Corners(std::array::from_fn(|i| self.place(t[i / 4], (i % 4) as u32)))
    }

    /// When the points of a simplex are there, about; `id` tells the body's side of a vertex.
    pub fn time(&self, simplex: &Simplex, id: impl Fn((u32, u32)) -> u32) -> f64 {
        simplex.mean(|v| self.images[id(v.ids) as usize % 4].time).clamp(0.0, 1.0)
    }
}

impl Corners {
    /// The corner with the largest d·x.
    #[inline(always)]
    pub fn farthest(&self, d: Vec3) -> (u32, Vec3) {
        let mut best = (0, f64::NEG_INFINITY);
        for (i, c) in self.0.iter().enumerate() {
            let height = d.dot(*c);
            if height > best.1 {
                best = (i, height);
            }
        }
        (best.0 as u32, self.0[best.0])
    }

    /// The largest d·x.
    #[inline(always)]
    pub fn height(&self, d: Vec3) -> f64 {
        self.0.iter().fold(f64::NEG_INFINITY, |h, c| h.max(d.dot(*c)))
    }
}

/// What there is to know of an angle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tangents {
    /// tan(θ/2) and what share of θ that is.
    tangent: f64,
    share: f64,
    /// 1 / cos(θ/2).
    secant: f64,
}

impl Tangents {
    pub fn new(angle: f64) -> Self {
        let (sine, cosine) = sin_cos(0.5 * angle);
        let (tangent, secant) = (sine / cosine, 1.0 / cosine);
        Tangents { tangent, share: tangent / angle, secant }
    }

    /// The distance of D from the arc at the angle tan(θ/2), for a radius of one.
    #[cfg(test)]
    fn miss(angle: f64) -> f64 {
        let Tangents { tangent, secant, .. } = Tangents::new(angle);
        let (half, _) = sin_cos(0.5 * (tangent - 0.5 * angle));
        ((secant - 1.0) * (secant - 1.0) + 4.0 * secant * half * half).sqrt()
    }
}

/// Where a body turns, in its own frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axis {
    direction: Vec3,
    through: Vec3,
}

/// What rounding may do to radii and errors is far below this.
const ROOM: f64 = 1.0 + 1e-9;

impl Axis {
    /// The axis of a turn; `None` if there is none.
    pub fn new(world_from_body: &Pose, turn: &Turn) -> Option<Self> {
        let whole = turn.rotation.norm();
        let into_body = |v: Vec3| world_from_body.rotation.transpose_mul(v);
        let direction = into_body(turn.rotation * (1.0 / whole));
        (whole > 0.0).then(|| Axis { direction, through: into_body(turn.about - world_from_body.translation) })
    }

    fn across(&self, v: Vec3) -> f64 {
        v.cross(self.direction).norm() * ROOM
    }

    /// At least the distance of every point of a body from the axis.
    pub fn radius(&self, tree: &HullTree) -> f64 {
        self.across(self.through) + tree.reach
    }

    /// How far hulls of all points at the start and at the end of a piece can be inside of what the body sweeps: r θ²/8, the error of a
    /// chord that is passed at the speed of the arc.
    pub fn inside(&self, tree: &HullTree, angle: f64) -> f64 {
        self.radius(tree) * angle * angle / 8.0 * ROOM
    }

    /// How far outside of what the item at a leaf's place sweeps the hull of its images can be.
    ///
    /// A point of the hull is Σ w X(s) p with errors of the images at most r e(θ), equal to X(s̄) p̄ but for two sums, s̄ and p̄ the means:
    /// of R(sθ) p̄ instead of R(s̄θ) p̄, at most r θ²/2 times the variance of s, which is at most 1/4; and of (R(sθ) - R(s̄θ))(p - p̄), at most
    /// l θ times the mean of |s - s̄|, which is at most 1/2.
    #[cfg(test)]
    pub fn outside(&self, tree: &HullTree, place: u32, angle: f64, way: Way) -> f64 {
        let (radius, extent) = if tree.solid.is_some() {
            (self.radius(tree), 2.0 * tree.reach)
        } else {
            let [a, b, c] = tree.triangles[place as usize];
            let radius = [a, b, c].iter().fold(0.0f64, |r, p| r.max(self.across(*p - self.through)));
            (radius, self.across(b - a).max(self.across(c - b)).max(self.across(a - c)))
        };
        let miss = if way == Way::Conservative { Tangents::miss(angle) } else { 0.0 };
        (radius * (angle * angle / 8.0 + miss) + extent * angle / 2.0) * ROOM
    }
}
