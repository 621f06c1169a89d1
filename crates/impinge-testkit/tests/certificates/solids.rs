//! Parts inside closed meshes, and in their cavities; mimic joints.

use std::sync::Arc;

use impinge::geometry::Primitive;
use impinge::math::Vec3;
use impinge::query::Semantics;
use impinge_io::example::solids::{self, Ends, cuboid, cylinder, ring};
use impinge_testkit::world::Soup;
use impinge_testkit::{Drive, Place, Random, Solid, World};

use crate::alter::{altered, with_flag, with_scene};
use crate::claim::Claim;
use crate::{certificate, verify};

fn mesh(solid: solids::Solid) -> Solid {
    Solid::Mesh(Arc::new(Soup::from(solid)))
}

/// The same surface, facing the other way.
fn reversed(mut solid: solids::Solid) -> solids::Solid {
    solid.triangles.iter_mut().for_each(|t| t.swap(1, 2));
    solid
}

/// Closed meshes that enclose the sphere of radius 1 around the origin: convex, with a cavity elsewhere, a tube, and turned inside out.
fn outer(random: &mut Random) -> solids::Solid {
    let side = || Vec3::splat(2.5);
    match random.below(4) {
        0 => cuboid(Vec3::ZERO, side()),
        1 => cylinder((Vec3::new(0.0, 0.0, -3.0), 3.0), (Vec3::new(0.0, 0.0, 3.0), 2.5), 12, 3, Ends::Capped),
        2 => cuboid(Vec3::ZERO, side()).with(&reversed(cuboid(Vec3::splat(1.8), Vec3::splat(0.5)))),
        _ => reversed(ring(Vec3::new(5.0, 0.0, 0.0), (Vec3::unit(0), Vec3::unit(1)), 5.0, 2.0, 12, 24)),
    }
}

/// Shapes within the sphere of radius 1/2 around the origin; the last has a second component far away.
fn inner(random: &mut Random) -> Solid {
    let small = Vec3::splat(0.25);
    match random.below(7) {
        0 => mesh(cuboid(Vec3::ZERO, small)),
        1 => Solid::Primitive(Primitive::Sphere { radius: 0.3 }),
        2 => Solid::Primitive(Primitive::Capsule { radius: 0.1, half_length: 0.3 }),
        3 => Solid::Primitive(Primitive::Cylinder { radius: 0.2, half_length: 0.3 }),
        4 => Solid::Primitive(Primitive::Cuboid { half: small }),
        5 => {
            let mut open = cuboid(Vec3::ZERO, small);
            open.triangles.truncate(7);
            mesh(open)
        }
        _ => mesh(cuboid(Vec3::new(0.0, 0.0, 20.0), small).with(&cuboid(Vec3::ZERO, small))),
    }
}

/// Builds a body that moves a little at the origin, and an obstacle; or the shape of the obstacle moves and that of the body rests.
fn world(inner: Solid, outer: Solid, random: &mut Random) -> World {
    let mut world = World::default();
    let some = |random: &mut Random, reach: f64| Vec3::new(0.0, 0.0, 0.0).to_array().map(|_| random.within(-reach, reach));
    let (travel, turn) = (Vec3::from(some(random, 0.2)), Vec3::from(some(random, 0.4)));
    let body = world.frame(0, Place::at(Vec3::from(some(random, 0.1))), Drive::Free { travel, turn });
    let (moving, resting) = if random.chance(0.5) { (inner, outer) } else { (outer, inner) };
    world.part(body, moving);
    world.part(0, resting);
    world
}

/// As surfaces they are free. As solids there is no certificate, and the certificate of the surfaces is not accepted.
#[test]
fn what_starts_inside_has_no_certificate_and_a_forged_one_is_refused() {
    let mut random = Random::new(23);
    for _ in 0..40 {
        let (inside, around) = (inner(&mut random), outer(&mut random));
        let world = world(inside, mesh(around), &mut random);
        assert_eq!(certificate(&world, 0.0, Semantics::Solid), None);
        let (scene, motion) = certificate(&world, 0.01, Semantics::Surface).expect("free");
        assert!(verify(&scene, &motion).is_ok_and(|v| !v.solids));
        assert_eq!(Claim::read(&scene, &motion).expect("sense").falsehood(), None);
        let (scene, motion) = with_scene(with_flag(&scene, "solids", true), &motion);
        let problem = verify(&scene, &motion).expect_err("inside").to_string();
        assert!(problem.contains("starts inside of"), "{problem}");
        let wrong = Claim::read(&scene, &motion).expect("sense").falsehood();
        assert!(wrong.is_some_and(|w| w.contains("begins inside")), "solid angles agree");
    }
}

/// In a cavity, in the hole of a ring and beside a surface within its bounding box they are free, also as solids. Altered certificates are
/// refused or true.
#[test]
fn what_starts_in_a_cavity_verifies() {
    let mut random = Random::new(29);
    let (mut refused, mut tried) = (0, 0);
    for k in 0..24 {
        let hollow = || cuboid(Vec3::ZERO, Vec3::splat(2.5)).with(&reversed(cuboid(Vec3::ZERO, Vec3::splat(1.5))));
        let around = match k % 3 {
            0 => hollow(),
            1 => ring(Vec3::ZERO, (Vec3::unit(0), Vec3::unit(1)), 3.0, 1.0, 12, 24),
            // Corners on the planes of the inner cube: rays along the axes lie in its faces.
            _ => hollow().with(&cuboid(Vec3::new(0.25, 0.25, 1.25), Vec3::splat(0.125))),
        };
        let inside = inner(&mut random);
        let world = world(inside, mesh(around), &mut random);
        let (scene, motion) = certificate(&world, 0.01, Semantics::Solid).expect("free");
        assert_eq!(Claim::read(&scene, &motion).expect("sense").falsehood(), None);
        let verified = verify(&scene, &motion).unwrap_or_else(|p| panic!("{k}: {p}"));
        assert!(verified.solids && verified.checked == 1);
        for _ in 0..4 {
            let (scene, motion) = with_scene(altered(&scene, &mut random), &motion);
            tried += 1;
            match verify(&scene, &motion) {
                Err(_) => refused += 1,
                Ok(_) => assert_eq!(Claim::read(&scene, &motion).expect("sense").falsehood(), None, "{scene}\n{motion}"),
            }
        }
    }
    eprintln!("{tried} altered certificates of cavities: {refused} refused");
    assert!(refused > 0 && refused < tried);
}

/// All parts rest on one grid: rays along the axes lie in faces and pass through edges and corners.
#[test]
fn shapes_on_a_grid_verify() {
    let hollow = cuboid(Vec3::ZERO, Vec3::splat(3.0)).with(&reversed(cuboid(Vec3::ZERO, Vec3::splat(2.0))));
    for at in [Vec3::ZERO, Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.5, -0.5, 0.0)] {
        let mut world = World::default();
        let body = world.frame(0, Place::at(at), Drive::Free { travel: Vec3::ZERO, turn: Vec3::ZERO });
        world.part(body, mesh(cuboid(Vec3::ZERO, Vec3::splat(0.5))));
        world.part(0, mesh(hollow.clone()));
        let (scene, motion) = certificate(&world, 0.0, Semantics::Solid).expect("free");
        assert!(verify(&scene, &motion).is_ok_and(|v| v.solids), "{at:?}");
    }
}
