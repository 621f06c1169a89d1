//! Meshes from files: selects the format by extension, applies the scale, reports irregularities.
//!
//! ```text
//! bytes ──parser──► Soup (as the file has it) ──finish──► Mesh (scaled, checked by the core) + warnings
//! ```
//!
//! Degenerate triangles are kept: they are points and segments that can touch. A negative scale mirrors the mesh; its winding is
//! reversed so that outside remains outside. Refused: unknown formats, meshes without triangles, scales with a zero, numbers that
//! are not finite, indices out of range, files beyond 2 GiB. References are resolved in [`crate::resolve`].

mod affine;
mod cache;
pub mod dae;
pub mod gltf;
mod merging;
pub mod obj;
pub mod off;
pub mod ply;
mod polygon;
pub mod stl;
pub mod write;

use std::path::Path;

use impinge::geometry::Mesh;
use impinge::math::Vec3;
use impinge::math::rounding::U;

pub(crate) use cache::MeshCache;

use crate::error::{IoError, Place, Result};
use crate::read;
use crate::warning::{Loaded, Warning};

/// Vertices and triangles as in a file, before scaling and before validation by the library.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Soup {
    /// Coordinates; finite, and in metres where the format has units.
    pub vertices: Vec<Vec3>,
    /// Triples of vertex indices, all in range.
    pub triangles: Vec<[u32; 3]>,
    /// Upper bound of the distance of a vertex from the one described by the file: nodes move and rotate geometry, which rounds.
    pub error: f64,
    /// Warnings of the loader.
    pub warnings: Vec<Warning>,
}

/// Returns the largest distance of a vertex from the origin.
fn reach(vertices: &[Vec3]) -> f64 {
    vertices.iter().fold(0.0, |reach, v| v.norm().max(reach))
}

/// Treatment of COLLADA files whose `up_axis` is not Z, and of glTF files, which have Y up.
///
/// In COLLADA the axis is part of the coordinates. The tools that display and check URDF models (rviz, Gazebo, MoveIt's
/// geometric_shapes, Tesseract, coal) all undo assimp's axis conversion and use the coordinates as stored, so this is how a URDF
/// author sees the mesh. For glTF they differ: see [`gltf`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UpAxis {
    /// Rotate the mesh so that its up axis becomes Z.
    TurnToZ,
    /// Use the coordinates as stored.
    AsStored,
}

/// A supported mesh format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Stereolithography, binary or ASCII.
    Stl,
    /// Wavefront.
    Obj,
    /// COLLADA.
    Dae,
    /// Stanford polygon file, ASCII or binary.
    Ply,
    /// Object file format, ASCII.
    Off,
    /// glTF 2.0, as JSON or in one binary file (GLB).
    Gltf,
}

impl Format {
    /// Returns the format of a path's extension, ignoring case.
    pub fn of(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "stl" => Some(Format::Stl),
            "obj" => Some(Format::Obj),
            "dae" => Some(Format::Dae),
            "ply" => Some(Format::Ply),
            "off" => Some(Format::Off),
            "gltf" | "glb" => Some(Format::Gltf),
            _ => None,
        }
    }
}

/// Loads a mesh file; its coordinates are multiplied by `scale`. COLLADA and glTF files are rotated to Z up, see [`UpAxis`].
///
/// # Errors
/// See the list in the module documentation.
pub fn load_mesh(path: impl AsRef<Path>, scale: Vec3) -> Result<Loaded<Mesh>> {
    load_mesh_as(path.as_ref(), scale, UpAxis::TurnToZ)
}

/// Loads a mesh file with a choice of the up axis of COLLADA and glTF files.
///
/// # Errors
/// See the list in the module documentation.
pub fn load_mesh_as(path: &Path, scale: Vec3, up: UpAxis) -> Result<Loaded<Mesh>> {
    let format = Format::of(path).ok_or_else(|| IoError::UnsupportedFormat {
        at: Place::file(path),
        what: format!("the mesh format '{}'", path.extension().map_or("".into(), |e| e.to_string_lossy())),
        remedy: "convert it to stl, obj, dae, ply, off, gltf or glb".into(),
    })?;
    let limit = if format == Format::Dae { read::MAX_TREE_FILE } else { read::MAX_FILE };
    let soup = parse(format, &read::bytes(path, limit)?, path, up)?;
    finish(soup, scale, path)
}

/// Parses bytes of a given format; `path` is named in messages, and buffers of glTF files are resolved from its folder. Never
/// panics, for any bytes.
///
/// # Errors
/// As [`load_mesh`], except errors of files and scales.
pub fn parse(format: Format, bytes: &[u8], path: &Path, up: UpAxis) -> Result<Soup> {
    match format {
        Format::Stl => stl::parse(bytes, path),
        Format::Obj => obj::parse(bytes, path),
        Format::Dae => dae::parse(bytes, path, up),
        Format::Ply => ply::parse(bytes, path),
        Format::Off => off::parse(bytes, path),
        Format::Gltf => gltf::parse(bytes, path, up),
    }
}

/// Scales a soup and validates it.
///
/// # Errors
/// If there is no triangle, the scale has a zero or is not finite, or a coordinate is beyond the library's range.
pub fn finish(soup: Soup, scale: Vec3, path: &Path) -> Result<Loaded<Mesh>> {
    let Soup { mut vertices, mut triangles, mut error, mut warnings } = soup;
    let at = || Place::file(path);
    if triangles.is_empty() {
        return Err(IoError::BadFormat { at: at(), what: "the mesh has no triangles".into(), remedy: "export a surface".into() });
    }
    let mirrored =
        mirrors(scale).map_err(|what| IoError::BadElement { at: at(), what, remedy: "give three finite factors".into() })?;
    if scale != Vec3::splat(1.0) {
        vertices.iter_mut().for_each(|v| *v = Vec3::new(v.x * scale.x, v.y * scale.y, v.z * scale.z));
        error *= scale.max_abs();
        // A product with a power of two is exact; other products round by u in each coordinate.
        if !scale.to_array().iter().all(|&s| is_power_of_two(s)) {
            error += 2.0 * U * reach(&vertices);
        }
    }
    if mirrored {
        flip(&mut triangles);
        warnings.push(Warning::new(at(), "mirrored-mesh", "the scale mirrors the mesh; its winding was corrected"));
    }
    let mesh = Mesh::new(vertices, triangles).and_then(|mesh| mesh.within(error));
    let mesh = mesh.map_err(|source| IoError::model(at(), "mesh", source))?;
    let degenerate = mesh.degenerate_triangles();
    if degenerate > 0 {
        let message =
            format!("{degenerate} of {} triangles have no area; they are kept as points and segments", mesh.triangles().len());
        warnings.push(Warning::new(at(), "degenerate-triangles", message));
    }
    Ok(Loaded { value: mesh, warnings })
}

/// Tests whether a factor is a power of two, of either sign.
fn is_power_of_two(factor: f64) -> bool {
    factor.is_normal() && factor.to_bits() & ((1 << 52) - 1) == 0
}

/// Tests whether a scale reverses orientation.
fn mirrors(scale: Vec3) -> std::result::Result<bool, String> {
    if !scale.is_finite() || scale.to_array().contains(&0.0) {
        return Err(format!("the scale ({}, {}, {}) has a factor that is zero or not finite", scale.x, scale.y, scale.z));
    }
    Ok(scale.to_array().iter().filter(|&&s| s < 0.0).count() % 2 == 1)
}

/// Reverses every triangle.
fn flip(triangles: &mut [[u32; 3]]) {
    triangles.iter_mut().for_each(|t| t.swap(1, 2));
}

/// Returns a vertex index, if `count` vertices can be numbered in 32 bits.
fn index(count: usize, path: &Path) -> Result<u32> {
    u32::try_from(count).map_err(|_| IoError::TooLarge {
        at: Place::file(path),
        what: "the mesh has too many vertices".into(),
        limit: u64::from(u32::MAX),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn corner() -> Soup {
        let vertices = vec![Vec3::ZERO, Vec3::unit(0), Vec3::unit(1), Vec3::unit(2)];
        Soup { vertices, triangles: vec![[0, 1, 2], [0, 1, 1]], ..Soup::default() }
    }

    #[test]
    fn mirroring_corrects_the_winding_with_a_warning() {
        let path = Path::new("m.stl");
        let loaded = finish(corner(), Vec3::new(-2.0, 1.0, 1.0), path).expect("a mesh");
        assert_eq!(loaded.value.vertices()[1], Vec3::new(-2.0, 0.0, 0.0));
        assert_eq!(loaded.value.triangles()[0], [0, 2, 1]);
        assert!(loaded.warns("mirrored-mesh") && loaded.warns("degenerate-triangles"));
        let twice = finish(corner(), Vec3::new(-1.0, -1.0, 1.0), path).expect("a mesh");
        assert!(!twice.warns("mirrored-mesh") && twice.value.triangles()[0] == [0, 1, 2]);
    }

    #[test]
    fn bad_scales_empty_meshes_and_unknown_formats_are_refused() {
        let path = Path::new("m.stl");
        assert!(matches!(finish(corner(), Vec3::new(0.0, 1.0, 1.0), path), Err(IoError::BadElement { .. })));
        assert!(matches!(finish(corner(), Vec3::splat(f64::NAN), path), Err(IoError::BadElement { .. })));
        assert!(matches!(finish(corner(), Vec3::splat(1e300), path), Err(IoError::Model { .. })));
        assert!(matches!(finish(Soup::default(), Vec3::splat(1.0), path), Err(IoError::BadFormat { .. })));
        for name in ["x.zae", "x.step", "x", ".stl"] {
            assert!(matches!(load_mesh(name, Vec3::splat(1.0)), Err(IoError::UnsupportedFormat { .. })), "{name}");
        }
        assert!(matches!(load_mesh("no such.STL", Vec3::splat(1.0)), Err(IoError::Read { .. })));
    }
}
