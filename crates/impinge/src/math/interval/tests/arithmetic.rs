use super::*;
use num_traits::Signed;

/// The exact extremes of `f` over the corners of two intervals, which for `+ - * /` are the extremes over all members.
fn extremes(a: Interval, b: Interval, f: impl Fn(BigRational, BigRational) -> BigRational) -> (BigRational, BigRational) {
    let corners = [(a.lo(), b.lo()), (a.lo(), b.hi()), (a.hi(), b.lo()), (a.hi(), b.hi())].map(|(x, y)| f(exact(x), exact(y)));
    let [lo, hi] = [corners.iter().min(), corners.iter().max()].map(|c| c.expect("four corners").clone());
    (lo, hi)
}

/// `+ - * /` of two bounded intervals are the best possible.
fn check_binary(a: Interval, b: Interval) {
    let case = &(a, b);
    let check = |i: Interval, (lo, hi): (BigRational, BigRational)| assert_best(i, &lo, &hi, case);
    check(a + b, extremes(a, b, |x, y| x + y));
    check(a - b, extremes(a, b, |x, y| x - y));
    check(a * b, extremes(a, b, |x, y| x * y));
    if b.is_positive() || b.is_negative() {
        check(a / b, extremes(a, b, |x, y| x / y));
    }
}

/// `sqrt` of one non-negative number is the best possible: compared by squaring.
fn check_sqrt(x: f64) {
    let (i, q) = (Interval::point(x).sqrt(), exact(x));
    let square = |r: f64| exact(r) * exact(r);
    assert!(square(i.lo()) <= q && q <= square(i.hi()), "{x:e} {i:?}");
    assert!(square(i.lo().next_up()) > q && (i.hi() == 0.0 || square(i.hi().next_down()) < q), "{x:e} {i:?} is not the best");
}

#[test]
fn operations_on_awkward_numbers_are_the_best_possible() {
    let all = numbers();
    for &a in &all {
        for &b in &all {
            check_binary(Interval::point(a), Interval::point(b));
        }
        check_sqrt(a.abs());
    }
}

#[test]
fn exact_results_stay_exact() {
    let p = Interval::point;
    assert_eq!(p(0.5) + p(0.25), p(0.75));
    assert_eq!(p(3.0) * p(f64::from_bits(5)), p(f64::from_bits(15)));
    assert_eq!(p(1e300) * p(0.5), p(5e299));
    assert_eq!(p(7.0) / p(2.0), p(3.5));
    assert_eq!(p(f64::MAX) - p(f64::MAX), Interval::ZERO);
    assert_eq!(p(2.25).sqrt(), p(1.5));
    assert_eq!(p(-3.0).powi(3), p(-27.0));
    assert_eq!(Interval::new(-2.0, 3.0).powi(2), Interval::new(0.0, 9.0));
    assert_eq!(Interval::new(2.0, 4.0).powi(-1), Interval::new(0.25, 0.5));
}

#[test]
fn nothing_becomes_the_whole_line() {
    for i in [
        Interval::point(f64::NAN),
        Interval::new(0.0, f64::NAN),
        Interval::new(1.0, 0.0),
        Interval::ONE / Interval::ZERO,
        Interval::ZERO / Interval::ZERO,
        Interval::point(-1.0).sqrt(),
        Interval::around(0.0, -1.0),
        Interval::ONE.widened(f64::NAN),
    ] {
        assert_eq!(i, Interval::WHOLE);
    }
    assert_eq!(Interval::point(f64::INFINITY), Interval::new(f64::MAX, f64::INFINITY));
    assert_eq!(Interval::point(f64::NEG_INFINITY), Interval::new(f64::NEG_INFINITY, f64::MIN));
}

#[test]
fn pi_lies_in_its_interval() {
    // pi to 30 digits, cut and then one more in the last.
    let digits = |d: &str| d.parse::<BigRational>().expect("digits");
    let scale = digits("100000000000000000000000000000");
    assert!(encloses(Interval::PI, &(digits("314159265358979323846264338327") / &scale)));
    assert!(encloses(Interval::PI, &(digits("314159265358979323846264338328") / &scale)));
    assert_eq!(Interval::PI.lo().next_up(), Interval::PI.hi());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn operations_enclose_and_are_the_best_possible((a, _) in interval(), (b, _) in interval()) {
        check_binary(a, b);
        check_sqrt(a.magnitude());
    }

    /// Functions of one interval enclose the exact value at every member, and are attained at one.
    #[test]
    fn functions_of_one_interval_enclose((a, members) in interval(), n in -6..9i32) {
        for x in members {
            let q = exact(x);
            prop_assert!(encloses(a.abs(), &q.abs()) && encloses(a.square(), &(&q * &q)) && encloses(-a, &-&q));
            if n >= 0 || x != 0.0 {
                prop_assert!(encloses(a.powi(n), &q.pow(n)), "{a:?}^{n} at {x:e}: {:?}", a.powi(n));
            }
            prop_assert!(a.mignitude() <= x.abs() && x.abs() <= a.magnitude());
            prop_assert!(encloses(Interval::around(a.midpoint(), a.radius()), &q));
            prop_assert!(encloses(a.widened(1e-3), &(q + exact(1e-3))));
        }
        prop_assert!(a.contains(a.midpoint()));
        assert_best(a.square(), &(exact(a.mignitude()).pow(2)), &(exact(a.magnitude()).pow(2)), &a);
        prop_assert!(at_most(-a.width(), &(exact(a.lo()) - exact(a.hi()))));
    }

    /// Squaring doubles the relative width and adds a rounding at either end: at most 2 |n| of them, away from overflow and underflow.
    #[test]
    fn powers_are_tight(x in 0.5..2.0f64, n in -60..60i32) {
        let i = Interval::point(x).powi(n);
        prop_assert!(i.width() <= f64::from(2 * n.abs() + 2) * f64::EPSILON * i.hi(), "{x}^{n} {i:?}");
    }

    /// A part of an interval gives a part of the result.
    #[test]
    fn operations_are_monotone_in_inclusion((a, x) in interval(), (b, y) in interval(), n in -6..9i32) {
        let (part_a, part_b) = (Interval::new(x[0], x[1]), Interval::new(y[1], y[2]));
        prop_assert!((part_a + part_b).is_within(a + b) && (part_a - part_b).is_within(a - b));
        prop_assert!((part_a * part_b).is_within(a * b));
        if part_b != Interval::ZERO {
            prop_assert!((part_a / part_b).is_within(a / b), "{part_a:?} / {part_b:?}");
        }
        if part_a.hi() >= 0.0 {
            prop_assert!(part_a.sqrt().is_within(a.sqrt()));
        }
        if part_a != Interval::ZERO || n >= 0 {
            prop_assert!(part_a.powi(n).is_within(a.powi(n)), "{part_a:?}^{n} in {a:?}^{n}");
        }
        prop_assert!(part_a.abs().is_within(a.abs()) && part_a.square().is_within(a.square()));
        prop_assert!(part_a.min(part_b).is_within(a.min(b)) && part_a.max(part_b).is_within(a.max(b)));
    }

    /// Sets: members decide.
    #[test]
    fn sets_and_comparisons_agree_with_members((a, x) in interval(), (b, y) in interval()) {
        for (x, y) in x.into_iter().zip(y) {
            prop_assert!(a.hull(b).contains(x) && a.hull(b).contains(y));
            prop_assert!(a.min(b).contains(x.min(y)) && a.max(b).contains(x.max(y)));
            prop_assert!(!a.is_below(b) || x < y);
            prop_assert!(!a.is_above(b) || x > y);
            prop_assert_eq!(a.contains(y) && b.contains(y), a.intersection(b).is_some_and(|i| i.contains(y)));
        }
        prop_assert_eq!(a.meets(b), a.intersection(b).is_some());
        prop_assert!(a.meets(b) != (a.is_below(b) || a.is_above(b)));
        let (left, right) = a.halves();
        prop_assert_eq!(left.hull(right), a);
    }
}
