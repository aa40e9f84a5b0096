//! Network as an ONNX model, written by a small protocol-buffer writer: the available exporters
//! support neither boolean masks nor metadata.
//!
//! Names and numbers of fields are those of `onnx.proto3`; opset 18.

use troel_env::{N_ACTIONS, N_FEATURES};

use self::graph_proto::{INITIALIZER, NODE};
use crate::bundle::{BotInfo, Bundle};
use crate::policy::ILLEGAL_LOGIT;
use crate::suits::SuitPermutation;
use crate::weights::NetworkConfig;

const OPSET: u64 = 18;
/// ONNX IR version that goes with this opset.
const IR_VERSION: u64 = 8;

/// Fields of `ModelProto`.
mod model_proto {
    pub const IR_VERSION: u64 = 1;
    pub const PRODUCER_NAME: u64 = 2;
    pub const PRODUCER_VERSION: u64 = 3;
    pub const GRAPH: u64 = 7;
    pub const OPSET_IMPORT: u64 = 8;
    pub const METADATA_PROPS: u64 = 14;
}

/// Fields of `OperatorSetIdProto`.
mod operator_set_id {
    pub const DOMAIN: u64 = 1;
    pub const VERSION: u64 = 2;
}

/// Fields of `StringStringEntryProto`.
mod string_string_entry {
    pub const KEY: u64 = 1;
    pub const VALUE: u64 = 2;
}

/// Fields of `GraphProto`.
mod graph_proto {
    pub const NODE: u64 = 1;
    pub const NAME: u64 = 2;
    pub const INITIALIZER: u64 = 5;
    pub const INPUT: u64 = 11;
    pub const OUTPUT: u64 = 12;
}

/// Fields of `NodeProto`.
mod node_proto {
    pub const INPUT: u64 = 1;
    pub const OUTPUT: u64 = 2;
    pub const NAME: u64 = 3;
    pub const OP_TYPE: u64 = 4;
    pub const ATTRIBUTE: u64 = 5;
}

/// Fields of `AttributeProto`, and a value of its field `type`.
mod attribute_proto {
    pub const NAME: u64 = 1;
    pub const I: u64 = 3;
    pub const TYPE: u64 = 20;
    pub const TYPE_INT: u64 = 2;
}

/// Fields of `TensorProto`.
mod tensor_proto {
    pub const DIMS: u64 = 1;
    pub const DATA_TYPE: u64 = 2;
    pub const NAME: u64 = 8;
    pub const RAW_DATA: u64 = 9;
}

/// Values of `TensorProto.DataType`.
mod data_type {
    pub const FLOAT: u64 = 1;
    pub const INT64: u64 = 7;
    pub const BOOL: u64 = 9;
}

/// Fields of `ValueInfoProto`.
mod value_info {
    pub const NAME: u64 = 1;
    pub const TYPE: u64 = 2;
}

/// Fields of `TypeProto` and `TypeProto.Tensor`.
mod type_proto {
    pub const TENSOR_TYPE: u64 = 1;
    pub const ELEM_TYPE: u64 = 1;
    pub const SHAPE: u64 = 2;
}

/// Fields of `TensorShapeProto` and `TensorShapeProto.Dimension`.
mod tensor_shape {
    pub const DIM: u64 = 1;
    pub const DIM_VALUE: u64 = 1;
    pub const DIM_PARAM: u64 = 2;
}

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
    raw_tensor(name, shape, data_type::FLOAT, &raw)
}

/// Returns a table of indices, row by row.
fn indices(name: &str, rows: &[Vec<i64>]) -> Message {
    let raw: Vec<u8> = rows.iter().flatten().flat_map(|v| v.to_le_bytes()).collect();
    let shape = [rows.len(), rows.first().map_or(0, Vec::len)];
    raw_tensor(name, &shape, data_type::INT64, &raw)
}

/// Returns a constant tensor with values as little-endian bytes.
fn raw_tensor(name: &str, shape: &[usize], data_type: u64, raw: &[u8]) -> Message {
    use tensor_proto::{DATA_TYPE, DIMS, NAME, RAW_DATA};
    let dims = shape.iter().fold(Message::default(), |m, &n| m.number(DIMS, n as u64));
    dims.number(DATA_TYPE, data_type).text(NAME, name).bytes(RAW_DATA, raw)
}

/// Returns the inverse of a permutation.
fn inverse(places: &[u16]) -> Vec<i64> {
    let mut inverse = vec![0; places.len()];
    places.iter().enumerate().for_each(|(i, &place)| inverse[usize::from(place)] = i as i64);
    inverse
}

/// Returns a node that picks elements of each row by index.
fn gather(inputs: &[&str], output: &str) -> Message {
    with_columns_as_axis(node("GatherElements", inputs, output))
}

/// Sets the axis of a node to the columns of its input.
fn with_columns_as_axis(node: Message) -> Message {
    use attribute_proto::{I, NAME, TYPE, TYPE_INT};
    let axis = Message::default().text(NAME, "axis").number(I, 1).number(TYPE, TYPE_INT);
    node.message(node_proto::ATTRIBUTE, &axis)
}

/// Returns a node that is named like its output.
fn node(kind: &str, inputs: &[&str], output: &str) -> Message {
    use node_proto::{INPUT, NAME, OP_TYPE, OUTPUT};
    let node = inputs.iter().fold(Message::default(), |m, input| m.text(INPUT, input));
    node.text(OUTPUT, output).text(NAME, output).text(OP_TYPE, kind)
}

/// Returns a named input or output `[batch, width]`.
fn value(name: &str, elem_type: u64, width: usize) -> Message {
    use tensor_shape::{DIM, DIM_PARAM, DIM_VALUE};
    use type_proto::{ELEM_TYPE, SHAPE, TENSOR_TYPE};
    let batch = Message::default().text(DIM_PARAM, "batch");
    let columns = Message::default().number(DIM_VALUE, width as u64);
    let shape = Message::default().message(DIM, &batch).message(DIM, &columns);
    let tensor = Message::default().number(ELEM_TYPE, elem_type).message(SHAPE, &shape);
    let tensor_type = Message::default().message(TENSOR_TYPE, &tensor);
    Message::default().text(value_info::NAME, name).message(value_info::TYPE, &tensor_type)
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
    use operator_set_id::{DOMAIN, VERSION};
    use string_string_entry::{KEY, VALUE};
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
    graph = add_constants(graph.text(graph_proto::NAME, "troel"), bundle);
    graph = add_inputs_and_outputs(graph, config);
    let opset = Message::default().text(DOMAIN, "").number(VERSION, OPSET);
    let mut model = Message::default()
        .number(model_proto::IR_VERSION, IR_VERSION)
        .text(model_proto::PRODUCER_NAME, "troel")
        .text(model_proto::PRODUCER_VERSION, env!("CARGO_PKG_VERSION"))
        .message(model_proto::GRAPH, &graph)
        .message(model_proto::OPSET_IMPORT, &opset);
    for (key, value) in metadata(&bundle.info) {
        let entry = Message::default().text(KEY, key).text(VALUE, &value);
        model = model.message(model_proto::METADATA_PROPS, &entry);
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
        .message(INITIALIZER, &indices("feature_places", &features))
        .message(INITIALIZER, &indices("action_places", &actions))
        .message(NODE, &node("GatherND", &["feature_places", "suits"], "features_at"))
        .message(NODE, &gather(&["features", "features_at"], output))
}

/// Adds the input layer and the residual blocks. Their output is `hidden`.
fn add_trunk(graph: Message, config: &NetworkConfig, input: &str) -> Message {
    let mut graph = graph
        .message(NODE, &linear(input, "input", "products"))
        .message(NODE, &node("Relu", &["products"], "hidden.0"));
    for block in 0..config.blocks {
        let name = |part: &str| format!("blocks.{block}.{part}");
        let (before, after) = (format!("hidden.{block}"), format!("hidden.{}", block + 1));
        graph = graph
            .message(NODE, &linear(&before, &name("first"), &name("inner")))
            .message(NODE, &node("Relu", &[&name("inner")], &name("relu")))
            .message(NODE, &linear(&name("relu"), &name("second"), &name("outer")))
            .message(NODE, &node("Add", &[&before, &name("outer")], &after));
    }
    graph.message(NODE, &node("Relu", &[&format!("hidden.{}", config.blocks)], "hidden"))
}

/// Adds the heads: the policy over the legal actions, and the value. `logits` names the output of
/// the policy layer, before suits get their own names back.
fn add_heads(graph: Message, config: &NetworkConfig, logits: &str) -> Message {
    let softmax = with_columns_as_axis(node("Softmax", &["masked"], "policy"));
    let mut graph = graph.message(NODE, &linear("hidden", "policy", logits));
    if config.canonical_suits {
        graph = graph
            .message(NODE, &node("GatherND", &["action_places", "suits"], "actions_at"))
            .message(NODE, &gather(&[logits, "actions_at"], "logits"));
    }
    graph
        .message(NODE, &node("Where", &["mask", "logits", "illegal"], "masked"))
        .message(NODE, &softmax)
        .message(NODE, &linear("hidden", "value", "units"))
        .message(NODE, &node("Mul", &["units", "reward_scale"], "value"))
}

/// Adds the weights and the other constants.
fn add_constants(mut graph: Message, bundle: &Bundle) -> Message {
    for spec in bundle.weights.config.tensors() {
        let values = &bundle.weights.values[spec.offset..spec.offset + spec.len()];
        graph = graph.message(INITIALIZER, &tensor(&spec.name, &spec.shape, values));
    }
    graph
        .message(INITIALIZER, &tensor("illegal", &[], &[ILLEGAL_LOGIT]))
        .message(INITIALIZER, &tensor("reward_scale", &[], &[bundle.info.reward_scale]))
}

fn add_inputs_and_outputs(graph: Message, config: &NetworkConfig) -> Message {
    use data_type::{BOOL, FLOAT, INT64};
    use graph_proto::{INPUT, OUTPUT};
    let mut graph = graph
        .message(INPUT, &value("features", FLOAT, config.inputs()))
        .message(INPUT, &value("mask", BOOL, N_ACTIONS));
    if config.canonical_suits {
        graph = graph.message(INPUT, &value("suits", INT64, 1));
    }
    graph
        .message(OUTPUT, &value("policy", FLOAT, N_ACTIONS))
        .message(OUTPUT, &value("value", FLOAT, 1))
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
