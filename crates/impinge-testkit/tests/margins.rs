//! Verdicts with a margin are sound, monotone in the margin, and equal to those of enlarged solids.

use std::sync::Arc;

use impinge::geometry::Primitive;
use impinge::{Verdict, math::Vec3};
use impinge_io::example::solids::cuboid;
use impinge_testkit::generate::{rigid, robot};
use impinge_testkit::judge::{NORMAL, compatible, decided, free_before, judge, question, sharp};
use impinge_testkit::trial::{mostly, worlds};
use impinge_testkit::{Drive, Place, Random, Solid, World};

const MARGINS: [f64; 3] = [1e-6, 0.01, 0.25];

#[test]
fn rigid_bodies_with_a_margin() {
    worlds(100, rigid, |w| MARGINS.iter().try_for_each(|&m| judge(w, m, &question(w, m).first().0, NORMAL)));
}

#[test]
fn robots_with_a_margin() {
    worlds(60, robot, |w| MARGINS.iter().try_for_each(|&m| judge(w, m, &question(w, m).first().0, NORMAL)));
}

#[test]
fn margins_are_decided() {
    mostly(60, 0.4, rigid, |w| {
        MARGINS.iter().try_for_each(|&m| {
            let q = question(w, m);
            decided(&q.any().0).and(sharp(&q.first().0)).map_err(|e| format!("margin {m}: {e}"))
        })
    });
}

/// Past the edge of another cube at 1.13 times the margin: the boxes around both overlap all the way, and little work separates them.
#[test]
fn a_cube_past_the_edge_of_another() {
    let margin = 0.25;
    let beside = 1.0 + 0.8 * margin;
    let mut world = World::default();
    let drive = Drive::Free { travel: Vec3::new(4.0, 0.0, 0.0), turn: Vec3::ZERO };
    let body = world.frame(0, Place::at(Vec3::new(-2.0, beside, beside)), drive);
    let cube = Solid::Mesh(Arc::new(cuboid(Vec3::ZERO, Vec3::splat(0.5)).into()));
    world.part(body, cube.clone());
    world.part(0, cube);
    assert!(question(&world, margin).any().0.is_free());
    assert!(question(&world, margin).first().0.is_free());
}

/// A larger margin never gives a later contact.
#[test]
fn contact_comes_no_later_with_a_larger_margin() {
    worlds(100, rigid, |w| {
        let mut last: Option<Verdict> = None;
        for margin in [0.0, 0.001, 0.1, 0.5] {
            let verdict = question(w, margin).first().0;
            if let Some(c) = last.as_ref().and_then(Verdict::contact)
                && free_before(&verdict) > c.time.1 + 1e-12
            {
                return Err(format!("margin {margin}: {verdict:?}, but with less: {c:?}"));
            }
            last = Some(verdict);
        }
        Ok(())
    });
}

/// Points and segments with a margin equal spheres and capsules without one.
#[test]
fn a_margin_is_a_radius() {
    let pair = |random: &mut Random| {
        let mut world = World::default();
        let start = Vec3::new(-3.0, random.within(-0.6, 0.6), random.within(-0.6, 0.6));
        let turn = Vec3::new(random.within(-2.0, 2.0), random.within(-2.0, 2.0), 0.0);
        let body = world.frame(0, Place::at(start), Drive::Free { travel: Vec3::new(6.0, 0.0, 0.0), turn });
        world.part(body, Solid::Primitive(Primitive::Capsule { radius: 0.0, half_length: 0.5 }));
        world.part(0, Solid::Primitive(Primitive::Cuboid { half: Vec3::new(0.2, 0.3, 0.4) }));
        world
    };
    worlds(100, pair, |thin| {
        let radius = 0.25;
        let mut thick = thin.clone();
        thick.parts[0].pieces[0].solid = Solid::Primitive(Primitive::Capsule { radius, half_length: 0.5 });
        compatible(&thick, 0.0, &question(&thick, 0.0).first().0, &question(thin, radius).first().0, |t| t)
    });
}
