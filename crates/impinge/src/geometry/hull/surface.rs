//! A mesh as the decomposition sees it: planes of triangles, and what lies across their edges.

use crate::geometry::Mesh;
use crate::geometry::hull::decompose::slack;
use crate::math::Vec3;

/// No triangle.
pub(crate) const NONE: u32 = u32::MAX;

/// A triangle lower than this share of its longest side is thin: its normal would be off by more than 2^-24.
const THIN: f64 = 1.0 / (1u64 << 28) as f64;

/// A mesh with what lies across each edge.
pub(crate) struct Surface<'a> {
    pub mesh: &'a Mesh,
    /// For each triangle, the vertices with equal ones made one.
    pub corners: Vec<[u32; 3]>,
    /// Two triangles across each edge, the next and the previous at that edge; the same one in an ordinary surface.
    pub across: Vec<[[u32; 2]; 3]>,
    /// `None` for thin ones.
    pub planes: Vec<Option<Side>>,
    pub half_slack: f64,
}

/// The half-space below a plane: n·x <= at, with a unit vector n.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Side {
    pub n: Vec3,
    pub at: f64,
}

impl Side {
    pub fn of([a, b, c]: [Vec3; 3]) -> Option<Self> {
        let n = (b - a).cross(c - a);
        let (area, longest) = (n.norm(), (b - a).norm_squared().max((c - b).norm_squared()).max((a - c).norm_squared()));
        (area > THIN * longest).then(|| {
            let n = n * (1.0 / area);
            Side { n, at: n.dot(a) }
        })
    }

    #[inline(always)]
    pub fn height(&self, p: Vec3) -> f64 {
        self.n.dot(p) - self.at
    }

    pub fn turned(self) -> Self {
        Side { n: -self.n, at: -self.at }
    }
}

impl<'a> Surface<'a> {
    pub fn new(mesh: &'a Mesh) -> Self {
        let ids = welded(mesh.vertices());
        let corners: Vec<[u32; 3]> = mesh.triangles().iter().map(|t| t.map(|i| ids[i as usize])).collect();
        let planes = (0..corners.len()).map(|i| Side::of(mesh.corners(i))).collect();
        Surface { mesh, across: across(&corners), planes, corners, half_slack: 0.5 * slack(mesh) }
    }
}

/// For each vertex the first one at the same place.
fn welded(vertices: &[Vec3]) -> Vec<u32> {
    let key = |i: u32| vertices[i as usize].to_array().map(|c| (c + 0.0).to_bits());
    let mut order: Vec<u32> = (0..vertices.len() as u32).collect();
    order.sort_unstable_by_key(|&i| (key(i), i));
    let mut ids = vec![0; vertices.len()];
    for same in order.chunk_by(|&i, &k| key(i) == key(k)) {
        same.iter().for_each(|&i| ids[i as usize] = same[0]);
    }
    ids
}

fn across(corners: &[[u32; 3]]) -> Vec<[[u32; 2]; 3]> {
    let mut edges: Vec<(u32, u32, u32, u8)> = Vec::with_capacity(3 * corners.len());
    for (t, c) in corners.iter().enumerate() {
        for k in 0..3 {
            let (a, b) = (c[k], c[(k + 1) % 3]);
            if a != b {
                edges.push((a.min(b), a.max(b), t as u32, k as u8));
            }
        }
    }
    edges.sort_unstable();
    let mut across = vec![[[NONE; 2]; 3]; corners.len()];
    for same in edges.chunk_by(|e, f| (e.0, e.1) == (f.0, f.1)).filter(|same| same.len() > 1) {
        for (i, e) in same.iter().enumerate() {
            let (next, previous) = (same[(i + 1) % same.len()].2, same[(i + same.len() - 1) % same.len()].2);
            across[e.2 as usize][e.3 as usize] = [next, previous];
        }
    }
    across
}
