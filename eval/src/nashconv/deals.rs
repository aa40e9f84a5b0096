//! All deals of a small deck, and the size of a game before it is walked.

use troel_env::rng::{Purpose, Stream};
use troel_env::{BySeat, Card, CardSet, ContractKind, Deal, Deals, RuleSet, Seat, State};

use super::error::{MAX_HISTORIES, NashConvError};
use super::walk::{Node, PossibleDeal};

/// The dealer of every deal: North is eldest and calls first.
pub(super) const DEALER: Seat = Seat::West;

/// Random playouts for the estimate of the number of histories.
const N_PLAYOUTS: u64 = 2000;

/// Returns the number of deals; with a turn-up, each card of the dealer counts.
pub(super) fn number_of_deals(rules: &RuleSet) -> f64 {
    let cards = u32::from(rules.cards_per_hand());
    let factorial = |n: u32| (1..=n).fold(1.0, |product, i| product * f64::from(i));
    let turn_ups = if rules.has_turn_up() { f64::from(cards) } else { 1.0 };
    factorial(4 * cards) / factorial(cards).powi(4) * turn_ups
}

/// Estimates the number of histories from random playouts. The method is that of Knuth (1975,
/// "Estimating the efficiency of backtrack programs"). The estimate is the mean of the products of
/// the numbers of legal actions, times the number of deals.
pub(super) fn estimated_histories(rules: &'static RuleSet) -> f64 {
    let probe = |number| {
        let mut stream = Stream::new(1, Purpose::Action, number);
        let mut state = State::new(rules, &Deals::new(rules, 1).shuffled(number, DEALER));
        let mut product = 1.0;
        loop {
            let legal = state.legal_actions();
            let Some(action) = legal.draw(&mut stream) else { return product };
            product *= f64::from(legal.len());
            state.apply_unchecked(action);
        }
    };
    number_of_deals(rules) * (0..N_PLAYOUTS).map(probe).sum::<f64>() / N_PLAYOUTS as f64
}

/// Refuses a game that is too large, or in which some of the play is not public.
pub(super) fn check(rules: &'static RuleSet) -> Result<(), NashConvError> {
    let id = || rules.id().to_string();
    let hides = |kind: ContractKind| {
        kind.is_announced() || matches!(kind, ContractKind::SmallMisere | ContractKind::OpenMisere)
    };
    let deals = number_of_deals(rules);
    // A deck of all ranks needs no estimate, and its contracts are not the reason.
    let too_large = |histories| Err(NashConvError::TooLarge { rules: id(), deals, histories });
    if deals > MAX_HISTORIES {
        return too_large(estimated_histories(rules));
    }
    if let Some(row) = rules.rows().iter().find(|row| hides(row.kind)) {
        return Err(NashConvError::Contract { rules: id(), kind: row.kind.name() });
    }
    match estimated_histories(rules) {
        histories if histories > MAX_HISTORIES => too_large(histories),
        _ => Ok(()),
    }
}

/// Returns all hands that a seat may hold, and the roots of the tree. There is one root for each
/// turn-up, with all of its deals.
pub(super) fn roots(rules: &'static RuleSet) -> (Vec<CardSet>, Vec<Node>) {
    let size = u32::from(rules.cards_per_hand());
    let hands = subsets(rules.deck(), size);
    let mut dealt = Vec::new();
    let mut so_far = [0; 4];
    distribute(&hands, rules.deck(), 0, &mut so_far, &mut dealt);
    let turn_ups: Vec<Option<Card>> =
        if rules.has_turn_up() { rules.deck().iter().map(Some).collect() } else { vec![None] };
    let root = |turn_up: Option<Card>| {
        let fits = |of: &&[u16; 4]| {
            turn_up.is_none_or(|card| hands[usize::from(of[DEALER.index()])].has(card))
        };
        let deals: Vec<PossibleDeal> =
            dealt.iter().filter(fits).map(|&of| PossibleDeal::new(of)).collect();
        let first = deals.first()?;
        let held = BySeat(first.hands.map(|hand| hands[usize::from(hand)]));
        let deal = Deal { dealer: DEALER, hands: held, turn_up };
        Some(Node { state: State::new(rules, &deal), deals })
    };
    let roots = turn_ups.into_iter().filter_map(root).collect();
    (hands, roots)
}

/// Returns all sets of `size` of these cards.
fn subsets(mut cards: CardSet, size: u32) -> Vec<CardSet> {
    if size == 0 {
        return vec![CardSet::EMPTY];
    }
    let mut found = Vec::new();
    while let Some(card) = cards.lowest() {
        cards.remove(card);
        found.extend(subsets(cards, size - 1).into_iter().map(|set| set | CardSet::single(card)));
    }
    found
}

/// Appends every way to give the remaining cards to the seats from `seat` on.
fn distribute(
    hands: &[CardSet],
    left: CardSet,
    seat: usize,
    so_far: &mut [u16; 4],
    dealt: &mut Vec<[u16; 4]>,
) {
    if seat == Seat::ALL.len() {
        dealt.push(*so_far);
        return;
    }
    for (number, &hand) in hands.iter().enumerate() {
        if hand & left == hand {
            so_far[seat] = number as u16;
            distribute(hands, left - hand, seat + 1, so_far, dealt);
        }
    }
}
