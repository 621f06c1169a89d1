//! The building skeleton: a binary tree over boxes, split by the surface-area heuristic in bins, in parallel, same bits on any machine.
//!
//! A subtree over items `a..b` owns node slots `2a..2b-1`, so both halves can be built at once without locks:
//!
//! ```text
//! slot:   2a        2a+1 ....            2m+...
//!         node      left (items a..m)    right (items m..b)
//! ```

use rayon::join;

/// A box in `f32`, already rounded outward, and what it stands for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Item {
    pub lo: [f32; 3],
    pub hi: [f32; 3],
    pub id: u32,
}

/// A node over `items[first..first + count]`; a leaf when `left` is zero.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    pub lo: [f32; 3],
    pub hi: [f32; 3],
    pub first: u32,
    pub count: u32,
    pub left: u32,
    pub right: u32,
}

impl Node {
    const UNUSED: Node = Node { lo: [0.0; 3], hi: [0.0; 3], first: 0, count: 0, left: 0, right: 0 };

    pub fn is_leaf(&self) -> bool {
        self.left == 0
    }

    pub fn area(&self) -> f32 {
        half_area(self.lo, self.hi)
    }
}

/// The tree; the root is node 0 and `items` are in leaf order.
pub(crate) struct Skeleton {
    pub nodes: Vec<Node>,
    pub items: Vec<Item>,
}

const BINS: usize = 16;
/// Below this many items a task is not worth handing to another thread.
const PARALLEL: usize = 4096;

/// Builds the tree with at most `leaf` items in a leaf.
pub(crate) fn build(mut items: Vec<Item>, leaf: usize) -> Skeleton {
    let mut nodes = vec![Node::UNUSED; (2 * items.len()).max(1)];
    split(&mut nodes, &mut items, 0, 0, leaf);
    Skeleton { nodes, items }
}

fn split(nodes: &mut [Node], items: &mut [Item], slot: u32, first: u32, leaf: usize) {
    let (lo, hi) = bounds(items, |i| (i.lo, i.hi));
    nodes[0] = Node { lo, hi, first, count: items.len() as u32, left: 0, right: 0 };
    if items.len() <= leaf {
        return;
    }
    let middle = partition(items);
    nodes[0].left = slot + 1;
    nodes[0].right = slot + 2 * middle as u32;
    let (left_items, right_items) = items.split_at_mut(middle);
    let (left, right) = (nodes[0].left, nodes[0].right);
    let (left_nodes, right_nodes) = nodes[1..].split_at_mut(2 * middle - 1);
    let parallel = left_items.len() + right_items.len() > PARALLEL;
    let mut build_left = || split(left_nodes, left_items, left, first, leaf);
    let mut build_right = || split(right_nodes, right_items, right, first + middle as u32, leaf);
    if parallel {
        join(build_left, build_right);
    } else {
        build_left();
        build_right();
    }
}

/// Reorders items into two non-empty halves and returns the size of the first.
fn partition(items: &mut [Item]) -> usize {
    let (lo, hi) = bounds(items, |i| (centroid(i), centroid(i)));
    let half = items.len() / 2;
    let mut best: Option<(f32, Bins, usize)> = None;
    for axis in 0..3 {
        let Some(bins) = Bins::new(axis, lo[axis], hi[axis]) else { continue };
        if let Some((cost, cut)) = best_cut(items, &bins)
            && best.as_ref().is_none_or(|b| cost < b.0)
        {
            best = Some((cost, bins, cut));
        }
    }
    let Some((_, bins, cut)) = best else {
        // All centres in one place: any split is as good.
        let axis = (0..3).max_by(|&a, &b| (hi[a] - lo[a]).total_cmp(&(hi[b] - lo[b]))).unwrap_or(0);
        items.select_nth_unstable_by(half, |a, b| by_centre(a, b, axis));
        return half;
    };
    let mut middle = 0;
    for i in 0..items.len() {
        if bins.of(&items[i]) < cut {
            items.swap(i, middle);
            middle += 1;
        }
    }
    if middle == 0 || middle == items.len() { half } else { middle }
}

/// Equal bins of centres along an axis.
struct Bins {
    axis: usize,
    from: f32,
    scale: f32,
}

impl Bins {
    fn new(axis: usize, lo: f32, hi: f32) -> Option<Self> {
        let width = hi - lo;
        (width > 0.0 && width.is_finite()).then(|| Bins { axis, from: lo, scale: BINS as f32 * (1.0 - 1e-6) / width })
    }

    #[inline(always)]
    fn of(&self, i: &Item) -> usize {
        let centre = 0.5 * (i.lo[self.axis] + i.hi[self.axis]);
        (((centre - self.from) * self.scale) as usize).min(BINS - 1)
    }
}

fn by_centre(a: &Item, b: &Item, axis: usize) -> std::cmp::Ordering {
    centroid(a)[axis].total_cmp(&centroid(b)[axis]).then(a.id.cmp(&b.id))
}

/// The cut between bins with the least sum of area times count, and that sum; `None` when all items fall into one bin.
fn best_cut(items: &[Item], place: &Bins) -> Option<(f32, usize)> {
    let mut bins = [([f32::INFINITY; 3], [f32::NEG_INFINITY; 3], 0usize); BINS];
    for item in items {
        let (lo, hi, count) = &mut bins[place.of(item)];
        grow(lo, hi, item.lo, item.hi);
        *count += 1;
    }
    let mut left_cost = [0.0f32; BINS];
    let (mut lo, mut hi, mut count) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3], 0);
    for cut in 1..BINS {
        let b = bins[cut - 1];
        grow(&mut lo, &mut hi, b.0, b.1);
        count += b.2;
        left_cost[cut] = if count == 0 { f32::INFINITY } else { half_area(lo, hi) * count as f32 };
    }
    let mut best = None;
    let mut best_cost = f32::INFINITY;
    (lo, hi, count) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3], 0);
    for cut in (1..BINS).rev() {
        let b = bins[cut];
        grow(&mut lo, &mut hi, b.0, b.1);
        count += b.2;
        let cost = left_cost[cut] + half_area(lo, hi) * count as f32;
        if count > 0 && cost < best_cost {
            (best, best_cost) = (Some((cost, cut)), cost);
        }
    }
    best
}

fn bounds(items: &[Item], of: impl Fn(&Item) -> ([f32; 3], [f32; 3])) -> ([f32; 3], [f32; 3]) {
    let (mut lo, mut hi) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
    for item in items {
        let (l, h) = of(item);
        grow(&mut lo, &mut hi, l, h);
    }
    (lo, hi)
}

fn grow(lo: &mut [f32; 3], hi: &mut [f32; 3], l: [f32; 3], h: [f32; 3]) {
    for k in 0..3 {
        lo[k] = lo[k].min(l[k]);
        hi[k] = hi[k].max(h[k]);
    }
}

fn centroid(i: &Item) -> [f32; 3] {
    [0, 1, 2].map(|k| 0.5 * (i.lo[k] + i.hi[k]))
}

fn half_area(lo: [f32; 3], hi: [f32; 3]) -> f32 {
    let d = [0, 1, 2].map(|k| (hi[k] - lo[k]).max(0.0));
    d[0] * d[1] + d[1] * d[2] + d[2] * d[0]
}
