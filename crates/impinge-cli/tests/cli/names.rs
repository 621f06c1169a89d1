//! Unusual names from files: unchanged in JSON, escaped on a terminal.

use serde_json::Value;

use crate::world::{ARM, CUBE, World};

/// A name with characters that end a string, a column or a line, or clear the screen in two ways.
const ODD: &str = "ha\"n,d\n\u{1b}[2J\u{9b}2J\u{202e}";
/// The same name in XML, which does not allow C0 control characters.
const IN_XML: &str = "ha&quot;n,d&#10;\u{9b}2J\u{202e}";

fn harmless(text: &str) -> bool {
    text.chars().all(|c| (!c.is_control() || c == '\n') && c != '\u{202e}')
}

/// A world with a hand and an obstacle of unusual names; the obstacle is in place of the wall.
fn world() -> World {
    let world = World::new();
    world.put("odd.urdf", &ARM.replace("\"hand\"", &format!("\"{IN_XML}\"")));
    let object = serde_json::json!({"name": ODD, "pose": {"p": [1, 0.55, 0]}, "shape": {"type": "box", "size": [1, 0.1, 2]}});
    world.put("odd.json", &serde_json::json!({"format": "impinge-scene", "version": 1, "objects": [object]}).to_string());
    world.put("cube.obj", CUBE);
    world
}

#[test]
fn odd_names_are_escaped_everywhere() {
    let world = world();
    world.put("joints.csv", "time,shoulder,stretch\n0,0,0\n0.1,0.1,0\n0.2,0.2,0\n0.3,0.6,0\n");
    let odd = "odd.urdf --scene odd.json";
    for args in [
        format!("check {odd} --from 0,0 --to 1,0"),
        format!("check {odd} --from 0,0 --to 1,0 --all --clearance"),
        format!("check {odd} --from 0,0 --to 1,0 --ignore nobody,nothing"),
        format!("check {odd} --trajectory joints.csv"),
        format!("clearance {odd} --from 0,0 --to 0.1,0"),
        format!("pairs {odd}"),
        format!("distance {odd} --at 0,0 --all"),
        format!("witnesses {odd} --from 0,0 --to 1,0"),
        format!("swept {odd} --from 0,0 --to 1,0 --out s.obj --error 5cm"),
        format!("watch {odd} --joints joints.csv"),
    ] {
        for form in ["", "--json"] {
            if args.starts_with("watch") && form == "--json" {
                continue;
            }
            let ran = world.run(&format!("{args} {form}"));
            assert!(harmless(&ran.out) && harmless(&ran.err), "{args} {form}: {ran:?}");
            if form == "--json" && ran.code != Some(2) {
                assert!(!ran.rows().is_empty(), "{args}");
            }
        }
    }
    let rows = world.run(&format!("check {odd} --from 0,0 --to 1,0 --json")).rows();
    let names: Vec<&str> = rows[0]["pair"].as_array().expect("two").iter().filter_map(Value::as_str).collect();
    assert_eq!(names, ["arm/ha\"n,d\n\u{9b}2J\u{202e}", ODD], "JSON has them as they are");
    let text = world.run(&format!("check {odd} --from 0,0 --to 1,0")).out;
    assert!(text.starts_with("contact: arm/ha\"n,d\\n\\u009b2J\\u202e touches ha\"n,d\\n\\u001b[2J"), "{text}");
}

#[test]
fn odd_ids_and_keys_are_escaped() {
    let world = world();
    let line = |id: &str, more: &str| format!("{{\"id\": {}, \"q0\": [0, 0], \"q1\": [1, 0]{more}}}\n", serde_json::json!(id));
    world.put("m.jsonl", &(line(ODD, "") + &line("x", &format!(", {}: 1", serde_json::json!(ODD)))));
    for form in ["", "--json"] {
        let ran = world.run(&format!("check arm.urdf --obstacle wall.obj --motions m.jsonl {form}"));
        assert!(ran.code == Some(2) && harmless(&ran.out) && harmless(&ran.err), "{ran:?}");
    }
}

/// JSON has the name itself, escaped once; text has no character that controls a terminal.
#[test]
fn names_that_control_are_escaped_once() {
    let world = World::new();
    let name = "o\u{1b}[31m\u{9b}\u{202e}\n";
    let scene = serde_json::json!({"format": "impinge-scene", "version": 1,
        "objects": [{"name": name, "shape": {"type": "box", "size": [1, 1, 1]}, "pose": {"p": [1.6, 0, 0.2]}}]});
    world.put("s.json", &scene.to_string());
    let controls = |text: &str| text.chars().any(|c| (c.is_control() && c != '\n') || c == '\u{202e}');
    for args in [
        "check arm.urdf --scene s.json --from 0,0 --to 0,0.5 --all --clearance",
        "pairs arm.urdf --scene s.json",
        "distance arm.urdf --scene s.json --at 0,0",
        "witnesses arm.urdf --scene s.json --from 0,0 --to 0,0.5",
    ] {
        let ran = world.run(&format!("{args} --json"));
        let output: Vec<String> = ran.rows().iter().map(|row| row.to_string()).collect();
        let wanted = serde_json::Value::from(name).to_string();
        assert!(output.iter().any(|row| row.contains(&wanted)), "{args}: {}", ran.out);
        assert!(!controls(&ran.out) && !controls(&ran.err), "{args}");
        let text = world.run(args);
        assert!(!controls(&text.out) && !controls(&text.err) && text.out.contains("o\\u001b[31m"), "{args}: {:?}", text.out);
    }
    let mut swept = world.command("swept arm.urdf --from 0,0 --to 0.1,0");
    let swept = crate::world::Ran::of(swept.args(["--out", "n\u{1b}.stl"]).output().expect("starts"));
    assert!(swept.code == Some(0) && !controls(&swept.out) && swept.out.contains("n\\u001b.stl"), "{:?}", swept.out);
}
