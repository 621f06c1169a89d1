//! Worlds far below realistic sizes, but accepted: no crash, and no wrong free verdict.
//!
//! This test has its own file, because running out of memory ends the whole process.

use impinge_testkit::generate::{rigid, robot};
use impinge_testkit::judge::{TOLERANCE, compatible, first, options};
use impinge_testkit::scene::Question;
use impinge_testkit::trial::worlds;
use impinge_testkit::{Random, World};

fn either(random: &mut Random) -> World {
    if random.chance(0.5) { rigid(random) } else { robot(random) }
}

#[test]
fn scaling_to_nearly_nothing() {
    worlds(20, either, |world| {
        for power in [-60, -100, -140] {
            let factor = 2f64.powi(power);
            let mut scaled = world.clone();
            scaled.scale(factor);
            let question = Question::new(&scaled, options(0.0).tolerance(TOLERANCE * factor)).expect("an accepted world");
            compatible(world, 0.0, &first(world), &question.first().0, |t| t).map_err(|e| format!("scaled by 2^{power}: {e}"))?;
        }
        // At smaller sizes, products would underflow: such a world is refused.
        let mut specks = world.clone();
        specks.scale(2f64.powi(-300));
        match Question::new(&specks, options(0.0)) {
            Err(impinge::Error::TooSmall { .. }) => Ok(()),
            other => Err(format!("scaled by 2^-300: {:?}", other.map(|q| q.first().0))),
        }
    });
}
