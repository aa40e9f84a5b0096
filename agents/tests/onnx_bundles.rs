//! Bundles with an ONNX model: they decide as the network that was exported, and bad models are
//! errors.

use std::fs;
use std::path::{Path, PathBuf};

use troel_agents::registry::{self, RELEASED};
use troel_agents::{BotError, DecisionDetail, NamedBot, NetworkBot, decide, heuristic};
use troel_env::rng::{Purpose, Stream};
use troel_env::{BySeat, Deals, History, N_ACTIONS, N_FEATURES, Observation, RuleSet, Seat, State};
use troel_nn::bundle::verify;
use troel_nn::{BotInfo, Bundle, NetworkConfig, OnnxBundle, TrainedBot, Weights, onnx};

/// The decisions with a choice in some deals.
fn observations(rules: &'static RuleSet, deals: u64) -> Vec<Observation> {
    let mut observations = Vec::new();
    for deal in 0..deals {
        let mut state = State::new(rules, &Deals::new(rules, 9).shuffled(deal, Seat::dealer(deal)));
        while !state.is_done() {
            let obs = state.observe(state.turn(), BySeat::default());
            if obs.legal_actions().len() > 1 {
                observations.push(obs);
            }
            state.apply(heuristic::choose(&obs)).expect("legal");
        }
    }
    observations
}

/// The bundle with the exported model of a bot. The model renames suits itself, and its value is in
/// points.
fn exported(bundle: &Bundle) -> OnnxBundle {
    let mut info = BotInfo { reward_scale: 1.0, ..bundle.info.clone() };
    info.network.canonical_suits = false;
    OnnxBundle::new(info, onnx::model(bundle))
}

fn released(name: &str) -> Bundle {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../checkpoints");
    Bundle::load(&root.join(name)).expect("released")
}

/// A small untrained bot for `wiezen`.
fn small(canonical_suits: bool) -> Bundle {
    let config = NetworkConfig { hidden: 8, blocks: 1, canonical_suits, rule_features: false };
    let rules = RuleSet::built_in("wiezen").expect("built in");
    Bundle { info: BotInfo::new(rules, config, 10.0, 1), weights: Weights::init(config, 1) }
}

/// The weights of a tensor of a bot.
fn tensor<'a>(bundle: &'a mut Bundle, name: &str) -> &'a mut [f32] {
    let tensors = bundle.weights.config.tensors();
    let spec = tensors.into_iter().find(|spec| spec.name == name).expect("a tensor");
    &mut bundle.weights.values[spec.offset..spec.offset + spec.len()]
}

fn save(bundle: &OnnxBundle, folder: &Path) -> PathBuf {
    let path = folder.join("bot");
    bundle.save(&path).expect("saved");
    path
}

fn find(path: &Path, rules: &'static RuleSet) -> Result<NamedBot, String> {
    NamedBot::find(path.to_str().expect("plain"), rules).map_err(|error| error.to_string())
}

#[test]
fn every_released_bot_decides_the_same_as_an_onnx_model() {
    let folder = tempfile::tempdir().expect("a folder");
    for bot in RELEASED {
        let bundle = released(bot.name);
        let rules = bundle.info.rule_set(Path::new(bot.name)).expect("its rules");
        let path = save(&exported(&bundle), folder.path());
        let found = find(&path, rules).expect("loads");
        let observations = observations(rules, 60);
        assert!(observations.len() > 500, "{}: {}", bot.name, observations.len());
        let detail = DecisionDetail::Policy;
        let theirs = decide(&mut *found.instantiate(1), &observations, detail).expect("decides");
        let mut network = NetworkBot::from_bundle(&bundle);
        let ours = decide(&mut network, &observations, detail).expect("decides");
        for (ours, theirs) in ours.iter().zip(&theirs) {
            for ((action, p), (other, q)) in ours.policy.iter().zip(&theirs.policy) {
                assert_eq!(action, other);
                assert!((p - q).abs() < 1e-5, "{}: {ours:?} {theirs:?}", bot.name);
            }
            assert_eq!(ours.value.is_some(), theirs.value.is_some());
            let (ours, theirs) = (ours.value.unwrap_or(0.0), theirs.value.unwrap_or(0.0));
            assert!((ours - theirs).abs() < 1e-3, "{}: {ours} {theirs}", bot.name);
        }
    }
}

#[test]
fn onnx_bundles_are_bundles() {
    let folder = tempfile::tempdir().expect("a folder");
    let bundle = exported(&small(true));
    let path = save(&bundle, folder.path());
    assert_eq!(TrainedBot::load(&path).expect("loads"), TrainedBot::Onnx(bundle.clone()));
    assert!(verify(&path).expect("intact").has_checksums);
    let wiezen = RuleSet::built_in("wiezen").expect("built in");
    let name = path.to_str().expect("plain");
    for name in [format!("{name}:sample"), format!("search:{name}:worlds=2")] {
        let bot = NamedBot::find(&name, wiezen).expect("loads");
        let observations = observations(wiezen, 1);
        let first = decide(&mut *bot.instantiate(1), &observations[..4], DecisionDetail::Policy);
        let again = decide(&mut *bot.instantiate(1), &observations[..4], DecisionDetail::Policy);
        assert_eq!(first.expect("decides"), again.expect("decides"));
    }
    let error = find(&path, RuleSet::built_in("iwwa").expect("built in")).expect_err("other rules");
    assert!(error.contains("trained for rule set wiezen"), "{error}");
    // A command that needs weights says so.
    for error in [
        registry::find_bundle(name).expect_err("no weights").to_string(),
        Bundle::load(&path).expect_err("no weights").to_string(),
    ] {
        assert!(error.contains("holds an ONNX model (model.onnx)"), "{error}");
    }
    let mut bytes = bundle.model;
    bytes[1000] ^= 1;
    fs::write(path.join("model.onnx"), bytes).expect("written");
    assert!(find(&path, wiezen).expect_err("damaged").contains("checksum"));
}

#[test]
fn models_that_do_not_fit_are_refused() {
    let wiezen = RuleSet::built_in("wiezen").expect("built in");
    let folder = tempfile::tempdir().expect("a folder");
    let good = exported(&small(false));
    let with_rule_features = {
        let mut bundle = good.clone();
        bundle.info.network.rule_features = true;
        bundle.info.rule_feature_version = troel_env::features::RULE_FEATURE_VERSION;
        bundle
    };
    let renamed_twice = {
        let mut bundle = exported(&small(true));
        bundle.info.network.canonical_suits = true;
        bundle
    };
    let of_other_rules = {
        let mut bundle = good.clone();
        bundle.info.set_rules(RuleSet::built_in("iwwa").expect("built in"));
        bundle
    };
    let diverged = {
        let mut bundle = small(false);
        tensor(&mut bundle, "policy.bias").fill(f32::NAN);
        exported(&bundle)
    };
    let old = OnnxBundle {
        info: BotInfo { observation_version: 1, features: 100, ..good.info.clone() },
        ..good.clone()
    };
    let with = |from: &str, to: &str| OnnxBundle {
        model: replaced(&good.model, from, to),
        ..good.clone()
    };
    let version = format!("observation_version\x12\x01{}", troel_env::FEATURE_VERSION);
    let cases = [
        (with("features", "featurez"), "unknown input \"featurez\""),
        (with("policy", "polizy"), "no output \"logits\""),
        (with("Relu", "Rely"), "Rely"),
        (with(&version, "observation_version\x12\x010"), "exported with observation_version 0"),
        (old, "observation_version is 1"),
        (of_other_rules, "rules_hash"),
        (diverged, "not finite"),
        (with_rule_features, "rule_feature_version 0"),
        (renamed_twice, "canonical_suits = false"),
        (OnnxBundle { model: Vec::new(), ..good.clone() }, "cannot be loaded"),
        (OnnxBundle { model: b"PK\x03\x04 no model".to_vec(), ..good.clone() }, "cannot be loaded"),
    ];
    for (bundle, wanted) in cases {
        let path = save(&bundle, folder.path());
        let rules = RuleSet::built_in(&bundle.info.rules).expect("built in");
        let error = find(&path, rules).expect_err(wanted);
        assert!(error.contains(wanted) && error.contains("bot"), "{wanted}: {error}");
        assert!(!error.contains('\n'), "{error}");
    }
    assert!(find(&save(&good, folder.path()), wiezen).is_ok());
}

/// Returns bytes with all occurrences of a text replaced by one of the same length.
fn replaced(bytes: &[u8], from: &str, to: &str) -> Vec<u8> {
    assert_eq!(from.len(), to.len());
    let mut bytes = bytes.to_vec();
    let mut count = 0;
    for i in 0..=bytes.len() - from.len() {
        if bytes[i..].starts_with(from.as_bytes()) {
            bytes[i..i + to.len()].copy_from_slice(to.as_bytes());
            count += 1;
        }
    }
    assert!(count > 0, "{from}");
    bytes
}

/// A model can be finite for the first deal and not for later decisions.
#[test]
fn numbers_that_are_not_finite_end_the_game() {
    let mut bundle = small(false);
    let rules = RuleSet::built_in("wiezen").expect("built in");
    let observations = observations(rules, 1);
    let features = |obs: &Observation| {
        let mut features = vec![0.0; N_FEATURES];
        obs.encode(&mut features);
        features
    };
    let first = features(&observations[0]);
    let last = features(observations.last().expect("some"));
    let new = (0..N_FEATURES).find(|&i| first[i] == 0.0 && last[i] == 1.0).expect("a card played");
    // The sum of two infinite numbers with different signs is not a number.
    let hidden = bundle.weights.config.hidden;
    tensor(&mut bundle, "input.weight")[new * hidden..(new + 1) * hidden].fill(1e20);
    for (i, weight) in tensor(&mut bundle, "policy.weight").iter_mut().enumerate() {
        *weight = if (i / N_ACTIONS).is_multiple_of(2) { 1e30 } else { -1e30 };
    }
    let folder = tempfile::tempdir().expect("a folder");
    let path = save(&exported(&bundle), folder.path());
    let bot = find(&path, rules).expect("finite at first");
    let error = decide(&mut *bot.instantiate(1), &observations, DecisionDetail::Policy);
    assert_eq!(error.expect_err("not finite"), BotError::NotFinite("policy"));
}

/// Any bytes give a bot or an error. A panic in the runtime is an error, too.
#[test]
fn damaged_models_do_not_panic() {
    let good = exported(&small(true));
    let rules = RuleSet::built_in("wiezen").expect("built in");
    let observations = observations(rules, 1);
    let mut stream = Stream::new(3, Purpose::Action, 0);
    // The description of the graph is at the start, and at the end.
    let len = good.model.len() as u32;
    for _ in 0..300 {
        let mut model = good.model.clone();
        for _ in 0..=stream.below(3) {
            let from_end = stream.below(2) == 1;
            let place = stream.below(4000.min(len));
            let place = if from_end { len - 1 - place } else { place };
            model[place as usize] ^= 1 << stream.below(8);
        }
        let trained = TrainedBot::Onnx(OnnxBundle { model, ..good.clone() });
        if let Ok(bot) = NamedBot::from_trained("bot", Path::new("bot"), &trained) {
            let _ = decide(&mut *bot.instantiate(1), &observations, DecisionDetail::Policy);
        }
    }
}

/// Tokens can be decoded: they hold every action with its seat, for every rule set.
#[test]
fn tokens_hold_the_history() {
    for rules in RuleSet::all_built_in() {
        assert!(rules.max_actions() <= History::CAPACITY);
        for obs in observations(rules, 20) {
            let tokens = obs.history().tokens(obs.seat(), |action| action);
            let decoded = tokens.iter().take_while(|&&token| token != History::PADDING_TOKEN);
            let decoded: Vec<_> = decoded
                .map(|&token| {
                    let (seat, number) = ((token - 1) / 134, (token - 1) % 134);
                    (obs.seat().plus(seat.into()), troel_env::Action::from_index(number.into()))
                })
                .collect();
            assert_eq!(decoded, obs.history().iter().collect::<Vec<_>>());
            assert!(tokens.iter().all(|&token| usize::from(token) < History::N_TOKENS));
            assert!(tokens[decoded.len()..].iter().all(|&token| token == History::PADDING_TOKEN));
        }
    }
}
