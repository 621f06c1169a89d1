//! Signed integers of any length, short ones without the heap: what the exact decision computes with.

use std::cmp::Ordering;

/// Limbs kept in place. 384 bits hold every polynomial of an ordinary query; more would cost more copying than they save.
const INLINE: usize = 6;

/// A sign and a magnitude of 64-bit limbs, lowest first, without leading zeros; zero has none and is not negative.
#[derive(Clone, Debug)]
pub(crate) struct Int {
    negative: bool,
    len: u32,
    inline: [u64; INLINE],
    /// Used instead of `inline` when not empty.
    heap: Box<[u64]>,
}

impl Int {
    /// Nothing.
    #[inline]
    pub fn zero() -> Int {
        Int { negative: false, len: 0, inline: [0; INLINE], heap: Box::default() }
    }

    pub fn small(value: u64) -> Int {
        let mut int = Int::zero();
        (int.inline[0], int.len) = (value, u32::from(value != 0));
        int
    }

    /// `mantissa * 2^shift`.
    pub fn shifted(mantissa: u64, shift: usize) -> Int {
        let (limbs, bits) = (shift / 64, shift % 64);
        let mut int = Int::room(limbs + 2);
        let wide = u128::from(mantissa) << bits;
        int.limbs_mut()[limbs] = wide as u64;
        int.limbs_mut()[limbs + 1] = (wide >> 64) as u64;
        int.trim();
        int
    }

    /// A magnitude of any length, lowest limb first.
    pub fn from_limbs(negative: bool, limbs: &[u64]) -> Int {
        let mut int = Int::room(limbs.len());
        int.limbs_mut().copy_from_slice(limbs);
        int.negative = negative;
        int.trim();
        int
    }

    #[inline]
    fn room(len: usize) -> Int {
        let heap = if len > INLINE { vec![0; len].into_boxed_slice() } else { Box::default() };
        Int { negative: false, len: len as u32, inline: [0; INLINE], heap }
    }

    #[inline]
    fn limbs(&self) -> &[u64] {
        let len = self.len as usize;
        if self.heap.is_empty() { &self.inline[..len] } else { &self.heap[..len] }
    }

    #[inline]
    fn limbs_mut(&mut self) -> &mut [u64] {
        let len = self.len as usize;
        if self.heap.is_empty() { &mut self.inline[..len] } else { &mut self.heap[..len] }
    }

    /// Without leading zeros. In place: moving these numbers costs as much as adding them.
    #[inline]
    fn trim(&mut self) {
        let limbs = self.limbs();
        let mut len = limbs.len();
        while len > 0 && limbs[len - 1] == 0 {
            len -= 1;
        }
        self.len = len as u32;
        self.negative &= len > 0;
    }

    /// -1, 0 or 1.
    pub fn sign(&self) -> i32 {
        match (self.len, self.negative) {
            (0, _) => 0,
            (_, true) => -1,
            (_, false) => 1,
        }
    }

    pub fn is_zero(&self) -> bool {
        self.len == 0
    }

    /// Bits of the magnitude.
    pub fn bits(&self) -> usize {
        self.limbs().last().map_or(0, |top| 64 * self.len as usize - top.leading_zeros() as usize)
    }

    pub fn negated(mut self) -> Int {
        self.negative = !self.negative && self.len > 0;
        self
    }

    pub fn abs(mut self) -> Int {
        self.negative = false;
        self
    }

    pub fn plus(&self, o: &Int) -> Int {
        self.sum(o, o.negative)
    }

    pub fn minus(&self, o: &Int) -> Int {
        self.sum(o, !o.negative)
    }

    fn sum(&self, o: &Int, o_negative: bool) -> Int {
        let (a, b) = (self.limbs(), o.limbs());
        if self.negative == o_negative {
            let (long, short) = if a.len() >= b.len() { (a, b) } else { (b, a) };
            let mut sum = Int::room(long.len() + 1);
            sum.negative = self.negative;
            add(long, short, sum.limbs_mut());
            sum.trim();
            return sum;
        }
        let (large, less, negative) = match compare(a, b) {
            Ordering::Equal => return Int::zero(),
            Ordering::Greater => (a, b, self.negative),
            Ordering::Less => (b, a, o_negative),
        };
        let mut difference = Int::room(large.len());
        difference.negative = negative;
        subtract(large, less, difference.limbs_mut());
        difference.trim();
        difference
    }

    pub fn times(&self, o: &Int) -> Int {
        let (a, b) = (self.limbs(), o.limbs());
        if a.is_empty() || b.is_empty() {
            return Int::zero();
        }
        let mut product = Int::room(a.len() + b.len());
        product.negative = self.negative != o.negative;
        multiply(a, b, product.limbs_mut());
        product.trim();
        product
    }

    /// (m, e) with |m 2^e - self| <= 2^-52 |self| and m in [2^63, 2^64], or 0.
    pub fn approximately(&self) -> (f64, i64) {
        let limbs = self.limbs();
        let Some((&top, rest)) = limbs.split_last() else { return (0.0, 0) };
        let shift = top.leading_zeros();
        let next = rest.last().copied().unwrap_or(0);
        let bits = if shift == 0 { top } else { top << shift | next >> (64 - shift) };
        let m = bits as f64;
        (if self.negative { -m } else { m }, 64 * rest.len() as i64 - i64::from(shift))
    }
}

fn compare(a: &[u64], b: &[u64]) -> Ordering {
    a.len().cmp(&b.len()).then_with(|| a.iter().rev().cmp(b.iter().rev()))
}

/// `out = long + short`; `out` has one limb more than `long`.
fn add(long: &[u64], short: &[u64], out: &mut [u64]) {
    let mut carry = false;
    for (i, &x) in long.iter().enumerate() {
        let (s, c1) = x.overflowing_add(short.get(i).copied().unwrap_or(0));
        let (s, c2) = s.overflowing_add(u64::from(carry));
        (out[i], carry) = (s, c1 | c2);
    }
    out[long.len()] = u64::from(carry);
}

/// `out = large - less`, not negative.
fn subtract(large: &[u64], less: &[u64], out: &mut [u64]) {
    let mut borrow = false;
    for (i, &x) in large.iter().enumerate() {
        let (d, b1) = x.overflowing_sub(less.get(i).copied().unwrap_or(0));
        let (d, b2) = d.overflowing_sub(u64::from(borrow));
        (out[i], borrow) = (d, b1 | b2);
    }
}

/// `out = a b`; `out` is zero before.
fn multiply(a: &[u64], b: &[u64], out: &mut [u64]) {
    for (i, &x) in a.iter().enumerate() {
        let mut carry = 0u128;
        for (o, &y) in out[i..].iter_mut().zip(b) {
            let t = u128::from(x) * u128::from(y) + u128::from(*o) + carry;
            (*o, carry) = (t as u64, t >> 64);
        }
        out[i + b.len()] = carry as u64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_bigint::{BigInt, Sign};
    use proptest::prelude::*;

    impl Int {
        pub fn to_big(&self) -> BigInt {
            let sign = [Sign::Minus, Sign::NoSign, Sign::Plus][(self.sign() + 1) as usize];
            let bytes: Vec<u8> = self.limbs().iter().flat_map(|l| l.to_le_bytes()).collect();
            BigInt::from_bytes_le(sign, &bytes)
        }
    }

    fn big(x: &Int) -> BigInt {
        x.to_big()
    }

    /// Numbers around the border between inline and heap, with runs of zeros and ones so that carries travel.
    fn ints() -> impl Strategy<Value = Int> {
        let limb = prop_oneof![Just(0), Just(u64::MAX), any::<u64>()];
        (any::<bool>(), prop::collection::vec(limb, 0..16)).prop_map(|(negative, limbs)| Int::from_limbs(negative, &limbs))
    }

    proptest! {
        #[test]
        fn agrees_with_num_bigint(a in ints(), b in ints(), mantissa in any::<u64>(), shift in 0usize..1000) {
            prop_assert_eq!(big(&a.plus(&b)), big(&a) + big(&b));
            prop_assert_eq!(big(&a.minus(&b)), big(&a) - big(&b));
            prop_assert_eq!(big(&a.times(&b)), big(&a) * big(&b));
            prop_assert_eq!(big(&a.clone().negated()), -big(&a));
            prop_assert_eq!(big(&Int::shifted(mantissa, shift)), BigInt::from(mantissa) << shift);
            prop_assert!(a.minus(&a).is_zero());
            let (m, e) = a.approximately();
            let whole = BigInt::from(m as i128);
            let off = if e >= 0 { (whole << e) - big(&a) } else { whole - (big(&a) << -e) };
            let size = if e >= 0 { big(&a) } else { big(&a) << -e };
            prop_assert!((off << 52u32).magnitude() <= size.magnitude());
        }
    }
}
