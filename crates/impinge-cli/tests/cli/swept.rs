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
    let help = world.run("swept --help").out;
    assert!(help.contains("Examples:") && help.contains("--error"), "{help}");
}
