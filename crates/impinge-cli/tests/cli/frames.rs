//! Link frames in motion files: a link that no joint moves stays in place, and a file that contradicts this is refused.

use serde_json::{Value, json};

use crate::world::World;

fn at(x: f64, y: f64, z: f64) -> Value {
    json!({"p": [x, y, z], "q": [1, 0, 0, 0]})
}

/// The stretched arm at rest along x, with more frames.
fn line(more: &Value, key: &str) -> String {
    let mut line = json!({"frames0": {}, "frames1": {}});
    for end in ["frames0", "frames1"] {
        line[end] = json!({"upper": at(0.0, 0.0, 0.2), "hand": at(1.0, 0.0, 0.2)});
    }
    for (name, frame) in more.as_object().expect("frames") {
        line[key][name] = frame.clone();
    }
    format!("{line}\n")
}

#[test]
fn frames_of_links_that_no_joint_moves_are_not_passed_over() {
    let world = World::new();
    let query = |lines: &str, more: &str| {
        world.put("m.jsonl", lines);
        world.run(&format!("check arm.urdf --obstacle wall.obj --motions m.jsonl --json {more}"))
    };
    // The base's end frame is at the wall, but no joint moves the base.
    let base = json!({"base": at(1.0, 0.55, 0.0)});
    for (text, part) in [
        (line(&base, "frames1"), "link 'arm/base': its frame at the end is 1.141e0 m"),
        (line(&base, "frames0"), "link 'arm/base': its frame at the start"),
        (
            line(&json!({"base": {"p": [0, 0, 0], "q": [0.8, 0, 0, 0.6]}}), "frames1"),
            "m and about 1.200e0 rad from where it is held",
        ),
        (line(&json!({"frame": at(1.0, 0.55, 0.2)}), "frames1"), "link 'arm/frame': its frame at the end"),
        (line(&json!({"wrist": at(0.0, 0.0, 0.0)}), "frames1"), "there is no link 'wrist'"),
        (line(&json!({"base": {"p": [0, 0, 0], "q": [1, 1, 0, 0]}}), "frames1"), "frames1.base"),
        (line(&json!({"base": {"p": [0, 0, 0], "matrix": []}}), "frames1"), "unknown key 'matrix'; known keys: p, q"),
    ] {
        let ran = query(&text, "");
        let row = &ran.rows()[0];
        let message = row["message"].as_str().expect("a message");
        assert_eq!((ran.code, &row["verdict"]), (Some(2), &"error".into()), "{row}");
        assert!(message.starts_with("m.jsonl:1: ") && message.contains(part), "{message}");
    }
    let root = query(&line(&base, "frames1"), "").rows()[0]["message"].to_string();
    assert!(root.contains("floating joint"), "{root}");
    let held = json!({"base": at(0.0, 0.0, 0.0), "frame": at(1.0, 0.0, 0.2)});
    assert_eq!(query(&line(&held, "frames1"), "").code, Some(0), "as they are held");
    let lifted = line(&json!({"base": at(0.0, 0.0, 0.1)}), "frames1")
        .replace("\"frames0\":{", "\"frames0\":{\"base\":{\"p\":[0,0,0.1],\"q\":[1,0,0,0]},");
    let ran = query(&lifted, "--base 0,0,0.1");
    assert_eq!(ran.code, Some(0), "at the base that was given: {ran:?}");
}

#[test]
fn lines_that_say_a_motion_twice_are_refused() {
    let world = World::new();
    let pose = at(0.0, 0.0, 0.0);
    for (line, part) in [
        (json!({"q0": [0, 0], "q1": [0, 0], "start": pose, "end": pose}), "has 'start' beside q0 and q1"),
        (json!({"q0": [0, 0], "q1": [0, 0], "frames0": {}, "frames1": {}}), "has 'q0' beside frames0 and frames1"),
        (json!({"q0": [0, 0], "q1": [0, 0], "q2": [1.2, 0]}), "unknown key 'q2'; known keys: id, robots"),
    ] {
        world.put("m.jsonl", &format!("{line}\n{}\n", json!({"q0": [0, 0], "q1": [1.2, 0]})));
        let rows = world.run("check arm.urdf --obstacle wall.obj --motions m.jsonl --json").rows();
        let message = rows[0]["message"].as_str().expect("a message");
        assert!(message.starts_with("m.jsonl:1: ") && message.contains(part), "{message}");
        assert_eq!(rows[1]["verdict"], "contact");
    }
}
