//! Equivalent queries give the same verdict.

use std::sync::Arc;

use impinge::Verdict;
use impinge::math::Vec3;
use impinge_io::example::solids::cuboid;
use impinge_testkit::generate::{rigid, robot};
use impinge_testkit::judge::{NORMAL, compatible, first, judge, options, sharp};
use impinge_testkit::scene::Question;
use impinge_testkit::trial::{Judgement, mostly, worlds};
use impinge_testkit::world::Soup;
use impinge_testkit::{Drive, Place, Random, Solid, World};

/// Half rigid bodies, half robots.
fn either(random: &mut Random) -> World {
    if random.chance(0.5) { rigid(random) } else { robot(random) }
}

/// Checks that a world and a changed one get the same verdict, and that the latter is sound.
fn unchanged(world: &World, changed: &World) -> Judgement {
    let other = first(changed);
    judge(changed, 0.0, &other, NORMAL)?;
    compatible(world, 0.0, &first(world), &other, |t| t)
}

#[test]
fn moving_the_world() {
    worlds(150, either, |world| {
        for shift in [Vec3::new(4096.0, -1024.0, 512.0), Vec3::new(-1048576.0, 0.0, 33554432.0)] {
            let mut moved = world.clone();
            moved.shift(shift);
            // Rounding of sums moves parts: only worlds of few digits stay the same.
            if world.is_exact() { unchanged(world, &moved)? } else { judge(&moved, 0.0, &first(&moved), NORMAL)? }
        }
        Ok(())
    });
}

/// Attaches the whole world to a joint that rests at an angle: another robot, the same relative motion.
#[test]
fn turning_the_world() {
    worlds(150, robot, |world| {
        let turned_by = |place: &mut Place| {
            // A quarter turn about z, without rounding: rows (0 -1 0), (1 0 0).
            place.xyz = Vec3::new(-place.xyz.y, place.xyz.x, place.xyz.z);
            place.rpy.z += std::f64::consts::FRAC_PI_2;
        };
        let mut turned = world.clone();
        turned.frames.iter_mut().skip(1).filter(|f| f.parent == 0).for_each(|f| turned_by(&mut f.place));
        turned.parts.iter_mut().filter(|p| p.frame == 0).flat_map(|p| &mut p.pieces).for_each(|p| turned_by(&mut p.place));
        unchanged(world, &turned)
    });
}

/// The same world in other units, tolerance included, gets the same verdict.
fn scaled_alike(world: &World, power: i32) -> [Judgement; 2] {
    let factor = 2f64.powi(power);
    let mut scaled = world.clone();
    scaled.scale(factor);
    let options = options(0.0).tolerance(impinge_testkit::judge::TOLERANCE * factor);
    let other = Question::new(&scaled, options).expect("an accepted world").first().0;
    let one = first(world);
    let same = compatible(world, 0.0, &one, &other, |t| t);
    let as_sharp = if sharp(&one).is_ok() { sharp(&other) } else { Ok(()) };
    [same, as_sharp].map(|judgement| judgement.map_err(|e| format!("scaled by 2^{power}: {e}")))
}

const POWERS: [i32; 6] = [-30, -20, -3, 5, 20, 90];

#[test]
fn scaling_by_powers_of_two() {
    worlds(100, either, |world| POWERS.into_iter().try_for_each(|power| scaled_alike(world, power)[0].clone()));
}

#[test]
fn scaling_keeps_answers_sharp() {
    mostly(100, 0.1, either, |world| POWERS.into_iter().try_for_each(|power| scaled_alike(world, power)[1].clone()));
}

#[test]
fn reversing_time() {
    worlds(300, either, |world| {
        let mut reversed = world.clone();
        for f in &mut reversed.frames {
            match &mut f.drive {
                Drive::Turn { from, to, .. } | Drive::Slide { from, to, .. } => std::mem::swap(from, to),
                Drive::Planar { from, to } => std::mem::swap(from, to),
                Drive::Float { from, to } => std::mem::swap(from, to),
                Drive::Free { turn, .. } if *turn != Vec3::ZERO => return Ok(()),
                Drive::Free { travel, .. } => {
                    f.place.xyz += *travel;
                    *travel = -*travel;
                }
                Drive::Base | Drive::Follow { .. } => {}
            }
        }
        let (there, back) = (first(world), first(&reversed));
        judge(&reversed, 0.0, &back, NORMAL)?;
        match (&there, &back) {
            (Verdict::Free, Verdict::Contact(c)) => {
                compatible(&reversed, 0.0, &Verdict::Free, &Verdict::Contact(c.clone()), |t| t)
            }
            (Verdict::Contact(c), Verdict::Free) => compatible(world, 0.0, &Verdict::Free, &Verdict::Contact(c.clone()), |t| t),
            _ => Ok(()),
        }
    });
}

/// Returns the part of the motion from `from` to `to`; `None` if it would split a rotation that angles cannot represent.
fn part_of(world: &World, from: f64, to: f64) -> Option<World> {
    let mut cut = world.clone();
    let between = |a: f64, b: f64| (a + from * (b - a), a + to * (b - a));
    for f in &mut cut.frames {
        match &mut f.drive {
            Drive::Turn { from: a, to: b, .. } | Drive::Slide { from: a, to: b, .. } => (*a, *b) = between(*a, *b),
            Drive::Planar { from: a, to: b } => (0..3).for_each(|k| (a[k], b[k]) = between(a[k], b[k])),
            Drive::Free { turn, .. } if *turn != Vec3::ZERO && from > 0.0 => return None,
            Drive::Float { from: a, to: b } if a != b => return None,
            Drive::Free { travel, turn } => {
                f.place.xyz += *travel * from;
                (*travel, *turn) = (*travel * (to - from), *turn * (to - from));
            }
            Drive::Base | Drive::Follow { .. } | Drive::Float { .. } => {}
        }
    }
    Some(cut)
}

#[test]
fn cutting_the_motion_in_two() {
    worlds(300, either, |world| {
        let whole = first(world);
        if let Some(early) = part_of(world, 0.0, 0.5) {
            let answer = first(&early);
            judge(&early, 0.0, &answer, NORMAL)?;
            if !answer.is_free() || whole.contact().is_some_and(|c| c.time.1 < 0.5) {
                compatible(world, 0.0, &whole, &answer, |t| 0.5 * t)?;
            }
            if let (Some(late), true) = (part_of(world, 0.5, 1.0), answer.is_free()) {
                let answer = first(&late);
                judge(&late, 0.0, &answer, NORMAL)?;
                compatible(world, 0.0, &whole, &answer, |t| 0.5 + 0.5 * t)?;
            }
        }
        Ok(())
    });
}

/// A world with one more box, far away.
fn with_far_part(world: &World, distance: f64) -> World {
    let mut more = world.clone();
    let far = more.part(0, Solid::Mesh(Arc::new(Soup::from(cuboid(Vec3::ZERO, Vec3::splat(1.0))))));
    more.parts[far].pieces[0].place = Place::at(Vec3::new(distance, -distance, distance));
    more
}

#[test]
fn adding_a_far_part() {
    worlds(200, either, |world| {
        for distance in [100.0, 1e6] {
            unchanged(world, &with_far_part(world, distance)).map_err(|e| format!("{distance} m away: {e}"))?;
        }
        Ok(())
    });
}

/// A part at a distance of a kilometre has no effect: decided queries stay decided and sharp.
#[test]
fn a_far_part_blurs_nothing() {
    mostly(
        200,
        0.02,
        either,
        |world| if sharp(&first(world)).is_ok() { sharp(&first(&with_far_part(world, 1e3))) } else { Ok(()) },
    );
}

/// A part so far away that nearby coordinates are no longer distinct: undecided is right, free is not.
#[test]
fn a_part_at_the_end_of_the_world_frees_nothing() {
    worlds(15, either, |world| {
        for distance in [1e12, 1e25] {
            unchanged(world, &with_far_part(world, distance)).map_err(|e| format!("{distance} m away: {e}"))?;
        }
        Ok(())
    });
}

/// Changes the triangles of every mesh.
fn with_triangles(world: &World, change: impl Fn(&mut Vec<[u32; 3]>)) -> World {
    let mut changed = world.clone();
    for piece in changed.parts.iter_mut().flat_map(|p| &mut p.pieces) {
        if let Solid::Mesh(soup) = &mut piece.solid {
            let mut triangles = soup.triangles.clone();
            change(&mut triangles);
            *soup = Arc::new(Soup { vertices: soup.vertices.clone(), triangles });
        }
    }
    changed
}

#[test]
fn order_and_repetition_of_triangles() {
    worlds(150, either, |world| {
        unchanged(world, &with_triangles(world, |t| t.reverse()))?;
        unchanged(world, &with_triangles(world, |t| t.iter_mut().for_each(|t| t.rotate_left(1))))?;
        unchanged(world, &with_triangles(world, |t| t.iter_mut().for_each(|t| t.swap(0, 1))))?;
        unchanged(world, &with_triangles(world, |t| t.extend(t.clone())))
    });
}

/// Splits every triangle from a corner to the middle of the opposite edge: the same surface, if the middle is representable.
#[test]
fn cutting_triangles_in_two() {
    worlds(150, either, |world| {
        let mut changed = world.clone();
        for piece in changed.parts.iter_mut().flat_map(|p| &mut p.pieces) {
            if let Solid::Mesh(soup) = &mut piece.solid {
                let mut cut = Soup { vertices: soup.vertices.clone(), triangles: Vec::new() };
                for &[a, b, c] in &soup.triangles {
                    let (middle, new) =
                        ((soup.vertices[b as usize] + soup.vertices[c as usize]) * 0.5, cut.vertices.len() as u32);
                    cut.vertices.push(middle);
                    cut.triangles.extend([[a, b, new], [a, new, c]]);
                }
                *soup = Arc::new(cut);
            }
        }
        unchanged(world, &changed)
    });
}

/// A joint at rest between every moving frame and its parent changes nothing.
#[test]
fn inserting_static_links() {
    worlds(200, robot, |world| {
        let mut changed = World { frames: vec![world.frames[0]], ..world.clone() };
        let mut new_index = vec![0];
        for frame in &world.frames[1..] {
            let mut parent = new_index[frame.parent];
            // A base is placed in the world itself.
            if frame.parent != 0 {
                let still = Drive::Turn { axis: Vec3::unit(1), from: 0.0, to: 0.0 };
                changed.frames.push(impinge_testkit::Frame { parent, place: Place::default(), drive: still });
                parent = changed.frames.len() - 1;
            }
            let mut copy = impinge_testkit::Frame { parent, ..*frame };
            if let Drive::Follow { leader, .. } = &mut copy.drive {
                *leader = new_index[*leader];
            }
            new_index.push(changed.frames.len());
            changed.frames.push(copy);
        }
        changed.parts.iter_mut().for_each(|p| p.frame = new_index[p.frame]);
        // Links connected by a joint are not checked against each other: pairs that are no longer connected must be disabled by name.
        let joined = |a: usize, b: usize| world.frames[a].parent == b || world.frames[b].parent == a;
        for a in 0..world.parts.len() {
            for b in a + 1..world.parts.len() {
                let (fa, fb) = (world.parts[a].frame, world.parts[b].frame);
                if fa != 0 && fb != 0 && joined(fa, fb) {
                    changed.disabled.push((a, b));
                }
            }
        }
        unchanged(world, &changed)
    });
}

#[test]
fn order_of_parts() {
    worlds(200, either, |world| {
        let mut changed = world.clone();
        let last = world.parts.len().saturating_sub(1);
        changed.parts.reverse();
        changed.disabled.iter_mut().for_each(|(a, b)| (*a, *b) = (last - *a, last - *b));
        unchanged(world, &changed)
    });
}

/// Without rotation, the relative motion decides: it does not matter which body moves.
#[test]
fn swapping_who_moves() {
    worlds(300, rigid, |world| {
        let bodies: Vec<usize> = (1..world.frames.len()).collect();
        let [body] = bodies[..] else { return Ok(()) };
        let Drive::Free { travel, turn } = world.frames[body].drive else { return Ok(()) };
        if turn != Vec3::ZERO {
            return Ok(());
        }
        // The body rests; each obstacle in turn moves, in the opposite direction.
        for obstacle in (0..world.parts.len()).filter(|&p| world.parts[p].frame == 0) {
            let mut alone = world.clone();
            let mover = world.parts.iter().position(|p| p.frame == body).expect("it carries a part");
            alone.parts = vec![world.parts[mover].clone(), world.parts[obstacle].clone()];
            alone.disabled.clear();
            let mut swapped = alone.clone();
            swapped.frames[body] =
                impinge_testkit::Frame { parent: 0, place: Place::default(), drive: Drive::Free { travel: -travel, turn } };
            (swapped.parts[0].frame, swapped.parts[1].frame) = (0, body);
            let start = world.frames[body].place;
            if start.rpy != Vec3::ZERO || swapped.parts[0].pieces.iter().any(|p| p.place.rpy != Vec3::ZERO) {
                return Ok(());
            }
            swapped.parts[0].pieces.iter_mut().for_each(|p| p.place.xyz += start.xyz);
            unchanged(&alone, &swapped)?;
        }
        Ok(())
    });
}
