//! The layers of the library, each using only those before it: read off the `use crate::` lines, tests left out.

use std::fs;
use std::path::{Path, PathBuf};

/// Each layer with what it may use. `error` and `build_once` are below everything.
const LAYERS: &[(&str, &[&str])] = &[
    ("math", &[]),
    // Meshes still hold their hierarchies.
    ("geometry", &["math", "bvh"]),
    ("bvh", &["math", "geometry"]),
    ("robot", &["math", "geometry"]),
    ("motion", &["math", "geometry", "bvh", "robot"]),
    ("scene", &["math", "geometry", "robot", "motion"]),
    ("narrow", &["math", "geometry", "bvh", "motion"]),
    ("swept", &["math", "geometry", "bvh", "motion", "narrow"]),
    ("deform", &["math", "geometry", "bvh", "motion", "narrow"]),
    ("search", &["math", "geometry", "bvh", "motion", "scene", "narrow", "swept", "deform"]),
    ("reference", &["math", "geometry", "bvh", "motion", "scene", "narrow", "search"]),
    ("query", &["math", "geometry", "bvh", "robot", "motion", "scene", "narrow", "swept", "deform", "search", "reference"]),
    ("predict", &["math", "geometry", "robot", "motion", "scene", "deform", "query"]),
];

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("source folder").map(|e| e.expect("entry").path()) {
        if entry.is_dir() {
            found.extend(files(&entry));
        } else if entry.file_name().is_some_and(|name| name != "tests.rs") {
            found.push(entry);
        }
    }
    found
}

#[test]
fn every_layer_uses_only_those_before_it() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut seen = 0;
    for (layer, allowed) in LAYERS {
        for file in files(&source.join(layer)) {
            let text = fs::read_to_string(&file).expect("readable");
            let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
            for line in code.lines().filter(|l| l.trim_start().starts_with("use crate::")) {
                let used = line.trim_start().trim_start_matches("use crate::").split([':', ';', '{']).next().unwrap_or("");
                let fine =
                    used.is_empty() || ["Error", "build_once"].contains(&used) || used == *layer || allowed.contains(&used);
                assert!(fine, "{}: '{}' may not use '{used}'", file.display(), layer);
                seen += 1;
            }
        }
    }
    assert!(seen > 50, "the test reads the sources");
}
