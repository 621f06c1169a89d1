//! Limits of work, bad motions among good ones, and interrupted batches.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use crate::world::{World, without_micros};

const CHECK: &str = "check arm.urdf --obstacle wall.obj";

#[test]
fn a_limit_of_work_leaves_a_motion_undecided() {
    let world = World::new();
    let query = |more: &str| world.run(&format!("{CHECK} --from 0,0 --to 1.2,0.1 --json {more}"));
    let (full, first) = (query(""), query("").rows()[0]["time"][1].as_f64().expect("a contact"));
    assert_eq!(full.code, Some(1));
    let mut undecided = 0;
    for work in 0..40 {
        let ran = query(&format!("--max-work {work}"));
        let row = &ran.rows()[0];
        let until = row["free_until"].as_f64().expect("how far it is known to be free");
        assert!((0.0..=first).contains(&until), "work {work}: {row}");
        match row["verdict"].as_str() {
            Some("undecided") => undecided += usize::from(ran.code == Some(3)),
            verdict => assert_eq!((verdict, ran.code), (Some("contact"), Some(1)), "work {work}"),
        }
    }
    assert!(undecided > 0, "no work is not enough");
    assert_eq!(without_micros(&query("--max-work 100000").out), without_micros(&full.out), "enough is enough");
    assert_eq!(query("--max-work -1").code, Some(2));
}

#[test]
fn a_batch_continues_after_bad_or_hard_motions() {
    let world = World::new();
    let lines = [
        json!({"id": "rests", "q0": [-1.5, 0], "q1": [-1.5, 0]}).to_string(),
        "{".repeat(100_000),
        json!({"id": "hits", "q0": [0, 0], "q1": [1.2, 0.1]}).to_string(),
        "\u{0}".to_string(),
        json!({"id": "huge", "q0": [0, 0], "q1": [1e300, 0]}).to_string(),
        json!({"id": "rests", "q0": [-1.5, 0], "q1": [-1.5, 0]}).to_string(),
    ];
    world.put("m.jsonl", &lines.join("\n"));
    let verdicts = |more: &str| {
        let ran = world.run(&format!("{CHECK} --motions m.jsonl --json {more}"));
        assert_eq!(ran.code, Some(2), "{}", ran.err);
        ran.rows().iter().map(|r| r["verdict"].as_str().unwrap_or_default().to_owned()).collect::<Vec<_>>()
    };
    let full = verdicts("");
    assert_eq!((full.len(), &full[..4]), (6, &["free", "error", "contact", "error"].map(String::from)[..]), "{full:?}");
    assert!(full[4] != "free" && full[5] == "free", "{full:?}");
    let hurried = verdicts("--max-work 8");
    assert_eq!(hurried[1..4], ["error", "undecided", "error"].map(String::from));
}

/// Starts a batch on standard input, and writes lines to it until it stops reading.
#[cfg(unix)]
fn endless(world: &World, more: &str) -> (Child, std::thread::JoinHandle<()>) {
    let mut child = world
        .command(&format!("{CHECK} --motions - --json {more}"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("starts");
    let mut input = child.stdin.take().expect("piped");
    let writer = std::thread::spawn(move || {
        for i in 0.. {
            let line = json!({"id": i, "q0": [0.0, 0.0], "q1": [f64::from(i % 17) * 0.05, 0.1]});
            if writeln!(input, "{line}").is_err() {
                return;
            }
        }
    });
    (child, writer)
}

#[cfg(unix)]
fn signal(child: &Child, name: &str) {
    assert!(Command::new("kill").args([name, &child.id().to_string()]).status().expect("there is kill").success());
}

/// Waits for the end, at most half a minute.
fn code(child: &mut Child) -> Option<i32> {
    let ended = (0..600).find_map(|_| {
        std::thread::sleep(Duration::from_millis(50));
        child.try_wait().expect("can wait")
    });
    if ended.is_none() {
        child.kill().expect("was running");
    }
    ended.expect("it ends in time").code()
}

#[test]
#[cfg(unix)]
fn an_interrupted_batch_ends_with_whole_lines() {
    for (name, more) in [("-INT", "--threads 1"), ("-INT", "--threads 2"), ("-TERM", "")] {
        let world = World::new();
        let (mut child, writer) = endless(&world, more);
        let mut output = BufReader::new(child.stdout.take().expect("piped"));
        let mut text = String::new();
        for _ in 0..300 {
            output.read_line(&mut text).expect("a line");
        }
        signal(&child, name);
        output.read_to_string(&mut text).expect("UTF-8");
        assert_eq!(code(&mut child), Some(130), "as the shell has it, never 0");
        writer.join().expect("no panic");
        assert!(text.ends_with('\n'));
        let rows: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("a whole line")).collect();
        assert!(rows.iter().enumerate().all(|(i, row)| row["id"] == i), "in order, without a gap");
        let mut output = String::new();
        child.stderr.take().expect("piped").read_to_string(&mut output).expect("UTF-8");
        assert_eq!(output, format!("interrupted after {} motions\n", rows.len()));
    }
}

#[test]
#[cfg(unix)]
fn a_batch_that_waits_for_input_is_interrupted() {
    let world = World::new();
    let mut child = world.talk(&format!("{CHECK} --motions - --json"));
    let mut input = child.stdin.take().expect("piped");
    writeln!(input, "{}", json!({"id": 0, "q0": [0, 0], "q1": [0.1, 0]})).expect("taken");
    let mut output = BufReader::new(child.stdout.take().expect("piped"));
    output.read_line(&mut String::new()).expect("answered");
    signal(&child, "-INT");
    assert_eq!(code(&mut child), Some(130), "though its input is still open");
    drop(input);
}

#[test]
#[cfg(unix)]
fn a_closed_pipe_ends_an_endless_batch() {
    let world = World::new();
    let (mut child, writer) = endless(&world, "");
    let mut output = BufReader::new(child.stdout.take().expect("piped"));
    let mut text = String::new();
    for _ in 0..1000 {
        output.read_line(&mut text).expect("a line");
    }
    drop(output);
    assert!(matches!(code(&mut child), Some(1 | 3)), "never the code that claims all is free");
    writer.join().expect("no panic");
    assert!(text.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()), "whole lines");
}

/// A query that takes minutes: many triangles, all nearly in contact.
#[cfg(unix)]
fn long(world: &World) -> &'static str {
    world.put("pile.obj", &format!("v 0 0 0\nv 1 0 0\nv 0 1 0\n{}", "f 1 2 3\n".repeat(3000)));
    "check --moving pile.obj --fixed pile.obj --from 0,0,1e-7,0,0,0 --to 0.001,0,1e-7,0,0,0.001 --json"
}

#[test]
#[cfg(unix)]
fn a_single_query_is_cancelled() {
    for more in ["", "--any", "--engine sweep", "--engine boxes", "--engine hulls"] {
        let world = World::new();
        let query = long(&world);
        let mut child = world.talk(&format!("{query} {more}"));
        std::thread::sleep(Duration::from_millis(700));
        assert!(child.try_wait().expect("can wait").is_none(), "{more}: it takes longer than that");
        signal(&child, "-INT");
        let start = std::time::Instant::now();
        assert_eq!(code(&mut child), Some(130), "{more}");
        // A tenth of a second on an idle machine; this one may be busy, and the query takes minutes.
        assert!(start.elapsed() < Duration::from_secs(20), "{more}: {:?}", start.elapsed());
        let mut text = String::new();
        child.stdout.take().expect("piped").read_to_string(&mut text).expect("UTF-8");
        let row: Value = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{more}: {e}: {text}"));
        assert_eq!(row["verdict"], "undecided", "{more}");
    }
}

#[test]
#[cfg(unix)]
fn a_batch_does_not_wait_for_a_long_query() {
    let world = World::new();
    let query = long(&world);
    let flags = query.split(" --from").next().expect("before the motion");
    let mut child = world.talk(&format!("{flags} --motions - --json --threads 1"));
    let mut input = child.stdin.take().expect("piped");
    let motion = |id: &str, z: f64| json!({"id": id, "p0": [0.0, 0.0, z], "quat0_wxyz": [1, 0, 0, 0], "p1": [1e-3, 0.0, z], "rotvec": [0.0, 0.0, 1e-3]});
    writeln!(input, "{}\n{}", motion("short", 1.0), motion("long", 1e-7)).expect("taken");
    let mut output = BufReader::new(child.stdout.take().expect("piped"));
    std::thread::sleep(Duration::from_millis(700));
    signal(&child, "-INT");
    assert_eq!(code(&mut child), Some(130));
    let mut text = String::new();
    output.read_to_string(&mut text).expect("UTF-8");
    let ids: Vec<Value> =
        text.lines().map(|line| serde_json::from_str::<Value>(line).expect("a whole line")["id"].clone()).collect();
    assert_eq!(ids, ["short"], "a cancelled query is not printed: {text}");
    drop(input);
}

/// The pipe has no writer, so opening it blocks.
#[test]
#[cfg(unix)]
fn waiting_for_a_pipe_ends_at_the_first_signal() {
    let world = World::new();
    world.put("p.json", "{}");
    assert!(Command::new("mkfifo").arg("pipe").current_dir(&world.folder).status().expect("there is mkfifo").success());
    for (args, name) in [
        (format!("{CHECK} --motions pipe"), "-TERM"),
        (format!("{CHECK} --motions pipe"), "-INT"),
        (format!("{CHECK} --problems pipe"), "-INT"),
        ("swept arm.urdf --motions pipe --out s.stl".into(), "-INT"),
        ("witnesses arm.urdf --obstacle wall.obj --motions pipe".into(), "-INT"),
        ("watch arm.urdf --obstacle wall.obj --joints pipe".into(), "-TERM"),
        ("watch wall.obj --body wall.obj --poses pipe".into(), "-INT"),
        ("verify pipe".into(), "-INT"),
    ] {
        let mut child = world.command(&args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("starts");
        std::thread::sleep(Duration::from_millis(400));
        assert!(child.try_wait().expect("can wait").is_none(), "it waits: {args}");
        signal(&child, name);
        let begun = std::time::Instant::now();
        assert_eq!(code(&mut child), Some(130), "{args}");
        assert!(begun.elapsed() < Duration::from_secs(5), "{args}");
    }
}
