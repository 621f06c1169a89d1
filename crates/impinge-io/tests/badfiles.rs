//! Every malformed or hostile file of `../shared/cases/badfiles` has the result of its manifest, in time.

mod common;

use std::path::Path;
use std::time::{Duration, Instant};

use impinge::math::Vec3;
use impinge_io::{IoError, Loaded, UrdfOptions, Warning, json, load_mesh, load_urdf};

/// Returns the result of a loader: the number of triangles or links, and warnings.
fn load(path: &Path, format: &str) -> Result<(usize, Vec<Warning>), IoError> {
    if format == "urdf" {
        return load_urdf(path, &UrdfOptions::default()).map(|Loaded { value, warnings }| (value.links().len(), warnings));
    }
    load_mesh(path, Vec3::splat(1.0)).map(|Loaded { value, warnings }| (value.triangles().len(), warnings))
}

/// Returns the kind of warning that a `load_with_warning` or `reject_or_warn` entry expects.
fn warning_kind(wanted: &str) -> &'static str {
    match wanted {
        t if t.contains("mirrored") => "mirrored-mesh",
        t if t.contains("degenerate") => "degenerate-triangles",
        "BadGeometry" => "zero-size",
        other => panic!("the manifest has an unmapped warning: {other}"),
    }
}

fn check(file: &str, expect: &str, outcome: Result<(usize, Vec<Warning>), IoError>) -> Result<(), String> {
    let (verb, what) = expect.split_once(':').ok_or("no colon in the manifest")?;
    match (verb, outcome) {
        ("reject" | "reject_or_warn", Err(e)) => {
            if what != e.class() {
                return Err(format!("{file}: wanted {what}, found {}: {e}", e.class()));
            }
            if !e.to_string().contains(file) || !e.to_string().contains("; ") && !matches!(e, IoError::Model { .. }) {
                return Err(format!("{file}: the message names no file or no remedy: {e}"));
            }
            Ok(())
        }
        ("load", Ok((n, warnings))) => {
            let wanted: usize = what.split_whitespace().next().and_then(|w| w.parse().ok()).ok_or("no number in the manifest")?;
            if n == wanted && warnings.is_empty() { Ok(()) } else { Err(format!("{file}: {n} triangles, {warnings:?}")) }
        }
        ("load_with_warning" | "reject_or_warn", Ok((_, warnings))) => {
            let kind = warning_kind(what);
            if warnings.iter().any(|w| w.kind == kind) {
                Ok(())
            } else {
                Err(format!("{file}: no warning '{kind}': {warnings:?}"))
            }
        }
        (_, Ok(_)) => Err(format!("{file}: loaded, wanted {expect}")),
        (_, Err(e)) => Err(format!("{file}: refused, wanted {expect}: {e}")),
    }
}

#[test]
fn bad_files_do_what_the_manifest_says() {
    let Some(folder) = common::shared("cases/badfiles") else { return };
    let manifest = json::load(&folder.join("manifest.json")).expect("the manifest is JSON");
    let files = manifest["files"].as_array().expect("a list of files");
    let mut faults = Vec::new();
    for entry in files {
        let text = |key: &str| entry[key].as_str().expect("a string");
        let began = Instant::now();
        let outcome = load(&folder.join(text("file")), text("format"));
        let limit = Duration::from_secs_f64(entry["limits"]["max_seconds"].as_f64().expect("a number"));
        if began.elapsed() > limit {
            faults.push(format!("{}: took {:?}", text("file"), began.elapsed()));
        }
        faults.extend(check(text("file"), text("expect"), outcome).err());
    }
    assert!(files.len() > 30 && faults.is_empty(), "{} files\n{}", files.len(), faults.join("\n"));
}

#[test]
fn details_of_some_bad_files() {
    let Some(folder) = common::shared("cases/badfiles") else { return };
    let metres = load_mesh(folder.join("dae_millimetre_units.dae"), Vec3::splat(1.0)).expect("a mesh").value;
    assert_eq!(metres.vertices(), [Vec3::ZERO, Vec3::unit(0), Vec3::unit(1)]);
    let ghost = load_urdf(folder.join("urdf_unknown_link.urdf"), &UrdfOptions::default()).expect_err("no link ghost").to_string();
    assert!(ghost.contains("'ghost'") && ghost.contains("'j1'") && ghost.contains("urdf_unknown_link.urdf:4"), "{ghost}");
    let points = load_mesh(folder.join("stl_all_degenerate.stl"), Vec3::splat(1.0)).expect("points");
    assert!(points.warnings[0].message.starts_with("10 of 10 triangles"), "{:?}", points.warnings);
}
