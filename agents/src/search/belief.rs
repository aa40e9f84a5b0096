//! Worlds, weighed by how plausible the others' calls are in them.

use troel_env::rng::Stream;
use troel_env::{BySeat, Deal, Observation, Phase, Seat, State};

use super::worlds::Worlds;
use crate::bot::BotError;
use crate::cancel::Current;
use crate::heuristic;

/// Worlds drawn for each one that is kept.
const DRAWS_PER_WORLD: usize = 3;
/// The least likelihood of a call: others may bid in other ways than this bot's model of them.
const FLOOR: f32 = 0.04;

/// A possible deal and how much it counts.
#[derive(Clone)]
pub(crate) struct World {
    pub state: State,
    pub weight: f32,
}

/// At most `count` worlds for an observation; their weights add up to `count`.
///
/// Three times as many are drawn; those are kept, some of them more than once, in which the calls of the others are
/// likely.
///
/// # Errors
/// No world fits, which would be a fault of the program.
pub(crate) fn worlds(
    obs: &Observation,
    count: usize,
    stream: &mut Stream,
) -> Result<Vec<World>, BotError> {
    let calls = others_have_called(obs);
    let drawn = draw(obs, if calls { DRAWS_PER_WORLD * count } else { count }, stream)?;
    let weighed = |(deal, state): &(Deal, State)| World {
        state: *state,
        weight: if calls { plausibility(obs, deal) } else { 1.0 },
    };
    let worlds: Vec<World> = drawn.iter().map(weighed).collect();
    Ok(if calls { resample(&worlds, count, stream) } else { worlds })
}

/// So many worlds, all as likely as each other: the cards as dealt, and the deal as it stands.
///
/// # Errors
/// No world fits, or the search was cancelled.
pub(super) fn draw(
    obs: &Observation,
    count: usize,
    stream: &mut Stream,
) -> Result<Vec<(Deal, State)>, BotError> {
    let current = Current::get();
    let mut source = Worlds::new(obs);
    let mut one = || {
        current.check()?;
        source.sample(stream).map_err(|fault| BotError::Failed(fault.to_string()))
    };
    (0..count).map(|_| one()).collect()
}

fn others_have_called(obs: &Observation) -> bool {
    Seat::ALL.into_iter().any(|seat| seat != obs.seat() && !obs.calls(seat).is_empty())
}

/// How plausible the others' calls are, were this the deal: the product of their likelihoods.
fn plausibility(obs: &Observation, deal: &Deal) -> f32 {
    let mut state = State::new(obs.state().rules(), deal);
    let mut weight = 1.0;
    for (seat, action) in obs.state().history().iter() {
        let (Phase::Auction, Some(action)) = (state.phase(), action) else { break };
        if seat != obs.seat() && state.legal_actions().len() > 1 {
            let seen = state.observe(seat, BySeat::default());
            weight *= heuristic::likelihood(&seen, action).max(FLOOR);
        }
        state.apply_unchecked(action);
    }
    weight
}

/// Systematic resampling: each world is kept as often as its weight asks for.
pub(super) fn resample(drawn: &[World], count: usize, stream: &mut Stream) -> Vec<World> {
    let total: f32 = drawn.iter().map(|world| world.weight).sum();
    if total <= 0.0 {
        return drawn.to_vec();
    }
    let step = total / count as f32;
    let mut next = stream.unit() * step;
    let mut sum = 0.0;
    let mut kept = Vec::with_capacity(count);
    for world in drawn {
        sum += world.weight;
        let mut times = 0.0;
        while next < sum {
            times += 1.0;
            next += step;
        }
        if times > 0.0 {
            kept.push(World { state: world.state, weight: times });
        }
    }
    kept
}
