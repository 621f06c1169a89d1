//! `impinge swept`: meshes of what links sweep.

use std::fs;

use crate::world::World;

const SWEPT: &str = "swept arm.urdf --from 0,0 --to 1.2,0.3";

/// The `f32` corners of a binary STL file.
fn stl_corners(bytes: &[u8]) -> Vec<[f32; 3]> {
    let facets = bytes[84..].chunks_exact(50);
    let number = |b: &[u8]| f32::from_le_bytes(b.try_into().expect("four bytes"));
    facets.flat_map(|f| (1..4).map(move |k| [0, 1, 2].map(|i| number(&f[12 * k + 4 * i..][..4])))).collect()
}

#[test]
fn every_format_is_written() {
    let world = World::new();
    for name in ["s.stl", "s.obj", "s.ply"] {
        let ran = world.run(&format!("{SWEPT} --out {name}"));
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{name}");
        assert!(ran.out.contains("hand") && ran.out.contains("at most 0.01 m more"), "{}", ran.out);
        assert!(fs::metadata(world.folder.join(name)).is_ok_and(|m| m.len() > 10_000), "{name}");
    }
    let text = fs::read_to_string(world.folder.join("s.obj")).expect("written");
    let objects: Vec<&str> = text.lines().filter(|l| l.starts_with("o ")).collect();
    assert_eq!(objects, ["o base", "o upper", "o hand"], "an object per link with geometry");
}

/// The hand is a ball of radius 0.05, 1.1 from the axis at first and 1.4 at last, at a height of 0.2: its sweep is known.
#[test]
fn the_sweep_of_a_ball_is_as_large_as_it_must_be() {
    let world = World::new();
    let ran = world.run(&format!("{SWEPT} --out hand.stl --link hand --error 0.002 --json"));
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let row = &ran.rows()[0];
    assert!((row["radius"].as_f64().expect("a radius") - 0.05).abs() < 1e-9 && row["link"] == "hand", "{row}");
    let corners = stl_corners(&fs::read(world.folder.join("hand.stl")).expect("written"));
    assert_eq!(corners.len(), 3 * row["triangles"].as_u64().expect("a count") as usize);
    let reach = |f: fn(&[f32; 3]) -> f32| corners.iter().map(f).fold(f32::MIN, f32::max);
    let (top, bottom) = (reach(|c| c[2]), -reach(|c| -c[2]));
    let (left, out) = (reach(|c| c[1]), reach(|c| c[0].hypot(c[1])));
    for (found, least) in [(top, 0.25), (-bottom, -0.15), (left, 1.4 * 1.2f32.sin() + 0.05), (out, 1.45)] {
        assert!(found >= least && found <= least + 0.004 + 1e-6, "{found} for {least}");
    }
}

/// The hand hits the wall on its way, so the wall meets what was written.
#[test]
fn what_is_hit_meets_the_mesh() {
    let world = World::new();
    assert_eq!(world.run(&format!("{SWEPT} --out swept.obj")).code, Some(0));
    world.put("rest.jsonl", "{\"start\": {\"p\": [0,0,0], \"q\": [1,0,0,0]}, \"v\": [0,0,0], \"w\": [0,0,0]}\n");
    let ran = world.run("check --moving wall.obj --fixed swept.obj --motions rest.jsonl --json");
    assert_eq!((ran.code, &ran.rows()[0]["verdict"]), (Some(1), &"contact".into()), "{}", ran.err);
}

#[test]
fn mistakes_are_told_before_the_work() {
    let world = World::new();
    for (args, part) in [
        ("--out s.dae", ".stl, .obj or .ply"),
        ("--out s.stl --link elbow", "no link 'elbow'"),
        ("--out s.stl --link frame", "no collision geometry"),
        ("--out s.stl --error 0", "not positive or too small"),
        ("--out s.stl --error -1", "not positive or too small"),
        ("--out s.stl --error 1e-12", "not positive or too small"),
        ("--out no/such/s.stl", "cannot be written"),
    ] {
        let ran = world.run(&format!("{SWEPT} {args}"));
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{args}");
        assert!(ran.err.contains(part), "{args}: {}", ran.err);
    }
    for (args, part) in [
        ("swept arm.urdf --out s.stl", "no motion is given"),
        ("swept arm.urdf --from 0,0 --to 1.2,0.3 --exact --error 1e-9 --out s.stl", "convex cells"),
    ] {
        let ran = world.run(args);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{args}");
        assert!(ran.err.contains(part), "{args}: {}", ran.err);
    }
    let help = world.run("swept --help").out;
    assert!(help.contains("Examples:") && help.contains("--error"), "{help}");
}

/// The largest of a function over all corners.
fn reach(corners: &[[f32; 3]], f: impl Fn(&[f32; 3]) -> f32) -> f32 {
    corners.iter().map(f).fold(f32::MIN, f32::max)
}

/// The upper arm is a box of 0.1 by 0.1 by 1: its capsule is far thicker than it is.
#[test]
fn the_box_itself_is_swept() {
    let world = World::new();
    let ran = world.run(&format!("{SWEPT} --out upper.stl --link upper --exact --error 0.002 --json"));
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let row = &ran.rows()[0];
    assert!(row["cells"].as_u64().is_some_and(|n| n > 1) && row.get("radius").is_none(), "{row}");
    let corners = stl_corners(&fs::read(world.folder.join("upper.stl")).expect("written"));
    let (top, out) = (reach(&corners, |c| c[2]), reach(&corners, |c| c[0].hypot(c[1])));
    for (found, least) in [(top, 0.25), (out, 1f32.hypot(0.05))] {
        assert!(found >= least && found <= least + 0.004 + 1e-6, "{found} for {least}");
    }
    let text = world.run(&format!("{SWEPT} --out upper.stl --exact")).out;
    assert!(text.contains("convex cells") && text.contains("everything the parts pass through"), "{text}");
}

/// Two halves of a motion, as a trajectory, as motions, and a body that follows them; and what a link holds.
#[test]
fn everything_that_is_checked_can_be_swept() {
    let world = World::new();
    world.put("cube.obj", crate::world::CUBE);
    world.put("path.csv", "shoulder,stretch\n0,0\n0.6,0.15\n1.2,0.3\n");
    world.put("two.jsonl", "{\"q0\": [0, 0], \"q1\": [0.6, 0.15]}\n{\"q0\": [0.6, 0.15], \"q1\": [1.2, 0.3]}\n");
    world.put("slide.jsonl", "{\"start\": {\"p\": [0,0,0], \"q\": [1,0,0,0]}, \"v\": [2,0,0], \"w\": [0,0,0]}\n");
    for exact in ["", "--exact"] {
        for motion in ["--trajectory path.csv", "--motions two.jsonl", "--from 0,0 --to 1.2,0.3"] {
            let ran = world.run(&format!("swept arm.urdf {motion} {exact} --link hand --out hand.stl --error 0.002"));
            assert_eq!(ran.code, Some(0), "{motion}: {}", ran.err);
            let corners = stl_corners(&fs::read(world.folder.join("hand.stl")).expect("written"));
            for (found, least) in
                [(reach(&corners, |c| c[1]), 1.4 * 1.2f32.sin() + 0.05), (reach(&corners, |c| c[0].hypot(c[1])), 1.45)]
            {
                assert!(found >= least && found <= least + 0.004 + 1e-6, "{motion} {exact}: {found} for {least}");
            }
        }
        let ran = world.run(&format!("swept --moving cube.obj --motions slide.jsonl {exact} --out cube.stl"));
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        let held = world.run(&format!("swept arm.urdf --from 0,0 --to 0.2,0 --attach hand=cube.obj {exact} --out all.obj"));
        assert_eq!(held.code, Some(0), "{}", held.err);
        let text = fs::read_to_string(world.folder.join("all.obj")).expect("written");
        let objects: Vec<&str> = text.lines().filter(|l| l.starts_with("o ")).collect();
        assert_eq!(objects, ["o base", "o upper", "o hand", "o cube"]);
    }
    let corners = stl_corners(&fs::read(world.folder.join("cube.stl")).expect("written"));
    let (right, up) = (reach(&corners, |c| c[0]), reach(&corners, |c| c[1]));
    assert!((2.5..2.511).contains(&right) && (0.5..0.511).contains(&up), "{right} {up}");
}
