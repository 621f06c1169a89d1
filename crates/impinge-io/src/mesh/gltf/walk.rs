//! Traverses the scene into one soup: every mesh of every node, placed.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use impinge::math::rounding::U;
use impinge::math::{Mat3, Vec3};

use super::accessor::{Budget, indices, positions};
use super::buffers::Buffers;
use super::{entry, unsupported, whole};
use crate::error::{IoError, Place, Result};
use crate::json::Item;
use crate::mesh::Soup;
use crate::mesh::affine::Affine;
use crate::mesh::merging::Merging;
use crate::warning::Warning;

/// Maximum number of triangles, and of vertices, after meshes are placed.
const MAX_PLACED: usize = 1 << 26;
/// Maximum nesting depth of nodes.
const MAX_DEPTH: usize = 1024;
/// Maximum difference of a matrix's bottom row from 0 0 0 1, and of the square of a quaternion's length from 1: they are stored
/// in single precision.
const SLACK: f64 = 1e-3;

/// Returns the soup of the scene; without a scene, of all nodes; without nodes, of all meshes.
pub(super) fn scene<'a>(root: &'a Item<'a>, buffers: Buffers<'a>, outer: Affine, path: &'a Path) -> Result<Soup> {
    let mut walk = Walk {
        root,
        buffers,
        path,
        budget: Budget::default(),
        read: HashMap::new(),
        soup: Merging::default(),
        lines: 0,
        morphed: 0,
        mirrored: 0,
    };
    match roots(root)? {
        Some(nodes) => walk.nodes(nodes, outer)?,
        None => {
            for i in 0..count(root, "meshes")? {
                walk.place(i, outer, root)?;
            }
        }
    }
    walk.finish()
}

/// Returns the root nodes of the scene; `None` if the file has no nodes.
fn roots(root: &Item<'_>) -> Result<Option<Vec<usize>>> {
    let nodes = count(root, "nodes")?;
    let scene = whole(root, "scene")?.or((count(root, "scenes")? > 0).then_some(0));
    if let Some(scene) = scene {
        return children(&entry(root, "scenes", scene, root)?, "nodes").map(Some);
    }
    let mut below = HashSet::new();
    for i in 0..nodes {
        below.extend(children(&entry(root, "nodes", i, root)?, "children")?);
    }
    Ok((nodes > 0).then(|| (0..nodes).filter(|i| !below.contains(i)).collect()))
}

fn count(root: &Item<'_>, list: &str) -> Result<usize> {
    root.get(list).map_or(Ok(0), |l| l.array().map(<[_]>::len))
}

/// Reads a list of indices.
fn children(item: &Item<'_>, key: &str) -> Result<Vec<usize>> {
    let Some(list) = item.get(key) else { return Ok(Vec::new()) };
    let index = |i: &Item<'_>| {
        i.value().as_u64().and_then(|n| usize::try_from(n).ok()).ok_or_else(|| i.bad("is not an index", "export the file again"))
    };
    list.items()?.iter().map(index).collect()
}

/// The triangles of a mesh in its own frame.
struct Geometry {
    vertices: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
}

struct Walk<'a> {
    root: &'a Item<'a>,
    buffers: Buffers<'a>,
    path: &'a Path,
    budget: Budget,
    /// Meshes read so far. Only used for lookup: its order has no effect.
    read: HashMap<usize, Geometry>,
    soup: Merging,
    /// Number of primitives without a surface.
    lines: usize,
    /// Number of primitives with morph targets, none of which has a weight.
    morphed: usize,
    mirrored: usize,
}

impl Walk<'_> {
    /// Places all meshes at and below these nodes. Each node has one parent, so this ends.
    fn nodes(&mut self, roots: Vec<usize>, outer: Affine) -> Result<()> {
        let mut seen = HashSet::new();
        let mut stack: Vec<(usize, Affine, usize)> = roots.into_iter().rev().map(|n| (n, outer, 0)).collect();
        while let Some((index, parent, depth)) = stack.pop() {
            let node = entry(self.root, "nodes", index, self.root)?;
            if !seen.insert(index) {
                return Err(node.bad("has two parents, or is its own parent", "export the file again"));
            }
            if depth > MAX_DEPTH {
                return Err(IoError::TooDeep { at: self.root.place(), what: node.trail().into(), limit: MAX_DEPTH });
            }
            let placed = parent * transform(&node)?;
            if let Some(mesh) = whole(&node, "mesh")? {
                refuse_moved(&node)?;
                self.place(mesh, placed, &node)?;
            }
            stack.extend(children(&node, "children")?.into_iter().rev().map(|n| (n, placed, depth + 1)));
        }
        Ok(())
    }

    /// Adds one instance of a mesh.
    fn place(&mut self, mesh: usize, placed: Affine, user: &Item<'_>) -> Result<()> {
        if !self.read.contains_key(&mesh) {
            let geometry = self.mesh(&entry(self.root, "meshes", mesh, user)?)?;
            self.read.insert(mesh, geometry);
        }
        let geometry = &self.read[&mesh];
        let (triangles, vertices) = (&mut self.soup.triangles, self.soup.vertices.len());
        if triangles.len() + geometry.triangles.len() > MAX_PLACED || vertices + geometry.vertices.len() > MAX_PLACED {
            let what = format!("{}: too many triangles or vertices", user.trail());
            return Err(IoError::TooLarge { at: self.root.place(), what, limit: MAX_PLACED as u64 });
        }
        let mirrored = placed.mirrors();
        self.mirrored += usize::from(mirrored);
        self.soup.note_error(&placed, &geometry.vertices);
        let at = geometry.vertices.iter().map(|&v| self.soup.vertex(placed.apply(v), self.path)).collect::<Result<Vec<u32>>>()?;
        self.soup.triangles.extend(geometry.triangles.iter().map(|t| {
            let [a, b, c] = t.map(|i| at[i as usize]);
            if mirrored { [a, c, b] } else { [a, b, c] }
        }));
        Ok(())
    }

    /// Reads the primitives of a mesh.
    fn mesh(&mut self, mesh: &Item<'_>) -> Result<Geometry> {
        refuse_weights(mesh)?;
        let mut geometry = Geometry { vertices: Vec::new(), triangles: Vec::new() };
        // Primitives may share their vertices. Only looked up: its order cannot matter.
        let mut known: HashMap<usize, (u32, usize)> = HashMap::new();
        for primitive in mesh.need("primitives")?.items()? {
            let mode = whole(&primitive, "mode")?.unwrap_or(4);
            if mode < 4 {
                self.lines += 1;
                continue;
            }
            self.morphed += usize::from(count(&primitive, "targets")? > 0);
            let attributes = primitive.need("attributes")?;
            let index = attributes.need("POSITION").and_then(|_| whole(&attributes, "POSITION"))?.unwrap_or(0);
            let (first, count) = match known.get(&index) {
                Some(&known) => known,
                None => {
                    let vertices =
                        positions(&entry(self.root, "accessors", index, &primitive)?, &self.buffers, &mut self.budget)?;
                    let found = (crate::mesh::index(geometry.vertices.len(), self.path)?, vertices.len());
                    geometry.vertices.extend(vertices);
                    known.insert(index, found);
                    found
                }
            };
            let corners = match whole(&primitive, "indices")? {
                Some(i) => indices(&entry(self.root, "accessors", i, &primitive)?, &self.buffers, count, &mut self.budget)?,
                None => (0..count as u32).collect(),
            };
            let triangles = triangles(&primitive, mode, &corners)?;
            geometry.triangles.extend(triangles.into_iter().map(|t| t.map(|i| i + first)));
        }
        Ok(geometry)
    }

    fn finish(self) -> Result<Soup> {
        let mut soup = self.soup.into_soup();
        let mut warn = |kind, message: String| soup.warnings.push(Warning::new(Place::file(self.path), kind, message));
        if self.lines > 0 {
            warn("ignored-elements", format!("{} primitives of points or lines have no surface; ignored", self.lines));
        }
        for (number, what) in [
            (self.morphed, "primitives have morph targets of weight 0; the targets were ignored"),
            (count(self.root, "skins")?, "skins move no mesh of the scene; ignored"),
            (count(self.root, "animations")?, "animations; ignored, nodes keep their static transforms"),
        ] {
            if number > 0 {
                warn("ignored-elements", format!("{number} {what}"));
            }
        }
        if self.mirrored > 0 {
            let message = format!("{} meshes are mirrored by their nodes; their winding was corrected", self.mirrored);
            warn("mirrored-mesh", message);
        }
        let all = count(self.root, "meshes")?;
        if all > self.read.len() {
            warn("unused-geometry", format!("{} of {all} meshes are not in the scene; ignored", all - self.read.len()));
        }
        Ok(soup)
    }
}

/// Returns the triangles of a list (mode 4), a strip (5) or a fan (6).
fn triangles(primitive: &Item<'_>, mode: usize, corners: &[u32]) -> Result<Vec<[u32; 3]>> {
    match mode {
        4 if !corners.len().is_multiple_of(3) => {
            let what = format!("{}: {} corners are not a multiple of 3", primitive.trail(), corners.len());
            Err(IoError::Truncated { at: primitive.place(), what })
        }
        4 => Ok(corners.chunks_exact(3).map(|t| [t[0], t[1], t[2]]).collect()),
        5 => Ok(corners
            .windows(3)
            .enumerate()
            .map(|(i, t)| if i % 2 == 0 { [t[0], t[1], t[2]] } else { [t[1], t[0], t[2]] })
            .collect()),
        6 => Ok(corners.windows(2).skip(1).map(|t| [corners[0], t[0], t[1]]).collect()),
        other => Err(primitive.bad(format!("has the mode {other}"), "export triangles")),
    }
}

/// Refuses features that move vertices in other ways than nodes do.
fn refuse_moved(node: &Item<'_>) -> Result<()> {
    if node.get("skin").is_some() {
        return Err(unsupported(
            &node.place(),
            format!("a skinned mesh ({})", node.trail()),
            "apply the skin and export plain geometry",
        ));
    }
    if node.get("extensions").is_some_and(|e| e.get("EXT_mesh_gpu_instancing").is_some()) {
        return Err(unsupported(
            &node.place(),
            format!("GPU instancing ({})", node.trail()),
            "export one node for each instance",
        ));
    }
    refuse_weights(node)
}

fn refuse_weights(item: &Item<'_>) -> Result<()> {
    let weights = item.get("weights").map_or(Ok(Vec::new()), |w| w.list())?;
    if weights.iter().any(|&w| w != 0.0) {
        return Err(unsupported(
            &item.place(),
            format!("a morphed mesh ({})", item.trail()),
            "apply the morph and export plain geometry",
        ));
    }
    Ok(())
}

/// Returns a node's matrix, column by column, or its translation, rotation and scale.
fn transform(node: &Item<'_>) -> Result<Affine> {
    if let Some(matrix) = node.get("matrix") {
        let m = matrix.numbers::<16>()?;
        if [m[3], m[7], m[11], m[15] - 1.0].iter().any(|x| x.abs() > SLACK) {
            return Err(matrix.bad("has a last row other than 0 0 0 1", "write the matrix column by column, without projection"));
        }
        let linear = Mat3::from_rows([[m[0], m[4], m[8]], [m[1], m[5], m[9]], [m[2], m[6], m[10]]]);
        return Ok(Affine::new(linear, Vec3::new(m[12], m[13], m[14])));
    }
    let vector = |key: &str, default: f64| node.get(key).map_or(Ok([default; 3]), |v| v.numbers::<3>());
    let (translation, scale) = (vector("translation", 0.0)?, vector("scale", 1.0)?);
    let turned = node.get("rotation").map_or(Ok(Mat3::IDENTITY), |q| rotation(&q))?;
    let columns = [0, 1, 2].map(|k| turned.columns[k] * scale[k]);
    // Entries of a rotation from a quaternion have an error of less than 12 u, products with the scale of u more.
    let exact = turned == Mat3::IDENTITY;
    let entry = if exact { 0.0 } else { 16.0 * U * Vec3::from(scale).max_abs() };
    Ok(Affine::computed(Mat3 { columns }, Vec3::from(translation), entry))
}

/// Returns the rotation of a quaternion x, y, z, w after normalisation.
fn rotation(item: &Item<'_>) -> Result<Mat3> {
    let [x, y, z, w] = item.numbers::<4>()?;
    let square = x * x + y * y + z * z + w * w;
    if !((square - 1.0).abs() <= SLACK) {
        return Err(item.bad("is not a unit quaternion", "normalise it"));
    }
    let s = 2.0 / square;
    Ok(Mat3::from_rows([
        [1.0 - s * (y * y + z * z), s * (x * y - z * w), s * (x * z + y * w)],
        [s * (x * y + z * w), 1.0 - s * (x * x + z * z), s * (y * z - x * w)],
        [s * (x * z - y * w), s * (y * z + x * w), 1.0 - s * (x * x + y * y)],
    ]))
}
