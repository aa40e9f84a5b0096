//! Batches of observations as lists of their nonzero features, and the input layer over them.
//!
//! About one feature in ten is nonzero, so the input layer adds up rows of its matrix instead of
//! multiplying by it. In a dense network this layer has most of the arithmetic; here it takes a
//! tenth of the time.

use troel_env::features::{PackedFeatures, RuleView};
use troel_env::{CardSet, N_CARDS, N_FEATURES};

/// Nonzero features of a batch of observations, row by row.
#[derive(Clone, Debug, Default)]
pub struct SparseBatch {
    ones: Vec<u16>,
    numbers: Vec<(u16, f32)>,
    /// End of each row in `ones` and `numbers`.
    ends: Vec<(u32, u32)>,
}

impl SparseBatch {
    /// Removes all rows but keeps the allocated memory.
    pub fn clear(&mut self) {
        self.ones.clear();
        self.numbers.clear();
        self.ends.clear();
    }

    /// Adds the features of an observation as a row.
    pub fn push(&mut self, features: &PackedFeatures) {
        features.ones().for_each(|i| self.ones.push(i as u16));
        features.numbers().for_each(|(i, value)| self.numbers.push((i as u16, value)));
        self.ends.push((self.ones.len() as u32, self.numbers.len() as u32));
    }

    /// Adds features as a row, each at its place in `places`, `[N_FEATURES]`.
    ///
    /// [`SuitPermutation::features`](crate::SuitPermutation::features) returns such places.
    pub fn push_renamed(&mut self, features: &PackedFeatures, places: &[u16]) {
        self.ones.extend(features.ones().map(|i| places[i]));
        self.numbers.extend(features.numbers().map(|(i, value)| (places[i], value)));
        self.ends.push((self.ones.len() as u32, self.numbers.len() as u32));
    }

    /// Adds the rule features to the last row, after the features of the observation.
    pub fn extend_with_rules(&mut self, rules: &RuleView) {
        self.numbers.extend(rules.numbers().map(|(i, value)| ((N_FEATURES + i) as u16, value)));
        if let Some(end) = self.ends.last_mut() {
            end.1 = self.numbers.len() as u32;
        }
    }

    /// Adds the input of a critic as a row.
    ///
    /// It has the features of an observation and the cards of relative seats 1 to 3, with the
    /// indices of [`FullObservation::encode_full`](troel_env::FullObservation::encode_full).
    pub fn push_full(&mut self, features: &PackedFeatures, others: &[CardSet; 3]) {
        self.push(features);
        for (i, &hand) in others.iter().enumerate() {
            self.ones
                .extend(hand.iter().map(|card| (N_FEATURES + N_CARDS * i + card.index()) as u16));
        }
        if let Some(end) = self.ends.last_mut() {
            end.0 = self.ones.len() as u32;
        }
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Returns the nonzero features of each row: the indices of those that are 1, and the others as
    /// index and value.
    fn iter(&self) -> impl Iterator<Item = (&[u16], &[(u16, f32)])> + Clone {
        let mut start = (0, 0);
        self.ends.iter().map(move |&end| {
            let from = std::mem::replace(&mut start, end);
            let ones = &self.ones[from.0 as usize..end.0 as usize];
            (ones, &self.numbers[from.1 as usize..end.1 as usize])
        })
    }

    /// Computes features times a matrix `[features, width]` plus a bias `[width]`. Writes the first
    /// `width` columns of `out`, `[rows, stride]`.
    ///
    /// # Panics
    /// If a slice is too short for its shape.
    pub fn multiply(&self, matrix: &[f32], bias: &[f32], out: &mut [f32], stride: usize) {
        // 64 columns of the matrix fit into the L2 cache, their sums into registers.
        for (from, columns) in runs(bias.len(), 64) {
            match columns {
                64 => self.multiply_columns::<64>(matrix, bias, out, stride, from),
                8 => self.multiply_columns::<8>(matrix, bias, out, stride, from),
                _ => self.multiply_columns::<1>(matrix, bias, out, stride, from),
            }
        }
    }

    fn multiply_columns<const C: usize>(
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

    /// Adds the gradient with respect to the matrix, `[features, width]`, to `matrix`.
    ///
    /// `product` is the gradient with respect to the result of [`SparseBatch::multiply`],
    /// `[rows, width]`.
    ///
    /// # Panics
    /// If a slice is too short for its shape, or there are more than 65,536 rows.
    pub fn add_gradient(&self, product: &[f32], width: usize, matrix: &mut [f32]) {
        assert!(self.len() <= 1 << 16, "rows are numbered in 16 bits");
        let features = RowsByFeature::transposed(self, matrix.len() / width);
        // 32 columns of a few hundred rows fit into the L1 cache.
        for (from, columns) in runs(width, 32) {
            match columns {
                32 => features.add_columns::<32>(product, width, matrix, from),
                8 => features.add_columns::<8>(product, width, matrix, from),
                _ => features.add_columns::<1>(product, width, matrix, from),
            }
        }
    }
}

/// [`SparseBatch`] transposed: for each feature the rows that have it, so that its gradient is
/// written once.
struct RowsByFeature {
    ones: RowLists<u16>,
    numbers: RowLists<(u16, f32)>,
}

/// Lists of rows, one per feature.
struct RowLists<T> {
    entries: Vec<T>,
    /// End of each feature's list.
    ends: Vec<u32>,
}

impl<T: Copy + Default> RowLists<T> {
    /// Sorts entries by feature with a counting sort; `count` is the number of features. The order
    /// of rows is kept.
    fn sorted(entries: impl Iterator<Item = (u16, T)> + Clone, count: usize) -> RowLists<T> {
        let mut ends = vec![0u32; count + 1];
        entries.clone().for_each(|(feature, _)| ends[usize::from(feature) + 1] += 1);
        for i in 0..count {
            ends[i + 1] += ends[i];
        }
        let mut sorted = vec![T::default(); ends[count] as usize];
        for (feature, entry) in entries {
            // Each entry advances the start of its list to the list's end, which is the start of
            // the next.
            let at = &mut ends[usize::from(feature)];
            sorted[*at as usize] = entry;
            *at += 1;
        }
        RowLists { entries: sorted, ends }
    }

    fn rows_with(&self, feature: usize) -> &[T] {
        let start = if feature == 0 { 0 } else { self.ends[feature - 1] };
        &self.entries[start as usize..self.ends[feature] as usize]
    }
}

impl RowsByFeature {
    fn transposed(rows: &SparseBatch, count: usize) -> RowsByFeature {
        let ones = rows
            .iter()
            .enumerate()
            .flat_map(|(row, (ones, _))| ones.iter().map(move |&feature| (feature, row as u16)));
        let numbers = rows.iter().enumerate().flat_map(|(row, (_, numbers))| {
            numbers.iter().map(move |&(feature, value)| (feature, (row as u16, value)))
        });
        RowsByFeature {
            ones: RowLists::sorted(ones, count),
            numbers: RowLists::sorted(numbers, count),
        }
    }

    fn add_columns<const C: usize>(
        &self,
        product: &[f32],
        width: usize,
        matrix: &mut [f32],
        from: usize,
    ) {
        // Copied next to each other: rows a kilobyte apart would conflict in the cache.
        let columns: Vec<[f32; C]> =
            product.chunks_exact(width).map(|row| *array::<C>(row, from)).collect();
        let row = |r: u16| &columns[usize::from(r)];
        for (feature, gradient) in matrix.chunks_mut(width).enumerate() {
            let (ones, numbers) = (self.ones.rows_with(feature), self.numbers.rows_with(feature));
            if ones.is_empty() && numbers.is_empty() {
                continue;
            }
            let gradient = &mut gradient[from..from + C];
            let mut sums = *array::<C>(gradient, 0);
            for &r in ones {
                sums.iter_mut().zip(row(r)).for_each(|(sum, p)| *sum += p);
            }
            for &(r, value) in numbers {
                sums.iter_mut().zip(row(r)).for_each(|(sum, p)| *sum += p * value);
            }
            gradient.copy_from_slice(&sums);
        }
    }
}

/// Splits `width` columns into runs of `widest`, the rest into runs of 8 and of 1.
///
/// Yields start and length of each run.
fn runs(width: usize, widest: usize) -> impl Iterator<Item = (usize, usize)> {
    let mut from = 0;
    std::iter::from_fn(move || {
        let run = [widest, 8, 1].into_iter().find(|run| from + run <= width)?;
        let start = from;
        from += run;
        Some((start, run))
    })
}

#[inline(always)]
fn array<const C: usize>(values: &[f32], from: usize) -> &[f32; C] {
    values[from..].first_chunk().expect("`runs` stays within the width of the matrix")
}

#[cfg(test)]
mod tests {
    use troel_env::rng::{Purpose, Stream};
    use troel_env::{BySeat, Deals, N_FULL_FEATURES, RuleSet, Seat, State};

    use super::*;

    /// Checks that sparse rows and the dense vector have the same product with a random matrix.
    #[test]
    fn full_rows_are_those_of_encode_full() {
        let rules = RuleSet::built_in("luxembourg").unwrap();
        let mut stream = Stream::new(2, Purpose::Action, 0);
        let matrix: Vec<f32> = (0..N_FULL_FEATURES).map(|_| stream.unit()).collect();
        let mut state = State::new(rules, &Deals::new(rules, 4).shuffled(0, Seat::North));
        let mut dense = vec![0.0; N_FULL_FEATURES];
        while !state.is_done() {
            let full = state.observe_full(state.turn(), BySeat::default());
            full.encode_full(&mut dense);
            let others = std::array::from_fn(|i| full.hands()[state.turn().plus(i + 1)]);
            let mut rows = SparseBatch::default();
            rows.push_full(&full.observation().pack(), &others);
            let mut product = [0.0];
            rows.multiply(&matrix, &[0.5], &mut product, 1);
            let wanted = 0.5 + dense.iter().zip(&matrix).map(|(x, w)| x * w).sum::<f32>();
            assert!((product[0] - wanted).abs() < 1e-3, "{product:?} {wanted}");
            let legal = state.legal_actions();
            state.apply(legal.draw(&mut stream).unwrap()).unwrap();
        }
    }
}
