//! A robot from a value of urdf-rs is the robot from the file, number by number; so is one from text in memory.

#![cfg(feature = "urdf-rs")]

mod common;

use std::path::Path;

use impinge::geometry::Shape;
use impinge::math::{Mat3, Pose};
use impinge::robot::{Joint, Robot};
use impinge_io::example::{self, arm_in_plant};
use impinge_io::{IoError, Loaded, UrdfOptions, load_urdf, load_urdf_rs, load_urdf_text};

/// All that a robot is made of as text; `Debug` prints the digits that read back as the same bits, and the sign of zero.
fn described(robot: &Robot) -> Vec<String> {
    let mut text = vec![format!("{} {} {:?}", robot.name(), robot.values(), robot.loops())];
    for link in robot.links() {
        text.push(link.name.clone());
        for piece in &link.pieces {
            let shape = match &piece.shape {
                Shape::Mesh(mesh) => format!("{:?} {:?} {:?}", mesh.vertices(), mesh.triangles(), mesh.error()),
                Shape::Primitive(primitive) => format!("{primitive:?}"),
            };
            text.push(format!("{:?} {:?} {shape}", unsigned_zeros(piece.part_from_shape), piece.error));
        }
    }
    let joint = |joint: &Joint| Joint { parent_from_joint: unsigned_zeros(joint.parent_from_joint), ..joint.clone() };
    text.extend(robot.joints().iter().map(|j| format!("{:?}", joint(j))));
    text
}

/// The same pose without negative zeros in its rotation: urdf-rs gives zeros where `<origin>` is missing, and angles of zero give -0, a missing
/// `<origin>` does not.
fn unsigned_zeros(pose: Pose) -> Pose {
    Pose { rotation: pose.rotation + Mat3::ZERO, ..pose }
}

/// Kinds and messages, sorted: urdf-rs keeps links and joints apart, files mix them.
fn warnings(loaded: &Loaded<Robot>) -> Vec<(&str, &str)> {
    let mut found: Vec<_> = loaded.warnings.iter().map(|w| (w.kind, w.message.as_str())).collect();
    found.sort_unstable();
    found
}

/// Loads a file in all three ways, which must agree.
fn same_three_ways(path: &Path) {
    let (folder, options) = (path.parent().expect("a folder"), UrdfOptions::default());
    let file = load_urdf(path, &options).unwrap_or_else(|e| panic!("{e}"));
    let bytes = std::fs::read(path).expect("it was read before");
    let text = load_urdf_text(&bytes, folder, &options).unwrap_or_else(|e| panic!("{e}"));
    let value = urdf_rs::read_from_string(std::str::from_utf8(&bytes).expect("UTF-8"));
    let value = value.unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let value = load_urdf_rs(&value, folder, &options).unwrap_or_else(|e| panic!("{e}"));
    for other in [&text.value, &value.value] {
        let (file, other) = (described(&file.value), described(other));
        assert_eq!(file.len(), other.len(), "{}", path.display());
        let differs = file.iter().zip(&other).find(|(a, b)| a != b);
        assert!(differs.is_none(), "{}: {differs:?}", path.display());
    }
    assert_eq!(warnings(&text), warnings(&file), "{}", path.display());
    assert_eq!(warnings(&value), warnings(&file), "{}", path.display());
    assert!(value.warnings.iter().all(|w| w.line.is_none() || !w.path.ends_with("<urdf_rs::Robot>")));
}

#[test]
fn shared_robots_are_the_same_three_ways() {
    let Some(folder) = common::shared("data/robots") else { return };
    for name in ["cad_snake", "fetch", "panda", "puma560", "talos", "ur10"] {
        same_three_ways(&folder.join(name).join(format!("{name}.urdf")));
    }
    let Some(folder) = common::shared("workloads") else { return };
    for set in ["articulated", "articulated_thin"] {
        same_three_ways(&folder.join(set).join("puma.urdf"));
    }
}

/// Values that urdf-rs reads without an error are refused by the same check as those of the file.
#[test]
fn shared_bad_files_are_refused_alike() {
    let Some(folder) = common::shared("cases/badfiles") else { return };
    let mut refused = 0;
    for entry in std::fs::read_dir(&folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        // Broken XML is the concern of urdf-rs, which may recurse without bound.
        if name.starts_with("xml") || !name.ends_with(".urdf") {
            continue;
        }
        let Some(value) = std::fs::read_to_string(&path).ok().and_then(|text| urdf_rs::read_from_string(&text).ok()) else {
            continue;
        };
        let class =
            |loaded: Result<Loaded<Robot>, IoError>| loaded.map_err(|e| e.class()).map(|robot| described(&robot.value)).err();
        let options = UrdfOptions::default();
        assert_eq!(class(load_urdf_rs(&value, &folder, &options)), class(load_urdf(&path, &options)), "{name}");
        refused += 1;
    }
    assert!(refused > 8, "{refused}");
}

/// Every joint type and shape, meshes, mimics, limits, numbers that are awkward to print.
const SMALL: &str = r#"<?xml version="1.0"?><robot name="small &amp; &quot;odd&quot;">
<link name="a&lt;b"><visual><geometry><sphere radius="1"/></geometry></visual></link>
<link name="box"><collision><origin xyz="0.1 -0 1e-300" rpy="0.1 0.2 -3.0000000000000004"/><geometry><box size="1 0.30000000000000004 5e-7"/></geometry></collision></link>
<joint name="r" type="revolute"><parent link="a&lt;b"/><child link="box"/><origin xyz="1 2 3"/><axis xyz="0 -1 1e-9"/><limit lower="-1.1" upper="1.7976931348623157e308" effort="1" velocity="1"/></joint>
<link name="round"><collision><geometry><cylinder radius="0.1" length="0"/></geometry></collision><collision><geometry><capsule radius="0.1" length="0.2"/></geometry></collision></link>
<joint name="c" type="continuous"><parent link="box"/><child link="round"/><mimic joint="r" multiplier="-0.1" offset="2.2250738585072014e-308"/></joint>
<link name="ball"><collision><geometry><sphere radius="0.7"/></geometry></collision></link>
<joint name="p" type="prismatic"><parent link="round"/><child link="ball"/><axis xyz="0 0 1"/></joint>
<link name="plane"/><joint name="planar" type="planar"><parent link="ball"/><child link="plane"/><axis xyz="0 0 1"/></joint>
<link name="free"/><joint name="floating" type="floating"><parent link="plane"/><child link="free"/></joint>
<link name="mesh"><collision><geometry><mesh filename="meshes/m.stl" scale="0.1 -0.1 0.1"/></geometry></collision><collision><origin rpy="0 1.5707963267948966 0"/><geometry><mesh filename="meshes/m.stl"/></geometry></collision></link>
<joint name="fixed" type="fixed"><parent link="free"/><child link="mesh"/></joint>
</robot>"#;

#[test]
fn small_robots_are_the_same_three_ways() {
    let folder = std::env::temp_dir().join(format!("impinge-urdf-value-{}", std::process::id()));
    let files = example::write(&arm_in_plant(), &folder).expect("can write");
    let mesh = files.iter().find(|f| f.extension().is_some_and(|e| e == "stl")).expect("a mesh");
    std::fs::copy(mesh, folder.join("meshes/m.stl")).expect("can write");
    std::fs::write(folder.join("small.urdf"), SMALL).expect("can write");
    same_three_ways(&folder.join("arm.urdf"));
    same_three_ways(&folder.join("small.urdf"));
    std::fs::remove_dir_all(&folder).expect("can remove");
}

fn value() -> urdf_rs::Robot {
    urdf_rs::read_from_string(
        "<robot name='r'><link name='a'/><link name='b'><collision><geometry><sphere radius='1'/></geometry></collision></link>
         <joint name='j' type='revolute'><parent link='a'/><child link='b'/><axis xyz='0 0 1'/>
         <limit lower='-1' upper='1' effort='1' velocity='1'/></joint></robot>",
    )
    .expect("a robot")
}

fn load(value: &urdf_rs::Robot) -> Result<Loaded<Robot>, IoError> {
    load_urdf_rs(value, "somewhere", &UrdfOptions::default())
}

/// Text in between loses nothing.
#[test]
fn every_number_keeps_its_bits() {
    let mut state = 1u64;
    let mut checked = 0;
    let mut robot = value();
    while checked < 2000 {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let number = f64::from_bits(state.rotate_left(29));
        if !number.is_finite() {
            continue;
        }
        let limit = &mut robot.joints[0].limit;
        (limit.lower, limit.upper) = (-number.abs(), number.abs());
        let limits = load(&robot).expect("finite").value.joints()[0].limits.expect("a range");
        assert_eq!((limits.lower.to_bits(), limits.upper.to_bits()), ((-number.abs()).to_bits(), number.abs().to_bits()));
        checked += 1;
    }
}

#[test]
fn missing_and_infinite_limits_are_no_range() {
    let limits = |lower, upper| {
        let mut robot = value();
        (robot.joints[0].limit.lower, robot.joints[0].limit.upper) = (lower, upper);
        let loaded = load(&robot).expect("a robot");
        (loaded.value.joints()[0].limits.map(|l| (l.lower, l.upper)), loaded.warns("no-limits"))
    };
    assert_eq!(limits(-1.0, 1.0), (Some((-1.0, 1.0)), false));
    assert_eq!(limits(f64::NEG_INFINITY, f64::INFINITY), (None, true));
    assert_eq!(limits(0.0, f64::INFINITY), (Some((0.0, f64::MAX)), false));
    assert_eq!(limits(f64::NEG_INFINITY, 0.0), (Some((f64::MIN, 0.0)), false));
    // A range of one value is no missing range: the effort of 1 says that there was an element.
    assert_eq!(limits(0.0, 0.0), (Some((0.0, 0.0)), false));
    let mut missing = value();
    missing.joints[0].limit = urdf_rs::JointLimit::default();
    let loaded = load(&missing).expect("a robot");
    assert!(loaded.value.joints()[0].limits.is_none() && loaded.warns("no-limits"));
}

/// The checks of files, without lines; options count as for files.
#[test]
fn wrong_values_are_refused_as_in_files() {
    let refused = |change: fn(&mut urdf_rs::Robot)| {
        let mut robot = value();
        change(&mut robot);
        let error = load(&robot).expect_err("refused");
        assert_eq!(
            (error.place().line, error.place().path.as_path()),
            (None, Path::new("somewhere/<urdf_rs::Robot>")),
            "{error}"
        );
        error.class()
    };
    assert_eq!(refused(|r| r.links[1].collision[0].origin.xyz[1] = f64::NAN), "NonFinite");
    assert_eq!(refused(|r| r.joints[0].limit.lower = f64::NAN), "NonFinite");
    assert_eq!(refused(|r| r.joints[0].limit.lower = f64::INFINITY), "NonFinite");
    assert_eq!(refused(|r| r.joints[0].axis.xyz = urdf_rs::Vec3([0.0; 3])), "BadAxis");
    assert_eq!(refused(|r| r.joints[0].limit.upper = -2.0), "BadLimits");
    assert_eq!(refused(|r| r.joints[0].joint_type = urdf_rs::JointType::Spherical), "BadElement");
    assert_eq!(refused(|r| r.joints[0].child.link = "\"/><link name=\"c".into()), "UnknownLink");
    assert_eq!(refused(|r| r.links[0].name.push('\0')), "BadElement");
    assert_eq!(refused(|r| r.links.clear()), "Model");
    let mut reversed = value();
    reversed.joints[0].limit.upper = -2.0;
    let lenient = UrdfOptions { lenient: true, ..UrdfOptions::default() };
    assert!(load_urdf_rs(&reversed, "somewhere", &lenient).expect("lenient").warns("reversed-limits"));
}

#[test]
fn names_with_any_characters_come_back() {
    for name in ["<&>\"'", " a\tb\nc\rd ", "ä→🤖", "&amp;"] {
        let mut robot = value();
        robot.links[1].name = name.into();
        robot.joints[0].child.link = name.into();
        assert_eq!(load(&robot).expect(name).value.links()[1].name, name);
    }
}
