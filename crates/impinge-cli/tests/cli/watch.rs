//! `impinge watch`: forecasts for a stream of poses, line by line.

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use impinge::math::trig::sin_cos;
use serde_json::Value;

use crate::world::{CUBE, World};

/// A cube of side 1 moves down to the floor at one metre per second; its lower face is at 0.5 - t metres.
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
    // The cube reaches the floor at t = 1.
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

/// A program that waits for each answer gets it; an invalid line gets an error, and later lines are answered.
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
    let mut query = |line: &str| -> Value {
        input.write_all(line.as_bytes()).expect("takes it");
        input.flush().expect("takes it");
        let mut answer = String::new();
        output.read_line(&mut answer).expect("answers");
        serde_json::from_str(&answer).expect("a line of JSON")
    };
    assert_eq!(query(&fall(0.0))["level"], "none");
    assert!(query("nonsense\n")["error"].as_str().is_some_and(|e| e.contains("JSON")));
    assert!(query(&fall(0.0))["error"].as_str().is_some_and(|e| e.contains("not after the last")));
    assert!(query(&fall(0.01))["reached"].as_f64().is_some());
    // The floor moves up to the cube.
    let raised = "\"bodies\": {\"0\": [[-2,-2,1.2],[2,-2,1.2],[-2,2,1.2],[2,2,1.2]]}";
    assert_eq!(query(&fall(0.02).replace("\"p\"", &format!("{raised}, \"p\"")))["level"], "now");
    assert!(query(&fall(0.03).replace("\"p\"", "\"bodies\": {\"4\": []}, \"p\""))["error"].is_string());
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

/// A rod of 1 m turns about its end, 0.15 rad from line to line; a post lies between the chord of its tip and the arc.
#[test]
fn a_turning_rod_meets_a_post_beyond_its_chord() {
    let world = World::new();
    world.put("rod.obj", "v 0 -0.001 0\nv 0 0.001 0\nv 1 0 0.001\nv 1 0 -0.001\nf 1 2 3\nf 1 3 4\nf 1 4 2\nf 2 4 3\n");
    // Half way, the tip is at 0.15 rad / 2, and its chord 2.8 mm further in.
    let (sine, cosine) = sin_cos(0.075);
    let (x, y) = (0.9985 * cosine, 0.9985 * sine);
    world.put("post.obj", &format!("v {x} {y} -1\nv {x} {y} 1\nv {} {} 0\nf 1 2 3\n", x + 2e-4, y + 2e-5));
    let pose = |i: u32| {
        let (sine, cosine) = sin_cos(0.075 * f64::from(i));
        format!("{{\"t\": {}, \"p\": [0, 0, 0], \"q\": [{cosine}, 0, 0, {sine}]}}\n", 0.01 * f64::from(i))
    };
    world.put("poses.jsonl", &(0..2).map(pose).collect::<String>());
    let ran = world.run("watch rod.obj --body post.obj --poses poses.jsonl");
    let rows = ran.rows();
    assert_eq!((ran.code, rows[0]["level"].as_str(), rows[1]["level"].as_str()), (Some(1), Some("none"), Some("now")), "{ran:?}");
    let time = rows[1]["contact"]["time"][1].as_f64().expect("a contact");
    assert!((time - 0.5).abs() < 0.05 && rows[1]["undecided"] == false, "{}", rows[1]);
    for planes in ["box", "clusters"] {
        let ran = world.run(&format!("watch rod.obj --body post.obj --poses poses.jsonl --planes {planes}"));
        assert_eq!(ran.code, Some(1), "{planes}: {ran:?}");
    }
    let lines = world.run("watch rod.obj --body post.obj --poses poses.jsonl --path lines --reflex-steps 0 --considered-steps 0");
    assert_eq!(lines.code, Some(0), "vertices on lines pass by: {lines:?}");
}

/// A sheet that was above a cube at one line and is below it at the next has passed through it.
#[test]
fn a_body_that_passes_between_two_lines_is_seen() {
    let world = world();
    world.put("floor.obj", "v -2 -2 2\nv 2 -2 2\nv -2 2 2\nv 2 2 2\nf 1 2 4\nf 1 4 3\n");
    let at = |t: f64, more: &str| format!("{{\"t\": {t}, \"p\": [0, 0, 0], \"q\": [1, 0, 0, 0]{more}}}\n");
    let below = ", \"bodies\": {\"0\": [[-2,-2,-1],[2,-2,-1],[-2,2,-1],[2,2,-1]]}";
    world.put("poses.jsonl", &(at(0.0, "") + &at(0.1, below) + &at(0.2, "")));
    let ran = world.run("watch cube.obj --body floor.obj --poses poses.jsonl");
    let levels: Vec<Value> = ran.rows().iter().map(|row| row["level"].clone()).collect();
    assert_eq!((ran.code, levels), (Some(1), vec!["none".into(), "now".into(), "none".into()]), "{ran:?}");
}

/// A cube rises, slows down and falls again; its top reaches 6.125 mm above its current position. A lid is below that.
#[test]
fn a_lid_is_foreseen_where_the_tool_turns_back() {
    let world = World::new();
    world.put("cube.obj", CUBE);
    let pose = |i: i32| {
        let h = 0.001 * f64::from(i);
        let z = -0.5 + 0.35 * h - 5.0 * h * h;
        format!("{{\"t\": {h}, \"p\": [0, 0, {z}], \"q\": [1, 0, 0, 0]}}\n")
    };
    world.put("poses.jsonl", &(-100..=0).map(pose).collect::<String>());
    for (lid, seen) in [(6.05e-3, true), (9e-3, false)] {
        world.put("lid.obj", &format!("v -2 -2 {lid}\nv 2 -2 {lid}\nv 0 3 {lid}\nf 1 2 3\n"));
        for steps in ["", "--reflex-steps 1", "--reflex-steps 0 --considered-steps 1 --considered 0.07 --reflex 0.07"] {
            let ran = world.run(&format!("watch cube.obj --body lid.obj --poses poses.jsonl {steps}"));
            let rows = ran.rows();
            assert_eq!(rows[100]["level"] != "none", seen, "{lid} {steps}: {}", rows[100]);
        }
    }
}

/// Held axes are not predicted: a cube drifts sideways towards a wall, with the drift held.
#[test]
fn held_axes_are_not_predicted() {
    let world = world();
    world.put("side.obj", "v 1 -2 -2\nv 1 2 -2\nv 1 0 2\nf 1 2 3\n");
    let pose =
        |i: u32| format!("{{\"t\": {}, \"p\": [{}, 0, 0], \"q\": [1, 0, 0, 0]}}\n", 0.01 * f64::from(i), 0.01 * f64::from(i));
    world.put("poses.jsonl", &(0..20).map(pose).collect::<String>());
    let level =
        |hold: &str| world.run(&format!("watch cube.obj --body side.obj --poses poses.jsonl {hold}")).rows()[19]["level"].clone();
    assert_eq!((level(""), level("--hold x"), level("--hold y,rz")), ("considered".into(), "none".into(), "considered".into()));
}

/// The arm turns towards the wall at half a radian per second: both forms of `--joints` give the same answers, line by line.
#[test]
fn an_arm_is_watched() {
    let world = World::new();
    let angle = |i: u32| 0.005 * f64::from(i);
    let json: String = (0..110).map(|i| format!("{{\"t\": {}, \"q\": [{}, 0.1]}}\n", 0.01 * f64::from(i), angle(i))).collect();
    let table: String = (0..110).map(|i| format!("{},{},0.1\n", 0.01 * f64::from(i), angle(i))).collect();
    world.put("joints.jsonl", &json);
    world.put("joints.csv", &format!("time,shoulder,stretch\n{table}"));
    let ran = world.run("watch arm.urdf --obstacle wall.obj --joints joints.jsonl");
    let rows = ran.rows();
    assert_eq!((ran.code, rows.len(), ran.err.as_str()), (Some(1), 110, ""), "it touches in the end");
    let touches = rows.iter().position(|r| r["level"] == "now").expect("it touches");
    for row in &rows[20..touches] {
        let (t, ahead) = (row["t"].as_f64().expect("a time"), row["ahead"].as_f64());
        if let Some(ahead) = ahead {
            assert!((t + ahead - 0.01 * touches as f64).abs() < 0.011, "{row}");
            assert!(row["pair"][0] == "arm/hand" || row["pair"][1] == "arm/hand", "{row}");
        }
    }
    assert!(rows[touches - 5]["level"] == "reflex" && rows[touches - 50]["level"] == "considered", "{}", rows[touches - 5]);
    let by_table = world.run("watch arm.urdf --obstacle wall.obj --joints joints.csv");
    let same =
        |row: &Value| [row["t"].clone(), row["level"].clone(), row["ahead"].clone(), row["pair"].clone(), row["contact"].clone()];
    assert_eq!(by_table.rows().iter().map(same).collect::<Vec<_>>(), rows.iter().map(same).collect::<Vec<_>>());
    let ended = world.run("watch arm.urdf --obstacle wall.obj --joints joints.csv --budget 0");
    assert_eq!(ended.code, Some(3), "no step was tested: {}", ended.rows()[0]);
}

/// An arm that slows down and turns back before it reaches the wall, within one step of the prediction.
#[test]
fn an_arm_that_turns_back_is_followed() {
    let world = World::new();
    // The hand turns at 1 rad/s, slowing down by 10 rad/s^2: from 0.35 rad on by 0.05 rad, in 0.1 s.
    let line = |i: i32| {
        let h = 0.001 * f64::from(i);
        format!("{{\"t\": {h}, \"q\": [{}, 0]}}\n", 0.35 + h - 5.0 * h * h)
    };
    world.put("joints.jsonl", &(-100..=0).map(line).collect::<String>());
    // The upper arm's corner at (1, 0.05) turns to sin(0.4) + 0.05 cos(0.4) = 0.4355; the ball at 1.1 reaches 0.4784.
    for (gap, seen) in [(-0.0005, true), (0.001, false)] {
        let y = 1.1 * sin_cos(0.4).0 + 0.05 + gap;
        world.put("bar.obj", &format!("v 0 {y} -1\nv 2 {y} -1\nv 1 {y} 3\nf 1 2 3\n"));
        let ran = world.run(
            "watch arm.urdf --obstacle bar.obj --joints joints.jsonl --reflex-steps 0 --considered-steps 1 --considered 0.2",
        );
        let rows = ran.rows();
        assert_eq!(rows[100]["level"] != "none", seen, "{gap}: {}", rows[100]);
    }
}

#[test]
fn mistakes_are_reported() {
    let world = world();
    world.put("poses.jsonl", &fall(0.0));
    for (args, part) in [
        ("cube.obj --poses poses.jsonl", "--body"),
        ("cube.obj --body floor.obj", "--poses"),
        ("cube.obj --body floor.obj --poses gone.jsonl", "gone.jsonl: cannot be read"),
        ("cube.obj --body floor.obj --poses poses.jsonl --order 9", "order: 9 is above 5"),
        ("cube.obj --body floor.obj --poses poses.jsonl --reflex 3", "horizons"),
        ("cube.obj --body floor.obj --poses poses.jsonl --period 0", "period: 0 is not"),
        ("cube.obj --body floor.obj --poses poses.jsonl --tolerance 0", "tolerance: 0 is not positive"),
        ("cube.obj --body floor.obj --poses poses.jsonl --reflex-steps 20000", "more than 10,000 steps"),
        ("cube.obj --body floor.obj --poses poses.jsonl --hold w", "rx"),
        ("cube.obj --body floor.obj --poses poses.jsonl --budget nan", "--budget: NaN is not"),
        ("cube.obj --body floor.obj --poses poses.jsonl --obstacle wall.obj", "cannot be used with"),
        ("arm.urdf --joints poses.jsonl --poses poses.jsonl", "cannot be used with"),
        ("arm.urdf --joints poses.jsonl --body floor.obj", "cannot be used with"),
        ("arm.urdf --joints gone.jsonl", "gone.jsonl: cannot be read"),
    ] {
        let ran = world.run(&format!("watch {args}"));
        assert!(ran.code == Some(2) && ran.out.is_empty() && ran.err.contains(part), "{args}: {ran:?}");
    }
}

/// Joints that no line has named yet take their value from `--state`, a file or a group state, or zero with a note; a hint about
/// degrees is immediate.
#[test]
fn joints_that_are_not_named_have_a_default_state() {
    let world = World::new();
    let srdf = r#"<robot name="arm"><group name="all"><joint name="shoulder"/><joint name="stretch"/></group>
        <group_state name="far" group="all"><joint name="stretch" value="0.4"/></group_state></robot>"#;
    world.put("arm.srdf", srdf);
    world.put("far.json", r#"{"stretch": 0.4}"#);
    // A bar at x = 1.45: only the stretched arm, 1.1 m and a ball of 5 cm and more, reaches it.
    world.put("bar.obj", &CUBE.replace("0.5 ", "0.02 ").replace("v 0.02", "v 1.47").replace("v -0.02", "v 1.43"));
    let line = |k: i32| format!("{{\"t\": {}, \"q\": {{\"shoulder\": {}}}}}\n", f64::from(k) * 0.1, 0.2 - f64::from(k) * 0.1);
    world.put("joints.jsonl", &(0..5).map(line).collect::<String>());
    world.put("joints.csv", "time,shoulder\n0,0.2\n0.1,0.1\n0.2,0\n0.3,-0.1\n0.4,-0.2\n");
    let watch = |source: &str, more: &str| world.run(&format!("watch arm.urdf --obstacle bar.obj --joints {source} {more}"));
    for source in ["joints.jsonl", "joints.csv"] {
        let zero = watch(source, "");
        assert!(zero.code == Some(0) && zero.err.contains("joints that are not named are set to zero: stretch"), "{zero:?}");
        assert_eq!(zero.err.matches("note:").count(), 1, "{zero:?}");
        for state in ["--state far.json", "--srdf arm.srdf --state @far", "--srdf arm.srdf --state arm=@all/far"] {
            let far = watch(source, state);
            assert!(far.code == Some(1) && !far.err.contains("stretch"), "{state}: {far:?}");
        }
    }
    let unknown = watch("joints.jsonl", "--srdf arm.srdf --state @farr");
    assert!(unknown.code == Some(2) && unknown.err.contains("no group state 'farr'; did you mean '@all/far'?"), "{unknown:?}");
    world.put("degrees.jsonl", "{\"t\": 0, \"q\": [90, 0]}\n{\"t\": 1, \"q\": [91, 0]}\n{\"t\": 2, \"q\": {\"sholder\": 1}}\n");
    let ran = watch("degrees.jsonl", "");
    assert_eq!(ran.err.matches("hint: degrees.jsonl:1: joint 'arm/shoulder' is at 90 rad").count(), 1, "{ran:?}");
    assert!(ran.rows()[2]["error"].as_str().is_some_and(|e| e.contains("did you mean 'shoulder'?")), "{ran:?}");
}

#[test]
fn mistakes_in_joint_lines_are_reported_and_other_lines_answered() {
    let world = World::new();
    world.put("joints.jsonl", "{\"t\": 0, \"q\": [0, 0]}\n{\"t\": 1, \"q\": [0]}\n{\"t\": 1, \"q\": {\"shoulder\": 0.1}}\n");
    let ran = world.run("watch arm.urdf --obstacle wall.obj --joints joints.jsonl");
    let rows = ran.rows();
    assert_eq!((ran.code, rows.len()), (Some(2), 3), "{ran:?}");
    let error = rows[1]["error"].as_str().expect("an error");
    assert!(error.contains("joints.jsonl:2") && error.contains("in order: shoulder, stretch"), "{error}");
    assert!(rows[2]["level"] == "none", "{}", rows[2]);
    world.put(
        "free.urdf",
        r#"<robot name="free"><link name="a"/><link name="b"/>
        <joint name="j" type="floating"><parent link="a"/><child link="b"/></joint></robot>"#,
    );
    let floating = world.run("watch free.urdf --joints joints.jsonl");
    assert!(floating.code == Some(2) && floating.err.contains("'free/j' is floating"), "{floating:?}");
}

/// A small cube inside a large one, then with its side through the large one's; from the first line on.
#[test]
fn a_tool_inside_a_body_touches_now() {
    let world = world();
    let scaled = |by: f64| -> String {
        let scale = |line: &str| {
            let numbers: Vec<String> =
                line[2..].split_whitespace().map(|w| (w.parse::<f64>().expect("a number") * by).to_string()).collect();
            format!("v {}\n", numbers.join(" "))
        };
        CUBE.lines().map(|l| if l.starts_with("v ") { scale(l) } else { format!("{l}\n") }).collect()
    };
    world.put("large.obj", &scaled(10.0));
    let line = |t: f64, x: f64| format!("{{\"t\": {t}, \"p\": [{x}, 0, 0], \"q\": [1, 0, 0, 0]}}\n");
    world.put("poses.jsonl", &(line(0.0, 0.0) + &line(0.1, 0.2)));
    for (tool, body, inner) in [("cube.obj", "large.obj", 0), ("large.obj", "cube.obj", 1)] {
        let ran = world.run(&format!("watch {tool} --body {body} --poses poses.jsonl"));
        assert_eq!(ran.code, Some(1), "{}{}", ran.out, ran.err);
        for row in ran.rows() {
            assert!(row["level"] == "now" && row["undecided"] == false && row["body"] == 0, "{row}");
            assert!(row["contained"]["inner"] == inner && row["contact"].is_null(), "{row}");
        }
    }
    world.put("tip.jsonl", &line(0.0, 5.0));
    let row = world.run("watch cube.obj --body large.obj --poses tip.jsonl").rows().remove(0);
    assert!(row["level"] == "now" && row["contact"].is_object() && row["contained"].is_null(), "{row}");
}

/// A line that is not a header does not turn the following lines into a table.
#[test]
fn a_line_that_is_no_header_is_refused() {
    let world = World::new();
    let deep = "[".repeat(5000);
    let good = "{\"t\": 0, \"q\": [0, 0]}\n{\"t\": 0.1, \"q\": [0.01, 0]}\n";
    let utf16: String = "time,shoulder\n".encode_utf16().flat_map(u16::to_le_bytes).map(char::from).collect();
    for garbage in ["null", "[0.0]", "\0\0\0", &deep, &utf16, "shoulder,stretch", "time,elbow", "0,0,0", "time"] {
        world.put("j.txt", &format!("{garbage}\n"));
        let alone = world.run("watch arm.urdf --obstacle wall.obj --joints j.txt");
        assert_eq!(alone.code, Some(2), "{garbage}: {}{}", alone.out, alone.err);
        world.put("j.txt", &format!("{garbage}\n{good}"));
        let ran = world.run("watch arm.urdf --obstacle wall.obj --joints j.txt");
        assert_eq!(ran.code, Some(2), "{garbage}: {}", ran.err);
        if garbage != "time" && !garbage.contains('\n') {
            assert_eq!(ran.out.lines().filter(|l| l.contains("\"level\"")).count(), 2, "{garbage}: {}{}", ran.out, ran.err);
        }
    }
    world.put("j.csv", "time,shoulder,stretch\n# nothing yet\n");
    let header = world.run("watch arm.urdf --obstacle wall.obj --joints j.csv");
    assert_eq!(header.code, Some(2));
    assert!(header.err.contains("no line of values"), "{}", header.err);
    world.put("j.csv", "time,shoulder,stretch\n0,0,0\n");
    assert_eq!(world.run("watch arm.urdf --obstacle wall.obj --joints j.csv").code, Some(0));
}
