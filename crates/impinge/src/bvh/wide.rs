//! The eight-wide tree of oriented boxes, one item in a leaf: two of them are walked in tandem, one box against eight at a time.
//!
//! ```text
//! boxes   every box once: centre in f64, axes and half sides; the children of a box stand together
//! packs   the children of each inner box once more, by coordinate, centres relative to the inner box's: f32 is enough there
//! ```
//!
//! Sound: a box is the set { c + Q s : |s_k| <= half_k } with Q orthonormal, within 2^-45 of the axes found in f64; what is stored of the axes
//! is rounded from these, and whoever uses them counts that. The box fitted in f64 has another centre, by at most the rounding of the stored
//! one, and was made for axes that are orthonormal only nearly: half sides grow by both ([`stored`]).

use rayon::prelude::*;

use crate::bvh::build;
use crate::bvh::build::{Item, Skeleton};
use crate::bvh::oriented::{OrientedBox, is_rotation, orthonormal, principal_axes};
use crate::geometry::bounding::aabb::Aabb;
use crate::math::rounding::{U, f32_up};
use crate::math::simd::{Axes32, Oriented8};
use crate::math::{Mat3, Vec3};

/// A box of the tree.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WideBox {
    pub center: Vec3,
    pub along: Axes32,
    /// At least the length of the half diagonal.
    pub radius: f32,
    /// Half its surface, over four.
    pub area: f32,
    /// Inner: the first of its children. Leaf: the item.
    pub first: u32,
    /// Inner: where its children stand by coordinate. Leaf: [`LEAF`].
    pub pack: u32,
}

/// No pack: the box holds one item.
const LEAF: u32 = u32::MAX;

impl WideBox {
    #[inline(always)]
    pub fn is_leaf(&self) -> bool {
        self.pack == LEAF
    }
}

/// The children of a box.
#[derive(Debug)]
pub(crate) struct WidePack {
    pub lanes: Oriented8,
    /// A bit for each lane that is a child.
    pub filled: u32,
    /// At least |centre| + |half|_1 of any lane, centres relative to the parent's.
    pub size: f64,
}

/// Items in an eight-wide tree; the root is box 0.
#[derive(Debug)]
pub(crate) struct WideTree {
    pub boxes: Vec<WideBox>,
    pub packs: Vec<WidePack>,
}

const WIDTH: usize = 8;
/// Boxes over at most this many triangles try the directions of each of them.
const FEW: usize = 64;
/// Angles, in radians, by which a box is turned about its own axes to see if that makes it smaller.
const TURNS: [f64; 4] = [0.2, 0.08, 0.03, 0.01];

/// A box that is to be: its node in the binary tree, its parent, and its children.
struct Plan {
    node: u32,
    parent: u32,
    first: u32,
    count: usize,
}

impl WideTree {
    /// The tree over triangles, at least one.
    pub fn of_triangles(count: usize, corners: impl Fn(u32) -> [Vec3; 3] + Sync) -> Self {
        let bounds = Aabb::of((0..count as u32).flat_map(&corners));
        let origin = bounds.center();
        let binary = build::build((0..count as u32).map(|i| item(Aabb::of(corners(i).map(|c| c - origin)), i)).collect(), 1);
        let plans = collapse(&binary);
        let fit = |plan: &Plan| {
            let node = &binary.nodes[plan.node as usize];
            let items = &binary.items[node.first as usize..(node.first + node.count) as usize];
            fitted(&items.iter().map(|i| corners(i.id)).collect::<Vec<_>>())
        };
        let fits: Vec<OrientedBox> = plans.par_iter().with_min_len(64).map(fit).collect();
        let mut boxes: Vec<WideBox> = Vec::with_capacity(plans.len());
        let mut packs = Vec::new();
        for (plan, fit) in plans.iter().zip(&fits) {
            let parent = if boxes.is_empty() { fit.center } else { boxes[plan.parent as usize].center };
            let mut b = stored(fit, parent);
            if plan.count > 0 {
                (b.first, b.pack) = (plan.first, packs.len() as u32);
                packs.push((boxes.len(), plan.count));
            } else {
                b.first = binary.items[binary.nodes[plan.node as usize].first as usize].id;
            }
            boxes.push(b);
        }
        let packs = packs.into_iter().map(|(parent, count)| WidePack::new(&boxes, parent, count)).collect();
        WideTree { boxes, packs }
    }

    /// At least the distance of anything from the middle, about.
    pub fn size(&self) -> f64 {
        self.boxes[0].radius.into()
    }
}

/// Only splits come from these boxes, so rounding does not matter.
fn item(b: Aabb, id: u32) -> Item {
    let near = |v: Vec3| v.to_array().map(|c| c as f32);
    Item { lo: near(b.lo), hi: near(b.hi), id }
}

/// Which nodes of the binary tree become boxes: of every box the eight descendants that are left when the largest is opened again and again.
fn collapse(binary: &Skeleton) -> Vec<Plan> {
    let mut plans = vec![Plan { node: 0, parent: 0, first: 0, count: 0 }];
    let mut at = 0;
    while at < plans.len() {
        let node = &binary.nodes[plans[at].node as usize];
        if !node.is_leaf() {
            let mut open = vec![node.left, node.right];
            while open.len() < WIDTH {
                let inner = (0..open.len()).filter(|&i| !binary.nodes[open[i] as usize].is_leaf());
                let area = |i: usize| binary.nodes[open[i] as usize].area();
                let Some(largest) = inner.max_by(|&i, &k| area(i).total_cmp(&area(k))) else { break };
                let node = &binary.nodes[open[largest] as usize];
                open[largest] = node.left;
                open.push(node.right);
            }
            (plans[at].first, plans[at].count) = (plans.len() as u32, open.len());
            plans.extend(open.into_iter().map(|node| Plan { node, parent: at as u32, first: 0, count: 0 }));
        }
        at += 1;
    }
    plans
}

/// A box of small surface around triangles, at least one: along the principal axes, the coordinate axes, or the plane and an edge of one of
/// the triangles where they are few; turned a little about its own axes for as long as that makes it smaller.
fn fitted(triangles: &[[Vec3; 3]]) -> OrientedBox {
    let points = corners(triangles);
    let mut best = Fit { axes: Mat3::IDENTITY, area: f64::INFINITY };
    // A triangle of its own lies along an edge, unless it is degenerate.
    if triangles.len() > 1 {
        best.try_axes(Mat3::IDENTITY, &points);
        best.try_axes(principal_axes(triangles), &points);
    }
    for t in if triangles.len() > FEW { &[] } else { triangles } {
        let edges = [t[1] - t[0], t[2] - t[1], t[0] - t[2]];
        let normal = edges[0].cross(edges[1]);
        for edge in edges {
            best.try_axes(Mat3::from_columns(normal, edge, normal.cross(edge)), &points);
        }
    }
    for angle in if triangles.len() > 1 { &TURNS[..] } else { &[] } {
        for (k, angle) in (0..3).flat_map(|k| [(k, *angle), (k, -angle)]) {
            let (x, y) = (best.axes.columns[(k + 1) % 3], best.axes.columns[(k + 2) % 3]);
            let mut axes = best.axes;
            axes.columns[(k + 1) % 3] = x + y * angle;
            axes.columns[(k + 2) % 3] = y - x * angle;
            best.try_axes(axes, &points);
        }
    }
    if best.area < f64::INFINITY { OrientedBox::along(best.axes, triangles) } else { OrientedBox::around(triangles) }
}

/// The best axes so far, and how small a box they make.
struct Fit {
    axes: Mat3,
    area: f64,
}

impl Fit {
    /// Takes axes, made orthonormal, if they do better.
    fn try_axes(&mut self, axes: Mat3, points: &[Vec3]) {
        let axes = orthonormal(axes);
        if is_rotation(&axes) {
            let area = surface(&axes, points);
            if area < self.area {
                *self = Fit { axes, area };
            }
        }
    }
}

/// Half the surface of the box around points along axes, nearly; a little is added to its sides, so that of equally large boxes the most
/// compact one is the smallest, not the one that rounding favours.
fn surface(axes: &Mat3, points: &[Vec3]) -> f64 {
    let size = Aabb::of(points.iter().map(|p| axes.transpose_mul(*p))).size();
    let size = size + Vec3::splat(1e-12 * size.norm1());
    size.x * size.y + size.y * size.z + size.z * size.x
}

/// The corners of triangles: each once where they are few.
fn corners(triangles: &[[Vec3; 3]]) -> Vec<Vec3> {
    let mut points: Vec<Vec3> = triangles.iter().flatten().copied().collect();
    if triangles.len() <= FEW {
        let order = |a: &Vec3, b: &Vec3| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)).then(a.z.total_cmp(&b.z));
        points.sort_unstable_by(order);
        points.dedup();
    }
    points
}

/// The fitted box as it is kept: its centre is that of its parent and a difference in f32.
fn stored(fit: &OrientedBox, parent: Vec3) -> WideBox {
    let offset = offset(fit.center, parent);
    let center = parent + Vec3::from(offset.map(f64::from));
    // The new centre is off, and is rounded once; axes are orthonormal within 2^-45.
    let moved = (center - fit.center).norm1() + 8.0 * U * (center.norm1() + fit.center.norm1()) + 2048.0 * U * fit.half.norm1();
    let half = fit.half.to_array().map(|h| f32_up(h + moved));
    let [x, y, z] = half.map(f64::from);
    let along = Axes32::new(&fit.axes, half);
    let radius = f32_up((x * x + y * y + z * z).sqrt() * (1.0 + 8.0 * U));
    WideBox { center, along, radius, area: (x * y + y * z + z * x) as f32, first: 0, pack: LEAF }
}

fn offset(center: Vec3, parent: Vec3) -> [f32; 3] {
    (center - parent).to_array().map(|c| c as f32)
}

impl WidePack {
    fn new(boxes: &[WideBox], parent: usize, count: usize) -> Self {
        let (mut lanes, mut size) = (Oriented8::EMPTY, 0.0f64);
        let first = boxes[parent].first as usize;
        for (lane, b) in boxes[first..first + count].iter().enumerate() {
            // The difference to the parent's centre, which `stored` rounded, is that same number again, or one that is as near.
            let center = offset(b.center, boxes[parent].center);
            for i in 0..3 {
                lanes.center[i][lane] = center[i];
                lanes.half[i][lane] = b.along.half[i];
                for k in 0..3 {
                    lanes.axes[k][i][lane] = b.along.axes[i][k];
                }
            }
            lanes.radius[lane] = b.radius;
            let (c, h) = (center.map(f64::from), b.along.half.map(f64::from));
            size = size.max(Vec3::from(c).norm() + h[0] + h[1] + h[2]);
        }
        WidePack { lanes, filled: (1 << count) - 1, size: size * (1.0 + 16.0 * U) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_rational::BigRational;
    use num_traits::{Signed, ToPrimitive};
    use proptest::prelude::*;

    /// By how much a point sticks out of a box, exactly, along the axes as they are stored; less what rounding them to f32 explains.
    fn outside(b: &WideBox, center: [f64; 3], p: Vec3) -> f64 {
        let exact = |x: f64| BigRational::from_float(x).expect("finite");
        let d = [0, 1, 2].map(|i| exact(p[i]) - exact(center[i]) - exact(b.center[i]));
        let far = d.iter().map(|x| x.abs().to_f64().expect("finite")).sum::<f64>();
        let along = |k: usize| (0..3).fold(exact(0.0), |sum, i| sum + exact(b.along.axes[i][k].into()) * &d[i]).abs();
        let out = (0..3)
            .map(|k| (along(k) - exact(b.along.half[k].into())).to_f64().expect("finite"))
            .fold(f64::NEG_INFINITY, f64::max);
        out - far / f64::from(1 << 24)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn every_triangle_lies_in_every_box_above_it(
            points in prop::collection::vec(prop::array::uniform3(-1.0f64..1.0), 3..90), offset in prop_oneof![Just(0.0), -1e4f64..1e4], flat in 0u8..3,
        ) {
            let squeezed = |p: [f64; 3]| Vec3::new(p[0], p[1], if flat == 0 { p[2] } else { 0.3 * p[0] - p[1] });
            let v: Vec<Vec3> = points.iter().map(|&p| squeezed(p) + Vec3::splat(offset)).collect();
            let last = |i: usize| if flat == 2 { v[i] } else { v[i + 2] };
            let triangles: Vec<[Vec3; 3]> = (0..v.len() - 2).map(|i| [v[i], v[i] + (v[i + 1] - v[i]) * 0.1, last(i)]).collect();
            let tree = WideTree::of_triangles(triangles.len(), |i| triangles[i as usize]);
            let mut seen = vec![0; triangles.len()];
            let mut open = vec![(0usize, vec![])];
            while let Some((at, mut above)) = open.pop() {
                above.push(at);
                let b = &tree.boxes[at];
                if b.is_leaf() {
                    seen[b.first as usize] += 1;
                    for p in triangles[b.first as usize] {
                        for &n in &above {
                            prop_assert!(outside(&tree.boxes[n], [0.0; 3], p) <= 0.0, "{}", outside(&tree.boxes[n], [0.0; 3], p));
                        }
                    }
                } else {
                    let pack = &tree.packs[b.pack as usize];
                    for lane in 0..pack.filled.count_ones() as usize {
                        let child = &tree.boxes[b.first as usize + lane];
                        let moved = [0, 1, 2].map(|i| b.center[i] + f64::from(pack.lanes.center[i][lane]) - child.center[i]);
                        prop_assert!(moved.iter().all(|m| m.abs() <= 8.0 * U * b.center.norm1()), "{moved:?}");
                        let l = Vec3::from([0, 1, 2].map(|i| f64::from(pack.lanes.center[i][lane])));
                        prop_assert!(l.norm() + child.along.half.iter().map(|&h| f64::from(h)).sum::<f64>() <= pack.size);
                        open.push((b.first as usize + lane, above.clone()));
                    }
                }
            }
            prop_assert!(seen.iter().all(|&n| n == 1));
        }
    }
}
