//! Seating learners and bots at environments.

use std::sync::Mutex;

use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use troel_env::{Env, N_ACTIONS, N_FEATURES, Seat, VecEnv};

use super::environments::{EnvironmentSettings, OneSeat};
use super::seated_bots::SeatedBots;
use crate::environment_group::{
    Autoreset, ENVIRONMENTS_PER_GROUP, EnvironmentGroup, LearnerTable, Player,
};
use crate::python_bot::BotArgument;

impl OneSeat {
    /// Seats learners and bots at environments. No seat acts yet, and the arrays hold zeros.
    pub(super) fn seated(
        py: Python<'_>,
        envs: &VecEnv,
        bots: SeatedBots,
        settings: EnvironmentSettings,
    ) -> OneSeat {
        let n = envs.len();
        let finals = settings.autoreset == Autoreset::SameStep;
        let mut new = OneSeat {
            groups: Vec::new(),
            bots,
            settings,
            n,
            observations: PyArray2::zeros(py, [n, N_FEATURES], false).unbind(),
            masks: PyArray2::zeros(py, [n, N_ACTIONS], false).unbind(),
            rewards: PyArray1::zeros(py, n, false).unbind(),
            dones: PyArray1::zeros(py, n, false).unbind(),
            finals: finals.then(|| PyArray2::zeros(py, [n, N_FEATURES], false).unbind()),
            sampled: PyArray1::zeros(py, n, false).unbind(),
        };
        new.seat_all(py, envs);
        new
    }

    /// Seats learners and newly created bots at environments, in place of those before.
    pub(super) fn seat_all(&mut self, py: Python<'_>, envs: &VecEnv) {
        let (settings, factories) = (&self.settings, &self.bots.factories);
        self.groups = py.detach(|| {
            let group = |(number, envs): (usize, &[Env])| {
                let table = |(at, env): (usize, &Env)| LearnerTable {
                    env: env.clone(),
                    learner: settings
                        .seat
                        .unwrap_or(Seat::from_index_wrapping(number * ENVIRONMENTS_PER_GROUP + at)),
                    canonical_suits: settings.canonical_suits,
                    reward: 0.0,
                    outcome: None,
                };
                let tables = envs.iter().enumerate().map(table).collect();
                let player = |nth: usize| {
                    let seed = settings.seed.wrapping_add((3 * number + nth) as u64);
                    match &factories[nth] {
                        BotArgument::Native(bot) => Player::Native(bot.instantiate(seed)),
                        BotArgument::Python(_, factory) => {
                            Player::Python(factory.instantiate(seed))
                        }
                    }
                };
                EnvironmentGroup { tables, bots: Mutex::new([player(0), player(1), player(2)]) }
            };
            envs.envs().chunks(ENVIRONMENTS_PER_GROUP).enumerate().map(group).collect()
        });
    }
}
