//! The layout of the feature vector.

use std::ops::Range;

use crate::action::BID_NUMBERS;
use crate::auction::Status;
use crate::cards::N_CARDS;
use crate::contract::ContractKind;
use crate::phase::Phase;
use crate::rules::MAX_CONTRACTS;

/// Version of the layout; raised whenever a feature is added, moves or changes its meaning.
pub const FEATURE_VERSION: u32 = 3;

/// Number of features in each earlier version, from version 1 on. They are the first features of
/// this version, with the same meaning.
pub const OLD_N_FEATURES: [usize; 2] = [1501, 1657];

const _: () = assert!(WEAK == OLD_N_FEATURES[0], "new features come at the end");
const _: () = assert!(SURE == OLD_N_FEATURES[1], "new features come at the end");

/// Number of bids, from `8S` to `solo-slim`.
pub(super) const N_BIDS: usize = (BID_NUMBERS.end - BID_NUMBERS.start) as usize;

/// Number of suit lengths with a hand feature: at least 1 to at least 8 cards.
pub(super) const N_LENGTHS: usize = 8;

/// Smallest number of sure tricks that has a feature; the largest is 13.
pub(super) const MIN_SURE_TRICKS: usize = 5;

/// Number of levels of sure tricks with a feature.
pub(super) const SURE_LEVELS: usize = 13 - MIN_SURE_TRICKS + 1;

/// Permutation of the features of a [`Block`] when suits are renamed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SuitSymmetry {
    /// No feature names a suit.
    NoSuit,
    /// Groups of 52, one feature per card.
    Cards,
    /// Groups of four, one feature per suit.
    Suits,
    /// One feature per suit, then features that name none.
    SuitsFirst,
    /// Four equal parts, one per suit.
    Parts,
    /// Four equal parts, one per seat, of bids from `8S` on in the order of actions.
    Bids,
}

/// A run of features.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// Name.
    pub name: &'static str,
    /// Number of features.
    pub len: usize,
    /// Permutation of its features when suits are renamed.
    pub symmetry: SuitSymmetry,
    /// Meaning.
    pub doc: &'static str,
}

macro_rules! blocks {
    ($($id:ident $len:expr, $symmetry:ident, $doc:literal;)*) => {
        /// The layout, in order.
        pub const BLOCKS: &[Block] =
            &[$(Block {
                name: stringify!($id),
                len: $len,
                symmetry: SuitSymmetry::$symmetry,
                doc: $doc,
            },)*];
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        #[repr(usize)]
        enum Id { $($id,)* }
        $(pub(super) const $id: usize = offset(Id::$id as usize);)*
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
    HAND N_CARDS, Cards, "own cards";
    PLAYED 4 * N_CARDS, Cards, "cards played, by relative seat";
    TRICK N_CARDS, Cards, "cards in the current trick";
    KNOWN 3 * N_CARDS, Cards, "cards known in the hands of relative seats 1 to 3 (shown, exchanged)";
    UNSEEN N_CARDS, Cards, "cards whose place is not known";
    VOIDS 3 * 4, Suits, "suits that relative seats 1 to 3 have shown not to hold (S C D H each)";
    PHASE Phase::COUNT, NoSuit, "phase, one-hot: auction trump discard exchange answer play";
    KIND ContractKind::COUNT, NoSuit, "kind of contract, one-hot in the order of `ContractKind::ALL`";
    LEVEL 1, NoSuit, "tricks to make / 13";
    TRUMP 5, SuitsFirst, "trumps, one-hot S C D H; the last: contract without trumps (or not yet named)";
    DECLARER 4, NoSuit, "declarers by relative seat";
    PARTNER 4, NoSuit, "partner by relative seat, one-hot (0: none); in the auction, the standing pair's";
    TAKEN 4, NoSuit, "tricks taken / 13 by relative seat";
    NEEDED 1, NoSuit, "tricks the declaring side still needs / 13, negative once it has more";
    LEFT 1, NoSuit, "tricks not yet finished / 13";
    POSITION 4, NoSuit, "number of cards in the current trick, one-hot 0 to 3";
    WINNING 4, NoSuit, "seat that wins the current trick as it stands, relative, one-hot";
    PARTNER_WINS 1, NoSuit, "the partner (or a fellow defender against a lone player) wins it";
    STATUS 4 * Status::COUNT, NoSuit, "status in the auction by relative seat, one-hot";
    PROPOSED 4 * 4, Suits, "suit proposed or gone along with by relative seat, one-hot S C D H";
    CALLS 4 * N_BIDS, Bids, "calls from 8S to solo-slim made by relative seat";
    HIGHEST_CALL_ROW MAX_CONTRACTS, NoSuit, "row of the highest call, one-hot";
    HIGHEST_CALL_ORDER 5, SuitsFirst, "order within that row (suit S C D H NT), one-hot";
    STANDING 4, NoSuit, "seats of the standing contract, relative";
    ANNOUNCER 4, NoSuit, "announcer of trou or troel, relative, one-hot";
    DEALER 4, NoSuit, "dealer, relative, one-hot";
    TURN_UP N_CARDS, Cards, "turn-up, if seen, one-hot";
    TURN_UP_SUIT 4, Suits, "its suit, one-hot";
    TOTALS 4, NoSuit, "match points before the deal / 100 by relative seat, −2 to 2";
    OPTIONS 8, NoSuit, "rule options: turn-up family, zero-sum, shared misères, stay, solo needs \
        proposal, exchange, key card led, match target / 100";
    LENGTH 4 * N_LENGTHS, Parts, "own length by suit: at least 1 to at least 8 cards";
    ACES 5, NoSuit, "own aces, one-hot 0 to 4";
    TRICKS 5, SuitsFirst, "own trick estimate / 8 with S C D H or no trumps; in the auction and trump choice";
    SUPPORT 4, NoSuit, "trick estimate / 8 in the suit that relative seats 1 to 3 proposed; the turn-up suit";
    MISERE 1, NoSuit, "risk of a misère / 4 (capped at 2); in the auction";
    MASTERS N_CARDS, Cards, "own cards above which no card of the suit is outstanding; in play";
    WINS N_CARDS, Cards, "own cards that would take the current trick as it stands; in play";
    ABOVE N_CARDS, Cards, "own cards: outstanding cards above it in the suit / 12; in play";
    BELOW N_CARDS, Cards, "own cards: outstanding cards below it in the suit / 12; in play";
    LOWEST N_CARDS, Cards, "own lowest card of each suit; in play";
    HIGHEST N_CARDS, Cards, "own highest card of each suit; in play";
    DUCK N_CARDS, Cards, "own highest card that follows suit and stays under the winning card; in play";
    CHEAP N_CARDS, Cards, "own lowest card that takes the trick by following suit, own lowest trump that \
        takes it; in play";
    ALIVE 4, NoSuit, "declarers of a misère or piccolo who have not failed, by relative seat";
    OUTSTANDING 4, Suits, "outstanding cards by suit / 13; in play";
    TRUMPS_OUT 1, NoSuit, "outstanding trumps / 13; in play";
    WEAK N_CARDS, Cards, "cards of a misère declarer below which the others hold more cards of the suit \
        than the declarer. In play: own cards, or those of a hand that lies open; in the auction \
        and trump choice: own cards";
    UNDER N_CARDS, Cards, "own cards below all of an open misère declarer in their suit; in play";
    FORCES N_CARDS, Cards, "own cards after which a misère declarer wins the trick as it stands, or \
        must take it; in play";
    SURE 4 * SURE_LEVELS, Parts, "tricks that the own hand takes alone for certain if it leads, with S C D H \
        as trumps: at least 5 to at least 13 for each; in the auction and trump choice";
}

/// The features of the match totals.
pub const TOTALS_RANGE: Range<usize> = TOTALS..TOTALS + 4;

/// Number of features.
pub const N_FEATURES: usize = offset(BLOCKS.len());

/// Number of features of a [`FullObservation`](crate::FullObservation). Those of the seat come
/// first, then the cards held by relative seats 1 to 3.
pub const N_FULL_FEATURES: usize = N_FEATURES + 3 * N_CARDS;
