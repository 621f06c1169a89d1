//! Motion capture: two dancers, or a dancer and a robot.

use std::path::PathBuf;

use crate::world::{World, run, without_micros};

/// The dancers of the built-in example.
fn stage() -> World {
    let world = World::new();
    assert_eq!(world.run("example --out .").code, Some(0));
    // The example has an arm of its own.
    world.put("arm.urdf", crate::world::ARM);
    world
}

#[test]
fn two_dancers_first_touch_somewhere() {
    let world = stage();
    let ran = world.run("check dancer.bvh other.bvh");
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    assert!(ran.out.starts_with("step ") && ran.out.contains("contact: ") && ran.out.contains(" touches other/"), "{}", ran.out);
    for word in ["  frame     between ", "  seconds   between ", "89 steps: "] {
        assert!(ran.out.contains(word), "{word}: {}", ran.out);
    }
    assert_eq!(ran.out.matches("touches").count(), 1, "only the first: {}", ran.out);
    let json = world.run("check dancer.bvh other.bvh --json --threads 2");
    let rows = json.rows();
    assert_eq!(rows.len(), 89);
    let first = rows.iter().find(|r| r["verdict"] == "contact").expect("they meet");
    let (frame, second) = (first["frame"][1].as_f64().expect("a frame"), first["seconds"][1].as_f64().expect("seconds"));
    assert!((frame - first["id"].as_f64().expect("a number") - first["time"][1].as_f64().expect("a time")).abs() < 1e-9);
    assert!((second - frame * 0.033333).abs() < 1e-9, "{first}");
    assert_eq!(without_micros(&json.out), without_micros(&world.run("check dancer.bvh other.bvh --json --threads 1").out));
}

/// Both interpolations between frames are supported, and differ.
#[test]
fn skeletons_move_by_channels_or_about_one_axis() {
    let world = stage();
    let first = |more: &str| {
        let rows = world.run(&format!("check dancer.bvh other.bvh --json {more}")).rows();
        rows.iter().find(|r| r["verdict"] == "contact").expect("they meet")["seconds"][1].as_f64().expect("seconds")
    };
    let (channels, axis) = (first(""), first("--bvh-between axis"));
    assert_eq!(channels, first("--bvh-between channels"));
    assert!(channels != axis && (channels - axis).abs() < 0.01, "{channels} {axis}");
}

#[test]
fn bones_can_be_scaled_and_thickened() {
    let world = stage();
    let contacts = |more: &str| {
        let rows = world.run(&format!("check dancer.bvh other.bvh --json {more}")).rows();
        rows.iter().filter(|r| r["verdict"] == "contact").count()
    };
    let usual = contacts("");
    assert!(contacts("--bone-radius 0.2") > usual && contacts("--bone-radius 0.001") < usual);
    assert_eq!(contacts("--bvh-scale 0.01"), usual, "scale changes no contact");
    let pairs = world.run("pairs dancer.bvh other.bvh").out;
    assert!(pairs.contains("because: bones of the same skeleton") && pairs.contains("  dancer/Hips – other/Hips\n"), "{pairs}");
    assert!(!pairs.contains("rotation") && !pairs.contains("no geometry"), "only bones are listed: {pairs}");
    let listed = &world.run("pairs dancer.bvh other.bvh --json").rows()[0];
    let number = |value: &serde_json::Value| value.as_u64().expect("a number") as usize;
    assert_eq!(listed["pairs"].as_array().map(Vec::len), Some(number(&listed["checked"]) + number(&listed["skipped"])));
}

/// A dancer and a robot in one scene: the robot is static, or has a trajectory on the common clock.
#[test]
fn a_dancer_meets_a_robot() {
    let world = stage();
    // The dancer's y becomes z.
    let query = "check dancer.bvh --robot arm=arm.urdf --base dancer=0,0,0,1.5707963267948966,0,0 --base arm=-1.0,0,1 --json";
    let rows = world.run(&format!("{query} --from arm:0,0")).rows();
    assert_eq!(rows.len(), 89);
    assert!(rows.iter().any(|r| r["verdict"] == "contact" && r["pair"].to_string().contains("arm/")), "{rows:?}");
    world.put("path.csv", "time,shoulder,stretch\n0,0,0\n1.01,1,0\n2.5,-1,0\n");
    let rows = world.run(&format!("{query} --trajectory arm=path.csv")).rows();
    assert_eq!(rows.len(), 91, "its waypoints are moments, too");
    assert!(rows.iter().all(|r| r["frame"].is_null()), "moments are no frames any more");
}

#[test]
fn mistakes_are_reported() {
    let world = stage();
    let text = std::fs::read_to_string(world.folder.join("dancer.bvh")).expect("there");
    world.put("cut.bvh", &text[..text.len() - 40]);
    world.put("case.json", "{}");
    for (args, why) in [
        ("check cut.bvh other.bvh", "cut.bvh:"),
        ("check dancer.bvh dancer.bvh", "two robots or bodies are named 'dancer'"),
        ("check dancer.bvh other.bvh --bvh-scale 0", "the scale is 0"),
        ("check dancer.bvh other.bvh --bone-radius -1", "the bone radius is -1"),
        ("check dancer.bvh other.bvh --bones nowhere", "nowhere: cannot be read"),
        ("check dancer.bvh other.bvh --bvh-between spline", "write channels or axis"),
        ("check dancer.bvh arm.urdf --from arm:0,0 --to arm:0,0", "'dancer' has a recorded motion"),
        ("check dancer.bvh case.json", "a case file must be the only input"),
    ] {
        let ran = world.run(args);
        assert!(ran.code == Some(2) && ran.err.contains(why), "{args}: {}", ran.err);
    }
    let lost = world.run("check dancer.bvh arm.urdf --json");
    assert!(lost.code == Some(2) && lost.err.contains("'arm' has no position"), "{}", lost.err);
}

/// All steps of the recorded salsa dancers are decided. The test kit compares them with dense sampling.
#[test]
fn recorded_dancers_are_decided() {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/motions/cmu-bvh"));
    if !folder.is_dir() {
        eprintln!("SKIPPED: ../shared is not here (data/motions/cmu-bvh)");
        return;
    }
    let rows = run(&["check", "60_05.bvh", "61_05.bvh", "--json"], &folder).rows();
    assert_eq!(rows.len(), 1678);
    assert!(rows.iter().all(|r| r["verdict"] == "free" || r["verdict"] == "contact"));
    assert!(rows[0]["verdict"] == "free" && rows.iter().any(|r| r["verdict"] == "contact"));
}
