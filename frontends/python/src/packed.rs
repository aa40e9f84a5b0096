//! Packed observations: rows of bytes, a twentieth of the size of the dense features.
//!
//! A row has the packed features, the permutation of the suits, the version of the features and two
//! zeros. A row with full information continues with the cards of relative seats 1 to 3, 8 bytes
//! for each. The suits keep their real names in a row; unpacking renames them.

use numpy::{
    IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray2, PyUntypedArrayMethods,
};
use pyo3::prelude::*;
use rayon::prelude::*;
use troel_env::features::{PACKED_BYTES, PackedFeatures};
use troel_env::{CardSet, Env, FEATURE_VERSION, N_CARDS, N_FEATURES, N_FULL_FEATURES};
use troel_nn::SuitPermutation;

use crate::arguments::value_error;
use crate::parallel::pool;
use crate::vectorised::locked;

/// Number of bytes of a row.
pub const PACKED_SIZE: usize = PACKED_BYTES + 4;

/// Number of bytes of a row with full information.
pub const PACKED_FULL_SIZE: usize = PACKED_SIZE + 24;

/// Number of rows of one task.
const ROWS_PER_TASK: usize = 64;

/// Writes a row. `others` are the cards of relative seats 1 to 3, for a row with full information.
pub fn write_row(
    row: &mut [u8],
    features: &PackedFeatures,
    suits: SuitPermutation,
    others: &[CardSet],
) {
    let (packed, rest) = row.split_at_mut(PACKED_BYTES);
    packed.copy_from_slice(&features.to_bytes());
    let (head, cards) = rest.split_at_mut(4);
    head.copy_from_slice(&[suits.number(), FEATURE_VERSION as u8, 0, 0]);
    for (to, hand) in cards.as_chunks_mut().0.iter_mut().zip(others) {
        *to = hand.0.to_le_bytes();
    }
}

/// Returns the cards of relative seats 1 to 3 from the seat to act.
pub fn others(env: &Env) -> [CardSet; 3] {
    let (hands, seat) = (env.state().hands(), env.turn());
    std::array::from_fn(|i| hands[seat.plus(i + 1)])
}

/// A row that was read.
struct Unpacked {
    features: PackedFeatures,
    suits: SuitPermutation,
    /// Cards of relative seats 1 to 3; empty without full information.
    others: [CardSet; 3],
}

impl Unpacked {
    /// Reads a row of `PACKED_SIZE` or `PACKED_FULL_SIZE` bytes. Returns `None` for other bytes.
    fn read(row: &[u8]) -> Option<Unpacked> {
        let (packed, rest) = row.split_first_chunk()?;
        let (&[suits, version, 0, 0], cards) = rest.split_first_chunk()? else {
            return None;
        };
        let mut others = [CardSet::EMPTY; 3];
        for (hand, &bytes) in others.iter_mut().zip(cards.as_chunks().0) {
            *hand = CardSet(u64::from_le_bytes(bytes));
        }
        let are_cards = others.iter().all(|&hand| (hand - CardSet::FULL).is_empty());
        let is_valid = u32::from(version) == FEATURE_VERSION && are_cards;
        let suits = SuitPermutation::try_from(suits).ok().filter(|_| is_valid)?;
        Some(Unpacked { features: PackedFeatures::from_bytes(packed)?, suits, others })
    }

    /// Writes the dense features, with the suits renamed.
    fn expand(&self, out: &mut [f32]) {
        let (own, others) = out.split_at_mut(N_FEATURES);
        self.features.expand(own);
        others.fill(0.0);
        for (hand, cards) in others.chunks_mut(N_CARDS).zip(&self.others) {
            cards.iter().for_each(|card| hand[card.index()] = 1.0);
        }
        self.suits.rename_features(out);
    }

    /// Appends the indices and values of the features that are not zero, with the suits renamed.
    fn sparse(&self, indices: &mut Vec<i64>, values: &mut Vec<f32>) {
        let (places, cards) = (self.suits.features(), self.suits.actions());
        let place = |index: usize| i64::from(places[index]);
        indices.extend(self.features.ones().map(place));
        for (i, hand) in self.others.iter().enumerate() {
            let start = (N_FEATURES + N_CARDS * i) as i64;
            indices.extend(hand.iter().map(|card| start + i64::from(cards[card.index()])));
        }
        values.resize(indices.len(), 1.0);
        for (index, value) in self.features.numbers() {
            indices.push(place(index));
            values.push(value);
        }
    }
}

/// Returns the number of features of packed rows.
fn n_features(rows: &PyReadonlyArray2<'_, u8>) -> PyResult<usize> {
    match rows.shape()[1] {
        PACKED_SIZE => Ok(N_FEATURES),
        PACKED_FULL_SIZE => Ok(N_FULL_FEATURES),
        size => Err(value_error(format!(
            "rows have {size} bytes each: packed rows have {PACKED_SIZE}, or {PACKED_FULL_SIZE} \
             with full information"
        ))),
    }
}

/// Returns the error for a row that cannot be read.
fn bad_row(row: usize) -> PyErr {
    value_error(format!(
        "rows[{row}] is not a packed row of feature version {FEATURE_VERSION}: \
         use rows of SelfPlayVectorEnv(packed=True) of this version of troel"
    ))
}

/// Writes the dense features of packed rows into `out`, float32 of shape `(n, N_FEATURES)`, or
/// `(n, N_FULL_FEATURES)` for rows with full information. Rows and `out` are contiguous.
#[pyfunction]
pub fn unpack_into(
    py: Python<'_>,
    rows: PyReadonlyArray2<'_, u8>,
    out: &Bound<'_, PyArray2<f32>>,
) -> PyResult<()> {
    let (n, width, size) = (rows.shape()[0], n_features(&rows)?, rows.shape()[1]);
    if out.shape() != [n, width] {
        let shape = out.shape();
        return Err(value_error(format!("out has shape {shape:?}: use ({n}, {width})")));
    }
    let mut out = out.try_readwrite().map_err(locked)?;
    let (rows, out) = (rows.as_slice()?, out.as_slice_mut()?);
    let expand = |(task, (rows, out)): (usize, (&[u8], &mut [f32]))| {
        for (i, (row, out)) in rows.chunks(size).zip(out.chunks_mut(width)).enumerate() {
            Unpacked::read(row).ok_or(task * ROWS_PER_TASK + i)?.expand(out);
        }
        Ok(())
    };
    let pool = pool()?;
    let expanded: Vec<Result<(), usize>> = py.detach(|| {
        pool.install(|| {
            rows.par_chunks(size * ROWS_PER_TASK)
                .zip(out.par_chunks_mut(width * ROWS_PER_TASK))
                .enumerate()
                .map(expand)
                .collect()
        })
    });
    // One after the other, so that the error names the first row that cannot be read.
    expanded.into_iter().collect::<Result<(), usize>>().map_err(bad_row)
}

/// Indices, offsets and values.
type SparseArrays<'py> =
    (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<f32>>);

/// Returns the features of packed rows that are not zero. The results are their indices (int64),
/// the start of each row (int64 of shape `(n,)`), and their values (float32).
#[pyfunction]
pub fn unpack_sparse<'py>(
    py: Python<'py>,
    rows: PyReadonlyArray2<'py, u8>,
) -> PyResult<SparseArrays<'py>> {
    n_features(&rows)?;
    let (size, rows) = (rows.shape()[1], rows.as_slice()?);
    let read = |(task, rows): (usize, &[u8])| {
        let (mut indices, mut starts, mut values) = (Vec::new(), Vec::new(), Vec::new());
        for (i, row) in rows.chunks(size).enumerate() {
            let row = Unpacked::read(row).ok_or(task * ROWS_PER_TASK + i)?;
            starts.push(indices.len() as i64);
            row.sparse(&mut indices, &mut values);
        }
        Ok((indices, starts, values))
    };
    let pool = pool()?;
    let tasks: Vec<Result<_, usize>> = py.detach(|| {
        pool.install(|| rows.par_chunks(size * ROWS_PER_TASK).enumerate().map(read).collect())
    });
    let (mut all_indices, mut all_starts, mut all_values) = (Vec::new(), Vec::new(), Vec::new());
    for task in tasks {
        let (indices, starts, values) = task.map_err(bad_row)?;
        let first = all_indices.len() as i64;
        all_indices.extend(indices);
        all_starts.extend(starts.into_iter().map(|start| first + start));
        all_values.extend(values);
    }
    Ok((all_indices.into_pyarray(py), all_starts.into_pyarray(py), all_values.into_pyarray(py)))
}
