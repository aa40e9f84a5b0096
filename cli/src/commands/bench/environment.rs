//! Benchmarks of the environment, in decisions per second. They play whole deals by random legal
//! actions, dealing included.

use std::hint::black_box;

use rayon::prelude::*;
use troel_env::rng::{Purpose, Stream};
use troel_env::{
    Action, Arrays, BySeat, Deals, Env, EnvConfig, N_ACTIONS, N_FEATURES, PackedArrays,
    PackedBuffers, RuleSet, Seat, State, VecEnv,
};

use super::measure::Bench;

const UNIT: &str = "decisions/s";

/// Decisions between two readings of the clock.
const BATCH: u64 = 50_000;

/// Environments of the vectorised measurement: as many as fit into the L2 cache.
const ENVIRONMENTS: usize = 64;

/// Numbers of environments of the scaling curve.
const SIZES: [usize; 9] = [1, 4, 16, 64, 256, 1024, 4096, 16_384, 65_536];

pub fn run(bench: &mut Bench<'_>) -> anyhow::Result<()> {
    for features in [false, true] {
        for rules in RuleSet::all_built_in() {
            let what = if features { "env-features" } else { "env-bare" };
            let mut player = Player::new(rules, 1);
            bench.rate(format!("{what}/{}", rules.id()), UNIT, || player.play(features))?;
            let mut players: Vec<Player> =
                (1..=rayon::current_num_threads()).map(|n| Player::new(rules, n as u64)).collect();
            bench.rate(format!("{what}-all/{}", rules.id()), UNIT, || {
                players.par_iter_mut().map(|player| player.play(features)).sum()
            })?;
        }
    }
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    for rules in RuleSet::all_built_in() {
        let name = format!("vec-env/{}", rules.id());
        one.install(|| vectorised(bench, name, rules, ENVIRONMENTS))?;
        // Enough for each thread that scheduling costs little.
        let name = format!("vec-env-all/{}", rules.id());
        vectorised(bench, name, rules, 8 * ENVIRONMENTS * rayon::current_num_threads())?;
    }
    for n in SIZES {
        let rules = RuleSet::all_built_in()[0];
        one.install(|| vectorised(bench, format!("vec-env-size/{n}"), rules, n))?;
        one.install(|| packed(bench, format!("vec-env-packed/{n}"), rules, n))?;
    }
    Ok(())
}

/// Plays deals at random. Aligned, so that no two players write to the same cache line.
#[repr(align(128))]
struct Player {
    deals: Deals,
    next: u64,
    stream: Stream,
    features: Vec<f32>,
    mask: [bool; N_ACTIONS],
}

impl Player {
    fn new(rules: &'static RuleSet, seed: u64) -> Player {
        Player {
            deals: Deals::new(rules, seed),
            next: 0,
            stream: Stream::new(seed, Purpose::Action, 0),
            features: vec![0.0; N_FEATURES],
            mask: [false; N_ACTIONS],
        }
    }

    /// Plays whole deals until a batch of decisions is made, and returns their number. Computes
    /// features and mask if `features` is true.
    fn play(&mut self, features: bool) -> u64 {
        if features { self.play_and::<true>() } else { self.play_and::<false>() }
    }

    /// Plays like [`Player::play`]. Compiled once, so that one thread and all threads run the same
    /// code.
    #[inline(never)]
    fn play_and<const FEATURES: bool>(&mut self) -> u64 {
        let totals = BySeat::default();
        let mut decisions = 0;
        while decisions < BATCH {
            let dealer = Seat::from_index_wrapping(self.next as usize);
            let deal = self.deals.shuffled(self.next, dealer);
            let mut state = State::new(self.deals.rules(), &deal);
            self.next += 1;
            while !state.is_done() {
                let legal = state.legal_actions();
                if FEATURES {
                    state.observe_ref(state.turn(), &totals).encode(&mut self.features);
                    legal.write_mask(&mut self.mask);
                    black_box((&self.features, &self.mask));
                }
                if let Some(action) = legal.draw(&mut self.stream) {
                    state.apply_unchecked(action);
                }
                decisions += 1;
            }
        }
        decisions
    }
}

/// Steps of `n` environments, actions drawn from their masks included.
fn vectorised(
    bench: &mut Bench<'_>,
    name: String,
    rules: &'static RuleSet,
    n: usize,
) -> anyhow::Result<()> {
    if !bench.wants(&name) {
        return Ok(());
    }
    let mut env = VecEnv::new(rules, EnvConfig::default(), n, 1);
    let mut arrays = Arrays::new(n);
    let parts = n.div_ceil(ENVIRONMENTS) as u64;
    let mut streams: Vec<_> = (0..parts).map(|i| Stream::new(1, Purpose::Action, i)).collect();
    let mut actions = vec![Action::PASS; n];
    let mut failure = None;
    bench.rate(name, UNIT, || {
        for _ in 0..BATCH.div_ceil(8).div_ceil(n as u64) {
            draw(&mut actions, env.envs(), &mut streams);
            failure = failure.take().or(env.step(&actions, arrays.buffers()).err());
        }
        BATCH.div_ceil(8).div_ceil(n as u64) * n as u64
    })?;
    failure.map_or(Ok(()), |error| Err(error.into()))
}

/// Steps of `n` environments that write packed observations.
fn packed(
    bench: &mut Bench<'_>,
    name: String,
    rules: &'static RuleSet,
    n: usize,
) -> anyhow::Result<()> {
    if !bench.wants(&name) {
        return Ok(());
    }
    let mut env = VecEnv::new(rules, EnvConfig::default(), n, 1);
    let mut arrays = PackedArrays::new(n);
    let parts = n.div_ceil(ENVIRONMENTS) as u64;
    let mut streams: Vec<_> = (0..parts).map(|i| Stream::new(1, Purpose::Action, i)).collect();
    let mut actions = vec![Action::PASS; n];
    let mut failure = None;
    let rounds = BATCH.div_ceil(8).div_ceil(n as u64);
    bench.rate(name, UNIT, || {
        for _ in 0..rounds {
            draw(&mut actions, env.envs(), &mut streams);
            let buffers = PackedBuffers { outcomes: None, ..arrays.buffers() };
            failure = failure.take().or(env.step_packed(Some(&actions), buffers).err());
        }
        rounds * n as u64
    })?;
    failure.map_or(Ok(()), |error| Err(error.into()))
}

/// Draws an action for each environment.
fn draw(actions: &mut [Action], envs: &[Env], streams: &mut [Stream]) {
    let parts = actions.par_chunks_mut(ENVIRONMENTS).zip(envs.par_chunks(ENVIRONMENTS));
    parts.zip(streams).for_each(|((actions, envs), stream)| {
        for (action, env) in actions.iter_mut().zip(envs) {
            let legal = env.legal_actions();
            *action = legal.draw(stream).unwrap_or(Action::PASS);
        }
    });
}
