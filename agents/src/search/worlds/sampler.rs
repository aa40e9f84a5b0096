//! Worlds: possible hidden cards, given the information of one observer.
//!
//! The unseen cards are dealt to the unseen places, every deal with equal probability that fits the
//! counts, the suits shown not to be held, the known cards and the announced aces. Then the whole
//! history is replayed on the world. It must be legal and look the same to the observer; otherwise
//! the world is drawn again. So constraints beyond the counts (a card of the suit of an accepted
//! proposal, an ace that had to be played) hold too, and all possible worlds stay equally likely.

use troel_env::rng::{Purpose, Stream};
use troel_env::{
    BySeat, Card, CardSet, ContractKind, Deal, Observation, Phase, Seat, SeatSet, State, SuitSet,
};

use super::aces::{self, Placement};
use super::counts::{Counts, LAID_ASIDE, PLACES, Room, factorial};
use crate::bot::BotError;
use crate::cancel::CurrentToken;

/// Maximum number of attempts at one world. A world that fits the counts and suits fails the replay
/// only on rare details. More failures than this mean a fault in the record or in the program.
const MAX_ATTEMPTS: usize = 400;

/// Sampler of the worlds that fit an observation.
///
/// A world is a deal together with the hidden part of its history: the cards that others laid aside
/// before a small misère, and a turn-up that the observer may not see. All worlds that the cards,
/// the rules and the actions of the record allow are equally likely; the plausibility of calls does
/// not count.
pub struct WorldSampler<'o> {
    obs: &'o Observation,
    /// Other seats that laid a card aside.
    laid_aside: SeatSet,
    /// Placements of announced aces that leave at least one world.
    placements: Vec<WeightedPlacement>,
    /// The other unseen cards.
    counts: Counts,
}

/// World that was drawn.
#[derive(Clone, Copy, Debug)]
pub struct DrawnWorld {
    /// The cards as dealt.
    pub deal: Deal,
    /// State of the deal after the history.
    pub state: State,
}

/// Placement of announced aces with its share of the worlds.
struct WeightedPlacement {
    placement: Placement,
    /// Room that is left for the other cards.
    room: Room,
    /// Number of worlds of this placement and of all before it.
    worlds_so_far: f64,
}

/// Error: no world was found that fits an observation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "no deal of the unseen cards is consistent with the observation (the record is wrong, or the \
     program has a bug): {0}"
)]
pub struct NoWorldError(String);

/// Returns the stream from which a searching bot with this seed draws worlds at an observation.
pub(in crate::search) fn world_stream(seed: u64, obs: &Observation) -> Stream {
    Stream::new(seed, Purpose::Search, obs.fingerprint())
}

/// Draws `count` equally likely worlds.
///
/// # Errors
/// No world fits the observation, or the search was cancelled.
pub(in crate::search) fn draw_worlds(
    obs: &Observation,
    count: usize,
    stream: &mut Stream,
) -> Result<Vec<DrawnWorld>, BotError> {
    let token = CurrentToken::get();
    let mut sampler = WorldSampler::new(obs);
    let mut worlds = Vec::with_capacity(count);
    for _ in 0..count {
        token.check()?;
        let world = sampler.sample(stream);
        worlds.push(world.map_err(|error| BotError::Failed(error.to_string()))?);
    }
    Ok(worlds)
}

impl<'o> WorldSampler<'o> {
    /// Creates a sampler of the worlds of an observation.
    pub fn new(obs: &'o Observation) -> WorldSampler<'o> {
        let (room, voids, laid_aside) = places(obs);
        let (announced, placements) = aces::placements(obs, laid_aside);
        let mut counts = Counts::new(obs.unseen() - announced, voids);
        let mut worlds_so_far = 0.0;
        let mut possible = Vec::new();
        for placement in placements {
            let Some(room) = room_left(&room, &placement) else { continue };
            // The other cards laid aside go to their seats in any order.
            let ways = counts.ways(&room) * factorial(room[LAID_ASIDE]);
            worlds_so_far += ways;
            if ways > 0.0 {
                possible.push(WeightedPlacement { placement, room, worlds_so_far });
            }
        }
        WorldSampler { obs, laid_aside, placements: possible, counts }
    }

    /// Draws a world.
    ///
    /// # Errors
    /// No world was found in a bounded number of attempts.
    pub fn sample(&mut self, stream: &mut Stream) -> Result<DrawnWorld, NoWorldError> {
        for _ in 0..MAX_ATTEMPTS {
            if let Some(world) = self.attempt(stream) {
                return Ok(world);
            }
        }
        Err(NoWorldError(format!("{:?}", self.obs)))
    }

    fn attempt(&mut self, stream: &mut Stream) -> Option<DrawnWorld> {
        let &WeightedPlacement { placement, room, .. } = self.draw_placement(stream)?;
        let mut dealt = self.counts.deal(&room, stream)?;
        for (hand, announced) in dealt.iter_mut().zip(placement.hands) {
            *hand |= announced;
        }
        self.replay(&dealt, &placement, stream)
    }

    /// Draws the placement of the announced aces, in proportion to its number of worlds.
    fn draw_placement(&self, stream: &mut Stream) -> Option<&WeightedPlacement> {
        let last = self.placements.last()?;
        if self.placements.len() == 1 {
            return Some(last);
        }
        let at = f64::from(stream.unit()) * last.worlds_so_far;
        self.placements.iter().find(|placement| at < placement.worlds_so_far).or(Some(last))
    }

    /// Returns the deal and the state of the world after the history. `None` if it is impossible or
    /// looks different to the observer.
    fn replay(
        &self,
        dealt: &[CardSet; PLACES],
        placement: &Placement,
        stream: &mut Stream,
    ) -> Option<DrawnWorld> {
        let (obs, public) = (self.obs, self.obs.public());
        let (hands, laid_aside) = self.dealt_hands(dealt, placement, stream)?;
        let dealer = public.dealer();
        let turn_up = match obs.turn_up() {
            Some(card) => Some(card),
            None if public.rules().has_turn_up() => {
                take_random_card(&mut { hands[dealer] }, stream)
            }
            None => None,
        };
        let deal = Deal { dealer, hands, turn_up };
        deal.check(public.rules()).ok()?;
        let start = State::new(public.rules(), &deal);
        if start.auction().announcer() != public.auction().announcer() {
            return None;
        }
        let world = start.replay(obs.history(), &laid_aside)?;
        self.looks_the_same(&world).then_some(DrawnWorld { deal, state: world })
    }

    /// Returns the hands as they were dealt, and the cards that other seats laid aside. The cards
    /// of `dealt` are for the three other hands and for the cards laid aside.
    fn dealt_hands(
        &self,
        dealt: &[CardSet; PLACES],
        placement: &Placement,
        stream: &mut Stream,
    ) -> Option<(BySeat<CardSet>, BySeat<Option<Card>>)> {
        let (obs, me) = (self.obs, self.obs.seat());
        let mut hands = BySeat::from_fn(|seat| obs.known(seat) | obs.played(seat));
        hands[me] |= obs.laid_aside().into_iter().collect();
        let mut left_aside = dealt[LAID_ASIDE];
        let mut laid_aside = BySeat([None; 4]);
        for seat in Seat::ALL.into_iter().filter(|&seat| seat != me) {
            let place = seat.relative_to(me) - 1;
            hands[seat] |= dealt[place];
            if self.laid_aside.has(seat) {
                let card = match placement.aside[place].lowest() {
                    Some(ace) => ace,
                    None => take_random_card(&mut left_aside, stream)?,
                };
                hands[seat].insert(card);
                laid_aside[seat] = Some(card);
            }
        }
        if let Some(exchange) = obs.exchanged() {
            exchange.undo(obs.public().dealer(), &mut hands);
        }
        Some((hands, laid_aside))
    }

    /// Returns whether the observer's view of a world agrees with the observation.
    fn looks_the_same(&self, world: &State) -> bool {
        let (obs, public) = (self.obs, self.obs.public());
        let world_obs = world.observe(obs.seat(), *obs.totals());
        world_obs.key_card() == obs.key_card()
            && world.contract() == public.contract()
            && world.phase() == public.phase()
            && Seat::ALL.into_iter().all(|seat| world_obs.known(seat) == obs.known(seat))
    }
}

/// Returns the room for unseen cards at each place, and the suits that the place cannot hold. Also
/// returns the other seats that laid a card aside.
pub(in crate::search) fn places(obs: &Observation) -> (Room, [SuitSet; PLACES], SeatSet) {
    let me = obs.seat();
    let laid_aside = aside_so_far(obs) - SeatSet::single(me);
    let mut room: Room = [0; PLACES];
    room[LAID_ASIDE] = laid_aside.len() as usize;
    let mut voids = [SuitSet::EMPTY; PLACES];
    let hand_size = usize::from(obs.public().rules().cards_per_hand());
    for step in 1..4 {
        let seat = me.plus(step);
        let out = obs.played(seat).len() + obs.known(seat).len();
        let held = hand_size - usize::from(laid_aside.has(seat));
        room[step - 1] = held.saturating_sub(out as usize);
        voids[step - 1] = obs.voids(seat);
    }
    (room, voids, laid_aside)
}

/// Returns the room left after the announced aces are placed, or `None` if they do not fit.
fn room_left(room: &Room, placement: &Placement) -> Option<Room> {
    let mut left = *room;
    for place in 0..LAID_ASIDE {
        left[place] = left[place].checked_sub(placement.hands[place].len() as usize)?;
        left[LAID_ASIDE] = left[LAID_ASIDE].checked_sub(placement.aside[place].len() as usize)?;
    }
    Some(left)
}

/// Takes a random card out of a set; `None` if it is empty.
fn take_random_card(cards: &mut CardSet, stream: &mut Stream) -> Option<Card> {
    let card = cards.iter().nth(stream.below(cards.len()) as usize)?;
    cards.remove(card);
    Some(card)
}

/// Returns the seats that have laid a card aside before a small misère.
fn aside_so_far(obs: &Observation) -> SeatSet {
    let public = obs.public();
    if public.contract().is_none_or(|c| c.kind != ContractKind::SmallMisere) {
        return SeatSet::EMPTY;
    }
    let eldest = public.dealer().next();
    let done = match public.phase() {
        Phase::Discard => public.turn().relative_to(eldest),
        _ => 4,
    };
    (0..done).map(|step| eldest.plus(step)).collect()
}
