//! Eight `f32` lanes: portable arrays, and AVX2 registers where the machine has them. Both round alike, so results have the same bits.

/// What the kernels need of eight lanes.
pub(crate) trait Lanes: Copy {
    /// A yes or no for each lane.
    type Mask: Mask;

    fn splat(x: f32) -> Self;
    fn load(x: &[f32; 8]) -> Self;
    /// Four lanes and four more.
    fn load_halves(lo: &[f32; 4], hi: &[f32; 4]) -> Self;
    fn store(self) -> [f32; 8];
    fn add(self, o: Self) -> Self;
    fn sub(self, o: Self) -> Self;
    fn mul(self, o: Self) -> Self;
    fn div(self, o: Self) -> Self;
    fn min(self, o: Self) -> Self;
    fn max(self, o: Self) -> Self;
    fn abs(self) -> Self;
    fn sqrt(self) -> Self;
    /// With its sign changed where `o` is negative, -0 included.
    fn flip(self, o: Self) -> Self;
    /// `a` where the mask says yes, else `b`.
    fn select(mask: Self::Mask, a: Self, b: Self) -> Self;
    /// Whether `self > o`; never where either is NaN.
    fn gt(self, o: Self) -> Self::Mask;
    /// The first half of `lo` and the second of `hi`.
    fn halves(lo: Self, hi: Self) -> Self;
    /// The second half, then the first.
    fn swap_halves(self) -> Self;
    /// Lane K < 3 of each half, in all four of its lanes.
    fn spread<const K: usize>(self) -> Self;
    /// Lanes 1, 2, 0, 3 of each half.
    fn turn(self) -> Self;
}

/// Eight answers.
pub(crate) trait Mask: Copy {
    fn and(self, o: Self) -> Self;
    fn or(self, o: Self) -> Self;
    /// Bit i is the answer of lane i.
    fn bits(self) -> u32;
}

impl Mask for u32 {
    #[inline(always)]
    fn and(self, o: Self) -> Self {
        self & o
    }
    #[inline(always)]
    fn or(self, o: Self) -> Self {
        self | o
    }
    #[inline(always)]
    fn bits(self) -> u32 {
        self
    }
}

/// The safe twin.
#[derive(Clone, Copy)]
pub(crate) struct Portable([f32; 8]);

impl Portable {
    #[inline(always)]
    fn zip(self, o: Self, f: impl Fn(f32, f32) -> f32) -> Self {
        let mut r = self.0;
        for i in 0..8 {
            r[i] = f(r[i], o.0[i]);
        }
        Portable(r)
    }
}

impl Lanes for Portable {
    type Mask = u32;

    #[inline(always)]
    fn splat(x: f32) -> Self {
        Portable([x; 8])
    }
    #[inline(always)]
    fn load(x: &[f32; 8]) -> Self {
        Portable(*x)
    }
    #[inline(always)]
    fn load_halves(lo: &[f32; 4], hi: &[f32; 4]) -> Self {
        Portable([lo[0], lo[1], lo[2], lo[3], hi[0], hi[1], hi[2], hi[3]])
    }
    #[inline(always)]
    fn store(self) -> [f32; 8] {
        self.0
    }
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        self.zip(o, |a, b| a + b)
    }
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        self.zip(o, |a, b| a - b)
    }
    #[inline(always)]
    fn mul(self, o: Self) -> Self {
        self.zip(o, |a, b| a * b)
    }
    #[inline(always)]
    fn div(self, o: Self) -> Self {
        self.zip(o, |a, b| a / b)
    }
    // Like minps and maxps: the second operand where either is NaN.
    #[inline(always)]
    fn min(self, o: Self) -> Self {
        self.zip(o, |a, b| if a < b { a } else { b })
    }
    #[inline(always)]
    fn max(self, o: Self) -> Self {
        self.zip(o, |a, b| if a > b { a } else { b })
    }
    #[inline(always)]
    fn abs(self) -> Self {
        Portable(self.0.map(f32::abs))
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        Portable(self.0.map(f32::sqrt))
    }
    #[inline(always)]
    fn flip(self, o: Self) -> Self {
        self.zip(o, |a, b| f32::from_bits(a.to_bits() ^ (b.to_bits() & 0x8000_0000)))
    }
    #[inline(always)]
    fn select(mask: u32, a: Self, b: Self) -> Self {
        let mut r = b.0;
        for i in 0..8 {
            if mask & (1 << i) != 0 {
                r[i] = a.0[i];
            }
        }
        Portable(r)
    }
    #[inline(always)]
    fn gt(self, o: Self) -> u32 {
        (0..8).fold(0, |m, i| m | (u32::from(self.0[i] > o.0[i]) << i))
    }
    #[inline(always)]
    fn halves(lo: Self, hi: Self) -> Self {
        Portable([lo.0[0], lo.0[1], lo.0[2], lo.0[3], hi.0[4], hi.0[5], hi.0[6], hi.0[7]])
    }
    #[inline(always)]
    fn swap_halves(self) -> Self {
        let [a, b, c, d, e, f, g, h] = self.0;
        Portable([e, f, g, h, a, b, c, d])
    }
    #[inline(always)]
    fn spread<const K: usize>(self) -> Self {
        let (lo, hi) = (self.0[K], self.0[4 + K]);
        Portable([lo, lo, lo, lo, hi, hi, hi, hi])
    }
    #[inline(always)]
    fn turn(self) -> Self {
        let [a, b, c, d, e, f, g, h] = self.0;
        Portable([b, c, a, d, f, g, e, h])
    }
}

#[cfg(target_arch = "x86_64")]
pub(crate) use x86::Avx2;

/// Elsewhere the portable lanes stand in; [`super::dispatch`] never asks for more.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) use Portable as Avx2;

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{Lanes, Mask};
    use std::arch::x86_64::*;

    /// One AVX register. Only made inside functions that enable AVX2.
    #[derive(Clone, Copy)]
    pub(crate) struct Avx2(__m256);

    // SAFETY of every block: a value of this type (lanes or their mask), or a call of `splat` or `load`, exists only in code reached from a function with
    // `#[target_feature(enable = "avx2")]`, which `super::super` calls after detecting the feature; loads read four or eight floats of an
    // array, `store` writes eight.
    impl Lanes for Avx2 {
        type Mask = Avx2;

        #[inline(always)]
        fn splat(x: f32) -> Self {
            unsafe { Avx2(_mm256_set1_ps(x)) }
        }
        #[inline(always)]
        fn load(x: &[f32; 8]) -> Self {
            unsafe { Avx2(_mm256_loadu_ps(x.as_ptr())) }
        }
        #[inline(always)]
        fn load_halves(lo: &[f32; 4], hi: &[f32; 4]) -> Self {
            unsafe { Avx2(_mm256_set_m128(_mm_loadu_ps(hi.as_ptr()), _mm_loadu_ps(lo.as_ptr()))) }
        }
        #[inline(always)]
        fn store(self) -> [f32; 8] {
            let mut r = [0.0; 8];
            unsafe { _mm256_storeu_ps(r.as_mut_ptr(), self.0) };
            r
        }
        #[inline(always)]
        fn add(self, o: Self) -> Self {
            unsafe { Avx2(_mm256_add_ps(self.0, o.0)) }
        }
        #[inline(always)]
        fn sub(self, o: Self) -> Self {
            unsafe { Avx2(_mm256_sub_ps(self.0, o.0)) }
        }
        #[inline(always)]
        fn mul(self, o: Self) -> Self {
            unsafe { Avx2(_mm256_mul_ps(self.0, o.0)) }
        }
        #[inline(always)]
        fn div(self, o: Self) -> Self {
            unsafe { Avx2(_mm256_div_ps(self.0, o.0)) }
        }
        #[inline(always)]
        fn min(self, o: Self) -> Self {
            unsafe { Avx2(_mm256_min_ps(self.0, o.0)) }
        }
        #[inline(always)]
        fn max(self, o: Self) -> Self {
            unsafe { Avx2(_mm256_max_ps(self.0, o.0)) }
        }
        #[inline(always)]
        fn abs(self) -> Self {
            unsafe { Avx2(_mm256_andnot_ps(_mm256_set1_ps(-0.0), self.0)) }
        }
        #[inline(always)]
        fn sqrt(self) -> Self {
            unsafe { Avx2(_mm256_sqrt_ps(self.0)) }
        }
        #[inline(always)]
        fn flip(self, o: Self) -> Self {
            unsafe { Avx2(_mm256_xor_ps(self.0, _mm256_and_ps(_mm256_set1_ps(-0.0), o.0))) }
        }
        #[inline(always)]
        fn select(mask: Self, a: Self, b: Self) -> Self {
            unsafe { Avx2(_mm256_blendv_ps(b.0, a.0, mask.0)) }
        }
        #[inline(always)]
        fn gt(self, o: Self) -> Avx2 {
            unsafe { Avx2(_mm256_cmp_ps::<_CMP_GT_OQ>(self.0, o.0)) }
        }
        #[inline(always)]
        fn halves(lo: Self, hi: Self) -> Self {
            unsafe { Avx2(_mm256_blend_ps::<0xf0>(lo.0, hi.0)) }
        }
        #[inline(always)]
        fn swap_halves(self) -> Self {
            unsafe { Avx2(_mm256_permute2f128_ps::<0x01>(self.0, self.0)) }
        }
        #[inline(always)]
        fn spread<const K: usize>(self) -> Self {
            unsafe {
                Avx2(match K {
                    0 => _mm256_permute_ps::<0b00_00_00_00>(self.0),
                    1 => _mm256_permute_ps::<0b01_01_01_01>(self.0),
                    _ => _mm256_permute_ps::<0b10_10_10_10>(self.0),
                })
            }
        }
        #[inline(always)]
        fn turn(self) -> Self {
            unsafe { Avx2(_mm256_permute_ps::<0b11_00_10_01>(self.0)) }
        }
    }

    impl Mask for Avx2 {
        #[inline(always)]
        fn and(self, o: Self) -> Self {
            unsafe { Avx2(_mm256_and_ps(self.0, o.0)) }
        }
        #[inline(always)]
        fn or(self, o: Self) -> Self {
            unsafe { Avx2(_mm256_or_ps(self.0, o.0)) }
        }
        #[inline(always)]
        fn bits(self) -> u32 {
            unsafe { _mm256_movemask_ps(self.0) as u32 }
        }
    }
}
