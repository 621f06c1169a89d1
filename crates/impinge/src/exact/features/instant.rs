//! Exact instants: rational ones, and roots of polynomials that are told apart by an interval. What is asked of them are signs.

use super::integer::Int;
use super::polynomial::{Cubic, common_sign, sign_changes, value};

/// A time (x, y) with t = x / (x + y); x, y >= 0 and not both zero.
pub(super) type Point = (Int, Int);

/// A time in [0, 1], exactly.
#[derive(Clone, Debug)]
pub(super) enum Instant {
    Rational(Point),
    Root(Box<Root>),
}

/// The only root of a polynomial strictly between two rational times.
#[derive(Clone, Debug)]
pub(super) struct Root {
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
    fn new(polynomial: Vec<Int>, ends: [Point; 2]) -> Root {
        let narrow = narrowed(&polynomial, &ends);
        let time = (time_bracket(&narrow[0]).0, time_bracket(&narrow[1]).1);
        Root { polynomial, ends, narrow, time }
    }

    /// Quick where the sign is the same all over the narrow interval; else by dividing the root's polynomial f by q: f = 0 at the root, so
    /// c f = s q + r (c > 0) gives sign q = -sign r sign s, and s and r are linear, whose signs are comparisons with a rational time.
    fn sign(&self, q: &[Int]) -> i32 {
        let quick = common_sign(q).or_else(|| clear_sign(q, self.time)).or_else(|| common_sign(&local(q, &self.narrow)));
        if let Some(sign) = quick {
            return sign;
        }
        let q = local(q, &self.ends);
        let (f, q) = (&self.polynomial[..], trim(&q));
        match (f.len(), q.len()) {
            (2, _) => sign_at(q, &f[0].clone().abs(), &f[1].clone().abs()),
            (_, 2) => self.sign_of_linear(&q[0], &q[1]),
            (3, _) => {
                let [l0, l1] = [0, 1].map(|i| f[2].times(&q[i]).minus(&q[2].times(&f[i])));
                self.sign_of_linear(&l0, &l1) * f[2].sign()
            }
            _ => self.sign_of_quadratic(q),
        }
    }

    fn sign_of_quadratic(&self, q: &[Int]) -> i32 {
        let f = &self.polynomial;
        let c = q[2].times(&q[2]);
        let s1 = q[2].times(&f[3]);
        let s0 = q[2].times(&f[2]).minus(&f[3].times(&q[1]));
        let r1 = c.times(&f[1]).minus(&s1.times(&q[0])).minus(&s0.times(&q[1]));
        let r0 = c.times(&f[0]).minus(&s0.times(&q[0]));
        match (self.sign_of_linear(&r0, &r1), self.sign_of_linear(&s0, &s1)) {
            // The root is that of s, a rational time.
            (0, 0) => sign_at(q, &s0.abs(), &s1.abs()),
            (r, s) => -r * s,
        }
    }

    /// The sign of l0 y' + l1 x' at the root.
    fn sign_of_linear(&self, l0: &Int, l1: &Int) -> i32 {
        if l0.sign() * l1.sign() >= 0 {
            return (l0.sign() + l1.sign()).signum();
        }
        // It vanishes at x' : y' = -l0 : l1. Is that before the root, after it, or the root itself?
        match sign_at(&self.polynomial, &l0.clone().abs(), &l1.clone().abs()) {
            0 => 0,
            before if before == self.polynomial[0].sign() => l1.sign(),
            _ => l0.sign(),
        }
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

/// One half of a polynomial's interval: the later one, or the earlier.
fn half(p: &[Int], later: bool) -> Vec<Int> {
    let (one, two) = (Int::small(1), Int::small(2));
    let ends = if later { [(one.clone(), one), (two, Int::zero())] } else { [(Int::zero(), two), (one.clone(), one)] };
    local(p, &ends)
}

fn doubled(p: &Point) -> Point {
    (p.0.plus(&p.0), p.1.plus(&p.1))
}

fn middle(ends: &[Point; 2]) -> Point {
    (ends[0].0.plus(&ends[1].0), ends[0].1.plus(&ends[1].1))
}

/// All times in [0, 1] at which a polynomial that is not zero vanishes, in order.
pub(super) fn roots(f: &Cubic) -> Vec<Instant> {
    let (zero, one) = (Int::zero, || Int::small(1));
    let mut found = Vec::new();
    if f[0].is_zero() {
        found.push(Instant::start());
    }
    let inner = trim(f);
    match sign_changes(inner) {
        0 => {}
        1 => found.push(Instant::Root(Root::new(inner.to_vec(), [(zero(), one()), (one(), zero())]).into())),
        _ => match with_double_root(inner) {
            Some(rational) => found.extend(rational.into_iter().map(Instant::Rational)),
            None => split(inner.to_vec(), [(zero(), one()), (one(), zero())], &mut found),
        },
    }
    if f[3].is_zero() {
        found.push(Instant::Rational((one(), zero())));
    }
    found
}

/// What is left to do: a part of time with the polynomial seen from its ends, or a root between two parts.
enum Part {
    Open(Vec<Int>, [Point; 2]),
    Root(Instant),
}

/// Halves the interval until each part has at most one change of sign. Ends because no root is double.
fn split(f: Vec<Int>, ends: [Point; 2], found: &mut Vec<Instant>) {
    let mut parts = vec![Part::Open(f, ends)];
    while let Some(part) = parts.pop() {
        let (f, ends) = match part {
            Part::Open(f, ends) => (f, ends),
            Part::Root(root) => {
                found.push(root);
                continue;
            }
        };
        let f = trim(&f);
        match sign_changes(f) {
            0 => {}
            1 => found.push(Instant::Root(Root::new(f.to_vec(), ends).into())),
            _ => {
                let middle = middle(&ends);
                let (earlier, later) = (half(f, false), half(f, true));
                let [from, to] = ends.map(|e| doubled(&e));
                let on_middle = later[0].is_zero().then(|| Part::Root(Instant::Rational(middle.clone())));
                // The earliest part comes last: it is looked at first.
                parts.push(Part::Open(later, [middle.clone(), to]));
                parts.extend(on_middle);
                parts.push(Part::Open(earlier, [from, middle]));
            }
        }
    }
}

/// The roots with x, y > 0, in order, of a polynomial that has a double root: they are all rational. `None` if it has none.
///
/// A double root is one of f' too, and so of the rest r of dividing f by f', which is linear: the only candidate.
fn with_double_root(f: &[Int]) -> Option<Vec<Point>> {
    let n = f.len() - 1;
    let times = |a: &Int, k: u64| a.times(&Int::small(k));
    if n == 2 {
        let discriminant = f[1].times(&f[1]).minus(&times(&f[0].times(&f[2]), 4));
        return discriminant.is_zero().then(|| positive(f[1].clone().negated(), times(&f[2], 2)).into_iter().collect());
    }
    if n != 3 {
        return None;
    }
    // 9 f3 f = (3 f3 u + f2) f' + r, u = x / y.
    let r1 = times(&f[1].times(&f[3]), 6).minus(&times(&f[2].times(&f[2]), 2));
    let r0 = times(&f[0].times(&f[3]), 9).minus(&f[1].times(&f[2]));
    let (x, y) = if r1.is_zero() && r0.is_zero() { (f[2].clone().negated(), times(&f[3], 3)) } else { (r0.negated(), r1) };
    let slope = [f[1].clone(), times(&f[2], 2), times(&f[3], 3)];
    if (x.is_zero() && y.is_zero()) || !value(&slope, &x, &y).is_zero() {
        return None;
    }
    // The sum of the roots is -f2 / f3, so the other one is -f2 / f3 - 2 x / y.
    let other_x = f[2].times(&y).plus(&times(&f[3].times(&x), 2)).negated();
    let other = positive(other_x, f[3].times(&y));
    let double = positive(x, y);
    match (double, other) {
        (Some(a), Some(b)) => {
            let order = a.0.times(&b.1).minus(&b.0.times(&a.1)).sign();
            Some(if order < 0 { vec![a, b] } else { vec![b, a] })
        }
        (a, b) => Some(a.into_iter().chain(b).collect()),
    }
}

/// x : y as a time strictly between 0 and 1, if it is one.
fn positive(x: Int, y: Int) -> Option<Point> {
    (x.sign() * y.sign() > 0).then(|| (x.abs(), y.abs()))
}

/// Without zero coefficients at either side: the same roots with x, y > 0.
fn trim(p: &[Int]) -> &[Int] {
    let first = p.iter().position(|a| !a.is_zero()).unwrap_or(p.len());
    let last = p.iter().rposition(|a| !a.is_zero()).map_or(first, |i| i + 1);
    &p[first..last]
}

/// p in x', y' where (x, y) = y' ends[0] + x' ends[1].
fn local(p: &[Int], ends: &[Point; 2]) -> Vec<Int> {
    let [(x0, y0), (x1, y1)] = ends;
    if x0.is_zero() && y1.is_zero() {
        // The whole of [0, 1]: signs are all that matters, and both weights are equal.
        return p.to_vec();
    }
    if let [a, b, c] = p {
        let twice = |a: &Int| a.plus(a);
        let mixed =
            b.times(&x0.times(y1).plus(&x1.times(y0))).plus(&twice(&a.times(&y0.times(y1)).plus(&c.times(&x0.times(x1)))));
        return vec![value(p, x0, y0), mixed, value(p, x1, y1)];
    }
    let mut sum: Vec<Int> = Vec::with_capacity(p.len());
    let mut power = vec![Int::small(1)];
    for (i, a) in p.iter().rev().enumerate() {
        sum = times_linear(&sum, x0, x1);
        sum.resize(i + 1, Int::zero());
        for (s, w) in sum.iter_mut().zip(&power) {
            *s = s.plus(&a.times(w));
        }
        if i + 1 < p.len() {
            power = times_linear(&power, y0, y1);
        }
    }
    sum
}

fn times_linear(p: &[Int], at0: &Int, at1: &Int) -> Vec<Int> {
    let mut product = vec![Int::zero(); if p.is_empty() { 0 } else { p.len() + 1 }];
    for (i, a) in p.iter().enumerate() {
        product[i] = product[i].plus(&a.times(at0));
        product[i + 1] = a.times(at1);
    }
    product
}

fn sign_at(p: &[Int], x: &Int, y: &Int) -> i32 {
    let end = if x.is_zero() {
        p.first()
    } else if y.is_zero() {
        p.last()
    } else {
        return value(p, x, y).sign();
    };
    end.map_or(0, Int::sign)
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
