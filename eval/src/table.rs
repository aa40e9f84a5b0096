//! Deals played to the end, many at a time, by agents in any seating.

use troel_agents::Agent;
use troel_env::rules::DealMethod;
use troel_env::{Action, BySeat, Condition, Deal, Deals, Observation, Phase, RuleSet, Seat, State};

/// Who decides what at one table: an index into the agents, by seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seating {
    /// Who calls (and names trumps).
    pub bidding: BySeat<usize>,
    /// Who plays the cards (and lays aside, exchanges and answers).
    pub play: BySeat<usize>,
}

impl Seating {
    /// The same agents for bidding and play.
    pub fn full(agents: BySeat<usize>) -> Seating {
        Seating { bidding: agents, play: agents }
    }

    fn agent(&self, state: &State) -> usize {
        match state.phase() {
            Phase::Auction | Phase::Trump => self.bidding[state.turn()],
            _ => self.play[state.turn()],
        }
    }
}

/// Plays every deal with its seating and returns the final states, in order.
///
/// Decisions are collected per agent, so that networks see batches.
pub fn play_out(
    rules: &'static RuleSet,
    tables: &[(Deal, Seating)],
    agents: &mut [Box<dyn Agent>],
) -> Vec<State> {
    let mut states: Vec<State> = tables.iter().map(|(deal, _)| State::new(rules, deal)).collect();
    let mut waiting: Vec<Vec<usize>> = vec![Vec::new(); agents.len()];
    let mut observations: Vec<Observation> = Vec::new();
    let mut actions: Vec<Action> = Vec::new();
    loop {
        for (i, (state, (_, seating))) in states.iter_mut().zip(tables).enumerate() {
            skip_forced(state);
            if !state.is_done() {
                waiting[seating.agent(state)].push(i);
            }
        }
        let mut any = false;
        for (agent, waiting) in agents.iter_mut().zip(&mut waiting) {
            if waiting.is_empty() {
                continue;
            }
            any = true;
            observations.clear();
            observations.extend(waiting.iter().map(|&i| {
                let state = &states[i];
                state.observe(state.turn(), BySeat::default())
            }));
            actions.clear();
            actions.resize(waiting.len(), Action::PASS);
            agent.act(&observations, &mut actions);
            for (i, &action) in waiting.drain(..).zip(&actions) {
                apply_or_any(&mut states[i], action);
            }
        }
        if !any {
            return states;
        }
    }
}

/// Lets one agent play all seats of every deal to its end.
pub fn play_on(states: &mut [State], agent: &mut dyn Agent) {
    let mut observations: Vec<Observation> = Vec::new();
    let mut waiting: Vec<usize> = Vec::new();
    let mut actions: Vec<Action> = Vec::new();
    loop {
        for (i, state) in states.iter_mut().enumerate() {
            skip_forced(state);
            if !state.is_done() {
                waiting.push(i);
                observations.push(state.observe(state.turn(), BySeat::default()));
            }
        }
        if waiting.is_empty() {
            return;
        }
        actions.resize(waiting.len(), Action::PASS);
        agent.act(&observations, &mut actions);
        for (i, action) in waiting.drain(..).zip(actions.drain(..)) {
            apply_or_any(&mut states[i], action);
        }
        observations.clear();
    }
}

/// Applies an agent's action. One that breaks its contract must not corrupt the deal: any legal
/// action then.
fn apply_or_any(state: &mut State, action: Action) {
    if state.apply(action).is_err()
        && let Some(legal) = state.legal_actions().into_iter().next()
    {
        debug_assert!(false, "illegal action {action}");
        state.apply_unchecked(legal);
    }
}

/// Makes moves that are no decision: the only legal one.
pub fn skip_forced(state: &mut State) {
    while let Some(action) = forced(state) {
        state.apply_unchecked(action);
    }
}

fn forced(state: &State) -> Option<Action> {
    let legal = state.legal_actions();
    if legal.len() == 1 { legal.into_iter().next() } else { None }
}

/// Dealer of deal `n`: the deal goes around the table.
pub fn dealer(n: u64) -> Seat {
    Seat::from_index((n % 4) as usize)
}

/// Deals in a row that come from one gathered deck, before a fresh shuffle.
const SERIES: u64 = 8;

/// Deals `from..to` of a source. Where the rule set never shuffles, every eighth deal is
/// shuffled and `gatherer` plays the deals in between, so that the cards clump as they do at a
/// table; the deals are the same for whoever is compared on them.
pub fn series(
    deals: &Deals,
    condition: Condition,
    from: u64,
    to: u64,
    gatherer: &mut dyn Agent,
) -> Vec<Deal> {
    let rules = deals.rules();
    if rules.spec().deal == DealMethod::Shuffle || condition != Condition::Any {
        return (from..to).map(|n| deals.shuffled(n, dealer(n))).collect();
    }
    let mut dealt = Vec::new();
    let mut deal = deals.shuffled(0, dealer(0));
    for n in from / SERIES * SERIES..to {
        if n % SERIES == 0 {
            deal = deals.shuffled(n, dealer(n));
        }
        if n >= from {
            dealt.push(deal);
        }
        let mut state = [State::new(rules, &deal)];
        play_on(&mut state, gatherer);
        deal = deals.after(n + 1, dealer(n + 1), &state[0]);
    }
    dealt
}
