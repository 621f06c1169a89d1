//! A coarse grid over a closed mesh: which of its cells lie wholly inside, or wholly outside.
//!
//! ```text
//!   . . . . . . .      #  the surface may pass, or come near
//!   . # # # # # .      o  inside          one exact test for each region of cells that share faces:
//!   . # o o o # .      .  outside         no surface is between them
//!   . # # # # # .
//! ```
//! Sound: a cell is free of surface when no triangle meets it, grown by [`PAD`] of its side; the neighbours' common face is crossed by
//! nothing, so a region has one winding number. A ball that is smaller than the pad, with its centre in a free cell, lies on that side.

use crate::geometry::Mesh;
use crate::geometry::bounding::aabb::Aabb;
use crate::geometry::interior::{Side, winding};
use crate::math::Vec3;
use crate::math::rounding::U;

/// Cells are grown by this share of their side before they are called free of surface.
const PAD: f64 = 0.05;
/// Cells for each triangle, and how many there are at least and at most.
const PER_TRIANGLE: usize = 2;
const FEWEST: usize = 1 << 9;
const MOST: usize = 1 << 16;
/// No side of the grid is thinner than this share of the longest.
const THINNEST: f64 = 1.0 / 64.0;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cell {
    /// Free of surface, side not known yet.
    Free,
    Outside,
    Inside,
    Surface,
}

/// Cells around a mesh, in its own frame.
#[derive(Debug)]
pub(crate) struct SideGrid {
    /// The least corner.
    lo: Vec3,
    per_length: f64,
    counts: [usize; 3],
    cells: Vec<Cell>,
    /// Balls up to this radius are answered.
    largest: f64,
}

impl SideGrid {
    /// The mesh must enclose something.
    pub fn new(mesh: &Mesh) -> Self {
        let bounds = Aabb::of(mesh.triangles().iter().flatten().map(|&i| mesh.vertices()[i as usize]));
        let longest = bounds.size().max_abs();
        let sides = bounds.size().max(Vec3::splat(THINNEST * longest));
        let wanted = (PER_TRIANGLE * mesh.triangles().len()).clamp(FEWEST, MOST);
        let side = longest * ((sides.x / longest) * (sides.y / longest) * (sides.z / longest) / wanted as f64).cbrt();
        // A layer of cells all around is free.
        let lo = bounds.lo - Vec3::splat(side);
        let counts = [0, 1, 2].map(|k| (bounds.size()[k] / side).ceil() as usize + 2);
        // Far from the origin of its frame, coordinates of a mesh may be too coarse for its cells.
        let coarse = 64.0 * U * (bounds.lo.max_abs().max(bounds.hi.max_abs()) + longest);
        if !(coarse < 0.1 * PAD * side) || counts.iter().any(|&n| n > 1 << 10) {
            return SideGrid { lo, per_length: 0.0, counts: [0; 3], cells: Vec::new(), largest: -1.0 };
        }
        let cells = vec![Cell::Free; counts.iter().product()];
        let mut grid = SideGrid { lo, per_length: 1.0 / side, counts, cells, largest: 0.5 * PAD * side };
        for i in 0..mesh.triangles().len() {
            let axes = Axes::new(mesh.corners(i).map(|c| (c - lo) * grid.per_length));
            let (from, to) = axes.cells(counts);
            grid.mark(&axes, from, to);
        }
        grid.settle(mesh, side);
        grid
    }

    /// Where the ball of radius `error` around `p` lies, if that can be looked up.
    ///
    /// The cell's number is off by less than 0.1 PAD, and the ball by 0.5 PAD: what is found holds for the cell grown by PAD.
    #[inline]
    pub fn side(&self, p: Vec3, error: f64) -> Side {
        if !(error <= self.largest) {
            return Side::Unclear;
        }
        let at = (p - self.lo) * self.per_length;
        let mut index = 0;
        for k in (0..3).rev() {
            if !(at[k] >= 0.0 && at[k] < self.counts[k] as f64) {
                // Outside of the grid the surface is a cell away.
                return if at[k].is_nan() { Side::Unclear } else { Side::Outside };
            }
            index = index * self.counts[k] + at[k] as usize;
        }
        match self.cells[index] {
            Cell::Outside => Side::Outside,
            Cell::Inside => Side::Inside,
            Cell::Surface | Cell::Free => Side::Unclear,
        }
    }

    /// Marks the cells of a block that a triangle may come near.
    fn mark(&mut self, axes: &Axes, from: [usize; 3], to: [usize; 3]) {
        if axes.separate(from, to) {
            return;
        }
        let sizes = [0, 1, 2].map(|k| to[k] - from[k]);
        let longest = (0..3).max_by_key(|&k| sizes[k]).unwrap_or(0);
        if sizes[longest] == 1 {
            let index = self.index(from);
            self.cells[index] = Cell::Surface;
            return;
        }
        let (mut middle, mut second) = (to, from);
        middle[longest] = from[longest] + sizes[longest] / 2;
        second[longest] = middle[longest];
        self.mark(axes, from, middle);
        self.mark(axes, second, to);
    }

    /// Finds the side of every region of free cells, by one exact test each.
    fn settle(&mut self, mesh: &Mesh, side: f64) {
        let mut open = Vec::new();
        for first in 0..self.cells.len() {
            if self.cells[first] != Cell::Free {
                continue;
            }
            let [x, y, z] = self.place(first).map(|k| (k as f64 + 0.5) * side);
            let kind = if winding(mesh, self.lo + Vec3::new(x, y, z)) == 0 { Cell::Outside } else { Cell::Inside };
            self.cells[first] = kind;
            open.push(first);
            while let Some(cell) = open.pop() {
                let at = self.place(cell);
                for k in 0..3 {
                    let step: usize = self.counts[..k].iter().product();
                    let before = (at[k] > 0).then(|| cell - step);
                    let after = (at[k] + 1 < self.counts[k]).then(|| cell + step);
                    for next in before.into_iter().chain(after) {
                        if self.cells[next] == Cell::Free {
                            self.cells[next] = kind;
                            open.push(next);
                        }
                    }
                }
            }
        }
    }

    fn index(&self, at: [usize; 3]) -> usize {
        (at[2] * self.counts[1] + at[1]) * self.counts[0] + at[0]
    }

    fn place(&self, index: usize) -> [usize; 3] {
        let [x, y, _] = self.counts;
        [index % x, index / x % y, index / x / y]
    }
}

/// A triangle, in units of cells, and the axes that may separate it from a box: the normal, and the cross products of edges of both.
struct Axes {
    bounds: Aabb,
    /// Each with the least and the largest height of the corners.
    tilted: [(Vec3, f64, f64); 10],
}

impl Axes {
    fn new(corners: [Vec3; 3]) -> Self {
        let [a, b, c] = corners;
        let edges = [b - a, c - b, a - c];
        let tilted = std::array::from_fn(|i| {
            let n = if i == 9 { edges[0].cross(edges[1]) } else { Vec3::unit(i % 3).cross(edges[i / 3]) };
            let heights = corners.map(|p| n.dot(p));
            (n, heights.into_iter().fold(f64::INFINITY, f64::min), heights.into_iter().fold(f64::NEG_INFINITY, f64::max))
        });
        Axes { bounds: Aabb::of(corners), tilted }
    }

    /// The cells whose padded boxes meet the box around the triangle.
    fn cells(&self, counts: [usize; 3]) -> ([usize; 3], [usize; 3]) {
        let at = |x: f64, k: usize| (x.max(0.0) as usize).min(counts[k] - 1);
        let from = [0, 1, 2].map(|k| at(self.bounds.lo[k] - 2.0 * PAD, k));
        (from, [0, 1, 2].map(|k| at(self.bounds.hi[k] + 2.0 * PAD, k) + 1))
    }

    /// Whether an axis separates the triangle from a padded block of cells.
    ///
    /// Any axis proves what its projections show, so rounded axes do. Coordinates are below 2^11 cells: sums of three products are off by
    /// less than 2^-38 of the axis, and the pad contributes 0.05 of it.
    fn separate(&self, from: [usize; 3], to: [usize; 3]) -> bool {
        let corner = |at: [usize; 3]| Vec3::new(at[0] as f64, at[1] as f64, at[2] as f64);
        let (center, half) = ((corner(from) + corner(to)) * 0.5, (corner(to) - corner(from)) * 0.5 + Vec3::splat(PAD));
        let block = Aabb { lo: center - half, hi: center + half };
        block.apart(self.bounds)
            || self.tilted.iter().any(|&(n, lo, hi)| {
                let (middle, reach) = (n.dot(center), n.abs().dot(half));
                lo > middle + reach || hi < middle - reach
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Primitive;
    use proptest::prelude::*;

    /// A box turned about z, given out of the middle of its frame.
    fn turned_box(half: Vec3, angle: f64, middle: Vec3) -> Mesh {
        let flat = Primitive::cuboid(half * 2.0).expect("a box").flat_surface().expect("flat");
        let (sin, cos) = crate::math::trig::sin_cos(angle);
        let turn = |v: &Vec3| Vec3::new(cos * v.x - sin * v.y, sin * v.x + cos * v.y, v.z) + middle;
        Mesh::new(flat.vertices().iter().map(turn).collect(), flat.triangles().to_vec()).expect("valid")
    }

    /// The exact answer for a point.
    fn is_inside(mesh: &Mesh, p: Vec3) -> bool {
        winding(mesh, p) != 0
    }

    #[test]
    fn most_points_of_a_box_are_looked_up() {
        let mesh = turned_box(Vec3::new(1.0, 0.4, 0.7), 0.3, Vec3::ZERO);
        let grid = SideGrid::new(&mesh);
        let steps = |n: i32| (0..n).map(move |i| (f64::from(i) + 0.5) / f64::from(n) * 4.0 - 2.0);
        let points: Vec<Vec3> =
            steps(20).flat_map(|x| steps(20).flat_map(move |y| steps(20).map(move |z| Vec3::new(x, y, z)))).collect();
        let known = points.iter().filter(|&&p| grid.side(p, 1e-9) != Side::Unclear).count();
        assert!(known * 10 > points.len() * 9, "{known} of {}", points.len());
        assert!(points.iter().any(|&p| grid.side(p, 1e-9) == Side::Inside));
    }

    #[test]
    fn what_is_not_a_number_and_what_is_blurred_is_unclear() {
        let grid = SideGrid::new(&turned_box(Vec3::splat(1.0), 0.0, Vec3::ZERO));
        assert_eq!(grid.side(Vec3::new(f64::NAN, 0.0, 0.0), 0.0), Side::Unclear);
        assert_eq!(grid.side(Vec3::ZERO, f64::NAN), Side::Unclear);
        assert_eq!(grid.side(Vec3::ZERO, 1.0), Side::Unclear);
        assert_eq!(grid.side(Vec3::splat(1e30), 0.0), Side::Outside);
    }

    #[test]
    fn flat_and_tiny_and_far_meshes_have_grids_or_none() {
        let flat = vec![Vec3::ZERO, Vec3::unit(0), Vec3::unit(1)];
        let both_sides = Mesh::new(flat, vec![[0, 1, 2], [0, 2, 1]]).expect("valid");
        assert_ne!(SideGrid::new(&both_sides).side(Vec3::new(0.2, 0.2, 0.0), 0.0), Side::Outside);
        let tiny = turned_box(Vec3::splat(1e-44), 0.0, Vec3::ZERO);
        assert_eq!(SideGrid::new(&tiny).side(Vec3::ZERO, 0.0), Side::Inside);
        let far = turned_box(Vec3::splat(1.0), 0.0, Vec3::splat(1e15));
        assert_eq!(SideGrid::new(&far).side(Vec3::splat(1e15), 0.0), Side::Unclear);
        let point = Mesh::new(vec![Vec3::ZERO], vec![[0, 0, 0]]).expect("valid");
        assert_eq!(SideGrid::new(&point).side(Vec3::ZERO, 0.0), Side::Unclear);
    }

    proptest! {
        /// Every corner of the ball that is looked up has the side that is answered, by the exact test.
        #[test]
        fn what_is_looked_up_is_true(
            half in prop::array::uniform3(0.01f64..1.0), angle in 0.0f64..3.0, middle in prop::array::uniform3(-10.0f64..10.0),
            points in prop::collection::vec(prop::array::uniform3(-1.5f64..1.5), 50), share in 0.0f64..1.0,
        ) {
            let mesh = turned_box(Vec3::from(half), angle, Vec3::from(middle));
            let grid = SideGrid::new(&mesh);
            let radius = share * grid.largest;
            for p in points {
                let p = Vec3::from(p) + Vec3::from(middle);
                let side = grid.side(p, radius);
                if side == Side::Unclear {
                    continue;
                }
                for k in 0..8 {
                    let sign = |bit: usize| if k & bit == 0 { -1.0 } else { 1.0 };
                    let q = p + Vec3::new(sign(1), sign(2), sign(4)) * (radius / 3f64.sqrt());
                    prop_assert_eq!(is_inside(&mesh, q), side == Side::Inside, "{:?}", q);
                }
            }
        }
    }
}
