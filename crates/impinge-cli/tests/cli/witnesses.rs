//! `impinge witnesses`.

use crate::world::{CUBE, World};

/// A cube of side 1 that moves through another from -2 to 2 touches it between t = 0.25 and t = 0.75.
#[test]
fn a_cube_through_a_cube() {
    let world = World::new();
    world.put("cube.obj", CUBE);
    let through = "{\"id\": 7, \"start\": {\"p\": [-2,0.25,0.125], \"q\": [1,0,0,0]}, \"v\": [4,0,0], \"w\": [0,0,0]}\n";
    world.put("through.jsonl", through);
    let query = "witnesses --moving cube.obj --fixed cube.obj --motions through.jsonl";
    let ran = world.run(&format!("{query} --times --json"));
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    let rows = ran.rows();
    assert!(rows.len() > 10 && rows.iter().all(|r| r["proven"] == true && r["id"] == 7), "{}", ran.out);
    let bracket = |end: &str| {
        let value = move |r: &serde_json::Value, k: usize| r["spans"][0][end][k].as_f64().expect("a time");
        rows.iter().map(|r| (value(r, 0), value(r, 1))).collect::<Vec<_>>()
    };
    for (lo, hi) in bracket("begins").into_iter().chain(bracket("ends")) {
        assert!(lo <= hi && hi - lo < 1e-6 && hi >= 0.25 - 1e-9 && lo <= 0.75 + 1e-9, "{lo} {hi}");
    }
    let first = bracket("begins").iter().map(|b| b.0).fold(1.0, f64::min);
    let last = bracket("ends").iter().map(|b| b.1).fold(0.0, f64::max);
    assert!((first - 0.25).abs() < 1e-8 && (last - 0.75).abs() < 1e-8, "{first} {last}");
    let few = world.run(&format!("{query} --limit 2"));
    assert!(few.out.ends_with("motion 7: 2 pairs touch, and there are more\n") && few.out.lines().count() == 3, "{}", few.out);
    world.put("aside.jsonl", &through.replace("0.25", "1.2"));
    let aside = world.run("witnesses --moving cube.obj --fixed cube.obj --motions aside.jsonl");
    assert_eq!((aside.code, aside.out.as_str()), (Some(0), "motion 7: 0 pairs touch\n"));
    let near = world.run("witnesses --moving cube.obj --fixed cube.obj --motions aside.jsonl --margin 0.21");
    assert_eq!(near.code, Some(1), "{}", near.out);
}

#[test]
fn a_robot_and_its_mistakes() {
    let world = World::new();
    let ran = world.run("witnesses arm.urdf --obstacle wall.obj --from 0,0 --to 1.2,0.3 --times --json");
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    let pairs: Vec<_> = ran.rows().iter().map(|r| r["pair"].clone()).collect();
    assert!(pairs.contains(&serde_json::json!(["arm/hand", "wall"])), "{pairs:?}");
    let none = world.run("witnesses arm.urdf --obstacle wall.obj");
    assert!(none.code == Some(2) && none.err.contains("no motion is given"), "{}", none.err);
    let bad = world.run("witnesses arm.urdf --obstacle wall.obj --from 0,0 --to 1,0 --times --resolution 0");
    assert!(bad.code == Some(2) && bad.err.contains("resolution"), "{}", bad.err);
    assert!(world.run("witnesses --help").out.contains("Examples:"));
}

/// A part that starts inside a box, or inside a closed mesh, is listed as `check` reports it: contained.
#[test]
fn a_part_that_starts_inside_is_contained() {
    let world = World::new();
    world.put("cube.obj", CUBE);
    world.put("room.json", r#"{"format": "impinge-scene", "version": 1, "objects": [{"name": "room", "shape": {"type": "box", "size": [4, 4, 4]}}]}"#);
    world.put("stay.jsonl", "{\"id\": 1, \"start\": {\"p\": [0.5,0,0], \"q\": [1,0,0,0]}, \"v\": [0.1,0,0], \"w\": [0,0,0.5]}\n");
    for outer in ["--scene room.json", "--fixed big.obj"] {
        world.put("big.obj", &CUBE.replace("0.5", "2"));
        let query = format!("--moving cube.obj {outer} --motions stay.jsonl");
        let ran = world.run(&format!("witnesses {query} --times"));
        let text = &ran.out;
        assert!(
            ran.code == Some(1) && text.contains("cube is inside ") && text.contains("t = 0.000000000 … 1.0"),
            "{text}{}",
            ran.err
        );
        let row = &world.run(&format!("witnesses {query} --json")).rows()[0];
        assert!(row["contained"] == true && row["triangles"].is_null() && row["proven"] == true, "{row}");
        let checked = world.run(&format!("check {query} --json"));
        let row = &checked.rows()[0];
        assert!(checked.code == Some(1) && row["state"] == "contained" && row["pair"][0] == "cube", "{row}");
    }
    let shells = world.run("witnesses --moving cube.obj --fixed big.obj --motions stay.jsonl --surfaces");
    assert_eq!((shells.code, shells.out.as_str()), (Some(0), "motion 1: 0 pairs touch\n"), "{}", shells.err);
}
