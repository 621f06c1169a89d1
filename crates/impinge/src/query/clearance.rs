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
//! something is within them; then the nearest pair found is followed to the time at which it is nearest, and it is asked at once whether
//! anything is nearer. Where that gains little, margins are halved, so that the number of questions is bounded by the digits wanted. Where a
//! margin can not be decided, smaller ones are asked about. All questions share one work limit.

use super::checker::Checker;
use crate::Error;
use crate::geometry::mesh::MAX_COORDINATE;
use crate::math::Vec3;
use crate::motion::Span;
use crate::scene::{Motion, PartId};
use crate::search::containment::Contained;
use crate::search::pairs::Task;
use crate::search::sweep::{SCRATCH, Search};
use crate::search::verdict::{Tally, Verdict};
use crate::search::{Answer, Found, Goal, Items, Query};

/// The smallest distance over a motion.
#[derive(Clone, Debug, PartialEq)]
pub struct Clearance {
    /// Proven: no checked pair ever comes nearer than this; infinite where nothing is checked.
    pub at_least: f64,
    /// There is a time at which some pair is no farther apart than this.
    pub at_most: f64,
    /// Who that is, when and where.
    pub nearest: Option<Nearest>,
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
    Undecided,
}

/// Margins asked about at most; each halves what is open, or better.
const MOST_QUESTIONS: usize = 200;
/// An improvement by less than this share of what is open makes halving the better next question.
const LITTLE: f64 = 0.1;
/// Margins grow by this factor while nothing is within them.
const GROWTH: f64 = 4.0;
/// Bounds this close to each other, as a share of the distance, are close enough: coordinates of things so far apart round by little less.
const RELATIVE: f64 = 1e-12;

/// Which margins to ask about.
struct Questions {
    /// The next while nothing is within the last.
    growing: f64,
    /// The last answer gained little.
    halve: bool,
    /// Margins from here on could not be decided.
    wall: f64,
    /// How far the distance found last may be off.
    error: f64,
}

impl Questions {
    /// The next margin to ask about; `None` when the bounds are as near to each other as they can be.
    fn next(&mut self, question: usize, found: &Clearance, width: f64) -> Option<f64> {
        if question == 0 {
            return Some(0.0);
        }
        if found.nearest.is_none() {
            let margin = self.growing;
            self.growing *= GROWTH;
            return (margin < MOST_DISTANCE).then_some(margin);
        }
        let width = width.max(4.0 * self.error).max(RELATIVE * found.at_most);
        let open = found.at_most.min(self.wall) - found.at_least;
        if open <= width {
            return None;
        }
        let halve = self.halve || self.wall < found.at_most;
        Some(if halve { found.at_least + 0.5 * open } else { (found.at_most - 0.9 * width).max(0.0) })
    }
}

impl Checker {
    /// The smallest distance over a motion, to within `width` metres, or 1e-12 of it, or four times how far the vertices that are nearest may
    /// be off, where work allows. The margin of the options means nothing here.
    ///
    /// # Errors
    /// If the width is not a positive number, or the motion belongs to another scene.
    pub fn clearance(&self, motion: &Motion, width: f64) -> Result<Clearance, Error> {
        if !(width > 0.0 && width.is_finite()) {
            return Err(Error::invalid("width", format!("{width} is not a positive number")));
        }
        self.scene().own(motion)?;
        // What is within the tolerance may be told either way.
        let width = width.max(8.0 * self.options().tolerance);
        let mut found = Clearance { at_least: 0.0, at_most: f64::INFINITY, nearest: None };
        if self.index().tasks.tasks.is_empty() && self.index().tasks.standing.is_empty() && self.index().deforming.is_empty() {
            found.at_least = f64::INFINITY;
            return Ok(found);
        }
        let start = self.index().containment.at(motion, 0.0);
        if let Contained::Found(contact) = start {
            let contact = self.query(motion, Goal::First).crossing_or(*contact);
            let nearest = Nearest { time: 0.0, parts: contact.parts, points: (contact.point, contact.point) };
            return Ok(Clearance { at_least: 0.0, at_most: 0.0, nearest: Some(nearest) });
        }
        let mut asked = Questions { growing: self.index().size.max(width) / 64.0, halve: false, wall: f64::INFINITY, error: 0.0 };
        let mut spent = Tally::default();
        for question in 0..MOST_QUESTIONS {
            let margin = match asked.next(question, &found, width) {
                Some(margin) if !self.limits().end_at(spent.work()) => margin,
                _ => break,
            };
            let open = found.at_most - found.at_least;
            match self.within(motion, margin, &mut spent) {
                Asked::Free => {
                    found.at_least = margin.max(found.at_least);
                    asked.halve = false;
                    // What was not decided before is.
                    if found.at_least >= asked.wall {
                        asked.wall = f64::INFINITY;
                    }
                }
                Asked::Within(distance, error, nearest) => {
                    asked.error = error;
                    asked.halve = found.at_most - distance < LITTLE * open;
                    if distance < found.at_most {
                        (found.at_most, found.nearest) = (distance, Some(nearest));
                    }
                    if margin == 0.0 {
                        break;
                    }
                }
                Asked::Undecided => asked.wall = asked.wall.min(margin),
            }
        }
        // Surfaces are apart, but one may be inside of the other.
        if matches!(start, Contained::Unclear) {
            found.at_least = 0.0;
        }
        Ok(found)
    }

    /// Whether anything comes within a margin, with the work that is left.
    fn within(&self, motion: &Motion, margin: f64, spent: &mut Tally) -> Asked {
        let mut undecided = false;
        let options = self.options().margin(margin);
        let query = Query { options: &options, ..self.query(motion, Goal::Any) };
        for tasks in [&self.index().tasks.standing, &self.index().tasks.tasks] {
            let answer = SCRATCH.with_borrow_mut(|scratch| {
                let mut search = Search::new(&query, tasks, scratch);
                search.begin_with(*spent);
                let answer = search.run();
                *spent = search.tally;
                answer
            });
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
                    return Asked::Within(self.options().tolerance, 0.0, nearest);
                }
                Answer::Contact { found, .. } => {
                    let (distance, error, nearest) = self.nearest(motion, &tasks[found.items.task], &found);
                    return Asked::Within(distance.min(margin + self.options().tolerance), error, nearest);
                }
                Answer::Undecided { .. } => undecided = true,
            }
        }
        let (verdict, tally) = query.with_deforming(Verdict::Free, *spent);
        *spent = tally;
        match verdict {
            Verdict::Free if !undecided => Asked::Free,
            Verdict::Free | Verdict::Undecided { .. } => Asked::Undecided,
            // Those two are within margin and tolerance of each other; how near exactly is found by asking on.
            Verdict::Contact(c) => {
                let nearest = Nearest { time: c.time.1, parts: c.parts, points: (c.point, c.point) };
                Asked::Within(margin + self.options().tolerance, 0.0, nearest)
            }
        }
    }

    /// A pair that was found near, at the time at which it is nearest; and how far its distance may be off.
    fn nearest(&self, motion: &Motion, task: &Task, found: &Found) -> (f64, f64, Nearest) {
        let Items { moving, resting, .. } = found.items;
        let (relative, pair) = (self.index().relative(&motion.chain, task), self.index().pair(task, moving, resting));
        let error = self.index().tasks.resting[task.resting].item_error;
        let distance = |t: f64| pair.near(&relative.tube(Span::new(t, t)), error);
        let (time, least) = least_near(found.hi, distance);
        let tube = relative.tube(Span::new(time, time));
        let off = error + tube.rounding(self.index().tasks.moving[task.moving].tree.nodes[0].reach);
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
