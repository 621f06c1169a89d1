//! Steps of boxes and triangles against positions: whatever touches at some time, no step goes past it.

use proptest::prelude::*;

use crate::bvh::wide::WidePack;
use crate::bvh::{WideBox, WideTree};
use crate::math::pose::Placement;
use crate::math::simd::{Arithmetic, Asked, Axes32, Lanes, Mover, Oriented8, Portable, advance, meet};
use crate::math::{Mat3, Pose, Vec3};
use crate::motion::{Carried, Chain, InBetween, Relative, RigidMotion, Span};
use crate::search::obb::again;
use crate::search::obb::place::Before;
use crate::search::obb::state::Course;
use crate::search::obb::triangles::{Approach, reach_of};

type Four = <Portable as Lanes>::Doubles;
/// All that kernels can tell.
const ALL: Asked = Asked { lanes: 0xff, until: f32::INFINITY };

fn vector() -> impl Strategy<Value = Vec3> {
    prop::array::uniform3(-1.0f64..1.0).prop_map(Vec3::from)
}

/// Eight triangles in a soup of their own each, so that a tree has one pack, with one box for each.
fn soup() -> impl Strategy<Value = Vec<[Vec3; 3]>> {
    let size = prop_oneof![Just(1.0), Just(0.1), Just(1e-3)];
    prop::collection::vec((vector(), prop::array::uniform3(vector()), size), 8)
        .prop_map(|all| all.into_iter().map(|(at, corners, size)| corners.map(|c| at + c * size)).collect())
}

/// A motion of a body in a chain: one or two joints, turning or not, from far away or near.
#[derive(Clone, Debug)]
struct Moves {
    start: Vec3,
    travel: Vec3,
    turn: Vec3,
    second: Option<Vec3>,
}

fn moves() -> impl Strategy<Value = Moves> {
    let turn = prop_oneof![Just(0.0), 0.01f64..3.0];
    let far = prop_oneof![Just(1.0), Just(1.0), Just(1e4)];
    (vector(), vector(), vector(), turn, far, prop::option::of(vector())).prop_map(|(start, travel, axis, turn, far, second)| {
        Moves { start: start * far, travel: travel * 2.0, turn: axis * turn, second }
    })
}

impl Moves {
    /// The chain, and the frame of the body.
    fn chain(&self) -> (Chain, usize) {
        let joint = |start: Vec3, travel: Vec3, turn: Vec3| {
            let pose = Pose::from_rpy(start, start * 1e-3).expect("finite");
            let motion = RigidMotion { start: pose, end_position: start + travel, rotation_vector: turn };
            InBetween::of_rigid(&motion, Vec3::ZERO).expect("in range")
        };
        let mut joints = vec![InBetween::resting(Pose::IDENTITY), joint(self.start, self.travel, self.turn)];
        if let Some(second) = self.second {
            joints.push(joint(second, second, self.turn));
        }
        let last = joints.len() - 1;
        (Chain::new((0..joints.len() as u32).map(|i| i.saturating_sub(1)).collect::<Vec<_>>(), joints), last)
    }
}

/// A point of triangle `i`, by two shares.
fn point_of(t: &[Vec3; 3], u: f64, v: f64) -> Vec3 {
    let (u, v) = if u + v > 1.0 { (1.0 - u, 1.0 - v) } else { (u, v) };
    t[0] + (t[1] - t[0]) * u + (t[2] - t[0]) * v
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]
    /// A triangle of the moving soup and one of the resting soup share a point at `touch`, or are as near as the margin.
    #[test]
    fn no_step_goes_past_a_contact(
        moves in moves(), a in soup(), b in soup(), (i, k) in (0usize..8, 0usize..8),
        shares in prop::array::uniform4(0.0f64..1.0), (from, until) in (0.0f64..1.0, 0.0f64..=1.0),
        margin in prop_oneof![Just(0.0), Just(0.0), 1e-3f64..0.1], aside in vector(),
    ) {
        let from = from * until;
        let (chain, frame) = moves.chain();
        let here = Placement::new(Pose::IDENTITY);
        let relative = Relative::new(&chain, Carried { frame, placement: &here }, Carried { frame: 0, placement: &here }, 0, Vec3::ZERO);
        let at = relative.tube(Span::new(until, until));
        let y = point_of(&a[i], shares[0], shares[1]);
        // The resting soup is moved so that they touch; what that and the sample round is allowed for.
        let shift = at.line(y).0 + aside * (margin * 0.999_999 / aside.norm().max(1e-9)) - point_of(&b[k], shares[2], shares[3]);
        let b: Vec<[Vec3; 3]> = b.iter().map(|t| t.map(|c| c + shift)).collect();
        let rounding = 4.0 * at.rounding(y.norm()) + 1e-15 * (1.0 + shift.norm());
        let (moving, resting) =
            (WideTree::of_triangles(8, |n| a[n as usize]), WideTree::of_triangles(8, |n| b[n as usize]));
        let leaf = |tree: &WideTree, item: usize| {
            (0..8).find(|&lane| tree.boxes[1 + lane].first as usize == item).expect("one lane for each")
        };
        let (lane_a, lane_b) = (leaf(&moving, i), leaf(&resting, k));
        let course = Course::new(&relative);
        let (horizon, mut room) = (1.0 - from, None);
        let state = course.state(&relative, from, horizon, &mut room);
        let extra = margin + rounding;
        let bounds = |mover: Mover, a: &WideBox, b: &WideBox| {
            let (tree, parent) = if mover == Mover::Single { (&resting, b) } else { (&moving, a) };
            let pack = &tree.packs[parent.pack as usize];
            let before = Before { state: &state, moving: a, resting: b, pack, mover, extra };
            let placed = before.placed::<Portable>();
            let turning = advance::<Portable>(&pack.lanes, &placed.probe, &before.turning(&placed, horizon), mover, ALL).store();
            let straight = if course.turns() { [0.0; 8] } else { meet::<Portable>(&pack.lanes, &placed.probe, &before.straight(), ALL).store() };
            (turning, straight)
        };
        let left = until - from + 1e-15;
        let (root_a, root_b) = (&moving.boxes[0], &resting.boxes[0]);
        let (leaf_a, leaf_b) = (&moving.boxes[1 + lane_a], &resting.boxes[1 + lane_b]);
        for (turning, straight) in [bounds(Mover::Single, root_a, root_b), bounds(Mover::Single, leaf_a, root_b)] {
            prop_assert!(f64::from(turning[lane_b]) <= left && f64::from(straight[lane_b]) <= left, "{turning:?} {straight:?} {left}");
        }
        for (turning, straight) in [bounds(Mover::Lanes, root_a, root_b), bounds(Mover::Lanes, root_a, leaf_b)] {
            prop_assert!(f64::from(turning[lane_a]) <= left && f64::from(straight[lane_a]) <= left, "{turning:?} {straight:?} {left}");
        }
        for (x, y) in [(root_a, root_b), (leaf_a, leaf_b)] {
            let step = again::free_for::<Portable>(&state, x, y, extra, horizon);
            prop_assert!(step <= left, "{step} {left}");
        }
        let reach = a[i].iter().map(|c| c.norm()).fold(0.0, f64::max);
        for more in [false, true] {
            let step = Approach::new::<Four>(&state, &a[i], reach, &b[k], extra, horizon).free_for::<Four>(more);
            prop_assert!(step <= left, "{step} {left}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]
    /// Two triangles share a point at `touch` while nothing turns, exactly in the plane of both or not: the span of their overlap holds it.
    #[test]
    fn no_overlap_ends_before_a_contact_or_begins_after_it(
        (start, travel) in (vector(), vector()), a in prop::array::uniform3(vector()), b in prop::array::uniform3(vector()),
        shares in prop::array::uniform4(0.0f64..1.0), touch in prop_oneof![Just(0.0), Just(1.0), 0.0f64..1.0], flat in 0u8..3,
        margin in prop_oneof![Just(0.0), Just(0.0), 1e-3f64..0.1], aside in vector(),
    ) {
        // Flat: both lie in planes z = const; if twice so, they move along these.
        let level = |v: Vec3, from: u8| if flat >= from { Vec3::new(v.x, v.y, 0.0) } else { v };
        let (a, b, travel) = (a.map(|c| level(c, 1)), b.map(|c| level(c, 1)), level(travel, 2));
        let (chain, frame) = Moves { start: start - Vec3::splat(start.y), travel, turn: Vec3::ZERO, second: None }.chain();
        let here = Placement::new(Pose::IDENTITY);
        let relative = Relative::new(&chain, Carried { frame, placement: &here }, Carried { frame: 0, placement: &here }, 0, Vec3::ZERO);
        let at = relative.tube(Span::new(touch, touch));
        let y = point_of(&a, shares[0], shares[1]);
        let shift = at.line(y).0 + aside * (margin * 0.999_999 / aside.norm().max(1e-9)) - point_of(&b, shares[2], shares[3]);
        let b = b.map(|c| c + shift);
        let rounding = 4.0 * at.rounding(y.norm()) + 1e-15 * (1.0 + shift.norm());
        let course = Course::new(&relative);
        prop_assert!(!course.turns());
        let mut room = None;
        let state = course.state(&relative, 0.0, 1.0, &mut room);
        let overlap = Approach::new::<Four>(&state, &a, reach_of(&a), &b, margin + rounding, 1.0).overlap::<Four>();
        prop_assert!(overlap.is_some_and(|(from, to)| from <= touch && touch <= to), "{:?} {}", overlap, touch);
    }
}

/// A triangle that flies through another one overlaps it as long as it takes; one beside it in its plane never does.
#[test]
fn overlaps_are_short() {
    let flat = |x: f64| [Vec3::new(x, 0.0, 0.0), Vec3::new(x + 1.0, 0.0, 0.0), Vec3::new(x, 1.0, 0.0)];
    let (chain, frame) =
        Moves { start: Vec3::unit(2) * -1.0, travel: Vec3::unit(2) * 2.0, turn: Vec3::ZERO, second: None }.chain();
    let here = Placement::new(Pose::IDENTITY);
    let relative =
        Relative::new(&chain, Carried { frame, placement: &here }, Carried { frame: 0, placement: &here }, 0, Vec3::ZERO);
    let (course, mut room) = (Course::new(&relative), None);
    let state = course.state(&relative, 0.0, 1.0, &mut room);
    let overlap = |a: &[Vec3; 3]| Approach::new::<Four>(&state, a, reach_of(a), &flat(0.0), 0.0, 1.0).overlap::<Four>();
    let (from, to) = overlap(&flat(0.2)).expect("they meet");
    assert!(from < 0.5 && to > 0.5 && to - from < 1e-12, "{from} {to}");
    assert_eq!(overlap(&flat(1.5)), None);
    let upright = [Vec3::new(0.2, 0.2, -0.5), Vec3::new(0.3, 0.2, -0.5), Vec3::new(0.2, 0.2, 0.5)];
    let (from, to) = overlap(&upright).expect("they meet");
    assert!((from - 0.25).abs() < 1e-12 && (to - 0.75).abs() < 1e-12, "{from} {to}");
}

/// Steps are worth something: a cube that flies and turns towards another one gets most of the way in one step.
#[test]
fn steps_are_long() {
    let cube = |at: Vec3| [0, 1, 2].map(|k| at + Vec3::unit(k) * 0.5);
    let moves =
        Moves { start: Vec3::new(-10.0, 0.0, 0.0), travel: Vec3::new(10.0, 0.0, 0.0), turn: Vec3::unit(0) * 0.5, second: None };
    let (chain, frame) = moves.chain();
    let here = Placement::new(Pose::IDENTITY);
    let relative =
        Relative::new(&chain, Carried { frame, placement: &here }, Carried { frame: 0, placement: &here }, 0, Vec3::ZERO);
    let tree = WideTree::of_triangles(1, |_| cube(Vec3::ZERO));
    let (course, mut room) = (Course::new(&relative), None);
    let state = course.state(&relative, 0.0, 1.0, &mut room);
    let step = again::free_for::<Portable>(&state, &tree.boxes[0], &tree.boxes[0], 0.0, 1.0);
    assert!(step > 0.7 && step < 1.0, "{step}");
    let step = Approach::new::<Four>(&state, &cube(Vec3::ZERO), 0.5, &cube(Vec3::ZERO), 0.0, 1.0).free_for::<Four>(false);
    assert!(step > 0.8 && step < 1.0, "{step}");
}

/// Numbers that are none gain nothing.
#[test]
fn nan_gains_nothing() {
    let (chain, frame) = Moves { start: Vec3::splat(5.0), travel: Vec3::ZERO, turn: Vec3::unit(2), second: None }.chain();
    let here = Placement::new(Pose::IDENTITY);
    let relative =
        Relative::new(&chain, Carried { frame, placement: &here }, Carried { frame: 0, placement: &here }, 0, Vec3::ZERO);
    let corners = [Vec3::ZERO, Vec3::unit(0), Vec3::unit(1)];
    let tree = WideTree::of_triangles(2, |_| corners);
    let (course, mut room) = (Course::new(&relative), None);
    let state = course.state(&relative, 0.0, 1.0, &mut room);
    for (extra, apart) in [(0.0, true), (f64::NAN, false), (f64::INFINITY, false)] {
        let (a, b) = (&tree.boxes[0], &tree.boxes[0]);
        let before = Before { state: &state, moving: a, resting: b, pack: &tree.packs[0], mover: Mover::Single, extra };
        let placed = before.placed::<Portable>();
        let steps =
            advance::<Portable>(&tree.packs[0].lanes, &placed.probe, &before.turning(&placed, 1.0), Mover::Single, ALL).store();
        assert_eq!(steps[0] > 0.0, apart, "{steps:?}");
        assert_eq!(meet::<Portable>(&tree.packs[0].lanes, &placed.probe, &before.straight(), ALL).store()[0] > 0.0, apart);
        assert_eq!(again::free_for::<Portable>(&state, a, b, extra, 1.0) > 0.0, apart);
        assert_eq!(Approach::new::<Four>(&state, &corners, 1.0, &corners, extra, 1.0).free_for::<Four>(true) > 0.0, apart);
    }
}

fn turned(rpy: Vec3) -> Mat3 {
    Pose::from_rpy(Vec3::ZERO, rpy * 3.0).expect("finite").rotation
}

fn boxed(center: Vec3, axes: &Mat3, half: Vec3) -> WideBox {
    let along = Axes32::new(axes, half.to_array().map(|h| h as f32));
    WideBox { center, along, radius: 2.0, area: 0.0, first: 0, pack: 0 }
}

/// The box as the only lane of a pack whose parent stands at `parent`.
fn alone(b: &WideBox, parent: Vec3) -> WidePack {
    let mut lanes = Oriented8::EMPTY;
    for i in 0..3 {
        lanes.center[i][0] = (b.center - parent)[i] as f32;
        lanes.half[i][0] = b.along.half[i];
        for k in 0..3 {
            lanes.axes[k][i][0] = b.along.axes[i][k];
        }
    }
    lanes.radius[0] = b.radius;
    WidePack { lanes, filled: 1, size: (b.center - parent).norm() + 3.0 }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]
    /// A corner of one box lies on a face of the other, from outside: not even the rounding of `f32` finds a gap.
    #[test]
    fn boxes_that_touch_take_no_step(
        (start, turn, y) in (vector(), vector(), vector()), (rpy, other) in (vector(), vector()),
        half in prop::array::uniform3(0.1f32..0.5), other_half in prop::array::uniform3(0.1f32..0.5),
        (face, at) in (0usize..3, prop::array::uniform3(-1.0f64..1.0)), offset in prop::array::uniform3(-0.5f32..0.5),
    ) {
        let moves = Moves { start, travel: Vec3::ZERO, turn, second: None };
        let (chain, frame) = moves.chain();
        let here = Placement::new(Pose::IDENTITY);
        let relative = Relative::new(&chain, Carried { frame, placement: &here }, Carried { frame: 0, placement: &here }, 0, Vec3::ZERO);
        let (course, mut room) = (Course::new(&relative), None);
        let state = course.state(&relative, 0.3, 0.7, &mut room);
        let (axes, others) = (turned(rpy), turned(other));
        let [half, other_half] = [half, other_half].map(|h| Vec3::from(h.map(f64::from)));
        let side = at[face].signum();
        let out = others.columns[face] * side;
        let low = |k: usize| if out.dot(state.rotation.apply(axes.columns[k].into()).vec3()) > 0.0 { -half[k] } else { half[k] };
        let corner = y + axes * Vec3::new(low(0), low(1), low(2));
        let touch = state.rotation.apply(corner.into()).add(state.position).vec3();
        let mut on_face = Vec3::new(at[0] * other_half.x, at[1] * other_half.y, at[2] * other_half.z);
        on_face[face] = side * other_half[face];
        let (a, mut b) = (boxed(y, &axes, half), boxed(Vec3::ZERO, &others, other_half));
        // The lane's centre, as a sum of its parent's and a number of f32, is rounded: allowed for.
        let parent = touch - others * on_face - Vec3::from(offset.map(f64::from));
        b.center = parent + Vec3::from(offset.map(f64::from));
        let extra = 1e-14;
        prop_assert_eq!(again::free_for::<Portable>(&state, &a, &b, extra, 0.7), 0.0);
        let pack = alone(&b, parent);
        let resting = WideBox { center: parent, ..b };
        let before = Before { state: &state, moving: &a, resting: &resting, pack: &pack, mover: Mover::Single, extra };
        let placed = before.placed::<Portable>();
        let steps = advance::<Portable>(&pack.lanes, &placed.probe, &before.turning(&placed, 0.7), Mover::Single, ALL).store();
        prop_assert_eq!(steps[0], 0.0);
        let pack = alone(&a, y);
        let before = Before { pack: &pack, resting: &b, mover: Mover::Lanes, ..before };
        let placed = before.placed::<Portable>();
        let steps = advance::<Portable>(&pack.lanes, &placed.probe, &before.turning(&placed, 0.7), Mover::Lanes, ALL).store();
        prop_assert_eq!(steps[0], 0.0);
    }
}
