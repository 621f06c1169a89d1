//! A body of `impinge distance`: a mesh from a file, or a primitive.

use std::path::Path;

use anyhow::{Result, bail};
use impinge::geometry::{Primitive, Shape};
use impinge::math::Vec3;
use impinge::query::distance::HullTree;
use impinge_io::Loaded;
use impinge_io::quantity::length;

use crate::job::stem;
use crate::movers::read_mesh;
use crate::warn;

pub struct Body {
    pub name: String,
    pub shape: Shape,
    pub tree: HullTree,
}

impl Body {
    /// Loads a file, or parses a primitive such as `sphere:0.5`.
    pub fn load(path: &Path) -> Result<Self> {
        let word = path.to_string_lossy();
        if !path.exists()
            && let Some((kind, sizes)) = word.split_once(':')
        {
            let primitive = primitive(kind, sizes)?;
            return Ok(Body { name: kind.to_owned(), tree: HullTree::of_primitive(&primitive)?, shape: primitive.into() });
        }
        let Loaded { value, warnings } = read_mesh(path)?;
        warn::print(&warnings);
        Ok(Body { name: stem(path), tree: HullTree::new(&value), shape: value.into() })
    }
}

/// Tests whether a file is a robot rather than a mesh.
pub fn is_robot(path: &Path) -> bool {
    path.extension().is_some_and(|e| ["urdf", "xml", "bvh"].iter().any(|robot| e.eq_ignore_ascii_case(robot)))
}

fn primitive(kind: &str, sizes: &str) -> Result<Primitive> {
    let given = sizes.split(',').map(length).collect::<Result<Vec<_>, _>>().map_err(anyhow::Error::msg)?;
    Ok(match (kind, &given[..]) {
        ("box", &[x, y, z]) => Primitive::cuboid(Vec3::new(x, y, z))?,
        ("sphere", &[r]) => Primitive::sphere(r)?,
        ("cylinder", &[r, l]) => Primitive::cylinder(r, l)?,
        ("capsule", &[r, l]) => Primitive::capsule(r, l)?,
        _ => bail!("'{kind}:{sizes}' is not a body; write box:X,Y,Z, sphere:R, cylinder:R,L, capsule:R,L or a mesh's file"),
    })
}
