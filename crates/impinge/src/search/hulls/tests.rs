//! Bounds against the motion itself, looked at densely, and against exact arithmetic where nothing but rounding is left.

use num_rational::BigRational;
use proptest::prelude::*;

use crate::bvh::hulls::farthest;
use crate::bvh::{HullTree, HullTreeOptions};
use crate::geometry::Mesh;
use crate::math::pose::Placement;
use crate::math::rounding::U;
use crate::math::{Pose, Vec3};
use crate::motion::{Carried, Chain, InBetween, Relative, RigidMotion, Span};
use crate::robot::JointKind;
use crate::search::hulls::anchor::{Anchor, Around, Clear};
use crate::search::hulls::measure::Pose as Instant;

fn vectors(scale: f64) -> impl Strategy<Value = Vec3> {
    prop::array::uniform3(-1.0f64..1.0).prop_map(move |v| Vec3::from(v) * scale)
}

/// A soup of triangles around a point.
fn tree(points: &[Vec3], at: Vec3, max_vertices: usize) -> HullTree {
    let vertices: Vec<Vec3> = points.iter().map(|p| *p + at).collect();
    let n = vertices.len() as u32;
    let mesh = Mesh::new(vertices, (0..n).map(|i| [i, (i + 1) % n, (i + 2) % n]).collect()).expect("valid");
    let mut options = HullTreeOptions::default();
    (options.max_vertices, options.leaf_triangles) = (max_vertices, 2);
    HullTree::with_options(&mesh, options)
}

fn points() -> impl Strategy<Value = Vec<Vec3>> {
    prop::collection::vec(vectors(0.5), 3..40)
}

/// Frame 1 moves freely, frame 2 turns about an axis of its own; frame 3 hangs on frame 1 and turns too.
fn chain(travel: Vec3, turns: [Vec3; 2], spin: f64) -> Chain {
    let free = |travel: Vec3, turn: Vec3, at: Vec3| {
        let motion = RigidMotion { start: Pose::from_translation(at), end_position: at + travel, rotation_vector: turn };
        InBetween::of_rigid(&motion, Vec3::ZERO).expect("in range")
    };
    let hinge = Placement::new(Pose::from_translation(Vec3::new(0.3, -0.2, 0.1)));
    let kind = JointKind::Revolute { axis: Vec3::new(0.2, 1.0, -0.4) };
    let joints = vec![
        InBetween::resting(Pose::IDENTITY),
        free(travel, turns[0], Vec3::new(0.1, 0.2, -0.1)),
        free(-travel, turns[1], Vec3::new(-0.2, 0.1, 0.3)),
        InBetween::of_joint(kind, &hinge, Vec3::ZERO, &[0.2], &[0.2 + spin]).expect("in range"),
    ];
    Chain::new(vec![0, 0, 0, 1], joints)
}

/// A body seen from the world, from another that moves, or at the end of a chain.
fn relative<'a>(chain: &'a Chain, which: usize, placements: &'a [Placement; 2]) -> Relative<'a> {
    let (moving, resting) = [(1, 0), (3, 0), (1, 2), (3, 2)][which];
    let carried = |frame: usize, k: usize| Carried { frame, placement: &placements[k] };
    Relative::new(chain, carried(moving, 0), carried(resting, usize::from(resting != 0)), 0, Vec3::ZERO)
}

/// The least height along n of points of the body at a time: by a tube of no length.
fn height_at(relative: &Relative<'_>, points: &[[Vec3; 3]], n: Vec3, t: f64) -> f64 {
    let tube = relative.tube(Span::new(t, t));
    points.iter().flatten().map(|&y| n.dot(tube.line(y).0)).fold(f64::INFINITY, f64::min)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// For any direction and any height: as long as a node is said to be clear, nothing below it comes down to that height.
    #[test]
    fn what_is_said_to_be_clear_is(
        points in points(), at in vectors(2.0), travel in vectors(2.0), turns in prop::array::uniform2(vectors(4.0)), spin in -6.0f64..6.0,
        which in 0usize..4, few in any::<bool>(), n in vectors(1.0), t in 0.0f64..1.0, above in 0.0f64..1.5, margin in prop_oneof![Just(0.0), 0.0f64..0.3],
        node in any::<prop::sample::Index>(),
    ) {
        let tree = tree(&points, at, if few { 4 } else { 128 });
        let chain = chain(travel, turns, spin);
        let placements = [Vec3::new(0.4, 0.1, -0.2), Vec3::new(-0.3, 0.2, 0.5)].map(|v| Placement::new(Pose::from_rpy(v, v).expect("finite")));
        let placements = [if few { Placement::new(Pose::IDENTITY) } else { placements[0] }, placements[1]];
        let relative = relative(&chain, which, &placements);
        let node = &tree.nodes[node.index(tree.nodes.len())];
        let below = &tree.triangles[node.first as usize..(node.first + node.count) as usize];
        prop_assume!(n.norm() > 0.1);
        let n = n * (1.0 / n.norm());
        let anchor = Anchor::new(&relative, Vec3::ZERO, t, (tree.reach, 1.0), margin);
        let height = height_at(&relative, below, n, anchor.time) - margin - above;
        let clears = [
            anchor.clear(tree.hull(node), &Around::node(node), n, height, 1.0),
            anchor.clear(&node.center, &Around::ball(node), n, height, 1.0),
        ];
        for Clear { until, gap } in clears {
            prop_assert!(gap <= above + 1e-9, "{gap} {above}");
            let last = until.min(1.0);
            for k in 0..=60 {
                let time = anchor.time + (last - anchor.time) * f64::from(k) / 60.0;
                let left = height_at(&relative, below, n, time) - height;
                prop_assert!(left >= margin - 1e-12, "said to be clear until {until} from {t}, but {left} at {time}");
            }
        }
    }

    /// Whatever direction two nodes or triangles are looked at along, they are apart for as long as is said.
    #[test]
    fn pairs_are_apart_as_long_as_is_said(
        a in points(), b in points(), at in vectors(2.0), travel in vectors(2.0), turns in prop::array::uniform2(vectors(3.0)),
        which in 0usize..4, first in vectors(1.0), t in 0.0f64..1.0, picks in prop::array::uniform2(any::<prop::sample::Index>()),
    ) {
        let (a, b) = (tree(&a, at, 6), tree(&b, Vec3::ZERO, 6));
        let chain = chain(travel, turns, 1.0);
        let placements = [Placement::new(Pose::IDENTITY); 2];
        let relative = relative(&chain, which, &placements);
        let anchor = Anchor::new(&relative, Vec3::ZERO, t, (a.reach, b.reach), 0.0);
        let instant = Instant { a: &a, b: &b, anchor: &anchor, end: 1.0 };
        let (i, k) = (picks[0].index(a.nodes.len()), picks[1].index(b.nodes.len()));
        let look = instant.nodes((i as u32, k as u32), first);
        let (node_a, node_b) = (&a.nodes[i], &b.nodes[k]);
        let at_least = |until: f64, (a, b): (&[[Vec3; 3]], &[[Vec3; 3]])| {
            let last = until.min(1.0);
            for s in 0..=30 {
                let time = anchor.time + (last - anchor.time) * f64::from(s) / 30.0;
                let tube = relative.tube(Span::new(time, time));
                for p in a {
                    let placed = p.map(|y| tube.line(y).0);
                    for q in b {
                        let c = crate::narrow::closest::closest(&placed, q);
                        if (c.on_a - c.on_b).norm() <= 0.0 {
                            return Err(TestCaseError::fail(format!("clear until {until} from {t}, but they meet at {time}")));
                        }
                    }
                }
            }
            Ok(())
        };
        let below = |tree: &HullTree, node: &crate::bvh::hulls::HullNode| {
            tree.triangles[node.first as usize..(node.first + node.count.min(6)) as usize].to_vec()
        };
        if look.until > anchor.time {
            at_least(look.until, (&below(&a, node_a), &below(&b, node_b)))?;
        }
        let (i, k) = (picks[0].index(a.triangles.len()), picks[1].index(b.triangles.len()));
        let look = instant.triangles((i as u32, k as u32), first);
        if look.until > anchor.time {
            at_least(look.until, (&[a.triangles[i]], &[b.triangles[k]]))?;
        }
    }

    /// Nothing moves and nothing is left but rounding: a point at the very height is never said to be above it.
    #[test]
    fn a_point_at_the_height_is_not_above_it(p in vectors(1.0), offset in vectors(1e3), n in vectors(1.0)) {
        prop_assume!(n.norm() > 0.1);
        let n = n * (1.0 / n.norm());
        let chain = Chain::new(vec![0, 0], vec![InBetween::resting(Pose::IDENTITY), InBetween::resting(Pose::from_translation(offset))]);
        let placement = Placement::new(Pose::IDENTITY);
        let [moving, world] = [1, 0].map(|frame| Carried { frame, placement: &placement });
        let relative = Relative::new(&chain, moving, world, 0, Vec3::ZERO);
        let exactly = |x: f64| BigRational::from_float(x).expect("finite");
        let sum: BigRational = (0..3).map(|i| exactly(n[i]) * (exactly(p[i]) + exactly(offset[i]))).sum();
        // The largest number not above the exact height, and the next: at that, a little above the point, nothing may be clear.
        let near = n.dot(p + offset);
        let at = (-8..=8).map(|k| near + f64::from(k) * near.abs().max(1e-3) * 0.5 * f64::EPSILON).find(|&h| exactly(h) >= sum);
        let anchor = Anchor::new(&relative, Vec3::ZERO, 0.5, (p.norm() * (1.0 + 4.0 * U), 0.0), 0.0);
        let around = Around { reach: p.norm() * (1.0 + 4.0 * U), radius: 0.0, center: p, ball: 0.0 };
        if let Some(height) = at {
            prop_assert!(anchor.clear(&p, &around, n, height, 1.0).until <= 0.5);
        }
    }
}

/// A chain of a body that moves by itself.
fn of_one_body(motion: &RigidMotion) -> Chain {
    let moving = InBetween::of_rigid(motion, Vec3::ZERO).expect("in range");
    Chain::new(vec![0, 0], vec![InBetween::resting(Pose::IDENTITY), moving])
}

fn seen_from_the_world<'a>(chain: &'a Chain, placement: &'a Placement) -> Relative<'a> {
    let [moving, world] = [1, 0].map(|frame| Carried { frame, placement });
    Relative::new(chain, moving, world, 0, Vec3::ZERO)
}

/// Points that stand still along n at this very moment, because they turn: the bound of the paper, the largest speed at the present pose,
/// is zero here and they would be free for ever. They come down to the height a quarter turn later.
#[test]
fn what_turns_is_not_taken_as_it_is_now() {
    let turn = Vec3::new(0.0, 0.0, 3.0);
    let motion = RigidMotion { start: Pose::IDENTITY, end_position: Vec3::ZERO, rotation_vector: turn };
    let (chain, placement) = (of_one_body(&motion), Placement::new(Pose::IDENTITY));
    let relative = seen_from_the_world(&chain, &placement);
    let rod = [Vec3::new(0.5, 0.0, 0.0), Vec3::new(0.75, 0.0, 0.0), Vec3::new(1.0, 0.0, 0.0)];
    let anchor = Anchor::new(&relative, Vec3::ZERO, 0.0, (1.0, 0.0), 0.0);
    let around = Around { reach: 1.0, radius: 0.0, center: rod[1], ball: 0.2501 };
    let arrival = std::f64::consts::FRAC_PI_2 / 3.0;
    let Clear { until, .. } = anchor.clear(&rod, &around, Vec3::unit(0), 0.0, 1.0);
    assert!(until <= arrival && until > 0.4 * arrival, "{until} {arrival}");
    // Along the axis turning does no harm at all.
    assert_eq!(anchor.clear(&rod, &around, Vec3::unit(2), -1e-6, 1.0).until, f64::INFINITY);
}

/// Straight motion: the step ends where the nearest point arrives.
#[test]
fn straight_steps_are_as_long_as_can_be() {
    let motion = RigidMotion { start: Pose::IDENTITY, end_position: Vec3::new(-2.0, 1.0, 0.0), rotation_vector: Vec3::ZERO };
    let (chain, placement) = (of_one_body(&motion), Placement::new(Pose::IDENTITY));
    let relative = seen_from_the_world(&chain, &placement);
    let tree = tree(&[Vec3::unit(0), Vec3::unit(1), Vec3::unit(2), Vec3::splat(0.5)], Vec3::ZERO, 128);
    let anchor = Anchor::new(&relative, Vec3::ZERO, 0.25, (tree.reach, 0.0), 0.0);
    let node = &tree.nodes[0];
    let lowest = farthest(tree.hull(node), -Vec3::unit(0)).1.x;
    let until = anchor.clear(tree.hull(node), &Around::node(node), Vec3::unit(0), -1.0, 1.0).until;
    assert!((until - (lowest + 1.0) / 2.0).abs() < 1e-12, "{until}");
}
