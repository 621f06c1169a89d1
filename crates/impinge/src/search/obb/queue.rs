//! What is still to be looked at, the earliest first, about: buckets of time, the last in is the first out of each.

/// A pair of boxes that is proven apart before `t`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub t: f64,
    pub task: u32,
    /// A box of the moving tree, and one of the resting tree.
    pub a: u32,
    pub b: u32,
    /// How far the last step went; for triangles that are near a contact, how long a span to look at next, negative.
    pub stride: f32,
}

const NONE: u32 = u32::MAX;
/// Entries at the most.
const MOST_ENTRIES: usize = 1 << 21;
/// A power of two.
const BUCKETS: usize = 1024;
/// Bits of an `f64` behind the point.
const MANTISSA: u32 = f64::MANTISSA_DIGITS - 1;

/// Entries in buckets of equal length in time; one bucket makes it a stack.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    buckets: usize,
    /// How far bits of 1 + t are shifted, so that those of the bucket are left.
    shift: u32,
    /// The last entry of each bucket.
    heads: Vec<u32>,
    /// A bit for each bucket that has any, and a word before which there is none.
    filled: [u64; BUCKETS / 64],
    first: usize,
    /// Entries, each with the one before it in its bucket, or the next unused one.
    entries: Vec<(Entry, u32)>,
    unused: u32,
}

impl Queue {
    /// Empties it. `ordered`: by time; otherwise a stack.
    pub fn reset(&mut self, ordered: bool) {
        self.buckets = if ordered { BUCKETS } else { 1 };
        self.shift = MANTISSA - self.buckets.trailing_zeros();
        self.heads.clear();
        self.heads.resize(self.buckets, NONE);
        self.filled = [0; BUCKETS / 64];
        self.first = 0;
        self.entries.clear();
        self.unused = NONE;
    }

    /// The bucket of a time; times out of range go to the ends. For t in [0, 1] the first bits behind the point of 1 + t.
    #[inline(always)]
    pub fn bucket(&self, t: f64) -> usize {
        let bits = (1.0 + t.clamp(0.0, 1.0)).to_bits() - 1.0f64.to_bits();
        ((bits >> self.shift) as usize).min(self.buckets - 1)
    }

    /// No entry of this bucket or later ones is before this time: what 1 + t rounds is less than what is taken off.
    pub fn begin(&self, bucket: usize) -> f64 {
        (bucket as f64 / self.buckets as f64 - f64::EPSILON).max(0.0)
    }

    /// Whether there are more entries than memory is meant for: 32 bytes each.
    #[inline(always)]
    pub fn is_full(&self) -> bool {
        self.entries.len() > MOST_ENTRIES
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
        self.first = self.first.min(bucket / 64);
    }

    /// The last entry of the first bucket that has any, unless that begins at `end` or later.
    #[inline(always)]
    pub fn pop(&mut self, end: f64) -> Option<Entry> {
        let mut word = self.first;
        while *self.filled.get(word)? == 0 {
            word += 1;
        }
        self.first = word;
        let bucket = 64 * word + self.filled[word].trailing_zeros() as usize;
        if bucket > self.bucket(end) {
            return None;
        }
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
                out += usize::from(queue.pop(1.0).is_some());
            }
        }
        let mut last = 0;
        while let Some(e) = queue.pop(1.0) {
            let bucket = queue.bucket(e.t);
            assert!(bucket >= last && queue.begin(bucket) <= e.t);
            last = bucket;
            out += 1;
        }
        assert_eq!(inside, out);
    }

    #[test]
    fn no_bucket_begins_after_what_is_in_it() {
        let mut queue = Queue::default();
        queue.reset(true);
        for bucket in 0..=BUCKETS {
            let t = bucket as f64 / BUCKETS as f64;
            for t in [t.next_down(), t - 1e-17, t, t.next_up(), t + 1e-17] {
                assert!(queue.begin(queue.bucket(t)) <= t.max(0.0), "{t}");
                assert!(queue.bucket(t) >= bucket.saturating_sub(1).min(BUCKETS - 1), "{t}");
            }
        }
        assert_eq!([f64::NAN, -1.0, f64::INFINITY].map(|t| queue.bucket(t) < BUCKETS), [true; 3]);
        queue.push(entry(0.5, 1));
        assert!(queue.pop(0.4).is_none() && queue.pop(0.5).is_some());
    }

    #[test]
    fn one_bucket_is_a_stack_and_the_end_has_a_place() {
        let mut queue = Queue::default();
        queue.reset(false);
        for a in 0..4 {
            queue.push(entry(1.0 - f64::from(a), a));
        }
        assert_eq!((0..4).map(|_| queue.pop(1.0).map(|e| e.a)).collect::<Vec<_>>(), [Some(3), Some(2), Some(1), Some(0)]);
        queue.reset(true);
        queue.push(entry(1.0, 7));
        assert!(queue.pop(1.0).is_some_and(|e| e.a == 7) && queue.pop(1.0).is_none());
    }
}
