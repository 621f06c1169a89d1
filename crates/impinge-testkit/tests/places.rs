//! Contact points: halfway between surfaces that come near, in both bodies if they overlap.

use impinge::query::distance::{Standing, standing};
use impinge::query::{ContactState, Semantics};
use impinge::{Checker, Contact, Mesh, Motion, Options, Pose, Primitive, RigidMotion, Scene, Shape, Vec3};
use impinge_testkit::Random;

/// Builds a body that moves along x from a place, against one around the origin.
fn asked(a: &Shape, b: &Shape, start: Pose, by: f64, options: Options) -> (Checker, Motion) {
    let scene = Scene::builder().body("a", a.clone()).obstacle("b", b.clone(), Pose::IDENTITY).build().expect("a scene");
    let body = scene.body("a").expect("there");
    let checker = Checker::new(scene, options).expect("good options");
    let rigid = RigidMotion { start, end_position: start.translation + Vec3::unit(0) * by, rotation_vector: Vec3::ZERO };
    let motion = checker.scene().motion().rigid(body, rigid).build().expect("finite");
    (checker, motion)
}

/// Returns its first contact, and the points of all contacts at that time.
fn ask(a: &Shape, b: &Shape, start: Pose, by: f64, options: Options) -> (Contact, Vec<Vec3>) {
    let (checker, motion) = asked(a, b, start, by, options);
    let contact = checker.first_contact(&motion).expect("of this scene").contact().expect("in contact").clone();
    let all = checker.all_at(&motion, contact.time).expect("few").iter().map(|w| w.point).collect();
    (contact, all)
}

fn triangle(corners: [[f64; 3]; 3]) -> Shape {
    Mesh::new(corners.map(Vec3::from).to_vec(), vec![[0, 1, 2]]).expect("a triangle").into()
}

/// All geometry starts at x = -1 and ends at x = 1, or is flat at x = 0.
#[test]
fn points_of_contact_are_half_way_between_surfaces() {
    let sphere: Shape = Primitive::sphere(1.0).expect("a size").into();
    let capsule: Shape = Primitive::capsule(1.0, 0.5).expect("sizes").into();
    let cylinder: Shape = Primitive::cylinder(1.0, 0.5).expect("sizes").into();
    let cuboid: Shape = Primitive::cuboid(Vec3::new(2.0, 3.0, 4.0)).expect("sizes").into();
    let flat = triangle([[0.0, -3.0, -3.0], [0.0, 4.0, -2.0], [0.0, -1.0, 5.0]]);
    let round = [&sphere, &capsule];
    let solid = [&sphere, &capsule, &cylinder, &cuboid];
    let mut pairs: Vec<(&Shape, &Shape, f64)> = Vec::new();
    for r in round {
        pairs.extend(solid.iter().flat_map(|&s| [(r, s, -1.0), (s, r, -1.0)]));
        pairs.push((r, &flat, 0.0));
    }
    pairs.extend([(&cylinder, &cylinder, -1.0), (&cylinder, &cuboid, -1.0), (&cuboid, &cylinder, -1.0), (&cylinder, &flat, 0.0)]);
    for (a, b, at) in pairs {
        for margin in [0.0, 0.5] {
            let start = Pose::from_translation(Vec3::new(-6.0, 0.0, 0.0));
            let (contact, all) = ask(a, b, start, 8.0, Options::default().margin(margin));
            assert_eq!(contact.state, ContactState::Begins);
            let expected = at - 0.5 * margin;
            for p in all.into_iter().chain([contact.point]) {
                assert!((p.x - expected).abs() < 1e-7 && p.y.abs() < 1.6 && p.z.abs() < 2.1, "{a:?} {b:?} {margin}: {p:?}");
            }
            // A round surface changes its normal with the nearest point.
            let blur = if [a, b].iter().any(|s| matches!(s, Shape::Primitive(Primitive::Cylinder { .. }))) { 1e-4 } else { 1e-6 };
            assert!((contact.normal + Vec3::unit(0)).norm() < blur, "{a:?} {b:?}: {:?}", contact.normal);
        }
    }
}

/// Returns a lower bound of the distance of a point to a shape, in the frame of the shape; a triangle is its points.
fn outside(shape: &Shape, p: Vec3) -> f64 {
    let beyond = |x: Vec3| Vec3::new(x.x.max(0.0), x.y.max(0.0), x.z.max(0.0)).norm();
    match shape {
        Shape::Primitive(Primitive::Cuboid { half }) => beyond(p.abs() - *half),
        Shape::Primitive(Primitive::Sphere { radius }) => (p.norm() - radius).max(0.0),
        Shape::Primitive(Primitive::Capsule { radius, half_length }) => {
            ((p - Vec3::unit(2) * p.z.clamp(-half_length, *half_length)).norm() - radius).max(0.0)
        }
        Shape::Primitive(Primitive::Cylinder { radius, half_length }) => {
            beyond(Vec3::new(p.x.hypot(p.y) - radius, p.z.abs() - half_length, 0.0))
        }
        Shape::Mesh(mesh) => {
            let [a, b, c] = mesh.corners(0);
            let n = (b - a).cross(c - a);
            let n = n * (1.0 / n.norm());
            let side = |p: Vec3, a: Vec3, b: Vec3| -(b - a).cross(p - a).dot(n) / (b - a).norm();
            n.dot(p - a).abs().max(side(p, a, b)).max(side(p, b, c)).max(side(p, c, a))
        }
    }
}

#[test]
fn points_of_overlapping_bodies_lie_in_both() {
    let mut random = Random::new(2026);
    let mut overlapping = [0; 5];
    for n in 0..4000 {
        let mut shape = |kind: usize| -> Shape {
            let mut size = || random.within(0.1, 2.0);
            let vector = |size: &mut dyn FnMut() -> f64| Vec3::new(size(), size(), size());
            match kind {
                0 => Primitive::cuboid(vector(&mut size)).expect("sizes").into(),
                1 => Primitive::sphere(size()).expect("sizes").into(),
                2 => Primitive::capsule(0.3 * size(), size()).expect("sizes").into(),
                3 => Primitive::cylinder(0.5 * size(), size()).expect("sizes").into(),
                _ => triangle([[0.0; 3], [size(), 0.1 * size(), -size()], [-0.3 * size(), size(), size()]]),
            }
        };
        let (a, b) = (shape(n % 5), shape(n / 5 % 5));
        let mut point = |size: f64| Vec3::new(random.within(-size, size), random.within(-size, size), random.within(-size, size));
        let pose = Pose::from_rpy(point(1.2), point(3.0)).expect("finite");
        let semantics = Semantics::Solid;
        let told = standing((a.clone(), &pose), (b.clone(), &Pose::IDENTITY), semantics).expect("finite");
        let Some(Standing::Overlapping(point)) = told else { continue };
        overlapping[n % 5] += 1;
        let (contact, _) = ask(&a, &b, pose, 0.0, Options::default());
        let with_margin = ask(&a, &b, pose, 0.0, Options::default().margin(0.3)).0;
        let mut points = vec![("standing", point)];
        points.extend(
            [("check", &contact), ("margin", &with_margin)]
                .iter()
                .filter_map(|(what, c)| (c.state == ContactState::Overlapping).then_some((*what, c.point))),
        );
        let (checker, motion) = asked(&a, &b, pose, 0.0, Options::default());
        let nearest = checker.clearance(&motion, 1e-6).expect("a width").nearest.expect("a place");
        points.extend([nearest.points.0, nearest.points.1].map(|p| ("clearance", p)));
        assert!(points.len() >= 4, "{contact:?}");
        for (what, p) in points {
            let off = (outside(&a, pose.inverse().apply(p)), outside(&b, p));
            assert!(off.0.max(off.1) < 1e-9, "{what} {n}: {off:?} {a:?} {b:?} {pose:?}");
        }
    }
    assert!(overlapping.iter().all(|&n| n > 50), "{overlapping:?}");
}
