//! Building the trees of a large mesh.

use std::time::Instant;

use impinge_io::example::solids::torus_knot;

use crate::Outcome;
use crate::table::{Table, count, target};

/// Seconds for a million triangles, both trees, at most.
const SECONDS: f64 = 6.0;
/// Bytes for a triangle with its share of both trees, at most.
const BYTES: f64 = 400.0;

/// Measures a torus knot of a million triangles, three times; the best counts.
pub fn measure() -> Outcome<Table> {
    let solid = torus_knot(2000, 250);
    let mut best = (f64::INFINITY, 0);
    let mut triangles = 0;
    for _ in 0..3 {
        let mesh = solid.clone().into_mesh()?;
        triangles = mesh.triangles().len();
        let begin = Instant::now();
        let bytes = mesh.build_trees();
        best = (best.0.min(begin.elapsed().as_secs_f64()), bytes);
    }
    let mut table = Table::new(
        format!("Both trees of a mesh, best of 3; ! is above target ({SECONDS} s, {BYTES} bytes per triangle)"),
        &["triangles", "seconds", "bytes per triangle"],
    );
    let per_triangle = best.1 as f64 / triangles as f64;
    table.row(vec![count(triangles), target(Some(best.0), SECONDS, 2), target(Some(per_triangle), BYTES, 0)]);
    Ok(table)
}
