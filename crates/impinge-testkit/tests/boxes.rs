//! All engines give the same answers.

mod common;

use std::sync::Arc;

use common::{MAX_WORK, NORMAL, compatible, judge, options, sharp};
use impinge::math::Vec3;
use impinge::query::Engine;
use impinge::{Options, Verdict};
use impinge_testkit::generate::{fine, grazing, rigid, robot};
use impinge_testkit::scene::Question;
use impinge_testkit::trial::{Judgement, mostly, worlds};
use impinge_testkit::world::{Drive, Place, Solid, Soup};
use impinge_testkit::{Random, World};

const ENGINES: [Engine; 3] = [Engine::Sweep, Engine::Boxes, Engine::Auto];

/// Bodies and robots whose parts are meshes, mostly: round solids are left to the sweep by all engines.
fn any_world(random: &mut Random) -> World {
    match random.below(10) {
        0 | 1 => grazing(random),
        2 => robot(random),
        3 => fine(random),
        4 => still(random),
        5 => far_away(random),
        _ => rigid(random),
    }
}

/// Motions of zero length.
fn still(random: &mut Random) -> World {
    let mut world = rigid(random);
    for frame in &mut world.frames {
        if let Drive::Free { travel, turn } = &mut frame.drive {
            *travel = Vec3::ZERO;
            *turn = if random.chance(0.5) { Vec3::ZERO } else { *turn };
        }
        frame.place.xyz = frame.place.xyz * 0.2;
    }
    world
}

/// Everything far from the origin, and the body's mesh far from its own.
fn far_away(random: &mut Random) -> World {
    let mut world = fine(random);
    let (far, off) = (Vec3::new(1e5, -2e5, 3e4), Vec3::new(30.0, 50.0, -20.0) * random.pick(&[0.0, 1.0, 100.0]));
    world.frames[1].place = Place { xyz: world.frames[1].place.xyz + far - off, rpy: Vec3::ZERO };
    world.parts[1].pieces[0].place.xyz += far;
    if let Solid::Mesh(soup) = &mut world.parts[0].pieces[0].solid {
        let vertices = soup.vertices.iter().map(|&v| v + off).collect();
        *soup = Arc::new(Soup { vertices, triangles: soup.triangles.clone() });
    }
    world
}

fn same(one: &Verdict, other: &Verdict) -> bool {
    match (one, other) {
        (Verdict::Contact(a), Verdict::Contact(b)) => a.time.0 <= b.time.1 && b.time.0 <= a.time.1,
        (Verdict::Free, Verdict::Free) | (Verdict::Undecided { .. }, Verdict::Undecided { .. }) => true,
        _ => false,
    }
}

/// The same word, in brackets that meet; where things are nearer than the tolerance without touching each tells what it can prove.
fn engines_agree(world: &World, options: Options, margin: f64) -> Judgement {
    let ask = |engine| Question::new(world, options.engine(engine)).expect("an accepted world");
    let usual = ask(Engine::Sweep).first().0;
    for engine in ENGINES {
        let why = |e: String| format!("{engine:?}: {e}");
        let question = ask(engine);
        let first = question.first().0;
        if !same(&usual, &first) {
            compatible(world, margin, &usual, &first, |t| t).map_err(why)?;
        }
        judge(world, margin, &first, NORMAL).map_err(why)?;
        let any = question.any().0;
        judge(world, margin, &any, NORMAL).map_err(why)?;
        compatible(world, margin, &first, &any, |t| t).map_err(why)?;
    }
    Ok(())
}

#[test]
fn engines_give_the_same_answers() {
    worlds(300, any_world, |world| engines_agree(world, options(0.0), 0.0));
}

#[test]
fn also_with_a_margin() {
    worlds(80, any_world, |world| engines_agree(world, options(0.02), 0.02));
}

#[test]
fn also_with_tolerances_of_their_own() {
    let coarse = options(0.0).tolerance(1e-7).time_tolerance(1e-5);
    worlds(60, rigid, |world| engines_agree(world, coarse, 0.0));
}

#[test]
fn boxes_are_as_sharp_as_the_sweep() {
    let asked = |world: &World| Question::new(world, options(0.0).engine(Engine::Boxes)).expect("an accepted world").first().0;
    worlds(100, fine, |world| sharp(&asked(world)));
    mostly(200, 0.01, rigid, |world| sharp(&asked(world)));
}

/// Work is limited, whatever is asked, and running out of it is told.
#[test]
fn no_engine_works_more_than_it_may() {
    let (mut ran_out, mut done) = (0, 0);
    for seed in 0..40 {
        let world = if seed % 2 == 0 { fine(&mut Random::new(seed)) } else { rigid(&mut Random::new(seed)) };
        for most in [0, 10, 300, MAX_WORK] {
            let options = Options::default().max_work(most).engine(Engine::Boxes);
            let question = Question::new(&world, options).expect("an accepted world");
            for (verdict, tally) in [question.first(), question.any()] {
                let work = tally.boxes + tally.pack_tests + tally.pair_steps;
                assert!(work <= most + 20_000, "{work} of {most}");
                if let Verdict::Undecided { free_until } = verdict {
                    ran_out += 1;
                    judge(&world, 0.0, &Verdict::Undecided { free_until }, NORMAL).expect("free until then");
                } else {
                    done += 1;
                }
            }
        }
    }
    assert!(ran_out > 40 && done > 40, "{ran_out} {done}");
}
