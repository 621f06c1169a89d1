//! What a small difference of joint values moves at most.
//!
//! Two configurations of one tree of frames, with l the parent of i: R_i = R_l T_i, p_i = p_l + R_l c_i, and R', T', p', c' for the other.
//!
//! ```text
//! |R_i - R'_i| <= |R_l - R'_l| + |T_i - T'_i|                 |p_i - p'_i| <= |p_l - p'_l| + |R_l - R'_l| |c_i| + |c_i - c'_i|
//! ```
//! because rotations keep lengths: subtract R'_l T_i, and R'_l c_i. A turn about a fixed axis by d more is off by 2 sin(d / 2) <= d, a slide by
//! d more by d. A point at x in frame i moves by at most |p_i - p'_i| + |R_i - R'_i| |x|.
//!
//! How far each joint turns and slides per unit of each value is read off motions that change one value by one: a joint's value is a sum of
//! multiples of the values and a constant (a mimic, say). Such a difference of two sums is rounded by 2 u of the constant: 2^-40 has room for
//! constants up to 2^12, and the factor 1 + 2^-30 for its own rounding.

use crate::Error;
use crate::math::rounding::INFLATE;
use crate::scene::Motion;

/// Room for rounding, relative and absolute.
const FACTOR: f64 = 1.0 + 1.0 / (1u64 << 30) as f64;
const CONSTANT: f64 = 1.0 / (1u64 << 40) as f64;

/// For each value, how far each frame turns and slides in its parent, per unit.
#[derive(Clone, Debug)]
pub(super) struct Levers(Vec<Vec<[f64; 2]>>);

impl Levers {
    /// Reads them off motions; one per value.
    pub fn probe(values: &[f64], motion: impl Fn(&[f64], &[f64]) -> Result<Motion, Error>) -> Result<Levers, Error> {
        let of_value = |k: usize| {
            let [mut from, mut to] = [values.to_vec(), values.to_vec()];
            (from[k], to[k]) = (0.0, 1.0);
            let made = motion(&from, &to).map_err(|e| {
                let what = format!("value {k} cannot be predicted by itself, as a floating joint's orientation cannot: {e}");
                Error::invalid("joint values", what)
            })?;
            let joints = made.chain.joints.iter();
            Ok(joints.map(|j| [j.rate.abs(), j.speed].map(|per_unit| per_unit * FACTOR + CONSTANT)).collect())
        };
        (0..values.len()).map(of_value).collect::<Result<_, _>>().map(Levers)
    }

    /// At least how far any point of what moves is from where the motion has it at the same time, if each value is off by at most so much.
    /// `reaches`: how far what each frame carries reaches from its origin; nothing below zero.
    pub fn moved(&self, motion: &Motion, off: &[f64], reaches: &[f64]) -> f64 {
        let chain = &motion.chain;
        let mut frames = vec![[0.0; 2]; chain.joints.len()];
        let mut most: f64 = 0.0;
        for i in 1..frames.len() {
            let own = |part: usize| self.0.iter().zip(off).map(|(frames, off)| frames[i][part] * off).sum::<f64>();
            let [turned, moved] = frames[chain.parents[i] as usize];
            let place = moved + turned * chain.joints[i].arm + own(1);
            frames[i] = [(turned + own(0)) * INFLATE, place * INFLATE];
            if let Some(reach) = reaches.get(i).filter(|&&reach| reach >= 0.0) {
                let all = (frames[i][1] + frames[i][0] * reach) * INFLATE;
                // What is not a number must not get lost.
                most = if all <= most { most } else { all };
            }
        }
        most
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{Pose, Vec3};
    use crate::robot::{JointKind, JointSpec, Link, Robot};
    use crate::scene::Scene;
    use proptest::prelude::*;

    /// A turn, a turn about another axis, a slide, and a joint that follows the first turn.
    fn scene() -> Scene {
        let joint = |name: &str, parent: &str, child: &str, kind, mimic| JointSpec {
            name: name.into(),
            parent: parent.into(),
            child: child.into(),
            parent_from_joint: Pose::from_rpy(Vec3::new(0.4, -0.1, 0.2), Vec3::new(0.3, 0.1, -0.7)).expect("finite"),
            kind,
            limits: None,
            mimic,
        };
        let links = ["base", "tower", "boom", "hook", "tip"].map(|name| Link { name: name.into(), pieces: Vec::new() });
        let joints = [
            joint("turn", "base", "tower", JointKind::Revolute { axis: Vec3::unit(2) }, None),
            joint("lift", "tower", "boom", JointKind::Continuous { axis: Vec3::new(0.0, 1.0, 0.2) }, None),
            joint("slide", "boom", "hook", JointKind::Prismatic { axis: Vec3::unit(0) }, None),
            joint("follow", "hook", "tip", JointKind::Revolute { axis: Vec3::unit(0) }, Some(("turn".into(), -2.5, 0.3))),
        ];
        let robot = Robot::new("crane", links.to_vec(), joints.to_vec()).expect("a tree");
        Scene::builder().robot("crane", robot).build().expect("a scene")
    }

    proptest! {
        /// Configurations that differ by as much as is said, and the end of the chain: no point of it moves by more than the bound.
        #[test]
        fn nothing_moves_by_more(
            q in prop::array::uniform3(-2.0f64..2.0), off in prop::array::uniform3(0.0f64..0.3), part in prop::array::uniform3(-1.0f64..1.0),
            x in prop::array::uniform3(-0.5f64..0.5),
        ) {
            let (scene, x) = (scene(), Vec3::from(x));
            let id = scene.robot("crane").expect("in it");
            let motion = |a: &[f64], b: &[f64]| scene.motion().joint_line(id, a, b).build();
            let other: Vec<f64> = (0..3).map(|k| q[k] + off[k] * part[k]).collect();
            let place = |q: &[f64]| {
                let resting = motion(q, q).expect("three values");
                scene.poses(&resting, 0.0).expect("its own").last().map(|(_, pose)| pose.apply(x)).expect("links")
            };
            let levers = Levers::probe(&q, motion).expect("three values");
            let line = motion(&q, &q).expect("three values");
            let mut reaches = vec![-1.0; line.chain.joints.len()];
            *reaches.last_mut().expect("frames") = x.norm();
            let (moved, bound) = ((place(&q) - place(&other)).norm(), levers.moved(&line, &off, &reaches));
            prop_assert!(moved <= bound, "{moved} {bound}");
        }
    }

    /// Each value alone: the bound is sharp for a slide, and follows mimics.
    #[test]
    fn bounds_are_not_too_wide() {
        let scene = scene();
        let id = scene.robot("crane").expect("in it");
        let motion = |a: &[f64], b: &[f64]| scene.motion().joint_line(id, a, b).build();
        let levers = Levers::probe(&[0.0; 3], motion).expect("three values");
        let line = motion(&[0.0; 3], &[0.0; 3]).expect("three values");
        let reaches = vec![1.0; line.chain.joints.len()];
        assert!((levers.moved(&line, &[0.0, 0.0, 0.1], &reaches) - 0.1).abs() < 1e-6);
        let arm = Vec3::new(0.4, -0.1, 0.2).norm();
        assert!((levers.moved(&line, &[0.1, 0.0, 0.0], &reaches) - (0.1 * (3.0 * arm + 1.0) + 0.25)).abs() < 1e-6);
        assert_eq!(levers.moved(&line, &[0.0; 3], &reaches), 0.0);
        assert!(levers.moved(&line, &[f64::NAN, 0.0, 0.0], &reaches).is_nan(), "what is unknown stays unknown");
    }
}
