//! Dense layer over a batch, with packed weights.

use crate::vectors::{self, Kernel, LANES, Vectors};

/// Rows of a batch per tile. With six rows, twelve registers of sums, two of weights and one of
/// inputs fit into the sixteen of AVX2. With AVX-512 a tile has two panels, for the same number of
/// registers. In the 128 bits of WebAssembly a panel needs four, so only two rows fit.
const TILE_ROWS: usize = if cfg!(target_arch = "wasm32") { 2 } else { 6 };

/// Matrix `[inputs, outputs]` cut into panels of [`LANES`] columns, and its bias.
#[derive(Clone, Debug)]
pub(crate) struct Dense {
    inputs: usize,
    outputs: usize,
    /// Panel by panel, each row by row; the last panel is padded with zeros.
    panels: Vec<[f32; LANES]>,
    bias: Vec<[f32; LANES]>,
}

/// Use of the sums of a layer.
#[derive(Clone, Copy)]
pub(crate) enum Epilogue {
    /// Overwrite the output.
    Store,
    /// Apply ReLU, then overwrite the output.
    Relu,
    /// Add to the output.
    Add,
    /// Add to the output, then apply ReLU.
    AddRelu,
}

impl Dense {
    /// Packs a layer from parts side by side: matrices `[inputs, outputs]` and biases `[outputs]`.
    pub(crate) fn new(inputs: usize, parts: &[(&[f32], &[f32])]) -> Dense {
        let outputs = parts.iter().map(|(_, bias)| bias.len()).sum::<usize>();
        let n_panels = outputs.div_ceil(LANES);
        let mut panels = vec![[0.0; LANES]; n_panels * inputs];
        let mut biases = vec![[0.0; LANES]; n_panels];
        let mut column = 0;
        for (matrix, bias) in parts {
            for (j, &bias_j) in bias.iter().enumerate() {
                let (panel, lane) = (column / LANES, column % LANES);
                biases[panel][lane] = bias_j;
                for i in 0..inputs {
                    panels[panel * inputs + i][lane] = matrix[i * bias.len() + j];
                }
                column += 1;
            }
        }
        Dense { inputs, outputs, panels, bias: biases }
    }

    /// Returns the number of outputs, padded to whole panels.
    pub(crate) fn stride(&self) -> usize {
        self.outputs.next_multiple_of(LANES)
    }

    /// Applies the layer to the rows of `x`, and stores or adds the results in the rows of `y`.
    ///
    /// Rows of `x` are `x_stride` long, rows of `y` [`Dense::stride`]. The result of a row does not
    /// depend on the other rows.
    pub(crate) fn apply(&self, x: &[f32], x_stride: usize, y: &mut [f32], epilogue: Epilogue) {
        vectors::run(Application { layer: self, x, x_stride, y, epilogue });
    }
}

/// Arguments of [`Dense::apply`].
struct Application<'a> {
    layer: &'a Dense,
    x: &'a [f32],
    x_stride: usize,
    y: &'a mut [f32],
    epilogue: Epilogue,
}

impl Kernel for Application<'_> {
    #[inline(always)]
    fn run<V: Vectors>(self, vectors: V) {
        if V::ARE_WIDE { self.run_with::<V, 2>(vectors) } else { self.run_with::<V, 1>(vectors) }
    }
}

impl Application<'_> {
    /// Applies the layer with `P` panels per tile.
    #[inline(always)]
    fn run_with<V: Vectors, const P: usize>(self, vectors: V) {
        let Application { layer, x, x_stride, y, epilogue } = self;
        let y_stride = layer.stride();
        let mut transposed = vec![[0.0; TILE_ROWS]; layer.inputs];
        let mut tiles = y.chunks_exact_mut(TILE_ROWS * y_stride);
        let mut first = 0;
        for y in &mut tiles {
            for r in 0..TILE_ROWS {
                let row = &x[(first + r) * x_stride..][..layer.inputs];
                transposed.iter_mut().zip(row).for_each(|(transposed, &x)| transposed[r] = x);
            }
            layer.apply_to_rows::<V, TILE_ROWS, P>(vectors, &transposed, y, epilogue);
            first += TILE_ROWS;
        }
        for (r, y) in tiles.into_remainder().chunks_exact_mut(y_stride).enumerate() {
            let (row, _) = x[(first + r) * x_stride..][..layer.inputs].as_chunks::<1>();
            // Four panels at a time: independent sums hide the latency of the additions.
            layer.apply_to_rows::<V, 1, 4>(vectors, row, y, epilogue);
        }
    }
}

impl Dense {
    /// Applies the layer to `R` rows, `P` panels at a time. `x` is `[inputs, R]`.
    #[inline(always)]
    fn apply_to_rows<V: Vectors, const R: usize, const P: usize>(
        &self,
        vectors: V,
        x: &[[f32; R]],
        y: &mut [f32],
        epilogue: Epilogue,
    ) {
        let mut panels = self.panels.chunks_exact(P * self.inputs);
        let mut p = 0;
        for group in &mut panels {
            self.apply_panels::<V, R, P>(vectors, x, group, p, y, epilogue);
            p += P;
        }
        for panel in panels.remainder().chunks_exact(self.inputs) {
            self.apply_panels::<V, R, 1>(vectors, x, panel, p, y, epilogue);
            p += 1;
        }
    }

    /// Applies `P` panels, of which the first has number `p`, to `R` rows.
    #[inline(always)]
    fn apply_panels<V: Vectors, const R: usize, const P: usize>(
        &self,
        vectors: V,
        x: &[[f32; R]],
        panels: &[[f32; LANES]],
        p: usize,
        y: &mut [f32],
        epilogue: Epilogue,
    ) {
        let bias: [_; P] = std::array::from_fn(|i| vectors.load(&self.bias[p + i]));
        let panels: [_; P] = std::array::from_fn(|i| &panels[i * self.inputs..][..x.len()]);
        let mut sums = [bias; R];
        for (k, x) in x.iter().enumerate() {
            for i in 0..P {
                let weights = vectors.load(&panels[i][k]);
                for r in 0..R {
                    sums[r][i] = vectors.multiply_add(x[r], weights, sums[r][i]);
                }
            }
        }
        for (y, sums) in y.chunks_exact_mut(self.stride()).zip(sums) {
            for (i, sums) in sums.into_iter().enumerate() {
                finish(&mut y[(p + i) * LANES..], vectors.numbers(sums), epilogue);
            }
        }
    }
}

#[inline(always)]
fn finish(y: &mut [f32], sums: [f32; LANES], epilogue: Epilogue) {
    let Some(y) = y.first_chunk_mut::<LANES>() else { return };
    for (y, sum) in y.iter_mut().zip(sums) {
        *y = match epilogue {
            Epilogue::Store => sum,
            Epilogue::Relu => sum.max(0.0),
            Epilogue::Add => *y + sum,
            Epilogue::AddRelu => (*y + sum).max(0.0),
        };
    }
}

#[cfg(test)]
mod tests {
    use troel_env::rng::{Purpose, Stream};

    use super::*;
    use crate::vectors::Compiled;

    /// Checks the widest registers of this processor against those of the compiled code, and a row
    /// in a tile against a single row. Widths and rows do not fill tiles and panels.
    #[test]
    fn registers_and_other_rows_do_not_change_a_result() {
        let mut stream = Stream::new(5, Purpose::Action, 0);
        let mut numbers = |n: usize| -> Vec<f32> { (0..n).map(|_| stream.unit() - 0.5).collect() };
        for (inputs, outputs, rows) in [(7, 3, 1), (40, 16, 6), (33, 100, 13), (64, 129, 20)] {
            let (matrix, bias) = (numbers(inputs * outputs), numbers(outputs));
            let layer = Dense::new(inputs, &[(&matrix, &bias)]);
            let x = numbers(rows * inputs);
            let start = numbers(rows * layer.stride());
            let with = |epilogue: Epilogue| {
                let (mut wide, mut compiled, mut single) =
                    (start.clone(), start.clone(), start.clone());
                layer.apply(&x, inputs, &mut wide, epilogue);
                let y = &mut compiled;
                Application { layer: &layer, x: &x, x_stride: inputs, y, epilogue }.run(Compiled);
                for (x, y) in x.chunks(inputs).zip(single.chunks_mut(layer.stride())) {
                    layer.apply(x, inputs, y, epilogue);
                }
                [wide, compiled, single].map(|y| y.iter().map(|y| y.to_bits()).collect::<Vec<_>>())
            };
            for epilogue in [Epilogue::Store, Epilogue::Relu, Epilogue::Add, Epilogue::AddRelu] {
                let [wide, compiled, single] = with(epilogue);
                assert_eq!(wide, compiled, "{inputs} {outputs} {rows}");
                assert_eq!(wide, single, "{inputs} {outputs} {rows}");
            }
        }
    }
}
