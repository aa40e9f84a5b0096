//! Placements of the unseen aces that an announcement of trou or troel allows.

use troel_env::{Card, CardSet, ContractKind, Observation, Seat, SeatSet, Suit};

/// Placement of the cards that an announcement determines.
///
/// The indices are the three other seats, clockwise from the observer.
#[derive(Clone, Copy, Debug)]
pub(in crate::search) struct Placement {
    /// Cards placed in the hands of the seats.
    pub hands: [CardSet; 3],
    /// Cards placed among those that the seats laid aside.
    pub aside: [CardSet; 3],
}

impl Placement {
    const NOTHING: Placement = Placement { hands: [CardSet::EMPTY; 3], aside: [CardSet::EMPTY; 3] };
}

/// Returns the unseen cards that the announcement determines, and their allowed placements.
///
/// If another seat announced, these are all unseen aces. Three of them (for a troel three or four)
/// are the announcer's, and in trou or troel its partner holds the fourth. If the announcer has
/// four aces, the partner holds the highest heart that the announcer lacks, and the announcer holds
/// the unseen hearts above it. If the observer announced, it is the card that made its holder the
/// partner.
pub(in crate::search) fn placements(
    obs: &Observation,
    laid_aside: SeatSet,
) -> (CardSet, Vec<Placement>) {
    let me = obs.seat();
    let Some(announcer) = obs.public().auction().announcer() else {
        return (CardSet::EMPTY, vec![Placement::NOTHING]);
    };
    let contract = obs.public().contract().filter(|contract| contract.kind.is_announced());
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
    let list: Vec<Card> = aces.iter().collect();
    let mut known = Placement::NOTHING;
    let own = || own_key(obs).filter(|_| partner == Some(me));
    let key = obs.key_card().or_else(|| obs.led_key_card()).or_else(own);
    let hearts = match key {
        Some(key) if !key.is_ace() && !laid_aside.has(announcer) => obs.unseen().above(key) - aces,
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

/// Returns the card that made the observer the partner: its ace, or without one its highest heart.
fn own_key(obs: &Observation) -> Option<Card> {
    let me = obs.seat();
    let own: CardSet = (obs.hand() | obs.played(me)) | obs.laid_aside().into_iter().collect();
    own.aces().highest().or_else(|| own.of(Suit::Hearts).highest())
}

/// Visits all placements of the cards in hands that may hold them and among cards laid aside.
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
        if !obs.voids(seat).has(card.suit()) {
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

/// Returns whether a placement of all unseen aces agrees with the announcement and the partner.
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
            // With four aces, a heart determines the partner.
            obs.public().rules().announced() == Some(ContractKind::Troel)
                && key.is_none_or(|key| !key.is_ace())
        }
        1 => {
            key.is_none_or(|key| missing.has(key))
                && partner.is_none_or(|seat| !(aces_of(seat) & missing).is_empty())
        }
        _ => false,
    }
}
