//! glTF 2.0, as JSON with its buffers (`.gltf`) or in one file (`.glb`): the triangles of the scene, in metres.
//!
//! ```text
//! Z up ◄─ node ◄─ node ◄─ … ◄─ mesh ◄─ primitives (triangles, strips, fans) ◄─ accessors ◄─ buffers (embedded, base64, files)
//! ```
//!
//! Corners at the same position become one vertex, because exporters split vertices where normals or textures change. Materials,
//! images, cameras and lights are ignored.
//! glTF has Y up. With [`UpAxis::TurnToZ`] the scene is rotated so that Y becomes Z; with [`UpAxis::AsStored`], the default for
//! URDF models, the coordinates are used as stored, as in assimp (and thus pinocchio, coal, MoveIt) and Gazebo. rviz (since
//! 2025), Drake and Genesis rotate them, so the warning `up-axis` reports the choice.
//! Refused: glTF 1, required extensions that are not supported (Draco and meshopt compression among them), skinned meshes, morph
//! targets with a weight, GPU instances, a node with two parents, buffers from the network or outside the folder, accessors
//! beyond the end of their buffers.
//! Warnings with counts: points and lines, which have no surface; morph targets without weight; skins that no mesh of the scene
//! uses; animations.

mod accessor;
mod buffers;
mod walk;

use std::path::Path;

use impinge::math::{Mat3, Vec3};
use serde_json::Value;

use self::buffers::Buffers;
use super::affine::Affine;
use super::{Soup, UpAxis};
use crate::error::{IoError, Place, Result, shorten};
use crate::json::{self, Item};
use crate::read;
use crate::warning::Warning;

const MAGIC: &[u8; 4] = b"glTF";
const JSON_CHUNK: u32 = 0x4E4F_534A;
const BINARY_CHUNK: u32 = 0x004E_4942;

/// Extensions that do not affect positions of triangles, by the beginning of their names.
const HARMLESS: [&str; 10] = [
    "KHR_materials_",
    "KHR_texture_",
    "EXT_texture_",
    "MSFT_texture_",
    "KHR_lights_",
    "EXT_lights_",
    "KHR_animation_",
    "KHR_xmp",
    "KHR_mesh_quantization",
    "KHR_node_hoverability",
];

/// Parses the bytes of a `.gltf` or `.glb` file; buffers in separate files are resolved from the folder of `path`.
///
/// # Errors
/// See the list in the module documentation.
pub fn parse(bytes: &[u8], path: &Path, up: UpAxis) -> Result<Soup> {
    let at = Place::file(path);
    let (text, binary) = if bytes.starts_with(MAGIC) { container(bytes, &at)? } else { (bytes, None) };
    if text.len() as u64 > read::MAX_TREE_FILE {
        return Err(IoError::TooLarge { at, what: "the JSON has too many bytes".into(), limit: read::MAX_TREE_FILE });
    }
    let value: Value = json::parse(text, &at)?;
    let root = Item::root(&value, &at);
    check_version(&root)?;
    check_extensions(&root)?;
    let (turned, done) = match up {
        UpAxis::TurnToZ => {
            (Mat3::from_rows([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]]), "the mesh was rotated so that Z is up")
        }
        UpAxis::AsStored => {
            (Mat3::IDENTITY, "the coordinates were used as stored, as in assimp and Gazebo; rviz and Drake rotate them")
        }
    };
    let outer = Affine::new(turned, Vec3::ZERO);
    let mut soup = walk::scene(&root, Buffers::new(&root, binary, text.len(), path), outer, path)?;
    soup.warnings.insert(0, Warning::new(at.clone(), "up-axis", format!("glTF has Y up; {done}")));
    Ok(soup)
}

/// Returns the JSON and the binary chunk of a `.glb` file.
fn container<'a>(bytes: &'a [u8], at: &Place) -> Result<(&'a [u8], Option<&'a [u8]>)> {
    let truncated = |what: &str| IoError::Truncated { at: at.clone(), what: what.into() };
    let number = |from: usize| bytes.get(from..from + 4).and_then(|b| b.try_into().ok()).map(u32::from_le_bytes);
    let version = number(4).ok_or_else(|| truncated("the header is not complete"))?;
    if version != 2 {
        return Err(unsupported(at, format!("glTF version {version}"), "export it as glTF 2.0"));
    }
    let announced = number(8).ok_or_else(|| truncated("the header is not complete"))? as usize;
    if announced > bytes.len() {
        return Err(truncated(&format!("the header announces {announced} bytes, but the file has {}", bytes.len())));
    }
    let (mut text, mut binary, mut position) = (None, None, 12);
    while let (Some(length), Some(kind)) = (number(position), number(position + 4)) {
        let chunk = bytes[position + 8..].get(..length as usize).ok_or_else(|| truncated("a chunk is not complete"))?;
        match kind {
            JSON_CHUNK => _ = text.get_or_insert(chunk),
            BINARY_CHUNK => _ = binary.get_or_insert(chunk),
            _ => {}
        }
        position += 8 + chunk.len();
    }
    Ok((text.ok_or_else(|| truncated("the JSON chunk is missing"))?, binary))
}

fn check_version(root: &Item<'_>) -> Result<()> {
    let version = root.need("asset")?.need("version")?;
    if version.text()?.starts_with("2.") {
        return Ok(());
    }
    Err(unsupported(&root.place(), format!("glTF version '{}'", shorten(version.text()?)), "export it as glTF 2.0"))
}

/// Refuses unknown required extensions: they could add geometry.
fn check_extensions(root: &Item<'_>) -> Result<()> {
    for item in root.get("extensionsRequired").map_or(Ok(Vec::new()), |e| e.items())? {
        let name = item.text()?;
        if HARMLESS.iter().any(|known| name.starts_with(known)) {
            continue;
        }
        let compressed = name.contains("draco") || name.contains("meshopt");
        let remedy = if compressed { "export it without compression" } else { "export it without this extension" };
        return Err(unsupported(
            &root.place(),
            format!("the glTF extension '{}', which the file requires,", shorten(name)),
            remedy,
        ));
    }
    Ok(())
}

fn unsupported(at: &Place, what: String, remedy: &str) -> IoError {
    IoError::UnsupportedFormat { at: at.clone(), what, remedy: remedy.into() }
}

/// Returns the whole number under a key, if it exists.
fn whole(item: &Item<'_>, key: &str) -> Result<Option<usize>> {
    let Some(number) = item.get(key) else { return Ok(None) };
    let found = number.value().as_u64().and_then(|n| usize::try_from(n).ok());
    found.map(Some).ok_or_else(|| number.bad("is not a whole number of at least 0", "export the file again"))
}

/// Returns an entry of one of the file's lists.
fn entry<'a>(root: &Item<'a>, list: &str, index: usize, user: &Item<'_>) -> Result<Item<'a>> {
    let items = root.get(list);
    let values = items.as_ref().map_or(Ok(&[][..]), |i| i.array())?;
    match (&items, values.get(index)) {
        (Some(items), Some(value)) => Ok(items.entry(value, index)),
        _ => Err(IoError::BadIndex {
            at: root.place(),
            what: format!("{}: {list}", user.trail()),
            index: i64::try_from(index).unwrap_or(i64::MAX),
            count: values.len(),
        }),
    }
}

#[cfg(test)]
mod tests;
