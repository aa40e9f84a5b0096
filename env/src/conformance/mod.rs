//! Checks of an environment with any configuration, house rules included.
//!
//! ```
//! use troel_env::{EnvConfig, RuleSet, conformance};
//!
//! let rules = RuleSet::built_in("iwwa").unwrap();
//! let summary = conformance::check(rules, EnvConfig::default(), 1, 4).unwrap();
//! assert_eq!(summary.episodes, 4);
//! ```

mod explore;
mod position;
mod redeal;
mod report;
mod vectorised;

pub use explore::Explorer;
pub use redeal::redeal;
pub use report::{ConformanceCheck, ConformanceError, ConformanceSummary};

use report::{ensure, failure};

use crate::env::{Env, EnvConfig, Step};
use crate::rng::{Purpose, Stream};
use crate::rules::RuleSet;
use crate::seat::Seat;
use crate::session::Reward;
use crate::state::State;

/// Number of deals after which an episode without an end is reset.
const MAX_EPISODE_DEALS: u32 = 50;

/// Plays episodes of an environment and checks every position. [`ConformanceCheck`] lists the
/// checks. An episode is followed for at most 50 deals.
///
/// # Errors
/// The first check that fails, with a record of the deal up to the position.
pub fn check(
    rules: &'static RuleSet,
    config: EnvConfig,
    seed: u64,
    episodes: u32,
) -> Result<ConformanceSummary, ConformanceError> {
    let mut twins = TwinEnvs {
        env: Env::new(rules, config, seed),
        twin: Env::new(rules, config, seed),
        config,
        stream: Stream::new(seed, Purpose::Search, 0),
        summary: ConformanceSummary::default(),
    };
    for episode in 0..episodes {
        twins.episode(seed, u64::from(episode))?;
        twins.summary.episodes += 1;
    }
    twins.check_reset(seed)?;
    vectorised::check_vectorised(rules, config, seed)?;
    Ok(twins.summary)
}

/// Two environments that have to stay the same. One is played, the other is saved and read again.
struct TwinEnvs {
    env: Env,
    twin: Env,
    config: EnvConfig,
    stream: Stream,
    summary: ConformanceSummary,
}

impl TwinEnvs {
    fn episode(&mut self, seed: u64, number: u64) -> Result<(), ConformanceError> {
        let rules = self.env.session().rules();
        let mut deals = 0;
        while !self.env.is_over() && deals < MAX_EPISODE_DEALS {
            let mut explorer = Explorer::new(rules, seed, number << 16 | u64::from(deals));
            deals += 1;
            loop {
                let before = *self.env.state();
                self.check_position(&before)?;
                let Some(action) = explorer.choose(&before) else { break };
                let step = self.env.step(action).ok();
                let again = self.twin.step(action).ok();
                let same = step == again && self.env == self.twin;
                ensure(same, ConformanceCheck::Reproducibility, &before, || {
                    format!("{action} led to two different positions")
                })?;
                let Some(step) = step else { break };
                self.summary.decisions += 1;
                self.check_step(&before, action, &step)?;
                if step.deal_over {
                    break;
                }
            }
        }
        self.env.reset(None);
        self.twin.reset(None);
        let state = self.env.state();
        ensure(self.env == self.twin, ConformanceCheck::Reproducibility, state, || {
            "two equal environments differ after a reset".to_string()
        })?;
        let fresh = state.history().is_empty() && !self.env.is_over();
        ensure(fresh && self.env.config() == self.config, ConformanceCheck::Reset, state, || {
            "a reset does not start an episode of the same configuration".to_string()
        })
    }

    fn check_position(&mut self, state: &State) -> Result<(), ConformanceError> {
        let totals = *self.env.totals();
        position::check_mask(state)?;
        for seat in Seat::ALL {
            let obs = state.observe(seat, totals);
            position::check_legal(state, seat, &obs)?;
            position::check_features(state, seat, totals)?;
            position::check_hidden(state, seat, &obs, &mut self.stream, &mut self.summary)?;
            position::check_view(state, seat, &obs)?;
        }
        position::check_record(state, &totals)?;
        if self.stream.below(16) == 0 {
            self.save(state)?;
        }
        Ok(())
    }

    /// Saves and reads the environment, and continues with the copy as the twin.
    fn save(&mut self, state: &State) -> Result<(), ConformanceError> {
        let read = serde_json::to_string(&self.env).and_then(|text| serde_json::from_str(&text));
        match read {
            Ok(env) => self.twin = env,
            Err(error) => return Err(failure(ConformanceCheck::Saving, state, error.to_string())),
        }
        ensure(self.twin == self.env, ConformanceCheck::Saving, state, || {
            "the environment differs after it was saved and read".to_string()
        })
    }

    fn check_step(
        &mut self,
        before: &State,
        action: crate::action::Action,
        step: &Step,
    ) -> Result<(), ConformanceError> {
        let mut end = *before;
        // It was accepted by the environment.
        end.apply_unchecked(action);
        let wrong =
            |detail: &str| Err(failure(ConformanceCheck::Rewards, &end, detail.to_string()));
        if step.deal_over != end.is_done() || step.deal_over != step.outcome.is_some() {
            return wrong("the end of the deal is not reported");
        }
        if step.done && !step.deal_over {
            return wrong("the episode ends within a deal");
        }
        let rewards = step.rewards.0;
        let sum: f32 = rewards.iter().sum();
        let Some(outcome) = step.outcome else {
            if rewards != [0.0; 4] {
                return wrong("a reward before the end of the deal");
            }
            return Ok(());
        };
        self.summary.deals += 1;
        if let Some(contract) = &outcome.contract {
            self.summary.contracts[contract.kind.index()] += 1;
        }
        if Some(outcome.scores) != end.scores() || outcome.rewards != step.rewards {
            return wrong("the outcome differs from that of the deal");
        }
        if end.rules().is_zero_sum() && outcome.scores.iter().sum::<i32>() != 0 {
            return wrong("the points of a zero-sum game do not add up to zero");
        }
        match self.config.reward {
            Reward::Points if rewards != outcome.scores.0.map(|points| points as f32) => {
                wrong("the rewards differ from the points")
            }
            Reward::Centred if sum.abs() > 1e-2 => wrong("centred rewards do not add up to zero"),
            Reward::Match if !step.done && rewards != [0.0; 4] => {
                wrong("a reward before the end of the match")
            }
            Reward::Match if sum.abs() > 1e-5 => wrong("shares of a match do not add up to zero"),
            _ => Ok(()),
        }
    }

    /// Checks that a reset with a seed begins the episode of that seed.
    fn check_reset(&mut self, seed: u64) -> Result<(), ConformanceError> {
        for seed in [seed, seed ^ 0x5555] {
            self.env.reset(Some(seed));
            let wanted = Env::new(self.env.session().rules(), self.config, seed);
            ensure(self.env == wanted, ConformanceCheck::Reset, self.env.state(), || {
                format!("a reset with seed {seed} does not begin its episode")
            })?;
        }
        Ok(())
    }
}
