//! What is kept between questions about the same two trees: the optimisations of Xavier's appendix, each of which can be switched off.
//!
//! Everything kept is a hint. A pair of triangles that was closest is measured anew; a simplex is made of the vertices as they now are; a
//! pair of nodes that is not tested is opened. So answers are as true with the hints of other trees.

use super::search::Step;

/// Which optimisations are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tricks {
    /// Measures the pair of triangles first that was closest the last time.
    pub closest_pair: bool,
    /// Ends GJK as soon as a pair of nodes is known to be far enough, or near enough to be opened.
    pub stop_early: bool,
    /// Opens pairs of nodes without a test where the last test did not cut. Off unless asked for: bounds that were not computed do not tell
    /// which child is nearer, and poses that have little to do with each other then cost twice as much.
    pub cut_table: bool,
    /// Starts GJK from the simplex that the same pair ended with the last time.
    pub simplices: bool,
}

impl Default for Tricks {
    fn default() -> Self {
        Tricks { closest_pair: true, stop_early: true, cut_table: false, simplices: true }
    }
}

impl Tricks {
    /// Those that need no memory: for a single question.
    pub const ONCE: Tricks = Tricks { closest_pair: false, stop_early: true, cut_table: false, simplices: false };
    /// None of them.
    pub const NONE: Tricks = Tricks { closest_pair: false, stop_early: false, cut_table: false, simplices: false };
}

/// Work done by the last question.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DistanceTally {
    /// Pairs of nodes compared by their balls.
    pub balls: u64,
    /// Pairs of nodes compared by their hulls.
    pub hulls: u64,
    /// Pairs of triangles measured.
    pub triangles: u64,
    /// Support points looked for.
    pub supports: u64,
}

impl DistanceTally {
    /// What the work limit counts.
    pub(super) fn work(&self) -> u64 {
        self.balls + self.triangles
    }
}

/// Memory from one question to the next. For one pair of trees; use another for another pair.
#[derive(Clone, Debug)]
pub struct DistanceSession {
    pub(super) tricks: Tricks,
    /// The closest triangles, by their places in the trees.
    pub(super) closest: Option<(u32, u32)>,
    pub(super) table: Vec<Entry>,
    pub(super) steps: Vec<Step>,
    /// Work done by the last question.
    pub tally: DistanceTally,
}

/// What is remembered of a pair of nodes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Entry {
    /// The pair, see [`key`]; zero for none.
    key: u64,
    /// Vertices of its last simplex.
    pub ids: [(u32, u32); 3],
    pub len: u8,
    /// The last test did not cut, nor were both children cut at once.
    pub opened: bool,
}

/// Entries of the table, a power of two: a query on thousands of triangles looks at some hundred pairs.
const ENTRIES: usize = 1 << 11;

fn key(a: u32, b: u32) -> u64 {
    (u64::from(a) << 32 | u64::from(b)) + 1
}

fn slot(key: u64) -> usize {
    (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as usize & (ENTRIES - 1)
}

impl DistanceSession {
    /// Nothing remembered yet, the default tricks.
    pub fn new() -> Self {
        DistanceSession::with_tricks(Tricks::default())
    }

    /// Nothing remembered yet.
    pub fn with_tricks(tricks: Tricks) -> Self {
        let table = if tricks.cut_table || tricks.simplices { vec![Entry::default(); ENTRIES] } else { Vec::new() };
        DistanceSession { tricks, closest: None, table, steps: Vec::new(), tally: DistanceTally::default() }
    }

    /// What is remembered of a pair of nodes.
    pub(super) fn recall(&self, a: u32, b: u32) -> Option<&Entry> {
        let key = key(a, b);
        self.table.get(slot(key)).filter(|e| e.key == key)
    }

    /// The place for a pair of nodes, emptied if another pair had it; `None` without a table.
    pub(super) fn entry(&mut self, a: u32, b: u32) -> Option<&mut Entry> {
        let key = key(a, b);
        let entry = self.table.get_mut(slot(key))?;
        if entry.key != key {
            *entry = Entry { key, ..Entry::default() };
        }
        Some(entry)
    }
}

impl Default for DistanceSession {
    fn default() -> Self {
        DistanceSession::new()
    }
}
