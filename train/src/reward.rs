//! Rewards of a deal.

use serde::{Deserialize, Deserializer, Serialize, de};
use troel_agents::match_gain;
use troel_env::{BySeat, Reward, Session};

/// Reward of a seat at the end of a deal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum DealReward {
    /// Points of the deal.
    #[default]
    Points,
    /// Points less the mean of the four seats.
    Centred,
    /// Hundredths by which the deal changes the seat's share of the match. They are estimated by
    /// [`match_gain`]. A match pays only at its end. With this estimate, no match is played out.
    /// The policy also learns the errors of the estimate.
    MatchGain,
}

// By hand, so that the error of an unknown name does not list the old name `match`.
impl<'de> Deserialize<'de> for DealReward {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<DealReward, D::Error> {
        let name = String::deserialize(deserializer)?;
        match name.as_str() {
            "points" => Ok(DealReward::Points),
            "centred" => Ok(DealReward::Centred),
            "match-gain" | "match" => Ok(DealReward::MatchGain),
            _ => Err(de::Error::unknown_variant(&name, &["points", "centred", "match-gain"])),
        }
    }
}

impl DealReward {
    /// Returns the reward of the environment from which this one is computed.
    pub(crate) fn of_session(self) -> Reward {
        match self {
            DealReward::Points | DealReward::MatchGain => Reward::Points,
            DealReward::Centred => Reward::Centred,
        }
    }

    /// Returns the rewards of a session's current deal; `None` before its end.
    pub(crate) fn of_deal(self, session: &Session) -> Option<BySeat<f32>> {
        let outcome = session.outcome()?;
        Some(match self {
            DealReward::Points | DealReward::Centred => outcome.rewards,
            DealReward::MatchGain => {
                let before =
                    BySeat::from_fn(|s| outcome.totals[s].saturating_sub(outcome.scores[s]));
                BySeat::from_fn(|s| match_gain(session.rules(), &before, &outcome.scores, s))
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use troel_agents::{Bot, DecisionDetail, Heuristic};
    use troel_env::{Deals, Episode, RuleSet, Seat, SessionConfig};

    use super::*;

    #[test]
    fn a_match_pays_by_what_a_deal_changes() {
        let rules = RuleSet::built_in("horesca").expect("built in");
        let totals = BySeat([97, 60, 55, 50]);
        let config =
            SessionConfig { episode: Episode::Deals(1), totals, ..SessionConfig::default() };
        // The leader lacks three points: odds of exp(-4 · behind / (3 + 45)).
        let odds = [0.0f32, 37.0, 42.0, 47.0].map(|behind| (-4.0 * behind / 48.0).exp());
        let north = odds[0] / odds.iter().sum::<f32>();
        let (mut won, mut lost) = (0, 0);
        for number in 0..60 {
            let mut session = Session::new(Deals::new(rules, 3), config, number, Seat::North);
            assert_eq!(DealReward::MatchGain.of_deal(&session), None);
            while !session.is_deal_over() {
                let decided = Heuristic.decide(&[session.observe()], DecisionDetail::Action);
                session.apply(decided.expect("decides")[0].action).expect("legal");
            }
            let paid = DealReward::MatchGain.of_deal(&session).expect("over");
            let alone = session.totals().iter().all(|&t| t <= session.totals()[Seat::North]);
            if session.totals()[Seat::North] >= 100 && alone {
                won += 1;
                assert!((paid[Seat::North] - 100.0 * (1.0 - north)).abs() < 1e-2, "{paid:?}");
            } else if session.totals()[Seat::North] < 97 {
                lost += 1;
                assert!(paid[Seat::North] < 0.0, "{paid:?}");
            }
        }
        assert!(won > 5 && lost > 2, "{won} {lost}");
    }
}
