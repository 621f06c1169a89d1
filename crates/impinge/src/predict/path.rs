//! The predicted path of a tool in pieces: straight lines of its vertices, and how far the tool strays from them.
//!
//! A point at R0 X from the origin, |R0 X| <= r, is at x(t) = p(t) + exp(v(t)) R0 X, and
//!
//! ```text
//! |x''| <= |p''| + r (|v''| + |v'|^2)          so it is within h^2 / 8 of that of its chord, over a piece of length h
//! ```
//! Proof: exp(v) = F^n with F = exp(v / n). |F'| <= |v'| / n, because F' = integral over s of exp(s v/n) [v'/n]* exp((1 - s) v/n), and
//! by the same formula |F''| <= |v''| / n + O(1 / n^2). Differentiate the product twice: n terms with F'' and n (n - 1) with two F', all
//! other factors of norm 1; let n grow.

use super::pose::PoseModel;
use crate::deform::tool::arc::{Chord, LENGTHENED, PLACING};
use crate::math::rounding::INFLATE;

impl PoseModel {
    /// The predicted path between two times ahead, for a tool of this reach.
    pub(super) fn chord(&self, from: f64, to: f64, reach: f64) -> Chord {
        let reach = reach * LENGTHENED;
        let norm = |first: usize, of: &dyn Fn(usize) -> f64| (first..first + 3).map(|k| of(k).powi(2)).sum::<f64>().sqrt();
        let largest = |order: u32| move |k: usize| self.largest(k, order, from, to);
        let [speed, change] = [1, 2].map(|order| norm(3, &largest(order)));
        let most = norm(0, &largest(2)) + reach * (change + speed * speed);
        let rounded = |k: usize| self.rounding(k, to);
        let (poses, size) = ([from, to].map(|h| self.pose(h)), norm(0, &largest(0)));
        let turned = norm(3, &largest(0));
        Chord {
            from: poses[0],
            to: poses[1],
            bend: most * (to - from).powi(2) * 0.125 * INFLATE,
            rounding: (norm(0, &rounded) + reach * norm(3, &rounded) + PLACING * (reach * (1.0 + turned) + size)) * INFLATE,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::deform::tool::arc::exp;
    use crate::deform::tool::arc::tests::strays;
    use crate::math::{Pose, Vec3};
    use crate::predict::ModelOptions;
    use proptest::prelude::*;

    proptest! {
        /// The same for predictions of any order, with an orientation that tumbles.
        #[test]
        fn predictions_stay_near_their_chords(
            order in 0usize..6, motion in prop::array::uniform32(-1.0f64..1.0), vertex in prop::array::uniform3(-1.0f64..1.0),
            from in 0.0f64..1.0, length in 0.001f64..0.5,
        ) {
            let mut model = PoseModel::new(ModelOptions { order, period: 0.3 }).expect("good options");
            for i in 0..40 {
                let t = 0.02 * f64::from(i);
                let v = |k: usize| Vec3::new(motion[k], motion[k + 1], motion[k + 2]);
                let rotation = exp(v(0) * (3.0 * t)) * exp(v(3) * (2.0 * t * t)) * exp(v(6));
                let translation = v(9) * t + v(12) * (t * t) + v(15) * (5.0 * t * t * t) + v(18 + i as usize % 10) * 1e-3;
                model.observe(t, &Pose { rotation, translation }).expect("later");
            }
            let chord = model.chord(from, from + length, 1.8);
            let found = strays(&chord, |s| model.pose(from + length * s), Vec3::from(vertex));
            prop_assert!(found <= chord.stray(), "{found} {chord:?}");
        }
    }

    /// A point on a curve of constant acceleration uses all of the bound.
    #[test]
    fn the_bound_is_sharp_where_nothing_turns() {
        let mut model = PoseModel::new(ModelOptions::default()).expect("good options");
        for i in 0..200 {
            let t = 0.005 * f64::from(i);
            model.observe(t, &Pose::from_translation(Vec3::new(0.0, t, 5.0 * t * t))).expect("later");
        }
        let chord = model.chord(0.2, 0.4, 1.0);
        let found = strays(&chord, |s| model.pose(0.2 + 0.2 * s), Vec3::ZERO);
        assert!((found - 0.05).abs() < 1e-4 && found <= chord.stray() && chord.bend < 1.01 * found, "{found} {chord:?}");
    }
}
