//! `impinge distance`.

use impinge::math::trig::sin_cos;
use serde_json::json;

use crate::world::{CUBE, World};

fn number(row: &serde_json::Value, key: &str) -> f64 {
    row[key].as_f64().unwrap_or_else(|| panic!("{key} of {row}"))
}

fn world() -> World {
    let world = World::new();
    world.put("cube.obj", CUBE);
    world
}

/// Two cubes of side 1, meshes or primitives, two apart: their distance is 1.
#[test]
fn bodies_at_rest() {
    let world = world();
    for (a, b, gap) in [
        ("cube.obj", "cube.obj", 1.0),
        ("cube.obj", "box:1,1,1", 1.0),
        ("box:1,1,1", "sphere:0.25", 1.25),
        ("cylinder:0.5,1", "cube.obj", 1.0),
        ("capsule:0.5,1", "cylinder:0.5,3", 1.0),
    ] {
        let ran = world.run(&format!("distance {a} {b} --pose-a 2,0.1,0 --json"));
        assert_eq!(ran.code, Some(0), "{a} {b}: {}", ran.err);
        let row = &ran.rows()[0];
        let (low, high) = (number(row, "at_least"), number(row, "at_most"));
        let round = a.starts_with('c') && a.contains(':');
        let slack = if round { 0.01 } else { 1e-12 };
        assert!(low <= high && high - low < 1e-6 && (low - gap).abs() < slack, "{a} {b}: {row}");
        assert!(row["points"].is_array() && row["triangles"].is_array(), "{row}");
    }
    let text = world.run("distance cube.obj cube.obj --pose-a 2,0,0").out;
    assert!(text.starts_with("1.000000001 apart, and never less than 0.999999999\n") && text.contains("cube: 1.5"), "{text}");
    let touching = world.run("distance cube.obj cube.obj --pose-a 0.9,0.2,0,0.1,0.2,0.3");
    assert_eq!((touching.code, touching.out.lines().next()), (Some(1), Some("overlapping")));
    assert_eq!(world.run("distance sphere:0.1 box:1,1,1").code, Some(1));
}

/// Touching, overlapping and contained meshes and primitives, in text and JSON, are all in contact.
#[test]
fn contact_states_are_classified() {
    let world = world();
    let word = |text: &str| text.split([':', '\n']).next().unwrap_or_default().to_owned();
    for (a, b, at, state, inside) in [
        ("box:1,1,1", "box:1,1,1", "1,0.2,0", "touching", None),
        ("cube.obj", "cube.obj", "1,0.2,0", "touching", None),
        ("sphere:0.5", "sphere:0.5", "1,0,0", "touching", None),
        ("sphere:0.5", "cube.obj", "0,1,0", "touching", None),
        ("box:1,1,1", "box:1,1,1", "0.9,0.2,0", "overlapping", None),
        ("box:1,1,1", "cube.obj", "0.9,0.2,0", "overlapping", None),
        ("sphere:0.5", "capsule:0.5,1", "0.9,0.2,0", "overlapping", None),
        ("cylinder:0.5,1", "cube.obj", "0.2,0.2,0.3", "overlapping", None),
        ("box:0.1,0.1,0.1", "box:1,1,1", "0,0,0", "contained", Some(["box", "box#2"])),
        ("sphere:0.1", "sphere:1", "0.1,0,0", "contained", Some(["sphere", "sphere#2"])),
        ("sphere:1", "cube.obj", "0.1,0,0", "contained", Some(["cube", "sphere"])),
        ("capsule:0.1,0.2", "cylinder:1,2", "0.1,0,0", "contained", Some(["capsule", "cylinder"])),
        ("cube.obj", "box:2,2,2", "0.1,0,0,0.1,0.2,0", "contained", Some(["cube", "box"])),
        ("cylinder:0.1,0.2", "cube.obj", "0.1,0,0", "contained", Some(["cylinder", "cube"])),
    ] {
        for more in ["", "--solid"] {
            let query = format!("distance {a} {b} --pose-a {at} {more}");
            let ran = world.run(&query);
            assert_eq!((ran.code, word(&ran.out).as_str()), (Some(1), state), "{query}: {}{}", ran.out, ran.err);
            let row = world.run(&format!("{query} --json")).rows().remove(0);
            assert_eq!(row["state"], state, "{row}");
            assert!(number(&row, "at_least") == 0.0 && number(&row, "at_most") <= 1e-9, "{row}");
            assert_eq!(row["contained"], json!(inside), "{row}");
            if state == "overlapping" {
                assert!(number(&row, "at_most") == 0.0 && row["points"][0] == row["points"][1], "{row}");
            }
        }
    }
    let apart = world.run("distance box:1,1,1 box:1,1,1 --pose-a 1.1,0,0 --json");
    assert!(apart.code == Some(0) && apart.rows()[0]["state"].is_null(), "{}", apart.out);
    let both = world.run("distance box:1,1,1 box:1,1,1 --solid --surfaces");
    assert_eq!(both.code, Some(2), "{}", both.out);
    // A motion that starts in contact, and one that reaches it.
    for (moves, state) in [("--pose-a 0.1,0,0 --sweep-a 0.1,0,0", "contained"), ("--pose-a -3,0,0 --sweep-a 2.9,0,0", "touching")]
    {
        let row = world.run(&format!("distance sphere:0.1 box:1,1,1 {moves} --json")).rows().remove(0);
        assert_eq!(row["state"], state, "{row}");
    }
}

/// A closed mesh is a solid, unless shells are requested; an open one is a surface.
#[test]
fn a_body_inside_a_closed_mesh_is_contained() {
    let world = world();
    let inside = "distance sphere:0.1 cube.obj --pose-a 0.1,0,0";
    let ran = world.run(inside);
    assert_eq!((ran.code, ran.out.as_str()), (Some(1), "contained: sphere is inside cube\n"));
    let row = &world.run(&format!("{inside} --json")).rows()[0];
    assert_eq!((&row["at_least"], &row["at_most"]), (&json!(0.0), &json!(0.0)), "{row}");
    assert_eq!((&row["contained"], &row["points"]), (&json!(["sphere", "cube"]), &json!(null)), "{row}");
    let swapped = &world.run("distance cube.obj sphere:0.1 --json").rows()[0];
    assert_eq!(swapped["contained"], json!(["sphere", "cube"]), "{swapped}");
    // Translated and rotated within the cube, and out of it.
    for moves in ["--sweep-a 0.1,0,0", "--turn-a 0,0,1@0,0,0", "--turn-a 0,0,1@0,0,0 --estimate --volumes"] {
        let row = &world.run(&format!("{inside} {moves} --json")).rows()[0];
        assert_eq!((&row["at_most"], &row["contained"]), (&json!(0.0), &json!(["sphere", "cube"])), "{row}");
    }
    let out = &world.run(&format!("{inside} --sweep-a 2,0,0 --json")).rows()[0];
    assert!(out["contained"].is_null() && number(out, "at_most") < 1e-12, "surfaces touch: {out}");
    let shell = world.run(&format!("{inside} --surfaces --json"));
    assert_eq!(shell.code, Some(0));
    assert!((number(&shell.rows()[0], "at_least") - 0.3).abs() < 1e-12, "{}", shell.out);
    // No surface is found within --max, and yet the part is inside.
    assert_eq!(world.run(&format!("{inside} --max 0.1")).code, Some(1));
    world.put("open.obj", "v -1 -1 -1\nv 1 -1 -1\nv 0 1 -1\nv 0 0 1\nf 1 2 4\nf 2 3 4\nf 3 1 4\n");
    assert_eq!(world.run("distance sphere:0.01 open.obj").code, Some(0));
}

/// The hand, a ball at (1.1, 0, 0.2), inside a block.
#[test]
fn a_part_inside_another_is_contained() {
    let world = world();
    let corner = |k: usize| [(1.1, k & 1), (0.0, k >> 1 & 1), (0.2, k >> 2)].map(|(c, side)| c + side as f64 * 0.4 - 0.2);
    let vertices: String = (0..8).map(|k| corner(k).map(|c| c.to_string()).join(" ")).map(|v| format!("v {v}\n")).collect();
    let faces = "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n";
    world.put("block.obj", &(vertices + faces));
    let query = "distance arm.urdf --obstacle block.obj --at 0,0 --between hand,block";
    let ran = world.run(query);
    assert_eq!(ran.code, Some(1), "{}{}", ran.out, ran.err);
    assert!(ran.out.ends_with(": contained: arm/hand is inside block\n"), "{}", ran.out);
    let shell = world.run(&format!("{query} --surfaces"));
    assert_eq!(shell.code, Some(0), "{}{}", shell.out, shell.err);
}

#[test]
fn limits_end_the_search() {
    let world = world();
    let far = world.run("distance cube.obj cube.obj --pose-a 2,0,0 --max 0.5 --json");
    assert_eq!((far.code, &far.rows()[0]["at_most"]), (Some(0), &json!(null)));
    assert!(number(&far.rows()[0], "at_least") > 0.5);
    let near = world.run("distance cube.obj cube.obj --pose-a 2,0,0 --min 1.5 --json");
    assert_eq!(near.code, Some(1), "{}", near.out);
    assert!(number(&near.rows()[0], "at_most") <= 1.5);
}

#[test]
fn sweeps_are_exact() {
    let world = world();
    // Past each other at a distance of 0.5, closest half way.
    let ran = world.run("distance cube.obj cube.obj --pose-a -4,1.5,0 --sweep-a 8,0,0 --json");
    let row = &ran.rows()[0];
    assert!(ran.code == Some(0) && (number(row, "at_least") - 0.5).abs() < 1e-12, "{row}");
    assert!(row["times"][0] == row["times"][1] && (0.375..=0.625).contains(&row["times"][0].as_f64().expect("a time")), "{row}");
    // Both move the same way: the minimum is at the start. The swept volumes meet.
    let together = "distance cube.obj cube.obj --pose-a -4,0,0 --sweep-a 8,0,0 --sweep-b 8,0,0";
    let row = &world.run(&format!("{together} --json")).rows()[0];
    assert!((number(row, "at_least") - 3.0).abs() < 1e-12, "{row}");
    assert_eq!(world.run(&format!("{together} --volumes")).code, Some(1));
}

/// A cube turns about z through one of its corners, past a ball.
#[test]
fn turns_come_with_their_errors() {
    let world = world();
    let query = |more: &str| {
        let ran =
            world.run(&format!("distance cube.obj sphere:0.1 --pose-b 0,2,0 --turn-a 0,0,-1.5708@0.5,-0.5,0 {more} --json"));
        assert!(ran.err.is_empty(), "{}", ran.err);
        ran.rows().remove(0)
    };
    // The corner that is farthest from the axis passes at the radius sqrt 2 from (0.5, -0.5), where the ball's middle is sqrt 6.5 away.
    let truth = 6.5f64.sqrt() - 2f64.sqrt() - 0.1;
    let close = query("--piece 0.01");
    let (low, high) = (number(&close, "at_least"), number(&close, "at_most"));
    assert!(low <= truth && truth <= high && high - low < 0.01, "{close} {truth}");
    let rough = query("--piece 1.5");
    assert!(number(&rough, "value") <= truth && number(&rough, "value") + number(&rough, "error") >= truth, "{rough}");
    let estimate = query("--estimate --piece 0.2");
    assert!((number(&estimate, "value") - truth).abs() <= number(&estimate, "error"), "{estimate} {truth}");
    let text = world.run("distance cube.obj sphere:0.1 --pose-b 0,2,0 --turn-a 0,0,1").out;
    assert!(text.contains("lower bound: "), "{text}");
}

/// The printed points, in text and JSON, are no farther apart than `at_most`.
#[test]
fn printed_points_show_the_upper_bound() {
    let world = world();
    for (turn, more) in
        [("0.3,0.2,2.5@0.5,-0.5,0", ""), ("1.1,-2,0.4@3,0,0", "--piece 0.7"), ("0,0,3", "--sweep-a 0,1,0.5 --volumes")]
    {
        for way in ["", "--estimate"] {
            let query = format!("distance cube.obj cube.obj --pose-a 2.3,1.1,0.4,0.3,0.2,0.1 --turn-a {turn} {more} {way}");
            let row = world.run(&format!("{query} --json")).rows().remove(0);
            let point = |i: usize| [0, 1, 2].map(|k| row["points"][i][k].as_f64().expect("a coordinate"));
            let apart = |a: [f64; 3], b: [f64; 3]| (a[0] - b[0]).hypot(a[1] - b[1]).hypot(a[2] - b[2]);
            assert!(apart(point(0), point(1)) <= number(&row, "at_most") * (1.0 + 1e-15), "{row}");
            let text = world.run(&query).out;
            let first: f64 = text.split_whitespace().next().and_then(|word| word.parse().ok()).expect("a distance");
            let points: Vec<[f64; 3]> = (text.lines().filter(|l| l.starts_with("  cube: ") || l.starts_with("  cube#2: ")))
                .map(|l| {
                    let numbers: Vec<f64> = l.split_whitespace().skip(1).take(3).map(|w| w.parse().expect("a number")).collect();
                    numbers.try_into().expect("three")
                })
                .collect();
            assert!(first >= number(&row, "at_most") && apart(points[0], points[1]) <= first, "{text}");
        }
    }
}

/// The same for primitives: the points lie on them at the printed times.
#[test]
fn points_of_primitives_show_the_upper_bound() {
    let world = world();
    let of_box = |p: [f64; 3], half: [f64; 3]| (0..3).map(|k| p[k].abs() - half[k]).fold(f64::NEG_INFINITY, f64::max);
    for way in ["", "--estimate", "--volumes"] {
        for other in ["box:0.4,0.6,0.8", "cylinder:0.3,0.8", "sphere:0.4", "capsule:0.2,0.5", "cube.obj"] {
            // A box about z through the world's origin, and a static part at (0, 3, 0).
            let query =
                format!("distance box:1,0.6,0.4 {other} --pose-a 2,0,0 --pose-b 0,3,0 --turn-a 0,0,1.3@0,0,0 {way} --json");
            let row = world.run(&query).rows().remove(0);
            let point = |i: usize| [0, 1, 2].map(|k| row["points"][i][k].as_f64().unwrap_or_else(|| panic!("{query}: {row}")));
            let apart = |a: [f64; 3], b: [f64; 3]| (a[0] - b[0]).hypot(a[1] - b[1]).hypot(a[2] - b[2]);
            let (p, q) = (point(0), point(1));
            assert!(apart(p, q) <= number(&row, "at_most") * (1.0 + 1e-15), "{query}: {row}");
            let (sine, cosine) = sin_cos(-1.3 * row["times"][0].as_f64().expect("a time"));
            let own = [p[0] * cosine - p[1] * sine - 2.0, p[0] * sine + p[1] * cosine, p[2]];
            assert!(of_box(own, [0.5, 0.3, 0.2]).abs() < 1e-12, "{query}: {own:?}");
            let q = [q[0], q[1] - 3.0, q[2]];
            let beyond = match other.split(':').next() {
                Some("box") => of_box(q, [0.2, 0.3, 0.4]),
                Some("cylinder") => (q[0].hypot(q[1]) - 0.3).max(q[2].abs() - 0.4),
                Some("sphere") => q[0].hypot(q[1]).hypot(q[2]) - 0.4,
                Some("capsule") => q[0].hypot(q[1]).hypot((q[2].abs() - 0.25).max(0.0)) - 0.2,
                _ => of_box(q, [0.5; 3]),
            };
            assert!(beyond.abs() < 1e-12, "{query}: {q:?}");
        }
    }
}

/// The hand is a ball of radius 0.05 at (1.1, 0, 0.2), the wall's nearest edge at (1.1, 0.5).
#[test]
fn parts_of_a_scene() {
    let world = world();
    let nearest = world.run("distance arm.urdf --obstacle wall.obj --at 0,0 --json");
    let row = &nearest.rows()[0];
    assert!(nearest.code == Some(0) && (number(row, "at_least") - 0.45).abs() < 1e-12, "{row}");
    assert_eq!(row["pair"][1], "wall", "{row}");
    let all = world.run("distance arm.urdf --obstacle wall.obj --at 0,0 --all --json");
    assert_eq!(all.rows().len(), 4, "a line for every checked pair: {}", all.out);
    let two = world.run("distance arm.urdf --obstacle wall.obj --at 0,0 --between base,wall --json");
    let gap = number(&two.rows()[0], "at_least");
    assert!((gap - 0.4f64.hypot(0.4)).abs() < 1e-12, "{gap}");
    let hit = world.run("distance arm.urdf --obstacle wall.obj --at shoulder=0.6,stretch=0 --min 0.01");
    assert_eq!(hit.code, Some(1), "{}", hit.out);
    let far = world.run("distance arm.urdf --obstacle wall.obj --at 0,0 --max 0.1");
    assert_eq!((far.code, far.out.as_str()), (Some(0), "no checked pair is within 0.1 m\n"));
}

#[test]
fn mistakes_are_reported() {
    let world = world();
    for (args, part) in [
        ("cube.obj", "the second body is missing"),
        ("cube.obj none.obj", "none.obj"),
        ("cube.obj pyramid:1", "is not a body"),
        ("cube.obj box:1,2", "is not a body"),
        ("cube.obj sphere:-1", "negative"),
        ("cube.obj cube.obj --max -1", "negative"),
        ("cube.obj cube.obj --sweep-a 1,2", "write X,Y,Z"),
        ("cube.obj cube.obj --estimate", "--turn-a"),
        ("cube.obj cube.obj --turn-a 1,0,0 --turn-b 1,0,0", "both bodies turn"),
        ("cube.obj cube.obj --turn-a 1,0,0 --piece 2", "quarter turn"),
        ("arm.urdf --at 0,0 --pose-a 1,0,0", "apply to two bodies"),
        ("arm.urdf --at 0", "moving joints are"),
        ("arm.urdf --obstacle wall.obj --between hand,wall", "--at arm:"),
        ("arm.urdf --obstacle wall.obj --at 0,0 --between hand,roof", "no part 'roof'"),
        ("arm.urdf --at 0,0 --between hand", "two names"),
        ("arm.urdf --at 0,0 --between hand,frame", "no geometry"),
    ] {
        let ran = world.run(&format!("distance {args}"));
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{args}: {}", ran.err);
        assert!(ran.err.contains(part), "{args}: {}", ran.err);
    }
    let help = world.run("distance --help").out;
    assert!(help.contains("Examples:") && help.contains("--volumes"), "{help}");
}

/// A repeated triangle has no effect, a loose one is a surface beside the solid; both are reported.
#[test]
fn open_edges_of_a_mesh_are_reported() {
    let world = World::new();
    let cube = |h: f64| {
        let corner = |i: u32| {
            let at = |bit: u32| if i & bit == 0 { -h } else { h };
            format!("v {} {} {}\n", at(1), at(2), at(4))
        };
        let faces = [[1, 3, 4, 2], [5, 6, 8, 7], [1, 2, 6, 5], [3, 7, 8, 4], [1, 5, 7, 3], [2, 4, 8, 6]];
        let face = |[a, b, c, d]: [u32; 4]| format!("f {a} {b} {c}\nf {a} {c} {d}\n");
        (0..8).map(corner).chain(faces.map(face)).collect::<String>()
    };
    world.put("small.obj", &cube(0.05));
    world.put("big.obj", &cube(1.0));
    world.put("twice.obj", &format!("{}f 3 4 1\n", cube(1.0)));
    world.put("loose.obj", &format!("{}v 5 0 0\nv 5 1 0\nv 5 0 1\nf 9 10 11\n", cube(1.0)));
    for (name, note) in [("big", None), ("twice", None), ("loose", Some("loose (3 open edges)"))] {
        let motion = "--from 0,0,0 --to 0.1,0,0";
        for command in [
            format!("distance small.obj {name}.obj"),
            format!("check --body small=small.obj --obstacle {name}.obj {motion}"),
            format!("clearance --body small=small.obj --obstacle {name}.obj {motion}"),
        ] {
            let ran = world.run(&command);
            assert_eq!(ran.code, Some(1), "{command}: {} {}", ran.out, ran.err);
            assert_eq!(ran.err.matches("open mesh").count(), usize::from(note.is_some()), "{command}: {}", ran.err);
            assert!(ran.err.contains(note.unwrap_or("")) && note.is_none_or(|_| ran.err.contains("Open meshes are surfaces")));
            let surfaces = world.run(&format!("{command} --surfaces"));
            assert!(!surfaces.err.contains("open mesh") && surfaces.code == Some(0), "{command}: {}", surfaces.err);
        }
    }
}

/// A search that reaches the work limit reports valid bounds and the reason.
#[test]
fn the_work_limit_is_reported() {
    let world = World::new();
    for moved in ["", "--sweep-a 0,0,0.001", "--turn-a 0,0,0.5"] {
        let query = format!("distance wall.obj wall.obj --pose-a 0,0.7,0,0.3,0.2,0.1 --surfaces {moved}");
        let number = |row: &serde_json::Value, key: &str| row[key].as_f64();
        let (whole, cut) = (world.run(&format!("{query} --json")), world.run(&format!("{query} --max-work 2 --json")));
        let (whole, cut) = (&whole.rows()[0], &cut.rows()[0]);
        assert!(whole["limited_by"].is_null() && cut["limited_by"] == "work", "{whole} {cut}");
        assert!(number(cut, "at_least") <= number(whole, "at_most"), "{whole} {cut}");
        let high = |row: &serde_json::Value| number(row, "at_most").unwrap_or(f64::INFINITY);
        assert!(number(whole, "at_least").is_some_and(|low| low <= high(cut)), "{whole} {cut}");
        let output = world.run(&format!("{query} --max-work 2"));
        assert!(output.out.contains("work limit reached"), "{}", output.out);
    }
    // No distance was measured, so none is reported.
    let part = r#"<robot name="r"><link name="a"><collision><geometry><box size="1 1 1"/></geometry></collision></link></robot>"#;
    world.put("box.urdf", part);
    let table = r#"{"name": "t", "pose": {"p": [5, 0, 0]}, "shape": {"type": "box", "size": [1, 1, 1]}}"#;
    world.put("cell.json", &format!(r#"{{"format": "impinge-scene", "version": 1, "objects": [{table}]}}"#));
    let cut = world.run("distance box.urdf --scene cell.json --max 1000 --max-work 0 --json");
    let row = &cut.rows()[0];
    assert!(row["limited_by"] == "work" && row["at_least"].as_f64().is_some_and(|low| low < 1000.0), "{row}");
}

/// Errors name the option that gave the values, and two equal bodies have different names.
#[test]
fn options_and_bodies_go_by_their_names() {
    let world = World::new();
    let err = world.run("distance arm.urdf --obstacle wall.obj --at 0").err;
    assert!(err.contains("--at") && !err.contains("--from"), "{err}");
    let err = world.run("distance arm.urdf --obstacle wall.obj --at shoulder=0,shoulder=1").err;
    assert!(!err.contains("--from"), "{err}");
    let nested = world.run("distance sphere:0.1 sphere:1").out;
    assert_eq!(nested, "contained: sphere is inside sphere#2\n");
}
