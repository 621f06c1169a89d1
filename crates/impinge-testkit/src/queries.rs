//! Sets of vertex/face and edge/edge queries with known verdicts, and queries generated from two frames of a mesh.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use impinge::Vec3;
use impinge::features::{FeaturePair, Kind};
use impinge_io::{Query, find_queries, load_mesh, load_queries};

/// The queries of one file.
#[derive(Clone, Debug)]
pub struct Set {
    /// The source: the last folders and the file name.
    pub name: String,
    /// The queries, in order.
    pub queries: Vec<Query>,
}

/// Reads all queries of a file, or of a folder and its subfolders.
pub fn sets(path: &Path) -> Vec<Set> {
    let files = find_queries(path).expect("readable");
    let read = |file: &PathBuf| {
        let folder = file.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy();
        let name = format!("{folder} {}", file.file_name().unwrap_or_default().to_string_lossy());
        Set { name, queries: load_queries(file).expect("queries") }
    };
    files.iter().map(read).collect()
}

fn children(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<_> = fs::read_dir(folder).expect("a folder").map(|e| e.expect("an entry").path()).collect();
    paths.sort();
    paths
}

/// Returns pairs of two frames of a scene whose swept boxes overlap and that share no vertex: the output of a broad phase. At most `limit`
/// of a kind.
pub fn swept(scene: &Path, limit: usize) -> Vec<(Kind, Vec<FeaturePair>)> {
    let frames: Vec<_> = children(scene).into_iter().filter(|p| p.extension().is_some_and(|e| e == "ply")).collect();
    let frame = |i: usize| load_mesh(&frames[i], Vec3::splat(1.0)).expect("a mesh").value;
    let (first, last) = (frame(0), frame(1));
    let (start, end) = (first.vertices(), last.vertices());
    let faces: Vec<[usize; 3]> = first.triangles().iter().map(|t| t.map(|i| i as usize)).collect();
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

/// Returns a sample that is evenly spread over the list.
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
