//! The forward pass for the CPU and burn's compute the same network.

use troel_agents::network::{ActionSelection, Evaluator, Network, default_device, tensors};
use troel_agents::registry::{self, ReleasedFor};
use troel_agents::{DecisionDetail, NetworkBot, Random, decide_one};
use troel_env::{BySeat, Deals, N_ACTIONS, RuleSet, Seat, State};
use troel_nn::{Bundle, NetworkConfig, NetworkInput, Weights, most_probable};

fn network_bot(weights: &Weights) -> NetworkBot {
    NetworkBot::new(Evaluator::new(weights), ActionSelection::MostProbable, Some(1.0))
}

/// The forward pass for the CPU against burn's, over widths that fill panels and tiles and ones
/// that do not, and over more rows than one pass takes.
#[test]
fn the_forward_pass_agrees_with_burn() {
    let mut views = Vec::new();
    for (n, rules) in RuleSet::all_built_in().into_iter().cycle().take(12).enumerate() {
        let deal = Deals::new(rules, 5).shuffled(n as u64, Seat::South);
        let mut state = State::new(rules, &deal);
        let mut random = Random::new(n as u64);
        while !state.is_done() {
            let obs = state.observe(state.turn(), BySeat::default());
            let decision = decide_one(&mut random, &obs, DecisionDetail::Action).expect("legal");
            views.push(obs);
            state.apply(decision.action).expect("legal");
        }
    }
    assert!(views.len() > 500);
    let device = default_device();
    for (hidden, blocks) in [(256, 1), (96, 2), (75, 3), (7, 1), (1, 0), (64, 0)] {
        let config = NetworkConfig { hidden, blocks, ..NetworkConfig::default() };
        let mut weights = Weights::init(config, hidden as u64);
        // Heads scaled to the size of a trained network's: the initial ones are close to zero.
        let heads =
            config.tensors().iter().find(|t| t.name == "policy.weight").expect("there").offset;
        weights.values[heads..].iter_mut().for_each(|w| *w *= 10.0);
        let inputs: Vec<NetworkInput> = views.iter().map(NetworkInput::from).collect();
        let (features, illegal) = tensors(inputs.iter(), &config, &device);
        let (logits, values) = Network::new(&weights, &device).forward(features, illegal);
        let logits: Vec<f32> = logits.into_data().iter().collect();
        let values: Vec<f32> = values.into_data().iter().collect();
        let mut bot = network_bot(&weights);
        bot.evaluate(&views, |i, e| {
            let scale = 1.0 + e.value.abs();
            assert!((e.value - values[i]).abs() <= 1e-5 * scale, "{config:?} {i}");
            for (a, b) in e.logits.iter().zip(&logits[i * N_ACTIONS..]) {
                assert!((a - b).abs() <= 1e-5 * (1.0 + a.abs()), "{config:?} {i}: {a} {b}");
            }
        })
        .expect("networks of Troel do not fail");
    }
}

/// The released bots decide as burn does: 10,000 observations, the most probable action of each.
#[test]
fn released_bots_decide_as_burn_does() {
    let device = default_device();
    for rules in RuleSet::all_built_in() {
        let released =
            registry::released_for(ReleasedFor::Points(rules.id())).expect("one for each");
        let name = format!("{}/../checkpoints/{released}", env!("CARGO_MANIFEST_DIR"));
        let bundle = Bundle::load(std::path::Path::new(&name)).expect("released");
        let mut bot = network_bot(&bundle.weights);
        let mut views = Vec::new();
        for n in 0.. {
            let mut state = State::new(rules, &Deals::new(rules, 6).shuffled(n, Seat::West));
            while !state.is_done() && views.len() < 2500 {
                let obs = state.observe(state.turn(), BySeat::default());
                let action =
                    decide_one(&mut bot, &obs, DecisionDetail::Action).expect("legal").action;
                views.push((obs, action));
                state.apply(action).expect("legal");
            }
            if views.len() == 2500 {
                break;
            }
        }
        let inputs: Vec<NetworkInput> =
            views.iter().map(|(obs, _)| NetworkInput::from(obs)).collect();
        let (features, illegal) = tensors(inputs.iter(), &bundle.weights.config, &device);
        let (logits, _) = Network::new(&bundle.weights, &device).forward(features, illegal);
        let logits: Vec<f32> = logits.into_data().iter().collect();
        for (i, (input, (_, action))) in inputs.iter().zip(&views).enumerate() {
            let logits = &logits[i * N_ACTIONS..][..N_ACTIONS];
            let places = input.suit_permutation(&bundle.weights.config).actions();
            let logits = places.map(|place| logits[usize::from(place)]);
            assert_eq!(most_probable(input.legal, &logits), *action, "{} {i}", rules.id());
        }
    }
}
