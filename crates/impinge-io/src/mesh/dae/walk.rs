//! Traverses the scene into one soup: every instance of every geometry, placed.

use std::collections::HashMap;

use roxmltree::{Node, NodeId};

use super::Ids;
use super::geometry::{self, Geometry};
use super::transform;
use crate::error::{IoError, Place, Result};
use crate::mesh::affine::Affine;
use crate::mesh::{Soup, index, reach};
use crate::warning::Warning;
use crate::xml::{Xml, children};

/// Maximum nesting depth of node instances; a cycle would not end.
const MAX_INSTANCE_DEPTH: usize = 64;
/// Maximum number of visited nodes: instancing each node twice at sixty levels would not end in useful time.
const MAX_VISITS: u64 = 1_000_000;
/// Maximum number of triangles, and of vertices, after instancing; about two gigabytes.
const MAX_TRIANGLES: u64 = 1 << 26;

/// Returns the soup of a visual scene.
pub(super) fn scene<'a, 'i>(xml: &'a Xml<'i>, ids: &'a Ids<'a, 'i>, scene: Node<'a, 'i>, outer: Affine) -> Result<Soup> {
    let mut walk = Walk::new(xml, ids);
    let mut stack: Vec<(Node<'a, 'i>, Affine, usize)> = Vec::new();
    push_reversed(&mut stack, children(scene, "node").map(|n| (n, outer, 0)));
    let mut visits = 0;
    while let Some((node, parent, depth)) = stack.pop() {
        visits += 1;
        if visits > MAX_VISITS {
            return Err(too_large(xml, node, "the scene instances too many nodes", MAX_VISITS));
        }
        let world_from_node = parent * transform::of_node(xml, node)?;
        let mut below = Vec::new();
        for element in node.children().filter(Node::is_element) {
            match element.tag_name().name() {
                "node" => below.push((element, world_from_node, depth)),
                "instance_geometry" => walk.place(ids.follow(xml, element, "geometry")?, world_from_node)?,
                "instance_node" if depth == MAX_INSTANCE_DEPTH => {
                    return Err(IoError::TooDeep {
                        at: xml.place(element),
                        what: "<instance_node>".into(),
                        limit: MAX_INSTANCE_DEPTH,
                    });
                }
                "instance_node" => below.push((ids.follow(xml, element, "node")?, world_from_node, depth + 1)),
                "instance_controller" => {
                    return Err(IoError::UnsupportedFormat {
                        at: xml.place(element),
                        what: "a skinned or morphed mesh (<instance_controller>)".into(),
                        remedy: "apply the skin and export plain geometry".into(),
                    });
                }
                _ => {}
            }
        }
        push_reversed(&mut stack, below.into_iter());
    }
    Ok(walk.finish())
}

/// Returns the soup of a file without a scene: every geometry once.
pub(super) fn all_geometries<'a, 'i>(xml: &'a Xml<'i>, ids: &'a Ids<'a, 'i>, outer: Affine) -> Result<Soup> {
    let mut walk = Walk::new(xml, ids);
    for geometry in children(xml.root(), "library_geometries").flat_map(|l| children(l, "geometry")) {
        walk.place(geometry, outer)?;
    }
    Ok(walk.finish())
}

/// Pushes items so that the first is popped first.
fn push_reversed<T>(stack: &mut Vec<T>, items: impl Iterator<Item = T>) {
    let begin = stack.len();
    stack.extend(items);
    stack[begin..].reverse();
}

struct Walk<'a, 'i> {
    xml: &'a Xml<'i>,
    ids: &'a Ids<'a, 'i>,
    /// Geometries read so far. Only used for lookup: its order has no effect.
    read: HashMap<NodeId, Geometry>,
    soup: Soup,
    mirrored: usize,
}

impl<'a, 'i> Walk<'a, 'i> {
    fn new(xml: &'a Xml<'i>, ids: &'a Ids<'a, 'i>) -> Self {
        Walk { xml, ids, read: HashMap::new(), soup: Soup::default(), mirrored: 0 }
    }

    /// Adds one instance of a geometry.
    fn place(&mut self, node: Node<'a, 'i>, world_from_geometry: Affine) -> Result<()> {
        if !self.read.contains_key(&node.id()) {
            let mut geometry = geometry::read(self.xml, node)?;
            self.soup.warnings.append(&mut geometry.warnings);
            self.read.insert(node.id(), geometry);
        }
        let geometry = &self.read[&node.id()];
        let after = |now: usize, more: usize| (now + more) as u64;
        let triangles = after(self.soup.triangles.len(), geometry.triangles.len());
        if triangles.max(after(self.soup.vertices.len(), geometry.vertices.len())) > MAX_TRIANGLES {
            return Err(too_large(self.xml, node, "the scene has too many triangles or vertices", MAX_TRIANGLES));
        }
        let first = index(self.soup.vertices.len(), self.xml.path())?;
        let mirrored = world_from_geometry.mirrors();
        self.mirrored += usize::from(mirrored);
        self.soup.error = self.soup.error.max(world_from_geometry.error_at(reach(&geometry.vertices)));
        self.soup.vertices.extend(geometry.vertices.iter().map(|&v| world_from_geometry.apply(v)));
        self.soup.triangles.extend(geometry.triangles.iter().map(|t| {
            let [a, b, c] = t.map(|i| i + first);
            if mirrored { [a, c, b] } else { [a, b, c] }
        }));
        Ok(())
    }

    fn finish(mut self) -> Soup {
        let at = || Place::file(self.xml.path());
        if self.mirrored > 0 {
            let message = format!("{} instances are mirrored by their nodes; their winding was corrected", self.mirrored);
            self.soup.warnings.push(Warning::new(at(), "mirrored-mesh", message));
        }
        let all = self.ids.elements.keys().filter(|(tag, _)| *tag == "geometry").count();
        if all > self.read.len() {
            let message = format!("{} of {all} geometries are not in the scene; ignored", all - self.read.len());
            self.soup.warnings.push(Warning::new(at(), "unused-geometry", message));
        }
        self.soup
    }
}

fn too_large(xml: &Xml<'_>, node: Node<'_, '_>, what: &str, limit: u64) -> IoError {
    IoError::TooLarge { at: xml.place(node), what: what.into(), limit }
}
