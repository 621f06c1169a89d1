//! Long chains and several turns.

use std::f64::consts::{PI, TAU};
use std::sync::Arc;

use impinge::math::Vec3;
use impinge::math::trig::sin_cos;
use impinge::{Options, Verdict};
use impinge_io::example::solids::cuboid;
use impinge_testkit::generate::long_chain;
use impinge_testkit::judge::{Care, decided, judge, options, sharp};
use impinge_testkit::scene::Question;
use impinge_testkit::trial::worlds;
use impinge_testkit::world::Soup;
use impinge_testkit::{Drive, Place, Solid, World};

fn first(world: &World, options: Options) -> Verdict {
    Question::new(world, options).expect("an accepted world").first().0
}

#[test]
fn three_hundred_links() {
    worlds(
        8,
        |r| long_chain(r, 300, 0.02),
        |w| {
            let q = Question::new(w, options(0.0).max_work(20_000_000)).expect("an accepted world");
            let (any, first) = (q.any().0, q.first().0);
            decided(&any).and(sharp(&first))?;
            let care = Care { samples: 40, smallest_step: 0.01 };
            judge(w, 0.0, &any, care)?;
            judge(w, 0.0, &first, care)
        },
    );
}

/// Half the width of the post.
const POST: f64 = 0.01;

/// Builds a blade of radius 1 that turns about z, a ray when seen from above, and a post at the distance 0.9 under the angle `at`.
fn rotor(turns: f64, at: f64) -> World {
    let mut world = World::default();
    let base = world.frame(0, Place::default(), Drive::Base);
    let blade = world.frame(base, Place::default(), Drive::Turn { axis: Vec3::unit(2), from: 0.0, to: TAU * turns });
    let soup = Soup { vertices: vec![Vec3::ZERO, Vec3::unit(0), Vec3::new(1.0, 0.0, 0.1)], triangles: vec![[0, 1, 2]] };
    world.part(blade, Solid::Mesh(Arc::new(soup)));
    let part = world.part(0, Solid::Mesh(Arc::new(cuboid(Vec3::ZERO, Vec3::new(POST, POST, 1.0)).into())));
    let (s, c) = sin_cos(at);
    world.parts[part].pieces[0].place = Place { xyz: Vec3::new(0.9 * c, 0.9 * s, 0.0), rpy: Vec3::new(0.0, 0.0, at) };
    world
}

#[test]
fn a_rotor_meets_the_post_on_its_first_round() {
    for turns in [0.5, 1.0, 3.0, 100.0, 10_000.0] {
        for at in [0.1, 1.0, PI / 2.0, 3.0] {
            let verdict = first(&rotor(turns, at), options(0.0).max_work(20_000_000));
            let contact = verdict.contact().unwrap_or_else(|| panic!("{turns} turns, post at {at}: {verdict:?}"));
            // The blade meets the post's inner corner first.
            let expected = (at - POST.atan2(0.9 - POST)) / (TAU * turns);
            assert!((contact.time.1 - expected).abs() < 4e-9, "{turns} turns, post at {at}: {:?}, not {expected}", contact.time);
        }
    }
}

/// A rotor of two axes, the second much faster than the first: the post is out of reach.
#[test]
fn a_fast_spindle_clears_what_it_clears() {
    for turns in [1.0, 20.0, 500.0] {
        let mut world = rotor(0.25, 3.0);
        let spin = Drive::Turn { axis: Vec3::unit(0), from: 0.0, to: TAU * turns };
        let spindle = world.frame(2, Place::at(Vec3::new(0.5, 0.0, 0.0)), spin);
        world.part(spindle, Solid::Mesh(Arc::new(cuboid(Vec3::ZERO, Vec3::new(0.2, 0.05, 0.05)).into())));
        world.self_checked = false;
        let verdict = first(&world, options(0.0).max_work(20_000_000));
        assert!(verdict.is_free(), "{turns} turns: {verdict:?}");
    }
}
