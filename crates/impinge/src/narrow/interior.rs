//! Is a point inside a closed surface? Decided exactly for the surface's triangles, with a ball around the point that must not touch it.
//!
//! The winding number around the point says on which side it lies, see [`crate::geometry::interior`].

use crate::geometry::Mesh;
use crate::geometry::bounding::aabb::Aabb;
use crate::geometry::interior::{RayCount, Side};
use crate::math::Vec3;
use crate::math::rounding::U;
use crate::narrow::triangle_pair;
use crate::narrow::triangle_pair::SweptTriangle;

/// On which side of a closed mesh the ball around `p` lies, whose radius is at least `error` and what rounding adds; in the mesh's frame.
pub(crate) fn side_of_mesh(mesh: &Mesh, p: Vec3, error: f64) -> Side {
    let tree = mesh.resting_tree();
    let q = p - tree.origin;
    // Corners relative to the tree's origin are off by 4 u of the extent, the point by u of itself.
    let radius = error + 8.0 * U * (tree.extent + q.norm1());
    if Aabb::of([q]).grown(radius).apart(tree.bounds) {
        return Side::Outside;
    }
    let ray = RayCount::new(mesh, p, radius);
    let mut winding = 0;
    for &id in &ray.triangles {
        if !is_apart(q, radius, ray.corners(id)) {
            return Side::Unclear;
        }
        winding += ray.crossing(id);
    }
    if winding == 0 { Side::Outside } else { Side::Inside }
}

/// On which side of a box around the origin the ball around `p` lies.
pub(crate) fn side_of_cuboid(half: Vec3, p: Vec3, error: f64) -> Side {
    let radius = error + 4.0 * U * (half.norm1() + p.norm1());
    if (0..3).any(|k| p[k].abs() > half[k] + radius) {
        Side::Outside
    } else if (0..3).all(|k| p[k].abs() + radius < half[k]) {
        Side::Inside
    } else {
        Side::Unclear
    }
}

/// Whether a ball is proven not to touch a triangle.
fn is_apart(p: Vec3, radius: f64, corners: &[Vec3; 3]) -> bool {
    let ball = SweptTriangle { corners: [p; 3], travel: [Vec3::ZERO; 3], radius };
    let mut narrowing = triangle_pair::narrow(&ball, corners, 0.0);
    if !narrowing.window.is_empty() {
        triangle_pair::narrow_by_closest(&ball, corners, &mut narrowing);
    }
    narrowing.window.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Primitive;
    use crate::math::orient::Plane;
    use proptest::prelude::*;

    fn cube(half: f64) -> Mesh {
        Primitive::cuboid(Vec3::splat(2.0 * half)).expect("a box").flat_surface().expect("flat")
    }

    /// Points on the planes, edges and corners of the grid that the cube's own edges and diagonals span: the ray meets them all.
    #[test]
    fn rays_through_edges_and_corners_count_once() {
        let mesh = cube(1.0);
        let grid = [-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0];
        for k in 0..grid.len().pow(3) {
            let p = Vec3::new(grid[k % 7], grid[k / 7 % 7], grid[k / 49]);
            let expected = match p.max_abs() {
                m if m > 1.0 => Side::Outside,
                m if m < 1.0 => Side::Inside,
                _ => Side::Unclear,
            };
            assert_eq!(side_of_mesh(&mesh, p, 0.0), expected, "{p:?}");
            assert_eq!(side_of_cuboid(Vec3::splat(1.0), p, 0.0), expected, "{p:?}");
        }
    }

    #[test]
    fn a_ball_that_reaches_the_surface_is_unclear() {
        let mesh = cube(1.0);
        let p = Vec3::new(0.3, 0.2, 0.9);
        for (radius, expected) in [(0.09, Side::Inside), (0.1, Side::Unclear), (0.5, Side::Unclear)] {
            assert_eq!(side_of_mesh(&mesh, p, radius), expected);
            assert_eq!(side_of_cuboid(Vec3::splat(1.0), p, radius), expected);
        }
    }

    /// A cavity is outside; a surface turned inside out still has an inside.
    #[test]
    fn cavities_and_reversed_surfaces() {
        let (outer, inner) = (cube(2.0), cube(1.0));
        let vertices = [outer.vertices(), inner.vertices()].concat();
        let shifted = |flip: bool| {
            inner.triangles().iter().map(move |t| {
                let [a, b, c] = t.map(|i| i + 8);
                if flip { [a, c, b] } else { [a, b, c] }
            })
        };
        let hollow =
            Mesh::new(vertices.clone(), outer.triangles().iter().copied().chain(shifted(true)).collect()).expect("valid");
        let nested = Mesh::new(vertices, outer.triangles().iter().copied().chain(shifted(false)).collect()).expect("valid");
        assert_eq!(side_of_mesh(&hollow, Vec3::ZERO, 0.0), Side::Outside);
        assert_eq!(side_of_mesh(&hollow, Vec3::splat(1.5), 0.0), Side::Inside);
        assert_eq!(side_of_mesh(&nested, Vec3::ZERO, 0.0), Side::Inside);
        let reversed = inner.triangles().iter().map(|&[a, b, c]| [a, c, b]).collect();
        let reversed = Mesh::new(inner.vertices().to_vec(), reversed).expect("valid");
        assert_eq!(side_of_mesh(&reversed, Vec3::ZERO, 0.0), Side::Inside);
    }

    /// Two cubes that overlap, one of them inside out: the overlap is inside, as it is where both are as they should be.
    #[test]
    fn a_component_inside_out_cancels_no_other() {
        let cube = cube(1.0);
        let moved: Vec<Vec3> = cube.vertices().iter().map(|&v| v + Vec3::splat(0.5)).collect();
        let vertices = [cube.vertices(), &moved].concat();
        for first_reversed in [false, true] {
            let flip = |[a, b, c]: [u32; 3], flipped: bool| if flipped { [a, c, b] } else { [a, b, c] };
            let first = cube.triangles().iter().map(|&t| flip(t, first_reversed));
            let second = cube.triangles().iter().map(|t| flip(t.map(|i| i + 8), !first_reversed));
            let both = Mesh::new(vertices.clone(), first.chain(second).collect()).expect("valid");
            assert!(both.is_closed());
            for (p, expected) in [(-0.8, Side::Inside), (0.3, Side::Inside), (1.2, Side::Inside), (1.6, Side::Outside)] {
                assert_eq!(side_of_mesh(&both, Vec3::splat(p), 0.0), expected, "{p}");
            }
        }
    }

    proptest! {
        /// The hull of random points, against the signs of all its planes.
        #[test]
        fn hulls_agree_with_their_planes(
            points in prop::collection::vec(prop::array::uniform3(-1.0f64..1.0), 4..30), p in prop::array::uniform3(-1.0f64..1.0), far in -1e6f64..1e6,
        ) {
            let shift = Vec3::splat(far);
            let points: Vec<Vec3> = points.into_iter().map(|p| Vec3::from(p) + shift).collect();
            let hull = crate::geometry::Hull::of(&points).expect("finite points");
            prop_assume!(hull.dimension() == 3);
            let fan = |face: &[u32]| (1..face.len() - 1).map(|i| [face[0], face[i], face[i + 1]]).collect::<Vec<_>>();
            let mesh = Mesh::new(hull.vertices().to_vec(), hull.faces().flat_map(fan).collect()).expect("valid");
            let p = Vec3::from(p) + shift;
            let inside = (0..mesh.triangles().len()).all(|i| Plane::new(mesh.corners(i)).side(p) < 0);
            let found = side_of_mesh(&mesh, p, 0.0);
            prop_assert!(found == Side::Unclear || (found == Side::Inside) == inside, "{:?}", found);
        }
    }
}
