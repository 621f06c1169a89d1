//! `impinge swept`: meshes of swept volumes.

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
        assert!(ran.out.contains("hand") && ran.out.contains("exceeds it by at most 0.01 m"), "{}", ran.out);
        assert!(fs::metadata(world.folder.join(name)).is_ok_and(|m| m.len() > 10_000), "{name}");
    }
    let text = fs::read_to_string(world.folder.join("s.obj")).expect("written");
    let objects: Vec<&str> = text.lines().filter(|l| l.starts_with("o ")).collect();
    assert_eq!(objects, ["o base", "o upper", "o hand"], "an object per link with geometry");
}

/// The hand is a ball of radius 0.05, at a distance from the axis of 1.1 at the start and 1.4 at the end, at a height of 0.2: its
/// swept volume is known.
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

/// The hand hits the wall during the motion, so the wall intersects the swept volume.
#[test]
fn an_obstacle_in_the_way_intersects_the_mesh() {
    let world = World::new();
    assert_eq!(world.run(&format!("{SWEPT} --out swept.obj")).code, Some(0));
    world.put("rest.jsonl", "{\"start\": {\"p\": [0,0,0], \"q\": [1,0,0,0]}, \"v\": [0,0,0], \"w\": [0,0,0]}\n");
    let ran = world.run("check --moving wall.obj --fixed swept.obj --motions rest.jsonl --json");
    assert_eq!((ran.code, &ran.rows()[0]["verdict"]), (Some(1), &"contact".into()), "{}", ran.err);
}

#[test]
fn mistakes_are_reported_before_the_work() {
    let world = World::new();
    for (args, part) in [
        ("--out s.dae", ".stl, .obj or .ply"),
        ("--out s.stl --link elbow", "no link 'elbow'"),
        ("--out s.stl --link frame", "no collision geometry"),
        ("--out s.stl --error 0", "not positive or too small"),
        ("--out s.stl --error -1", "not positive or too small"),
        ("--out s.stl --error 1e-12", "not positive or too small"),
        ("--out no/such/s.stl", "cannot write the file"),
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

/// Returns the maximum of a function over all corners.
fn reach(corners: &[[f32; 3]], f: impl Fn(&[f32; 3]) -> f32) -> f32 {
    corners.iter().map(f).fold(f32::MIN, f32::max)
}

/// The upper arm is a box of 0.1 by 0.1 by 1: its capsule is far thicker.
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
    assert!(text.contains("convex cells") && text.contains("encloses the swept volume of the parts"), "{text}");
}

/// Two halves of a motion, as a trajectory, as motions, and a body that follows them; with an attached part.
#[test]
fn all_checked_motions_can_be_swept() {
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

/// Vertices and triangles of an OBJ file.
fn obj(text: &str) -> (Vec<[f64; 3]>, Vec<[usize; 3]>) {
    let words = |line: &str| line.split_whitespace().skip(1).map(str::to_owned).collect::<Vec<_>>();
    let rows = |kind: &str| text.lines().filter(|l| l.starts_with(kind)).map(words).collect::<Vec<_>>();
    let vertices = rows("v ").iter().map(|w| [0, 1, 2].map(|i| w[i].parse().expect("a number"))).collect();
    let faces = rows("f ").iter().map(|w| [0, 1, 2].map(|i| w[i].parse::<usize>().expect("an index") - 1)).collect();
    (vertices, faces)
}

/// Checks that the directed edges of each component, by vertex, occur equally often in both directions, and that each component
/// encloses a positive volume; returns the number of components.
fn closed_components((vertices, faces): &(Vec<[f64; 3]>, Vec<[usize; 3]>)) -> usize {
    let mut root: Vec<usize> = (0..vertices.len()).collect();
    fn find(root: &mut [usize], mut i: usize) -> usize {
        while root[i] != i {
            root[i] = root[root[i]];
            i = root[i];
        }
        i
    }
    for f in faces {
        for k in 1..3 {
            let (a, b) = (find(&mut root, f[0]), find(&mut root, f[k]));
            root[b] = a;
        }
    }
    let mut balance = std::collections::BTreeMap::new();
    let mut volumes = std::collections::BTreeMap::new();
    for f in faces {
        let component = find(&mut root, f[0]);
        for k in 0..3 {
            let (a, b) = (f[k], f[(k + 1) % 3]);
            *balance.entry((a.min(b), a.max(b))).or_insert(0) += if a < b { 1 } else { -1 };
        }
        let about = vertices[component];
        let [a, b, c] = f.map(|k| [0, 1, 2].map(|i| vertices[k][i] - about[i]));
        let volume: f64 = (0..3).map(|i| a[i] * (b[(i + 1) % 3] * c[(i + 2) % 3] - b[(i + 2) % 3] * c[(i + 1) % 3])).sum();
        *volumes.entry(component).or_insert(0.0) += volume;
    }
    assert!(balance.values().all(|&n| n == 0), "an edge is open");
    assert!(volumes.values().all(|&v| v > 0.0), "a component is inside out");
    volumes.len()
}

/// The output is solid when it is read again: a cube deep inside, which touches no surface, is contained.
#[test]
fn the_swept_volume_is_solid() {
    let world = World::new();
    world.put(
        "b.urdf",
        "<robot name='b'><link name='base'/><link name='arm'><collision><geometry><box size='2 0.6 0.6'/></geometry></collision></link>\
         <joint name='j' type='revolute'><parent link='base'/><child link='arm'/><axis xyz='0 0 1'/><limit lower='-3' upper='3'/></joint></robot>",
    );
    world.put("small.obj", &crate::world::CUBE.replace("0.5", "0.005"));
    world.put("turns.jsonl", "{\"start\": {\"p\": [0,0,0], \"q\": [1,0,0,0]}, \"v\": [1,0,0], \"w\": [0.5,1,0.7]}\n");
    world.put("bar.obj", &crate::world::CUBE.replace("0.5 0.5 ", "0.1 0.5 "));
    for (args, inside) in [
        ("b.urdf --from 0 --to 1 --error 5cm", ["0.6,0.3,0", "0,0,0", "0.9,0,0"]),
        ("b.urdf --from 0 --to 1 --error 5cm --exact", ["0.6,0.3,0", "0.01,0,0", "0.8,0.1,0.1"]),
        ("b.urdf --from -2 --to 2 --error 1cm", ["0.6,0.3,0", "0,0,0", "0,-0.7,0"]),
        ("--moving bar.obj --motions turns.jsonl --error 2cm", ["0,0,0", "0.5,0,0", "1,0,0"]),
    ] {
        for file in ["v.obj", "v.stl", "v.ply"] {
            assert_eq!(world.run(&format!("swept {args} --out {file}")).code, Some(0), "{args}");
            for at in inside {
                let ran = world.run(&format!("check --moving small.obj --obstacle {file} --from {at} --to {at}"));
                assert_eq!(ran.code, Some(1), "{args}, {file}, {at}: {}{}", ran.out, ran.err);
            }
        }
        let written = obj(&fs::read_to_string(world.folder.join("v.obj")).expect("written"));
        assert!(closed_components(&written) >= 1);
    }
    let random =
        |k: u32, i: u32| f64::from(k.wrapping_mul(2_654_435_761).wrapping_add(i.wrapping_mul(40_503)) % 1000) / 500.0 - 1.0;
    for k in 1..15 {
        let [a, b, c, d, e, f] = [1, 2, 3, 4, 5, 6].map(|i| random(k, i));
        let line = format!("{{\"start\": {{\"p\": [0,0,0], \"q\": [1,0,0,0]}}, \"v\": [{a},{b},{c}], \"w\": [{d},{e},{f}]}}\n");
        world.put("random.jsonl", &line);
        for exact in ["--exact", ""] {
            let ran = world.run(&format!("swept --moving bar.obj --motions random.jsonl --error 5cm --out v.obj {exact}"));
            assert_eq!(ran.code, Some(0), "{}", ran.err);
            closed_components(&obj(&fs::read_to_string(world.folder.join("v.obj")).expect("written")));
        }
    }
}
