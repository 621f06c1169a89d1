//! The tree of oriented boxes: binary, one item in a leaf, each box along the principal axes of the surface in it.
//! [Gottschalk 1996; Redon 2004, section 5.1]
//!
//! ```text
//!     ____          box = { center + axes s : |s_i| <= half_i }      axes: a rotation up to rounding
//!    /   /\
//!   /___/  \
//! ```
//!
//! Sound: the axes B are orthonormal within 2^-45, so s = B^-1 d differs from B^T d by less than 2^-44 |d|_1, d from the box's centre to a
//! corner of a triangle; half sides are grown by 2^-43 of that, which covers the rounding of d and of the dot products too. Where the
//! principal axes are worse than that, or the box no smaller, the coordinate axes are taken.

use crate::bvh::build::Item;
use crate::bvh::tree::Tree;
use crate::geometry::bounding::aabb::Aabb;
use crate::math::rounding::U;
use crate::math::{Mat3, Pose, Vec3};

/// A box along its own axes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OrientedBox {
    pub axes: Mat3,
    pub center: Vec3,
    pub half: Vec3,
}

/// Items in a binary tree of oriented boxes.
pub(crate) type OrientedTree = Tree<OrientedBox>;

impl OrientedTree {
    /// The tree over triangles; item ids count from `first`. No triangles give no nodes.
    pub fn of_triangles(count: usize, first: u32, corners: impl Fn(u32) -> [Vec3; 3]) -> Self {
        let items = (0..count as u32).map(|i| item(Aabb::of(corners(i)), first + i)).collect();
        Tree::build(items, 1, |_, ids| {
            let triangles: Vec<[Vec3; 3]> = ids.iter().map(|&i| corners(i - first)).collect();
            OrientedBox::around(&triangles)
        })
    }

    /// One leaf: a solid in a box of half sides `half` around its origin, at `pose`.
    pub fn of_solid(half: Vec3, pose: &Pose, item: u32) -> Self {
        // A rotation is orthonormal within 2^-45 and holds the solid; the pad is for the centre's rounding.
        let bounds = OrientedBox { axes: pose.rotation, center: pose.translation, half: grown(half, half) };
        Tree { order: vec![item], ..Tree::of_neighbours(std::iter::once(bounds), |&a, _| a) }
    }
}

/// Only the splits come from these boxes, so rounding does not matter.
fn item(b: Aabb, id: u32) -> Item {
    let near = |v: Vec3| v.to_array().map(|c| c as f32);
    Item { lo: near(b.lo), hi: near(b.hi), id }
}

impl OrientedBox {
    /// A box around triangles, at least one.
    pub fn around(triangles: &[[Vec3; 3]]) -> Self {
        let upright = OrientedBox::along(Mat3::IDENTITY, triangles);
        let axes = principal_axes(triangles);
        if !is_rotation(&axes) {
            return upright;
        }
        let slanted = OrientedBox::along(axes, triangles);
        if slanted.area() < upright.area() { slanted } else { upright }
    }

    /// The box along given axes, orthonormal within 2^-45.
    pub(crate) fn along(axes: Mat3, triangles: &[[Vec3; 3]]) -> Self {
        let points = || triangles.iter().flatten();
        let local = Aabb::of(points().map(|p| axes.transpose_mul(*p)));
        let center = axes * local.center();
        let (mut half, mut far) = (Vec3::ZERO, Vec3::ZERO);
        for p in points() {
            let d = *p - center;
            half = half.max(axes.transpose_mul(d).abs());
            far = far.max(Vec3::splat(d.norm1()));
        }
        OrientedBox { axes, center, half: grown(half, far) }
    }

    /// At least the length of its half diagonal, nearly.
    #[inline(always)]
    pub fn size(&self) -> f64 {
        self.half.norm1()
    }

    pub(crate) fn area(&self) -> f64 {
        let h = self.half;
        h.x * h.y + h.y * h.z + h.z * h.x
    }
}

/// 2^-43.
const PAD: f64 = 1024.0 * U;

fn grown(half: Vec3, far: Vec3) -> Vec3 {
    half + far * PAD
}

/// Orthonormal within 2^-45: entries of B^T B - I, evaluated with an error below 2^-50, are below 2^-47, so its norm is below 3 times that.
pub(crate) fn is_rotation(m: &Mat3) -> bool {
    let limit = 64.0 * f64::EPSILON / 2.0;
    let product = m.transpose() * *m - Mat3::IDENTITY;
    product.columns.iter().all(|c| c.to_array().iter().all(|x| x.abs() < limit))
}

/// Covariance of the points of a surface: each triangle by its area; of the corners where there is none.
fn covariance(triangles: &[[Vec3; 3]]) -> [[f64; 3]; 3] {
    let area = |t: &[Vec3; 3]| (t[1] - t[0]).cross(t[2] - t[0]).norm();
    let total: f64 = triangles.iter().map(area).sum();
    let weight = |t: &[Vec3; 3]| if total > 0.0 { area(t) / total } else { 1.0 / triangles.len() as f64 };
    let origin = triangles[0][0];
    let middle = |t: &[Vec3; 3]| ((t[0] - origin) + (t[1] - origin) + (t[2] - origin)) * (1.0 / 3.0);
    let mean = triangles.iter().fold(Vec3::ZERO, |s, t| s + middle(t) * weight(t));
    let mut sum = [[0.0; 3]; 3];
    for t in triangles {
        let (w, m) = (weight(t) / 12.0, middle(t) - mean);
        let corners = t.map(|p| p - origin - mean);
        for i in 0..3 {
            for k in 0..3 {
                sum[i][k] += w * (9.0 * m[i] * m[k] + corners.iter().map(|c| c[i] * c[k]).sum::<f64>());
            }
        }
    }
    sum
}

/// Along which the points of a surface spread most and least: eigenvectors of their covariance, by Jacobi's rotations.
pub(crate) fn principal_axes(triangles: &[[Vec3; 3]]) -> Mat3 {
    let mut a = covariance(triangles);
    let mut axes = Mat3::IDENTITY;
    for _ in 0..12 {
        if a[0][1] == 0.0 && a[0][2] == 0.0 && a[1][2] == 0.0 {
            break;
        }
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            if a[p][q] == 0.0 {
                continue;
            }
            let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
            let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
            let c = 1.0 / (t * t + 1.0).sqrt();
            let s = t * c;
            for row in &mut a {
                (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
            }
            for k in 0..3 {
                (a[p][k], a[q][k]) = (c * a[p][k] - s * a[q][k], s * a[p][k] + c * a[q][k]);
            }
            let (x, y) = (axes.columns[p], axes.columns[q]);
            (axes.columns[p], axes.columns[q]) = (x * c - y * s, x * s + y * c);
        }
    }
    orthonormal(axes)
}

/// The nearest thing to `m` with orthonormal columns, to within rounding.
pub(crate) fn orthonormal(m: Mat3) -> Mat3 {
    let unit = |v: Vec3| v * (1.0 / v.norm());
    let x = unit(m.columns[0]);
    let z = unit(x.cross(m.columns[1]));
    Mat3::from_columns(x, z.cross(x), z)
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_rational::BigRational;
    use num_traits::Signed;
    use proptest::prelude::*;

    type Exact = [BigRational; 3];

    fn exact(v: Vec3) -> Exact {
        v.to_array().map(|x| BigRational::from_float(x).expect("finite"))
    }

    fn determinant(a: &Exact, b: &Exact, c: &Exact) -> BigRational {
        let minor = |i: usize, k: usize| &b[i] * &c[k] - &b[k] * &c[i];
        &a[0] * minor(1, 2) - &a[1] * minor(0, 2) + &a[2] * minor(0, 1)
    }

    /// Whether a point lies in a box, exactly: the box's coordinates by Cramer's rule.
    fn holds(b: &OrientedBox, p: Vec3) -> bool {
        let [x, y, z] = b.axes.columns.map(exact);
        let (p, center, half) = (exact(p), exact(b.center), exact(b.half));
        let d = [0, 1, 2].map(|i| &p[i] - &center[i]);
        let all = determinant(&x, &y, &z);
        let coordinates = [determinant(&d, &y, &z), determinant(&x, &d, &z), determinant(&x, &y, &d)];
        coordinates.iter().zip(&half).all(|(c, h)| (c / &all).abs() <= *h)
    }

    fn visit(tree: &OrientedTree, triangles: &[[Vec3; 3]], at: u32, above: &mut Vec<u32>, seen: &mut [u32]) {
        above.push(at);
        if let Some([first, second]) = tree.children(at) {
            visit(tree, triangles, first, above, seen);
            visit(tree, triangles, second, above, seen);
        } else {
            let item = (tree.items(at)[0] - FIRST) as usize;
            seen[item] += 1;
            for p in triangles[item] {
                assert!(above.iter().all(|&n| holds(&tree.nodes[n as usize].volume, p)), "{p:?}");
            }
        }
        above.pop();
    }

    const FIRST: u32 = 17;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn every_triangle_lies_in_every_box_above_it(
            points in prop::collection::vec(prop::array::uniform3(-1.0f64..1.0), 3..60), offset in -1e3f64..1e3, flat in 0u8..3,
        ) {
            let squeezed = |p: [f64; 3]| Vec3::new(p[0], p[1], if flat == 0 { p[2] } else { 0.3 * p[0] - p[1] });
            let vertices: Vec<Vec3> = points.iter().map(|&p| squeezed(p) + Vec3::splat(offset)).collect();
            let last = |i: usize| if flat == 2 { vertices[i] } else { vertices[i + 2] };
            let triangles: Vec<[Vec3; 3]> = (0..vertices.len() - 2).map(|i| [vertices[i], vertices[i + 1], last(i)]).collect();
            let tree = OrientedTree::of_triangles(triangles.len(), FIRST, |i| triangles[i as usize]);
            let mut seen = vec![0; triangles.len()];
            visit(&tree, &triangles, 0, &mut Vec::new(), &mut seen);
            prop_assert!(seen.iter().all(|&n| n == 1));
        }
    }

    /// A slanted board gets a slanted box: its box is as thin as itself.
    #[test]
    fn boxes_follow_the_surface() {
        let pose = Pose::from_rpy(Vec3::new(1.0, 2.0, 3.0), Vec3::new(0.5, 0.7, 0.9)).expect("finite");
        let at = |x: f64, y: f64| pose.apply(Vec3::new(x, y, 0.0));
        let triangles = [[at(0.0, 0.0), at(2.0, 0.0), at(2.0, 0.5)], [at(0.0, 0.0), at(2.0, 0.5), at(0.0, 0.5)]];
        let b = OrientedBox::around(&triangles);
        let mut sides = b.half.to_array();
        sides.sort_by(f64::total_cmp);
        assert!(sides[0] < 1e-9 && (sides[1] - 0.25).abs() < 0.1 && (sides[2] - 1.0).abs() < 0.1, "{b:?}");
    }

    #[test]
    fn nothing_is_an_empty_tree() {
        assert!(OrientedTree::of_triangles(0, 0, |_| [Vec3::ZERO; 3]).nodes.is_empty());
    }
}
