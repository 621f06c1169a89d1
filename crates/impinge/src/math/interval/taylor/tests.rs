//! Against polynomials in exact rationals.

use crate::math::interval::taylor::*;
use num_rational::BigRational;
use num_traits::{FromPrimitive, Zero};
use proptest::prelude::*;

fn exact(x: f64) -> BigRational {
    BigRational::from_float(x).expect("finite")
}

/// A polynomial in tau, exactly, beside its enclosure.
#[derive(Clone, Debug)]
struct Twin {
    coefficients: Vec<BigRational>,
    enclosed: Varying,
}

impl Twin {
    /// a + b tau, enclosed by its own numbers: whatever is wider later is the arithmetic's doing.
    fn line(a: f64, b: f64) -> Self {
        let enclosed = Varying { mid: a, noise: 0.0, spread: b.abs(), rate: b, rate_spread: 0.0 };
        Twin { coefficients: vec![exact(a), exact(b)], enclosed }
    }

    fn plus(&self, o: &Self) -> Self {
        let n = self.coefficients.len().max(o.coefficients.len());
        let at = |t: &Self, i: usize| t.coefficients.get(i).cloned().unwrap_or_else(BigRational::zero);
        Twin { coefficients: (0..n).map(|i| at(self, i) + at(o, i)).collect(), enclosed: self.enclosed + o.enclosed }
    }

    fn times(&self, o: &Self) -> Self {
        let mut coefficients = vec![BigRational::zero(); self.coefficients.len() + o.coefficients.len() - 1];
        for (i, x) in self.coefficients.iter().enumerate() {
            for (k, y) in o.coefficients.iter().enumerate() {
                coefficients[i + k] += x * y;
            }
        }
        Twin { coefficients, enclosed: self.enclosed.times(o.enclosed) }
    }

    fn scaled(&self, c: f64) -> Self {
        let coefficients = self.coefficients.iter().map(|x| x * exact(c)).collect();
        Twin { coefficients, enclosed: self.enclosed.scaled(c).settled() }
    }

    fn at(&self, tau: &BigRational) -> BigRational {
        self.coefficients.iter().rev().fold(BigRational::zero(), |sum, c| sum * tau + c)
    }

    fn slope_at(&self, tau: &BigRational) -> BigRational {
        let derived = self.coefficients.iter().enumerate().skip(1);
        let coefficients = derived.map(|(i, c)| c * BigRational::from_usize(i).expect("small")).collect();
        Twin { coefficients, enclosed: self.enclosed }.at(tau)
    }

    /// Whether values, slopes and the times of values not below zero are enclosed, exactly.
    fn is_enclosed(&self) -> bool {
        let v = self.enclosed;
        let near = |x: &BigRational, mid: f64, radius: f64| exact(mid) - exact(radius) <= *x && *x <= exact(mid) + exact(radius);
        (-8..=8).all(|k| {
            let tau = exact(f64::from(k) / 8.0);
            let (x, slope) = (self.at(&tau), self.slope_at(&tau));
            let told =
                x < BigRational::zero() || v.reaches_zero().is_some_and(|(from, to)| exact(from) <= tau && tau <= exact(to));
            let positive = (-4..4).map(|l| f64::from(l) * 0.3).all(|l| !v.stays_above(l) || x > exact(l));
            let at_middle = k != 0 || near(&x, v.mid, v.noise);
            near(&x, v.mid, v.spread) && near(&slope, v.rate, v.rate_spread) && at_middle && told && positive
        })
    }
}

fn line() -> impl Strategy<Value = Twin> {
    (-1.0f64..1.0, -1.0f64..1.0).prop_map(|(a, b)| Twin::line(a, b))
}

proptest! {
    #[test]
    fn every_operation_encloses(x in line(), y in line(), z in line(), c in -3.0f64..3.0) {
        let product = x.times(&y);
        prop_assert!(product.is_enclosed(), "{product:?}");
        let sum = product.plus(&z.scaled(c));
        prop_assert!(sum.is_enclosed(), "{sum:?}");
        prop_assert!(sum.times(&product).is_enclosed());
    }

    /// Roots of a line are told exactly, but for rounding: the window is no wider than it must be.
    #[test]
    fn the_window_of_a_line_is_narrow(a in -0.9f64..0.9, b in 1.0f64..3.0) {
        let (from, to) = Twin::line(a, b).enclosed.reaches_zero().expect("it crosses zero");
        prop_assert!((from + a / b).abs() < 1e-14 && to == 1.0);
        let (from, to) = Twin::line(a, -b).enclosed.reaches_zero().expect("it crosses zero");
        prop_assert!((to - a / b).abs() < 1e-14 && from == -1.0);
    }
}

#[test]
fn nan_excludes_nothing() {
    let good = Varying { mid: -1.0, noise: 0.0, spread: 0.5, rate: 0.5, rate_spread: 0.0 };
    assert!(good.reaches_zero().is_none());
    let nan = f64::NAN;
    assert!(Varying { mid: nan, ..good }.reaches_zero().is_some());
    assert!(Varying { spread: nan, rate: nan, ..good }.reaches_zero() == Some((-1.0, 1.0)));
    assert!(Varying { spread: nan, rate_spread: nan, ..good }.reaches_zero() == Some((-1.0, 1.0)));
    assert!(!Varying { mid: nan, ..good }.stays_above(-9.0) && !Varying { spread: nan, ..good }.stays_above(-9.0));
}
