//! The tests that documents name exist.

use std::fs;
use std::path::Path;

#[test]
fn every_test_that_the_guarantees_name_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = fs::read_to_string(root.join("docs/guarantees.md")).expect("the contract");
    let mut seen = 0;
    for named in text.split('`').filter(|word| word.contains(".rs::")) {
        let (file, test) = named.split_once("::").expect("file::test");
        let source = fs::read_to_string(root.join("crates").join(file)).unwrap_or_else(|e| panic!("{file}: {e}"));
        let at = source.find(&format!("fn {test}(")).unwrap_or_else(|| panic!("{file} has no {test}"));
        let before: String = source[..at].lines().rev().take(4).collect();
        assert!(before.contains("#[test]"), "{named} is no test");
        seen += 1;
    }
    assert!(seen > 40, "{seen} tests are named");
}
