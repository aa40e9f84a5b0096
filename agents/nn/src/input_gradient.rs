//! Gradient of the input layer. Threads can compute disjoint parts of it.

use std::ops::Range;

use crate::sparse::{SparseBatch, add, load, runs, store};
use crate::vectors::{self, Kernel, LANES, Vectors};

/// Largest number of columns of a [`ColumnTile`]. 32 columns of a few hundred rows fit into the L1
/// cache.
const TILE_COLUMNS: usize = 2 * LANES;

/// Columns of the input layer's matrix whose gradients are computed together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ColumnTile {
    from: usize,
    columns: usize,
}

impl ColumnTile {
    /// Returns the tiles of a matrix with `width` columns, from the left.
    pub fn all(width: usize) -> impl Iterator<Item = ColumnTile> {
        runs(width, TILE_COLUMNS).map(|(from, columns)| ColumnTile { from, columns })
    }

    /// Returns the first column.
    pub fn from(self) -> usize {
        self.from
    }

    /// Returns the number of columns.
    pub fn columns(self) -> usize {
        self.columns
    }
}

/// A batch with the gradient of its loss with respect to the products of the input layer.
pub struct InputGradient {
    /// Number of rows of the batch.
    rows: usize,
    /// Number of features, which is also the number of the bias.
    inputs: usize,
    ones: RowLists<u16>,
    numbers: RowLists<(u16, f32)>,
    /// Gradient with respect to the products, tile by tile, each `[rows, columns]`. Rows a kilobyte
    /// apart would conflict in the cache.
    products: Vec<f32>,
}

impl InputGradient {
    /// Transposes a batch of observations with `inputs` features. `products` is the gradient with
    /// respect to the result of [`SparseBatch::multiply`], `[rows, width]`.
    ///
    /// # Panics
    /// If `products` has another length, a feature is above `inputs`, or there are more than 65,535
    /// features or 65,536 rows.
    pub fn new(batch: &SparseBatch, inputs: usize, products: &[f32], width: usize) -> Self {
        let rows = batch.len();
        assert!(rows <= 1 << 16, "rows are numbered in 16 bits");
        assert_eq!(products.len(), rows * width, "products are [rows, width]");
        let bias = u16::try_from(inputs).expect("features are numbered in 16 bits");
        let every_row = (0..rows).map(|row| (bias, row as u16));
        let ones = batch
            .iter()
            .enumerate()
            .flat_map(|(row, (ones, _))| ones.iter().map(move |&feature| (feature, row as u16)));
        let numbers = batch.iter().enumerate().flat_map(|(row, (_, numbers))| {
            numbers.iter().map(move |&(feature, value)| (feature, (row as u16, value)))
        });
        let mut tiles = Vec::with_capacity(products.len());
        for ColumnTile { from, columns } in ColumnTile::all(width) {
            products.chunks(width).for_each(|row| tiles.extend(&row[from..][..columns]));
        }
        InputGradient {
            rows,
            inputs,
            // The bias is the weight of a feature that every row has.
            ones: RowLists::sorted(ones.chain(every_row), inputs + 1),
            numbers: RowLists::sorted(numbers, inputs + 1),
            products: tiles,
        }
    }

    /// Adds the gradient of the weights of `features` in the columns of `tile` to `sum`,
    /// `[features, columns]`. The feature after the last one is the bias. `tile` is one of
    /// [`ColumnTile::all`] for the width of the batch.
    ///
    /// # Panics
    /// If a feature or the tile is out of range, or `sum` has another length.
    pub fn add(&self, tile: ColumnTile, features: Range<usize>, sum: &mut [f32]) {
        assert!(features.end <= self.inputs + 1, "features end with the bias");
        assert_eq!(sum.len(), features.len() * tile.columns, "sum is [features, columns]");
        vectors::run(self.partial(tile, features, sum));
    }

    fn partial<'a>(
        &'a self,
        tile: ColumnTile,
        features: Range<usize>,
        sum: &'a mut [f32],
    ) -> PartialGradient<'a> {
        let products = &self.products[tile.from * self.rows..][..tile.columns * self.rows];
        let (columns, first) = (tile.columns, features.start);
        PartialGradient { batch: self, columns, products, first, sum }
    }

    /// Returns the rows in which a feature is 1, and those in which it has another value.
    #[inline(always)]
    fn rows_with(&self, feature: usize) -> (&[u16], &[(u16, f32)]) {
        (self.ones.rows_with(feature), self.numbers.rows_with(feature))
    }
}

/// Arguments of [`InputGradient::add`].
struct PartialGradient<'a> {
    batch: &'a InputGradient,
    columns: usize,
    products: &'a [f32],
    /// Feature of the first row of `sum`.
    first: usize,
    sum: &'a mut [f32],
}

impl Kernel for PartialGradient<'_> {
    #[inline(always)]
    fn run<V: Vectors>(self, vectors: V) {
        match self.columns / LANES {
            2 => self.vectors::<V, 2>(vectors),
            1 => self.vectors::<V, 1>(vectors),
            _ => self.scalars(),
        }
    }
}

impl PartialGradient<'_> {
    /// Adds `N` vectors of columns.
    #[inline(always)]
    fn vectors<V: Vectors, const N: usize>(self, vectors: V) {
        let row = |r: u16| load::<V, N>(vectors, self.products, usize::from(r) * N * LANES);
        for (i, sum) in self.sum.chunks_exact_mut(N * LANES).enumerate() {
            let (ones, numbers) = self.batch.rows_with(self.first + i);
            if ones.is_empty() && numbers.is_empty() {
                continue;
            }
            let mut sums = load::<V, N>(vectors, sum, 0);
            for &r in ones {
                add(vectors, &mut sums, row(r));
            }
            for &(r, value) in numbers {
                add(vectors, &mut sums, row(r).map(|product| vectors.multiply(product, value)));
            }
            store(vectors, sums, sum, 0);
        }
    }

    /// Adds columns one by one.
    #[inline(always)]
    fn scalars(self) {
        for (i, sum) in self.sum.chunks_exact_mut(self.columns).enumerate() {
            let (ones, numbers) = self.batch.rows_with(self.first + i);
            for (column, sum) in sum.iter_mut().enumerate() {
                let product = |r: u16| self.products[usize::from(r) * self.columns + column];
                ones.iter().for_each(|&r| *sum += product(r));
                numbers.iter().for_each(|&(r, value)| *sum += product(r) * value);
            }
        }
    }
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

    #[inline(always)]
    fn rows_with(&self, feature: usize) -> &[T] {
        let start = if feature == 0 { 0 } else { self.ends[feature - 1] };
        &self.entries[start as usize..self.ends[feature] as usize]
    }
}

#[cfg(test)]
mod tests {
    use troel_env::rng::{Purpose, Stream};

    use super::*;
    use crate::sparse::tests::{bits, random_rows};
    use crate::vectors::Compiled;

    /// Checks the sums of two batches, added in parts, for widths with columns that fill no vector.
    /// The widest registers of this processor and those of the compiled code have the bits of a
    /// plain loop.
    #[test]
    fn parts_have_the_bits_of_a_plain_loop() {
        let mut stream = Stream::new(3, Purpose::Action, 0);
        let features = 50;
        for width in [1, 16, 23, 64, 150] {
            let mut sum = vec![0.0; (features + 1) * width];
            let mut batches = Vec::new();
            for rows in [12, 7] {
                let rows = random_rows(&mut stream, rows, features);
                let products: Vec<f32> = (0..rows.len() * width).map(|_| stream.unit()).collect();
                let mut add = |feature: u16, product: &[f32], value: Option<f32>| {
                    let sum = &mut sum[usize::from(feature) * width..][..width];
                    for (sum, &g) in sum.iter_mut().zip(product) {
                        *sum += value.map_or(g, |value| g * value);
                    }
                };
                for ((ones, _), product) in rows.iter().zip(products.chunks(width)) {
                    ones.iter().for_each(|&feature| add(feature, product, None));
                    add(features as u16, product, None);
                }
                for ((_, numbers), product) in rows.iter().zip(products.chunks(width)) {
                    numbers.iter().for_each(|&(i, value)| add(i, product, Some(value)));
                }
                batches.push(InputGradient::new(&rows, features, &products, width));
            }
            for tile in ColumnTile::all(width) {
                for part in [0..20, 20..features + 1] {
                    let mut wide = vec![0.0; part.len() * tile.columns];
                    let mut compiled = wide.clone();
                    for batch in &batches {
                        batch.add(tile, part.clone(), &mut wide);
                        batch.partial(tile, part.clone(), &mut compiled).run(Compiled);
                    }
                    let rows = sum[part.start * width..part.end * width].chunks(width);
                    let wanted: Vec<f32> =
                        rows.flat_map(|row| row[tile.from..][..tile.columns].to_vec()).collect();
                    assert_eq!(bits(&wide), bits(&wanted), "{width} {tile:?}");
                    assert_eq!(bits(&compiled), bits(&wanted), "{width} {tile:?}");
                }
            }
        }
    }
}
