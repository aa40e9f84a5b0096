//! Conversion of an observation to its features.
//!
//! Offsets are constants wherever they can be, and bits are gathered in registers. A write that
//! depends on the observation costs a round trip through memory.

use super::layout::*;
use super::packed::PackedFeatures;
use crate::action::{BID_NUMBERS, FIRST_CALL};
use crate::auction::{StandingContract, Status};
use crate::cards::{CardSet, N_CARDS, Suit};
use crate::hand::{misere_risk, sure_tricks, trick_estimate};
use crate::observation::{FullObservation, Observation, ObservationRef};
use crate::phase::Phase;
use crate::rules::{Family, Scoring, Spec};
use crate::seat::{BySeat, Seat, SeatSet};

/// Number of calls before `8S`, the first bid.
const OTHER_CALLS: u8 = BID_NUMBERS.start - FIRST_CALL;

const RELATIVE: [usize; 4] = [0, 1, 2, 3];

/// Returns a block of features of which one is on.
#[inline(always)]
const fn one_hot(index: usize) -> u64 {
    1 << (index & 63)
}

impl ObservationRef<'_> {
    /// Returns the features in packed form.
    pub fn pack(&self) -> PackedFeatures {
        let mut packed = PackedFeatures::default();
        self.pack_into(&mut packed);
        packed
    }

    /// Writes the features in packed form over `packed`.
    #[inline]
    pub fn pack_over(&self, packed: &mut PackedFeatures) {
        *packed = PackedFeatures::default();
        self.pack_into(packed);
    }

    /// Packs the features without a copy; `packed` must be empty.
    #[inline(always)]
    fn pack_into(&self, packed: &mut PackedFeatures) {
        self.pack_cards(packed);
        self.pack_auction(packed);
        self.pack_setting(packed);
        self.pack_hand(packed);
        if self.public().contract().is_some() {
            self.pack_contract(packed);
        }
        if self.public().phase() == Phase::Play {
            self.pack_play(packed);
        }
    }

    /// Writes the features, `N_FEATURES` of them.
    ///
    /// # Panics
    /// If `out` is of another length.
    #[inline]
    pub fn encode(&self, out: &mut [f32]) {
        let mut packed = PackedFeatures::default();
        self.pack_into(&mut packed);
        packed.expand(out);
    }

    #[inline(always)]
    fn relative(&self, seat: Seat) -> usize {
        seat.relative_to(self.seat())
    }

    /// Returns the seats, the observer's own first.
    #[inline(always)]
    fn seats(&self) -> [Seat; 4] {
        RELATIVE.map(|step| self.seat().plus(step))
    }

    /// Returns a set of seats as bits of relative seats.
    #[inline(always)]
    fn relative_set(&self, seats: SeatSet) -> u64 {
        let turned = u64::from(seats.0 | seats.0 << 4);
        turned >> self.seat().index() & 15
    }

    #[inline(always)]
    fn by_seat<T: Copy>(&self, values: &BySeat<T>) -> [T; 4] {
        self.seats().map(|seat| values[seat])
    }

    #[inline(always)]
    fn pack_cards(&self, packed: &mut PackedFeatures) {
        let public = self.public();
        packed.bits(HAND, self.hand().0);
        packed.bits(TRICK, public.trick().card_set().0);
        let played = self.by_seat(public.played());
        let shown = self.seats().map(|seat| self.shown(seat));
        let voids = self.by_seat(public.voids()).map(|suits| u64::from(suits.0));
        for step in RELATIVE {
            packed.bits(PLAYED + N_CARDS * step, played[step].0);
        }
        for (other, shown) in shown[1..].iter().enumerate() {
            packed.bits(KNOWN + N_CARDS * other, shown.0);
        }
        let unseen = self.outstanding() - shown[1] - shown[2] - shown[3];
        packed.bits(UNSEEN, unseen.0);
        packed.bits(VOIDS, voids[1] | voids[2] << 4 | voids[3] << 8);
    }

    #[inline(always)]
    fn pack_auction(&self, packed: &mut PackedFeatures) {
        let auction = self.public().auction();
        let (mut status, mut proposed) = (0, 0);
        for (step, seat) in self.seats().into_iter().enumerate() {
            status |= one_hot(Status::COUNT * step + auction.status(seat) as usize);
            let suit = auction.suit(seat);
            proposed |= suit.map_or(0, |suit| one_hot(4 * step + suit.index()));
        }
        packed.bits(STATUS, status);
        packed.bits(PROPOSED, proposed);
        let calls = self.by_seat(self.public().calls());
        for step in RELATIVE {
            let calls = calls[step].0 >> OTHER_CALLS & ((1 << N_BIDS) - 1);
            let offset = CALLS + N_BIDS * step;
            packed.bits(offset, calls as u64);
            packed.bits(offset + 64, (calls >> 64) as u64);
        }
        packed.bits(STANDING, self.relative_set(auction.standing_seats()));
        let highest = auction.highest_rank();
        if let Some(row) = highest.row() {
            packed.bits(HIGHEST_CALL_ROW, one_hot(usize::from(row)));
            packed.bits(HIGHEST_CALL_ORDER, one_hot(usize::from(highest.order())));
        }
        if let Some(announcer) = auction.announcer() {
            packed.bits(ANNOUNCER, one_hot(self.relative(announcer)));
        }
        if let (StandingContract::Call(_), Some(partner)) =
            (auction.standing_contract(), auction.partner(self.seat()))
            && self.public().contract().is_none()
        {
            packed.bits(PARTNER, one_hot(self.relative(partner)));
        }
    }

    #[inline(always)]
    fn pack_setting(&self, packed: &mut PackedFeatures) {
        let public = self.public();
        if public.phase() != Phase::Done {
            packed.bits(PHASE, one_hot(public.phase() as usize));
        }
        packed.bits(DEALER, one_hot(self.relative(public.dealer())));
        if let Some(card) = self.turn_up() {
            packed.bits(TURN_UP, one_hot(card.index()));
            packed.bits(TURN_UP_SUIT, one_hot(card.suit().index()));
        }
        packed.totals = self.by_seat(self.totals()).map(|t| (t as f32 / 100.0).clamp(-2.0, 2.0));
        let spec = public.rules().spec();
        packed.bits(OPTIONS, option_bits(spec));
        packed.target = (spec.match_target as f32 / 100.0).min(2.0);
    }

    #[inline(always)]
    fn pack_hand(&self, packed: &mut PackedFeatures) {
        let hand = self.hand();
        let lengths = Suit::ALL.map(|suit| hand.of(suit).len());
        let thermometer = |length: u32| ((1u64 << length) - 1) & ((1 << N_LENGTHS) - 1);
        let lengths = lengths.into_iter().rev();
        packed.bits(LENGTH, lengths.fold(0, |bits, len| bits << N_LENGTHS | thermometer(len)));
        packed.bits(ACES, one_hot(hand.aces().len() as usize));
        if self.public().phase().is_bidding() {
            self.pack_estimates(packed);
        }
    }

    #[inline(always)]
    fn pack_estimates(&self, packed: &mut PackedFeatures) {
        let hand = self.hand();
        let [s, c, d, h] = Suit::ALL.map(|suit| trick_estimate(hand, Some(suit)) / 8.0);
        packed.tricks = [s, c, d, h, trick_estimate(hand, None) / 8.0];
        for (step, seat) in self.seats().into_iter().enumerate().skip(1) {
            let suit = self.public().auction().suit(seat);
            packed.support[step - 1] = suit.map_or(0.0, |suit| packed.tricks[suit.index()]);
        }
        packed.support[3] = self.turn_up().map_or(0.0, |card| packed.tricks[card.suit().index()]);
        let deck = self.public().rules().deck();
        packed.misere = (misere_risk(hand, deck) / 4.0).min(2.0);
        packed.bits(WEAK, weak(hand, deck - hand).0);
        let sure = Suit::ALL.map(|suit| u32::from(sure_tricks(hand, deck, suit)));
        let levels = sure.map(|n| (1u64 << (n + 1).saturating_sub(MIN_SURE_TRICKS as u32)) - 1);
        packed.bits(SURE, levels.into_iter().rev().fold(0, |bits, n| bits << SURE_LEVELS | n));
    }

    #[inline(always)]
    fn pack_contract(&self, packed: &mut PackedFeatures) {
        let public = self.public();
        let Some(contract) = public.contract() else { return };
        packed.bits(KIND, one_hot(contract.kind.index()));
        packed.level = f32::from(contract.goal) / 13.0;
        packed.bits(TRUMP, one_hot(contract.trump.map_or(4, Suit::index)));
        let tricks = self.by_seat(public.tricks());
        packed.taken = tricks.map(|n| f32::from(n) / 13.0);
        let declarers = self.relative_set(contract.declarers);
        packed.bits(DECLARER, declarers);
        let ours: u8 = RELATIVE.map(|s| tricks[s] * (declarers >> s & 1) as u8).iter().sum();
        if contract.kind.is_negative() {
            let allowed = contract.kind.allowed_tricks();
            let below = RELATIVE.map(|s| u64::from(tricks[s] <= allowed) << s).iter().sum::<u64>();
            packed.bits(ALIVE, declarers & below);
        }
        let partner = contract.partner(self.seat()).map_or(0, |p| self.relative(p));
        packed.bits(PARTNER, one_hot(partner));
        packed.needed = (i32::from(contract.goal) - i32::from(ours)) as f32 / 13.0;
        let all = public.rules().cards_per_hand();
        packed.left = f32::from(all - tricks.iter().sum::<u8>()) / 13.0;
    }

    #[inline(always)]
    fn pack_play(&self, packed: &mut PackedFeatures) {
        let public = self.public();
        let Some(contract) = public.contract() else { return };
        let (hand, outstanding, trick) = (self.hand(), self.outstanding(), public.trick());
        packed.bits(POSITION, one_hot(trick.len()));
        let lowest: CardSet = lowest_of_each(hand);
        packed.bits(LOWEST, lowest.0);
        packed.bits(HIGHEST, highest_of_each(hand).0);
        if let (Some((seat, best)), Some(lead)) = (trick.winning(), trick.lead()) {
            packed.bits(WINNING, one_hot(self.relative(seat)));
            let allies = contract.side(self.seat()) - SeatSet::single(self.seat());
            packed.bits(PARTNER_WINS, allies.has(seat).into());
            let trumps = contract.trump.filter(|&t| t != best.suit());
            let ruffs = trumps.map_or(CardSet::EMPTY, Suit::cards);
            let wins = hand.above(best) | (hand & ruffs);
            packed.bits(WINS, wins.0);
            packed.bits(CHEAP, lowest_of_each(wins).0);
            // Once the trick is ruffed, every card of the suit led stays under.
            let led = hand.of(lead.suit());
            let under = if best.suit() == lead.suit() { led.below(best) } else { led };
            packed.bits(DUCK, under.highest_bit().0);
        } else {
            packed.bits(WINS, hand.0);
        }
        packed.bits(MASTERS, highest_in_suits(hand, outstanding).0);
        packed.outstanding = Suit::ALL.map(|suit| outstanding.of(suit).len() as f32 / 13.0);
        packed.trumps_out = contract.trump.map_or(0.0, |trump| packed.outstanding[trump.index()]);
        packed.unplayed = outstanding;
        packed.hand = hand;
        if contract.kind.is_misere() {
            self.pack_misere(packed, contract.declarers);
        }
    }

    fn pack_misere(&self, packed: &mut PackedFeatures, declarers: SeatSet) {
        let (public, hand) = (self.public(), self.hand());
        let unplayed = hand | self.outstanding();
        let [mut weak_cards, mut under, mut forces] = [CardSet::EMPTY; 3];
        for declarer in declarers.iter().filter(|&seat| public.tricks()[seat] == 0) {
            if declarer == self.seat() {
                weak_cards |= weak(hand, self.outstanding());
                continue;
            }
            let open = self.shown(declarer);
            let is_open = self.knows_hand(declarer);
            if is_open {
                weak_cards |= weak(open, unplayed - open);
                under |= below_all(hand, open);
            }
            let has_played = public.trick().cards().any(|(seat, _)| seat == declarer);
            // Without trumps the best card is of the suit led.
            forces |= match public.trick().winning() {
                Some((seat, best)) if seat == declarer => hand - hand.above(best),
                Some((_, best)) if is_open && !has_played => {
                    let led = open.of(best.suit());
                    match led.is_empty() || !led.below(best).is_empty() {
                        true => CardSet::EMPTY,
                        false => (hand - hand.above(best)) | below_all(hand, led),
                    }
                }
                None if is_open => below_all(hand, open),
                _ => CardSet::EMPTY,
            };
        }
        packed.bits(WEAK, weak_cards.0);
        packed.bits(UNDER, under.0);
        packed.bits(FORCES, forces.0);
    }
}

impl Observation {
    /// Writes the features, `N_FEATURES` of them; see [`crate::features`].
    ///
    /// # Panics
    /// If `out` is of another length.
    pub fn encode(&self, out: &mut [f32]) {
        self.as_ref().encode(out);
    }

    /// Returns the features in packed form.
    pub fn pack(&self) -> PackedFeatures {
        self.as_ref().pack()
    }
}

impl FullObservation {
    /// Writes the seat's features and the cards of the others, `N_FULL_FEATURES` in all.
    ///
    /// # Panics
    /// If `out` is of another length.
    pub fn encode_full(&self, out: &mut [f32]) {
        assert_eq!(out.len(), N_FULL_FEATURES, "encode_full needs N_FULL_FEATURES values");
        let (own, others) = out.split_at_mut(N_FEATURES);
        self.observation().encode(own);
        others.fill(0.0);
        for step in 1..4 {
            for card in self.hands()[self.observation().seat().plus(step)] {
                others[N_CARDS * (step - 1) + card.index()] = 1.0;
            }
        }
    }
}

/// Returns the rule options as bits, in the order of the documentation of [`OPTIONS`].
#[inline(always)]
fn option_bits(spec: &Spec) -> u64 {
    let options = [
        spec.family == Family::TurnUp,
        spec.scoring == Scoring::Settlement,
        spec.share_miseres,
        spec.stay,
        spec.solo_needs_proposal,
        spec.exchange,
        spec.troel_leads_key_card,
    ];
    options.into_iter().rev().fold(0, |bits, on| bits << 1 | u64::from(on))
}

#[inline(always)]
fn lowest_of_each(cards: CardSet) -> CardSet {
    Suit::ALL.into_iter().map(|suit| cards.of(suit).lowest_bit()).collect()
}

#[inline(always)]
fn highest_of_each(cards: CardSet) -> CardSet {
    Suit::ALL.map(|suit| cards.of(suit).highest_bit()).into_iter().collect()
}

/// Returns the cards of a misère declarer that the others may stay below however it ducks. The
/// others hold more lower cards of the suit than the declarer.
#[inline(always)]
fn weak(hand: CardSet, others: CardSet) -> CardSet {
    hand.iter().filter(|&card| others.below(card).len() > hand.below(card).len()).collect()
}

/// Returns the cards of a hand that lie below all cards of their suit in another hand. Suits that
/// the other hand lacks do not count.
#[inline(always)]
fn below_all(hand: CardSet, other: CardSet) -> CardSet {
    lowest_of_each(other).iter().map(|lowest| hand.below(lowest)).collect()
}

/// Returns the cards in hand above which none of their suit is outstanding.
#[inline(always)]
fn highest_in_suits(hand: CardSet, outstanding: CardSet) -> CardSet {
    let of_suit = |suit| {
        let beaten = u64::MAX.checked_shr(outstanding.of(suit).0.leading_zeros()).unwrap_or(0);
        hand.of(suit) - CardSet(beaten)
    };
    Suit::ALL.into_iter().map(of_suit).collect()
}
