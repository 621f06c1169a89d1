//! `impinge watch`: poses in, forecasts out, line by line.

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use serde_json::Value;

use crate::world::{CUBE, World};

/// A cube of side 1 comes down to the floor at one metre a second; its lower face is at 0.5 - t metres.
fn fall(t: f64) -> String {
    format!("{{\"t\": {t}, \"p\": [0, 0, {}], \"q\": [1, 0, 0, 0]}}\n", 1.0 - t + 0.5)
}

fn world() -> World {
    let world = World::new();
    world.put("cube.obj", CUBE);
    world.put("floor.obj", "v -2 -2 0\nv 2 -2 0\nv -2 2 0\nv 2 2 0\nf 1 2 4\nf 1 4 3\n");
    world
}

#[test]
fn a_fall_is_seen_coming() {
    let world = world();
    let poses: String = (0..=110).map(|i| fall(0.01 * f64::from(i))).collect();
    world.put("poses.jsonl", &poses);
    let ran = world.run("watch cube.obj --body floor.obj --poses poses.jsonl");
    assert_eq!((ran.code, ran.err.as_str()), (Some(1), ""), "it touches in the end");
    let rows = ran.rows();
    assert_eq!(rows.len(), 111);
    // The floor is reached at t = 1.
    for row in &rows[20..99] {
        let (t, ahead) = (row["t"].as_f64().expect("a time"), row["ahead"].as_f64().expect("seen"));
        assert!((t + ahead - 1.0).abs() < 1e-3, "{row}");
        let level = if 1.0 - t < 0.0999 { "reflex" } else { "considered" };
        assert!(row["level"] == level || (1.0 - t - 0.1).abs() < 2e-3, "{row}");
        assert!(
            row["uncertainty"].as_f64().is_some_and(|u| u < 0.1) && row["body"] == 0 && row["triangles"] != Value::Null,
            "{row}"
        );
    }
    assert!(rows[102]["level"] == "now" && rows[0]["level"] == "none", "{}", rows[102]);
}

/// A program that waits for each answer gets it, and one that sends nonsense is told so and goes on.
#[test]
fn every_line_is_answered_at_once() {
    let world = world();
    let mut child = world
        .command("watch cube.obj --body floor.obj --poses - --budget 5")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("starts");
    let (mut input, mut output) = (child.stdin.take().expect("piped"), BufReader::new(child.stdout.take().expect("piped")));
    let mut ask = |line: &str| -> Value {
        input.write_all(line.as_bytes()).expect("takes it");
        input.flush().expect("takes it");
        let mut answer = String::new();
        output.read_line(&mut answer).expect("answers");
        serde_json::from_str(&answer).expect("a line of JSON")
    };
    assert_eq!(ask(&fall(0.0))["level"], "none");
    assert!(ask("nonsense\n")["error"].as_str().is_some_and(|e| e.contains("JSON")));
    assert!(ask(&fall(0.0))["error"].as_str().is_some_and(|e| e.contains("not after the last")));
    assert!(ask(&fall(0.01))["reached"].as_f64().is_some());
    // The floor comes up to meet the cube.
    let raised = "\"bodies\": {\"0\": [[-2,-2,1.2],[2,-2,1.2],[-2,2,1.2],[2,2,1.2]]}";
    assert_eq!(ask(&fall(0.02).replace("\"p\"", &format!("{raised}, \"p\"")))["level"], "now");
    assert!(ask(&fall(0.03).replace("\"p\"", "\"bodies\": {\"4\": []}, \"p\""))["error"].is_string());
    drop(input);
    assert_eq!(child.wait().expect("ends").code(), Some(2));
}

#[test]
fn the_shipped_recording_is_watched() {
    let world = World::new();
    assert_eq!(world.run("example --out demo --json").code, Some(0));
    let ran = world.run("watch demo/drill.obj --body demo/hull.obj --poses demo/poses.jsonl");
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    let rows = ran.rows();
    let touched = rows.iter().position(|r| r["level"] == "now").expect("it touches");
    assert!(rows[touched - 11]["level"] != "none", "seen coming: {}", rows[touched - 11]);
    assert!(rows.iter().take(50).all(|r| r["level"] != "reflex" && r["cut_short"] == false));
}

#[test]
fn mistakes_are_told() {
    let world = world();
    world.put("poses.jsonl", &fall(0.0));
    for (args, part) in [
        ("cube.obj --poses poses.jsonl", "--body"),
        ("cube.obj --body floor.obj", "--poses"),
        ("cube.obj --body floor.obj --poses gone.jsonl", "gone.jsonl: cannot be read"),
        ("cube.obj --body floor.obj --poses poses.jsonl --order 9", "order: 9 is above 5"),
        ("cube.obj --body floor.obj --poses poses.jsonl --reflex 3", "horizons"),
        ("cube.obj --body floor.obj --poses poses.jsonl --period 0", "period: 0 is not"),
    ] {
        let ran = world.run(&format!("watch {args}"));
        assert!(ran.code == Some(2) && ran.out.is_empty() && ran.err.contains(part), "{args}: {ran:?}");
    }
}
