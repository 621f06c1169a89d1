//! Eight `f32` lanes: portable arrays, and AVX2 registers where the machine has them. Both round alike, so results have the same bits.

/// What the kernels need of eight lanes.
pub(crate) trait Lanes: Copy {
    /// A yes or no for each lane.
    type Mask: Mask;

    fn splat(x: f32) -> Self;
    fn load(x: &[f32; 8]) -> Self;
    fn add(self, o: Self) -> Self;
    fn sub(self, o: Self) -> Self;
    fn mul(self, o: Self) -> Self;
    fn min(self, o: Self) -> Self;
    fn max(self, o: Self) -> Self;
    fn abs(self) -> Self;
    fn sqrt(self) -> Self;
    /// Whether `self > o`; never where either is NaN.
    fn gt(self, o: Self) -> Self::Mask;
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
    fn gt(self, o: Self) -> u32 {
        (0..8).fold(0, |m, i| m | (u32::from(self.0[i] > o.0[i]) << i))
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
    // `#[target_feature(enable = "avx2")]`, which `super::super` calls after detecting the feature; `load` reads eight floats of an array.
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
        fn gt(self, o: Self) -> Avx2 {
            unsafe { Avx2(_mm256_cmp_ps::<_CMP_GT_OQ>(self.0, o.0)) }
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
