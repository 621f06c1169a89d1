//! A contact that is put into a span on purpose is never excluded; functions and derivatives at samples lie within their bounds.

use crate::math::Pose;
use crate::math::pose::Placement;
use crate::motion::sample::chains;
use crate::motion::{Carried, Chain, InBetween, Relative, Span};
use crate::reference::redon2004::equations::*;
use proptest::prelude::*;

fn vector() -> impl Strategy<Value = Vec3> {
    prop::array::uniform3(-1.0f64..1.0).prop_map(Vec3::from)
}

fn triangle() -> impl Strategy<Value = [Vec3; 3]> {
    [vector(), vector(), vector()]
}

/// A chain's tip over a span, and one time of it.
struct Scene {
    chain: Chain,
    span: Span,
}

impl Scene {
    /// The motion, with what the sample's own rounding may shift.
    fn motion(&self, error: f64) -> VaryingMotion {
        let mut motion = VaryingMotion::of_frame(&self.chain, 0, self.chain.joints.len() - 1, self.span);
        motion.position = motion.position.shifted_within(error);
        motion
    }

    /// Where a triangle of the tip is at tau.
    fn placed(&self, corners: &[Vec3; 3], tau: f64) -> [Vec3; 3] {
        let here = Placement::new(Pose::IDENTITY);
        let tip = Carried { frame: self.chain.joints.len() - 1, placement: &here };
        let relative = Relative::new(&self.chain, tip, Carried { frame: 0, placement: &here }, 0, Vec3::ZERO);
        let t = self.span.middle() + tau * self.span.half();
        corners.map(|y| relative.tube(Span::new(t, t)).line(y).0)
    }
}

/// A point of a triangle.
fn inside(t: &[Vec3; 3], (u, v): (f64, f64)) -> Vec3 {
    let (u, v) = if u + v > 1.0 { (1.0 - u, 1.0 - v) } else { (u, v) };
    t[0] + (t[1] - t[0]) * u + (t[2] - t[0]) * v
}

/// Error of a sample: chains here are a few metres long.
const ERROR: f64 = 1e-13;

fn kept(roots: &Roots, bit: usize, tau: f64) -> bool {
    let half = if tau <= 0.0 { roots.early } else { roots.late };
    half & 1 << bit != 0 && roots.times.from <= tau + 1e-12 && tau - 1e-12 <= roots.times.to
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]
    #[test]
    fn contacts_put_there_are_kept(
        chain in chains(1..5, 1.0), (from, length) in (0.0f64..0.5, 1e-4f64..0.5), tau in -1.0f64..=1.0,
        moving in triangle(), resting in triangle(), at in (0.0f64..=1.0, 0.0f64..=1.0), (k, l) in (0usize..3, 0usize..3),
    ) {
        let scene = Scene { chain, span: Span::new(from, from + length) };
        let placed = scene.placed(&moving, tau);
        let motion = scene.motion(ERROR);
        let shifted = |by: Vec3| resting.map(|p| p + by);
        // A vertex of the moving triangle in the resting face.
        let face = shifted(placed[k] - inside(&resting, at));
        let found = roots(&motion, &moving, &face, ALL);
        prop_assert!(kept(&found, k, tau), "vertex {k}: {found:?} at {tau}");
        prop_assert!(roots(&motion, &moving, &face, 1 << k).times.from <= tau + 1e-12);
        // A vertex of the resting triangle in the moving face.
        let vertex = shifted(inside(&placed, at) - resting[k]);
        let found = roots(&motion, &moving, &vertex, ALL);
        prop_assert!(kept(&found, 3 + k, tau), "face, vertex {k}: {found:?} at {tau}");
        // Two edges.
        let on = |t: &[Vec3; 3], e: usize, s: f64| t[e] + (t[(e + 1) % 3] - t[e]) * s;
        let edge = shifted(on(&placed, k, at.0) - on(&resting, l, at.1));
        let found = roots(&motion, &moving, &edge, ALL);
        prop_assert!(kept(&found, 6 + 3 * k + l, tau), "edges {k} {l}: {found:?} at {tau}");
    }

    /// Equations 13 and 14 at samples, from the motion at an instant, lie within the bounds over the span; so do difference quotients.
    #[test]
    fn values_and_derivatives_are_enclosed(
        chain in chains(1..5, 1.0), (from, length) in (0.0f64..0.5, 1e-4f64..0.5), moving in triangle(), resting in triangle(),
    ) {
        let scene = Scene { chain, span: Span::new(from, from + length) };
        let motion = scene.motion(0.0);
        let face = Face::new(&resting);
        let height = face.relative(motion.point(moving[0]), resting[0]).along(face.normal);
        let ac = VaryingVec3::constant(resting[1], 0.0) - motion.point(moving[0]);
        let volume = ac.dot(motion.rotation.apply_constant(moving[1] - moving[0]).cross_constant(resting[2] - resting[1]));
        let at = |tau: f64| {
            let [a, b, _] = scene.placed(&moving, tau);
            let ab_cd = (b - a).cross(resting[2] - resting[1]);
            ((a - resting[0]).dot((resting[1] - resting[0]).cross(resting[2] - resting[0])), (resting[1] - a).dot(ab_cd))
        };
        for k in 0..16 {
            let (tau, next) = (f64::from(k) / 8.0 - 1.0, f64::from(k + 1) / 8.0 - 1.0);
            let (now, then) = (at(tau), at(next));
            for (v, x, y) in [(height, now.0, then.0), (volume, now.1, then.1)] {
                prop_assert!((x - v.mid).abs() <= v.spread + 100.0 * ERROR, "{x} {v:?}");
                prop_assert!(((y - x) * 8.0 - v.rate).abs() <= v.rate_spread + 1000.0 * ERROR, "{v:?}");
            }
        }
    }

    /// Over a short span Newton leaves little around a crossing, and nothing of a miss.
    #[test]
    fn newton_is_narrow(at in -0.5f64..0.5, place in (0.1f64..0.4, 0.1f64..0.4)) {
        let chain = slide(Vec3::new(0.0, 0.0, 1.0 - at), Vec3::new(0.0, 0.0, -2.0));
        let motion = VaryingMotion::of_frame(&chain, 0, 1, Span::new(0.0, 1.0));
        let resting = [Vec3::ZERO, Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.0, 1.0, 0.0)];
        let tip = Vec3::new(place.0, place.1, 0.0);
        let moving = [tip, tip + Vec3::new(0.2, 0.1, 3.0), tip + Vec3::new(-0.1, 0.2, 3.0)];
        let found = roots(&motion, &moving, &resting, 1);
        prop_assert!((found.times.from + at).abs() < 1e-9 && (found.times.to + at).abs() < 1e-9, "{found:?}");
        let beside = moving.map(|p| p + Vec3::new(1.0, 1.0, 0.0));
        prop_assert!(roots(&motion, &beside, &resting, ALL).times.is_empty());
        // Through the plane, in the box around the face, but outside of it.
        let outside = moving.map(|p| p + Vec3::new(0.7, 0.7, 0.0) - tip);
        prop_assert!(roots(&motion, &outside, &resting, 0b111).times.is_empty());
    }
}

fn slide(start: Vec3, travel: Vec3) -> Chain {
    let rigid =
        crate::RigidMotion { start: Pose::from_translation(start), end_position: start + travel, rotation_vector: Vec3::ZERO };
    Chain::new(vec![0, 0], vec![InBetween::resting(Pose::IDENTITY), InBetween::of_rigid(&rigid, Vec3::ZERO).expect("in range")])
}

/// Where the equations are silent nothing is excluded: triangles without area, edges that stay parallel, motion in a common plane.
#[test]
fn silence_excludes_nothing() {
    let chain = slide(Vec3::new(-1.0, 0.0, 0.0), Vec3::new(2.0, 0.0, 0.0));
    let motion = VaryingMotion::of_frame(&chain, 0, 1, Span::new(0.0, 1.0));
    let flat = [Vec3::ZERO, Vec3::new(0.5, 0.0, 0.0), Vec3::new(0.0, 0.5, 0.0)];
    assert!(!roots(&motion, &flat, &flat, ALL).times.is_empty());
    let point = [Vec3::new(0.1, 0.1, 0.0); 3];
    assert!(!roots(&motion, &point, &flat, ALL).times.is_empty());
    assert!(!roots(&motion, &flat, &point, ALL).times.is_empty());
    let needle = [Vec3::new(0.1, 0.1, -1.0), Vec3::new(0.1, 0.1, 1.0), Vec3::new(0.1, 0.1, 1.0)];
    assert!(!roots(&motion, &needle, &flat, ALL).times.is_empty());
}
