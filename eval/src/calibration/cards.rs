//! Probabilities that sampled worlds give to the true holders of the hidden cards. The worlds are
//! those of a searching bot.
//!
//! Three predictions of each unseen card's place are compared:
//! - by the numbers of cards in the hands and the suits shown not to be held
//!   ([`troel_agents::search::place_probabilities`])
//! - by worlds that the record allows, all equally likely
//! - by the worlds as the bot weights them

use serde::{Deserialize, Serialize};
use troel_agents::BotError;
use troel_agents::search::{
    Beliefs, PlaceProbabilities, WeightedWorld, consistent_worlds, place_probabilities,
};
use troel_env::rng::{Purpose, Stream};
use troel_env::{Card, Observation, Seat, State};

use super::estimate::of_mean;
use super::part::DealPart;
use super::settings::CalibrationSettings;
use crate::statistics::Estimate;

/// Weight of the count-based prior, in worlds. Avoids infinite logarithms.
const PRIOR_WORLDS: f64 = 1.0;

/// An unseen card of a position, with the probabilities that the predictions give to its place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ScoredCard {
    cluster: u64,
    part: DealPart,
    /// Number of the position, to count them.
    position: (u64, usize),
    /// Probability of the true place by each prediction.
    probabilities: [f64; 3],
    /// Its negative binary logarithm, after smoothing.
    bits: [f64; 3],
}

/// Quality of the predictions of hidden cards.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CardSheet {
    /// Worlds sampled in each position.
    pub worlds: usize,
    /// All positions, then those of each part of the deals.
    pub parts: Vec<CardRow>,
}

/// Predictions of the hidden cards in a part of the deals.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CardRow {
    /// The part of the deals.
    pub part: DealPart,
    /// Number of positions.
    pub positions: u64,
    /// Number of unseen cards in them.
    pub cards: u64,
    /// Mean probability of the true holder by counts and shown voids.
    pub counts: Estimate,
    /// Mean probability of the true holder by all worlds that the record allows, equally likely.
    pub consistent: Estimate,
    /// Mean probability of the true holder by worlds as the bot weights them.
    pub belief: Estimate,
    /// Mean log score in bits per card (0 is certainty), in the order of the three probabilities.
    /// From N sampled worlds it is about `1.5 / N` too high, more where their weights differ.
    pub bits: [Estimate; 3],
    /// Bits per card that the bot's worlds save against counts.
    pub saved: Estimate,
}

/// Draws an auction decision and a card-play decision of a finished deal. Scores the predictions of
/// the cards that the seat to act does not see.
///
/// # Errors
/// No world fits a position.
pub(super) fn score(
    settings: &CalibrationSettings,
    end: &State,
    number: u64,
    beliefs: &Beliefs,
) -> Result<Vec<ScoredCard>, BotError> {
    let mut stream = Stream::new(settings.seed, Purpose::Position, number);
    let (mut auction, mut play) = (Vec::new(), Vec::new());
    for (state, ..) in end.steps().filter(|(state, ..)| state.legal_actions().len() > 1) {
        match DealPart::of(state.public()) {
            DealPart::Auction => auction.push(state),
            _ => play.push(state),
        }
    }
    let mut scored = Vec::new();
    for (nth, states) in [auction, play].into_iter().enumerate() {
        if states.is_empty() {
            continue;
        }
        let state = stream.pick(&states);
        let obs = state.observe(state.turn(), Default::default());
        let equal = consistent_worlds(&obs, settings.worlds, &mut stream)?;
        let believed = beliefs.worlds(&obs, settings.worlds, &mut stream)?;
        let cluster = settings.cluster(number);
        let cards = score_cards(&state, &obs, [&equal, &believed]);
        scored.extend(cards.into_iter().map(|(probabilities, bits)| ScoredCard {
            cluster,
            part: DealPart::of(state.public()),
            position: (number, nth),
            probabilities,
            bits,
        }));
    }
    Ok(scored)
}

/// Returns the probabilities of the true place of each unseen card, and their bits.
fn score_cards(
    truth: &State,
    obs: &Observation,
    [equal, believed]: [&[WeightedWorld]; 2],
) -> Vec<([f64; 3], [f64; 3])> {
    let score = |(card, counts): (Card, PlaceProbabilities)| {
        let place = holder_index(truth, obs.seat(), card);
        let by_counts = counts[place];
        let mut probabilities = [by_counts; 3];
        let mut bits = [-by_counts.log2(); 3];
        for (nth, worlds) in [(1, equal), (2, believed)] {
            let (share, size) = share(worlds, obs.seat(), card, place);
            probabilities[nth] = share;
            let smoothed = (size * share + PRIOR_WORLDS * by_counts) / (size + PRIOR_WORLDS);
            bits[nth] = -smoothed.log2();
        }
        (probabilities, bits)
    };
    place_probabilities(obs).into_iter().map(score).collect()
}

/// Returns the place of a card that `seat` does not see. Places are the other seats clockwise from
/// 0, then 3 if another seat laid the card aside.
fn holder_index(state: &State, seat: Seat, card: Card) -> usize {
    (0..3).find(|&place| state.hands()[seat.plus(place + 1)].has(card)).unwrap_or(3)
}

/// Returns the share of the worlds' weight that has a card at a place. The second number is the
/// worlds' effective sample size.
fn share(worlds: &[WeightedWorld], seat: Seat, card: Card, wanted: usize) -> (f64, f64) {
    let (mut total, mut squares, mut found) = (0.0, 0.0, 0.0);
    for world in worlds {
        let weight = f64::from(world.weight);
        total += weight;
        squares += weight * weight;
        if holder_index(&world.state, seat, card) == wanted {
            found += weight;
        }
    }
    if total > 0.0 { (found / total, total * total / squares) } else { (0.0, 0.0) }
}

impl CardSheet {
    /// Returns the sheet of some scored cards; `None` if there are none.
    pub(super) fn of(scored: &[ScoredCard], worlds: usize) -> Option<CardSheet> {
        let row = |part: DealPart| {
            let found: Vec<&ScoredCard> =
                scored.iter().filter(|card| part.contains(card.part)).collect();
            (!found.is_empty()).then(|| CardRow::of(part, &found))
        };
        let all = row(DealPart::All)?;
        let parts = DealPart::FINEST.into_iter().filter_map(row);
        Some(CardSheet { worlds, parts: std::iter::once(all).chain(parts).collect() })
    }
}

impl CardRow {
    fn of(part: DealPart, scored: &[&ScoredCard]) -> CardRow {
        let mean = |value: &dyn Fn(&ScoredCard) -> f64| {
            of_mean(scored.iter().map(|card| (card.cluster, value(card))))
        };
        // The cards of a position follow each other.
        let positions = scored.chunk_by(|a, b| a.position == b.position).count();
        CardRow {
            part,
            positions: positions as u64,
            cards: scored.len() as u64,
            counts: mean(&|card| card.probabilities[0]),
            consistent: mean(&|card| card.probabilities[1]),
            belief: mean(&|card| card.probabilities[2]),
            bits: [0, 1, 2].map(|nth| mean(&|card| card.bits[nth])),
            saved: mean(&|card| card.bits[0] - card.bits[2]),
        }
    }
}

#[cfg(test)]
mod tests {
    use troel_env::{Deals, RuleSet};

    use super::*;

    fn start(deal: u64) -> (State, Observation) {
        let rules = RuleSet::built_in("wiezen").expect("built in");
        let state = State::new(rules, &Deals::new(rules, 6).shuffled(deal, Seat::West));
        (state, state.observe(state.turn(), Default::default()))
    }

    #[test]
    fn worlds_that_are_true_give_probability_one() {
        for deal in 0..4 {
            let (state, obs) = start(deal);
            let truth = vec![WeightedWorld { state, weight: 1.0 }; 1000];
            let mut stream = Stream::new(1, Purpose::Search, deal);
            let equal = consistent_worlds(&obs, 200, &mut stream).expect("worlds");
            let scored = score_cards(&state, &obs, [&equal, &truth]);
            assert_eq!(scored.len(), obs.unseen().len() as usize);
            for (probabilities, bits) in &scored {
                assert_eq!(probabilities[2], 1.0);
                assert!(bits[2] < 0.002, "{bits:?}");
                // Before any call each seat holds a card with probability 1/3, except where an
                // announcement or the turn-up says more.
                assert!((probabilities[0] - 1.0 / 3.0).abs() < 0.03, "{probabilities:?}");
            }
            let mean = scored.iter().map(|(p, _)| p[1]).sum::<f64>() / scored.len() as f64;
            assert!((0.28..0.55).contains(&mean), "{mean}");
        }
    }

    /// Checks that worlds with a wrong holder cost bits. One right world of three costs `log2 3`.
    #[test]
    fn bits_are_those_of_the_shares() {
        let (state, obs) = start(1);
        let mut hands = *state.hands();
        let (left, right) = (obs.seat().next(), obs.seat().plus(2));
        hands.0.swap(left.index(), right.index());
        let wrong = state.with_hands(hands).expect("the same cards in other hands");
        let mut worlds = vec![WeightedWorld { state: wrong, weight: 2.0 }; 2];
        worlds.extend(vec![WeightedWorld { state, weight: 1.0 }; 2]);
        let card = state.hands()[left].lowest().expect("a card");
        let (found, size) =
            share(&worlds, obs.seat(), card, holder_index(&state, obs.seat(), card));
        assert!((found - 1.0 / 3.0).abs() < 1e-12);
        assert!((size - 3.6).abs() < 1e-9, "6² / (4 + 4 + 1 + 1)");
        let scored =
            score_cards(&state, &obs, [&worlds, &[WeightedWorld { state: wrong, weight: 1.0 }]]);
        let ((probabilities, bits), _) = scored
            .iter()
            .zip(place_probabilities(&obs))
            .find(|(_, (c, _))| *c == card)
            .expect("unseen");
        assert_eq!(probabilities[2], 0.0);
        let smoothed = probabilities[0] / 2.0;
        assert!((bits[2] + smoothed.log2()).abs() < 1e-12, "{bits:?}");
    }
}
