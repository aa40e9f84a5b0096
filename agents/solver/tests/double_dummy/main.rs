//! The solver against plain minimax, against an independent solver, and against itself.

use std::collections::HashMap;

use proptest::prelude::*;
use troel_env::rng::{Purpose, Stream};
use troel_env::{
    Action, BySeat, Card, CardSet, ContractKind, Deals, Phase, RuleSet, Seat, SeatSet, State, Suit,
    parse_hands,
};
use troel_solver::{Bounds, Goal, Objective, Position, PositionError, Solver, solve_batch};

/// Pairs opposite and adjacent, one against three, three against one.
const SHAPES: [[u8; 2]; 4] =
    [[0b0101, 0b1010], [0b0011, 0b1001], [0b0001, 0b0100], [0b1110, 0b1011]];
const GOALS: [Goal; 3] = [Goal::Most, Goal::Fewest, Goal::One];

fn random_hands(stream: &mut Stream, cards: usize) -> BySeat<CardSet> {
    let mut deck: Vec<Card> = CardSet::FULL.iter().collect();
    stream.shuffle(&mut deck);
    BySeat::from_fn(|seat| deck[seat.index() * cards..][..cards].iter().copied().collect())
}

/// Trumps or none; most misères are played without.
fn random_trump(stream: &mut Stream, goal: Goal) -> Option<Suit> {
    let with = if goal == Goal::Most { 3 } else { 1 };
    (stream.below(4) < with).then(|| stream.pick(&Suit::ALL))
}

/// A position of this size, with a few cards of the trick played.
fn random_position(stream: &mut Stream, objective: Objective, cards: usize) -> Position {
    let leader = stream.pick(&Seat::ALL);
    let mut position = Position::new(objective, random_hands(stream, cards), leader).unwrap();
    for _ in 0..stream.below(4) {
        let legal = position.legal();
        let card = legal.iter().nth(stream.below(legal.len()) as usize).unwrap();
        position.play(card).unwrap();
    }
    position
}

/// A position of seven cards; the shapes take turns.
fn random_ending(stream: &mut Stream, n: usize, goal: Goal) -> Position {
    let declarers = SeatSet(SHAPES[n % 4][0]);
    let objective = Objective { declarers, trump: random_trump(stream, goal), goal };
    random_position(stream, objective, 7)
}

/// Plain minimax over the rules of `Position`; positions at the start of a trick are remembered.
fn minimax(position: &Position, seen: &mut HashMap<(BySeat<CardSet>, Seat, u8), u8>) -> u8 {
    if position.is_done() {
        let taken = position.taken();
        return if position.objective().goal == Goal::One { u8::from(taken == 1) } else { taken };
    }
    let key = (*position.hands(), position.leader(), position.taken());
    let at_start = position.trick().next().is_none();
    if let Some(&value) = seen.get(&key).filter(|_| at_start) {
        return value;
    }
    let after = position.legal().iter().map(|card| {
        let mut next = position.clone();
        next.play(card).unwrap();
        minimax(&next, seen)
    });
    let declares = position.objective().declarers.has(position.turn());
    let wants_more = declares != (position.objective().goal == Goal::Fewest);
    let value = if wants_more { after.max() } else { after.min() }.unwrap();
    if at_start {
        seen.insert(key, value);
    }
    value
}

/// Solves `each` positions of each shape and goal.
///
/// A hundred positions in a row have the same objective, so that the table of one is used for the
/// next.
fn check_against_minimax(cards: usize, each: u64) {
    let mut solver = Solver::new(1 << 20);
    for (shape, sides) in SHAPES.iter().enumerate() {
        for (g, &goal) in GOALS.iter().enumerate() {
            let mut objective = Objective { declarers: SeatSet(sides[0]), trump: None, goal };
            for n in 0..each {
                let counter = (cards as u64) << 40 | (shape as u64) << 36 | (g as u64) << 32 | n;
                let mut stream = Stream::new(3, Purpose::Deal, counter);
                if n % 100 == 0 {
                    objective.declarers = SeatSet(sides[n as usize / 100 % 2]);
                    objective.trump = random_trump(&mut stream, goal);
                }
                let position = random_position(&mut stream, objective, cards);
                let mut seen = HashMap::new();
                let expected: Vec<(Card, u8)> = position
                    .legal()
                    .iter()
                    .map(|card| {
                        let mut next = position.clone();
                        next.play(card).unwrap();
                        (card, minimax(&next, &mut seen))
                    })
                    .collect();
                assert_eq!(solver.values(&position), expected, "{position:?}");
                let value = minimax(&position, &mut seen);
                assert_eq!(solver.value(&position), value, "{position:?}");
                for target in 0..=cards as u8 + 1 {
                    assert_eq!(solver.reaches(&position, target), value >= target, "{position:?}");
                }
                let is_made = match goal {
                    Goal::Most => None,
                    Goal::Fewest => Some(value == 0),
                    Goal::One => Some(value == 1),
                };
                assert_eq!(solver.is_made(&position, u64::MAX), is_made, "{position:?}");
            }
        }
    }
}

#[test]
fn equals_minimax_with_up_to_four_cards() {
    for (cards, each) in [(1, 100), (2, 500), (3, 1000), (4, 2000)] {
        check_against_minimax(cards, each);
    }
}

#[test]
fn equals_minimax_with_five_cards() {
    check_against_minimax(5, 250);
}

/// A hundred thousand endings: `cargo test --release -p troel-solver --test double_dummy --
/// --ignored`.
#[test]
#[ignore = "takes eleven minutes"]
fn equals_minimax_at_length() {
    check_against_minimax(4, 5_000);
    check_against_minimax(5, 3_300);
    check_against_minimax(6, 100);
}

fn recorded(text: &str) -> impl Iterator<Item = Vec<&str>> {
    text.lines().filter(|line| !line.starts_with('#')).map(|line| line.splitn(4, ' ').collect())
}

fn recorded_position(trump: &str, leader: &str, hands: &str, declarers: Option<u8>) -> Position {
    let letter = |text: &str| text.chars().next().unwrap();
    let leader = Seat::from_letter(letter(leader)).unwrap();
    let hands = parse_hands(hands).unwrap();
    let own = if leader.index().is_multiple_of(2) { 0b0101 } else { 0b1010 };
    let objective = Objective {
        declarers: SeatSet(declarers.unwrap_or(own)),
        trump: Suit::from_letter(letter(trump)),
        goal: Goal::Most,
    };
    Position::new(objective, BySeat::from_fn(|s| hands[s].unwrap()), leader).unwrap()
}

#[test]
fn full_deals_equal_an_independent_solver() {
    let mut rows: Vec<_> = recorded(include_str!("dds.txt")).collect();
    assert_eq!(rows.len(), 1000);
    // Deals with the same trumps share a table.
    rows.sort_by_key(|row| row[0]);
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
    std::thread::scope(|scope| {
        for rows in rows.chunks(rows.len().div_ceil(cores)) {
            scope.spawn(move || {
                let mut solver = Solver::default();
                for row in rows {
                    let position = recorded_position(row[0], row[1], row[3], Some(0b0101));
                    assert_eq!(solver.value(&position).to_string(), row[2], "{row:?}");
                }
            });
        }
    });
}

#[test]
fn values_of_cards_equal_an_independent_solver() {
    let mut solver = Solver::default();
    for row in recorded(include_str!("dds-cards.txt")) {
        let position = recorded_position(row[0], row[1], row[3], None);
        let values = solver.values(&position);
        for card in row[2].split(',') {
            let (code, tricks) = card.split_once('=').unwrap();
            let ours = values.iter().find(|(card, _)| card.to_string() == code).unwrap();
            assert_eq!(ours.1.to_string(), tricks, "{code} in {row:?}");
        }
        assert_eq!(values.iter().map(|v| v.1).max(), Some(solver.value(&position)));
    }
}

/// Swaps two cards of one suit between two hands: the shape stays.
fn swap_ranks(hands: &mut BySeat<CardSet>, stream: &mut Stream) {
    let mut pick = |cards: CardSet| {
        (!cards.is_empty())
            .then(|| cards.into_iter().nth(stream.below(cards.len()) as usize).unwrap())
    };
    let all: CardSet = hands.iter().fold(CardSet::EMPTY, |all, &hand| all | hand);
    let one = pick(all).unwrap();
    let other = pick(all.of(one.suit())).unwrap();
    let [a, b] =
        [one, other].map(|card| Seat::ALL.into_iter().find(|&s| hands[s].has(card)).unwrap());
    hands[a].remove(one);
    hands[b].remove(other);
    hands[a].insert(other);
    hands[b].insert(one);
}

/// Entries of the table serve other positions of the same shape. If an entry served a position that
/// differs in a rank that matters, deals that differ in a few ranks would show it.
#[test]
fn the_table_changes_the_cost_and_never_the_answer() {
    let mut small = Solver::new(0);
    let mut warm = Solver::default();
    let mut cold = Solver::default();
    let (mut cost, mut cost_cold) = (0, 0);
    for (n, (goal, cards, deals)) in
        [(Goal::Most, 9, 12), (Goal::Fewest, 7, 25), (Goal::One, 7, 12)].into_iter().enumerate()
    {
        for shape in 0..4 * deals {
            let mut stream = Stream::new(4, Purpose::Deal, (n as u64) << 32 | shape);
            // Misères have separate bounds for a lone declarer.
            let sides =
                if goal == Goal::Most { shape as usize % 4 } else { 2 + shape as usize % 8 / 7 };
            let declarers = SeatSet(SHAPES[sides][0]);
            let objective = Objective { declarers, trump: random_trump(&mut stream, goal), goal };
            let mut hands = random_hands(&mut stream, cards);
            for _ in 0..10 {
                let position = Position::new(objective, hands, Seat::North).unwrap();
                cold.clear();
                let before = (warm.nodes(), cold.nodes());
                let expected = cold.values(&position);
                assert_eq!(warm.values(&position), expected, "{position:?}");
                assert_eq!(small.values(&position), expected, "{position:?}");
                cost += warm.nodes() - before.0;
                cost_cold += cold.nodes() - before.1;
                swap_ranks(&mut hands, &mut stream);
            }
        }
    }
    assert!(cost < cost_cold, "{cost}, {cost_cold}: nothing was remembered");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Checks that the tricks of both sides add up to all tricks, with either side as declarers.
    /// One side wants few tricks if the other one wants many.
    #[test]
    fn the_sides_share_the_tricks(
        seed: u64,
        declarers in 1u8..15,
        cards in 2usize..8,
        goal in prop::sample::select(vec![Goal::Most, Goal::Fewest]),
    ) {
        let position = |declarers| {
            let mut stream = Stream::new(seed, Purpose::Deal, 0);
            let trump = random_trump(&mut stream, goal);
            let objective = Objective { declarers: SeatSet(declarers), trump, goal };
            random_position(&mut stream, objective, cards)
        };
        let (ours, theirs) = (position(declarers), position(15 & !declarers));
        prop_assert_eq!(ours.hands(), theirs.hands());
        let mut solver = Solver::new(1 << 20);
        let shared = solver.value(&ours) + solver.value(&theirs);
        prop_assert_eq!(shared as usize, cards, "{:?}", ours);
    }
}

#[test]
fn a_batch_equals_its_positions_one_by_one() {
    let mut stream = Stream::new(6, Purpose::Deal, 0);
    let mut positions = Vec::new();
    for n in 0..60 {
        let declarers = SeatSet(SHAPES[n % 4][0]);
        let goal = GOALS[n % 3];
        let objective = Objective { declarers, trump: random_trump(&mut stream, goal), goal };
        positions.push(random_position(&mut stream, objective, 1 + n % 8));
    }
    let expected: Vec<_> = positions.iter().map(|p| Solver::new(1 << 20).values(p)).collect();
    for threads in [1, 2, 3, 100] {
        let threads = threads.try_into().unwrap();
        assert_eq!(solve_batch(&positions, threads, 1 << 20), expected);
    }
    assert!(solve_batch(&[], 2.try_into().unwrap(), 1 << 20).is_empty());
}

/// Solves a squeeze. South holds the highest card of three suits, and the others have two spade
/// tricks. On the second spade South must discard a red king, which makes a small card of that suit
/// a winner.
#[test]
fn a_hand_that_must_discard_its_winners_is_squeezed() {
    let hands = parse_hands("N:5...96 A3..6. .K.K.T K4.8..").unwrap();
    let declarers = SeatSet(0b1011);
    let objective = Objective { declarers, trump: None, goal: Goal::Most };
    let position =
        Position::new(objective, BySeat::from_fn(|s| hands[s].unwrap()), Seat::North).unwrap();
    assert_eq!(Solver::default().value(&position), 3);
}

#[test]
fn impossible_positions_are_refused() {
    let hands = random_hands(&mut Stream::new(5, Purpose::Deal, 0), 3);
    let objective =
        |declarers| Objective { declarers: SeatSet(declarers), trump: None, goal: Goal::Most };
    assert_eq!(
        Position::new(objective(0), hands, Seat::North).err(),
        Some(PositionError::Declarers)
    );
    assert_eq!(
        Position::new(objective(15), hands, Seat::North).err(),
        Some(PositionError::Declarers)
    );
    let mut uneven = hands;
    uneven[Seat::East] = CardSet::EMPTY;
    assert_eq!(Position::new(objective(5), uneven, Seat::North).err(), Some(PositionError::Sizes));
    let mut twice = hands;
    twice[Seat::East] = hands[Seat::North];
    assert!(matches!(
        Position::new(objective(5), twice, Seat::North),
        Err(PositionError::Twice(_))
    ));
    let mut position = Position::new(objective(5), hands, Seat::North).unwrap();
    let card = hands[Seat::East].lowest().unwrap();
    assert!(matches!(position.play(card), Err(PositionError::Illegal { .. })));
}

/// Returns the state before the first lead with one card less in East's hand.
///
/// `None` if that does not fit the history.
fn without_a_card(state: &State) -> Option<State> {
    let mut deal = state.deal();
    deal.hands[Seat::East] = deal.hands[Seat::East].iter().skip(1).collect();
    let start = State::new(state.rules(), &deal);
    let unequal = start.replay(state.history(), &BySeat::default())?;
    let is_same = unequal.contract() == state.contract() && unequal.phase() == state.phase();
    let is_start = state.history().len() == state.actions_before_play();
    (is_same && is_start).then_some(unequal)
}

/// Plays random deals of every rule set. A state gives a position at each card, and none if a card
/// is missing from a hand.
#[test]
fn states_in_play_give_positions() {
    let (mut refused, mut after_discards) = (0, 0);
    for rules in RuleSet::all_built_in() {
        for number in 0..300 {
            let mut stream = Stream::new(13, Purpose::Action, number);
            let mut state = State::new(rules, &Deals::new(rules, 13).shuffled(number, Seat::North));
            while !state.is_done() {
                if let Some(contract) = state.contract().filter(|_| state.phase() == Phase::Play) {
                    // Two sides also where all declarers have withdrawn.
                    let declarers = SeatSet::single(Seat::North);
                    let objective = Objective { declarers, ..Objective::of(contract) };
                    let needs_trumps =
                        contract.kind == ContractKind::Troel && contract.trump.is_none();
                    let position = Position::from_state_for(&state, objective);
                    let error = needs_trumps.then_some(PositionError::NotInPlay);
                    assert_eq!(position.err(), error, "{state:?}");
                    after_discards += u32::from(contract.kind == ContractKind::SmallMisere);
                    if let Some(unequal) = without_a_card(&state).filter(|_| !needs_trumps) {
                        let found = Position::from_state_for(&unequal, objective);
                        assert_eq!(found, Err(PositionError::Sizes));
                        refused += 1;
                    }
                }
                let legal = state.legal_actions();
                // Seats mostly pass, so that low contracts are played, too.
                let passes = legal.has(Action::PASS) && stream.below(8) > 0;
                let drawn = legal.nth_action(stream.below(legal.len())).unwrap();
                state.apply(if passes { Action::PASS } else { drawn }).unwrap();
            }
        }
    }
    assert!(refused > 100 && after_discards > 10, "{refused} {after_discards}");
}

/// Checks that a search that gives up reports it, and that later answers are still right.
#[test]
fn a_budget_never_changes_an_answer() {
    let mut solver = Solver::new(1 << 20);
    let (mut given_up, mut answered) = (0, 0);
    for (g, &goal) in GOALS.iter().enumerate() {
        for n in 0..120 {
            let mut stream = Stream::new(11, Purpose::Deal, (g as u64) << 32 | n);
            let position = random_ending(&mut stream, n as usize, goal);
            let value = Solver::new(1 << 20).value(&position);
            for nodes in [0, 1, 10, 100, 1000] {
                let target = 1 + stream.below(3) as u8;
                let before = solver.nodes();
                let answer = solver.reaches_within(&position, target, nodes);
                // After the limit, each pending call still counts its remaining moves once.
                assert!(solver.nodes() - before <= nodes + 120, "{nodes}");
                match answer {
                    None => given_up += 1,
                    Some(answer) => {
                        assert_eq!(answer, value >= target, "{position:?} {target} {nodes}");
                        answered += 1;
                    }
                }
            }
            assert_eq!(solver.value(&position), value, "{position:?}");
            assert_eq!(solver.reaches_within(&position, value, u64::MAX), Some(true));
        }
    }
    assert!(given_up > 200 && answered > 200, "{given_up} {answered}");
}

/// Bounds proved within a budget hold, are tighter with a larger budget, and are exact in the end.
#[test]
fn bounds_hold_and_close() {
    let mut open = 0;
    for (g, &goal) in GOALS.iter().enumerate() {
        for n in 0..80 {
            let mut stream = Stream::new(12, Purpose::Deal, (g as u64) << 32 | n);
            let position = random_ending(&mut stream, n as usize, goal);
            let values = Solver::new(1 << 20).values(&position);
            let value = Solver::new(1 << 20).value(&position);
            let mut width = u8::MAX;
            for nodes in [0, 30, 300, 3_000, u64::MAX] {
                // Empty, so that nothing is known from the smaller budget.
                let mut solver = Solver::new(1 << 20);
                let bounds = solver.bounds_within(&position, nodes);
                let holds =
                    |bounds: Bounds, value: u8| (bounds.least..=bounds.most).contains(&value);
                assert!(holds(bounds, value), "{position:?} {nodes}: {bounds:?}, not {value}");
                assert!(solver.nodes() <= nodes.saturating_add(120), "{nodes}");
                assert!(bounds.most - bounds.least <= width, "{position:?} {nodes}: {bounds:?}");
                width = bounds.most - bounds.least;
                open += u32::from(bounds.exact().is_none());
                solver.clear();
                let proved = solver.values_within(&position, nodes);
                assert_eq!(proved.len(), values.len());
                for (&(card, bounds), &(other, value)) in proved.iter().zip(&values) {
                    assert!(
                        card == other && holds(bounds, value),
                        "{position:?} {card}: {bounds:?}"
                    );
                }
            }
            assert_eq!(width, 0, "without a limit everything is proved");
        }
    }
    assert!(open > 100, "{open}");
}
