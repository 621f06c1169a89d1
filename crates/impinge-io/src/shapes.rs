//! Shapes in JSON scenes and cases: primitives, inline meshes, mesh files.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use impinge::geometry::{Mesh, Primitive, Shape};
use impinge::math::Vec3;
use serde_json::Value;

use crate::error::{IoError, Result};
use crate::json::{self, Item};
use crate::mesh::{self, MeshCache, Soup, UpAxis};
use crate::quantity::Dimension;
use crate::resolve::Resolver;
use crate::urdf::UrdfOptions;
use crate::warning::Warning;

/// Reads shapes and resolves the files they name, from the folder of their file.
pub(crate) struct ShapeReader<'a> {
    pub path: &'a Path,
    pub options: &'a UrdfOptions,
    /// Created for the first file.
    resolver: Option<Resolver>,
    meshes: MeshCache,
    pub warnings: Vec<Warning>,
}

impl<'a> ShapeReader<'a> {
    pub fn new(path: &'a Path, options: &'a UrdfOptions) -> Self {
        let meshes = MeshCache::new(options.up_axis.unwrap_or(UpAxis::TurnToZ));
        ShapeReader { path, options, resolver: None, meshes, warnings: Vec::new() }
    }

    /// Returns the file that a value names.
    pub fn file(&mut self, item: &Item<'_>) -> Result<PathBuf> {
        let resolver = match self.resolver.take() {
            Some(resolver) => resolver,
            None => self.options.resolver(self.path)?,
        };
        self.resolver.insert(resolver).resolve(item.text()?, item.trail(), &item.place())
    }

    pub fn shape(&mut self, item: &Item<'_>) -> Result<Shape> {
        let length = |key: &str| item.need(key)?.quantity(Dimension::Length);
        let kind = item.need("type")?;
        let keys: &[&str] = match kind.text()? {
            "mesh" => return self.mesh(item),
            "box" => &["type", "size"],
            "sphere" => &["type", "radius"],
            "cylinder" | "capsule" => &["type", "radius", "length"],
            other => return Err(kind.bad(format!("is '{other}'"), "use box, sphere, cylinder, capsule or mesh")),
        };
        item.only(keys)?;
        let primitive = match kind.text()? {
            "box" => Primitive::cuboid(Vec3::from(item.need("size")?.quantities::<3>(Dimension::Length)?)),
            "sphere" => Primitive::sphere(length("radius")?),
            "cylinder" => Primitive::cylinder(length("radius")?, length("length")?),
            _ => Primitive::capsule(length("radius")?, length("length")?),
        };
        let primitive = primitive.map_err(|source| item.model(source))?;
        warn_zero_size(&primitive, item, &mut self.warnings);
        Ok(primitive.into())
    }

    fn mesh(&mut self, item: &Item<'_>) -> Result<Shape> {
        let scale = item.get("scale").map_or(Ok(Vec3::splat(1.0)), |s| s.numbers::<3>().map(Vec3::from))?;
        let Some(file) = item.get("file") else {
            item.only(&["type", "vertices", "triangles", "scale"])?;
            return inline_mesh(item, scale, &mut self.warnings).map(Shape::from).map_err(|e| match e {
                IoError::Model { source, .. } => item.model(*source),
                other => other,
            });
        };
        item.only(&["type", "file", "scale"])?;
        let path = self.file(&file)?;
        self.meshes.load(&path, scale, &mut self.warnings).map(Shape::from)
    }
}

/// Tests whether a primitive has no extent in some direction. A capsule of length zero is a ball, which is valid.
pub(crate) fn has_zero_size(primitive: &Primitive) -> bool {
    match primitive {
        Primitive::Capsule { radius, .. } => *radius == 0.0,
        other => other.half_extent().to_array().contains(&0.0),
    }
}

/// Warns of a primitive of size zero.
pub(crate) fn warn_zero_size(primitive: &Primitive, item: &Item<'_>, warnings: &mut Vec<Warning>) {
    if has_zero_size(primitive) {
        warnings.push(Warning::new(item.place(), "zero-size", format!("{} has size zero; it is kept", item.trail())));
    }
}

/// Reads an inline mesh: vertices as `[x, y, z]` or `{"x", "y", "z"}`, triangles as `[i, j, k]` or `{"vertex_indices": [i, j,
/// k]}`.
pub(crate) fn inline_mesh(item: &Item<'_>, scale: Vec3, warnings: &mut Vec<Warning>) -> Result<Arc<Mesh>> {
    let vertices_item = item.need("vertices")?;
    let vertices: Result<Vec<Vec3>> = vertices_item
        .array()?
        .iter()
        .enumerate()
        .map(|(i, v)| plain_vertex(v).map_or_else(|| vector(&vertices_item.entry(v, i)), Ok))
        .collect();
    let vertices = vertices?;
    let triangles_item = item.need("triangles")?;
    let mut triangles = Vec::new();
    for (i, t) in triangles_item.array()?.iter().enumerate() {
        let corners = match plain_triangle(t, vertices.len()) {
            Some(corners) => corners,
            None => triangle(&triangles_item.entry(t, i), vertices.len())?,
        };
        triangles.push(corners);
    }
    if triangles.is_empty() {
        return Err(item.bad("has no triangles", "give a surface or remove the object"));
    }
    let path = item.place().path;
    let loaded = mesh::finish(Soup { vertices, triangles, ..Soup::default() }, scale, &path)?;
    warnings.extend(loaded.warnings.into_iter().map(|w| Warning { message: format!("{}: {}", item.trail(), w.message), ..w }));
    Ok(Arc::new(loaded.value))
}

/// Reads a vector as a list or with named coordinates.
pub(crate) fn vector(item: &Item<'_>) -> Result<Vec3> {
    if item.value().is_object() {
        return Ok(Vec3::new(item.need("x")?.number()?, item.need("y")?.number()?, item.need("z")?.number()?));
    }
    item.numbers::<3>().map(Vec3::from)
}

/// Reads the common form of a vertex, without building a path for messages.
fn plain_vertex(value: &Value) -> Option<Vec3> {
    match value.as_array()?.as_slice() {
        [x, y, z] => Some(Vec3::new(json::number(x).ok()?, json::number(y).ok()?, json::number(z).ok()?)),
        _ => None,
    }
}

/// Reads the common form of a triangle.
fn plain_triangle(value: &Value, vertices: usize) -> Option<[u32; 3]> {
    let corner = |v: &Value| v.as_u64().filter(|&k| k < vertices as u64).and_then(|k| u32::try_from(k).ok());
    match value.as_array()?.as_slice() {
        [a, b, c] => Some([corner(a)?, corner(b)?, corner(c)?]),
        _ => None,
    }
}

fn triangle(item: &Item<'_>, vertices: usize) -> Result<[u32; 3]> {
    let indices = item.get("vertex_indices").unwrap_or_else(|| item.clone());
    let mut corners = [0; 3];
    for (slot, written) in corners.iter_mut().zip(indices.numbers::<3>()?) {
        if written.fract() != 0.0 {
            return Err(item.bad(format!("has the corner {written}"), "number vertices from 0"));
        }
        if !(written >= 0.0 && written < vertices as f64) {
            return Err(IoError::BadIndex {
                at: item.place(),
                what: item.trail().into(),
                index: written as i64,
                count: vertices,
            });
        }
        *slot = written as u32;
    }
    Ok(corners)
}
