//! Arguments for moving robots and bodies, their bases and attached parts.

use std::f64::consts::TAU;
use std::path::PathBuf;

use clap::Args;
use impinge::{Pose, Vec3};
use impinge_io::UpAxis;
use impinge_io::bvh::Between;
use impinge_io::quantity::{Dimension, Quantity, length};

use crate::warn;

/// Moving robots and bodies, their bases and attached parts.
#[derive(Debug, Args)]
#[command(next_help_heading = "Robots and bodies")]
pub struct MoverArgs {
    /// A robot (URDF) or a skeleton with recorded motion (BVH), with a name; repeatable
    #[arg(long = "robot", value_name = "NAME=FILE", value_parser = named_file)]
    pub robots: Vec<(String, PathBuf)>,
    /// A free rigid body that moves, with a name; repeatable
    #[arg(long = "body", value_name = "NAME=MESH", value_parser = named_file)]
    pub bodies: Vec<(String, PathBuf)>,
    /// Pose of a robot's root link: in the world or, with LINK@, on that link (robot/link) of a robot named before; repeatable
    #[arg(long, value_name = "[NAME=][LINK@]X,Y,Z[,R,P,Y]", value_parser = base, allow_hyphen_values = true)]
    pub base: Vec<Base>,
    /// Attach a mesh to a link, at a pose in the link frame; it moves with the link and is not checked against it; repeatable
    #[arg(long, value_name = "LINK=MESH[@X,Y,Z[,R,P,Y]]", value_parser = attach)]
    pub attach: Vec<Attach>,
    /// Parts that attached meshes may touch, besides the link they are attached to
    #[arg(long, value_name = "LINK,…", value_delimiter = ',', requires = "attach")]
    pub touch: Vec<String>,
    /// Values of joints that a motion does not name, and the configuration of a static robot: {"joint": value, …} or a list of
    /// all, or @NAME for a group state of the SRDF; repeatable with NAME= where there are several robots
    #[arg(long, value_name = "[NAME=]FILE.json|@STATE")]
    pub state: Vec<String>,
    /// Length of one unit of BVH files (CMU: about 0.056) [default: 1m]
    #[arg(long, value_name = "LENGTH", value_parser = length, allow_hyphen_values = true)]
    pub bvh_scale: Option<f64>,
    /// Radius of the bones of BVH skeletons [default: 0.15 of each bone's length]
    #[arg(long, value_name = "LENGTH", value_parser = length, allow_hyphen_values = true)]
    pub bone_radius: Option<f64>,
    /// Meshes for bones of BVH skeletons: a folder of files named after joints, in joint frames and the file's unit
    #[arg(long, value_name = "DIR")]
    pub bones: Option<PathBuf>,
    /// Interpolation of BVH skeletons between two frames: `channels` interpolates every recorded channel linearly (jumps, such as
    /// from 179 to -179 degrees, the short way), `axis` rotates every joint about one axis, the short way [default: channels]
    #[arg(long, value_name = "HOW", value_parser = between)]
    pub bvh_between: Option<Between>,
}

impl MoverArgs {
    /// Returns the first argument that applies to skeletons.
    pub fn of_skeletons(&self) -> Option<&'static str> {
        let given = [
            (self.bvh_scale.is_some(), "--bvh-scale"),
            (self.bone_radius.is_some(), "--bone-radius"),
            (self.bones.is_some(), "--bones"),
            (self.bvh_between.is_some(), "--bvh-between"),
        ];
        given.into_iter().find(|(is_given, _)| *is_given).map(|(_, flag)| flag)
    }
}

/// The base of a robot.
#[derive(Clone, Debug, PartialEq)]
pub struct Base {
    /// The robot, where there are several.
    pub name: Option<String>,
    /// The link that carries the base; the world if absent.
    pub link: Option<String>,
    pub pose: PoseArg,
}

/// A part attached to a link.
#[derive(Clone, Debug, PartialEq)]
pub struct Attach {
    pub link: String,
    pub mesh: PathBuf,
    pub pose: PoseArg,
}

/// A pose, and a hint about a likely mistake.
#[derive(Clone, Debug, PartialEq)]
pub struct PoseArg {
    pub pose: Pose,
    pub hint: Option<String>,
}

impl PoseArg {
    /// Prints the hint, if there is one; `flag` is the flag that gave the pose.
    pub fn print_hint(&self, flag: &str) {
        warn::hint(self.hint.as_ref().map(|hint| format!("{flag}: {hint}")));
    }
}

/// Joint values, or a pose, of one of the robots and bodies.
#[derive(Clone, Debug, PartialEq)]
pub struct EndArg {
    /// The robot or body, where there are several.
    pub name: Option<String>,
    pub values: Given,
}

impl EndArg {
    /// Tests whether any value has a unit.
    pub fn has_units(&self) -> bool {
        self.values.has_units()
    }
}

/// Tests whether the user writes units: some value has one, and none without a unit exceeds a full turn.
pub fn writes_units<'a>(ends: impl IntoIterator<Item = &'a EndArg>) -> bool {
    let quantities: Vec<&Quantity> = ends.into_iter().flat_map(|end| end.values.quantities()).collect();
    let bare = |q: &&&Quantity| q.dimension.is_none();
    quantities.iter().any(|q| q.dimension.is_some()) && quantities.iter().filter(bare).all(|q| q.value.abs() <= TAU)
}

impl Given {
    /// Tests whether any value has a unit.
    pub fn has_units(&self) -> bool {
        self.quantities().iter().any(|q| q.dimension.is_some())
    }

    fn quantities(&self) -> Vec<&Quantity> {
        match self {
            Given::InOrder(values) => values.iter().collect(),
            Given::Named(settings) => {
                settings.iter().filter_map(|s| if let Setting::Joint(_, q) = s { Some(q) } else { None }).collect()
            }
        }
    }
}

/// Values as given on the command line.
#[derive(Clone, Debug, PartialEq)]
pub enum Given {
    /// All values, in the order of the moving joints; or a pose.
    InOrder(Vec<Quantity>),
    /// Some of the values: states from left to right, then joints.
    Named(Vec<Setting>),
}

/// A setting of some joints.
#[derive(Clone, Debug, PartialEq)]
pub enum Setting {
    /// A group state of the SRDF.
    State(String),
    Joint(String, Quantity),
}

/// Parses `0.1,-20deg`, `elbow=90deg,wrist=-0.2` or `@ready,elbow=0.5`, prefixed with `NAME:` where several robots or bodies
/// move.
pub fn end(text: &str) -> Result<EndArg, String> {
    match text.split_once(':') {
        Some((name, rest)) if !name.contains(['=', ',', '@']) => {
            Ok(EndArg { name: Some(filled(name)?.to_owned()), values: given(rest)? })
        }
        _ => Ok(EndArg { name: None, values: given(text)? }),
    }
}

/// Parses the values of [`end`].
pub fn given(text: &str) -> Result<Given, String> {
    if !text.contains(['=', '@']) {
        return quantities(text).map(Given::InOrder);
    }
    let setting = |part: &str| match (part.trim().strip_prefix('@'), part.split_once('=')) {
        (Some(state), _) => Ok(Setting::State(filled(state)?.to_owned())),
        (None, Some((name, value))) => Ok(Setting::Joint(filled(name)?.to_owned(), Quantity::parse(value)?)),
        (None, None) => Err(format!("'{}' has no joint name; write joint=value for all or for none", part.trim())),
    };
    text.split(',').map(setting).collect::<Result<_, _>>().map(Given::Named)
}

fn between(text: &str) -> Result<Between, String> {
    match text {
        "channels" => Ok(Between::Channels),
        "axis" => Ok(Between::OneAxis),
        _ => Err("write channels or axis".into()),
    }
}

/// Parses `z` or `stored`.
pub fn up_axis(text: &str) -> Result<UpAxis, String> {
    match text {
        "z" => Ok(UpAxis::TurnToZ),
        "stored" => Ok(UpAxis::AsStored),
        _ => Err("write z or stored".into()),
    }
}

fn named_file(text: &str) -> Result<(String, PathBuf), String> {
    let (name, file) = text.split_once('=').ok_or("write NAME=FILE")?;
    Ok((filled(name)?.to_owned(), filled(file)?.into()))
}

fn base(text: &str) -> Result<Base, String> {
    let (name, place) = text.split_once('=').map_or((None, text), |(name, place)| (Some(name), place));
    let (link, numbers) = place.rsplit_once('@').map_or((None, place), |(link, numbers)| (Some(link), numbers));
    let owned = |name: Option<&str>| name.map(|n| filled(n).map(str::to_owned)).transpose();
    Ok(Base { name: owned(name)?, link: owned(link)?, pose: pose(numbers)? })
}

fn attach(text: &str) -> Result<Attach, String> {
    let (link, rest) = text.split_once('=').ok_or("write LINK=MESH or LINK=MESH@X,Y,Z,R,P,Y")?;
    // A file name may contain an @: the last one separates the pose.
    let (mesh, pose) = match rest.rsplit_once('@') {
        Some((mesh, numbers)) if numbers.contains(',') => (mesh, pose(numbers)?),
        _ => (rest, PoseArg { pose: Pose::IDENTITY, hint: None }),
    };
    Ok(Attach { link: filled(link)?.to_owned(), mesh: filled(mesh)?.into(), pose })
}

/// Parses `X,Y,Z` or `X,Y,Z,R,P,Y`.
pub fn pose(text: &str) -> Result<PoseArg, String> {
    let given = quantities(text)?;
    Ok(PoseArg { pose: pose_of(&given)?, hint: angle_hint(given.get(3..).unwrap_or_default()) })
}

/// Returns a hint if angles of a pose look like degrees: beyond a full turn, and without a unit.
pub fn angle_hint(angles: &[Quantity]) -> Option<String> {
    let bare = |q: &&Quantity| q.dimension.is_none() && q.value.abs() > TAU;
    let Quantity { value, .. } = angles.iter().find(bare)?;
    Some(format!("the angle {value} is in radians ({:.1} turns); write {value}deg for degrees", value / TAU))
}

/// Returns the pose of three lengths, or of three lengths and three angles: a position, and roll, pitch, yaw.
pub fn pose_of(given: &[Quantity]) -> Result<Pose, String> {
    let (position, angles) = match given.len() {
        3 => (given, &[][..]),
        6 => given.split_at(3),
        count => return Err(format!("{count} numbers; a pose is X,Y,Z or X,Y,Z,R,P,Y")),
    };
    let turned = if angles.is_empty() { Vec3::ZERO } else { vector_of(angles, Dimension::Angle)? };
    Pose::from_rpy(vector_of(position, Dimension::Length)?, turned).map_err(|e| e.to_string())
}

/// Parses `X,Y,Z`: three lengths or three angles.
pub fn vector(text: &str, dimension: Dimension) -> Result<Vec3, String> {
    vector_of(&quantities(text)?, dimension)
}

fn vector_of(given: &[Quantity], dimension: Dimension) -> Result<Vec3, String> {
    match given {
        [x, y, z] => Ok(Vec3::new(x.as_a(dimension)?, y.as_a(dimension)?, z.as_a(dimension)?)),
        other => Err(format!("{} numbers; write X,Y,Z", other.len())),
    }
}

/// Parses comma-separated numbers with or without units.
pub fn quantities(text: &str) -> Result<Vec<Quantity>, String> {
    text.split(',').map(Quantity::parse).collect()
}

fn filled(text: &str) -> Result<&str, String> {
    let text = text.trim();
    if text.is_empty() { Err("a name is empty".into()) } else { Ok(text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(value: f64) -> Quantity {
        Quantity { value, dimension: None }
    }

    #[test]
    fn values_come_by_position_or_by_name() {
        let degrees = |degrees: f64| Quantity { value: degrees.to_radians(), dimension: Some(Dimension::Angle) };
        let set = |name: &str, value| Setting::Joint(name.into(), value);
        assert_eq!(given("-0.5, 1e-3,90deg"), Ok(Given::InOrder(vec![plain(-0.5), plain(1e-3), degrees(90.0)])));
        assert_eq!(given("a=-1,b = 180deg"), Ok(Given::Named(vec![set("a", plain(-1.0)), set("b", degrees(180.0))])));
        assert_eq!(given("@ready, a=1"), Ok(Given::Named(vec![Setting::State("ready".into()), set("a", plain(1.0))])));
        for bad in ["", "1,,2", "a=1,2", "a=x", "1;2", "@", "@ready,1", "=1", "1 parsec"] {
            assert!(given(bad).is_err() && end(bad).is_err(), "{bad}");
        }
        let named = |text: &str| end(text).map(|e| (e.name, e.values));
        assert_eq!(named("left:1"), Ok((Some("left".into()), Given::InOrder(vec![plain(1.0)]))));
        assert_eq!(named("left:@up").map(|e| e.1), Ok(Given::Named(vec![Setting::State("up".into())])));
        assert_eq!(named("left:ns:j=1").map(|e| e.1), Ok(Given::Named(vec![set("ns:j", plain(1.0))])));
        assert!(named(":1").is_err() && named("left:").is_err());
    }

    #[test]
    fn poses_take_units() {
        let PoseArg { pose: at, hint } = pose("5mm,-1cm,0.1,0,0,90deg").expect("a pose");
        assert_eq!(hint, None);
        let hint = |text: &str| pose(text).expect("a pose").hint;
        assert!(hint("0,0,0,0,0,90").is_some_and(|h| h.contains("14.3 turns") && h.contains("90deg")));
        assert!(hint("0,0,0,0,-45,90deg").is_some_and(|h| h.contains("-45deg")));
        assert_eq!((hint("90,0,0"), hint("0,0,0,0,0,6.28"), hint("0,0,0,0,0,450deg")), (None, None, None));
        assert_eq!(at.translation, Vec3::new(0.005, -0.01, 0.1));
        assert_eq!(
            at.rotation,
            Pose::from_rpy(Vec3::ZERO, Vec3::new(0.0, 0.0, std::f64::consts::FRAC_PI_2)).expect("finite").rotation
        );
        assert!(pose("1,2").is_err() && pose("1,2,90deg").is_err() && pose("1,2,3,0,0,1m").is_err());
    }

    #[test]
    fn files_bases_and_attachments() {
        assert_eq!(named_file("left=a=b.urdf"), Ok(("left".into(), "a=b.urdf".into())));
        assert!(named_file("a.urdf").is_err() && named_file("=a").is_err() && named_file("a=").is_err());
        let at = |x: f64| PoseArg { pose: Pose::from_translation(Vec3::new(x, 0.0, 0.0)), hint: None };
        assert_eq!(base("-1,0,0"), Ok(Base { name: None, link: None, pose: at(-1.0) }));
        assert_eq!(base("b=a/tip@1,0,0,0,0,0"), Ok(Base { name: Some("b".into()), link: Some("a/tip".into()), pose: at(1.0) }));
        assert!(base("b=1,0").is_err() && base("b=@1,0,0").is_err() && base("b=1,0,x").is_err() && base("b=1,0,inf").is_err());
        assert_eq!(attach("hand=cup.stl").map(|a| a.pose.pose), Ok(Pose::IDENTITY));
        let held = attach("hand=a@b.stl@1,0,0").expect("fine");
        assert_eq!((held.link.as_str(), held.mesh, held.pose), ("hand", "a@b.stl".into(), at(1.0)));
        assert!(attach("cup.stl").is_err() && attach("hand=cup.stl@1,2").is_err() && attach("hand=@1,2,3").is_err());
    }
}
