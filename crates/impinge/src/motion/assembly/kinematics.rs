//! Transforms on an assembly tree: set joints, redo what they move, locate bodies.

use std::sync::Arc;

use super::transforms::Transform;
use super::{AssemblyTree, Joined};

/// A mechanism at an instant, or over a span: the transforms of all joints, and what follows from them.
///
/// Joints that did not change cost nothing; see [`Kinematics::work`].
#[derive(Clone, Debug)]
pub struct Kinematics<T> {
    tree: Arc<AssemblyTree>,
    /// Child to parent, for every joint.
    joints: Vec<T>,
    /// For every node: principal handle to each further handle.
    to_handles: Vec<Vec<T>>,
    /// For every node: its principal handle to that of its parent.
    to_parent: Vec<T>,
    /// For every node: its principal handle to the world; right where its stamp is the present one.
    to_world: Vec<T>,
    stamps: Vec<u64>,
    stamp: u64,
    dirty: Vec<bool>,
    /// Dirty nodes, children before parents once sorted.
    changed: Vec<u32>,
    work: u64,
}

impl<T: Transform> Kinematics<T> {
    /// With a transform from child to parent for every joint; that of joint 0, the world's, means nothing.
    ///
    /// # Panics
    /// If there are not as many joints as bodies.
    pub fn new(tree: Arc<AssemblyTree>, joints: Vec<T>) -> Self {
        assert_eq!(joints.len(), tree.bodies(), "a joint for every body");
        let n = tree.nodes.len();
        let changed: Vec<u32> = (0..n as u32).filter(|&k| tree.nodes[k as usize].joined.is_some()).collect();
        let mut dirty = vec![false; n];
        changed.iter().for_each(|&k| dirty[k as usize] = true);
        let mut kinematics = Kinematics {
            to_handles: tree.nodes.iter().map(|node| vec![T::IDENTITY; node.handles.len()]).collect(),
            to_parent: vec![T::IDENTITY; n],
            to_world: vec![T::IDENTITY; n],
            stamps: vec![0; n],
            stamp: 1,
            dirty,
            changed,
            work: 0,
            joints,
            tree,
        };
        kinematics.update();
        kinematics
    }

    /// The tree it stands on.
    pub fn tree(&self) -> &Arc<AssemblyTree> {
        &self.tree
    }

    /// Nodes redone and transforms taken to the world, so far.
    pub fn work(&self) -> u64 {
        self.work
    }

    /// Changes a joint; [`Kinematics::update`] makes it felt.
    ///
    /// # Panics
    /// If there is no such joint.
    pub fn set(&mut self, joint: usize, transform: T) {
        assert!(joint > 0, "the world has no joint");
        self.joints[joint] = transform;
        let mut at = self.tree.node_of_joint[joint];
        while !self.dirty[at as usize] {
            self.dirty[at as usize] = true;
            self.changed.push(at);
            at = self.tree.nodes[at as usize].parent;
        }
    }

    /// Redoes the nodes above joints that changed, from the bottom up.
    pub fn update(&mut self) {
        let mut changed = std::mem::take(&mut self.changed);
        changed.sort_unstable();
        let tree = Arc::clone(&self.tree);
        for &at in &changed {
            self.dirty[at as usize] = false;
            self.work += 1;
            if let Some(joined) = tree.nodes[at as usize].joined {
                self.join(&tree, at as usize, &joined);
            }
        }
        changed.clear();
        self.changed = changed;
        self.stamp += 1;
    }

    /// One node from its two children.
    fn join(&mut self, tree: &AssemblyTree, at: usize, joined: &Joined) {
        let (node, near, far) = (&tree.nodes[at], joined.near as usize, joined.far as usize);
        // From the far child's principal handle to the near one's: the joint's own way, or back; none where copies of one body are.
        let own = joined.joint.map(|joint| &self.joints[joint as usize]);
        // T_u^A: from the near child's principal handle to the node's.
        let up = self.to_handle(near, node.entry);
        self.to_parent[far] = match own {
            None => up.clone(),
            Some(own) if joined.outward => up.after(own),
            Some(own) => up.after(&own.inverse()),
        };
        if !node.handles.is_empty() {
            let down = up.inverse();
            let across = match own {
                None => down.clone(),
                Some(own) if joined.outward => own.inverse().after(&down),
                Some(own) => own.after(&down),
            };
            let mut handles = std::mem::take(&mut self.to_handles[at]);
            for (handle, &(by_near, k)) in handles.iter_mut().zip(&node.held_by) {
                *handle = if by_near { self.to_handle(near, k).after(&down) } else { self.to_handle(far, k).after(&across) };
            }
            self.to_handles[at] = handles;
        }
        self.to_parent[near] = up;
    }

    /// From a node's principal handle to another of its handles, or to itself.
    fn to_handle(&self, node: usize, handle: Option<u32>) -> T {
        handle.map_or(T::IDENTITY, |k| self.to_handles[node][k as usize].clone())
    }

    /// Where a body is in the world.
    ///
    /// # Panics
    /// If there is no such body.
    pub fn locate(&mut self, body: usize) -> &T {
        let leaf = self.tree.leaf_of_body[body];
        self.trace(leaf);
        &self.to_world[leaf as usize]
    }

    /// Makes the way from the world to a node.
    fn trace(&mut self, at: u32) {
        let k = at as usize;
        if self.stamps[k] == self.stamp {
            return;
        }
        let parent = self.tree.nodes[k].parent;
        // The root is entered at the world itself.
        self.to_world[k] = if parent == at {
            T::IDENTITY
        } else {
            self.trace(parent);
            self.to_world[parent as usize].after(&self.to_parent[k])
        };
        self.work += 1;
        self.stamps[k] = self.stamp;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::pose::Placement;
    use crate::math::trig::sin_cos;
    use crate::math::{Pose, Vec3};
    use crate::motion::assembly::transforms::Carry;
    use crate::motion::chain::Chain;
    use crate::motion::in_between::InBetween;
    use crate::motion::interval_chain::IntervalMotion;
    use crate::motion::{Span, Tube};
    use crate::robot::JointKind;
    use proptest::prelude::*;

    /// Parents of a tree: each body hangs on one of the last few before it, or anywhere, or all on one.
    fn parents() -> impl Strategy<Value = Vec<u32>> {
        (prop::collection::vec(0.0f64..1.0, 1..40), 0usize..4).prop_map(|(draws, shape)| {
            let mut parents = vec![0];
            for (i, draw) in draws.iter().enumerate() {
                let from = match shape {
                    0 => i,
                    1 => i.saturating_sub(3),
                    2 => 0,
                    _ => return [vec![0], vec![0; draws.len()]].concat(),
                };
                parents.push((from as f64 + draw * ((i + 1 - from) as f64)) as u32);
            }
            parents
        })
    }

    fn joint(k: usize, from: f64, to: f64) -> InBetween {
        let a = k as f64;
        let (s, c) = sin_cos(0.7 * a);
        let axis = Vec3::new(1.0 + s, c, 0.3);
        let at = Placement::new(Pose::from_rpy(Vec3::new(0.2, 0.1 * s, -0.15), Vec3::new(a, 0.3, -a)).expect("finite"));
        let kind = if k % 4 == 3 { JointKind::Prismatic { axis } } else { JointKind::Revolute { axis } };
        InBetween::of_joint(kind, &at, Vec3::ZERO, &[from], &[to]).expect("in range")
    }

    fn pose_of(joint: &InBetween, t: f64) -> Pose {
        let (rotation, offset) = joint.at(t);
        Pose { rotation: rotation.mat3(), translation: offset.vec3() }
    }

    fn moving(parents: &[u32], turn: f64) -> Chain {
        let joints =
            (0..parents.len()).map(|k| if k == 0 { InBetween::resting(Pose::IDENTITY) } else { joint(k, 0.2, 0.2 + turn) });
        Chain::new(parents.to_vec(), joints.collect())
    }

    fn forward(chain: &Chain, t: f64) -> Vec<Pose> {
        let mut poses = vec![Pose::IDENTITY];
        for i in 1..chain.joints.len() {
            let next = poses[chain.parents[i] as usize] * pose_of(&chain.joints[i], t);
            poses.push(next);
        }
        poses
    }

    fn close(a: &Pose, b: &Pose) -> bool {
        [Vec3::ZERO, Vec3::unit(0), Vec3::unit(2)].iter().all(|&y| (a.apply(y) - b.apply(y)).norm() < 1e-12)
    }

    proptest! {
        /// Bodies are where plain forward kinematics has them, at first and after any joints have changed.
        #[test]
        fn bodies_are_where_forward_kinematics_has_them(parents in parents(), changes in prop::collection::vec((0usize..40, 0.0f64..1.0), 0..8)) {
            let n = parents.len();
            let mut chain = moving(&parents, 1.0);
            let tree = Arc::new(AssemblyTree::new(&parents));
            let poses = chain.joints.iter().map(|j| pose_of(j, 0.0)).collect();
            let mut kinematics = Kinematics::new(tree, poses);
            for (i, pose) in forward(&chain, 0.0).iter().enumerate() {
                prop_assert!(close(kinematics.locate(i), pose), "body {i} at first");
            }
            for (k, to) in changes {
                let k = 1 + k % (n - 1);
                chain.joints[k] = joint(k, to, to);
                kinematics.set(k, pose_of(&chain.joints[k], 0.0));
            }
            kinematics.update();
            for (i, pose) in forward(&chain, 0.0).iter().enumerate() {
                prop_assert!(close(kinematics.locate(i), pose), "body {i} then");
            }
        }

        /// Bounds over a span hold what moves in it, by interval matrices and by tubes.
        #[test]
        fn bounds_hold_the_motion(
            parents in parents(), turn in -1.5f64..1.5, t in 0.0f64..0.9, length in 1e-3f64..0.1, y in prop::array::uniform3(-1.0f64..1.0),
        ) {
            let (chain, y) = (moving(&parents, turn), Vec3::from(y));
            let span = Span::new(t, t + length);
            let tree = Arc::new(AssemblyTree::new(&parents));
            let whole = crate::math::Interval::new(span.from, span.to);
            let mut intervals = Kinematics::new(tree.clone(), chain.joints.iter().map(|j| IntervalMotion::of_joint(j, whole)).collect());
            let mut carries = Kinematics::new(tree, chain.joints.iter().map(|j| Carry::of_joint(j, span)).collect());
            let here = Placement::new(Pose::IDENTITY);
            for k in 0..=4 {
                let when = t + length * f64::from(k) / 4.0;
                for (i, pose) in forward(&chain, when).iter().enumerate() {
                    let at = pose.apply(y);
                    let place = intervals.locate(i).point(y)[0];
                    prop_assert!(place.coordinates.iter().zip(at.to_array()).all(|(c, x)| c.widened(1e-12).contains(x)), "body {i}");
                    let carry = carries.locate(i);
                    let tube = Tube::in_world(&carry.state, &carry.errors, &here, Vec3::ZERO, span);
                    let (middle, travel) = tube.line(y);
                    let s = (when - tube.middle) / tube.half.max(1e-300);
                    let off = (at - middle - travel * s).norm();
                    prop_assert!(off <= tube.radius(y.norm()) + 1e-12, "body {i}: {off:e} > {:e}", tube.radius(y.norm()));
                }
            }
        }
    }

    /// m active joints at the top redo m nodes; locating k bodies takes at most k times the depth, whatever the number of bodies.
    #[test]
    fn work_goes_with_active_joints_and_depth() {
        let chain_of = |n: u32| (0..=n).map(|i| i.saturating_sub(1)).collect::<Vec<u32>>();
        let star = |n: u32| vec![0; n as usize + 1];
        let binary = |n: u32| (0..=n).map(|i| i.saturating_sub(1) / 2).collect::<Vec<u32>>();
        for (name, make) in [("chain", &chain_of as &dyn Fn(u32) -> Vec<u32>), ("star", &star), ("binary", &binary)] {
            for n in [10u32, 100, 1000, 10_000] {
                let tree = Arc::new(AssemblyTree::new(&make(n)));
                let log = f64::from(n).log2();
                assert!((tree.depth() as f64) < 3.0 * log + 4.0, "{name} of {n}: depth {}", tree.depth());
                let mut kinematics = Kinematics::new(tree.clone(), vec![Pose::IDENTITY; n as usize + 1]);
                let active: Vec<usize> = tree.joints_from_the_top().into_iter().take(10).collect();
                let before = kinematics.work();
                active.iter().for_each(|&j| kinematics.set(j, Pose::from_translation(Vec3::unit(0))));
                kinematics.update();
                let updates = kinematics.work() - before;
                for k in 1..=5 {
                    kinematics.locate((n * k / 5) as usize);
                }
                let located = kinematics.work() - before - updates;
                println!("{name} of {n}: depth {}, {updates} nodes redone, {located} transforms to the world", tree.depth());
                assert!(located <= 5 * tree.depth() as u64 + 5, "{name} of {n}: {located}");
                assert!(name != "chain" || updates == 10, "{name} of {n}: {updates}");
                assert!(updates <= 10 * (log as u64 + 2), "{name} of {n}: {updates}");
            }
        }
    }
}
