//! Intervals against exact rationals.

mod arithmetic;
mod trig;
mod vector;

use super::Interval;
use num_rational::BigRational;
use num_traits::Zero;
use proptest::prelude::*;

/// The exact value of a finite number.
fn exact(x: f64) -> BigRational {
    if x == 0.0 { BigRational::zero() } else { BigRational::from_float(x).expect("finite") }
}

/// `x <= q`, for ends of intervals.
fn at_most(x: f64, q: &BigRational) -> bool {
    if x.is_finite() { exact(x) <= *q } else { x < 0.0 }
}

fn encloses(i: Interval, q: &BigRational) -> bool {
    at_most(i.lo(), q) && at_most(-i.hi(), &-q)
}

/// Asserts that `i` is the smallest interval of `f64` around `[lo, hi]`.
fn assert_best(i: Interval, lo: &BigRational, hi: &BigRational, what: &dyn std::fmt::Debug) {
    assert!(at_most(i.lo(), lo) && at_most(-i.hi(), &-hi), "{what:?}: {i:?} does not enclose the exact result");
    assert!(!at_most(i.lo().next_up(), lo), "{what:?}: {i:?} begins too early");
    assert!(!at_most((-i.hi()).next_up(), &-hi), "{what:?}: {i:?} ends too late");
}

/// Ordinary, huge, tiny, subnormal and awkward numbers, with both signs.
fn numbers() -> Vec<f64> {
    let positive = [
        0.0,
        f64::from_bits(1),
        f64::from_bits(3),
        f64::MIN_POSITIVE.next_down(),
        f64::MIN_POSITIVE,
        1.5e-308,
        1e-200,
        3e-162,
        0.1,
        1.0 / 3.0,
        1.0f64.next_down(),
        1.0,
        1.0f64.next_up(),
        2.0,
        std::f64::consts::PI,
        1e16 + 2.0,
        9007199254740991.0,
        1.1e154,
        1e200,
        f64::MAX / 2.0,
        f64::MAX.next_down(),
        f64::MAX,
    ];
    positive.iter().flat_map(|&x| [x, -x]).collect()
}

/// Any finite number: all bit patterns, ordinary sizes, and the awkward ones.
fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        any::<u64>().prop_map(|b| Some(f64::from_bits(b)).filter(|x| x.is_finite()).unwrap_or(0.5)),
        -10.0..10.0f64,
        prop::sample::select(numbers()),
    ]
}

/// Any interval with a few members: `(interval, members)`.
fn interval() -> impl Strategy<Value = (Interval, [f64; 3])> {
    [number(), number(), number()].prop_map(|mut x| {
        x.sort_by(f64::total_cmp);
        (Interval::new(x[0], x[2]), x)
    })
}
