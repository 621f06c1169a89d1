//! Shapes as JSON scenes write them: meshes inline, primitives checked for size zero.

use std::sync::Arc;

use impinge::math::Vec3;
use impinge::shape::{Mesh, Primitive};
use serde_json::Value;

use crate::error::{IoError, Result};
use crate::json::{self, Item};
use crate::mesh::{self, Soup};
use crate::warning::Warning;

/// Whether a primitive has no extent in some direction. A capsule of length zero is a ball and means it.
pub(crate) fn has_zero_size(primitive: &Primitive) -> bool {
    match primitive {
        Primitive::Capsule { radius, .. } => *radius == 0.0,
        other => other.half_extent().to_array().contains(&0.0),
    }
}

/// Tells of a primitive of size zero.
pub(crate) fn warn_zero_size(primitive: &Primitive, item: &Item<'_>, warnings: &mut Vec<Warning>) {
    if has_zero_size(primitive) {
        warnings.push(Warning::new(item.place(), "zero-size", format!("{} has size zero; it is kept as it is", item.trail())));
    }
}

/// A mesh written out: vertices as `[x, y, z]` or `{"x", "y", "z"}`, triangles as `[i, j, k]` or `{"vertex_indices": [i, j, k]}`.
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
        return Err(item.bad("has no triangles", "give a surface or leave the object out"));
    }
    let path = item.place().path;
    let loaded = mesh::finish(Soup { vertices, triangles, warnings: Vec::new() }, scale, &path)?;
    warnings.extend(loaded.warnings.into_iter().map(|w| Warning { message: format!("{}: {}", item.trail(), w.message), ..w }));
    Ok(Arc::new(loaded.value))
}

/// A vector as a list or with named coordinates.
pub(crate) fn vector(item: &Item<'_>) -> Result<Vec3> {
    if item.value().is_object() {
        return Ok(Vec3::new(item.need("x")?.number()?, item.need("y")?.number()?, item.need("z")?.number()?));
    }
    item.numbers::<3>().map(Vec3::from)
}

/// The common case of a vertex, without making up a trail.
fn plain_vertex(value: &Value) -> Option<Vec3> {
    match value.as_array()?.as_slice() {
        [x, y, z] => Some(Vec3::new(json::number(x).ok()?, json::number(y).ok()?, json::number(z).ok()?)),
        _ => None,
    }
}

/// The common case of a triangle.
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
        if !(written >= 0.0 && written < vertices as f64 && written.fract() == 0.0) {
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
