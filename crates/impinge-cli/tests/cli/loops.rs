//! Mechanisms with loops.

use crate::world::World;

/// A parallelogram of cranks of length 1 and a coupler of length 2; the loop is closed by LOOP.
const BARS: &str = r#"<robot name="bars"><link name="ground"/><link name="left"/>
<link name="coupler"><collision><origin xyz="1 0 0"/><geometry><box size="1 0.1 0.1"/></geometry></collision></link><link name="right"/>
<joint name="a" type="continuous"><parent link="ground"/><child link="left"/><axis xyz="0 0 1"/></joint>
<joint name="b" type="continuous"><parent link="left"/><child link="coupler"/><origin xyz="1 0 0"/><axis xyz="0 0 1"/></joint>
<joint name="d" type="continuous"><parent link="ground"/><child link="right"/><origin xyz="2 0 0"/><axis xyz="0 0 1"/></joint>
LOOP</robot>"#;
const LOOP: &str = r#"<loop_joint name="c" type="revolute"><link1 link="coupler" xyz="2 0 0"/><link2 link="right" xyz="1 0 0"/><axis xyz="0 0 1"/></loop_joint>"#;

#[test]
fn loop_openings_are_reported() {
    let world = World::new();
    world.put("bars.urdf", &BARS.replace("LOOP", LOOP));
    let query =
        |to: &str| world.run(&format!("check bars.urdf --obstacle wall.obj --from 0,0,0 --to {to} --json")).rows().remove(0);
    let row = query("-1,1,-1");
    let opens = &row["loops"][0]["opens_at_most"];
    assert_eq!(row["loops"][0]["name"], "bars/c");
    assert!(opens["metres"].as_f64().expect("metres") < 1e-5 && opens["radians"].as_f64().expect("radians") < 1e-5, "{row}");
    assert!(row["warnings"].as_array().is_some_and(Vec::is_empty));
    // The coupler turns against the cranks: the loop opens during the motion, and is open by a known amount at the end.
    let row = query("-1,1,-1.5");
    let metres = row["loops"][0]["opens_at_most"]["metres"].as_f64().expect("metres");
    let truth = 2.0 * impinge::math::trig::sin_cos(0.25).0;
    assert!(metres >= truth && metres < truth * 1.01, "{row}");
    assert!(row["warnings"][0].as_str().is_some_and(|w| w.contains("loop 'bars/c' is not closed at the end")), "{row}");
    let text = world.run("check bars.urdf --obstacle wall.obj --from 0,0,0 --to -1,1,-1").out;
    assert!(text.contains("loop      bars/c opens by at most 0.0000"), "{text}");
    assert!(world.run("pairs bars.urdf").code == Some(0));
}

#[test]
fn loops_that_are_not_understood_are_refused() {
    let world = World::new();
    for (closing, why) in [
        (LOOP.replace("revolute", "screw"), "a loop of type 'screw' is not supported"),
        (LOOP.replace("\"right\"", "\"ghost\""), "'ghost', which does not exist"),
        (
            r#"<joint name="c" type="fixed"><parent link="coupler"/><child link="right"/></joint>"#.into(),
            "make the one that closes a loop a <loop_joint>",
        ),
        (
            r#"<gazebo><joint name="c" type="gearbox"><parent>left</parent><child>right</child></joint></gazebo>"#.into(),
            "is not supported",
        ),
    ] {
        world.put("bars.urdf", &BARS.replace("LOOP", &closing));
        let ran = world.run("check bars.urdf --from 0,0,0 --to 0,0,0");
        assert!(ran.code == Some(2) && ran.err.contains(why), "{closing}: {}", ran.err);
    }
}
