//! What a deal is worth to the learner.

use troel_agents::match_gain;
use troel_env::{BySeat, Reward, Session};

/// Rewards of a session's current deal, in points, or with [`Reward::Match`] in hundredths of a match; `None` while it goes on.
///
/// A whole match pays its winners at its end alone. Here every deal pays by how much it changes each seat's share of the match as
/// [`match_gain`] has it, so that no match has to be played out to learn from it: the same sum over a match, with far less noise
/// (potential-based shaping, Ng, Harada and Russell 1999).
pub(crate) fn rewards(session: &Session) -> Option<BySeat<f32>> {
    let outcome = session.outcome()?;
    Some(match session.config().reward {
        Reward::Points | Reward::Centred => outcome.rewards,
        Reward::Match => {
            let before = BySeat::from_fn(|s| outcome.totals[s].saturating_sub(outcome.scores[s]));
            BySeat::from_fn(|s| match_gain(session.rules(), &before, &outcome.scores, s))
        }
    })
}

#[cfg(test)]
mod tests {
    use troel_env::{Deals, Episode, RuleSet, Seat, SessionConfig};

    use super::*;

    #[test]
    fn a_match_pays_by_what_a_deal_changes() {
        let rules = RuleSet::built_in("horesca").expect("built in");
        let totals = BySeat([97, 60, 55, 50]);
        let config = SessionConfig {
            episode: Episode::Deals(1),
            reward: Reward::Match,
            totals,
            ..SessionConfig::default()
        };
        for number in 0..20 {
            let deals = Deals::new(rules, 3);
            let mut session = Session::new(deals, config, number, Seat::North);
            assert_eq!(rewards(&session), None);
            while !session.is_deal_over() {
                let action = session.legal_actions().nth_action(0).expect("one is legal");
                session.apply(action).expect("legal");
            }
            let paid = rewards(&session).expect("over");
            assert!(paid.iter().sum::<f32>().abs() < 1e-3, "{paid:?}");
            let scores = session.state().scores().expect("over");
            if scores == BySeat([0; 4]) {
                assert_eq!(paid, BySeat([0.0; 4]));
            } else if session.totals()[Seat::North] >= 100 {
                assert!(paid[Seat::North] > 0.0, "{paid:?}");
            }
        }
    }
}
