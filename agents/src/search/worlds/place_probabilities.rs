//! Probabilities of the places of unseen cards, from the numbers of cards alone.

use troel_env::{Card, Observation};

use super::counts::{Counts, PLACES};
use super::sampler::places;

/// Probabilities of the places of a card. These are the three other seats, clockwise from the
/// observer, then the cards that others laid aside.
pub type PlaceProbabilities = [f64; PLACES];

/// Returns the probabilities of each unseen card's places. They follow from the numbers of cards in
/// the hands and the suits that seats have shown not to hold.
pub fn place_probabilities(obs: &Observation) -> Vec<(Card, PlaceProbabilities)> {
    let (room, voids, _) = places(obs);
    let all = Counts::new(obs.unseen(), voids).ways(&room);
    let mut of_suit: [Option<PlaceProbabilities>; 4] = [None; 4];
    let mut probabilities = |card: Card| {
        // Cards of a suit are alike.
        let found = *of_suit[card.suit().index()].get_or_insert_with(|| {
            let mut rest = obs.unseen();
            rest.remove(card);
            let mut counts = Counts::new(rest, voids);
            std::array::from_fn(|place| {
                if room[place] == 0 || voids[place].has(card.suit()) {
                    return 0.0;
                }
                let mut left = room;
                left[place] -= 1;
                counts.ways(&left) / all
            })
        });
        (card, found)
    };
    obs.unseen().iter().map(&mut probabilities).collect()
}

#[cfg(test)]
mod tests {
    use troel_env::rng::{Purpose, Stream};
    use troel_env::{BySeat, Deals, RuleSet, Seat, State};

    use super::super::weighted_world::{WeightedWorld, consistent_worlds};
    use super::*;
    use crate::Random;
    use crate::bot::{DecisionDetail, decide_one};

    /// With only counts and voids known, the shares of many worlds are the place probabilities.
    #[test]
    fn place_probabilities_are_shares_of_worlds() {
        let rules = RuleSet::built_in("wiezen").expect("built in");
        let (mut bot, mut compared, mut voids) = (Random::new(1), 0, 0);
        for deal in 0..12 {
            let mut state = State::new(rules, &Deals::new(rules, 4).shuffled(deal, Seat::North));
            if state.auction().announcer().is_some() {
                continue;
            }
            let stop = 20 + 2 * deal as usize;
            while !state.is_done() && state.history().len() < stop {
                let obs = state.observe(state.turn(), BySeat::default());
                let decision = decide_one(&mut bot, &obs, DecisionDetail::Action).expect("legal");
                state.apply(decision.action).expect("legal");
            }
            let obs = state.observe(state.turn(), BySeat::default());
            if state.is_done() || obs.unseen().is_empty() {
                continue;
            }
            let table = place_probabilities(&obs);
            voids += (1..4).filter(|&step| !obs.voids(obs.seat().plus(step)).is_empty()).count();
            let mut stream = Stream::new(2, Purpose::Search, deal);
            let worlds = consistent_worlds(&obs, 2000, &mut stream).expect("worlds");
            for (card, probabilities) in table {
                assert!((probabilities.iter().sum::<f64>() - 1.0).abs() < 1e-9);
                // The missing announcement of a troel is information about the aces.
                if card.is_ace() {
                    continue;
                }
                for step in 1..4 {
                    let seat = obs.seat().plus(step);
                    let holds = |world: &&WeightedWorld| world.state.hands()[seat].has(card);
                    let share = worlds.iter().filter(holds).count() as f64 / 2000.0;
                    // More than four standard errors of a share.
                    assert!(
                        (share - probabilities[step - 1]).abs() < 0.05,
                        "deal {deal} {card} {seat:?}: {share} {probabilities:?}"
                    );
                    compared += 1;
                }
            }
        }
        assert!(compared > 200 && voids > 3, "{compared} {voids}");
    }
}
