//! What moves, where it stands, what it holds: arguments.

use std::path::PathBuf;

use clap::Args;
use impinge::{Pose, Vec3};
use impinge_io::bvh::Between;
use impinge_io::{JointValues, UpAxis};

/// What moves, where it stands, what it holds.
#[derive(Debug, Args)]
#[command(next_help_heading = "What moves")]
pub struct MoverArgs {
    /// A robot (URDF) or a skeleton with its motion (BVH), under a name; repeatable
    #[arg(long = "robot", value_name = "NAME=FILE", value_parser = named_file)]
    pub robots: Vec<(String, PathBuf)>,
    /// A rigid body that moves freely, under a name; repeatable
    #[arg(long = "body", value_name = "NAME=MESH", value_parser = named_file)]
    pub bodies: Vec<(String, PathBuf)>,
    /// Where a robot's root stands: metres, and roll, pitch, yaw; with LINK@ on that link (robot/link) of a robot named before; repeatable
    #[arg(long, value_name = "[NAME=][LINK@]X,Y,Z[,R,P,Y]", value_parser = base, allow_hyphen_values = true)]
    pub base: Vec<Base>,
    /// A mesh that a link holds and moves with, at a pose in the link; not checked against that link; repeatable
    #[arg(long, value_name = "LINK=MESH[@X,Y,Z[,R,P,Y]]", value_parser = attach)]
    pub attach: Vec<Attach>,
    /// Parts that what is attached may touch, besides the link that holds it
    #[arg(long, value_name = "LINK,…", value_delimiter = ',', requires = "attach")]
    pub touch: Vec<String>,
    /// Metres per unit of BVH files (CMU's: about 0.056)
    #[arg(long, value_name = "M", default_value_t = 1.0, allow_hyphen_values = true)]
    pub bvh_scale: f64,
    /// Radius of the bones of BVH skeletons, metres [default: 0.15 of each bone's length]
    #[arg(long, value_name = "M", allow_hyphen_values = true)]
    pub bone_radius: Option<f64>,
    /// Meshes for bones of BVH skeletons: a folder of files named after joints, in their frames and the file's unit
    #[arg(long, value_name = "DIR")]
    pub bones: Option<PathBuf>,
    /// How BVH skeletons move between two frames: `channels`, every recorded channel along a straight line (differences beyond 180 degrees the
    /// short way), or `axis`, every joint about one axis, the short way
    #[arg(long, value_name = "HOW", default_value = "channels", value_parser = between)]
    pub bvh_between: Between,
}

/// Where a robot stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Base {
    /// Which robot, where there are several.
    pub name: Option<String>,
    /// The link it stands on; the world where none is named.
    pub link: Option<String>,
    pub pose: Pose,
}

/// What a link holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Attach {
    pub link: String,
    pub mesh: PathBuf,
    pub pose: Pose,
}

/// Joint values, or a pose, of one of the things that move.
#[derive(Clone, Debug, PartialEq)]
pub struct EndArg {
    /// Which one, where there are several.
    pub name: Option<String>,
    pub values: JointValues,
}

/// `0.1,-0.2` or `elbow=0.1,wrist=-0.2`, with `NAME:` in front where several things move.
pub fn end(text: &str) -> Result<EndArg, String> {
    match text.split_once(':') {
        Some((name, rest)) if !name.contains(['=', ',']) => {
            Ok(EndArg { name: Some(filled(name)?.to_owned()), values: joint_values(rest)? })
        }
        _ => Ok(EndArg { name: None, values: joint_values(text)? }),
    }
}

/// `0.1,-0.2` or `elbow=0.1,wrist=-0.2`.
pub fn joint_values(text: &str) -> Result<JointValues, String> {
    if !text.contains('=') {
        return numbers(text).map(JointValues::Array);
    }
    let named = text.split(',').map(|part| match part.split_once('=') {
        Some((name, value)) => Ok((name.trim().to_owned(), vec![number(value)?])),
        None => Err(format!("'{}' has no joint name; write joint=value for all or for none", part.trim())),
    });
    named.collect::<Result<_, _>>().map(JointValues::ByName)
}

fn between(text: &str) -> Result<Between, String> {
    match text {
        "channels" => Ok(Between::Channels),
        "axis" => Ok(Between::OneAxis),
        _ => Err("write channels or axis".into()),
    }
}

/// `z` or `stored`.
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
    // A file's name may hold an @, too: what stands behind the last one decides.
    let (mesh, pose) = match rest.rsplit_once('@') {
        Some((mesh, numbers)) if numbers.contains(',') => (mesh, pose(numbers)?),
        _ => (rest, Pose::IDENTITY),
    };
    Ok(Attach { link: filled(link)?.to_owned(), mesh: filled(mesh)?.into(), pose })
}

/// `X,Y,Z` or `X,Y,Z,R,P,Y`.
pub fn pose(text: &str) -> Result<Pose, String> {
    pose_of(&numbers(text)?)
}

/// The pose of three or six numbers: a position, and roll, pitch, yaw.
pub fn pose_of(numbers: &[f64]) -> Result<Pose, String> {
    let (at, turned) = match *numbers {
        [x, y, z] => (Vec3::new(x, y, z), Vec3::ZERO),
        [x, y, z, roll, pitch, yaw] => (Vec3::new(x, y, z), Vec3::new(roll, pitch, yaw)),
        _ => return Err(format!("{} numbers; a pose is X,Y,Z or X,Y,Z,R,P,Y", numbers.len())),
    };
    Pose::from_rpy(at, turned).map_err(|e| e.to_string())
}

pub fn numbers(text: &str) -> Result<Vec<f64>, String> {
    text.split(',').map(number).collect()
}

fn number(text: &str) -> Result<f64, String> {
    let text = text.trim();
    text.parse::<f64>().map_err(|_| format!("'{text}' is not a number; write values separated by commas"))
}

fn filled(text: &str) -> Result<&str, String> {
    let text = text.trim();
    if text.is_empty() { Err("a name is empty".into()) } else { Ok(text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_by_position_or_by_name() {
        assert_eq!(joint_values("-0.5, 1e-3"), Ok(JointValues::Array(vec![-0.5, 1e-3])));
        assert_eq!(joint_values("a=-1,b = 2"), Ok(JointValues::ByName(vec![("a".into(), vec![-1.0]), ("b".into(), vec![2.0])])));
        for bad in ["", "1,,2", "a=1,2", "a=x", "1;2"] {
            assert!(joint_values(bad).is_err() && end(bad).is_err(), "{bad}");
        }
        let named = |text: &str| end(text).map(|e| (e.name, e.values));
        assert_eq!(named("left:1"), Ok((Some("left".into()), JointValues::Array(vec![1.0]))));
        assert_eq!(named("left:ns:j=1").map(|e| e.1), Ok(JointValues::ByName(vec![("ns:j".into(), vec![1.0])])));
        assert!(named(":1").is_err() && named("left:").is_err());
    }

    #[test]
    fn files_bases_and_attachments() {
        assert_eq!(named_file("left=a=b.urdf"), Ok(("left".into(), "a=b.urdf".into())));
        assert!(named_file("a.urdf").is_err() && named_file("=a").is_err() && named_file("a=").is_err());
        let at = |x: f64| Pose::from_translation(Vec3::new(x, 0.0, 0.0));
        assert_eq!(base("-1,0,0"), Ok(Base { name: None, link: None, pose: at(-1.0) }));
        assert_eq!(base("b=a/tip@1,0,0,0,0,0"), Ok(Base { name: Some("b".into()), link: Some("a/tip".into()), pose: at(1.0) }));
        assert!(base("b=1,0").is_err() && base("b=@1,0,0").is_err() && base("b=1,0,x").is_err() && base("b=1,0,inf").is_err());
        assert_eq!(attach("hand=cup.stl").map(|a| a.pose), Ok(Pose::IDENTITY));
        let held = attach("hand=a@b.stl@1,0,0").expect("fine");
        assert_eq!((held.link.as_str(), held.mesh, held.pose), ("hand", "a@b.stl".into(), at(1.0)));
        assert!(attach("cup.stl").is_err() && attach("hand=cup.stl@1,2").is_err() && attach("hand=@1,2,3").is_err());
    }
}
