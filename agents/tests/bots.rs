//! Bots: legal always, sensible mostly; bundles: exact or refused.

use std::fs;

use proptest::prelude::*;
use troel_agents::network::{
    BotInfo, Bundle, Evaluator, Network, NetworkAgent, NetworkConfig, Weights, default_device,
    draw, tensors,
};
use troel_agents::{Agent, Entry, Random, RuleBased, find_rules};
use troel_env::rng::{Purpose, Stream};
use troel_env::{Action, BySeat, Condition, Deals, N_ACTIONS, RuleSet, Seat, State};
use troel_infer::{Input, likeliest};

fn rule_sets() -> Vec<&'static RuleSet> {
    RuleSet::names().map(|name| RuleSet::built_in(name).expect("built in")).collect()
}

/// Plays a deal with one bot in all seats; panics on an illegal action.
fn play(state: &mut State, bot: &mut dyn Agent) {
    while !state.is_done() {
        let mut action = [Action::PASS];
        bot.act(&[state.observe(state.turn(), BySeat::default())], &mut action);
        assert!(state.legal_actions().has(action[0]), "{:?} in {state:?}", action[0]);
        state.apply(action[0]).expect("legal");
    }
}

fn weights(seed: u64) -> Weights {
    Weights::init(NetworkConfig { hidden: 16, blocks: 1 }, seed)
}

fn evaluator(seed: u64) -> Evaluator {
    Evaluator::new(&weights(seed))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..Default::default() })]

    #[test]
    fn bots_play_legally(seed in any::<u64>()) {
        for rules in rule_sets() {
            for row in rules.rows() {
                let condition = Condition::parse(row.kind.name()).expect("a kind");
                let deals = Deals::new(rules, seed).with_condition(condition);
                let start = State::new(rules, &deals.shuffled(0, Seat::East));
                play(&mut start.clone(), &mut RuleBased);
                play(&mut start.clone(), &mut Random::new(seed));
            }
            let start = State::new(rules, &Deals::new(rules, seed).shuffled(1, Seat::East));
            play(&mut start.clone(), &mut NetworkAgent::new(evaluator(seed), None));
            play(&mut start.clone(), &mut NetworkAgent::new(evaluator(seed), Some(seed)));
        }
    }

    /// Positions that random play leads to and the bot would never reach by itself.
    #[test]
    fn rule_based_bot_copes_with_any_position(seed in any::<u64>()) {
        let mut stream = Stream::new(seed, Purpose::Action, 0);
        for rules in rule_sets() {
            let mut state = State::new(rules, &Deals::new(rules, seed).shuffled(0, Seat::South));
            while !state.is_done() {
                let view = state.observe(state.turn(), BySeat::default());
                let choice = troel_agents::rule_based::choose(&view);
                let legal = state.legal_actions();
                prop_assert!(legal.has(choice), "{choice} in {state:?}");
                let random = legal.nth_action(stream.below(legal.len())).expect("some action");
                state.apply(random).expect("legal");
            }
        }
    }
}

#[test]
fn no_illegal_action_is_ever_drawn() {
    let rules = rule_sets()[0];
    let state = State::new(rules, &Deals::new(rules, 1).shuffled(0, Seat::North));
    let legal = state.legal_actions();
    let mut stream = Stream::new(1, Purpose::Action, 0);
    // Logits as bad as they get: the legal ones far below zero, one illegal one far above.
    let mut logits = [5e8f32; troel_env::N_ACTIONS];
    legal.into_iter().for_each(|a| logits[a.index()] = -1e6);
    let mut seen = std::collections::HashSet::new();
    for _ in 0..20_000 {
        let (action, log_prob) = draw(legal, &logits, &mut stream);
        assert!(legal.has(action));
        assert!((log_prob + (legal.len() as f32).ln()).abs() < 1e-3, "{log_prob}");
        seen.insert(action);
    }
    assert_eq!(seen.len() as u32, legal.len(), "all equally likely actions come up");
}

#[test]
fn batches_do_not_change_decisions() {
    let rules = rule_sets()[2];
    let states: Vec<State> =
        (0..9).map(|n| State::new(rules, &Deals::new(rules, 3).shuffled(n, Seat::West))).collect();
    let views: Vec<_> = states.iter().map(|s| s.observe(s.turn(), BySeat::default())).collect();
    let mut agent = NetworkAgent::new(evaluator(4), None);
    let mut batch = Vec::new();
    agent.evaluate(&views, |_, e| batch.push((e.logits.to_vec(), e.value)));
    for (view, (logits, value)) in views.iter().zip(&batch) {
        agent.evaluate(std::slice::from_ref(view), |_, e| {
            assert_eq!((e.value, e.logits), (*value, logits.as_slice()));
        });
    }
}

/// The forward pass written for the processor against burn's, over widths that fill panels and tiles and ones that do
/// not, and over more rows than go through together.
#[test]
fn the_forward_pass_agrees_with_burn() {
    let mut views = Vec::new();
    for (n, rules) in rule_sets().into_iter().cycle().take(12).enumerate() {
        let deal = Deals::new(rules, 5).shuffled(n as u64, Seat::South);
        let mut state = State::new(rules, &deal);
        let mut random = Random::new(n as u64);
        while !state.is_done() {
            let view = state.observe(state.turn(), BySeat::default());
            let mut action = [Action::PASS];
            random.act(&[view], &mut action);
            views.push(view);
            state.apply(action[0]).expect("legal");
        }
    }
    assert!(views.len() > 500);
    let device = default_device();
    for (hidden, blocks) in [(256, 1), (96, 2), (75, 3), (7, 1), (1, 0), (64, 0)] {
        let config = NetworkConfig { hidden, blocks };
        let mut weights = Weights::init(config, hidden as u64);
        // Heads as large as a trained network's: the initial ones are next to nothing.
        let heads =
            config.tensors().iter().find(|t| t.name == "policy.weight").expect("there").offset;
        weights.values[heads..].iter_mut().for_each(|w| *w *= 10.0);
        let inputs: Vec<Input> = views.iter().map(Input::from).collect();
        let (features, illegal) = tensors(inputs.iter(), &device);
        let (logits, values) = Network::new(&weights, &device).forward(features, illegal);
        let logits: Vec<f32> = logits.into_data().iter().collect();
        let values: Vec<f32> = values.into_data().iter().collect();
        let mut agent = NetworkAgent::new(Evaluator::new(&weights), None);
        agent.evaluate(&views, |i, e| {
            let scale = 1.0 + e.value.abs();
            assert!((e.value - values[i]).abs() <= 1e-5 * scale, "{config:?} {i}");
            for (a, b) in e.logits.iter().zip(&logits[i * N_ACTIONS..]) {
                assert!((a - b).abs() <= 1e-5 * (1.0 + a.abs()), "{config:?} {i}: {a} {b}");
            }
        });
    }
}

/// The released bots decide as burn does: 10,000 observations, the likeliest action of each.
#[test]
fn released_bots_decide_as_burn_does() {
    let device = default_device();
    for rules in rule_sets() {
        let name = format!("{}/../checkpoints/{}-v1", env!("CARGO_MANIFEST_DIR"), rules.id());
        let bundle = Bundle::load(std::path::Path::new(&name)).expect("released");
        let mut agent = NetworkAgent::new(Evaluator::new(&bundle.weights), None);
        let mut views = Vec::new();
        for n in 0.. {
            let mut state = State::new(rules, &Deals::new(rules, 6).shuffled(n, Seat::West));
            while !state.is_done() && views.len() < 2500 {
                let view = state.observe(state.turn(), BySeat::default());
                let mut action = [Action::PASS];
                agent.act(&[view], &mut action);
                views.push((view, action[0]));
                state.apply(action[0]).expect("legal");
            }
            if views.len() == 2500 {
                break;
            }
        }
        let inputs: Vec<Input> = views.iter().map(|(view, _)| Input::from(view)).collect();
        let (features, illegal) = tensors(inputs.iter(), &device);
        let (logits, _) = Network::new(&bundle.weights, &device).forward(features, illegal);
        let logits: Vec<f32> = logits.into_data().iter().collect();
        for (i, (input, (_, action))) in inputs.iter().zip(&views).enumerate() {
            let logits = &logits[i * N_ACTIONS..][..N_ACTIONS];
            assert_eq!(likeliest(input.legal, logits), *action, "{} {i}", rules.id());
        }
    }
}

fn bundle() -> Bundle {
    let weights = weights(7);
    let rules = find_rules("wiezen").expect("built in");
    Bundle { info: BotInfo::new(rules, weights.config, 10.0, 7), weights }
}

#[test]
fn bundles_come_back_as_they_were() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("bot");
    bundle().save(&path).expect("saved");
    // Saving again replaces, and leaves nothing beside it.
    bundle().save(&path).expect("saved");
    assert_eq!(Bundle::load(&path).expect("loads"), bundle());
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
    let name = path.to_str().expect("plain");
    assert!(Entry::find(name, find_rules("wiezen").expect("built in")).is_ok());
    assert!(
        Entry::find(&format!("{name}:sample"), find_rules("wiezen").expect("built in")).is_ok()
    );
    let error = Entry::find(name, find_rules("iwwa").expect("built in")).expect_err("refused");
    assert!(error.to_string().contains("trained for rule set wiezen"), "{error}");
}

#[test]
fn damaged_bundles_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("bot");
    bundle().save(&path).expect("saved");
    let info = fs::read_to_string(path.join("bot.toml")).expect("text");
    let weights = fs::read(path.join("model.safetensors")).expect("bytes");
    let check = |what: &str| {
        let error = Bundle::load(&path).expect_err(what).to_string();
        assert!(error.contains("bot") && !error.contains('\n'), "{what}: {error}");
        error
    };
    let versions = [
        ("format = 1", "format = 9"),
        ("observation_version = ", "observation_version = 9"),
        ("action_version = 1", "action_version = 2"),
        ("hidden = 16", "hidden = 17"),
        ("hidden = 16", "hidden = 99999999"),
        ("seed = 7", "seed = \"seven\""),
    ];
    for (from, to) in versions {
        fs::write(path.join("bot.toml"), info.replace(from, to)).expect("written");
        check(to);
    }
    fs::write(path.join("bot.toml"), &info).expect("written");
    // Every byte of the header counts; so do cuts at any length.
    let mut stream = Stream::new(3, Purpose::Action, 0);
    for _ in 0..200 {
        let cut = stream.below(weights.len() as u32) as usize;
        fs::write(path.join("model.safetensors"), &weights[..cut]).expect("written");
        check("cut");
        let mut flipped = weights.clone();
        flipped[stream.below(600) as usize] ^= 1 << stream.below(8);
        fs::write(path.join("model.safetensors"), &flipped).expect("written");
        // A flipped bit may only change a number; it must never panic.
        let _ = Bundle::load(&path);
    }
    let mut poisoned = weights.clone();
    let end = poisoned.len();
    poisoned[end - 4..].copy_from_slice(&f32::NAN.to_le_bytes());
    fs::write(path.join("model.safetensors"), &poisoned).expect("written");
    assert!(check("NaN").contains("finite"));
    fs::remove_file(path.join("model.safetensors")).expect("removed");
    check("missing");
}

#[test]
fn unknown_bots_and_rules_are_named() {
    let rules = find_rules("iwwa").expect("built in");
    for name in ["", "nobody", "../..", "no/such/folder", "random:sample"] {
        let error = Entry::find(name, rules).expect_err(name).to_string();
        assert!(!error.is_empty());
    }
    let error = find_rules("bridge").expect_err("no such rules");
    assert!(error.contains("luxembourg"), "{error}");
}
