//! `impinge step`: deforming bodies between two instants.

use crate::world::{CUBE, World};

/// A sheet of two triangles at a height.
fn sheet(z: f64) -> String {
    format!("v -1 -1 {z}\nv 1 -1 {z}\nv -1 1 {z}\nv 1 1 {z}\nf 1 2 4\nf 1 4 3\n")
}

/// A strip of three triangles whose last corner folds over onto the first triangle, or does not.
fn strip(x: f64, z: f64) -> String {
    format!("v 0 0 0\nv 0 1 0\nv 1 0 0\nv 1 1 0\nv {x} 0.5 {z}\nf 1 2 3\nf 2 4 3\nf 3 4 5\n")
}

#[test]
fn two_bodies_meet_or_not() {
    let world = World::new();
    world.put("a.obj", &sheet(0.0));
    world.put("b0.obj", &sheet(1.0));
    world.put("b1.obj", &sheet(-1.0));
    world.put("b2.obj", &sheet(0.5));
    let ran = world.run("step a.obj a.obj --other b0.obj b1.obj --json");
    assert_eq!((ran.code, ran.err.as_str()), (Some(1), ""));
    let row = &ran.rows()[0];
    let near = |value: &serde_json::Value, x: f64| value.as_f64().is_some_and(|v| (v - x).abs() < 1e-9);
    assert!(row["verdict"] == "contact" && near(&row["time"][0], 0.5) && near(&row["time"][1], 0.5), "{row}");
    assert_eq!(row["state"], "begins");
    let contact = &row["contacts"][0];
    assert!(contact["certified"] == true && near(&contact["point"][2], 0.0), "{contact}");
    assert_eq!(contact["sides"].as_array().map(Vec::len), Some(2));
    let ran = world.run("step a.obj a.obj --other b0.obj b2.obj");
    assert!(ran.code == Some(0) && ran.out.starts_with("free: no contact"), "{ran:?}");
    let ran = world.run("step a.obj a.obj --other b0.obj b2.obj --margin 0.6");
    assert!(ran.code == Some(1) && ran.out.starts_with("contact: within the margin of 0.6 m; free until t = 0.79"), "{ran:?}");
    let ran = world.run("step a.obj a.obj --other b0.obj b2.obj --margin 0.1");
    assert!(ran.code == Some(0) && ran.out.starts_with("free: no pair is within the margin of 0.1 m"), "{ran:?}");
    // Near from the start, but no crossing.
    let near = "step a.obj a.obj --other b0.obj b2.obj --margin 2";
    let ran = world.run(near);
    assert!(ran.code == Some(1) && ran.out.starts_with("contact: within the margin of 2 m at the start"), "{ran:?}");
    assert_eq!(world.run(&format!("{near} --json")).rows()[0]["state"], "within_margin");
    let ran = world.run("step a.obj a.obj --other a.obj a.obj --margin 2");
    assert!(ran.out.starts_with("contact: the bodies intersect at the start"), "{ran:?}");
}

/// All bodies count: the third meets the first.
#[test]
fn every_other_body_is_checked() {
    let world = World::new();
    for (name, z) in [("a", 0.0), ("b", 5.0), ("c0", 1.0), ("c1", -1.0)] {
        world.put(&format!("{name}.obj"), &sheet(z));
    }
    let ran = world.run("step a.obj a.obj --other b.obj b.obj --other c0.obj c1.obj --json");
    let row = &ran.rows()[0];
    let bodies: Vec<_> = row["contacts"][0]["sides"].as_array().expect("two").iter().map(|s| s["body"].as_u64()).collect();
    assert_eq!((ran.code, &row["verdict"], bodies), (Some(1), &"contact".into(), vec![Some(0), Some(2)]), "{row}");
    let ran = world.run("step a.obj a.obj --other b.obj b.obj --other c0.obj");
    assert!(ran.code == Some(2) && ran.err.contains("--other"), "{ran:?}");
}

#[test]
fn a_body_meets_itself() {
    let world = World::new();
    world.put("flat.obj", &strip(2.0, 0.3));
    world.put("folded.obj", &strip(0.2, -0.1));
    world.put("up.obj", &strip(1.5, 0.5));
    let ran = world.run("step flat.obj folded.obj --all --json");
    let row = &ran.rows()[0];
    assert!(ran.code == Some(1) && row["contacts"].as_array().is_some_and(|c| !c.is_empty()), "{row}");
    assert_eq!(world.run("step flat.obj up.obj").code, Some(0));
    world.put("cube.obj", CUBE);
    assert_eq!(world.run("step cube.obj cube.obj").code, Some(0), "adjacent triangles do not touch");
    // Edges of the cube cross the sheet from the start, and all vertices are static.
    world.put("sheet.obj", &sheet(0.0));
    let ran = world.run("step cube.obj cube.obj --other sheet.obj sheet.obj --json");
    assert_eq!((ran.code, ran.rows()[0]["free_until"].as_f64()), (Some(1), Some(0.0)), "{}", ran.out);
    assert_eq!(ran.rows()[0]["state"], "intersecting");
    let text = world.run("step cube.obj cube.obj --other sheet.obj sheet.obj").out;
    assert!(text.starts_with("contact: the bodies intersect at the start of the step\n"), "{text}");
}

#[test]
fn mistakes_are_reported() {
    let world = World::new();
    world.put("flat.obj", &sheet(0.0));
    world.put("cube.obj", CUBE);
    for (args, part) in [
        ("flat.obj cube.obj", "not two frames of one body"),
        ("flat.obj gone.obj", "gone.obj: cannot be read"),
        ("flat.obj flat.obj --margin -1", "margin: -1 is not"),
        ("flat.obj flat.obj --self", "--other"),
        ("flat.obj flat.obj --other flat.obj", "--other"),
        ("flat.obj", "required"),
    ] {
        let ran = world.run(&format!("step {args}"));
        assert!(ran.code == Some(2) && ran.out.is_empty() && ran.err.contains(part), "{args}: {ran:?}");
    }
}

/// A small cube inside a large one, at rest or moving out; if the large one is open, it contains nothing.
#[test]
fn a_body_inside_another_is_in_contact() {
    let world = World::new();
    let cube = |by: f64, x: f64| -> String {
        let vertex = |k: usize| [(k & 1) as f64 - 0.5, (k >> 1 & 1) as f64 - 0.5, (k >> 2) as f64 - 0.5].map(|c| c * by);
        let vertices: String = (0..8).map(vertex).map(|[a, b, c]| format!("v {} {b} {c}\n", a + x)).collect();
        vertices + "f 1 3 4\nf 1 4 2\nf 5 6 8\nf 5 8 7\nf 1 2 6\nf 1 6 5\nf 3 7 8\nf 3 8 4\nf 1 5 7\nf 1 7 3\nf 2 4 8\nf 2 8 6\n"
    };
    world.put("large.obj", &cube(10.0, 0.0));
    world.put("in.obj", &cube(1.0, 0.0));
    world.put("near.obj", &cube(1.0, 0.5));
    world.put("out.obj", &cube(1.0, 9.0));
    for end in ["in.obj", "near.obj", "out.obj"] {
        for (step, inner) in
            [(format!("large.obj large.obj --other in.obj {end}"), 1), (format!("in.obj {end} --other large.obj large.obj"), 0)]
        {
            let ran = world.run(&format!("step {step} --json"));
            let row = &ran.rows()[0];
            assert_eq!(
                (ran.code, row["verdict"].as_str(), row["state"].as_str()),
                (Some(1), Some("contact"), Some("contained")),
                "{row}"
            );
            assert!(row["contained"]["inner"] == inner && row["free_until"] == 0.0 && row["time"][1] == 0.0, "{row}");
            let text = world.run(&format!("step {step}"));
            assert!(
                text.out.starts_with(&format!("contact: body {inner} is inside body {} at the start", 1 - inner)),
                "{}",
                text.out
            );
        }
    }
    let open = cube(10.0, 0.0).replace("f 2 8 6\n", "");
    world.put("open.obj", &open);
    assert_eq!(world.run("step open.obj open.obj --other in.obj near.obj").code, Some(0));
}
