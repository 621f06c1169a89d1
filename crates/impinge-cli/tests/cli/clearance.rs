//! `impinge clearance`: how near things come.

use crate::world::World;

/// The arm turns away from the wall, 0.45 m from it at first.
#[test]
fn the_nearest_place_of_a_motion_is_told() {
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
    let told = world.run("clearance arm.urdf --obstacle wall.obj --from 0,0 --to -0.3,0 --clearance=0.001");
    assert!(told.out.starts_with("free") && told.out.contains("nearest   0.449"), "{}", told.out);
}

#[test]
fn what_touches_has_no_clearance() {
    let world = World::new();
    let ran = world.run("clearance arm.urdf --obstacle wall.obj --from 0,0 --to 1.2,0 --json");
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    let row = &ran.rows()[0];
    assert_eq!((row["verdict"].as_str(), row["clearance"]["at_least"].as_f64()), (Some("contact"), Some(0.0)), "{row}");
    // Nothing about clearance unless it is asked for.
    let plain = world.run("check arm.urdf --obstacle wall.obj --from 0,0 --to 1.2,0 --json");
    assert!(plain.rows()[0].get("clearance").is_none());
    let refused = world.run("clearance arm.urdf --obstacle wall.obj --from 0,0 --to 1.2,0 --clearance=-1");
    assert!(refused.code == Some(2) && refused.err.contains("positive number"), "{}", refused.err);
}

/// Nothing is found with so little work, and that is said instead of nothing.
#[test]
fn work_that_ran_out_is_told() {
    let world = World::new();
    let ask = "clearance arm.urdf --obstacle wall.obj --from 0,0 --to -0.3,0 --max-work 1";
    let ran = world.run(&format!("{ask} --json"));
    let row = &ran.rows()[0];
    assert_eq!(
        (row["clearance"]["limited_by"].as_str(), row["clearance"]["at_least"].as_f64()),
        (Some("work"), Some(0.0)),
        "{row}"
    );
    let ran = world.run(ask);
    assert!(ran.out.contains("work ran out"), "{}", ran.out);
    let whole = world.run("clearance arm.urdf --obstacle wall.obj --from 0,0 --to -0.3,0 --json");
    assert!(whole.rows()[0]["clearance"]["limited_by"].is_null(), "{}", whole.out);
}
