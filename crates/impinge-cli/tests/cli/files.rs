//! Scenes and planning problems.

use serde_json::{Value, json};

use crate::world::World;

/// A MoveIt scene with a post in the path of the arm, and a matrix that allows contact with the hand.
fn scene(allowed: bool) -> Value {
    json!({"world": {"collision_objects": [{"id": "post", "primitives": [{"type": "cylinder", "dimensions": [2, 0.1]}],
            "primitive_poses": [{"position": [1.2, 1.2, 0], "orientation": [0, 0, 0, 1]}]}]},
        "allowed_collision_matrix": {"entry_names": ["hand", "post", "upper", "ghost"], "entry_values":
            [[false, allowed, false, true], [allowed, false, allowed, false], [false, allowed, false, false], [true, false, false, false]]}})
}

fn problem(id: &str, allowed: bool, goal: f64) -> Value {
    json!({"id": id, "scene": scene(allowed), "request": {
        "start_state": {"joint_state": {"name": ["wheel", "shoulder", "stretch"], "position": [1, 0, 0.6]}},
        "goal_constraints": [{"joint_constraints": [{"joint_name": "shoulder", "position": goal}]}]}})
}

const SRDF: &str = r#"<robot name="arm"></robot>"#;

#[test]
fn problems_are_lines_in_their_own_scenes() {
    let world = World::new();
    world.put("arm.srdf", SRDF);
    let broken = json!({"id": "broken", "scene": scene(false), "request": {}});
    let lines = [problem("hit", false, 1.5), problem("allowed", true, 1.5), problem("short", false, 0.1), broken];
    world.put("p.jsonl", &lines.map(|l| l.to_string()).join("\n"));
    let verdicts = |args: &str| {
        let ran = world.run(&format!("check arm.urdf --problems p.jsonl --json {args}"));
        assert_eq!(ran.code, Some(2), "{}", ran.err);
        ran.rows().iter().map(|r| r["verdict"].as_str().expect("a word").to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(verdicts(""), ["contact", "free", "free", "error"], "the matrix counts");
    assert_eq!(verdicts("--srdf arm.srdf"), ["contact", "contact", "free", "error"], "the SRDF counts instead");
    let row = world.run("check arm.urdf --problems p.jsonl --json").rows().remove(0);
    let warnings = row["warnings"].to_string();
    assert!(warnings.contains("names 1 joint that the robot does not have") && warnings.contains("wheel"), "{warnings}");
    assert!(warnings.contains("0.6 is not within [0, 0.5]") && warnings.contains("1 allowed-collision pair"), "{warnings}");
    assert_eq!(row["pair"], json!(["arm/hand", "post"]));
}

#[test]
fn scenes_are_added_up_and_their_matrix_counts_without_an_srdf() {
    let world = World::new();
    world.put("arm.srdf", SRDF);
    world.put("moveit.json", &scene(true).to_string());
    world.put(
        "own.json",
        r#"{"format": "impinge-scene", "version": 1, "allowed": [["far", "hand"]], "objects": [{"name": "far",
        "pose": {"p": [1.7, 0, 0.2]}, "shape": {"type": "box", "size": [0.01, 0.01, 0.01]}}]}"#,
    );
    let code = |args: &str| world.run(&format!("check arm.urdf --from 0,0.6 --to 1.2,0.6 {args}")).code;
    assert_eq!(code("--scene moveit.json"), Some(0), "the matrix allows it");
    assert_eq!(code("--scene moveit.json --srdf arm.srdf"), Some(1));
    assert_eq!(code("--scene own.json"), Some(0), "allowed");
    assert_eq!(code("--scene own.json --srdf arm.srdf"), Some(0), "our own scenes say what they mean");
    assert_eq!(code("--scene own.json --scene wall.obj"), Some(1));
    assert_eq!(code("--scene wall.obj"), Some(1));
}

#[test]
fn files_outside_are_refused_unless_allowed() {
    let world = World::new();
    std::fs::create_dir(world.folder.join("robot")).expect("can write");
    let mesh = r#"<robot name="r"><link name="a"><collision><geometry><mesh filename="../wall.obj"/></geometry></collision></link></robot>"#;
    world.put("robot/r.urdf", mesh);
    world.put("m.jsonl", "{\"id\": 0, \"q0\": [], \"q1\": []}\n");
    let refused = world.run("check robot/r.urdf --motions m.jsonl");
    assert!(refused.code == Some(2) && refused.err.starts_with("error: robot/r.urdf:1: "), "{}", refused.err);
    assert_eq!(world.run("check robot/r.urdf --motions m.jsonl --allow-outside").code, Some(0));
    world.put("robot/r.urdf", &mesh.replace("../wall.obj", "package://pkg/wall.obj"));
    assert_eq!(world.run("check robot/r.urdf --motions m.jsonl").code, Some(2));
    std::fs::create_dir(world.folder.join("pkg")).expect("can write");
    world.put("pkg/wall.obj", crate::world::WALL);
    assert_eq!(world.run("check robot/r.urdf --motions m.jsonl --package-path pkg").code, Some(0));
}

/// An output file is never one of the input files, under any name.
#[test]
fn outputs_never_overwrite_inputs() {
    let world = World::new();
    world.put("cube.obj", crate::world::CUBE);
    world.put("s.json", r#"{"format": "impinge-scene", "version": 1, "objects": []}"#);
    world.put("m.jsonl", "{\"q0\": [0, 0], \"q1\": [0.1, 0]}\n");
    world.put("b.jsonl", "{\"start\": {\"p\": [0,0,0], \"q\": [1,0,0,0]}, \"v\": [1,0,0], \"w\": [0,0,0]}\n");
    std::fs::hard_link(world.folder.join("cube.obj"), world.folder.join("linked.obj")).expect("can link");
    for (args, kept) in [
        ("check arm.urdf --obstacle wall.obj --scene s.json --from 0,0 --to 0.1,0 --certificate s.json", "s.json"),
        ("check arm.urdf --obstacle wall.obj --from 0,0 --to 0.1,0 --certificate ./arm.urdf", "arm.urdf"),
        ("check arm.urdf --obstacle wall.obj --motions m.jsonl --certificate m.jsonl", "m.jsonl"),
        ("check arm.urdf --attach hand=cube.obj@0,0,0 --from 0,0 --to 0.1,0 --certificate cube.obj", "cube.obj"),
        ("swept --moving cube.obj --motions b.jsonl --out cube.obj", "cube.obj"),
        ("swept --moving cube.obj --motions b.jsonl --out linked.obj", "cube.obj"),
        ("swept --body a=cube.obj --motions b.jsonl --out cube.obj", "cube.obj"),
        ("swept arm.urdf --obstacle wall.obj --from 0,0 --to 1,0 --out wall.obj", "wall.obj"),
    ] {
        let before = std::fs::read(world.folder.join(kept)).expect("is there");
        let ran = world.run(args);
        assert_eq!(ran.code, Some(2), "{args}: {}", ran.err);
        assert!(ran.err.contains("is also an input"), "{args}: {}", ran.err);
        assert!(std::fs::read(world.folder.join(kept)).expect("is there") == before, "{args}");
    }
    let fine = world.run("check arm.urdf --obstacle wall.obj --from 0,0 --to 0.1,0 --certificate c.jsonl");
    assert_eq!(fine.code, Some(0), "{}", fine.err);
}
