//! Settings that the searches share.

use troel_env::{BySeat, Observation};

use crate::deal_value::{DealValue, points_with_match_bonus};

/// Settings of a search.
#[derive(Clone, Copy)]
pub(super) struct SearchSettings {
    /// Maximum number of cards in hand at which worlds are solved.
    pub max_solved_cards: u32,
    /// Value of a deal by which actions are judged.
    pub deal_value: DealValue,
}

impl SearchSettings {
    /// Creates settings that judge actions by [`points_with_match_bonus`].
    pub fn new(max_solved_cards: u32) -> SearchSettings {
        SearchSettings { max_solved_cards, deal_value: points_with_match_bonus }
    }

    /// Returns whether the observer's hand is small enough for worlds to be solved.
    pub fn solves_worlds(&self, obs: &Observation) -> bool {
        obs.hand().len() <= self.max_solved_cards
    }

    /// Returns the function that values the points of all seats in a deal for the observer.
    pub fn value(&self, obs: &Observation) -> impl Fn(&BySeat<i32>) -> f32 + Sync {
        let deal_value = self.deal_value;
        move |points| deal_value(obs.public().rules(), obs.totals(), points, obs.seat())
    }
}
