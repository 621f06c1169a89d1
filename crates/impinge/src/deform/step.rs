//! Bodies against each other, and against themselves, from one instant to the next.
//!
//! ```text
//! positions ─► boxes of vertices ─► trees refitted ─► pairs of triangles whose boxes meet ─► pairs of features ─► exact
//! ```
//! A [`StepChecker`] is what a simulation holds: it keeps the shape of its trees, and what it has proven: where the last step was free,
//! the next one begins apart.

use std::ops::ControlFlow;

use rayon::prelude::*;

use super::Lines;
use super::features::{Fine, Side, owned};
use super::solids::{Inside, Solid, nested};
use super::touch::{Found, MAX_WORK, Room, StepAnswer};
use crate::Error;
use crate::bvh::tree::{Next, TreePair};
use crate::bvh::{Box32, SweptTree};
use crate::geometry::mesh::checked_error;
use crate::math::Vec3;
use crate::math::rounding::next_up;
use crate::narrow::features::Settings;

/// Who may touch whom.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Who {
    /// Every body with itself and with every other.
    #[default]
    All,
    /// Every body with itself only.
    Own,
    /// Different bodies only.
    Others,
}

/// Options of a [`StepChecker`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepOptions {
    /// Contact is a distance of at most this; 0 by default, and only then is every answer exact.
    pub margin: f64,
    /// Who may touch whom.
    pub who: Who,
    /// All contacts of the step, not only the first.
    pub all: bool,
}

impl StepOptions {
    pub(super) fn settings(margin: f64) -> Result<Settings, Error> {
        if !(margin >= 0.0 && margin.is_finite()) {
            return Err(Error::invalid("margin", format!("{margin} is not a finite number of at least 0")));
        }
        let exact = margin == 0.0;
        Ok(Settings { margin, exact, max_steps: if exact { 64 } else { 256 }, ..Settings::default() })
    }
}

/// A body and its tree.
#[derive(Clone, Debug)]
struct Body {
    triangles: Vec<[u32; 3]>,
    owned: Vec<u8>,
    /// How many vertices its triangles need.
    vertices: usize,
    boxes: Vec<Box32>,
    tree: Option<SweptTree>,
    solid: Solid,
    /// Where nothing touches, proven by an earlier step.
    apart: Vec<Vec3>,
}

/// Answers for steps of a fixed set of bodies, one step after the other or any others.
#[derive(Clone, Debug)]
pub struct StepChecker {
    bodies: Vec<Body>,
    options: StepOptions,
    /// How far a vertex may be from the described one.
    error: f64,
    /// With a margin that is larger by twice that.
    settings: Settings,
    max_work: u64,
}

/// Parts that the work is cut into, whatever the number of threads.
const PARTS: usize = 1024;

impl StepChecker {
    /// For bodies given by their triangles. Neighbours are those that share vertices, by index: they do not touch where they are joined.
    ///
    /// # Errors
    /// If the margin is negative or not finite.
    pub fn new(bodies: &[&[[u32; 3]]], options: StepOptions) -> Result<Self, Error> {
        let settings = StepOptions::settings(options.margin)?;
        let body = |triangles: &&[[u32; 3]]| Body {
            triangles: triangles.to_vec(),
            owned: owned(triangles),
            vertices: triangles.iter().flatten().max().map_or(0, |&most| most as usize + 1),
            boxes: Vec::new(),
            tree: None,
            solid: Solid::default(),
            apart: Vec::new(),
        };
        Ok(StepChecker { bodies: bodies.iter().map(body).collect(), options, error: 0.0, settings, max_work: MAX_WORK })
    }

    /// Accepts vertices that are each within `error` metres of the described ones, as those of [`crate::Mesh::within`]. A distance below the sum
    /// of margin and twice `error` counts as a contact, which then is no proof.
    ///
    /// # Errors
    /// If the error is negative or not finite.
    pub fn within(mut self, error: f64) -> Result<Self, Error> {
        self.error = checked_error("bodies of a step", error)?;
        let margin = self.options.margin;
        self.settings = StepOptions::settings(if error > 0.0 { next_up(margin + 2.0 * error) } else { margin })?;
        Ok(self)
    }

    /// Sets the number of pairs of nodes and of features after which a step ends. It returns the contacts found, and nothing is proven free, see
    /// [`StepAnswer::out_of_work`]. 200 million by default.
    #[must_use]
    pub fn max_work(self, max_work: u64) -> Self {
        StepChecker { max_work, ..self }
    }

    /// One step: where the vertices of each body start and end.
    ///
    /// # Errors
    /// If there are not as many as bodies, a body has too few vertices or different numbers of them, or a coordinate is not finite or
    /// beyond [`crate::geometry::mesh::MAX_COORDINATE`].
    pub fn check(&mut self, lines: &[Lines<'_>]) -> Result<StepAnswer, Error> {
        self.validate(lines)?;
        self.refit(lines);
        let known = self.bodies.iter().zip(lines).all(|(body, l)| body.apart.as_slice() == l.start);
        let mut answer = StepAnswer::default();
        let mut room = Room::new(self.max_work);
        for i in 0..self.bodies.len() {
            for j in i..self.bodies.len() {
                let wanted = match self.options.who {
                    Who::All => true,
                    Who::Own => i == j,
                    Who::Others => i != j,
                };
                if wanted {
                    answer.add(self.between((i, j), lines, !known, &mut room));
                }
            }
        }
        answer.finish(self.options.all);
        // What was apart is not inside of anything by now, and surfaces that meet at the start say more.
        let meets = answer.contacts.iter().any(|c| c.time.1 <= 0.0);
        if !known && !meets && !answer.out_of_work && self.options.who != Who::Own {
            answer.contained = self.contained(lines);
        }
        if self.error > 0.0 {
            answer.contacts.iter_mut().for_each(|touch| touch.certified = false);
        }
        self.remember(lines, &answer);
        Ok(answer)
    }

    /// A body that is inside of another when the step begins, where no surfaces meet.
    fn contained(&mut self, lines: &[Lines<'_>]) -> Option<Inside> {
        if self.bodies.len() < 2 {
            return None;
        }
        for (body, l) in self.bodies.iter_mut().zip(lines) {
            body.solid.refresh(&body.triangles, l.start);
        }
        let side = |k: usize| (k, &self.bodies[k].solid, lines[k].start);
        let pairs = (0..self.bodies.len()).flat_map(|i| (i + 1..self.bodies.len()).map(move |k| (i, k)));
        pairs.into_iter().find_map(|(i, k)| nested(side(i), side(k)))
    }

    /// Builds the trees anew for where bodies are in the next step: after great deformation that makes it faster.
    pub fn rebuild(&mut self) {
        self.bodies.iter_mut().for_each(|body| body.tree = None);
    }

    fn validate(&self, lines: &[Lines<'_>]) -> Result<(), Error> {
        if lines.len() != self.bodies.len() {
            return Err(Error::invalid("step", format!("{} bodies are given, there are {}", lines.len(), self.bodies.len())));
        }
        for (i, (body, l)) in self.bodies.iter().zip(lines).enumerate() {
            let counts = (l.start.len(), l.end.len());
            if counts.0 != counts.1 || counts.0 < body.vertices {
                let what = format!(
                    "{} vertices at the start and {} at the end; its triangles need {}",
                    counts.0, counts.1, body.vertices
                );
                return Err(Error::invalid(format!("body {i}"), what));
            }
            (0..counts.0).into_par_iter().with_min_len(8192).try_for_each(|v| l.check(v))?;
        }
        Ok(())
    }

    /// Boxes of vertices, then of nodes. All are relative to one place, for the sake of `f32`.
    fn refit(&mut self, lines: &[Lines<'_>]) {
        let origin = lines.iter().find_map(|l| l.start.first().copied()).unwrap_or(Vec3::ZERO);
        let by = if self.settings.margin > 0.0 { next_up(0.5 * self.settings.margin) } else { 0.0 };
        for (body, l) in self.bodies.iter_mut().zip(lines).filter(|(body, _)| !body.triangles.is_empty()) {
            let line = (l.start, l.end).into_par_iter().with_min_len(4096);
            line.map(|(&a, &b)| Box32::of_line(a, b, origin, by)).collect_into_vec(&mut body.boxes);
            match &mut body.tree {
                Some(tree) => tree.refit_to(&body.triangles, &body.boxes),
                None => body.tree = Some(SweptTree::of_triangles(&body.triangles, &body.boxes)),
            }
        }
    }

    fn between(&self, (i, j): (usize, usize), lines: &[Lines<'_>], start_unknown: bool, room: &mut Room) -> StepAnswer {
        let (Some(x), Some(y)) = (&self.bodies[i].tree, &self.bodies[j].tree) else { return StepAnswer::default() };
        let side = |k: usize| {
            let Body { triangles, owned, boxes, .. } = &self.bodies[k];
            Side { body: k, triangles, owned, lines: lines[k], boxes, names: None }
        };
        let fine = Fine { a: side(i), b: side(j), own: i == j, start_unknown, settings: self.settings };
        let trees = TreePair { a: x, b: y, own: i == j };
        in_rounds(trees.parts(PARTS, |nodes| trees.by_boxes(&nodes)), room, |(i, j), share| {
            let mut found = Found::new(self.options.all).with_room(share);
            // Ends where the budget does.
            let _ended: ControlFlow<()> = trees.traverse(&mut vec![(i, j, ())], |nodes| {
                let next = trees.by_boxes(&nodes);
                if !matches!(next, Next::Prune) && trees.leaves(nodes.a, nodes.b) {
                    fine.pair(x.items(nodes.a)[0], y.items(nodes.b)[0], &mut found);
                }
                if found.count(1) { ControlFlow::Continue(next) } else { ControlFlow::Break(()) }
            });
            found
        })
    }

    /// A free step proves where it ends, any other where it starts, unless something touches there.
    fn remember(&mut self, lines: &[Lines<'_>], answer: &StepAnswer) {
        let (free, begins_apart) = (answer.is_free(), answer.free_until() > 0.0);
        for (body, l) in self.bodies.iter_mut().zip(lines) {
            body.apart.clear();
            if free || begins_apart {
                body.apart.extend_from_slice(if free { l.end } else { l.start });
            }
        }
    }
}

/// Searches parts side by side with equal shares of the room, then those again that their share was too small for, with what the others left,
/// as long as that finishes any. Which ones these are does not depend on the number of threads.
fn in_rounds<P: Copy + Send + Sync>(parts: Vec<P>, room: &mut Room, search: impl Fn(P, Room) -> Found + Sync) -> StepAnswer {
    let (mut answer, mut left) = (StepAnswer::default(), parts);
    while !left.is_empty() {
        let share = room.share(left.len());
        let found: Vec<Found> = left.par_iter().map(|&part| search(part, share)).collect();
        let again: Vec<P> = left.iter().zip(&found).filter(|(_, found)| !found.may_go_on()).map(|(&part, _)| part).collect();
        let last = again.len() == left.len();
        for found in found {
            let ended = found.may_go_on();
            *room = if ended || last { room.without(&found) } else { Room { contacts: room.contacts, ..room.without(&found) } };
            if ended || last {
                answer.add(found.answer());
            }
        }
        left = if last { Vec::new() } else { again };
    }
    answer
}
