//! File contents: meshes in glTF, mistakes that `--lenient` accepts, self-contact of bodies.

use serde_json::json;

use crate::world::World;

/// A plate in the file's x-y plane, and a ball that moves down through (0.5, 0.5).
const PLATE: &str = r#"
<?xml version="1.0"?>
<robot name="plate">
<link name="base"><collision><geometry><mesh filename="package://plate.gltf"/></geometry></collision></link>
<link name="rail"/>
<link name="ball"><collision><origin xyz="0.5 0.5 0"/><geometry><sphere radius="0.1"/></geometry></collision></link>
<joint name="down" type="prismatic"><parent link="base"/><child link="rail"/><axis xyz="0 0 1"/><limit lower="-2" upper="2"/></joint>
<joint name="aside" type="prismatic"><parent link="rail"/><child link="ball"/><axis xyz="1 0 0"/><limit lower="-1" upper="1"/></joint>
</robot>"#;

fn plate() -> World {
    let world = World::new();
    world.put("plate.urdf", PLATE);
    let root = json!({"asset": {"version": "2.0"}, "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "mode": 5}]}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3"}],
        "bufferViews": [{"buffer": 0, "byteLength": 48}], "buffers": [{"byteLength": 48, "uri": "plate.bin"}]});
    world.put("plate.gltf", &root.to_string());
    let corners: [f32; 12] = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0];
    let bytes: Vec<u8> = corners.iter().flat_map(|x| x.to_le_bytes()).collect();
    std::fs::write(world.folder.join("plate.bin"), bytes).expect("can write");
    world
}

#[test]
fn gltf_meshes_are_taken_as_stored_unless_they_are_to_be_turned() {
    let world = plate();
    let query = "check plate.urdf --from 1,0 --to=-1,0";
    let stored = world.run(query);
    assert_eq!(stored.code, Some(1), "{}{}", stored.out, stored.err);
    assert!(stored.err.contains("[up-axis]") && stored.err.contains("[space-before-declaration]"), "{}", stored.err);
    assert_eq!(world.run(&format!("{query} --up-axis stored")).code, Some(1));
    assert_eq!(world.run(&format!("{query} --up-axis z")).code, Some(0));
    let wrong = world.run(&format!("{query} --up-axis y"));
    assert!(wrong.code == Some(2) && wrong.err.contains("write z or stored"), "{}", wrong.err);
}

#[test]
fn lenient_lets_common_mistakes_pass() {
    let world = plate();
    for (from, to, kind) in [
        ("lower=\"-2\" upper=\"2\"", "lower=\"2\" upper=\"-2\"", "[reversed-limits]"),
        ("<axis xyz=\"0 0 1\"/>", "<axis xyz=\"0 0 1\"/><axis xyz=\"0 1 0\"/>", "[second-axis]"),
        ("plate.gltf\"/>", "plate.gltf\" scale=\"1 1 1 1\"/>", "[long-scale]"),
        ("<axis xyz=\"1 0 0\"/>", "<axis xyz=\"1 0 0\"/><mimic joint=\"ghost\"/>", "[unknown-mimic]"),
    ] {
        world.put("odd.urdf", &PLATE.replace(from, to));
        let refused = world.run("check odd.urdf --from 1,0 --to=-1,0");
        assert!(refused.code == Some(2) && refused.err.contains("--lenient"), "{kind}: {}", refused.err);
        let read = world.run("check odd.urdf --from 1,0 --to=-1,0 --lenient");
        assert!(read.code == Some(1) && read.err.contains(kind), "{kind}: {}{}", read.out, read.err);
    }
}

/// A case file and `step` give the same verdict for the same two frames.
#[test]
fn a_cloth_meets_itself_in_cases_and_steps() {
    let world = World::new();
    let mesh = |apex: &str| format!("v 0 0 0\nv 4 0 0\nv 0 4 0\nv 1 1 {apex}\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n");
    world.put("start.obj", &mesh("1"));
    world.put("end.obj", &mesh("-1"));
    assert_eq!(world.run("step start.obj end.obj").code, Some(1));
    let case = json!({"bodies": [{"name": "cloth", "shape": {"type": "mesh", "file": "start.obj"}, "motion": {"type": "linear_vertices",
            "vertices1": [[0, 0, 0], [4, 0, 0], [0, 4, 0], [1, 1, -1]]}}], "pairs": [["cloth", "cloth"]],
        "expected": {"hit": true, "toc": 0.5, "toc_tol": 1e-9}, "robustness": "transversal"});
    world.put("cloth.json", &case.to_string());
    let ran = world.run("check cloth.json --all");
    assert!(ran.code == Some(1) && ran.out.contains("cloth touches cloth"), "{}{}", ran.out, ran.err);
    assert_eq!(world.run("cases cloth.json").code, Some(0));
}

const IDS: [&str; 11] = [
    "0.5",
    "1.0",
    "true",
    "\"7\"",
    "7",
    "-3",
    "18446744073709551615",
    "12345678901234567890123",
    "{\"x\":1}",
    "[1,\"a b\"]",
    "\"a\\u001b\"",
];

/// The JSON id of a motion, a case or a problem is printed as it was written, also for refused lines.
#[test]
fn names_come_back_as_they_were_written() {
    let world = World::new();
    let mut lines: Vec<String> = IDS.iter().map(|id| format!("{{\"id\": {id}, \"q0\": [0, 0], \"q1\": [1.2, 0]}}\n")).collect();
    lines.push("{\"id\": 99.50, \"q0\": [0, 0, 0], \"q1\": [1.2]}\n".into());
    lines.push("{\"id\": 99.5, \"q0\": \"what\"}\n".into());
    world.put("m.jsonl", &lines.concat());
    let has = |out: &str, id: &str| out.lines().any(|line| line.contains(&format!("\"id\":{id},")));
    let ran = world.run("check arm.urdf --obstacle wall.obj --motions m.jsonl --json");
    for id in IDS.iter().chain(&["99.50", "99.5"]) {
        assert!(has(&ran.out, id), "{id}: {}", ran.out);
    }
    world.put("w.jsonl", &lines[..IDS.len()].concat());
    let ran = world.run("witnesses arm.urdf --obstacle wall.obj --motions w.jsonl --json");
    let cases: Vec<String> = IDS.iter().map(|id| format!("{{\"id\": {id}}}")).collect();
    world.put("c.json", &format!("{{\"cases\": [{}]}}", cases.join(", ")));
    world.put("p.jsonl", &cases.join("\n"));
    let graded = world.run("cases c.json --json");
    let checked = world.run("check c.json --json");
    let problems = world.run("check arm.urdf --problems p.jsonl --json");
    for id in IDS {
        for out in [&ran.out, &graded.out, &checked.out, &problems.out] {
            assert!(has(out, id), "{id}: {out}");
        }
    }
}

/// A list of contacts that exceeds the work limit keeps everything that was proven.
#[test]
fn an_incomplete_list_keeps_its_contact() {
    let world = World::new();
    let dense: String = (0..40).map(|_| crate::world::WALL.to_owned()).collect();
    let mut shifted = String::new();
    for (copy, text) in dense.split_inclusive("f 2 8 6\n").enumerate() {
        for line in text.lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            match words[0] {
                "f" => {
                    let at = |w: &str| w.parse::<usize>().expect("an index") + 8 * copy;
                    shifted += &format!("f {} {} {}\n", at(words[1]), at(words[2]), at(words[3]));
                }
                _ => shifted += &format!("{line}\n"),
            }
        }
    }
    world.put("walls.obj", &shifted);
    let query = "check arm.urdf --obstacle walls.obj --from 0,0 --to 1.2,0 --all";
    let mut seen = false;
    for work in (1..60).map(|k| 40 * k * k) {
        let ran = world.run(&format!("{query} --json --max-work {work}"));
        let row = &ran.rows()[0];
        if row["verdict"] != "contact" {
            continue;
        }
        assert_eq!(ran.code, Some(1), "{}", ran.err);
        assert!(row["contacts"].as_array().is_some_and(|c| !c.is_empty()), "{row}");
        if row["contacts_complete"] == false {
            let text = world.run(&format!("{query} --max-work {work}"));
            assert_eq!(text.code, Some(1), "{}", text.err);
            assert!(text.out.contains("incomplete list"), "{}", text.out);
            seen = true;
            break;
        }
        assert_eq!(row["contacts_complete"], true);
        break;
    }
    assert!(seen, "no limit is enough for the contact alone");
}

/// Text that should be JSON and is not is refused.
#[test]
fn text_that_is_not_json_is_refused() {
    let world = World::new();
    std::fs::create_dir(world.folder.join("d.json")).expect("can write");
    for (text, part) in [("hello", "not well-formed JSON"), ("[1]", "is not an object"), ("3", "is not an object")] {
        world.put("x.json", text);
        for args in ["check arm.urdf --scene x.json --from 0,0 --to 1,0", "check x.json"] {
            let ran = world.run(args);
            assert_eq!(ran.code, Some(2), "{args}");
            assert!(ran.err.contains(part), "{args}, {text}: {}", ran.err);
        }
    }
    let folder = world.run("check d.json").err;
    assert!(folder.contains("this is a folder") && !folder.contains("URDF"), "{folder}");
}
