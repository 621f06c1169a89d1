//! A cache with one mesh per file and scale.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use impinge::geometry::Mesh;
use impinge::math::Vec3;

use super::{UpAxis, load_mesh_as};
use crate::error::Result;
use crate::warning::Warning;

/// Loaded meshes, by canonical path and the bits of the scale. Only used for lookup, never iterated: its order has no effect.
pub(crate) struct MeshCache {
    up: UpAxis,
    meshes: HashMap<(PathBuf, [u64; 3]), Arc<Mesh>>,
}

impl MeshCache {
    /// Returns an empty cache for meshes that are read with this rule for up axes.
    pub(crate) fn new(up: UpAxis) -> Self {
        MeshCache { up, meshes: HashMap::new() }
    }

    /// Returns the mesh in a file, at a scale; its warnings are reported only the first time.
    pub(crate) fn load(&mut self, path: &Path, scale: Vec3, warnings: &mut Vec<Warning>) -> Result<Arc<Mesh>> {
        let key = (path.to_path_buf(), scale.to_array().map(f64::to_bits));
        if let Some(mesh) = self.meshes.get(&key) {
            return Ok(Arc::clone(mesh));
        }
        let loaded = load_mesh_as(path, scale, self.up)?;
        warnings.extend(loaded.warnings);
        let mesh = Arc::new(loaded.value);
        self.meshes.insert(key, Arc::clone(&mesh));
        Ok(mesh)
    }
}
