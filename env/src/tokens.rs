//! Observations as sequences of tokens, for sequence models.

use crate::action::{Action, N_ACTIONS};
use crate::observation::Observation;

/// Code of an action whose content the observer may not see.
const HIDDEN_TOKEN: usize = N_ACTIONS;
/// Tokens per seat: all actions and the hidden one.
const TOKENS_PER_SEAT: usize = N_ACTIONS + 1;
/// First of the tokens that are not actions.
const HEADER: usize = 4 * TOKENS_PER_SEAT;
/// Number of different tokens.
pub const N_TOKENS: usize = HEADER + 52 + 4 + 4 + 52;

impl Observation {
    /// The observation as a sequence of tokens below [`N_TOKENS`], for sequence models: the
    /// observer's cards (after any exchange, those played included), the dealer and the announcer of trou or troel (both relative
    /// to the observer), the turn-up if seen, then every action as
    /// `134 * relative seat + action` (133: hidden). Clears `tokens` first.
    pub fn tokens(&self, tokens: &mut Vec<u16>) {
        let (state, seat) = (self.state(), self.seat());
        tokens.clear();
        let own = self.hand() | self.played(seat) | state.laid_aside[seat];
        tokens.extend(own.map(|c| (HEADER + c.index()) as u16));
        tokens.push((HEADER + 52 + state.dealer.relative_to(seat)) as u16);
        if let Some(announcer) = state.auction.announcer {
            tokens.push((HEADER + 56 + announcer.relative_to(seat)) as u16);
        }
        if let Some(card) = self.turn_up() {
            tokens.push((HEADER + 60 + card.index()) as u16);
        }
        for (actor, action) in state.history.iter() {
            let action = action.map_or(HIDDEN_TOKEN, Action::index);
            tokens.push((actor.relative_to(seat) * TOKENS_PER_SEAT + action) as u16);
        }
    }
}
