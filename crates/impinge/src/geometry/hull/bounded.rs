//! Hulls of few vertices: as many points as may be, chosen farthest first, and a radius that covers the rest.
//!
//! Every point is within `radius` of the hull of the chosen ones, so distances from that hull less the radius are bounds. Radius: for each
//! point that is exactly outside, the way to some point of the hull, which is a mixture of three corners; its weights are clamped, so it is
//! in the hull up to rounding: 17 u of the largest coordinate in each coordinate of the mixture, 2 u in that of the way. 64 u leaves room.

use crate::geometry::hull::flat;
use crate::geometry::hull::quickhull::{Quickhull, Spread, spread};
use crate::math::Vec3;
use crate::math::rounding::U;

/// Few points around many.
#[derive(Clone, Debug)]
pub(crate) struct Bounded {
    /// Places in the list of points.
    pub chosen: Vec<u32>,
    /// No point is farther from the hull of those.
    pub radius: f64,
    /// The chosen ones and all outside of their hull: the hull of these is that of all points, exactly.
    pub outer: Vec<u32>,
}

/// At most `limit` points (at least four) around all; all of them if that is enough.
pub(crate) fn bounded(points: &[Vec3], limit: usize) -> Bounded {
    if points.len() <= limit {
        let all: Vec<u32> = (0..points.len() as u32).collect();
        return Bounded { chosen: all.clone(), radius: 0.0, outer: all };
    }
    match spread(points) {
        Spread::Point(a) => exactly(vec![a]),
        Spread::Line(ends) => exactly(ends.to_vec()),
        Spread::Plane(three) => thinned(points, flat::polygon(points, three), limit),
        Spread::Space(four) => in_space(points, four, limit),
    }
}

fn exactly(all: Vec<u32>) -> Bounded {
    Bounded { chosen: all.clone(), radius: 0.0, outer: all }
}

/// Corners of a polygon at equal steps; the others are near the side that cuts them off.
fn thinned(points: &[Vec3], corners: Vec<u32>, limit: usize) -> Bounded {
    let n = corners.len();
    if n <= limit {
        return exactly(corners);
    }
    let at = |i: usize| points[corners[i % n] as usize];
    let starts: Vec<usize> = (0..limit).map(|k| k * n / limit).collect();
    let mut radius = 0.0f64;
    for (k, &from) in starts.iter().enumerate() {
        let to = starts.get(k + 1).copied().unwrap_or(n);
        for i in from + 1..to {
            radius = radius.max(distance_at_most(at(i), [at(from), at(to), at(to)]));
        }
    }
    Bounded { chosen: starts.iter().map(|&i| corners[i]).collect(), radius, outer: corners }
}

fn in_space(points: &[Vec3], four: [u32; 4], limit: usize) -> Bounded {
    let mut hull = Quickhull::new(points, four);
    while hull.corner_count() < limit && hull.take_farthest() {}
    let mut radius = 0.0f64;
    let mut outer = hull.corners();
    let chosen = outer.clone();
    for (i, f) in hull.outside() {
        outer.push(i);
        let p = points[i as usize];
        let corners = |f: u32| hull.facets[f as usize].corners.map(|k| points[k as usize]);
        let mut way = distance_at_most(p, corners(f));
        // Another facet that the point sees may be nearer.
        for (g, facet) in hull.facets.iter().enumerate() {
            if way <= radius {
                break;
            }
            if facet.alive && facet.plane.estimate_height(p) > 0.0 {
                way = way.min(distance_at_most(p, corners(g as u32)));
            }
        }
        radius = radius.max(way);
    }
    outer.sort_unstable();
    Bounded { chosen, radius, outer }
}

/// At least the distance of a point from a triangle, and hardly more.
fn distance_at_most(p: Vec3, [a, b, c]: [Vec3; 3]) -> f64 {
    let (u, v) = weights(p - a, b - a, c - a);
    let on = a + (b - a) * u + (c - a) * v;
    let size = a.max_abs().max(b.max_abs()).max(c.max_abs()).max(p.max_abs());
    (p - on).norm() * (1.0 + 8.0 * U) + 64.0 * U * size + f64::MIN_POSITIVE
}

/// Weights (not negative, their sum at most one) of x and y in the point of the triangle (0, x, y) near p.
fn weights(p: Vec3, x: Vec3, y: Vec3) -> (f64, f64) {
    let (xx, xy, yy, px, py) = (x.dot(x), x.dot(y), y.dot(y), p.dot(x), p.dot(y));
    let determinant = xx * yy - xy * xy;
    if determinant > 0.0 {
        let (u, v) = ((px * yy - py * xy) / determinant, (py * xx - px * xy) / determinant);
        if u >= 0.0 && v >= 0.0 && u + v <= 1.0 {
            return (u, v);
        }
    }
    let share = |along: f64, square: f64| if square > 0.0 { (along / square).clamp(0.0, 1.0) } else { 0.0 };
    let across = share((p - x).dot(y - x), (y - x).norm_squared());
    let sides = [(share(px, xx), 0.0), (0.0, share(py, yy)), (1.0 - across, across)];
    let way = |(u, v): (f64, f64)| (p - x * u - y * v).norm_squared();
    sides.into_iter().fold(sides[0], |a, b| if way(b) < way(a) { b } else { a })
}
