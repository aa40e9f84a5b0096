//! The messages that show a table to its persons.

use troel_env::Seat;

use super::{Table, TableAccess};
use crate::messages::{Message, ServerLink, SharedView, TableView};

impl Table {
    /// Returns the `table` message for a person. Before the person's first deal it has only what
    /// all seats know. `link` is that of the server of a shared table.
    pub fn show(&self, seat: Seat, link: Option<&ServerLink>) -> Message {
        if matches!(self.access, TableAccess::Private { .. }) {
            return Message::Table(Box::new(self.live_match.show(seat)));
        }
        let is_watching = self.seated.waits_for_deal(seat);
        let ServerLink { address, token } = link.cloned().unwrap_or_default();
        let shared = SharedView {
            people: self.seated.people(self.live_match.played_by_persons()),
            watching: is_watching,
            ready: self.ready.iter().collect(),
            address,
            token,
        };
        let shown = if is_watching {
            self.live_match.show_common_knowledge(seat)
        } else {
            self.live_match.show(seat)
        };
        Message::Table(Box::new(TableView {
            undo: false,
            mine: Vec::new(),
            shared: Some(shared),
            ..shown
        }))
    }
}
