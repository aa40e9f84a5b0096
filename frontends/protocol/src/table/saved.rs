//! Saved shared tables, with which a server that was restarted goes on.

use std::num::NonZeroU32;

use serde::{Deserialize, Serialize};
use troel_env::{BySeat, Seat, Session};

use super::persons::SeatedPersons;
use super::{Table, TableAccess};
use crate::error::TableError;
use crate::live_match::{LiveMatch, MatchSettings};
use crate::provider::{Provider, find_seatable_bot};

/// Version of the format. A server reads only tables with its version.
const VERSION: u32 = 1;

/// A shared table as a server keeps it. It has the hands of all seats and the secrets of persons.
#[derive(Debug, Serialize, Deserialize)]
pub struct SavedTable {
    version: u32,
    /// Names of the bots.
    bots: BySeat<String>,
    /// Seed of the match.
    seed: u64,
    /// Number of deals of the match, if it has one.
    length: Option<NonZeroU32>,
    /// The match before the first action of the current deal.
    deal_start: Session,
    /// Codes of the actions of the current deal.
    actions: Vec<String>,
    /// The seats at which persons play.
    played_by_persons: Vec<Seat>,
    seated: SeatedPersons,
    ready: Vec<Seat>,
    redeals_left: u8,
    last_recorded: u32,
}

impl Table {
    /// Returns what [`Table::load`] needs to go on with this shared table.
    pub fn save(&self) -> SavedTable {
        let live_match = &self.live_match;
        SavedTable {
            version: VERSION,
            bots: BySeat::from_fn(|seat| live_match.bots()[seat].name().to_string()),
            seed: live_match.settings().seed,
            length: live_match.settings().length,
            deal_start: live_match.deal_start().clone(),
            actions: live_match.record().actions,
            played_by_persons: live_match.played_by_persons().iter().collect(),
            seated: self.seated.clone(),
            ready: self.ready.iter().collect(),
            redeals_left: self.redeals_left,
            last_recorded: self.last_recorded,
        }
    }

    /// Returns the shared table that was saved. No person is connected.
    ///
    /// # Errors
    /// Another version of Troel saved it, the provider does not offer its rule set or its bots, or
    /// an action is not possible in its place.
    pub fn load(saved: SavedTable, provider: &dyn Provider) -> Result<Table, TableError> {
        if saved.version != VERSION {
            return Err(TableError::SavedByOtherVersion(saved.version));
        }
        let rules = saved.deal_start.rules();
        let (offered, usual) = provider.rules_and_bot(rules.id())?;
        if offered != rules {
            return Err(TableError::SavedUnderOtherRules(rules.id().to_string()));
        }
        let find_bot = |name: &String| {
            if name == usual.name() { Ok(usual.clone()) } else { find_seatable_bot(name) }
        };
        let [n, e, s, w] = &saved.bots.0;
        let bots = BySeat([find_bot(n)?, find_bot(e)?, find_bot(s)?, find_bot(w)?]);
        let SavedTable { seed, length, .. } = saved;
        let settings = MatchSettings { rules, bots, seed, length, deal: None };
        let live_match = LiveMatch::from_deal_start(
            settings,
            saved.deal_start,
            saved.played_by_persons.into_iter().collect(),
            &saved.actions,
        )?;
        let mut seated = saved.seated;
        seated.expect_all();
        Ok(Table {
            live_match,
            access: TableAccess::Shared,
            seated,
            ready: saved.ready.into_iter().collect(),
            redeals_left: saved.redeals_left,
            last_recorded: saved.last_recorded,
        })
    }
}
