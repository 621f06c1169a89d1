//! Which packs of a resting tree a swept box can reach, given which its parent could.

use crate::bvh::{PackRef, RestingTree};
use crate::math::simd::{Lanes, Probe};

/// A pack, and which of its lanes were near when last tested; all when it was not.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NearPack {
    pub pack: PackRef,
    pub lanes: u32,
}

/// A list of packs in use, and a stack of packs being opened.
#[derive(Debug, Default)]
pub(crate) struct Packs {
    pub list: Vec<NearPack>,
    open: Vec<PackRef>,
}

impl Packs {
    /// Starts over with one pack.
    pub fn start(&mut self, root: PackRef) {
        self.list.clear();
        self.list.push(NearPack { pack: root, lanes: u32::MAX });
    }

    /// Replaces each pack of `list[from..]` by what of it the probe can reach, appended to the list; returns where the new part begins.
    ///
    /// Packs with a side above `open` (in the tree's scaled units) are opened at once, smaller ones are kept whole for the children; a
    /// negative `open` opens all, so that only leaf packs are appended.
    #[inline(always)]
    pub fn gather<L: Lanes>(&mut self, tree: &RestingTree, probe: &Probe, open: f32, from: usize, tests: &mut u64) -> usize {
        let to = self.list.len();
        let mut next = from;
        loop {
            let NearPack { pack, lanes } = if let Some(pack) = self.open.pop() {
                NearPack { pack, lanes: u32::MAX }
            } else if next < to {
                next += 1;
                self.list[next - 1]
            } else {
                return to;
            };
            *tests += 1;
            if let Some(leaf) = pack.leaf() {
                let lanes = tree.leaves[leaf].near::<L>(probe) & lanes;
                if lanes != 0 {
                    self.list.push(NearPack { pack, lanes });
                }
                continue;
            }
            let inner = &tree.inner[pack.inner()];
            let mut near = inner.near::<L>(probe);
            let single = near.is_power_of_two();
            while near != 0 {
                let lane = near.trailing_zeros() as usize;
                near &= near - 1;
                if single || inner.sides[lane] > open {
                    self.open.push(inner.children[lane]);
                } else {
                    self.list.push(NearPack { pack: inner.children[lane], lanes: u32::MAX });
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bvh::resting::LeafPack;
    use crate::bvh::{RestingItem, RestingTree};
    use crate::geometry::Mesh;
    use crate::math::pose::Placement;
    use crate::math::simd::{Portable, triangles_near};
    use crate::math::{Pose, Vec3};
    use crate::motion::in_between::RigidMotion;
    use crate::motion::{Carried, Chain, InBetween, Relative, Span, Tube};
    use crate::search::sweep::swept_box::Sweep;
    use proptest::prelude::*;

    /// Items of the leaf packs that a probe reaches, opening everything or as little as possible.
    fn reached(tree: &RestingTree, probe: &Probe, open: f32) -> Vec<u32> {
        let mut packs = Packs::default();
        packs.start(tree.root);
        let mut from = 0;
        loop {
            let next = packs.gather::<Portable>(tree, probe, open, from, &mut 0);
            let list = &packs.list;
            if list[next..].iter().all(|p| p.pack.leaf().is_some()) {
                let ids = list[next..].iter().flat_map(|p| {
                    let leaf = &tree.leaves[p.pack.leaf().expect("all are leaves")];
                    (0..8).filter(|l| p.lanes & (1 << l) != 0).map(|l| leaf.ids[l])
                });
                return ids.collect();
            }
            from = next;
        }
    }

    fn tube(motion: &RigidMotion, span: Span) -> Tube {
        let body = InBetween::of_rigid(motion, Vec3::ZERO).expect("finite");
        let chain = Chain::new(vec![0, 0], vec![InBetween::resting(Pose::IDENTITY), body]);
        let at = Placement::new(Pose::IDENTITY);
        let (moving, world) = (Carried { frame: 1, placement: &at }, Carried { frame: 0, placement: &at });
        Relative::new(&chain, moving, world, 0, Vec3::ZERO).tube(span)
    }

    fn vec3(size: f64) -> impl Strategy<Value = Vec3> {
        prop::array::uniform3(-size..size).prop_map(Vec3::from)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]

        /// Whatever a moving triangle comes to touch is reached by its box, by itself in one of four lanes, and by the triangle kernel: at random times
        /// of the span a point of the triangle is placed exactly on a corner of a resting one.
        #[test]
        fn what_is_touched_is_never_dropped(
            soup in prop::collection::vec(prop::array::uniform3(vec3(1.0)), 1..120), pick in 0.0f64..1.0, at in 0.0f64..1.0,
            corners in prop::array::uniform3(vec3(0.3)), u in 0.0f64..1.0, v in 0.0f64..1.0, shrink in 0u32..14,
            travel in vec3(0.5), turn in vec3(1.0), t in 0.0f64..0.8, length in 1e-3f64..0.2, open in -1.0f32..1.0,
            lanes in 1usize..5, lane in 0usize..4,
        ) {
            // From large triangles down to specks: a speck is missed by the slightest error.
            let size = 0.5f64.powi(shrink as i32);
            let soup: Vec<[Vec3; 3]> = soup.iter().map(|t| t.map(|c| t[0] + (c - t[0]) * size)).collect();
            let corners = corners.map(|c| corners[0] + (c - corners[0]) * size);
            let tree = RestingTree::new(Vec3::ZERO, soup.clone(), Vec::new());
            let target = (pick * soup.len() as f64) as usize;
            let touched = soup[target][0];
            let (u, v) = if u + v > 1.0 { (1.0 - u, 1.0 - v) } else { (u, v) };
            let point = corners[0] + (corners[1] - corners[0]) * u + (corners[2] - corners[0]) * v;
            // Move so that `point` is at `touched` at time `when`.
            let span = Span::new(t, t + length);
            let when = t + at * length;
            let free = RigidMotion { start: Pose::IDENTITY, end_position: travel, rotation_vector: turn };
            let (there, _) = tube(&free, Span::new(when, when)).line(point);
            let shift = touched - there;
            let motion = RigidMotion { start: Pose::from_translation(shift), end_position: travel + shift, ..free };
            let tube = tube(&motion, span);

            let mesh = Mesh::new(corners.to_vec(), vec![[0, 1, 2]]).expect("valid");
            let node = mesh.moving_tree().root();
            let sweep = Sweep::new(tube, &tree, 0.0);
            prop_assert!(reached(&tree, &sweep.sweep(node).probe, open).contains(&(target as u32)), "box");
            // Among others, in any lane.
            let mut leaf = vec![corners.map(|c| -c); lanes];
            let lane = lane % lanes;
            leaf[lane] = corners;
            let four = sweep.four(&leaf, node.reach);
            let (swept, narrow) = (four.triangle(lane), four.scaled().triangle(lane));
            let kept = |near: &dyn Fn(&LeafPack) -> u32| {
                tree.leaves.iter().any(|leaf| (0..8).any(|l| near(leaf) & (1 << l) != 0 && leaf.ids[l] == target as u32))
            };
            let boxes = |leaf: &LeafPack| (0..8).fold(0, |near, l| near | ((four.near(&leaf.boxes, l) >> lane & 1) << l));
            prop_assert!(kept(&boxes), "boxes");
            prop_assert!(kept(&|leaf| triangles_near::<Portable>(&leaf.triangles, &narrow, 0xff)), "triangle kernel");
            let RestingItem::Triangle(rest) = tree.item(target as u32) else { unreachable!("only triangles") };
            for tau in [-1.0, 0.0, 1.0] {
                let window = crate::narrow::triangle_pair::narrow(&swept, rest, tau).window;
                let tau = 2.0 * at - 1.0;
                prop_assert!(window.from <= tau + 1e-9 && window.to >= tau - 1e-9, "exact axes");
            }
        }
    }
}
