//! Loaders and the command line.

use std::ffi::OsString;
use std::path::Path;

use impinge::math::Vec3;
use impinge::{Options, Pose, Scene, Verdict};
use impinge_io::bvh::Between;
use impinge_io::mesh::{self, Format, UpAxis};
use impinge_io::{
    BvhOptions, IoError, Loaded, Place, UrdfOptions, bvh, case, json, motions, queries, scene, srdf, trajectory, urdf,
};

use super::Target;

/// The declared path of the bytes. It does not exist, so files that they refer to are not found.
const FILE: &str = "no-such-folder/fuzzed-file";

/// Work limit for queries from files: enough to reach every stage.
const WORK: u64 = 3000;

pub const URDF: Target = Target { name: "urdf", feed: feed_urdf, tokens: URDF_TOKENS, smoke: 2000 };
pub const SRDF: Target =
    Target { name: "srdf", feed: |b| drop(told(srdf::parse(b, Path::new(FILE)))), tokens: SRDF_TOKENS, smoke: 2000 };
pub const STL: Target = Target { name: "stl", feed: |b| feed_mesh(Format::Stl, b), tokens: STL_TOKENS, smoke: 2000 };
pub const OBJ: Target = Target { name: "obj", feed: |b| feed_mesh(Format::Obj, b), tokens: OBJ_TOKENS, smoke: 2000 };
pub const DAE: Target = Target { name: "dae", feed: |b| feed_mesh(Format::Dae, b), tokens: DAE_TOKENS, smoke: 2000 };
pub const PLY: Target = Target { name: "ply", feed: |b| feed_mesh(Format::Ply, b), tokens: PLY_TOKENS, smoke: 2000 };
pub const OFF: Target =
    Target { name: "off", feed: |b| feed_mesh(Format::Off, b), tokens: &["OFF", "3 0 1 2", "#"], smoke: 2000 };
pub const GLTF: Target = Target { name: "gltf", feed: |b| feed_mesh(Format::Gltf, b), tokens: GLTF_TOKENS, smoke: 2000 };
pub const BVH: Target = Target { name: "bvh", feed: feed_bvh, tokens: BVH_TOKENS, smoke: 2000 };
pub const SCENE: Target = Target { name: "scene", feed: feed_scene, tokens: SCENE_TOKENS, smoke: 2000 };
pub const MOVEIT: Target = Target { name: "moveit", feed: feed_moveit, tokens: MOVEIT_TOKENS, smoke: 2000 };
pub const CASE: Target = Target { name: "case", feed: feed_case, tokens: CASE_TOKENS, smoke: 1000 };
pub const MOTION: Target = Target { name: "motion", feed: feed_motion, tokens: MOTION_TOKENS, smoke: 2000 };
pub const TRAJECTORY: Target =
    Target { name: "trajectory", feed: feed_trajectory, tokens: &["time", "a[0]", "\r\n", "#"], smoke: 2000 };
pub const QUERIES: Target =
    Target { name: "queries", feed: feed_queries, tokens: &["\"kind\": \"vf\"", "vertices_t0", "/"], smoke: 2000 };
pub const ARGUMENTS: Target = Target { name: "arguments", feed: feed_arguments, tokens: ARGUMENT_TOKENS, smoke: 1000 };

const URDF_TOKENS: &[&str] = &[
    "<link name='c'/>",
    "<mimic joint='j'/>",
    "type='continuous'",
    "type='floating'",
    "type='planar'",
    "<sphere radius='1'/>",
    "<mesh filename='package://a/b.stl' scale='1 1 1'/>",
    "<!DOCTYPE r [<!ENTITY e 'x'>]>",
    "&e;",
    "<!--",
    "-->",
    "<![CDATA[",
    "<cylinder radius='0.1' length='1'/>",
    "<loop_joint name='l' type='fixed'>",
    "<axis xyz='0 0 0'/>",
    "<limit lower='1' upper='-1'/>",
    "<xacro:include/>",
];
const SRDF_TOKENS: &[&str] =
    &["<group name='g'>", "<chain/>", "<disable_collisions link1='a' link2='b'/>", "<passive_joint name='j'/>", "<!DOCTYPE x>"];
const STL_TOKENS: &[&str] = &["solid", "facet normal 0 0 1", "outer loop", "vertex 1 2 3", "endloop", "endfacet", "endsolid"];
const OBJ_TOKENS: &[&str] =
    &["v 1 2 3", "f 1 2 3", "f -1 -2 -3", "f 1//2", "\\\n", "l 1 2", "o x", "curv 0 1", "vp 1", "call x.obj"];
const DAE_TOKENS: &[&str] = &[
    "<matrix>1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1</matrix>",
    "<instance_node url='#n'/>",
    "<node id='n'>",
    "</node>",
    "<triangles count='1'>",
    "<polygons count='1'>",
    "<ph>",
    "<scale>2 2 2</scale>",
    "<lookat>",
    "<skew>",
    "<up_axis>X_UP</up_axis>",
    "stride='0'",
    "offset='9'",
];
const PLY_TOKENS: &[&str] =
    &["binary_big_endian", "property list uchar int vertex_index", "property double q", "element face 4294967295", "end_header"];
const GLTF_TOKENS: &[&str] = &[
    "\"mode\": 5",
    "\"mode\": 6",
    "\"children\": [0]",
    "\"componentType\": 5121",
    "\"componentType\": 5126",
    "\"byteStride\": 16",
    "\"byteOffset\": 4",
    "\"count\": 4294967295",
    "\"sparse\": {\"count\": 1, \"indices\": {\"bufferView\": 1, \"componentType\": 5123}, \"values\": {\"bufferView\": 0}}",
    "\"uri\": \"data:;base64,AAAA\"",
    "\"uri\": \"../x.bin\"",
    "\"matrix\": [1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1]",
    "\"rotation\": [0,0,0,1]",
    "\"extensionsRequired\": [\"KHR_draco_mesh_compression\"]",
    "glTF",
];
const BVH_TOKENS: &[&str] =
    &["JOINT a", "End Site", "OFFSET 0 0 0", "CHANNELS 3 Xrotation Yrotation Zrotation", "Frames: 1", "}", "{"];
const SCENE_TOKENS: &[&str] = &[
    "\"shape\"",
    "\"type\": \"box\", \"size\": [1,1,1]",
    "\"type\": \"sphere\", \"radius\": 1",
    "\"file\": \"../x.stl\"",
    "\"pose\"",
    "null",
];
const MOVEIT_TOKENS: &[&str] =
    &["\"plane\"", "\"meshes\"", "\"octomap\"", "\"attached_collision_objects\"", "\"position\"", "null"];
const CASE_TOKENS: &[&str] = &[
    "\"type\": \"revolute\"",
    "\"type\": \"prismatic\"",
    "\"type\": \"planar\"",
    "\"type\": \"floating\"",
    "\"margin\": 0.1",
    "\"semantics\": \"solid\"",
    "\"rotvec\": [0,0,3]",
    "\"loops\"",
    "\"linear_vertices\"",
    "\"mimic\": {\"joint\": \"j\", \"multiplier\": -2}",
    "\"scene\": \"x.json\"",
    "\"hit\": false",
];
const MOTION_TOKENS: &[&str] = &["\"q0\": [0]", "\"end\"", "\"robots\": {}", "\"bodies\": {}", "\"rotvec\": [0,0,1]", "null"];
const ARGUMENT_TOKENS: &[&str] = &[
    "\n--json\n",
    "\n--margin\n",
    "\n--margin=",
    "\n--from\n-1,2",
    "\n--to\na=1",
    "\ncheck\n",
    "\n--stages\n1,3",
    "\n--threads\n0",
    "\n--",
    "\n--base\na=1,2,3",
    "\n--attach\na=b.stl@1,2,3",
    "\n--body\nb=c.stl",
    "\n--clearance=-1",
    "\n-h",
    "\n--max-work\n9",
    "clearance",
    "swept",
];

/// Checks that a refusal names the file.
fn told<T>(result: Result<T, IoError>) -> Option<T> {
    match result {
        Ok(value) => Some(value),
        Err(error) => {
            assert!(error.to_string().contains(FILE), "a refusal that does not name the file: {error}");
            None
        }
    }
}

fn feed_mesh(format: Format, bytes: &[u8]) {
    let path = Path::new(FILE);
    let Some(soup) = told(mesh::parse(format, bytes, path, UpAxis::TurnToZ)) else { return };
    let known = |i: &u32| (*i as usize) < soup.vertices.len();
    assert!(soup.triangles.iter().flatten().all(known), "an index out of range was let through");
    told(mesh::finish(soup, Vec3::new(1.0, -2.0, 0.5), path));
}

/// Checks that an accepted robot can be added to a scene.
fn feed_urdf(bytes: &[u8]) {
    for lenient in [false, true] {
        let options = UrdfOptions { lenient, ..UrdfOptions::default() };
        if let Some(Loaded { value: robot, .. }) = told(urdf::parse(bytes, Path::new(FILE), &options)) {
            let mut builder = Scene::builder();
            builder.add_robot("fuzzed", robot, Pose::IDENTITY);
            drop(builder.build());
        }
    }
}

fn feed_bvh(bytes: &[u8]) {
    for between in [Between::Channels, Between::OneAxis] {
        told(bvh::parse(bytes, Path::new(FILE), &BvhOptions { between, ..BvhOptions::default() }));
    }
}

fn feed_scene(bytes: &[u8]) {
    if let Some(value) = told(json::parse(bytes, &Place::file(FILE))) {
        told(scene::native::scene(&value, Path::new(FILE), &UrdfOptions::default()));
    }
}

fn feed_moveit(bytes: &[u8]) {
    let at = Place::file(FILE);
    if let Some(value) = told(json::parse(bytes, &at)) {
        told(scene::moveit::scene(&value, &at));
        told(scene::moveit::problem(&value, &at));
    }
}

/// Checks that an accepted case can be queried with little work, and that the verdict is about the motion.
fn feed_case(bytes: &[u8]) {
    let Some(file) = told(case::parse(bytes, Path::new(FILE), &UrdfOptions::default())) else { return };
    let file = file.with_options(Options::default().max_work(WORK));
    for i in 0..file.len().min(4) {
        let Some(question) = told(file.case(i)).and_then(|case| told(case.question)) else { continue };
        for verdict in [question.checker.check(&question.motion), question.checker.first_contact(&question.motion)] {
            let within = |t: f64| (0.0..=1.0).contains(&t);
            match verdict.expect("of this scene") {
                Verdict::Free => {}
                Verdict::Contact(c) => assert!(within(c.time.0) && within(c.time.1) && c.time.0 <= c.time.1, "{c:?}"),
                Verdict::Undecided { free_until } => assert!(within(free_until), "free until {free_until}"),
            }
        }
    }
}

fn feed_motion(bytes: &[u8]) {
    told(motions::parse(bytes, &Place::line(FILE, 1)));
}

fn feed_trajectory(bytes: &[u8]) {
    let Some(Loaded { value: table, .. }) = told(trajectory::parse(bytes, Path::new(FILE))) else { return };
    assert_eq!(table.rows.len(), table.lines.len());
    assert!(table.rows.iter().all(|row| row.len() == table.columns.len()), "a row of another length");
    assert!(table.times.is_none_or(|times| times.is_sorted()), "time goes back");
}

/// Reads the bytes as a table and as JSON.
fn feed_queries(bytes: &[u8]) {
    let at = Place::file(FILE);
    if let Ok(text) = std::str::from_utf8(bytes) {
        told(queries::from_table(text, Path::new(&format!("{FILE}-vf.csv"))));
    }
    if let Some(value) = told(json::parse(bytes, &at)) {
        told(queries::from_json(&value, &at));
    }
}

/// One argument per line.
fn feed_arguments(bytes: &[u8]) {
    let args = bytes.split(|&b| b == b'\n').take(64).map(argument);
    if let Err(said) = impinge_cli::understand(std::iter::once("impinge".into()).chain(args)) {
        assert!(!said.trim().is_empty(), "refused without a word");
    }
}

#[cfg(unix)]
fn argument(bytes: &[u8]) -> OsString {
    use std::os::unix::ffi::OsStrExt;
    std::ffi::OsStr::from_bytes(bytes).to_owned()
}

#[cfg(not(unix))]
fn argument(bytes: &[u8]) -> OsString {
    String::from_utf8_lossy(bytes).into_owned().into()
}

#[cfg(test)]
mod tests {
    use super::super::seeds;
    use super::*;

    /// Seeds that are refused would only test the first lines of a loader.
    #[test]
    fn seeds_are_good() {
        let (path, options, at) = (Path::new(FILE), UrdfOptions::default(), Place::line(FILE, 1));
        let value = |seed: &[u8]| json::parse(seed, &at).expect("JSON");
        for (target, format) in [
            (STL, Format::Stl),
            (OBJ, Format::Obj),
            (DAE, Format::Dae),
            (PLY, Format::Ply),
            (OFF, Format::Off),
            (GLTF, Format::Gltf),
        ] {
            for seed in seeds(&target) {
                let soup = mesh::parse(format, &seed, path, UpAxis::TurnToZ).expect(target.name);
                assert!(!soup.triangles.is_empty(), "{format:?}");
            }
        }
        seeds(&URDF).iter().for_each(|s| drop(urdf::parse(s, path, &options).expect("a robot")));
        seeds(&SRDF).iter().for_each(|s| drop(srdf::parse(s, path).expect("its semantics")));
        seeds(&BVH).iter().for_each(|s| drop(bvh::parse(s, path, &BvhOptions::default()).expect("a recording")));
        seeds(&SCENE).iter().for_each(|s| drop(scene::native::scene(&value(s), path, &options).expect("a scene")));
        let moveit = |s: &Vec<u8>| scene::moveit::scene(&value(s), &at).is_ok() || scene::moveit::problem(&value(s), &at).is_ok();
        assert!(seeds(&MOVEIT).iter().all(moveit));
        seeds(&MOTION).iter().for_each(|s| drop(motions::parse(s, &at).expect("a motion")));
        seeds(&TRAJECTORY).iter().for_each(|s| drop(trajectory::parse(s, path).expect("a table")));
        for seed in seeds(&CASE) {
            let case = case::parse(&seed, path, &options).and_then(|file| file.case(0)).expect("a case");
            let question = case.question.expect("a question");
            assert!(question.checker.first_contact(&question.motion).expect("of this scene").contact().is_some());
        }
    }
}
