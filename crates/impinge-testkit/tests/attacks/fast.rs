//! Bodies that move many times their own size: a transversal contact of a pure translation is always decided.

use impinge::geometry::Primitive;
use impinge::math::Vec3;
use impinge::{Checker, Options, Pose, RigidMotion, Scene, Shape};
use impinge_testkit::Random;
use impinge_testkit::trial::count;

use super::{soup, two_to};
use impinge_testkit::world::Solid;

fn shape(random: &mut Random) -> Shape {
    match random.below(4) {
        0 => Primitive::sphere(0.5).expect("a size").into(),
        1 => Primitive::cylinder(0.5, 1.0).expect("a size").into(),
        2 => Primitive::cuboid(Vec3::splat(1.0)).expect("a size").into(),
        _ => mesh(&[[Vec3::new(-0.5, 0.1, -0.4), Vec3::new(0.5, -0.2, 0.0), Vec3::new(0.1, 0.4, 0.5)]]),
    }
}

fn mesh(triangles: &[[Vec3; 3]]) -> Shape {
    let Solid::Mesh(s) = soup(triangles) else { unreachable!("a soup is a mesh") };
    std::sync::Arc::new(impinge::Mesh::new(s.vertices.clone(), s.triangles.clone()).expect("valid")).into()
}

#[test]
fn fast_translations_through_a_plate_are_decided() {
    let mut random = Random::new(10);
    let corner = |x: f64, y: f64| Vec3::new(x, y, 0.0);
    for round in 0..count(120) {
        let speed = two_to(random.integer(10, 30) as i32);
        let plate = if random.chance(0.5) {
            mesh(&[[corner(-9.0, -9.0), corner(9.0, -9.0), corner(0.0, 9.0)]])
        } else {
            Primitive::cuboid(Vec3::new(12.0, 12.0, 0.01)).expect("a size").into()
        };
        let body = shape(&mut random);
        let scene = Scene::builder().body("body", body).obstacle("plate", plate, Pose::IDENTITY).build().expect("a scene");
        let checker = Checker::new(scene, Options::default()).expect("options");
        let id = checker.scene().body("body").expect("there");
        // Crosses the middle of the plate at a fraction of the motion, at an angle.
        let direction = Vec3::new(random.within(-1.0, 1.0), random.within(-1.0, 1.0), 1.0);
        let travel = direction * (speed / direction.norm());
        let share = random.within(0.01, 0.99);
        let start =
            Pose::from_rpy(travel * -share, Vec3::new(random.within(-3.0, 3.0), random.within(-1.0, 1.0), 0.4)).expect("finite");
        let rigid = RigidMotion { start, end_position: travel * (1.0 - share), rotation_vector: Vec3::ZERO };
        let motion = checker.scene().motion().rigid(id, rigid).build().expect("finite");
        for (verdict, wide) in [(checker.check(&motion), true), (checker.first_contact(&motion), false)] {
            let verdict = verdict.expect("of this scene");
            let contact = verdict.contact().unwrap_or_else(|| panic!("round {round}, 2^{}: {verdict:?}", speed.log2()));
            assert!((contact.time.1 - share).abs() < 4.0 / speed + 1e-9, "{} at {share}", contact.time.1);
            assert!(wide || contact.time.1 - contact.time.0 <= 1e-9 + 4.0 / speed, "{:?}", contact.time);
        }
    }
}
