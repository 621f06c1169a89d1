//! Shapes and files of a case: as in [`crate::scene::native`], looked for from the case's folder.

use std::path::{Path, PathBuf};

use impinge::math::{Pose, Vec3};
use impinge::shape::{Primitive, Shape};

use crate::error::{IoError, Result};
use crate::json::Item;
use crate::mesh::{MeshCache, UpAxis};
use crate::resolve::Resolver;
use crate::shapes::{inline_mesh, warn_zero_size};
use crate::urdf::UrdfOptions;
use crate::warning::Warning;

/// Reads shapes and finds files.
pub(super) struct Reader<'a> {
    /// The case's file.
    pub path: &'a Path,
    pub options: &'a UrdfOptions,
    /// Made when the first file is met.
    resolver: Option<Resolver>,
    meshes: MeshCache,
    pub warnings: Vec<Warning>,
}

impl<'a> Reader<'a> {
    pub fn new(path: &'a Path, options: &'a UrdfOptions) -> Self {
        let meshes = MeshCache::new(options.up_axis.unwrap_or(UpAxis::TurnToZ));
        Reader { path, options, resolver: None, meshes, warnings: Vec::new() }
    }

    /// The file that a value names.
    pub fn file(&mut self, item: &Item<'_>) -> Result<PathBuf> {
        let resolver = match self.resolver.take() {
            Some(resolver) => resolver,
            None => self.options.resolver(self.path)?,
        };
        self.resolver.insert(resolver).resolve(item.text()?, item.trail(), &item.place())
    }

    pub fn shape(&mut self, item: &Item<'_>) -> Result<Shape> {
        let number = |key: &str| item.need(key)?.number();
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
            "box" => Primitive::cuboid(Vec3::from(item.need("size")?.numbers::<3>()?)),
            "sphere" => Primitive::sphere(number("radius")?),
            "cylinder" => Primitive::cylinder(number("radius")?, number("length")?),
            _ => Primitive::capsule(number("radius")?, number("length")?),
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

/// A pose whose position stands under the key `position`: with `quat_wxyz` or `rpy`, or neither.
pub(super) fn pose(item: &Item<'_>, position: &str) -> Result<Pose> {
    item.only(&[position, "quat_wxyz", "rpy"])?;
    let vector = |key: &str| item.get(key).map_or(Ok([0.0; 3]), |v| v.numbers::<3>()).map(Vec3::from);
    let translation = vector(position)?;
    let pose = match (item.get("quat_wxyz"), item.get("rpy")) {
        (Some(_), Some(_)) => return Err(item.bad("has both quat_wxyz and rpy", "keep one")),
        (Some(quaternion), None) => Pose::from_quaternion(translation, quaternion.numbers::<4>()?),
        (None, _) => Pose::from_rpy(translation, vector("rpy")?),
    };
    pose.map_err(|source| item.model(source))
}
