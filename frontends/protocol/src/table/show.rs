//! The messages that show a table to its persons.

use troel_env::Seat;

use super::{Table, TableAccess};
use crate::messages::{Message, SeatedView, SharedView, TableView};

impl Table {
    /// Returns the `table` message for a person, or `seated` before the person's first deal.
    /// `token` is the secret that a link to a shared table needs, if any.
    pub fn show(&self, seat: Seat, token: Option<&str>) -> Message {
        if matches!(self.access, TableAccess::Private { .. }) {
            return Message::Table(Box::new(self.live_match.show(seat)));
        }
        let people = self.seated.people(self.live_match.played_by_persons());
        if self.seated.waits_for_deal(seat) {
            let rules = self.live_match.rules().id().to_string();
            return Message::Seated(SeatedView { rules, you: seat, people });
        }
        let shared = SharedView {
            people,
            ready: self.ready.iter().collect(),
            token: token.map(str::to_string),
        };
        Message::Table(Box::new(TableView {
            undo: false,
            mine: Vec::new(),
            shared: Some(shared),
            ..self.live_match.show(seat)
        }))
    }
}
