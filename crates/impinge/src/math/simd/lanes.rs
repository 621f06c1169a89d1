//! Eight `f32` lanes, and four of `f64`: portable arrays, and AVX2 registers where the machine has them. Both round alike, so results have
//! the same bits.

/// What all lanes can do.
pub(crate) trait Arithmetic: Copy {
    type Scalar;
    /// All lanes as numbers.
    type Array;
    /// A yes or no for each lane.
    type Mask: Mask;

    fn splat(x: Self::Scalar) -> Self;
    fn load(x: &Self::Array) -> Self;
    fn store(self) -> Self::Array;
    fn add(self, o: Self) -> Self;
    fn sub(self, o: Self) -> Self;
    fn mul(self, o: Self) -> Self;
    fn div(self, o: Self) -> Self;
    /// The second operand where either is NaN.
    fn min(self, o: Self) -> Self;
    /// The second operand where either is NaN.
    fn max(self, o: Self) -> Self;
    fn abs(self) -> Self;
    fn sqrt(self) -> Self;
    /// With its sign changed where `o` is negative, -0 included.
    fn flip(self, o: Self) -> Self;
    /// `a` where the mask says yes, else `b`.
    fn select(mask: Self::Mask, a: Self, b: Self) -> Self;
    /// Whether `self > o`; never where either is NaN.
    fn gt(self, o: Self) -> Self::Mask;
}

/// Eight lanes of `f32`, with the four of `f64` that go with them.
pub(crate) trait Lanes: Arithmetic<Scalar = f32, Array = [f32; 8]> {
    type Doubles: Arithmetic<Scalar = f64, Array = [f64; 4]>;

    /// Four lanes and four more.
    fn load_halves(lo: &[f32; 4], hi: &[f32; 4]) -> Self;
    /// The first half of `lo` and the second of `hi`.
    fn halves(lo: Self, hi: Self) -> Self;
    /// The second half, then the first.
    fn swap_halves(self) -> Self;
    /// Lane K < 3 of each half, in all four of its lanes.
    fn spread<const K: usize>(self) -> Self;
    /// Lanes 1, 2, 0, 3 of each half.
    fn turn(self) -> Self;
}

/// An answer for each lane.
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

/// The safe twin of a register of `$n` lanes.
macro_rules! portable {
    ($name:ident, $scalar:ident, $n:literal) => {
        #[derive(Clone, Copy)]
        pub(crate) struct $name([$scalar; $n]);

        impl $name {
            #[inline(always)]
            fn zip(self, o: Self, f: impl Fn($scalar, $scalar) -> $scalar) -> Self {
                let mut r = self.0;
                for i in 0..$n {
                    r[i] = f(r[i], o.0[i]);
                }
                $name(r)
            }
        }

        impl Arithmetic for $name {
            type Scalar = $scalar;
            type Array = [$scalar; $n];
            type Mask = u32;

            #[inline(always)]
            fn splat(x: $scalar) -> Self {
                $name([x; $n])
            }
            #[inline(always)]
            fn load(x: &[$scalar; $n]) -> Self {
                $name(*x)
            }
            #[inline(always)]
            fn store(self) -> [$scalar; $n] {
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
                $name(self.0.map($scalar::abs))
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                $name(self.0.map($scalar::sqrt))
            }
            #[inline(always)]
            fn flip(self, o: Self) -> Self {
                self.zip(o, |a, b| if b.is_sign_negative() { -a } else { a })
            }
            #[inline(always)]
            fn select(mask: u32, a: Self, b: Self) -> Self {
                let mut r = b.0;
                for i in 0..$n {
                    if mask & (1 << i) != 0 {
                        r[i] = a.0[i];
                    }
                }
                $name(r)
            }
            #[inline(always)]
            fn gt(self, o: Self) -> u32 {
                (0..$n).fold(0, |m, i| m | (u32::from(self.0[i] > o.0[i]) << i))
            }
        }
    };
}

portable!(Portable, f32, 8);
portable!(PortableDoubles, f64, 4);

impl Lanes for Portable {
    type Doubles = PortableDoubles;

    #[inline(always)]
    fn load_halves(lo: &[f32; 4], hi: &[f32; 4]) -> Self {
        Portable([lo[0], lo[1], lo[2], lo[3], hi[0], hi[1], hi[2], hi[3]])
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
    use super::{Arithmetic, Lanes, Mask};
    use std::arch::x86_64::*;

    // SAFETY of every block: a value of these types (lanes or their mask), or a call of `splat` or a load, exists only in code reached from
    // a function with `#[target_feature(enable = "avx2")]`, which `super::super` calls after detecting the feature; loads read as many
    // floats as the array has, and `store` writes as many.
    macro_rules! register {
        ($name:ident, $register:ident, $scalar:ident, $n:literal,
         $set1:ident $loadu:ident $storeu:ident $add:ident $sub:ident $mul:ident $div:ident $min:ident $max:ident
         $andnot:ident $sqrt:ident $xor:ident $and:ident $or:ident $blendv:ident $cmp:ident $movemask:ident) => {
            /// One AVX register. Only made inside functions that enable AVX2.
            #[derive(Clone, Copy)]
            pub(crate) struct $name($register);

            impl Arithmetic for $name {
                type Scalar = $scalar;
                type Array = [$scalar; $n];
                type Mask = $name;

                #[inline(always)]
                fn splat(x: $scalar) -> Self {
                    unsafe { $name($set1(x)) }
                }
                #[inline(always)]
                fn load(x: &[$scalar; $n]) -> Self {
                    unsafe { $name($loadu(x.as_ptr())) }
                }
                #[inline(always)]
                fn store(self) -> [$scalar; $n] {
                    let mut r = [0.0; $n];
                    unsafe { $storeu(r.as_mut_ptr(), self.0) };
                    r
                }
                #[inline(always)]
                fn add(self, o: Self) -> Self {
                    unsafe { $name($add(self.0, o.0)) }
                }
                #[inline(always)]
                fn sub(self, o: Self) -> Self {
                    unsafe { $name($sub(self.0, o.0)) }
                }
                #[inline(always)]
                fn mul(self, o: Self) -> Self {
                    unsafe { $name($mul(self.0, o.0)) }
                }
                #[inline(always)]
                fn div(self, o: Self) -> Self {
                    unsafe { $name($div(self.0, o.0)) }
                }
                #[inline(always)]
                fn min(self, o: Self) -> Self {
                    unsafe { $name($min(self.0, o.0)) }
                }
                #[inline(always)]
                fn max(self, o: Self) -> Self {
                    unsafe { $name($max(self.0, o.0)) }
                }
                #[inline(always)]
                fn abs(self) -> Self {
                    unsafe { $name($andnot($set1(-0.0), self.0)) }
                }
                #[inline(always)]
                fn sqrt(self) -> Self {
                    unsafe { $name($sqrt(self.0)) }
                }
                #[inline(always)]
                fn flip(self, o: Self) -> Self {
                    unsafe { $name($xor(self.0, $and($set1(-0.0), o.0))) }
                }
                #[inline(always)]
                fn select(mask: Self, a: Self, b: Self) -> Self {
                    unsafe { $name($blendv(b.0, a.0, mask.0)) }
                }
                #[inline(always)]
                fn gt(self, o: Self) -> Self {
                    unsafe { $name($cmp::<_CMP_GT_OQ>(self.0, o.0)) }
                }
            }

            impl Mask for $name {
                #[inline(always)]
                fn and(self, o: Self) -> Self {
                    unsafe { $name($and(self.0, o.0)) }
                }
                #[inline(always)]
                fn or(self, o: Self) -> Self {
                    unsafe { $name($or(self.0, o.0)) }
                }
                #[inline(always)]
                fn bits(self) -> u32 {
                    unsafe { $movemask(self.0) as u32 }
                }
            }
        };
    }

    register!(Avx2, __m256, f32, 8,
        _mm256_set1_ps _mm256_loadu_ps _mm256_storeu_ps _mm256_add_ps _mm256_sub_ps _mm256_mul_ps _mm256_div_ps _mm256_min_ps _mm256_max_ps
        _mm256_andnot_ps _mm256_sqrt_ps _mm256_xor_ps _mm256_and_ps _mm256_or_ps _mm256_blendv_ps _mm256_cmp_ps _mm256_movemask_ps);
    register!(Avx2Doubles, __m256d, f64, 4,
        _mm256_set1_pd _mm256_loadu_pd _mm256_storeu_pd _mm256_add_pd _mm256_sub_pd _mm256_mul_pd _mm256_div_pd _mm256_min_pd _mm256_max_pd
        _mm256_andnot_pd _mm256_sqrt_pd _mm256_xor_pd _mm256_and_pd _mm256_or_pd _mm256_blendv_pd _mm256_cmp_pd _mm256_movemask_pd);

    impl Lanes for Avx2 {
        type Doubles = Avx2Doubles;

        #[inline(always)]
        fn load_halves(lo: &[f32; 4], hi: &[f32; 4]) -> Self {
            unsafe { Avx2(_mm256_set_m128(_mm_loadu_ps(hi.as_ptr()), _mm_loadu_ps(lo.as_ptr()))) }
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
}
