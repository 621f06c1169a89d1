//! Several robots and bodies on a common clock.

use serde_json::json;

use crate::world::{CUBE, World, without_micros};

/// Two arms whose hands reach 1.1, facing each other at a distance of 2.5: stretched, they meet in the middle.
const TWO: &str = "check --robot left=arm.urdf --robot right=arm.urdf --base right=2.5,0,0,0,0,3.141592653589793";

fn bracket(row: &serde_json::Value) -> (f64, f64) {
    (row["time"][0].as_f64().expect("lo"), row["time"][1].as_f64().expect("hi"))
}

#[test]
fn two_arms_meet_half_way() {
    let world = World::new();
    // Balls of radius 0.05 with 0.3 between their centres: each moves 0.1 of its 0.2.
    let both = world.run(&format!("{TWO} --from left:0,0 --to left:0,0.2 --from right:0,0 --to right:stretch=0.2 --json"));
    assert_eq!(both.code, Some(1), "{}", both.err);
    let row = both.rows().remove(0);
    let (lo, hi) = bracket(&row);
    assert!(lo <= 0.5 + 1e-9 && 0.5 <= hi + 1e-9 && hi - lo < 1e-8, "{row}");
    assert_eq!(row["pair"], json!(["left/hand", "right/hand"]));
    // One alone does not reach; a robot without an end is static.
    let one = world.run(&format!("{TWO} --from left:0,0 --to left:0,0.15 --from right:0,0"));
    assert_eq!((one.code, one.out.as_str()), (Some(0), "free: proven for the whole motion\n"), "{}", one.err);
    let order = format!("{TWO} --from right:0,0 --from left:0,0 --to right:0,0.2 --to left:0,0.2 --json");
    assert_eq!(without_micros(&world.run(&order).out), without_micros(&both.out));
}

#[test]
fn motions_name_robots_and_bodies() {
    let world = World::new();
    world.put("cube.obj", CUBE);
    let both =
        r#"{"id": 0, "robots": {"left": {"q0": [0, 0], "q1": [0, 0.2]}, "right": {"q0": [0, 0], "q1": {"stretch": 0.2}}}}"#;
    let one = r#"{"id": 1, "robots": {"left": {"q0": [0, 0], "q1": [0, 0.15]}}}"#;
    let fall =
        r#"{"id": 2, "robots": {"right": {"q0": [1, 0]}}, "bodies": {"box": {"start": {"p": [0.5, 0, 3.75], "q": [1, 0, 0, 0]},
        "v": [0, 0, -6], "w": [0, 0, 0]}}}"#
            .replace('\n', " ");
    let strange = r#"{"id": 3, "robots": {"middle": {"q0": [0, 0]}}}"#;
    let plain = r#"{"id": 4, "q0": [0, 0], "q1": [0, 0]}"#;
    let body = r#"{"id": 5, "robots": {"box": {"q0": [0, 0]}}}"#;
    world.put("moves.jsonl", &[both, one, &fall, strange, plain, body].join("\n"));
    let rests = "--from left:0,0 --from right:0,0 --body box=cube.obj --from box:0,0,9";
    let ran = world.run(&format!("{TWO} {rests} --motions moves.jsonl --json"));
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    let rows = ran.rows();
    let verdicts: Vec<_> = rows.iter().map(|r| r["verdict"].as_str().expect("a word")).collect();
    assert_eq!(verdicts, ["contact", "free", "contact", "error", "error", "error"], "{}", ran.out);
    assert!((bracket(&rows[0]).1 - 0.5).abs() < 1e-8);
    // The cube falls by 6 onto the left arm, whose upper side is at 0.25, from 3 above it.
    assert!((bracket(&rows[2]).1 - 0.5).abs() < 1e-8 && rows[2]["pair"].to_string().contains("left/upper"), "{}", rows[2]);
    for (row, why) in
        [(3, "named 'middle'; known names: left, right, box"), (4, "several robots move"), (5, "is a body, not a robot")]
    {
        let message = rows[row]["message"].as_str().expect("a message");
        assert!(message.starts_with(&format!("moves.jsonl:{}: ", row + 1)) && message.contains(why), "{message}");
    }
    world.put("one.jsonl", one);
    let lost = world.run(&format!("{TWO} --motions one.jsonl --json")).rows().remove(0);
    assert!(lost["message"].as_str().is_some_and(|m| m.contains("'right' has no position")), "{lost}");
}

/// A body moves between two poses, the short way.
#[test]
fn a_moving_obstacle_has_poses_for_ends() {
    let world = World::new();
    world.put("cube.obj", CUBE);
    let query = |to: &str| {
        world.run(&format!(
            "check arm.urdf --body box=cube.obj --from arm:0,0 --to arm:0,0 --from box:0.5,3,0.2 --to box:{to} --json"
        ))
    };
    // The base's side is at y = 0.1; the cube's at its centre minus a half.
    let row = query("0.5,0,0.2").rows().remove(0);
    assert!((bracket(&row).1 - 0.8).abs() < 1e-8 && row["pair"] == json!(["box", "arm/base"]), "{row}");
    assert_eq!(query("0.5,0.7,0.2").code, Some(0));
    // Rotated by 45 degrees, its corner touches first.
    assert_eq!(query("0.5,0.7,0.2,0,0,0.7853981633974483").code, Some(1));
    assert!(query("0.5,0.6").err.contains("a pose is X,Y,Z or X,Y,Z,R,P,Y"));
}

/// Engines change the work, never the verdict.
#[test]
fn engines_are_switchable() {
    let world = World::new();
    world.put("cube.obj", CUBE);
    for (to, code) in [("0.5,0,0.2", 1), ("0.5,0.7,0.2", 0), ("0.5,0.7,0.2,0,0,0.7853981633974483", 1)] {
        let query = |flags: &str| {
            world.run(&format!(
                "check --body a=cube.obj --body b=cube.obj --from a:0.5,3,0.2 --to a:{to} --from b:0.5,-0.4,0.2 --json {flags}"
            ))
        };
        for engine in ["auto", "sweep", "boxes"] {
            let ran = query(&format!("--engine {engine}"));
            assert_eq!((ran.code, ran.err.as_str()), (Some(code), ""), "{engine}");
            assert_eq!(ran.rows()[0]["verdict"], query("").rows()[0]["verdict"], "{engine}");
        }
    }
    assert!(world.run("check --body a=cube.obj --from a:0,0,0 --to a:1,0,0 --engine fast").code == Some(2));
}

/// A cart that drives far, with an arm on it: parts on the cart move with it, and reach obstacles beside the road.
#[test]
fn a_robot_rides_on_another() {
    let world = World::new();
    world.put(
        "cart.urdf",
        r#"<robot name="cart"><link name="road"/><link name="deck"><collision><geometry><box size="1 1 0.1"/></geometry></collision></link>
        <joint name="drive" type="prismatic"><parent link="road"/><child link="deck"/><axis xyz="1 0 0"/><limit lower="-100" upper="100"/></joint></robot>"#,
    );
    let ride = "check --robot arm=arm.urdf --robot cart=cart.urdf --base arm=cart/deck@0,0,0.2";
    let free = world.run(&format!("{ride} --from cart:0 --to cart:100 --from arm:0,0"));
    assert_eq!(free.code, Some(0), "{}{}", free.out, free.err);
    // The wall begins at y = 0.5, x = 0.5; the arm reaches it when it points sideways.
    let hit =
        world.run(&format!("{ride} --obstacle wall.obj --from cart:-50 --to cart:50 --from arm:1.5,0 --json")).rows().remove(0);
    assert!(hit["verdict"] == "contact" && hit["pair"][1] == "wall", "{hit}");
    let row = world.run("pairs --robot arm=arm.urdf --robot cart=cart.urdf --base arm=cart/deck@0,0,0.2");
    assert!(
        row.out.contains("because: one is attached to the other\n    arm/base – cart/deck\n")
            || row.out.contains("cart/deck – arm/base"),
        "{}",
        row.out
    );
}

/// Trajectories of both robots with different times share a clock.
#[test]
fn trajectories_share_a_clock() {
    let world = World::new();
    world.put("left.csv", "time,shoulder,stretch\n0,0,0\n2,0,0.2\n");
    world.put("right.csv", "time,shoulder,stretch\n0,0,0\n1,0,0\n2,0,0.2\n");
    let ran = world.run(&format!("{TWO} --trajectory left=left.csv --trajectory right=right.csv --json"));
    let rows = ran.rows();
    assert_eq!(
        rows.iter().map(|r| r["verdict"].as_str().expect("a word")).collect::<Vec<_>>(),
        ["free", "contact"],
        "{}",
        ran.err
    );
    // After one second, 0.1 is left between them; then they close at 0.3 per second.
    let second = rows[1]["seconds"][1].as_f64().expect("seconds");
    assert!((second - (1.0 + 0.1 / 0.3)).abs() < 1e-8, "{}", rows[1]);
    world.put("timeless.csv", "shoulder,stretch\n0,0\n0,0.2\n");
    for (args, why) in [
        ("--trajectory left=left.csv --trajectory right=timeless.csv", "the column 'time' is missing"),
        ("--trajectory left=left.csv --trajectory left=right.csv", "more than one motion"),
        ("--trajectory left.csv", "add the name of a robot"),
    ] {
        let ran = world.run(&format!("{TWO} {args}"));
        assert!(ran.code == Some(2) && ran.err.contains(why), "{args}: {}", ran.err);
    }
    let rest = world.run(&format!("{TWO} --trajectory left=left.csv --from right:0,0.15 --json")).rows().remove(0);
    assert!((rest["seconds"][1].as_f64().expect("seconds") - 0.5).abs() < 1e-8, "{rest}");
}

#[test]
fn srdfs_belong_to_robots() {
    let world = World::new();
    world.put("arm.srdf", r#"<robot name="arm"><disable_collisions link1="base" link2="hand" reason="Never"/></robot>"#);
    let listing = world.run("pairs --robot left=arm.urdf --robot right=arm.urdf --srdf right=arm.srdf").out;
    assert!(
        listing.contains("SRDF: Never\n    right/base – right/hand\n") && listing.contains("  left/base – left/hand\n"),
        "{listing}"
    );
}

#[test]
fn mistakes_are_reported() {
    let world = World::new();
    world.put("arm.srdf", r#"<robot name="arm"/>"#);
    for (args, why) in [
        ("check arm.urdf arm.urdf --from 0,0 --to 0,0", "two robots or bodies are named 'arm'"),
        ("check --robot arm.urdf --from 0,0 --to 0,0", "write NAME=FILE"),
        (&format!("{TWO} --from 0,0 --to 0,0"), "add the name of a robot or body, NAME:…; robots and bodies are: left, right"),
        (&format!("{TWO} --from left:0,0 --to right:0,0 --from right:0,0 --to middle:0,0"), "no robot or body is named 'middle'"),
        (&format!("{TWO} --from left:0,0 --to right:0,0"), "right has --to but no --from"),
        (&format!("{TWO} --from left:0,0 --from left:0,0 --to left:0,0"), "'left' is given twice"),
        (&format!("{TWO} --from left:0,0 --to left:0,0"), "'right' has no position"),
        (
            &format!("{TWO} --base left=0,0,0 --base left=0,0,1 --from left:0,0 --to left:0,0"),
            "--base is given twice for robot 'left'",
        ),
        (&format!("{TWO} --srdf arm.srdf --from left:0,0 --to left:0,0"), "--srdf: add the name of a robot"),
        ("check arm.urdf --base ghost=0,0,0 --from 0,0 --to 0,0", "there is no robot 'ghost'"),
        ("check arm.urdf --base ghost/deck@0,0,0 --from 0,0 --to 0,0", "--base: there is no part 'ghost/deck'"),
        ("check arm.urdf --body box=none.stl --from 0,0 --to 0,0", "none.stl: cannot be read"),
    ] {
        let ran = world.run(args);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{args}");
        assert!(ran.err.contains(why), "{args}: {}", ran.err);
    }
}

/// Robots, a body and an attached part in one certificate, verified by the independent program.
#[test]
fn certificates_hold_for_several() {
    let world = World::new();
    world.put("cube.obj", CUBE);
    let query = format!(
        "{TWO} --body box=cube.obj --from box:0,5,0 --attach left/hand=wall.obj@0,-3,0 --from left:0,0 --to left:-0.3,0.1 --from right:0,0"
    );
    let ran = world.run(&format!("{query} --ignore wall,left/base --certificate proofs.jsonl"));
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    let verified = world.run("verify proofs.jsonl");
    assert_eq!(verified.code, Some(0), "{}{}", verified.out, verified.err);
}
