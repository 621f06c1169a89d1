//! The traversal of two trees, kept: which pairs of nodes were opened. Its leaves are the front. [Zhang 2006, section 5.1]
//!
//! ```text
//!          (0,0)                inner: opened by some question before
//!         /     \
//!     (1,0)    (2,0)            leaves: the front; together they cover all pairs of triangles, whatever the next question is
//!     /   \
//! (1,3)  (1,4)
//! ```
//! What is kept is a hint: where to begin, and along which directions to look first. A front that fits another motion costs time.

use crate::math::{Mat3, Vec3};
use crate::narrow::placed_hulls::Placed;
use crate::search::hulls::measure::Look;

/// A pair of nodes that was looked at.
#[derive(Clone, Copy, Debug)]
struct Visited {
    pair: (u32, u32),
    /// The direction that showed most.
    apart: Vec3,
    /// Place of the first of two halves; 0 for a leaf of the traversal.
    halves: u32,
    /// The first look at it since the question began proved it free to the end.
    easy: bool,
}

/// One task's traversal; at least the pair of roots.
#[derive(Clone, Debug)]
pub(crate) struct Traversal {
    visited: Vec<Visited>,
    /// Where the body was when the last question began.
    start: Option<(Mat3, Vec3)>,
}

/// A front of more pairs than this is begun anew.
const MOST: usize = 1 << 16;
/// Pairs that one traversal visits at the most: 48 bytes each.
const MOST_VISITED: usize = 1 << 21;
/// Questions that begin within this share of the body's size of each other share their front.
const NEAR: f64 = 0.25;

impl Default for Traversal {
    fn default() -> Self {
        Traversal { visited: vec![Visited::new((0, 0), Vec3::ZERO)], start: None }
    }
}

impl Visited {
    fn new(pair: (u32, u32), apart: Vec3) -> Self {
        Visited { pair, apart, halves: 0, easy: false }
    }
}

impl Traversal {
    /// A question begins with the body here. One that begins elsewhere than the last is better off without its front.
    pub fn begin(&mut self, at: &Placed, size: f64) {
        let far = self.start.is_some_and(|(rotation, position)| {
            let turned = (0..3).map(|k| (at.rotation.columns[k] - rotation.columns[k]).norm()).fold(0.0, f64::max);
            (at.position - position).norm() + turned * size > NEAR * size
        });
        if far {
            *self = Traversal::default();
        }
        self.start = Some((at.rotation, at.position));
    }

    /// The leaves: places and pairs, in a fixed order.
    pub fn front(&self) -> Vec<(u32, (u32, u32))> {
        let leaf = |(place, v): (usize, &Visited)| (v.halves == 0).then_some((place as u32, v.pair));
        self.visited.iter().enumerate().filter_map(leaf).collect()
    }

    /// The direction that showed most when a pair was last looked at.
    pub fn apart(&self, place: u32) -> Vec3 {
        self.visited[place as usize].apart
    }

    /// A look at a pair at time `t`.
    pub fn looked(&mut self, place: u32, look: &Look, t: f64) {
        let visited = &mut self.visited[place as usize];
        (visited.apart, visited.easy) = (look.apart, t <= 0.0 && look.until == f64::INFINITY);
    }

    /// Whether the traversal holds more pairs than memory is meant for.
    pub fn is_full(&self) -> bool {
        self.visited.len() > MOST_VISITED
    }

    /// Opens a pair; returns the places of its halves.
    pub fn open(&mut self, place: u32, halves: [(u32, u32); 2]) -> [u32; 2] {
        let apart = self.visited[place as usize].apart;
        let first = self.visited.len() as u32;
        self.visited.extend(halves.map(|pair| Visited::new(pair, apart)));
        self.visited[place as usize].halves = first;
        [first, first + 1]
    }

    /// Takes back openings whose halves were both easy and whose pair is as easy, as `is_easy` says of a pair and a direction.
    pub fn raise(&mut self, mut is_easy: impl FnMut((u32, u32), Vec3) -> bool) {
        if self.visited.len() > MOST {
            *self = Traversal::default();
            return;
        }
        // Halves come after their parent, so that a parent that is taken back counts for its own parent.
        for place in (0..self.visited.len()).rev() {
            let Visited { pair, halves, apart, .. } = self.visited[place];
            if halves == 0 {
                continue;
            }
            let [one, two] = [self.visited[halves as usize], self.visited[halves as usize + 1]];
            let both = [one, two].iter().all(|half| half.halves == 0 && half.easy);
            if both && let Some(apart) = [one.apart, apart].into_iter().find(|&apart| is_easy(pair, apart)) {
                self.visited[place] = Visited { pair, apart, halves: 0, easy: true };
            }
        }
        self.compact();
    }

    /// Forgets what is no longer below the roots.
    fn compact(&mut self) {
        let mut kept = vec![self.visited[0]];
        let mut at = 0;
        while at < kept.len() {
            let halves = kept[at].halves as usize;
            if halves != 0 {
                kept[at].halves = kept.len() as u32;
                kept.extend_from_slice(&self.visited[halves..halves + 2]);
            }
            at += 1;
        }
        self.visited = kept;
    }

    /// How many pairs the front has.
    pub fn size(&self) -> usize {
        self.visited.iter().filter(|v| v.halves == 0).count()
    }
}
