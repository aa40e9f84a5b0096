//! Dense layer over a batch, with packed weights.

/// Columns per panel of weights: two vectors of eight.
const PANEL_COLUMNS: usize = 16;

/// Rows of a batch per tile: twelve vectors of sums, two of weights and one of inputs fit into the
/// sixteen registers of AVX2.
const TILE_ROWS: usize = 6;

/// Matrix `[inputs, outputs]` cut into panels of columns, and its bias.
#[derive(Clone, Debug)]
pub(crate) struct Dense {
    inputs: usize,
    outputs: usize,
    /// Panel by panel, each row by row; the last panel is padded with zeros.
    panels: Vec<[f32; PANEL_COLUMNS]>,
    bias: Vec<[f32; PANEL_COLUMNS]>,
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
        let n_panels = outputs.div_ceil(PANEL_COLUMNS);
        let mut panels = vec![[0.0; PANEL_COLUMNS]; n_panels * inputs];
        let mut biases = vec![[0.0; PANEL_COLUMNS]; n_panels];
        let mut column = 0;
        for (matrix, bias) in parts {
            for (j, &bias_j) in bias.iter().enumerate() {
                let (panel, lane) = (column / PANEL_COLUMNS, column % PANEL_COLUMNS);
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
        self.outputs.next_multiple_of(PANEL_COLUMNS)
    }

    /// Applies the layer to the rows of `x`, and stores or adds the results in the rows of `y`.
    ///
    /// Rows of `x` are `x_stride` long, rows of `y` [`Dense::stride`]. The result of a row does not
    /// depend on the other rows.
    pub(crate) fn apply(&self, x: &[f32], x_stride: usize, y: &mut [f32], epilogue: Epilogue) {
        let y_stride = self.stride();
        let mut transposed = vec![[0.0; TILE_ROWS]; self.inputs];
        let mut tiles = y.chunks_exact_mut(TILE_ROWS * y_stride);
        let mut first = 0;
        for y in &mut tiles {
            for r in 0..TILE_ROWS {
                let row = &x[(first + r) * x_stride..][..self.inputs];
                transposed.iter_mut().zip(row).for_each(|(transposed, &x)| transposed[r] = x);
            }
            for (p, panel) in self.panels.chunks_exact(self.inputs).enumerate() {
                let sums = tile(&transposed, panel, self.bias[p]);
                for (y, sums) in y.chunks_exact_mut(y_stride).zip(&sums) {
                    finish(&mut y[p * PANEL_COLUMNS..], sums, epilogue);
                }
            }
            first += TILE_ROWS;
        }
        for (r, y) in tiles.into_remainder().chunks_exact_mut(y_stride).enumerate() {
            self.apply_to_row(&x[(first + r) * x_stride..][..self.inputs], y, epilogue);
        }
    }

    /// Applies the layer to a single row, four panels at a time: independent sums hide the latency
    /// of the additions.
    fn apply_to_row(&self, x: &[f32], y: &mut [f32], epilogue: Epilogue) {
        let mut panels = self.panels.chunks_exact(4 * self.inputs);
        let mut p = 0;
        for four in &mut panels {
            let (a, b) = four.split_at(2 * self.inputs);
            let ((a, b), (c, d)) = (a.split_at(self.inputs), b.split_at(self.inputs));
            let sums = row_tile(x, [a, b, c, d], std::array::from_fn(|i| self.bias[p + i]));
            for (i, sums) in sums.iter().enumerate() {
                finish(&mut y[(p + i) * PANEL_COLUMNS..], sums, epilogue);
            }
            p += 4;
        }
        for panel in panels.remainder().chunks_exact(self.inputs) {
            let [sums] = row_tile(x, [panel], [self.bias[p]]);
            finish(&mut y[p * PANEL_COLUMNS..], &sums, epilogue);
            p += 1;
        }
    }
}

/// Returns `a * b + c`, fused if the target has FMA.
#[inline(always)]
fn multiply_add(a: f32, b: f32, c: f32) -> f32 {
    if cfg!(target_feature = "fma") { a.mul_add(b, c) } else { a * b + c }
}

#[inline]
fn tile(
    transposed: &[[f32; TILE_ROWS]],
    panel: &[[f32; PANEL_COLUMNS]],
    bias: [f32; PANEL_COLUMNS],
) -> [[f32; PANEL_COLUMNS]; TILE_ROWS] {
    let mut sums = [bias; TILE_ROWS];
    for (x, weights) in transposed.iter().zip(panel) {
        for m in 0..TILE_ROWS {
            for j in 0..PANEL_COLUMNS {
                sums[m][j] = multiply_add(x[m], weights[j], sums[m][j]);
            }
        }
    }
    sums
}

#[inline(always)]
fn row_tile<const P: usize>(
    x: &[f32],
    panels: [&[[f32; PANEL_COLUMNS]]; P],
    bias: [[f32; PANEL_COLUMNS]; P],
) -> [[f32; PANEL_COLUMNS]; P] {
    let mut sums = bias;
    let panels = panels.map(|panel| &panel[..x.len()]);
    for (k, &x) in x.iter().enumerate() {
        for (sums, panel) in sums.iter_mut().zip(panels) {
            for j in 0..PANEL_COLUMNS {
                sums[j] = multiply_add(x, panel[k][j], sums[j]);
            }
        }
    }
    sums
}

#[inline(always)]
fn finish(y: &mut [f32], sums: &[f32; PANEL_COLUMNS], epilogue: Epilogue) {
    let Some(y) = y.first_chunk_mut::<PANEL_COLUMNS>() else { return };
    for (y, &sum) in y.iter_mut().zip(sums) {
        *y = match epilogue {
            Epilogue::Store => sum,
            Epilogue::Relu => sum.max(0.0),
            Epilogue::Add => *y + sum,
            Epilogue::AddRelu => (*y + sum).max(0.0),
        };
    }
}
