//! On which side of a plane does a point lie? Decided exactly, for any finite coordinates up to 1e30.
//!
//! A rounded determinant answers where it is larger than its own error; integers of any length answer the rest. Both are independent of
//! [`super::rounding::U`]: what is decided here is no bound, and a wrong answer would tear a surface apart.

use super::Vec3;
use super::integer::Int;

/// Unit roundoff.
const HALF_ULP: f64 = f64::EPSILON / 2.0;
/// More than underflow can add to a determinant: 2^-1074 for each product, times coordinates of up to 2e30, a few times.
const UNDERFLOW: f64 = 1e-280;

/// The oriented plane through three points; above is where they are seen counter-clockwise.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plane {
    corners: [Vec3; 3],
    normal: Vec3,
    /// Sums of the absolute products that `normal` is made of.
    size: Vec3,
}

impl Plane {
    #[inline]
    pub fn new(corners: [Vec3; 3]) -> Self {
        let (u, v) = (corners[1] - corners[0], corners[2] - corners[0]);
        let (x, y) = (u.abs(), v.abs());
        let size = Vec3::new(x.y * y.z + x.z * y.y, x.z * y.x + x.x * y.z, x.x * y.y + x.y * y.x);
        Plane { corners, normal: u.cross(v), size }
    }

    /// The normal, rounded, of any length.
    pub fn normal(&self) -> Vec3 {
        self.normal
    }

    /// The rounded normal times the rounded way to `p`: how far above, for choosing among points.
    #[inline(always)]
    pub fn estimate_height(&self, p: Vec3) -> f64 {
        self.normal.dot(p - self.corners[0])
    }

    /// 1 above, -1 below, 0 exactly in the plane (or if the three points lie on a line).
    ///
    /// Error of the determinant: a coordinate of the normal is off by 2 u (differences) + u (products) + u (their difference) of `size`, the
    /// way to p by u, products and sums by 3 u: 8 u, and twice that for terms of higher order.
    #[inline]
    pub fn side(&self, p: Vec3) -> i32 {
        let q = p - self.corners[0];
        let (height, error) = (self.normal.dot(q), 16.0 * HALF_ULP * self.size.dot(q.abs()) + UNDERFLOW);
        if height > error {
            1
        } else if -height > error {
            -1
        } else {
            exact_side(&self.corners, p)
        }
    }
}

/// The sign of coordinate `axis` of (b - a) × (c - a): the turn of three points seen along that axis. Exact, error as for [`Plane::side`].
pub(crate) fn turn([a, b, c]: [Vec3; 3], axis: usize) -> i32 {
    let (i, k) = ((axis + 1) % 3, (axis + 2) % 3);
    let (u, v) = (b - a, c - a);
    let (left, right) = (u[i] * v[k], u[k] * v[i]);
    let error = 8.0 * HALF_ULP * (left.abs() + right.abs()) + UNDERFLOW;
    if left - right > error {
        return 1;
    }
    if right - left > error {
        return -1;
    }
    let least = least_exponent(&[a, b, c]);
    let way = |p: Vec3, axis: usize| whole(p[axis], least).minus(&whole(a[axis], least));
    way(b, i).times(&way(c, k)).minus(&way(b, k).times(&way(c, i))).sign()
}

/// Whether three points lie on a line, exactly.
pub(crate) fn collinear(corners: [Vec3; 3]) -> bool {
    (0..3).all(|axis| turn(corners, axis) == 0)
}

#[cold]
#[inline(never)]
fn exact_side(corners: &[Vec3; 3], p: Vec3) -> i32 {
    let [a, b, c] = *corners;
    // Most often all four have a coordinate in common: the difference of two numbers is zero only if they are equal.
    if (0..3).any(|k| a[k] == b[k] && a[k] == c[k] && a[k] == p[k]) {
        return 0;
    }
    let least = least_exponent(&[a, b, c, p]);
    let origin = a.to_array().map(|x| whole(x, least));
    let [u, v, w] = [b, c, p].map(|q| [0, 1, 2].map(|k| whole(q[k], least).minus(&origin[k])));
    let minor = |i: usize, k: usize| u[i].times(&v[k]).minus(&u[k].times(&v[i]));
    minor(1, 2).times(&w[0]).plus(&minor(2, 0).times(&w[1])).plus(&minor(0, 1).times(&w[2])).sign()
}

/// The exponent of the lowest bit that any of the coordinates may have.
fn least_exponent(points: &[Vec3]) -> i32 {
    points.iter().flat_map(|p| p.to_array()).filter(|&x| x != 0.0).map(|x| split(x).1).min().unwrap_or(0)
}

/// x / 2^least, which is a whole number.
fn whole(x: f64, least: i32) -> Int {
    if x == 0.0 {
        return Int::zero();
    }
    let (mantissa, exponent) = split(x);
    let magnitude = Int::shifted(mantissa, (exponent - least) as usize);
    if x < 0.0 { magnitude.negated() } else { magnitude }
}

/// |x| = mantissa * 2^exponent, the mantissa odd.
fn split(x: f64) -> (u64, i32) {
    let bits = x.to_bits();
    let (field, fraction) = ((bits >> 52 & 0x7ff) as i32, bits & ((1 << 52) - 1));
    let (mantissa, exponent) = if field == 0 { (fraction, -1074) } else { (fraction | 1 << 52, field - 1075) };
    let zeros = mantissa.trailing_zeros();
    (mantissa >> zeros, exponent + zeros as i32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_rational::BigRational;
    use num_traits::{Signed, Zero};
    use proptest::prelude::*;

    fn rational(p: Vec3) -> [BigRational; 3] {
        p.to_array().map(|x| BigRational::from_float(x).expect("finite"))
    }

    fn sign(x: &BigRational) -> i32 {
        if x.is_zero() { 0 } else { x.is_positive() as i32 - x.is_negative() as i32 }
    }

    fn cross_exact(corners: [Vec3; 3]) -> [BigRational; 3] {
        let [a, b, c] = corners.map(rational);
        let way = |p: &[BigRational; 3], k: usize| &p[k] - &a[k];
        [0, 1, 2].map(|x| {
            let (i, k) = ((x + 1) % 3, (x + 2) % 3);
            way(&b, i) * way(&c, k) - way(&b, k) * way(&c, i)
        })
    }

    /// Points of one flavour: small integers, anything, tiny, of mixed sizes, off an integer by a last bit.
    fn points() -> impl Strategy<Value = [Vec3; 4]> {
        let lattice = (-2i32..3).prop_map(f64::from);
        let nearly =
            (-2i32..3, -2i64..3).prop_map(|(x, ulps)| f64::from_bits((f64::from(x).to_bits() as i64 + ulps).max(0) as u64));
        let plain = -1.0f64..1.0;
        let tiny = (-1.0f64..1.0).prop_map(|x| x * 1e-300);
        let mixed = (-1.0f64..1.0, -200i32..90).prop_map(|(x, e)| x * 2f64.powi(e));
        let of = |c: BoxedStrategy<f64>| prop::array::uniform4(prop::array::uniform3(c).prop_map(Vec3::from));
        prop_oneof![of(lattice.boxed()), of(nearly.boxed()), of(plain.boxed()), of(tiny.boxed()), of(mixed.boxed())]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(5000))]

        #[test]
        fn sides_and_turns_are_those_of_exact_arithmetic([a, b, c, p] in points(), weights in prop::array::uniform2(0.0f64..1.0)) {
            let normal = cross_exact([a, b, c]);
            for axis in 0..3 {
                prop_assert_eq!(turn([a, b, c], axis), sign(&normal[axis]));
            }
            // A point in the plane, as nearly as rounding allows, is the hard one.
            let near = a + (b - a) * weights[0] + (c - a) * weights[1];
            for p in [p, near, a + (b - a) + (c - a)] {
                let (q, o) = (rational(p), rational(a));
                let height = (0..3).fold(BigRational::zero(), |sum, k| sum + &normal[k] * (&q[k] - &o[k]));
                prop_assert_eq!(Plane::new([a, b, c]).side(p), sign(&height));
            }
        }
    }
}
