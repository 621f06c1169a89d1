//! The exact decision: integers, no rounding, always an answer.
//!
//! All coordinates times one power of two are integers. With e1, e2 the edges of the face (or the two edges), N = e1 x e2 and g from the
//! first corner to the vertex (or between first ends), contact needs f = N·g = 0, a cubic in time. Where N is not zero at a root, some
//! coordinate N_k is not, and g = alpha e1 ± beta e2 gives the signs of alpha N_k, beta N_k from *quadratics*: (g x e2)_k and (e1 x g)_k.
//! Where N is zero, or f is zero throughout, features first meet at a border: a point and a segment.

use std::cmp::Reverse;

use crate::narrow::features::instant::Instant;
use crate::narrow::features::integer::Int;
use crate::narrow::features::polynomial::{
    Cubic, Line, Linear, Quadratic, apart, cross, cross_coordinate, difference, dot, sum, triple,
};
use crate::narrow::features::roots::roots;
use crate::narrow::features::{FeaturePair, Kind};

/// A bracket of the first contact, or `None`: there is none. Coordinates must be finite.
pub(crate) fn first_contact(pair: &FeaturePair) -> Option<(f64, f64)> {
    let motion = Motion::new(pair);
    if motion.equation.iter().all(Int::is_zero) {
        return motion.first_contact_in_plane();
    }
    roots(&motion.equation).iter().find(|t| motion.touch_at(t)).map(Instant::bracket)
}

/// The polynomials of a query.
struct Motion {
    kind: Kind,
    corners: [Line; 4],
    edges: [Line; 2],
    gap: Line,
    normal: [Quadratic; 3],
    equation: Cubic,
}

impl Motion {
    fn new(pair: &FeaturePair) -> Motion {
        let corners = integers(pair);
        let [a, b, c, d] = &corners;
        let (edges, gap) = match pair.kind {
            Kind::VertexFace => ([apart(c, b), apart(d, b)], apart(a, b)),
            Kind::EdgeEdge => ([apart(b, a), apart(d, c)], apart(c, a)),
        };
        let normal = cross(&edges[0], &edges[1]);
        let equation = triple(&normal, &gap);
        Motion { kind: pair.kind, corners, edges, gap, normal, equation }
    }

    /// The point and segment of each way in which borders can meet.
    fn borders(&self) -> &'static [[usize; 3]] {
        match self.kind {
            Kind::VertexFace => &[[0, 1, 2], [0, 2, 3], [0, 3, 1]],
            Kind::EdgeEdge => &[[0, 2, 3], [1, 2, 3], [2, 0, 1], [3, 0, 1]],
        }
    }

    /// Whether the features touch at an instant at which the equation holds.
    fn touch_at(&self, t: &Instant) -> bool {
        let mut axes = [0, 1, 2];
        // The longest coordinate first: it is the last to vanish.
        axes.sort_by_key(|&k| Reverse(self.normal[k].iter().map(Int::bits).max()));
        match axes.into_iter().map(|k| (k, t.sign(&self.normal[k]))).find(|&(_, sign)| sign != 0) {
            Some((k, sign)) => self.inside_at(t, k, sign),
            None => self.borders().iter().any(|&border| self.border_touches_at(t, border)),
        }
    }

    fn inside_at(&self, t: &Instant, k: usize, sign: i32) -> bool {
        let (e, g, n) = (&self.edges, &self.gap, &self.normal[k]);
        let holds = |q: &Quadratic| t.sign(q) * sign >= 0;
        let alpha = cross_coordinate(g, &e[1], k);
        if !holds(&alpha) {
            return false;
        }
        match self.kind {
            Kind::VertexFace => {
                let beta = cross_coordinate(&e[0], g, k);
                holds(&beta) && holds(&difference(n, &sum(&alpha, &beta)))
            }
            Kind::EdgeEdge => {
                let beta = cross_coordinate(g, &e[0], k);
                holds(&beta) && holds(&difference(n, &alpha)) && holds(&difference(n, &beta))
            }
        }
    }

    /// Whether a point is on a segment at an instant.
    fn border_touches_at(&self, t: &Instant, [p, x, y]: [usize; 3]) -> bool {
        let [p, x, y] = [p, x, y].map(|i| &self.corners[i]);
        let (d, w) = (apart(y, x), apart(p, x));
        if cross(&w, &d).iter().any(|c| t.sign(c) != 0) {
            return false;
        }
        let (dd, wd) = (dot(&d, &d), dot(&w, &d));
        if t.sign(&dd) == 0 {
            return t.sign(&dot(&w, &w)) == 0;
        }
        t.sign(&wd) >= 0 && t.sign(&difference(&dd, &wd)) >= 0
    }

    /// Everything stays in one plane, which may move: contact is there from the start, or begins at a border.
    fn first_contact_in_plane(&self) -> Option<(f64, f64)> {
        if self.touch_at(&Instant::start()) {
            return Some((0.0, 0.0));
        }
        let mut first: Option<(f64, f64)> = None;
        for &border in self.borders() {
            let meets = self.meetings(border).into_iter().find(|t| self.border_touches_at(t, border));
            if let Some((from, to)) = meets.map(|t| t.bracket()) {
                first = Some(first.map_or((from, to), |f| (f.0.min(from), f.1.min(to))));
            }
        }
        first
    }

    /// The instants at which a point can come upon a segment that it was not on before, in order: it comes upon the line, or, if it is
    /// always there, upon an end.
    fn meetings(&self, [p, x, y]: [usize; 3]) -> Vec<Instant> {
        let [p, x, y] = [p, x, y].map(|i| &self.corners[i]);
        let (d, w) = (apart(y, x), apart(p, x));
        let in_line = cross(&w, &d);
        if let Some([a, b, c]) = in_line.into_iter().find(|c| !c.iter().all(Int::is_zero)) {
            return roots(&[a, b, c, Int::zero()]);
        }
        let mut times = Vec::new();
        for end in [w, apart(p, y)] {
            if let Some([a, b]) = end.into_iter().find(|c| !c.iter().all(Int::is_zero)) {
                times.extend(roots(&[a, b, Int::zero(), Int::zero()]));
            }
        }
        times.sort_by(|a, b| a.bracket().0.total_cmp(&b.bracket().0));
        times
    }
}

/// All coordinates, times the power of two that makes each of them an integer.
fn integers(pair: &FeaturePair) -> [Line; 4] {
    let numbers = |i: usize| (0..3).flat_map(move |k| [pair.start[i][k], pair.end[i][k]]);
    let least = (0..4).flat_map(numbers).filter(|&x| x != 0.0).map(|x| decoded(x).1).min().unwrap_or(0);
    let integer = |x: f64| {
        let (mantissa, exponent) = decoded(x);
        let magnitude = Int::shifted(mantissa, if mantissa == 0 { 0 } else { (exponent - least) as usize });
        if x < 0.0 { magnitude.negated() } else { magnitude }
    };
    std::array::from_fn(|i| std::array::from_fn(|k| -> Linear { [integer(pair.start[i][k]), integer(pair.end[i][k])] }))
}

/// |x| = mantissa 2^exponent, with an odd mantissa; zero is 0.
fn decoded(x: f64) -> (u64, i64) {
    let bits = x.to_bits();
    let (fraction, exponent) = (bits & ((1 << 52) - 1), (bits >> 52 & 0x7ff) as i64);
    let (mantissa, exponent) = if exponent == 0 { (fraction, -1074) } else { (fraction | 1 << 52, exponent - 1075) };
    let zeros = if mantissa == 0 { 0 } else { mantissa.trailing_zeros() };
    (mantissa >> zeros, exponent + i64::from(zeros))
}
