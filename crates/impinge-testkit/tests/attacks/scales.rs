//! Sizes from tiny to planetary: culling in `f32` must stay sound if the two sides differ by more than `f32` can represent.

use impinge::math::Vec3;
use impinge_testkit::judge::question;
use impinge_testkit::trial::count;
use impinge_testkit::world::{Drive, Place, World};
use impinge_testkit::{Random, Solid};

use super::{soup, two_to};

/// Draws a triangle with corners about `size` from the origin, such that the origin is well inside it.
fn around_origin(random: &mut Random, size: f64) -> [Vec3; 3] {
    let (a, b) = (direction(random), direction(random));
    let side = a.cross(b).cross(a);
    let side = side * (1.0 / side.norm());
    let lengths = [0, 1, 2].map(|_| random.within(0.5, 1.5) * size);
    [a * lengths[0], (a * -0.5 + side * 0.8) * lengths[1], (a * -0.5 - side * 0.8) * lengths[2]]
}

fn direction(random: &mut Random) -> Vec3 {
    loop {
        let v = Vec3::new(random.within(-1.0, 1.0), random.within(-1.0, 1.0), random.within(-1.0, 1.0));
        if v.norm() > 0.1 {
            return v * (1.0 / v.norm());
        }
    }
}

/// A plate that turns about a tiny body inside it, either of them moving: they are in contact throughout. Refusing such a world is correct,
/// a free verdict is not.
fn speck_in_plate(random: &mut Random, speck: i32, plate: i32) {
    let turn = direction(random) * random.within(0.1, 3.0);
    let (small, large) = (around_origin(random, two_to(speck)), around_origin(random, two_to(plate)));
    for swapped in [false, true] {
        let mut world = World::default();
        let (moving, resting): (Solid, Solid) =
            if swapped { (soup(&[small]), soup(&[large])) } else { (soup(&[large]), soup(&[small])) };
        let body = world.frame(0, Place::default(), Drive::Free { travel: Vec3::ZERO, turn });
        world.part(body, moving);
        world.part(0, resting);
        let asked = impinge_testkit::scene::Question::new(&world, impinge_testkit::judge::options(0.0));
        let Ok(asked) = asked else { continue };
        for verdict in [asked.any().0, asked.first().0] {
            assert!(!verdict.is_free(), "speck of 2^{speck} in a plate of 2^{plate}, swapped {swapped}: {verdict:?}");
        }
    }
}

#[test]
fn specks_inside_plates_are_in_contact() {
    let mut random = Random::new(23);
    for _ in 0..count(20) {
        let speck = random.integer(-140, -100) as i32;
        speck_in_plate(&mut random, speck, 0);
        let (speck, plate) = (random.integer(-140, 100) as i32, random.integer(-140, 100) as i32);
        speck_in_plate(&mut random, speck, plate);
        speck_in_plate(&mut random, -30, 99);
    }
}

/// A world without contact is free at every ordinary scale, not undecided: the guard against overflow costs no verdict there.
#[test]
fn ordinary_ratios_are_decided() {
    let mut random = Random::new(24);
    for _ in 0..count(60) {
        let (scale, ratio) = (two_to(random.integer(-90, 60) as i32), two_to(random.integer(-20, 20) as i32));
        let mut world = World::default();
        let travel = Vec3::new(0.0, 0.0, 2.0 * scale);
        let body = world.frame(0, Place::at(Vec3::new(0.0, 0.0, -scale)), Drive::Free { travel, turn: Vec3::ZERO });
        let mut small = around_origin(&mut random, scale * ratio.min(1.0) * 0.1);
        small.iter_mut().for_each(|p| p.z *= 0.5);
        let hits = random.chance(0.5);
        let aside = if hits { Vec3::ZERO } else { Vec3::new(scale * 8.0, 0.0, 0.0) };
        let flat = [Vec3::new(1.0, 1.0, 0.0), Vec3::new(-2.0, 1.0, 0.0), Vec3::new(1.0, -2.0, 0.0)].map(|p| p * scale + aside);
        world.part(body, soup(&[small]));
        world.part(0, soup(&[flat]));
        let verdict = question(&world, 0.0).first().0;
        assert_eq!((verdict.is_free(), verdict.contact().is_some()), (!hits, hits), "{scale:e} {ratio:e} {verdict:?}");
    }
}
