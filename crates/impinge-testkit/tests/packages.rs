//! The published crates can be packaged: what the registry wants is in their manifests, and the files are in the package.

use std::process::Command;

use serde_json::Value;

const PUBLISHED: [&str; 4] = ["impinge", "impinge-cli", "impinge-io", "impinge-verify"];

fn cargo(args: &[&str]) -> String {
    let program = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    let ran = Command::new(program).args(args).current_dir(env!("CARGO_MANIFEST_DIR")).output().expect("cargo runs");
    assert!(ran.status.success(), "{args:?}: {}", String::from_utf8_lossy(&ran.stderr));
    String::from_utf8(ran.stdout).expect("UTF-8")
}

fn list<'a>(value: &'a Value, key: &str) -> Vec<&'a str> {
    value[key].as_array().map_or(Vec::new(), |list| list.iter().filter_map(Value::as_str).collect())
}

#[test]
fn manifests_say_what_the_registry_wants() {
    let metadata = cargo(&["metadata", "--offline", "--no-deps", "--format-version", "1"]);
    let metadata: Value = serde_json::from_str(&metadata).expect("JSON");
    let packages = metadata["packages"].as_array().expect("a list");
    let mut published: Vec<&str> =
        packages.iter().filter(|p| p["publish"].is_null()).filter_map(|p| p["name"].as_str()).collect();
    published.sort_unstable();
    assert_eq!(published, PUBLISHED);
    for package in packages.iter().filter(|p| p["publish"].is_null()) {
        let name = &package["name"];
        for key in ["description", "license", "repository", "readme", "rust_version"] {
            assert!(package[key].as_str().is_some_and(|text| !text.is_empty()), "{name}: {key}");
        }
        let (keywords, categories) = (list(package, "keywords"), list(package, "categories"));
        assert!((1..=5).contains(&keywords.len()) && keywords.iter().all(|k| k.len() <= 20), "{name}: {keywords:?}");
        assert!((1..=5).contains(&categories.len()), "{name}: {categories:?}");
        // A registry knows no path: every crate of the workspace has a version, and none is unpublished.
        for dependency in package["dependencies"].as_array().expect("a list").iter().filter(|d| d["path"].is_string()) {
            let known = dependency["name"].as_str().is_some_and(|n| PUBLISHED.contains(&n));
            assert!(known && dependency["req"] != "*", "{name}: {dependency}");
        }
    }
}

#[test]
fn packages_hold_licences_and_a_readme_and_are_small() {
    for name in PUBLISHED {
        let files = cargo(&["package", "--offline", "--allow-dirty", "--list", "-p", name]);
        for wanted in ["Cargo.toml", "LICENSE-APACHE", "LICENSE-MIT", "README.md", "src/lib.rs"] {
            assert!(files.lines().any(|file| file == wanted), "{name} lacks {wanted}");
        }
        assert!(files.lines().count() < 400, "{name}: {} files", files.lines().count());
    }
}
