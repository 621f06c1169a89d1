//! Do two oriented boxes stay apart over a span? The fifteen axes, by interval arithmetic. [Redon 2004, section 5.1, equation 12]
//!
//! ```text
//!        |a · T(tau)|  >  sum_i b_i |a · e_i|  +  sum_j a_j |a · f_j(tau)|       for all tau in [-1, 1]
//! ```
//!
//! e: the axes of the resting box, f: those of the moving one, T: from the resting centre to the moving one, all in the axes of the
//! resting box. What varies is a line in tau plus a rest ([`Line`]): |a · T| is at least its middle less its slope less its rest; the
//! right side is bounded by absolute values. The interval matrix is that of the moving body relative to the resting one: with both
//! relative to their common ancestor bounds are as narrow (measured in `reference/redon2004/taylor_motion.rs`) and each resting box would cost a product more.
//!
//! Sound: an axis need not be a unit vector, only its products must be right. Axes of stored boxes are orthonormal within 2^-45, which
//! changes sums over a box by less than 2^-43 of its sides and of T: [`ORTHONORMAL`]. No axis is longer than 1 + 2^-44, so a margin counts
//! once.

use crate::bvh::OrientedBox;
use crate::math::interval::Varying;
use crate::math::rounding::{INFLATE, U};
use crate::math::{M4, V4, Vec3};
use crate::reference::redon2004::taylor_motion::VaryingMotion;

/// What orthonormality within 2^-45 may cost, per length; 2^-43.
const ORTHONORMAL: f64 = 1024.0 * U;

/// A motion as lines: `middle + tau rate`, and how far from that it may be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LinearMotion {
    rotation: [M4; 3],
    position: [V4; 3],
}

impl LinearMotion {
    /// The lines of a motion; where a constant is a better guess than a line, a constant.
    pub fn new(motion: &VaryingMotion) -> Self {
        let part = |v: &Varying| {
            let rest = v.noise + v.rate_spread;
            if v.spread < 0.7 * (rest + v.rate.abs()) { (v.mid, 0.0, v.spread) } else { (v.mid, v.rate, rest * INFLATE) }
        };
        let mut lines = LinearMotion { rotation: Default::default(), position: Default::default() };
        for i in 0..3 {
            let (mid, rate, rest) = part(&motion.position.0[i]);
            (lines.position[0].0[i], lines.position[1].0[i], lines.position[2].0[i]) = (mid, rate, rest);
            for k in 0..3 {
                let (mid, rate, rest) = part(&motion.rotation.0[k].0[i]);
                let [a, b, c] = &mut lines.rotation;
                (a.0[k].0[i], b.0[k].0[i], c.0[k].0[i]) = (mid, rate, rest);
            }
        }
        lines
    }
}

/// A moving box over a span, in the frame of what rests.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CarriedBox {
    axes: [M4; 3],
    center: [V4; 3],
    half: Vec3,
    /// What rounding may do to the centre, and to a coordinate of an axis.
    rounding: (f64, f64),
}

impl CarriedBox {
    /// A box of the body that moves so.
    #[inline(always)]
    pub fn new(motion: &LinearMotion, b: &OrientedBox) -> Self {
        let (u, y) = (M4::from(b.axes), V4::from(b.center));
        let ([r, dr, rest], [p, dp, blur]) = (&motion.rotation, &motion.position);
        // Entries of the rotation are at most 1; its rates may be anything.
        let turn = 1.0 + dr.0.iter().map(|c| c.vec3().norm1()).sum::<f64>();
        CarriedBox {
            axes: [r.mul(&u), dr.mul(&u), rest.mul(&u.abs())],
            center: [r.apply(y).add(*p), dr.apply(y).add(*dp), rest.apply(y.abs()).add(*blur)],
            half: b.half,
            rounding: (32.0 * U * (b.center.norm1() * turn + p.vec3().norm1() + dp.vec3().norm1()), 64.0 * U * turn),
        }
    }

    /// Whether it is proven to stay farther than `margin` from a resting box throughout the span.
    #[inline(always)]
    pub fn stays_apart(&self, b: &OrientedBox, margin: f64) -> bool {
        let v = M4::from(b.axes).transpose();
        let v_abs = v.abs();
        let rounding = V4::splat(self.rounding.0 + 32.0 * U * b.center.norm1());
        let t =
            [v.apply(self.center[0].sub(b.center.into())), v.apply(self.center[1]), v_abs.apply(self.center[2]).add(rounding)];
        let r = [v.mul(&self.axes[0]), v.mul(&self.axes[1]), v_abs.mul(&self.axes[2])];
        let line = |m: &[V4; 3], i: usize, extra: f64| Line { mid: m[0].0[i], slope: m[1].0[i], rest: m[2].0[i] + extra };
        let t = [line(&t, 0, 0.0), line(&t, 1, 0.0), line(&t, 2, 0.0)];
        let entry = |i: usize, j: usize| line(&[r[0].0[j], r[1].0[j], r[2].0[j]], i, self.rounding.1);
        let r = [0, 1, 2].map(|i| [entry(i, 0), entry(i, 1), entry(i, 2)]);
        let blur = ORTHONORMAL * (self.half.norm1() + b.half.norm1() + t[0].most() + t[1].most() + t[2].most());
        Boxes { t, r, most: r.map(|row| row.map(Line::most)), a: self.half, b: b.half, need: margin + blur }.apart()
    }
}

/// `mid + tau slope`, and at most `rest` away from it.
#[derive(Clone, Copy)]
struct Line {
    mid: f64,
    slope: f64,
    rest: f64,
}

impl Line {
    /// The largest absolute value, at least.
    #[inline(always)]
    fn most(self) -> f64 {
        self.mid.abs() + self.slope.abs() + self.rest
    }

    /// The smallest absolute value, nearly: compared with something that is inflated.
    #[inline(always)]
    fn least(self) -> f64 {
        self.mid.abs() - (self.slope.abs() + self.rest) * INFLATE
    }

    /// (x + tau x' + e) (y + tau y' + f): the product of the slopes, everything with e or f, and the rounding of the rest are its rest.
    #[inline(always)]
    fn times(self, o: Line) -> Line {
        let mid = self.mid * o.mid;
        let (left, right) = (self.slope * o.mid, self.mid * o.slope);
        let rest = self.slope.abs() * o.slope.abs() + self.most() * o.rest + self.rest * (o.mid.abs() + o.slope.abs());
        Line { mid, slope: left + right, rest: rest + 4.0 * U * (mid.abs() + left.abs() + right.abs()) }
    }

    #[inline(always)]
    fn plus(self, o: Line) -> Line {
        let (mid, slope) = (self.mid + o.mid, self.slope + o.slope);
        Line { mid, slope, rest: self.rest + o.rest + 2.0 * U * (mid.abs() + slope.abs()) }
    }

    #[inline(always)]
    fn minus(self, o: Line) -> Line {
        self.plus(Line { mid: -o.mid, slope: -o.slope, rest: o.rest })
    }
}

/// Two boxes, in the axes of the second.
struct Boxes {
    t: [Line; 3],
    r: [[Line; 3]; 3],
    most: [[f64; 3]; 3],
    a: Vec3,
    b: Vec3,
    need: f64,
}

impl Boxes {
    #[inline(always)]
    fn apart(&self) -> bool {
        self.along_resting() || self.along_moving() || self.across()
    }

    #[inline(always)]
    fn exceeds(&self, gap: Line, sides: f64) -> bool {
        gap.least() > (sides + self.need) * INFLATE
    }

    /// The axes of the resting box.
    #[inline(always)]
    fn along_resting(&self) -> bool {
        (0..3).any(|i| {
            let q = &self.most[i];
            self.exceeds(self.t[i], self.b[i] + self.a[0] * q[0] + self.a[1] * q[1] + self.a[2] * q[2])
        })
    }

    /// The axes of the moving box.
    #[inline(always)]
    fn along_moving(&self) -> bool {
        (0..3).any(|j| {
            let at = |i: usize| self.t[i].times(self.r[i][j]);
            let sides = self.a[j] + self.b[0] * self.most[0][j] + self.b[1] * self.most[1][j] + self.b[2] * self.most[2][j];
            self.exceeds(at(0).plus(at(1)).plus(at(2)), sides)
        })
    }

    /// The nine products of axes.
    #[inline(always)]
    fn across(&self) -> bool {
        (0..3).any(|i| {
            let (k, l) = ((i + 1) % 3, (i + 2) % 3);
            (0..3).any(|j| {
                let (m, n) = ((j + 1) % 3, (j + 2) % 3);
                let gap = self.t[l].times(self.r[k][j]).minus(self.t[k].times(self.r[l][j]));
                let moving = self.a[m] * self.most[i][n] + self.a[n] * self.most[i][m];
                self.exceeds(gap, moving + self.b[k] * self.most[l][j] + self.b[l] * self.most[k][j])
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::pose::Placement;
    use crate::math::{Mat3, Pose};
    use crate::motion::sample::chains;
    use crate::motion::{Carried, Relative, Span};
    use num_rational::BigRational;
    use num_traits::{Signed, ToPrimitive};
    use proptest::prelude::*;

    fn vector() -> impl Strategy<Value = Vec3> {
        prop::array::uniform3(-1.0f64..1.0).prop_map(Vec3::from)
    }

    fn half() -> impl Strategy<Value = Vec3> {
        // Flat and thin boxes too.
        prop::array::uniform3(prop_oneof![Just(0.0), 1e-3f64..0.5]).prop_map(Vec3::from)
    }

    fn turned(rpy: Vec3) -> Mat3 {
        Pose::from_rpy(Vec3::ZERO, rpy * 3.0).expect("finite").rotation
    }

    /// A corner, edge or face point of a box, by the signs of `at`.
    fn on_surface(b: &OrientedBox, at: Vec3) -> Vec3 {
        let k = at.longest_axis();
        let mut s = Vec3::new(at.x * b.half.x, at.y * b.half.y, at.z * b.half.z);
        s[k] = b.half[k] * at[k].signum();
        b.center + b.axes * s
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        /// Two boxes that share a point at some time in the span, both on their surfaces, or come as near as the margin.
        #[test]
        fn a_touching_pair_is_never_lost(
            chain in chains(1..5, 1.0),
            (from, length, share) in (0.0f64..0.5, prop_oneof![Just(0.0), 1e-3f64..0.5], 0.0f64..=1.0),
            (rpy, center, size, at) in (vector(), vector(), half(), vector()),
            (other_rpy, other_size, other_at) in (vector(), half(), vector()),
            margin in prop_oneof![Just(0.0), 0.0f64..0.1],
        ) {
            let span = Span::new(from, from + length);
            let tip = chain.joints.len() - 1;
            let here = Placement::new(Pose::IDENTITY);
            let moving = OrientedBox { axes: turned(rpy), center, half: size };
            let y = on_surface(&moving, at);
            let body = Carried { frame: tip, placement: &here };
            let relative = Relative::new(&chain, body, Carried { frame: 0, placement: &here }, 0, Vec3::ZERO);
            let t = span.from + share * span.length();
            let tube = relative.tube(Span::new(t, t));
            let touch = tube.line(y).0;
            let mut resting = OrientedBox { axes: turned(other_rpy), center: Vec3::ZERO, half: other_size };
            let out = resting.axes.columns[other_at.longest_axis()];
            resting.center = touch - on_surface(&resting, other_at) - out * (other_at[other_at.longest_axis()].signum() * margin);
            let motion = VaryingMotion::of_frame(&chain, 0, tip, span);
            let carried = CarriedBox::new(&LinearMotion::new(&motion), &moving);
            // The sample's own rounding, as in `motion::tube`.
            let rounding = 2.0 * tube.rounding(y.norm()) + 1e-15;
            prop_assert!(!carried.stays_apart(&resting, margin + rounding));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        /// The corner of a slanted box lies, exactly, in a speck around the rounded corner.
        #[test]
        fn boxes_that_share_a_corner_by_less_than_a_rounding_are_not_apart(
            rpy in vector(), center in vector(), size in prop::array::uniform3(0.1f64..0.5), corner in prop::array::uniform3(any::<bool>()),
        ) {
            let exact = |x: f64| BigRational::from_float(x).expect("finite");
            let moving = OrientedBox { axes: turned(rpy), center, half: size.into() };
            let signed = |k: usize| if corner[k] { moving.half[k] } else { -moving.half[k] };
            let rounded = moving.center + moving.axes * Vec3::new(signed(0), signed(1), signed(2));
            // How far the rounded corner is from the true one, and no more, is the other box's half side.
            let half = [0, 1, 2].map(|i| {
                let place = (0..3).fold(exact(center[i]), |sum, k| sum + exact(moving.axes.columns[k][i]) * exact(signed(k)));
                (place - exact(rounded[i])).abs().to_f64().expect("small").next_up()
            });
            let resting = OrientedBox { axes: Mat3::IDENTITY, center: rounded, half: half.into() };
            prop_assert!(!still(&moving).stays_apart(&resting, 0.0));
        }
    }

    /// A box that stays where it is.
    fn still(b: &OrientedBox) -> CarriedBox {
        CarriedBox::new(&LinearMotion::new(&VaryingMotion::identity()), b)
    }

    fn cube(rpy: Vec3, center: Vec3) -> OrientedBox {
        OrientedBox { axes: Pose::from_rpy(Vec3::ZERO, rpy).expect("finite").rotation, center, half: Vec3::splat(1.0) }
    }

    /// Each kind of axis separates something that no other one does, and a margin counts.
    #[test]
    fn all_axes_are_tried() {
        let upright = cube(Vec3::ZERO, Vec3::ZERO);
        let apart = |a: &OrientedBox, b: &OrientedBox| still(a).stays_apart(b, 0.0) && still(b).stays_apart(a, 0.0);
        let beside = cube(Vec3::ZERO, Vec3::new(2.1, 0.0, 0.0));
        assert!(
            apart(&upright, &beside) && still(&upright).stays_apart(&beside, 0.05) && !still(&upright).stays_apart(&beside, 0.2)
        );
        assert!(!apart(&upright, &cube(Vec3::ZERO, Vec3::new(2.0, 0.0, 0.0))));
        // Turned about z, near an edge of the other: a face of the turned one separates, whichever of them moves.
        let quarter = std::f64::consts::FRAC_PI_4;
        let corner = |x: f64| cube(Vec3::new(0.0, 0.0, quarter), Vec3::new(x, x, 0.0));
        assert!(apart(&upright, &corner(1.75)) && !apart(&upright, &corner(1.65)));
        // Standing on edges that cross in the air: only the product of the edges separates.
        let below = cube(Vec3::new(quarter, 0.0, 0.0), Vec3::ZERO);
        let above = |gap: f64| cube(Vec3::new(0.0, quarter, 0.0), Vec3::new(0.0, 0.0, 2.0 * 2.0f64.sqrt() + gap));
        assert!(apart(&below, &above(0.01)) && !apart(&below, &above(-0.01)));
    }

    #[test]
    fn nan_separates_nothing() {
        let here = still(&cube(Vec3::ZERO, Vec3::ZERO));
        assert!(here.stays_apart(&cube(Vec3::ZERO, Vec3::splat(10.0)), 0.0));
        assert!(!here.stays_apart(&cube(Vec3::ZERO, Vec3::splat(f64::NAN)), 0.0));
        assert!(!here.stays_apart(&OrientedBox { half: Vec3::splat(f64::NAN), ..cube(Vec3::ZERO, Vec3::splat(10.0)) }, 0.0));
    }
}
