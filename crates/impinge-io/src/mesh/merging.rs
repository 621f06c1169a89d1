//! Merges equal positions into one vertex: formats repeat corners for every face, or where normals and textures change.

use std::collections::HashMap;
use std::path::Path;

use impinge::math::Vec3;
use impinge::math::rounding::U;

use super::affine::Affine;
use super::{Soup, index, reach};
use crate::error::Result;
use crate::warning::Warning;

/// A soup under construction in which equal positions share a vertex.
#[derive(Default)]
pub(super) struct Merging {
    pub vertices: Vec<Vec3>,
    pub triangles: Vec<[u32; 3]>,
    /// See [`Soup::error`].
    error: f64,
    pub warnings: Vec<Warning>,
    /// Only used for lookup: its order has no effect.
    known: HashMap<[u64; 3], u32>,
}

impl Merging {
    /// Returns the index of the vertex at this position.
    pub fn vertex(&mut self, v: Vec3, path: &Path) -> Result<u32> {
        // Adding zero maps -0 and +0 to the same key.
        let key = v.to_array().map(|c| (c + 0.0).to_bits());
        if let Some(&known) = self.known.get(&key) {
            return Ok(known);
        }
        let new = index(self.vertices.len(), path)?;
        self.known.insert(key, new);
        self.vertices.push(v);
        Ok(new)
    }

    /// Adds the error of vertices that a transform will place. A value that is not an `f32` was a divided integer, which rounds
    /// once.
    pub fn note_error(&mut self, placed: &Affine, vertices: &[Vec3]) {
        let reach = reach(vertices);
        let divided = vertices.iter().flat_map(|v| v.to_array()).any(|c| f64::from(c as f32) != c);
        let own = if divided { 2.0 * U * reach } else { 0.0 };
        let error = placed.error_at(reach) + placed.linear.columns.iter().map(|c| c.norm()).sum::<f64>() * own;
        self.error = self.error.max(error);
    }

    pub fn into_soup(self) -> Soup {
        Soup { vertices: self.vertices, triangles: self.triangles, error: self.error, warnings: self.warnings }
    }
}
