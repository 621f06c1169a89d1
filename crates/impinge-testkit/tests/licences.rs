//! All dependencies may be redistributed: each has a licence that requires no more than its notice.
//!
//! Advisories are not checked: they need a database from the network (`cargo deny check advisories`).

use std::process::Command;

use serde_json::Value;

const ALLOWED: [&str; 9] = [
    "MIT",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "ISC",
    "Zlib",
    "Unicode-3.0",
    "Unlicense",
];

/// Tests whether allowed licences satisfy a licence expression: OR of AND of names or expressions in parentheses.
fn is_allowed(expression: &str) -> bool {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let mut words = spaced.split_whitespace().peekable();
    let met = either(&mut words);
    met && words.next().is_none()
}

type Words<'a> = std::iter::Peekable<std::str::SplitWhitespace<'a>>;

fn either(words: &mut Words<'_>) -> bool {
    let mut met = both(words);
    while words.next_if_eq(&"OR").is_some() {
        met |= both(words);
    }
    met
}

fn both(words: &mut Words<'_>) -> bool {
    let mut met = one(words);
    while words.next_if_eq(&"AND").is_some() {
        met &= one(words);
    }
    met
}

fn one(words: &mut Words<'_>) -> bool {
    if words.next_if_eq(&"(").is_some() {
        let met = either(words);
        return words.next() == Some(")") && met;
    }
    let mut name = words.next().unwrap_or_default().to_owned();
    if words.next_if_eq(&"WITH").is_some() {
        name = format!("{name} WITH {}", words.next().unwrap_or_default());
    }
    ALLOWED.contains(&name.as_str())
}

#[test]
fn expressions_are_understood() {
    for good in
        ["MIT", "MIT/Apache-2.0", "GPL-3.0 OR MIT", "(MIT OR Apache-2.0) AND Unicode-3.0", "Apache-2.0 WITH LLVM-exception"]
    {
        assert!(is_allowed(good), "{good}");
    }
    for bad in ["", "GPL-3.0-only", "MIT AND GPL-3.0", "(MIT", "MIT)", "Apache-2.0 WITH GPL", "(GPL-3.0 OR MIT) AND SSPL-1.0"] {
        assert!(!is_allowed(bad), "{bad}");
    }
}

fn output(program: &str, args: &[&str]) -> Result<String, String> {
    let ran = Command::new(program).args(args).current_dir(env!("CARGO_MANIFEST_DIR")).output().map_err(|e| e.to_string())?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    if ran.status.success() { Ok(text(&ran.stdout)) } else { Err(text(&ran.stderr)) }
}

/// All dependencies of the build on this machine, including tests and benchmarks; optional ones as well, where their crates were downloaded.
#[test]
fn every_dependency_may_be_passed_on() {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    let version = output(&std::env::var("RUSTC").unwrap_or_else(|_| "rustc".into()), &["-vV"]).expect("rustc tells its version");
    let host = version.lines().find_map(|line| line.strip_prefix("host: ")).expect("the host's name");
    let args = ["metadata", "--offline", "--locked", "--format-version", "1", "--filter-platform", host];
    let whole = output(&cargo, &[&args[..], &["--all-features"]].concat());
    let metadata = whole.or_else(|_| {
        eprintln!("SKIPPED: crates of optional features; `cargo fetch --locked` downloads them");
        output(&cargo, &args)
    });
    let metadata = metadata.expect("everything was downloaded to build this");
    let metadata: Value = serde_json::from_str(&metadata).expect("JSON");
    let packages = metadata["packages"].as_array().expect("a list");
    assert!(packages.len() > 20, "{} packages", packages.len());
    for package in packages {
        let licence = package["license"].as_str().unwrap_or_default();
        assert!(is_allowed(licence), "{} has the licence '{licence}'", package["name"]);
    }
}
