//! How near things come: the smallest distance over a whole motion, between two bounds. [Xavier 1997, problem (iii), for any motion]
//!
//! "Is anything within m?" is the question of a margin, and the search answers it for the whole motion with a proof either way:
//!
//! ```text
//!   0          at least              at most
//!   |------------|///////////////////////|------------>  distance
//!     m proven free: at least m            a pair within m: at most its distance, where it comes nearest
//! ```
//! Sound: `at_least` is a margin that was proven free; `at_most` is the distance of two actual points, with their rounding. Margins grow until
//! something is within them; then the nearest pair found is followed to the time at which it is nearest, and it is asked whether anything is
//! nearer by a share of what is open. Each answer leaves a fixed share of it, so the number of questions is bounded by the digits wanted. Where
//! a margin can not be decided, smaller ones are asked about. All questions share one work limit.
//!
//! Which margins are asked about depends on the answers alone and never on the width wanted, which only says when to stop: with a smaller width
//! the same questions are followed by more of them, and the bounds are never farther apart.
//!
//! A margin is a distance, which boxes see only along their axes: from a metre away most pairs of small boxes in a corner of the margin's box
//! are farther than the margin and are not cut. Trees of hulls measure it.

use super::checker::Checker;
use crate::Error;
use crate::geometry::mesh::MAX_COORDINATE;
use crate::math::Vec3;
use crate::motion::Span;
use crate::scene::{Motion, PartId};
use crate::search::containment::Contained;
use crate::search::hulls;
use crate::search::options::{Bound, Options};
use crate::search::pairs::Task;
use crate::search::verdict::{Tally, Verdict};
use crate::search::{Answer, Found, Goal, Items, Limits, Query};

/// The smallest distance over a motion.
#[derive(Clone, Debug, PartialEq)]
pub struct Clearance {
    /// Proven: no checked pair ever comes nearer than this; infinite where nothing is checked.
    pub at_least: f64,
    /// There is a time at which some pair is no farther apart than this.
    pub at_most: f64,
    /// Who that is, when and where.
    pub nearest: Option<Nearest>,
    /// Why the bounds are no nearer to each other.
    pub ended: Ended,
}

/// Why the bounds of a clearance are no nearer to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// They are as near as asked for.
    Width,
    /// They are within what rounding makes of the distance, or of where the vertices that are nearest are.
    Resolution,
    /// Whether anything is within a margin between them can not be decided.
    Undecided,
    /// The work limit is reached, or the query was cancelled.
    Work,
}

/// A place where two parts are near each other.
#[derive(Clone, Debug, PartialEq)]
pub struct Nearest {
    /// When, as a share of the motion.
    pub time: f64,
    /// The parts.
    pub parts: (PartId, PartId),
    /// A point of each, in the world; the same point twice where they overlap or deform.
    pub points: (Vec3, Vec3),
}

/// What a margin comes to.
enum Asked {
    Free,
    /// The distance, how far it may be off, and where.
    Within(f64, f64, Nearest),
    /// `starved`: for want of work.
    Undecided {
        starved: bool,
    },
}

/// Margins asked about at most; each leaves a fixed share of what is open.
const MOST_QUESTIONS: usize = 400;
/// How much nearer than the nearest pair known the next margin is, as a share of what is open.
const STEP: f64 = 1.0 / 16.0;
/// An improvement by less than this share of what is open makes halving the better next question.
const LITTLE: f64 = 0.3;
/// Where margins can not be decided, smaller ones are asked about as long as they may leave this share less open.
const WORTH: f64 = 0.05;
/// Margins grow by this factor while nothing is within them.
const GROWTH: f64 = 4.0;
/// The share of the work that is left which one question may take.
const SHARE: u64 = 4;
/// What trees of hulls leave undecided, the general engine looks at with this much work: it advances pairs over shorter spans.
const SECOND_LOOK: u64 = 200_000;
/// Bounds this close to each other, as a share of the distance, are close enough: coordinates of things so far apart round by little less.
const RELATIVE: f64 = 1e-12;

/// Which margins to ask about, and what is known.
struct Questions {
    found: Clearance,
    /// The next while nothing is within the last.
    growing: f64,
    /// The last answer gained little.
    halve: bool,
    /// Margins from here on could not be decided.
    wall: f64,
    /// How far the distance of the nearest pair may be off.
    error: f64,
    /// Work ran out for the smallest margin that could not be decided.
    starved: bool,
}

impl Questions {
    /// The next margin to ask about; `None` when none is worth asking.
    fn next(&mut self) -> Option<f64> {
        let Clearance { at_least, at_most, .. } = self.found;
        if self.found.nearest.is_none() {
            let margin = self.growing;
            self.growing *= GROWTH;
            return (margin < MOST_DISTANCE).then_some(margin);
        }
        let open = at_most - at_least;
        if self.wall < at_most {
            let below = self.wall - at_least;
            return (below > WORTH * open).then_some(at_least + 0.5 * below);
        }
        let margin = if self.halve { at_least + 0.5 * open } else { at_most - STEP * open };
        (at_least < margin && margin < at_most).then_some(margin)
    }

    /// Bounds nearer to each other mean nothing.
    fn resolution(&self) -> f64 {
        (4.0 * self.error).max(RELATIVE * self.found.at_most)
    }

    /// Whether the bounds are near enough, for a width that is wanted or for what numbers tell apart.
    fn is_narrow(&self, width: f64) -> Option<Ended> {
        let open = self.found.at_most - self.found.at_least;
        // Where nothing was found, neither is known.
        match (open <= width, open < f64::INFINITY && open <= self.resolution()) {
            (true, _) => Some(Ended::Width),
            (_, true) => Some(Ended::Resolution),
            _ => None,
        }
    }

    /// Takes the answer about a margin.
    fn take(&mut self, margin: f64, asked: Asked) {
        let open = self.found.at_most - self.found.at_least;
        match asked {
            Asked::Free => {
                self.found.at_least = self.found.at_least.max(margin);
                self.halve = false;
                // What was not decided before is.
                if self.found.at_least >= self.wall {
                    self.wall = f64::INFINITY;
                }
            }
            Asked::Within(distance, error, nearest) => {
                // Where a wider margin was not decided, this one bounds what is left.
                self.wall = if self.wall <= margin { self.wall } else { f64::INFINITY };
                self.halve = self.found.at_most - distance < LITTLE * open;
                if distance < self.found.at_most {
                    self.error = error;
                    (self.found.at_most, self.found.nearest) = (distance.max(self.found.at_least), Some(nearest));
                }
            }
            Asked::Undecided { starved } if margin <= self.wall => (self.wall, self.starved) = (margin, starved),
            Asked::Undecided { .. } => {}
        }
    }
}

impl Checker {
    /// The smallest distance over a motion, to within `width` metres, or 1e-12 of it, or four times how far the vertices that are nearest may
    /// be off, where it can be decided and work allows; [`Clearance::ended`] says which it was. A smaller width never makes the bounds worse.
    /// The margin of the options means nothing here.
    ///
    /// # Errors
    /// If the width is not a positive number, or the motion belongs to another scene.
    pub fn clearance(&self, motion: &Motion, width: f64) -> Result<Clearance, Error> {
        if !(width > 0.0 && width.is_finite()) {
            return Err(Error::invalid("width", format!("{width} is not a positive number")));
        }
        self.scene().own(motion)?;
        let found = Clearance { at_least: 0.0, at_most: f64::INFINITY, nearest: None, ended: Ended::Width };
        if self.index().tasks.tasks.is_empty() && self.index().tasks.standing.is_empty() && self.index().deforming.is_empty() {
            return Ok(Clearance { at_least: f64::INFINITY, ..found });
        }
        let start = self.index().containment.at(motion, 0.0);
        if let Contained::Found(contact) = start {
            let contact = self.query(motion, Goal::First).crossing_or(*contact);
            let nearest = Nearest { time: 0.0, parts: contact.parts, points: (contact.point, contact.point) };
            return Ok(Clearance { at_most: 0.0, nearest: Some(nearest), ..found });
        }
        let growing = self.index().size.max(LEAST_MARGIN) / 64.0;
        let mut asked = Questions { found, growing, halve: false, wall: f64::INFINITY, error: 0.0, starved: false };
        let mut spent = 0;
        asked.found.ended = match self.ask(motion, width, &mut asked, &mut spent) {
            Ended::Undecided if asked.starved || self.limits().end_at(spent) => Ended::Work,
            ended => ended,
        };
        let mut found = asked.found;
        // Surfaces are apart, but one may be inside of the other.
        if matches!(start, Contained::Unclear) && found.at_least > 0.0 {
            (found.at_least, found.ended) = (0.0, Ended::Undecided);
        }
        Ok(found)
    }

    /// Asks until the bounds are near enough; why that ends.
    fn ask(&self, motion: &Motion, width: f64, asked: &mut Questions, spent: &mut u64) -> Ended {
        // Does anything touch?
        let touching = self.within(motion, 0.0, self.options().tolerance, spent);
        let ends = matches!(touching, Asked::Within(..));
        asked.take(0.0, touching);
        if ends {
            return asked.is_narrow(width).unwrap_or(Ended::Resolution);
        }
        for _ in 0..MOST_QUESTIONS {
            if let Some(ended) = asked.is_narrow(width) {
                return ended;
            }
            if self.limits().end_at(*spent) {
                return Ended::Work;
            }
            let Some(margin) = asked.next() else { return Ended::Undecided };
            // What is within the tolerance may be told either way: it is little beside what a question is to gain.
            let tolerance = self.options().tolerance.min(0.25 * STEP * (asked.found.at_most - margin));
            asked.take(margin, self.within(motion, margin, tolerance, spent));
        }
        Ended::Undecided
    }

    /// Whether anything comes within a margin, with a share of the work that is left.
    fn within(&self, motion: &Motion, margin: f64, tolerance: f64, spent: &mut u64) -> Asked {
        let mut undecided = false;
        let options = self.options().margin(margin).tolerance(tolerance);
        // The first question has to know of every contact: all that is left is for it.
        let share = if margin > 0.0 { SHARE } else { 1 };
        let mut left = self.limits().max_work.saturating_sub(*spent) / share;
        let mut count = |left: &mut u64, tally: Tally| {
            *spent = spent.saturating_add(tally.work().max(1));
            *left = left.saturating_sub(tally.work());
        };
        for tasks in [&self.index().tasks.standing, &self.index().tasks.tasks] {
            if tasks.is_empty() {
                continue;
            }
            let (answer, tally) = self.whether(motion, &options, tasks, left);
            count(&mut left, tally);
            match answer {
                Answer::Free => {}
                // Surfaces that touch: where they do is all there is to say.
                Answer::Contact { found, .. } if margin == 0.0 => {
                    let task = &tasks[found.items.task];
                    let contact = self.index().describe(task, &self.index().relative(&motion.chain, task), &found, 0.0, None);
                    if let Some(inside) = self.index().containment.nested(motion, 0.0, contact.parts) {
                        let nearest = Nearest { time: 0.0, parts: inside.parts, points: (inside.point, inside.point) };
                        return Asked::Within(0.0, 0.0, nearest);
                    }
                    let nearest = Nearest { time: found.hi, parts: contact.parts, points: (contact.point, contact.point) };
                    return Asked::Within(tolerance, 0.0, nearest);
                }
                Answer::Contact { found, .. } => {
                    let (distance, error, nearest) = self.nearest(motion, &tasks[found.items.task], &found);
                    return Asked::Within(distance.min(margin + tolerance), error, nearest);
                }
                Answer::Undecided { .. } => undecided = true,
            }
        }
        let query =
            Query { options: &options, limits: Limits { max_work: left, ..self.limits() }, ..self.query(motion, Goal::Any) };
        let (verdict, tally) = query.with_deforming(Verdict::Free, Tally::default());
        count(&mut left, tally);
        match verdict {
            Verdict::Free if !undecided => Asked::Free,
            Verdict::Free | Verdict::Undecided { .. } => Asked::Undecided { starved: left == 0 },
            // Those two are within margin and tolerance of each other; how near exactly is found by asking on.
            Verdict::Contact(c) => {
                let nearest = Nearest { time: c.time.1, parts: c.parts, points: (c.point, c.point) };
                Asked::Within(margin + tolerance, 0.0, nearest)
            }
        }
    }

    /// Whether anything of these tasks comes within the margin of the options: by hulls where that is a distance to be measured. A pair that can
    /// not be decided ends it: the margin will not be proven free, and a smaller one is the better question.
    fn whether(&self, motion: &Motion, options: &Options, tasks: &[Task], work: u64) -> (Answer, Tally) {
        let ask = |work: u64, doubt_ends: bool| {
            let limits = Limits { max_work: work, doubt_ends, ..self.limits() };
            Query { options, limits, ..self.query(motion, Goal::Any) }
        };
        let of_hulls = |task: &Task| self.index().hulls().of(&self.index().tasks, task).is_some();
        if options.get_margin() <= 0.0 || options.bound != Bound::Tube {
            let (answer, tally, _) = ask(work, false).sweep(tasks, Tally::default());
            return (answer, tally);
        }
        if !tasks.iter().any(of_hulls) {
            let (answer, tally, _) = ask(work, true).sweep(tasks, Tally::default());
            return (answer, tally);
        }
        let (answer, tally) = hulls::search(&ask(work, true), tasks, None);
        if !matches!(answer, Answer::Undecided { .. }) || self.limits().end_at(tally.work()) {
            return (answer, tally);
        }
        let work = work.min(tally.work().saturating_add(SECOND_LOOK));
        let (answer, tally, _) = ask(work, true).sweep(tasks, tally);
        (answer, tally)
    }

    /// A pair that was found near, at the time at which it is nearest; and how far its distance may be off.
    fn nearest(&self, motion: &Motion, task: &Task, found: &Found) -> (f64, f64, Nearest) {
        let Items { moving, resting, .. } = found.items;
        let (relative, pair) = (self.index().relative(&motion.chain, task), self.index().pair(task, moving, resting));
        let error = self.index().tasks.resting[task.resting].item_error;
        let distance = |t: f64| pair.near(&relative.tube(Span::new(t, t)), error);
        let (time, least) = least_near(found.hi, distance);
        let tube = relative.tube(Span::new(time, time));
        let off = error + tube.rounding(self.index().tasks.moving[task.moving].tree.root().reach);
        let points = pair.nearest_points(&tube);
        let to_world = self.index().tree_pose(task, &relative, time);
        let points = (to_world.apply(points.0), to_world.apply(points.1));
        let resting = self.index().tasks.resting[task.resting].owner(resting).0;
        let parts = (self.scene().part_id(self.index().tasks.moving[task.moving].part), self.scene().part_id(resting));
        (least, off, Nearest { time, parts, points })
    }
}

/// Nothing that can be described is farther away.
const MOST_DISTANCE: f64 = 4.0 * MAX_COORDINATE;
/// Nor is anything smaller.
const LEAST_MARGIN: f64 = 1e-45;

/// A time near `start`, within [0, 1], at which a function is small: steps that help grow, others shrink.
fn least_near(start: f64, f: impl Fn(f64) -> f64) -> (f64, f64) {
    let (mut at, mut step) = (start, 1.0 / 64.0);
    let mut least = f(at);
    while step > 1e-10 {
        let tried = [at - step, at + step].map(|t| t.clamp(0.0, 1.0)).map(|t| (t, f(t)));
        let better = if tried[0].1 < tried[1].1 { tried[0] } else { tried[1] };
        if better.1 < least {
            (at, least) = better;
            step *= 1.5;
        } else {
            step *= 0.3;
        }
    }
    (at, least)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Primitive;
    use crate::math::Pose;
    use crate::motion::RigidMotion;
    use crate::{Options, Scene};

    fn two_balls(travel: Vec3, width: f64) -> Clearance {
        let ball = Primitive::sphere(0.5).expect("a size");
        let scene = Scene::builder().body("ball", ball).obstacle("post", ball, Pose::IDENTITY).build().expect("a scene");
        let checker = Checker::new(scene, Options::default()).expect("good options");
        let start = Pose::from_translation(Vec3::new(-2.0, 1.75, 0.0));
        let rigid = RigidMotion { start, end_position: start.translation + travel, rotation_vector: Vec3::ZERO };
        let body = checker.scene().body("ball").expect("there");
        let motion = checker.scene().motion().rigid(body, rigid).build().expect("finite");
        checker.clearance(&motion, width).expect("a width")
    }

    #[test]
    fn balls_that_pass_each_other() {
        let c = two_balls(Vec3::new(4.0, 0.0, 0.0), 1e-6);
        assert!(c.at_least <= 0.75 && 0.75 <= c.at_most && c.at_most - c.at_least <= 1e-6, "{c:?}");
        let nearest = c.nearest.expect("a place");
        assert!((nearest.time - 0.5).abs() < 1e-3);
        let apart = (nearest.points.0 - nearest.points.1).norm();
        assert!((apart - 0.75).abs() < 1e-6 && (nearest.points.1 - Vec3::new(0.0, 0.5, 0.0)).norm() < 1e-2);
    }

    #[test]
    fn balls_that_meet() {
        let c = two_balls(Vec3::new(2.0, -1.75, 0.0), 1e-6);
        assert_eq!((c.at_least, c.nearest.is_some()), (0.0, true));
        assert!(c.at_most <= 1e-9);
    }

    #[test]
    fn widths_that_make_no_sense_are_refused() {
        let scene = Scene::builder().build().expect("a scene");
        let checker = Checker::new(scene, Options::default()).expect("good options");
        let motion = checker.scene().motion().build().expect("finite");
        assert!([0.0, -1.0, f64::NAN, f64::INFINITY].iter().all(|&w| checker.clearance(&motion, w).is_err()));
        // Nothing is near nothing.
        assert_eq!(checker.clearance(&motion, 1e-6).map(|c| c.at_least), Ok(f64::INFINITY));
    }
}
