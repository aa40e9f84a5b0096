//! Network as an ONNX model, written by a small protocol-buffer writer: the available exporters
//! support neither boolean masks nor metadata.
//!
//! Field numbers are those of `onnx.proto3`; opset 18.

use troel_env::{N_ACTIONS, N_FEATURES};

use crate::bundle::{BotInfo, Bundle};
use crate::policy::ILLEGAL_LOGIT;
use crate::suits::SuitPermutation;
use crate::weights::NetworkConfig;

const OPSET: u64 = 18;
/// ONNX IR version that goes with this opset.
const IR_VERSION: u64 = 8;
const FLOAT: u64 = 1;
const BOOL: u64 = 9;
const INT64: u64 = 7;

/// Protocol-buffer message that is being written.
#[derive(Default)]
struct Message(Vec<u8>);

impl Message {
    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    fn number(mut self, field: u64, value: u64) -> Message {
        self.varint(field << 3);
        self.varint(value);
        self
    }

    fn bytes(mut self, field: u64, value: &[u8]) -> Message {
        self.varint(field << 3 | 2);
        self.varint(value.len() as u64);
        self.0.extend_from_slice(value);
        self
    }

    fn text(self, field: u64, value: &str) -> Message {
        self.bytes(field, value.as_bytes())
    }

    fn message(self, field: u64, value: &Message) -> Message {
        self.bytes(field, &value.0)
    }
}

/// Returns a constant tensor.
fn tensor(name: &str, shape: &[usize], values: &[f32]) -> Message {
    let raw: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
    let dims = shape.iter().fold(Message::default(), |m, &n| m.number(1, n as u64));
    dims.number(2, FLOAT).text(8, name).bytes(9, &raw)
}

/// Returns a table of indices, row by row.
fn indices(name: &str, rows: &[Vec<i64>]) -> Message {
    let raw: Vec<u8> = rows.iter().flatten().flat_map(|v| v.to_le_bytes()).collect();
    let shape = [rows.len(), rows.first().map_or(0, Vec::len)];
    let dims = shape.iter().fold(Message::default(), |m, &n| m.number(1, n as u64));
    dims.number(2, INT64).text(8, name).bytes(9, &raw)
}

/// Returns the inverse of a permutation.
fn inverse(places: &[u16]) -> Vec<i64> {
    let mut inverse = vec![0; places.len()];
    places.iter().enumerate().for_each(|(i, &place)| inverse[usize::from(place)] = i as i64);
    inverse
}

/// Returns a node that picks elements of each row by index.
fn gather(inputs: &[&str], output: &str) -> Message {
    let axis = Message::default().text(1, "axis").number(3, 1).number(20, 2);
    node("GatherElements", inputs, output).message(5, &axis)
}

/// Returns a node that is named like its output.
fn node(kind: &str, inputs: &[&str], output: &str) -> Message {
    let node = inputs.iter().fold(Message::default(), |m, input| m.text(1, input));
    node.text(2, output).text(3, output).text(4, kind)
}

/// Returns a named input or output `[batch, width]`.
fn value(name: &str, kind: u64, width: usize) -> Message {
    let batch = Message::default().text(2, "batch");
    let columns = Message::default().number(1, width as u64);
    let shape = Message::default().message(1, &batch).message(1, &columns);
    let tensor = Message::default().number(1, kind).message(2, &shape);
    Message::default().text(1, name).message(2, &Message::default().message(1, &tensor))
}

/// Returns the serialised ONNX model of a bundle.
///
/// Inputs are `features` `[batch, N_FEATURES]` f32, followed by the rule features
/// ([`troel_env::features::RULE_BLOCKS`]) if the network has them, and `mask` `[batch, N_ACTIONS]`
/// bool (true: legal). A network with canonical suits also has the input `suits` `[batch, 1]` i64,
/// the number of [`SuitPermutation::canonical`]. Outputs are `policy` `[batch, N_ACTIONS]`
/// (probabilities, 0 for illegal actions) and `value` `[batch, 1]`, in the unit that the metadata
/// names. The metadata also holds rule set, hash and versions.
pub fn model(bundle: &Bundle) -> Vec<u8> {
    let config = &bundle.weights.config;
    let mut graph = Message::default();
    let (input, logits) = if config.canonical_suits {
        graph = add_permuted_features(graph, config, "canonical_features");
        ("canonical_features", "canonical_logits")
    } else {
        ("features", "logits")
    };
    graph = add_trunk(graph, config, input);
    graph = add_heads(graph, config, logits);
    graph = add_constants(graph.text(2, "troel"), bundle);
    graph = add_inputs_and_outputs(graph, config);
    let mut model = Message::default()
        .number(1, IR_VERSION)
        .text(2, "troel")
        .text(3, env!("CARGO_PKG_VERSION"))
        .message(7, &graph)
        .message(8, &Message::default().text(1, "").number(2, OPSET));
    for (key, value) in metadata(&bundle.info) {
        model = model.message(14, &Message::default().text(1, key).text(2, &value));
    }
    model.0
}

/// Returns a node that applies a linear layer.
fn linear(input: &str, layer: &str, output: &str) -> Message {
    node("Gemm", &[input, &format!("{layer}.weight"), &format!("{layer}.bias")], output)
}

/// Adds tables of the suit permutations, and nodes that permute the suits of the features.
fn add_permuted_features(graph: Message, config: &NetworkConfig, output: &str) -> Message {
    // Inputs after the features name no suits and stay in their places.
    let others = || (N_FEATURES..config.inputs()).map(|i| i as i64);
    let features: Vec<Vec<i64>> = SuitPermutation::all()
        .map(|r| inverse(r.features()).into_iter().chain(others()).collect())
        .collect();
    let actions: Vec<Vec<i64>> =
        SuitPermutation::all().map(|r| r.actions().map(i64::from).to_vec()).collect();
    graph
        .message(5, &indices("feature_places", &features))
        .message(5, &indices("action_places", &actions))
        .message(1, &node("GatherND", &["feature_places", "suits"], "features_at"))
        .message(1, &gather(&["features", "features_at"], output))
}

/// Adds the input layer and the residual blocks. Their output is `hidden`.
fn add_trunk(graph: Message, config: &NetworkConfig, input: &str) -> Message {
    let mut graph = graph
        .message(1, &linear(input, "input", "products"))
        .message(1, &node("Relu", &["products"], "hidden.0"));
    for block in 0..config.blocks {
        let name = |part: &str| format!("blocks.{block}.{part}");
        let before = format!("hidden.{block}");
        graph = graph
            .message(1, &linear(&before, &name("first"), &name("inner")))
            .message(1, &node("Relu", &[&name("inner")], &name("relu")))
            .message(1, &linear(&name("relu"), &name("second"), &name("outer")))
            .message(1, &node("Add", &[&before, &name("outer")], &format!("hidden.{}", block + 1)));
    }
    graph.message(1, &node("Relu", &[&format!("hidden.{}", config.blocks)], "hidden"))
}

/// Adds the heads: the policy over the legal actions, and the value. `logits` names the output of
/// the policy layer, before suits get their own names back.
fn add_heads(graph: Message, config: &NetworkConfig, logits: &str) -> Message {
    let axis = Message::default().text(1, "axis").number(3, 1).number(20, 2);
    let softmax = node("Softmax", &["masked"], "policy").message(5, &axis);
    let mut graph = graph.message(1, &linear("hidden", "policy", logits));
    if config.canonical_suits {
        graph = graph
            .message(1, &node("GatherND", &["action_places", "suits"], "actions_at"))
            .message(1, &gather(&[logits, "actions_at"], "logits"));
    }
    graph
        .message(1, &node("Where", &["mask", "logits", "illegal"], "masked"))
        .message(1, &softmax)
        .message(1, &linear("hidden", "value", "units"))
        .message(1, &node("Mul", &["units", "reward_scale"], "value"))
}

/// Adds the weights and the other constants.
fn add_constants(mut graph: Message, bundle: &Bundle) -> Message {
    for spec in bundle.weights.config.tensors() {
        let values = &bundle.weights.values[spec.offset..spec.offset + spec.len()];
        graph = graph.message(5, &tensor(&spec.name, &spec.shape, values));
    }
    graph
        .message(5, &tensor("illegal", &[], &[ILLEGAL_LOGIT]))
        .message(5, &tensor("reward_scale", &[], &[bundle.info.reward_scale]))
}

fn add_inputs_and_outputs(graph: Message, config: &NetworkConfig) -> Message {
    let mut graph = graph
        .message(11, &value("features", FLOAT, config.inputs()))
        .message(11, &value("mask", BOOL, N_ACTIONS));
    if config.canonical_suits {
        graph = graph.message(11, &value("suits", INT64, 1));
    }
    graph.message(12, &value("policy", FLOAT, N_ACTIONS)).message(12, &value("value", FLOAT, 1))
}

/// Returns the metadata, as keys and values.
fn metadata(info: &BotInfo) -> [(&'static str, String); 6] {
    [
        ("rules", info.rules.clone()),
        ("rules_hash", info.rules_hash.clone()),
        ("observation_version", info.observation_version.to_string()),
        ("action_version", info.action_version.to_string()),
        ("rule_feature_version", info.rule_feature_version.to_string()),
        ("value_unit", info.value_unit().to_string()),
    ]
}
