//! Contact lists take bounded memory and work, and are complete or refused. This test has its own process, because it measures memory.

use std::ops::ControlFlow;
use std::sync::Arc;

use impinge::math::Vec3;
use impinge::query::{Told, TouchOptions, Witness};
use impinge::{Checker, Error, Mesh, Options, Pose, RigidMotion, Scene};

/// Returns the peak memory in kilobytes; `None` if the system does not report it.
fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    status.lines().find(|l| l.starts_with("VmHWM"))?.split_whitespace().nth(1)?.parse().ok()
}

/// Builds equal triangles at one place, each with its own corners.
fn pile(n: usize) -> Arc<Mesh> {
    let triangle = [Vec3::ZERO, Vec3::unit(0), Vec3::unit(1)];
    let triangles = (0..n as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    Arc::new(Mesh::new(triangle.repeat(n), triangles).expect("finite"))
}

/// Contact lists are complete, or the query returns an error.
#[test]
fn lists_of_contacts_are_bounded_and_never_cut_in_silence() {
    let before = peak();
    let few = |list: Result<Vec<Witness>, Error>| match list {
        Ok(all) => all.len() > 10_000,
        Err(error) => matches!(error, Error::Incomplete { .. }),
    };
    for (n, work) in [(300, 10_000_000), (100_000, 3_000_000)] {
        let scene = Scene::builder().body("a", pile(n)).obstacle("b", pile(n), Pose::IDENTITY).build().expect("a scene");
        let checker = Checker::new(scene, Options::default().max_work(work)).expect("options");
        let a = checker.scene().body("a").expect("there");
        let rigid = RigidMotion {
            start: Pose::from_translation(Vec3::unit(2)),
            end_position: -Vec3::unit(2),
            rotation_vector: Vec3::ZERO,
        };
        let motion = checker.scene().motion().rigid(a, rigid).build().expect("finite");
        assert!(few(checker.all_at(&motion, (0.5, 0.5))), "{n} rigid");
        let options = TouchOptions { times: true, ..TouchOptions::default() };
        let mut told = 0;
        let tell = |_| {
            told += 1;
            ControlFlow::Continue(())
        };
        let end = checker.touching_pairs(&motion, options, tell).expect("rigid");
        assert!(end == Told::OutOfWork || (end == Told::All && told == n * n), "{n}: {end:?} {told}");

        // The same triangles as falling cloth, onto a part at rest and onto another cloth; and a cloth in self-contact.
        let fallen: Vec<Vec3> = pile(n).vertices().iter().map(|&v| v - Vec3::unit(2)).collect();
        let raised = |n: usize| {
            let pile = pile(n);
            Mesh::new(pile.vertices().iter().map(|&v| v + Vec3::unit(2)).collect(), pile.triangles().to_vec()).expect("finite")
        };
        let under = [
            Scene::builder().deformable("a", raised(n)).obstacle("b", pile(n), Pose::IDENTITY),
            Scene::builder().deformable("a", raised(n)).deformable("b", pile(n)),
            Scene::builder().deformable("a", raised(n)).self_contact("a"),
        ];
        for (i, builder) in under.into_iter().enumerate() {
            let checker = Checker::new(builder.build().expect("a scene"), Options::default().max_work(work));
            let checker = checker.expect("options");
            let a = checker.scene().deformable("a").expect("there");
            let resting = pile(n);
            let mut motion = checker.scene().motion().vertex_lines(a, &fallen);
            if let Some(b) = checker.scene().deformable("b") {
                motion = motion.vertex_lines(b, resting.vertices());
            }
            let motion = motion.build().expect("finite");
            for verdict in [checker.check(&motion), checker.first_contact(&motion)] {
                let verdict = verdict.expect("of this scene");
                assert!(!verdict.is_free() && (n > 1000 || verdict.contact().is_some()), "{i}, {n}: {verdict:?}");
            }
            let at = if i == 2 { (0.0, 0.0) } else { (0.5, 0.5) };
            let list = checker.all_at(&motion, at);
            assert!(few(list), "{i}, {n}");
        }
    }
    if let (Some(before), Some(after)) = (before, peak()) {
        let used = (after - before) / 1024;
        assert!(used < 500, "{used} MB");
    }
}
