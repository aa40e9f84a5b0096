//! Bots play legally and sensibly; bundles load exactly or are refused.

use std::fs;
use std::path::Path;

use proptest::prelude::*;
use troel_agents::network::{ActionSelection, Evaluator};
use troel_agents::registry::{self, RELEASED, Registry, ReleasedBot, ReleasedFor};
use troel_agents::{
    Bot, BotError, Decision, DecisionDetail, Heuristic, NamedBot, NetworkBot, Random, decide,
    decide_one, find_rules,
};
use troel_env::features::{FEATURE_VERSION, OLD_N_FEATURES};
use troel_env::rng::{Purpose, Stream};
use troel_env::{Action, BySeat, Deals, N_FEATURES, Observation, RuleSet, Scenario, Seat, State};
use troel_nn::{BotInfo, Bundle, NetworkConfig, Weights, checksums, sample};

/// Plays a deal with one bot in all seats; panics on an illegal action.
fn play(state: &mut State, bot: &mut dyn Bot) {
    while !state.is_done() {
        let obs = state.observe(state.turn(), BySeat::default());
        let decision = decide_one(bot, &obs, DecisionDetail::Policy).expect("legal and finite");
        let sum: f32 = decision.policy.iter().map(|(_, p)| p).sum();
        assert!((sum - 1.0).abs() < 1e-4, "{decision:?}");
        let chosen = decision.policy.iter().find(|(action, _)| *action == decision.action);
        let chosen = chosen.expect("the policy covers the action").1;
        assert!((chosen.ln() - decision.log_prob).abs() < 1e-3, "{decision:?}");
        state.apply(decision.action).expect("legal");
    }
}

fn weights(seed: u64) -> Weights {
    Weights::init(NetworkConfig { hidden: 16, blocks: 1, ..NetworkConfig::default() }, seed)
}

fn evaluator(seed: u64) -> Evaluator {
    Evaluator::new(&weights(seed))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..Default::default() })]

    #[test]
    fn bots_play_legally(seed in any::<u64>()) {
        for rules in RuleSet::all_built_in() {
            for row in rules.rows() {
                let scenario = Scenario::parse(row.kind.name()).expect("a kind");
                let deals = Deals::new(rules, seed).with_scenario(scenario);
                let start = State::new(rules, &deals.shuffled(0, Seat::East));
                play(&mut start.clone(), &mut Heuristic);
                play(&mut start.clone(), &mut Random::new(seed));
            }
            let start = State::new(rules, &Deals::new(rules, seed).shuffled(1, Seat::East));
            for selection in [ActionSelection::MostProbable, ActionSelection::SampledBySeed(seed)] {
                let mut bot = NetworkBot::new(evaluator(seed), selection, Some(10.0));
                play(&mut start.clone(), &mut bot);
            }
        }
    }

    /// Positions reached by random play, many of which the bot itself would never reach.
    #[test]
    fn rule_based_bot_copes_with_any_position(seed in any::<u64>()) {
        let mut stream = Stream::new(seed, Purpose::Action, 0);
        for rules in RuleSet::all_built_in() {
            let mut state = State::new(rules, &Deals::new(rules, seed).shuffled(0, Seat::South));
            while !state.is_done() {
                let obs = state.observe(state.turn(), BySeat::default());
                let choice = troel_agents::heuristic::choose(&obs);
                let legal = state.legal_actions();
                prop_assert!(legal.has(choice), "{choice} in {state:?}");
                let random = legal.draw(&mut stream).expect("some action");
                state.apply(random).expect("legal");
            }
        }
    }
}

#[test]
fn no_illegal_action_is_ever_drawn() {
    let rules = RuleSet::all_built_in()[0];
    let state = State::new(rules, &Deals::new(rules, 1).shuffled(0, Seat::North));
    let legal = state.legal_actions();
    let mut stream = Stream::new(1, Purpose::Action, 0);
    // Worst-case logits: the legal ones far below zero, one illegal one far above.
    let mut logits = [5e8f32; troel_env::N_ACTIONS];
    legal.into_iter().for_each(|a| logits[a.index()] = -1e6);
    let mut seen = std::collections::HashSet::new();
    for _ in 0..20_000 {
        let (action, log_prob) = sample(legal, &logits, &mut stream);
        assert!(legal.has(action));
        assert!((log_prob + (legal.len() as f32).ln()).abs() < 1e-3, "{log_prob}");
        seen.insert(action);
    }
    assert_eq!(seen.len() as u32, legal.len(), "all equally likely actions come up");
}

#[test]
fn batches_do_not_change_decisions() {
    let rules = RuleSet::all_built_in()[2];
    let states: Vec<State> =
        (0..9).map(|n| State::new(rules, &Deals::new(rules, 3).shuffled(n, Seat::West))).collect();
    let views: Vec<_> = states.iter().map(|s| s.observe(s.turn(), BySeat::default())).collect();
    let mut agent = NetworkBot::new(evaluator(4), ActionSelection::MostProbable, Some(1.0));
    let mut batch = Vec::new();
    agent.evaluate(&views, |_, e| batch.push((e.logits.to_vec(), e.value))).expect("finite");
    for (obs, (logits, value)) in views.iter().zip(&batch) {
        agent
            .evaluate(std::slice::from_ref(obs), |_, e| {
                assert_eq!((e.value, e.logits), (*value, logits.as_slice()));
            })
            .expect("finite");
    }
}

fn bundle() -> Bundle {
    let weights = weights(7);
    let rules = find_rules("wiezen").expect("built in");
    let mut info = BotInfo::new(rules, weights.config, 10.0, 7);
    info.match_totals = true;
    Bundle { info, weights }
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
    assert!(NamedBot::find(name, find_rules("wiezen").expect("built in")).is_ok());
    assert!(
        NamedBot::find(&format!("{name}:sample"), find_rules("wiezen").expect("built in")).is_ok()
    );
    let error = NamedBot::find(name, find_rules("iwwa").expect("built in")).expect_err("refused");
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
    // Writes other metadata with correct checksums, as if on purpose.
    let write_info = |text: &str| {
        let weights = fs::read(path.join("model.safetensors")).expect("bytes");
        let sums = [("model.safetensors".to_string(), checksums::hash(&weights))].into();
        fs::write(path.join("bot.toml"), checksums::seal(checksums::strip(text), &sums))
            .expect("written");
    };
    let versions = [
        ("format = 2", "format = 9"),
        ("observation_version = ", "observation_version = 9"),
        ("action_version = 1", "action_version = 2"),
        ("hidden = 16", "hidden = 17"),
        ("hidden = 16", "hidden = 99999999"),
        ("seed = 7", "seed = \"seven\""),
    ];
    for (from, to) in versions {
        fs::write(path.join("bot.toml"), info.replace(from, to)).expect("written");
        assert!(check(to).contains("checksum"), "{to}");
        write_info(&info.replace(from, to));
        assert!(!check(to).contains("checksum"), "{to}");
    }
    fs::write(path.join("bot.toml"), &info).expect("written");
    // Checksums show any flipped bit and any truncation. With correct checksums, such damage does
    // not panic.
    let mut stream = Stream::new(3, Purpose::Action, 0);
    for _ in 0..200 {
        let cut = stream.below(weights.len() as u32) as usize;
        fs::write(path.join("model.safetensors"), &weights[..cut]).expect("written");
        assert!(check("cut").contains("checksum"));
        write_info(&info);
        check("cut");
        fs::write(path.join("bot.toml"), &info).expect("written");
        for range in [600, weights.len() as u32] {
            let mut flipped = weights.clone();
            flipped[stream.below(range) as usize] ^= 1 << stream.below(8);
            fs::write(path.join("model.safetensors"), &flipped).expect("written");
            assert!(check("flipped").contains("checksum"));
            write_info(&info);
            let _ = Bundle::load(&path);
            fs::write(path.join("bot.toml"), &info).expect("written");
        }
    }
    let mut poisoned = weights.clone();
    let end = poisoned.len();
    poisoned[end - 4..].copy_from_slice(&f32::NAN.to_le_bytes());
    fs::write(path.join("model.safetensors"), &poisoned).expect("written");
    write_info(&info);
    assert!(check("NaN").contains("finite"));
    fs::remove_file(path.join("model.safetensors")).expect("removed");
    check("missing");
}

/// Loads bots of old observation versions. Their features are the first ones of this version, so
/// they play as before, with zero weights for the new features.
#[test]
fn bots_of_old_observation_versions_are_loaded() {
    for (version, features) in (1..).zip(OLD_N_FEATURES) {
        check_bot_of(version, features);
    }
}

fn check_bot_of(version: u32, features: usize) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("bot");
    let new = bundle();
    let hidden = new.weights.config.hidden;
    let mut old = new.weights.clone();
    old.values[features * hidden..N_FEATURES * hidden].fill(0.0);
    let tensors = old.config.tensors().into_iter().map(|spec| {
        let is_input = spec.name == "input.weight";
        let shape = if is_input { vec![features, hidden] } else { spec.shape };
        let len: usize = shape.iter().product();
        (spec.name, shape, &old.values[spec.offset..spec.offset + len])
    });
    new.save(&path).expect("saved");
    troel_nn::bundle::save_tensors(&path.join("model.safetensors"), tensors).expect("saved");
    let info = fs::read_to_string(path.join("bot.toml")).expect("text");
    let of = |version: u32, features: usize| {
        format!("observation_version = {version}\nfeatures = {features}")
    };
    let info = checksums::strip(&info).replace("format = 2", "format = 1");
    let old_info = info.replace(&of(FEATURE_VERSION, N_FEATURES), &of(version, features));
    assert_ne!(info, old_info);
    fs::write(path.join("bot.toml"), old_info).expect("written");
    let loaded = Bundle::load(&path).expect("loaded");
    assert_eq!(loaded.weights, old);
    assert_eq!(
        (loaded.info.observation_version, loaded.info.features),
        (FEATURE_VERSION, N_FEATURES)
    );
    // It can be given checksums, and is the same with them.
    troel_nn::bundle::accept(&path).expect("accepted");
    assert!(troel_nn::bundle::verify(&path).expect("whole").has_checksums);
    assert_eq!(Bundle::load(&path).expect("loaded").weights, old);
    // A file that is neither is damaged.
    fs::write(path.join("bot.toml"), &info).expect("written");
    let error = Bundle::load(&path).expect_err("old weights").to_string();
    assert!(error.contains("input.weight"), "{error}");
}

/// Bots as versions of before released them, cut to two units (`old/`): `v1` and `v2` with
/// observations 1, `v3` with 2, none with checksums.
#[test]
fn bots_of_before_are_loaded() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/old");
    for (name, hash) in
        [("v1", "e9b9faad71ae984d"), ("v2", "eed429c4d4884b89"), ("v3", "90b9ce1e6ac2a05f")]
    {
        let bundle = Bundle::load(&folder.join(name)).expect("loads");
        assert!(!bundle.info.has_checksums());
        assert_eq!(bundle.weights.hash(), hash, "{name}");
        let rules = bundle.info.rule_set(&folder).expect("built in");
        let mut bot = NetworkBot::from_bundle(&bundle);
        play(&mut State::new(rules, &Deals::new(rules, 1).shuffled(0, Seat::East)), &mut bot);
    }
}

#[test]
fn unknown_bots_and_rules_are_named() {
    let rules = find_rules("iwwa").expect("built in");
    for name in ["", "nobody", "../..", "no/such/folder", "random:sample"] {
        let error = NamedBot::find(name, rules).expect_err(name).to_string();
        assert!(!error.is_empty());
    }
    let old = NamedBot::find("iwwa-v1", rules).expect_err("an earlier version").to_string();
    assert!(old.ends_with("; iwwa-v5 is the version in this program"), "{old}");
    let error = find_rules("bridge").expect_err("no such rules");
    assert!(error.message.contains("luxembourg"), "{error}");
}

/// A bot that returns preset decisions.
struct Puppet(Vec<Decision>);

impl Bot for Puppet {
    fn decide(&mut self, _: &[Observation], _: DecisionDetail) -> Result<Vec<Decision>, BotError> {
        Ok(self.0.clone())
    }
}

#[test]
fn unusable_decisions_are_errors() {
    let rules = find_rules("luxembourg").expect("built in");
    let state = State::new(rules, &Deals::new(rules, 1).shuffled(0, Seat::North));
    let obs = state.observe(state.turn(), BySeat::default());
    let good = Decision::sure(Action::PASS, DecisionDetail::Action);
    let ask =
        |decisions: Vec<Decision>| decide(&mut Puppet(decisions), &[obs], DecisionDetail::Action);
    assert_eq!(ask(vec![good.clone()]), Ok(vec![good.clone()]));
    assert_eq!(ask(Vec::new()), Err(BotError::Count { wanted: 1, found: 0 }));
    let illegal =
        ask(vec![Decision::sure(Action::GIVE, DecisionDetail::Action)]).expect_err("illegal");
    assert!(illegal.to_string().contains("give") && illegal.to_string().contains("pass"));
    let nan = Decision { value: Some(f32::NAN), ..good.clone() };
    assert_eq!(ask(vec![nan]), Err(BotError::NotFinite("value")));
    let unsure = Decision { log_prob: f32::NEG_INFINITY, ..good };
    assert_eq!(ask(vec![unsure]), Err(BotError::NotFinite("policy")));
    let mut poisoned = weights(1);
    poisoned.values.fill(f32::NAN);
    let mut bot =
        NetworkBot::new(Evaluator::new(&poisoned), ActionSelection::MostProbable, Some(1.0));
    assert_eq!(
        decide_one(&mut bot, &obs, DecisionDetail::Action),
        Err(BotError::NotFinite("policy"))
    );
}

#[test]
fn the_registry_takes_bots_of_ones_own() {
    let rules = find_rules("horesca").expect("built in");
    let registry = Registry::default().with_bot("mine", |_| Box::new(Heuristic));
    assert_eq!(registry.find("mine", rules).expect("added").name(), "mine");
    assert!(registry.find("rules", rules).is_ok());
    assert!(NamedBot::find("mine", rules).is_err(), "only the caller's registry knows it");
    let mut state = State::new(rules, &Deals::new(rules, 1).shuffled(0, Seat::North));
    play(&mut state, registry.find("mine", rules).expect("added").instantiate(1).as_mut());
}

/// Checks the released bots that were trained to win matches. Their values are not points, the
/// totals change their decisions, and their search maximises the share of the match.
#[test]
fn bots_for_matches_have_no_value_in_points() {
    for &ReleasedBot { name, purpose, .. } in RELEASED {
        let ReleasedFor::Matches(rules) = purpose else { continue };
        let folder = format!("{}/../checkpoints/{name}", env!("CARGO_MANIFEST_DIR"));
        let rules = find_rules(rules).expect("built in");
        assert!(rules.spec().match_target > 0, "{name}");
        let mut bot = NamedBot::find(&folder, rules).expect("released").instantiate(1);
        let mut differing = 0;
        for n in 0..40 {
            let deal = Deals::new(rules, 31).shuffled(n, Seat::South);
            let mut state = State::new(rules, &deal);
            while !state.is_done() {
                let at = |totals| state.observe(state.turn(), BySeat(totals));
                let views = [at([0; 4]), at([60, 99, 7, 60])];
                let decisions =
                    decide(bot.as_mut(), &views, DecisionDetail::Policy).expect("legal");
                assert_eq!((decisions[0].value, decisions[1].value), (None, None));
                differing += u32::from(decisions[0].action != decisions[1].action);
                state.apply(decisions[0].action).expect("legal");
            }
        }
        assert!(differing > 20, "{name}: {differing} decisions");
    }
}

/// A bot that was trained at zero scores only is blind to others: they change nothing that it
/// decides.
#[test]
fn bots_trained_at_zeros_are_blind_to_match_totals() {
    let folder = tempfile::tempdir().expect("a folder");
    for rules in RuleSet::all_built_in() {
        let released =
            registry::released_for(ReleasedFor::Points(rules.id())).expect("one for each");
        let name = format!("{}/../checkpoints/{released}", env!("CARGO_MANIFEST_DIR"));
        let mut bundle = Bundle::load(Path::new(&name)).expect("released");
        bundle.info.match_totals = false;
        bundle.save(folder.path()).expect("saved");
        let name = folder.path().display().to_string();
        let mut bot = NamedBot::find(&name, rules).expect("just saved").instantiate(1);
        for n in 0..40 {
            let deal = Deals::new(rules, 31).shuffled(n, Seat::South);
            let mut state = State::new(rules, &deal);
            while !state.is_done() {
                let at = |totals| state.observe(state.turn(), BySeat(totals));
                let views = [at([0; 4]), at([90; 4]), at([-40, 99, 7, 60])];
                let decisions =
                    decide(bot.as_mut(), &views, DecisionDetail::Policy).expect("legal");
                assert_eq!(decisions[0], decisions[1]);
                assert_eq!(decisions[0], decisions[2]);
                state.apply(decisions[0].action).expect("legal");
            }
        }
    }
}
