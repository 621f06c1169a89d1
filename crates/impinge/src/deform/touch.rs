//! What was found in one step.

use super::solids::Inside;
use crate::math::Vec3;
use crate::narrow::features::Kind;

/// What of a body touches, by its vertices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Element {
    /// A vertex.
    Vertex(u32),
    /// An edge.
    Edge([u32; 2]),
    /// A triangle.
    Face([u32; 3]),
}

/// One side of a contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Touching {
    /// Which body, in the order given. In a [`super::ToolChecker`] 0 is the tool and 1 the body.
    pub body: usize,
    /// A triangle that has the element; of several, always the same one.
    pub triangle: u32,
    /// What of it.
    pub element: Element,
}

/// A contact of two features: vertex/face, edge/edge or, where bodies cross when the step begins, edge/face.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touch {
    /// Closed bracket of when these two features first touch.
    pub time: (f64, f64),
    /// Proven, not only within the tolerance. Always so without a margin, for vertices that are where they are given.
    pub certified: bool,
    /// The vertex, or an edge, and what it meets.
    pub sides: [Touching; 2],
    /// Where, at `time.1` (rounded).
    pub point: Vec3,
    /// Unit vector across both features, towards the first; zero where it is not determined.
    pub normal: Vec3,
}

impl Touch {
    /// Whether surfaces cross: an edge goes through a face.
    pub(crate) fn crosses(&self) -> bool {
        matches!(self.sides.map(|s| s.element), [Element::Edge(_), Element::Face(_)])
    }

    /// By time, then by features: an order that depends on nothing else.
    pub(crate) fn order(&self, other: &Touch) -> std::cmp::Ordering {
        self.time.0.total_cmp(&other.time.0).then(self.time.1.total_cmp(&other.time.1)).then(self.sides.cmp(&other.sides))
    }
}

/// What a step comes to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StepAnswer {
    /// Contacts by time: all of them, or all that begin within the bracket of the first; of more than 512 of these, some may be missing.
    pub contacts: Vec<Touch>,
    /// A body that is wholly inside another, a solid, when the step begins; told where no surfaces meet at that time.
    pub contained: Option<Inside>,
    /// From when on something is not proven either way; only with a margin, or for positions that are not finite.
    pub undecided: Option<f64>,
    /// Pairs of features tested.
    pub tests: u64,
    /// The work limit was reached, or all contacts were asked for and there are more than 2^19: contacts may be missing, and `undecided` is 0.
    pub out_of_work: bool,
}

impl StepAnswer {
    /// Proven: nothing comes within the margin at any t in [0, 1], nor is anything inside of a solid.
    pub fn is_free(&self) -> bool {
        self.contacts.is_empty() && self.undecided.is_none() && self.contained.is_none()
    }

    /// The first contact.
    pub fn first(&self) -> Option<&Touch> {
        self.contacts.first()
    }

    /// Everything before this is proven free.
    pub fn free_until(&self) -> f64 {
        if self.contained.is_some() {
            return 0.0;
        }
        let contact = self.first().map_or(1.0, |c| c.time.0);
        contact.min(self.undecided.unwrap_or(1.0))
    }

    pub(super) fn add(&mut self, other: StepAnswer) {
        self.contacts.extend(other.contacts);
        self.doubt(other.undecided);
        self.tests += other.tests;
        self.out_of_work |= other.out_of_work;
    }

    pub(crate) fn doubt(&mut self, from: Option<f64>) {
        self.undecided = self.undecided.into_iter().chain(from).reduce(f64::min);
    }

    /// Sorts contacts; keeps those that begin within the bracket of the first, unless all are wanted.
    pub(super) fn finish(&mut self, all: bool) {
        self.contacts.sort_by(Touch::order);
        if let (false, Some(first)) = (all, self.contacts.first().copied()) {
            let end = self.contacts.iter().fold(first.time.1, |end, c| end.min(c.time.1));
            self.contacts.retain(|c| c.time.0 <= end);
        }
    }
}

/// Contacts that are listed at most: 140 bytes each.
pub(super) const MOST_CONTACTS: usize = 1 << 19;

/// Work of one search by default, as for a query of a scene: pairs of nodes and pairs of features.
pub(super) const MAX_WORK: u64 = 200_000_000;

/// The budget of a search: work and contacts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Room {
    /// Pairs of nodes and pairs of features.
    pub work: u64,
    /// Contacts that are listed.
    pub contacts: usize,
}

impl Room {
    pub fn new(work: u64) -> Room {
        Room { work, contacts: MOST_CONTACTS }
    }

    /// An equal share of it for each of so many.
    pub fn share(self, of: usize) -> Room {
        Room { work: self.work / of.max(1) as u64, contacts: self.contacts / of.max(1) }
    }

    /// Returns the budget that a search leaves.
    pub fn without(self, found: &Found) -> Room {
        let contacts = self.contacts.saturating_sub(found.answer.contacts.len());
        Room { work: self.work.saturating_sub(found.work()), contacts }
    }
}

/// What was found so far.
#[derive(Debug)]
pub(super) struct Found {
    pub answer: StepAnswer,
    limit: f64,
    all: bool,
    room: Room,
    /// Work besides tests.
    others: u64,
}

impl Found {
    pub fn new(all: bool) -> Found {
        Found { answer: StepAnswer::default(), limit: f64::INFINITY, all, room: Room::new(u64::MAX), others: 0 }
    }

    /// The same with less room.
    pub fn with_room(self, room: Room) -> Found {
        Found { room, ..self }
    }

    /// Counts work besides the tests; whether the search may go on.
    pub fn count(&mut self, work: u64) -> bool {
        self.others += work;
        self.may_go_on()
    }

    /// Tests whether the budget is not exhausted. Contacts never exhaust it where only the first one is wanted.
    pub fn may_go_on(&self) -> bool {
        self.work() <= self.room.work && !(self.all && self.answer.contacts.len() > self.room.contacts)
    }

    /// Tests, each contact as several, and what was counted besides.
    pub fn work(&self) -> u64 {
        self.others + self.answer.tests
    }

    /// The answer: whatever was found, and nothing proven free where the search ended early.
    pub fn answer(mut self) -> StepAnswer {
        if !self.may_go_on() {
            self.answer.doubt(Some(0.0));
            self.answer.out_of_work = true;
        }
        self.answer
    }

    /// Nothing that begins after this is wanted.
    pub fn limit(&self) -> f64 {
        self.limit
    }

    /// Nothing that begins after `limit` is wanted.
    pub fn before(self, limit: f64) -> Found {
        Found { limit: self.limit.min(limit), ..self }
    }

    /// Keeps one contact, the one that is proven first (of equals one that crosses, then by features), and lets it begin when the earliest
    /// of all may: memory does not grow with the number of contacts. Whether it crosses at the start: nothing is earlier or worse.
    pub fn keep_first(&mut self) -> bool {
        let contacts = &mut self.answer.contacts;
        let earliest = contacts.iter().map(|c| c.time.0).fold(f64::INFINITY, f64::min);
        let first = |a: &&Touch, b: &&Touch| {
            a.time.1.total_cmp(&b.time.1).then(b.crosses().cmp(&a.crosses())).then(a.sides.cmp(&b.sides))
        };
        let Some(&found) = contacts.iter().min_by(first) else { return false };
        *contacts = vec![Touch { time: (earliest, found.time.1), ..found }];
        found.time.1 <= 0.0 && found.crosses()
    }

    pub fn add(&mut self, touch: Touch) {
        if !self.all {
            self.limit = self.limit.min(touch.time.1);
        }
        self.answer.contacts.push(touch);
        if !self.all && self.answer.contacts.len() > 2 * self.room.contacts.max(1) {
            self.thin_out();
        }
    }

    /// Drops what begins after the first contact, then the last of what is left, down to the room for contacts. The one that begins first
    /// and the one that is proven first stay.
    fn thin_out(&mut self) {
        let (contacts, limit) = (&mut self.answer.contacts, self.limit);
        contacts.retain(|c| c.time.0 <= limit);
        contacts.sort_by(Touch::order);
        let room = self.room.contacts.max(1);
        let Some(proven) = contacts.iter().position(|c| c.time.1 <= limit) else { return };
        if contacts.len() > room {
            let proven = contacts[proven];
            contacts.truncate(room);
            if !contacts.contains(&proven) {
                contacts.push(proven);
            }
        }
    }
}

/// Where two features meet, and across which direction: four vertices, as in [`crate::features::FeaturePair`].
pub(super) fn place(kind: Kind, p: &[Vec3; 4]) -> (Vec3, Vec3) {
    match kind {
        Kind::VertexFace => (p[0], unit((p[2] - p[1]).cross(p[3] - p[1]), Vec3::ZERO)),
        Kind::EdgeEdge => {
            let (d, e) = (p[1] - p[0], p[3] - p[2]);
            let n = d.cross(e);
            let along = n.dot((p[2] - p[0]).cross(e)) / n.norm_squared();
            let along = if along.is_finite() { along.clamp(0.0, 1.0) } else { 0.5 };
            (p[0] + d * along, unit(n, Vec3::ZERO))
        }
    }
}

/// `n` of length one; `otherwise` where it has none.
fn unit(n: Vec3, otherwise: Vec3) -> Vec3 {
    let length = n.norm();
    if length > 0.0 && length.is_finite() { n * (1.0 / length) } else { otherwise }
}
