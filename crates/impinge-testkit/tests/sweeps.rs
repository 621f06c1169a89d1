//! Swept distances against the closest of all pairs of triangles at many times, with verified witnesses.

use std::ops::ControlFlow;

use impinge::geometry::{Mesh, Primitive};
use impinge::math::trig::sin_cos;
use impinge::math::{Pose, Vec3};
use impinge::query::Semantics;
use impinge::query::distance::HullTree;
use impinge::query::distance::{
    DistanceLimits, DistanceSession, Reading, SceneDistances, SweptDistance, SweptWitness, Turn, TurnOptions, Way, distance,
    pairs_within, swept_distance, turned_distance,
};
use impinge::{RigidMotion, Scene};
use impinge_testkit::Random;
use impinge_testkit::generate::{Flavour, mesh, point};
use impinge_testkit::measure::triangle_gap;

/// The rounding of the oracle, for coordinates of about ten.
const ORACLE: f64 = 1e-9;

struct Body {
    mesh: Mesh,
    tree: HullTree,
    pose: Pose,
    turn: Turn,
}

impl Body {
    fn random(random: &mut Random, flavour: Flavour) -> Self {
        let soup = mesh(random, flavour);
        let mesh = Mesh::new(soup.vertices.clone(), soup.triangles.clone()).expect("valid");
        let tree = HullTree::new(&mesh);
        let rpy = if flavour.turns() { point(random, flavour, 3.0) } else { Vec3::ZERO };
        let pose = Pose::from_rpy(point(random, flavour, 4.0), rpy).expect("finite");
        let translation = if random.within(0.0, 1.0) < 0.1 { Vec3::ZERO } else { point(random, flavour, 4.0) };
        Body { mesh, tree, pose, turn: Turn { translation, ..Turn::default() } }
    }

    fn at(&self, p: Vec3, t: f64) -> Vec3 {
        let (angle, q) = (self.turn.rotation.norm(), self.pose.apply(p) - self.turn.about);
        let q = if angle > 0.0 { rotated(q, self.turn.rotation * (1.0 / angle), t * angle) } else { q };
        q + self.turn.about + self.turn.translation * t
    }

    fn corners(&self, i: usize, t: f64) -> [Vec3; 3] {
        self.mesh.corners(i).map(|p| self.at(p, t))
    }

    fn triangles(&self) -> usize {
        self.mesh.triangles().len()
    }

    fn swept(&self) -> (&HullTree, &Pose, Vec3) {
        (&self.tree, &self.pose, self.turn.translation)
    }

    fn turning(&self) -> (&HullTree, &Pose, &Turn) {
        (&self.tree, &self.pose, &self.turn)
    }

    /// Bounds the speed of any point.
    fn speed(&self) -> f64 {
        let reach = self.mesh.vertices().iter().map(|v| (self.pose.apply(*v) - self.turn.about).norm()).fold(0.0, f64::max);
        self.turn.translation.norm() + self.turn.rotation.norm() * reach
    }
}

fn rotated(v: Vec3, u: Vec3, angle: f64) -> Vec3 {
    let (s, c) = sin_cos(angle);
    v * c + u.cross(v) * s + u * (u.dot(v) * (1.0 - c))
}

/// Returns the smallest distance of two triangles under translation: it is convex in t, so the interval of the minimum is narrowed.
fn closest_of_pair(a: &Body, b: &Body, i: usize, k: usize) -> f64 {
    let gap = |t: f64| triangle_gap(&a.corners(i, t), &b.corners(k, t)).max(0.0);
    let (mut from, mut to) = (0.0, 1.0);
    while to - from > 1e-11 {
        let (x, y) = (from + (to - from) / 3.0, to - (to - from) / 3.0);
        if gap(x) <= gap(y) { to = y } else { from = x }
    }
    gap(from).min(gap(to)).min(gap(0.0)).min(gap(1.0))
}

fn pairs(a: &Body, b: &Body) -> impl Iterator<Item = (usize, usize)> {
    let n = b.triangles();
    (0..a.triangles()).flat_map(move |i| (0..n).map(move |k| (i, k)))
}

fn check_witness(a: &Body, b: &Body, w: &SweptWitness, at_most: f64) {
    assert!((w.points.0 - w.points.1).norm() <= at_most + ORACLE, "{w:?} {at_most}");
    for (body, triangle, p, t) in [(a, w.triangles.0, w.points.0, w.times.0), (b, w.triangles.1, w.points.1, w.times.1)] {
        let off = triangle_gap(&body.corners(triangle as usize, t), &[p; 3]).abs();
        assert!((0.0..=1.0).contains(&t), "a witness at t = {t}");
        assert!(off < ORACLE, "a witness is off its triangle by {off}");
    }
}

fn cases(n: usize) -> u64 {
    let long = std::env::var("IMPINGE_LONG").ok().and_then(|n| n.parse().ok()).unwrap_or(1usize);
    (n * long) as u64
}

#[test]
fn translations_at_the_same_time_are_exact() {
    for seed in 0..cases(300) {
        let random = &mut Random::new(seed);
        let flavour = Flavour::any(random);
        let (a, b) = (Body::random(random, flavour), Body::random(random, flavour));
        let all: Vec<f64> = pairs(&a, &b).map(|(i, k)| closest_of_pair(&a, &b, i, k)).collect();
        let truth = all.iter().copied().fold(f64::INFINITY, f64::min);
        let session = &mut DistanceSession::new();
        // Twice, so that caches are used.
        for _ in 0..2 {
            let d =
                swept_distance(a.swept(), b.swept(), Reading::Simultaneous, DistanceLimits::default(), session).expect("finite");
            assert!(d.at_least <= truth + ORACLE && truth - 1e-7 <= d.at_most, "{seed}: {d:?} {truth}");
            assert!(d.at_most - d.at_least < 1e-7, "{seed}: {d:?}");
            let w = d.witness.expect("something is nearest");
            assert_eq!(w.times.0, w.times.1);
            check_witness(&a, &b, &w, d.at_most);
        }
        let margin = random.within(0.0, 2.0 * truth + 0.1);
        let within =
            swept_distance(a.swept(), b.swept(), Reading::Simultaneous, DistanceLimits::within(margin), session).expect("finite");
        assert!(if truth > margin + ORACLE {
            within.at_least > margin
        } else {
            truth > margin - 1e-7 || within.at_most <= margin
        });
        let mut found = Vec::new();
        let visit = |pair: impinge::query::distance::ClosePair| {
            found.push(pair);
            ControlFlow::Continue(())
        };
        pairs_within(a.swept(), b.swept(), Reading::Simultaneous, margin, session, visit).expect("finite");
        for ((i, k), gap) in pairs(&a, &b).zip(&all) {
            let told: Vec<_> = found.iter().filter(|p| p.triangles == (i as u32, k as u32)).collect();
            assert!(told.len() <= 1 && (*gap > margin - 1e-7 || told.len() == 1), "{seed}: a close pair is missing");
            assert!(told.iter().all(|p| !p.proven || *gap <= margin + ORACLE), "{seed}: {gap} is not within {margin}");
            assert!(*gap < margin + 1e-7 || told.iter().all(|p| !p.proven), "{seed}");
        }
    }
}

#[test]
fn what_is_swept_by_nothing_is_as_far_as_at_rest() {
    for seed in 0..cases(100) {
        let random = &mut Random::new(seed);
        let (mut a, mut b) = (Body::random(random, Flavour::Plain), Body::random(random, Flavour::Plain));
        (a.turn.translation, b.turn.translation) = (Vec3::ZERO, Vec3::ZERO);
        let limits = DistanceLimits::default();
        let rest = distance((&a.tree, &a.pose), (&b.tree, &b.pose), limits, &mut DistanceSession::new()).expect("finite");
        for reading in [Reading::Simultaneous, Reading::Volumes] {
            let d = swept_distance(a.swept(), b.swept(), reading, limits, &mut DistanceSession::new()).expect("finite");
            assert!((d.at_least - rest.at_least).abs() < ORACLE && (d.at_most - rest.at_most).abs() < ORACLE, "{d:?} {rest:?}");
        }
    }
}

/// Both volumes: no sample is closer, and the witness shows that the true distance is no larger.
#[test]
fn volumes_are_exact() {
    for seed in 0..cases(200) {
        let random = &mut Random::new(seed);
        let flavour = Flavour::any(random);
        let (a, b) = (Body::random(random, flavour), Body::random(random, flavour));
        let limits = DistanceLimits::default();
        let ask = |reading| swept_distance(a.swept(), b.swept(), reading, limits, &mut DistanceSession::new()).expect("finite");
        let (d, together): (SweptDistance, SweptDistance) = (ask(Reading::Volumes), ask(Reading::Simultaneous));
        assert!(d.at_most - d.at_least < 1e-7, "{seed}: {d:?}");
        assert!(d.at_least <= together.at_most, "volumes are no farther than bodies at the same time");
        check_witness(&a, &b, &d.witness.expect("something is nearest"), d.at_most);
        for (i, k) in pairs(&a, &b) {
            for j in 0..16 {
                let (s, t) = (f64::from(j % 4) / 3.0, f64::from(j / 4) / 3.0);
                assert!(triangle_gap(&a.corners(i, s), &b.corners(k, t)).max(0.0) >= d.at_least - ORACLE, "{seed}");
            }
        }
    }
}

#[test]
fn turns_are_within_their_errors() {
    for seed in 0..cases(150) {
        let random = &mut Random::new(seed);
        let flavour = Flavour::any(random);
        let (mut a, mut b) = (Body::random(random, flavour), Body::random(random, flavour));
        let who = if seed % 2 == 0 { &mut a } else { &mut b };
        who.turn.rotation = point(random, Flavour::Plain, 2.0);
        who.turn.about = if random.within(0.0, 1.0) < 0.5 { who.pose.translation } else { point(random, Flavour::Plain, 4.0) };
        const SAMPLES: u32 = 400;
        let sample = |t: f64| {
            pairs(&a, &b).map(|(i, k)| triangle_gap(&a.corners(i, t), &b.corners(k, t)).max(0.0)).fold(f64::INFINITY, f64::min)
        };
        let sampled = (0..=SAMPLES).map(|k| sample(f64::from(k) / f64::from(SAMPLES))).fold(f64::INFINITY, f64::min);
        // Between samples the distance decreases by half a step at most.
        let lowest = sampled - 0.5 * (a.speed() + b.speed()) / f64::from(SAMPLES);
        for (piece, way) in [(1.5, Way::Conservative), (0.1, Way::Conservative), (1.5, Way::Estimate), (0.1, Way::Estimate)] {
            let options = TurnOptions { piece, way, reading: Reading::Simultaneous };
            let d = turned_distance(a.turning(), b.turning(), options, DistanceLimits::default(), &mut DistanceSession::new());
            let d = d.expect("finite");
            assert!(d.at_least <= sampled + ORACLE && lowest - ORACLE <= d.at_most, "{seed} {way:?}: {d:?} {sampled}");
            assert!(way == Way::Estimate || d.value <= sampled + ORACLE);
            assert!(
                d.value <= sampled + d.error + ORACLE && d.value >= lowest - d.error - ORACLE,
                "{seed} {way:?}: {d:?} {sampled}"
            );
            let w = d.witness.expect("something is nearest");
            assert_eq!(w.times.0, w.times.1);
            let apart = (w.points.0 - w.points.1).norm();
            check_witness(&a, &b, &w, apart);
            assert!(apart >= lowest - ORACLE);
            if piece < 1.0 {
                assert!(d.at_most - d.at_least < 0.5, "small pieces have small errors: {d:?}");
            }
            let volumes = TurnOptions { reading: Reading::Volumes, ..options };
            let v = turned_distance(a.turning(), b.turning(), volumes, DistanceLimits::default(), &mut DistanceSession::new());
            let v = v.expect("finite");
            assert!(way == Way::Estimate || v.value <= sampled + ORACLE, "volumes hold what happens at the same time");
            assert!(v.at_least <= sampled + ORACLE);
        }
    }
}

/// Spheres, capsules, boxes and cylinders against each other: sampled points on them are no closer; witnesses lie on them.
#[test]
fn solids_are_as_they_are() {
    for seed in 0..cases(300) {
        let random = &mut Random::new(seed);
        let mut solid = || {
            let size = |random: &mut Random| random.within(0.1, 1.0);
            let primitive = match random.pick(&[0, 1, 2, 3]) {
                0 => Primitive::cuboid(Vec3::new(size(random), size(random), size(random))),
                1 => Primitive::sphere(size(random)),
                2 => Primitive::cylinder(size(random), size(random)),
                _ => Primitive::capsule(size(random), size(random)),
            };
            let pose = Pose::from_rpy(point(random, Flavour::Plain, 1.5), point(random, Flavour::Plain, 3.0)).expect("finite");
            (primitive.expect("valid"), pose)
        };
        let ((p, pose_p), (q, pose_q)) = (solid(), solid());
        let (a, b) = [p, q].map(|s| HullTree::of_primitive(&s).expect("sizes")).into();
        let limits = DistanceLimits::default();
        let d = distance((&a, &pose_p), (&b, &pose_q), limits, &mut DistanceSession::new()).expect("finite");
        assert!(d.at_least <= d.at_most && d.at_most - d.at_least < 1e-4, "{seed}: {d:?} {p:?} {q:?}");
        let (x, y) = d.witness.expect("something is nearest").points;
        assert!(
            outside(&p, pose_p.inverse().apply(x)) < ORACLE && outside(&q, pose_q.inverse().apply(y)) < ORACLE,
            "{seed}: {d:?}"
        );
        assert!((x - y).norm() <= d.at_most + ORACLE, "{seed}: {d:?}");
        // The nearest point of one shape, by alternating projections: an upper bound that converges to the true distance.
        let mut at = pose_p.translation;
        for _ in 0..2000 {
            at = nearest_in(&p, &pose_p, nearest_in(&q, &pose_q, at));
        }
        let gap = (at - nearest_in(&q, &pose_q, at)).norm();
        assert!(d.at_least <= gap + ORACLE && gap <= d.at_most + 1e-3, "{seed}: {d:?} {gap}");
    }
}

/// Returns the point of a solid that is nearest to a point.
fn nearest_in(p: &Primitive, pose: &Pose, x: Vec3) -> Vec3 {
    let x = pose.inverse().apply(x);
    let clamp = |v: f64, h: f64| v.clamp(-h, h);
    let toward = |middle: Vec3, r: f64| {
        let d = x - middle;
        if d.norm() <= r { x } else { middle + d * (r / d.norm()) }
    };
    let y = match *p {
        Primitive::Cuboid { half } => Vec3::new(clamp(x.x, half.x), clamp(x.y, half.y), clamp(x.z, half.z)),
        Primitive::Sphere { radius } => toward(Vec3::ZERO, radius),
        Primitive::Capsule { radius, half_length } => toward(Vec3::new(0.0, 0.0, clamp(x.z, half_length)), radius),
        Primitive::Cylinder { radius, half_length } => {
            let across = x.x.hypot(x.y);
            let s = if across > radius { radius / across } else { 1.0 };
            Vec3::new(x.x * s, x.y * s, clamp(x.z, half_length))
        }
    };
    pose.apply(y)
}

fn outside(p: &Primitive, x: Vec3) -> f64 {
    (x - nearest_in(p, &Pose::IDENTITY, x)).norm()
}

/// Parts of a scene while a body moves: the distances equal those of the same trees at the same poses, and the nearest pair is the nearest.
#[test]
fn parts_of_scenes() {
    for seed in 0..cases(60) {
        let random = &mut Random::new(seed);
        let bodies: Vec<Body> = (0..3).map(|_| Body::random(random, Flavour::Plain)).collect();
        let copy = |b: &Body| Mesh::new(b.mesh.vertices().to_vec(), b.mesh.triangles().to_vec()).expect("valid");
        let scene = Scene::builder().body("a", copy(&bodies[0])).obstacle("b", copy(&bodies[1]), bodies[1].pose);
        let scene = scene.obstacle("c", copy(&bodies[2]), bodies[2].pose).build().expect("valid");
        let (body, t) = (scene.body("a").expect("there"), random.within(0.0, 1.0));
        let (start, by) = (bodies[0].pose, bodies[0].turn.translation);
        let rigid = RigidMotion { start, end_position: start.translation + by, rotation_vector: Vec3::ZERO };
        let motion = scene.motion().rigid(body, rigid).build().expect("finite");
        let distances = SceneDistances::new(scene, Semantics::Surface).expect("rigid");
        let limits = DistanceLimits::default();
        let all = distances.all(&motion, t, limits).expect("valid");
        assert_eq!(all.len(), 2, "obstacles are not checked against each other");
        let pose = Pose { translation: start.translation + by * t, ..start };
        for (other, told) in bodies[1..].iter().zip(&all) {
            let d = distance((&bodies[0].tree, &pose), (&other.tree, &other.pose), limits, &mut DistanceSession::new())
                .expect("finite");
            let same = |x: f64, y: f64| (x - y).abs() < ORACLE;
            assert!(same(d.at_least, told.distance.at_least) && same(d.at_most, told.distance.at_most), "{seed}: {d:?} {told:?}");
        }
        let nearest = distances.nearest(&motion, t, limits).expect("valid").expect("something is nearest");
        let least = all.iter().map(|d| d.distance.at_most).fold(f64::INFINITY, f64::min);
        assert!(
            (nearest.distance.at_most - least).abs() < ORACLE && nearest.distance.at_least <= least,
            "{seed}: {nearest:?} {least}"
        );
        assert!(distances.nearest(&motion, 1.5, limits).is_err());
    }
}
