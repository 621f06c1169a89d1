//! Sine and cosine by their series, with a bound of the remainder.

use crate::interval::{Interval, ONE};

/// floor(2^80 pi / 2).
const HALF_PI: i128 = 0x1921f_b54442d18469898c;

/// Encloses the sines and cosines of every angle in the interval.
///
/// Proof. x = n pi/2 + y for the integer n chosen. With p the middle of y and r its radius, |sin y - sin p| <= r and likewise for the
/// cosine. For |p| <= 1 the series is cut where its next term is at most 1/29!, below 2^-80; by Lagrange that bounds the remainder.
pub fn sin_cos(x: Interval) -> (Interval, Interval) {
    let n = (x.middle() + HALF_PI / 2).div_euclid(HALF_PI);
    let y = x - Interval::new(HALF_PI, HALF_PI + 1) * Interval::point(n.saturating_mul(ONE));
    let (p, r) = (y.middle(), y.radius());
    if y.is_anything() || p.abs() > ONE {
        let any = Interval::new(-ONE, ONE);
        return (any, any);
    }
    let (s, c) = series(Interval::point(p));
    let (s, c) = (s.widened(r).within_one(), c.widened(r).within_one());
    match n.rem_euclid(4) {
        0 => (s, c),
        1 => (c, -s),
        2 => (-s, -c),
        _ => (-c, s),
    }
}

/// Sums the terms up to p^27 / 27! and p^28 / 28!, and adds one unit for the remainder.
fn series(p: Interval) -> (Interval, Interval) {
    let minus_square = -p.square();
    let (mut sine, mut cosine) = (Interval::ZERO, Interval::ZERO);
    let (mut odd, mut even) = (p, Interval::ONE);
    for k in 0..14 {
        sine = sine + odd;
        cosine = cosine + even;
        odd = (odd * minus_square).divided((2 * k + 2) * (2 * k + 3));
        even = (even * minus_square).divided((2 * k + 1) * (2 * k + 2));
    }
    (sine.widened(1), (cosine + even).widened(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contains(i: Interval, units: i128) -> bool {
        i.lo() <= units && units <= i.hi()
    }

    /// Machin: pi / 2 = 8 atan(1/5) - 2 atan(1/239), in units of 2^-115; rounding of its few dozen terms stays far below 2^-80.
    #[test]
    fn half_pi_is_right() {
        let arctangent = |n: i128| {
            let (mut power, mut sum) = ((1i128 << 115) / n, 0);
            for k in 0..60 {
                sum += if k % 2 == 0 { power } else { -power } / (2 * k + 1);
                power /= n * n;
            }
            sum
        };
        assert_eq!((8 * arctangent(5) - 2 * arctangent(239)) >> 35, HALF_PI);
    }

    #[test]
    fn known_values() {
        let sixth = Interval::new(HALF_PI / 3, HALF_PI / 3 + 1);
        assert!(contains(sin_cos(sixth).0, ONE / 2));
        for turns in [-7, -2, -1, 0, 1, 2, 3, 1000] {
            let angle = sixth + Interval::new(HALF_PI, HALF_PI + 1) * Interval::point(turns * ONE);
            let (s, c) = sin_cos(angle);
            let (half, other) = (if turns.rem_euclid(2) == 0 { s } else { c }, if turns.rem_euclid(2) == 0 { c } else { s });
            let sign = if matches!(turns.rem_euclid(4), 1 | 2) { -1 } else { 1 };
            assert!(contains(half, sign * ONE / 2) && half.hi() - half.lo() < 5000, "{turns}");
            assert!(contains(half.square() + other.square(), ONE));
        }
    }

    #[test]
    fn doubles_agree_and_wide_angles_are_enclosed() {
        for k in -400..400 {
            let x = f64::from(k) * 0.37;
            let (s, c) = sin_cos(Interval::of(x));
            #[expect(clippy::disallowed_methods, reason = "a comparison within 1e-15, not a result")]
            let (fs, fc) = x.sin_cos();
            assert!((s.upper_f64() - fs).abs() < 1e-15 && (c.upper_f64() - fc).abs() < 1e-15, "{x}");
            assert!(s.hi() - s.lo() < 5000);
            let (ws, wc) = sin_cos(Interval::of(x).widened(ONE / 8));
            for d in [-1, 0, 1] {
                let (s, c) = sin_cos(Interval::of(x) + Interval::point(d * ONE / 8));
                assert!(ws.lo() <= s.lo() && s.hi() <= ws.hi() + 5000 && wc.lo() <= c.lo() + 5000 && c.hi() <= wc.hi() + 5000);
            }
        }
        assert_eq!(sin_cos(Interval::ANYTHING).0, Interval::new(-ONE, ONE));
    }
}
