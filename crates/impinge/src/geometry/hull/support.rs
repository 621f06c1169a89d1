//! The vertex farthest in a direction: by looking at all, or by climbing along edges from a start that a table of directions gives.
//!
//! ```text
//!  +--+--+      six faces of a cube, cut into squares; for the middle of each the farthest vertex is known.
//!  |  |d |      On a convex body every vertex but the farthest has a neighbour that is farther.
//!  +--+--+
//! ```
//! Climbing compares rounded heights, so it may end a little below the top: good for finding directions, not for proofs.

use crate::geometry::hull::Hull;
use crate::math::Vec3;

/// Squares along a side of the cube.
const CELLS: usize = 4;

/// A hull with its table of starts.
#[derive(Clone, Debug)]
pub struct Climber {
    starts: Vec<u32>,
}

impl Hull {
    /// The vertex with the largest `d·x`, the first of several. Looks at all of them.
    pub fn farthest(&self, d: Vec3) -> u32 {
        let mut best = (f64::NEG_INFINITY, 0);
        for (i, v) in self.vertices.iter().enumerate() {
            let height = d.dot(*v);
            if height > best.0 {
                best = (height, i as u32);
            }
        }
        best.1
    }
}

impl Climber {
    /// Fills the table of a hull.
    pub fn new(hull: &Hull) -> Self {
        let middle = |k: usize| (2 * k + 1) as f64 / CELLS as f64 - 1.0;
        let direction = |cell: usize| {
            let (face, row, column) = (cell / (CELLS * CELLS), cell / CELLS % CELLS, cell % CELLS);
            let axis = face / 2;
            let mut d = Vec3::ZERO;
            d[axis] = if face % 2 == 0 { 1.0 } else { -1.0 };
            d[(axis + 1) % 3] = middle(row);
            d[(axis + 2) % 3] = middle(column);
            d
        };
        Climber { starts: (0..6 * CELLS * CELLS).map(|cell| hull.farthest(direction(cell))).collect() }
    }

    /// The vertex of the hull that this was made for with the largest `d·x`, up to rounding on the way.
    pub fn farthest(&self, hull: &Hull, d: Vec3) -> u32 {
        let mut at = self.starts[cell(d)];
        let mut height = d.dot(hull.vertices[at as usize]);
        loop {
            let higher = |&k: &u32| (d.dot(hull.vertices[k as usize]), k);
            let best = hull.neighbours(at as usize).iter().map(higher).fold((height, at), |a, b| if b.0 > a.0 { b } else { a });
            if best.1 == at {
                return at;
            }
            (height, at) = best;
        }
    }
}

/// The square that a direction passes through.
fn cell(d: Vec3) -> usize {
    let axis = d.longest_axis();
    let along = d[axis].abs();
    let square = |x: f64| (((x / along + 1.0) * 0.5 * CELLS as f64) as usize).min(CELLS - 1);
    let face = 2 * axis + usize::from(d[axis] < 0.0);
    (face * CELLS + square(d[(axis + 1) % 3])) * CELLS + square(d[(axis + 2) % 3])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn climbing_ends_where_looking_at_all_does(
            points in prop::collection::vec(prop::array::uniform3(-1.0f64..1.0), 1..300), round in any::<bool>(), flat in any::<bool>(),
            directions in prop::collection::vec(prop::array::uniform3(-1.0f64..1.0), 20),
        ) {
            let place = |p: &[f64; 3]| {
                let p = Vec3::new(p[0], p[1], if flat { 0.5 * p[0] } else { p[2] });
                if round { p * (1.0 / p.norm().max(1e-3)) } else { p }
            };
            let hull = Hull::of(&points.iter().map(place).collect::<Vec<_>>()).expect("valid");
            let climber = Climber::new(&hull);
            for d in directions.into_iter().map(Vec3::from).chain([Vec3::ZERO, Vec3::unit(1), -Vec3::unit(2)]) {
                let [climbed, all] = [climber.farthest(&hull, d), hull.farthest(d)].map(|i| d.dot(hull.vertices()[i as usize]));
                prop_assert!((climbed - all).abs() <= 1e-12, "{climbed} {all}");
            }
        }
    }
}
