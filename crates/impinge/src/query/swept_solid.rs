//! What a part itself sweeps during a motion, not the capsule around it: convex cells and their surface.

use std::sync::Arc;

use crate::Error;
use crate::geometry::Mesh;
use crate::math::Vec3;
use crate::scene::{Motion, Scene};
use crate::swept::cells::{CarriedBody, Cell, MAX_CELLS};
use crate::swept::lumps::lumps;
use crate::swept::rounded_polygon::Surface;

/// What the meshes and primitives of a part sweep, in the world.
///
/// The region is a union of convex cells. It holds every point of the part's primitives and of its meshes' triangles at every t in [0, 1],
/// rounding included, and every point of it is within `2 * error` of the part at some t. The inside of a closed mesh is enclosed by the
/// region: whoever leaves it at a time t crosses a triangle.
#[derive(Clone, Debug)]
pub struct SweptSolid {
    cells: Vec<Cell>,
    mesh: Arc<Mesh>,
}

/// How many cells of the same bit of the shape, before and after, are tested for what holds all of it.
const NEIGHBOURS: usize = 4;

impl SweptSolid {
    /// How many convex cells there are.
    pub fn cells(&self) -> usize {
        self.cells.len()
    }

    /// The surfaces of the cells, outside out, each closed, without cells that are known to lie inside another one: solid as a whole. All of the
    /// region's boundary is part of it, nothing of it is outside the region; it is not trimmed, so pieces of it are inside.
    pub fn mesh(&self) -> &Arc<Mesh> {
        &self.mesh
    }

    /// Whether a point is in the region; a point within rounding of the boundary may be called either.
    pub fn holds(&self, p: Vec3) -> bool {
        self.cells.iter().any(|cell| cell.holds(p, 0.0))
    }
}

impl Scene {
    /// What a part itself sweeps, with a surface no more than `2 * error` metres outside of it. Parts are named as in
    /// [`Scene::part_names`]; links as `robot/link`.
    ///
    /// # Errors
    /// A motion of another scene; no such part, or one that deforms; an error that is not positive, or so small that coordinates written as
    /// `f32` could not keep it or that it would take more than 65,536 cells.
    pub fn swept_solid(&self, motion: &Motion, part: &str, error: f64) -> Result<SweptSolid, Error> {
        self.own(motion)?;
        let found = self.rigid_part(part)?;
        if found.pieces.is_empty() {
            return Err(Error::invalid(format!("part '{part}'"), "it has no geometry to sweep"));
        }
        let origin = if found.frame == 0 { Vec3::ZERO } else { motion.origin };
        let refused = || {
            let reason =
                format!("{error} is not positive, or so small that '{part}' would take more than {MAX_CELLS} convex cells");
            Error::invalid("error of a swept solid", reason)
        };
        let (mut cells, mut surface) = (Vec::new(), Surface::default());
        for piece in &found.pieces {
            let body = CarriedBody { chain: &motion.chain, frame: found.frame, placement: &piece.placement, origin };
            for lump in lumps(&piece.shape, error).ok_or_else(refused)? {
                let first = cells.len();
                body.sweep(&lump, error, &mut cells).ok_or_else(refused)?;
                append(&mut surface, &cells[first..]);
            }
        }
        let mesh = Arc::new(Mesh::new(surface.vertices, surface.triangles)?);
        Ok(SweptSolid { cells, mesh })
    }
}

/// The surfaces of cells that follow each other, each closed and with vertices of its own, without cells that lie wholly inside a neighbour.
fn append(out: &mut Surface, cells: &[Cell]) {
    for (i, cell) in cells.iter().enumerate() {
        let near = i.saturating_sub(NEIGHBOURS)..(i + NEIGHBOURS + 1).min(cells.len());
        let vertices = cell.hull.vertices();
        // A cell is convex: it is where its vertices are. Being well inside is a strict order, so the outermost stays.
        let holds = |other: &Cell| vertices.iter().all(|&v| other.holds(v, other.margin()));
        if !near.into_iter().any(|k| k != i && holds(&cells[k])) {
            let fans = cell.hull.faces().flat_map(|face| (1..face.len() - 1).map(|k| [face[0], face[k], face[k + 1]]));
            out.append(vertices, fans);
        }
    }
}
