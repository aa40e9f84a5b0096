//! Misère defence taught by the solver: the cards of a defender that keep an open misère beaten.
//!
//! One wrong card of a defender lets a misère succeed, and outcomes hardly show which card it was.
//! Self-play then learns to bid misères that good defence would beat. Once the declarer's hand lies
//! open, nearly all cards are known, and the solver finds those that keep the misère beaten. In
//! endings (93 to 95 in 100 take 5,000 positions a card or fewer), the learner's defenders learn
//! from the solver alone. They play their likeliest cards there, so that the auction learns the
//! worth of a misère against the final defence. The declarer still explores.

use troel_env::{Action, BySeat, CardSet, Observation, SeatSet, State};
use troel_solver::Solver;

/// Largest number of cards in hand in an ending. The solver then needs few positions.
const MAX_ENDING_CARDS: u32 = 9;

/// Returns whether the decision is taught: the observer defends against a misère that lies open.
pub fn is_taught(obs: &Observation) -> bool {
    !obs.open_miseres().is_empty()
        && !obs.public().contract().is_some_and(|c| c.declarers.has(obs.seat()))
}

/// Returns whether the solver alone teaches the decision. It does if the decision is taught, and an
/// ending with few positions.
pub fn is_ending(obs: &Observation) -> bool {
    obs.hand().len() <= MAX_ENDING_CARDS && is_taught(obs)
}

/// Returns the lessons of a finished deal. They are the numbers of the taught decisions in its
/// history, and the cards to play there.
///
/// The cards are those after which the most declarers are beaten, double dummy, each declarer
/// separately. There are none if all cards do equally well. A decision that needs more than `nodes`
/// positions for a card and declarer is left out; in an ending it is kept without cards.
pub fn lessons(end: &State, solver: &mut Solver, nodes: u64) -> Vec<(usize, CardSet)> {
    let mut lessons = Vec::new();
    if !end.contract().is_some_and(|contract| contract.kind.is_misere()) {
        return lessons;
    }
    for (number, (state, seat, action)) in end.steps().enumerate() {
        if action.as_card().is_some() {
            let obs = state.observe(seat, BySeat::default());
            if is_taught(&obs) {
                let best = best_cards(&state, obs.open_miseres(), solver, nodes);
                let best = best.or(is_ending(&obs).then_some(CardSet::EMPTY));
                lessons.extend(best.map(|best| (number, best)));
            }
        }
    }
    lessons
}

/// Returns the legal cards after which the most of these declarers take a trick. The set is empty
/// if all cards do equally well; the result is `None` if the solver needs more than `nodes`
/// positions.
fn best_cards(
    state: &State,
    declarers: SeatSet,
    solver: &mut Solver,
    nodes: u64,
) -> Option<CardSet> {
    let legal = state.legal_actions().cards;
    if legal.len() < 2 {
        return Some(CardSet::EMPTY);
    }
    let mut beaten = Vec::with_capacity(legal.len() as usize);
    for card in legal {
        let mut next = *state;
        next.apply_unchecked(Action::card(card));
        let mut count = 0;
        for declarer in declarers.iter() {
            let makes = solver.declarer_makes(&next, declarer, nodes);
            count += u32::from(!makes.expect("a misère in play, with all cards known")?);
        }
        beaten.push((card, count));
    }
    let max_beaten = beaten.iter().map(|&(_, count)| count).max()?;
    let best: CardSet = beaten.iter().filter(|b| b.1 == max_beaten).map(|b| b.0).collect();
    Some(if best == legal { CardSet::EMPTY } else { best })
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use troel_agents::Registry;
    use troel_agents::driver::{self, BotTable, Recorder, Seating};
    use troel_env::{Deals, RuleSet, Scenario, Seat, Session, SessionConfig};

    use super::*;

    /// Keeps the deals.
    #[derive(Default)]
    struct Ends(Vec<State>);

    impl Recorder for Ends {
        type Error = Infallible;

        fn deal_over(&mut self, _at: usize, table: &BotTable) {
            self.0.push(*table.session.state());
        }
    }

    /// Deals of hands that suit an open misère, played by `rules`.
    fn deals(rules: &'static RuleSet, n: u64) -> Vec<State> {
        let scenario = Scenario::parse("open-misere").unwrap();
        let table = |number| {
            let deals = Deals::new(rules, 5).with_scenario(scenario);
            let config = SessionConfig::default();
            let session = Session::new(deals, config, number, Seat::North);
            BotTable { session, seating: Seating::all(0) }
        };
        let mut tables: Vec<BotTable> = (0..n).map(table).collect();
        let mut ends = Ends::default();
        let bot = Registry::default().find("rules", rules).unwrap().instantiate(1);
        driver::run(&mut tables, &mut [bot], &mut ends).unwrap();
        ends.0
    }

    /// The declarer takes a trick after the cards that are taught and after no others. A solver
    /// without a limit checks this. Only seats that see the declarer's hand are taught.
    #[test]
    fn taught_cards_beat_the_misere() {
        let (mut taught, mut endings, mut left_out) = (0, 0, 0);
        for rules in ["luxembourg", "wiezen"].map(|name| RuleSet::built_in(name).unwrap()) {
            let mut patient = Solver::default();
            for end in deals(rules, 150) {
                let all = lessons(&end, &mut Solver::new(1 << 20), 3000);
                let few = lessons(&end, &mut Solver::new(1 << 20), 20);
                left_out += all.len() - few.len();
                for (number, (state, seat, _)) in end.steps().enumerate() {
                    let lesson = all.iter().find(|lesson| lesson.0 == number);
                    let obs = state.observe(seat, BySeat::default());
                    if let Some(&(_, cards)) = lesson {
                        let contract = *state.contract().unwrap();
                        let declarer = contract.declarers.first().unwrap();
                        assert!(!contract.declarers.has(seat));
                        assert_eq!(obs.known(declarer), state.hands()[declarer]);
                        endings += u32::from(is_ending(&obs));
                        for card in state.legal_actions().cards.iter().filter(|_| !cards.is_empty())
                        {
                            let mut next = state;
                            next.apply_unchecked(Action::card(card));
                            let makes = patient.declarer_makes(&next, declarer, u64::MAX);
                            assert_eq!(makes, Ok(Some(!cards.has(card))), "{card}");
                            taught += 1;
                        }
                    } else {
                        assert!(!is_ending(&obs), "endings are always taught");
                    }
                }
            }
        }
        assert!(taught > 100 && endings > 200 && left_out > 20, "{taught} {endings} {left_out}");
    }
}
