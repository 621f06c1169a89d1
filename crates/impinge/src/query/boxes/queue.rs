//! What is still to be looked at, the earliest first, about: buckets of time, the last in is the first out of each.

/// A pair of boxes that is proven apart before `t`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub t: f64,
    pub task: u32,
    /// A box of the moving tree, and one of the resting tree.
    pub a: u32,
    pub b: u32,
    /// How far the last step went; for triangles that are near a contact, how long a span to look at next, negative.
    pub stride: f32,
}

const NONE: u32 = u32::MAX;
const BUCKETS: usize = 1024;

/// Entries in buckets of equal length in time; one bucket makes it a stack.
#[derive(Debug, Default)]
pub(super) struct Queue {
    buckets: usize,
    /// The last entry of each bucket.
    heads: Vec<u32>,
    /// A bit for each bucket that has any.
    filled: [u64; BUCKETS / 64],
    /// Entries, each with the one before it in its bucket, or the next unused one.
    entries: Vec<(Entry, u32)>,
    unused: u32,
}

impl Queue {
    /// Empties it. `ordered`: by time; otherwise a stack.
    pub fn reset(&mut self, ordered: bool) {
        self.buckets = if ordered { BUCKETS } else { 1 };
        self.heads.clear();
        self.heads.resize(self.buckets, NONE);
        self.filled = [0; BUCKETS / 64];
        self.entries.clear();
        self.unused = NONE;
    }

    /// The bucket of a time; times out of range go to the ends.
    #[inline(always)]
    pub fn bucket(&self, t: f64) -> usize {
        ((t * self.buckets as f64) as usize).min(self.buckets - 1)
    }

    /// No entry of this bucket or later ones is before this time.
    pub fn begin(&self, bucket: usize) -> f64 {
        bucket as f64 / self.buckets as f64
    }

    #[inline(always)]
    pub fn push(&mut self, entry: Entry) {
        let bucket = self.bucket(entry.t);
        let linked = (entry, self.heads[bucket]);
        let at = if self.unused == NONE {
            self.entries.push(linked);
            self.entries.len() as u32 - 1
        } else {
            let at = self.unused;
            self.unused = self.entries[at as usize].1;
            self.entries[at as usize] = linked;
            at
        };
        self.heads[bucket] = at;
        self.filled[bucket / 64] |= 1 << (bucket % 64);
    }

    /// The last entry of the first bucket that has any.
    #[inline(always)]
    pub fn pop(&mut self) -> Option<Entry> {
        let word = self.filled.iter().position(|&w| w != 0)?;
        let bucket = 64 * word + self.filled[word].trailing_zeros() as usize;
        let at = self.heads[bucket];
        let (entry, before) = self.entries[at as usize];
        self.heads[bucket] = before;
        if before == NONE {
            self.filled[word] &= !(1 << (bucket % 64));
        }
        self.entries[at as usize].1 = self.unused;
        self.unused = at;
        Some(entry)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(t: f64, a: u32) -> Entry {
        Entry { t, task: 0, a, b: 0, stride: 0.0 }
    }

    #[test]
    fn buckets_come_in_the_order_of_time_and_nothing_is_lost() {
        let mut queue = Queue::default();
        queue.reset(true);
        let mut state = 1u64;
        let (mut inside, mut out) = (0, 0);
        for round in 0..5000u32 {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            queue.push(entry((state >> 11) as f64 / (1u64 << 53) as f64, round));
            inside += 1;
            if round % 3 == 0 {
                out += usize::from(queue.pop().is_some());
            }
        }
        let mut last = 0;
        while let Some(e) = queue.pop() {
            let bucket = queue.bucket(e.t);
            assert!(bucket >= last && queue.begin(bucket) <= e.t);
            last = bucket;
            out += 1;
        }
        assert_eq!(inside, out);
    }

    #[test]
    fn one_bucket_is_a_stack_and_the_end_has_a_place() {
        let mut queue = Queue::default();
        queue.reset(false);
        for a in 0..4 {
            queue.push(entry(1.0 - f64::from(a), a));
        }
        assert_eq!((0..4).map(|_| queue.pop().map(|e| e.a)).collect::<Vec<_>>(), [Some(3), Some(2), Some(1), Some(0)]);
        queue.reset(true);
        queue.push(entry(1.0, 7));
        assert!(queue.pop().is_some_and(|e| e.a == 7) && queue.pop().is_none());
    }
}
