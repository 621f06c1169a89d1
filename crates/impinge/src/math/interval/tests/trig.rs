use super::*;
use crate::math::trig::MAX_ANGLE;
use num_bigint::BigInt;
use num_traits::{One, Signed};

/// Resolution of the fixed-point oracle.
const BITS: usize = 400;

fn cut(x: BigRational) -> BigRational {
    let scale = BigRational::from(BigInt::one() << BITS);
    (x * &scale).floor() / scale
}

/// `(sine, cosine, error)` of an exact number: Taylor series of x / 2^h with its remainder, doubled h times.
///
/// With |y| <= 1/4 the 70 terms leave out less than 2 * 4^-70 / 70! < 2^-470; cutting each term after 2^-400 costs less than 2^-393
/// altogether. Doubling, 2sc and cc - ss, multiplies the error by less than 5 and cuts once more.
fn reference(x: f64) -> (BigRational, BigRational, BigRational) {
    let two = BigRational::from(BigInt::from(2));
    let (mut y, mut doublings) = (exact(x), 0);
    while y.abs() * &two * &two > BigRational::one() {
        y /= &two;
        doublings += 1;
    }
    // Exact, unless x is tiny; then the derivative, at most 1, passes on one cut.
    y = cut(y);
    let (mut s, mut c, mut term) = (BigRational::zero(), BigRational::zero(), BigRational::one());
    for k in 0..70u32 {
        let target = if k % 2 == 0 { &mut c } else { &mut s };
        *target += if k % 4 < 2 { term.clone() } else { -term.clone() };
        term = cut(term * &y / BigInt::from(k + 1));
    }
    let unit = BigRational::new(BigInt::one(), BigInt::one() << BITS);
    let mut error = &unit * BigInt::from(128);
    for _ in 0..doublings {
        (s, c) = (cut(&s * &c * &two), cut(&c * &c - &s * &s));
        error = error * BigInt::from(5) + &unit;
    }
    (s, c, error)
}

/// Asserts that both enclose the sine and cosine of `x`.
fn check_member(x: f64, (sin, cos): (Interval, Interval)) {
    let (s, c, error) = reference(x);
    for (i, q) in [(sin, s), (cos, c)] {
        assert!(at_most(i.lo(), &(&q + &error)) && at_most(-i.hi(), &(&error - &q)), "at {x:e}: {i:?}");
    }
}

/// Asserts that the ends of `i` are at most `slack` outside the extremes of `values`.
fn check_tight(i: Interval, values: &[BigRational], what: &dyn std::fmt::Debug) {
    let slack = exact(1.0 / (1u64 << 50) as f64);
    let (lo, hi) = (values.iter().min().expect("some") - &slack, values.iter().max().expect("some") + &slack);
    assert!(!at_most(i.lo(), &lo) && !at_most(-i.hi(), &-hi), "{what:?}: {i:?} is too wide");
}

/// Doubles nearest to the multiples of pi/2 inside, at most eight of them: what the extremes are attained at, to 2^-60.
fn quarter_turns(i: Interval) -> Vec<f64> {
    let quarter = std::f64::consts::FRAC_PI_2;
    let first = (i.lo() / quarter).ceil();
    (0..8).map(|k| (first + k as f64) * quarter).filter(|x| i.contains(*x)).collect()
}

fn check_interval(i: Interval) {
    let (sin, cos) = i.sin_cos();
    assert_eq!((sin, cos), (i.sin(), i.cos()));
    let mut at = quarter_turns(i);
    at.extend([i.lo(), i.hi(), i.midpoint()]);
    let mut values = (Vec::new(), Vec::new());
    for x in at {
        check_member(x, (sin, cos));
        let (s, c, _) = reference(x);
        values.0.push(s);
        values.1.push(c);
    }
    check_tight(sin, &values.0, &i);
    check_tight(cos, &values.1, &i);
}

#[test]
fn special_angles() {
    assert_eq!(Interval::ZERO.sin_cos(), (Interval::ZERO, Interval::ONE));
    let unit = Interval::new(-1.0, 1.0);
    for wide in
        [Interval::WHOLE, Interval::new(0.0, 7.0), Interval::new(0.0, 1e6), Interval::point(1e300), Interval::new(-5.0, 5.0)]
    {
        assert_eq!(wide.sin_cos(), (unit, unit), "{wide:?}");
    }
    let tiny = Interval::point(1e-300).sin();
    assert!(tiny.hi() == 1e-300 && tiny.lo() < 1e-300 && tiny.width() < 1e-315, "{tiny:?}");
    assert_eq!(Interval::new(0.0, 3.0).sin().hi(), 1.0);
    assert_eq!(Interval::new(-4.0, -3.0).cos().lo(), -1.0);
}

#[test]
fn near_multiples_of_a_quarter_turn() {
    for k in [-100_000, -7, -4, -3, -2, -1, 1, 2, 3, 4, 5, 6, 7, 8, 400_000] {
        let x = k as f64 * std::f64::consts::FRAC_PI_2;
        for i in [(x, x), (x.next_down(), x), (x, x.next_up()), (x - 1e-9, x + 1e-9), (x - 1.0, x), (x, x + 1.0)] {
            check_interval(Interval::new(i.0, i.1));
        }
    }
    for x in [f64::from_bits(1), 1e-300, 1e-9, 1.0 / (1u64 << 26) as f64, (1.0 / (1u64 << 26) as f64).next_up(), 1e-4, MAX_ANGLE]
    {
        check_interval(Interval::point(x));
        check_interval(Interval::point(-x));
        check_interval(Interval::new(-x.min(1.0), x));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn sine_and_cosine_enclose_and_are_tight(at in -1.0..1.0f64, scale in prop::sample::select(vec![1e-8, 1.0, 8.0, 1e3, 6.4e5]),
                                             width in prop::sample::select(vec![0.0, 1e-12, 0.1, 1.0, 2.0, 3.5, 5.0])) {
        check_interval(Interval::new(at * scale, at * scale + width));
    }
}
