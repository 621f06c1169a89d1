//! The times at which a polynomial vanishes: told apart by halving, rational where a root is double.

use crate::narrow::features::instant::{Instant, Root};
use crate::narrow::features::integer::Int;
use crate::narrow::features::polynomial::{Cubic, Point, local, sign_changes, trim, value};

/// All times in [0, 1] at which a polynomial that is not zero vanishes, in order.
pub(crate) fn roots(f: &Cubic) -> Vec<Instant> {
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
