//! Up to four points of the difference of two bodies, and the point of their hull that is nearest to the origin.

use crate::math::Vec3;
use crate::math::rounding::U;

/// A point of each body, with their numbers.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Vertex {
    pub a: Vec3,
    pub b: Vec3,
    pub ids: (u32, u32),
}

impl Vertex {
    #[inline(always)]
    pub fn w(&self) -> Vec3 {
        self.a - self.b
    }
}

/// Up to four vertices and how much each counts.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Simplex {
    vertices: [Vertex; 4],
    weights: [f64; 4],
    len: usize,
}

impl Simplex {
    /// One vertex.
    #[inline(always)]
    pub fn of(v: Vertex) -> Self {
        Simplex { vertices: [v, Vertex::default(), Vertex::default(), Vertex::default()], weights: [1.0, 0.0, 0.0, 0.0], len: 1 }
    }

    /// Four vertices around the origin, weighed so that their mean is it.
    pub fn around_origin(vertices: [Vertex; 4]) -> Self {
        let mut simplex = Simplex { vertices, weights: [0.0; 4], len: 4 };
        simplex.weigh_common_point(&simplex.corners());
        simplex
    }

    /// Those that carry the nearest point.
    pub fn vertices(&self) -> &[Vertex] {
        &self.vertices[..self.len]
    }

    /// Adds a vertex, if there is room, and finds the nearest point anew. Whether the simplex now surrounds the origin, as far as can be seen.
    #[inline(always)]
    pub fn add(&mut self, v: Vertex) -> bool {
        if self.len == 4 {
            return false;
        }
        self.vertices[self.len] = v;
        self.len += 1;
        self.reduce()
    }

    /// The closest points.
    #[inline(always)]
    pub fn points(&self) -> (Vec3, Vec3) {
        let (mut a, mut b) = (Vec3::ZERO, Vec3::ZERO);
        for (v, &weight) in self.vertices().iter().zip(&self.weights) {
            a += v.a * weight;
            b += v.b * weight;
        }
        (a, b)
    }

    /// The mean of what vertices are given, with the weights of the closest points.
    #[inline(always)]
    pub fn mean<T: Copy + Default + std::ops::Add<Output = T> + std::ops::Mul<f64, Output = T>>(
        &self,
        of: impl Fn(&Vertex) -> T,
    ) -> T {
        self.vertices().iter().zip(&self.weights).fold(T::default(), |sum, (v, &weight)| sum + of(v) * weight)
    }

    /// Between the closest points: a sum of differences, which near contact are small, and so is what rounding does to them.
    #[inline(always)]
    pub fn nearest(&self) -> Vec3 {
        self.mean(Vertex::w)
    }

    #[inline(always)]
    fn keep(&mut self, kept: &[(usize, f64)]) {
        let old = self.vertices;
        self.len = kept.len();
        for (i, &(k, weight)) in kept.iter().enumerate() {
            (self.vertices[i], self.weights[i]) = (old[k], weight);
        }
    }

    /// All four.
    pub fn corners(&self) -> [Vec3; 4] {
        self.vertices.map(|v| v.w())
    }

    /// Drops what does not carry the point nearest to the origin.
    #[inline(always)]
    fn reduce(&mut self) -> bool {
        let w = [self.vertices[0].w(), self.vertices[1].w(), self.vertices[2].w(), self.vertices[3].w()];
        match self.len {
            1 => self.weights[0] = 1.0,
            2 => {
                let (face, len) = on_segment(w[0], w[1], [0, 1]);
                self.keep(&face[..len]);
            }
            3 => {
                let (face, len) = on_triangle([w[0], w[1], w[2]], [0, 1, 2]);
                self.keep(&face[..len]);
            }
            _ => return self.reduce_tetrahedron(&w),
        }
        false
    }

    /// Weights of the origin in a tetrahedron around it: the volumes opposite to each vertex.
    fn weigh_common_point(&mut self, w: &[Vec3; 4]) {
        let volume = |p: Vec3, q: Vec3, r: Vec3| p.cross(q).dot(r).abs();
        let parts = [volume(w[1], w[2], w[3]), volume(w[0], w[2], w[3]), volume(w[0], w[1], w[3]), volume(w[0], w[1], w[2])];
        let sum = parts[0] + parts[1] + parts[2] + parts[3];
        self.weights = parts.map(|p| p / sum);
    }

    /// The nearest of the faces that the origin is outside of, among those with the newest vertex.
    #[inline(always)]
    fn reduce_tetrahedron(&mut self, w: &[Vec3; 4]) -> bool {
        let mut best: Option<(f64, Kept)> = None;
        for (face, opposite) in [([0, 1, 3], 2), ([0, 2, 3], 1), ([1, 2, 3], 0)] {
            let [a, b, c] = [w[face[0]], w[face[1]], w[face[2]]];
            let n = (b - a).cross(c - a);
            let (origin, inside) = (-n.dot(a), n.dot(w[opposite] - a));
            if origin * inside > 0.0 {
                continue;
            }
            let (kept, len) = on_triangle([a, b, c], face);
            let mut at = Vec3::ZERO;
            for &(i, weight) in &kept[..len] {
                at += w[i] * weight;
            }
            let square = at.norm_squared();
            if best.is_none_or(|b| square < b.0) {
                best = Some((square, (kept, len)));
            }
        }
        let Some((_, (kept, len))) = best else {
            self.weigh_common_point(w);
            return true;
        };
        self.keep(&kept[..len]);
        false
    }
}

type Kept = ([(usize, f64); 3], usize);

#[inline(always)]
fn on_segment(a: Vec3, b: Vec3, [i, k]: [usize; 2]) -> Kept {
    let d = b - a;
    let (along, square) = (-a.dot(d), d.norm_squared());
    if !(along > 0.0) {
        ([(i, 1.0), (0, 0.0), (0, 0.0)], 1)
    } else if along >= square {
        ([(k, 1.0), (0, 0.0), (0, 0.0)], 1)
    } else {
        let t = along / square;
        ([(i, 1.0 - t), (k, t), (0, 0.0)], 2)
    }
}

/// Region by region (Ericson 2005, 5.1.5), with the origin for the point.
#[inline(always)]
fn on_triangle([a, b, c]: [Vec3; 3], [i, j, k]: [usize; 3]) -> Kept {
    let (ab, ac) = (b - a, c - a);
    let (d1, d2) = (-ab.dot(a), -ac.dot(a));
    if d1 <= 0.0 && d2 <= 0.0 {
        return ([(i, 1.0), (0, 0.0), (0, 0.0)], 1);
    }
    let (d3, d4) = (-ab.dot(b), -ac.dot(b));
    if d3 >= 0.0 && d4 <= d3 {
        return ([(j, 1.0), (0, 0.0), (0, 0.0)], 1);
    }
    let (d5, d6) = (-ab.dot(c), -ac.dot(c));
    if d6 >= 0.0 && d5 <= d6 {
        return ([(k, 1.0), (0, 0.0), (0, 0.0)], 1);
    }
    let n = ab.cross(ac);
    let (va, vb, vc) = (n.dot(b.cross(c)), n.dot(c.cross(a)), n.dot(a.cross(b)));
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return on_segment(a, b, [i, j]);
    }
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return on_segment(a, c, [i, k]);
    }
    if va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0 {
        return on_segment(b, c, [j, k]);
    }
    let sum = va + vb + vc;
    if !(sum > 0.0 && va >= 0.0 && vb >= 0.0 && vc >= 0.0) {
        return on_sides([a, b, c], [i, j, k]);
    }
    ([(i, va / sum), (j, vb / sum), (k, vc / sum)], 3)
}

/// A triangle without area: the nearest of its sides.
#[cold]
fn on_sides(w: [Vec3; 3], ids: [usize; 3]) -> Kept {
    let sides = [(0, 1), (1, 2), (2, 0)].map(|(p, q)| {
        let (kept, len) = on_segment(w[p], w[q], [p, q]);
        let at = kept[..len].iter().fold(Vec3::ZERO, |sum, &(i, l)| sum + w[i] * l).norm_squared();
        (at, kept.map(|(i, l)| (ids[i], l)), len)
    });
    let best = sides.into_iter().reduce(|a, b| if b.0 < a.0 { b } else { a });
    best.map_or(([(ids[0], 1.0); 3], 1), |(_, kept, len)| (kept, len))
}

/// Whether the origin is inside the tetrahedron by more than the points' error and rounding.
pub(crate) fn surrounds_origin(w: [Vec3; 4], error: f64) -> bool {
    let m = w.iter().fold(0.0f64, |m, p| m.max(p.max_abs()));
    (0..4).all(|i| {
        let (a, b, c, d) = (w[(i + 1) % 4], w[(i + 2) % 4], w[(i + 3) % 4], w[i]);
        let n = (b - a).cross(c - a);
        let (inside, origin) = (n.dot(d - a), -n.dot(a));
        let slack = n.norm() * 2.0 * error + m * m * (64.0 * error + 256.0 * U * m);
        (inside > slack && origin > slack) || (inside < -slack && origin < -slack)
    })
}
