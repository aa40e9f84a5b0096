//! `pimc`: perfect-information Monte Carlo. Samples worlds, asks in each what every action is worth, and takes
//! the one with the highest expected points (Levy 1989; Ginsberg, "GIB", 2001).

use troel_env::rng::{Purpose, Stream};
use troel_env::{Action, BySeat, Card, CardSet, Observation, Phase};
use troel_solver::{DEFAULT_MEMORY, Position, Solver, solve_each};

use super::belief::{self, World};
use super::evaluate::{play_out, points_for, solved_points};
use super::judged::{Judged, compare};
use super::weighted::mean_and_error;
use crate::bot::{BotError, check_legal, deterministic_bot};
use crate::cancel::Current;
use crate::heuristic::{self, Judgement};
use crate::threads::threads;
use crate::utility::{Utility, utility};

/// Cards in hand at which a world that is played out is solved.
const PLAY_OUT_TO: u32 = 6;
/// A call is preferred to the one by rules of thumb only if it gains this many standard errors: with few worlds
/// the best of many calls would be the luckiest.
const REQUIRED_STANDARD_ERRORS: f32 = 1.0;
/// Calls that are looked at, the most promising by rules of thumb first.
pub(super) const CALLS: usize = 6;
/// Worlds drawn for a call, for each world that would be drawn for a card.
const MORE_FOR_CALLS: usize = 4;
/// Points counted for a trick that does not change the score, so that among equal cards the one that keeps more
/// tricks is played.
const TRICK: f32 = 0.01;

/// The bot called `pimc`. Its draws depend on its seed and on what it sees, nothing else.
pub struct Pimc {
    worlds: usize,
    seed: u64,
    cards: CardChooser,
}

/// What an action comes to over sampled worlds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Estimate {
    /// Mean points of the deal for the seat.
    pub points: f32,
    /// Standard deviation of the points over the worlds.
    pub spread: f32,
}

/// Chooses cards by what they come to in sampled worlds.
pub(super) struct CardChooser {
    /// One for each thread that was used so far.
    solvers: Vec<Solver>,
    /// Bytes of the first solver's table; those of the others together have as many.
    memory: usize,
    /// Number of cards in hand from which on worlds are solved.
    solve_at_most: u32,
    /// What cards are judged by.
    utility: Utility,
}

impl Pimc {
    /// Default number of cards in hand from which on worlds are solved.
    pub(crate) const SOLVED_CARDS: u32 = 9;

    /// A bot that samples `worlds` worlds (at least 1) for each decision, and solves them from 9
    /// cards in hand downwards.
    pub fn new(worlds: usize, seed: u64) -> Pimc {
        Pimc::solving(Pimc::SOLVED_CARDS, worlds, seed)
    }

    /// A bot that solves worlds with at most `cards` cards in hand, and plays longer hands out by
    /// rules of thumb.
    pub(crate) fn solving(cards: u32, worlds: usize, seed: u64) -> Pimc {
        let cards = CardChooser::new(DEFAULT_MEMORY, cards);
        Pimc { worlds: worlds.max(1), seed, cards }
    }

    /// Expected points of the deal for the observing seat after each of these actions, in their order: the mean over
    /// sampled worlds, the same ones for all actions. Towards the end of a match, points count by what they do to it
    /// ([`crate::utility()`]).
    ///
    /// # Errors
    /// One of the actions is not legal, or no deal of the hidden cards fits what was seen.
    pub fn expected_points(
        &mut self,
        obs: &Observation,
        actions: &[Action],
    ) -> Result<Vec<f32>, BotError> {
        Ok(self.estimates(obs, actions)?.into_iter().map(|estimate| estimate.points).collect())
    }

    /// Like [`Pimc::expected_points`], each with its spread over the worlds.
    ///
    /// # Errors
    /// One of the actions is not legal, or no deal of the hidden cards fits what was seen.
    pub fn estimates(
        &mut self,
        obs: &Observation,
        actions: &[Action],
    ) -> Result<Vec<Estimate>, BotError> {
        actions.iter().try_for_each(|&action| check_legal(obs, action))?;
        let mut stream = Stream::new(self.seed, Purpose::Search, obs.fingerprint());
        let worlds = belief::worlds(obs, self.worlds, &mut stream)?;
        let weight = worlds.iter().map(|w| w.weight).sum::<f32>().max(f32::MIN_POSITIVE);
        let estimate = |outcomes: Vec<f32>| {
            let mean = |value: &dyn Fn(f32) -> f32| {
                let weighted = worlds.iter().zip(&outcomes).map(|(w, &o)| w.weight * value(o));
                weighted.sum::<f32>() / weight
            };
            let points = mean(&|outcome| outcome);
            Estimate { points, spread: mean(&|outcome| (outcome - points).powi(2)).sqrt() }
        };
        let mut outcomes = |&action: &Action| Ok(estimate(self.outcomes(obs, &worlds, action)?));
        actions.iter().map(&mut outcomes).collect()
    }

    /// Values of legal actions, of which the first is the bot's choice.
    pub(super) fn judge(
        &mut self,
        obs: &Observation,
        actions: &[Action],
    ) -> Result<Vec<Judged>, BotError> {
        let mut stream = Stream::new(self.seed, Purpose::Search, obs.fingerprint());
        let worlds = belief::worlds(obs, self.worlds, &mut stream)?;
        if obs.state().phase() == Phase::Play {
            return self.cards.judge(obs, &worlds, actions);
        }
        let outcomes = actions.iter().map(|&action| self.outcomes(obs, &worlds, action));
        let outcomes = outcomes.collect::<Result<Vec<Vec<f32>>, BotError>>()?;
        Ok(compare(actions, &worlds, |world, nth| outcomes[nth][world]))
    }

    fn choose(&mut self, obs: &Observation) -> Result<Action, BotError> {
        let legal = obs.legal_actions();
        let default_action = heuristic::choose_by(obs, &Judgement::FITTED);
        if legal.len() <= 1 {
            return Ok(default_action);
        }
        let mut stream = Stream::new(self.seed, Purpose::Search, obs.fingerprint());
        if obs.state().phase() == Phase::Play {
            let worlds = belief::worlds(obs, self.worlds, &mut stream)?;
            return Ok(Action::card(self.cards.choose(obs, &worlds, default_action)?));
        }
        let worlds = belief::worlds(obs, MORE_FOR_CALLS * self.worlds, &mut stream)?;
        self.call(obs, &worlds, default_action)
    }

    /// The action outside of card play: a call, a discard, a request or an answer.
    fn call(
        &mut self,
        obs: &Observation,
        worlds: &[World],
        default_action: Action,
    ) -> Result<Action, BotError> {
        let candidates = heuristic::candidates(obs, CALLS);
        let reference = self.outcomes(obs, worlds, default_action)?;
        let mut best = (0.0, default_action);
        for action in candidates.into_iter().filter(|&action| action != default_action) {
            let outcomes = self.outcomes(obs, worlds, action)?;
            let gains = outcomes.iter().zip(&reference).map(|(outcome, base)| outcome - base);
            let (gain, error) = mean_and_error(worlds, gains);
            let gain = gain - REQUIRED_STANDARD_ERRORS * error;
            if gain > best.0 {
                best = (gain, action);
            }
        }
        Ok(best.1)
    }

    /// Utility of the deal to the observer after a legal action, one for each world.
    fn outcomes(
        &mut self,
        obs: &Observation,
        worlds: &[World],
        action: Action,
    ) -> Result<Vec<f32>, BotError> {
        self.cards.in_each(worlds, |world, solver| {
            let mut state = world.state;
            // The observer's legal actions are the same in every world.
            state.apply_unchecked(action);
            let points = play_out(state, PLAY_OUT_TO, solver);
            utility(obs.state().rules(), obs.totals(), &points, obs.seat())
        })
    }
}

impl CardChooser {
    /// With a solver whose table takes at most so many bytes, and as many for further threads; worlds are solved with at
    /// most `solve_at_most` cards in hand.
    pub fn new(memory: usize, solve_at_most: u32) -> CardChooser {
        CardChooser { solvers: Vec::new(), memory, solve_at_most, utility }
    }

    /// The same, judging by another utility than points.
    pub fn by(self, utility: Utility) -> CardChooser {
        CardChooser { utility, ..self }
    }

    /// What `work` finds in each world, in their order, by as many threads as this work may use.
    fn in_each<R: Send>(
        &mut self,
        worlds: &[World],
        work: impl Fn(&World, &mut Solver) -> R + Sync,
    ) -> Result<Vec<R>, BotError> {
        let threads = threads().min(worlds.len()).max(1);
        while self.solvers.len() < threads {
            // Those of further threads share the memory that one has.
            let share = if self.solvers.is_empty() { 1 } else { threads };
            self.solvers.push(Solver::new(self.memory / share));
        }
        let current = Current::get();
        let found = solve_each(worlds, &mut self.solvers[..threads], |world, solver| {
            current.check()?;
            Ok(work(world, solver))
        });
        found.into_iter().collect()
    }

    /// Outcomes of legal cards in each world, with `trick` points for each trick added to the
    /// score.
    fn outcomes(
        &mut self,
        obs: &Observation,
        worlds: &[World],
        cards: &[Card],
        trick: f32,
    ) -> Result<Vec<Vec<f32>>, BotError> {
        let (solve_at_most, utility) = (self.solve_at_most, self.utility);
        let value =
            |points: &BySeat<i32>| utility(obs.state().rules(), obs.totals(), points, obs.seat());
        let worth = Worth { points: &value, trick };
        self.in_each(worlds, |world, solver| {
            card_outcomes(obs, world, cards, solve_at_most, &worth, solver)
        })
    }

    /// Values of legal cards, of which the first is the bot's choice.
    ///
    /// # Errors
    /// The search was cancelled.
    pub fn judge(
        &mut self,
        obs: &Observation,
        worlds: &[World],
        actions: &[Action],
    ) -> Result<Vec<Judged>, BotError> {
        let cards: Vec<Card> = actions.iter().filter_map(|action| action.as_card()).collect();
        let outcomes = self.outcomes(obs, worlds, &cards, 0.0)?;
        Ok(compare(actions, worlds, |world, nth| outcomes[world][nth]))
    }

    /// The card with the highest expected points; `default_action` where nothing is better.
    ///
    /// # Errors
    /// The search was cancelled.
    pub fn choose(
        &mut self,
        obs: &Observation,
        worlds: &[World],
        default_action: Action,
    ) -> Result<Card, BotError> {
        let default_action = default_action.as_card();
        let cards = distinct(obs, default_action);
        let found = self.outcomes(obs, worlds, &cards, TRICK)?;
        // Equals go to the card by rules of thumb: it allows for hands that are not seen.
        let mut best = (f32::MIN, Card::ace(troel_env::Suit::Spades));
        for (at, &card) in cards.iter().enumerate() {
            let sum: f32 = worlds.iter().zip(&found).map(|(w, found)| w.weight * found[at]).sum();
            let sum = if Some(card) == default_action { sum + 1e-3 } else { sum };
            if sum > best.0 {
                best = (sum, card);
            }
        }
        Ok(best.1)
    }
}

/// Value of a deal to the observer.
struct Worth<'a> {
    /// The points of all seats.
    points: &'a (dyn Fn(&BySeat<i32>) -> f32 + Sync),
    /// Each trick, where a world is solved for tricks.
    trick: f32,
}

/// What each of some cards comes to in one world.
fn card_outcomes(
    obs: &Observation,
    world: &World,
    cards: &[Card],
    solve_at_most: u32,
    worth: &Worth<'_>,
    solver: &mut Solver,
) -> Vec<f32> {
    let state = &world.state;
    let Some(contract) = state.contract().copied() else { return vec![0.0; cards.len()] };
    let many = obs.hand().len() > solve_at_most;
    let declares = contract.declarers.has(obs.seat());
    if !many && !contract.kind.is_negative() && Position::of_state(state).is_some() {
        let values = solver.card_values(state).unwrap_or_default();
        let outcome = |&card: &Card| {
            let Some(&(_, taken)) = values.iter().find(|(c, _)| *c == card) else { return 0.0 };
            let points = points_for(state.rules(), &contract, taken);
            let tricks = if declares { f32::from(taken) } else { -f32::from(taken) };
            (worth.points)(&points) + worth.trick * tricks
        };
        return cards.iter().map(outcome).collect();
    }
    let outcome = |&card: &Card| {
        let mut after = *state;
        after.apply_unchecked(Action::card(card));
        let points = match after.contract().copied() {
            Some(contract) if !many && !after.is_done() => solved_points(&after, &contract, solver),
            _ => play_out(after, PLAY_OUT_TO, solver),
        };
        (worth.points)(&points)
    };
    cards.iter().map(outcome).collect()
}

deterministic_bot!(Pimc, |bot: &mut Pimc, observation: &Observation| bot.choose(observation));

/// The legal cards, one of each run of equals: the one by rules of thumb where it is among them, else the lowest.
pub(super) fn distinct(obs: &Observation, default_action: Option<Card>) -> Vec<Card> {
    let legal = obs.legal_actions().cards;
    let on_table: CardSet = obs.state().trick().cards().map(|(_, card)| card).collect();
    let others = obs.outstanding() | on_table;
    let mut cards: Vec<Card> = Vec::with_capacity(13);
    for card in legal {
        match cards.last_mut() {
            Some(last)
                if last.suit() == card.suit() && others.above(*last) == others.above(card) =>
            {
                if Some(card) == default_action {
                    *last = card;
                }
            }
            _ => cards.push(card),
        }
    }
    cards
}

#[cfg(test)]
mod tests {
    use troel_env::{Deals, RuleSet, State};

    use super::*;

    /// Searches calls of many deals with few worlds, whose weights differ. A call must gain one standard error, as
    /// the effective sample size has it; in some positions the number of worlds would have let a call through.
    #[test]
    fn a_call_must_gain_a_standard_error_of_the_effective_sample() {
        let rules = RuleSet::built_in("luxembourg").unwrap();
        let (mut pimc, mut closer) = (Pimc::new(2, 1), 0);
        for deal in 0..200 {
            let deals = Deals::new(rules, 3);
            let mut state = State::new(rules, &deals.shuffled(deal, troel_env::Seat::North));
            // The calls of others give worlds their weights.
            for _ in 0..2 {
                let seen = state.observe(state.turn(), BySeat::default());
                state.apply(heuristic::choose_by(&seen, &Judgement::FITTED)).unwrap();
            }
            let obs = state.observe(state.turn(), BySeat::default());
            if state.phase() != Phase::Auction || obs.legal_actions().len() < 2 {
                continue;
            }
            let default_action = heuristic::choose_by(&obs, &Judgement::FITTED);
            let mut stream = Stream::new(1, Purpose::Search, obs.fingerprint());
            let worlds = belief::worlds(&obs, 8, &mut stream).unwrap();
            let weights: Vec<f32> = worlds.iter().map(|world| world.weight).collect();
            let sum: f32 = weights.iter().sum();
            let kish = sum * sum / weights.iter().map(|w| w * w).sum::<f32>();
            let reference = pimc.outcomes(&obs, &worlds, default_action).unwrap();
            let mut gains = Vec::new();
            for action in heuristic::candidates(&obs, CALLS) {
                let outcomes = pimc.outcomes(&obs, &worlds, action).unwrap();
                let gain: Vec<f32> = outcomes.iter().zip(&reference).map(|(a, b)| a - b).collect();
                let mean = |value: &dyn Fn(f32) -> f32| {
                    weights.iter().zip(&gain).map(|(w, &g)| w * value(g)).sum::<f32>() / sum
                };
                let points = mean(&|g| g);
                let variance = mean(&|g| (g - points).powi(2));
                gains.push((action, points, variance));
            }
            let chosen = pimc.call(&obs, &worlds, default_action).unwrap();
            let gain_of_chosen = gains.iter().find(|(action, ..)| *action == chosen);
            if let Some(&(_, points, variance)) =
                gain_of_chosen.filter(|_| chosen != default_action)
            {
                assert!(
                    points > (variance / kish).sqrt(),
                    "{chosen}: {points}, {variance}, {kish}"
                );
            } else {
                let by_number = |&(_, points, variance): &(Action, f32, f32)| {
                    points > (variance / worlds.len() as f32).sqrt()
                };
                closer += usize::from(gains.iter().any(by_number));
            }
        }
        assert!(closer > 0, "no position tells the two sizes apart");
    }
}
