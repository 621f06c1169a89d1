//! Batches of motions: order, threads, bad lines, streams, closed pipes.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::Stdio;
use std::time::Duration;

use serde_json::json;

use crate::world::{CUBE, World, without_micros};

const CHECK: &str = "check arm.urdf --obstacle wall.obj";

/// Motions of the arm, some free and some not.
fn motions(count: usize) -> String {
    let line = |i: usize| json!({"id": i, "q0": [0.0, 0.0], "q1": {"shoulder": (i % 17) as f64 * 0.05, "stretch": (i % 5) as f64 * 0.1}});
    (0..count).map(|i| line(i).to_string() + "\n").collect()
}

#[test]
fn lines_are_the_same_on_any_number_of_threads() {
    let world = World::new();
    world.put("m.jsonl", &motions(1500));
    let one = world.run(&format!("{CHECK} --motions m.jsonl --json --threads 1"));
    let many = world.run(&format!("{CHECK} --motions m.jsonl --json --threads 7"));
    assert_eq!((one.code, many.code, one.err.as_str()), (Some(1), Some(1), ""));
    assert_eq!(one.rows().len(), 1500);
    assert!(one.rows().iter().enumerate().all(|(i, row)| row["id"] == i), "in order");
    assert_eq!(without_micros(&one.out), without_micros(&many.out));
    let text = world.run(&format!("{CHECK} --motions m.jsonl"));
    assert_eq!(text.out.lines().count(), 1501);
    assert!(text.out.lines().last().is_some_and(|l| l.starts_with("1500 motions: ")), "{}", text.out);
}

#[test]
fn a_bad_line_is_reported_and_later_lines_are_answered() {
    let world = World::new();
    let lines = [
        r#"{"id": "first", "q0": [0, 0], "q1": [0.1, 0]}"#,
        "",
        r#"{"id": "broken", "q0": [0, 0"#,
        r#"{"id": "short", "q0": [0], "q1": [0, 0]}"#,
        r#"{"id": "nan", "q0": [0, "NaN"], "q1": [0, 0]}"#,
        r#"{"id": "rigid", "start": {"p": [0, 0, 0], "q": [1, 0, 0, 0]}, "v": [1, 0, 0], "w": [0, 0, 0]}"#,
        r#"{"id": "last", "q0": [0, 0], "q1": [1.2, 0]}"#,
    ];
    world.put("m.jsonl", &lines.join("\n"));
    let ran = world.run(&format!("{CHECK} --motions m.jsonl --json"));
    assert_eq!(ran.code, Some(2), "an error wins over a contact");
    let verdicts: Vec<String> = ran.rows().iter().map(|r| format!("{} {}", r["id"], r["verdict"]).replace('"', "")).collect();
    assert_eq!(verdicts, ["first free", "3 error", "short error", "nan error", "rigid error", "last contact"]);
    let messages: Vec<String> = ran.rows().iter().filter_map(|r| Some(r.get("message")?.as_str()?.to_owned())).collect();
    for (message, part) in messages.iter().zip(["m.jsonl:3: ", "m.jsonl:4: ", "m.jsonl:5: ", "m.jsonl:6: "]) {
        assert!(message.starts_with(part), "{message}");
        assert!(ran.err.contains(&format!("error: {message}\n")), "{}", ran.err);
    }
    assert!(messages[1].contains("in order: shoulder, stretch"), "{}", messages[1]);
    let text = world.run(&format!("{CHECK} --motions m.jsonl"));
    assert!(text.out.contains("6 motions: 1 free, 1 contact, 4 error"), "{}", text.out);
    world.put("empty.jsonl", "\n\n");
    let empty = world.run(&format!("{CHECK} --motions empty.jsonl"));
    assert!(empty.code == Some(2) && empty.err.contains("no motions to check"), "an empty batch is not free: {}", empty.err);
}

#[test]
fn standard_input_is_answered_line_by_line() {
    let world = World::new();
    let mut child = world.talk(&format!("{CHECK} --motions - --json"));
    let mut input = child.stdin.take().expect("piped");
    let mut output = BufReader::new(child.stdout.take().expect("piped"));
    for (i, q) in [0.1, 1.2].iter().enumerate() {
        writeln!(input, "{}", json!({"id": i, "q0": [0, 0], "q1": [q, 0]})).expect("taken");
        let mut line = String::new();
        output.read_line(&mut line).expect("answered before more is sent");
        assert!(line.starts_with(&format!("{{\"id\":{i},")), "{line}");
    }
    writeln!(input, "nonsense").expect("taken");
    drop(input);
    let mut rest = String::new();
    output.read_to_string(&mut rest).expect("read");
    assert!(rest.contains("standard input:3: "), "{rest}");
    assert_eq!(child.wait().expect("ends").code(), Some(2));
}

#[test]
fn a_closed_pipe_ends_quietly() {
    let world = World::new();
    world.put("m.jsonl", &motions(200_000));
    let mut child = world
        .command(&format!("{CHECK} --motions m.jsonl --json --any"))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("starts");
    let mut output = BufReader::new(child.stdout.take().expect("piped"));
    let mut line = String::new();
    output.read_line(&mut line).expect("a line");
    assert!(serde_json::from_str::<serde_json::Value>(&line).is_ok(), "a whole line");
    drop(output);
    let ended = (0..600).find_map(|_| {
        std::thread::sleep(Duration::from_millis(50));
        child.try_wait().expect("can wait")
    });
    if ended.is_none() {
        child.kill().expect("was running");
        panic!("it continues although the pipe is closed");
    }
    let mut output = String::new();
    child.stderr.take().expect("piped").read_to_string(&mut output).expect("UTF-8");
    assert_eq!(output, "");
    assert!(matches!(ended.and_then(|s| s.code()), Some(1 | 3)), "never the code that claims all is free: {ended:?}");
}

#[test]
fn rigid_bodies_move_as_their_lines_say() {
    let world = World::new();
    world.put("A.obj", CUBE);
    world.put("B.obj", CUBE);
    let start = json!({"p": [3, 0, 0], "q": [1, 0, 0, 0]});
    let lines = [
        json!({"id": 0, "start": start, "v": [-4, 0, 0], "w": [0, 0, 0]}),
        json!({"id": 1, "start": start, "end": {"p": [-1, 0, 0], "q": [1, 0, 0, 0]}}),
        json!({"id": 2, "p0": [3, 0, 0], "quat0_wxyz": [1, 0, 0, 0], "p1": [3, 0, 0], "rotvec": [0, 0, 6.0]}),
        json!({"id": 3, "start": {"p": [3, 0, 0], "q": [2, 0, 0, 0]}, "v": [-4, 0, 0], "w": [0, 0, 0]}),
        json!({"id": 4, "q0": [1], "q1": [2]}),
    ];
    world.put("m.jsonl", &lines.map(|l| l.to_string()).join("\n"));
    let ran = world.run("check --moving A.obj --fixed B.obj --motions m.jsonl --json");
    let rows = ran.rows();
    for row in &rows[..2] {
        assert_eq!(row["verdict"], "contact");
        assert!(
            row["time"][0].as_f64().expect("lo") <= 0.5 && (row["time"][1].as_f64().expect("hi") - 0.5).abs() < 1e-8,
            "{row}"
        );
        assert_eq!(row["pair"], json!(["A", "B"]));
    }
    assert_eq!(rows[2]["verdict"], "free");
    assert!(rows[3]["message"].as_str().expect("refused").contains("normalise"), "{}", rows[3]);
    assert!(rows[4]["message"].as_str().expect("refused").starts_with("m.jsonl:5: "), "{}", rows[4]);
    assert_eq!(ran.code, Some(2));
    let inside = world.run("check --moving A.obj --fixed A.obj --motions m.jsonl --json");
    assert_eq!(inside.rows()[0]["pair"], json!(["A", "A#2"]), "names are made unique");
}

#[test]
fn trajectories_are_checked_segment_by_segment() {
    let world = World::new();
    world.put("path.csv", "time, shoulder, stretch\n0, 0, 0\n1, 0.1, 0\n3, 0.6, 0\n4, 0.6, 0.1\n");
    let ran = world.run(&format!("{CHECK} --trajectory path.csv --json"));
    let rows = ran.rows();
    assert_eq!(ran.code, Some(1));
    let verdicts: Vec<_> = rows.iter().map(|r| r["verdict"].as_str().expect("a word")).collect();
    assert_eq!(verdicts, ["free", "contact", "contact"]);
    let seconds = 1.0 + 2.0 * ((0.45f64 / 1.1).asin() - 0.1) / 0.5;
    assert!((rows[1]["seconds"][1].as_f64().expect("seconds") - seconds).abs() < 1e-6, "{}", rows[1]);
    assert_eq!(rows[2]["time"][0], 0.0, "it starts in contact");
    let text = world.run(&format!("{CHECK} --trajectory path.csv"));
    assert!(
        text.out.starts_with("0      free\n1      contact") && text.out.contains("3 segments: 1 free, 2 contact"),
        "{}",
        text.out
    );
    world.put("bad.csv", "shoulder, elbow\n0, 0\n1, 1\n");
    let bad = world.run(&format!("{CHECK} --trajectory bad.csv"));
    assert!(bad.code == Some(2) && bad.err.starts_with("error: bad.csv:1: there is no joint 'elbow'"), "{}", bad.err);
    world.put("one.csv", "shoulder, stretch\n0, 0\n");
    assert_eq!(world.run(&format!("{CHECK} --trajectory one.csv")).code, Some(2));
}

/// Sessions follow a trajectory in which few joints move: the answers are those of separate motions, on any number of threads.
#[test]
fn a_followed_trajectory_is_answered_as_from_scratch() {
    let world = World::new();
    let (mut q, mut table, mut motions) = ([0.0f64, 0.0], String::from("shoulder,stretch\n0,0\n"), String::new());
    for step in 0..150 {
        let from = q;
        // One joint at a time, sometimes none; the hand reaches the wall repeatedly.
        match step % 5 {
            0 | 1 => q[0] = 0.9 * (f64::from(step * 37 % 101) / 50.0 - 1.0),
            2 | 3 => q[1] = 0.5 * f64::from(step * 61 % 103) / 102.0,
            _ => {}
        }
        table += &format!("{},{}\n", q[0], q[1]);
        motions += &format!("{{\"id\": {step}, \"q0\": [{}, {}], \"q1\": [{}, {}]}}\n", from[0], from[1], q[0], q[1]);
    }
    world.put("path.csv", &table);
    world.put("motions.jsonl", &motions);
    let query = |args: &str| {
        let ran = world.run(&format!("check arm.urdf --obstacle wall.obj {args} --json"));
        assert_eq!(ran.code, Some(1), "{}", ran.err);
        without_micros(&ran.out)
    };
    let scratch = query("--motions motions.jsonl");
    assert!(scratch.matches("\"free\"").count() > 40 && scratch.matches("\"contact\"").count() > 20, "{scratch}");
    for threads in [1, 2, 8] {
        assert_eq!(query(&format!("--trajectory path.csv --threads {threads}")), scratch, "{threads}");
    }
}
