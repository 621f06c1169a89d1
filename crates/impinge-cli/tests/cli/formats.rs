//! What files may hold: meshes in glTF, mistakes that `--lenient` lets pass, bodies against themselves.

use serde_json::json;

use crate::world::World;

/// A plate in the file's x-y plane, and a ball that goes down through (0.5, 0.5).
const PLATE: &str = r#"
<?xml version="1.0"?>
<robot name="plate">
<link name="base"><collision><geometry><mesh filename="package://plate.gltf"/></geometry></collision></link>
<link name="rail"/>
<link name="ball"><collision><origin xyz="0.5 0.5 0"/><geometry><sphere radius="0.1"/></geometry></collision></link>
<joint name="down" type="prismatic"><parent link="base"/><child link="rail"/><axis xyz="0 0 1"/><limit lower="-2" upper="2"/></joint>
<joint name="aside" type="prismatic"><parent link="rail"/><child link="ball"/><axis xyz="1 0 0"/><limit lower="-1" upper="1"/></joint>
</robot>"#;

fn plate() -> World {
    let world = World::new();
    world.put("plate.urdf", PLATE);
    let root = json!({"asset": {"version": "2.0"}, "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "mode": 5}]}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3"}],
        "bufferViews": [{"buffer": 0, "byteLength": 48}], "buffers": [{"byteLength": 48, "uri": "plate.bin"}]});
    world.put("plate.gltf", &root.to_string());
    let corners: [f32; 12] = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0];
    let bytes: Vec<u8> = corners.iter().flat_map(|x| x.to_le_bytes()).collect();
    std::fs::write(world.folder.join("plate.bin"), bytes).expect("can write");
    world
}

#[test]
fn gltf_meshes_are_taken_as_stored_unless_they_are_to_be_turned() {
    let world = plate();
    let ask = "check plate.urdf --from 1,0 --to=-1,0";
    let stored = world.run(ask);
    assert_eq!(stored.code, Some(1), "{}{}", stored.out, stored.err);
    assert!(stored.err.contains("[up-axis]") && stored.err.contains("[space-before-declaration]"), "{}", stored.err);
    assert_eq!(world.run(&format!("{ask} --up-axis stored")).code, Some(1));
    assert_eq!(world.run(&format!("{ask} --up-axis z")).code, Some(0));
    let wrong = world.run(&format!("{ask} --up-axis y"));
    assert!(wrong.code == Some(2) && wrong.err.contains("write z or stored"), "{}", wrong.err);
}

#[test]
fn lenient_lets_common_mistakes_pass() {
    let world = plate();
    for (from, to, kind) in [
        ("lower=\"-2\" upper=\"2\"", "lower=\"2\" upper=\"-2\"", "[reversed-limits]"),
        ("<axis xyz=\"0 0 1\"/>", "<axis xyz=\"0 0 1\"/><axis xyz=\"0 1 0\"/>", "[second-axis]"),
        ("plate.gltf\"/>", "plate.gltf\" scale=\"1 1 1 1\"/>", "[long-scale]"),
        ("<axis xyz=\"1 0 0\"/>", "<axis xyz=\"1 0 0\"/><mimic joint=\"ghost\"/>", "[unknown-mimic]"),
    ] {
        world.put("odd.urdf", &PLATE.replace(from, to));
        let refused = world.run("check odd.urdf --from 1,0 --to=-1,0");
        assert!(refused.code == Some(2) && refused.err.contains("--lenient"), "{kind}: {}", refused.err);
        let read = world.run("check odd.urdf --from 1,0 --to=-1,0 --lenient");
        assert!(read.code == Some(1) && read.err.contains(kind), "{kind}: {}{}", read.out, read.err);
    }
}

/// The case file says what `step` says of the same two frames.
#[test]
fn a_cloth_meets_itself_in_cases_and_steps() {
    let world = World::new();
    let mesh = |apex: &str| format!("v 0 0 0\nv 4 0 0\nv 0 4 0\nv 1 1 {apex}\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n");
    world.put("start.obj", &mesh("1"));
    world.put("end.obj", &mesh("-1"));
    assert_eq!(world.run("step start.obj end.obj").code, Some(1));
    let case = json!({"bodies": [{"name": "cloth", "shape": {"type": "mesh", "file": "start.obj"}, "motion": {"type": "linear_vertices",
            "vertices1": [[0, 0, 0], [4, 0, 0], [0, 4, 0], [1, 1, -1]]}}], "pairs": [["cloth", "cloth"]],
        "expected": {"hit": true, "toc": 0.5, "toc_tol": 1e-9}, "robustness": "transversal"});
    world.put("cloth.json", &case.to_string());
    let ran = world.run("check cloth.json --all");
    assert!(ran.code == Some(1) && ran.out.contains("cloth touches cloth"), "{}{}", ran.out, ran.err);
    assert_eq!(world.run("cases cloth.json").code, Some(0));
}
