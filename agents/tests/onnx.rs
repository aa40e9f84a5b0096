//! The ONNX model in ONNX Runtime against burn, over a thousand observations.
//!
//! Needs Python with the packages of `onnx/requirements.txt`, in a folder of its own under
//! `target/`; `.ci/run` makes it.

#[path = "../../cli/tests/support/tools.rs"]
mod tools;

use std::fs;
use std::path::Path;
use std::process::Command;

use burn::tensor::Tensor;
use troel_agents::heuristic;
use troel_agents::network::{Network, default_device, tensors};
use troel_agents::registry::{self, ReleasedFor};
use troel_env::{BySeat, Deals, RuleSet, Seat, State};
use troel_nn::{Bundle, NetworkConfig, NetworkInput, Weights, onnx};

fn inputs(rules: &'static RuleSet, n: usize) -> Vec<NetworkInput> {
    let mut inputs = Vec::new();
    for deal in 0.. {
        let mut state = State::new(rules, &Deals::new(rules, 9).shuffled(deal, Seat::North));
        while !state.is_done() {
            let obs = state.observe(state.turn(), BySeat::default());
            inputs.push(NetworkInput::from(&obs));
            if inputs.len() == n {
                return inputs;
            }
            state.apply(heuristic::choose(&obs)).expect("legal");
        }
    }
    inputs
}

fn bytes(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

#[test]
fn onnx_runtime_agrees_with_burn() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let python = root.join("target/onnx-venv/bin/python");
    if !python.exists() {
        return tools::missing("onnxruntime", ".ci/run makes target/onnx-venv");
    }
    let folder = tempfile::tempdir().expect("a folder");
    for rules in RuleSet::all_built_in() {
        let released =
            registry::released_for(ReleasedFor::Points(rules.id())).expect("one for each");
        let bundle = root.join("checkpoints").join(released);
        let mut bundle = Bundle::load(&bundle).expect("released");
        // The same weights with and without canonical suits, and those of a network with rule
        // features.
        for (canonical_suits, rule_features) in [(true, false), (false, false), (true, true)] {
            let config = NetworkConfig { canonical_suits, rule_features, ..bundle.weights.config };
            bundle.weights = if rule_features {
                Weights::init(config, 1)
            } else {
                Weights { config, values: bundle.weights.values }
            };
            write(&bundle, rules, folder.path());
            let output = Command::new(&python)
                .arg(root.join("agents/tests/onnx/check.py"))
                .arg(folder.path())
                .arg(rules.hash())
                .output()
                .expect("runs");
            let text = String::from_utf8_lossy(&output.stdout);
            let errors = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{}: {text}{errors}", rules.id());
            println!("{}: {text}", rules.id());
        }
    }
}

/// Writes the model, inputs as programs have them, and the outputs of burn for them.
fn write(bundle: &Bundle, rules: &'static RuleSet, folder: &Path) {
    let config = bundle.weights.config;
    let inputs = inputs(rules, 1000);
    let device = default_device();
    let (features, illegal) = tensors(inputs.iter(), &config, &device);
    let (logits, values) = Network::new(&bundle.weights, &device).forward(features, illegal);
    let policy = burn::tensor::activation::softmax(logits, 1);
    let numbers = |t: Tensor<2>| t.into_data().iter().collect::<Vec<f32>>();
    let (mut dense, mut mask, mut suits, mut plain) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (input, policy) in inputs.iter().zip(numbers(policy).chunks(troel_env::N_ACTIONS)) {
        let mut features = vec![0.0; config.inputs()];
        input.expand(&config, &mut features);
        dense.extend(features);
        let mut legal = [false; troel_env::N_ACTIONS];
        input.legal.write_mask(&mut legal);
        mask.extend(legal.map(u8::from));
        let places = input.suit_permutation(&config).actions();
        plain.extend(places.map(|place| policy[usize::from(place)]));
        suits.extend(i64::from(input.suits.number()).to_le_bytes());
    }
    let write = |name: &str, bytes: &[u8]| {
        fs::write(folder.join(name), bytes).expect("written");
    };
    write("model.onnx", &onnx::model(bundle));
    write("features", &bytes(&dense));
    write("mask", &mask);
    write("suits", &suits);
    write("policy", &bytes(&plain));
    write("value", &bytes(&numbers(values * bundle.info.reward_scale)));
}
