//! The network's forward pass on the CPU.

use serde::{Deserialize, Serialize};
use troel_env::features::{PackedFeatures, RuleView};
use troel_env::{ActionSet, N_ACTIONS, N_FEATURES, Observation};

use crate::critic::Critic;
use crate::dense::{Dense, Epilogue};
use crate::policy::ILLEGAL_LOGIT;
use crate::sparse::SparseBatch;
use crate::suits::SuitPermutation;
use crate::weights::{LayerSpec, NetworkConfig, Weights};

/// Rows per pass through the layers, so that activations stay in the cache. A multiple of the rows
/// of a tile.
const ROWS_PER_PASS: usize = 96;

/// Numbers per cache line of 64 bytes.
const NUMBERS_PER_LINE: usize = 16;

/// Input of a network: the features of an observation, and the legal actions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NetworkInput {
    /// Features.
    pub features: PackedFeatures,
    /// Legal actions.
    pub legal: ActionSet,
    /// Permutation of the suits by a network with canonical suits.
    pub suits: SuitPermutation,
    /// View of the rules for a network with rule features.
    pub rules: RuleView,
}

impl From<&Observation> for NetworkInput {
    fn from(obs: &Observation) -> NetworkInput {
        NetworkInput {
            features: obs.pack(),
            legal: obs.legal_actions(),
            suits: SuitPermutation::canonical(obs),
            rules: RuleView::from(obs),
        }
    }
}

impl NetworkInput {
    /// Returns the suit permutation that a network of this configuration applies.
    pub fn suit_permutation(&self, config: &NetworkConfig) -> SuitPermutation {
        if config.canonical_suits { self.suits } else { SuitPermutation::default() }
    }

    /// Adds the features to the rows of a network of this configuration.
    pub fn push(&self, rows: &mut SparseBatch, config: &NetworkConfig) {
        if config.canonical_suits {
            rows.push_renamed(&self.features, self.suits.features())
        } else {
            rows.push(&self.features)
        }
        if config.rule_features {
            rows.extend_with_rules(&self.rules);
        }
    }

    /// Writes the dense inputs of a network of this configuration, without renaming suits.
    ///
    /// There are [`NetworkConfig::inputs`] of them.
    ///
    /// # Panics
    /// If `out` is of another length.
    pub fn expand(&self, config: &NetworkConfig, out: &mut [f32]) {
        assert_eq!(
            out.len(),
            config.inputs(),
            "the inputs of a network need a buffer of their number"
        );
        let (features, rules) = out.split_at_mut(N_FEATURES);
        self.features.expand(features);
        if config.rule_features {
            rules.fill(0.0);
            self.rules.numbers().for_each(|(i, value)| rules[i] = value);
        }
    }
}

/// Numbers that begin at a cache line. Otherwise their alignment would depend on the allocator, and
/// rows across cache lines slow the input layer down (8 % of `infer/256` in `troel bench`).
#[derive(Debug)]
struct Aligned {
    memory: Vec<f32>,
    start: usize,
    len: usize,
}

impl Aligned {
    fn new(values: &[f32]) -> Aligned {
        let mut memory = vec![0.0; values.len() + NUMBERS_PER_LINE];
        let start =
            memory.as_ptr().align_offset(size_of::<f32>() * NUMBERS_PER_LINE).min(NUMBERS_PER_LINE);
        memory[start..start + values.len()].copy_from_slice(values);
        Aligned { memory, start, len: values.len() }
    }

    fn values(&self) -> &[f32] {
        &self.memory[self.start..self.start + self.len]
    }
}

impl Clone for Aligned {
    /// The copy is aligned again, because its address differs.
    fn clone(&self) -> Aligned {
        Aligned::new(self.values())
    }
}

/// Network prepared for inference: packed weights, immutable.
#[derive(Clone, Debug)]
pub struct CpuNetwork {
    config: NetworkConfig,
    layers: Layers,
}

/// Working memory of forward passes, reused from one to the next, and the results of the last.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    rows: SparseBatch,
    activations: Activations,
    logits: Vec<f32>,
    values: Vec<f32>,
}

impl Scratch {
    /// Returns the logits of the last pass, `[N_ACTIONS]` per row.
    ///
    /// Illegal actions have [`ILLEGAL_LOGIT`].
    pub fn logits(&self) -> impl ExactSizeIterator<Item = &[f32; N_ACTIONS]> {
        self.logits.as_chunks().0.iter()
    }

    /// Returns the values of the last pass, one per row, in units of the bundle's reward scale.
    pub fn values(&self) -> &[f32] {
        &self.values
    }
}

impl CpuNetwork {
    /// Packs the weights of a network.
    pub fn new(weights: &Weights) -> CpuNetwork {
        let Weights { config, values } = weights;
        CpuNetwork { config: *config, layers: Layers::new(config, &config.layers(), values) }
    }

    /// Computes logits and values into `scratch`, one row per input. The results of a row do not
    /// depend on the others.
    pub fn evaluate(&self, inputs: &[NetworkInput], scratch: &mut Scratch) {
        let Scratch { rows, activations, logits, values } = scratch;
        rows.clear();
        inputs.iter().for_each(|input| input.push(rows, &self.config));
        logits.clear();
        values.clear();
        self.layers.run(rows, activations, |row, heads| {
            let from = logits.len();
            logits.resize(from + N_ACTIONS, ILLEGAL_LOGIT);
            let places = inputs[row].suit_permutation(&self.config).actions();
            for action in inputs[row].legal {
                logits[from + action.index()] = heads[usize::from(places[action.index()])];
            }
            values.push(heads[N_ACTIONS]);
        });
    }
}

/// Critic prepared for inference: the value of a deal for a seat, given all four hands.
#[derive(Clone, Debug)]
pub struct CpuCritic {
    layers: Layers,
}

impl CpuCritic {
    /// Packs the weights of a critic.
    pub fn new(critic: &Critic) -> CpuCritic {
        let Critic { config, values } = critic;
        CpuCritic { layers: Layers::new(config, &config.critic_layers(), values) }
    }

    /// Returns the values of these rows (see [`SparseBatch::push_full`]), in units of reward.
    pub fn values(&self, rows: &SparseBatch) -> Vec<f32> {
        let mut values = Vec::with_capacity(rows.len());
        let mut activations = Activations::default();
        self.layers.run(rows, &mut activations, |_, heads| values.push(heads[0]));
        values
    }
}

/// Layers of a network: input layer, residual blocks, and the heads as one layer.
#[derive(Clone, Debug)]
struct Layers {
    hidden: usize,
    input: Aligned,
    input_bias: Vec<f32>,
    blocks: Vec<[Dense; 2]>,
    heads: Dense,
}

/// Working memory of [`Layers::run`].
#[derive(Clone, Debug, Default)]
struct Activations {
    hidden: Vec<f32>,
    inner: Vec<f32>,
    heads: Vec<f32>,
}

impl Layers {
    fn new(config: &NetworkConfig, layers: &[LayerSpec], values: &[f32]) -> Layers {
        let mut rest = values;
        let mut layers = layers.iter().map(|&LayerSpec { inputs, outputs, .. }| {
            let (matrix, after) = rest.split_at(inputs * outputs);
            let (bias, after) = after.split_at(outputs);
            rest = after;
            (matrix, bias)
        });
        let mut next = || layers.next().expect("the layer list has every layer of the network");
        let hidden = config.hidden;
        let (input, input_bias) = next();
        let blocks = (0..config.blocks)
            .map(|_| std::array::from_fn(|_| Dense::new(hidden, &[next()])))
            .collect();
        let heads: Vec<_> = layers.collect();
        Layers {
            hidden,
            input: Aligned::new(input),
            input_bias: input_bias.to_vec(),
            blocks,
            heads: Dense::new(hidden, &heads),
        }
    }

    /// Computes the heads of each row, and calls `visit` with row number and heads, in order.
    fn run(
        &self,
        rows: &SparseBatch,
        activations: &mut Activations,
        mut visit: impl FnMut(usize, &[f32]),
    ) {
        let Activations { hidden, inner, heads } = activations;
        let n = rows.len();
        let stride = self.hidden.next_multiple_of(16);
        hidden.resize(n * stride, 0.0);
        inner.resize(ROWS_PER_PASS.min(n) * stride, 0.0);
        heads.resize(ROWS_PER_PASS.min(n) * self.heads.stride(), 0.0);
        rows.multiply(self.input.values(), &self.input_bias, hidden, stride);
        for (part, hidden) in hidden.chunks_mut(ROWS_PER_PASS * stride).enumerate() {
            hidden.iter_mut().for_each(|h| *h = h.max(0.0));
            let inner = &mut inner[..hidden.len()];
            for (i, [first, second]) in self.blocks.iter().enumerate() {
                let last = i + 1 == self.blocks.len();
                first.apply(hidden, stride, inner, Epilogue::Relu);
                second.apply(
                    inner,
                    stride,
                    hidden,
                    if last { Epilogue::AddRelu } else { Epilogue::Add },
                );
            }
            let heads = &mut heads[..hidden.len() / stride * self.heads.stride()];
            self.heads.apply(hidden, stride, heads, Epilogue::Store);
            for (row, heads) in heads.chunks(self.heads.stride()).enumerate() {
                visit(part * ROWS_PER_PASS + row, heads);
            }
        }
    }
}
