//! A table: four seats at which persons and bots play matches. A private table has one person. At a
//! shared table persons join and leave at any time. See `docs/table.md`.

use troel_env::{Action, Observation, Record, Seat, SeatSet, SecretDeals};

use self::persons::{SeatedPerson, SeatedPersons};
use crate::commands::{NewMatch, SeatRequest};
use crate::error::TableError;
use crate::live_match::{BotTurn, LiveMatch, MatchSettings};
use crate::messages::Message;
use crate::provider::Provider;

mod execute;
mod persons;
mod saved;
mod show;

pub use saved::SavedTable;

/// Number of redeals for newcomers before the first action: one for each person after the first.
const MAX_REDEALS: u8 = 3;

/// Result of a command.
#[derive(Clone, Debug)]
pub enum CommandOutcome {
    /// The table changed; the persons are to be shown it.
    Changed,
    /// Nothing changed.
    Unchanged,
    /// Nothing changed; the person is to be sent this message.
    Answer(Message),
}

/// Access to a table: private or shared.
#[derive(Clone, Copy)]
enum TableAccess {
    /// One person, who chooses the cards and may take decisions back.
    Private {
        /// The person's seat.
        owner: Seat,
    },
    /// Several persons, secret cards, and no command that would change the game for the others.
    Shared,
}

/// A table: its match, and the persons at its seats. Bots play at the other seats. A clone is in
/// the same state; see [`LiveMatch`].
///
/// A *private* table has one person, who chooses the cards and may take decisions back. At a
/// *shared* table the cards are secret, and nothing is possible that would change the game for the
/// others.
#[derive(Clone)]
pub struct Table {
    live_match: LiveMatch,
    access: TableAccess,
    seated: SeatedPersons,
    /// Seats that want the next deal.
    ready: SeatSet,
    /// Number of redeals for newcomers that are left. Without a limit a person could choose a hand.
    redeals_left: u8,
    /// Number of the last deal whose record was taken, from 1.
    last_recorded: u32,
}

impl Table {
    /// Opens a private table.
    ///
    /// # Errors
    /// A match with these settings cannot be started.
    pub fn private(new_match: &NewMatch, provider: &dyn Provider) -> Result<Table, TableError> {
        let settings = new_match.settings(provider)?;
        let live_match = LiveMatch::new(settings, SeatSet::single(new_match.seat))?;
        Ok(Table::with_owner(live_match, new_match.seat))
    }

    /// Opens a private table from the actions of each deal; see [`LiveMatch::restore`].
    ///
    /// # Errors
    /// A match with these settings cannot be started, or an action is not possible in its place.
    pub fn restore(
        new_match: &NewMatch,
        deals: &[Vec<String>],
        provider: &dyn Provider,
    ) -> Result<Table, TableError> {
        Table::from_deals(new_match.settings(provider)?, new_match.seat, deals)
    }

    /// Returns the private table of a person with the actions of each deal.
    fn from_deals(
        settings: MatchSettings,
        owner: Seat,
        deals: &[Vec<String>],
    ) -> Result<Table, TableError> {
        let live_match = LiveMatch::restore(settings, owner, deals)?;
        let mut table = Table::with_owner(live_match, owner);
        // The deals that are over were recorded when they ended.
        table.last_recorded = table.live_match.deals_dealt() - u32::from(!table.is_deal_over());
        Ok(table)
    }

    /// Returns the private table of a person.
    fn with_owner(live_match: LiveMatch, owner: Seat) -> Table {
        let mut seated = SeatedPersons::default();
        seated[owner] = Some(SeatedPerson::owner());
        Table {
            live_match,
            access: TableAccess::Private { owner },
            seated,
            ready: SeatSet::default(),
            redeals_left: 0,
            last_recorded: 0,
        }
    }

    /// Returns the person's seat at a private table.
    ///
    /// # Errors
    /// The table is shared.
    pub fn owner(&self) -> Result<Seat, TableError> {
        match self.access {
            TableAccess::Private { owner } => Ok(owner),
            TableAccess::Shared => Err(TableError::NotPrivate),
        }
    }

    /// Opens a shared table. The cards are drawn from the provider's secret randomness: a person
    /// who chose them or their seed would know all hands.
    ///
    /// # Errors
    /// A match with these settings cannot be started.
    pub fn shared(
        mut new_match: NewMatch,
        seat_request: SeatRequest,
        provider: &dyn Provider,
    ) -> Result<Table, TableError> {
        (new_match.seed, new_match.record) = (Some(provider.seed()?), None);
        let settings = shuffled(&new_match.settings(provider)?, provider)?;
        let live_match = LiveMatch::new(settings, SeatSet::default())?;
        let mut table = Table {
            live_match,
            access: TableAccess::Shared,
            seated: SeatedPersons::default(),
            ready: SeatSet::default(),
            redeals_left: MAX_REDEALS,
            last_recorded: 0,
        };
        table.seat_newcomer(new_match.seat, seat_request);
        table.admit_newcomers();
        Ok(table)
    }

    /// Gives a person a seat: the seat they had, else one that is free. Before the first action of
    /// the match there are new cards for all. Later a newcomer waits for the next deal.
    ///
    /// # Errors
    /// Connected persons have all seats, or no cards can be drawn.
    pub fn enter(
        &mut self,
        seat_request: SeatRequest,
        provider: &dyn Provider,
    ) -> Result<Seat, TableError> {
        if let Some(seat) = self.seated.seat_of(&seat_request.key) {
            self.resume_seat(seat);
            if let Some(person) = &mut self.seated[seat] {
                person.is_connected = true;
                person.is_expected = false;
            }
            return Ok(seat);
        }
        let seat =
            self.seated.free_seat(self.live_match.played_by_persons()).ok_or(TableError::Full)?;
        let settings = match self.redeals_left {
            0 => None,
            _ => Some(shuffled(self.live_match.settings(), provider)?),
        };
        self.seat_newcomer(seat, seat_request);
        if let Some(settings) = settings {
            self.redeals_left -= 1;
            self.restart_match(settings)?;
        }
        Ok(seat)
    }

    /// Seats a person, who waits for the next deal.
    fn seat_newcomer(&mut self, seat: Seat, SeatRequest { key, name, .. }: SeatRequest) {
        self.ready -= SeatSet::single(seat);
        self.seated[seat] = Some(SeatedPerson::newcomer(key, name));
    }

    /// Starts a new match for all who have a seat.
    fn restart_match(&mut self, settings: MatchSettings) -> Result<(), TableError> {
        self.live_match = LiveMatch::new(settings, self.live_match.played_by_persons())?;
        self.last_recorded = 0;
        self.admit_newcomers();
        Ok(())
    }

    /// Lets newcomers play in the deal that begins, and clears the ready seats.
    fn admit_newcomers(&mut self) {
        self.ready = SeatSet::default();
        for seat in Seat::ALL {
            let Some(person) = &mut self.seated[seat] else { continue };
            // A newcomer who is away when the deal begins waits for the next one.
            if person.waits_for_deal && person.is_connected {
                person.waits_for_deal = false;
                self.live_match.assign_to_person(seat);
            }
            person.played_whole_deal = self.live_match.played_by_persons().has(seat);
        }
    }

    /// Takes back a seat for its person from a bot. Returns whether a bot had played there.
    pub fn resume_seat(&mut self, seat: Seat) -> bool {
        let bot_plays_on =
            !self.seated.waits_for_deal(seat) && !self.live_match.played_by_persons().has(seat);
        if bot_plays_on {
            self.live_match.assign_to_person(seat);
        }
        bot_plays_on
    }

    /// Marks the connection of a seat as lost. The person keeps the seat until [`Table::leave`] or
    /// [`Table::hand_over_to_bot`].
    pub fn disconnect(&mut self, seat: Seat) {
        if let Some(person) = &mut self.seated[seat] {
            person.is_connected = false;
        }
    }

    /// Lets a bot play on for a person who is away or inactive. It plays until they are back or
    /// another person takes the seat.
    pub fn hand_over_to_bot(&mut self, seat: Seat) {
        self.ready -= SeatSet::single(seat);
        self.live_match.assign_to_bot(seat);
        if let Some(person) = &mut self.seated[seat] {
            person.played_whole_deal = false;
            person.is_expected = false;
        }
    }

    /// Removes a person for good; a bot plays on.
    pub fn leave(&mut self, seat: Seat) {
        self.hand_over_to_bot(seat);
        self.seated[seat] = None;
    }

    /// Returns whether a person is connected.
    pub fn has_connected_person(&self) -> bool {
        Seat::ALL.into_iter().any(|seat| self.seated.is_connected(seat))
    }

    /// Returns whether a person has this seat.
    pub fn has_person(&self, seat: Seat) -> bool {
        self.seated[seat].is_some()
    }

    /// Returns whether no person has a seat.
    pub fn has_no_person(&self) -> bool {
        self.seated.iter().all(Option::is_none)
    }

    /// Returns whether no person has acted in the match yet, and a newcomer gets new cards for all.
    pub fn waits_for_newcomers(&self) -> bool {
        self.redeals_left > 0
    }

    /// Returns the person who is waited for in play; `None` between deals.
    pub fn waits_for(&self) -> Option<Seat> {
        let turn = self.live_match.turn()?;
        self.live_match.played_by_persons().has(turn).then_some(turn)
    }

    /// Returns the persons who are waited for between deals: connected, or expected back at a saved
    /// table, and not ready.
    pub fn not_ready(&self) -> SeatSet {
        let is_waited_for = |seat: &Seat| {
            self.seated.is_here_or_expected(*seat)
                && self.live_match.played_by_persons().has(*seat)
                && !self.ready.has(*seat)
        };
        Seat::ALL.into_iter().filter(is_waited_for).collect()
    }

    /// Returns whether the table can go on without a person. It can if a bot is to act, or all who
    /// are connected want the next deal.
    pub fn can_go_on(&self) -> bool {
        let deal_can_begin =
            self.is_deal_over() && self.next_deal_is_wanted() && self.not_ready().is_empty();
        self.has_connected_person() && (self.live_match.is_bots_turn() || deal_can_begin)
    }

    /// Returns whether the deal is over.
    pub fn is_deal_over(&self) -> bool {
        self.live_match.scores().is_some()
    }

    /// Returns whether a person waits for the next deal.
    pub fn next_deal_is_wanted(&self) -> bool {
        let waits = |person: &SeatedPerson| person.is_connected && person.waits_for_deal;
        !self.ready.is_empty() || self.seated.iter().flatten().any(waits)
    }

    /// Returns the observation of the bot whose turn it is. `None` if it is a person's turn, or no
    /// person is connected.
    pub fn bot_observation(&self) -> Option<Observation> {
        self.live_match.bot_observation().filter(|_| self.has_connected_person())
    }

    /// Takes the bot whose turn it is out of the table; see [`LiveMatch::take_bot_turn`].
    pub fn take_bot_turn(&mut self) -> Option<BotTurn> {
        self.live_match.take_bot_turn()
    }

    /// Applies the decision of a bot that was taken out of the table.
    ///
    /// # Errors
    /// It is not this bot's turn any more, or the action is not legal; the table is unchanged.
    pub fn finish_bot_turn(&mut self, turn: BotTurn, action: Action) -> Result<(), TableError> {
        self.live_match.finish_bot_turn(turn, action)
    }

    /// Lets the bot act or deals the next deal.
    ///
    /// # Errors
    /// The bot failed, or the next deal cannot be dealt; the table is unchanged.
    pub fn go_on(&mut self, provider: &dyn Provider) -> Result<(), TableError> {
        if self.live_match.is_bots_turn() {
            return self.live_match.play_bot_turn();
        }
        if self.live_match.is_over() {
            return self.restart_match(shuffled(self.live_match.settings(), provider)?);
        }
        self.live_match.next_secret_deal(&mut SecretDeals::new(provider.secret()?))?;
        self.admit_newcomers();
        Ok(())
    }

    /// Returns the record of a deal that has just ended. Each record is returned once.
    pub fn take_record(&mut self) -> Option<Record> {
        let number = self.live_match.deals_dealt();
        let is_new = self.live_match.scores().is_some() && number > self.last_recorded;
        is_new.then(|| {
            self.last_recorded = number;
            self.live_match.record()
        })
    }
}

/// Returns the settings with a freshly shuffled first deal and another seed for the bots. The seed
/// is independent of the cards.
fn shuffled(
    settings: &MatchSettings,
    provider: &dyn Provider,
) -> Result<MatchSettings, TableError> {
    let mut source = SecretDeals::new(provider.secret()?);
    let dealer = source.first_dealer();
    let deal = source.shuffled(settings.rules, dealer);
    Ok(MatchSettings { seed: provider.seed()?, deal: Some(deal), ..settings.clone() })
}

#[cfg(test)]
mod tests;
