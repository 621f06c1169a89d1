//! Polynomials of degree one, two and three in time, with integer coefficients and in homogeneous form.
//!
//! t = x / (x + y), so that t in [0, 1] is x, y >= 0 and something linear in time is `at 0 * y + at 1 * x`: no fractions, and
//! by Descartes' rule the changes of sign of the coefficients bound the number of roots with 0 < t < 1 from above.

use crate::narrow::features::integer::Int;

/// Coefficients of y^n, y^(n-1) x, ..., x^n.
pub(crate) type Linear = [Int; 2];
pub(crate) type Quadratic = [Int; 3];
pub(crate) type Cubic = [Int; 4];

/// A time (x, y) with t = x / (x + y); x, y >= 0 and not both zero.
pub(crate) type Point = (Int, Int);

/// A vector that is linear in time: its coordinates.
pub(crate) type Line = [Linear; 3];

fn product(a: &Linear, b: &Linear) -> Quadratic {
    [a[0].times(&b[0]), a[0].times(&b[1]).plus(&a[1].times(&b[0])), a[1].times(&b[1])]
}

pub(crate) fn sum<const N: usize>(a: &[Int; N], b: &[Int; N]) -> [Int; N] {
    std::array::from_fn(|i| a[i].plus(&b[i]))
}

pub(crate) fn difference<const N: usize>(a: &[Int; N], b: &[Int; N]) -> [Int; N] {
    std::array::from_fn(|i| a[i].minus(&b[i]))
}

pub(crate) fn apart(a: &Line, b: &Line) -> Line {
    std::array::from_fn(|k| difference(&a[k], &b[k]))
}

pub(crate) fn cross(a: &Line, b: &Line) -> [Quadratic; 3] {
    std::array::from_fn(|k| cross_coordinate(a, b, k))
}

/// Coordinate k of the vector product.
pub(crate) fn cross_coordinate(a: &Line, b: &Line, k: usize) -> Quadratic {
    let (i, j) = ((k + 1) % 3, (k + 2) % 3);
    difference(&product(&a[i], &b[j]), &product(&a[j], &b[i]))
}

pub(crate) fn dot(a: &Line, b: &Line) -> Quadratic {
    let [x, y, z] = std::array::from_fn(|k| product(&a[k], &b[k]));
    sum(&sum(&x, &y), &z)
}

/// The scalar product of a quadratic and a linear vector.
pub(crate) fn triple(n: &[Quadratic; 3], g: &Line) -> Cubic {
    let term = |k: usize| -> Cubic {
        let (n, g) = (&n[k], &g[k]);
        [
            n[0].times(&g[0]),
            n[0].times(&g[1]).plus(&n[1].times(&g[0])),
            n[1].times(&g[1]).plus(&n[2].times(&g[0])),
            n[2].times(&g[1]),
        ]
    };
    sum(&sum(&term(0), &term(1)), &term(2))
}

/// The value at (x, y), homogeneous, for coefficients of any degree.
pub(crate) fn value(p: &[Int], x: &Int, y: &Int) -> Int {
    let (mut sum, mut power) = (Int::zero(), Int::small(1));
    for a in p.iter().rev() {
        sum = sum.times(x).plus(&a.times(&power));
        power = power.times(y);
    }
    sum
}

/// The sign of all coefficients where none contradicts; `None` where two do. Zero means that all vanish.
pub(crate) fn common_sign(p: &[Int]) -> Option<i32> {
    let (mut least, mut most) = (0, 0);
    for a in p {
        (least, most) = (least.min(a.sign()), most.max(a.sign()));
    }
    (least == 0 || most == 0).then_some(least + most)
}

/// Changes of sign, zeros left out.
pub(crate) fn sign_changes(p: &[Int]) -> usize {
    let (mut changes, mut last) = (0, 0);
    for s in p.iter().map(Int::sign).filter(|&s| s != 0) {
        changes += usize::from(s == -last);
        last = s;
    }
    changes
}

pub(crate) fn sign_at(p: &[Int], x: &Int, y: &Int) -> i32 {
    let end = if x.is_zero() {
        p.first()
    } else if y.is_zero() {
        p.last()
    } else {
        return value(p, x, y).sign();
    };
    end.map_or(0, Int::sign)
}

/// Without zero coefficients at either side: the same roots with x, y > 0.
pub(crate) fn trim(p: &[Int]) -> &[Int] {
    let first = p.iter().position(|a| !a.is_zero()).unwrap_or(p.len());
    let last = p.iter().rposition(|a| !a.is_zero()).map_or(first, |i| i + 1);
    &p[first..last]
}

/// p in x', y' where (x, y) = y' ends[0] + x' ends[1].
pub(crate) fn local(p: &[Int], ends: &[Point; 2]) -> Vec<Int> {
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
