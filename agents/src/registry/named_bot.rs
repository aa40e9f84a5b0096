//! Bots that were found or created, from which any number of instances can be made.

use std::path::Path;
use std::sync::Arc;

use troel_env::Observation;
use troel_env::rng::Stream;
use troel_nn::{BundleError, NetworkConfig, TrainedBot};

use crate::bot::{Bot, BotError, BotFactory, Decision, DecisionDetail};
use crate::cancel::CancelToken;
use crate::network::{ActionSelection, Evaluator, NetworkBot};
use crate::search::Advisor;

/// A named bot that can be instantiated any number of times; see [`NamedBot::instantiate`].
#[derive(Clone)]
pub struct NamedBot {
    name: String,
    identity: String,
    training: Option<TrainingSummary>,
    network: Option<NetworkConfig>,
    /// Network for [`NamedBot::advisor`].
    pub(super) evaluator: Option<Evaluator>,
    is_for_one_rule_set: bool,
    pub(super) is_timed: bool,
    factory: BotFactory,
}

/// Training summary of the bot of a bundle.
#[derive(Clone, Debug, PartialEq)]
pub struct TrainingSummary {
    /// Number of decisions that it was trained on.
    pub steps: u64,
    /// Training time in seconds.
    pub seconds: f64,
    /// Master seed.
    pub seed: u64,
    /// Hash of the recipe without the seed ([`troel_nn::BotInfo::recipe_hash`]).
    pub recipe_hash: String,
}

impl std::fmt::Debug for NamedBot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NamedBot").field("name", &self.name).finish_non_exhaustive()
    }
}

impl NamedBot {
    /// Creates a bot whose instances come from `factory`.
    ///
    /// An instance is created from a seed, which should determine all of its random draws.
    pub fn new(
        name: &str,
        factory: impl Fn(u64) -> Box<dyn Bot> + Send + Sync + 'static,
    ) -> NamedBot {
        NamedBot {
            name: name.to_string(),
            identity: name.to_string(),
            training: None,
            network: None,
            evaluator: None,
            is_for_one_rule_set: false,
            is_timed: false,
            factory: Arc::new(factory),
        }
    }

    /// Creates a bot that plays the most probable action of a network.
    ///
    /// `points_per_value` is the number of points per unit of the network's value, or `None` if its
    /// values are not points.
    pub fn network(name: &str, evaluator: Evaluator, points_per_value: Option<f32>) -> NamedBot {
        NamedBot::selecting(name, evaluator, points_per_value, |_| ActionSelection::MostProbable)
    }

    /// Creates a bot that samples actions from a network's policy.
    ///
    /// With one seed, equal observations get the same action. `points_per_value` is as for
    /// [`NamedBot::network`].
    pub fn sampling_network(
        name: &str,
        evaluator: Evaluator,
        points_per_value: Option<f32>,
    ) -> NamedBot {
        NamedBot::selecting(name, evaluator, points_per_value, ActionSelection::SampledBySeed)
    }

    /// Creates a bot that selects actions from a network's policy. `selection` returns the kind of
    /// selection, given the seed of the instance.
    fn selecting(
        name: &str,
        evaluator: Evaluator,
        points_per_value: Option<f32>,
        selection: impl Fn(u64) -> ActionSelection + Send + Sync + 'static,
    ) -> NamedBot {
        let advising = evaluator.clone();
        let bot = NamedBot::new(name, move |seed| {
            Box::new(NetworkBot::new(evaluator.clone(), selection(seed), points_per_value))
        });
        NamedBot { evaluator: Some(advising), ..bot }
    }

    /// Creates the bot of a bundle, which plays the most probable action.
    ///
    /// `path` names the bundle in errors.
    ///
    /// # Errors
    /// The bundle holds an ONNX model that does not fit, or this build does not run ONNX models.
    pub fn from_trained(
        name: &str,
        path: &Path,
        trained: &TrainedBot,
    ) -> Result<NamedBot, BundleError> {
        let evaluator = Evaluator::of_trained(path, trained)?;
        let points_per_value = evaluator.points_per_value(trained.info());
        Ok(NamedBot::network(name, evaluator, points_per_value).with_bundle_info(trained, ""))
    }

    /// Adds the metadata of the bot's bundle.
    ///
    /// `suffix` is added to the identity, to distinguish bots that have the same weights.
    pub(super) fn with_bundle_info(mut self, trained: &TrainedBot, suffix: &str) -> NamedBot {
        let hash = match trained {
            TrainedBot::Network(bundle) => bundle.weights.hash(),
            TrainedBot::Onnx(bundle) => bundle.hash(),
        };
        self.identity = format!("{hash}{suffix}");
        let info = trained.info();
        self.training = Some(TrainingSummary {
            steps: info.steps,
            seconds: info.train_seconds,
            seed: info.seed,
            recipe_hash: info.recipe_hash(),
        });
        self.network = (!info.is_onnx()).then_some(info.network);
        self.is_for_one_rule_set = !info.any_rules;
        self
    }

    /// Returns the name under which the bot was found or created.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the bot's identity, which does not depend on the name or path of a bundle.
    ///
    /// For a bundle it is a hash of the weights, followed by `:sample` or by the options of the
    /// search if there are any. For other bots it is the name.
    pub fn identity(&self) -> &str {
        &self.identity
    }

    /// Returns the training summary of the bot, if it is that of a bundle.
    pub fn training(&self) -> Option<&TrainingSummary> {
        self.training.as_ref()
    }

    /// Returns the sizes of the network, if the bot is that of a bundle.
    pub fn network_config(&self) -> Option<NetworkConfig> {
        self.network
    }

    /// Returns whether the bot is a network that was trained for only one rule set.
    pub fn is_for_one_rule_set(&self) -> bool {
        self.is_for_one_rule_set
    }

    /// Returns whether decisions depend on the available time, and may differ between runs.
    pub fn is_timed(&self) -> bool {
        self.is_timed
    }

    /// Creates a search that judges the actions of a decision in `worlds` sampled worlds.
    ///
    /// It uses the bot's network, or rules of thumb if the bot has none.
    pub fn advisor(&self, worlds: usize, seed: u64) -> Advisor {
        match &self.evaluator {
            Some(evaluator) => Advisor::with_network(evaluator.clone(), worlds, seed),
            None => Advisor::with_heuristic(worlds, seed),
        }
    }

    /// Returns the bot with instances that decide under a token: after its cancellation they fail
    /// with [`BotError::Cancelled`].
    #[must_use]
    pub fn cancelled_by(self, token: &CancelToken) -> NamedBot {
        let (factory, token) = (Arc::clone(&self.factory), token.clone());
        let factory = move |seed| -> Box<dyn Bot> {
            Box::new(CancellableBot { bot: factory(seed), token: token.clone() })
        };
        NamedBot { factory: Arc::new(factory), ..self }
    }

    /// Creates an instance that samples each action from the policy of the bot's network, without
    /// look-ahead; `None` if the bot has no network. `stream` determines all of its random draws.
    pub fn instantiate_sampling(&self, stream: Stream) -> Option<Box<dyn Bot>> {
        let evaluator = self.evaluator.clone()?;
        Some(Box::new(NetworkBot::new(evaluator, ActionSelection::Sampled(stream), None)))
    }

    /// Creates an instance of the bot; the seed determines all of its random draws.
    pub fn instantiate(&self, seed: u64) -> Box<dyn Bot> {
        (self.factory)(seed)
    }
}

/// A bot that decides under a cancellation token.
struct CancellableBot {
    bot: Box<dyn Bot>,
    token: CancelToken,
}

impl Bot for CancellableBot {
    fn decide(
        &mut self,
        observations: &[Observation],
        detail: DecisionDetail,
    ) -> Result<Vec<Decision>, BotError> {
        self.token.check()?;
        self.token.run(|| self.bot.decide(observations, detail))
    }

    fn forfeits(&self) -> u64 {
        self.bot.forfeits()
    }
}

#[cfg(test)]
mod tests {
    use troel_env::{BySeat, Deals, RuleSet, Seat, State};

    use super::*;
    use crate::bot::decide_one;

    #[test]
    fn a_cancelled_bot_fails() {
        let rules = RuleSet::built_in("wiezen").expect("built in");
        let state = State::new(rules, &Deals::new(rules, 1).shuffled(0, Seat::North));
        let observation = state.observe(state.turn(), BySeat::default());
        let token = CancelToken::default();
        let bot = NamedBot::find("rules", rules).expect("built in");
        let identity = bot.identity().to_string();
        let bot = bot.cancelled_by(&token);
        assert_eq!(bot.identity(), identity);
        let mut instance = bot.instantiate(1);
        let mut decide = || decide_one(instance.as_mut(), &observation, DecisionDetail::Action);
        assert!(decide().is_ok());
        token.cancel();
        assert_eq!(decide().map(|decision| decision.action), Err(BotError::Cancelled));
    }
}
