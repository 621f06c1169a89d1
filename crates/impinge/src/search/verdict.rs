//! What comes out: never more than was proven.

use crate::math::Vec3;
use crate::scene::PartId;

/// The answer to a question about a whole motion.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// Proven: at every instant every checked pair is farther apart than the margin.
    Free,
    /// Contact, bracketed.
    Contact(Box<Contact>),
    /// Not proven either way; free before `free_until`.
    Undecided {
        /// Everything before this time is proven free.
        free_until: f64,
    },
}

impl Verdict {
    /// Whether the motion is proven free.
    pub fn is_free(&self) -> bool {
        matches!(self, Verdict::Free)
    }

    /// The contact, if there is one.
    pub fn contact(&self) -> Option<&Contact> {
        match self {
            Verdict::Contact(c) => Some(c),
            Verdict::Free | Verdict::Undecided { .. } => None,
        }
    }
}

/// A contact: the motion is proven free before `time.0` (of the first contact; 0 when any contact was asked for), and touches at `time.1`.
#[derive(Clone, Debug, PartialEq)]
pub struct Contact {
    /// Bracket `[lo, hi]` of its time.
    pub time: (f64, f64),
    /// Everything before this is proven free.
    pub free_until: f64,
    /// The two parts.
    pub parts: (PartId, PartId),
    /// Which features touch.
    pub features: (Feature, Feature),
    /// Where, in the world.
    pub point: Vec3,
    /// Unit vector from the second part to the first; zero where it is not determined.
    pub normal: Vec3,
    /// How things stand at the start, or that the contact begins later.
    pub state: ContactState,
}

/// How a contact begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContactState {
    /// After the start of the motion.
    Begins,
    /// At the start, surfaces meet and nothing is proven to cross.
    Touching,
    /// At the start, surfaces cross.
    Overlapping,
    /// At the start, the first part (a component of it) is wholly inside the second, a solid.
    Contained,
}

/// One place of contact, of all there are at one time.
#[derive(Clone, Debug, PartialEq)]
pub struct Witness {
    /// The two parts.
    pub parts: (PartId, PartId),
    /// Which features touch.
    pub features: (Feature, Feature),
    /// Where, in the world.
    pub point: Vec3,
    /// The other end, where parallel edges touch along a segment.
    pub to: Option<Vec3>,
    /// Unit vector from the second part to the first; zero where it is not determined.
    pub normal: Vec3,
}

/// What of a part is in contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Feature {
    /// Vertex, edge, face, or the solid as a whole.
    pub kind: FeatureKind,
    /// Which of the part's pieces.
    pub piece: usize,
    /// Which triangle of the piece's mesh; 0 for solids.
    pub triangle: usize,
    /// Which corner (for a vertex), or the first corner of which edge.
    pub corner: usize,
}

/// A kind of [`Feature`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FeatureKind {
    /// A corner of a triangle.
    Vertex,
    /// An edge of a triangle.
    Edge,
    /// The inside of a triangle.
    Face,
    /// A box, sphere, cylinder or capsule; or a mesh taken as a solid.
    Solid,
}

/// Work done, in counts that do not depend on the machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Swept boxes made.
    pub boxes: u64,
    /// Tests of one swept box against eight resting boxes.
    pub pack_tests: u64,
    /// Tests of one swept triangle against eight resting triangles.
    pub triangle_tests: u64,
    /// Pairs of items that reached the exact stage.
    pub pairs: u64,
    /// Steps in time of single pairs.
    pub pair_steps: u64,
    /// Link states computed.
    pub link_states: u64,
}

impl Tally {
    /// What the work limit counts.
    #[inline(always)]
    pub(crate) fn work(&self) -> u64 {
        self.boxes + self.pack_tests + self.pair_steps
    }
}
