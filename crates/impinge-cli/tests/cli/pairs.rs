//! `impinge pairs`.

use serde_json::json;

use crate::world::World;

const SRDF: &str = r#"<robot name="arm"><disable_collisions link1="base" link2="hand" reason="Never"/>
    <disable_collisions link1="base" link2="ghost" reason="Never"/></robot>"#;

#[test]
fn every_pair_has_its_reason() {
    let world = World::new();
    world.put("arm.srdf", SRDF);
    let ran = world.run("pairs arm.urdf --srdf arm.srdf --obstacle wall.obj --scene wall.obj --ignore upper,wall --json");
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.err.contains("ghost"), "unknown links are told: {}", ran.err);
    let listing = ran.rows().remove(0);
    assert_eq!((&listing["checked"], &listing["skipped"]), (&5.into(), &10.into()));
    let find = |a: &str, b: &str| {
        let pairs = listing["pairs"].as_array().expect("a list");
        let pair = pairs.iter().find(|p| p["parts"] == json!([a, b])).unwrap_or_else(|| panic!("{a}, {b} is not there"));
        (pair["status"].as_str().expect("a word").to_owned(), pair["reason"].as_str().map(str::to_owned))
    };
    let because = |status: &str, reason: &str| (status.to_owned(), Some(reason.to_owned()));
    assert_eq!(find("arm/base", "arm/upper"), because("adjacent", "a joint connects them"));
    assert_eq!(find("arm/base", "arm/hand"), because("disabled", "SRDF: Never"));
    assert_eq!(find("arm/hand", "arm/frame"), because("no_geometry", "one has no geometry"));
    assert_eq!(find("arm/upper", "wall"), because("disabled", "--ignore"));
    assert_eq!(find("wall", "wall#2"), because("obstacles", "neither moves"));
    assert_eq!(find("arm/upper", "wall#2"), ("checked".to_owned(), None));
    let counted: u64 = listing["counts"].as_array().expect("a list").iter().filter_map(|c| c["pairs"].as_u64()).sum();
    assert_eq!(counted, 15);
}

#[test]
fn text_has_counts_and_reasons() {
    let world = World::new();
    let ran = world.run("pairs arm.urdf --obstacle wall.obj");
    assert!(ran.out.starts_with("4 pairs are checked\n  arm/base – arm/hand\n"), "{}", ran.out);
    assert!(ran.out.contains("6 pairs are not\n") && ran.out.contains("  2 because: a joint connects them\n"), "{}", ran.out);
    let off = world.run("pairs arm.urdf --obstacle wall.obj --no-self");
    assert!(off.out.contains("  1 because: --no-self\n    arm/base – arm/hand\n"), "{}", off.out);
}
