//! The tree of what rests: eight-wide, boxes and triangles in `f32`, rounded outward, tested eight at a time.
//!
//! ```text
//! inner pack   8 boxes, 8 references
//! leaf pack    8 boxes, 8 triangles (by coordinate), 8 item ids
//! ```
//!
//! Coordinates are kept relative to `origin` and times `scale`, a power of two that brings the largest near 1: far from the world's
//! origin and at any size the same relative precision. A large triangle or primitive may stand in several lanes, each with the box of a
//! piece of it; the pieces cover it.

use crate::bvh::build;
use crate::bvh::build::Item;
use crate::bvh::split;
use crate::geometry::Primitive;
use crate::geometry::bounding::aabb::Aabb;
use crate::math::rounding::{f32_down, f32_up, next_down, next_up};
use crate::math::simd::{Avx2, Boxes8, Lanes, Portable, Probe, Triangles8, boxes_near, dispatch};
use crate::math::{Pose, Vec3};

/// A convex solid at rest; the translation is relative to the tree's origin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RestingSolid {
    pub primitive: Primitive,
    pub pose: Pose,
}

/// What an item id stands for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum RestingItem<'a> {
    Triangle(&'a [Vec3; 3]),
    Solid(&'a RestingSolid),
}

/// A reference to an inner or a leaf pack.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct PackRef(u32);

impl PackRef {
    const LEAF: u32 = 1 << 31;

    #[inline(always)]
    pub fn leaf(self) -> Option<usize> {
        (self.0 & Self::LEAF != 0).then_some((self.0 & !Self::LEAF) as usize)
    }

    /// Index of an inner pack, when [`PackRef::leaf`] is `None`.
    #[inline(always)]
    pub fn inner(self) -> usize {
        self.0 as usize
    }
}

#[derive(Debug)]
pub(crate) struct InnerPack {
    pub boxes: Boxes8,
    pub children: [PackRef; 8],
    /// Longest side of each child's box, in scaled units.
    pub sides: [f32; 8],
    /// Which lanes hold a child.
    pub lanes: u32,
}

#[derive(Debug)]
pub(crate) struct LeafPack {
    pub boxes: Boxes8,
    pub triangles: Triangles8,
    pub ids: [u32; 8],
    /// Which lanes hold an item.
    pub lanes: u32,
}

impl InnerPack {
    /// The children not proven apart from the probe.
    #[inline(always)]
    pub fn near<L: Lanes>(&self, probe: &Probe) -> u32 {
        // An empty lane is apart from every probe of finite numbers, but not from one that overflowed.
        boxes_near::<L>(&self.boxes, probe) & self.lanes
    }
}

impl LeafPack {
    /// The items whose boxes are not proven apart from the probe.
    #[inline(always)]
    pub fn near<L: Lanes>(&self, probe: &Probe) -> u32 {
        boxes_near::<L>(&self.boxes, probe) & self.lanes
    }
}

/// Triangles and solids at rest, in one frame.
#[derive(Debug)]
pub(crate) struct RestingTree {
    /// What coordinates below are relative to.
    pub origin: Vec3,
    /// Power of two; packs hold coordinates times this.
    pub scale: f64,
    /// A box around everything, relative to the origin.
    pub bounds: Aabb,
    /// Largest absolute coordinate relative to the origin.
    pub extent: f64,
    /// Mean longest side of the items: what "small" means here.
    pub grain: f64,
    pub root: PackRef,
    pub inner: Vec<InnerPack>,
    pub leaves: Vec<LeafPack>,
    triangles: Vec<[Vec3; 3]>,
    solids: Vec<RestingSolid>,
}

const WIDTH: usize = 8;

type AskedNear<'a> = (&'a RestingTree, &'a Probe, &'a mut Vec<u32>);

#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2"))]
fn near_avx2((tree, probe, ids): AskedNear<'_>) -> u64 {
    tree.near_in_lanes::<Avx2>(probe, ids)
}

fn near_portable((tree, probe, ids): AskedNear<'_>) -> u64 {
    tree.near_in_lanes::<Portable>(probe, ids)
}

impl RestingTree {
    /// The tree over triangles and solids whose coordinates are already relative to `origin`. At least one item is needed.
    pub fn new(origin: Vec3, triangles: Vec<[Vec3; 3]>, solids: Vec<RestingSolid>) -> Self {
        let bounds = split::bounds(&triangles, &solids);
        let extent = bounds.lo.max_abs().max(bounds.hi.max_abs());
        let scale = power_of_two_below(extent);
        let pieces = split::pieces(&triangles, &solids, bounds);
        let grain = pieces.iter().map(|(b, _)| b.size().max_abs()).sum::<f64>() / pieces.len() as f64;
        let items = pieces.iter().map(|&(b, id)| item(b, scale, id)).collect();
        let binary = build::build(items, 1);
        let mut tree = RestingTree {
            origin,
            bounds,
            scale,
            extent,
            grain,
            root: PackRef(0),
            inner: Vec::new(),
            leaves: Vec::new(),
            triangles,
            solids,
        };
        tree.root = tree.collapse(&binary, 0);
        tree.inner.shrink_to_fit();
        tree.leaves.shrink_to_fit();
        tree
    }

    /// What an id in a leaf pack stands for.
    #[inline(always)]
    pub fn item(&self, id: u32) -> RestingItem<'_> {
        match self.triangles.get(id as usize) {
            Some(t) => RestingItem::Triangle(t),
            None => RestingItem::Solid(&self.solids[id as usize - self.triangles.len()]),
        }
    }

    /// How many items there are; ids count from zero.
    pub fn items(&self) -> u32 {
        (self.triangles.len() + self.solids.len()) as u32
    }

    /// The box around a range of items.
    pub fn bounds_of(&self, ids: std::ops::Range<u32>) -> Aabb {
        let n = self.triangles.len();
        let (from, to) = (ids.start as usize, ids.end as usize);
        split::bounds(&self.triangles[from.min(n)..to.min(n)], &self.solids[from.max(n) - n..to.max(n) - n])
    }

    /// Items whose boxes meet a box, coordinates relative to the origin; an item may come more than once. Returns how many packs were
    /// tested.
    pub fn near(&self, around: Aabb, item: impl FnMut(u32)) -> u64 {
        let round = |v: Vec3, to: fn(f64) -> f32| {
            let v = v * self.scale;
            [to(v.x), to(v.y), to(v.z), 0.0]
        };
        // No further axes: a zero axis separates nothing.
        let probe = Probe {
            lo: round(around.lo, f32_down),
            hi: round(around.hi, f32_up),
            axes: [[0.0; 3]; 3],
            middle: [0.0; 4],
            reach: [0.0; 4],
        };
        let mut ids = Vec::new();
        let tests = dispatch(near_avx2, near_portable, (self, &probe, &mut ids));
        ids.into_iter().for_each(item);
        tests
    }

    #[inline(always)]
    fn near_in_lanes<L: Lanes>(&self, probe: &Probe, ids: &mut Vec<u32>) -> u64 {
        let mut open = vec![self.root];
        let mut tests = 0;
        let lanes = |bits: u32| (0..WIDTH).filter(move |lane| bits & (1 << lane) != 0);
        while let Some(pack) = open.pop() {
            tests += 1;
            if let Some(leaf) = pack.leaf() {
                let leaf = &self.leaves[leaf];
                ids.extend(lanes(leaf.near::<L>(probe)).map(|lane| leaf.ids[lane]));
            } else {
                let inner = &self.inner[pack.inner()];
                open.extend(lanes(inner.near::<L>(probe)).map(|lane| inner.children[lane]));
            }
        }
        tests
    }

    /// Bytes held, for the memory promise.
    pub fn bytes(&self) -> usize {
        size_of_val(&self.inner[..])
            + size_of_val(&self.leaves[..])
            + size_of_val(&self.triangles[..])
            + size_of_val(&self.solids[..])
    }

    fn collapse(&mut self, binary: &build::Skeleton, at: u32) -> PackRef {
        let node = binary.nodes[at as usize];
        if node.count as usize <= WIDTH {
            return self.push_leaf(&binary.items[node.first as usize..(node.first + node.count) as usize]);
        }
        let children = widen(binary, at);
        let index = self.inner.len();
        let lanes = (1u32 << children.len()) - 1;
        let mut pack = InnerPack { boxes: Boxes8::EMPTY, children: [PackRef(0); 8], sides: [0.0; 8], lanes };
        for (lane, &child) in children.iter().enumerate() {
            let c = &binary.nodes[child as usize];
            set_lane(&mut pack.boxes, lane, c.lo, c.hi);
            pack.sides[lane] = (0..3).map(|k| c.hi[k] - c.lo[k]).fold(0.0, f32::max);
        }
        self.inner.push(pack);
        for (lane, child) in children.into_iter().enumerate() {
            let reference = self.collapse(binary, child);
            self.inner[index].children[lane] = reference;
        }
        PackRef(index as u32)
    }

    fn push_leaf(&mut self, items: &[Item]) -> PackRef {
        let lanes = (1u32 << items.len()) - 1;
        let mut pack = LeafPack { boxes: Boxes8::EMPTY, triangles: Triangles8::EMPTY, ids: [0; 8], lanes };
        for (lane, i) in items.iter().enumerate() {
            set_lane(&mut pack.boxes, lane, i.lo, i.hi);
            pack.ids[lane] = i.id;
            // A solid's lane keeps NaN corners: never proven apart as a triangle.
            if let RestingItem::Triangle(corners) = self.item(i.id) {
                for (k, c) in corners.iter().enumerate() {
                    for axis in 0..3 {
                        pack.triangles.corners[k][axis][lane] = (c[axis] * self.scale) as f32;
                    }
                }
            }
        }
        self.leaves.push(pack);
        PackRef((self.leaves.len() as u32 - 1) | PackRef::LEAF)
    }
}

/// Up to eight descendants of a node, by opening the largest one that is no leaf pack yet.
fn widen(binary: &build::Skeleton, at: u32) -> Vec<u32> {
    let root = &binary.nodes[at as usize];
    let mut children = vec![root.left, root.right];
    while children.len() < WIDTH {
        let open = children
            .iter()
            .enumerate()
            .filter(|&(_, &c)| binary.nodes[c as usize].count as usize > WIDTH)
            .max_by(|a, b| binary.nodes[*a.1 as usize].area().total_cmp(&binary.nodes[*b.1 as usize].area()));
        let Some((lane, &child)) = open else { break };
        let node = &binary.nodes[child as usize];
        children[lane] = node.left;
        children.push(node.right);
    }
    children
}

fn set_lane(boxes: &mut Boxes8, lane: usize, lo: [f32; 3], hi: [f32; 3]) {
    for k in 0..3 {
        boxes.lo[k][lane] = lo[k];
        boxes.hi[k][lane] = hi[k];
    }
}

/// Scaling by a power of two is exact (short of underflow, which rounds outward too), so one rounding to `f32` remains.
fn item(b: Aabb, scale: f64, id: u32) -> Item {
    Item {
        lo: [0, 1, 2].map(|k| f32_down(next_down(b.lo[k] * scale))),
        hi: [0, 1, 2].map(|k| f32_up(next_up(b.hi[k] * scale))),
        id,
    }
}

/// 2^-k with 2^k at least `extent` and at most four times it; 1 when everything is at the origin.
fn power_of_two_below(extent: f64) -> f64 {
    if extent < 1e-290 {
        return 1.0;
    }
    let exponent = ((extent.to_bits() >> 52) & 0x7ff) as i64 - 1023 + 1;
    f64::from_bits(((1023 - exponent) as u64) << 52)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scale_is_the_power_of_two_that_brings_the_extent_below_one() {
        for e in [1e-200, 1e-6, 0.75, 1.0, 1.5, 3.0, 1e30] {
            let s = power_of_two_below(e);
            assert!(e * s <= 1.0 && e * s >= 0.25, "{e} {s}");
            assert_eq!(s.to_bits() & ((1 << 52) - 1), 0);
        }
    }
}
