//! Misplaced arguments and files: each error names the argument and the remedy.

use crate::world::{ARM, CUBE, World};

const MOTION: &str = "--from 0,0 --to 0,0";

/// Runs commands that are refused, and compares their messages.
fn refused(world: &World, wanted: &[(&str, &str)]) {
    for (args, why) in wanted {
        let ran = world.run(args);
        assert!(ran.code == Some(2) && ran.out.is_empty() && ran.err.contains(why), "{args}: {ran:?}");
    }
}

/// An argument without effect is never ignored silently.
#[test]
fn arguments_of_other_commands_are_refused() {
    let world = World::new();
    world.put("cube.obj", CUBE);
    world.put("case.json", "{}");
    world.put("m.jsonl", "{\"q0\": [0, 0], \"q1\": [0, 0]}\n");
    refused(
        &world,
        &[
            (&format!("check arm.urdf {MOTION} --bvh-between axis"), "--bvh-between applies to skeletons"),
            ("check case.json --bvh-scale 2", "remove --bvh-scale"),
            ("check case.json --bvh-between axis", "remove --bvh-between"),
            ("check --body a=cube.obj --from 0,0,0 --to 1,0,0 --robot-name z", "--robot-name: there is no robot"),
            ("distance arm.urdf --at 0,0 --volumes", "--volumes, --estimate and --piece apply to two moving bodies"),
            ("distance arm.urdf --at 0,0 --estimate", "--volumes, --estimate and --piece apply to two moving bodies"),
            ("distance arm.urdf --at 0,0 --piece 3deg", "--volumes, --estimate and --piece apply to two moving bodies"),
            ("distance cube.obj sphere:1 --volumes", "--volumes applies to moving bodies"),
            ("distance cube.obj sphere:1 --lenient", "--lenient applies to scenes"),
            ("distance cube.obj sphere:1 --package-path .", "--package-path applies to scenes"),
            ("distance cube.obj sphere:1 --up-axis z", "--up-axis applies to scenes"),
            ("distance cube.obj sphere:1 --bvh-between axis", "--bvh-between applies to scenes"),
            (&format!("witnesses arm.urdf {MOTION} --resolution 0.1"), "--times"),
            (&format!("witnesses arm.urdf {MOTION} --limit 0"), "at least 1"),
            ("check arm.urdf --motions m.jsonl --from 0,0", "--from: every motion defines its own start"),
            ("witnesses arm.urdf --motions m.jsonl --from 0,0", "--from: every motion defines its own start"),
            ("swept arm.urdf --motions m.jsonl --from 0,0 --out s.stl", "--from: every motion defines its own start"),
            (
                "check --robot a=arm.urdf --robot b=arm.urdf --trajectory a=- --trajectory b=-",
                "standard input can be read only once",
            ),
        ],
    );
    assert_eq!(world.run("distance cube.obj sphere:1 --pose-b 3,0,0 --max-work 1e6").code, Some(0));
}

#[test]
fn files_of_other_commands_are_recognised() {
    let world = World::new();
    world.put("cube.obj", CUBE);
    world.put("case.json", "{\"bodies\": []}");
    world.put("empty.bvh", "");
    world.put("empty.json", " \n");
    world.put("wide.json", "\u{FEFF}{");
    world.put("semicolons.csv", "shoulder;stretch\n0;0\n1;0\n");
    world.put("clock.csv", "Time,shoulder,stretch\n0,0,0\n1,1,0\n");
    world.put("unnamed.urdf", &ARM.replace("<box size=\"0.2 0.2 0.2\"/>", "<mesh filename=\"\"/>"));
    std::fs::write(world.folder.join("wide.json"), b"\xFF\xFE{\0").expect("can write");
    std::fs::create_dir(world.folder.join("meshes")).expect("can write");
    refused(
        &world,
        &[
            (
                "pairs case.json",
                "case.json: this is JSON, not a robot (URDF); impinge check, clearance and cases accept case files",
            ),
            ("witnesses case.json --from 0 --to 1", "case.json: this is JSON, not a robot"),
            ("check empty.bvh", "empty.bvh:1: HIERARCHY is missing"),
            ("check empty.json", "the file is empty"),
            (
                "check arm.urdf --state empty.json --from shoulder=0 --to shoulder=1",
                "empty.json: not well-formed JSON: the file is empty",
            ),
            ("cases wide.json", "the text is UTF-16; save the file as UTF-8"),
            ("cases arm.urdf", "the text begins like XML"),
            ("check arm.urdf --trajectory semicolons.csv", "put commas between columns"),
            ("check arm.urdf --trajectory clock.csv", "there is no joint 'Time'; name a column of seconds 'time'"),
            (&format!("check unnamed.urdf {MOTION}"), "link 'base': '' resolves to a folder"),
            ("watch arm.urdf", "arm.urdf: this is a robot; give its joint values with --joints FILE"),
            ("watch arm.urdf --body cube.obj --poses p.jsonl", "arm.urdf: this is a robot; give its joint values with --joints"),
            ("watch cube.obj --joints p.jsonl", "cube.obj: this is a mesh, but --joints requires a robot"),
            ("watch cube.obj --body cube.obj", "give the poses of a tool with --poses FILE"),
            ("watch cube.obj --poses p.jsonl", "no body to check the tool against; add --body FILE"),
            ("watch cube.obj --body meshes --poses p.jsonl", "meshes: this is a folder; give a mesh file"),
            ("watch cube.obj --body cube.obj --poses empty.json", "empty.json: there are no lines to watch"),
            ("watch cube.obj --body cube.obj --poses p.jsonl --period -1", "period: -1 is not positive"),
        ],
    );
}

#[test]
fn names_of_robots_in_front_of_files_are_known_ones() {
    let world = World::new();
    world.put("a=b.srdf", "<robot name='arm'><disable_collisions link1='base' link2='hand'/></robot>");
    let two = "check --robot left=arm.urdf --robot right=arm.urdf --base right=9,0,0";
    refused(
        &world,
        &[
            (&format!("{two} --trajectory lefft=path.csv"), "there is no robot 'lefft'; did you mean 'left'?"),
            (&format!("check arm.urdf --srdf armm=arm.srdf {MOTION}"), "there is no robot 'armm'; did you mean 'arm'?"),
        ],
    );
    let ran = world.run(&format!("check arm.urdf --srdf a=b.srdf {MOTION}"));
    assert_eq!(ran.code, Some(0), "the file has this name: {ran:?}");
}

#[test]
fn unknown_names_are_reported() {
    let world = World::new();
    world.put(
        "arm.srdf",
        "<robot name='arm'><group_state name='up' group='g'><joint name='sholder' value='1'/></group_state></robot>",
    );
    let ran = world.run("check arm.urdf --srdf arm.srdf --from @up --to @up");
    assert!(ran.err.contains("group state 'up': robot 'arm' has no joint 'sholder'"), "{}", ran.err);
    let post = r#"{"name": "post", "pose": {"p": [9, 0, 0], "rpy": [0, 0, 90]}, "shape": {"type": "sphere", "radius": 0.1}}"#;
    let allowed = r#"[["post", "arm/hnad"]]"#;
    world.put("cell.json", &format!(r#"{{"format": "impinge-scene", "version": 1, "objects": [{post}], "allowed": {allowed}}}"#));
    let ran = world.run(&format!("check arm.urdf --scene cell.json {MOTION}"));
    assert!(ran.err.contains("(first 'arm/hnad'; did you mean 'arm/hand')"), "{}", ran.err);
    assert!(ran.err.contains("the angle 90 is in radians (14.3 turns)"), "{}", ran.err);
    world.put("still.urdf", "<robot name='t'><link name='l'/></robot>");
    let ran = world.run("check still.urdf --from j=0 --to j=1");
    assert!(ran.err.contains("there is no joint 'j'; no names are known"), "{}", ran.err);
}

/// One value in degrees does not imply that all are.
#[test]
fn a_unit_elsewhere_does_not_hide_the_hint() {
    let world = World::new();
    let hint = |ends: &str| world.run(&format!("check arm.urdf {ends}")).err.contains("hint:");
    assert!(hint("--from 30deg,5mm --to 90,0"));
    assert!(!hint("--from 30deg,5mm --to 150deg,0"));
}

/// docs/formats.md: a missing position is the origin, a missing rotation is the identity.
#[test]
fn poses_may_omit_position_or_rotation() {
    let world = World::new();
    world.put("cube.obj", CUBE);
    let whole = r#"{"id": 0, "start": {"p": [3, 0, 0], "q": [1, 0, 0, 0]}, "end": {"p": [0, 0, 0], "q": [1, 0, 0, 0]}}"#;
    let short = r#"{"id": 0, "start": {"p": [3, 0, 0]}, "end": {"q": [1, 0, 0, 0]}}"#;
    let start = r#"{"id": 0, "start": {"p": [3, 0, 0]}}"#;
    world.put("m.jsonl", &format!("{whole}\n{short}\n{start}\n"));
    let rows = world.run("check --moving cube.obj --fixed cube.obj --motions m.jsonl --json").rows();
    assert_eq!((&rows[0]["verdict"], &rows[0]["time"]), (&"contact".into(), &rows[1]["time"]));
    assert!(
        rows[2]["message"].as_str().is_some_and(|m| m.contains("has a start, but no end; add end, or v and w")),
        "{}",
        rows[2]
    );
}
