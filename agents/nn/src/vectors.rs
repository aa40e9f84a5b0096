//! Vectors of 16 numbers, in the widest registers of the processor.
//!
//! A program for AVX2, which is the default, uses the registers of AVX-512 in these kernels if the
//! processor has them. The results are the same: each sum has the same terms in the same order,
//! rounded in the same way.

#[cfg(all(target_arch = "x86_64", target_feature = "fma"))]
use pulp::{NullaryFnOnce, Simd, f32x16, x86::V4};

/// Numbers in a vector: two registers of AVX2, one of AVX-512.
pub(crate) const LANES: usize = 16;

/// Arithmetic on vectors.
pub(crate) trait Vectors: Copy {
    /// Vector of [`LANES`] numbers.
    type Vector: Copy;

    /// Whether a register has a whole vector, and there are 32 registers.
    const ARE_WIDE: bool;

    /// Loads a vector.
    fn load(self, numbers: &[f32; LANES]) -> Self::Vector;

    /// Returns the numbers of a vector.
    fn numbers(self, vector: Self::Vector) -> [f32; LANES];

    /// Returns `a + b`.
    fn add(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// Returns `a * b`.
    fn multiply(self, a: Self::Vector, b: f32) -> Self::Vector;

    /// Returns `a * b + c`, rounded once if the program was compiled for FMA.
    fn multiply_add(self, a: f32, b: Self::Vector, c: Self::Vector) -> Self::Vector;
}

/// The registers that the program was compiled for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Compiled;

impl Vectors for Compiled {
    type Vector = [f32; LANES];

    const ARE_WIDE: bool = false;

    #[inline(always)]
    fn load(self, numbers: &[f32; LANES]) -> [f32; LANES] {
        *numbers
    }

    #[inline(always)]
    fn numbers(self, vector: [f32; LANES]) -> [f32; LANES] {
        vector
    }

    #[inline(always)]
    fn add(self, mut a: [f32; LANES], b: [f32; LANES]) -> [f32; LANES] {
        for j in 0..LANES {
            a[j] += b[j];
        }
        a
    }

    #[inline(always)]
    fn multiply(self, mut a: [f32; LANES], b: f32) -> [f32; LANES] {
        for x in &mut a {
            *x *= b;
        }
        a
    }

    #[inline(always)]
    fn multiply_add(self, a: f32, b: [f32; LANES], mut c: [f32; LANES]) -> [f32; LANES] {
        for j in 0..LANES {
            // Without FMA, `mul_add` is a call of the C library.
            c[j] =
                if cfg!(target_feature = "fma") { a.mul_add(b[j], c[j]) } else { a * b[j] + c[j] };
        }
        c
    }
}

#[cfg(all(target_arch = "x86_64", target_feature = "fma"))]
impl Vectors for V4 {
    type Vector = f32x16;

    const ARE_WIDE: bool = true;

    #[inline(always)]
    fn load(self, numbers: &[f32; LANES]) -> f32x16 {
        pulp::cast(*numbers)
    }

    #[inline(always)]
    fn numbers(self, vector: f32x16) -> [f32; LANES] {
        pulp::cast(vector)
    }

    #[inline(always)]
    fn add(self, a: f32x16, b: f32x16) -> f32x16 {
        self.add_f32s(a, b)
    }

    #[inline(always)]
    fn multiply(self, a: f32x16, b: f32) -> f32x16 {
        self.mul_f32s(a, self.splat_f32s(b))
    }

    #[inline(always)]
    fn multiply_add(self, a: f32, b: f32x16, c: f32x16) -> f32x16 {
        self.mul_add_f32s(self.splat_f32s(a), b, c)
    }
}

/// Computation that is written for any [`Vectors`].
pub(crate) trait Kernel {
    /// Computes with `vectors`. Implementations inline everything that they call.
    fn run<V: Vectors>(self, vectors: V);
}

/// Runs a kernel with the widest registers of this processor.
#[inline]
pub(crate) fn run(kernel: impl Kernel) {
    // Without FMA in the compiled code, sums are rounded differently. They must not depend on the
    // processor.
    #[cfg(all(target_arch = "x86_64", target_feature = "fma"))]
    if let Some(vectors) = V4::try_new() {
        return vectors.vectorize(Wide { kernel, vectors });
    }
    kernel.run(Compiled)
}

/// A kernel for AVX-512.
#[cfg(all(target_arch = "x86_64", target_feature = "fma"))]
struct Wide<K> {
    kernel: K,
    vectors: V4,
}

#[cfg(all(target_arch = "x86_64", target_feature = "fma"))]
impl<K: Kernel> NullaryFnOnce for Wide<K> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        self.kernel.run(self.vectors)
    }
}
