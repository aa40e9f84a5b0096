//! Redeals of the hidden cards that are consistent with the knowledge of one seat.

use crate::cards::{Card, CardSet};
use crate::contract::ContractKind;
use crate::deal::Deal;
use crate::rng::Stream;
use crate::seat::{BySeat, Seat};
use crate::state::{State, announcement};

/// Deals drawn before a position is given up.
const MAX_ATTEMPTS: u32 = 200;

/// Draws another state that `seat` cannot tell from this one. The cards that it does not see are
/// dealt again among the other seats, aces and a hidden turn-up too.
///
/// A new deal is kept if it fits all that is public:
/// - The same seat announces trou or troel (or nobody).
/// - A key card that the seat knows calls the partner.
/// - The same calls and cards are legal in the same order.
/// - Suits shown not to be held are not held.
/// - The contract is the same.
///
/// `None` if no such deal is found within 200 attempts.
pub fn redeal(state: &State, seat: Seat, stream: &mut Stream) -> Option<State> {
    (0..MAX_ATTEMPTS).find_map(|_| attempt(state, seat, stream))
}

fn attempt(state: &State, seat: Seat, stream: &mut Stream) -> Option<State> {
    let (mut hands, aside) = draw(state, seat, stream)?;
    for other in Seat::ALL {
        hands[other] |= state.public.played[other] | aside[other];
    }
    if let Some(exchange) = state.exchanged() {
        exchange.undo(state.public.dealer, &mut hands);
    }
    let announced = announcement(state.public.rules, &hands);
    if announced.map(|(announcer, _)| announcer) != state.public.auction.announcer
        || knows_key(state, seat) && announced.map(|(_, key)| key) != state.key_card
    {
        return None;
    }
    let sees_turn_up = state.public.turn_up_open || seat == state.public.dealer;
    let turn_up = match state.turn_up {
        Some(_) if !sees_turn_up => {
            let n = stream.below(state.public.rules.cards_per_hand().into());
            hands[state.public.dealer].iter().nth(n as usize)
        }
        turn_up => turn_up,
    };
    let deal = Deal { dealer: state.public.dealer, hands, turn_up };
    // The history hides the cards that the others laid aside, because they are other cards now.
    let history = state.as_seen_by(seat).history;
    let aside = BySeat::from_fn(|s| aside[s].lowest());
    let other = State::new(state.public.rules, &deal).replay(&history, &aside)?;
    let same = other.public.contract == state.public.contract
        && (other.public.phase, other.public.turn) == (state.public.phase, state.public.turn);
    same.then_some(other)
}

/// Returns whether a seat can work out which card calls the announcer's partner. This is written
/// independently of the engine, so that the two can be compared. The announcer knows, and so does a
/// seat that was dealt an ace, because its own is the only one missing. All know where the rules
/// have that card led in a troel that is played.
fn knows_key(state: &State, seat: Seat) -> bool {
    let Some(announcer) = state.public.auction.announcer else { return true };
    let is_troel = state.public.contract.is_some_and(|c| c.kind == ContractKind::Troel);
    let led = state.public.rules.spec.troel_leads_key_card && is_troel;
    let cards = state.hands[seat] | state.public.played[seat] | state.dealt_hands()[seat];
    announcer == seat || led || !cards.aces().is_empty()
}

/// Deals the cards that `seat` does not see to the hands and the laid-aside cards of the others.
fn draw(
    state: &State,
    seat: Seat,
    stream: &mut Stream,
) -> Option<(BySeat<CardSet>, BySeat<CardSet>)> {
    let (mut hands, mut aside) = (state.hands, state.laid_aside);
    let mut loose = CardSet::EMPTY;
    let mut room = BySeat([0; 4]);
    let mut room_aside = BySeat([0; 4]);
    for other in Seat::ALL.into_iter().filter(|&s| s != seat) {
        let known = state.public.shown[other] - state.public.played[other];
        loose |= (hands[other] - known) | aside[other];
        room[other] = (hands[other] - known).len();
        room_aside[other] = aside[other].len();
        (hands[other], aside[other]) = (known, CardSet::EMPTY);
    }
    let may_hold = |s: Seat, card: Card| !state.public.voids[s].has(card.suit());
    let mut cards: Vec<Card> = loose.iter().collect();
    stream.shuffle(&mut cards);
    // Cards that few seats may hold come first, while there is still room for them.
    cards.sort_by_key(|&card| Seat::ALL.into_iter().filter(|&s| may_hold(s, card)).count());
    for card in cards {
        let places = |s: Seat| [if may_hold(s, card) { room[s] } else { 0 }, room_aside[s]];
        let total: u32 = Seat::ALL.into_iter().flat_map(places).sum();
        let mut pick = stream.below(total);
        let place = Seat::ALL.into_iter().flat_map(|s| [(s, 0), (s, 1)]).find(|&(s, kind)| {
            let n = places(s)[kind];
            let here = pick < n;
            pick = pick.saturating_sub(if here { 0 } else { n });
            here
        });
        let (holder, kind) = place?;
        let (set, left) = if kind == 0 {
            (&mut hands[holder], &mut room[holder])
        } else {
            (&mut aside[holder], &mut room_aside[holder])
        };
        set.insert(card);
        *left -= 1;
    }
    Some((hands, aside))
}
