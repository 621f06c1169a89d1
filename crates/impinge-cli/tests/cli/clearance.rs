//! `impinge clearance`: minimum distances.

use crate::world::World;

/// The arm turns away from the wall, starting 0.45 m from it.
#[test]
fn the_minimum_distance_is_reported() {
    let world = World::new();
    let ran = world.run("clearance arm.urdf --obstacle wall.obj --from 0,0 --to -0.3,0 --json");
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    let row = &ran.rows()[0];
    let number = |key: &str| row["clearance"][key].as_f64().expect("a number");
    let (at_least, at_most) = (number("at_least"), number("at_most"));
    assert!(at_least <= 0.45 && at_most >= 0.45 && at_most - at_least <= 1e-6, "{row}");
    assert!(number("time") < 1e-3 && row["clearance"]["pair"][1] == "wall" && row["clearance_at_least"] == at_least, "{row}");
    let point = |i: usize| row["clearance"]["points"][i][1].as_f64().expect("a number");
    assert!((point(0) - 0.05).abs() < 1e-6 && (point(1) - 0.5).abs() < 1e-6, "{row}");
    let output = world.run("clearance arm.urdf --obstacle wall.obj --from 0,0 --to -0.3,0 --clearance=0.001");
    assert!(output.out.starts_with("free") && output.out.contains("nearest   0.449"), "{}", output.out);
}

#[test]
fn a_contact_has_no_clearance() {
    let world = World::new();
    let ran = world.run("clearance arm.urdf --obstacle wall.obj --from 0,0 --to 1.2,0 --json");
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    let row = &ran.rows()[0];
    assert_eq!((row["verdict"].as_str(), row["clearance"]["at_least"].as_f64()), (Some("contact"), Some(0.0)), "{row}");
    // No clearance unless requested.
    let plain = world.run("check arm.urdf --obstacle wall.obj --from 0,0 --to 1.2,0 --json");
    assert!(plain.rows()[0].get("clearance").is_none());
    let refused = world.run("clearance arm.urdf --obstacle wall.obj --from 0,0 --to 1.2,0 --clearance=-1");
    assert!(refused.code == Some(2) && refused.err.contains("positive number"), "{}", refused.err);
}

/// With too little work for a result, the work limit is reported.
#[test]
fn the_work_limit_is_reported() {
    let world = World::new();
    let query = "clearance arm.urdf --obstacle wall.obj --from 0,0 --to -0.3,0 --max-work 1";
    let ran = world.run(&format!("{query} --json"));
    let row = &ran.rows()[0];
    assert_eq!(
        (row["clearance"]["limited_by"].as_str(), row["clearance"]["at_least"].as_f64()),
        (Some("work"), Some(0.0)),
        "{row}"
    );
    let ran = world.run(query);
    assert!(ran.out.contains("work limit reached"), "{}", ran.out);
    let whole = world.run("clearance arm.urdf --obstacle wall.obj --from 0,0 --to -0.3,0 --json");
    assert!(whole.rows()[0]["clearance"]["limited_by"].is_null(), "{}", whole.out);
}
