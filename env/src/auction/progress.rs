//! The state of an auction, and the effects of calls.

use crate::action::{
    ABONDANCE_NUMBERS, Action, CallSet, NEGATIVE_NUMBERS, SLAM_NUMBERS, SOLO_NUMBERS,
};
use crate::cards::Suit;
use crate::contract::ContractKind;
use crate::rules::{CallRank, Family, RuleSet};
use crate::seat::{BySeat, Seat, SeatSet};

/// Status of a seat in the auction: its past calls, as far as they matter for its legal calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum Status {
    /// No call yet.
    #[default]
    Fresh,
    /// Eldest, after waiting.
    Waiting,
    /// Proposer (in Flanders, asker) without an answer yet.
    Proposed,
    /// Proposer whose proposal was answered: the partner calls for the pair.
    Silent,
    /// Seat that went along with a proposal and calls for the pair.
    Partner,
    /// Proposer that calls again because the partner has passed. In Flanders, an asker that was
    /// answered.
    Released,
    /// Seat that called a contract to play alone.
    Lone,
    /// Announcer of trou or troel that called nothing higher.
    Kept,
    /// Proposer that stays with a proposal that is still open.
    Stayed,
    /// Seat that has passed.
    Passed,
}

impl Status {
    /// Number of statuses.
    pub const COUNT: usize = 10;

    /// Returns whether a seat of this status may call (unless its contract is standing).
    fn may_speak(self) -> bool {
        !matches!(self, Status::Silent | Status::Stayed | Status::Passed)
    }
}

/// The contract that would be played if the auction ended now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StandingContract {
    /// No contract yet.
    Nothing,
    /// Trou or troel, announced on aces before the first call.
    Announced,
    /// The contract of this call.
    Call(Action),
}

/// The state of an auction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Auction {
    /// Rank of the highest bid, or of trou or troel.
    pub(crate) highest_rank: CallRank,
    /// Seats of the standing contract.
    pub(crate) standing_seats: SeatSet,
    /// The standing contract.
    pub(crate) standing_contract: StandingContract,
    pub(crate) status: BySeat<Status>,
    /// Suit that each seat proposed or went along with; unused for statuses without a suit.
    pub(crate) suit: BySeat<Suit>,
    /// Rank of a seat's own proposal.
    pub(crate) proposal_rank: BySeat<CallRank>,
    /// The pair's other member, for `Silent` and `Partner`.
    pub(crate) partner: BySeat<Seat>,
    /// Seats whose proposal was answered after they had stayed.
    pub(crate) answered_after_staying: SeatSet,
    /// Seats that have bid alone.
    pub(crate) lone_bidders: SeatSet,
    /// Seats whose first call was an abondance or a slam.
    pub(crate) abondance_or_slam_first: SeatSet,
    /// Whether a misère or piccolo was called.
    pub(crate) negative_called: bool,
    /// The seat that announced trou or troel, because of its aces.
    pub(crate) announcer: Option<Seat>,
}

/// Facts about the rest of the deal that an auction depends on.
#[derive(Clone, Copy)]
pub(crate) struct AuctionContext<'a> {
    pub rules: &'a RuleSet,
    pub eldest: Seat,
    /// The turn-up suit, where it lies open.
    pub turn_up: Option<Suit>,
}

pub(super) const SOLOS: CallSet = CallSet::numbered(SOLO_NUMBERS);
pub(super) const ABONDANCES_AND_SLAMS: CallSet =
    CallSet::numbered(ABONDANCE_NUMBERS).union(CallSet::numbered(SLAM_NUMBERS));
pub(super) const NEGATIVES: CallSet = CallSet::numbered(NEGATIVE_NUMBERS);

impl Auction {
    pub(crate) fn new(rules: &RuleSet, announcer: Option<Seat>) -> Auction {
        let announcer = announcer.filter(|_| rules.announced_row().is_some());
        Auction {
            highest_rank: announcer.map_or(CallRank::NONE, |_| rules.announced_rank()),
            standing_seats: announcer.map_or(SeatSet::EMPTY, SeatSet::single),
            standing_contract: if announcer.is_some() {
                StandingContract::Announced
            } else {
                StandingContract::Nothing
            },
            status: BySeat::default(),
            suit: BySeat([Suit::Spades; 4]),
            proposal_rank: BySeat::default(),
            partner: BySeat([Seat::North; 4]),
            answered_after_staying: SeatSet::EMPTY,
            lone_bidders: SeatSet::EMPTY,
            abondance_or_slam_first: SeatSet::EMPTY,
            negative_called: false,
            announcer,
        }
    }

    /// Makes a legal call.
    #[inline]
    pub(crate) fn apply(&mut self, context: AuctionContext<'_>, seat: Seat, call: Action) {
        let first = self.status[seat] == Status::Fresh;
        match call {
            Action::PASS => self.pass(seat),
            Action::WAIT => self.status[seat] = Status::Waiting,
            Action::STAY => self.status[seat] = Status::Stayed,
            Action::KEEP => self.status[seat] = Status::Kept,
            _ => match call.as_suit_call() {
                Some((_, suit)) => self.call_suit(context, seat, call, suit),
                None => self.call_alone(context, seat, call, first),
            },
        }
    }

    /// Returns the next seat clockwise from `seat` that may speak, if any.
    #[inline]
    pub(crate) fn next_to_speak(&self, seat: Seat) -> Option<Seat> {
        (1..=4).map(|step| seat.plus(step)).find(|&s| self.is_asked(s))
    }

    fn is_asked(&self, seat: Seat) -> bool {
        let first_turn = self.announcer == Some(seat) && self.status[seat] == Status::Fresh;
        self.status[seat].may_speak() && (first_turn || !self.standing_seats.has(seat))
    }

    /// Returns `keep` for an announcer while trou or troel is standing, and `pass` otherwise.
    pub(super) fn pass_or_keep(&self, seat: Seat) -> CallSet {
        CallSet::single(if self.standing_seats.has(seat) { Action::KEEP } else { Action::PASS })
    }

    /// Returns the calls of a standing misère or piccolo that may be joined.
    pub(super) fn joinable(&self, context: AuctionContext<'_>) -> CallSet {
        match self.standing_contract {
            StandingContract::Call(call)
                if context.rules.spec.share_miseres
                    && NEGATIVES.has(call)
                    && context.rules.rank(context.turn_up, call) == self.highest_rank =>
            {
                CallSet::single(call)
            }
            _ => CallSet::EMPTY,
        }
    }

    fn pass(&mut self, seat: Seat) {
        if self.status[seat] == Status::Partner {
            let proposer = self.partner[seat];
            if self.status[proposer] == Status::Silent && !self.answered_after_staying.has(proposer)
            {
                self.status[proposer] = Status::Released;
            }
        }
        self.status[seat] = Status::Passed;
    }

    /// Makes a suit call: a proposal, going along or a raise.
    fn call_suit(&mut self, context: AuctionContext<'_>, seat: Seat, call: Action, suit: Suit) {
        let rank = context.rules.rank(context.turn_up, call);
        self.highest_rank = self.highest_rank.max(rank);
        if self.status[seat] == Status::Partner {
            self.stand(SeatSet::single(seat) | SeatSet::single(self.partner[seat]), call);
        } else if let Some(proposer) = self.open_proposer(seat, suit) {
            if self.status[proposer] == Status::Stayed {
                self.answered_after_staying |= SeatSet::single(proposer);
            }
            // In Flanders each seat of the pair may call for itself once the pair is outbid.
            self.status[proposer] = match context.rules.spec.family {
                Family::Proposals => Status::Silent,
                Family::TurnUp => Status::Released,
            };
            self.status[seat] = Status::Partner;
            self.suit[seat] = suit;
            (self.partner[seat], self.partner[proposer]) = (proposer, seat);
            self.stand(SeatSet::single(seat) | SeatSet::single(proposer), call);
        } else {
            self.status[seat] = Status::Proposed;
            self.suit[seat] = suit;
            self.proposal_rank[seat] = rank;
        }
    }

    fn call_alone(&mut self, context: AuctionContext<'_>, seat: Seat, call: Action, first: bool) {
        // Every legal call here is a bid. An illegal one must not panic (`State::apply_unchecked`).
        let kind = call.as_bid().map_or(ContractKind::Solo, |b| b.kind);
        let joins = self.standing_contract == StandingContract::Call(call) && kind.is_negative();
        let others = if joins { self.standing_seats } else { SeatSet::EMPTY };
        self.highest_rank = context.rules.rank(context.turn_up, call);
        self.status[seat] = Status::Lone;
        self.lone_bidders |= SeatSet::single(seat);
        self.negative_called |= kind.is_negative();
        if first && kind.is_abondance_or_slam() {
            self.abondance_or_slam_first |= SeatSet::single(seat);
        }
        self.stand(others | SeatSet::single(seat), call);
    }

    fn stand(&mut self, seats: SeatSet, call: Action) {
        self.standing_seats = seats;
        self.standing_contract = StandingContract::Call(call);
    }

    /// Returns the other seat that holds a live proposal in this suit, if any.
    pub(super) fn open_proposer(&self, seat: Seat, suit: Suit) -> Option<Seat> {
        Seat::ALL.into_iter().find(|&s| {
            s != seat
                && matches!(self.status[s], Status::Proposed | Status::Stayed)
                && self.suit[s] == suit
        })
    }

    /// Returns the status of the seat.
    pub fn status(&self, seat: Seat) -> Status {
        self.status[seat]
    }

    /// Returns the suit that the seat proposed, asked for or went along with.
    ///
    /// `None` if its status has no suit.
    pub fn suit(&self, seat: Seat) -> Option<Suit> {
        use Status::*;
        matches!(self.status[seat], Proposed | Silent | Partner | Released | Stayed)
            .then_some(self.suit[seat])
    }

    /// Returns the other member of the standing pair, if the seat belongs to it.
    pub fn partner(&self, seat: Seat) -> Option<Seat> {
        let is_pair = match self.standing_contract {
            StandingContract::Call(call) => call.as_suit_call().is_some(),
            StandingContract::Nothing | StandingContract::Announced => false,
        };
        (is_pair && self.standing_seats.has(seat)).then_some(self.partner[seat])
    }

    /// Returns the declarers of the standing contract; empty without one.
    pub fn standing_seats(&self) -> SeatSet {
        self.standing_seats
    }

    /// Returns the standing contract: the one that would be played if the auction ended now.
    pub fn standing_contract(&self) -> StandingContract {
        self.standing_contract
    }

    /// Returns the rank of the highest bid, or of trou or troel; [`CallRank::NONE`] without one.
    pub fn highest_rank(&self) -> CallRank {
        self.highest_rank
    }

    /// Returns the seat that announced trou or troel, because of its aces.
    pub fn announcer(&self) -> Option<Seat> {
        self.announcer
    }
}
