//! Batches of observations as lists of their nonzero features, and the input layer over them.
//!
//! About 7 % of the features are nonzero, so the input layer adds up rows of its matrix instead of
//! multiplying by it. In a dense network this layer has most of the arithmetic; here it takes a
//! tenth of the time.

use troel_env::features::{PackedFeatures, RuleView};
use troel_env::{CardSet, N_CARDS, N_FEATURES};

use crate::vectors::{self, Kernel, LANES, Vectors};

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
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&[u16], &[(u16, f32)])> + Clone {
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
        vectors::run(Multiplication { rows: self, matrix, bias, out, stride });
    }
}

/// Arguments of [`SparseBatch::multiply`].
struct Multiplication<'a> {
    rows: &'a SparseBatch,
    matrix: &'a [f32],
    bias: &'a [f32],
    out: &'a mut [f32],
    stride: usize,
}

impl Kernel for Multiplication<'_> {
    #[inline(always)]
    fn run<V: Vectors>(mut self, vectors: V) {
        // 64 columns of the matrix fit into the L2 cache, their sums into registers.
        for (from, columns) in runs(self.bias.len(), 4 * LANES) {
            match columns / LANES {
                4 => self.columns::<V, 4>(vectors, from),
                1 => self.columns::<V, 1>(vectors, from),
                _ => self.column(from),
            }
        }
    }
}

impl Multiplication<'_> {
    /// Computes `N` vectors of columns.
    #[inline(always)]
    fn columns<V: Vectors, const N: usize>(&mut self, vectors: V, from: usize) {
        let row =
            |i: u16| load::<V, N>(vectors, self.matrix, usize::from(i) * self.bias.len() + from);
        for ((ones, numbers), out) in self.rows.iter().zip(self.out.chunks_mut(self.stride)) {
            let mut sums = load::<V, N>(vectors, self.bias, from);
            for &i in ones {
                add(vectors, &mut sums, row(i));
            }
            for &(i, value) in numbers {
                add(vectors, &mut sums, row(i).map(|weights| vectors.multiply(weights, value)));
            }
            store(vectors, sums, out, from);
        }
    }

    /// Computes a single column.
    #[inline(always)]
    fn column(&mut self, from: usize) {
        let weight = |i: u16| self.matrix[usize::from(i) * self.bias.len() + from];
        for ((ones, numbers), out) in self.rows.iter().zip(self.out.chunks_mut(self.stride)) {
            out[from] = self.bias[from];
            ones.iter().for_each(|&i| out[from] += weight(i));
            numbers.iter().for_each(|&(i, value)| out[from] += weight(i) * value);
        }
    }
}

/// Loads `N` vectors that begin at `from`.
#[inline(always)]
pub(crate) fn load<V: Vectors, const N: usize>(
    vectors: V,
    values: &[f32],
    from: usize,
) -> [V::Vector; N] {
    let (values, _) = values[from..][..N * LANES].as_chunks();
    std::array::from_fn(|i| vectors.load(&values[i]))
}

/// Stores `N` vectors, beginning at `from`.
#[inline(always)]
pub(crate) fn store<V: Vectors, const N: usize>(
    vectors: V,
    sums: [V::Vector; N],
    values: &mut [f32],
    from: usize,
) {
    let (values, _) = values[from..][..N * LANES].as_chunks_mut();
    for (values, sums) in values.iter_mut().zip(sums) {
        *values = vectors.numbers(sums);
    }
}

/// Adds `N` vectors to sums.
#[inline(always)]
pub(crate) fn add<V: Vectors, const N: usize>(
    vectors: V,
    sums: &mut [V::Vector; N],
    terms: [V::Vector; N],
) {
    for (sum, term) in sums.iter_mut().zip(terms) {
        *sum = vectors.add(*sum, term);
    }
}

/// Splits `width` columns into runs of `widest`, the rest into runs of [`LANES`] and of 1.
///
/// Yields start and length of each run.
pub(crate) fn runs(width: usize, widest: usize) -> impl Iterator<Item = (usize, usize)> {
    let mut from = 0;
    std::iter::from_fn(move || {
        let run = [widest, LANES, 1].into_iter().find(|run| from + run <= width)?;
        let start = from;
        from += run;
        Some((start, run))
    })
}

#[cfg(test)]
pub(crate) mod tests {
    use troel_env::rng::{Purpose, Stream};
    use troel_env::{BySeat, Deals, N_FULL_FEATURES, RuleSet, Seat, State};

    use super::*;
    use crate::vectors::Compiled;

    /// Returns rows with random features, of which some are not 1.
    pub(crate) fn random_rows(stream: &mut Stream, rows: usize, features: usize) -> SparseBatch {
        let mut batch = SparseBatch::default();
        for _ in 0..rows {
            for i in 0..features as u16 {
                match stream.below(5) {
                    0 => batch.ones.push(i),
                    1 => batch.numbers.push((i, stream.unit())),
                    _ => {}
                }
            }
            batch.ends.push((batch.ones.len() as u32, batch.numbers.len() as u32));
        }
        batch
    }

    pub(crate) fn bits(numbers: &[f32]) -> Vec<u32> {
        numbers.iter().map(|x| x.to_bits()).collect()
    }

    /// Checks the widest registers of this processor against those of the compiled code, for widths
    /// with columns that fill no vector.
    #[test]
    fn registers_do_not_change_a_result() {
        let mut stream = Stream::new(3, Purpose::Action, 0);
        let features = 50;
        for width in [1, 16, 23, 64, 150] {
            let rows = random_rows(&mut stream, 12, features);
            let mut numbers = |n: usize| -> Vec<f32> { (0..n).map(|_| stream.unit()).collect() };
            let (matrix, bias) = (numbers(features * width), numbers(width));
            let stride = width + 2;
            let (mut wide, mut compiled) =
                (vec![0.0; rows.len() * stride], vec![0.0; rows.len() * stride]);
            rows.multiply(&matrix, &bias, &mut wide, stride);
            let out = &mut compiled;
            Multiplication { rows: &rows, matrix: &matrix, bias: &bias, out, stride }.run(Compiled);
            assert_eq!(bits(&wide), bits(&compiled), "{width}");
        }
    }

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
