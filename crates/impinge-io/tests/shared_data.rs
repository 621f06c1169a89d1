//! Real robots, meshes, scenes and motions of `../shared` load, with the counts in its README.

mod common;

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use impinge::geometry::{Primitive, Shape};
use impinge::math::Vec3;
use impinge::robot::{JointKind, Robot};
use impinge_io::mesh::{Format, UpAxis, load_mesh_as};
use impinge_io::scene::moveit;
use impinge_io::{
    MotionKind, Place, UrdfOptions, json, load_mesh, load_scene, load_srdf, load_urdf, open_motions, to_configuration,
};

struct Counts {
    robot: &'static str,
    links: usize,
    prismatic: usize,
    revolute: usize,
    fixed: usize,
    mimic: usize,
    mesh_references: usize,
    unique_meshes: usize,
    boxes: usize,
    spheres: usize,
    cylinders: usize,
    triangles: usize,
    mirrored_files: usize,
}

/// The table of `data/README.md`; talos' twelve mimics are on fixed joints and therefore not counted.
const ROBOTS: [Counts; 6] = [
    Counts {
        robot: "cad_snake",
        links: 21,
        prismatic: 14,
        revolute: 6,
        fixed: 0,
        mimic: 0,
        mesh_references: 112,
        unique_meshes: 11,
        boxes: 0,
        spheres: 0,
        cylinders: 0,
        triangles: 412_944,
        mirrored_files: 0,
    },
    Counts {
        robot: "fetch",
        links: 17,
        prismatic: 1,
        revolute: 7,
        fixed: 8,
        mimic: 0,
        mesh_references: 13,
        unique_meshes: 13,
        boxes: 0,
        spheres: 2,
        cylinders: 0,
        triangles: 1_498,
        mirrored_files: 0,
    },
    Counts {
        robot: "panda",
        links: 12,
        prismatic: 2,
        revolute: 7,
        fixed: 2,
        mimic: 1,
        mesh_references: 11,
        unique_meshes: 10,
        boxes: 0,
        spheres: 0,
        cylinders: 0,
        triangles: 2_364,
        mirrored_files: 0,
    },
    Counts {
        robot: "puma560",
        links: 7,
        prismatic: 0,
        revolute: 6,
        fixed: 0,
        mimic: 0,
        mesh_references: 7,
        unique_meshes: 7,
        boxes: 0,
        spheres: 0,
        cylinders: 0,
        triangles: 8_116,
        mirrored_files: 0,
    },
    Counts {
        robot: "talos",
        links: 60,
        prismatic: 0,
        revolute: 32,
        fixed: 27,
        mimic: 0,
        mesh_references: 47,
        unique_meshes: 24,
        boxes: 1,
        spheres: 0,
        cylinders: 4,
        triangles: 26_202,
        mirrored_files: 13,
    },
    Counts {
        robot: "ur10",
        links: 11,
        prismatic: 0,
        revolute: 6,
        fixed: 4,
        mimic: 0,
        mesh_references: 7,
        unique_meshes: 7,
        boxes: 1,
        spheres: 0,
        cylinders: 0,
        triangles: 5_862,
        mirrored_files: 0,
    },
];

fn robot(name: &str) -> Option<Robot> {
    let folder = common::shared("data/robots")?;
    let loaded = load_urdf(folder.join(name).join(format!("{name}.urdf")), &UrdfOptions::default());
    Some(loaded.unwrap_or_else(|e| panic!("{name}: {e}")).value)
}

#[test]
fn robots_have_the_counts_of_the_readme() {
    for c in ROBOTS {
        let Some(robot) = robot(c.robot) else { return };
        let joints = |f: fn(&JointKind) -> bool| robot.joints().iter().filter(|j| f(&j.kind)).count();
        let shapes: Vec<&Shape> = robot.links().iter().flat_map(|l| &l.pieces).map(|p| &p.shape).collect();
        let meshes: Vec<_> = shapes.iter().filter_map(|s| if let Shape::Mesh(m) = s { Some(m) } else { None }).collect();
        let primitives = |f: fn(&Primitive) -> bool| shapes.iter().filter(|s| matches!(s, Shape::Primitive(p) if f(p))).count();
        let shared: HashSet<_> = meshes.iter().map(|m| Arc::as_ptr(m)).collect();
        assert_eq!(robot.links().len(), c.links, "{}", c.robot);
        assert_eq!(joints(|k| matches!(k, JointKind::Prismatic { .. })), c.prismatic, "{}", c.robot);
        assert_eq!(joints(|k| matches!(k, JointKind::Revolute { .. })), c.revolute, "{}", c.robot);
        assert_eq!(joints(|k| matches!(k, JointKind::Fixed)), c.fixed, "{}", c.robot);
        assert_eq!(robot.joints().iter().filter(|j| j.mimic.is_some()).count(), c.mimic, "{}", c.robot);
        assert_eq!(meshes.len(), c.mesh_references, "{}", c.robot);
        assert!(
            (c.unique_meshes..=c.unique_meshes + c.mirrored_files).contains(&shared.len()),
            "{}: {} meshes",
            c.robot,
            shared.len()
        );
        assert_eq!(primitives(|p| matches!(p, Primitive::Cuboid { .. })), c.boxes, "{}", c.robot);
        assert_eq!(primitives(|p| matches!(p, Primitive::Sphere { .. })), c.spheres, "{}", c.robot);
        assert_eq!(primitives(|p| matches!(p, Primitive::Cylinder { .. })), c.cylinders, "{}", c.robot);
        assert_eq!(meshes.iter().map(|m| m.triangles().len()).sum::<usize>(), c.triangles, "{}", c.robot);
    }
}

#[test]
fn mirrored_links_and_mimics_on_fixed_joints_are_reported() {
    let Some(folder) = common::shared("data/robots") else { return };
    let loaded = load_urdf(folder.join("talos/talos.urdf"), &UrdfOptions::default()).expect("talos");
    assert_eq!(loaded.warnings.iter().filter(|w| w.kind == "mimic-on-fixed").count(), 12);
    assert!(loaded.warns("mirrored-mesh"));
}

#[test]
fn semantic_files_name_known_and_unknown_links() {
    for (name, pairs, pairs_with_unknown, left) in [("fetch", 162, 87, 48), ("panda", 34, 0, 21), ("talos", 459, 0, 887)] {
        let Some(robot) = robot(name) else { return };
        let folder = common::shared("data/robots").expect("it was here");
        let srdf = load_srdf(folder.join(name).join(format!("{name}.srdf"))).expect("SRDF").value;
        assert_eq!(srdf.disabled.len(), pairs, "{name}");
        let unknown = srdf.disabled.iter().filter(|p| robot.find_link(&p.a).is_none() || robot.find_link(&p.b).is_none()).count();
        assert_eq!(unknown, pairs_with_unknown, "{name}");
        assert_eq!(srdf.check(&robot).iter().any(|w| w.kind == "unknown-link"), unknown > 0, "{name}");
        let disabled = srdf.disabled_links(&robot);
        let solid: Vec<usize> = (0..robot.links().len()).filter(|&l| !robot.links()[l].pieces.is_empty()).collect();
        let pairs = solid.iter().flat_map(|&a| solid.iter().map(move |&b| (a, b))).filter(|(a, b)| a < b);
        let open = pairs.filter(|pair| !disabled.contains(pair) && !robot.rigidly_joined(pair.0, pair.1)).count();
        assert_eq!(open, left, "{name}");
    }
}

/// Returns all mesh files below a folder.
fn mesh_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            mesh_files(&path, found);
        } else if Format::of(&path).is_some() {
            found.push(path);
        }
    }
}

#[test]
fn meshes_have_the_triangles_of_the_table() {
    let Some(folder) = common::shared("data") else { return };
    let table = fs::read_to_string(folder.join("MESHES.tsv")).expect("the table");
    let mut checked = 0;
    for row in table.lines().skip(1) {
        let fields: Vec<&str> = row.split('\t').collect();
        let path = folder.join(fields[0]);
        if Format::of(&path).is_none() {
            continue;
        }
        let loaded = load_mesh(&path, Vec3::splat(1.0)).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(loaded.value.triangles().len().to_string(), fields[1], "{}", fields[0]);
        // Vertices that no triangle uses are kept, but do not count for the table.
        let used: Vec<Vec3> = (0..loaded.value.triangles().len()).flat_map(|i| loaded.value.corners(i)).collect();
        let (low, high) = bounds(&used);
        let unit = if fields[0].to_ascii_lowercase().ends_with(".dae") { 0.01 } else { 1.0 };
        let extents: Vec<f64> = fields[7].split(' ').filter_map(|w| w.parse().ok()).collect();
        for (k, wanted) in extents.iter().enumerate() {
            assert!(((high - low)[k] - wanted * unit).abs() < 1e-4 * (1.0 + wanted), "{}: {:?}", fields[0], high - low);
        }
        checked += 1;
    }
    assert!(checked > 120, "{checked}");
    let mut all = Vec::new();
    mesh_files(&folder, &mut all);
    assert_eq!(all.len(), checked, "a mesh is missing from the table");
}

fn bounds(vertices: &[Vec3]) -> (Vec3, Vec3) {
    vertices.iter().fold((vertices[0], vertices[0]), |(low, high), &v| (low.min(v), high.max(v)))
}

#[test]
fn collada_units_place_the_warehouse() {
    let Some(folder) = common::shared("data/scenes/aws_small_warehouse") else { return };
    let scene = json::load(&folder.join("scene.json")).expect("JSON");
    for object in scene["objects"].as_array().expect("a list") {
        let path = folder.join(object["mesh"].as_str().expect("a path"));
        let (turned, stored) = (load_mesh(&path, Vec3::splat(1.0)), load_mesh_as(&path, Vec3::splat(1.0), UpAxis::AsStored));
        let (low, high) = bounds(turned.expect("a mesh").value.vertices());
        assert!((high - low).max_abs() < 30.0, "{}: not in metres", path.display());
        assert_eq!(bounds(stored.expect("a mesh").value.vertices()), (low, high), "all of them are Z up");
    }
}

#[test]
fn planning_problems_give_scene_start_and_goal() {
    let Some(folder) = common::shared("data/scenes/mbm") else { return };
    for (name, file, objects) in [
        ("panda", "bookshelf_small", 7),
        ("panda", "box", 7),
        ("panda", "cage", 8),
        ("panda", "table_pick", 12),
        ("fetch", "bookshelf_thin", 21),
        ("fetch", "table_under_pick", 12),
    ] {
        let Some(robot) = robot(name) else { return };
        let path = folder.join(name).join(format!("{file}.jsonl"));
        let text = fs::read_to_string(&path).expect("a file");
        assert_eq!(text.lines().count(), 25);
        for (i, line) in text.lines().enumerate() {
            let at = Place::line(&path, i + 1);
            let value = json::parse(line.as_bytes(), &at).expect("JSON");
            let problem = moveit::problem(&value, &at).unwrap_or_else(|e| panic!("{e}")).value;
            assert_eq!(problem.scene.obstacles.len(), objects, "{at}");
            let start =
                to_configuration(&robot, &problem.start.keep_known(&robot).0, None).unwrap_or_else(|e| panic!("{at}: {e}"));
            let goal = to_configuration(&robot, &problem.goal, Some(&start)).unwrap_or_else(|e| panic!("{at}: {e}"));
            assert!(start != goal && goal.len() == robot.values());
        }
    }
}

#[test]
fn workloads_are_read_line_by_line() {
    let Some(folder) = common::shared("workloads") else { return };
    for (set, motions) in [("articulated", 200), ("articulated_thin", 0)] {
        let robot = load_urdf(folder.join(set).join("puma.urdf"), &UrdfOptions::default()).expect("the arm").value;
        for degrees in ["01", "05", "15", "30"] {
            let mut count = 0;
            for motion in open_motions(folder.join(set).join(format!("motions_{degrees}deg.jsonl"))).expect("a file") {
                let MotionKind::Joints { q0, q1 } = motion.expect("a motion").kind else { panic!("joints expected") };
                to_configuration(&robot, &q0, None).and_then(|_| to_configuration(&robot, &q1, None)).expect("they fit");
                count += 1;
            }
            assert!(count >= motions.max(1), "{set} {degrees}: {count}");
        }
        let scene = load_scene(folder.join(set).join("meshes/env.obj"), &UrdfOptions::default()).expect("a mesh").value;
        assert_eq!(scene.obstacles[0].name, "env");
    }
    for set in ["cubes", "gpm", "knot2880", "knot11520", "knot34560"] {
        let motions: Result<Vec<_>, _> =
            open_motions(folder.join("rigid").join(set).join("motions.jsonl")).expect("a file").collect();
        assert!(motions.expect("all good").iter().all(|m| matches!(m.kind, MotionKind::Rigid(_))));
    }
}

#[test]
fn a_robot_can_be_a_scene() {
    let Some(folder) = common::shared("data/robots") else { return };
    let scene = load_scene(folder.join("panda/panda.urdf"), &UrdfOptions::default()).expect("a scene").value;
    assert_eq!(scene.obstacles.len(), 11);
    assert_eq!(scene.obstacles[0].name, "panda/panda_link0");
}
