use std::path::Path;

use impinge::Scene;
use impinge::geometry::{Primitive, Shape};
use impinge::math::Vec3;

use super::*;

/// A hip with two legs of one unit and a spine with an end site; the right leg has no channels.
pub(crate) const SMALL: &str = "HIERARCHY\nROOT Hips\n{\n  OFFSET 0 0 0\n  CHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation\n\
    \x20 JOINT LeftLeg\n  {\n    OFFSET 1 0 0\n    CHANNELS 3 Zrotation Yrotation Xrotation\n\
    \x20   End Site\n    {\n      OFFSET 0 -2 0\n    }\n  }\n\
    \x20 JOINT RightLeg\n  {\n    OFFSET -1 0 0\n    CHANNELS 0\n    End Site\n    {\n      OFFSET 0 0 0\n    }\n  }\n}\n\
    MOTION\nFrames: 3\nFrame Time: 0.5\n\
    0 10 0  0 0 0  0 0 0\n1 10 0  90 0 0  0 0 90\n1 10 0  450 30 0  0 0 -270\n";

fn read(text: &str, options: &BvhOptions) -> Result<Loaded<Bvh>> {
    super::parse(text.as_bytes(), Path::new("dancer.bvh"), options)
}

fn refused(from: &str, to: &str) -> (&'static str, String) {
    assert!(SMALL.contains(from), "{from}");
    let error = read(&SMALL.replacen(from, to, 1), &BvhOptions::default()).expect_err(to);
    (error.class(), error.to_string())
}

#[test]
fn skeletons_become_robots() {
    let loaded = read(SMALL, &BvhOptions { scale: 0.5, ..BvhOptions::default() }).expect("a skeleton");
    assert!(loaded.warnings.is_empty(), "{:?}", loaded.warnings);
    let Bvh { robot, track, joined } = loaded.value;
    // One value for each of the nine channels; seven links without bones between the four of the file.
    assert_eq!((robot.name(), robot.values(), robot.links().len()), ("dancer", 9, 11));
    assert_eq!(joined, [("Hips", "LeftLeg"), ("Hips", "RightLeg")].map(|(a, b)| (a.to_owned(), b.to_owned())));
    let names: Vec<&str> = robot.moving_joints().map(|j| j.name.as_str()).collect();
    assert_eq!(names[..4], ["Hips.Xposition", "Hips.Yposition", "Hips.Zposition", "Hips.Zrotation"]);
    assert_eq!(track.times, [0.0, 0.5, 1.0]);
    let pieces = |link: &str| &robot.links()[robot.find_link(link).expect(link)].pieces;
    assert_eq!((pieces("origin").len(), pieces("Hips").len(), pieces("LeftLeg").len(), pieces("RightLeg").len()), (0, 2, 1, 0));
    let leg = &pieces("LeftLeg")[0];
    assert!(
        matches!(leg.shape, Shape::Primitive(Primitive::Capsule { radius, half_length: 0.5 }) if (radius - 0.15).abs() < 1e-15)
    );
    // From the knee to one metre below it.
    for (z, y) in [(-0.5, 0.0), (0.5, -1.0)] {
        let end = leg.part_from_shape.apply(Vec3::new(0.0, 0.0, z));
        assert!((end - Vec3::new(0.0, y, 0.0)).norm() < 1e-15, "{end:?}");
    }
    let thick = read(SMALL, &BvhOptions { bone_radius: Some(0.3), ..BvhOptions::default() }).expect("a skeleton").value.robot;
    assert!(
        thick
            .links()
            .iter()
            .flat_map(|l| &l.pieces)
            .all(|p| matches!(p.shape, Shape::Primitive(Primitive::Capsule { radius: 0.3, .. })))
    );
}

/// Poses of joints in each frame, from matrices multiplied as the format defines: Rz Ry Rx.
#[test]
fn frames_are_where_the_format_says() {
    for between in [Between::Channels, Between::OneAxis] {
        frames_are_right(between);
    }
}

fn frames_are_right(between: Between) {
    let Bvh { robot, track, .. } = read(SMALL, &BvhOptions { between, ..BvhOptions::default() }).expect("a skeleton").value;
    let scene = Scene::builder().robot("d", robot).build().expect("a scene");
    let id = scene.robot("d").expect("there");
    let foot = |frame: usize| {
        let motion = scene.motion().rest(id, &track.rows[frame]).build().expect("finite");
        let pose = scene.poses(&motion, 0.0).expect("of this scene").find(|(name, _)| *name == "d/LeftLeg").expect("there").1;
        pose.apply(Vec3::new(0.0, -2.0, 0.0))
    };
    // At rest; then the hip is rotated by 90 degrees about z and the leg by 90 about x: (1, 0, 0) and then (0, 0, -2), rotated.
    for (frame, wanted) in [(0, [1.0, 8.0, 0.0]), (1, [1.0, 11.0, -2.0])] {
        assert!((foot(frame) - Vec3::from(wanted)).norm() < 1e-14, "{frame}: {:?}", foot(frame));
    }
    // 450 is 90 and -270 is 90; the hip is also rotated by 30 about its own y: R = Rz(90) Ry(30).
    let turned = impinge::Pose::from_rpy(Vec3::new(1.0, 10.0, 0.0), Vec3::new(0.0, 30f64.to_radians(), 90f64.to_radians()));
    let wanted = turned.expect("finite").apply(Vec3::new(1.0, 0.0, -2.0));
    assert!((foot(2) - wanted).norm() < 1e-14, "{:?} {wanted:?}", foot(2));
}

#[test]
fn what_is_wrong_is_named_by_line() {
    for (from, to, class, line) in [
        ("HIERARCHY", "HIERARCHIE", "BadElement", 1),
        ("ROOT Hips", "ROOT {", "BadElement", 2),
        ("OFFSET 0 0 0", "OFFSET 0 nan 0", "NonFinite", 4),
        ("OFFSET 0 0 0", "OFFSET 0 x 0", "BadNumber", 4),
        ("CHANNELS 6", "CHANNELS 7", "BadElement", 5),
        ("CHANNELS 6", "CHANNELS -1", "BadElement", 5),
        ("Xposition", "Wposition", "BadElement", 5),
        ("Xposition", "Zrotation", "BadElement", 5),
        ("JOINT LeftLeg", "JOINT Hips", "BadElement", 9),
        ("JOINT LeftLeg", "BONE LeftLeg", "BadElement", 6),
        ("End Site", "End Sight", "BadElement", 10),
        ("MOTION", "ROOT Other { OFFSET 0 0 0 CHANNELS 0 }\nMOTION", "UnsupportedFormat", 25),
        ("Frames: 3", "Frames: 0", "BadElement", 26),
        ("Frames: 3", "Frames: 99999999999", "TooLarge", 26),
        ("Frames: 3", "Frames: 2", "BadElement", 30),
        ("Frames: 3", "Frames: 4", "Truncated", 30),
        ("Frame Time: 0.5", "Frame Time: 0", "BadElement", 27),
        ("Frame Time: 0.5", "Frame Time: 0.5 0", "BadElement", 27),
        ("0 10 0  0 0 0  0 0 0", "0 10 0  0 0 0  0 0", "BadElement", 28),
        ("0 10 0  0 0 0  0 0 0", "0 10 0  0 0 0  0 0 inf", "NonFinite", 28),
    ] {
        let (found, message) = refused(from, to);
        assert_eq!(found, class, "{to}: {message}");
        assert!(message.starts_with(&format!("dancer.bvh:{line}: ")) && message.contains("; "), "{to}: {message}");
    }
    for cut in [0, 9, 30, 120, 300] {
        let error = read(&SMALL[..cut], &BvhOptions::default()).expect_err("cut short");
        assert!(matches!(error.class(), "Truncated" | "BadElement"), "{cut}: {error}");
    }
    let deep =
        format!("HIERARCHY\nROOT a {}", (0..300).map(|i| format!("{{ OFFSET 0 0 0 CHANNELS 0 JOINT b{i} ")).collect::<String>());
    assert_eq!(read(&deep, &BvhOptions::default()).expect_err("deep").class(), "TooDeep");
    // Found by fuzzing: the error did not name the file.
    let long =
        read(&SMALL.replace("OFFSET 0 -2 0", "OFFSET 0 -3e63 0"), &BvhOptions::default()).expect_err("out of range").to_string();
    assert!(long.starts_with("dancer.bvh: a bone of joint '") && long.contains("scale the model"), "{long}");
    for options in [
        BvhOptions { scale: 0.0, ..BvhOptions::default() },
        BvhOptions { scale: f64::NAN, ..BvhOptions::default() },
        BvhOptions { bone_radius: Some(-1.0), ..BvhOptions::default() },
        BvhOptions { meshes: Some("no such folder".into()), ..BvhOptions::default() },
    ] {
        assert!(read(SMALL, &options).is_err(), "{options:?}");
    }
}

#[test]
fn meshes_replace_bones_and_irregularities_are_reported() {
    let odd = read(&SMALL.replacen("OFFSET 0 0 0", "OFFSET 0 1 0", 1), &BvhOptions::default()).expect("a skeleton");
    assert!(odd.warns("root-offset"));
    assert_eq!(odd.value.track.rows[0][1], 10.0, "the position counts");
    assert!(is_bvh(b"\xEF\xBB\xBF  hierarchy\n") && !is_bvh(b"<robot/>") && !is_bvh(b"HIER"));
    let folder = std::env::temp_dir().join(format!("impinge-bones-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("can write");
    let triangle = "v 0 0 0\nv 2 0 0\nv 0 2 0\nf 1 2 3\n";
    for name in ["LeftLeg.obj", "Nobody.obj", "notes.txt"] {
        std::fs::write(folder.join(name), triangle).expect("can write");
    }
    let options = BvhOptions { scale: 0.5, meshes: Some(folder.clone()), ..BvhOptions::default() };
    let loaded = read(SMALL, &options).expect("a skeleton");
    let leg = &loaded.value.robot.links()[2].pieces[0];
    assert!(matches!(&leg.shape, Shape::Mesh(m) if m.vertices()[1] == Vec3::unit(0)), "scaled like the skeleton");
    let kinds: Vec<_> = loaded.warnings.iter().map(|w| w.kind).collect();
    assert_eq!(kinds, ["unused-mesh"]);
    std::fs::write(folder.join("LeftLeg.off"), "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n").expect("can write");
    assert!(read(SMALL, &options).expect_err("two meshes").to_string().contains("a second mesh"));
    std::fs::remove_dir_all(&folder).expect("ours");
}

/// The leg rotates about z and then about x while the hip is static: the interpolations differ.
#[test]
fn channels_are_linear_unless_one_axis_is_requested() {
    let text = SMALL.replace("1 10 0  90 0 0  0 0 90", "0 10 0  0 0 0  90 0 90");
    for (between, wanted) in [
        // 45 degrees about each: (0, -2, 0) is rotated to (0, -c, -c) 2 and then about z.
        (Between::Channels, Vec3::new(1.0, -1.0, -2f64.sqrt())),
        // Both quarter turns together are a third of a turn about (1, 1, 1); this is half of it.
        (Between::OneAxis, Vec3::new(2.0 / 3.0, -4.0 / 3.0, -4.0 / 3.0)),
    ] {
        let Bvh { robot, track, .. } = read(&text, &BvhOptions { between, ..BvhOptions::default() }).expect("a skeleton").value;
        let scene = Scene::builder().robot("d", robot).build().expect("a scene");
        let id = scene.robot("d").expect("there");
        let motion = scene.motion().joint_line(id, &track.rows[0], &track.rows[1]).build().expect("finite");
        let pose = scene.poses(&motion, 0.5).expect("of this scene").find(|(name, _)| *name == "d/LeftLeg").expect("there").1;
        let foot = pose.apply(Vec3::new(0.0, -2.0, 0.0)) - Vec3::new(1.0, 10.0, 0.0);
        assert!((foot - wanted).norm() < 1e-13, "{between:?}: {foot:?}");
    }
}

#[test]
fn names_of_channels_give_way_to_joints() {
    let text = SMALL.replace("JOINT LeftLeg", "JOINT Hips.Zrotation");
    let robot = read(&text, &BvhOptions::default()).expect("a skeleton").value.robot;
    assert!(robot.find_link("Hips.Zrotation_").is_some() && robot.find_joint("Hips.Zrotation_").is_some());
    let partial =
        SMALL.replace("CHANNELS 6 Xposition Yposition Zposition Zrotation", "CHANNELS 6 Zrotation Xposition Yposition Zposition");
    let rows = read(&partial, &BvhOptions::default()).expect("a skeleton").value.track.rows;
    assert_eq!(rows[1][..4], [10.0, 0.0, 90.0, 1f64.to_radians()], "positions come first");
}
