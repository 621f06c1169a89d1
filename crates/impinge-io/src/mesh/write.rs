//! Writes meshes: STL (binary, `f32`), OBJ (text, an object per mesh), PLY (binary, `f64`). The extension selects the format.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use impinge::geometry::Mesh;
use impinge::math::Vec3;

use super::Format;
use crate::error::{IoError, Place, Result};

/// Writes meshes with their names into one file, as `stl`, `obj` or `ply`. STL keeps no names.
///
/// # Errors
/// If the format cannot be written, there are more than 2^32 triangles or vertices, or the file cannot be written.
pub fn write_meshes(path: &Path, meshes: &[(&str, &Mesh)]) -> Result<()> {
    let many = |count: fn(&Mesh) -> usize| meshes.iter().map(|(_, m)| count(m) as u64).sum::<u64>() > u64::from(u32::MAX);
    if many(|m| m.triangles().len()) || many(|m| m.vertices().len()) {
        let what = "the meshes are too large for one file".into();
        return Err(IoError::TooLarge { at: Place::file(path), what, limit: u64::from(u32::MAX) });
    }
    let bytes = match writable(path)? {
        Format::Obj => obj(meshes).into_bytes(),
        Format::Ply => ply(meshes),
        _ => stl(meshes.iter().map(|(_, mesh)| *mesh)),
    };
    fs::write(path, bytes).map_err(|source| IoError::BadFormat {
        at: Place::file(path),
        what: format!("cannot write the file: {source}"),
        remedy: "choose a writable folder".into(),
    })
}

/// Returns the format of a path's extension, if it can be written, so that a mistake is found before the work.
///
/// # Errors
/// If it is not stl, obj or ply.
pub fn writable(path: &Path) -> Result<Format> {
    Format::of(path).filter(|f| matches!(f, Format::Stl | Format::Obj | Format::Ply)).ok_or_else(|| IoError::UnsupportedFormat {
        at: Place::file(path),
        what: "writing a mesh in this format".into(),
        remedy: "name a file that ends in .stl, .obj or .ply".into(),
    })
}

/// Returns binary STL: an empty header of 80 bytes, the count, then normal, corners and two zero bytes for each triangle.
pub(crate) fn stl<'a>(meshes: impl IntoIterator<Item = &'a Mesh> + Clone) -> Vec<u8> {
    let count: usize = meshes.clone().into_iter().map(|m| m.triangles().len()).sum();
    let mut bytes = vec![0; 80];
    bytes.extend((count as u32).to_le_bytes());
    for mesh in meshes {
        for i in 0..mesh.triangles().len() {
            let [a, b, c] = mesh.corners(i);
            let across = (b - a).cross(c - a);
            let length = across.norm();
            let normal = if length > 0.0 { across * (1.0 / length) } else { Vec3::ZERO };
            for v in [normal, a, b, c] {
                bytes.extend(v.to_array().iter().flat_map(|&c| (c as f32).to_le_bytes()));
            }
            bytes.extend([0, 0]);
        }
    }
    bytes
}

/// Rust prints the shortest digits that parse to the same number.
pub(crate) fn obj(meshes: &[(&str, &Mesh)]) -> String {
    let mut text = String::new();
    let mut first = 1;
    for (name, mesh) in meshes {
        let _ = writeln!(text, "o {}", one_line(name));
        for v in mesh.vertices() {
            let _ = writeln!(text, "v {} {} {}", v.x, v.y, v.z);
        }
        for t in mesh.triangles() {
            let [a, b, c] = t.map(|k| u64::from(k) + first);
            let _ = writeln!(text, "f {a} {b} {c}");
        }
        first += mesh.vertices().len() as u64;
    }
    text
}

/// Names are in comments, each with its number of faces.
fn ply(meshes: &[(&str, &Mesh)]) -> Vec<u8> {
    let total = |count: fn(&Mesh) -> usize| meshes.iter().map(|(_, m)| count(m)).sum::<usize>();
    let mut header = "ply\nformat binary_little_endian 1.0\n".to_owned();
    for (name, mesh) in meshes {
        let _ = writeln!(header, "comment {} faces of {}", mesh.triangles().len(), one_line(name));
    }
    let (vertices, faces) = (total(|m| m.vertices().len()), total(|m| m.triangles().len()));
    let _ = writeln!(header, "element vertex {vertices}\nproperty double x\nproperty double y\nproperty double z");
    let _ = writeln!(header, "element face {faces}\nproperty list uchar uint vertex_indices\nend_header");
    let mut bytes = header.into_bytes();
    for v in meshes.iter().flat_map(|(_, m)| m.vertices()) {
        bytes.extend(v.to_array().iter().flat_map(|c| c.to_le_bytes()));
    }
    let mut first = 0;
    for (_, mesh) in meshes {
        for t in mesh.triangles() {
            bytes.push(3);
            bytes.extend(t.iter().flat_map(|k| (k + first).to_le_bytes()));
        }
        first += mesh.vertices().len() as u32;
    }
    bytes
}

fn one_line(name: &str) -> String {
    name.chars().map(|c| if c.is_control() || c.is_whitespace() { '_' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::{UpAxis, parse};

    fn tetrahedron(at: f64) -> Mesh {
        let corner = |i: usize| Vec3::unit(i) + Vec3::splat(at);
        let vertices = vec![Vec3::splat(at), corner(0), corner(1), corner(2)];
        Mesh::new(vertices, vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]).expect("valid")
    }

    #[test]
    fn what_is_written_reads_back() {
        let (a, b) = (tetrahedron(0.1), tetrahedron(3.0));
        let meshes = [("arm/upper link", &a), ("arm/hand", &b)];
        let path = Path::new("m");
        for (format, bytes) in
            [(Format::Stl, stl([&a, &b])), (Format::Obj, obj(&meshes).into_bytes()), (Format::Ply, ply(&meshes))]
        {
            let soup = parse(format, &bytes, path, UpAxis::AsStored).expect("reads");
            assert!(soup.warnings.is_empty(), "{format:?}: {:?}", soup.warnings);
            assert_eq!(soup.triangles.len(), 8, "{format:?}");
            let exact = if format == Format::Stl { 1e-6 } else { 0.0 };
            for (i, t) in soup.triangles.iter().enumerate() {
                let want = if i < 4 { a.corners(i) } else { b.corners(i - 4) };
                for (k, corner) in t.iter().zip(want) {
                    assert!((soup.vertices[*k as usize] - corner).norm() <= exact, "{format:?}");
                }
            }
        }
        assert!(obj(&meshes).contains("o arm/upper_link\n"));
    }

    #[test]
    fn other_formats_are_refused() {
        for name in ["x.dae", "x.off", "x", "x.step"] {
            assert!(matches!(writable(Path::new(name)), Err(IoError::UnsupportedFormat { .. })), "{name}");
        }
        let mesh = tetrahedron(0.0);
        assert!(write_meshes(Path::new("no such folder/x.stl"), &[("a", &mesh)]).is_err());
    }
}
