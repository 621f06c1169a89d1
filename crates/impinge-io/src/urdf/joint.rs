//! Reads `<joint>` elements.

use impinge::math::Vec3;
use impinge::robot::{JointKind, JointSpec, Limits};
use roxmltree::Node;

use super::Reader;
use crate::error::{IoError, Result, shorten};
use crate::warning::Warning;
use crate::xml::children;

const KNOWN: [&str; 11] = [
    "origin",
    "parent",
    "child",
    "axis",
    "limit",
    "mimic",
    "dynamics",
    "safety_controller",
    "calibration",
    "hardwareInterface",
    "joint_properties",
];

impl Reader<'_, '_> {
    pub(super) fn joint(&mut self, node: Node<'_, '_>) -> Result<JointSpec> {
        let name = self.xml.required(node, "name", "joint")?.to_owned();
        let user = format!("joint '{}'", shorten(&name));
        let kind = self.kind(node, &user)?;
        self.warn_unknown(node, &user, &KNOWN);
        Ok(JointSpec {
            parent: self.end(node, "parent", &user)?,
            child: self.end(node, "child", &user)?,
            parent_from_joint: self.origin(node, &user)?,
            kind,
            limits: self.limits(node, kind, &user)?,
            mimic: self.mimic(node, kind, &user)?,
            name,
        })
    }

    fn kind(&mut self, node: Node<'_, '_>, user: &str) -> Result<JointKind> {
        let axis = match self.axis(node, user)? {
            Some(element) => self.xml.numbers::<3>(element, "xyz", user)?.map(Vec3::from),
            None => None,
        };
        let axis = axis.unwrap_or(Vec3::unit(0));
        Ok(match self.xml.required(node, "type", user)? {
            "fixed" => JointKind::Fixed,
            "revolute" => JointKind::Revolute { axis },
            "continuous" => JointKind::Continuous { axis },
            "prismatic" => JointKind::Prismatic { axis },
            "planar" => JointKind::Planar { axis },
            "floating" => JointKind::Floating,
            other => {
                return Err(IoError::BadElement {
                    at: self.xml.attribute_place(node, "type"),
                    what: format!("{user}: unknown type '{}'", shorten(other)),
                    remedy: "use fixed, revolute, continuous, prismatic, planar or floating".into(),
                });
            }
        })
    }

    /// Returns the only `<axis>`; the first, if the options are lenient.
    fn axis<'a, 'i>(&mut self, node: Node<'a, 'i>, user: &str) -> Result<Option<Node<'a, 'i>>> {
        let mut found = children(node, "axis");
        let first = found.next();
        if let Some(second) = found.next() {
            let (at, what) = (self.xml.place(second), format!("{user}: a second <axis>"));
            self.mistake(at, "second-axis", what, "keep one", "the first one is used")?;
        }
        Ok(first)
    }

    /// Returns the link named by `<parent>` or `<child>`.
    fn end(&self, node: Node<'_, '_>, tag: &'static str, user: &str) -> Result<String> {
        let Some(element) = self.xml.only_child(node, tag, user)? else {
            return Err(IoError::MissingElement { at: self.xml.place(node), user: user.into(), what: format!("<{tag}>") });
        };
        Ok(self.xml.required(element, "link", user)?.to_owned())
    }

    /// Returns the range of a revolute or prismatic joint. An absent bound is 0, as URDF defines; without `<limit>` there is no
    /// range.
    fn limits(&mut self, node: Node<'_, '_>, kind: JointKind, user: &str) -> Result<Option<Limits>> {
        if !matches!(kind, JointKind::Revolute { .. } | JointKind::Prismatic { .. }) {
            return Ok(None);
        }
        let Some(element) = self.xml.only_child(node, "limit", user)? else {
            self.warn(node, "no-limits", format!("{user} has no <limit>; its range is unlimited"));
            return Ok(None);
        };
        let lower = self.xml.number(element, "lower", user)?;
        let upper = self.xml.number(element, "upper", user)?;
        if lower.is_none() || upper.is_none() {
            self.warn(element, "default-limit", format!("{user}: <limit> lacks lower or upper, which defaults to 0"));
        }
        let (lower, upper) = (lower.unwrap_or(0.0), upper.unwrap_or(0.0));
        if lower > upper {
            let (at, joint) = (self.xml.place(element), shorten(node.attribute("name").unwrap_or("")));
            if !self.options.lenient {
                return Err(IoError::BadLimits { at, joint, lower, upper });
            }
            let message = format!("{user}: its limits are reversed, lower {lower} and upper {upper}; its range is unlimited");
            self.warnings.push(Warning::new(at, "reversed-limits", message));
            return Ok(None);
        }
        Ok(Some(Limits { lower, upper }))
    }

    fn mimic(&mut self, node: Node<'_, '_>, kind: JointKind, user: &str) -> Result<Option<(String, f64, f64)>> {
        let Some(element) = self.xml.only_child(node, "mimic", user)? else { return Ok(None) };
        if kind == JointKind::Fixed {
            self.warn(element, "mimic-on-fixed", format!("{user} is fixed; its <mimic> was ignored"));
            return Ok(None);
        }
        let source = self.xml.required(element, "joint", user)?.to_owned();
        let multiplier = self.xml.number(element, "multiplier", user)?.unwrap_or(1.0);
        let offset = self.xml.number(element, "offset", user)?.unwrap_or(0.0);
        Ok(Some((source, multiplier, offset)))
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use impinge::geometry::{Primitive, Shape};
    use impinge::robot::{JointKind, Robot};

    use crate::error::{IoError, Result};
    use crate::urdf::{UrdfOptions, parse};
    use crate::warning::Loaded;

    fn read(body: &str) -> Result<Loaded<Robot>> {
        read_with(body, false)
    }

    fn read_with(body: &str, lenient: bool) -> Result<Loaded<Robot>> {
        let text = format!("<robot name='r'>\n<link name='a'/>\n<link name='b'/>\n{body}\n</robot>");
        parse(text.as_bytes(), Path::new("r.urdf"), &UrdfOptions { lenient, ..UrdfOptions::default() })
    }

    /// Each misspelled attribute would be missing, and get its default.
    #[test]
    fn misspelled_attributes_with_defaults_are_reported() {
        for (inside, attribute) in [
            ("<origin xyz='0 0 1' rpyy='1 0 0'/><limit lower='-1' upper='1'/>", "'rpyy' of <origin>"),
            ("<axis xzy='0 0 1'/><limit lower='-1' upper='1'/>", "'xzy' of <axis>"),
            ("<limit lower='-1' upper='1'/><mimic joint='k' multiplyer='2'/>", "'multiplyer' of <mimic>"),
        ] {
            let other = "<link name='c'/><joint name='k' type='continuous'><parent link='a'/><child link='c'/></joint>";
            let warnings = read(&(joint("revolute", inside) + other)).expect(inside).warnings;
            let messages: Vec<&str> =
                warnings.iter().filter(|w| w.kind == "unknown-attribute").map(|w| w.message.as_str()).collect();
            assert_eq!(messages, [format!("joint 'j': {attribute} is unknown and was ignored")]);
        }
    }

    /// Each is an error that names the option, and a warning with lenient options.
    #[test]
    fn common_mistakes_are_warnings_where_reading_is_lenient() {
        for (inside, class, kind) in [
            ("<limit lower='1' upper='-1'/>", "BadLimits", "reversed-limits"),
            ("<limit lower='1'/>", "BadLimits", "reversed-limits"),
            ("<mimic joint='ghost'/><limit lower='-1' upper='1'/>", "UnknownJoint", "unknown-mimic"),
            ("<axis xyz='0 0 1'/><axis xyz='0 1 0'/><limit lower='-1' upper='1'/>", "BadElement", "second-axis"),
        ] {
            let body = joint("revolute", inside);
            let error = read(&body).expect_err(inside);
            assert_eq!((error.class(), error.place().line), (class, Some(4)), "{error}");
            let message = error.to_string();
            assert!(message.contains("joint 'j'") && message.contains("--lenient"), "{message}");
            let loaded = read_with(&body, true).expect(inside);
            assert!(loaded.warns(kind), "{:?}", loaded.warnings);
            let found = &loaded.value.joints()[0];
            assert_eq!((loaded.value.values(), found.mimic), (1, None));
            assert_eq!(found.limits.is_none(), kind == "reversed-limits");
        }
        let loaded = read_with(&joint("continuous", "<axis xyz='0 0 1'/><axis xyz='0 1 0'/>"), true).expect("a robot");
        assert_eq!(loaded.value.joints()[0].kind, JointKind::Continuous { axis: impinge::math::Vec3::unit(2) });
        // Mistakes that would lose geometry or need a guess are always refused.
        for inside in ["<origin/><origin xyz='1 0 0'/>", "<axis xyz='0 0'/>", "<parent link='b'/>", "<mimic joint='j'/>"] {
            assert!(read_with(&joint("continuous", inside), true).is_err(), "{inside}");
        }
    }

    fn joint(kind: &str, inside: &str) -> String {
        format!("<joint name='j' type='{kind}'><parent link='a'/><child link='b'/>{inside}</joint>")
    }

    const LIMIT: &str = "<limit lower='-1' upper='2' effort='1' velocity='1'/>";

    #[test]
    fn all_types_origins_axes_and_limits() {
        for (kind, values) in [("fixed", 0), ("revolute", 1), ("continuous", 1), ("prismatic", 1), ("planar", 3), ("floating", 7)]
        {
            assert_eq!(read(&joint(kind, LIMIT)).expect("a robot").value.values(), values, "{kind}");
        }
        let robot =
            read(&joint("revolute", "<origin xyz='1 2 3' rpy='0 0 1.5707963267948966'/><axis xyz='0 0 2'/><limit upper='2'/>"));
        let loaded = robot.expect("a robot");
        let j = &loaded.value.joints()[0];
        assert!(
            (j.parent_from_joint.apply(impinge::math::Vec3::unit(0)) - impinge::math::Vec3::new(1.0, 3.0, 3.0)).norm() < 1e-15
        );
        assert_eq!(j.limits.map(|l| (l.lower, l.upper)), Some((0.0, 2.0)));
        assert!(loaded.warns("default-limit"));
        let bare = read(&joint("prismatic", "")).expect("a robot");
        assert_eq!(bare.value.joints()[0].kind, JointKind::Prismatic { axis: impinge::math::Vec3::unit(0) });
        assert!(bare.warns("no-limits") && bare.value.joints()[0].limits.is_none());
        let turned = read(&joint("fixed", "<origin quat_xyzw='0 0 1 0'/>")).expect("a robot");
        assert_eq!(turned.value.joints()[0].parent_from_joint.rotation.columns[0].x, -1.0);
    }

    #[test]
    fn errors_name_their_line() {
        let error = |body: &str| read(body).expect_err("refused");
        assert_eq!(error(&joint("revolute", "<limit lower='1' upper='-1'/>")).place().line, Some(4));
        assert_eq!(error(&joint("revolute", "<axis xyz='0 0 0'/><limit/>")).class(), "BadAxis");
        assert_eq!(error(&joint("twist", "")).class(), "BadElement");
        assert_eq!(error(&joint("revolute", "<mimic joint='x'/><limit/>")).class(), "UnknownJoint");
        assert_eq!(error(&joint("fixed", "<origin xyz='0 0 inf'/>")).class(), "NonFinite");
        assert_eq!(error(&joint("fixed", "<origin xyz='0 0'/>")).class(), "BadElement");
        assert_eq!(error(&joint("fixed", "<origin/><origin xyz='1 0 0'/>")).class(), "BadElement");
        assert_eq!(error("<joint name='j' type='fixed'><parent link='a'/></joint>").class(), "MissingElement");
        let unknown = error("<joint name='j1' type='fixed'><parent link='a'/><child link='ghost'/></joint>");
        assert_eq!(unknown.to_string(), "r.urdf:4: robot 'r': joint 'j1' refers to link 'ghost', which does not exist");
        assert_eq!(error("<link name='a'/>").place().line, Some(4));
        assert_eq!(error("").class(), "MultipleRoots");
        assert_eq!(error("<xacro:macro xmlns:xacro='http://ros.org/wiki/xacro'/>").class(), "UnsupportedFormat");
    }

    #[test]
    fn shapes_are_read_with_warnings() {
        let link = |inside: &str| {
            joint("fixed", "<mimic joint='j'/>").replace("'b'/>", "'c'/>")
                + &joint("fixed", "").replace("'j'", "'k'")
                + &format!("<link name='c'><visual><geometry><mesh/></geometry></visual>{inside}</link>")
        };
        let collision = |shape: &str| format!("<collision><geometry>{shape}</geometry></collision>");
        let body = collision("<box size='1 2 3'/>")
            + &collision("<sphere radius='1'/>")
            + &collision("<cylinder radius='1' length='2'/>")
            + &collision("<capsule radius='1' length='0'/>")
            + &collision("<cylinder radius='0' length='2'/>")
            + "<colision/>";
        let loaded = read(&link(&body)).expect("a robot");
        let pieces = &loaded.value.links()[2].pieces;
        assert_eq!(pieces.len(), 5);
        assert!(matches!(pieces[3].shape, Shape::Primitive(Primitive::Capsule { radius: 1.0, half_length: 0.0 })));
        let kinds: Vec<_> = loaded.warnings.iter().map(|w| w.kind).collect();
        assert_eq!(kinds, ["mimic-on-fixed", "zero-size", "unknown-element"]);
        for (shape, class) in [
            ("<box size='1 -2 3'/>", "Model"),
            ("<box size='1 2'/>", "BadElement"),
            ("<sphere/>", "MissingElement"),
            ("<sphere radius='nan'/>", "NonFinite"),
            ("<plane normal='0 0 0'/>", "BadElement"),
            ("<cdf filename='field.cdf'/>", "UnsupportedFormat"),
            ("<mesh filename='none.stl' scale='1 1 1 1'/>", "BadElement"),
            ("", "MissingElement"),
            ("<sphere radius='1'/><sphere radius='2'/>", "BadElement"),
            ("<mesh filename='none.stl'/>", "MissingMesh"),
            ("<mesh filename='a.stl' scale='1 0 1'/>", "BadElement"),
        ] {
            let error = read(&link(&collision(shape))).expect_err(shape);
            assert_eq!(error.class(), class, "{shape}: {error}");
            assert!(error.to_string().contains("link 'c'"), "{error}");
        }
        // Four factors may be meant as three; a distance field is unsupported geometry, so it is always refused.
        for (shape, class) in
            [("<mesh filename='none.stl' scale='1 1 1 1'/>", "MissingMesh"), ("<cdf filename='f'/>", "UnsupportedFormat")]
        {
            assert_eq!(read_with(&link(&collision(shape)), true).expect_err(shape).class(), class);
        }
        assert_eq!(read(&link("<collision/>")).expect_err("no geometry").class(), "MissingElement");
        assert!(read(&link("")).expect("a robot").warns("no-collision-geometry"));
        assert!(matches!(read(&link(&collision("<sphere radius='x'/>"))), Err(IoError::BadNumber { .. })));
    }
}
