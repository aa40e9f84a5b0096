//! Observations as lists of their features, and the first layer over them.
//!
//! About one feature in ten is not zero, so the first layer adds up rows of its matrix instead of multiplying by
//! it: what takes most of the arithmetic of a dense network takes a tenth of the time.

use troel_env::features::Packed;

/// The features of some observations that are not zero, row by row.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    ones: Vec<u16>,
    numbers: Vec<(u16, f32)>,
    /// Where each row ends in `ones` and `numbers`.
    ends: Vec<(u32, u32)>,
}

impl Rows {
    /// Takes all rows out and keeps the memory.
    pub fn clear(&mut self) {
        self.ones.clear();
        self.numbers.clear();
        self.ends.clear();
    }

    /// Adds a row.
    pub fn push(&mut self, features: &Packed) {
        self.ones.extend(features.ones().map(|i| i as u16));
        self.numbers.extend(features.numbers().map(|(i, value)| (i as u16, value)));
        self.ends.push((self.ones.len() as u32, self.numbers.len() as u32));
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The features of each row: those that are one, and the others with their values.
    fn iter(&self) -> impl Iterator<Item = (&[u16], &[(u16, f32)])> {
        let mut start = (0, 0);
        self.ends.iter().map(move |&end| {
            let from = std::mem::replace(&mut start, end);
            let ones = &self.ones[from.0 as usize..end.0 as usize];
            (ones, &self.numbers[from.1 as usize..end.1 as usize])
        })
    }

    /// Features times a matrix `[N_FEATURES, width]`, plus a bias `[width]`, into `out` (`[rows, stride]`, of which the
    /// first `width` columns are written).
    ///
    /// # Panics
    /// If a length does not fit.
    pub fn times(&self, matrix: &[f32], bias: &[f32], out: &mut [f32], stride: usize) {
        for (from, columns) in runs(bias.len()) {
            match columns {
                64 => self.times_columns::<64>(matrix, bias, out, stride, from),
                8 => self.times_columns::<8>(matrix, bias, out, stride, from),
                _ => self.times_columns::<1>(matrix, bias, out, stride, from),
            }
        }
    }

    fn times_columns<const C: usize>(
        &self,
        matrix: &[f32],
        bias: &[f32],
        out: &mut [f32],
        stride: usize,
        from: usize,
    ) {
        let row = |i: u16| array::<C>(matrix, usize::from(i) * bias.len() + from);
        for ((ones, numbers), out) in self.iter().zip(out.chunks_mut(stride)) {
            let mut sums = *array::<C>(bias, from);
            for &i in ones {
                sums.iter_mut().zip(row(i)).for_each(|(sum, w)| *sum += w);
            }
            for &(i, value) in numbers {
                sums.iter_mut().zip(row(i)).for_each(|(sum, w)| *sum += w * value);
            }
            out[from..from + C].copy_from_slice(&sums);
        }
    }

    /// Adds the gradient of that product to the gradient of its matrix, `[N_FEATURES, width]`, given the gradient
    /// of the product, `[rows, width]`.
    ///
    /// # Panics
    /// If a length does not fit.
    pub fn add_gradient(&self, product: &[f32], width: usize, matrix: &mut [f32]) {
        for (from, columns) in runs(width) {
            match columns {
                64 => self.add_columns::<64>(product, width, matrix, from),
                8 => self.add_columns::<8>(product, width, matrix, from),
                _ => self.add_columns::<1>(product, width, matrix, from),
            }
        }
    }

    fn add_columns<const C: usize>(
        &self,
        product: &[f32],
        width: usize,
        matrix: &mut [f32],
        from: usize,
    ) {
        for ((ones, numbers), product) in self.iter().zip(product.chunks(width)) {
            let product = array::<C>(product, from);
            for &i in ones {
                let row = &mut matrix[usize::from(i) * width + from..][..C];
                row.iter_mut().zip(product).for_each(|(sum, p)| *sum += p);
            }
            for &(i, value) in numbers {
                let row = &mut matrix[usize::from(i) * width + from..][..C];
                row.iter_mut().zip(product).for_each(|(sum, p)| *sum += p * value);
            }
        }
    }
}

/// Cuts columns into runs of 64 (whose part of the matrix stays in the second-level cache, and whose sums in
/// registers), the rest into runs of 8 and of 1: where each starts, and its length.
fn runs(width: usize) -> impl Iterator<Item = (usize, usize)> {
    let mut from = 0;
    std::iter::from_fn(move || {
        let run = [64, 8, 1].into_iter().find(|run| from + run <= width)?;
        let start = from;
        from += run;
        Some((start, run))
    })
}

#[inline(always)]
fn array<const C: usize>(values: &[f32], from: usize) -> &[f32; C] {
    values[from..].first_chunk().expect("the caller keeps to the width of the matrix")
}
