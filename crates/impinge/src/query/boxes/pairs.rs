//! All pairs of triangles that may meet while one body goes straight past another: both trees in tandem, once, over the whole motion.
//!
//! Sound: children are dropped only where the fifteen axes of two boxes never overlap all at once (`math/simd/oriented.rs`).

use super::place::Before;
use super::{Side, is_free};
use crate::math::rounding::f32_above;
use crate::math::simd::{Avx2, Lanes, Mover, Portable, dispatch, meet};
use crate::query::checker::Checker;
use crate::query::options::Engine;
use crate::query::tasks::Task;
use crate::query::verdict::Tally;
use crate::scene::Motion;

/// A triangle of what moves and one of what rests.
type Met = (u32, u32);

/// The pairs of a task that are not proven apart throughout, if it goes straight and oriented boxes are to be used.
/// The inner `None`: work ran out.
pub(in crate::query) fn straight_pairs(
    checker: &Checker,
    motion: &Motion,
    task: &Task,
    tally: &mut Tally,
) -> Option<Option<Vec<Met>>> {
    let wanted = match checker.options().engine {
        Engine::Auto => is_free(checker, motion, task),
        Engine::Boxes => true,
        _ => false,
    };
    let side = wanted.then(|| Side::new(checker, motion, task)).flatten()?;
    (side.is_tame() && !side.course.turns()).then(|| dispatch(pairs_avx2, pairs_portable, (checker, &side, tally)))
}

type Asked<'a> = (&'a Checker, &'a Side<'a>, &'a mut Tally);

#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2"))]
fn pairs_avx2(asked: Asked<'_>) -> Option<Vec<Met>> {
    pairs::<Avx2>(asked)
}

fn pairs_portable(asked: Asked<'_>) -> Option<Vec<Met>> {
    pairs::<Portable>(asked)
}

#[inline(always)]
fn pairs<L: Lanes>((checker, side, tally): Asked<'_>) -> Option<Vec<Met>> {
    let mut room = None;
    let state = side.state(0.0, 1.0, &mut room);
    let (mut open, mut met) = (vec![(0u32, 0u32)], Vec::new());
    while let Some((a, b)) = open.pop() {
        let (moving, resting) = (&side.moving.boxes[a as usize], &side.resting.boxes[b as usize]);
        let Some(mover) = Mover::of_larger(moving, resting) else {
            met.push((moving.first, resting.first));
            continue;
        };
        tally.pack_tests += 1;
        if checker.ends_at(tally.work()) {
            return None;
        }
        let (parent, pack) = match mover {
            Mover::Single => (resting, &side.resting.packs[resting.pack as usize]),
            Mover::Lanes => (moving, &side.moving.packs[moving.pack as usize]),
        };
        let before = Before { state: &state, moving, resting, pack, mover, extra: side.extra };
        let from = meet::<L>(&pack.lanes, &before.probe(&before.placed()), &before.straight());
        for lane in 0..pack.count {
            // Written so that NaN drops nothing.
            if from[lane] > f32_above(1.0) {
                continue;
            }
            let child = parent.first + lane as u32;
            open.push(if mover == Mover::Single { (a, child) } else { (child, b) });
        }
    }
    Some(met)
}
