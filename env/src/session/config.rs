//! Settings of a session: its length, and its rewards.

use serde::{Deserialize, Serialize};

use crate::seat::{BySeat, Seat};

/// Reward of a seat at the end of a deal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reward {
    /// Points of the deal.
    #[default]
    Points,
    /// Points of the deal less the mean over the four seats. It is the same as `Points` where
    /// scoring is zero-sum.
    Centred,
    /// Share of the match at the end of the episode, and zero until then. One point is divided
    /// among the seats with the highest total, less 1/4 for each seat. Training may use another
    /// reward, which estimates the share of the match after each deal.
    Match,
}

impl Reward {
    /// Returns the rewards of a finished deal. They are in points, or, with [`Reward::Match`], in
    /// shares of a match won.
    ///
    /// `scores` are the points of the deal, `totals` the points of the match with the deal
    /// included. `over` says whether the episode ended with the deal.
    pub fn of_deal(self, scores: &BySeat<i32>, totals: &BySeat<i32>, over: bool) -> BySeat<f32> {
        match self {
            Reward::Points => BySeat::from_fn(|s| scores[s] as f32),
            Reward::Centred => {
                let mean = scores.iter().map(|&s| s as f32).sum::<f32>() / 4.0;
                BySeat::from_fn(|s| scores[s] as f32 - mean)
            }
            Reward::Match if over => {
                let best = totals.iter().copied().max().unwrap_or(0);
                let winners = totals.iter().filter(|&&t| t == best).count() as f32;
                let share = |s: Seat| if totals[s] == best { 1.0 / winners } else { 0.0 };
                BySeat::from_fn(|s| share(s) - 0.25)
            }
            Reward::Match => BySeat::default(),
        }
    }
}

/// Length of an episode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Episode {
    /// A single deal.
    #[default]
    Deal,
    /// This number of deals at one table. Where the rules never shuffle, the deck is gathered and
    /// cut in between.
    Deals(u32),
    /// A match to the rule set's target; a single deal where it has none.
    Match,
    /// Deals until the target of the rule set; without a target it has no end.
    #[serde(rename = "endless")]
    UntilTarget,
}

/// Settings of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionConfig {
    /// Condition for the end of the session.
    pub episode: Episode,
    /// Kind of reward.
    pub reward: Reward,
    /// Match points before the first deal.
    pub totals: BySeat<i32>,
    /// Distance between the numbers of consecutive deals, 1 or more. Sessions that start at
    /// different numbers below the stride share a source, but no deal.
    pub stride: u64,
}

impl Default for SessionConfig {
    fn default() -> SessionConfig {
        SessionConfig {
            episode: Episode::Deal,
            reward: Reward::Points,
            totals: BySeat::default(),
            stride: 1,
        }
    }
}
