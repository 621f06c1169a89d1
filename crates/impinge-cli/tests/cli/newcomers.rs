//! Mistakes of new users: units, states, names, misplaced files.

use impinge::math::trig::sin_cos;
use serde_json::json;

use crate::world::{ARM, CUBE, World, without_micros};

const CHECK: &str = "check arm.urdf --obstacle wall.obj";
const TWO: &str = "--robot left=arm.urdf --robot right=arm.urdf --base right=2.5,0,0,0,0,180deg --obstacle wall.obj";

const SRDF: &str = r#"<robot name="arm">
<group name="all"><joint name="shoulder"/><joint name="stretch"/></group>
<group_state name="ready" group="all"><joint name="shoulder" value="0.3"/><joint name="stretch" value="0.1"/></group_state>
<group_state name="out" group="all"><joint name="stretch" value="0.2"/></group_state>
<group_state name="out" group="other"><joint name="stretch" value="0.3"/></group_state>
<disable_collisions link1="base" link2="hand" reason="Never"/></robot>"#;

#[test]
fn units_are_accepted_for_every_length_and_angle() {
    let world = World::new();
    world.put("cube.obj", CUBE);
    for (with, without) in [
        (format!("{CHECK} --from 0,0 --to 45deg,10cm"), format!("{CHECK} --from 0,0 --to 0.7853981633974483rad,0.1m")),
        (
            format!("{CHECK} --from shoulder=0deg --to shoulder=0.25turn,stretch=1in"),
            format!("{CHECK} --from shoulder=0rad --to shoulder=1.5707963267948966rad,stretch=0.0254m"),
        ),
        (
            format!("{CHECK} --from 0,0 --to 0.3,0 --margin 200mm --tolerance 1um --clearance=1um"),
            format!("{CHECK} --from 0,0 --to 0.3,0 --margin 0.2 --tolerance 0.000001 --clearance=0.000001"),
        ),
        (
            "distance cube.obj box:1000mm,1m,1 --pose-a 200cm,0,0,0,0,45deg --max 9ft --min 1mm".into(),
            "distance cube.obj box:1,1,1 --pose-a 2,0,0,0,0,0.7853981633974483 --max 2.7432 --min 0.001".into(),
        ),
        (
            "distance cube.obj cube.obj --pose-a 3,0,0 --turn-a 0,0,90deg@10cm,0,0 --piece 5deg".into(),
            "distance cube.obj cube.obj --pose-a 3,0,0 --turn-a 0,0,1.5707963267948966@0.1,0,0 --piece 0.08726646259971647"
                .into(),
        ),
        (
            "witnesses arm.urdf --obstacle wall.obj --from 0,0 --to 0.4,0 --margin 1cm".into(),
            "witnesses arm.urdf --obstacle wall.obj --from 0,0 --to 0.4,0 --margin 0.01".into(),
        ),
    ] {
        let (with, without) = (world.run(&format!("{with} --json")), world.run(&format!("{without} --json")));
        assert_eq!(with.code, without.code, "{}", with.err);
        assert!(with.code != Some(2), "{}", with.err);
        assert_eq!(without_micros(&with.out), without_micros(&without.out));
    }
    for (args, why) in [
        ("--from 0,0 --to 5mm,0", "joint 'shoulder': this is a length, but an angle is required"),
        ("--from 0,0 --to stretch=5deg", "joint 'stretch': this is an angle, but a length is required"),
        ("--from 0,0 --to 5,0 --margin 5deg", "this is an angle, but a length is required"),
        ("--from 0,0 --to 5,0 --margin 5parsec", "units are\\|'5parsec' is not a number"),
    ] {
        let ran = world.run(&format!("{CHECK} {args}"));
        assert!(ran.code == Some(2) && why.split("\\|").any(|why| ran.err.contains(why)), "{args}: {}", ran.err);
    }
    assert_eq!(world.run("swept arm.urdf --from 0,0 --to 30deg,0 --out s.stl --error 4mm").code, Some(0));
    world.put("sheet.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    assert_eq!(world.run("step sheet.obj sheet.obj --margin 1mm").code, Some(0));
}

#[test]
fn degrees_taken_as_radians_are_hinted_at() {
    let world = World::new();
    world.put("path.csv", "shoulder,stretch\n0,0\n90,0\n45,0\n");
    world.put("m.jsonl", "{\"q0\": [0, 0], \"q1\": [90, 0]}\n{\"q0\": [0, 0], \"q1\": [80, 0]}\n");
    for args in ["--from 0,0 --to 90,0", "--trajectory path.csv", "--motions m.jsonl --json"] {
        let ran = world.run(&format!("{CHECK} {args} --max-work 1000"));
        let hint = "hint: joint 'arm/shoulder' is at 90 rad (14.3 turns), far beyond its limits [-2, 2]";
        assert!(ran.err.starts_with(hint) && ran.err.contains("write 90deg"), "{args}: {}", ran.err);
        assert_eq!(ran.err.matches("hint: ").count(), 1, "{args}: {}", ran.err);
    }
    for args in ["--from 0,0 --to 900deg,0", "--from 0,0 --to 2.5,0", "--from 0,0 --to 170,0", "--from 0,0 --to 0,0.6"] {
        let ran = world.run(&format!("{CHECK} {args} --max-work 1000"));
        assert!(!ran.err.contains("hint"), "{args}: {}", ran.err);
    }
    assert!(world.run("distance arm.urdf --obstacle wall.obj --at 90,0").err.starts_with("hint: "));
    for source in ["--motions m.jsonl", "--trajectory path.csv"] {
        let ran = world.run(&format!("swept arm.urdf {source} --out s.stl --error 5cm"));
        assert!(ran.err.contains("hint: ") && ran.err.contains(": joint 'arm/shoulder' is at 90 rad"), "{source}: {ran:?}");
    }
    let ran = world.run("witnesses arm.urdf --obstacle wall.obj --motions m.jsonl --limit 1");
    assert_eq!(ran.err.matches("hint: m.jsonl:1: joint").count(), 1, "{ran:?}");
    world.put("cube.obj", CUBE);
    for (args, flag) in [
        ("distance cube.obj cube.obj --pose-a 3,0,0,0,0,90", "--pose-a"),
        ("distance cube.obj cube.obj --pose-b 3,0,0,0,0,45", "--pose-b"),
        ("distance cube.obj cube.obj --pose-b 3,0,0 --turn-a 0,0,45", "--turn-a"),
        ("distance arm.urdf --at 0,0 --obstacle wall.obj --base 0,0,0,0,0,180", "--base"),
        ("pairs arm.urdf --attach hand=cube.obj@0,0,0,0,0,-90", "--attach"),
        ("check --body cube=cube.obj --obstacle wall.obj --from 5,5,5 --to 5,5,6,0,0,90", "--from, --to"),
    ] {
        let ran = world.run(args);
        assert!(ran.err.contains(&format!("hint: {flag}: the angle ")) && ran.err.contains("deg for degrees"), "{args}: {ran:?}");
        let degrees = world.run(&format!("{args}deg"));
        assert!(degrees.code != Some(2) && !degrees.err.contains("hint"), "{args}: {degrees:?}");
    }
    assert!(world.run("swept arm.urdf --from 0,0 --to 90,0 --out s.stl --error 5cm").err.starts_with("hint: "));
}

#[test]
fn joints_have_a_default_state() {
    let world = World::new();
    world.put("arm.srdf", SRDF);
    world.put("state.json", r#"{"stretch": 0.1, "shoulder": 0.3}"#);
    let row = |args: &str| {
        let ran = world.run(&format!("{CHECK} {args} --json --clearance"));
        assert!(matches!(ran.code, Some(0 | 1)), "{args}: {}", ran.err);
        (without_micros(&ran.out), ran.err)
    };
    let (zero, note) = row("--from shoulder=0.1 --to shoulder=0.2");
    assert_eq!(zero, row("--from 0.1,0 --to 0.2,0").0);
    assert_eq!(note, "note: --from, --to: joints that are not named are set to zero: stretch\n");
    let whole = row("--from 0.3,0.1 --to 0.5,0.1");
    for args in [
        "--srdf arm.srdf --from @ready --to shoulder=0.5",
        "--srdf arm.srdf --from @all/ready --to @ready,shoulder=0.5",
        "--state state.json --to shoulder=0.5",
        "--state state.json --from stretch=0.1 --to shoulder=0.5",
    ] {
        assert_eq!(row(args), whole, "{args}");
    }
    // A motion or a trajectory may omit joints, too, but only with a state.
    world.put("m.jsonl", r#"{"id": 0, "q0": {"shoulder": 0.3}, "q1": {"shoulder": 0.5}}"#);
    world.put("path.csv", "shoulder\n0.3\n0.5\n");
    assert_eq!(row("--state state.json --motions m.jsonl").0, whole.0);
    assert_eq!(row("--state state.json --trajectory path.csv").0, whole.0);
    for (args, why) in [
        (
            "--motions m.jsonl",
            "a value for joint 'stretch' is missing; add it, or give the joints that motions do not name with --state FILE",
        ),
        ("--from @ready --to 0,0", "'@ready' is a group state of an SRDF; add --srdf FILE"),
        ("--srdf arm.srdf --from @raedy --to 0,0", "did you mean '@all/ready'?"),
        ("--srdf arm.srdf --from @out --to 0,0", "'@out' is ambiguous for joint 'stretch'; write @all/out or @other/out"),
        ("--state arm.srdf --to 0,0", "arm.srdf"),
    ] {
        let ran = world.run(&format!("{CHECK} {args}"));
        assert!(ran.code == Some(2) && ran.err.contains(why), "{args}: {}", ran.err);
    }
    let swept = world.run("swept arm.urdf --srdf arm.srdf --from @ready --to shoulder=40deg --out s.stl --error 2cm");
    assert_eq!((swept.code, swept.err.as_str()), (Some(0), ""));
    let at = world.run("distance arm.urdf --obstacle wall.obj --srdf arm.srdf --at @ready --json");
    assert_eq!(at.out, world.run("distance arm.urdf --obstacle wall.obj --srdf arm.srdf --at 0.3,0.1 --json").out);
}

#[test]
fn names_that_several_robots_have_are_refused() {
    let world = World::new();
    world.put("cube.obj", CUBE);
    let rest = "--from left:0,0 --to left:0.1,0 --from right:0,0";
    for (args, why) in [
        ("--ignore hand,wall", "--ignore: 'hand' is ambiguous: write left/hand or right/hand"),
        ("--ignore wall,base", "--ignore: 'base' is ambiguous: write left/base or right/base"),
        ("--attach hand=cube.obj", "--attach: 'hand' is ambiguous: write left/hand or right/hand"),
        (
            "--robot top=arm.urdf --base top=hand@0,0,0 --from top:0,0",
            "--base: 'hand' is ambiguous: write left/hand or right/hand",
        ),
    ] {
        let ran = world.run(&format!("check {TWO} {rest} {args}"));
        assert!(ran.code == Some(2) && ran.err.contains(why), "{args}: {}", ran.err);
    }
    let between = world.run(&format!("distance {TWO} --at left:0,0 --at right:0,0 --between hand,wall"));
    assert!(
        between.code == Some(2) && between.err.contains("'hand' is ambiguous: write left/hand or right/hand"),
        "{}",
        between.err
    );
    // Exactly one pair is excluded.
    let listing = world.run(&format!("pairs {TWO} --ignore left/hand,wall")).out;
    assert!(
        listing.contains("because: --ignore\n    left/hand – wall\n") && listing.contains("  right/hand – wall\n"),
        "{listing}"
    );
    // An attached part may touch links of its own robot given by their own names.
    let held = world.run(&format!("pairs {TWO} --attach left/hand=cube.obj --touch base")).out;
    assert!(held.contains("holds\n    left/base – cube\n") && held.contains("  right/base – cube\n"), "{held}");
    // An ambiguous allowed-collision pair is ignored, with a warning.
    world.put("cell.json", r#"{"format": "impinge-scene", "version": 1, "objects": [], "allowed": [["hand", "base"]]}"#);
    let cell = world.run(&format!("pairs {TWO} --scene cell.json"));
    assert!(cell.err.contains("1 allowed-collision pair has names of links that several robots have"), "{}", cell.err);
}

#[test]
fn unknown_names_are_listed_and_near_ones_suggested() {
    let world = World::new();
    world.put("cube.obj", CUBE);
    let motion = "--from 0,0 --to 0.1,0";
    for (args, why) in [
        (
            format!("{CHECK} {motion} --ignore hadn,wall"),
            "did you mean 'arm/hand'? known names: arm/base, arm/frame, arm/hand, arm/upper, wall",
        ),
        (format!("{CHECK} {motion} --ignore hand,wal"), "did you mean 'wall'?"),
        (format!("{CHECK} {motion} --attach hnad=cube.obj"), "--attach: there is no part 'hnad'; did you mean 'arm/hand'?"),
        (
            format!("{CHECK} {motion} --attach hand=cube.obj --touch uper"),
            "--touch: there is no part 'uper'; did you mean 'arm/upper'?",
        ),
        (format!("{CHECK} --from sholder=0 --to 0,0"), "did you mean 'shoulder'?"),
        (format!("{CHECK} --from arn:0,0 --to arm:0,0"), "no robot or body is named 'arn'; did you mean 'arm'?"),
        (
            "swept arm.urdf --from 0,0 --to 0,0 --out s.stl --link hend".into(),
            "did you mean 'hand'? known names: base, upper, hand, frame",
        ),
        ("distance arm.urdf --at 0,0 --between hand,bose".into(), "did you mean 'arm/base'?"),
    ] {
        let ran = world.run(&args);
        assert!(ran.code == Some(2) && ran.err.contains(why), "{args}: {}", ran.err);
    }
}

#[test]
fn files_in_the_wrong_place_are_recognised() {
    let world = World::new();
    world.put("arm.srdf", SRDF);
    world.put("cube.obj", CUBE);
    world.put("empty.json", " \n");
    world.put("path.csv", "shoulder,stretch\n0,0\n0.1,0\n");
    world.put("m.jsonl", "{\"q0\": [0, 0], \"q1\": [0, 0]}\n");
    world.put(
        "robot.urdf",
        &ARM.replace("<box size=\"0.2 0.2 0.2\"/>", "<mesh filename=\"package://arm_description/base.stl\"/>"),
    );
    std::fs::create_dir(world.folder.join("meshes")).expect("can write");
    let motion = "--from 0,0 --to 0,0";
    for (args, why) in [
        (
            format!("check arm.urdf --scene empty.json {motion}"),
            "empty.json: the scene file is empty; the smallest scene is {\"format\"",
        ),
        (
            format!("check arm.srdf {motion}"),
            "arm.srdf: this is an SRDF, not a robot; give the robot's URDF, and this file with --srdf",
        ),
        (format!("check cube.obj {motion}"), "cube.obj: this is a mesh, not a robot (URDF)"),
        (format!("check meshes {motion}"), "meshes: this is a folder; give the URDF"),
        (format!("check arm.urdf --obstacle meshes {motion}"), "meshes: this is a folder; give a mesh file"),
        (format!("check arm.urdf --attach hand=meshes {motion}"), "meshes: this is a folder; give a mesh file"),
        (format!("check arm.urdf --scene meshes {motion}"), "meshes: cannot be read: this is a folder"),
        ("check --moving meshes --fixed cube.obj --from 0,0,0 --to 1,0,0".into(), "meshes: this is a folder; give a mesh file"),
        ("distance meshes cube.obj".into(), "meshes: this is a folder; give a mesh file"),
        ("step meshes cube.obj".into(), "meshes: this is a folder; give a mesh file"),
        (format!("check robot.urdf {motion}"), "--package-path DIR names the package folder or its parent"),
        ("verify path.csv".into(), "path.csv:1: this is not a file of certificates"),
        ("check arm.urdf --motions path.csv".into(), "path.csv: this is a table; give it with --trajectory"),
        ("check arm.urdf --trajectory m.jsonl".into(), "m.jsonl: this is JSON; give it with --motions"),
        ("swept cube.obj --from 0 --to 0 --out s.stl".into(), "cube.obj: this is a mesh, not a robot"),
    ] {
        let ran = world.run(&args);
        assert!(ran.code == Some(2) && ran.err.contains(why), "{args}: {}", ran.err);
    }
}

/// 2,000 motions that leave the limits of a joint: one warning with a count.
#[test]
fn a_warning_is_printed_once_with_its_number() {
    let world = World::new();
    let lines: String =
        (0..2000).map(|i| format!("{{\"id\": {i}, \"q0\": [0, 0.6], \"q1\": [0, {}]}}\n", 0.6 + f64::from(i) * 1e-5)).collect();
    world.put("m.jsonl", &lines);
    let output =
        "warning: joint 'arm/stretch' leaves its limits: 2000 motions, first in motion 0; --every-warning repeats it for each\n";
    for threads in [1, 3] {
        let ran = world.run(&format!("{CHECK} --motions m.jsonl --json --threads {threads}"));
        let rows = ran.rows();
        assert_eq!(rows[0]["warnings"], json!(["joint 'arm/stretch' leaves its limits: 0.6 is not within [0, 0.5]"]));
        assert!(rows[1..].iter().all(|row| row["warnings"] == json!([])), "only the first has it");
        assert_eq!(ran.err, output);
    }
    let text = world.run(&format!("{CHECK} --motions m.jsonl"));
    assert_eq!((text.out.matches("leaves its limits").count(), text.err.as_str()), (1, output));
    let every = world.run(&format!("{CHECK} --motions m.jsonl --json --every-warning"));
    assert!(every.err.is_empty() && every.rows().iter().all(|row| row["warnings"].as_array().is_some_and(|w| w.len() == 1)));
}

#[test]
fn all_contacts_are_printed_in_batches_too() {
    let world = World::new();
    world.put("cube.obj", CUBE);
    let start = |x: f64| {
        format!("{{\"id\": {x}, \"start\": {{\"p\": [{x}, 0, 0], \"q\": [1, 0, 0, 0]}}, \"v\": [-4, 0, 0], \"w\": [0, 0, 0]}}\n")
    };
    world.put("m.jsonl", &(start(3.0) + &start(9.0)));
    let query = "check --moving cube.obj --fixed cube.obj --motions m.jsonl";
    let contacts = world.run(&format!("{query} --all --json")).rows()[0]["contacts"].as_array().map(Vec::len);
    let text = world.run(&format!("{query} --all")).out;
    assert_eq!(Some(text.matches("       touches   cube ").count()), contacts, "{text}");
    assert!(contacts > Some(1) && text.contains("2 motions: 1 free, 1 contact"), "{text}");
    assert_eq!(world.run(query).out.matches("touches").count(), 0);
}

#[test]
fn segments_are_all_listed_and_counted_from_0() {
    let world = World::new();
    world.put("path.csv", "shoulder,stretch\n0,0\n0.1,0\n0.2,0\n0.3,0\n0.6,0\n0.3,0\n0,0\n0,0.6\n0,0\n");
    let ran = world.run(&format!("{CHECK} --trajectory path.csv"));
    let words: Vec<String> = ran.out.lines().map(|l| l.split_whitespace().take(2).collect::<Vec<_>>().join(" ")).collect();
    let wanted =
        ["0-2 free", "3 contact", "4 contact", "5 free", "6 free", "warning: joint", "7 free", "8 segments:", "segments are"];
    assert_eq!(words, wanted, "{}", ran.out);
    assert!(ran.out.ends_with("segments are counted from 0: segment 0 is from waypoint 0 to waypoint 1\n"), "{}", ran.out);
    assert_eq!(world.run(&format!("{CHECK} --trajectory path.csv --clearance")).out.matches(" free ").count(), 6);
}

/// Waypoints without times are not seconds, whichever trajectory has none.
#[test]
fn trajectories_without_times_do_not_share_a_clock() {
    let world = World::new();
    world.put("plain.csv", "shoulder,stretch\n0,0\n0.1,0\n");
    world.put("timed.csv", "time,shoulder,stretch\n0,0,0\n9,0.1,0\n");
    for (left, right) in [("plain", "timed"), ("timed", "plain"), ("plain", "plain")] {
        let ran = world.run(&format!("check {TWO} --trajectory left={left}.csv --trajectory right={right}.csv"));
        assert!(ran.code == Some(2) && ran.err.contains("plain.csv: the column 'time' is missing"), "{left} {right}: {ran:?}");
    }
}

/// An argument without effect is never ignored silently.
#[test]
fn arguments_that_have_no_use_are_refused() {
    let world = World::new();
    world.put("cube.obj", CUBE);
    world.put("path.csv", "shoulder,stretch\n0,0\n0.1,0\n");
    world.put("problems.jsonl", "{}\n");
    for (args, why) in [
        ("distance cube.obj cube.obj --obstacle wall.obj", "--obstacle applies to scenes"),
        ("distance cube.obj cube.obj --pose-a 3,0,0 --scene gone.json", "--scene applies to scenes"),
        ("check arm.urdf --obstacle wall.obj --from 1,0 --trajectory path.csv", "'arm' follows a trajectory"),
        ("check arm.urdf --obstacle wall.obj --from arm:1,0 --trajectory path.csv", "'arm' follows a trajectory"),
        ("swept arm.urdf --from 1,0 --trajectory path.csv --out s.stl", "'arm' follows a trajectory"),
        ("check arm.urdf --from 1,0 --problems problems.jsonl", "--from: every problem defines its own start"),
    ] {
        let ran = world.run(args);
        assert!(ran.code == Some(2) && ran.out.is_empty() && ran.err.contains(why), "{args}: {ran:?}");
    }
    let rests = world.run(&format!("check {TWO} --trajectory left=path.csv --from right:0,0"));
    assert_eq!(rests.code, Some(0), "another one rests: {rests:?}");
}

/// The arm turns as its links' frames describe: the same contact as by joint values.
#[test]
fn frames_of_links_move_a_robot() {
    let world = World::new();
    let frame = |angle: f64, reach: f64| {
        let (s, c) = sin_cos(angle);
        let (hs, hc) = sin_cos(angle / 2.0);
        json!({"p": [reach * c, reach * s, 0.2], "q": [hc, 0.0, 0.0, hs]})
    };
    let frames = |angle: f64| json!({"upper": frame(angle, 0.0), "hand": frame(angle, 1.0)});
    let by_frames = json!({"frames0": frames(0.0), "frames1": frames(1.2)});
    let by_values = json!({"q0": [0, 0], "q1": [1.2, 0]});
    world.put(
        "m.jsonl",
        &format!("{by_frames}\n{by_values}\n{}\n", json!({"frames0": {"upper": frame(0.0, 0.0)}, "frames1": {}})),
    );
    let ran = world.run(&format!("{CHECK} --motions m.jsonl --json"));
    let rows = ran.rows();
    assert_eq!((&rows[0]["verdict"], &rows[0]["pair"]), (&"contact".into(), &rows[1]["pair"]), "{}", ran.err);
    let time = |row: &serde_json::Value| row["time"][1].as_f64().expect("a time");
    assert!((time(&rows[0]) - time(&rows[1])).abs() < 1e-8, "{} {}", rows[0], rows[1]);
    assert!(rows[2]["message"].as_str().is_some_and(|m| m.contains("m.jsonl:3: link 'hand' has no frame")), "{}", rows[2]);
    let several = json!({"robots": {"left": {"frames0": frames(0.0), "frames1": frames(1.2)}}});
    world.put("two.jsonl", &several.to_string());
    let two = world.run(&format!("check {TWO} --from right:0,0 --motions two.jsonl --json"));
    assert!((time(&two.rows()[0]) - time(&rows[1])).abs() < 1e-8, "{}", two.out);
}

#[test]
fn help_shows_json_without_backslashes() {
    let world = World::new();
    for command in ["check", "cases", "queries"] {
        let help = world.run(&format!("{command} --help")).out;
        assert!(!help.contains("\\\"") && help.contains("{\""), "{help}");
    }
}

/// Implausible input is refused; counts in messages have the correct plural.
#[test]
fn implausible_input_is_refused() {
    let world = World::new();
    world.put(
        "t.urdf",
        "<robot name='t'><link name='l'><collision><geometry><sphere radius='1'/></geometry></collision></link></robot>",
    );
    world.put("cube.obj", crate::world::CUBE);
    for (args, part) in [
        ("check arm.urdf --obstacle wall.obj --ignore hand,hand --from 0,0 --to 0,0", "is named twice"),
        ("check arm.urdf --obstacle wall.obj --bvh-scale 0.05 --from 0,0 --to 0,0", "no BVH file"),
        ("check arm.urdf --obstacle wall.obj --bone-radius 0.05 --from 0,0 --to 0,0", "no BVH file"),
        ("distance cube.obj cube.obj --min 0.5 --max 0.3", "larger than --max"),
        ("distance arm.urdf --between arm/hand,hand --at 0,0", "the same part"),
        ("check t.urdf --obstacle wall.obj --from 1 --to 1", "it has no moving joints"),
        ("check arm.urdf --obstacle wall.obj --from 0,0 --to 0,0 --max-work 1.5", "whole number"),
    ] {
        let ran = world.run(args);
        assert_eq!(ran.code, Some(2), "{args}: {}{}", ran.out, ran.err);
        assert!(ran.err.contains(part), "{args}: {}", ran.err);
    }
    let work = world.run("check arm.urdf --obstacle wall.obj --from 0,0 --to 0.1,0 --max-work 1e6");
    assert_eq!(work.code, Some(0), "{}", work.err);
    let one = world.run("pairs t.urdf --obstacle wall.obj").out;
    assert!(one.contains("pair is") && !one.contains("1 pairs"), "{one}");
}

/// A table from standard input gives the same answers as one from a file.
#[test]
fn a_trajectory_comes_from_standard_input() {
    use std::io::Write as _;
    let world = World::new();
    let table = "shoulder,stretch\n0,0\n0.1,0\n1.2,0\n";
    world.put("t.csv", table);
    let from_file = world.run("check arm.urdf --obstacle wall.obj --trajectory t.csv --json");
    let mut child = world.talk("check arm.urdf --obstacle wall.obj --trajectory - --json");
    child.stdin.take().expect("piped").write_all(table.as_bytes()).expect("taken");
    let ran = crate::world::Ran::of(child.wait_with_output().expect("ends"));
    assert_eq!(crate::world::without_micros(&ran.out), crate::world::without_micros(&from_file.out));
    assert_eq!((ran.code, from_file.code), (Some(1), Some(1)));
}

/// On a common clock, steps are named by times; a warning reports robots that start late.
#[test]
fn steps_on_a_common_clock_are_named_by_times() {
    let world = World::new();
    world.put("a.csv", "time,shoulder,stretch\n0,0,0\n1,0.1,0\n2,0.1,0\n");
    world.put("b.csv", "time,shoulder,stretch\n0.5,0,0\n1.5,0.1,0\n");
    let ran = world.run("check --robot a=arm.urdf --robot b=arm.urdf --base b=9,0,0 --trajectory a=a.csv --trajectory b=b.csv");
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("step 0 is from 0 s to 0.5 s") && !ran.out.contains("waypoint"), "{}", ran.out);
    assert!(ran.err.contains("the motion of 'b' starts at 0.5 s; it is static from 0 s"), "{}", ran.err);
    assert!(ran.err.contains("the motion of 'b' ends at 1.5 s"), "{}", ran.err);
}
