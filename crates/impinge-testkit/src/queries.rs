//! Reads public vertex/face and edge/edge queries with known answers, and makes more of them from two frames of a mesh.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use impinge::Vec3;
use impinge::features::{FeaturePair, Kind};

/// A query and what is known about it.
#[derive(Clone, Debug)]
pub struct Query {
    /// What is asked.
    pub pair: FeaturePair,
    /// Whether there is a contact.
    pub contact: bool,
    /// At most and at least the time of the first one, as far as decimals tell.
    pub time: Option<(f64, f64)>,
}

/// Queries from one file.
#[derive(Clone, Debug)]
pub struct Set {
    /// Where it comes from.
    pub name: String,
    /// The queries, in order.
    pub queries: Vec<Query>,
}

/// Hand-made sets: `<scene>/{edge-edge,vertex-face}/data_*.csv`, the answer in the seventh column.
pub fn hand_made(folder: &Path) -> Vec<Set> {
    let mut sets = Vec::new();
    for scene in children(folder).into_iter().filter(|p| p.is_dir()) {
        for (name, kind) in [("edge-edge", Kind::EdgeEdge), ("vertex-face", Kind::VertexFace)] {
            for file in children(&scene.join(name)) {
                let rows = rows(&file);
                let queries =
                    rows.chunks_exact(8).map(|r| Query { pair: pair(kind, r), contact: r[0][6].trim() == "1", time: None });
                let label = format!("{} {name}", scene.file_name().unwrap_or_default().to_string_lossy());
                sets.push(Set { name: label, queries: queries.collect() });
            }
        }
    }
    sets
}

/// Sets from simulations: `<scene>/<step>{vf,ee}.csv` with answers in `.gt.csv`.
pub fn simulated(folder: &Path) -> Vec<Set> {
    let mut sets = Vec::new();
    for scene in children(folder).into_iter().filter(|p| p.is_dir()) {
        for file in children(&scene) {
            let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let kind = match name.strip_suffix(".csv").map(|stem| &stem[stem.len().saturating_sub(2)..]) {
                Some("vf") => Kind::VertexFace,
                Some("ee") => Kind::EdgeEdge,
                _ => continue,
            };
            let known = rows(&file.with_extension("gt.csv"));
            let rows = rows(&file);
            let queries = rows.chunks_exact(8).zip(&known[1..]).map(|(r, k)| Query {
                pair: pair(kind, r),
                contact: k[1] == "1",
                time: k[2].parse().ok().map(|t: f64| (t.next_down(), t.next_up())),
            });
            let label = format!("{} {name}", scene.file_name().unwrap_or_default().to_string_lossy());
            sets.push(Set { name: label, queries: queries.collect() });
        }
    }
    sets
}

/// The queries of a `primitives.json`.
pub fn primitives(file: &Path) -> Set {
    let text = fs::read_to_string(file).expect("readable");
    let json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let points = |value: &serde_json::Value| -> [Vec3; 4] {
        std::array::from_fn(|i| Vec3::from([0, 1, 2].map(|k| value[i][k].as_f64().expect("a number"))))
    };
    let queries = json["queries"].as_array().expect("a list").iter().map(|q| Query {
        pair: FeaturePair {
            kind: if q["kind"] == "vf" { Kind::VertexFace } else { Kind::EdgeEdge },
            start: points(&q["vertices_t0"]),
            end: points(&q["vertices_t1"]),
        },
        contact: q["hit"] == true,
        time: q["toc_lo"].as_f64().zip(q["toc_hi"].as_f64()),
    });
    Set { name: "primitives".into(), queries: queries.collect() }
}

fn children(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<_> = fs::read_dir(folder).expect("a folder").map(|e| e.expect("an entry").path()).collect();
    paths.sort();
    paths
}

fn rows(file: &Path) -> Vec<Vec<String>> {
    let text = fs::read_to_string(file).expect("readable");
    text.lines().filter(|l| !l.is_empty()).map(|l| l.split(',').map(|c| c.trim().to_owned()).collect()).collect()
}

fn pair(kind: Kind, rows: &[Vec<String>]) -> FeaturePair {
    // Denominators are powers of two and numerators have at most 53 bits: the quotient is exact.
    let number =
        |r: &[String], k: usize| r[2 * k].parse::<f64>().expect("a number") / r[2 * k + 1].parse::<f64>().expect("a number");
    let point = |i: usize| Vec3::new(number(&rows[i], 0), number(&rows[i], 1), number(&rows[i], 2));
    FeaturePair { kind, start: [0, 1, 2, 3].map(point), end: [4, 5, 6, 7].map(point) }
}

/// Pairs of a scene's two frames whose swept boxes overlap and that share no vertex: what a broad phase hands on. At most `limit` of a kind.
pub fn swept(scene: &Path, limit: usize) -> Vec<(Kind, Vec<FeaturePair>)> {
    let frames: Vec<_> = children(scene).into_iter().filter(|p| p.extension().is_some_and(|e| e == "ply")).collect();
    let (start, faces) = read_ply(&frames[0]);
    let (end, _) = read_ply(&frames[1]);
    let mut edges: Vec<[usize; 2]> =
        faces.iter().flat_map(|f| [[f[0], f[1]], [f[1], f[2]], [f[2], f[0]]]).map(|[a, b]| [a.min(b), a.max(b)]).collect();
    edges.sort_unstable();
    edges.dedup();
    let vertices: Vec<[usize; 1]> = (0..start.len()).map(|i| [i]).collect();
    let boxed = |corners: &[usize]| {
        let all = corners.iter().flat_map(|&i| [start[i], end[i]]);
        all.fold((Vec3::splat(f64::MAX), Vec3::splat(f64::MIN)), |(lo, hi), p| (lo.min(p), hi.max(p)))
    };
    let pairs_of = |kind, indices: Vec<[usize; 4]>| {
        let pair = |i: &[usize; 4]| FeaturePair { kind, start: i.map(|k| start[k]), end: i.map(|k| end[k]) };
        (kind, thin(&indices, limit).iter().map(pair).collect())
    };
    let mut found = Vec::new();
    let (vertex_boxes, face_boxes): (Vec<_>, Vec<_>) =
        (vertices.iter().map(|v| boxed(v)).collect(), faces.iter().map(|f| boxed(f)).collect());
    let mut vf = Vec::new();
    overlaps(&vertex_boxes, &face_boxes, |i, j| {
        if !faces[j].contains(&i) {
            vf.push([i, faces[j][0], faces[j][1], faces[j][2]]);
        }
    });
    found.push(pairs_of(Kind::VertexFace, vf));
    let edge_boxes: Vec<_> = edges.iter().map(|e| boxed(e)).collect();
    let mut ee = Vec::new();
    overlaps(&edge_boxes, &edge_boxes, |i, j| {
        if i < j && !edges[i].iter().any(|v| edges[j].contains(v)) {
            ee.push([edges[i][0], edges[i][1], edges[j][0], edges[j][1]]);
        }
    });
    found.push(pairs_of(Kind::EdgeEdge, ee));
    found
}

/// Evenly spread over the list.
fn thin<T: Copy>(all: &[T], limit: usize) -> Vec<T> {
    let step = all.len().div_ceil(limit.max(1)).max(1);
    all.iter().step_by(step).copied().collect()
}

type Box3 = (Vec3, Vec3);

/// Calls back for all overlapping pairs of boxes, in an order that does not depend on the machine.
fn overlaps(a: &[Box3], b: &[Box3], mut found: impl FnMut(usize, usize)) {
    let size = b.iter().map(|(lo, hi)| (*hi - *lo).max_abs()).sum::<f64>() / b.len().max(1) as f64;
    let cells = |&(lo, hi): &Box3| {
        let [l, h] = [lo, hi].map(|p| p.to_array().map(|x| (x / size).floor() as i64));
        let mut cells = Vec::new();
        for x in l[0]..=h[0] {
            for y in l[1]..=h[1] {
                cells.extend((l[2]..=h[2]).map(|z| [x, y, z]));
            }
        }
        cells
    };
    let mut grid: BTreeMap<[i64; 3], Vec<usize>> = BTreeMap::new();
    for (j, q) in b.iter().enumerate() {
        for cell in cells(q) {
            grid.entry(cell).or_default().push(j);
        }
    }
    for (i, p) in a.iter().enumerate() {
        let mut near: Vec<usize> = cells(p).iter().filter_map(|c| grid.get(c)).flatten().copied().collect();
        near.sort_unstable();
        near.dedup();
        for j in near {
            let q = &b[j];
            if (0..3).all(|k| p.0[k] <= q.1[k] && q.0[k] <= p.1[k]) {
                found(i, j);
            }
        }
    }
}

/// Vertices and triangles of a binary little-endian PLY with double coordinates and `uchar int` lists.
fn read_ply(file: &Path) -> (Vec<Vec3>, Vec<[usize; 3]>) {
    let bytes = fs::read(file).expect("readable");
    let mark = b"end_header\n";
    let header = bytes.windows(mark.len()).position(|w| w == mark).expect("a header") + mark.len();
    let text = String::from_utf8_lossy(&bytes[..header]);
    let count = |what: &str| {
        let line = text.lines().find_map(|l| l.strip_prefix(&format!("element {what} "))).expect("a count");
        line.trim().parse::<usize>().expect("a number")
    };
    let (vertices, faces) = (count("vertex"), count("face"));
    let body = &bytes[header..];
    let real = |at: usize| f64::from_le_bytes(body[at..at + 8].try_into().expect("eight bytes"));
    let index = |at: usize| u32::from_le_bytes(body[at..at + 4].try_into().expect("four bytes")) as usize;
    let points = (0..vertices).map(|i| Vec3::new(real(24 * i), real(24 * i + 8), real(24 * i + 16))).collect();
    let corners = (0..faces).map(|i| [1, 5, 9].map(|k| index(24 * vertices + 13 * i + k))).collect();
    (points, corners)
}
