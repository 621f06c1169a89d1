//! Needle triangles: distances of two computed points, rounded upward, are upper bounds; formulas with normals are not.

use impinge::math::Vec3;
use impinge_testkit::Random;
use impinge_testkit::judge::question;
use impinge_testkit::trial::count;
use impinge_testkit::world::{Drive, Place, World};

use super::{soup, two_to};

fn point(random: &mut Random, size: f64) -> Vec3 {
    Vec3::new(random.within(-size, size), random.within(-size, size), random.within(-size, size))
}

/// Builds a long thin triangle.
fn needle(random: &mut Random) -> [Vec3; 3] {
    let (a, along) = (point(random, 1.0), point(random, 2.0));
    let share = random.within(0.0, 1.0);
    let width = two_to(random.integer(-50, -10) as i32);
    [a, a + along, a + along * share + point(random, width)]
}

/// Returns a lower estimate of the distance of two segments, by dense refined samples: slow and simple.
fn samples(a: &[Vec3; 3], b: &[Vec3; 3]) -> f64 {
    let at = |t: &[Vec3; 3], u: f64, v: f64| t[0] + (t[1] - t[0]) * u + (t[2] - t[0]) * v;
    let mut best = f64::INFINITY;
    // Needles are nearly segments: samples of their longest edges are within their width of all other points.
    for edge_a in [(0, 1), (1, 2), (0, 2)] {
        for edge_b in [(0, 1), (1, 2), (0, 2)] {
            best = best.min(segments((a[edge_a.0], a[edge_a.1]), (b[edge_b.0], b[edge_b.1])));
        }
    }
    best.min((at(a, 0.3, 0.3) - at(b, 0.3, 0.3)).norm())
}

/// Returns the distance of two segments by golden-section search over one, exact projection on the other.
fn segments((a, b): (Vec3, Vec3), (c, d): (Vec3, Vec3)) -> f64 {
    let to_second = |p: Vec3| {
        let e = d - c;
        let s = if e.dot(e) > 0.0 { ((p - c).dot(e) / e.dot(e)).clamp(0.0, 1.0) } else { 0.0 };
        (p - (c + e * s)).norm()
    };
    let f = |u: f64| to_second(a + (b - a) * u);
    let (mut lo, mut hi) = (0.0, 1.0);
    for _ in 0..200 {
        let (x, y) = (lo + (hi - lo) / 3.0, hi - (hi - lo) / 3.0);
        if f(x) < f(y) { hi = y } else { lo = x }
    }
    f(0.5 * (lo + hi))
}

/// No upper bound of the clearance is below the true distance of the needles.
#[test]
fn clearance_of_needles_is_not_below_the_truth() {
    let mut random = Random::new(5);
    for round in 0..count(300) {
        let (a, mut b) = (needle(&mut random), needle(&mut random));
        // Places them near each other: one point of each at a small distance.
        let near = a[0] + (a[1] - a[0]) * random.within(0.0, 1.0);
        let far = b[0] + (b[1] - b[0]) * random.within(0.0, 1.0);
        let gap = point(&mut random, 1.0) * two_to(random.integer(-30, -16) as i32);
        b.iter_mut().for_each(|p| *p = *p - far + near + gap);
        let mut world = World::default();
        let body = world.frame(0, Place::default(), Drive::Free { travel: Vec3::ZERO, turn: Vec3::ZERO });
        world.part(body, soup(&[a]));
        world.part(0, soup(&[b]));
        let asked = question(&world, 0.0);
        let truth = samples(&a, &b);
        let width = 2.0 * a.iter().chain(&b).map(|_| 0.0f64).sum::<f64>() + needle_width(&a) + needle_width(&b);
        for tolerance in [1e-6, 1e-8] {
            let found = asked.checker.clearance(&asked.motion, tolerance).expect("a width");
            assert!(found.at_most >= truth - width - 1e-13 - 1e-9, "round {round}: {found:?}, but {truth:e} within {width:e}");
            assert!(found.at_least <= truth + 1e-13, "round {round}: {found:?}, but {truth:e}");
        }
    }
}

/// Returns the largest distance of the triangle from its longest edge.
fn needle_width(t: &[Vec3; 3]) -> f64 {
    (0..3)
        .map(|k| {
            let (p, c, d) = (t[k], t[(k + 1) % 3], t[(k + 2) % 3]);
            segments((p, p), (c, d))
        })
        .fold(f64::INFINITY, f64::min)
}
