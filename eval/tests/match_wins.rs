//! Whole matches: the counts equal those of playing them one by one.

use std::ops::Range;

use troel_agents::{Bot, BotError, Decision, DecisionDetail, Heuristic, NamedBot, find_rules};
use troel_env::{Deals, Episode, Observation, Reward, RuleSet, Seat, Session, SessionConfig};
use troel_eval::{MatchWins, play_matches};

/// Plays the first legal action.
struct First;

impl Bot for First {
    fn decide(
        &mut self,
        views: &[Observation],
        detail: DecisionDetail,
    ) -> Result<Vec<Decision>, BotError> {
        let first = |obs: &Observation| obs.legal_actions().nth_action(0).expect("one is legal");
        Ok(views.iter().map(|obs| Decision::sure(first(obs), detail)).collect())
    }
}

fn play(
    rules: &'static RuleSet,
    matches: Range<u64>,
    against_rules: bool,
) -> Result<MatchWins, String> {
    let first = NamedBot::new("first", |_| Box::new(First));
    let rule = NamedBot::find("rules", rules).expect("a bot");
    let baseline = if against_rules { &rule } else { &first };
    play_matches(rules, 5, matches, &first, baseline, &|_| {}).map_err(|error| error.to_string())
}

#[test]
fn shares_are_those_of_matches_played_one_by_one() {
    for name in ["luxembourg", "horesca"] {
        let rules = find_rules(name).expect("built in");
        let config = SessionConfig {
            episode: Episode::Match,
            reward: Reward::Match,
            ..SessionConfig::default()
        };
        let (mut sum, mut deals) = (0.0, 0);
        for n in 3..23 {
            for own in Seat::ALL {
                let source = Deals::for_evaluation(rules, 5);
                let mut session = Session::new(source, config, n * 1000, Seat::dealer(n));
                loop {
                    while !session.is_deal_over() {
                        let mut bot: Box<dyn Bot> = if session.turn() == own {
                            Box::new(First)
                        } else {
                            Box::new(Heuristic)
                        };
                        let decided = bot.decide(&[session.observe()], DecisionDetail::Action);
                        session.apply(decided.expect("decides")[0].action).expect("legal");
                    }
                    deals += 1;
                    if session.next_deal().is_err() {
                        break;
                    }
                }
                let best = session.totals().iter().max().expect("four");
                let winners = session.totals().iter().filter(|&total| total == best).count();
                if session.totals()[own] == *best {
                    sum += 1.0 / winners as f64;
                }
            }
        }
        let found = play(rules, 3..23, true).expect("plays legally");
        assert_eq!((found.share.n, found.deals), (20, deals), "{name}");
        assert!((found.won() - sum / 80.0).abs() < 1e-6, "{name}: {} {sum}", found.won());
        // Parts together are the whole.
        let mut parts = play(rules, 3..10, true).expect("plays legally");
        parts.share.merge(&play(rules, 10..23, true).expect("plays legally").share);
        assert!((parts.won() - found.won()).abs() < 1e-9);
    }
}

/// No seat reaches a million points.
#[test]
fn a_match_without_an_end_is_an_error() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("far.toml");
    let near = include_str!("../../configs/rules/luxembourg.toml");
    let far = near.replace("match_target = 100", "match_target = 1_000_000");
    let far = far.replace("id = \"luxembourg\"", "id = \"far\"");
    std::fs::write(&file, far).expect("written");
    let rules = find_rules(&file.display().to_string()).expect("house rules");
    let error = play(rules, 0..1, false).expect_err("no end");
    assert!(
        error.contains("first against three copies of first") && error.contains("1000 deals"),
        "{error}"
    );
}
