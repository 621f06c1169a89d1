//! A free verdict means that the oracle finds no contact; a bracket means that it finds none before, and a small gap at its end.

use impinge::geometry::Mesh;
use impinge::math::{Pose, Vec3};
use impinge::query::{Checker, Options};
use impinge::scene::Scene;
use impinge::{RigidMotion, Verdict};
use impinge_testkit::generate::{fine, grazing, rigid, robot, wild};
use impinge_testkit::judge::{NORMAL, TOLERANCE, any, compatible, decided, first, judge, options, sharp};
use impinge_testkit::scene::Question;
use impinge_testkit::trial::{Judgement, mostly, worlds};
use impinge_testkit::{Random, World};

fn both_sound(world: &World) -> Judgement {
    judge(world, 0.0, &any(world), NORMAL)?;
    judge(world, 0.0, &first(world), NORMAL)
}

#[test]
fn rigid_bodies() {
    worlds(300, rigid, both_sound);
}

#[test]
fn robots() {
    worlds(200, robot, both_sound);
}

#[test]
fn grazing_boxes() {
    worlds(60, grazing, both_sound);
}

#[test]
fn fine_meshes() {
    worlds(25, fine, |w| both_sound(w).and(sharp(&first(w))));
}

/// Mimic joints with large multipliers, far origins, needles, tiny parts and coincident triangles; then the same worlds in other units.
#[test]
fn wild_worlds() {
    worlds(120, wild, |world| {
        both_sound(world)?;
        let one = first(world);
        [-140, -126, -60, 60, 100].into_iter().try_for_each(|power| {
            let factor = 2f64.powi(power);
            let mut scaled = world.clone();
            scaled.scale(factor);
            match Question::new(&scaled, options(0.0).tolerance(TOLERANCE * factor)) {
                // Refused when it is loaded.
                Err(e) if e.to_string().contains("scale the model") => Ok(()),
                Err(e) => Err(e.to_string()),
                Ok(question) => compatible(world, 0.0, &one, &question.first().0, |t| t),
            }
            .map_err(|e| format!("scaled by 2^{power}: {e}"))
        })
    });
}

#[test]
fn rigid_bodies_are_decided() {
    mostly(300, 0.01, rigid, |w| decided(&any(w)).and(sharp(&first(w))));
}

#[test]
fn robots_are_decided() {
    mostly(300, 0.01, robot, |w| decided(&any(w)).and(sharp(&first(w))));
}

#[test]
fn grazing_boxes_are_decided() {
    mostly(30, 0.05, grazing, |w| decided(&any(w)).and(sharp(&first(w))));
}

/// A tooth descends onto a face and touches it in one point, at the very end. All coordinates lie on a grid, so that this is exact, but not
/// on a grid so coarse that nothing is rounded on the way.
#[test]
fn meeting_in_one_point_at_the_end_is_not_free() {
    let mut met = 0;
    for seed in 0..300 {
        let random = &mut Random::new(seed);
        let mut on_grid =
            |size: f64| Vec3::from([(); 3].map(|()| (random.within(-size, size) * 2f64.powi(40)).round() * 2f64.powi(-40)));
        let corners = [(); 3].map(|()| on_grid(1.0) * 4.0);
        let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
        let point = corners[0] * 0.5 + (corners[1] + corners[2]) * 0.25;
        // Certainly on the side of the normal, whatever the rounding here.
        let mut above = || loop {
            let v = on_grid(1.0);
            let height = v.dot(normal);
            if height.abs() > 1e-3 * normal.norm() {
                return if height > 0.0 { v } else { -v };
            }
        };
        let (tooth, way) = ([(); 3].map(|()| above()), above());
        let tip = on_grid(1.0);
        let vertices = vec![tip, tip + tooth[0], tip + tooth[1], tip + tooth[2]];
        let tooth = Mesh::new(vertices, vec![[0, 1, 2], [0, 2, 3], [0, 3, 1]]).expect("valid");
        let face = Mesh::new(corners.to_vec(), vec![[0, 1, 2]]).expect("valid");
        let end_position = point - tip;
        let motion = RigidMotion { start: Pose::from_translation(end_position + way), end_position, rotation_vector: Vec3::ZERO };
        let scene = Scene::builder().body("tooth", tooth).obstacle("face", face, Pose::IDENTITY).build().expect("valid");
        let id = scene.body("tooth").expect("there");
        let motion = scene.motion().rigid(id, motion).build().expect("finite");
        let checker = Checker::new(scene, Options::default()).expect("valid");
        assert!(!checker.check(&motion).expect("of this scene").is_free(), "{seed}");
        match checker.first_contact(&motion).expect("of this scene") {
            Verdict::Free => panic!("{seed}: free"),
            Verdict::Contact(contact) => {
                met += 1;
                assert!(contact.time.1 >= 1.0 - 1e-6, "{seed}: {:?}", contact.time);
            }
            Verdict::Undecided { .. } => {}
        }
    }
    assert!(met > 250, "{met}");
}
