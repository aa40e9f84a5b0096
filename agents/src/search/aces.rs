//! Placements of the unseen aces that an announcement of trou or troel allows.

use troel_env::{Card, CardSet, ContractKind, Observation, Seat, SeatSet, Suit};

/// A way to place the cards that an announcement speaks of: in the hands of the three other seats,
/// clockwise from the observer, and among the cards that each of them laid aside.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placement {
    pub hands: [CardSet; 3],
    pub aside: [CardSet; 3],
}

impl Placement {
    const NOTHING: Placement = Placement { hands: [CardSet::EMPTY; 3], aside: [CardSet::EMPTY; 3] };
}

/// The unseen cards that the announcement speaks of, and every way to place them that it allows.
///
/// If another seat announced, these are all unseen aces: three (of a troel three or four) are the
/// announcer's, and once trou or troel is played, its partner is who holds the fourth. Of four
/// aces, the highest heart that the announcer lacks decides: then the unseen hearts above it are
/// the announcer's, too. If the observer announced, it is the card that made its holder the
/// partner.
pub(super) fn placements(obs: &Observation, laid_aside: SeatSet) -> (CardSet, Vec<Placement>) {
    let me = obs.seat();
    let Some(announcer) = obs.state().auction().announcer() else {
        return (CardSet::EMPTY, vec![Placement::NOTHING]);
    };
    let contract = obs.state().contract().filter(|contract| contract.kind.is_announced());
    let partner = contract.and_then(|c| (c.declarers - SeatSet::single(announcer)).first());
    if announcer == me {
        let key = obs.key_card().filter(|&card| obs.unseen().has(card));
        let mut placement = Placement::NOTHING;
        let Some((seat, card)) = partner.zip(key) else {
            return (CardSet::EMPTY, vec![placement]);
        };
        placement.hands[seat.relative_to(me) - 1].insert(card);
        return (CardSet::single(card), vec![placement]);
    }
    let aces = obs.unseen().aces();
    let mut found = Vec::new();
    let list: Vec<Card> = aces.collect();
    let mut known = Placement::NOTHING;
    let own = || own_key(obs).filter(|_| partner == Some(me));
    let key = obs.key_card().or_else(|| obs.key_that_was_led()).or_else(own);
    let hearts = match key {
        Some(key) if key.rank() != 12 && !laid_aside.has(announcer) => {
            obs.unseen().above(key) - aces
        }
        _ => CardSet::EMPTY,
    };
    known.hands[announcer.relative_to(me) - 1] = hearts;
    place_all(obs, laid_aside, &list, known, &mut |placement| {
        if fits(obs, announcer, partner, key, placement) {
            found.push(*placement);
        }
    });
    (aces | hearts, found)
}

/// The card that made the observer the partner: its ace, or without one its highest heart.
fn own_key(obs: &Observation) -> Option<Card> {
    let me = obs.seat();
    let own: CardSet = (obs.hand() | obs.played(me)) | obs.laid_aside().into_iter().collect();
    own.aces().highest().or_else(|| own.of(Suit::Hearts).highest())
}

/// Visits every way to place the cards in hands that may hold them and among cards laid aside.
fn place_all(
    obs: &Observation,
    laid_aside: SeatSet,
    cards: &[Card],
    placement: Placement,
    visit: &mut impl FnMut(&Placement),
) {
    let Some((&card, rest)) = cards.split_first() else { return visit(&placement) };
    for place in 0..3 {
        let seat = obs.seat().plus(place + 1);
        if obs.voids(seat) >> card.suit() as u8 & 1 == 0 {
            let mut next = placement;
            next.hands[place].insert(card);
            place_all(obs, laid_aside, rest, next, visit);
        }
        if laid_aside.has(seat) && placement.aside[place].is_empty() {
            let mut next = placement;
            next.aside[place].insert(card);
            place_all(obs, laid_aside, rest, next, visit);
        }
    }
}

/// Whether a placement of all unseen aces agrees with the announcement, and with who became the
/// partner.
fn fits(
    obs: &Observation,
    announcer: Seat,
    partner: Option<Seat>,
    key: Option<Card>,
    placement: &Placement,
) -> bool {
    let aces_of = |seat: Seat| {
        let seen = obs.known(seat) | obs.played(seat);
        let unseen = match seat.relative_to(obs.seat()) {
            0 => obs.laid_aside().into_iter().collect(),
            step => placement.hands[step - 1] | placement.aside[step - 1],
        };
        (seen | unseen).aces()
    };
    let missing = CardSet::FULL.aces() - aces_of(announcer);
    match missing.len() {
        0 => {
            // Of four aces, a heart decides who is the partner.
            obs.state().rules().announced() == Some(ContractKind::Troel)
                && key.is_none_or(|key| key.rank() != 12)
        }
        1 => {
            key.is_none_or(|key| missing.has(key))
                && partner.is_none_or(|seat| !(aces_of(seat) & missing).is_empty())
        }
        _ => false,
    }
}
