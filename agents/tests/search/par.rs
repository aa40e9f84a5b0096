//! Par against its definition, computed another way: contracts and ranks come from the engine's
//! auction, each position is solved alone, and the backward induction is a plain recursion.

use std::collections::HashMap;

use troel_agents::search::par;
use troel_env::rng::{Purpose, Stream};
use troel_env::rules::{CallRank, Family, Scoring};
use troel_env::{
    Action, Bid, BySeat, Card, CardSet, Contract, ContractKind, Deal, Deals, N_ACTIONS, RuleSet,
    Seat, SeatSet, State, Suit, parse_hands, score,
};
use troel_solver::{Goal, Objective, Position, Solver};

/// A contract with its rank in the auction and its double-dummy points.
#[derive(Clone, Copy, Debug)]
struct Choice {
    contract: Option<Contract>,
    rank: CallRank,
    points: BySeat<i32>,
}

/// Returns the bids of a rule set with their ranks.
///
/// The engine gives those of the calls that eldest may make first. Other levels of suits and solos,
/// and the ask played alone, come later in an auction.
fn bids(rules: &'static RuleSet, turn_up: Option<Suit>) -> Vec<(Bid, CallRank)> {
    let opening = (0..)
        .map(|n| State::new(rules, &Deals::new(rules, 1).shuffled(n, Seat::West)))
        .find(|state| {
            let shows = state.deal().turn_up.map(Card::suit);
            shows == turn_up && state.auction().announcer().is_none()
        })
        .expect("such a deal");
    let mut found = Vec::new();
    for action in (52..N_ACTIONS).filter_map(Action::from_index) {
        let Some(bid) = action.as_bid() else { continue };
        let row = rules.row_of(bid.kind, bid.level);
        let Some(row) = row else { continue };
        if bid.kind == ContractKind::SmallMisere {
            continue;
        }
        let mut state = opening;
        if state.apply(action).is_ok() {
            found.push((bid, state.auction().highest_rank()));
        } else if matches!(bid.kind, ContractKind::Suit | ContractKind::Alone | ContractKind::Solo)
        {
            let order = match rules.spec().family {
                Family::Proposals => bid.trump.map_or(0, Suit::index),
                Family::TurnUp if bid.trump != turn_up => continue,
                Family::TurnUp => 0,
            };
            found.push((bid, CallRank::new(row as u8, order as u8)));
        }
    }
    found
}

/// Every contract that some seat or pair can play, and nothing called.
fn choices(rules: &'static RuleSet, deal: &Deal) -> Vec<Choice> {
    let turn_up = deal.turn_up.map(Card::suit);
    let mut solver = Solver::default();
    let mut known = HashMap::new();
    let mut found =
        vec![Choice { contract: None, rank: CallRank::NONE, points: BySeat::default() }];
    for (bid, rank) in bids(rules, turn_up) {
        let trump = if bid.kind == ContractKind::SoloSlim { turn_up } else { bid.trump };
        for declarers in (1..15)
            .map(SeatSet)
            .filter(|set| set.len() == if bid.kind == ContractKind::Suit { 2 } else { 1 })
        {
            let first = declarers.first().expect("one");
            let leader = match bid.kind {
                ContractKind::Abondance
                | ContractKind::SmallSlam
                | ContractKind::Slam
                | ContractKind::SoloSlim => first,
                _ => deal.dealer.next(),
            };
            let goal = match bid.kind {
                ContractKind::Misere | ContractKind::OpenMisere => Goal::Fewest,
                ContractKind::Piccolo => Goal::One,
                _ => Goal::Most,
            };
            let tricks =
                *known.entry((declarers.0, trump, goal as u8, leader)).or_insert_with(|| {
                    let objective = Objective { declarers, trump, goal };
                    let position = Position::new(objective, deal.hands, leader).expect("a deal");
                    match goal {
                        Goal::Most => solver.value(&position),
                        Goal::Fewest => u8::from(solver.reaches(&position, 1)),
                        Goal::One if solver.value(&position) == 1 => 1,
                        Goal::One => 0,
                    }
                });
            let row = rules.row_of(bid.kind, bid.level);
            let row = row.expect("found before") as u8;
            let contract = rules.contract_of_row(row, trump, declarers);
            let mut taken = BySeat::default();
            taken[first] = tricks;
            let points = score(rules, &contract, &taken);
            found.push(Choice { contract: Some(contract), rank, points });
        }
    }
    found
}

/// Returns the end of the auction if a contract is the last one so far.
fn end(at: usize, choices: &[Choice], known: &mut HashMap<usize, usize>) -> usize {
    if let Some(&end) = known.get(&at) {
        return end;
    }
    let standing = choices[at];
    let mut calls = Vec::new();
    for (next, choice) in choices.iter().enumerate().filter(|(_, c)| c.rank > standing.rank) {
        let last = end(next, choices, known);
        let Some(contract) = choice.contract else { continue };
        let gains = contract.declarers.iter();
        let gains = gains.map(|seat| choices[last].points[seat] - standing.points[seat]);
        let gain = gains.min().expect("a declarer");
        let trump = contract.trump.map_or(4, Suit::index);
        let first = std::cmp::Reverse((contract.declarers.0, trump));
        calls.push(((gain, choice.rank, first), last));
    }
    let best = calls.into_iter().max_by_key(|&(order, _)| order).filter(|(order, _)| order.0 > 0);
    let last = best.map_or(at, |(_, last)| last);
    known.insert(at, last);
    last
}

/// Compares, and returns the kind of the par contract.
fn check(rules: &'static RuleSet, deal: &Deal) -> Option<ContractKind> {
    let choices = choices(rules, deal);
    let expected = choices[end(0, &choices, &mut HashMap::new())];
    let found =
        par(rules, deal, &mut Solver::default(), u64::MAX).expect("a deal").expect("no limit");
    assert_eq!(found.contract, expected.contract, "{} {deal:?}: {expected:?}", rules.id());
    assert_eq!(found.points, expected.points, "{} {deal:?}", rules.id());
    found.contract.map(|contract| contract.kind)
}

/// A deal of whole suits with some cards exchanged: quick to solve, and good for contracts of all
/// kinds.
fn long_suits(rules: &RuleSet, n: u64) -> Deal {
    let mut stream = Stream::new(n, Purpose::Deal, 4);
    let mut deck: Vec<Card> = CardSet::FULL.iter().collect();
    for _ in 0..5 + n % 24 {
        deck.swap(stream.below(52) as usize, stream.below(52) as usize);
    }
    let hands = BySeat::from_fn(|seat| deck[13 * seat.index()..][..13].iter().copied().collect());
    let dealer = stream.pick(&Seat::ALL);
    let turn_up = deck[13 * dealer.index() + stream.below(13) as usize];
    Deal { dealer, hands, turn_up: rules.has_turn_up().then_some(turn_up) }
}

/// House rules: some rows of a built-in rule set.
fn with_rows(name: &str, id: &str, keep: impl Fn(ContractKind) -> bool) -> &'static RuleSet {
    let mut spec = RuleSet::built_in(name).expect("built in").spec().clone();
    spec.id = id.to_string();
    spec.contract.retain(|row| keep(row.kind));
    RuleSet::from_spec(spec, "a test").expect("house rules")
}

/// House rules in which a slam may be in the turn-up suit.
fn no_solo_slim() -> &'static RuleSet {
    with_rows("wiezen", "no-solo-slim", |kind| kind != ContractKind::SoloSlim)
}

#[test]
fn par_is_the_end_of_perfect_bidding() {
    let mut kinds = std::collections::HashSet::new();
    let mut rules = RuleSet::all_built_in();
    rules.push(no_solo_slim());
    for rules in rules {
        for n in 0..8 {
            kinds.insert(check(rules, &long_suits(rules, n)));
        }
    }
    assert!(kinds.len() >= 5, "{kinds:?}");
}

/// House rules with some of the rows in any order and any figures, so that contracts are outbid
/// that would be made, and failing ones pay.
fn random_rules(name: &str, n: u64) -> &'static RuleSet {
    let mut stream = Stream::new(n, Purpose::Deal, 5);
    let mut spec = RuleSet::built_in(name).expect("built in").spec().clone();
    spec.id = format!("{name}-{n}");
    stream.shuffle(&mut spec.contract);
    spec.contract.truncate(9);
    let mut figure = |most| stream.below(most) as i32;
    for row in &mut spec.contract {
        row.made = vec![figure(20), figure(30)];
        if row.kind.is_negative() || row.level == 13 {
            // No overtricks are possible.
            row.made.truncate(1);
        }
        row.failed = figure(12);
        row.undertrick = figure(3);
        if spec.scoring == Scoring::Table {
            row.opponents = figure(12);
        }
    }
    RuleSet::from_spec(spec, "a test").expect("house rules")
}

#[test]
fn par_is_the_end_of_perfect_bidding_by_any_figures() {
    for n in 0..10 {
        for name in RuleSet::built_in_names() {
            check(random_rules(name, n), &long_suits(RuleSet::built_in(name).expect("it"), n));
        }
    }
}

#[test]
fn par_is_the_end_of_perfect_bidding_on_shuffled_deals() {
    let few =
        |kind| matches!(kind, ContractKind::Suit | ContractKind::Alone | ContractKind::Misere);
    let rules = with_rows("iwwa", "few-contracts", few);
    let kinds = (0..2).map(|n| check(rules, &Deals::new(rules, 8).shuffled(n, Seat::North)));
    assert!(kinds.flatten().count() > 0);
}

#[test]
fn par_of_four_slams_is_the_highest() {
    let rules = RuleSet::built_in("luxembourg").expect("built in");
    let hands = "N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432";
    let hands = parse_hands(hands).expect("hands");
    let hands = BySeat::from_fn(|seat| hands[seat].expect("known"));
    let slam = Deal { dealer: Seat::West, hands, turn_up: None };
    let best =
        par(rules, &slam, &mut Solver::default(), u64::MAX).expect("a deal").expect("no limit");
    let contract = best.contract.expect("a contract");
    // Each can make a slam in his own suit, and without trumps, which ranks highest.
    assert_eq!((contract.kind, contract.trump), (ContractKind::Slam, None));
    let declarer = contract.declarers.first().expect("one");
    assert_eq!((contract.declarers.len(), best.points[declarer]), (1, 200));
    assert_eq!(check(rules, &slam), Some(ContractKind::Slam));
    // Without the solo slim, slams rank alike in all suits, that of the turn-up too.
    let turn_up = slam.hands[Seat::West].highest();
    assert_eq!(check(no_solo_slim(), &Deal { turn_up, ..slam }), Some(ContractKind::Slam));
}

#[test]
fn par_needs_a_full_deal() {
    let rules = RuleSet::built_in("luxembourg").expect("built in");
    let mut deal = Deals::new(rules, 8).shuffled(0, Seat::North);
    deal.hands[Seat::North] = CardSet::EMPTY;
    assert!(par(rules, &deal, &mut Solver::default(), u64::MAX).is_err());
}
