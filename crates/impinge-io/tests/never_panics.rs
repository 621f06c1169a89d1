//! For any bytes, parsers return a model or an error, never panic, and take bounded time.
//!
//! Not a fuzzer, only a cheap substitute that always runs: good files are cut, spliced and changed pseudo-randomly.

use std::path::Path;
use std::time::{Duration, Instant};

use impinge::math::Vec3;
use impinge_io::mesh::{self, Format, UpAxis};
use impinge_io::{BvhOptions, Place, UrdfOptions, bvh, json, motions, queries, scene, srdf, trajectory, urdf};

const OBJ: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0.5 0.2 0\nf 1 2 3 4 5\nf -1/1/1 -2//2 -3\nf 1 2 \\\n 3\n# end\n";
const OFF: &str = "OFF\n4 2 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3\n3 0 1 2 255 0 0\n";
const PLY: &str = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\nelement face 1\n\
                   property list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";
const STL: &str =
    "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid a\n";
const DAE: &str = "<COLLADA><asset><unit meter='0.01'/><up_axis>Y_UP</up_axis></asset><library_geometries><geometry id='g'><mesh>\
    <source id='s'><float_array id='a' count='9'>0 0 0 1 0 0 0 1 0</float_array><technique_common>\
    <accessor source='#a' count='3' stride='3'><param name='X'/><param name='Y'/><param name='Z'/></accessor></technique_common></source><vertices id='v'>\
    <input semantic='POSITION' source='#s'/></vertices><polylist count='1'><input semantic='VERTEX' source='#v' offset='0'/>\
    <vcount>3</vcount><p>0 1 2</p></polylist></mesh></geometry></library_geometries><library_visual_scenes><visual_scene id='x'>\
    <node><rotate>0 0 1 45</rotate><instance_geometry url='#g'/></node></visual_scene></library_visual_scenes>\
    <scene><instance_visual_scene url='#x'/></scene></COLLADA>";
const URDF: &str = "<robot name='r'><link name='a'><collision><origin xyz='0 0 1' rpy='0 0 1'/><geometry><box size='1 2 3'/></geometry>\
    </collision></link><link name='b'><collision><geometry><capsule radius='1' length='2'/></geometry></collision></link>\
    <joint name='j' type='revolute'><parent link='a'/><child link='b'/><axis xyz='0 0 1'/><limit lower='-1' upper='1'/></joint></robot>";
const SRDF: &str = "<robot name='r'><group name='g'><chain base_link='a' tip_link='b'/></group><group_state name='s' group='g'>\
    <joint name='j' value='0.5'/></group_state><disable_collisions link1='a' link2='b' reason='Adjacent'/></robot>";
const SCENE: &str = r#"{"format": "impinge-scene", "version": 1, "objects": [{"name": "a", "pose": {"p": [1, 2, 3], "quat_wxyz":
    [1, 0, 0, 0]}, "shape": {"type": "mesh", "vertices": [[0,0,0],[1,0,0],[0,1,0]], "triangles": [[0,1,2]]}}]}"#;
const MOVEIT: &str = r#"{"id": 1, "scene": {"world": {"collision_objects": [{"id": "a", "primitives": [{"type": "box", "dimensions":
    [1, 2, 3]}], "primitive_poses": [{"position": [0, 0, 1], "orientation": [0, 0, 0, 1]}]}]}}, "request": {"start_state":
    {"joint_state": {"name": ["j"], "position": [0]}}, "goal_constraints": [{"joint_constraints": [{"joint_name": "j", "position": 1}]}]}}"#;
const MOTION: &str = r#"{"id": 0, "start": {"p": [0, 0, 1], "q": [1, 0, 0, 0]}, "v": [0, 0, -1], "w": [0, 0, 0]}"#;
const SEVERAL: &str = r#"{"robots": {"a": {"q0": [0], "q1": {"j": 1}}, "b": {"q0": [2]}}, "bodies": {"c": {"start":
    {"p": [0, 0, 1], "q": [1, 0, 0, 0]}, "v": [0, 0, -1], "w": [0, 0, 0]}}}"#;
const LOOPS: &str = "<robot name='r'><link name='a'/><link name='b'/><link name='c'/><joint name='j' type='continuous'><parent link='a'/>\
    <child link='b'/></joint><joint name='k' type='fixed'><parent link='a'/><child link='c'/></joint>\
    <loop_joint name='l' type='revolute'><link1 link='b' xyz='1 0 0'/><link2 link='c' rpy='0 0 1'/><axis xyz='0 0 1'/></loop_joint>\
    <gazebo><joint name='m' type='prismatic'><parent>b</parent><child>c</child><pose>0 0 0 0 0 0</pose></joint></gazebo></robot>";
const BVH: &str = "HIERARCHY\nROOT Hips\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation\n\
    JOINT Leg\n{\nOFFSET 1 0 0\nCHANNELS 3 Zrotation Yrotation Xrotation\nEnd Site\n{\nOFFSET 0 -2 0\n}\n}\n}\n\
    MOTION\nFrames: 2\nFrame Time: 0.5\n0 1 0 0 0 0 0 0 0\n1 1 0 90 0 0 0 0 45\n";
const FRACTIONS: &str = "0,1,0,1,1,1,1\n-1,1,-1,1,0,1,1\n1,1,-1,1,0,1,1\n0,1,1,1,0,1,1\n\
    0,1,0,1,-1,8388608,1\n-1,1,-1,1,0,1,1\n1,1,-1,1,0,1,1\n0,1,1,1,0,1,1\n";
const QUERIES: &str = r#"{"queries": [{"kind": "ee", "hit": true, "toc_lo": 0.25, "toc_hi": 0.5,
    "vertices_t0": [[0,0,0],[1,0,0],[0,1,1],[0,2,1]], "vertices_t1": [[0,0,0],[1,0,0],[0,1,0],[0,2,0]]}]}"#;
const TABLE: &str = "time,j,k\n0,1,2\n1,2.5,3\n";

fn binary_stl() -> Vec<u8> {
    let mut bytes = vec![b' '; 80];
    bytes.extend(2u32.to_le_bytes());
    for i in 0..100u8 {
        bytes.push(i.wrapping_mul(7) % 60);
    }
    bytes
}

fn binary_ply() -> Vec<u8> {
    let mut bytes = PLY[..PLY.find("0 0 0\n").expect("in it")].replace("ascii", "binary_little_endian").into_bytes();
    bytes.extend((0..9).flat_map(|i| (i as f32).to_le_bytes()));
    bytes.push(3);
    bytes.extend([0, 1, 2i32].iter().flat_map(|i| i.to_le_bytes()));
    bytes
}

fn gltf() -> Vec<u8> {
    const JSON: &str = r#"{"asset":{"version":"2.0"},"nodes":[{"mesh":0,"children":[1]},{"mesh":0,"scale":[1,2,3]}],"meshes":[{"primitives":
        [{"attributes":{"POSITION":0},"indices":1}]}],"accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"},
        {"bufferView":1,"componentType":5121,"count":3,"type":"SCALAR"}],"bufferViews":[{"buffer":0,"byteLength":36},
        {"buffer":0,"byteOffset":36,"byteLength":3}],"buffers":[{"byteLength":39}]}"#;
    let binary: Vec<u8> = (0..9).flat_map(|i| (i as f32).to_le_bytes()).chain([0, 1, 2, 0]).collect();
    let mut bytes = b"glTF\x02\0\0\0\0\0\0\0".to_vec();
    for (kind, chunk) in [(b"JSON", JSON.as_bytes()), (b"BIN\0", &binary)] {
        bytes.extend([&(chunk.len() as u32).to_le_bytes(), &kind[..], chunk].concat());
    }
    bytes
}

/// Passes bytes to one parser.
type Feed = fn(&[u8]);

fn feed_mesh(format: Format, bytes: &[u8]) {
    let path = Path::new("fuzz");
    if let Ok(soup) = mesh::parse(format, bytes, path, UpAxis::TurnToZ) {
        assert!(
            soup.triangles.iter().flatten().all(|&i| (i as usize) < soup.vertices.len()),
            "an index out of range was let through"
        );
        let _ = mesh::finish(soup, Vec3::new(1.0, -2.0, 0.5), path);
    }
}

fn feed_json(bytes: &[u8], read: fn(&serde_json::Value, &Place)) {
    let at = Place::file("fuzz");
    if let Ok(value) = json::parse(bytes, &at) {
        read(&value, &at);
    }
}

fn targets() -> Vec<(&'static str, Vec<u8>, Feed)> {
    vec![
        ("stl", STL.into(), |b| feed_mesh(Format::Stl, b)),
        ("binary stl", binary_stl(), |b| feed_mesh(Format::Stl, b)),
        ("obj", OBJ.into(), |b| feed_mesh(Format::Obj, b)),
        ("off", OFF.into(), |b| feed_mesh(Format::Off, b)),
        ("ply", PLY.into(), |b| feed_mesh(Format::Ply, b)),
        ("binary ply", binary_ply(), |b| feed_mesh(Format::Ply, b)),
        ("dae", DAE.into(), |b| feed_mesh(Format::Dae, b)),
        ("gltf", gltf(), |b| feed_mesh(Format::Gltf, b)),
        ("urdf", URDF.into(), |b| drop(urdf::parse(b, Path::new("fuzz"), &UrdfOptions::default()))),
        ("srdf", SRDF.into(), |b| drop(srdf::parse(b, Path::new("fuzz")))),
        ("scene", SCENE.into(), |b| feed_json(b, |v, at| drop(scene::native::scene(v, &at.path, &UrdfOptions::default())))),
        ("moveit", MOVEIT.into(), |b| feed_json(b, |v, at| drop(scene::moveit::problem(v, at)))),
        ("motion", MOTION.into(), |b| drop(motions::parse(b, &Place::line("fuzz", 1)))),
        ("fractions", FRACTIONS.into(), |b| {
            let _ = std::str::from_utf8(b).map(|text| queries::from_table(text, Path::new("fuzz_vf.csv")));
        }),
        ("queries", QUERIES.into(), |b| feed_json(b, |v, at| drop(queries::from_json(v, at)))),
        ("several", SEVERAL.into(), |b| drop(motions::parse(b, &Place::line("fuzz", 1)))),
        ("loops", LOOPS.into(), |b| drop(urdf::parse(b, Path::new("fuzz"), &UrdfOptions::default()))),
        ("bvh", BVH.into(), |b| drop(bvh::parse(b, Path::new("fuzz"), &BvhOptions::default()))),
        ("table", TABLE.into(), |b| drop(trajectory::parse(b, Path::new("fuzz")))),
    ]
}

/// A reproducible source of numbers below `n` (Knuth's linear congruential generator).
struct Dice(u64);

impl Dice {
    fn roll(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % n.max(1)
    }
}

const SPICE: [&str; 14] =
    ["-1", "nan", "1e999", "99999999999999999999", "0", "", "<", "\"", "{", "[", "\0", "\u{e4}", " ", "-0x1p4"];

/// Applies one to four random changes: a byte, a cut, a repeat, an odd word.
fn mutate(seed: &[u8], dice: &mut Dice) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    for _ in 0..=dice.roll(4) {
        let at = dice.roll(bytes.len());
        let to = (at + dice.roll(12)).min(bytes.len());
        match dice.roll(5) {
            0 if !bytes.is_empty() => bytes[at] = dice.roll(256) as u8,
            1 => bytes.truncate(at),
            2 => drop(bytes.drain(at..to)),
            3 => {
                let copy = bytes[at..to].to_vec();
                let into = dice.roll(bytes.len());
                bytes.splice(into..into, copy);
            }
            _ => drop(bytes.splice(at..to, SPICE[dice.roll(SPICE.len())].bytes())),
        }
    }
    bytes
}

#[test]
fn broken_files_end_in_errors() {
    for (name, seed, feed) in targets() {
        let mut dice = Dice(2024);
        let began = Instant::now();
        for _ in 0..4000 {
            feed(&mutate(&seed, &mut dice));
        }
        assert!(began.elapsed() < Duration::from_secs(60), "{name}: {:?}", began.elapsed());
    }
}

#[test]
fn the_seeds_themselves_are_good() {
    let options = UrdfOptions::default();
    for (format, bytes) in [
        (Format::Stl, STL.into()),
        (Format::Stl, binary_stl()),
        (Format::Obj, OBJ.into()),
        (Format::Off, OFF.into()),
        (Format::Ply, PLY.into()),
        (Format::Ply, binary_ply()),
        (Format::Dae, DAE.into()),
        (Format::Gltf, gltf()),
    ] {
        let soup = mesh::parse(format, &bytes, Path::new("seed"), UpAxis::TurnToZ);
        assert!(soup.is_ok_and(|s| !s.triangles.is_empty()), "{format:?}");
    }
    assert!(urdf::parse(URDF.as_bytes(), Path::new("seed"), &options).is_ok());
    assert!(srdf::parse(SRDF.as_bytes(), Path::new("seed")).is_ok());
    assert!(motions::parse(MOTION.as_bytes(), &Place::file("seed")).is_ok());
    assert!(trajectory::parse(TABLE.as_bytes(), Path::new("seed")).is_ok());
    assert!(queries::from_table(FRACTIONS, Path::new("seed_vf.csv")).is_ok_and(|q| q.len() == 1));
    let at = Place::file("seed");
    let value = |text: &str| json::parse(text.as_bytes(), &at).expect("JSON");
    assert!(scene::native::scene(&value(SCENE), Path::new("seed"), &options).is_ok());
    assert!(scene::moveit::problem(&value(MOVEIT), &at).is_ok());
    assert!(queries::from_json(&value(QUERIES), &at).is_ok_and(|q| q.len() == 1));
}
