//! All touching pairs of a motion, with times, against samples of every pair of triangles.

use std::ops::ControlFlow;
use std::sync::Arc;

use impinge::geometry::Mesh;
use impinge::math::trig::sin_cos;
use impinge::math::{Pose, Vec3};
use impinge::query::{Checker, Engine, Options, Told, TouchOptions, TouchingPair};
use impinge::scene::{Motion, Scene};
use impinge::{RigidMotion, Verdict};
use impinge_testkit::Random;
use impinge_testkit::generate::{Flavour, mesh, point};
use impinge_testkit::measure::triangle_gap;

/// The rounding of the oracle, and the tolerance of the verdicts.
const ORACLE: f64 = 1e-8;
const SAMPLES: u32 = 300;

struct Case {
    meshes: [Mesh; 2],
    rigid: RigidMotion,
    checker: Checker,
    /// The same by slices of time.
    slow: Checker,
    margin: f64,
}

impl Case {
    fn random(random: &mut Random) -> Self {
        let flavour = Flavour::any(random);
        let mut soup = || {
            let soup = mesh(random, flavour);
            (soup.vertices.clone(), soup.triangles.clone())
        };
        let (a, b) = (soup(), soup());
        let make = |(v, t): &(Vec<Vec3>, Vec<[u32; 3]>)| Mesh::new(v.clone(), t.clone()).expect("valid");
        let turns = random.within(0.0, 1.0) < 0.5;
        let start = Pose::from_rpy(point(random, flavour, 3.0), Vec3::ZERO).expect("finite");
        let end_position = point(random, flavour, 3.0);
        let rotation_vector = if turns { point(random, Flavour::Plain, 2.0) } else { Vec3::ZERO };
        let margin = random.pick(&[0.0, 0.1, 0.5]);
        let scene = Scene::builder().body("a", make(&a)).obstacle("b", make(&b), Pose::IDENTITY).build().expect("valid");
        let scene = Arc::new(scene);
        let [checker, slow] = [Engine::Auto, Engine::Sweep]
            .map(|engine| Checker::new(scene.clone(), Options::default().margin(margin).engine(engine)).expect("valid"));
        Case { meshes: [make(&a), make(&b)], rigid: RigidMotion { start, end_position, rotation_vector }, checker, slow, margin }
    }

    fn motion(&self) -> Motion {
        let body = self.checker.scene().body("a").expect("there");
        self.checker.scene().motion().rigid(body, self.rigid).build().expect("finite")
    }

    fn told(&self, options: TouchOptions) -> Vec<TouchingPair> {
        self.told_by(&self.checker, options)
    }

    fn told_by(&self, checker: &Checker, options: TouchOptions) -> Vec<TouchingPair> {
        let mut told = Vec::new();
        let tell = |pair| {
            told.push(pair);
            ControlFlow::Continue(())
        };
        assert_eq!(checker.touching_pairs(&self.motion(), options, tell).expect("valid"), Told::All);
        told
    }

    fn gap(&self, (i, k): (usize, usize), t: f64) -> f64 {
        let (w, start) = (self.rigid.rotation_vector, self.rigid.start);
        let angle = w.norm();
        let at = start.translation * (1.0 - t) + self.rigid.end_position * t;
        let place = |p: Vec3| {
            let q = start.apply(p) - start.translation;
            let turned = if angle > 0.0 { rotated(q, w * (1.0 / angle), angle * t) } else { q };
            turned + at
        };
        triangle_gap(&self.meshes[0].corners(i).map(place), &self.meshes[1].corners(k)).max(0.0)
    }
}

fn rotated(v: Vec3, u: Vec3, angle: f64) -> Vec3 {
    let (s, c) = sin_cos(angle);
    v * c + u.cross(v) * s + u * (u.dot(v) * (1.0 - c))
}

#[test]
fn every_pair_is_told_with_its_times() {
    let long = std::env::var("IMPINGE_LONG").ok().and_then(|n| n.parse().ok()).unwrap_or(1u64);
    let (mut pairs, mut several, mut undecided) = (0, 0, 0);
    for seed in 0..150 * long {
        let case = Case::random(&mut Random::new(seed));
        let told = case.told(TouchOptions { times: true, ..TouchOptions::default() });
        let plain = case.told(TouchOptions::default());
        let proven = |all: &[TouchingPair]| all.iter().filter(|p| p.proven).map(|p| p.triangles).collect::<Vec<_>>();
        let slow = case.told_by(&case.slow, TouchOptions::default());
        for (fast, twin) in [(&plain, &slow), (&slow, &plain)] {
            assert!(
                proven(fast).iter().all(|pair| twin.iter().any(|p| p.triangles == *pair)),
                "{seed}: the twins contradict each other"
            );
        }
        let free = case.checker.check(&case.motion()).expect("of this scene");
        assert!(!matches!(free, Verdict::Free) || (proven(&plain).is_empty() && proven(&told).is_empty()), "{seed}");
        for i in 0..case.meshes[0].triangles().len() {
            for k in 0..case.meshes[1].triangles().len() {
                let gaps: Vec<f64> = (0..=SAMPLES).map(|s| case.gap((i, k), f64::from(s) / f64::from(SAMPLES))).collect();
                let close = gaps.iter().any(|g| *g < case.margin - ORACLE || (case.margin == 0.0 && *g == 0.0));
                let this: Vec<&TouchingPair> = told.iter().filter(|p| p.triangles == (i, k)).collect();
                assert!(this.len() <= 1 && (!close || this.len() == 1), "{seed}: {i} {k} is missing, or there twice");
                assert!(!close || plain.iter().any(|p| p.triangles == (i, k)), "{seed}: {i} {k} is missing");
                let Some(pair) = this.first() else { continue };
                pairs += 1;
                several += usize::from(pair.spans.len() > 1);
                undecided += usize::from(!pair.proven);
                check_spans(&case, pair, &gaps, seed);
            }
        }
    }
    assert!(pairs > 300 && several > 0, "{pairs} {several}");
    assert!(undecided * 100 <= pairs, "{undecided} of {pairs}");
}

/// Checks that brackets are in order, that contact is within them, and that no sample outside of them is in contact.
fn check_spans(case: &Case, pair: &TouchingPair, gaps: &[f64], seed: u64) {
    let context = || format!("{seed}: {pair:?}");
    let mut last = 0.0;
    for s in &pair.spans {
        assert!(
            last <= s.begins.0 && s.begins.0 <= s.begins.1 && s.begins.1 <= s.ends.0 + 1e-9 && s.ends.0 <= s.ends.1,
            "{}",
            context()
        );
        last = s.ends.1;
        if !s.proven {
            continue;
        }
        for t in [s.begins.1, s.ends.0] {
            assert!(case.gap(pair.triangles, t) <= case.margin + ORACLE, "{} at {t}", context());
        }
        if s.throughout {
            for j in 0..=10 {
                let t = s.begins.1 + (s.ends.0 - s.begins.1) * f64::from(j) / 10.0;
                assert!(case.gap(pair.triangles, t) <= case.margin + ORACLE, "{} at {t}", context());
            }
        }
    }
    for (s, gap) in gaps.iter().enumerate() {
        let t = s as f64 / f64::from(SAMPLES);
        let within = pair.spans.iter().any(|s| s.begins.0 <= t && t <= s.ends.1);
        assert!(within || *gap > case.margin - ORACLE, "{}: {gap} at {t}", context());
    }
}

/// After the callback returns `Break`, there are no more calls.
#[test]
fn telling_stops() {
    for seed in 0..40 {
        let case = Case::random(&mut Random::new(seed));
        let n = case.told(TouchOptions::default()).len();
        let mut heard = 0;
        let tell = |_| {
            heard += 1;
            ControlFlow::Break(())
        };
        let told = case.checker.touching_pairs(&case.motion(), TouchOptions::default(), tell).expect("valid");
        assert_eq!((told, heard), if n == 0 { (Told::All, 0) } else { (Told::Stopped, 1) });
    }
}
