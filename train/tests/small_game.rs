//! PPO and its advantages against a game whose exact answers are known: three cards each, three
//! opponents that play by fixed rules, with every distribution of the hidden cards equally likely.

use std::collections::HashMap;

use troel_agents::network::{ActionSelection, Evaluator, default_device};
use troel_agents::{DecisionDetail, NamedBot, NetworkBot, decide_one, heuristic};
use troel_env::rng::{Purpose, Stream};
use troel_env::{Action, BySeat, CardSet, Deals, Phase, RuleSet, Seat, State};
use troel_nn::{NetworkConfig, Weights};
use troel_train::config::FeatureBlocks;
use troel_train::{
    Actor, Adam, AdvantageSettings, BaselineSource, CollectSettings, PpoLoss, RecordedPlayer,
    TableKind, TableSettings, TrainingObjective, UpdateContext, UpdateSettings, collect,
    normalise_advantages, update,
};

/// Plays the other seats until the learner is to act or the deal is over.
fn run_opponents(state: &mut State, learner: Seat) {
    while !state.is_done() && state.turn() != learner {
        let action = heuristic::choose(&state.observe(state.turn(), BySeat::default()));
        state.apply(action).expect("legal");
    }
}

/// Information set of the learner: the cards played, by seat and in order.
fn seen(state: &State) -> Vec<(Seat, Option<Action>)> {
    state.history().iter().collect()
}

/// Points of the learner over all worlds, under the best policy there is, by expectation over
/// what it cannot see. The worlds look the same to the learner.
fn best(worlds: &[State], learner: Seat) -> i32 {
    if worlds[0].is_done() {
        return worlds.iter().map(|w| w.scores().expect("over")[learner]).sum();
    }
    let value = |action: Action| {
        let mut groups: HashMap<_, Vec<State>> = HashMap::new();
        for world in worlds {
            let mut after = *world;
            after.apply(action).expect("legal in every world");
            run_opponents(&mut after, learner);
            groups.entry(seen(&after)).or_default().push(after);
        }
        groups.values().map(|group| best(group, learner)).sum()
    };
    worlds[0].legal_actions().into_iter().map(value).max().expect("some action")
}

/// Points of the learner over all worlds when `choose` picks its moves.
fn total(worlds: &[State], learner: Seat, mut choose: impl FnMut(&State) -> Action) -> i32 {
    let mut sum = 0;
    for world in worlds {
        let mut state = *world;
        while !state.is_done() {
            let action = choose(&state);
            state.apply(action).expect("legal");
            run_opponents(&mut state, learner);
        }
        sum += state.scores().expect("over")[learner];
    }
    sum
}

/// All ways to deal nine cards to three hands of three.
fn worlds(state: &State) -> Vec<State> {
    let learner = state.turn();
    let others: Vec<Seat> = (1..4).map(|i| learner.plus(i)).collect();
    let hidden: Vec<_> = others.iter().flat_map(|&s| state.hands()[s]).collect();
    let mut found = Vec::new();
    for a in 0..1u32 << 9 {
        for b in 0..1u32 << 9 {
            if a.count_ones() != 3 || b.count_ones() != 3 || a & b != 0 {
                continue;
            }
            let pick = |bits: u32| -> CardSet {
                (0..9).filter(|i| bits >> i & 1 != 0).map(|i| hidden[i]).collect()
            };
            let mut hands = *state.hands();
            hands[others[0]] = pick(a);
            hands[others[1]] = pick(b);
            hands[others[2]] = pick(!(a | b) & 0x1ff);
            found.push(state.with_hands(hands).expect("the same cards"));
        }
    }
    found
}

/// Finds a three-card ending where the learner's play matters: random play loses at least a point
/// and a half on average, and the rule-based bot's play loses something, too.
fn find_ending(rules: &'static RuleSet) -> (Vec<State>, i32) {
    let mut stream = Stream::new(1, Purpose::Action, 0);
    for n in 0.. {
        let mut state = State::new(rules, &Deals::new(rules, 77).shuffled(n, Seat::North));
        while !state.is_done() && state.hands()[state.turn()].len() > 3 {
            let obs = state.observe(state.turn(), BySeat::default());
            state.apply(heuristic::choose(&obs)).expect("legal");
        }
        if state.is_done() || state.phase() != Phase::Play || !state.trick().is_empty() {
            continue;
        }
        let worlds = worlds(&state);
        let learner = state.turn();
        let optimum = best(&worlds, learner);
        let random = total(&worlds, learner, |s| {
            let legal = s.legal_actions();
            legal.draw(&mut stream).expect("some action")
        });
        let by_rule =
            total(&worlds, learner, |s| heuristic::choose(&s.observe(learner, BySeat::default())));
        let count = worlds.len() as i32;
        if optimum - random > 3 * count / 2 && optimum > by_rule {
            return (worlds, optimum);
        }
    }
    unreachable!("the range is endless")
}

#[test]
fn ppo_finds_the_exact_optimum_of_a_three_card_ending() {
    let rules = RuleSet::built_in("luxembourg").expect("built in");
    let (worlds, optimum) = find_ending(rules);
    let learner = worlds[0].turn();
    let opponents = [NamedBot::find("rules", rules).expect("a bot")];
    let config = NetworkConfig { hidden: 32, blocks: 0, ..NetworkConfig::default() };
    let mut weights = Weights::init(config, 1);
    let mut adam = Adam::new(weights.values.len());
    let greedy_total = |weights: &Weights| {
        let mut bot =
            NetworkBot::new(Evaluator::new(weights), ActionSelection::MostProbable, Some(10.0));
        total(&worlds, learner, |s| {
            let obs = s.observe(learner, BySeat::default());
            decide_one(&mut bot, &obs, DecisionDetail::Action).expect("legal").action
        })
    };
    let kinds = [TableKind { weight: 1.0, learners: 1, opponents: vec![0] }];
    let mut totals = vec![greedy_total(&weights)];
    for iteration in 0..40 {
        let evaluator = Evaluator::new(&weights);
        let mut collect_settings = CollectSettings::self_play(rules, &evaluator, iteration, 512);
        collect_settings.deals.seed = 5;
        collect_settings.deals.positions = &worlds;
        collect_settings.tables.kinds = &kinds;
        collect_settings.tables.opponents = &opponents;
        let mut rollout = collect(&collect_settings).expect("no bot fails");
        normalise_advantages(&mut rollout.samples);
        let settings = UpdateSettings {
            learning_rate: 3e-3,
            epochs: 4,
            minibatch_size: 512,
            even_minibatches: true,
            shards: 2,
            unused_features: FeatureBlocks::default(),
            max_grad_norm: 0.5,
            target_kl: 0.1,
            seed: 5,
            iteration,
        };
        let objective = TrainingObjective::Ppo(PpoLoss { ent_coef: 0.002, ..PpoLoss::default() });
        let actor = Actor { weights: &mut weights, objective, device: &default_device() };
        update(actor, &mut adam, None, &rollout.samples, &settings, UpdateContext::alone())
            .expect("alone");
        totals.push(greedy_total(&weights));
    }
    let count = worlds.len() as i32;
    let last = *totals.last().expect("forty iterations");
    assert!(
        totals.iter().all(|&t| t <= optimum),
        "nothing beats the optimum {optimum}: {totals:?}"
    );
    // Within a hundredth of a point per deal of the exact answer.
    assert!(optimum - last <= count / 100, "{last} of {optimum}: {totals:?}");
}

/// Sums over all worlds and all continuations after the learner's first action, with every legal
/// action equally likely.
#[derive(Clone, Copy, Default)]
struct Exact {
    /// Probability of the paths.
    weight: f64,
    /// Points in tens.
    reward: f64,
    /// Baseline of the first decision.
    baseline: f64,
    /// Advantage of the first decision.
    advantage: f64,
}

/// The baseline of a decision: the points when the heuristic bot plays for all seats.
fn played_on(state: &State, learner: Seat) -> f32 {
    let mut state = *state;
    while !state.is_done() {
        let action = heuristic::choose(&state.observe(state.turn(), BySeat::default()));
        state.apply(action).expect("legal");
    }
    state.scores().expect("over")[learner] as f32 / 10.0
}

/// Follows every path from a state in which the learner is to act, or the deal is over.
fn follow(
    state: &State,
    learner: Seat,
    weight: f64,
    baselines: &mut Vec<f32>,
    lambda: f32,
    sums: &mut Exact,
) {
    if state.is_done() {
        let reward = state.scores().expect("over")[learner] as f32 / 10.0;
        // Σ λᵏ (bₖ₊₁ − bₖ), where the reward follows the last baseline.
        let after = baselines.iter().skip(1).chain([&reward]);
        let differences = baselines.iter().zip(after).map(|(before, after)| after - before);
        let advantage: f32 = differences.enumerate().map(|(k, d)| lambda.powi(k as i32) * d).sum();
        sums.weight += weight;
        sums.reward += weight * f64::from(reward);
        sums.baseline += weight * f64::from(baselines[0]);
        sums.advantage += weight * f64::from(advantage);
        return;
    }
    // A forced move is not a decision.
    let legal = state.legal_actions();
    let is_decision = legal.len() > 1;
    if is_decision {
        baselines.push(played_on(state, learner));
    }
    for action in legal {
        let mut after = *state;
        after.apply(action).expect("legal");
        run_opponents(&mut after, learner);
        follow(&after, learner, weight / f64::from(legal.len()), baselines, lambda, sums);
    }
    if is_decision {
        baselines.pop();
    }
}

/// Exact expectations by first action, in the order of the legal actions.
fn exact(worlds: &[State], learner: Seat, lambda: f32) -> Vec<Exact> {
    let by_action = worlds[0].legal_actions().into_iter().map(|action| {
        let mut sums = Exact::default();
        for world in worlds {
            let mut after = *world;
            after.apply(action).expect("legal in every world");
            run_opponents(&mut after, learner);
            let mut baselines = vec![played_on(world, learner)];
            let weight = 1.0 / worlds.len() as f64;
            follow(&after, learner, weight, &mut baselines, lambda, &mut sums);
        }
        assert!((sums.weight - 1.0).abs() < 1e-9);
        sums
    });
    by_action.collect()
}

/// The advantages that training learns from, over a baseline of deals that are played on, have the
/// expectation that exhaustive enumeration gives; and what the documentation says of the estimator
/// holds: with λ = 1 they compare the actions as the rewards do, with λ < 1 they do not.
#[test]
fn advantages_over_deals_played_on_are_what_exact_expectation_says() {
    let rules = RuleSet::built_in("luxembourg").expect("built in");
    let (worlds, _) = find_ending(rules);
    let learner = worlds[0].turn();
    let heuristic_bot = NamedBot::find("rules", rules).expect("a bot");
    let opponents = [heuristic_bot.clone()];
    let kinds = [TableKind { weight: 1.0, learners: 1, opponents: vec![0] }];
    // All logits are zero: every legal action is equally likely.
    let config = NetworkConfig { hidden: 1, blocks: 0, ..NetworkConfig::default() };
    let uniform = Weights { config, values: vec![0.0; config.weight_count()] };
    let evaluator = Evaluator::new(&uniform);
    for lambda in [1.0, 0.8] {
        let mut settings = CollectSettings::self_play(rules, &evaluator, 0, 60_000);
        settings.deals.positions = &worlds;
        settings.tables = TableSettings {
            recorded_player: RecordedPlayer::Learner(&evaluator),
            kinds: &kinds,
            opponents: &opponents,
        };
        settings.advantages = AdvantageSettings {
            gae_lambda: lambda,
            baselines: BaselineSource::Bot(&heuristic_bot),
            ..AdvantageSettings::default()
        };
        let rollout = collect(&settings).expect("no bot fails");
        let exact = exact(&worlds, learner, lambda);
        let first = worlds[0].legal_actions();
        assert!(first.len() == 3, "three cards to lead");
        for (action, exact) in first.into_iter().zip(&exact) {
            let of_action = rollout.samples.iter().filter(|s| s.decision.input.legal == first);
            let advantages: Vec<f64> = of_action
                .filter(|s| s.decision.action == action)
                .map(|s| s.targets.advantage.into())
                .collect();
            let n = advantages.len() as f64;
            let mean = advantages.iter().sum::<f64>() / n;
            let variance = advantages.iter().map(|a| (a - mean).powi(2)).sum::<f64>() / (n - 1.0);
            let error = (variance / n).sqrt();
            assert!(n > 15_000.0, "{action}: {n}");
            assert!(
                (mean - exact.advantage).abs() < 4.5 * error,
                "λ {lambda} {action}: {mean} ± {error}, exactly {}",
                exact.advantage
            );
        }
        // The expected baseline does not depend on the action, which makes the gradient unbiased.
        let baselines = exact.iter().map(|e| (e.baseline - exact[0].baseline).abs());
        assert!(baselines.fold(0.0, f64::max) < 1e-6);
        // Only differences between actions move a policy.
        let biases = exact.iter().map(|e| e.advantage - e.reward);
        let biases: Vec<f64> = biases.collect();
        let spread = biases.iter().fold(f64::MIN, |a, &b| a.max(b))
            - biases.iter().fold(f64::MAX, |a, &b| a.min(b));
        if lambda == 1.0 {
            assert!(spread < 1e-6, "unbiased: {biases:?}");
        } else {
            assert!(spread > 0.01, "biased: {biases:?}");
        }
    }
}
