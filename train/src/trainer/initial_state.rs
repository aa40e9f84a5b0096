//! State of a run before its first iteration: random weights, or those of a trained bot.

use std::collections::VecDeque;

use troel_agents::{find_rules, registry};
use troel_nn::{BotInfo, Critic, Weights};

use crate::checkpoint::{RunProgress, RunState};
use crate::config::{TrainConfig, describe_network};
use crate::error::{ConfigError, TrainError};
use crate::optimiser::{Adam, WeightAverage};
use crate::reward::DealReward;
use crate::train_state::TrainState;

/// Returns the state of a run before its first iteration.
pub(super) fn initial_state(config: &TrainConfig) -> Result<RunState, TrainError> {
    let (mut weights, progress) = starting_weights(config)?;
    let unused = config.unused_features;
    unused.clear_rows(&mut weights.values, weights.config.hidden);
    let rules = find_rules(&config.rules)?;
    let info = BotInfo::new(rules, config.network, config.reward_scale, config.seed);
    let critic = config.critic.as_ref().map(|critic| {
        let mut critic = Critic::init(critic.network(), config.seed);
        unused.clear_rows(&mut critic.values, critic.config.hidden);
        let adam = Adam::new(critic.values.len());
        (critic, adam)
    });
    let decay = config.ppo.ema_decay;
    let train_state = TrainState {
        adam: Adam::new(weights.values.len()),
        average: (decay > 0.0).then(|| WeightAverage::new(&weights.values, decay)),
        critic,
        weights,
    };
    let progress = RunProgress { even_minibatches: true, ..progress };
    Ok(RunState { info, train_state, past_selves: VecDeque::new(), progress })
}

/// Returns the weights that a run starts from, and the progress of their training. The weights are
/// random, or those of the checkpoint `init`.
///
/// # Errors
/// - The rule set or checkpoint is not found.
/// - The checkpoint is damaged, or of another network or rule set.
/// - It does not exist yet, because another recipe is trained first
///   ([`TrainConfig::start_recipe`]).
fn starting_weights(config: &TrainConfig) -> Result<(Weights, RunProgress), TrainError> {
    let rules = find_rules(&config.rules)?;
    if let (Some(start), None) = (&config.start, &config.init) {
        return Err(ConfigError::invalid(format!(
            "start: train {} first, and give its bot as init",
            start.recipe
        ))
        .into());
    }
    let Some(init) = &config.init else {
        let mut weights = Weights::init(config.network, config.seed);
        if !config.sees_totals(rules) {
            weights.ignore_totals();
        }
        return Ok((weights, RunProgress { core_seconds: Some(0.0), ..RunProgress::default() }));
    };
    let (path, bundle) =
        registry::find_bundle(init).map_err(|error| TrainError::Bot { key: "init", error })?;
    bundle.info.check_rules(&path, rules)?;
    if bundle.weights.config != config.network {
        return Err(ConfigError::invalid(format!(
            "init: {} has another network ({}) than the recipe ({}); make [network] equal to that \
             of init",
            path.display(),
            describe_network(&bundle.weights.config),
            describe_network(&config.network)
        ))
        .into());
    }
    if bundle.info.value_in_points != (config.reward != DealReward::MatchGain) {
        tracing::warn!(
            "init: the values of {} are {}, but this recipe has another unit; the value head has \
             to relearn them",
            path.display(),
            bundle.info.value_unit()
        );
    }
    let BotInfo { deals, steps, train_seconds: seconds, core_seconds, .. } = bundle.info;
    let progress = RunProgress { deals, steps, seconds, core_seconds, ..RunProgress::default() };
    Ok((bundle.weights, progress))
}
