//! Which packs of a resting tree a swept box can reach, given which its parent could.

use crate::math::simd::{Lanes, Probe, boxes_near};
use crate::shape::tree::{PackRef, RestingTree};

/// Replaces each pack of `list[from..]` by what of it the probe can reach, appended to `list`; returns where the new part begins.
///
/// Packs with a side above `open` (in the tree's scaled units) are opened at once, smaller ones are kept whole for the children.
#[inline(always)]
pub(crate) fn gather<L: Lanes>(
    tree: &RestingTree,
    probe: &Probe,
    open: f32,
    list: &mut Vec<PackRef>,
    from: usize,
    tests: &mut u64,
) -> usize {
    let to = list.len();
    let mut next = from;
    // Packs to open are pushed behind `to` onto a small stack of their own.
    let mut stack = [PackRef::ROOT; 64];
    let mut depth = 0;
    loop {
        let pack = if depth > 0 {
            depth -= 1;
            stack[depth]
        } else if next < to {
            next += 1;
            list[next - 1]
        } else {
            return to;
        };
        *tests += 1;
        match pack.leaf() {
            Some(leaf) => {
                if boxes_near::<L>(&tree.leaves[leaf].boxes, probe) != 0 {
                    list.push(pack);
                }
            }
            None => {
                let inner = &tree.inner[pack.inner()];
                let mut near = boxes_near::<L>(&inner.boxes, probe);
                let single = near.is_power_of_two();
                while near != 0 {
                    let lane = near.trailing_zeros() as usize;
                    near &= near - 1;
                    if (single || inner.sides[lane] > open) && depth < stack.len() {
                        stack[depth] = inner.children[lane];
                        depth += 1;
                    } else {
                        list.push(inner.children[lane]);
                    }
                }
            }
        }
    }
}
