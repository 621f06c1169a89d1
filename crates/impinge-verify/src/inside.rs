//! Closed meshes as solids: does one piece start inside the other?
//!
//! A mesh consists of its triangles and every point with a nonzero winding number for those of its closed components, its shell: see
//! [`crate::topology`]. Primitives are solids.
//!
//! **Theorem.** Let the triangles and primitives of two pieces be farther apart than the margin at every t in [0, 1], as [`crate::check`]
//! proves. Let one point of each component of either piece be outside the other piece at t = 0; the component of a primitive is all of
//! it. Then the distance of the two solids is greater than the margin at every t.
//!
//! *Proof.* Suppose that the solids have a common point x at some t. On a ray from x there is a last point z of the part that begins at x
//! and stays in both. It is a boundary point of one solid, say A, and belongs to the other, B. So z is a point of A's triangles or
//! primitive, in some component K, and not one of B's, since these are apart: B's shell winds around z. The winding number
//! is constant where B's triangles are not, so it is the same for all of K, which is connected, and for all times, since K moves
//! continuously as seen from B. So B winds around the point of K at t = 0, which was excluded. Two disjoint solids are nearest in boundary
//! points, and these belong to the triangles and primitives. QED
//!
//! If a piece represents every piece within some distance of it, the leaves show that all of these are apart, and so are all on the straight
//! path from the one in the file to another. Winding numbers are constant along it, so it suffices to count for the one in the file.
//!
//! The winding number is the sum of the signed crossings of a ray with the triangles. A ray counts only if every sign is certain.

use crate::interval::{BITS, Interval, ONE};
use crate::jet::{Jet, NOWHERE, Vector, add, apply};
use crate::motion::Moves;
use crate::read::{Proof, Scene};
use crate::shape::Shape;
use crate::verifier::Problem;

/// Triangles per box, and boxes per box of the next layer.
const RUN: usize = 8;
/// Rays run along a coordinate axis, forwards or backwards, and are inclined towards the two others by this many 64ths.
const LEANS: [[i128; 2]; 4] = [[0, 0], [13, 29], [-23, 7], [5, -41]];
/// Meshes larger than 2^10 are scaled down by a power of two, so that a product of three lengths stays in range.
const LARGEST: u32 = 10;

/// Shows that neither piece of a verified proof starts inside the other.
///
/// # Errors
/// If one does, or if this cannot be decided.
pub fn neither_starts_inside(scene: &Scene, moves: &Moves<'_>, proof: &Proof) -> Result<(), Problem> {
    let (a, b) = (scene.shape(proof.a), scene.shape(proof.b));
    // A single leaf: a plane separates all of A from all of B, and from the solids that they enclose.
    if proof.steps.len() == 1 || (a.boxes().is_none() && b.boxes().is_none()) {
        return Ok(());
    }
    let b_from_a = moves.relative(proof.a, proof.b, Interval::ZERO);
    for (inner, outer, seen) in [((proof.a, a), (proof.b, b), b_from_a), ((proof.b, b), (proof.a, a), b_from_a.inverse())] {
        let names = || (&scene.parts[inner.0.0].name, &scene.parts[outer.0.0].name);
        starts_outside(inner.1, outer.1, &seen).map_err(|found| {
            let (x, y) = names();
            Problem::refused(match found {
                Found::Inside => format!("'{x}' starts inside of '{y}'"),
                Found::Unclear => format!("cannot decide whether '{x}' starts inside '{y}'"),
            })
        })?;
    }
    Ok(())
}

/// The reason why a piece is not shown to start outside another.
#[derive(Debug, PartialEq)]
enum Found {
    Inside,
    Unclear,
}

/// Shows that every component of a shape is outside another shape, in whose frame `seen` places it.
fn starts_outside(inner: &Shape, outer: &Shape, seen: &Jet) -> Result<(), Found> {
    let (Some(boxes), Shape::Mesh { vertices, .. }) = (outer.boxes(), outer) else { return Ok(()) };
    let around = place(&seen.inverse(), boxes.whole());
    let component = |points: &[&Vector]| {
        // First without a ray: the outer box, in the coordinates of the inner shape.
        if points.iter().any(|p| is_outside(&around, p)) {
            return Ok(());
        }
        let mut sides = points.iter().filter_map(|p| boxes.encloses(vertices, &place(seen, p)));
        match sides.next() {
            Some(false) => Ok(()),
            Some(true) => Err(Found::Inside),
            None => Err(Found::Unclear),
        }
    };
    match inner {
        Shape::Mesh { vertices, triangles, components, .. } => {
            components.iter().try_for_each(|&c| component(&triangles[c].map(|v| &vertices[v])))
        }
        _ => component(&[&NOWHERE]),
    }
}

/// Returns a point, or a box of points, in other coordinates at t = 0.
fn place(seen: &Jet, x: &Vector) -> Vector {
    add(&apply(&seen.rotation[0], x), &seen.position[0])
}

fn is_outside(around: &Vector, p: &Vector) -> bool {
    (0..3).any(|k| (around[k] - p[k]).sign().is_some())
}

/// The triangles of a shell, with boxes around runs of triangles, boxes around runs of these boxes, and so on up to one box.
#[derive(Debug)]
pub struct Boxes {
    triangles: Vec<[usize; 3]>,
    layers: Vec<Vec<Vector>>,
    /// The number of bits by which lengths are scaled down.
    shrink: u32,
}

impl Boxes {
    /// Builds the boxes over at least one triangle.
    pub fn new(vertices: &[Vector], triangles: Vec<[usize; 3]>) -> Self {
        let mut layers = vec![around_runs(&triangles, |t| t.map(|v| vertices[v]).into_iter().reduce(hull).unwrap_or(NOWHERE))];
        while layers[layers.len() - 1].len() > 1 {
            layers.push(around_runs(&layers[layers.len() - 1], |b| *b));
        }
        let size = layers[layers.len() - 1].iter().flatten().map(|c| c.hi().abs_diff(c.lo())).max().unwrap_or(0);
        Boxes { triangles, layers, shrink: (u128::BITS - size.leading_zeros()).saturating_sub(BITS + LARGEST) }
    }

    fn whole(&self) -> &Vector {
        &self.layers[self.layers.len() - 1][0]
    }

    /// Tests whether the shell winds around a point; `None` if no ray is certain.
    fn encloses(&self, vertices: &[Vector], p: &Vector) -> Option<bool> {
        if is_outside(self.whole(), p) {
            return Some(false);
        }
        let rays = LEANS.iter().flat_map(|lean| (0..6).map(move |k| (k / 2, k % 2 == 1, lean)));
        let views = rays.map(|(axis, backwards, lean)| View {
            from: p,
            axis,
            backwards,
            lean: lean.map(|n| Interval::point(n * (ONE / 64))),
            shrink: self.shrink,
        });
        views.into_iter().find_map(|view| self.winding(vertices, &view)).map(|winding| winding != 0)
    }

    /// Returns the sum of the signed crossings of a ray with the mesh; `None` if one is not certain.
    fn winding(&self, vertices: &[Vector], view: &View<'_>) -> Option<i64> {
        let mut sum = 0;
        let mut stack = vec![(self.layers.len() - 1, 0)];
        while let Some((layer, i)) = stack.pop() {
            if view.misses(&self.layers[layer][i]) {
                continue;
            }
            let below = |count: usize| RUN * i..(RUN * (i + 1)).min(count);
            if layer > 0 {
                stack.extend(below(self.layers[layer - 1].len()).map(|j| (layer - 1, j)));
                continue;
            }
            for t in &self.triangles[below(self.triangles.len())] {
                sum += i64::from(view.crossing(t.map(|v| &vertices[v]))?);
            }
        }
        Some(sum)
    }
}

fn around_runs<T>(items: &[T], around: impl Fn(&T) -> Vector) -> Vec<Vector> {
    items.chunks(RUN).map(|run| run.iter().map(&around).reduce(hull).unwrap_or(NOWHERE)).collect()
}

fn hull(a: Vector, b: Vector) -> Vector {
    std::array::from_fn(|k| a[k].hull(b[k]))
}

/// A ray from a point.
struct View<'a> {
    from: &'a Vector,
    axis: usize,
    backwards: bool,
    lean: [Interval; 2],
    shrink: u32,
}

impl View<'_> {
    /// Returns a point, or a box of points, in coordinates of the ray: two lateral distances and one ahead. On the ray, the first two
    /// are zero and the third is positive.
    fn of(&self, x: &Vector) -> Vector {
        let at = |k: usize| (x[k] - self.from[k]).shrunk(self.shrink);
        let along = at(self.axis);
        let side = |k: usize| at((self.axis + 1 + k) % 3) - self.lean[k] * along;
        [side(0), side(1), if self.backwards { -along } else { along }]
    }

    /// Tests whether the ray certainly misses a box.
    fn misses(&self, around: &Vector) -> bool {
        let [x, y, ahead] = self.of(around).map(Interval::sign);
        x.is_some() || y.is_some() || ahead == Some(-1)
    }

    /// Returns the sign of the crossing of the ray with a triangle, 0 if there is none; `None` if it is not certain.
    ///
    /// Proof. Seen along the ray the triangle is a, b, c in the plane, the ray the origin o. If o = u a + v b + w c with weights that are not
    /// negative and sum to 1, then b x c = u s, c x a = v s, a x b = w s with s their sum: none of the three has the sign of another's
    /// negative. So two opposite signs exclude the triangle. Three equal signs say that all weights are positive: the line crosses inside
    /// the triangle, at the height of u, v, w's mean of the corners, which has the sign of (b x c) h(a) + (c x a) h(b) + (a x b) h(c) times
    /// that of s. QED
    fn crossing(&self, corners: [&Vector; 3]) -> Option<i32> {
        let [a, b, c] = corners.map(|x| self.of(x));
        let common = |k: usize| Some(a[k].sign()?).filter(|_| a[k].sign() == b[k].sign() && b[k].sign() == c[k].sign());
        if common(0).is_some() || common(1).is_some() || common(2) == Some(-1) {
            return Some(0);
        }
        let turn = |p: &Vector, q: &Vector| p[0] * q[1] - p[1] * q[0];
        let turns = [turn(&b, &c), turn(&c, &a), turn(&a, &b)];
        let signs = turns.map(Interval::sign);
        if signs.contains(&Some(1)) && signs.contains(&Some(-1)) {
            return Some(0);
        }
        let [Some(sign), Some(_), Some(_)] = signs else { return None };
        let height = || turns[0] * a[2] + turns[1] * b[2] + turns[2] * c[2];
        let ahead = common(2).or_else(|| Some(height().sign()? * sign))?;
        Some(if ahead > 0 { sign } else { 0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read;
    use crate::topology::Topology;

    /// Cells of a grid of side 3.
    type Cells = [bool; 27];

    /// Tests whether a place of the grid has a cell.
    fn at(cells: &Cells, place: [i32; 3]) -> bool {
        place.iter().all(|c| (0..3).contains(c)) && cells[place.iter().fold(0, |n, &c| 3 * n + c as usize)]
    }

    /// Returns two triangles for each square between a cell and an empty place, with scaled corners; the outer side is on the left.
    fn surface(cells: &Cells, scale: f64) -> (Vec<f64>, Vec<usize>) {
        let mut vertices = Vec::new();
        for n in 0..27i32 {
            let place = [n / 9, n / 3 % 3, n % 3];
            for (axis, up) in (0..3usize).flat_map(|axis| [(axis, 0), (axis, 1)]) {
                let mut next = place;
                next[axis] += 2 * up - 1;
                if !at(cells, place) || at(cells, next) {
                    continue;
                }
                let corner = |u: i32, v: i32| {
                    let mut c = place;
                    c[axis] += up;
                    c[(axis + 1) % 3] += u;
                    c[(axis + 2) % 3] += v;
                    c.map(|x| f64::from(x) * scale)
                };
                let square = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)];
                let order = if up == 1 { [0, 1, 2, 0, 2, 3] } else { [0, 2, 1, 0, 3, 2] };
                vertices.extend(order.into_iter().flat_map(|i| square[i]));
            }
        }
        let count = vertices.len() / 3;
        (vertices, (0..count).collect())
    }

    fn mesh(vertices: &[f64], triangles: &[usize]) -> (Vec<Vector>, Vec<[usize; 3]>) {
        let vertices = vertices.chunks_exact(3).map(|v| read::vector([v[0], v[1], v[2]])).collect();
        (vertices, triangles.chunks_exact(3).map(|t| [t[0], t[1], t[2]]).collect())
    }

    /// Selects half of the cells, by a linear congruential generator.
    fn random_cells(seed: &mut u64) -> Cells {
        std::array::from_fn(|_| {
            *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            *seed >> 60 & 1 == 1
        })
    }

    /// Tests by the surrounding cells whether a point is inside; `None` on the surface. Coordinates are halves of a cell.
    fn expected(cells: &Cells, point: [i32; 3]) -> Option<bool> {
        let mut sides = (0..8).map(|k| at(cells, std::array::from_fn(|i| (point[i] - (k >> i & 1)).div_euclid(2))));
        let first = sides.next();
        first.filter(|&side| sides.all(|s| s == side))
    }

    /// Surfaces with concave edges, edges that four squares share, and cavities; points on the planes, edges and corners of the grid, where
    /// rays along the axes meet edges; sizes from micrometres to beyond 2^10.
    #[test]
    fn points_of_a_grid_are_on_the_right_side() {
        let mut seed = 1;
        for scale in [1.0, 1e-5, 0.37, 1e9, 1e5] {
            let cells = random_cells(&mut seed);
            let (v, t) = surface(&cells, scale);
            assert_eq!(Topology::of(&v, &t).shell.len(), t.len() / 3);
            let (vertices, triangles) = mesh(&v, &t);
            let boxes = Boxes::new(&vertices, triangles);
            for n in 0..9 * 9 * 9 {
                let point = [n / 81, n / 9 % 9, n % 9].map(|c| c - 1);
                let p = read::vector(point.map(|c| f64::from(c) * 0.5 * scale));
                let found = boxes.encloses(&vertices, &p);
                assert_eq!(found, expected(&cells, point), "{point:?} at scale {scale}");
            }
        }
    }

    /// A point given only by a box has no side if the box meets the surface.
    #[test]
    fn an_uncertain_point_near_the_surface_is_unclear() {
        let mut seed = 5;
        let cells = random_cells(&mut seed);
        let (v, t) = surface(&cells, 1.0);
        let (vertices, triangles) = mesh(&v, &t);
        let boxes = Boxes::new(&vertices, triangles);
        let mut decided = 0;
        for n in 0..7 * 7 * 7 {
            // A quarter of a cell off the grid: the surface is at a distance of a quarter, or at least three quarters.
            let point = [n / 49, n / 7 % 7, n % 7].map(|c| c - 1);
            let p = read::vector(point.map(|c| f64::from(c) * 0.5 + 0.25));
            let exact = boxes.encloses(&vertices, &p).expect("not on the surface");
            let corners = (0..8).map(|k| expected(&cells, std::array::from_fn(|i| point[i] + (k >> i & 1))));
            let near = corners.into_iter().any(|side| side != Some(exact));
            let wide = boxes.encloses(&vertices, &p.map(|c| c.widened(ONE * 3 / 10)));
            assert!(wide.is_none() || (!near && wide == Some(exact)), "{point:?}: {wide:?}, {exact}, {near}");
            decided += u32::from(wide.is_some());
        }
        assert!(decided > 30, "{decided}");
    }

    /// The same cells twice: winding number 2. Reversed: -1. Both: no interior.
    #[test]
    fn windings_add_up() {
        let mut cells = [false; 27];
        cells[13] = true;
        let (v, t) = surface(&cells, 1.0);
        let over: Vec<usize> = t.chunks_exact(3).flat_map(|t| [t[0], t[2], t[1]]).collect();
        let inside = |triangles: &[usize]| {
            let (vertices, triangles) = mesh(&v, triangles);
            Boxes::new(&vertices, triangles).encloses(&vertices, &read::vector([1.5, 1.4, 1.3]))
        };
        assert_eq!([inside(&t), inside(&[&t[..], &t].concat()), inside(&over)], [Some(true); 3]);
        assert_eq!(inside(&[&t[..], &over].concat()), Some(false));
    }

    /// Numbers out of range decide nothing.
    #[test]
    fn what_is_out_of_range_is_unclear() {
        let mut cells = [false; 27];
        cells[0] = true;
        let (v, t) = surface(&cells, 1.0);
        let (mut vertices, triangles) = mesh(&v, &t);
        let inside =
            |vertices: &[Vector], p: [f64; 3]| Boxes::new(vertices, triangles.clone()).encloses(vertices, &read::vector(p));
        assert_eq!(inside(&vertices, [0.5, 0.5, f64::INFINITY]), None);
        vertices[4] = [Interval::ANYTHING; 3];
        assert_eq!(inside(&vertices, [0.3, 0.5, 0.7]), None);
    }
}
