//! COLLADA 1.4 and 1.5: the triangles of the visual scene, in metres.
//!
//! ```text
//! metres, Z up ◄─ unit, up axis ◄─ node ◄─ node ◄─ … ◄─ geometry (triangles, polylist, polygons, strips, fans)
//! ```
//!
//! Nodes nest, may be instanced from a library, and place every geometry as often as it is instanced; transforms apply in the
//! order written. Transforms near the identity are applied like all others. Materials, normals, lights, animations are ignored.
//! Refused: skins, splines, holes, external files, skew and look-at transforms, instances that are cyclic or too many.

mod geometry;
mod transform;
mod walk;

use std::collections::HashMap;
use std::path::Path;

use impinge::math::{Mat3, Vec3};
use roxmltree::Node;

use super::affine::Affine;
use super::{Soup, UpAxis};
use crate::error::{IoError, Place, Result, shorten};
use crate::warning::Warning;
use crate::xml::{self, Xml, children};

/// Parses COLLADA bytes; `path` is only named in messages.
///
/// # Errors
/// See the list in the module documentation.
pub fn parse(bytes: &[u8], path: &Path, up: UpAxis) -> Result<Soup> {
    let xml = xml::parse(path, bytes)?;
    let root = xml.root();
    if root.tag_name().name() != "COLLADA" {
        return Err(IoError::BadFormat {
            at: xml.place(root),
            what: format!("the outermost element is <{}>, not <COLLADA>", shorten(root.tag_name().name())),
            remedy: "give the file the extension of its format".into(),
        });
    }
    let mut warnings = xml.warnings().to_vec();
    let metres_from_file = asset(&xml, up, &mut warnings)?;
    let ids = Ids::collect(root);
    let mut soup = match visual_scene(&xml, &ids, &mut warnings)? {
        Some(scene) => walk::scene(&xml, &ids, scene, metres_from_file)?,
        None => walk::all_geometries(&xml, &ids, metres_from_file)?,
    };
    warnings.append(&mut soup.warnings);
    soup.warnings = warnings;
    Ok(soup)
}

/// Returns the transform from the file's unit and axes to metres and the requested axes.
fn asset(xml: &Xml<'_>, up: UpAxis, warnings: &mut Vec<Warning>) -> Result<Affine> {
    let asset = xml.only_child(xml.root(), "asset", "COLLADA")?;
    let unit = asset.and_then(|a| children(a, "unit").next());
    let metre = match unit {
        Some(unit) => xml.number(unit, "meter", "asset")?.unwrap_or(1.0),
        None => 1.0,
    };
    if metre <= 0.0 {
        return Err(IoError::BadElement {
            at: unit.map_or(Place::file(xml.path()), |u| xml.place(u)),
            what: format!("a unit of {metre} metres"),
            remedy: "write a positive length".into(),
        });
    }
    let axis_node = asset.and_then(|a| children(a, "up_axis").next());
    let axis = axis_node.map_or("Y_UP".into(), xml::text);
    let at = || axis_node.map_or(Place::file(xml.path()), |n| xml.place(n));
    let to_z = match axis.trim() {
        "Z_UP" => return Ok(Affine::scale(metre)),
        "Y_UP" => Mat3::from_rows([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]]),
        "X_UP" => Mat3::from_rows([[0.0, -1.0, 0.0], [0.0, 0.0, -1.0], [1.0, 0.0, 0.0]]),
        other => {
            let what = format!("up_axis '{}'", shorten(other));
            return Err(IoError::BadElement { at: at(), what, remedy: "write X_UP, Y_UP or Z_UP".into() });
        }
    };
    let (turned, done) = match up {
        UpAxis::TurnToZ => (to_z, "the mesh was rotated so that Z is up"),
        UpAxis::AsStored => (Mat3::IDENTITY, "the coordinates were used as stored, as in rviz and MoveIt"),
    };
    let said = if axis_node.is_some() { "" } else { " by default" };
    warnings.push(Warning::new(at(), "up-axis", format!("the up axis is {}{said}; {done}", axis.trim())));
    Ok(Affine::new(turned * metre, Vec3::ZERO))
}

/// Returns the visual scene; `None` if the file is only a library of geometries.
fn visual_scene<'a, 'i>(xml: &'a Xml<'i>, ids: &Ids<'a, 'i>, warnings: &mut Vec<Warning>) -> Result<Option<Node<'a, 'i>>> {
    let named = xml.only_child(xml.root(), "scene", "COLLADA")?.and_then(|s| children(s, "instance_visual_scene").next());
    if let Some(instance) = named {
        return ids.follow(xml, instance, "visual_scene").map(Some);
    }
    let mut all = children(xml.root(), "library_visual_scenes").flat_map(|l| children(l, "visual_scene"));
    let (first, second) = (all.next(), all.next());
    if let Some(second) = second {
        return Err(IoError::BadElement {
            at: xml.place(second),
            what: "the file has several visual scenes, and none is instanced".into(),
            remedy: "add a <scene> with an <instance_visual_scene>".into(),
        });
    }
    let taken = if first.is_some() { "the only visual scene" } else { "every geometry, once" };
    warnings.push(Warning::new(Place::file(xml.path()), "no-scene", format!("no visual scene is instanced; {taken} was used")));
    Ok(first)
}

/// Referenced elements, by tag and id; `None` if an id is given twice. Only used for lookup: its order has no effect.
struct Ids<'a, 'i> {
    elements: HashMap<(&'static str, &'a str), Option<Node<'a, 'i>>>,
}

impl<'a, 'i> Ids<'a, 'i> {
    const TAGS: [&'static str; 3] = ["geometry", "node", "visual_scene"];

    fn collect(root: Node<'a, 'i>) -> Self {
        let mut elements = HashMap::new();
        for node in root.descendants().filter(Node::is_element) {
            if let (Some(tag), Some(id)) = (Self::TAGS.iter().find(|t| **t == node.tag_name().name()), node.attribute("id")) {
                elements.entry((*tag, id)).and_modify(|e| *e = None).or_insert(Some(node));
            }
        }
        Ids { elements }
    }

    /// Returns the element of this tag that an instance's `url` names.
    fn follow(&self, xml: &Xml<'_>, instance: Node<'a, 'i>, tag: &'static str) -> Result<Node<'a, 'i>> {
        let user = format!("<{}>", instance.tag_name().name());
        let url = xml.required(instance, "url", &user)?;
        let at = || xml.attribute_place(instance, "url");
        let Some(id) = url.strip_prefix('#') else {
            return Err(IoError::UnsupportedFormat {
                at: at(),
                what: format!("a reference into another file, '{}',", shorten(url)),
                remedy: "export into one file".into(),
            });
        };
        match self.elements.get(&(tag, id)) {
            Some(Some(node)) => Ok(*node),
            Some(None) => Err(IoError::BadElement {
                at: at(),
                what: format!("{user}: several <{tag}> have the id '{}'", shorten(id)),
                remedy: "make ids unique".into(),
            }),
            None => Err(IoError::MissingElement { at: at(), user, what: format!("<{tag} id=\"{}\">", shorten(id)) }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file with one triangle (0,0,0) (1,0,0) (0,2,0) in geometry `g`.
    fn file(asset: &str, primitives: &str, nodes: &str) -> String {
        format!(
            "<COLLADA xmlns='http://www.collada.org/2005/11/COLLADASchema' version='1.4.1'><asset>{asset}</asset>\
             <library_geometries><geometry id='g'><mesh>\
             <source id='s'><float_array id='a' count='9'>0 0 0 1 0 0 0 2 0</float_array><technique_common>\
             <accessor source='#a' count='3' stride='3'><param name='X'/><param name='Y'/><param name='Z'/></accessor>\
             </technique_common></source><vertices id='v'><input semantic='POSITION' source='#s'/></vertices>{primitives}</mesh></geometry>\
             </library_geometries><library_nodes><node id='lib'><translate>0 0 5</translate><instance_geometry url='#g'/></node>\
             <node id='loop'><instance_node url='#loop'/></node></library_nodes>\
             <library_visual_scenes><visual_scene id='vs'>{nodes}</visual_scene></library_visual_scenes>\
             <scene><instance_visual_scene url='#vs'/></scene></COLLADA>"
        )
    }

    const TRIANGLE: &str = "<triangles count='1'><input semantic='VERTEX' source='#v' offset='0'/><p>0 1 2</p></triangles>";
    const PLAIN: &str = "<node><instance_geometry url='#g'/></node>";

    fn read(text: &str, up: UpAxis) -> Result<Soup> {
        parse(text.as_bytes(), Path::new("f.dae"), up)
    }

    fn points(soup: &Soup) -> Vec<[f64; 3]> {
        soup.vertices.iter().map(|v| v.to_array()).collect()
    }

    #[test]
    fn units_and_axes_are_applied_or_reported() {
        let text = |axis: &str| file(&format!("<unit meter='0.001'/><up_axis>{axis}</up_axis>"), TRIANGLE, PLAIN);
        let z = read(&text("Z_UP"), UpAxis::TurnToZ).expect("a mesh");
        assert_eq!((points(&z)[2], z.warnings.len()), ([0.0, 0.002, 0.0], 0));
        let y = read(&text("Y_UP"), UpAxis::TurnToZ).expect("a mesh");
        assert_eq!((points(&y)[2], y.warnings[0].kind), ([0.0, 0.0, 0.002], "up-axis"));
        let stored = read(&text("Y_UP"), UpAxis::AsStored).expect("a mesh");
        assert_eq!((points(&stored)[2], stored.warnings[0].kind), ([0.0, 0.002, 0.0], "up-axis"));
        let x = read(&text("X_UP"), UpAxis::TurnToZ).expect("a mesh");
        assert_eq!(points(&x)[1..], [[0.0, 0.0, 0.001], [-0.002, 0.0, 0.0]]);
        assert!(read(&text("W_UP"), UpAxis::TurnToZ).is_err());
        assert!(read(&file("<unit meter='0'/>", TRIANGLE, PLAIN), UpAxis::TurnToZ).is_err());
    }

    const Z_UP: &str = "<up_axis>Z_UP</up_axis>";

    #[test]
    fn nodes_nest_repeat_and_mirror() {
        let nodes = "<node><translate>1 0 0</translate><rotate>0 0 1 90</rotate><scale>2 2 2</scale>\
                     <node><matrix>1 0 0 0  0 1 0 0  0 0 1 3  0 0 0 1</matrix><instance_geometry url='#g'/></node></node>\
                     <node><scale>-1 1 1</scale><instance_geometry url='#g'/><instance_node url='#lib'/></node>";
        let soup = read(&file(Z_UP, TRIANGLE, nodes), UpAxis::TurnToZ).expect("a mesh");
        assert_eq!(points(&soup)[..3], [[1.0, 0.0, 6.0], [1.0, 2.0, 6.0], [-3.0, 0.0, 6.0]]);
        assert_eq!(points(&soup)[4], [-1.0, 0.0, 0.0]);
        assert_eq!(points(&soup)[7], [-1.0, 0.0, 5.0]);
        assert_eq!(soup.triangles, [[0, 1, 2], [3, 5, 4], [6, 8, 7]]);
        assert_eq!(soup.warnings[0].kind, "mirrored-mesh");
    }

    #[test]
    fn broken_references_and_circles_are_refused() {
        let with = |nodes: &str| read(&file(Z_UP, TRIANGLE, nodes), UpAxis::TurnToZ);
        assert!(matches!(with("<node><instance_node url='#loop'/></node>"), Err(IoError::TooDeep { .. })));
        assert!(matches!(with("<node><instance_geometry url='#x'/></node>"), Err(IoError::MissingElement { .. })));
        assert!(matches!(with("<node><instance_geometry url='o.dae#g'/></node>"), Err(IoError::UnsupportedFormat { .. })));
        assert!(matches!(with("<node><instance_controller url='#c'/></node>"), Err(IoError::UnsupportedFormat { .. })));
        assert!(matches!(
            with("<node><skew>1 0 0 0 1 0 1</skew><instance_geometry url='#g'/></node>"),
            Err(IoError::UnsupportedFormat { .. })
        ));
        assert!(matches!(with("<node><matrix>1 0 0</matrix></node>"), Err(IoError::Truncated { .. })));
        assert!(matches!(with("<node><translate>0 0 nan</translate></node>"), Err(IoError::NonFinite { .. })));
        assert_eq!(with("").expect("an empty scene").warnings[0].kind, "unused-geometry");
        assert!(matches!(read("<svg/>", UpAxis::TurnToZ), Err(IoError::BadFormat { .. })));
    }

    #[test]
    fn a_bomb_of_instances_is_refused_in_time() {
        let doubled: String =
            (0..60).map(|i| format!("<node id='n{i}'>{0}{0}</node>", format!("<instance_node url='#n{}'/>", i + 1))).collect();
        let nodes = format!("<node><instance_node url='#n0'/></node>{doubled}<node id='n60'/>");
        assert!(matches!(read(&file(Z_UP, TRIANGLE, &nodes), UpAxis::TurnToZ), Err(IoError::TooLarge { .. })));
    }

    #[test]
    fn every_kind_of_primitive_is_read() {
        let inputs = "<input semantic='NORMAL' source='#n' offset='0'/><input semantic='VERTEX' source='#v' offset='1'/>";
        let with = |primitives: &str| read(&file(Z_UP, &primitives.replace("INPUTS", inputs), PLAIN), UpAxis::TurnToZ);
        for (primitives, expected) in [
            ("<triangles count='1'>INPUTS<p>9 0 9 1 9 2</p></triangles>", vec![[0, 1, 2]]),
            (
                "<polylist count='2'>INPUTS<vcount>3 4</vcount><p>9 0 9 1 9 2 9 0 9 1 9 2 9 2</p></polylist>",
                vec![[0, 1, 2], [0, 1, 2]],
            ),
            ("<polygons count='1'>INPUTS<p>9 0 9 1 9 2</p></polygons>", vec![[0, 1, 2]]),
            ("<tristrips count='1'>INPUTS<p>9 0 9 1 9 2 9 0</p></tristrips>", vec![[0, 1, 2], [2, 1, 0]]),
            ("<trifans count='1'>INPUTS<p>9 0 9 1 9 2 9 1</p></trifans>", vec![[0, 1, 2], [0, 2, 1]]),
            (
                "<triangles count='0'>INPUTS</triangles><triangles count='1'>INPUTS<p>9 0 9 <!-- x -->1 9 2</p></triangles>",
                vec![[0, 1, 2]],
            ),
        ] {
            assert_eq!(with(primitives).expect("a mesh").triangles, expected, "{primitives}");
        }
        assert!(matches!(
            with("<triangles count='1'>INPUTS<p>9 0 9 1 9 7</p></triangles>"),
            Err(IoError::BadIndex { index: 7, .. })
        ));
        assert!(matches!(with("<triangles count='1'>INPUTS<p>9 0 9 1 9 -1</p></triangles>"), Err(IoError::BadIndex { .. })));
        assert!(matches!(with("<triangles count='2'>INPUTS<p>9 0 9 1 9 2</p></triangles>"), Err(IoError::Truncated { .. })));
        assert!(matches!(with("<triangles count='1'>INPUTS<p>9 0 9 1 9</p></triangles>"), Err(IoError::Truncated { .. })));
        assert!(matches!(
            with("<polylist count='1'>INPUTS<vcount>4</vcount><p>9 0 9 1 9 2</p></polylist>"),
            Err(IoError::Truncated { .. })
        ));
        assert!(matches!(
            with("<polygons>INPUTS<ph><p>9 0</p><h>9 1</h></ph></polygons>"),
            Err(IoError::UnsupportedFormat { .. })
        ));
        assert_eq!(
            with("<lines count='1'>INPUTS<p>9 0 9 1</p></lines>").expect("no surface").warnings[0].kind,
            "ignored-elements"
        );
    }
}
