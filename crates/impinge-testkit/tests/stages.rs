//! Switching a stage or a bound never changes a verdict.

use impinge::query::{Bound, Stages};
use impinge_testkit::generate::{grazing, rigid, robot};
use impinge_testkit::judge::{NORMAL, compatible, judge, options, question, same};
use impinge_testkit::scene::Question;
use impinge_testkit::trial::{Judgement, worlds};
use impinge_testkit::{Random, World};

/// Generates mostly robots, because they have links to drop.
fn any_world(random: &mut Random) -> World {
    match random.below(10) {
        0 => grazing(random),
        1..=3 => rigid(random),
        _ => robot(random),
    }
}

/// Every set of stages, with every bound.
fn configurations() -> impl Iterator<Item = (Stages, Bound)> {
    let sets = (0..4u8).map(|k| Stages { boxes: k & 1 != 0, sweeps: k & 2 != 0 });
    sets.flat_map(|stages| [Bound::Tube, Bound::Interval].map(|bound| (stages, bound)))
}

/// The same verdict for all stages. It may differ between bounds if parts are nearer than the tolerance without touching: then either
/// verdict is allowed, and each engine reports what it can prove.
fn same_with_margin(world: &World, margin: f64) -> Judgement {
    let usual = question(world, margin).first().0;
    for (stages, bound) in configurations() {
        let asked = Question::new(world, options(margin).stages(stages).bound(bound)).expect("an accepted world");
        let why = |e: String| format!("{stages:?}, {bound:?}: {e}");
        let found = asked.first().0;
        let nearly = || bound == Bound::Interval && compatible(world, margin, &usual, &found, |t| t).is_ok();
        same(&usual, &found).or_else(|e| if nearly() { Ok(()) } else { Err(why(e)) })?;
        judge(world, margin, &asked.any().0, NORMAL).map_err(why)?;
    }
    Ok(())
}

#[test]
fn switching_never_changes_a_verdict() {
    worlds(150, any_world, |world| same_with_margin(world, 0.0));
}

#[test]
fn nor_with_a_margin() {
    worlds(60, any_world, |world| same_with_margin(world, 0.02));
}

/// Over many worlds, each stage drops a good share of the pairs that reach it.
#[test]
fn stages_drop_pairs() {
    for bound in [Bound::Tube, Bound::Interval] {
        for (stage, stages) in [
            (0, Stages { boxes: true, sweeps: false }),
            (1, Stages { boxes: false, sweeps: true }),
            (1, Stages { boxes: true, sweeps: true }),
        ] {
            let (mut came, mut left) = (0, 0);
            for seed in 0..40 {
                let world = robot(&mut Random::new(seed));
                let report = Question::new(&world, options(0.0).stages(stages).bound(bound)).expect("an accepted world").report();
                // The report is empty if the verdict was known before the stages.
                let Some(stage) = report.stages[stage] else { continue };
                came += stage.suspects_in;
                left += stage.suspects_out;
                assert_eq!(report.stages[2].map(|exact| exact.suspects_in), Some(stage.suspects_out));
            }
            println!("{bound:?} {stages:?}: {left} of {came} pairs left");
            assert!(came > 50 && left * 10 < came * 9, "{bound:?} {stages:?}: {left} of {came}");
        }
    }
}
