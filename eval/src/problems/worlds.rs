//! All worlds of a position: the ways to deal the unseen cards that the record allows.

use troel_env::{BySeat, Card, CardSet, Deal, Observation, Seat, State};

/// Maximum number of ways to deal the unseen cards. A position with more would take seconds, and is
/// skipped.
const MAX_WORLDS: usize = 20_000;

/// Returns every state that the seat to act cannot tell from `state`. It is `None` if there are too
/// many ways to deal the unseen cards.
pub(super) fn worlds(state: &State) -> Option<Vec<State>> {
    let obs = state.observe(state.turn(), BySeat::default());
    let others: Vec<Seat> = (1..4).map(|step| state.turn().plus(step)).collect();
    let unseen: Vec<Card> = obs.unseen().iter().collect();
    let mut hands = BySeat::from_fn(|seat| obs.known(seat));
    let mut dealt = Vec::new();
    deal_unseen(state, &obs, &others, &unseen, &mut hands, &mut dealt)?;
    Some(dealt.iter().filter_map(|hands| world(state, hands, &obs)).collect())
}

/// Deals the unseen cards in every way that hand sizes and voids allow. It returns `None` if there
/// are more than [`MAX_WORLDS`].
fn deal_unseen(
    state: &State,
    obs: &Observation,
    others: &[Seat],
    unseen: &[Card],
    hands: &mut BySeat<CardSet>,
    dealt: &mut Vec<BySeat<CardSet>>,
) -> Option<()> {
    let Some((&card, rest)) = unseen.split_first() else {
        dealt.push(*hands);
        return (dealt.len() <= MAX_WORLDS).then_some(());
    };
    for &seat in others {
        let is_void = obs.voids(seat).has(card.suit());
        if is_void || hands[seat].len() == state.hands()[seat].len() {
            continue;
        }
        hands[seat].insert(card);
        deal_unseen(state, obs, others, rest, hands, dealt)?;
        hands[seat].remove(card);
    }
    Some(())
}

/// Returns the state that the history leads to from these hands. `None` if the history is not legal
/// there, or the state looks different to the seat.
fn world(state: &State, hands: &BySeat<CardSet>, obs: &Observation) -> Option<State> {
    let dealt = BySeat::from_fn(|seat| hands[seat] | obs.played(seat));
    let deal = Deal { hands: dealt, ..state.deal() };
    deal.check(state.rules()).ok()?;
    let world = State::new(state.rules(), &deal).replay(state.history(), &BySeat::default())?;
    let looks_the_same =
        world.turn() == state.turn() && world.observe(state.turn(), BySeat::default()) == *obs;
    looks_the_same.then_some(world)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use troel_agents::search::WorldSampler;
    use troel_agents::{DecisionDetail, NamedBot, decide_one};
    use troel_env::rng::{Purpose, Stream};
    use troel_env::{Deals, Phase, RuleSet};

    use super::*;

    fn position(rules: &'static RuleSet, number: u64, cards: u32) -> Option<State> {
        let deals = Deals::for_evaluation(rules, 8);
        let mut state = State::new(rules, &deals.shuffled(number, Seat::North));
        let mut bot = NamedBot::find("rules", rules).expect("a bot").instantiate(1);
        while !state.is_done() {
            if state.phase() == Phase::Play && state.hands()[state.turn()].len() == cards {
                return Some(state);
            }
            let obs = state.observe(state.turn(), BySeat::default());
            let decision = decide_one(&mut *bot, &obs, DecisionDetail::Action);
            state.apply(decision.expect("a decision").action).expect("legal");
        }
        None
    }

    #[test]
    fn the_worlds_of_an_ending_are_all_that_a_sampler_draws() {
        for rules in RuleSet::all_built_in() {
            let mut compared = 0;
            for number in 0..12 {
                let Some(state) = position(rules, number, 2) else { continue };
                if state.contract().is_none_or(|contract| contract.kind.is_negative()) {
                    continue;
                }
                let all = worlds(&state).expect("few worlds");
                let hands: Vec<_> = all.iter().map(|world| *world.hands()).collect();
                assert!(hands.contains(state.hands()), "the true deal is a world");
                let obs = state.observe(state.turn(), BySeat::default());
                if state.deal().turn_up.is_some() && obs.turn_up().is_none() {
                    continue;
                }
                let mut sampler = WorldSampler::new(&obs);
                let mut stream = Stream::new(3, Purpose::Search, number);
                let mut drawn = BTreeSet::new();
                for _ in 0..30 * all.len() {
                    let world = sampler.sample(&mut stream).expect("a world").state;
                    let index = hands.iter().position(|hands| hands == world.hands());
                    drawn.insert(index.expect("a world that was listed"));
                }
                assert_eq!(drawn.len(), all.len(), "{} deal {number}", rules.id());
                compared += 1;
            }
            assert!(compared >= 4, "{}: {compared} endings", rules.id());
        }
    }
}
