//! Capsules, or line-swept spheres, fitted around a body beforehand.
//!
//! ```text
//!        .-------------------.        for a given axis: the smallest circle around the points seen along it gives line and radius r;
//!      (  a ================ b  )     a point at s along and q off the line is held by [s0, s1] if s0 - h <= s <= s1 + h,
//!        '-------------------'        h = sqrt(r^2 - q^2): the ends are pulled in until a point lies on each cap
//! ```
//!
//! Axes tried: principal axes, farthest pairs, coordinate axes; then the best two are turned a little as long as the volume shrinks.
//! Whatever rounding did on the way, the last step measures: the radius is the largest distance from the segment that was found, rounded up.
//! [Redon 2004, section 4.2.1, where the capsules come from Larsen et al. 2000, by principal axes alone.]

use crate::geometry::bounding::circle::{shuffled, smallest_circle};
use crate::math::pose::Placement;
use crate::math::rounding::{INFLATE, U};
use crate::math::trig::sin_cos;
use crate::math::{Mat3, Vec3};

/// All points within `radius` of the segment from `a` to `b`.
#[doc(alias = "LSS")]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Capsule {
    /// One end of the segment.
    pub a: Vec3,
    /// The other.
    pub b: Vec3,
    /// Radius.
    pub radius: f64,
}

/// A ball to be covered; a point has radius 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ball {
    /// Centre.
    pub center: Vec3,
    /// Radius, not negative.
    pub radius: f64,
}

impl From<Vec3> for Ball {
    fn from(center: Vec3) -> Self {
        Ball { center, radius: 0.0 }
    }
}

/// Directions whose extreme points stand for all in the search for an axis.
const DIRECTIONS: usize = 128;
/// The first step of the search, radians, and how often it is halved.
const STEP: f64 = 0.25;
const HALVINGS: u32 = 6;
/// Of the axes tried, so many are turned.
const TURNED: usize = 2;

impl Capsule {
    /// A capsule around all balls, of nearly the least volume; `None` if there is none or a number is not finite. Balls of different sizes
    /// are fitted by their centres, which holds them but is not the best for them.
    pub fn around(balls: &[Ball]) -> Option<Capsule> {
        if balls.is_empty() || balls.iter().any(|b| !(b.center.is_finite() && b.radius.is_finite())) {
            return None;
        }
        let balls = shuffled(balls.to_vec());
        let few = extreme(&balls);
        let principal = principal_axes(&balls);
        let candidates = principal.columns.into_iter().chain(far_apart(&few)).chain([0, 1, 2].map(Vec3::unit));
        let mut fits: Vec<Fit> = candidates.map(|axis| Fit::along(&few, axis)).collect();
        fits.sort_by(|p, q| p.volume.total_cmp(&q.volume));
        let found = fits.into_iter().take(TURNED).map(|fit| fit.turned(&few)).min_by(|p, q| p.volume.total_cmp(&q.volume))?;
        let both = [found.axis, principal.columns[0]].map(|axis| Capsule::along(&balls, axis));
        both.into_iter().min_by(|p, q| p.volume().total_cmp(&q.volume()))
    }

    /// The capsule of the longest principal axis alone.
    pub fn around_principal_axis(balls: &[Ball]) -> Capsule {
        let balls = shuffled(balls.to_vec());
        Capsule::along(&balls, principal_axes(&balls).columns[0])
    }

    /// The capsule of the least radius, then length, whose segment has the given direction, a unit vector.
    fn along(balls: &[Ball], axis: Vec3) -> Capsule {
        let fit = Fit::along(balls, axis);
        Capsule::covering(fit.a, fit.b, balls)
    }

    /// The capsule around a segment that just holds all balls.
    ///
    /// Sound: the distance to any point of the segment is at least that to the segment. The point x = a + t (b - a), 0 <= t <= 1, is
    /// computed to within 4 u (|a| + |b|) of the segment, p - x and its length with 4 u of theirs.
    fn covering(a: Vec3, b: Vec3, balls: &[Ball]) -> Capsule {
        let ends = a.norm1() + b.norm1();
        let needed = |ball: &Ball| {
            let off = (ball.center - nearest(a, b, ball.center)).norm() + ball.radius;
            (off + 16.0 * U * (ends + ball.center.norm1())) * INFLATE
        };
        Capsule { a, b, radius: balls.iter().map(needed).fold(0.0, f64::max) }
    }

    /// A capsule that holds this one where a placement puts it: points between the ends are off by no more than these.
    pub(crate) fn placed(&self, placement: &Placement) -> Capsule {
        let ((a, off_a), (b, off_b)) = (placement.apply(self.a), placement.apply(self.b));
        Capsule { a, b, radius: (self.radius + off_a.max(off_b)) * INFLATE }
    }

    /// The point of the segment nearest to `p` (rounded).
    pub fn nearest(&self, p: Vec3) -> Vec3 {
        nearest(self.a, self.b, p)
    }

    /// Cubic metres (rounded).
    pub fn volume(&self) -> f64 {
        let r = self.radius;
        std::f64::consts::PI * r * r * ((self.b - self.a).norm() + 4.0 / 3.0 * r)
    }
}

fn nearest(a: Vec3, b: Vec3, p: Vec3) -> Vec3 {
    let d = b - a;
    let dd = d.norm_squared();
    if dd > 0.0 { a + d * ((p - a).dot(d) / dd).clamp(0.0, 1.0) } else { a }
}

/// A capsule around centres, as rounding left it: good for choosing.
#[derive(Clone, Copy)]
struct Fit {
    axis: Vec3,
    a: Vec3,
    b: Vec3,
    volume: f64,
}

impl Fit {
    fn along(balls: &[Ball], axis: Vec3) -> Fit {
        let (e1, e2) = across(axis);
        let flat: Vec<[f64; 2]> = balls.iter().map(|b| [b.center.dot(e1), b.center.dot(e2)]).collect();
        let circle = smallest_circle(&flat);
        let (mut s0, mut s1) = (f64::INFINITY, f64::NEG_INFINITY);
        for (ball, [x, y]) in balls.iter().zip(flat) {
            let off = (x - circle.center[0]).powi(2) + (y - circle.center[1]).powi(2);
            let cap = (circle.radius * circle.radius - off).max(0.0).sqrt();
            let s = ball.center.dot(axis);
            (s0, s1) = (s0.min(s + cap), s1.max(s - cap));
        }
        if s0 > s1 {
            // One ball on the line holds all: any between the two will do.
            (s0, s1) = (0.5 * (s0 + s1), 0.5 * (s0 + s1));
        }
        let line = e1 * circle.center[0] + e2 * circle.center[1];
        let (a, b) = (line + axis * s0, line + axis * s1);
        Fit { axis, a, b, volume: Capsule { a, b, radius: circle.radius }.volume() }
    }

    /// The axis turned a little, and a little less, as long as the volume shrinks.
    fn turned(mut self, balls: &[Ball]) -> Fit {
        let mut step = STEP;
        for _ in 0..HALVINGS {
            // A bound on the work only; a handful of steps is usual.
            for _ in 0..16 {
                let (e1, e2) = across(self.axis);
                let tries = [e1, -e1, e2, -e2, e1 + e2, e1 - e2, e2 - e1, -e1 - e2];
                let fits = tries.map(|e| Fit::along(balls, unit(self.axis + e * step)));
                match fits.into_iter().min_by(|p, q| p.volume.total_cmp(&q.volume)) {
                    Some(better) if better.volume < self.volume => self = better,
                    _ => break,
                }
            }
            step *= 0.5;
        }
        self
    }
}

/// The balls that reach farthest in some direction of a spiral over the sphere; all of them if they are few.
fn extreme(balls: &[Ball]) -> Vec<Ball> {
    if balls.len() <= 2 * DIRECTIONS {
        return balls.to_vec();
    }
    const GOLDEN_ANGLE: f64 = 2.399_963_229_728_653;
    let mut chosen: Vec<usize> = (0..DIRECTIONS)
        .map(|k| {
            let z = (2 * k + 1) as f64 / DIRECTIONS as f64 - 1.0;
            let (s, c) = sin_cos(GOLDEN_ANGLE * k as f64);
            let flat = (1.0 - z * z).sqrt();
            farthest(balls, Vec3::new(c * flat, s * flat, z))
        })
        .collect();
    chosen.sort_unstable();
    chosen.dedup();
    shuffled(chosen.into_iter().map(|i| balls[i]).collect())
}

fn farthest(balls: &[Ball], direction: Vec3) -> usize {
    let along = |i: &usize| balls[*i].center.dot(direction);
    (0..balls.len()).max_by(|p, q| along(p).total_cmp(&along(q))).unwrap_or(0)
}

/// Directions between balls that are far apart: the farthest from the first, and the farthest from that, and of all pairs.
fn far_apart(balls: &[Ball]) -> Vec<Vec3> {
    let from = |p: Vec3| {
        let off = |b: &&Ball| (b.center - p).norm_squared();
        balls.iter().max_by(|x, y| off(x).total_cmp(&off(y))).map_or(p, |b| b.center)
    };
    let one = from(balls[0].center);
    let pairs = balls.iter().map(|b| (b.center, from(b.center)));
    let longest = pairs.max_by(|x, y| (x.0 - x.1).norm_squared().total_cmp(&(y.0 - y.1).norm_squared()));
    longest.into_iter().chain([(one, from(one))]).map(|(p, q)| unit(q - p)).collect()
}

/// The axes of inertia, the longest extent first.
fn principal_axes(balls: &[Ball]) -> Mat3 {
    let n = balls.len().max(1) as f64;
    let mean = balls.iter().fold(Vec3::ZERO, |sum, b| sum + b.center) * (1.0 / n);
    let spread = balls.iter().map(|b| b.center - mean).fold(Mat3::ZERO, |sum, d| sum + Mat3::outer(d, d));
    let (values, vectors) = eigen(spread);
    let mut order = [0, 1, 2];
    order.sort_by(|&i, &j| values[j].total_cmp(&values[i]));
    Mat3 { columns: order.map(|i| unit(vectors.columns[i])) }
}

/// Eigenvalues and vectors of a symmetric matrix, by Jacobi's rotations.
fn eigen(mut m: Mat3) -> (Vec3, Mat3) {
    let mut vectors = Mat3::IDENTITY;
    for sweep in 0..24 {
        let (p, q) = [(0, 1), (0, 2), (1, 2)][sweep % 3];
        let (off, gap) = (m.columns[q][p], m.columns[q][q] - m.columns[p][p]);
        if off == 0.0 {
            continue;
        }
        let theta = gap / (2.0 * off);
        let tangent = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
        let cos = 1.0 / (tangent * tangent + 1.0).sqrt();
        let mut turn = Mat3::IDENTITY;
        (turn.columns[p][p], turn.columns[q][q]) = (cos, cos);
        (turn.columns[q][p], turn.columns[p][q]) = (cos * tangent, -cos * tangent);
        m = turn.transpose() * m * turn;
        vectors = vectors * turn;
    }
    (Vec3::new(m.columns[0].x, m.columns[1].y, m.columns[2].z), vectors)
}

/// `v` at length one; z where it has none.
fn unit(v: Vec3) -> Vec3 {
    let length = v.norm();
    if length > 0.0 && length.is_finite() { v * (1.0 / length) } else { Vec3::unit(2) }
}

/// Two unit vectors across a third.
fn across(axis: Vec3) -> (Vec3, Vec3) {
    let side = Vec3::unit((axis.longest_axis() + 1) % 3);
    let e1 = unit(side - axis * axis.dot(side));
    (e1, axis.cross(e1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Pose;
    use crate::math::pose::rotation_about;
    use num_rational::BigRational;
    use proptest::prelude::*;

    fn points(raw: &[[f64; 3]]) -> Vec<Ball> {
        raw.iter().map(|&p| Ball::from(Vec3::from(p))).collect()
    }

    /// Whether a point is within the capsule, in rational arithmetic, by a point of the segment near it.
    fn exactly_inside(capsule: &Capsule, p: Vec3) -> bool {
        let exact = |x: f64| BigRational::from_float(x).expect("finite");
        let (a, d) = (capsule.a.to_array(), (capsule.b - capsule.a).norm_squared());
        let t = if d > 0.0 { ((p - capsule.a).dot(capsule.b - capsule.a) / d).clamp(0.0, 1.0) } else { 0.0 };
        let squared = (0..3).fold(exact(0.0), |sum, i| {
            let x = exact(a[i]) + exact(t) * (exact(capsule.b[i]) - exact(a[i]));
            let off = exact(p[i]) - x;
            sum + &off * &off
        });
        squared <= exact(capsule.radius) * exact(capsule.radius)
    }

    proptest! {
        /// Wherever in its errors a placement really is, and exactly where nothing but rounding is off.
        #[test]
        fn a_placed_capsule_holds_what_it_held(
            ends in prop::array::uniform6(-1.0f64..1.0), radius in 0.0f64..0.3, to in prop::array::uniform3(-2.0f64..2.0), angle in -3.0f64..3.0,
            off in prop::sample::select(vec![0.0, 1e-3]), s in 0.0f64..1.0, out in prop::array::uniform3(-1.0f64..1.0),
        ) {
            let [ax, ay, az, bx, by, bz] = ends;
            let capsule = Capsule { a: Vec3::new(ax, ay, az), b: Vec3::new(bx, by, bz), radius };
            let turn = |angle| rotation_about(Vec3::new(0.6, 0.0, 0.8), angle);
            let told = Pose { rotation: turn(angle), translation: to.into() };
            let placement = Placement { pose: told, rotation_error: off + crate::math::pose::ROTATION_ERROR, position_error: off };
            // A turn by `off` changes vectors by at most `off` of their length.
            let real = Pose { rotation: turn(angle + off), translation: Vec3::from(to) + Vec3::unit(1) * off };
            let out = Vec3::from(out);
            let p = capsule.a + (capsule.b - capsule.a) * s + out * (radius * (1.0 - 1e-9) / out.norm().max(1e-9));
            prop_assert!(exactly_inside(&capsule.placed(&placement), real.apply(p)) || radius < 1e-6);
        }

        #[test]
        fn every_point_is_inside_and_principal_axes_do_no_better(
            raw in prop::collection::vec(prop::array::uniform3(-1.0f64..1.0), 1..40), stretch in 0.01f64..10.0, far in -100.0f64..100.0,
        ) {
            let raw: Vec<[f64; 3]> = raw.iter().map(|p| [p[0] * stretch + far, p[1], p[2]]).collect();
            let balls = points(&raw);
            let capsule = Capsule::around(&balls).expect("finite");
            prop_assert!(balls.iter().all(|b| exactly_inside(&capsule, b.center)));
            prop_assert!(capsule.volume() <= Capsule::around_principal_axis(&balls).volume());
        }

        #[test]
        fn balls_are_inside(raw in prop::collection::vec((prop::array::uniform3(-1.0f64..1.0), 0.0f64..0.5), 1..20)) {
            let balls: Vec<Ball> = raw.iter().map(|&(p, radius)| Ball { center: p.into(), radius }).collect();
            let capsule = Capsule::around(&balls).expect("finite");
            for ball in &balls {
                let off = (ball.center - capsule.nearest(ball.center)).norm();
                prop_assert!(off + ball.radius <= capsule.radius);
            }
        }
    }

    /// A capsule's own points give it back, and many points are no worse than few.
    #[test]
    fn what_is_a_capsule_is_found_again() {
        let truth = Capsule { a: Vec3::new(0.3, -0.2, 0.1), b: Vec3::new(1.1, 0.4, 0.6), radius: 0.15 };
        let axis = unit(truth.b - truth.a);
        let (e1, _) = across(axis);
        let mut balls = Vec::new();
        for k in 0..40 {
            for latitude in 0..10 {
                let (s, c) = sin_cos(latitude as f64 * 0.15);
                let out = rotation_about(axis, k as f64 * 0.157) * e1 * (truth.radius * c);
                balls.push(Ball::from(truth.b + out + axis * (truth.radius * s)));
                balls.push(Ball::from(truth.a + out - axis * (truth.radius * s)));
            }
        }
        let found = Capsule::around(&balls).expect("finite");
        assert!(found.volume() < 1.01 * truth.volume(), "{found:?}");
    }

    /// The corners of a slab, most of them on one side: principal axes alone are far off.
    #[test]
    fn it_is_smaller_than_a_fit_by_principal_axes() {
        let mut total = (0.0, 0.0);
        for k in 0..20 {
            let turn = rotation_about(unit(Vec3::new(1.0, k as f64, 2.0)), 0.3 * k as f64);
            let box_at = |i: usize| Vec3::new((i & 1) as f64, ((i >> 1) & 1) as f64 * 0.7, ((i >> 2) & 1) as f64 * 0.4);
            let uneven = (0..8 + k).map(|i| box_at(i % 8) * (1.0 + 0.02 * i as f64));
            let balls: Vec<Ball> = uneven.map(|p| Ball::from(turn * p)).collect();
            let (ours, theirs) = (Capsule::around(&balls).expect("finite"), Capsule::around_principal_axis(&balls));
            total = (total.0 + ours.volume(), total.1 + theirs.volume());
        }
        println!("volume of the fit: {:.3} of that by principal axes", total.0 / total.1);
        assert!(total.0 < 0.95 * total.1, "{total:?}");
    }

    #[test]
    fn poor_input_is_no_trouble() {
        assert_eq!(Capsule::around(&[]), None);
        assert_eq!(Capsule::around(&points(&[[f64::NAN, 0.0, 0.0]])), None);
        let one = Capsule::around(&points(&[[1.0, 2.0, 3.0]; 5])).expect("finite");
        assert!(one.radius < 1e-13 && (one.a - Vec3::new(1.0, 2.0, 3.0)).norm() < 1e-14);
        let line = Capsule::around(&points(&[[0.0; 3], [1.0, 1.0, 0.0], [3.0, 3.0, 0.0]])).expect("finite");
        assert!(line.radius < 1e-7 && line.volume() < 1e-12, "{line:?}");
    }
}
