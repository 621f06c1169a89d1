//! Reads the collision geometry of `<link>` elements.

use impinge::geometry::{Piece, Primitive, Shape};
use impinge::math::{Pose, Vec3};
use impinge::robot::Link;
use roxmltree::Node;

use super::Reader;
use crate::error::{IoError, Result, shorten};
use crate::placement::{compose, z_to};
use crate::shapes::has_zero_size;
use crate::xml::children;

impl Reader<'_, '_> {
    pub(super) fn link(&mut self, node: Node<'_, '_>) -> Result<Link> {
        let name = self.xml.required(node, "name", "link")?.to_owned();
        let user = format!("link '{}'", shorten(&name));
        let mut pieces = Vec::new();
        for collision in children(node, "collision") {
            pieces.push(self.collision(collision, &user)?);
        }
        let known = ["collision", "visual", "inertial", "contact", "gazebo", "sensor", "material", "self_collision_checking"];
        self.warn_unknown(node, &user, &known);
        if pieces.is_empty() && children(node, "visual").next().is_some() {
            self.warn(node, "no-collision-geometry", format!("{user} has visual but no collision geometry: it is not checked"));
        }
        Ok(Link { name, pieces })
    }

    fn collision(&mut self, node: Node<'_, '_>, user: &str) -> Result<Piece> {
        let link_from_shape = self.origin(node, user)?;
        self.warn_unknown(node, user, &["origin", "geometry", "material", "contact_coefficients", "surface", "verbose"]);
        let missing =
            |what: &str, node| IoError::MissingElement { at: self.xml.place(node), user: user.into(), what: what.into() };
        let geometry = self.xml.only_child(node, "geometry", user)?.ok_or_else(|| missing("<geometry> of <collision>", node))?;
        let mut shapes = geometry.children().filter(Node::is_element);
        let shape = shapes.next().ok_or_else(|| missing("a shape in <geometry>", geometry))?;
        if let Some(second) = shapes.next() {
            return Err(IoError::BadElement {
                at: self.xml.place(second),
                what: format!("{user}: a second shape in one <geometry>"),
                remedy: "give each shape a separate <collision>".into(),
            });
        }
        self.warn_attributes(shape, user);
        if shape.tag_name().name() == "plane" {
            return self.half_space(shape, link_from_shape, user);
        }
        Ok(Piece::new(self.shape(shape, user)?, link_from_shape))
    }

    /// Returns the half space below a plane through the origin.
    fn half_space(&self, node: Node<'_, '_>, link_from_shape: Pose, user: &str) -> Result<Piece> {
        let normal = self.xml.numbers::<3>(node, "normal", user)?.map_or(Vec3::unit(2), Vec3::from);
        if !(normal.norm() > 0.0 && normal.norm().is_finite()) {
            return Err(IoError::BadElement {
                at: self.xml.place(node),
                what: format!("{user}: the normal of a <plane> has no length"),
                remedy: "write a direction, such as normal=\"0 0 1\"".into(),
            });
        }
        let shape_from_plane = Pose { rotation: z_to(normal), translation: Vec3::ZERO };
        Piece::half_space(compose(link_from_shape, shape_from_plane)).map_err(|source| self.model(node, user, source))
    }

    fn shape(&mut self, node: Node<'_, '_>, user: &str) -> Result<Shape> {
        let xml = self.xml;
        let primitive = match node.tag_name().name() {
            "mesh" => return self.mesh(node, user),
            "box" => {
                xml.required(node, "size", user)?;
                Primitive::cuboid(Vec3::from(xml.numbers::<3>(node, "size", user)?.unwrap_or_default()))
            }
            "sphere" => Primitive::sphere(xml.required_number(node, "radius", user)?),
            "cylinder" => {
                Primitive::cylinder(xml.required_number(node, "radius", user)?, xml.required_number(node, "length", user)?)
            }
            "capsule" => {
                Primitive::capsule(xml.required_number(node, "radius", user)?, xml.required_number(node, "length", user)?)
            }
            other => {
                return Err(IoError::UnsupportedFormat {
                    at: xml.place(node),
                    what: format!("{user}: the shape <{}>", shorten(other)),
                    remedy: "use box, sphere, cylinder, capsule, plane or mesh".into(),
                });
            }
        };
        let primitive = primitive.map_err(|source| self.model(node, user, source))?;
        if has_zero_size(&primitive) {
            self.warn(node, "zero-size", format!("{user}: a <{}> of size zero; it is kept", node.tag_name().name()));
        }
        Ok(primitive.into())
    }

    /// Returns the three factors of a mesh; the first three of four, if the options are lenient.
    fn scale(&mut self, node: Node<'_, '_>, user: &str) -> Result<Vec3> {
        let found = node.attribute("scale").map_or(0, |text| text.split_ascii_whitespace().count());
        if found != 4 {
            return Ok(self.xml.numbers::<3>(node, "scale", user)?.map_or(Vec3::splat(1.0), Vec3::from));
        }
        let [x, y, z, _] = self.xml.numbers::<4>(node, "scale", user)?.unwrap_or([1.0; 4]);
        let (at, what) = (self.xml.attribute_place(node, "scale"), format!("{user}: the scale of a <mesh> has 4 numbers"));
        self.mistake(at, "long-scale", what, "write 3", "the first three are used")?;
        Ok(Vec3::new(x, y, z))
    }

    fn mesh(&mut self, node: Node<'_, '_>, user: &str) -> Result<Shape> {
        let reference = self.xml.required(node, "filename", user)?;
        let scale = self.scale(node, user)?;
        let at = self.xml.place(node);
        if scale.to_array().contains(&0.0) {
            return Err(IoError::BadElement {
                at,
                what: format!("{user}: a scale of zero"),
                remedy: "write three factors".into(),
            });
        }
        if self.resolver.is_none() {
            self.resolver = Some(self.options.resolver(self.xml.path())?);
        }
        let path = match &self.resolver {
            Some(resolver) => resolver.resolve(reference, user, &at)?,
            None => return Err(IoError::MissingElement { at, user: user.into(), what: "a resolver".into() }),
        };
        let mesh = self.meshes.load(&path, scale, &mut self.warnings)?;
        Ok(mesh.into())
    }
}
