//! Vertex/face and edge/edge queries.

use serde_json::{Value, json};

use crate::world::World;

/// A vertex that falls from z = 1 to z = -1, at x, on a triangle at z = 0; `answer` is the seventh column.
fn fall(x: i32, answer: &str) -> String {
    let face = ["-1,1,-1,1,0,1", "1,1,-1,1,0,1", "0,1,1,1,0,1"].map(str::to_owned);
    let rows = [format!("{x},1,0,1,1,1")].into_iter().chain(face.clone()).chain([format!("{x},1,0,1,-1,1")]).chain(face);
    rows.map(|row| format!("{row}{answer}\n")).collect()
}

/// Two edges; one moves down and reaches the other at half of its motion.
fn lowered(hit: Option<bool>, first: Option<[f64; 2]>) -> Value {
    let mut query = json!({"id": "a", "kind": "ee", "vertices_t0": [[-1, 0, 0], [1, 0, 0], [0, -1, 1], [0, 1, 1]],
        "vertices_t1": [[-1, 0, 0], [1, 0, 0], [0, -1, -1], [0, 1, -1]]});
    if let Some(hit) = hit {
        query["hit"] = hit.into();
    }
    if let Some([lo, hi]) = first {
        (query["toc_lo"], query["toc_hi"]) = (lo.into(), hi.into());
    }
    query
}

fn counts(row: &Value) -> Vec<Option<u64>> {
    ["queries", "contacts", "missed", "false_alarms", "undecided", "late"].map(|key| row[key].as_u64()).to_vec()
}

#[test]
fn folders_hold_both_kinds_of_files() {
    let world = World::new();
    std::fs::create_dir_all(world.folder.join("set/vertex-face")).expect("can write");
    world.put("set/vertex-face/data_0.csv", &(fall(0, ",1") + &fall(5, ",0")));
    world.put("set/1vf.csv", &(fall(0, "") + &fall(0, "") + &fall(9, "")));
    world.put("set/1vf.gt.csv", "query,expected,toi\n0,1,0.5\n1,1,0.5\n2,0,\n");
    world.put("set/plain_vf.csv", &(fall(0, "") + &fall(9, "")));
    world.put("set/edges.json", &json!({"queries": [lowered(Some(true), Some([0.5, 0.5]))]}).to_string());
    world.put("set/other.json", "{}");
    world.put("set/other.csv", "a,b\n");
    let ran = world.run("queries set --json");
    let rows = ran.rows();
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let files: Vec<_> = rows.iter().map(|r| r["file"].as_str().expect("a file")).collect();
    assert_eq!(files, ["set/1vf.csv", "set/edges.json", "set/plain_vf.csv", "set/vertex-face/data_0.csv"]);
    assert_eq!(counts(&rows[0]), [Some(3), Some(2), Some(0), Some(0), Some(0), Some(0)]);
    assert_eq!(counts(&rows[1]), [Some(1), Some(1), Some(0), Some(0), Some(0), Some(0)]);
    assert_eq!(counts(&rows[2]), [Some(2), Some(1), None, None, Some(0), None]);
    assert_eq!(counts(&rows[3]), [Some(2), Some(1), Some(0), Some(0), Some(0), None]);
    for row in &rows {
        assert_eq!(row.as_object().map(serde_json::Map::len), Some(11), "{row}");
        let [mean, median, p99, worst] = ["mean_us", "median_us", "p99_us", "worst_us"].map(|k| row[k].as_f64().expect("a time"));
        assert!(mean > 0.0 && median > 0.0 && median <= p99 && p99 <= worst, "{row}");
    }
    let table = world.run("queries set").out;
    let lines: Vec<&str> = table.lines().collect();
    assert!(lines.len() == 6 && lines[0].starts_with("file") && lines[5].starts_with("total"), "{table}");
    assert_eq!(lines[5].split_whitespace().take(7).collect::<Vec<_>>(), ["total", "8", "5", "0", "0", "0", "0"]);
}

/// A file with wrong expected answers: contacts are missed, false or late.
#[test]
fn missed_false_and_late_answers_are_counted() {
    let world = World::new();
    world.put("missed_vf.csv", &fall(5, ",1"));
    let ran = world.run("queries missed_vf.csv --json");
    assert_eq!((ran.code, counts(&ran.rows()[0])), (Some(1), vec![Some(1), Some(1), Some(1), Some(0), Some(0), None]));
    world.put("odd.json", &json!({"queries": [lowered(Some(false), None), lowered(Some(true), Some([0.25, 0.25]))]}).to_string());
    let ran = world.run("queries odd.json --json");
    assert_eq!((ran.code, counts(&ran.rows()[0])), (Some(0), vec![Some(2), Some(1), Some(0), Some(1), Some(0), Some(1)]));
    world.put("open.json", &json!({"queries": [lowered(None, None)]}).to_string());
    assert!(world.run("queries open.json --json").rows()[0]["missed"].is_null());
    world.put("none.json", &json!({"queries": []}).to_string());
    let row = world.run("queries none.json --json").rows().remove(0);
    assert!(row["queries"] == 0 && row["mean_us"].is_null(), "{row}");
}

#[test]
fn unreadable_files_are_named() {
    let world = World::new();
    world.put("good_vf.csv", &fall(0, ",1"));
    world.put("torn_vf.csv", "0,1,0,1,1,1\n");
    world.put("word_vf.csv", &fall(0, "").replacen("-1,1,-1", "-1,x,-1", 1));
    world.put("torn.json", "{\"queries\": [\n");
    std::fs::create_dir(world.folder.join("empty")).expect("can write");
    for (path, said) in [
        ("torn_vf.csv", "error: torn_vf.csv:1: the last query has 1 of 8 rows"),
        ("word_vf.csv", "error: word_vf.csv:2: "),
        ("torn.json", "error: torn.json:2: not well-formed JSON"),
        ("gone.csv", "error: gone.csv: cannot be read"),
        ("empty", "error: empty: this folder has no files of queries"),
    ] {
        let ran = world.run(&format!("queries {path}"));
        assert!(ran.code == Some(2) && ran.err.starts_with(said), "{ran:?}");
    }
    let ran = world.run("queries torn_vf.csv good_vf.csv --json");
    assert_eq!((ran.code, ran.rows().len()), (Some(2), 1), "the others are still answered");
    assert_eq!(world.run("queries").code, Some(2));
}
