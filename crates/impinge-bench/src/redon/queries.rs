//! Random paths: each step starts at the end of the previous one if that was free, otherwise at a new free configuration.
//!
//! A path also restarts after some free steps: in open space it would rarely have a contact, and one path would be measured
//! instead of many.

use impinge::query::Checker;
use impinge::scene::Motion;
use impinge::{Options, Verdict};
use impinge_io::example::random::Random;

use super::scenes::Site;
use crate::Outcome;

/// Start and end, joint values.
pub type Step = (Vec<f64>, Vec<f64>);

/// Steps by verdict.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Queries {
    /// Free at the start, with a contact.
    pub colliding: Vec<Step>,
    /// Free.
    pub free: Vec<Step>,
}

/// The number of steps of each kind, and the limit of attempts.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// Steps with a contact.
    pub colliding: usize,
    /// Free steps.
    pub free: usize,
    /// The largest number of attempts.
    pub tries: usize,
}

/// Draws steps in which each joint turns by up to `degrees`, in either direction, uniformly, within its range.
pub fn random_path(site: &Site, degrees: f64, wanted: Wanted, seed: u64) -> Outcome<Queries> {
    let walker = Walker::new(site)?;
    let mut random = Random::new(seed);
    let mut queries = Queries::default();
    let mut at = walker.start(&mut random)?;
    for tried in 1..=wanted.tries {
        if queries.colliding.len() >= wanted.colliding && queries.free.len() >= wanted.free {
            break;
        }
        let to = walker.step(&at, degrees.to_radians(), &mut random);
        let verdict = walker.checker.first_contact(&walker.motion(&at, &to)?)?;
        let next = if verdict.is_free() && tried % STEPS != 0 { to.clone() } else { walker.start(&mut random)? };
        match verdict {
            Verdict::Free => keep(&mut queries.free, wanted.free, (at, to)),
            Verdict::Contact(_) => keep(&mut queries.colliding, wanted.colliding, (at, to)),
            Verdict::Undecided { .. } => {}
        }
        at = next;
    }
    Ok(queries)
}

fn keep(steps: &mut Vec<Step>, wanted: usize, step: Step) {
    if steps.len() < wanted {
        steps.push(step);
    }
}

/// The number of steps after which a path restarts.
const STEPS: usize = 20;
/// The number of drawn configurations before the search for a free one fails.
const DRAWS: usize = 100_000;

struct Walker<'a> {
    site: &'a Site,
    checker: Checker,
    /// Tests whether a start is as near to an obstacle as the site requires.
    near: Option<Checker>,
}

impl<'a> Walker<'a> {
    fn new(site: &'a Site) -> Outcome<Self> {
        let checker = |margin| Checker::new(site.scene.clone(), Options::default().margin(margin));
        Ok(Walker { site, checker: checker(0.0)?, near: site.near.map(checker).transpose()? })
    }

    fn motion(&self, from: &[f64], to: &[f64]) -> Outcome<Motion> {
        Ok(self.site.scene.motion().joint_line(self.site.robot, from, to).build()?)
    }

    /// Draws a free configuration within the joint ranges, near an obstacle if the site requires this.
    fn start(&self, random: &mut Random) -> Outcome<Vec<f64>> {
        for _ in 0..DRAWS {
            let at: Vec<f64> = self.site.ranges.iter().map(|&(lower, upper)| random.within(lower, upper)).collect();
            let rest = self.motion(&at, &at)?;
            let is_near = || self.near.as_ref().is_none_or(|near| near.check(&rest).expect("of this scene").contact().is_some());
            if self.checker.check(&rest)?.is_free() && is_near() {
                return Ok(at);
            }
        }
        Err(format!("no free position among {DRAWS}").into())
    }

    /// A step that would leave a joint's range turns in the other direction.
    fn step(&self, from: &[f64], reach: f64, random: &mut Random) -> Vec<f64> {
        let turn = |(q, &(lower, upper)): (&f64, &(f64, f64))| {
            let turn = random.within(0.0, reach) * random.pick(&[-1.0, 1.0]);
            let there = |to: f64| (lower..=upper).contains(&to);
            if there(q + turn) || !there(q - turn) { q + turn } else { q - turn }
        };
        from.iter().zip(&self.site.ranges).map(turn).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::redon::scenes::{arm_among_pipes, arm_in_machine_room, chain_among_pipes};

    const FEW: Wanted = Wanted { colliding: 5, free: 5, tries: 2000 };

    /// Every step starts free, turns no joint by more than the limit, and has the verdict of its list.
    fn check(site: &Site, degrees: f64) {
        let queries = random_path(site, degrees, FEW, 7).expect("free positions");
        assert_eq!((queries.colliding.len(), queries.free.len()), (FEW.colliding, FEW.free));
        let walker = Walker::new(site).expect("good options");
        let is_free = |from: &[f64], to: &[f64]| {
            walker.checker.check(&walker.motion(from, to).expect("a motion")).expect("of this scene").is_free()
        };
        for (steps, free) in [(&queries.colliding, false), (&queries.free, true)] {
            for (from, to) in steps {
                assert!(from.iter().zip(to).all(|(a, b)| (a - b).abs() <= degrees.to_radians() + 1e-12));
                assert!(is_free(from, from));
                assert_eq!(is_free(from, to), free);
            }
        }
        assert_eq!(random_path(site, degrees, FEW, 7).expect("free positions"), queries);
        assert_ne!(random_path(site, degrees, FEW, 8).expect("free positions"), queries);
    }

    #[test]
    fn paths_begin_free_and_end_as_announced() {
        check(&arm_among_pipes().expect("a scene"), 15.0);
        check(&arm_in_machine_room().expect("a scene"), 30.0);
        check(&chain_among_pipes(25).expect("a scene"), 5.0);
    }
}
