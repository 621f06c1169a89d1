//! Workloads, cases and planning problems with known answers, where available.

use std::collections::HashMap;
use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use crate::world::{Ran, run};

/// Returns a folder of `../shared`, or `None` after printing that the test is skipped.
fn shared(folder: &str) -> Option<PathBuf> {
    let path = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared")).join(folder);
    if path.is_dir() {
        return Some(path);
    }
    eprintln!("SKIPPED: ../shared is not here ({folder})");
    None
}

/// Parses lines `id hit first-contact …`.
fn truth(text: &str) -> HashMap<String, (bool, f64)> {
    let rows = text.lines().filter(|l| !l.starts_with('#')).map(|line| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        (fields[0].to_owned(), (fields[1] == "1", fields[2].parse().expect("a time")))
    });
    rows.collect()
}

/// No missed and no false contact; every bracket is narrow and contains the truth.
fn compare(ran: &Ran, truth: &HashMap<String, (bool, f64)>, what: &str) {
    let rows = ran.rows();
    assert_eq!(rows.len(), truth.len(), "{what}");
    for row in rows {
        let (hit, toc) = truth[&row["id"].to_string()];
        assert_eq!(row["verdict"], if hit { "contact" } else { "free" }, "{what}: {row}, truth {toc}");
        if hit {
            let (lo, hi) = bracket(&row);
            assert!(lo <= toc + 1e-6 && toc <= hi + 1e-6 && hi - lo <= 1e-6, "{what}: {row}, truth {toc}");
        }
    }
}

fn bracket(row: &Value) -> (f64, f64) {
    (row["time"][0].as_f64().expect("lo"), row["time"][1].as_f64().expect("hi"))
}

#[test]
fn arms_among_pipes_and_rods() {
    for set in ["articulated", "articulated_thin"] {
        let Some(folder) = shared(&format!("workloads/{set}")) else { return };
        for degrees in ["01", "05", "15", "30"] {
            let motions = format!("motions_{degrees}deg.jsonl");
            let ran = run(
                &["check", "puma.urdf", "--obstacle", "meshes/env.obj", "--no-self", "--motions", &motions, "--json"],
                &folder,
            );
            let known = fs::read_to_string(folder.join(format!("gt_{degrees}deg.txt"))).expect("the truth");
            compare(&ran, &truth(&known), &format!("{set} {degrees}"));
        }
    }
}

#[test]
fn rigid_bodies() {
    for set in ["cubes", "gpm", "knot2880", "knot11520", "knot34560"] {
        let Some(folder) = shared(&format!("workloads/rigid/{set}")) else { return };
        let args = ["check", "--moving", "A.obj", "--fixed", "B.obj", "--no-self", "--motions", "motions.jsonl", "--json"];
        let known = fs::read_to_string(folder.join("gt.txt")).expect("the truth");
        compare(&run(&args, &folder), &truth(&known), set);
    }
}

/// Rigid and jointed cases are never unsound and never late; the other grades are printed.
#[test]
fn cases_with_known_answers() {
    let Some(folder) = shared("cases") else { return };
    let cases: Value = serde_json::from_slice(&fs::read(folder.join("cases.json")).expect("the cases")).expect("JSON");
    let rows = run(&["check", "cases.json", "--json"], &folder).rows();
    let cases = cases["cases"].as_array().expect("a list");
    assert_eq!(rows.len(), cases.len());
    for (case, row) in cases.iter().zip(&rows) {
        assert_eq!(case["id"], row["id"]);
        if row["expected_met"] != true {
            eprintln!("{} is {}: {} at {}", row["id"], row["grade"], row["verdict"], row["time"]);
        }
        let requires = case["requires"].as_array().expect("a list");
        if requires.iter().any(|r| r == "rigid_mesh" || r == "articulated" || r == "deformable") {
            assert!(row["grade"] != "unsound" && row["grade"] != "late", "{row}");
            let error_expected = case["expected"]["status"] == "reject"
                || case["accept"].as_array().is_some_and(|a| a.iter().any(|v| v == "reject"));
            assert!(row["verdict"] != "error" || error_expected, "{row}");
        }
    }
}

/// A sampled collision implies a contact no later than the sample; a free sampling proves nothing.
#[test]
fn planning_problems_agree_with_samples() {
    let Some(problems) = shared("data/scenes/mbm/panda") else { return };
    let Some(robot) = shared("data/robots/panda") else { return };
    for set in ["bookshelf_small", "box", "cage", "table_pick"] {
        let file = problems.join(format!("{set}.jsonl"));
        let args = ["check", "panda.urdf", "--srdf", "panda.srdf", "--json", "--problems", file.to_str().expect("UTF-8")];
        let rows = run(&args, &robot).rows();
        let oracle = fs::read_to_string(problems.join(format!("{set}.line_oracle.csv"))).expect("the samples");
        let samples: HashMap<&str, Vec<&str>> =
            oracle.lines().skip(1).map(|l| l.split(',').collect::<Vec<_>>()).map(|fields| (fields[0], fields)).collect();
        assert_eq!(rows.len(), samples.len());
        for row in rows {
            let fields = &samples[row["id"].to_string().as_str()];
            let first = fields[5..7].iter().filter_map(|f| f.parse::<f64>().ok()).filter(|&s| s >= 0.0).min_by(f64::total_cmp);
            let Some(sample) = first else { continue };
            assert_eq!(row["verdict"], "contact", "{set}: {row}, sample {sample} of 500");
            let (_, hi) = bracket(&row);
            assert!(hi <= sample / 500.0 + 1e-9, "{set}: {row}, sample {sample} of 500");
        }
    }
}

#[test]
fn public_queries_are_answered_right() {
    for path in ["data/ccd-queries", "cases"] {
        let Some(folder) = shared(path) else { return };
        let files: &[&str] = if path == "cases" { &["primitives.json"] } else { &["."] };
        let ran = run(&[&["queries", "--json"], files].concat(), &folder);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        for row in ran.rows() {
            for key in ["missed", "false_alarms", "undecided", "late"] {
                assert!(row[key].as_u64().unwrap_or(0) == 0, "{row}");
            }
        }
    }
}
