//! Environments of one learner each, and the bots of their other seats, which decide together.

use std::sync::{Mutex, PoisonError};

use numpy::ndarray::{ArrayViewMut1, ArrayViewMut2, Axis};
use serde::{Deserialize, Serialize};
use troel_agents::driver::{self, Game};
use troel_agents::{Bot, BotError};
use troel_env::{Action, ActionSet, Env, N_ACTIONS, Observation, Outcome, Seat};
use troel_nn::SuitPermutation;

use crate::python_bot::PythonBot;

/// Number of environments whose bots decide together. Fixed, so that results do not depend on the
/// number of threads.
pub const ENVIRONMENTS_PER_GROUP: usize = 64;

/// Time at which the next episode follows a finished one.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Autoreset {
    /// With the step that ends it.
    SameStep,
    /// With the step after it, whose action is ignored.
    NextStep,
    /// With a call of `reset`.
    Disabled,
}

/// One environment and its learner.
pub struct LearnerTable {
    pub env: Env,
    pub learner: Seat,
    /// Whether the learner's observations and actions have canonical suits.
    pub canonical_suits: bool,
    /// Rewards of the learner since its last action.
    pub reward: f32,
    /// The deal that ended since then.
    pub outcome: Option<Outcome>,
}

/// Group of environments, and the bots of the other seats. The bots are to the left, opposite and
/// to the right of the learner.
pub struct EnvironmentGroup {
    pub tables: Vec<LearnerTable>,
    /// Never contended: the mutex only makes the group usable from any thread.
    pub bots: Mutex<[Player; 3]>,
}

/// A bot that sits in a group.
pub enum Player {
    /// A bot of Troel, whose decisions follow from its seed and the observation alone.
    Native(Box<dyn Bot>),
    /// A bot written in Python, which may keep a state.
    Python(PythonBot),
}

/// Rows of the arrays that a step writes, one row for each learner.
pub struct LearnerRows<'a> {
    /// Features of the learner's observation.
    pub observations: ArrayViewMut2<'a, f32>,
    /// Legal actions.
    pub masks: ArrayViewMut2<'a, bool>,
    /// Rewards since the learner's last action.
    pub rewards: ArrayViewMut1<'a, f32>,
    /// Whether the episode ended.
    pub dones: ArrayViewMut1<'a, bool>,
    /// Features of the last observation of an episode that ended, with [`Autoreset::SameStep`].
    pub finals: Option<ArrayViewMut2<'a, f32>>,
}

impl LearnerRows<'_> {
    /// Splits the rows into those of each group of environments.
    pub fn by_group(&mut self) -> impl Iterator<Item = LearnerRows<'_>> {
        let mut finals = self
            .finals
            .as_mut()
            .map(|finals| finals.axis_chunks_iter_mut(Axis(0), ENVIRONMENTS_PER_GROUP));
        self.observations
            .axis_chunks_iter_mut(Axis(0), ENVIRONMENTS_PER_GROUP)
            .zip(self.masks.axis_chunks_iter_mut(Axis(0), ENVIRONMENTS_PER_GROUP))
            .zip(self.rewards.axis_chunks_iter_mut(Axis(0), ENVIRONMENTS_PER_GROUP))
            .zip(self.dones.axis_chunks_iter_mut(Axis(0), ENVIRONMENTS_PER_GROUP))
            .map(move |(((observations, masks), rewards), dones)| LearnerRows {
                observations,
                masks,
                rewards,
                dones,
                finals: finals.as_mut().and_then(Iterator::next),
            })
    }
}

impl LearnerTable {
    /// Returns whether a bot is to act.
    fn is_waiting(&self) -> bool {
        !self.env.is_over() && self.env.turn() != self.learner
    }

    /// Returns the learner's legal actions; none once the episode is over.
    pub fn legal(&self) -> ActionSet {
        if self.is_waiting() { ActionSet::EMPTY } else { self.env.legal_actions() }
    }

    /// Returns the learner's observation.
    pub fn view(&self) -> Observation {
        self.env.session().observe_as(self.learner)
    }

    /// Returns the permutation of the suits in the learner's observation and actions.
    pub fn suits(&self) -> SuitPermutation {
        if self.canonical_suits {
            SuitPermutation::canonical(&self.view())
        } else {
            SuitPermutation::default()
        }
    }

    /// Writes the features of the learner's observation, with suits renamed by `suits`.
    fn encode(&self, suits: SuitPermutation, out: &mut [f32]) {
        self.env.state().observe_ref(self.learner, self.env.totals()).encode(out);
        suits.rename_features(out);
    }
}

/// Played by the bots of the other seats: 0 to the left of the learner, 1 opposite, 2 to its right.
/// They are also asked for forced moves, because a bot written in Python may keep a state.
impl Game for LearnerTable {
    fn next_bot(&mut self, _deal_over: &mut dyn FnMut(&Self)) -> Option<usize> {
        self.is_waiting().then(|| self.env.turn().relative_to(self.learner) - 1)
    }

    fn observe(&self) -> Observation {
        self.env.observe()
    }

    fn apply(&mut self, action: Action) -> Result<(), BotError> {
        let step = self.env.step(action).map_err(|e| BotError::Failed(e.to_string()))?;
        self.reward += step.rewards[self.learner];
        self.outcome = step.outcome.or(self.outcome.take());
        Ok(())
    }
}

impl EnvironmentGroup {
    /// Lets the bots act until every learner is to act, or its episode is over.
    fn advance(&mut self) -> Result<(), BotError> {
        let bots = self.bots.get_mut().unwrap_or_else(PoisonError::into_inner);
        let mut bots = bots.each_mut().map(|bot| -> Box<dyn Bot + '_> {
            match bot {
                Player::Native(bot) => Box::new(bot.as_mut()),
                Player::Python(bot) => Box::new(bot),
            }
        });
        Ok(driver::run(&mut self.tables, &mut bots, &mut ())?)
    }

    /// Takes the learners' actions, if there are any, and writes the results.
    pub fn step(
        &mut self,
        actions: &[Option<Action>],
        autoreset: Autoreset,
        mut rows: LearnerRows<'_>,
    ) -> Result<(), BotError> {
        for (table, action) in self.tables.iter_mut().zip(actions) {
            (table.reward, table.outcome) = (0.0, None);
            match action {
                Some(action) => table.apply(*action)?,
                None if table.env.is_over() && autoreset == Autoreset::NextStep => {
                    table.env.reset(None);
                }
                None => {}
            }
        }
        self.advance()?;
        let mut is_fresh = false;
        for (row, table) in self.tables.iter_mut().enumerate() {
            let done = table.env.is_over();
            rows.dones[row] = done;
            rows.rewards[row] = table.reward;
            if done && autoreset == Autoreset::SameStep {
                if let Some(finals) = &mut rows.finals
                    && let Some(out) = finals.row_mut(row).as_slice_mut()
                {
                    table.encode(table.suits(), out);
                }
                table.env.reset(None);
                is_fresh = true;
            }
        }
        if is_fresh {
            self.advance()?;
        }
        self.write(rows.observations.view_mut(), rows.masks.view_mut());
        Ok(())
    }

    /// Writes the learners' observations and masks.
    pub fn write(
        &self,
        mut observations: ArrayViewMut2<'_, f32>,
        mut masks: ArrayViewMut2<'_, bool>,
    ) {
        for (row, table) in self.tables.iter().enumerate() {
            let suits = table.suits();
            if let Some(out) = observations.row_mut(row).as_slice_mut() {
                table.encode(suits, out);
            }
            let mut mask = [false; N_ACTIONS];
            suits.rename_actions(table.legal()).write_mask(&mut mask);
            masks.row_mut(row).iter_mut().zip(mask).for_each(|(out, legal)| *out = legal);
        }
    }
}
