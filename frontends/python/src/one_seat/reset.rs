//! Starting new episodes.

use numpy::ndarray::ArrayView1;
use pyo3::prelude::*;
use troel_env::VecEnv;
use troel_env::rng::{Purpose, Stream};

use super::environments::OneSeat;
use crate::arguments::{reset_seed, value_error};

impl OneSeat {
    /// Starts new episodes; the arguments are those of `OneSeat.reset`.
    pub(super) fn restart(
        &mut self,
        py: Python<'_>,
        seed: Option<u64>,
        which: Option<ArrayView1<'_, bool>>,
        seeds: Option<Vec<Bound<'_, PyAny>>>,
    ) -> PyResult<()> {
        let n = self.n;
        if which.is_some_and(|which| which.len() != n) {
            return Err(value_error(format!(
                "reset_mask must have one entry for each of {n} environments"
            )));
        }
        let seeds = seeds.map(|seeds| seeds.iter().map(reset_seed).collect::<PyResult<Vec<_>>>());
        let seeds = seeds.transpose()?;
        if seeds.as_ref().is_some_and(|seeds| seeds.len() != n) {
            let given = seeds.map_or(0, |seeds| seeds.len());
            return Err(value_error(format!(
                "seed has {given} entries: give one for each of {n} environments"
            )));
        }
        // With a seed for each environment, the bots and `sample` use the first of them.
        let first = seed.or_else(|| seeds.iter().flatten().find_map(|&seed| seed));
        if let (Some(first), None) = (first, which) {
            let env = &self.groups[0].tables[0].env;
            let (rules, config) = (env.session().rules(), env.config());
            self.settings.stream = Stream::new(first, Purpose::Action, 1);
            self.settings.seed = first;
            let envs = match seeds {
                None => VecEnv::new(rules, config, n, first),
                Some(_) => self.envs(),
            };
            self.seat_all(py, &envs);
        }
        if seed.is_none() || which.is_some() {
            for (at, table) in
                self.groups.iter_mut().flat_map(|group| &mut group.tables).enumerate()
            {
                if which.is_none_or(|which| which[at]) {
                    table.env.reset(match &seeds {
                        Some(seeds) => seeds[at],
                        None => seed.map(|seed| seed.wrapping_add(at as u64)),
                    });
                }
            }
        }
        self.advance(py, &vec![None; n])
    }
}
