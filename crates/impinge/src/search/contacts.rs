//! What was found, in the user's terms: parts, features, places; and everything else that touches at the same time.

use std::collections::{BTreeSet, HashMap};
use std::ops::ControlFlow;

use crate::Error;
use crate::geometry::Shape;
use crate::math::{Pose, Vec3};
use crate::motion::{Relative, Span, Tube};
use crate::narrow::Pair;
use crate::narrow::advance::Outcome;
use crate::narrow::closest::Touch;
use crate::narrow::pair::Meeting;
use crate::scene::{Owner, PartId};
use crate::search::containment::PieceOf;
use crate::search::pairs::Task;
use crate::search::sweep::resolve::Seen;
use crate::search::sweep::{SCRATCH, Search, Suspect};
use crate::search::verdict::{Contact, ContactState, Feature, FeatureKind, Tally, Witness};
use crate::search::{Found, Index, Items, Query};

impl Index {
    /// A found contact. Just before it the closest features are those that will touch.
    pub(crate) fn describe(
        &self,
        task: &Task,
        relative: &Relative<'_>,
        found: &Found,
        free_until: f64,
        seen: Option<&Seen>,
    ) -> Contact {
        let Items { moving, resting, .. } = found.items;
        let tell = |tube: &Tube, meeting: &Meeting| self.witness(task, relative, (moving, resting), meeting, tube, found.lo);
        let Witness { parts, features, point, normal, .. } = if let Some(seen) = seen.filter(|seen| seen.is_of(found)) {
            tell(&seen.tube, &seen.meeting)
        } else {
            let tube = relative.tube(Span::new(found.lo, found.lo));
            tell(&tube, &self.pair(task, moving, resting).meeting(&tube))
        };
        let free_until = free_until.min(found.lo);
        Contact { time: (free_until, found.hi), free_until, parts, features, point, normal, state: ContactState::Begins }
    }

    fn witness(&self, task: &Task, relative: &Relative<'_>, items: (u32, u32), m: &Meeting, tube: &Tube, t: f64) -> Witness {
        let (piece, resting) = (&self.tasks.moving[task.moving], &self.tasks.resting[task.resting]);
        let to_world = self.tree_pose(task, relative, t);
        let sides = [(piece.part, piece.piece, items.0 as usize), resting.owner(items.1)];
        self.witness_between(sides, &self.pair(task, items.0, items.1), m, tube, to_world)
    }

    /// A meeting of two items, each given by part, piece and triangle, told in the world.
    pub(crate) fn witness_between(
        &self,
        [(part, piece, item), (other_part, other_piece, other_item)]: [(usize, usize, usize); 2],
        pair: &Pair,
        m: &Meeting,
        tube: &Tube,
        to_world: Pose,
    ) -> Witness {
        let (a, b) = match m.touch {
            Some(Touch::VertexFace { vertex }) => ((FeatureKind::Vertex, vertex), (FeatureKind::Face, 0)),
            Some(Touch::FaceVertex { vertex }) => ((FeatureKind::Face, 0), (FeatureKind::Vertex, vertex)),
            Some(Touch::EdgeEdge { a, b }) => ((FeatureKind::Edge, a), (FeatureKind::Edge, b)),
            None => ((FeatureKind::Solid, 0), (FeatureKind::Solid, 0)),
        };
        Witness {
            parts: (self.scene().part_id(part), self.scene().part_id(other_part)),
            features: (self.feature(part, piece, item, a), self.feature(other_part, other_piece, other_item, b)),
            point: to_world.apply(m.point),
            to: m.to.map(|p| to_world.apply(p)),
            normal: to_world.rotation * unit(direction(pair, m, tube)),
        }
    }

    /// A feature of a mesh, or the solid as a whole.
    fn feature(&self, part: usize, piece: usize, triangle: usize, (kind, corner): (FeatureKind, u8)) -> Feature {
        match self.scene().parts[part].pieces[piece].shape {
            Shape::Mesh(_) if kind != FeatureKind::Solid => Feature { kind, piece, triangle, corner: corner.into() },
            // A mesh against a cylinder: the triangle is known, which of its features is not.
            Shape::Mesh(_) => Feature { kind: FeatureKind::Face, piece, triangle, corner: 0 },
            Shape::Primitive(_) => Feature { kind: FeatureKind::Solid, piece, triangle: 0, corner: 0 },
        }
    }

    /// What a feature is, whichever triangle names it.
    fn identity(&self, part: PartId, f: &Feature) -> Identity {
        let shape = &self.scene().parts[part.index()].pieces[f.piece].shape;
        let Shape::Mesh(mesh) = shape else { return (part.index(), f.piece, 0, [0; 3]) };
        let t = mesh.triangles()[f.triangle];
        let (count, mut vertices) = match f.kind {
            FeatureKind::Vertex => (1, [t[f.corner]; 3]),
            FeatureKind::Edge => (2, [0, t[f.corner], t[(f.corner + 1) % 3]]),
            FeatureKind::Face => (3, t),
            FeatureKind::Solid => (0, [0; 3]),
        };
        vertices.sort_unstable();
        (part.index(), f.piece, count, vertices)
    }

    /// Pose in the world of a task's resting tree, whose coordinates are relative to its origin.
    pub(crate) fn tree_pose(&self, task: &Task, relative: &Relative<'_>, t: f64) -> Pose {
        let mut pose = relative.resting_pose(t, self.scene().origin.unwrap_or(Vec3::ZERO));
        pose.translation = pose.apply(self.tasks.resting[task.resting].tree.origin);
        pose
    }
}

/// Places of contact that are listed at most: 200 bytes each, and as many for telling them apart.
const MOST_WITNESSES: usize = 1 << 19;

/// What touches, each pair of features once.
pub(crate) struct WitnessList<'a> {
    index: &'a Index,
    seen: BTreeSet<[Identity; 2]>,
    all: Vec<Witness>,
}

impl WitnessList<'_> {
    /// Adds one, unless its features are listed already.
    ///
    /// # Errors
    /// If there are too many.
    pub fn add(&mut self, w: Witness) -> Result<(), Error> {
        let of = |part, feature| self.index.identity(part, feature);
        if self.seen.insert([of(w.parts.0, &w.features.0), of(w.parts.1, &w.features.1)]) {
            if self.all.len() >= MOST_WITNESSES {
                return Err(incomplete());
            }
            self.all.push(w);
        }
        Ok(())
    }
}

/// What is told instead of a list that is not whole.
pub(crate) fn incomplete() -> Error {
    Error::Incomplete { what: "list of contacts".into() }
}

/// Part, piece, number of vertices, and these in ascending order.
type Identity = (usize, usize, u8, [u32; 3]);

impl Query<'_> {
    /// Everything in contact at the end of a bracket; at the start of the motion also what is inside of a solid, touching nothing of it.
    ///
    /// # Errors
    /// If work or memory runs out before all of it is found.
    pub(crate) fn witnesses(&self, (lo, hi): (f64, f64)) -> Result<Vec<Witness>, Error> {
        let mut list = WitnessList { index: self.index, seen: BTreeSet::new(), all: Vec::new() };
        let (mut tally, mut places) = (Tally::default(), Vec::new());
        for tasks in [&self.index.tasks.standing, &self.index.tasks.tasks] {
            let (suspects, complete) = SCRATCH.with_borrow_mut(|scratch| {
                let mut search = Search::new(self, tasks, scratch);
                search.begin_with(tally);
                let found = search.all_or_some(Span::new(lo, hi));
                tally = search.tally;
                found
            });
            if !complete {
                return Err(incomplete());
            }
            for s in suspects {
                tally.pair_steps += 1;
                if self.limits.end_at(tally.work()) {
                    return Err(incomplete());
                }
                self.places(&tasks[s.items.task], &s, (lo, hi), &mut places);
                if places.is_empty() && !self.is_apart_at(tasks, &s, hi) {
                    return Err(incomplete());
                }
                places.drain(..).try_for_each(|place| list.add(place))?;
            }
        }
        self.witnesses_of_lines((lo, hi), &mut tally, &mut list)?;
        if hi <= 0.0 {
            self.contained_witnesses(&mut list)?;
            self.inner_first(&mut list.all);
        }
        Ok(list.all)
    }

    /// Every piece that is inside of another when the motion begins, and whose surface does not meet that.
    fn contained_witnesses(&self, list: &mut WitnessList<'_>) -> Result<(), Error> {
        let sides = |parts: (PartId, PartId), (a, b): &(Feature, Feature)| {
            let sides = [(parts.0.index(), a.piece), (parts.1.index(), b.piece)];
            if sides[0] <= sides[1] { sides } else { [sides[1], sides[0]] }
        };
        let meet: BTreeSet<_> = list.all.iter().map(|w| sides(w.parts, &w.features)).collect();
        let flow = self.index.containment.each(self.motion, 0.0, &mut false, |contact| {
            let Contact { parts, features, point, normal, .. } = *contact;
            if meet.contains(&sides(parts, &features)) {
                return ControlFlow::Continue(());
            }
            match list.add(Witness { parts, features, point, to: None, normal }) {
                Ok(()) => ControlFlow::Continue(()),
                Err(error) => ControlFlow::Break(error),
            }
        });
        flow.break_value().map_or(Ok(()), Err)
    }

    /// Puts the inner one first of two parts of which one is wholly inside the other at t = 0.
    fn inner_first(&self, all: &mut [Witness]) {
        let mut known: HashMap<(usize, usize), bool> = HashMap::new();
        for w in all {
            let (a, b) = w.parts;
            let is_outer_first = *known.entry((a.index(), b.index())).or_insert_with(|| {
                self.index.containment.nested(self.motion, 0.0, w.parts).is_some_and(|nested| nested.parts.0 == b)
            });
            if is_outer_first {
                (w.parts, w.features, w.normal) = ((b, a), (w.features.1, w.features.0), -w.normal);
            }
        }
    }

    /// The places at which one pair touches at `hi`: features within margin and tolerance, and what the bracket leaves open.
    fn places(&self, task: &Task, s: &Suspect, (lo, hi): (f64, f64), all: &mut Vec<Witness>) {
        let relative = self.index.relative(&self.motion.chain, task);
        let (over, at) = (relative.tube(Span::new(lo, hi)), relative.tube(Span::new(hi, hi)));
        let Items { moving, resting, .. } = s.items;
        let pair = self.index.pair(task, moving, resting);
        let apart = self.options.margin + self.options.tolerance + pair.travel(&over);
        if pair.near(&at, self.index.tasks.resting[task.resting].item_error) <= apart || pair.overlaps(&at, 0.0) {
            all.extend(
                pair.meetings(&at, apart).iter().map(|m| self.index.witness(task, &relative, (moving, resting), m, &at, hi)),
            );
        }
    }

    /// Tests whether a pair is proven to be farther apart than the margin at an instant.
    fn is_apart_at(&self, tasks: &[Task], s: &Suspect, t: f64) -> bool {
        let at = Suspect { span: Span::new(t, t), lag: f64::INFINITY, ..*s };
        let outcome = SCRATCH.with_borrow_mut(|scratch| Search::new(self, tasks, scratch).advance_first(&at));
        outcome == Outcome::Free
    }

    /// How things stand at t = 0, when a contact was found there; and what overlaps, if anything does.
    pub(crate) fn state_at_start(&self, tasks: &[Task], found: &Found) -> (ContactState, Option<Items>) {
        let mut state = self.state_of(tasks, found.items);
        if state == ContactState::Overlapping {
            return (state, Some(found.items));
        }
        for s in SCRATCH.with_borrow_mut(|s| Search::new(self, tasks, s).all(Span::new(0.0, 0.0))) {
            match self.state_of(tasks, s.items) {
                ContactState::Overlapping => return (ContactState::Overlapping, Some(s.items)),
                ContactState::Touching => state = ContactState::Touching,
                ContactState::Begins | ContactState::Contained => {}
            }
        }
        (state, None)
    }

    /// Where one pair meets at t = 0: in a point of both, if it overlaps.
    pub(crate) fn meeting_at_start(&self, task: &Task, Items { moving, resting, .. }: Items) -> Witness {
        let relative = self.index.relative(&self.motion.chain, task);
        let at = relative.tube(Span::new(0.0, 0.0));
        let meeting = self.index.pair(task, moving, resting).meeting(&at);
        self.index.witness(task, &relative, (moving, resting), &meeting, &at, 0.0)
    }

    /// How one pair stands at t = 0.
    fn state_of(&self, tasks: &[Task], Items { task, moving, resting }: Items) -> ContactState {
        let task = &tasks[task];
        let near = self.options.margin + self.options.tolerance;
        let tube = self.index.relative(&self.motion.chain, task).tube(Span::new(0.0, 0.0));
        let (pair, error) = (self.index.pair(task, moving, resting), self.index.tasks.resting[task.resting].item_error);
        if pair.overlaps(&tube, error) {
            ContactState::Overlapping
        } else if pair.near(&tube, error) <= near {
            ContactState::Touching
        } else {
            ContactState::Begins
        }
    }

    /// A point of one solid lies in another: contained where that is proven of all of a part, or where no surfaces of the two meet; overlapping
    /// otherwise.
    pub(crate) fn crossing_or(&self, found: Contact) -> Contact {
        if let Some(nested) = self.index.containment.nested(self.motion, 0.0, found.parts) {
            return nested;
        }
        match self.crossing(found.parts, |_| true) {
            // The surfaces of what deforms were not looked at.
            None if self.deforms(found.parts.0) || self.deforms(found.parts.1) => found,
            None => Contact { state: ContactState::Contained, ..found },
            // Surfaces that are no more than near meet nowhere: the point inside is a point of both.
            Some((_, ContactState::Begins)) => Contact { state: ContactState::Overlapping, ..found },
            Some((Witness { parts, features, point, normal, .. }, _)) => {
                Contact { parts, features, point, normal, state: ContactState::Overlapping, ..found }
            }
        }
    }

    fn deforms(&self, part: PartId) -> bool {
        matches!(self.index.scene().parts[part.index()].owner, Owner::Deformable { .. })
    }

    /// Whether a piece a point of which lies in another one is inside of that: proven, or no surfaces of the two meet.
    pub(crate) fn is_contained(&self, found: &Contact) -> bool {
        let pieces = [found.features.0.piece, found.features.1.piece];
        let own = |[(part, piece), other]: [PieceOf; 2]| {
            let both = [(found.parts.0, pieces[0]), (found.parts.1, pieces[1])];
            both == [(part, piece), other] || both == [other, (part, piece)]
        };
        found.state == ContactState::Contained || self.crossing(found.parts, own).is_none()
    }

    /// How two parts stand at t = 0, if they are in contact: what says most, and where.
    pub(crate) fn standing(&self, (a, b): (PartId, PartId)) -> Option<Contact> {
        if let Some(nested) = self.index.containment.nested(self.motion, 0.0, (a, b)) {
            return Some(nested);
        }
        let mut best: Option<Contact> = None;
        for tasks in [&self.index.tasks.standing, &self.index.tasks.tasks] {
            for s in SCRATCH.with_borrow_mut(|s| Search::new(self, tasks, s).all(Span::new(0.0, 0.0))) {
                let task = &tasks[s.items.task];
                let owner = self.index.tasks.resting[task.resting].owner(s.items.resting).0;
                let parts = [self.index.tasks.moving[task.moving].part, owner];
                let state = self.state_of(tasks, s.items);
                let is_wanted = parts == [a.index(), b.index()] || parts == [b.index(), a.index()];
                if !is_wanted || state == ContactState::Begins || best.is_some() && state != ContactState::Overlapping {
                    continue;
                }
                let mut places = Vec::new();
                if state == ContactState::Overlapping {
                    places.push(self.meeting_at_start(task, s.items));
                } else {
                    self.places(task, &s, (0.0, 0.0), &mut places);
                }
                let told = places.into_iter().next().map(|Witness { parts, features, point, normal, .. }| Contact {
                    time: (0.0, 0.0),
                    free_until: 0.0,
                    parts,
                    features,
                    point,
                    normal,
                    state,
                });
                best = told.or(best);
                if best.as_ref().is_some_and(|c| c.state == ContactState::Overlapping) {
                    return best;
                }
            }
        }
        let mut unclear = false;
        let inside = self.index.containment.each(self.motion, 0.0, &mut unclear, |found| {
            let is_wanted = found.parts == (a, b) || found.parts == (b, a);
            if is_wanted { ControlFlow::Break(found) } else { ControlFlow::Continue(()) }
        });
        inside.break_value().map(|found| self.crossing_or(*found)).or(best)
    }

    /// The first place at which the surfaces of some pieces of two parts cross at t = 0, or else meet; and how they stand there, which begins
    /// where they are within the margin only.
    fn crossing(&self, (a, b): (PartId, PartId), wanted: impl Fn([PieceOf; 2]) -> bool) -> Option<(Witness, ContactState)> {
        let mut first: Option<(Witness, ContactState)> = None;
        let (start, parts) = ((0.0, 0.0), [(a.index(), b.index()), (b.index(), a.index())]);
        for tasks in [&self.index.tasks.standing, &self.index.tasks.tasks] {
            let moves = |task: &&Task| [a.index(), b.index()].contains(&self.index.tasks.moving[task.moving].part);
            let tasks: Vec<Task> = tasks.iter().filter(moves).copied().collect();
            let suspects = SCRATCH.with_borrow_mut(|s| Search::new(self, &tasks, s).all(Span::new(0.0, 0.0)));
            for s in &suspects {
                let task = &tasks[s.items.task];
                let moving = &self.index.tasks.moving[task.moving];
                let (part, piece, _) = self.index.tasks.resting[task.resting].owner(s.items.resting);
                let id = |part: usize| self.index.scene().part_id(part);
                let is_wanted = wanted([(id(moving.part), moving.piece), (id(part), piece)]);
                let mut places = Vec::new();
                if is_wanted && parts.contains(&(moving.part, part)) {
                    self.places(task, s, start, &mut places);
                }
                if !places.is_empty() {
                    let state = match self.state_of(&tasks, s.items) {
                        ContactState::Touching if self.options.margin > 0.0 => ContactState::Begins,
                        state => state,
                    };
                    let place = (self.meeting_at_start(task, s.items), state);
                    if state == ContactState::Overlapping {
                        return Some(place);
                    }
                    first.get_or_insert(place);
                }
            }
        }
        first
    }
}

/// From the resting to the moving thing: between the closest points, or, where they coincide, across the features that touch, against the
/// motion.
fn direction(pair: &Pair, m: &Meeting, tube: &Tube) -> Vec3 {
    if m.direction.norm() > 1e-12 * m.point.norm1() {
        return m.direction;
    }
    let across = m.touch.map_or(m.direction, |touch| pair.across(touch, tube));
    if across.dot(tube.velocity.vec3()) > 0.0 { -across } else { across }
}

fn unit(v: Vec3) -> Vec3 {
    let length = v.norm();
    if length > 0.0 { v * (1.0 / length) } else { Vec3::ZERO }
}
