//! The output shown in the documents is the output of the command.

use std::path::Path;

use crate::world::{CUBE, World};

fn document(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// Returns the fenced blocks of a document with this language and word behind the fence.
fn blocks(text: &str, fence: &str) -> Vec<String> {
    let open = format!("```{fence}\n");
    let found = text.match_indices(&open).map(|(at, _)| &text[at + open.len()..]);
    found.map(|rest| rest.split("```").next().unwrap_or_default().to_owned()).collect()
}

#[test]
fn every_example_of_the_formats_is_read() {
    let text = document("docs/formats.md");
    let world = World::new();
    world.put("cube.obj", CUBE);
    let two = "--robot left=arm.urdf --robot right=arm.urdf --base right=2.5,0,0,0,0,180deg --body box=cube.obj --from box:0,3,0";
    let mut read = 0;
    for (fence, file, args) in [
        ("json scene", "cell.json", "arm.urdf --scene cell.json --from 0,0 --to 0.1,0"),
        ("json state", "state.json", "arm.urdf --state state.json --to shoulder=0.4"),
        ("jsonl motions", "m.jsonl", "arm.urdf --motions m.jsonl"),
        ("jsonl bodies", "m.jsonl", "--moving cube.obj --fixed wall.obj --motions m.jsonl"),
        ("jsonl several", "m.jsonl", &format!("{two} --motions m.jsonl")),
        ("csv trajectory", "path.csv", "arm.urdf --trajectory path.csv"),
        ("json case", "case.json", "case.json"),
    ] {
        for block in blocks(&text, fence) {
            world.put(file, &block);
            let ran = world.run(&format!("check {args} --json"));
            assert!(matches!(ran.code, Some(0 | 1)) && !ran.err.contains("error"), "{fence}: {}\n{block}", ran.err);
            assert!(ran.rows().iter().all(|row| row["verdict"] == "free" || row["verdict"] == "contact"), "{}", ran.out);
            read += 1;
        }
    }
    assert_eq!(read, text.matches("\n```json").count() + text.matches("\n```csv").count(), "every example is of a known kind");
    world.put("case.json", &blocks(&text, "json case")[0]);
    assert_eq!(world.run("cases case.json").code, Some(0));
}

/// The command prints every line of the transcript, in this order; only the time differs.
#[test]
fn the_transcript_of_the_readme_is_printed() {
    let readme = document("README.md");
    let block = blocks(&readme, "text").into_iter().find(|b| b.starts_with("$ cargo run --release -- example\n"));
    let block = block.expect("the README begins with a transcript");
    let ran = World::new().run("example");
    let untimed = |line: &str| line.rsplit_once(" (").map_or(line, |(before, _)| before).to_owned();
    let mut printed = ran.out.lines();
    let mut gap = true;
    for line in block.lines().skip(1) {
        if line == "…" {
            gap = true;
            continue;
        }
        let same = |other: &str| other == line || (line.contains(" motions: ") && untimed(other) == untimed(line));
        let found = if gap { printed.any(same) } else { printed.next().is_some_and(same) };
        assert!(found, "the README shows, but `impinge example` does not print: {line}\n{}", ran.out);
        gap = false;
    }
    assert_eq!(printed.next(), None, "the README leaves out the end");
}
