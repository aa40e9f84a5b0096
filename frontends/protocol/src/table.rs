//! A match of persons and bots, for front ends: what a person is shown contains only what that seat may see.

use troel_agents::{Detail, Entry, decide_one};
use troel_env::record::ContractView;
use troel_env::{
    Action, BySeat, Card, CardSet, ContractKind, Deal, Deals, Episode, Observation, Phase, Record,
    RuleSet, Seat, SeatSet, SecretDeals, Session, SessionConfig, State, Suit,
};
use troel_solver::Solver;

use crate::error::TableError;
use crate::messages::{Done, Played, ReviewView, TableView, ValuesView};
use crate::review::{self, Advice, Choice, Hindsight, Judge, WORLDS};

mod players;

pub use players::BotTurn;
use players::{Cache, Player};

/// Who sits where in a new match, and the cards.
#[derive(Clone)]
pub struct Opening {
    /// The rules.
    pub rules: &'static RuleSet,
    /// The bots; those of the persons' seats give hints.
    pub bots: BySeat<Entry>,
    /// Seed of the deals and of the bots.
    pub seed: u64,
    /// The first deal; without it the first of the seed.
    pub deal: Option<Deal>,
}

impl Opening {
    /// A match with one bot at every seat.
    pub fn new(rules: &'static RuleSet, bot: Entry, seed: u64) -> Opening {
        Opening { rules, bots: BySeat::from_fn(|_| bot.clone()), seed, deal: None }
    }
}

/// A match in progress. A clone is in the same state, with bots that remember nothing of earlier decisions.
#[derive(Clone)]
pub struct Table {
    /// The seats of persons; bots act for the others.
    persons: SeatSet,
    opening: Opening,
    bots: BySeat<Player>,
    session: Session,
    /// The session when the current deal was dealt.
    dealt: Session,
    /// The last finished trick, from its lead.
    last_trick: Vec<(Seat, Card)>,
    /// The undo stack: session and last trick before each decision of a person, latest last.
    decisions: Vec<(Session, Vec<(Seat, Card)>)>,
    /// Judges of hints and reviews.
    judges: BySeat<Cache<Judge>>,
    /// The decisions of a seat in the deal that is over.
    choices: BySeat<Cache<Vec<Choice>>>,
}

/// Stands in an action's place for a card that another seat laid aside.
const HIDDEN: &str = "-";
/// Memory of the solver for open hands, in bytes; small enough for a telephone.
const SOLVER_BYTES: usize = 16 << 20;
/// Positions that it may look at for one answer, some seconds.
const MAX_NODES: u64 = 10_000_000;

/// The judge of a seat, made when it is first asked.
fn judge<'a>(judges: &'a mut BySeat<Cache<Judge>>, opening: &Opening, seat: Seat) -> &'a mut Judge {
    let Opening { bots, seed, .. } = opening;
    let new = || Judge::new(&bots[seat], WORLDS, *seed, Solver::new(SOLVER_BYTES));
    judges[seat].0.get_or_insert_with(new)
}

impl Table {
    /// Starts a match and deals its first deal.
    ///
    /// # Errors
    /// There can be no match of these rules and this deal.
    pub fn new(opening: Opening, persons: SeatSet) -> Result<Table, TableError> {
        let deals = Deals::new(opening.rules, opening.seed);
        let config = SessionConfig { episode: Episode::UntilTarget, ..SessionConfig::default() };
        let session = match &opening.deal {
            Some(deal) => Session::resume(deals, config, State::new(opening.rules, deal), 0)?,
            None => {
                let dealer = deals.first_dealer(0);
                Session::new(deals, config, 0, dealer)
            }
        };
        let bots = BySeat::from_fn(|seat| Player::new(&opening, seat));
        Ok(Table {
            persons,
            opening,
            bots,
            dealt: session.clone(),
            session,
            last_trick: Vec::new(),
            decisions: Vec::new(),
            judges: BySeat::default(),
            choices: BySeat::default(),
        })
    }

    /// A match of which the actions of each deal are known, `-` for a card that another seat laid aside: for those the
    /// bot decides anew, among the cards that the seat did not play later.
    ///
    /// # Errors
    /// An action is not possible where it stands.
    pub fn restore(
        opening: Opening,
        person: Seat,
        deals: &[Vec<String>],
    ) -> Result<Table, TableError> {
        let mut table = Table::new(opening, SeatSet::single(person))?;
        for (number, actions) in deals.iter().enumerate() {
            let contradiction = |at: usize| TableError::CannotRestore {
                deal: number + 1,
                action: at + 1,
                code: actions.get(at).map_or("", String::as_str).chars().take(20).collect(),
            };
            // Under these rules the deal before may not be over, or the match may be.
            if number > 0 && table.next_deal().is_err() {
                return Err(contradiction(0));
            }
            // A card laid aside contradicts only what its own seat played afterwards: the next candidate of that seat.
            let mut candidate = BySeat([0; 4]);
            while let Err((at, seat)) = table.replay(actions, &candidate) {
                candidate[seat] += 1;
                let is_hidden = actions[..at].iter().any(|code| code == HIDDEN);
                if !is_hidden || candidate[seat] >= 13 {
                    return Err(contradiction(at));
                }
                table.session = table.dealt.clone();
                table.last_trick.clear();
                table.decisions.clear();
            }
        }
        Ok(table)
    }

    /// Takes these actions from the start of the deal, with the candidates of these numbers for hidden cards. Fails with
    /// the number of the action that is not possible, and its seat.
    fn replay(
        &mut self,
        actions: &[String],
        candidate: &BySeat<usize>,
    ) -> Result<(), (usize, Seat)> {
        for (at, code) in actions.iter().enumerate() {
            let seat = self.session.turn();
            let action = match code == HIDDEN {
                true => self.hidden(&actions[at..], candidate[seat]),
                false => Action::parse(code, self.session.state().phase()),
            };
            let before = (self.session.clone(), self.last_trick.clone());
            let is_persons = self.is_turn_of(seat) && self.persons.has(seat);
            let applied = action.ok_or(TableError::NoAction).and_then(|a| self.apply(a));
            applied.map_err(|_| (at, seat))?;
            if is_persons {
                self.decisions.push(before);
            }
        }
        Ok(())
    }

    /// A card that a seat may have laid aside that goes on with these actions: the bot's choice, then the others.
    fn hidden(&mut self, later: &[String], candidate: usize) -> Option<Action> {
        let fits = |action: &Action| !later.contains(&action.to_string());
        let (seat, view) = (self.session.turn(), self.session.observe());
        let likely = decide_one(self.bots[seat].bot(), &view, Detail::Action).ok();
        let likely = likely.map(|decision| decision.action);
        let others = self.session.legal_actions().into_iter().filter(|&a| Some(a) != likely);
        likely.into_iter().chain(others).filter(fits).nth(candidate)
    }

    /// Whose turn it is; nobody's once the deal is over.
    pub fn turn(&self) -> Option<Seat> {
        (!self.session.is_deal_over()).then(|| self.session.turn())
    }

    /// Whether a bot is to act.
    pub fn is_bots_turn(&self) -> bool {
        !self.session.is_deal_over() && !self.persons.has(self.session.turn())
    }

    /// Whether the seat is to act.
    fn is_turn_of(&self, seat: Seat) -> bool {
        !self.session.is_deal_over() && self.session.turn() == seat
    }

    /// The seats of persons.
    pub fn persons(&self) -> SeatSet {
        self.persons
    }

    /// Lets persons act at these seats from now on, and bots at the others.
    pub fn set_persons(&mut self, persons: SeatSet) {
        self.persons = persons;
    }

    /// Makes the bot whose turn it is act.
    ///
    /// # Errors
    /// The bot failed; the table is unchanged.
    pub fn let_bot_act(&mut self) -> Result<(), TableError> {
        let (seat, view) = (self.session.turn(), self.session.observe());
        let decision = decide_one(self.bots[seat].bot(), &view, Detail::Action)?;
        self.apply(decision.action)
    }

    /// The observation of the bot whose turn it is.
    pub fn bot_view(&self) -> Option<Observation> {
        self.is_bots_turn().then(|| self.session.observe())
    }

    /// Takes the bot whose turn it is out of the table, to be asked elsewhere. Its place is filled again by
    /// [`Table::finish`], or by another instance of the bot when that is needed first.
    pub fn bot_turn(&mut self) -> Option<BotTurn> {
        let view = self.bot_view()?;
        let seat = view.seat();
        let another = self.bots[seat].clone();
        let player = std::mem::replace(&mut self.bots[seat], another);
        Some(BotTurn { seat, view, player })
    }

    /// Applies the decision of a bot that was taken out of the table.
    ///
    /// # Errors
    /// It is not this bot's turn any more, or the action is not legal; the table is unchanged.
    pub fn finish(&mut self, turn: BotTurn, action: Action) -> Result<(), TableError> {
        if self.bot_view().is_none_or(|view| view != turn.view) {
            return Err(TableError::NotYourTurn);
        }
        self.bots[turn.seat] = turn.player;
        self.apply(action)
    }

    /// Applies the action of the person at this seat, given as its code.
    ///
    /// # Errors
    /// It is not the person's turn, or the code is unknown or not legal.
    pub fn act(&mut self, seat: Seat, code: &str) -> Result<(), TableError> {
        if !self.is_turn_of(seat) {
            return Err(TableError::NotYourTurn);
        }
        let phase = self.session.state().phase();
        let action = Action::parse(code, phase).ok_or(TableError::NoAction)?;
        let before = (self.session.clone(), self.last_trick.clone());
        self.apply(action)?;
        self.decisions.push(before);
        Ok(())
    }

    /// Goes back to the last decision in this deal of the person at this seat.
    ///
    /// # Errors
    /// There is nothing to take back.
    pub fn undo(&mut self, seat: Seat) -> Result<(), TableError> {
        let last = self.mine(seat).last().ok_or(TableError::NothingToTakeBack)?;
        self.back(seat, last)
    }

    /// The numbers, in the deal from 0, of the actions that the person at this seat decided.
    fn mine(&self, seat: Seat) -> impl DoubleEndedIterator<Item = usize> {
        let own = self.decisions.iter().filter(move |(session, _)| session.turn() == seat);
        own.map(|(session, _)| session.state().history().len())
    }

    /// Goes back to the decision of the person at this seat that was action `to` of the deal, from 0.
    ///
    /// # Errors
    /// The person did not decide there; nothing changes.
    pub fn back(&mut self, seat: Seat, to: usize) -> Result<(), TableError> {
        let is_it = |(session, _): &(Session, _)| {
            session.turn() == seat && session.state().history().len() == to
        };
        let found = self.decisions.iter().position(is_it).ok_or(TableError::NotYours(to))?;
        (self.session, self.last_trick) = self.decisions[found].clone();
        self.decisions.truncate(found);
        self.choices = BySeat::default();
        Ok(())
    }

    /// The rule set.
    pub fn rules(&self) -> &'static RuleSet {
        self.session.rules()
    }

    /// The bots by seat; those of the persons' seats give hints.
    pub fn bots(&self) -> &BySeat<Entry> {
        &self.opening.bots
    }

    /// Starts the deal again from its first call, with these bots.
    pub fn again(&mut self, bots: BySeat<Entry>) {
        self.opening.bots = bots;
        self.bots = BySeat::from_fn(|seat| Player::new(&self.opening, seat));
        self.session = self.dealt.clone();
        self.last_trick.clear();
        self.decisions.clear();
        self.judges = BySeat::default();
        self.choices = BySeat::default();
    }

    /// Whether the seat is on lead and takes all the rest whatever the others hold.
    fn is_certain(&self, seat: Seat) -> bool {
        let view = self.view(seat);
        let state = view.state();
        let Some(contract) = state.contract().filter(|_| state.phase() == Phase::Play) else {
            return false;
        };
        let (hand, unseen) = (view.hand(), view.unseen());
        let others = Seat::ALL.into_iter().filter(|&other| other != seat);
        let against = others.fold(unseen, |cards, other| cards | view.known(other));
        let has_trumps = |suit: Suit| contract.trump == Some(suit);
        let may_be_ruffed = |card: Card| {
            !has_trumps(card.suit())
                && contract.trump.is_some_and(|trump| !against.of(trump).is_empty())
        };
        let is_high = |card: Card| against.of(card.suit()).all(|other| other.rank() < card.rank());
        self.is_turn_of(seat)
            && state.trick().cards().next().is_none()
            && hand.into_iter().all(|card| is_high(card) && !may_be_ruffed(card))
    }

    /// Plays a deal to its end in which the person at this seat takes all the rest, or whose points are settled.
    ///
    /// # Errors
    /// It is not the person's turn, or cards still to be played could matter.
    pub fn claim(&mut self, seat: Seat) -> Result<(), TableError> {
        let is_settled = self.is_turn_of(seat) && self.session.state().is_decided();
        if !is_settled && !self.is_certain(seat) {
            return Err(TableError::NotCertain);
        }
        // What anybody plays changes nothing any more.
        while let Some(action) = self.session.legal_actions().nth_action(0) {
            match self.is_turn_of(seat) {
                true => self.act(seat, &action.to_string())?,
                false => self.apply(action)?,
            }
        }
        Ok(())
    }

    /// The phases in which the actions of the deal were done.
    fn phases(&self) -> Vec<&'static str> {
        let mut at = self.dealt.clone();
        let actions = self.session.state().history().iter();
        let phase = |(_, action): (Seat, Option<Action>)| {
            let phase = at.state().phase().name();
            // Legal once, and so again.
            let _ = action.map(|action| at.apply(action));
            phase
        };
        actions.map(phase).collect()
    }

    /// The full record of the deal.
    pub fn record(&self) -> Record {
        Record::of_state(self.session.state(), self.dealt.totals())
    }

    /// The full record of the deal, if it is over: what shows hidden cards begins with it.
    fn finished(&self) -> Result<Record, TableError> {
        self.session.is_deal_over().then(|| self.record()).ok_or(TableError::NotOver)
    }

    /// What decision number `from` of this seat came to, from 0, among those with a choice.
    ///
    /// # Errors
    /// The deal is not over, or a bot failed.
    pub fn review(&mut self, seat: Seat, from: usize) -> Result<ReviewView, TableError> {
        let record = self.finished()?;
        let choices = match &mut self.choices[seat].0 {
            Some(begun) => begun,
            none => {
                let found = review::choices(self.session.rules(), &record, Some(seat));
                let (mut choices, _) = found.map_err(|error| TableError::Failed(error.message))?;
                // Once the points are settled no card costs any, and the rest may have been claimed.
                choices.retain(|choice| !choice.is_settled());
                none.insert(choices)
            }
        };
        let judge = judge(&mut self.judges, &self.opening, seat);
        let decision = choices.get(from).map(|choice| judge.judge(choice)).transpose()?;
        Ok(ReviewView {
            from,
            of: choices.len(),
            judge: self.opening.bots[seat].name().to_string(),
            decision,
        })
    }

    /// The tricks that the declarers take in all, for each card of the seat to play after `at` actions, when both sides see all
    /// hands: least and most, equal but where it would take long.
    ///
    /// # Errors
    /// The deal is not over.
    pub fn values(&self, at: usize) -> Result<ValuesView, TableError> {
        let mut record = self.finished()?;
        record.actions.truncate(at);
        let state = record.play(self.session.rules(), |_, _| {});
        let state = state.map_err(|error| TableError::Failed(error.message))?;
        let values =
            Solver::new(SOLVER_BYTES).card_values_within(&state, MAX_NODES).unwrap_or_default();
        let values = values.into_iter().map(|(card, bounds)| (card, [bounds.least, bounds.most]));
        Ok(ValuesView { at, values: values.collect() })
    }

    /// Contract and points of the deal when everybody sees all cards, and what each seat got less;
    /// `null` where it would take long.
    ///
    /// # Errors
    /// The deal is not over.
    pub fn par(&self) -> Result<Hindsight, TableError> {
        self.finished()?;
        let found = review::hindsight(self.session.state(), &mut Solver::new(SOLVER_BYTES));
        found.map_err(|error| TableError::Failed(error.to_string()))
    }

    /// Deals the next deal once the current one is over.
    ///
    /// # Errors
    /// The deal is not over, or the match is.
    pub fn next_deal(&mut self) -> Result<(), TableError> {
        self.session.next_deal()?;
        self.begin_deal();
        Ok(())
    }

    /// Deals the next deal as [`Table::next_deal`] does, with cards from this source instead of the
    /// match's seed.
    ///
    /// # Errors
    /// The deal is not over, or the match is.
    pub fn next_secret_deal(&mut self, source: &mut SecretDeals) -> Result<(), TableError> {
        self.session.next_secret_deal(source)?;
        self.begin_deal();
        Ok(())
    }

    fn begin_deal(&mut self) {
        self.dealt = self.session.clone();
        self.last_trick.clear();
        self.decisions.clear();
        self.choices = BySeat::default();
    }

    /// The values of the plausible actions of this seat, and what its bot would do.
    ///
    /// # Errors
    /// It is not its turn, or the bot failed.
    pub fn hint(&mut self, seat: Seat) -> Result<Advice, TableError> {
        if !self.is_turn_of(seat) {
            return Err(TableError::NotYourTurn);
        }
        let view = self.view(seat);
        Ok(judge(&mut self.judges, &self.opening, seat).advise(&view, None)?)
    }

    fn apply(&mut self, action: Action) -> Result<(), TableError> {
        let state = self.session.state();
        let trick: Vec<(Seat, Card)> = state.trick().cards().collect();
        let turn = state.turn();
        let taken = |state: &State| state.tricks().iter().sum::<u8>();
        let before = taken(state);
        self.session.apply(action).map_err(|_| TableError::NotLegal)?;
        if taken(self.session.state()) > before {
            self.last_trick = trick;
            self.last_trick.extend(action.as_card().map(|card| (turn, card)));
        }
        Ok(())
    }

    /// Whether the deal just played ended the match.
    pub fn is_over(&self) -> bool {
        self.session.is_over()
    }

    /// What a seat sees.
    pub fn view(&self, seat: Seat) -> Observation {
        self.session.observe_as(seat)
    }

    /// Points of the deal, once it is over.
    pub fn scores(&self) -> Option<BySeat<i32>> {
        self.session.state().scores()
    }

    /// Number of deals that were dealt.
    pub fn deals_dealt(&self) -> u32 {
        self.session.deals_dealt()
    }

    /// Points of the match so far.
    pub fn totals(&self) -> &BySeat<i32> {
        self.session.totals()
    }

    /// The last finished trick of the deal, from its lead; empty before there is one.
    pub fn last_trick(&self) -> &[(Seat, Card)] {
        &self.last_trick
    }

    /// The `table` message of `docs/table.md` for the person at this seat, built from the seat's observation, so that it
    /// contains nothing hidden. Hands are shown once a deal is over.
    pub fn show(&self, you: Seat) -> TableView {
        let view = self.view(you);
        let (state, rules) = (view.state(), self.session.rules());
        let (full, totals) = (self.session.state(), self.session.totals());
        let done = state.is_done();
        let history: Vec<Done> = state
            .history()
            .iter()
            .zip(self.phases())
            .map(|((seat, action), phase)| Done {
                seat,
                phase,
                action: action.map_or(HIDDEN.to_string(), |a| a.to_string()),
            })
            .collect();
        let shown = |s: Seat| if done { full.hands()[s] } else { view.known(s) };
        let cards = |cards: CardSet| cards.into_iter().collect::<Vec<Card>>();
        let trick = |cards: &[(Seat, Card)]| -> Vec<Played> {
            cards.iter().map(|&(seat, card)| Played { seat, card }).collect()
        };
        let on_table: Vec<(Seat, Card)> = state.trick().cards().collect();
        let played: u32 = Seat::ALL.iter().map(|&s| view.played(s).len()).sum();
        let laid_aside = u32::from(state.phase() == Phase::Play || done)
            * u32::from(state.contract().is_some_and(|c| c.kind == ContractKind::SmallMisere));
        let whole = u32::from(rules.cards_per_hand());
        let legal = view.legal_actions().into_iter().map(|a| a.to_string());
        let forced = rules.announced().filter(|_| state.auction().announcer().is_some());
        TableView {
            rules: rules.id().to_string(),
            target: rules.spec().match_target,
            deal: self.session.deals_dealt() - 1,
            you,
            bots: BySeat::from_fn(|s| self.opening.bots[s].name().to_string()),
            dealer: state.dealer(),
            turn: (!done).then(|| state.turn()),
            phase: state.phase().name(),
            hand: cards(view.hand()),
            shown: BySeat::from_fn(|s| if s == you { Vec::new() } else { cards(shown(s)) }),
            cards: BySeat::from_fn(|s| whole - view.played(s).len() - laid_aside),
            legal: legal.collect(),
            calls: history.len() - played as usize,
            history,
            turn_up: view.turn_up(),
            announcer: state.auction().announcer(),
            announces: forced.map(ContractKind::name),
            asked_for: view.asked_for(),
            contract: state.contract().map(ContractView::from),
            trick: trick(&on_table),
            last_trick: trick(&self.last_trick),
            tricks: *state.tricks(),
            scores: full.scores(),
            totals: *totals,
            void: state.is_passed_out(),
            over: self.is_over(),
            undo: self.mine(you).next().is_some(),
            mine: self.mine(you).collect(),
            certain: self.is_certain(you),
            settled: state.is_decided(),
            record: done.then(|| self.record()),
            shared: None,
        }
    }
}

#[cfg(test)]
mod tests;
