//! All engines on needles, piles of equal triangles, distant, huge and tiny worlds, and margins as large as bodies.

use std::sync::Arc;

use impinge::math::Vec3;
use impinge::query::{Bound, Engine, Stages};
use impinge::{Options, Verdict};
use impinge_testkit::generate::{grazing, rigid, robot};
use impinge_testkit::judge::{TOLERANCE, compatible, free_before, options};
use impinge_testkit::scene::Question;
use impinge_testkit::trial::{Judgement, worlds};
use impinge_testkit::world::{Solid, Soup};
use impinge_testkit::{Random, World};

use super::two_to;

/// All engines and options.
fn ways(base: Options) -> Vec<Options> {
    let engines = [Engine::Sweep, Engine::Boxes, Engine::Hulls].map(|engine| base.engine(engine));
    let others = [base, base.bound(Bound::Interval), base.stages(Stages { boxes: true, sweeps: true })];
    others.into_iter().chain(engines).collect()
}

fn any_world(random: &mut Random) -> World {
    let mut world = match random.below(5) {
        0 | 1 => rigid(random),
        2 | 3 => robot(random),
        _ => grazing(random),
    };
    let (thin, along) = (random.pick(&[1.0, 1.0, 1e-4, 1e-8]), random.below(3));
    let twice = random.chance(0.3);
    for part in &mut world.parts {
        for piece in &mut part.pieces {
            if let Solid::Mesh(soup) = &mut piece.solid {
                *soup = Arc::new(bent(soup, (thin, along), twice));
            }
        }
    }
    if random.chance(0.3) {
        let far = Vec3::splat(random.pick(&[1e4, 1e6, 1e7]));
        world.shift(far);
    }
    world
}

/// Scales along an axis, and repeats each triangle, reversed.
fn bent(soup: &Soup, (thin, along): (f64, usize), twice: bool) -> Soup {
    let squeeze = |v: &Vec3| {
        let mut v = v.to_array();
        v[along] *= thin;
        Vec3::from(v)
    };
    let mut triangles = soup.triangles.clone();
    if twice {
        triangles.extend(soup.triangles.iter().map(|&[a, b, c]| [c, b, a]));
    }
    Soup { vertices: soup.vertices.iter().map(squeeze).collect(), triangles }
}

/// No two verdicts contradict each other, including any contact and first contact.
fn agree(world: &World, asked: &World, base: Options, margin: f64) -> Judgement {
    let mut all: Vec<Verdict> = Vec::new();
    for options in ways(base) {
        let question = Question::new(asked, options).map_err(|e| e.to_string())?;
        for verdict in [question.first().0, question.any().0] {
            if let Some(c) = verdict.contact()
                && !(0.0 <= c.free_until && c.free_until <= c.time.0 && c.time.0 <= c.time.1 && c.time.1 <= 1.0)
            {
                return Err(format!("{options:?}: {verdict:?}"));
            }
            all.push(verdict);
        }
    }
    let longest = all.iter().max_by(|a, b| free_before(a).total_cmp(&free_before(b)));
    for (one, other) in all.iter().flat_map(|v| longest.map(|l| (l, v))) {
        compatible(world, margin, one, other, |t| t)?;
    }
    Ok(())
}

#[test]
fn engines_do_not_contradict_each_other() {
    worlds(150, any_world, |world| agree(world, world, options(0.0).max_work(40_000), 0.0));
}

#[test]
fn nor_with_margins_as_large_as_bodies() {
    worlds(100, any_world, |world| {
        for margin in [0.1, 1.0] {
            agree(world, world, options(margin).max_work(40_000), margin)?;
        }
        Ok(())
    });
}

#[test]
fn nor_in_huge_and_tiny_worlds() {
    worlds(
        50,
        |random| if random.chance(0.5) { rigid(random) } else { robot(random) },
        |world| {
            for power in [-140, -90, -30, 30, 60, 96] {
                let factor = two_to(power);
                let mut scaled = world.clone();
                scaled.scale(factor);
                for margin in [0.0, 0.5] {
                    let base = options(margin * factor).tolerance(TOLERANCE * factor).max_work(40_000);
                    agree(world, &scaled, base, margin).map_err(|e| format!("2^{power}, margin {margin}: {e}"))?;
                }
            }
            Ok(())
        },
    );
}
