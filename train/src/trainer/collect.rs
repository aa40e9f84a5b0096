//! The rollout of an iteration, shared among all processes.

use std::sync::Arc;

use troel_agents::NamedBot;
use troel_agents::network::Evaluator;
use troel_env::Scenario;
use troel_nn::CpuCritic;

use super::Trainer;
use crate::config::{Opponent, TableConfig};
use crate::error::TrainError;
use crate::rollout::{
    AdvantageSettings, BaselineSource, CollectSettings, DealSettings, LessonSettings,
    RecordedPlayer, Rollout, TableKind, TableSettings, collect_chunks,
};
use crate::stage::Stage;

impl Trainer {
    /// Collects the rollout of all processes. Returns `None` if one of them is interrupted.
    pub(super) fn collect(&mut self, stage: Stage) -> Result<Option<Rollout>, TrainError> {
        let imitates = stage == Stage::Imitation;
        let opponents = self.opponents();
        let kinds = if imitates { Vec::new() } else { self.open_kinds() };
        let scenarios = self.config.scenario_shares()?;
        let train_state = &self.state.train_state;
        let evaluator = Evaluator::on(&train_state.weights, &self.device);
        let recorded_player = match &self.bots.teacher {
            Some(teacher) if imitates => RecordedPlayer::Teacher(teacher),
            _ => RecordedPlayer::Learner(&evaluator),
        };
        let critic = train_state.critic.as_ref();
        let critic = critic.map(|(critic, _)| Arc::new(CpuCritic::new(critic)));
        let settings = CollectSettings {
            deals: self.deal_settings(&scenarios),
            tables: TableSettings { recorded_player, kinds: &kinds, opponents: &opponents },
            advantages: self.advantage_settings(critic.as_ref()),
            lessons: self.lesson_settings(stage),
            stop: Some(self.processes.stop_flag()),
        };
        let own = collect_chunks(&settings, self.processes.own_share(settings.chunks()))?;
        Ok(self.processes.merge(own)?)
    }

    fn deal_settings<'a>(&'a self, scenarios: &'a [(Scenario, f32)]) -> DealSettings<'a> {
        let config = &self.config;
        DealSettings {
            rules: self.rules.main,
            rule_set_pool: self.rules.rule_set_pool.as_ref(),
            seed: config.seed,
            iteration: self.iteration(),
            count: config.deals,
            series: config.series,
            tables_per_chunk: config.tables_per_chunk,
            scenarios,
            positions: &[],
            random_totals: config.random_totals,
        }
    }

    fn advantage_settings<'a>(
        &'a self,
        critic: Option<&'a Arc<CpuCritic>>,
    ) -> AdvantageSettings<'a> {
        let ppo = &self.config.ppo;
        let uses_baseline_bot =
            ppo.baseline_iterations.is_none_or(|count| self.ppo_iterations() < count);
        let baseline_bot = self.bots.baseline_bot.as_ref().filter(|_| uses_baseline_bot);
        AdvantageSettings {
            reward: self.config.reward,
            reward_scale: self.config.reward_scale,
            gae_lambda: baseline_bot.and(ppo.baseline_lambda).unwrap_or(ppo.gae_lambda),
            baselines: match (baseline_bot, critic) {
                (Some(bot), _) => BaselineSource::Bot(bot),
                (None, Some(critic)) => BaselineSource::FullCritic(critic),
                (None, None) => BaselineSource::ValueHead,
            },
        }
    }

    fn lesson_settings(&self, stage: Stage) -> LessonSettings<'_> {
        if stage == Stage::Imitation {
            return LessonSettings::default();
        }
        LessonSettings {
            vine: self.config.vine.as_ref().filter(|_| stage == Stage::Ppo),
            anchor: self.bots.anchor.as_ref(),
            defence_nodes: self.config.defence.as_ref().map(|defence| defence.nodes),
            bids: self.config.bid_lessons.as_ref(),
        }
    }

    /// Returns the bots of the tables, in their order, and then the past selves.
    fn opponents(&self) -> Vec<NamedBot> {
        let bots = self.bots.table_bots.iter().flatten().cloned();
        let past_selves = self.state.past_selves.iter().map(|weights| {
            let evaluator = Evaluator::on(weights, &self.device);
            NamedBot::sampling_network("past", evaluator, Some(self.config.reward_scale))
        });
        bots.chain(past_selves).collect()
    }

    /// Returns the kinds of tables of this iteration. They refer to [`Trainer::opponents`] by
    /// index.
    fn open_kinds(&self) -> Vec<TableKind> {
        let bots_before = |table: usize| self.bots.table_bots[..table].iter().flatten().count();
        let first_past = bots_before(self.bots.table_bots.len());
        let done = self.ppo_iterations();
        let open = self.config.tables.iter().enumerate().filter(|(_, table)| table.is_open(done));
        let kind = |(number, table): (usize, &TableConfig)| {
            let opponents = match table.opponent {
                Opponent::Learner => Vec::new(),
                // While there are no past selves, all four seats learn.
                Opponent::Past => (first_past..first_past + self.state.past_selves.len()).collect(),
                Opponent::Bot(_) => vec![bots_before(number)],
            };
            TableKind { weight: table.weight, learners: table.learners, opponents }
        };
        open.map(kind).collect()
    }
}
