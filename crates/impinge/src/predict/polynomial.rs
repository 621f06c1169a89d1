//! A polynomial in time for each of several channels, fitted to samples as they come: recursive least squares with forgetting.
//!
//! ```text
//! x(now + h) = c0 + c1 s + c2 s^2 + …,   s = h / period          all channels are sampled at the same times, so they share one matrix P
//! ```
//! Zero is always now: before a sample is taken in, the polynomial is moved to its time, c and P with it. So numbers stay of one size
//! however long it runs. A sample that is one period old counts about a third of a new one.

use crate::Error;
use crate::math::rounding::{INFLATE, U};

/// Most coefficients of a polynomial.
const MOST: usize = 6;
/// What P is before anything is known; in units of one sample.
const UNKNOWN: f64 = 1e8;
/// After a pause of so many periods everything begins anew.
const PAUSE: f64 = 2.0;

type Matrix = [[f64; MOST]; MOST];

/// What is fitted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ModelOptions {
    /// Order of the polynomials: 0 rests, 1 has a speed, 2 an acceleration; at most 5.
    pub order: usize,
    /// Observation period, seconds: how fast samples are forgotten.
    pub period: f64,
}

impl Default for ModelOptions {
    fn default() -> Self {
        ModelOptions { order: 2, period: 0.1 }
    }
}

/// The fitted polynomials.
#[derive(Clone, Debug)]
pub struct Model {
    options: ModelOptions,
    now: Option<f64>,
    coefficients: Vec<[f64; MOST]>,
    p: Matrix,
    /// Forgotten sum of squared surprises of each channel, and how many samples it stands for.
    surprise: Vec<f64>,
    weight: f64,
}

impl Model {
    /// For so many channels.
    ///
    /// # Errors
    /// If the order is above 5 or the period is not positive and finite.
    pub fn new(channels: usize, options: ModelOptions) -> Result<Self, Error> {
        if options.order >= MOST {
            return Err(Error::invalid("order", format!("{} is above {}", options.order, MOST - 1)));
        }
        if !(options.period > 0.0 && options.period.is_finite()) {
            return Err(Error::invalid("period", format!("{} is not positive and finite", options.period)));
        }
        let coefficients = vec![[0.0; MOST]; channels];
        Ok(Model { options, now: None, coefficients, p: unknown(), surprise: vec![0.0; channels], weight: 0.0 })
    }

    /// The time of the last sample.
    pub fn now(&self) -> Option<f64> {
        self.now
    }

    /// Takes in a sample of all channels.
    ///
    /// # Errors
    /// If the time is not after the last one, there are not as many values as channels, or a number is not finite.
    pub fn observe(&mut self, time: f64, values: &[f64]) -> Result<(), Error> {
        if values.len() != self.coefficients.len() {
            return Err(Error::invalid("sample", format!("{} values for {} channels", values.len(), self.coefficients.len())));
        }
        if !time.is_finite() || values.iter().any(|v| !v.is_finite()) {
            return Err(Error::NonFinite { what: "sample".into() });
        }
        let passed = self.now.map(|now| (time - now) / self.options.period);
        if passed.is_some_and(|s| !(s > 0.0)) {
            return Err(Error::invalid("time of a sample", format!("{time} is not after the last one")));
        }
        self.now = Some(time);
        match passed {
            Some(s) if s < PAUSE => self.update(s, values),
            _ => self.begin(values),
        }
        Ok(())
    }

    /// Everything anew, from one sample.
    fn begin(&mut self, values: &[f64]) {
        self.p = unknown();
        self.p[0][0] = 1.0;
        self.weight = 0.0;
        for (c, &v) in self.coefficients.iter_mut().zip(values) {
            *c = [0.0; MOST];
            c[0] = v;
        }
        self.surprise.fill(0.0);
    }

    /// One step of recursive least squares; the sample is at s = 0, where only c0 counts.
    fn update(&mut self, passed: f64, values: &[f64]) {
        let n = self.options.order + 1;
        let shift = shift(passed);
        self.p = moved(&shift, &self.p, n);
        let kept = 1.0 / (1.0 + passed);
        let of_sample = kept + self.p[0][0];
        let first = self.p[0];
        let gain = first.map(|x| x / of_sample);
        for i in 0..n {
            for j in 0..=i {
                let entry = (self.p[i][j] - gain[i] * first[j]) / kept;
                (self.p[i][j], self.p[j][i]) = (entry, entry);
            }
        }
        self.weight = kept * self.weight + 1.0;
        for ((c, surprise), &v) in self.coefficients.iter_mut().zip(&mut self.surprise).zip(values) {
            *c = std::array::from_fn(|i| (i..n).map(|j| shift[i][j] * c[j]).sum());
            let off = v - c[0];
            *surprise = kept * *surprise + off * off * kept / of_sample;
            for i in 0..n {
                c[i] += gain[i] * off;
            }
        }
        // Whatever went wrong with P, what comes next is better than numbers that are none.
        if !(0..n).all(|i| self.p[i][i] > 0.0 && self.p[i][i].is_finite()) {
            self.begin(values);
        }
    }

    /// How many channels there are.
    pub fn channels(&self) -> usize {
        self.coefficients.len()
    }

    /// Where a channel will be so many seconds after the last sample.
    pub fn value(&self, channel: usize, ahead: f64) -> f64 {
        let s = ahead / self.options.period;
        self.coefficients[channel][..=self.options.order].iter().rev().fold(0.0, |sum, c| sum * s + c)
    }

    /// At least the absolute value of a channel's derivative of this order anywhere between two times ahead (neither is before now), per
    /// second to that order; order 0 is the channel itself.
    ///
    /// With D the derivative in s, A the sum of the absolute values of its terms at the later time, and m in the middle: |D| <= |D(m)| + w A' / 2
    /// over a width of w, with A' that of the next derivative. D(m) is computed by Horner's rule: s is off by 2 u, its powers by at most
    /// 12 u, the rule itself by 11 u, factors by 1 u, all of A; 32 u has room. So has 4 u s for the place of m.
    pub(super) fn largest(&self, channel: usize, order: u32, from: f64, to: f64) -> f64 {
        let [s, t] = [from, to].map(|ahead| ahead / self.options.period);
        let at_middle = self.horner(channel, order, 0.5 * (s + t), |c| c).abs();
        let [size, change] = [order, order + 1].map(|order| self.horner(channel, order, t, f64::abs));
        let bound = at_middle + (0.5 * (t - s) + 4.0 * U * t) * change + 32.0 * U * size;
        bound / self.options.period.powi(order as i32) * INFLATE
    }

    /// The derivative of this order in s, at s, of the polynomial whose coefficients `take` makes of a channel's. The derivative of c s^k is
    /// c k (k - 1) … s^(k - order).
    fn horner(&self, channel: usize, order: u32, s: f64, take: impl Fn(f64) -> f64) -> f64 {
        let factor = |k: u32| (0..order).map(|i| f64::from(k - i)).product::<f64>();
        let term = |k: u32| take(self.coefficients[channel][k as usize]) * factor(k);
        (order..=self.options.order as u32).rev().fold(0.0, |sum, k| sum * s + term(k))
    }

    /// At least how far a channel is from the line between its computed values at two times ahead, at the same time in between: a curve
    /// is within h^2 / 8 of its largest second derivative of its chord. Both parts: the bend, and the rounding of the values.
    pub(super) fn bend(&self, channel: usize, from: f64, to: f64) -> (f64, f64) {
        let bend = self.largest(channel, 2, from, to) * (to - from).powi(2) * 0.125;
        (bend * INFLATE, self.rounding(channel, to))
    }

    /// At least how far [`Model::value`] is from the polynomial, so far ahead or less: s rounds once and enters at most five times, and Horner's
    /// rule takes at most eleven roundings, of the sum of the absolute values of all terms.
    pub(super) fn rounding(&self, channel: usize, ahead: f64) -> f64 {
        32.0 * U * self.horner(channel, 0, ahead / self.options.period, f64::abs) * INFLATE
    }

    /// Standard deviation of that, by how far samples were off and by what they tell about so late a time.
    pub fn deviation(&self, channel: usize, ahead: f64) -> f64 {
        let (n, s) = (self.options.order + 1, ahead / self.options.period);
        let mut powers = [1.0; MOST];
        for i in 1..n {
            powers[i] = powers[i - 1] * s;
        }
        let spread: f64 =
            (0..n).flat_map(|i| (0..n).map(move |j| (i, j))).map(|(i, j)| powers[i] * powers[j] * self.p[i][j]).sum();
        let freedom = (self.weight - n as f64).max(1.0);
        (self.surprise[channel] / freedom * (1.0 + spread.max(0.0))).sqrt()
    }

    /// Adds to what a channel is now, and to nothing else of it.
    pub(super) fn shift_value(&mut self, channel: usize, by: f64) {
        self.coefficients[channel][0] += by;
    }
}

fn unknown() -> Matrix {
    std::array::from_fn(|i| std::array::from_fn(|j| if i == j { UNKNOWN } else { 0.0 }))
}

/// The matrix that moves coefficients on by s: binomial(j, i) s^(j - i).
fn shift(s: f64) -> Matrix {
    let mut m = [[0.0; MOST]; MOST];
    for j in 0..MOST {
        m[j][j] = 1.0;
        for i in (0..j).rev() {
            // binomial(j, i) = binomial(j, i + 1) (i + 1) / (j - i)
            m[i][j] = m[i + 1][j] * s * (i + 1) as f64 / (j - i) as f64;
        }
    }
    m
}

/// S P S^T, of the first n.
fn moved(s: &Matrix, p: &Matrix, n: usize) -> Matrix {
    let mut half = [[0.0; MOST]; MOST];
    let mut whole = half;
    for i in 0..n {
        for j in 0..n {
            half[i][j] = (i..n).map(|k| s[i][k] * p[k][j]).sum();
        }
    }
    for i in 0..n {
        for j in 0..=i {
            let entry = (j..n).map(|k| half[i][k] * s[j][k]).sum();
            (whole[i][j], whole[j][i]) = (entry, entry);
        }
    }
    whole
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(order: usize, period: f64) -> Model {
        Model::new(1, ModelOptions { order, period }).expect("good options")
    }

    /// Uneven samples of a polynomial of the model's own order: it is found, for as long as it runs.
    #[test]
    fn polynomials_are_found() {
        for order in 0..=4usize {
            let mut model = model(order, 0.2);
            let x =
                |t: f64| (0..=order).map(|k| (0.5 + k as f64) * (t - 50.0).powi(k as i32) * 1e-2f64.powi(k as i32)).sum::<f64>();
            for i in 0..20_000 {
                let t = 0.005 * f64::from(i) + 0.002 * f64::from(i % 3);
                model.observe(t, &[x(t)]).expect("later");
                if i > 400 {
                    let (found, want) = (model.value(0, 0.1), x(t + 0.1));
                    assert!((found - want).abs() < 1e-5 * (1.0 + want.abs()), "order {order}, {t}: {found} {want}");
                }
            }
        }
    }

    /// With noise: off by about as much as it says, and less where less is asked.
    #[test]
    fn deviations_are_those_of_the_noise() {
        let (mut model, mut state) = (model(1, 0.2), 1u64);
        let mut noise = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1u64 << 53) as f64 - 0.5
        };
        let (mut squares, mut claimed, mut n) = (0.0, 0.0, 0.0);
        for i in 0..20_000 {
            let t = 0.001 * f64::from(i);
            model.observe(t, &[2.0 * t + 0.01 * noise()]).expect("later");
            if i > 1000 {
                let truth = 2.0 * (t + 0.1) + 0.01 * noise();
                squares += (model.value(0, 0.1) - truth).powi(2);
                claimed += model.deviation(0, 0.1).powi(2);
                n += 1.0;
            }
        }
        let (found, claimed) = ((squares / n).sqrt(), (claimed / n).sqrt());
        assert!(found < 1.3 * claimed && claimed < 1.3 * found, "{found} {claimed}");
        assert!(model.deviation(0, 0.01) < model.deviation(0, 0.5));
    }

    #[test]
    fn bad_samples_are_refused_and_pauses_forgotten() {
        let mut model = model(2, 0.1);
        model.observe(0.0, &[1.0]).expect("first");
        assert!(model.observe(0.0, &[1.0]).is_err() && model.observe(-1.0, &[1.0]).is_err());
        assert!(model.observe(f64::NAN, &[1.0]).is_err() && model.observe(1.0, &[f64::NAN]).is_err());
        assert!(model.observe(1.0, &[1.0, 2.0]).is_err());
        for i in 1..100 {
            model.observe(0.01 * f64::from(i), &[f64::from(i)]).expect("later");
        }
        model.observe(100.0, &[5.0]).expect("after a pause");
        assert_eq!((model.value(0, 0.0), model.value(0, 1.0)), (5.0, 5.0));
        assert!(Model::new(1, ModelOptions { order: 6, period: 0.1 }).is_err());
        assert!(Model::new(1, ModelOptions { order: 1, period: 0.0 }).is_err());
    }

    /// Random coefficients: derivatives are bounded, and the curve is as near to its chord as the bend says, which is sharp for order 2.
    #[test]
    fn derivatives_and_bends_are_bounds() {
        let mut state = 7u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1u64 << 53) as f64 - 0.5
        };
        for i in 0..2000 {
            let order = i % 6;
            let mut m = model(order, 0.25);
            m.observe(0.0, &[0.0]).expect("first");
            m.coefficients[0] = std::array::from_fn(|k| if k <= order { random() } else { 0.0 });
            let (from, length) = (random() + 0.5, 0.001 + random().abs());
            let (bend, rounding) = m.bend(0, from, from + length);
            let (a, b) = (m.value(0, from), m.value(0, from + length));
            let mut farthest = 0.0f64;
            for k in 0..=32 {
                let share = f64::from(k) / 32.0;
                let h = from + length * share;
                let off = (m.value(0, h) - (a + (b - a) * share)).abs();
                assert!(off <= bend + rounding + 1e-12 * (a.abs() + b.abs()), "order {order}: {off} {bend}");
                farthest = farthest.max(off);
                let (s, c) = (h / 0.25, &m.coefficients[0]);
                let speed = (1..=order).map(|k| k as f64 * c[k] * s.powi(k as i32 - 1)).sum::<f64>() / 0.25;
                let found = m.largest(0, 1, from, from + length);
                assert!(speed.abs() <= found * (1.0 + 1e-12), "order {order}: {speed} {found}");
            }
            assert!(order != 2 || bend < 1.000_1 * farthest + 1e-9, "the bound is too wide: {bend} {farthest}");
        }
    }

    /// Values that cancel: what rounding takes away is covered. The polynomial (s - 1)^5 at s = 1 + 2^-12 is 2^-60.
    #[test]
    fn rounding_of_values_is_covered() {
        let mut m = model(5, 1.0);
        m.observe(0.0, &[0.0]).expect("first");
        m.coefficients[0] = [-1.0, 5.0, -10.0, 10.0, -5.0, 1.0];
        let small = 1.0 / 4096.0;
        let (value, exact) = (m.value(0, 1.0 + small), f64::powi(small, 5));
        assert_ne!(value, exact);
        assert!((value - exact).abs() <= m.rounding(0, 1.0 + small));
    }
}
