//! Frames given for links that no joint moves: they may not say anything else than what holds the link.

use super::PlacedRobot;
use crate::Error;
use crate::math::Pose;
use crate::math::rounding::U;
use crate::robot::JointKind;

/// A frame given for a link that no joint moves may be this far from where the link is, metres, and in each entry of its rotation: six
/// printed digits.
pub const FRAME_SLACK: f64 = 1e-6;

/// Share of its distance from the origin by which a composed frame may be off: far away, coordinates round.
const ROUNDING: f64 = 64.0 * U;

impl PlacedRobot {
    /// Refuses frames that put a link where nothing carries it; `when` is the end of the motion that they belong to.
    pub(super) fn check_held(&self, when: &str, frames: &[Pose]) -> Result<(), Error> {
        // Where links are as far as the motion goes, so that small differences do not add up along fixed joints.
        let mut true_frames = frames.to_vec();
        for &link in self.robot.order() {
            let (held, remedy) = match self.robot.joint_above(link).map(|j| &self.robot.joints()[j]) {
                None => {
                    (self.base, "a root stays at the robot's base: place the robot there, or put a floating joint above the link")
                }
                Some(joint) if joint.kind == JointKind::Fixed => {
                    let held = true_frames[joint.parent] * joint.parent_from_joint;
                    (held, "a fixed joint holds it: leave the frame out, or correct it")
                }
                Some(_) => continue,
            };
            true_frames[link] = held;
            let (off, turn) = differences(&frames[link], &held);
            let slack = FRAME_SLACK + ROUNDING * (frames[link].translation.norm() + held.translation.norm());
            // Written so that NaN is refused.
            if !(off <= slack && turn <= FRAME_SLACK) {
                let what = format!("link '{}/{}'", self.name, self.robot.links()[link].name);
                let why =
                    format!("its frame at the {when} is {off:.3e} m and about {turn:.3e} rad from where it is held; {remedy}");
                return Err(Error::invalid(what, why));
            }
        }
        Ok(())
    }
}

/// How far origins are apart, and the ends of unit vectors when origins coincide; NaN where something is.
fn differences(a: &Pose, b: &Pose) -> (f64, f64) {
    let column = |k: usize| (a.rotation.columns[k] - b.rotation.columns[k]).norm();
    let turn = (0..3).map(column).fold(0.0, |most: f64, c| if c <= most { most } else { c });
    ((a.translation - b.translation).norm(), turn)
}

#[cfg(test)]
mod tests {
    use crate::math::{Pose, Vec3};
    use crate::robot::{JointKind, JointSpec, Link, Robot};
    use crate::scene::Scene;

    /// A root that stands at x = 2, a link that turns, a tip welded to it.
    fn scene() -> Scene {
        let joint = |name: &str, parent: &str, child: &str, kind| JointSpec {
            name: name.into(),
            parent: parent.into(),
            child: child.into(),
            parent_from_joint: Pose::from_translation(Vec3::unit(0)),
            kind,
            limits: None,
            mimic: None,
        };
        let links = ["base", "arm", "tip"].map(|name| Link { name: name.into(), pieces: Vec::new() });
        let kinds = [JointKind::Revolute { axis: Vec3::unit(2) }, JointKind::Fixed];
        let joints = vec![joint("turn", "base", "arm", kinds[0]), joint("weld", "arm", "tip", kinds[1])];
        let robot = Robot::new("r", links.to_vec(), joints).expect("a tree");
        Scene::builder().robot_at("r", robot, Pose::from_translation(Vec3::unit(0) * 2.0)).build().expect("a scene")
    }

    #[test]
    fn frames_of_held_links_agree_with_what_holds_them() {
        let scene = scene();
        let id = scene.robot("r").expect("there");
        let at = |x: f64| Pose::from_translation(Vec3::unit(0) * x);
        let turned = |x: f64| Pose::from_rpy(Vec3::unit(0) * x, Vec3::unit(2) * 1e-3).expect("finite");
        let good = [at(2.0), at(7.0), at(8.0)];
        let asked =
            |frames: &[Pose; 3]| scene.motion().link_frames(id, &good, frames).build().map_err(|e| e.to_string()).map(|_| ());
        assert_eq!(asked(&good), Ok(()));
        assert_eq!(asked(&[at(2.0 + 0.9e-6), at(5.0), at(6.0 - 0.9e-6)]), Ok(()), "within what printed digits lose");
        let nowhere = Pose { translation: Vec3::splat(f64::NAN), ..Pose::IDENTITY };
        for (frames, name) in [
            ([at(3.0), at(7.0), at(8.0)], "r/base"),
            ([turned(2.0), at(7.0), at(8.0)], "r/base"),
            ([at(2.0), at(7.0), at(8.0 + 2e-6)], "r/tip"),
            ([at(2.0), turned(7.0), turned(8.0)], "r/tip"),
            ([at(2.0), at(7.0), Pose::IDENTITY], "r/tip"),
            ([at(2.0), at(7.0), nowhere], "r/tip"),
        ] {
            let message = asked(&frames).expect_err(name);
            assert!(message.contains(name) && message.contains("frame at the end"), "{message}");
        }
    }
}
