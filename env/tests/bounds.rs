//! Bounds of scores and of the number of actions: against a second derivation, against play at
//! random, and against every auction of small rule sets.

mod common;

use std::collections::HashMap;

use common::play;
use troel_env::rng::{Purpose, Stream};
use troel_env::rules::{ContractSpec, Scoring, Spec};
use troel_env::{Action, BySeat, CardSet, ContractKind, Deal, Deals, Phase, RuleSet, Seat, State};

/// Variants of each built-in rule set that are tested.
const VARIANTS: u64 = 20;

fn built_in_and_variants() -> impl Iterator<Item = &'static RuleSet> {
    RuleSet::all_built_in().into_iter().flat_map(|rules| {
        std::iter::once(rules).chain((0..VARIANTS).map(|number| rules.variant(5, number)))
    })
}

/// Returns the scores that a contract of this row can give with a full deck, declarers first. They
/// are derived from the figures of the row, without [`troel_env::score`].
fn scores_of_row(spec: &Spec, row: &ContractSpec) -> Vec<[i32; 4]> {
    if row.kind.is_negative() {
        scores_of_negative_row(spec, row)
    } else {
        scores_of_positive_row(spec, row)
    }
}

fn scores_of_negative_row(spec: &Spec, row: &ContractSpec) -> Vec<[i32; 4]> {
    let mut scores = Vec::new();
    for declarers in 1..=if spec.share_miseres { 4 } else { 1 } {
        for failures in 0..=declarers {
            let figure = |seat| match seat {
                seat if seat < failures => -row.failed,
                seat if seat < declarers => row.made[0],
                _ => 0,
            };
            let figures = [0, 1, 2, 3].map(figure);
            let opponents = match (failures, row.opponents_several) {
                (0, _) => 0,
                (1, _) | (_, None) => row.opponents,
                (_, Some(several)) => several,
            };
            scores.push(match spec.scoring {
                // Each declarer settles with each of the other three.
                Scoring::Settlement => figures.map(|own| 4 * own - figures.iter().sum::<i32>()),
                Scoring::Table => [0, 1, 2, 3]
                    .map(|seat| if seat < declarers { figures[seat] } else { opponents }),
            });
        }
    }
    scores
}

fn scores_of_positive_row(spec: &Spec, row: &ContractSpec) -> Vec<[i32; 4]> {
    let is_pair = matches!(row.kind, ContractKind::Suit | ContractKind::Trou | ContractKind::Troel);
    let extra = i32::from(row.kind == ContractKind::Troel);
    let mut scores = Vec::new();
    for level in i32::from(row.level)..=i32::from(row.level) + extra {
        for taken in 0..=13 {
            let (ours, theirs) = if taken < level {
                let short = level - taken;
                let lost = row.failed + row.undertrick * short;
                (-lost, row.opponents + row.opponents_undertrick * short)
            } else {
                let listed = row.made.len() as i32 - 1;
                let over = (taken - level).min(listed);
                let beyond = taken - level - over;
                let factor = if taken == 13 { row.all_tricks_factor } else { 1 };
                (factor * (row.made[over as usize] + beyond * row.overtrick), 0)
            };
            scores.push(match (spec.scoring, is_pair) {
                (Scoring::Table, true) => [ours, ours, theirs, theirs],
                (Scoring::Table, false) => [ours, theirs, theirs, theirs],
                (Scoring::Settlement, true) => [ours, ours, -ours, -ours],
                (Scoring::Settlement, false) => [3 * ours, -ours, -ours, -ours],
            });
        }
    }
    scores
}

#[test]
fn scores_have_the_range_of_their_figures() {
    for rules in built_in_and_variants() {
        let rows = rules.rows().iter();
        let scores: Vec<_> = rows.flat_map(|row| scores_of_row(rules.spec(), row)).collect();
        let all = scores.iter().flatten().copied();
        let range = all.clone().min().expect("a row")..=all.max().expect("a row");
        assert_eq!(rules.score_range(), range, "{rules:?}");
        let centred = scores.iter().flat_map(|seats| {
            let mean = f64::from(seats.iter().sum::<i32>()) / 4.0;
            seats.map(|own| f64::from(own) - mean)
        });
        let range = centred.clone().fold(0.0, f64::min)..=centred.fold(0.0, f64::max);
        assert_eq!(rules.centred_score_range(), range, "{rules:?}");
    }
}

/// The range of `wiezen` and `iwwa` is a solo slim: 30 from or to each of three opponents. That of
/// the others is a slam: 200, and 66 for each opponent if it fails.
#[test]
fn ranges_of_the_built_in_rule_sets() {
    for (name, scores, centred, max_actions) in [
        ("luxembourg", -200..=200, -199.5..=150.0, 136),
        ("horesca", -200..=200, -199.5..=150.0, 124),
        ("wiezen", -90..=90, -90.0..=90.0, 78),
        ("iwwa", -90..=90, -90.0..=90.0, 157),
    ] {
        let rules = RuleSet::built_in(name).expect("built in");
        assert_eq!(rules.score_range(), scores, "{name}");
        assert_eq!(rules.centred_score_range(), centred, "{name}");
        assert_eq!(rules.max_actions(), max_actions, "{name}");
    }
}

#[test]
fn no_deal_leaves_the_bounds() {
    for rules in built_in_and_variants() {
        for seed in 0..100 {
            let end = play(rules, seed, |_| {});
            let scores = end.scores().expect("over");
            assert!(scores.iter().all(|own| rules.score_range().contains(own)), "{end:?}");
            assert!(end.history().len() <= rules.max_actions(), "{end:?}");
        }
    }
}

/// In a game of eight cards, play at random reaches both ends of the range.
#[test]
fn a_small_game_reaches_its_range() {
    let text = include_str!("../../examples/rules/small-8.toml");
    let rules = RuleSet::from_toml(text, "small-8.toml").expect("a good file");
    let (mut lowest, mut highest) = (0, 0);
    for n in 0..20_000 {
        let deal = Deals::new(rules, 5).shuffled(n, Seat::from_index_wrapping(n as usize));
        let mut state = State::new(rules, &deal);
        let mut stream = Stream::new(5, Purpose::Action, n);
        while let Some(action) = state.legal_actions().sample(&mut stream) {
            state.apply_unchecked(action);
        }
        for &own in state.scores().expect("over").iter() {
            (lowest, highest) = (lowest.min(own), highest.max(own));
        }
    }
    assert_eq!(lowest..=highest, rules.score_range());
}

/// Returns the maximum number of actions of any continuation. Auctions are searched exhaustively.
/// After them only refusals in an exchange lengthen a deal.
fn longest(state: &State, known: &mut HashMap<String, usize>) -> usize {
    if state.phase() != Phase::Auction {
        return longest_after_auction(*state);
    }
    let position = format!("{:?} {:?}", state.turn(), state.auction());
    if let Some(&length) = known.get(&position) {
        return length;
    }
    let after = |action| {
        let mut after = *state;
        after.apply_unchecked(action);
        1 + longest(&after, known)
    };
    let length = state.legal_actions().iter().map(after).max().expect("a call is legal");
    known.insert(position, length);
    length
}

fn longest_after_auction(mut state: State) -> usize {
    let calls = state.history().len();
    while !state.is_done() {
        let legal = state.legal_actions();
        let declarers = state.contract().map(|contract| contract.declarers);
        let theirs: CardSet = declarers
            .into_iter()
            .flat_map(|seats| seats.iter())
            .flat_map(|seat| state.hands()[seat])
            .collect();
        let lengthening = match state.phase() {
            Phase::Exchange => (legal.cards & theirs).lowest().map(Action::card),
            Phase::Answer => Some(Action::REFUSE),
            _ => None,
        };
        let action = lengthening.or_else(|| legal.nth_action(0)).expect("an action is legal");
        state.apply_unchecked(action);
    }
    state.history().len() - calls
}

/// Hands of two deals. North deals both, and holds three aces in the second one.
const DEALS: [&str; 2] = [
    "N:752.7.AQT7.AT976 AJ984.AK9.2.KQ83 QT6.QT854.K83.J2 K3.J632.J9654.54",
    "N:A52.A.QT72.AT976 J9874.K97.A.KQ83 QT6.QT854.K83.J2 K3.J632.J9654.54",
];

/// Largest excess of the bound over the longest auction. The bound counts calls that exclude each
/// other.
const MAX_EXCESS: usize = 16;

#[test]
fn no_auction_is_longer_than_the_bound() {
    let kinds = |name: &str, kinds: &[(ContractKind, u8)]| {
        let mut spec = RuleSet::built_in(name).expect("built in").spec().clone();
        spec.contract.retain(|row| kinds.contains(&(row.kind, row.level)));
        spec.share_miseres = true;
        RuleSet::from_spec(spec, name).expect("valid")
    };
    use ContractKind::{Misere, Solo, Suit, Trou};
    for rules in [
        RuleSet::built_in("wiezen").expect("built in"),
        RuleSet::built_in("iwwa").expect("built in"),
        kinds("luxembourg", &[(Suit, 8), (Trou, 9), (Misere, 0)]),
        kinds("horesca", &[(Suit, 8), (Solo, 6), (Trou, 9), (Misere, 0)]),
    ] {
        let found = DEALS.map(|hands| {
            let hands = troel_env::parse_hands(hands).expect("hands");
            let hands = BySeat::from_fn(|s| hands[s].expect("all four"));
            let turn_up = rules.has_turn_up().then(|| hands[Seat::North].lowest()).flatten();
            let deal = Deal { dealer: Seat::North, hands, turn_up };
            assert_eq!(deal.check(rules), Ok(()));
            longest(&State::new(rules, &deal), &mut HashMap::new())
        });
        let (found, bound) = (found.into_iter().max().expect("two"), rules.max_actions());
        assert!((found..=found + MAX_EXCESS).contains(&bound), "{rules:?}: {found}, {bound}");
    }
}
