use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::*;

/// Three vertices as floats, then the indices 0, 1, 2 as 16-bit numbers: 42 bytes.
fn triangle() -> Vec<u8> {
    let corners: [f32; 9] = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
    corners.iter().flat_map(|x| x.to_le_bytes()).chain([0u16, 1, 2].iter().flat_map(|i| i.to_le_bytes())).collect()
}

/// A file of one triangle whose buffer is the binary chunk.
fn file() -> Value {
    json!({"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"},
            {"bufferView": 1, "componentType": 5123, "count": 3, "type": "SCALAR"}],
        "bufferViews": [{"buffer": 0, "byteLength": 36}, {"buffer": 0, "byteOffset": 36, "byteLength": 6}],
        "buffers": [{"byteLength": 42}]})
}

fn with(pointer: &str, value: Value) -> Value {
    let mut root = file();
    let (parent, key) = pointer.rsplit_once('/').expect("a way");
    match root.pointer_mut(parent).expect(pointer) {
        Value::Object(map) => drop(map.insert(key.into(), value)),
        Value::Array(list) => list[key.parse::<usize>().expect("a number")] = value,
        _ => panic!("{pointer}"),
    }
    root
}

/// Returns a binary file of a JSON value and bytes.
fn glb(root: &Value, binary: &[u8]) -> Vec<u8> {
    let mut text = root.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    let mut bytes = [&b"glTF"[..], &2u32.to_le_bytes(), &(28 + text.len() as u32 + binary.len() as u32).to_le_bytes()].concat();
    for (kind, chunk) in [(JSON_CHUNK, &text[..]), (BINARY_CHUNK, binary)] {
        bytes.extend([&(chunk.len() as u32).to_le_bytes(), &kind.to_le_bytes()[..], chunk].concat());
    }
    bytes
}

fn read_up(root: &Value, binary: &[u8], up: UpAxis) -> Result<Soup> {
    parse(&glb(root, binary), Path::new("m.glb"), up)
}

fn read(root: &Value) -> Result<Soup> {
    read_up(root, &triangle(), UpAxis::AsStored)
}

fn refused(root: &Value) -> (&'static str, String) {
    let error = read(root).expect_err("refused");
    (error.class(), error.to_string())
}

/// Returns the corners of all triangles.
fn corners(soup: &Soup) -> Vec<[f64; 3]> {
    soup.triangles.iter().flatten().map(|&i| soup.vertices[i as usize].to_array()).collect()
}

fn kinds(soup: &Soup) -> Vec<&'static str> {
    soup.warnings.iter().map(|w| w.kind).collect()
}

#[test]
fn one_triangle_in_every_wrapping() {
    let wanted = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    assert_eq!(corners(&read(&file()).expect("GLB")), wanted);
    // 42 bytes are 56 base64 characters.
    let letters = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let encode = |c: &[u8]| {
        let bits = u32::from_be_bytes([0, c[0], c[1], c[2]]);
        [18, 12, 6, 0].map(|shift| letters[(bits >> shift) as usize & 63] as char)
    };
    let text: String = triangle().chunks(3).flat_map(encode).collect();
    let data = with("/buffers/0/uri", format!("data:application/octet-stream;base64,{text}").into());
    let soup = parse(data.to_string().as_bytes(), Path::new("m.gltf"), UpAxis::AsStored).expect("base64");
    assert_eq!((corners(&soup), kinds(&soup)), (wanted.to_vec(), vec!["up-axis"]));
    let folder = std::env::temp_dir().join(format!("impinge-gltf-{}", std::process::id()));
    std::fs::create_dir_all(folder.join("sub")).expect("can write");
    std::fs::write(folder.join("sub/a b.bin"), triangle()).expect("can write");
    std::fs::write(folder.join("out.bin"), triangle()).expect("can write");
    let beside =
        |uri: &str, file: PathBuf| parse(with("/buffers/0/uri", uri.into()).to_string().as_bytes(), &file, UpAxis::AsStored);
    assert_eq!(corners(&beside("sub/a%20b.bin", folder.join("m.gltf")).expect("a file")), wanted);
    assert_eq!(beside("../out.bin", folder.join("sub/m.gltf")).expect_err("outside").class(), "BadElement");
    assert_eq!(beside("none.bin", folder.join("m.gltf")).expect_err("missing").class(), "MissingMesh");
    assert_eq!(beside("http://x/a.bin", folder.join("m.gltf")).expect_err("the network").class(), "UnsupportedFormat");
    std::fs::remove_dir_all(&folder).expect("ours");
}

#[test]
fn y_becomes_z_on_request_and_nodes_place_their_meshes() {
    let turned = read_up(&file(), &triangle(), UpAxis::TurnToZ).expect("a mesh");
    assert_eq!(corners(&turned)[2], [0.0, 0.0, 1.0]);
    assert!(turned.warnings[0].message.contains("rotated"));
    // Scaled, rotated by a quarter turn about z, then shifted; a second node below uses the same mesh, mirrored.
    let half = 0.5f64.sqrt();
    let mut root = with(
        "/nodes",
        json!([
        {"mesh": 0, "translation": [1, 2, 3], "rotation": [0, 0, half, half], "scale": [2, 4, 1], "children": [1]},
        {"mesh": 0, "matrix": [-1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 5, 1]}]),
    );
    let soup = read(&root).expect("two instances");
    let found = corners(&soup);
    let wanted = [[1.0, 2.0, 3.0], [1.0, 4.0, 3.0], [-3.0, 2.0, 3.0], [1.0, 2.0, 8.0], [-3.0, 2.0, 8.0], [1.0, 0.0, 8.0]];
    for (found, wanted) in found.iter().zip(wanted) {
        assert!((Vec3::from(*found) - Vec3::from(wanted)).norm() < 1e-14, "{found:?} {wanted:?}");
    }
    assert_eq!((found.len(), kinds(&soup)), (6, vec!["up-axis", "mirrored-mesh"]));
    root["nodes"][1]["children"] = json!([0]);
    assert!(refused(&root).1.contains("nodes[0] has two parents"), "{:?}", refused(&root));
}

#[test]
fn strips_fans_and_shared_vertices() {
    let square: Vec<u8> = [[0, 0], [1, 0], [0, 1], [1, 1i8]].iter().flat_map(|&[x, y]| [x as u8, y as u8, 0, 0]).collect();
    let root = |mode: u32| {
        json!({"asset": {"version": "2.0"}, "extensionsRequired": ["KHR_mesh_quantization", "KHR_materials_unlit"],
            "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "mode": mode}, {"attributes": {"POSITION": 0}, "mode": 1}]},
                {"primitives": [{"attributes": {"POSITION": 0}, "mode": 0}]}],
            "accessors": [{"bufferView": 0, "componentType": 5120, "count": 4, "type": "VEC3"}],
            "bufferViews": [{"buffer": 0, "byteLength": 16, "byteStride": 4}], "buffers": [{"byteLength": 16}]})
    };
    let strip = read_up(&root(5), &square, UpAxis::AsStored).expect("a strip");
    assert_eq!((strip.triangles.clone(), kinds(&strip)), (vec![[0, 1, 2], [2, 1, 3]], vec!["up-axis", "ignored-elements"]));
    assert!(strip.warnings[1].message.starts_with("2 primitives"));
    assert_eq!(read_up(&root(6), &square, UpAxis::AsStored).expect("a fan").triangles, [[0, 1, 2], [0, 2, 3]]);
    assert_eq!(read_up(&root(7), &square, UpAxis::AsStored).expect_err("no mode").class(), "BadElement");
    let mut normalized = root(5);
    normalized["accessors"][0]["normalized"] = true.into();
    assert_eq!(read_up(&normalized, &square, UpAxis::AsStored).expect("a strip").vertices[1].x, 1.0 / 127.0);
    // Two triangles with separate vertices at the same positions: four vertices remain.
    let twice = with(
        "/meshes/0/primitives",
        json!([{"attributes": {"POSITION": 0}, "indices": 1}, {"attributes": {"POSITION": 0}, "indices": 1}]),
    );
    assert_eq!((read(&twice).expect("a mesh").vertices.len(), read(&twice).expect("a mesh").triangles.len()), (3, 2));
}

/// Unsupported features that move vertices or nodes: one warning with a count.
#[test]
fn what_is_passed_over_is_counted() {
    let mut root = file();
    assert_eq!(kinds(&read(&root).expect("a mesh")), ["up-axis"]);
    let primitive = root["meshes"][0]["primitives"][0].clone();
    let (mut morphed, mut points) = (primitive.clone(), primitive.clone());
    morphed["targets"] = json!([{"POSITION": 0}]);
    points["mode"] = 0.into();
    root["meshes"][0]["primitives"] = json!([primitive, morphed, morphed, points]);
    root["animations"] = json!([{}, {}, {}]);
    root["skins"] = json!([{"joints": [0]}]);
    let soup = read(&root).expect("a mesh");
    let messages: Vec<&str> = soup.warnings[1..].iter().map(|w| w.message.as_str()).collect();
    assert_eq!(messages.len(), 4, "{messages:?}");
    for (message, part) in
        messages.iter().zip(["1 primitives of points or lines", "2 primitives have morph", "1 skins", "3 animations"])
    {
        assert!(message.starts_with(part), "{message}");
    }
    root["nodes"][0]["skin"] = 0.into();
    assert!(refused(&root).1.contains("skinned mesh"), "a skin that moves a mesh is refused");
}

#[test]
fn sparse_accessors_replace_some_elements() {
    let mut bytes = triangle();
    bytes.extend([2, 0, 0, 0]);
    bytes.extend([0.0f32, 7.0, 0.0].iter().flat_map(|x| x.to_le_bytes()));
    let mut root = with(
        "/accessors/0/sparse",
        json!({"count": 1, "indices": {"bufferView": 2, "componentType": 5121}, "values": {"bufferView": 3}}),
    );
    root["bufferViews"] = json!([{"buffer": 0, "byteLength": 36}, {"buffer": 0, "byteOffset": 36, "byteLength": 6},
        {"buffer": 0, "byteOffset": 42, "byteLength": 4}, {"buffer": 0, "byteOffset": 46, "byteLength": 12}]);
    root["buffers"][0]["byteLength"] = 58.into();
    let sparse = |root: &Value| read_up(root, &bytes, UpAxis::AsStored);
    assert_eq!(corners(&sparse(&root).expect("sparse"))[2], [0.0, 7.0, 0.0]);
    root["accessors"][0].as_object_mut().expect("an object").remove("bufferView");
    assert_eq!(corners(&sparse(&root).expect("zeros otherwise"))[1], [0.0; 3]);
    root["accessors"][0]["sparse"]["count"] = 9.into();
    assert_eq!(sparse(&root).expect_err("too many").class(), "Truncated");
    root["accessors"][0]["count"] = 4_000_000_000u64.into();
    assert!(sparse(&root).is_err(), "zeros without data are not created");
}

#[test]
fn what_is_wrong_is_named_by_its_way() {
    for (pointer, value, class, word) in [
        ("/asset/version", json!("1.0"), "UnsupportedFormat", "version '1.0'"),
        ("/extensionsRequired", json!(["KHR_draco_mesh_compression"]), "UnsupportedFormat", "without compression"),
        ("/extensionsRequired", json!(["EXT_meshopt_compression"]), "UnsupportedFormat", "without compression"),
        ("/extensionsRequired", json!(["VENDOR_voxels"]), "UnsupportedFormat", "'VENDOR_voxels'"),
        ("/nodes/0/skin", json!(0), "UnsupportedFormat", "skinned mesh (nodes[0])"),
        ("/nodes/0/weights", json!([0, 0.5]), "UnsupportedFormat", "morphed mesh"),
        ("/nodes/0/extensions", json!({"EXT_mesh_gpu_instancing": {}}), "UnsupportedFormat", "GPU instancing"),
        ("/nodes/0/rotation", json!([0, 0, 0, 0]), "BadElement", "unit quaternion"),
        ("/nodes/0/matrix", json!([1, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]), "BadElement", "last row"),
        ("/nodes/0/mesh", json!(1), "BadIndex", "nodes[0]: meshes"),
        ("/nodes/0/mesh", json!(-1), "BadElement", "nodes[0].mesh"),
        ("/nodes/0/children", json!([0]), "BadElement", "its own"),
        ("/scene", json!(3), "BadIndex", "scenes"),
        ("/meshes/0/primitives/0/attributes", json!({}), "MissingElement", "POSITION"),
        ("/meshes/0/primitives/0/indices", json!(0), "BadElement", "not unsigned"),
        ("/accessors/0/componentType", json!(5130), "BadElement", "component type 5130"),
        ("/accessors/0/type", json!("VEC2"), "BadElement", "VEC3"),
        ("/accessors/0/count", json!(4), "Truncated", "4 elements are announced"),
        ("/accessors/0/count", json!(u64::MAX / 8), "Truncated", "are announced"),
        ("/accessors/0/count", json!(2), "BadIndex", "index 2"),
        ("/accessors/1/count", json!(2), "Truncated", "2 corners"),
        ("/accessors/0", json!({"componentType": 5126, "count": 3, "type": "VEC3"}), "UnsupportedFormat", "without a bufferView"),
        ("/bufferViews/0/byteStride", json!(8), "BadElement", "8 apart"),
        ("/bufferViews/0/byteOffset", json!(u64::MAX), "Truncated", "but the buffer has 42"),
        ("/buffers/0/byteLength", json!(43), "Truncated", "43 bytes are announced"),
        ("/buffers/0/uri", json!("data:;base64,####"), "BadElement", "not base64"),
        ("/buffers/0/uri", json!("data:text/plain,abc"), "BadElement", "not base64"),
    ] {
        let (found, message) = refused(&with(pointer, value));
        assert_eq!(found, class, "{pointer}: {message}");
        assert!(message.starts_with("m.glb: ") && message.contains(word), "{pointer}: {message}");
    }
    let mut nan = triangle();
    nan[4..8].copy_from_slice(&f32::NAN.to_le_bytes());
    assert_eq!(read_up(&file(), &nan, UpAxis::AsStored).expect_err("NaN").class(), "NonFinite");
    let whole = glb(&file(), &triangle());
    for cut in [4, 11, 16, 40, whole.len() - 1] {
        assert!(parse(&whole[..cut], Path::new("m.glb"), UpAxis::AsStored).is_err(), "cut at {cut}");
    }
    assert_eq!(
        parse(b"glTF\x01\0\0\0\x0c\0\0\0", Path::new("m.glb"), UpAxis::AsStored).expect_err("old").class(),
        "UnsupportedFormat"
    );
}

/// Thousands of primitives that share their bytes: each is cheap, and together they are refused before they fill the memory.
#[test]
fn sharing_does_not_explode() {
    let vertices = vec![0u8; 12 * 30_000];
    let nodes = 50;
    let root = json!({"asset": {"version": "2.0"}, "nodes": vec![json!({"mesh": 0}); nodes],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": 30_000, "type": "VEC3"}],
        "bufferViews": [{"buffer": 0, "byteLength": vertices.len()}], "buffers": [{"byteLength": vertices.len()}]});
    let soup = read_up(&root, &vertices, UpAxis::AsStored).expect("many triangles at one place");
    assert_eq!((soup.triangles.len(), soup.vertices.len()), (nodes * 10_000, 1));
    let primitives = vec![json!({"attributes": {"POSITION": 0}, "indices": 1}); 3000];
    let mut root = root;
    root["meshes"][0]["primitives"] = primitives.into();
    root["nodes"] = json!([{"mesh": 0}]);
    root["accessors"] = json!([{"bufferView": 0, "componentType": 5126, "count": 30_000, "type": "VEC3"},
        {"bufferView": 0, "componentType": 5121, "count": 300_000, "type": "SCALAR"}]);
    assert_eq!(read_up(&root, &vertices, UpAxis::AsStored).expect_err("too many").class(), "TooLarge");
}
