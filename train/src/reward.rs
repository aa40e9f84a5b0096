//! What a deal is worth to the learner.

use troel_agents::match_gain;
use troel_env::{BySeat, Reward, Session};

/// Rewards of a session's current deal, in points, or with [`Reward::Match`] in hundredths of a match; `None` while it goes on.
///
/// A whole match pays its winners at its end alone. Here every deal pays by how much it changes each seat's share of the match, as
/// [`match_gain`] estimates it, so that no match has to be played out to learn from it. What is wrong with the estimate the policy
/// learns, too.
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
    use troel_agents::{Bot, Detail, Heuristic};
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
        // The leader lacks three points: odds of exp(-4 · behind / (3 + 45)).
        let odds = [0.0f32, 37.0, 42.0, 47.0].map(|behind| (-4.0 * behind / 48.0).exp());
        let north = odds[0] / odds.iter().sum::<f32>();
        let (mut won, mut lost) = (0, 0);
        for number in 0..60 {
            let mut session = Session::new(Deals::new(rules, 3), config, number, Seat::North);
            assert_eq!(rewards(&session), None);
            while !session.is_deal_over() {
                let decided = Heuristic.decide(&[session.observe()], Detail::Action);
                session.apply(decided.expect("decides")[0].action).expect("legal");
            }
            let paid = rewards(&session).expect("over");
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
