//! URDF: a robot's links, joints and collision geometry.
//!
//! Reads all `<collision>` elements (box, sphere, cylinder, capsule, mesh) and all joint types; `<visual>`, inertia,
//! transmissions and simulator extensions are ignored, so a defect there never prevents loading. Values are in the order of joint
//! declarations. Joints that close loops (`<loop_joint>`, joints in `<gazebo>`) become loop joints of the tree. Refused: xacro
//! (expand it first), unknown shapes and joint types, missing meshes, numbers that are not finite, mechanisms that are not trees.
//! Warnings: mirrored meshes, shapes of size zero, joints without limits, unknown elements (possibly misspelled), links with
//! visual but no collision geometry.
//! With [`UrdfOptions::lenient`], common mistakes that lose no geometry are warnings instead of errors: reversed limits (the
//! joint has no range), a mimic of a joint that does not exist (the joint becomes independent), a second `<axis>` (the first is
//! used), four factors in the scale of a mesh (the first three are used).

mod joint;
mod link;
mod loops;
#[cfg(feature = "urdf-rs")]
mod value;

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use impinge::math::{Pose, Vec3};
use impinge::robot::{JointSpec, Link, Robot};
use roxmltree::Node;

use crate::error::{IoError, Place, Result, shorten};
use crate::mesh::{MeshCache, UpAxis};
use crate::resolve::{Outside, Resolver};
use crate::warning::{Loaded, Warning};
use crate::xml::{self, Xml};

#[cfg(feature = "urdf-rs")]
pub use value::load_urdf_rs;

/// Options for resolving and reading meshes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct UrdfOptions {
    /// Folders that are or contain the packages of `package://` references.
    pub package_paths: Vec<PathBuf>,
    /// Whether meshes may lie outside the robot's folder and the package paths.
    pub allow_outside: bool,
    /// Treatment of COLLADA and glTF files whose up axis is not Z; by default they are used as stored in URDF models, as in other
    /// tools, and rotated elsewhere.
    pub up_axis: Option<UpAxis>,
    /// Whether common mistakes are warnings instead of errors; see the list in the module documentation.
    pub lenient: bool,
}

impl UrdfOptions {
    pub(crate) fn resolver(&self, file: &Path) -> Result<Resolver> {
        let outside = if self.allow_outside { Outside::Allow } else { Outside::Refuse };
        Resolver::new(file, &self.package_paths, outside)
    }
}

/// Loads a robot from a URDF file.
///
/// # Errors
/// See the list in the module documentation.
pub fn load_urdf(path: impl AsRef<Path>, options: &UrdfOptions) -> Result<Loaded<Robot>> {
    let path = path.as_ref();
    parse(&xml::read_bytes(path)?, path, options)
}

/// Loads a robot from URDF text in memory, a string or bytes. Relative mesh references are resolved from `folder`; messages name the text `<urdf>`.
///
/// # Errors
/// See the module's list of what is refused.
///
/// ```
/// use impinge_io::{UrdfOptions, load_urdf_text};
///
/// let text = "<robot name='r'><link name='base'><collision><geometry><sphere radius='0.1'/></geometry></collision></link></robot>";
/// let robot = load_urdf_text(text, "models", &UrdfOptions::default())?.value;
/// assert_eq!(robot.links().len(), 1);
/// # Ok::<(), impinge_io::IoError>(())
/// ```
pub fn load_urdf_text(text: impl AsRef<[u8]>, folder: impl AsRef<Path>, options: &UrdfOptions) -> Result<Loaded<Robot>> {
    parse(text.as_ref(), &folder.as_ref().join("<urdf>"), options)
}

/// Parses a robot from the bytes of a URDF file; meshes are resolved from `path`'s folder.
///
/// # Errors
/// See the list in the module documentation.
pub fn parse(bytes: &[u8], path: &Path, options: &UrdfOptions) -> Result<Loaded<Robot>> {
    robot(&xml::parse(path, bytes)?, options)
}

/// Reads a robot from its elements, wherever they come from.
fn robot(xml: &Xml<'_>, options: &UrdfOptions) -> Result<Loaded<Robot>> {
    let root = xml.root();
    check_root(xml, root)?;
    let mut reader = Reader {
        xml,
        options,
        resolver: None,
        meshes: MeshCache::new(options.up_axis.unwrap_or(UpAxis::AsStored)),
        warnings: xml.warnings().to_vec(),
    };
    let (mut links, mut joints) = (Vec::new(), Vec::new());
    let mut lines = Lines::default();
    let mut loops = Vec::new();
    reader.refuse_other_loops(root)?;
    for element in root.children().filter(Node::is_element) {
        match element.tag_name().name() {
            "link" => {
                links.push(reader.link(element)?);
                lines.links.push(xml.place(element));
            }
            "loop_joint" => {
                loops.push((reader.loop_joint(element)?, xml.place(element)));
            }
            "joint" => {
                joints.push(reader.joint(element)?);
                lines.joints.push(xml.place(element));
            }
            _ => {}
        }
    }
    reader.warn_unknown(
        root,
        "robot",
        &["link", "joint", "loop_joint", "gazebo", "transmission", "material", "sensor", "ros2_control", "mujoco"],
    );
    let name = root.attribute("name").unwrap_or("robot");
    if links.iter().all(|l| l.pieces.is_empty()) {
        reader.warn(root, "no-geometry", format!("robot '{name}' has no collision geometry: it is not checked"));
    }
    reader.check_mimics(&mut joints, &lines)?;
    let place = |e: &impinge::Error| lines.place_of(e, &links, &joints).unwrap_or_else(|| xml.place(root));
    let robot = Robot::new(name, links.clone(), joints.clone()).map_err(|source| {
        let user = format!("robot '{}'", shorten(name));
        IoError::model(place(&source), user, source)
    })?;
    for joint in reader.gazebo_joints(root) {
        let at = joint.place(xml);
        loops.extend(reader.gazebo_loop(&joint, &robot)?.map(|spec| (spec, at)));
    }
    let close = |robot: Robot, (spec, at): (_, Place)| {
        robot.with_loops(vec![spec]).map_err(|source| IoError::model(at, format!("robot '{}'", shorten(name)), source))
    };
    let robot = loops.into_iter().try_fold(robot, close)?;
    Ok(Loaded { value: robot, warnings: reader.warnings })
}

fn check_root(xml: &Xml<'_>, root: Node<'_, '_>) -> Result<()> {
    let tag = root.tag_name().name();
    if tag != "robot" {
        return Err(IoError::BadFormat {
            at: xml.place(root),
            what: format!("the outermost element is <{}>, not <robot>", shorten(tag)),
            remedy: "give a URDF file".into(),
        });
    }
    let xacro = root.descendants().find(|n| n.is_element() && n.tag_name().namespace().is_some_and(|ns| ns.contains("xacro")));
    match xacro {
        None => Ok(()),
        Some(node) => Err(IoError::UnsupportedFormat {
            at: xml.place(node),
            what: format!("xacro (<xacro:{}>)", shorten(node.tag_name().name())),
            remedy: "expand it first: xacro robot.xacro > robot.urdf".into(),
        }),
    }
}

struct Reader<'a, 'i> {
    xml: &'a Xml<'i>,
    options: &'a UrdfOptions,
    /// Created for the first mesh.
    resolver: Option<Resolver>,
    meshes: MeshCache,
    warnings: Vec<Warning>,
}

/// Elements with optional attributes, and all their attributes.
const DEFAULTED: [(&str, &[&str]); 5] = [
    ("origin", &["xyz", "rpy", "quat_xyzw"]),
    ("axis", &["xyz"]),
    ("mimic", &["joint", "multiplier", "offset"]),
    ("mesh", &["filename", "scale"]),
    ("plane", &["normal"]),
];

impl Reader<'_, '_> {
    /// Returns the `<origin>` of a joint or collision element; the identity if there is none.
    fn origin(&self, node: Node<'_, '_>, user: &str) -> Result<Pose> {
        let xml = self.xml;
        let Some(origin) = xml.only_child(node, "origin", user)? else { return Ok(Pose::IDENTITY) };
        let translation = Vec3::from(xml.numbers::<3>(origin, "xyz", user)?.unwrap_or_default());
        let rpy = xml.numbers::<3>(origin, "rpy", user)?;
        let quaternion = xml.numbers::<4>(origin, "quat_xyzw", user)?;
        let pose = match (rpy, quaternion) {
            (Some(_), Some(_)) => {
                return Err(IoError::BadElement {
                    at: xml.place(origin),
                    what: format!("{user}: <origin> has both rpy and quat_xyzw"),
                    remedy: "keep one".into(),
                });
            }
            (_, Some([x, y, z, w])) => Pose::from_quaternion(translation, [w, x, y, z]),
            (rpy, None) => Pose::from_rpy(translation, Vec3::from(rpy.unwrap_or_default())),
        };
        pose.map_err(|source| self.model(origin, user, source))
    }

    /// Reports a mistake that is an error, or a warning if the options are lenient.
    fn mistake(&mut self, at: Place, kind: &'static str, what: String, remedy: &str, instead: &str) -> Result<()> {
        if !self.options.lenient {
            let remedy = format!("{remedy}, or read the file leniently (--lenient): {instead}");
            return Err(IoError::BadElement { at, what, remedy });
        }
        self.warnings.push(Warning::new(at, kind, format!("{what}; {instead}")));
        Ok(())
    }

    /// Refuses mimics of joints that do not exist.
    fn check_mimics(&mut self, joints: &mut [JointSpec], lines: &Lines) -> Result<()> {
        let names: HashSet<String> = joints.iter().map(|j| j.name.clone()).collect();
        for (joint, at) in joints.iter_mut().zip(&lines.joints) {
            let Some((source, ..)) = joint.mimic.take_if(|(source, ..)| !names.contains(source)) else { continue };
            if !self.options.lenient {
                let (joint, source_joint) = (shorten(&joint.name), shorten(&source));
                return Err(IoError::UnknownMimic { at: at.clone(), joint, source_joint });
            }
            let (name, source) = (shorten(&joint.name), shorten(&source));
            let message = format!("joint '{name}' mimics joint '{source}', which does not exist; it becomes independent");
            self.warnings.push(Warning::new(at.clone(), "unknown-mimic", message));
        }
        Ok(())
    }

    fn model(&self, node: Node<'_, '_>, user: &str, source: impinge::Error) -> IoError {
        IoError::model(self.xml.place(node), user, source)
    }

    fn warn(&mut self, node: Node<'_, '_>, kind: &'static str, message: String) {
        self.warnings.push(Warning::new(self.xml.place(node), kind, message));
    }

    /// Warns of unknown child elements: a misspelled `<colision>` must not be dropped silently. Elements with a namespace are
    /// extensions.
    fn warn_unknown(&mut self, node: Node<'_, '_>, user: &str, known: &[&str]) {
        for child in node.children().filter(Node::is_element) {
            let tag = child.tag_name();
            if tag.namespace().is_none() && !known.contains(&tag.name()) {
                self.warn(child, "unknown-element", format!("{user}: <{}> is unknown and was ignored", shorten(tag.name())));
            }
            self.warn_attributes(child, user);
        }
    }

    /// Warns of unknown attributes where the intended attribute has a default: with `multiplyer` a joint would mimic another with
    /// factor 1.
    fn warn_attributes(&mut self, node: Node<'_, '_>, user: &str) {
        let tag = node.tag_name().name();
        let Some((_, known)) = DEFAULTED.iter().find(|(name, _)| *name == tag) else { return };
        for attribute in node.attributes().filter(|a| a.namespace().is_none() && !known.contains(&a.name())) {
            let message = format!("{user}: '{}' of <{tag}> is unknown and was ignored", shorten(attribute.name()));
            self.warn(node, "unknown-attribute", message);
        }
    }
}

/// The lines of links and joints, in order.
#[derive(Default)]
struct Lines {
    links: Vec<Place>,
    joints: Vec<Place>,
}

impl Lines {
    /// Returns the place of the link or joint named by an error of the library.
    fn place_of(&self, error: &impinge::Error, links: &[Link], joints: &[JointSpec]) -> Option<Place> {
        use impinge::Error;
        let link = |name: &str| links.iter().rposition(|l| l.name == name).map(|i| self.links[i].clone());
        let joint = |name: &str| joints.iter().rposition(|j| j.name == name).map(|i| self.joints[i].clone());
        match error {
            Error::DuplicateName { kind: "link", name } => link(name),
            Error::DuplicateName { name, .. } => joint(name),
            Error::KinematicCycle { link: name } | Error::MultipleRoots { second: name, .. } => link(name),
            Error::BadAxis { joint: name } => joint(name),
            Error::Unknown { user: what, .. }
            | Error::NonFinite { what }
            | Error::OutOfRange { what, .. }
            | Error::Invalid { what, .. } => {
                let (kind, rest) = what.split_once(" '")?;
                let name = rest.split('\'').next()?;
                if kind == "link" { link(name) } else { joint(name) }
            }
            _ => None,
        }
    }
}
