//! Opening of tables: the deals, the bots in the seats, and whose decisions are recorded.

use troel_env::hand::trick_estimate;
use troel_env::rng::Stream;
use troel_env::{
    BySeat, ContractKind, Deals, Episode, Phase, RuleSet, Scenario, Seat, SeatSet, Session,
    SessionConfig, Suit,
};
use troel_eval::driver::{Seating, Table};
use troel_eval::series::dealer;

use super::{LEARNER, Plan, TableKind};

/// Share of the tables for a lone player's contract, with the learning seat as eldest hand, that
/// start after that seat has proposed. With such a hand a policy that bids well seldom proposes, so
/// it would not learn what to bid once nobody goes along.
const PROPOSED: f32 = 0.5;

/// What is recorded at a table.
pub(super) struct Role {
    /// Seats whose decisions are recorded.
    pub recorded: SeatSet,
    /// Whether its deals are scenario deals.
    pub is_scenario: bool,
}

pub(super) fn open_table(
    plan: &Plan<'_>,
    rules: &'static RuleSet,
    first: u64,
    series: u64,
    stream: &mut Stream,
) -> (Table, Role) {
    if !plan.positions.is_empty() {
        let state = plan.positions[stream.below(plan.positions.len() as u32) as usize];
        let learner = state.turn();
        let bots = BySeat::from_fn(|s| if s == learner { LEARNER } else { LEARNER + 1 });
        let session = Session::single_deal(state);
        let recorded = SeatSet::single(learner);
        return (
            Table { session, seating: Seating::full(bots) },
            Role { recorded, is_scenario: false },
        );
    }
    let scenario = draw_scenario(plan.scenarios, stream);
    let (bots, learners) = draw_seats(plan.kinds, stream);
    let mut deals = Deals::new(rules, plan.seed).with_scenario(scenario);
    let mut recorded = learners;
    if scenario != Scenario::Any {
        // A scenario conditions on one hand. For that seat the hidden hands are distributed as always; the other seats
        // would learn odds that no ordinary deal has, so they play but are not recorded.
        let nth = stream.below(learners.len()) as usize;
        if let Some(focus) = learners.iter().nth(nth) {
            deals = deals.with_focus(focus);
            recorded = SeatSet::single(focus);
        }
    }
    let config = SessionConfig {
        episode: Episode::Deals(series as u32),
        reward: plan.reward,
        totals: draw_totals(rules, plan.random_totals, stream),
        stride: 1,
    };
    let mut session = Session::new(deals, config, first, dealer(first / series));
    if has_lone_hand(scenario) && recorded.has(session.state().turn()) && stream.unit() < PROPOSED {
        propose(&mut session);
    }
    let role = Role { recorded, is_scenario: scenario != Scenario::Any };
    (Table { session, seating: Seating::full(bots) }, role)
}

/// Whether a scenario deals a hand for a lone player's contract with tricks to take.
fn has_lone_hand(scenario: Scenario) -> bool {
    matches!(scenario, Scenario::Suits(kind) if !kind.is_pair() && !kind.is_negative())
}

/// Lets the seat to act propose its best suit, if it may.
fn propose(session: &mut Session) {
    let observation = session.observe();
    if observation.state().phase() != Phase::Auction {
        return;
    }
    let tricks = |suit: &Suit| trick_estimate(observation.hand(), Some(*suit));
    let best = Suit::ALL.into_iter().max_by(|a, b| tricks(a).total_cmp(&tricks(b)));
    // Of several levels the lowest comes first.
    let proposal = observation.legal_actions().into_iter().find(|call| {
        call.as_bid().is_some_and(|bid| bid.kind == ContractKind::Suit && bid.trump == best)
    });
    if let Some(call) = proposal {
        session.apply(call).expect("legal actions are legal");
    }
}

fn draw_scenario(scenarios: &[(Scenario, f32)], stream: &mut Stream) -> Scenario {
    let mut left = stream.unit();
    for &(scenario, share) in scenarios {
        if left < share {
            return scenario;
        }
        left -= share;
    }
    Scenario::Any
}

/// Index of the bot in each seat, and the seats that learn.
fn draw_seats(kinds: &[TableKind], stream: &mut Stream) -> (BySeat<usize>, SeatSet) {
    let total: f32 = kinds.iter().map(|k| k.weight).sum();
    let mut left = stream.unit() * total;
    let drawn = kinds.iter().find(|kind| {
        left -= kind.weight;
        left < 0.0
    });
    let mut order = Seat::ALL;
    stream.shuffle(&mut order);
    let (mut bots, mut learners) = (BySeat([LEARNER; 4]), SeatSet::FULL);
    if let Some(kind) = drawn.or(kinds.last())
        && !kind.opponents.is_empty()
    {
        let opponent = kind.opponents[stream.below(kind.opponents.len() as u32) as usize];
        for &seat in &order[kind.learners as usize..] {
            bots[seat] = LEARNER + 1 + opponent;
            learners = learners - SeatSet::single(seat);
        }
    }
    (bots, learners)
}

/// Match totals at the start of a table: zeros, or random numbers of the size that they have in a match.
fn draw_totals(rules: &RuleSet, random_totals: f32, stream: &mut Stream) -> BySeat<i32> {
    if random_totals == 0.0 || stream.unit() >= random_totals {
        return BySeat::default();
    }
    let (low, high) = match rules.spec().match_target {
        0 => (-100, 100),
        target => (-target / 2, target - 1),
    };
    let mut totals = BySeat::from_fn(|_| low + stream.below((high - low + 1) as u32) as i32);
    if rules.is_zero_sum() {
        let mean = totals.iter().sum::<i32>() / 4;
        // At the target, if there is one, the match would be over.
        let most = if rules.spec().match_target > 0 { high } else { i32::MAX };
        totals = BySeat::from_fn(|s| (totals[s] - mean).min(most));
    }
    totals
}

#[cfg(test)]
mod tests {
    use troel_agents::network::Evaluator;
    use troel_env::rng::Purpose;
    use troel_env::{Action, State};
    use troel_nn::{NetworkConfig, Weights};

    use super::*;

    /// Calls made at the tables of a scenario before they open, and how many tables have a learning
    /// seat that is eldest hand and may propose a suit of at least six cards.
    fn first_calls(rules: &str, kind: ContractKind) -> (Vec<Action>, usize) {
        let rules = RuleSet::built_in(rules).expect("built in");
        let config = NetworkConfig { hidden: 4, blocks: 0, ..NetworkConfig::default() };
        let evaluator = Evaluator::new(&Weights::init(config, 1));
        let scenarios = [(Scenario::Suits(kind), 1.0)];
        let plan = Plan { scenarios: &scenarios, ..Plan::self_play(rules, &evaluator, 0, 1) };
        let mut stream = Stream::new(1, Purpose::Opponent, 0);
        let mut calls = Vec::new();
        let mut may_propose = 0;
        for first in 0..2000 {
            let (table, role) = open_table(&plan, rules, first, 1, &mut stream);
            let state = table.session.state();
            let eldest = state.dealer().next();
            let start = State::new(rules, &state.deal());
            let is_long = |call: &Action| {
                let bid = call.as_bid().filter(|bid| bid.kind == ContractKind::Suit);
                let trumps = bid.and_then(|bid| bid.trump);
                trumps.is_some_and(|suit| state.hands()[eldest].of(suit).len() >= 6)
            };
            let has_long = start.legal_actions().into_iter().any(|call| is_long(&call));
            may_propose += usize::from(role.recorded.has(eldest) && has_long);
            for call in state.history().iter().filter_map(|(_, call)| call) {
                assert!(role.recorded.has(eldest), "only the learning seat proposes");
                assert!(is_long(&call), "{call} of {}", state.deal());
                calls.push(call);
            }
        }
        (calls, may_propose)
    }

    #[test]
    fn some_tables_start_after_a_proposal_of_the_learning_seat() {
        for rules in RuleSet::names() {
            let (calls, may_propose) = first_calls(rules, ContractKind::Abondance);
            let share = calls.len() as f64 / may_propose as f64;
            // Four standard errors of the fewest, 45 deals.
            assert!((share - 0.5).abs() < 0.3, "{rules}: {share} of {may_propose}");
            assert_eq!(first_calls(rules, ContractKind::Misere).0, [], "{rules}");
        }
    }
}
