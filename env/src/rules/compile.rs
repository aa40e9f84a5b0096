//! A rule set compiled into tables that the auction looks up.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use super::call_rank::CallRank;
use super::spec::{ContractSpec, Family, Scoring, Spec};
use crate::action::{Action, CallSet, FIRST_CALL, N_ACTIONS, N_CALLS};
use crate::cards::{CardSet, Suit};
use crate::contract::{Contract, ContractKind};
use crate::seat::{Seat, SeatSet};

/// Ranks of all calls for one turn-up suit.
struct CallRanks {
    /// Rank of each call; [`CallRank::NONE`] for calls that the rule set does not have.
    of_call: [CallRank; N_CALLS],
    /// The calls above each rank.
    above: Box<[CallSet; CallRank::COUNT]>,
}

/// A compiled rule set.
pub struct RuleSet {
    pub(crate) spec: Spec,
    hash: String,
    /// The hash as a number.
    pub(crate) hash_number: u64,
    deck: CardSet,
    cards_per_hand: u8,
    /// Ranks of the calls by turn-up suit. The last entry is for an unknown or absent turn-up.
    call_ranks: [CallRanks; 5],
    /// Row of the contract announced on aces.
    announced_row: Option<u8>,
    /// Result of `RuleSet::feature_table`, which the module `features` defines. It is stored here
    /// because a look-up by rule set at every decision would be slower.
    pub(crate) feature_table: OnceLock<Box<[f32]>>,
}

impl RuleSet {
    pub(super) fn compile(spec: Spec) -> RuleSet {
        let mut hashed = spec.clone();
        hashed.description.clear();
        let text = toml::to_string(&hashed).expect("a validated spec is plain data");
        let hash = blake3::hash(text.as_bytes());
        let hash_number = hash.as_bytes()[..8].iter().fold(0, |n, &b| n << 8 | u64::from(b));
        let hash = format!("{hash_number:016x}");
        let call_ranks = std::array::from_fn(|i| CallRanks::new(&spec, Suit::ALL.get(i).copied()));
        let announced_row =
            spec.contract.iter().position(|r| r.kind.is_announced()).map(|i| i as u8);
        let (deck, cards_per_hand) = (spec.deck(), spec.cards_per_hand());
        RuleSet {
            spec,
            hash,
            hash_number,
            deck,
            cards_per_hand,
            call_ranks,
            announced_row,
            feature_table: OnceLock::new(),
        }
    }

    /// Returns whether the deck has all 52 cards.
    pub fn has_full_deck(&self) -> bool {
        self.deck == CardSet::FULL
    }

    /// Returns the identifier, such as `luxembourg`.
    pub fn id(&self) -> &str {
        &self.spec.id
    }

    /// Returns the hash of the rule file. It is sixteen hexadecimal digits of all that the file
    /// says, except its description. Checkpoints carry them.
    pub fn hash(&self) -> &str {
        &self.hash
    }

    /// Returns the contents of the rule file.
    pub fn spec(&self) -> &Spec {
        &self.spec
    }

    /// Returns the cards of the deck.
    #[inline]
    pub fn deck(&self) -> CardSet {
        self.deck
    }

    /// Returns the cards in each hand, and tricks of a deal: 13, or fewer in a deck of fewer ranks.
    #[inline]
    pub fn cards_per_hand(&self) -> u8 {
        self.cards_per_hand
    }

    /// Returns the number of tricks of a deal under a contract of this kind. Before a small misère
    /// each seat lays a card aside.
    pub(crate) fn tricks_of_deal(&self, kind: ContractKind) -> u8 {
        self.cards_per_hand - u8::from(kind == ContractKind::SmallMisere)
    }

    /// Returns whether a card is turned up.
    #[inline]
    pub fn has_turn_up(&self) -> bool {
        self.spec.family == Family::TurnUp
    }

    /// Returns whether points of a deal always add up to zero.
    pub fn is_zero_sum(&self) -> bool {
        self.spec.scoring == Scoring::Settlement
    }

    /// Returns the contract table, lowest rank first.
    pub fn rows(&self) -> &[ContractSpec] {
        &self.spec.contract
    }

    /// Returns the index in the contract table of this kind and level, if the rule set has it.
    pub fn row_of(&self, kind: ContractKind, level: u8) -> Option<usize> {
        self.spec.row_of(kind, level)
    }

    /// Returns the contract that a call bids if its caller plays it alone. `None` if the call
    /// bids none or the rule set lacks it. `turn_up` is the suit of the turned-up card, where
    /// it is known.
    pub fn lone_contract(
        &self,
        call: Action,
        caller: Seat,
        turn_up: Option<Suit>,
    ) -> Option<Contract> {
        let bid = call.as_bid()?;
        let row = self.row_of(bid.kind, bid.level)?;
        let trump = if bid.kind == ContractKind::SoloSlim { turn_up } else { bid.trump };
        Some(self.contract_of_row(row as u8, trump, SeatSet::single(caller)))
    }

    /// Returns the contract of a row of the contract table, with the row's goal.
    ///
    /// # Panics
    /// The table has no such row.
    pub fn contract_of_row(&self, row: u8, trump: Option<Suit>, declarers: SeatSet) -> Contract {
        let spec = self.row(row);
        Contract { kind: spec.kind, goal: spec.goal(), trump, declarers, row }
    }

    /// Returns a row of the contract table, such as that of [`Contract::row`].
    ///
    /// # Panics
    /// The table has no such row.
    pub fn row(&self, number: u8) -> &ContractSpec {
        &self.spec.contract[usize::from(number)]
    }

    /// Returns the contract that is announced on aces, trou or troel, if the rule set has one.
    pub fn announced(&self) -> Option<ContractKind> {
        self.announced_row.map(|row| self.row(row).kind)
    }

    /// Returns the index of the row of [`RuleSet::announced`] in the contract table.
    pub(crate) fn announced_row(&self) -> Option<u8> {
        self.announced_row
    }

    #[inline]
    fn call_ranks(&self, turn_up: Option<Suit>) -> &CallRanks {
        &self.call_ranks[turn_up.map_or(4, Suit::index)]
    }

    /// Returns the rank of a call; [`CallRank::NONE`] if the rule set does not have it. `turn_up`
    /// is the suit of the turned-up card, where it lies open.
    #[inline]
    pub fn rank(&self, turn_up: Option<Suit>, call: Action) -> CallRank {
        call.index()
            .checked_sub(usize::from(FIRST_CALL))
            .map_or(CallRank::NONE, |index| self.call_ranks(turn_up).of_call[index])
    }

    /// Returns the rank of the contract announced on aces; [`CallRank::NONE`] if there is none.
    pub(crate) fn announced_rank(&self) -> CallRank {
        self.announced_row.map_or(CallRank::NONE, |row| CallRank::new(row, 0))
    }

    /// Returns the maximum number of calls in one auction of which each outranks the one before.
    pub(crate) fn max_bids(&self) -> usize {
        self.call_ranks.iter().map(CallRanks::count).max().unwrap_or(0)
    }

    /// Returns the calls above a rank.
    #[inline]
    pub(crate) fn outranking(&self, turn_up: Option<Suit>, rank: CallRank) -> CallSet {
        self.call_ranks(turn_up).above[rank.index()]
    }
}

/// Rule sets are equal if their hashes are equal. The hash covers all but the description.
impl PartialEq for RuleSet {
    fn eq(&self, other: &RuleSet) -> bool {
        std::ptr::eq(self, other) || self.hash_number == other.hash_number
    }
}

impl Eq for RuleSet {}

impl std::fmt::Debug for RuleSet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "RuleSet({} {})", self.spec.id, self.hash)
    }
}

impl CallRanks {
    fn new(spec: &Spec, turn_up: Option<Suit>) -> CallRanks {
        let first = usize::from(FIRST_CALL);
        let mut of_call = [CallRank::NONE; N_CALLS];
        for action in (first..N_ACTIONS).filter_map(Action::from_index) {
            of_call[action.index() - first] = call_rank(spec, turn_up, action);
        }
        let mut above = Box::new([CallSet::EMPTY; CallRank::COUNT]);
        for (rank, calls) in above.iter_mut().enumerate() {
            for action in (first..N_ACTIONS).filter_map(Action::from_index) {
                if of_call[action.index() - first].index() > rank {
                    calls.insert(action);
                }
            }
        }
        CallRanks { of_call, above }
    }

    /// Returns the number of different ranks of calls.
    fn count(&self) -> usize {
        let ranks = self.of_call.into_iter().filter(|&rank| rank > CallRank::NONE);
        ranks.collect::<BTreeSet<_>>().len()
    }
}

fn call_rank(spec: &Spec, turn_up: Option<Suit>, call: Action) -> CallRank {
    let Some(bid) = call.as_bid() else { return CallRank::NONE };
    let Some(row) = spec.row_of(bid.kind, bid.level) else { return CallRank::NONE };
    let is_slam = matches!(bid.kind, ContractKind::Slam | ContractKind::SmallSlam);
    if is_slam && bid.trump.is_none() && !spec.contract[row].no_trumps {
        return CallRank::NONE;
    }
    let order = match spec.family {
        Family::Proposals => match bid.trump {
            Some(suit) => suit as u8,
            None if is_slam => 4,
            None => 0,
        },
        Family::TurnUp => {
            let in_turn_up = bid.trump.is_some() && bid.trump == turn_up;
            match bid.kind {
                // Only the turn-up suit is asked for, or played alone after an ask.
                ContractKind::Suit | ContractKind::Alone if !in_turn_up => return CallRank::NONE,
                // A slam in a suit that lies open is solo slim, where there is one.
                ContractKind::Slam
                    if in_turn_up
                        && spec.contract.iter().any(|r| r.kind == ContractKind::SoloSlim) =>
                {
                    return CallRank::NONE;
                }
                ContractKind::Abondance | ContractKind::Solo => u8::from(in_turn_up),
                _ => 0,
            }
        }
    };
    CallRank::new(row as u8, order)
}
