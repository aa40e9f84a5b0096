//! Networks of any architecture as ONNX models, run by rten.
//!
//! A model has the inputs that it needs, by name, and the outputs of a policy. `docs/export.md` has
//! the table. rten reads the types bool and int64 as int32.

use std::any::Any;
use std::cell::RefCell;
use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rten::{
    DataType, Dimension, Model, ModelMetadata, ModelOptions, NodeId, RunOptions, ThreadPool, Value,
    ValueOrView, ValueType,
};
use rten_tensor::{Layout, NdTensor};
use troel_env::features::RULE_FEATURE_VERSION;
use troel_env::{
    ACTION_VERSION, BySeat, Deals, FEATURE_VERSION, History, N_ACTIONS, N_FEATURES, Observation,
    Seat, State,
};
use troel_nn::bundle::MODEL_FILE;
use troel_nn::{
    BotInfo, BundleError, ILLEGAL_LOGIT, NetworkConfig, NetworkInput, OnnxBundle, SuitPermutation,
};

use super::output::NetworkOutput;
use crate::bot::BotError;

/// An ONNX model with a policy, checked and ready to run.
pub struct OnnxNetwork {
    model: Model,
    path: PathBuf,
    config: NetworkConfig,
    inputs: Vec<(NodeId, Input)>,
    policy: NodeId,
    /// Whether the policy is an output of probabilities instead of logits.
    has_probabilities: bool,
    value: Option<NodeId>,
}

/// Kind of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Input {
    /// `features`, float32: those of the rules follow with [`NetworkConfig::rule_features`].
    Features,
    /// `mask`, bool: whether each action is legal.
    Mask,
    /// `mask`, as float32: 1 for legal actions.
    FloatMask,
    /// `history`, int64: [`History::tokens`].
    History,
    /// `suits`, int64: the number of the canonical permutation of suits, which the model applies.
    Suits,
}

/// An observation of a batch.
#[derive(Clone, Copy)]
struct Row<'a> {
    obs: &'a Observation,
    /// Permutation of the suits that is applied outside of the model.
    suits: SuitPermutation,
}

/// Outputs of a model for one batch, row by row.
struct Outputs {
    policies: Vec<f32>,
    values: Option<Vec<f32>>,
}

impl OnnxNetwork {
    /// Loads and checks the model of a bundle. `path` names the bundle in errors.
    ///
    /// # Errors
    /// The file is no ONNX model, or rten does not support it. Inputs or outputs are missing, or
    /// have the wrong type or shape. The model was exported for other versions of features or
    /// actions, or it fails on a first batch.
    pub fn new(path: &Path, bundle: &OnnxBundle) -> Result<OnnxNetwork, BundleError> {
        let path = path.join(MODEL_FILE);
        let model = OnnxNetwork::load(&path, bundle);
        model.map_err(|message| BundleError::Model { path, message })
    }

    fn load(path: &Path, bundle: &OnnxBundle) -> Result<OnnxNetwork, String> {
        let bytes = bundle.model.clone();
        let model = catching(|| ModelOptions::with_all_ops().load(bytes)).map_err(|error| {
            format!(
                "the ONNX model cannot be loaded: {error}; export it in one file \
                 (external_data=False) with standard operators"
            )
        })?;
        let info = &bundle.info;
        check_metadata(model.metadata(), info)?;
        let inputs = inputs(&model, &info.network)?;
        let output =
            |name: &str| model.output_ids().iter().copied().find(|&id| name_of(&model, id) == name);
        let (policy, has_probabilities) = match (output("logits"), output("policy")) {
            (Some(logits), _) => (logits, false),
            (None, Some(policy)) => (policy, true),
            (None, None) => {
                let names: Vec<&str> =
                    model.output_ids().iter().map(|&id| name_of(&model, id)).collect();
                return Err(format!(
                    "the model has no output \"logits\", only {}; name it with output_names=\
                     [\"logits\", \"value\"] in the export",
                    names.join(", ")
                ));
            }
        };
        let value = output("value");
        let network = OnnxNetwork {
            path: path.to_path_buf(),
            config: info.network,
            inputs,
            policy,
            has_probabilities,
            value,
            model,
        };
        network.check_first_batches(info)?;
        Ok(network)
    }

    /// Returns whether the model has an output `value`.
    pub fn has_value(&self) -> bool {
        self.value.is_some()
    }

    /// Evaluates a batch in one run of the model, on a pool of one rten thread, and calls
    /// `visit` with each index and its outputs, in order.
    ///
    /// # Errors
    /// The model fails, or its outputs have the wrong shape.
    pub fn evaluate(
        &self,
        observations: &[Observation],
        mut visit: impl FnMut(usize, NetworkOutput<'_>),
    ) -> Result<(), BotError> {
        if observations.is_empty() {
            return Ok(());
        }
        let rows = self.rows(observations);
        let outputs = self.run(&rows);
        let Outputs { policies, values } = outputs
            .map_err(|fault| BotError::Failed(format!("{}: {fault}", self.path.display())))?;
        for (i, (Row { obs, suits }, row)) in
            rows.iter().zip(policies.chunks(N_ACTIONS)).enumerate()
        {
            let mut logits = [ILLEGAL_LOGIT; N_ACTIONS];
            let places = suits.actions();
            for action in obs.legal_actions() {
                let output = row[usize::from(places[action.index()])];
                logits[action.index()] = if self.has_probabilities { ln(output) } else { output };
            }
            let value = values.as_ref().map_or(0.0, |values| values[i]);
            visit(i, NetworkOutput { logits: &logits, value });
        }
        Ok(())
    }

    /// Returns the permutation of the suits that is applied outside of the model.
    fn suits(&self, obs: &Observation) -> SuitPermutation {
        if self.config.canonical_suits {
            SuitPermutation::canonical(obs)
        } else {
            SuitPermutation::default()
        }
    }

    /// Runs the model on batches of 1 and 3 rows, to find faults that its description does not
    /// show.
    fn check_first_batches(&self, info: &BotInfo) -> Result<(), String> {
        let rules = info.rule_set(&self.path).map_err(|error| error.to_string())?;
        let state = State::new(rules, &Deals::new(rules, 1).shuffled(0, Seat::North));
        let obs = state.observe(state.turn(), BySeat::default());
        for rows in [1, 3] {
            let outputs = self.run(&self.rows(&vec![obs; rows]))?;
            // A model may give illegal actions any number.
            let places = self.suits(&obs).actions();
            let legal = obs.legal_actions().into_iter().map(|a| usize::from(places[a.index()]));
            let legal: Vec<usize> = legal.collect();
            let policies = outputs.policies.chunks(N_ACTIONS);
            let policies = policies.flat_map(|row| legal.iter().map(|&place| row[place]));
            let mut numbers = policies.chain(outputs.values.iter().flatten().copied());
            if numbers.any(|number| !number.is_finite()) {
                return Err("the model returns numbers that are not finite for a first deal; \
                            its weights are damaged or diverged in training"
                    .to_string());
            }
        }
        Ok(())
    }

    /// Returns observations with the permutations of their suits.
    fn rows<'a>(&self, observations: &'a [Observation]) -> Vec<Row<'a>> {
        observations.iter().map(|obs| Row { obs, suits: self.suits(obs) }).collect()
    }

    fn run(&self, observations: &[Row<'_>]) -> Result<Outputs, String> {
        let rows = observations.len();
        let inputs = self.inputs.iter().map(|&(id, input)| {
            let value = self.input(input, observations)?;
            Ok((id, ValueOrView::from(value)))
        });
        let inputs = inputs.collect::<Result<Vec<_>, String>>()?;
        let outputs: Vec<NodeId> = [Some(self.policy), self.value].into_iter().flatten().collect();
        let options = RunOptions::default().with_thread_pool(Some(single_thread()));
        let results = catching(|| self.model.run(inputs, &outputs, Some(options)))
            .map_err(|error| format!("the model fails on a batch of {rows}: {error}"))?;
        let mut results = results.into_iter();
        let mut next = |name: &str, widths: &[&[usize]]| {
            let result = results.next().ok_or("an output is missing")?;
            numbers(result, name, rows, widths)
        };
        let name = if self.has_probabilities { "policy" } else { "logits" };
        let policies = next(name, &[&[N_ACTIONS]])?;
        let values = self.value.map(|_| next("value", &[&[], &[1]])).transpose()?;
        Ok(Outputs { policies, values })
    }

    /// Returns an input for these observations.
    fn input(&self, input: Input, observations: &[Row<'_>]) -> Result<Value, String> {
        fn value<T>(shape: [usize; 2], numbers: Vec<T>) -> Result<Value, String>
        where
            Value: From<NdTensor<T, 2>>,
        {
            let tensor = NdTensor::try_from_data(shape, numbers);
            tensor.map(Value::from).map_err(|error| error.to_string())
        }
        let rows = observations.len();
        match input {
            Input::Features => {
                let width = self.config.inputs();
                let mut features = vec![0.0; rows * width];
                for (&Row { obs, suits }, row) in
                    observations.iter().zip(features.chunks_mut(width))
                {
                    NetworkInput::from(obs).expand(&self.config, row);
                    // The features of the rules have no suits.
                    suits.rename_features(&mut row[..N_FEATURES]);
                }
                value([rows, width], features)
            }
            Input::Mask => value([rows, N_ACTIONS], masks(observations)),
            Input::FloatMask => {
                let masks: Vec<f32> =
                    masks(observations).into_iter().map(|legal| legal as f32).collect();
                value([rows, N_ACTIONS], masks)
            }
            Input::History => {
                let tokens = observations.iter().flat_map(|&Row { obs, suits }| {
                    obs.history().tokens(obs.seat(), |action| suits.rename_action(action))
                });
                let tokens: Vec<i32> = tokens.map(i32::from).collect();
                value([rows, History::CAPACITY], tokens)
            }
            Input::Suits => {
                let numbers = observations.iter().map(|row| SuitPermutation::canonical(row.obs));
                let numbers: Vec<i32> = numbers.map(|suits| suits.number().into()).collect();
                value([rows, 1], numbers)
            }
        }
    }
}

/// Returns 1 for each legal action and 0 for the others, row by row.
fn masks(observations: &[Row<'_>]) -> Vec<i32> {
    let rows = observations.iter().map(|Row { obs, suits }| {
        let mut mask = [false; N_ACTIONS];
        suits.rename_actions(obs.legal_actions()).write_mask(&mut mask);
        mask.map(i32::from)
    });
    rows.flatten().collect()
}

impl std::fmt::Debug for OnnxNetwork {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OnnxNetwork").field("path", &self.path).finish_non_exhaustive()
    }
}

/// Returns the logarithm of a probability. One that was rounded to 0 stays finite.
fn ln(probability: f32) -> f32 {
    let is_rounded = (0.0..f32::MIN_POSITIVE).contains(&probability);
    if is_rounded { f32::MIN_POSITIVE.ln() } else { probability.ln() }
}

/// Returns the calling thread's pool of rten, which has one thread. More would compete with the
/// threads that play deals side by side, and the order of their sums would change the last digits.
fn single_thread() -> Arc<ThreadPool> {
    thread_local! {
        /// The pool, with the process that it belongs to.
        static POOL: RefCell<Option<(u32, Arc<ThreadPool>)>> = const { RefCell::new(None) };
    }
    let process = std::process::id();
    POOL.with_borrow_mut(|pool| {
        if let Some((of, threads)) = pool
            && *of == process
        {
            return Arc::clone(threads);
        }
        let threads = Arc::new(ThreadPool::with_num_threads(1));
        // A forked process does not have the threads of its parent. Waiting for them would never
        // end.
        std::mem::forget(pool.replace((process, Arc::clone(&threads))));
        threads
    })
}

/// Calls a function of rten, with a panic in it as an error: a model is untrusted input.
fn catching<T, E: Display>(call: impl FnOnce() -> Result<T, E>) -> Result<T, String> {
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(result) => result.map_err(|error| error.to_string().replace('\n', " ")),
        Err(panic) => Err(format!("rten panicked: {}", text_of(&*panic))),
    }
}

fn text_of(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("unknown reason")
}

fn name_of(model: &Model, id: NodeId) -> &str {
    model.node_info(id).and_then(|info| info.name()).unwrap_or_default()
}

/// Checks the versions that `troel export` writes into its models. Other models may lack them.
fn check_metadata(metadata: &ModelMetadata, info: &BotInfo) -> Result<(), String> {
    let rules = if info.network.rule_features { RULE_FEATURE_VERSION } else { 0 };
    let mut wanted = vec![
        ("observation_version", FEATURE_VERSION.to_string()),
        ("action_version", ACTION_VERSION.to_string()),
        ("rule_feature_version", rules.to_string()),
    ];
    if !info.any_rules {
        wanted.push(("rules_hash", info.rules_hash.clone()));
    }
    for (key, wanted) in wanted {
        let mut fields = metadata.fields().filter(|&(field, _)| field == key);
        if let Some((_, found)) = fields.next().filter(|(_, found)| *found != wanted) {
            return Err(format!(
                "the model was exported with {key} {found}, but its bundle needs {wanted}; export \
                 it again with this version of troel, and name its rules in the bundle"
            ));
        }
    }
    Ok(())
}

/// Returns the inputs of a model, with their kinds.
fn inputs(model: &Model, config: &NetworkConfig) -> Result<Vec<(NodeId, Input)>, String> {
    use DataType::{Float, Int32};
    let features = config.inputs();
    let mut inputs = Vec::new();
    for &id in model.input_ids() {
        let name = name_of(model, id);
        let info = model.node_info(id).ok_or("an input has no description")?;
        let dtype = match info.dtype() {
            Some(ValueType::Tensor(dtype)) => Some(dtype),
            _ => None,
        };
        let (width, type_names) = match name {
            "features" => (features, "float32"),
            "mask" => (N_ACTIONS, "bool or float32"),
            "history" => (History::CAPACITY, "int64"),
            "suits" => (1, "int64"),
            _ => {
                return Err(format!(
                    "the model has the unknown input {name:?}; inputs are features, mask, history \
                     and suits (input_names=[…] in the export)"
                ));
            }
        };
        let input = match (name, dtype) {
            ("features", Some(Float)) => Input::Features,
            ("mask", Some(Float)) => Input::FloatMask,
            ("mask", Some(Int32)) => Input::Mask,
            ("history", Some(Int32)) => Input::History,
            ("suits", Some(Int32)) => Input::Suits,
            _ => return Err(format!("the input {name} must have the type {type_names}")),
        };
        let shape = info.shape().unwrap_or_default();
        check_shape(name, &shape, width)?;
        inputs.push((id, input));
    }
    if config.canonical_suits && inputs.iter().any(|(_, input)| *input == Input::Suits) {
        return Err("the model has the input suits, so it renames suits: its bundle must have \
                    canonical_suits = false"
            .to_string());
    }
    let has_observation =
        inputs.iter().any(|(_, input)| matches!(input, Input::Features | Input::History));
    if has_observation {
        Ok(inputs)
    } else {
        Err("the model has neither the input \"features\" nor \"history\"; name its inputs with \
             input_names=[…] in the export"
            .to_string())
    }
}

/// Checks that an input has the shape (n, width) for any n.
fn check_shape(name: &str, shape: &[Dimension], width: usize) -> Result<(), String> {
    let shown = |dimension: &Dimension| match dimension {
        Dimension::Fixed(size) => size.to_string(),
        Dimension::Symbolic(name) => name.clone(),
    };
    match shape {
        [Dimension::Symbolic(_), Dimension::Symbolic(_)] => Ok(()),
        [Dimension::Symbolic(_), Dimension::Fixed(found)] if *found == width => Ok(()),
        [Dimension::Fixed(rows), _] => Err(format!(
            "the input {name} has a fixed batch of {rows}; export the model with a dynamic first \
             dimension (dynamic_shapes or dynamic_axes)"
        )),
        _ => Err(format!(
            "the input {name} has the shape ({}), but must have (n, {width})",
            shape.iter().map(shown).collect::<Vec<_>>().join(", ")
        )),
    }
}

/// Returns the numbers of an output of type float32, whose shape must be the number of rows and one
/// of `widths`.
fn numbers(
    result: Value,
    name: &str,
    rows: usize,
    widths: &[&[usize]],
) -> Result<Vec<f32>, String> {
    let dtype = result.dtype();
    let wanted = || {
        let shape = |width: &&[usize]| match width {
            [] => "(n,)".to_string(),
            width => format!("(n, {})", width[0]),
        };
        widths.iter().map(shape).collect::<Vec<_>>().join(" or ")
    };
    let tensor = result
        .into_tensor::<f32>()
        .ok_or_else(|| format!("the output {name} has the type {dtype}, but must have float32"))?;
    let shape = tensor.shape().to_vec();
    if shape.first() != Some(&rows) || !widths.contains(&&shape[1..]) {
        return Err(format!(
            "the output {name} has the shape {shape:?} for a batch of {rows}, but must have {}",
            wanted()
        ));
    }
    Ok(tensor.into_data())
}
