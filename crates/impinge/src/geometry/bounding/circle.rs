//! The smallest circle around points of a plane (Welzl's incremental form).
//!
//! Expected linear time when the points come in no particular order; they are visited in a fixed shuffled order, so that the result does
//! not depend on chance. Rounding can leave a point outside by a few units in the last place: callers measure what they cover.

/// A circle: centre and radius.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Circle {
    /// Centre.
    pub center: [f64; 2],
    /// Radius.
    pub radius: f64,
}

/// A point counts as inside when it is outside by no more than this share of the radius.
const SLACK: f64 = 1e-12;

impl Circle {
    fn at(center: [f64; 2]) -> Self {
        Circle { center, radius: 0.0 }
    }

    fn holds(&self, p: [f64; 2]) -> bool {
        squared(self.center, p) <= self.radius * self.radius * (1.0 + 2.0 * SLACK)
    }

    /// The smallest circle around two points.
    fn through2(a: [f64; 2], b: [f64; 2]) -> Self {
        Circle { center: [0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1])], radius: 0.5 * distance(a, b) }
    }

    /// The circle through three points; the one around the farthest two if they are collinear.
    fn through3(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> Self {
        let (u, v) = ([b[0] - a[0], b[1] - a[1]], [c[0] - a[0], c[1] - a[1]]);
        let (uu, vv) = (u[0] * u[0] + u[1] * u[1], v[0] * v[0] + v[1] * v[1]);
        let twice = 2.0 * (u[0] * v[1] - u[1] * v[0]);
        let to = [(v[1] * uu - u[1] * vv) / twice, (u[0] * vv - v[0] * uu) / twice];
        let center = [a[0] + to[0], a[1] + to[1]];
        if twice.abs() > 1e-14 * (uu + vv) && center.iter().all(|x| x.is_finite()) {
            let radius = [a, b, c].iter().map(|&p| distance(center, p)).fold(0.0, f64::max);
            return Circle { center, radius };
        }
        let pairs = [Circle::through2(a, b), Circle::through2(b, c), Circle::through2(a, c)];
        pairs.into_iter().max_by(|p, q| p.radius.total_cmp(&q.radius)).unwrap_or(Circle::at(a))
    }
}

fn distance(a: [f64; 2], b: [f64; 2]) -> f64 {
    squared(a, b).sqrt()
}

fn squared(a: [f64; 2], b: [f64; 2]) -> f64 {
    let d = [a[0] - b[0], a[1] - b[1]];
    d[0] * d[0] + d[1] * d[1]
}

/// The smallest circle around all points, in an order that [`shuffled`] made; a point at the origin for none.
pub fn smallest_circle(points: &[[f64; 2]]) -> Circle {
    let mut circle = Circle::at(points.first().copied().unwrap_or_default());
    for i in 1..points.len() {
        if circle.holds(points[i]) {
            continue;
        }
        circle = Circle::at(points[i]);
        for j in 0..i {
            if circle.holds(points[j]) {
                continue;
            }
            circle = Circle::through2(points[i], points[j]);
            for k in 0..j {
                if !circle.holds(points[k]) {
                    circle = Circle::through3(points[i], points[j], points[k]);
                }
            }
        }
    }
    circle
}

/// The same things in a fixed order that has nothing to do with the one they came in.
pub fn shuffled<T>(mut things: Vec<T>) -> Vec<T> {
    let mut state = 0x9E37_79B9_7F4A_7C15u64;
    for i in (1..things.len()).rev() {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        things.swap(i, ((state >> 33) % (i as u64 + 1)) as usize);
    }
    things
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn known_circles() {
        assert_eq!(smallest_circle(&[]).radius, 0.0);
        assert_eq!(smallest_circle(&[[3.0, 4.0]]), Circle { center: [3.0, 4.0], radius: 0.0 });
        let square = [[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0], [1.0, 1.0]];
        assert!((smallest_circle(&square).radius - 2f64.sqrt()).abs() < 1e-15);
        let line = [[0.0, 0.0], [1.0, 1.0], [4.0, 4.0], [2.0, 2.0]];
        assert!((smallest_circle(&line).radius - 8f64.sqrt()).abs() < 1e-15);
        // A blunt triangle needs only its longest side.
        assert_eq!(smallest_circle(&[[0.0, 0.0], [4.0, 0.0], [2.0, 0.5]]).radius, 2.0);
    }

    proptest! {
        /// Every point inside, and the smallest: no circle through two or three of the points holds all and is smaller.
        #[test]
        fn it_holds_all_and_is_the_smallest(points in prop::collection::vec(prop::array::uniform2(-1.0f64..1.0), 1..9)) {
            let circle = smallest_circle(&shuffled(points.clone()));
            let covers = |c: &Circle| points.iter().all(|&p| distance(c.center, p) <= c.radius * (1.0 + 1e-9) + 1e-15);
            prop_assert!(covers(&circle));
            for &a in &points {
                for &b in &points {
                    for &c in &points {
                        for other in [Circle::through2(a, b), Circle::through3(a, b, c)] {
                            prop_assert!(!covers(&other) || other.radius >= circle.radius * (1.0 - 1e-9));
                        }
                    }
                }
            }
        }
    }
}
