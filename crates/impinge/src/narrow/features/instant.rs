//! Exact instants: rational ones, and roots of polynomials that are told apart by an interval. What is asked of them are signs.

use crate::narrow::features::division::sign_at_root;
use crate::narrow::features::integer::Int;
use crate::narrow::features::polynomial::{Point, common_sign, local, sign_at};

/// A time in [0, 1], exactly.
#[derive(Clone, Debug)]
pub(crate) enum Instant {
    Rational(Point),
    Root(Box<Root>),
}

/// The only root of a polynomial strictly between two rational times.
#[derive(Clone, Debug)]
pub(crate) struct Root {
    /// Seen from the ends (see [`local`]): x', y' > 0 is the open interval. Neither first nor last coefficient is zero, and there is
    /// one change of sign.
    polynomial: Vec<Int>,
    /// x + y is the same power of two at both ends.
    ends: [Point; 2],
    /// A much narrower interval: the root is strictly inside, or both ends are the root.
    narrow: [Point; 2],
    /// A bracket of the narrow interval as t.
    time: (f64, f64),
}

/// Bits of a narrow interval's ends, and bits of its half width in the same unit.
const FINE: u32 = 50;
const WIDTH: u32 = 10;

impl Instant {
    pub fn start() -> Instant {
        Instant::Rational((Int::zero(), Int::small(1)))
    }

    /// The sign of a polynomial of degree at most two (three at rational times) at this instant.
    pub fn sign(&self, p: &[Int]) -> i32 {
        match self {
            Instant::Rational((x, y)) => sign_at(p, x, y),
            Instant::Root(root) => root.sign(p),
        }
    }

    /// A bracket of t, a few roundings wide.
    pub fn bracket(&self) -> (f64, f64) {
        match self {
            Instant::Rational(p) => time_bracket(p),
            Instant::Root(root) => root.time,
        }
    }
}

impl Root {
    pub fn new(polynomial: Vec<Int>, ends: [Point; 2]) -> Root {
        let narrow = narrowed(&polynomial, &ends);
        let time = (time_bracket(&narrow[0]).0, time_bracket(&narrow[1]).1);
        Root { polynomial, ends, narrow, time }
    }

    /// Quick where the sign is the same all over the narrow interval; else by division.
    fn sign(&self, q: &[Int]) -> i32 {
        let quick = common_sign(q).or_else(|| clear_sign(q, self.time)).or_else(|| common_sign(&local(q, &self.narrow)));
        quick.unwrap_or_else(|| sign_at_root(&self.polynomial, &local(q, &self.ends)))
    }
}

/// A narrow interval around the root: guessed in floating point, then checked; or by bisection.
fn narrowed(f: &[Int], ends: &[Point; 2]) -> [Point; 2] {
    let whole = 1u64 << FINE;
    let guess = (estimate_root(f) * whole as f64) as u64;
    let (mut from, mut to) = (guess.saturating_sub(1 << WIDTH), (guess + (1 << WIDTH)).min(whole));
    let sign = |k: u64| {
        let t = k as f64 / whole as f64;
        clear_sign(f, (t, t)).unwrap_or_else(|| sign_at(f, &Int::small(k), &Int::small(whole - k)))
    };
    let before = f[0].sign();
    let (a, b) = (sign(from), sign(to));
    if a == 0 || b == 0 {
        from = if a == 0 { from } else { to };
        to = from;
    } else if a != before || b == before {
        (from, to) = (0, whole);
        while to - from > 1 {
            let middle = from + (to - from) / 2;
            match sign(middle) {
                0 => (from, to) = (middle, middle),
                s if s == before => from = middle,
                _ => to = middle,
            }
        }
    }
    let point = |k: u64| {
        let (x, y) = (Int::small(k), Int::small(whole - k));
        let mix = |a: &Int, b: &Int| a.times(&y).plus(&b.times(&x));
        (mix(&ends[0].0, &ends[1].0), mix(&ends[0].1, &ends[1].1))
    };
    [point(from), point(to)]
}

/// Coefficients in floating point times one power of two, each off by 2^-52 relatively (or 2^-900 of the largest).
fn approximate(p: &[Int]) -> [f64; 4] {
    let parts = p.iter().map(Int::approximately);
    let top = parts.clone().filter(|p| p.0 != 0.0).map(|p| p.1).max().unwrap_or(0);
    let mut c = [0.0; 4];
    for (c, (m, e)) in c.iter_mut().zip(parts) {
        *c = if e == top { m } else { m * 2f64.powi((e - top).max(-1000) as i32) };
    }
    c
}

/// Where x + y = 1.
fn estimate(c: &[f64], t: f64) -> f64 {
    let (s, mut sum, mut power) = (1.0 - t, 0.0, 1.0);
    for c in c.iter().rev() {
        sum = sum * t + c * power;
        power *= s;
    }
    sum
}

/// The sign that p has between two times, at most degree three, if floating point can tell.
///
/// With S the sum of all |coefficients|: |p'| <= 6 S, because Bernstein coefficients are no larger than these; the value is off by
/// 2^-52 S from the coefficients and less than 16 roundings, 2^-49 S, of its own.
fn clear_sign(p: &[Int], (from, to): (f64, f64)) -> Option<i32> {
    let c = approximate(p);
    let (value, size) = (estimate(&c[..p.len()], from), c.iter().fold(0.0, |sum, c| sum + c.abs()));
    let clear = value.abs() > size * (8.0 * (to - from) + 1.0 / (1u64 << 47) as f64);
    clear.then_some(if value > 0.0 { 1 } else { -1 })
}

/// Where f changes its sign, as x / (x + y): an estimate.
fn estimate_root(f: &[Int]) -> f64 {
    let c = approximate(f);
    let value = |t: f64| estimate(&c[..f.len()], t);
    // Regula falsi, the Illinois way: the end that stays counts half.
    let (mut a, mut b, mut fa, mut fb) = (0.0, 1.0, value(0.0), value(1.0));
    let mut t = 0.5;
    for _ in 0..60 {
        t = (a * fb - b * fa) / (fb - fa);
        let ft = value(t);
        if ft == 0.0 || !(b - a > 1e-15) {
            break;
        }
        if (ft > 0.0) == (fb > 0.0) {
            (b, fb, fa) = (t, ft, 0.5 * fa);
        } else {
            (a, fa, fb) = (t, ft, 0.5 * fb);
        }
    }
    if t > 0.0 { t.min(1.0) } else { 0.0 }
}

/// t = x / (x + y) to a few roundings: each number is off by 2^-52, relatively, and so is the quotient.
fn time_bracket((x, y): &Point) -> (f64, f64) {
    if x.is_zero() {
        return (0.0, 0.0);
    }
    if y.is_zero() {
        return (1.0, 1.0);
    }
    let ((mx, ex), (mw, ew)) = (x.approximately(), x.plus(y).approximately());
    let t = (mx / mw) * 2f64.powi((ex - ew).clamp(-1100, 1) as i32);
    let off = 8.0 * f64::EPSILON * t + f64::from_bits(1);
    ((t - off).max(0.0), (t + off).min(1.0))
}
