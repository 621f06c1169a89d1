//! Many trials of one property: worlds from seeds; failures are minimised and reported together.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::shrink::shrink;
use crate::world::World;
use crate::{Oracle, Random};

/// The number of failures after which a test stops.
const TOLD: usize = 3;

/// The failure of a world, if any.
pub type Judgement = Result<(), String>;

/// Returns the number of trials: the default times `IMPINGE_LONG` of the environment, if that is a number.
pub fn count(default: u64) -> u64 {
    default * std::env::var("IMPINGE_LONG").ok().and_then(|n| n.parse().ok()).unwrap_or(1)
}

/// Tests a property on the worlds of seeds `0..count(default)`.
///
/// # Panics
/// If it fails or panics for any of them, with the smallest failing world found.
pub fn worlds(default: u64, generate: impl Fn(&mut Random) -> World, property: impl Fn(&World) -> Judgement) {
    let judge = |world: &World| judge(&property, world);
    let mut failures = Vec::new();
    let tried = count(default);
    for seed in 0..tried {
        let world = generate(&mut Random::new(seed));
        if let Err(message) = judge(&world) {
            let small = shrink(&world, |w| judge(w).is_err_and(|other| kind(&other) == kind(&message)));
            let again = judge(&small).err().unwrap_or_default();
            failures.push(format!("seed {seed}: {message}\nmade small: {again}\n{small:?}\n"));
            if failures.len() == TOLD {
                break;
            }
        }
    }
    assert!(failures.is_empty(), "{} of at most {tried} worlds fail:\n\n{}", failures.len(), failures.join("\n"));
}

/// Like [`worlds`], but up to `share` of the worlds may fail: for verdicts that are right but less sharp than intended.
///
/// # Panics
/// If more fail, with the first of them.
pub fn mostly(default: u64, share: f64, generate: impl Fn(&mut Random) -> World, property: impl Fn(&World) -> Judgement) {
    let tried = count(default);
    let failures: Vec<String> = (0..tried)
        .filter_map(|seed| judge(&property, &generate(&mut Random::new(seed))).err().map(|m| format!("seed {seed}: {m}")))
        .collect();
    let allowed = (share * tried as f64).floor() as usize;
    assert!(failures.len() <= allowed, "{} of {tried} worlds fail, {allowed} may:\n{}", failures.len(), failures.join("\n"));
}

/// Returns a message up to its first number: similar failures have the same message.
fn kind(message: &str) -> &str {
    message.split(|c: char| c.is_ascii_digit() || c == '-').next().unwrap_or_default()
}

/// Evaluates the property; a panic is a failure.
fn judge(property: &impl Fn(&World) -> Judgement, world: &World) -> Judgement {
    catch_unwind(AssertUnwindSafe(|| property(world))).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned().or_else(|| panic.downcast_ref::<&str>().map(|s| (*s).to_owned()));
        Err(format!("panicked: {}", text.unwrap_or_default()))
    })
}

/// Returns the gap at or below which a world is certainly in contact: the margin minus rounding, or the margin itself without rounding.
pub fn surely_in_contact(world: &World, oracle: &Oracle<'_>, margin: f64) -> f64 {
    if margin == 0.0 && world.is_exact() { 1e-14 } else { margin - oracle.rounding() }
}
