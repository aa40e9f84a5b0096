//! The flat feature vector: fixed size, relative to the observer, versioned.
//!
//! [`BLOCKS`] documents it feature by feature. "Relative" counts seats clockwise from the
//! observer: 0 itself, 1 left, 2 opposite, 3 right. Cards are numbered as actions. All values
//! lie in −2 to 2, nearly all in 0 to 1.

use crate::auction::{Standing, Status};
use crate::cards::{CardSet, Suit};
use crate::contract::ContractKind;
use crate::hand::{misere_risk, trick_estimate};
use crate::observation::{FullObservation, View};
use crate::rules::Family;
use crate::seat::{Seat, SeatSet};
use crate::state::Phase;

/// Version of the layout; raised whenever a feature moves or changes its meaning.
pub const FEATURE_VERSION: u32 = 1;

/// Calls from `8S` to `solo-slim`, the ones that announce something.
const ANNOUNCEMENTS: usize = 71;

/// Lengths that the hand features tell apart: at least 1 to at least 8 cards.
const LENGTHS: usize = 8;

/// A run of features.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// Name.
    pub name: &'static str,
    /// Number of features.
    pub len: usize,
    /// Meaning.
    pub doc: &'static str,
}

macro_rules! blocks {
    ($($id:ident $len:expr, $doc:literal;)*) => {
        /// The layout, in order.
        pub const BLOCKS: &[Block] =
            &[$(Block { name: stringify!($id), len: $len, doc: $doc },)*];
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        #[repr(usize)]
        enum Id { $($id,)* }
        $(const $id: usize = offset(Id::$id as usize);)*
    };
}

const fn offset(block: usize) -> usize {
    let (mut sum, mut i) = (0, 0);
    while i < block {
        sum += BLOCKS[i].len;
        i += 1;
    }
    sum
}

blocks! {
    HAND 52, "own cards";
    PLAYED 4 * 52, "cards played, by relative seat";
    TRICK 52, "cards in the current trick";
    KNOWN 3 * 52, "cards known in the hands of relative seats 1 to 3 (shown, exchanged)";
    UNSEEN 52, "cards whose place is not known";
    VOIDS 3 * 4, "suits that relative seats 1 to 3 have shown not to hold (S C D H each)";
    PHASE Phase::COUNT, "phase, one-hot: auction trump discard exchange answer play";
    KIND ContractKind::COUNT, "kind of contract, one-hot in the order of `ContractKind::ALL`";
    LEVEL 1, "tricks to make / 13";
    TRUMP 5, "trumps, one-hot S C D H; the last: contract without trumps (or not yet named)";
    DECLARER 4, "declarers by relative seat";
    PARTNER 4, "partner by relative seat, one-hot (0: none); in the auction, the standing pair's";
    TAKEN 4, "tricks taken / 13 by relative seat";
    NEEDED 1, "tricks the declaring side still needs / 13, negative once it has more";
    LEFT 1, "tricks not yet finished / 13";
    POSITION 4, "number of cards in the current trick, one-hot 0 to 3";
    WINNING 4, "seat that wins the current trick as it stands, relative, one-hot";
    PARTNER_WINS 1, "the partner (or a fellow defender against a lone player) wins it";
    STATUS 4 * Status::COUNT, "status in the auction by relative seat, one-hot";
    PROPOSED 4 * 4, "suit proposed or gone along with by relative seat, one-hot S C D H";
    CALLS 4 * ANNOUNCEMENTS, "calls from 8S to solo-slim made by relative seat";
    BAR_ROW 24, "row of the highest announcement, one-hot";
    BAR_ORDER 5, "order within that row (suit S C D H NT), one-hot";
    STANDING 4, "seats of the standing contract, relative";
    ANNOUNCER 4, "announcer of trou or troel, relative, one-hot";
    DEALER 4, "dealer, relative, one-hot";
    TURN_UP 52, "turn-up, if seen, one-hot";
    TURN_UP_SUIT 4, "its suit, one-hot";
    TOTALS 4, "match points before the deal / 100 by relative seat, −2 to 2";
    OPTIONS 8, "rule options: turn-up family, zero-sum, shared misères, stay, solo needs \
        proposal, exchange, key card led, match target / 100";
    LENGTH 4 * LENGTHS, "own length by suit: at least 1 to at least 8 cards";
    ACES 5, "own aces, one-hot 0 to 4";
    TRICKS 5, "own trick estimate / 8 with S C D H or no trumps; in the auction and trump choice";
    SUPPORT 4, "trick estimate / 8 in the suit that relative seats 1 to 3 proposed; the turn-up suit";
    MISERE 1, "risk of a misère / 4 (capped at 2); in the auction";
    MASTERS 52, "own cards above which no card of the suit is outstanding; in play";
    WINS 52, "own cards that would take the current trick as it stands; in play";
    ABOVE 52, "own cards: outstanding cards above it in the suit / 12; in play";
    BELOW 52, "own cards: outstanding cards below it in the suit / 12; in play";
    LOWEST 52, "own lowest card of each suit; in play";
    HIGHEST 52, "own highest card of each suit; in play";
    DUCK 52, "own highest card that follows suit and stays under the winning card; in play";
    CHEAP 52, "own lowest card that takes the trick by following suit, own lowest trump that \
        takes it; in play";
    ALIVE 4, "declarers of a misère or piccolo who have not failed, by relative seat";
    OUTSTANDING 4, "outstanding cards by suit / 13; in play";
    TRUMPS_OUT 1, "outstanding trumps / 13; in play";
}

/// Number of features.
pub const N_FEATURES: usize = offset(BLOCKS.len());

/// Number of features of a [`FullObservation`]: those of the seat, then the cards held by
/// relative seats 1 to 3.
pub const N_FULL_FEATURES: usize = N_FEATURES + 3 * 52;

/// The bits of each byte, lowest first, as ones and zeros.
static EXPANDED: [[f32; 8]; 256] = {
    let mut table = [[0.0; 8]; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut bit = 0;
        while bit < 8 {
            table[byte][bit] = (byte >> bit & 1) as f32;
            bit += 1;
        }
        byte += 1;
    }
    table
};

/// A buffer that features are set in.
struct Writer<'a>(&'a mut [f32; N_FEATURES]);

impl Writer<'_> {
    #[inline(always)]
    fn set(&mut self, index: usize, value: f32) {
        self.0[index] = value;
    }

    #[inline(always)]
    fn one(&mut self, index: usize) {
        self.0[index] = 1.0;
    }

    /// Writes the lowest `N` bits as ones and zeros. By table: the same work whatever the bits,
    /// and no branch that depends on them.
    #[inline(always)]
    fn bits<const N: usize>(&mut self, offset: usize, mut bits: u64) {
        let out = &mut self.0[offset..offset + N];
        let mut chunks = out.chunks_exact_mut(8);
        for chunk in &mut chunks {
            chunk.copy_from_slice(&EXPANDED[bits as usize & 255]);
            bits >>= 8;
        }
        let rest = chunks.into_remainder();
        let len = rest.len();
        rest.copy_from_slice(&EXPANDED[bits as usize & 255][..len]);
    }

    #[inline(always)]
    fn cards(&mut self, offset: usize, cards: CardSet) {
        self.bits::<52>(offset, cards.0);
    }

    #[inline(always)]
    fn clear(&mut self, from: usize, to: usize) {
        self.0[from..to].fill(0.0);
    }

    #[inline]
    fn flag(&mut self, index: usize, on: bool) {
        self.0[index] = f32::from(u8::from(on));
    }
}

impl View<'_> {
    /// Writes the features, `N_FEATURES` of them.
    ///
    /// # Panics
    /// If `out` is of another length.
    pub fn encode(&self, out: &mut [f32]) {
        let out: &mut [f32; N_FEATURES] =
            out.try_into().expect("encode needs a buffer of N_FEATURES values");
        let mut w = Writer(out);
        // Blocks of cards and calls are written whole, so only the rest is cleared.
        w.clear(VOIDS, CALLS);
        self.write_cards(&mut w);
        w.clear(BAR_ROW, MASTERS);
        self.write_auction(&mut w);
        w.clear(MASTERS, N_FEATURES);
        self.write_setting(&mut w);
        self.write_hand(&mut w);
        if self.public().contract().is_some() {
            self.write_contract(&mut w);
        }
        if self.public().phase() == Phase::Play {
            self.write_play(&mut w);
        }
    }

    #[inline]
    fn relative(&self, seat: Seat) -> usize {
        seat.relative_to(self.seat())
    }

    fn write_cards(&self, w: &mut Writer<'_>) {
        w.cards(HAND, self.hand());
        let on_table = self.public().trick().cards();
        w.cards(TRICK, on_table.map(|(_, card)| card).collect());
        let mut unseen = self.outstanding();
        for step in 0..4 {
            let seat = self.seat().plus(step);
            w.cards(PLAYED + 52 * step, self.played(seat));
            if step > 0 {
                let known = self.known(seat);
                w.cards(KNOWN + 52 * (step - 1), known);
                unseen -= known;
                let voids = self.public().voids[seat];
                w.bits::<4>(VOIDS + 4 * (step - 1), voids.into());
            }
        }
        w.cards(UNSEEN, unseen);
    }

    fn write_auction(&self, w: &mut Writer<'_>) {
        let auction = self.public().auction();
        for step in 0..4 {
            let seat = self.seat().plus(step);
            w.one(STATUS + Status::COUNT * step + auction.status(seat) as usize);
            if let Some(suit) = auction.suit(seat) {
                w.one(PROPOSED + 4 * step + suit.index());
            }
            // Announcements start four calls into the set, at `8S`.
            let calls = self.public().calls[seat] >> 4;
            let offset = CALLS + ANNOUNCEMENTS * step;
            w.bits::<64>(offset, calls as u64);
            w.bits::<{ ANNOUNCEMENTS - 64 }>(offset + 64, (calls >> 64) as u64);
            w.flag(STANDING + step, auction.standing().has(seat));
        }
        if auction.bar() > 0 {
            w.one(BAR_ROW + usize::from(auction.bar() / 8 - 1));
            w.one(BAR_ORDER + usize::from(auction.bar() % 8).min(4));
        }
        if let Some(announcer) = auction.announcer() {
            w.one(ANNOUNCER + self.relative(announcer));
        }
        if let (Standing::Call(_), Some(mate)) =
            (auction.standing_call(), auction.mate(self.seat()))
            && self.public().contract().is_none()
        {
            w.one(PARTNER + self.relative(mate));
        }
    }

    fn write_setting(&self, w: &mut Writer<'_>) {
        let state = self.public();
        let spec = state.rules().spec();
        if state.phase() != Phase::Done {
            w.one(PHASE + state.phase() as usize);
        }
        w.one(DEALER + self.relative(state.dealer()));
        if let Some(card) = self.turn_up() {
            w.one(TURN_UP + card.index());
            w.one(TURN_UP_SUIT + card.suit().index());
        }
        for step in 0..4 {
            let total = self.totals()[self.seat().plus(step)] as f32 / 100.0;
            w.set(TOTALS + step, total.clamp(-2.0, 2.0));
        }
        let options = [
            spec.family == Family::TurnUp,
            state.rules().is_zero_sum(),
            spec.share_miseres,
            spec.stay,
            spec.solo_needs_proposal,
            spec.exchange,
            spec.troel_leads_key_card,
        ];
        for (i, on) in options.into_iter().enumerate() {
            w.flag(OPTIONS + i, on);
        }
        w.set(OPTIONS + 7, (spec.match_target as f32 / 100.0).min(2.0));
    }

    fn write_hand(&self, w: &mut Writer<'_>) {
        let hand = self.hand();
        for suit in Suit::ALL {
            let thermometer = (1u64 << hand.of(suit).len()) - 1;
            w.bits::<LENGTHS>(LENGTH + LENGTHS * suit.index(), thermometer);
        }
        w.one(ACES + hand.aces().len() as usize);
        if !matches!(self.public().phase(), Phase::Auction | Phase::Trump) {
            return;
        }
        let tricks = Suit::ALL.map(|suit| trick_estimate(hand, Some(suit)) / 8.0);
        for (i, &estimate) in tricks.iter().enumerate() {
            w.set(TRICKS + i, estimate);
        }
        w.set(TRICKS + 4, trick_estimate(hand, None) / 8.0);
        for step in 1..4 {
            if let Some(suit) = self.public().auction().suit(self.seat().plus(step)) {
                w.set(SUPPORT + step - 1, tricks[suit.index()]);
            }
        }
        if let Some(card) = self.turn_up() {
            w.set(SUPPORT + 3, tricks[card.suit().index()]);
        }
        w.set(MISERE, (misere_risk(hand) / 4.0).min(2.0));
    }

    fn write_contract(&self, w: &mut Writer<'_>) {
        let state = self.public();
        let Some(contract) = state.contract() else { return };
        w.one(KIND + contract.kind.index());
        w.set(LEVEL, f32::from(contract.level) / 13.0);
        w.one(TRUMP + contract.trump.map_or(4, Suit::index));
        let mut ours = 0;
        for step in 0..4 {
            let seat = self.seat().plus(step);
            w.set(TAKEN + step, f32::from(state.tricks()[seat]) / 13.0);
            if contract.declarers.has(seat) {
                w.one(DECLARER + step);
                ours += i32::from(state.tricks()[seat]);
            }
        }
        if contract.kind.is_negative() {
            let most = u8::from(contract.kind == ContractKind::Piccolo);
            for step in 0..4 {
                let seat = self.seat().plus(step);
                let alive = contract.declarers.has(seat) && state.tricks()[seat] <= most;
                w.flag(ALIVE + step, alive);
            }
        }
        w.one(PARTNER + contract.partner(self.seat()).map_or(0, |p| self.relative(p)));
        w.set(NEEDED, (i32::from(contract.level) - ours) as f32 / 13.0);
        let taken: u8 = state.tricks().iter().sum();
        w.set(LEFT, f32::from(13 - taken) / 13.0);
    }

    fn write_play(&self, w: &mut Writer<'_>) {
        let state = self.public();
        let Some(contract) = state.contract() else { return };
        let trick = state.trick();
        w.one(POSITION + trick.len());
        let winning = trick.winning();
        if let Some((seat, _)) = winning {
            w.one(WINNING + self.relative(seat));
            let allies = contract.side(self.seat()) - SeatSet::single(self.seat());
            w.flag(PARTNER_WINS, allies.has(seat));
        }
        let outstanding = self.outstanding();
        let hand = self.hand();
        let (mut lowest, mut highest, mut wins, mut cheap, mut duck) = Default::default();
        let best = winning.map(|(_, card)| card);
        for suit in Suit::ALL {
            let own = hand.of(suit);
            w.set(OUTSTANDING + suit.index(), outstanding.of(suit).len() as f32 / 13.0);
            let taking = match best {
                None => own,
                Some(best) if best.suit() == suit => own.above(best),
                Some(_) if contract.trump == Some(suit) => own,
                Some(_) => CardSet::EMPTY,
            };
            lowest |= own.lowest_bit();
            highest |= own.highest_bit();
            wins |= taking;
            if let Some(best) = best {
                cheap |= taking.lowest_bit();
                if trick.lead().is_some_and(|lead| lead.suit() == suit) {
                    let under = if best.suit() == suit { own.below(best) } else { own };
                    duck |= under.highest_bit();
                }
            }
        }
        w.cards(LOWEST, lowest);
        w.cards(HIGHEST, highest);
        w.cards(WINS, wins);
        w.cards(CHEAP, cheap);
        w.cards(DUCK, duck);
        for card in hand {
            let others = outstanding.of(card.suit());
            // Numbers within the suit order cards by rank.
            let below = (others.0 & ((1 << card.index()) - 1)).count_ones();
            let above = others.len() - below;
            w.flag(MASTERS + card.index(), above == 0);
            w.set(ABOVE + card.index(), above as f32 / 12.0);
            w.set(BELOW + card.index(), below as f32 / 12.0);
        }
        if let Some(trump) = contract.trump {
            w.set(TRUMPS_OUT, outstanding.of(trump).len() as f32 / 13.0);
        }
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
                others[52 * (step - 1) + card.index()] = 1.0;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_fill_the_vector() {
        assert_eq!(BLOCKS.iter().map(|b| b.len).sum::<usize>(), N_FEATURES);
        assert_eq!(TRUMPS_OUT + 1, N_FEATURES);
        assert!(BLOCKS.iter().all(|b| !b.doc.is_empty()));
    }
}
