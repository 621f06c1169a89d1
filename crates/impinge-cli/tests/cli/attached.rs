//! Attached parts.

use serde_json::json;

use crate::world::World;

/// A rod as OBJ: half a metre along x, two centimetres thick.
const ROD: &str = "v 0 -0.01 -0.01\nv 0.5 -0.01 -0.01\nv 0 0.01 -0.01\nv 0.5 0.01 -0.01\nv 0 -0.01 0.01\nv 0.5 -0.01 0.01\nv 0 0.01 0.01\n\
    v 0.5 0.01 0.01\nf 1 3 4\nf 1 4 2\nf 5 6 8\nf 5 8 7\nf 1 2 6\nf 1 6 5\nf 3 7 8\nf 3 8 4\nf 1 5 7\nf 1 7 3\nf 2 4 8\nf 2 8 6\n";

fn world() -> World {
    let world = World::new();
    world.put("rod.obj", ROD);
    world
}

#[test]
fn an_attached_part_touches_first() {
    let world = world();
    let query = |more: &str| {
        world.run(&format!("check arm.urdf --obstacle wall.obj --from 0,0 --to 0.35,0 {more} --json")).rows().remove(0)
    };
    assert_eq!(query("")["verdict"], "free");
    let held = query("--attach hand=rod.obj@0.1,0,0");
    assert_eq!((&held["verdict"], &held["pair"]), (&"contact".into(), &json!(["rod", "wall"])), "{held}");
    // The rod reaches from 1.1 to 1.6; its side, 0.01 off its axis, meets the wall's edge at (1.5, 0.5).
    let time = held["time"][1].as_f64().expect("a time");
    let truth = (0.5f64.atan2(1.5) - (0.01 / 2.5f64.sqrt()).asin()) / 0.35;
    assert!((time - truth).abs() < 1e-8, "{time} {truth}");
    assert_eq!(query("--attach arm/hand=rod.obj@0.1,0,0 --touch wall")["verdict"], "free");
    assert_eq!(query("--attach hand=rod.obj@0.1,0,0 --ignore rod,wall")["verdict"], "free");
    let poses = query("--attach hand=rod.obj@0.1,0,0 --poses");
    assert!(poses["links"].as_array().expect("links").iter().any(|l| l["name"] == "rod"), "{poses}");
}

#[test]
fn pairs_lists_excluded_pairs() {
    let world = world();
    let listing = world.run("pairs arm.urdf --obstacle wall.obj --attach hand=rod.obj --touch upper").out;
    for text in [
        "because: one is attached to the other\n    arm/hand – rod\n",
        "because: may touch what 'arm/hand' holds\n    arm/upper – rod\n",
        "  arm/base – rod\n",
        "  rod – wall\n",
    ] {
        assert!(listing.contains(text), "{text}: {listing}");
    }
    let off = world.run("pairs arm.urdf --attach hand=rod.obj --no-self --json");
    let rows: serde_json::Value = serde_json::from_str(&off.out).expect("JSON");
    let status = |a: &str, b: &str| {
        let pairs = rows["pairs"].as_array().expect("pairs");
        pairs.iter().find(|p| p["parts"] == json!([a, b])).map(|p| p["status"].clone()).expect("a pair")
    };
    assert_eq!((status("arm/base", "rod"), status("arm/hand", "rod")), ("self_off".into(), "attached".into()));
}

#[test]
fn moveit_scenes_have_attached_objects() {
    let world = world();
    let scene = json!({"world": {"collision_objects": []}, "robot_state": {"attached_collision_objects": [{"link_name": "hand",
        "touch_links": ["upper", "thumb"], "object": {"id": "stick", "header": {"frame_id": "hand"},
        "primitives": [{"type": "box", "dimensions": [0.5, 0.02, 0.02]}], "primitive_poses": [{"position": [0.35, 0, 0]}]}}]}});
    world.put("scene.json", &scene.to_string());
    let ran = world.run("check arm.urdf --scene scene.json --obstacle wall.obj --from 0,0 --to 0.35,0 --json");
    let row = ran.rows().remove(0);
    assert_eq!((&row["verdict"], &row["pair"]), (&"contact".into(), &json!(["stick", "wall"])), "{row}");
    assert!(ran.err.contains("unknown part names"), "the thumb is reported: {}", ran.err);
    assert!(world.run("pairs arm.urdf --scene scene.json").out.contains("holds\n    arm/upper – stick\n"));
    world.put(
        "lost.json",
        &scene
            .to_string()
            .replace(r#""link_name":"hand""#, r#""link_name":"claw""#)
            .replace(r#""frame_id":"hand""#, r#""frame_id":"""#),
    );
    let lost = world.run("check arm.urdf --scene lost.json --from 0,0 --to 0.3,0");
    assert!(lost.code == Some(2) && lost.err.contains("'claw'"), "{}", lost.err);
}

#[test]
fn mistakes_are_reported() {
    let world = world();
    for (args, why) in [
        ("--attach claw=rod.obj", "--attach: there is no part 'claw'; known names: arm/base"),
        ("--attach hand=rod.obj --touch claw", "--touch: there is no part 'claw'"),
        ("--attach hand=none.obj", "none.obj: cannot be read"),
        ("--attach rod.obj", "write LINK=MESH"),
        ("--attach hand=rod.obj@1,2", "a pose is X,Y,Z or X,Y,Z,R,P,Y"),
        ("--touch hand", "--attach"),
    ] {
        let ran = world.run(&format!("check arm.urdf --from 0,0 --to 0,0 {args}"));
        assert!(ran.code == Some(2) && ran.err.contains(why), "{args}: {}", ran.err);
    }
}
