//! Reads one COLLADA `<geometry>`: positions from a strided array, corners from interleaved index lists.
//!
//! ```text
//! <p> n0 v0 t0  n1 v1 t1  … </p>     every input has an offset into the group; only VERTEX is read
//! ```

use impinge::math::Vec3;
use roxmltree::Node;

use crate::error::{IoError, Result, shorten};
use crate::mesh::polygon::Faces;
use crate::number;
use crate::warning::Warning;
use crate::xml::{self, Xml, children};

/// Maximum size of an index group. COLLADA meshes have a position, a normal and a few texture coordinates.
const MAX_OFFSET: usize = 255;

/// Vertices and triangles in the geometry's own frame and unit.
pub(super) struct Geometry {
    pub(super) vertices: Vec<Vec3>,
    pub(super) triangles: Vec<[u32; 3]>,
    pub(super) warnings: Vec<Warning>,
}

/// Reads a `<geometry>` element.
pub(super) fn read(xml: &Xml<'_>, geometry: Node<'_, '_>) -> Result<Geometry> {
    let user = format!("geometry '{}'", shorten(geometry.attribute("id").unwrap_or("")));
    let Some(mesh) = xml.only_child(geometry, "mesh", &user)? else {
        return Err(unsupported(xml, geometry, &format!("{user} without a <mesh>"), "export it as a mesh"));
    };
    let Some(vertices_node) = xml.only_child(mesh, "vertices", &user)? else {
        return Err(missing(xml, mesh, &user, "<vertices>"));
    };
    let mut reader = Reader { xml, user, vertices: Vec::new(), vertices_node, faces: Faces::default(), warnings: Vec::new() };
    reader.vertices = reader.positions(mesh)?;
    for element in mesh.children().filter(Node::is_element) {
        reader.primitive(element)?;
    }
    let (triangles, warnings) = reader.faces.triangulate(xml.path(), &reader.vertices)?;
    reader.warnings.extend(warnings);
    Ok(Geometry { vertices: reader.vertices, triangles, warnings: reader.warnings })
}

struct Reader<'a, 'i> {
    xml: &'a Xml<'i>,
    user: String,
    vertices: Vec<Vec3>,
    vertices_node: Node<'a, 'i>,
    faces: Faces,
    warnings: Vec<Warning>,
}

impl<'a, 'i> Reader<'a, 'i> {
    /// Returns the vertices of the mesh's POSITION input.
    fn positions(&self, mesh: Node<'a, 'i>) -> Result<Vec<Vec3>> {
        let (xml, user) = (self.xml, &self.user);
        let input = children(self.vertices_node, "input")
            .find(|i| i.attribute("semantic") == Some("POSITION"))
            .ok_or_else(|| missing(xml, self.vertices_node, user, "an input with semantic POSITION"))?;
        let id = xml.required(input, "source", user)?.trim_start_matches('#');
        let source = children(mesh, "source")
            .find(|s| s.attribute("id") == Some(id))
            .ok_or_else(|| missing(xml, input, user, &format!("source '{}'", shorten(id))))?;
        let array = xml.only_child(source, "float_array", user)?.ok_or_else(|| missing(xml, source, user, "<float_array>"))?;
        let accessor = xml
            .only_child(source, "technique_common", user)?
            .and_then(|t| children(t, "accessor").next())
            .ok_or_else(|| missing(xml, source, user, "<accessor>"))?;
        let floats = self.float_array(array)?;
        let count = self.whole(accessor, "count")?.unwrap_or(0);
        let stride = self.whole(accessor, "stride")?.unwrap_or(1);
        let offset = self.whole(accessor, "offset")?.unwrap_or(0);
        let axes = self.axes(accessor, stride)?;
        let end = count.checked_mul(stride).and_then(|n| n.checked_add(offset));
        if end.is_none_or(|end| end > floats.len()) {
            let what =
                format!("{user}: the accessor needs {count} vertices of {stride} numbers, but the array has {}", floats.len());
            return Err(IoError::Truncated { at: xml.place(accessor), what });
        }
        let vertex = |v: &[f64]| Vec3::new(v[axes[0]], v[axes[1]], v[axes[2]]);
        Ok(floats[offset..].chunks_exact(stride).take(count).map(vertex).collect())
    }

    fn float_array(&self, array: Node<'_, '_>) -> Result<Vec<f64>> {
        let text = xml::text(array);
        let context = || (self.xml.place(array), format!("{}: <float_array>", self.user));
        let floats: Result<Vec<f64>> = text.split_ascii_whitespace().map(|word| number::parse(word, context)).collect();
        let floats = floats?;
        match self.whole(array, "count")? {
            Some(announced) if announced > floats.len() => Err(IoError::Truncated {
                at: self.xml.place(array),
                what: format!("{}: the array announces {announced} numbers, but has {}", self.user, floats.len()),
            }),
            _ => Ok(floats),
        }
    }

    /// Returns the positions of x, y and z within a stride.
    fn axes(&self, accessor: Node<'_, '_>, stride: usize) -> Result<[usize; 3]> {
        let names: Vec<Option<&str>> = children(accessor, "param").map(|p| p.attribute("name")).collect();
        let named = ["X", "Y", "Z"].map(|axis| names.iter().position(|n| *n == Some(axis)));
        let axes = match named {
            [Some(x), Some(y), Some(z)] => [x, y, z],
            _ => [0, 1, 2],
        };
        if stride == 0 || axes.iter().any(|&a| a >= stride) {
            return Err(IoError::BadElement {
                at: self.xml.place(accessor),
                what: format!("{}: positions with a stride of {stride} have no x, y, z", self.user),
                remedy: "export three-dimensional positions".into(),
            });
        }
        Ok(axes)
    }

    /// Reads one child of the mesh: faces of some kind, or an element without faces.
    fn primitive(&mut self, element: Node<'a, 'i>) -> Result<()> {
        let tag = element.tag_name().name();
        match tag {
            "triangles" | "polylist" | "polygons" | "tristrips" | "trifans" => {}
            "lines" | "linestrips" => {
                let message = format!("{}: <{tag}> have no surface; ignored", self.user);
                self.warnings.push(Warning::new(self.xml.place(element), "ignored-elements", message));
                return Ok(());
            }
            "source" | "vertices" | "extra" => return Ok(()),
            _ => return Err(unsupported(self.xml, element, &format!("<{tag}> in {}", self.user), "export triangles")),
        }
        if let Some(hole) = children(element, "ph").next() {
            return Err(unsupported(
                self.xml,
                hole,
                &format!("a face with holes in {}", self.user),
                "triangulate when exporting",
            ));
        }
        let layout = self.layout(element)?;
        let lists: Result<Vec<Vec<u32>>> = children(element, "p").map(|p| self.corners(p, layout)).collect();
        let line = self.xml.place(element).line.unwrap_or(0);
        let before = self.faces.len();
        let found = match tag {
            "triangles" => self.push_triangles(element, &lists?.concat(), line)?,
            "polylist" => self.push_polylist(element, &lists?.concat(), line)?,
            "polygons" => self.push_each(lists?, line, |corners, faces, line| faces.push(corners, line)),
            "tristrips" => self.push_each(lists?, line, push_strip),
            _ => self.push_each(lists?, line, push_fan),
        };
        self.check_count(element, found, self.faces.len() - before)
    }

    /// Returns the offset of VERTEX and the size of a group.
    fn layout(&self, element: Node<'_, '_>) -> Result<(usize, usize)> {
        let mut vertex = None;
        let mut group = 0;
        for input in children(element, "input") {
            let offset = self.whole(input, "offset")?.unwrap_or(0);
            if offset > MAX_OFFSET {
                let what = format!("{}: an input offset of {offset}", self.user);
                return Err(IoError::TooLarge { at: self.xml.place(input), what, limit: MAX_OFFSET as u64 });
            }
            group = group.max(offset + 1);
            if input.attribute("semantic") == Some("VERTEX") {
                let source = self.xml.required(input, "source", &self.user)?;
                if source.strip_prefix('#') != self.vertices_node.attribute("id") {
                    return Err(missing(self.xml, input, &self.user, &format!("<vertices> '{}'", shorten(source))));
                }
                vertex = Some(offset);
            }
        }
        let vertex = vertex.ok_or_else(|| missing(self.xml, element, &self.user, "an input with semantic VERTEX"))?;
        Ok((vertex, group))
    }

    /// Returns the vertex of every corner in a `<p>`.
    fn corners(&self, p: Node<'_, '_>, (vertex, group): (usize, usize)) -> Result<Vec<u32>> {
        let text = xml::text(p);
        let mut corners = Vec::new();
        let mut words = 0;
        for word in text.split_ascii_whitespace() {
            if words % group == vertex {
                corners.push(self.corner(word, p)?);
            }
            words += 1;
        }
        if words % group != 0 {
            let what = format!("{}: {words} indices are not a multiple of the group size {group}", self.user);
            return Err(IoError::Truncated { at: self.xml.place(p), what });
        }
        Ok(corners)
    }

    fn corner(&self, word: &str, p: Node<'_, '_>) -> Result<u32> {
        let written = number::parse_integer(word, || (self.xml.place(p), format!("{}: <p>", self.user)))?;
        match u32::try_from(written) {
            Ok(corner) if (corner as usize) < self.vertices.len() => Ok(corner),
            _ => {
                let what = format!("{}: <p>", self.user);
                Err(IoError::BadIndex { at: self.xml.place(p), what, index: written, count: self.vertices.len() })
            }
        }
    }

    fn push_triangles(&mut self, element: Node<'_, '_>, corners: &[u32], line: usize) -> Result<usize> {
        let triangles = corners.chunks_exact(3);
        if !triangles.remainder().is_empty() {
            let what = format!("{}: {} corners are not a multiple of 3", self.user, corners.len());
            return Err(IoError::Truncated { at: self.xml.place(element), what });
        }
        triangles.for_each(|t| self.faces.push(t.iter().copied(), line));
        Ok(corners.len() / 3)
    }

    /// Reads faces whose numbers of corners are in `<vcount>`.
    fn push_polylist(&mut self, element: Node<'_, '_>, corners: &[u32], line: usize) -> Result<usize> {
        let lengths = children(element, "vcount").next().map(xml::text).unwrap_or_default();
        let mut rest = corners;
        let mut found = 0;
        for word in lengths.split_ascii_whitespace() {
            let length = number::parse_integer(word, || (self.xml.place(element), format!("{}: <vcount>", self.user)))?;
            let Some((face, others)) = usize::try_from(length).ok().and_then(|n| rest.split_at_checked(n)) else {
                let what = format!("{}: face {found} needs {length} corners, but {} are left", self.user, rest.len());
                return Err(IoError::Truncated { at: self.xml.place(element), what });
            };
            self.faces.push(face.iter().copied(), line);
            rest = others;
            found += 1;
        }
        if rest.is_empty() {
            return Ok(found);
        }
        Err(IoError::BadElement {
            at: self.xml.place(element),
            what: format!("{}: {} corners belong to no face of <vcount>", self.user, rest.len()),
            remedy: "export the file again".into(),
        })
    }

    fn push_each(&mut self, lists: Vec<Vec<u32>>, line: usize, push: impl Fn(Vec<u32>, &mut Faces, usize)) -> usize {
        let found = lists.len();
        lists.into_iter().for_each(|corners| push(corners, &mut self.faces, line));
        found
    }

    /// Compares the number of faces with the announced `count`: fewer faces are an error, more are used with a warning.
    fn check_count(&mut self, element: Node<'_, '_>, found: usize, faces: usize) -> Result<()> {
        let at = || self.xml.place(element);
        match self.whole(element, "count")? {
            Some(announced) if announced > found => {
                let what = format!("{}: {announced} faces or strips are announced, but the file has {found}", self.user);
                Err(IoError::Truncated { at: at(), what })
            }
            Some(announced) if announced < found => {
                let message = format!(
                    "{}: {announced} faces or strips are announced, but the file has more; all {faces} faces were read",
                    self.user
                );
                self.warnings.push(Warning::new(at(), "count-mismatch", message));
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Returns the whole number of an attribute, if it exists.
    fn whole(&self, node: Node<'_, '_>, name: &str) -> Result<Option<usize>> {
        let Some(text) = node.attribute(name) else { return Ok(None) };
        text.trim().parse().map(Some).map_err(|_| IoError::BadNumber {
            at: self.xml.attribute_place(node, name),
            what: format!("{}: attribute '{name}' of <{}>", self.user, node.tag_name().name()),
            text: shorten(text),
        })
    }
}

/// Adds a triangle for every three consecutive corners; every second one is reversed.
fn push_strip(corners: Vec<u32>, faces: &mut Faces, line: usize) {
    for (i, t) in corners.windows(3).enumerate() {
        faces.push(if i % 2 == 0 { [t[0], t[1], t[2]] } else { [t[1], t[0], t[2]] }, line);
    }
}

/// Adds a triangle for the first corner with every two consecutive ones.
fn push_fan(corners: Vec<u32>, faces: &mut Faces, line: usize) {
    for t in corners.windows(2).skip(1) {
        faces.push([corners[0], t[0], t[1]], line);
    }
}

fn missing(xml: &Xml<'_>, node: Node<'_, '_>, user: &str, what: &str) -> IoError {
    IoError::MissingElement { at: xml.place(node), user: user.into(), what: what.into() }
}

fn unsupported(xml: &Xml<'_>, node: Node<'_, '_>, what: &str, remedy: &str) -> IoError {
    IoError::UnsupportedFormat { at: xml.place(node), what: what.into(), remedy: remedy.into() }
}
