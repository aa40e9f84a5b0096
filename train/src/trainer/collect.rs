//! The rollout of an iteration, shared among all processes.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use troel_agents::NamedBot;
use troel_agents::network::Evaluator;
use troel_env::Scenario;
use troel_nn::CpuCritic;

use super::Trainer;
use crate::collective::CollectiveError;
use crate::config::{Opponent, TableConfig};
use crate::error::TrainError;
use crate::rollout::{
    AdvantageSettings, BaselineSource, BidLessons, Chunks, CollectSettings, DealSettings,
    LessonSettings, RecordedPlayer, Rollout, TableKind, TableSettings, VineShares, collect_chunks,
};
use crate::stage::Stage;

impl Trainer {
    /// Collects the rollout of all processes. Returns `None` if one of them is interrupted.
    pub(super) fn collect(&mut self, stage: Stage) -> Result<Option<Rollout>, TrainError> {
        let imitates = stage == Stage::Imitation;
        let opponents = self.opponents();
        let kinds = if imitates { Vec::new() } else { self.open_kinds() };
        let scenarios = self.config.scenario_shares()?;
        let evaluator = Evaluator::on(&self.train_state.weights, &self.device);
        let recorded_player = match &self.bots.teacher {
            Some(teacher) if imitates => RecordedPlayer::Teacher(teacher),
            _ => RecordedPlayer::Learner(&evaluator),
        };
        let critic =
            self.train_state.critic.as_ref().map(|(critic, _)| Arc::new(CpuCritic::new(critic)));
        let settings = CollectSettings {
            deals: self.deal_settings(&scenarios),
            tables: TableSettings { recorded_player, kinds: &kinds, opponents: &opponents },
            advantages: self.advantage_settings(critic.as_ref()),
            lessons: self.lesson_settings(stage),
            stop: Some(&self.stop),
        };
        let (rank, size) = (self.collective.rank(), self.collective.size());
        let own = collect_chunks(&settings, self.load_balancer.share_of(rank, settings.chunks()))?;
        let stops = self.stop.load(Ordering::Relaxed);
        let (chunks, stops) = match size {
            1 => (own, stops),
            _ => self.exchange(own, stops)?,
        };
        // A process that is interrupted interrupts all.
        Ok((!stops).then(|| chunks.merged()))
    }

    fn deal_settings<'a>(&'a self, scenarios: &'a [(Scenario, f32)]) -> DealSettings<'a> {
        let config = &self.config;
        DealSettings {
            rules: self.rules,
            rule_set_pool: self.rule_set_pool.as_ref(),
            seed: config.seed,
            iteration: self.progress.iteration,
            count: config.deals,
            series: config.series,
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
            ppo.baseline_iterations == 0 || self.ppo_iterations() < ppo.baseline_iterations;
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
        let vine = self.config.vine.as_ref().filter(|_| stage == Stage::Ppo);
        LessonSettings {
            vine: vine.map_or_else(VineShares::default, |vine| VineShares {
                ordinary: vine.share,
                scenarios: vine.scenario_share,
            }),
            anchor: self.bots.anchor.as_ref(),
            defence_nodes: self.config.defence.as_ref().map(|defence| defence.nodes),
            bids: self.config.bid_lessons.as_ref().map(|lessons| BidLessons {
                worlds: lessons.worlds as usize,
                share: lessons.share,
            }),
        }
    }

    /// Returns the bots of the tables, in their order, and then the past selves.
    fn opponents(&self) -> Vec<NamedBot> {
        let bots = self.bots.table_bots.iter().flatten().cloned();
        let past_selves = self.pool.iter().map(|weights| {
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
                // While the pool is empty, all four seats learn.
                Opponent::Past => (first_past..first_past + self.pool.len()).collect(),
                Opponent::Bot(_) => vec![bots_before(number)],
            };
            TableKind { weight: table.weight, learners: table.learners, opponents }
        };
        open.map(kind).collect()
    }

    /// Exchanges chunks with the other processes. The second value is whether any process stops.
    fn exchange(&mut self, own: Chunks, stops: bool) -> Result<(Chunks, bool), CollectiveError> {
        let unreadable = |rank, error: postcard::Error| CollectiveError::Unreadable {
            rank,
            reason: error.to_string(),
        };
        let own_rank = self.collective.rank();
        let bytes = postcard::to_stdvec(&(stops, &own));
        let bytes = bytes.map_err(|error| unreadable(own_rank, error))?;
        let mut speeds = vec![(own.threads, own.seconds_per_chunk); self.collective.size()];
        let (mut all, mut any_stops) = (own, stops);
        for (rank, theirs) in self.collective.all_gather(&bytes)?.iter().enumerate() {
            if rank != own_rank {
                let (stops, chunks): (bool, Chunks) =
                    postcard::from_bytes(theirs).map_err(|error| unreadable(rank, error))?;
                speeds[rank] = (chunks.threads, chunks.seconds_per_chunk);
                any_stops |= stops;
                all.add(chunks);
            }
        }
        // An interrupted process skipped chunks, so its times are not those of whole chunks.
        if !any_stops {
            for (rank, (threads, seconds)) in speeds.into_iter().enumerate() {
                self.load_balancer.record(rank, threads, seconds);
            }
        }
        Ok((all, any_stops))
    }
}
