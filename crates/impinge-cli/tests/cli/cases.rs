//! Case files.

use serde_json::{Value, json};

use crate::world::{ARM, CUBE, World};

fn ball(name: &str, p0: [f64; 3], p1: [f64; 3]) -> Value {
    json!({"name": name, "shape": {"type": "sphere", "radius": 0.5},
        "motion": {"type": "rigid", "p0": p0, "quat0_wxyz": [1, 0, 0, 0], "p1": p1, "rotvec": [0, 0, 0]}})
}

fn case(id: &str, toc: f64) -> Value {
    json!({"id": id, "title": "two balls", "bodies": [ball("a", [4.0, 0.0, 0.0], [0.0, 0.0, 0.0]), ball("b", [0.0; 3], [0.0; 3])],
        "pairs": [["a", "b"]], "query": {"margin": 0, "semantics": "surface", "t_range": [0, 1]},
        "expected": {"hit": true, "toc": toc, "toc_tol": 1e-9}, "accept": ["hit"], "robustness": "transversal"})
}

#[test]
fn a_case_says_whether_it_was_met() {
    let world = World::new();
    world.put("good.json", &case("good", 0.75).to_string());
    let ran = world.run("check good.json");
    assert_eq!(ran.code, Some(1));
    assert!(ran.out.starts_with("contact: a touches b\n") && ran.out.contains("expected  met"), "{}", ran.out);
    let row = world.run("check good.json --json").rows().remove(0);
    assert_eq!((&row["id"], &row["expected_met"], &row["pair"]), (&"good".into(), &true.into(), &json!(["a", "b"])));
    world.put("late.json", &case("late", 0.5).to_string());
    let row = world.run("check late.json --json").rows().remove(0);
    assert_eq!((&row["expected_met"], &row["grade"]), (&false.into(), &"late".into()));
    assert!(world.run("check late.json").out.contains("NOT met: late"));
}

#[test]
fn a_file_of_cases_gives_a_line_each() {
    let world = World::new();
    let mut broken = case("broken", 0.5);
    broken["bodies"][0]["motion"]["p0"][0] = "NaN".into();
    broken["expected"] = json!({"status": "reject", "hit": null});
    broken["accept"] = json!(["reject"]);
    let mut soft = case("soft", 0.5);
    soft["bodies"][0]["motion"] = json!({"type": "linear_vertices", "vertices1": []});
    let mut strange = case("strange", 0.5);
    strange["speed"] = 1.into();
    let all = json!({"format": "impinge-ccd-cases", "version": 1, "cases": [case("x", 0.75), broken, soft, strange]});
    world.put("all.json", &all.to_string());
    let ran = world.run("check all.json --json --threads 2");
    assert_eq!(ran.code, Some(2));
    let rows = ran.rows();
    let summary: Vec<_> = rows.iter().map(|r| (r["id"].as_str(), r["verdict"].as_str(), r["expected_met"].as_bool())).collect();
    assert_eq!(
        summary,
        [
            (Some("x"), Some("contact"), Some(true)),
            (Some("broken"), Some("error"), Some(true)),
            (Some("soft"), Some("error"), Some(false)),
            (Some("strange"), Some("error"), None),
        ]
    );
    assert!(rows[2]["message"].as_str().expect("refused").contains("linear_vertices"));
    assert!(rows[3]["message"].as_str().expect("refused").contains("unknown key 'speed'"));
    assert!(world.run("check all.json").out.contains("4 cases: 0 free, 1 contact, 3 error; 2 of 3 as expected"));
}

#[test]
fn robots_meshes_and_scenes_come_from_files() {
    let world = World::new();
    std::fs::create_dir(world.folder.join("parts")).expect("can write");
    world.put("parts/arm.urdf", ARM);
    world.put("parts/cube.obj", CUBE);
    world.put(
        "parts/cell.json",
        r#"{"format": "impinge-scene", "version": 1, "objects": [{"name": "post",
        "pose": {"xyz": [0, 1.1, 0]}, "shape": {"type": "cylinder", "radius": 0.1, "length": 2}}]}"#,
    );
    let robot = json!({"urdf": "parts/arm.urdf", "q0": {"shoulder": 0, "stretch": 0}, "q1": [3, 0]});
    world.put("a.case.json", &json!({"robot": robot, "scene": "parts/cell.json", "expected": {"hit": true}}).to_string());
    let row = world.run("check a.case.json --json").rows().remove(0);
    assert_eq!(
        (&row["verdict"], &row["pair"], &row["expected_met"]),
        (&"contact".into(), &json!(["arm/hand", "post"]), &true.into())
    );
    assert!(row["warnings"][0].as_str().is_some_and(|w| w.contains("arm/shoulder")), "{row}");
    let free = json!({"robot": robot, "scene": ["parts/cell.json"], "ignore": [["hand", "post"], ["upper", "post"]]});
    world.put("b.json", &free.to_string());
    assert_eq!(world.run("check b.json").code, Some(0));
    let cube = json!({"name": "box", "shape": {"type": "mesh", "file": "parts/cube.obj", "scale": [2, 2, 2]},
        "motion": {"type": "rigid", "p0": [5, 0, 0], "p1": [0, 0, 0], "quat1_wxyz": [1, 0, 0, 0]}});
    world.put("c.json", &json!({"bodies": [cube, ball("b", [0.0; 3], [0.0; 3])]}).to_string());
    let row = world.run("check c.json --json").rows().remove(0);
    assert!((row["time"][1].as_f64().expect("contact") - 0.7).abs() < 1e-8, "{row}");
}

#[test]
fn a_case_brings_its_own_options() {
    let world = World::new();
    world.put("x.json", &case("x", 0.75).to_string());
    for flag in ["--margin 1", "--from 0 --to 1", "--scene wall.obj", "--solid", "--motions m.jsonl"] {
        let ran = world.run(&format!("check x.json {flag}"));
        assert!(ran.code == Some(2) && ran.err.contains("remove --"), "{flag}: {}", ran.err);
    }
    world.put("list.json", "[1]");
    assert!(world.run("check list.json").err.starts_with("error: list.json: "));
    world.put("torn.json", "{\"cases\": [");
    assert!(world.run("check torn.json").err.starts_with("error: torn.json:1: not well-formed JSON"));
}

/// Writes a file with these cases.
fn put_cases(world: &World, name: &str, cases: &[Value]) {
    world.put(name, &json!({"format": "impinge-ccd-cases", "version": 1, "cases": cases}).to_string());
}

#[test]
fn cases_are_graded() {
    let world = World::new();
    let good: Vec<Value> = (0..100).map(|i| case(&format!("c{i}"), 0.75)).collect();
    put_cases(&world, "good.json", &good);
    let ran = world.run("cases good.json");
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "100 cases: 100 pass\n"));
    let rows = world.run("cases good.json --json --threads 2").rows();
    let ids: Vec<_> = rows.iter().map(|r| r["id"].as_str().expect("an id").to_owned()).collect();
    assert_eq!(ids, (0..100).map(|i| format!("c{i}")).collect::<Vec<_>>());
    let keys: Vec<&String> = rows[0].as_object().expect("an object").keys().collect();
    assert_eq!(keys, ["id", "message", "seconds", "time", "tolerance", "verdict"]);
    assert!(rows[0]["verdict"] == "contact" && rows[0]["message"].is_null() && rows[0]["tolerance"] == 1e-9, "{}", rows[0]);
    assert!((rows[0]["time"][1].as_f64().expect("a time") - 0.75).abs() < 1e-8 && rows[0]["seconds"].as_f64() > Some(0.0));
}

#[test]
fn the_worst_grade_is_the_exit_code() {
    let world = World::new();
    let mut free = case("invented", 0.5);
    free["expected"] = json!({"hit": false});
    free["accept"] = json!(["free"]);
    let mut strange = case("strange", 0.5);
    strange["speed"] = 1.into();
    let mut open = case("open", 0.5);
    open.as_object_mut().expect("an object").retain(|key, _| key != "expected" && key != "accept");
    for (cases, code, said) in [
        (vec![open.clone()], 0, "1 case: 1 without an expected answer\n"),
        (vec![free.clone()], 3, "CONSERVATIVE invented: contact in [0.7"),
        (vec![strange.clone(), free.clone()], 2, "UNREADABLE   strange: error: all.json: cases[0] has the unknown key"),
        (vec![strange, case("late", 0.5), free], 1, "LATE         late: contact in [0.7"),
        (vec![case("x", 0.75), open], 0, "2 cases: 1 pass, 1 without an expected answer\n"),
    ] {
        put_cases(&world, "all.json", &cases);
        let ran = world.run("cases all.json");
        assert!(ran.code == Some(code) && ran.out.contains(said), "{said}: {ran:?}");
    }
    world.put("torn.json", "{\"cases\": [\n");
    for (file, said) in [("torn.json", "error: torn.json:2: not well-formed"), ("none.json", "error: none.json: cannot be read")]
    {
        let ran = world.run(&format!("cases {file}"));
        assert!(ran.code == Some(2) && ran.err.starts_with(said), "{ran:?}");
    }
    put_cases(&world, "empty.json", &[]);
    assert_eq!(world.run("cases empty.json").code, Some(2));
}

/// Without an expected answer, a refusal cannot be expected.
#[test]
fn cases_that_cannot_be_read_are_errors() {
    let world = World::new();
    let lost = r#"{"id": "lost", "bodies": [{"name": "a", "mesh": "no.obj"}], "pairs": []}"#;
    for case in ["{}", lost] {
        world.put("c.json", case);
        for json in ["", " --json"] {
            let ran = world.run(&format!("cases c.json{json}"));
            assert_eq!(ran.code, Some(2), "{case}: {}{}", ran.out, ran.err);
            assert!(ran.out.contains("error"), "{case}: {}", ran.out);
        }
    }
}
