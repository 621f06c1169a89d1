//! Robots that the crate `urdf-rs` has read or that a program has built with its types; Cargo feature `urdf-rs`.
//!
//! ```text
//! urdf_rs::Robot ──► URDF text, every number with the digits that read back as the same bits ──► the reader of files
//! ```
//!
//! So every check is the one of files. Written is what the reader reads: `urdf_rs::write_to_string` drops infinite limits, which the reader would
//! take for 0, and cannot write a joint without `<limit>`.

use std::fmt::Write as _;
use std::path::Path;

use impinge::robot::Robot;
use urdf_rs::{Collision, Geometry, Joint, JointLimit, JointType, Link, Pose};

use super::{UrdfOptions, robot};
use crate::error::{IoError, Place, Result};
use crate::warning::Loaded;
use crate::xml;

/// The name in messages, where files have their own.
const NAME: &str = "<urdf_rs::Robot>";

/// Loads a robot from a value of the crate `urdf-rs`; relative references to meshes start at `folder`.
///
/// Options, checks and warnings are those of [`load_urdf`](super::load_urdf), and every number keeps its bits. Messages name no line.
/// A missing `<origin>` is one of zeros: the same pose, but zeros in its rotation may have the other sign.
///
/// An all-zero [`JointLimit`], which urdf-rs gives to joints without `<limit>`, and one that is infinite on both sides are no range; a bound that
/// is infinite alone becomes the largest number.
///
/// urdf-rs itself drops what it does not know: closed loops, `quat_xyzw` before URDF 1.1, misspelt elements. Nothing here can warn of that, so
/// prefer [`load_urdf`](super::load_urdf) where there is a file.
///
/// # Errors
/// See the [module's](super) list of what is refused; or if a name holds a character that XML cannot hold.
///
/// ```
/// use impinge_io::{UrdfOptions, load_urdf_rs};
///
/// let read = urdf_rs::read_from_string(
///     "<robot name='r'><link name='base'/><link name='arm'><collision><geometry><box size='1 2 3'/></geometry></collision></link>
///      <joint name='j' type='continuous'><parent link='base'/><child link='arm'/><axis xyz='0 0 1'/></joint></robot>",
/// )?;
/// let loaded = load_urdf_rs(&read, ".", &UrdfOptions::default())?;
/// assert_eq!((loaded.value.links().len(), loaded.value.values()), (2, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn load_urdf_rs(value: &urdf_rs::Robot, folder: impl AsRef<Path>, options: &UrdfOptions) -> Result<Loaded<Robot>> {
    let path = folder.as_ref().join(NAME);
    let text = document(value);
    if let Some(c) = text.chars().find(|&c| !xml_can_hold(c)) {
        let what = format!("a name has the character U+{:04X}, which XML cannot hold", u32::from(c));
        return Err(IoError::BadElement { at: Place::file(&path), what, remedy: "rename it".into() });
    }
    robot(&xml::parse(&path, text.as_bytes())?.without_lines(), options)
}

/// Tests whether XML 1.0 allows a character.
fn xml_can_hold(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | '\u{20}'..='\u{D7FF}' | '\u{E000}'..='\u{FFFD}' | '\u{10000}'..)
}

fn document(value: &urdf_rs::Robot) -> String {
    // urdf-rs reads a missing name as an empty one.
    let name = Some(&value.name).filter(|name| !name.is_empty());
    let name = name.map_or(String::new(), |name| attribute("name", name));
    let links: String = value.links.iter().map(link).collect();
    let joints: String = value.joints.iter().map(joint).collect();
    format!("<robot{name}>\n{links}{joints}</robot>\n")
}

fn link(link: &Link) -> String {
    let visual = if link.visual.is_empty() { "" } else { "<visual/>" };
    let collisions: String = link.collision.iter().map(collision).collect();
    format!("<link{}>{visual}{collisions}</link>\n", attribute("name", &link.name))
}

fn collision(collision: &Collision) -> String {
    let shape = match &collision.geometry {
        Geometry::Box { size } => format!("<box{}/>", numbers("size", &**size)),
        Geometry::Cylinder { radius, length } => {
            format!("<cylinder{}{}/>", numbers("radius", &[*radius]), numbers("length", &[*length]))
        }
        Geometry::Capsule { radius, length } => {
            format!("<capsule{}{}/>", numbers("radius", &[*radius]), numbers("length", &[*length]))
        }
        Geometry::Sphere { radius } => format!("<sphere{}/>", numbers("radius", &[*radius])),
        Geometry::Mesh { filename, scale } => {
            let scale = scale.map_or(String::new(), |scale| numbers("scale", &*scale));
            format!("<mesh{}{scale}/>", attribute("filename", filename))
        }
    };
    format!("<collision>{}<geometry>{shape}</geometry></collision>", origin(&collision.origin))
}

fn joint(joint: &Joint) -> String {
    let kind = match joint.joint_type {
        JointType::Revolute => "revolute",
        JointType::Continuous => "continuous",
        JointType::Prismatic => "prismatic",
        JointType::Fixed => "fixed",
        JointType::Floating => "floating",
        JointType::Planar => "planar",
        // The reader refuses it by name.
        JointType::Spherical => "spherical",
    };
    let mut text = format!("<joint{} type=\"{kind}\">{}", attribute("name", &joint.name), origin(&joint.origin));
    let (parent, child) = (attribute("link", &joint.parent.link), attribute("link", &joint.child.link));
    let _ = write!(text, "<parent{parent}/><child{child}/><axis{}/>", numbers("xyz", &*joint.axis.xyz));
    if let Some([lower, upper]) = limits(&joint.limit) {
        let _ = write!(text, "<limit{}{}/>", numbers("lower", &[lower]), numbers("upper", &[upper]));
    }
    if let Some(mimic) = &joint.mimic {
        let number = |name, value: Option<f64>| value.map_or(String::new(), |value| numbers(name, &[value]));
        let (multiplier, offset) = (number("multiplier", mimic.multiplier), number("offset", mimic.offset));
        let _ = write!(text, "<mimic{}{multiplier}{offset}/>", attribute("joint", &mimic.joint));
    }
    text + "</joint>\n"
}

/// The range of a joint, if it has one.
fn limits(limit: &JointLimit) -> Option<[f64; 2]> {
    let unbounded = limit.lower == f64::NEG_INFINITY && limit.upper == f64::INFINITY;
    if unbounded || *limit == JointLimit::default() {
        return None;
    }
    // Text holds no infinity; every value is finite, so the largest number allows the same values.
    let lower = if limit.lower == f64::NEG_INFINITY { f64::MIN } else { limit.lower };
    let upper = if limit.upper == f64::INFINITY { f64::MAX } else { limit.upper };
    Some([lower, upper])
}

fn origin(pose: &Pose) -> String {
    format!("<origin{}{}/>", numbers("xyz", &*pose.xyz), numbers("rpy", &*pose.rpy))
}

/// An attribute of numbers: Rust prints the shortest digits that read back as the same number.
fn numbers(name: &str, values: &[f64]) -> String {
    let words: Vec<String> = values.iter().map(|value| format!("{value:?}")).collect();
    attribute(name, &words.join(" "))
}

/// An attribute; characters that XML would read as markup or as white space are escaped.
fn attribute(name: &str, value: &str) -> String {
    let mut text = format!(" {name}=\"");
    for c in value.chars() {
        match c {
            '&' | '<' | '>' | '"' | '\t' | '\n' | '\r' => {
                let _ = write!(text, "&#{};", u32::from(c));
            }
            _ => text.push(c),
        }
    }
    text + "\""
}
