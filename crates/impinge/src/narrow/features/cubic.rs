//! The coplanarity cubic f = (e1 x e2)·g in Bernstein form, with a band: where |f| is above it, the true f has the same sign.
//!
//! Budget of the band in u La Lb Lg, L the sizes of e1, e2, g. A component of a cross product: inputs 4, products 2, difference 2: 8; the
//! mixed one n1 (two cross products and a sum, at most 4 La Lb): 20. A dot product of n0 (components at most 2) and g: 3 (8 + 2 + 2·3) <= 46;
//! of n1: 3 (20 + 4 + 4·3) <= 108. A middle coefficient is (46 + 108 + sums 18) / 3 <= 68. Restriction to [s, h], always from the original
//! coefficients, of size at most 6: three levels of 3 each: 54. The whole is below 128; the rest is room for the rounding of s and h
//! (u in t, |f'| <= 36: 36 each). So 256 u La Lb Lg covers everything, underflow apart, see [`TINY`].
//!
//! With a radius r, two points within r of each other have |f| <= r |N|: the difference of points of the features is g up to vectors
//! along e1 and e2, which N = e1 x e2 does not see. |N| is at most the longest of its control points n0, n1 / 2, n2, each off by
//! sqrt(3) 20 u La Lb.

use crate::math::rounding::U;
use crate::narrow::features::forms::{Forms, TINY};

/// Roundings in the band, see above.
const BAND: f64 = 256.0;

/// f over [0, 1].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cubic {
    pub coefficients: [f64; 4],
    pub band: f64,
}

impl Cubic {
    #[inline(always)]
    pub fn new(forms: &Forms) -> Cubic {
        let [a, b] = &forms.ends;
        let (n0, n2) = (a.e1.cross(a.e2), b.e1.cross(b.e2));
        let n1 = a.e1.cross(b.e2) + b.e1.cross(a.e2);
        let third = 1.0 / 3.0;
        let coefficients = [n0.dot(a.g), (n0.dot(b.g) + n1.dot(a.g)) * third, (n2.dot(a.g) + n1.dot(b.g)) * third, n2.dot(b.g)];
        let mut band = BAND * U * forms.size[0] * forms.size[1] * forms.size[2] + TINY;
        if forms.radius > 0.0 {
            let steepest = n0.norm().max(0.5 * n1.norm()).max(n2.norm());
            band += forms.radius * (steepest * (1.0 + 16.0 * U) + 64.0 * U * forms.size[0] * forms.size[1]);
        }
        Cubic { coefficients, band }
    }

    /// Whether f keeps one sign over [0, 1].
    #[inline(always)]
    pub fn excludes(&self) -> bool {
        beyond(&self.coefficients, self.band)
    }

    /// Whether f keeps one sign between two times: by pieces, where its control points are not on one side yet.
    pub fn excludes_between(&self, from: f64, to: f64, depth: u32) -> bool {
        if beyond(&self.between(from, to), self.band) {
            return true;
        }
        let middle = 0.5 * (from + to);
        depth > 0 && self.excludes_between(from, middle, depth - 1) && self.excludes_between(middle, to, depth - 1)
    }

    /// Bernstein coefficients of the part between two times.
    #[inline(always)]
    fn between(&self, s: f64, h: f64) -> [f64; 4] {
        let mix = |a: f64, b: f64, t: f64| a * (1.0 - t) + b * t;
        let c = &self.coefficients;
        let at = |t: f64| [mix(c[0], c[1], t), mix(c[1], c[2], t), mix(c[2], c[3], t)];
        let (a, b) = (at(s), at(h));
        let (ss, sh, hh) = (
            [mix(a[0], a[1], s), mix(a[1], a[2], s)],
            [mix(a[0], a[1], h), mix(a[1], a[2], h)],
            [mix(b[0], b[1], h), mix(b[1], b[2], h)],
        );
        [mix(ss[0], ss[1], s), mix(ss[0], ss[1], h), mix(sh[0], sh[1], h), mix(hh[0], hh[1], h)]
    }

    /// f at a time, within the band.
    #[inline(always)]
    pub fn at(&self, t: f64) -> f64 {
        let ([a, b, c, d], s) = (self.coefficients, 1.0 - t);
        let mix = |a: f64, b: f64| a * s + b * t;
        let (ab, bc, cd) = (mix(a, b), mix(b, c), mix(c, d));
        mix(mix(ab, bc), mix(bc, cd))
    }

    /// The sign of the true f at a time, or 0 where the band does not tell.
    #[inline(always)]
    pub fn sign(&self, t: f64) -> i32 {
        let f = self.at(t);
        i32::from(f > self.band) - i32::from(f < -self.band)
    }

    /// Whether the true f is proven to change its sign between two times.
    #[inline(always)]
    pub fn crosses(&self, (from, to): (f64, f64)) -> bool {
        self.sign(from) * self.sign(to) < 0
    }

    /// The slope, an estimate.
    #[inline(always)]
    pub fn slope(&self, t: f64) -> f64 {
        let ([a, b, c, d], s) = (self.coefficients, 1.0 - t);
        3.0 * ((b - a) * s * s + 2.0 * (c - b) * s * t + (d - c) * t * t)
    }

    /// The second derivative, an estimate.
    #[inline(always)]
    fn bend(&self, t: f64) -> f64 {
        let [a, b, c, d] = self.coefficients;
        6.0 * ((c - 2.0 * b + a) * (1.0 - t) + (d - 2.0 * c + b) * t)
    }

    /// Where the first part after `from` may lie in which the sign is not that at `from`: an estimate of a root, or of the extremum next to
    /// which the band is reached; with the half width within which the band is not left. `None`: probably nowhere.
    pub fn estimate_zone(&self, from: f64) -> Option<(f64, f64)> {
        let start = self.at(from);
        let sign = start.signum();
        if start.abs() <= self.band {
            return Some((from, self.half_width(from)));
        }
        let mut a = from;
        for b in self.turning_points(from).into_iter().chain([Some(1.0)]).flatten() {
            let end = sign * self.at(b);
            if end <= 0.0 {
                let t = self.estimate_root(a, b, sign);
                return Some((t, self.half_width(t)));
            }
            if end <= 2.0 * self.band {
                return Some((b, self.half_width(b)));
            }
            a = b;
        }
        None
    }

    /// How far from t the band may reach: by the slope, or, at a turning point, by the bend.
    fn half_width(&self, t: f64) -> f64 {
        let (by_slope, bend) = (3.0 * self.band / self.slope(t).abs(), self.bend(t).abs());
        let width = if by_slope * by_slope * bend > 8.0 * self.band { (8.0 * self.band / bend).sqrt() } else { by_slope };
        width.min(1.0) + 4.0 * U
    }

    /// Zeros of the slope after `from`, in order: estimates.
    fn turning_points(&self, from: f64) -> [Option<f64>; 2] {
        let [a, b, c, d] = self.coefficients;
        let (p, q, r) = (b - a, c - b, d - c);
        if (p > 0.0) == (q > 0.0) && (q > 0.0) == (r > 0.0) {
            return [None; 2];
        }
        let (square, half, constant) = (p - 2.0 * q + r, q - p, p);
        let discriminant = half * half - square * constant;
        if !(discriminant >= 0.0) {
            return [None; 2];
        }
        let w = -(half + discriminant.sqrt().copysign(half));
        let (x, y) = (w / square, constant / w);
        let (x, y) = if x > y { (y, x) } else { (x, y) };
        [x, y].map(|t| (t > from && t < 1.0).then_some(t))
    }

    /// A root between two times at which `sign * f` is positive and not positive, f being monotone there: Halley, kept inside by bisection.
    fn estimate_root(&self, mut a: f64, mut b: f64, sign: f64) -> f64 {
        let (fa, fb) = (self.at(a), self.at(b));
        let mut t = a + (b - a) * (fa / (fa - fb));
        for _ in 0..30 {
            let f = self.at(t);
            if sign * f > 0.0 {
                a = t;
            } else {
                b = t;
            }
            if f.abs() <= 0.25 * self.band {
                break;
            }
            let slope = self.slope(t);
            let next = t - f * slope / (slope * slope - 0.5 * f * self.bend(t));
            let next = if next >= a && next <= b { next } else { 0.5 * (a + b) };
            if next == t {
                break;
            }
            t = next;
        }
        t
    }
}

#[inline(always)]
fn beyond(c: &[f64; 4], band: f64) -> bool {
    let above = (c[0] > band) & (c[1] > band) & (c[2] > band) & (c[3] > band);
    let below = (c[0] < -band) & (c[1] < -band) & (c[2] < -band) & (c[3] < -band);
    above | below
}
