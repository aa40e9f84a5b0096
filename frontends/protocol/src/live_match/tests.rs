use serde_json::{Value, json};
use troel_agents::network::Evaluator;
use troel_agents::review;
use troel_env::HIDDEN_ACTION;
use troel_nn::{NetworkConfig, Weights};

use super::*;
use crate::provider::find_seatable_bot;

fn settings(rules: &str, seed: u64) -> MatchSettings {
    let rules = RuleSet::built_in(rules).expect("built in");
    MatchSettings::new(rules, find_seatable_bot("random").expect("built in"), seed)
}

/// The action of the seat's bot, without the search of a hint.
fn choice(live_match: &mut LiveMatch, seat: Seat) -> String {
    let obs = live_match.observe_as(seat);
    let decision =
        decide_one(live_match.bots[seat].instance(), &obs, DecisionDetail::Action).unwrap();
    decision.action.to_string()
}

/// The messages for a person have no card that the person has not seen, until the deal is over.
#[test]
fn hidden_cards_stay_hidden() {
    for rules in RuleSet::built_in_names() {
        for seed in 0..20 {
            let mut live_match =
                LiveMatch::new(settings(rules, seed), SeatSet::single(Seat::South)).unwrap();
            while !live_match.session.is_deal_over() {
                let shown = json!(live_match.show(Seat::South));
                let obs = live_match.observe_as(Seat::South);
                let text = shown.to_string();
                for card in obs.unseen() {
                    let code = format!("\"{card}\"");
                    // A code such as 8S is a call in the auction.
                    let as_call = shown["history"].to_string().matches(&code).count()
                        + shown["legal"].to_string().matches(&code).count();
                    assert_eq!(text.matches(&code).count(), as_call, "{card} in {text}");
                }
                if live_match.is_bots_turn() {
                    live_match.play_bot_turn().unwrap();
                } else {
                    let action = choice(&mut live_match, Seat::South);
                    live_match.act(Seat::South, &action).unwrap();
                }
            }
            assert!(json!(live_match.show(Seat::South))["scores"].is_object());
        }
    }
}

/// Checks `cards`, the number of cards of each hand, during the discards of a small misère.
#[test]
fn the_number_of_cards_is_that_of_the_hand() {
    let mut partly_discarded = 0;
    for seed in 0..60 {
        let mut settings = settings("luxembourg", seed);
        settings.bots = BySeat::from_fn(|_| find_seatable_bot("rules").unwrap());
        let mut live_match = LiveMatch::new(settings, SeatSet::single(Seat::South)).unwrap();
        while !live_match.session.is_deal_over() {
            let shown = live_match.show(Seat::South);
            let held = live_match.session.state().hands();
            assert_eq!(shown.cards, BySeat::from_fn(|seat| held[seat].len()), "seed {seed}");
            let is_partly_discarded = shown.phase == "discard" && shown.cards.0.contains(&12);
            partly_discarded += usize::from(is_partly_discarded);
            if live_match.is_bots_turn() {
                live_match.play_bot_turn().unwrap();
            } else if live_match.act(Seat::South, "small-misere").is_err() {
                let action = choice(&mut live_match, Seat::South);
                live_match.act(Seat::South, &action).unwrap();
            }
        }
    }
    assert!(partly_discarded > 0, "no card was laid aside");
}

#[test]
fn taking_back_gives_the_points_back() {
    let mut live_match =
        LiveMatch::new(settings("luxembourg", 3), SeatSet::single(Seat::North)).unwrap();
    let mut seen = Vec::new();
    while !live_match.session.is_deal_over() {
        if live_match.is_bots_turn() {
            live_match.play_bot_turn().unwrap();
            continue;
        }
        seen.push(json!(live_match.show(Seat::North)));
        let action = choice(&mut live_match, Seat::North);
        live_match.act(Seat::North, &action).unwrap();
    }
    assert_eq!(live_match.act(Seat::North, "AS"), Err(TableError::NotYourTurn));
    while let Some(before) = seen.pop() {
        live_match.undo(Seat::North).unwrap();
        assert_eq!(json!(live_match.show(Seat::North)), before);
    }
    assert!(live_match.undo(Seat::North).is_err() && live_match.next_deal().is_err());
    assert_eq!(live_match.act(Seat::North, "zz"), Err(TableError::NoAction));
    assert_eq!(live_match.act(Seat::North, "solo-5S"), Err(TableError::NotLegal));
}

/// Plays a deal as the bot of the seat would.
fn play(live_match: &mut LiveMatch, seat: Seat) {
    while !live_match.session.is_deal_over() {
        if live_match.is_bots_turn() {
            live_match.play_bot_turn().unwrap();
        } else {
            let action = choice(live_match, seat);
            live_match.act(seat, &action).unwrap();
        }
    }
}

/// The actions that a front end has seen restore a match, also after hidden discards.
#[test]
fn a_match_is_restored_from_what_was_seen() {
    let mut hidden = 0;
    for rules in RuleSet::built_in_names() {
        for seed in 0..20 {
            let mut settings = settings(rules, seed);
            let bot = if seed % 2 == 0 { "rules" } else { "random" };
            settings.bots = BySeat::from_fn(|_| find_seatable_bot(bot).unwrap());
            let mut live_match =
                LiveMatch::new(settings.clone(), SeatSet::single(Seat::South)).unwrap();
            let mut deals: Vec<Vec<String>> = Vec::new();
            for _ in 0..3 {
                let mut seen = Vec::new();
                while !live_match.session.is_deal_over() {
                    seen = actions(&json!(live_match.show(Seat::South)));
                    let mut all = deals.clone();
                    all.push(seen.clone());
                    let again = LiveMatch::restore(settings.clone(), Seat::South, &all);
                    let again = again.unwrap_or_else(|error| panic!("{rules} {seed}: {error}"));
                    assert_eq!(
                        json!(again.show(Seat::South)),
                        json!(live_match.show(Seat::South)),
                        "{rules} {seed}"
                    );
                    // Other bots, as of a page that continues without its server, discard other
                    // cards.
                    let mut others = settings.clone();
                    others.bots = BySeat::from_fn(|_| find_seatable_bot("expert").unwrap());
                    let again = LiveMatch::restore(others, Seat::South, &all);
                    let again = again.unwrap_or_else(|error| panic!("{rules} {seed}: {error}"));
                    assert_eq!(
                        json!(again.show(Seat::South))["hand"],
                        json!(live_match.show(Seat::South))["hand"],
                        "{rules} {seed}"
                    );
                    if live_match.is_bots_turn() {
                        live_match.play_bot_turn().unwrap();
                    // A small misère wherever it may be called: cards are laid aside for it.
                    } else if live_match.act(Seat::South, "small-misere").is_err() {
                        let action = choice(&mut live_match, Seat::South);
                        live_match.act(Seat::South, &action).unwrap();
                    }
                }
                hidden += usize::from(seen.iter().any(|code| code == HIDDEN_ACTION));
                deals.push(live_match.record().actions);
                if live_match.is_over() {
                    break;
                }
                live_match.next_deal().unwrap();
            }
        }
    }
    assert!(hidden > 0, "no card was laid aside");
    let wrong = LiveMatch::restore(settings("iwwa", 1), Seat::South, &[vec!["slam".to_string()]]);
    assert!(wrong.err().unwrap().to_string().contains("deal 1, action 1"));
    let early = [vec!["pass".to_string()], vec!["pass".to_string()]];
    let early = LiveMatch::restore(settings("luxembourg", 1), Seat::South, &early);
    assert!(early.err().unwrap().to_string().contains("deal 2, action 1"), "deal 1 is not over");
}

fn actions(shown: &Value) -> Vec<String> {
    let history = shown["history"].as_array().unwrap();
    history.iter().map(|done| done["action"].as_str().unwrap().to_string()).collect()
}

/// A person goes back to each own decision, also after the deal, and plays the deal again.
#[test]
fn back_leads_to_any_own_decision() {
    let mut live_match =
        LiveMatch::new(settings("wiezen", 5), SeatSet::single(Seat::East)).unwrap();
    let dealt = json!(live_match.show(Seat::East));
    play(&mut live_match, Seat::East);
    let end = json!(live_match.show(Seat::East));
    let mine: Vec<usize> = serde_json::from_value(end["mine"].clone()).unwrap();
    assert!(mine.len() >= 13);
    assert_eq!(
        live_match.go_back(Seat::East, mine[3] + 1),
        Err(TableError::NotYourDecision(mine[3] + 1))
    );
    assert_eq!(json!(live_match.show(Seat::East)), end);
    live_match.go_back(Seat::East, mine[3]).unwrap();
    assert_eq!(actions(&json!(live_match.show(Seat::East))), actions(&end)[..mine[3]]);
    live_match.replay_deal(live_match.bots().clone());
    assert_eq!(json!(live_match.show(Seat::East)), dealt);
}

/// Hands that take all remaining tricks can claim, others cannot. A claim has the result of playing
/// the deal to its end.
#[test]
fn only_certain_tricks_can_be_claimed() {
    let mut claims = 0;
    for rules in RuleSet::built_in_names() {
        for seed in 0..60 {
            let mut live_match =
                LiveMatch::new(settings(rules, seed), SeatSet::single(Seat::South)).unwrap();
            while !live_match.session.is_deal_over() {
                if live_match.is_bots_turn() {
                    live_match.play_bot_turn().unwrap();
                    continue;
                }
                if !live_match.observe_as(Seat::South).takes_the_rest() {
                    if !live_match.session.state().is_decided() {
                        assert_eq!(live_match.claim(Seat::South), Err(TableError::NotCertain));
                    }
                } else {
                    claims += 1;
                    let left = live_match.observe_as(Seat::South).hand().len() as u8;
                    let before = live_match.session.state().tricks()[Seat::South];
                    let mut claimed = live_match.clone();
                    let mut backwards = claimed.session.clone();
                    claimed.claim(Seat::South).unwrap();
                    assert_eq!(claimed.session.state().tricks()[Seat::South], before + left);
                    // The same with the last legal card of each seat in place of the first.
                    while !backwards.is_deal_over() {
                        let last = backwards.legal_actions().iter().next_back().unwrap();
                        backwards.apply(last).unwrap();
                    }
                    assert_eq!(backwards.state().tricks()[Seat::South], before + left);
                }
                let action = choice(&mut live_match, Seat::South);
                live_match.act(Seat::South, &action).unwrap();
            }
        }
    }
    assert!(claims > 20, "{claims} claims");
}

/// Checks that a deal whose points are settled can be ended. It has the points of playing it out, a
/// full record, and a review without the later decisions.
#[test]
fn a_settled_deal_can_be_ended() {
    let (mut ended, mut miseres) = (0, 0);
    for rules in RuleSet::built_in_names() {
        for seed in 0..60 {
            let mut settings = settings(rules, seed);
            let bot = if seed % 2 == 0 { "rules" } else { "random" };
            settings.bots = BySeat::from_fn(|_| find_seatable_bot(bot).unwrap());
            let mut live_match =
                LiveMatch::new(settings.clone(), SeatSet::single(Seat::South)).unwrap();
            while !live_match.session.is_deal_over() {
                let shown = json!(live_match.show(Seat::South));
                if live_match.is_bots_turn() {
                    assert_eq!(live_match.claim(Seat::South), Err(TableError::NotCertain));
                    live_match.play_bot_turn().unwrap();
                    continue;
                }
                if shown["settled"] == true {
                    break;
                }
                // Misères wherever they may be called, on hands that rarely make them.
                let misere =
                    ["misere", "small-misere", "open-misere", "piccolo"][seed as usize / 2 % 4];
                if live_match.act(Seat::South, misere).is_err() {
                    let action = choice(&mut live_match, Seat::South);
                    live_match.act(Seat::South, &action).unwrap();
                }
            }
            if live_match.session.is_deal_over() {
                continue;
            }
            ended += 1;
            miseres +=
                usize::from(live_match.session.state().contract().unwrap().kind.is_negative());
            let settled_at = live_match.session.state().history().len();
            // The last legal card of each seat in place of the first.
            let mut played_out = live_match.session.clone();
            while !played_out.is_deal_over() {
                let last = played_out.legal_actions().iter().next_back().unwrap();
                played_out.apply(last).unwrap();
            }
            live_match.claim(Seat::South).unwrap();
            let shown = json!(live_match.show(Seat::South));
            assert_eq!(live_match.scores(), played_out.state().scores(), "{rules} {seed}");
            assert_eq!(live_match.totals(), played_out.totals(), "{rules} {seed}");
            assert_eq!(shown["settled"], false, "nothing is left to end");
            let record = live_match.record();
            let again =
                LiveMatch::restore(settings, Seat::South, std::slice::from_ref(&record.actions));
            assert_eq!(json!(again.unwrap().show(Seat::South)), shown, "{rules} {seed}");
            let count = live_match.review(Seat::South, usize::MAX).unwrap().count as u64;
            let choices =
                review::decision_points(live_match.rules(), &record, Some(Seat::South)).unwrap().0;
            let before = choices.iter().filter(|choice| choice.number <= settled_at).count();
            assert_eq!(count, before as u64, "{rules} {seed}");
            live_match.next_deal().unwrap();
        }
    }
    assert!(ended > 100 && miseres > 30, "{ended} deals ended, {miseres} of them misères");
}

/// Reviews, values, par and results are given once a deal is over, and not before: they show hidden
/// cards.
#[test]
fn answers_with_hidden_cards_wait_for_the_end() {
    let mut live_match =
        LiveMatch::new(settings("luxembourg", 2), SeatSet::single(Seat::South)).unwrap();
    let early = [
        live_match.review(Seat::South, 0).err(),
        live_match.values(0).err(),
        live_match.par().err(),
        live_match.results(Seat::South).err(),
    ]
    .map(|e| e.unwrap());
    assert!(early.iter().all(|error| *error == TableError::NotOver), "{early:?}");
    assert!(json!(live_match.show(Seat::South))["record"].is_null());
    play(&mut live_match, Seat::South);
    let first = live_match.review(Seat::South, 0).unwrap();
    let last = live_match.review(Seat::South, first.count).unwrap();
    assert!(first.count > 0 && first.decision.is_some() && last.decision.is_none());
    let shown = json!(live_match.show(Seat::South));
    let calls = shown["calls"].as_u64().unwrap() as usize;
    let values = live_match.values(calls + 4).unwrap().values;
    assert!(!values.is_empty() && values.iter().all(|(_, v)| v[0] == v[1]), "{values:?}");
    assert!(live_match.values(1000).is_ok(), "nothing is to play at the end");
}

/// Results count every play of the deal, ascending by points, and do not depend on how the person
/// played it. The points of the four seats add up to 0. Bots that do not sample have none.
#[test]
fn results_are_those_of_the_cards() {
    let config = NetworkConfig { hidden: 8, blocks: 0, ..NetworkConfig::default() };
    let evaluator = Evaluator::new(&Weights::init(config, 1));
    let random = settings("wiezen", 2);
    let network = NamedBot::network("untrained", evaluator, None);
    let settings = MatchSettings::new(random.rules, network, 2);
    let mut live_match = LiveMatch::new(settings, SeatSet::single(Seat::South)).unwrap();
    play(&mut live_match, Seat::South);
    let results = Seat::ALL.map(|seat| live_match.results(seat).unwrap().points);
    for points in &results {
        assert_eq!(points.iter().map(|&(_, count)| count).sum::<u32>(), 1000);
        assert!(points.len() > 1 && points.is_sorted(), "{points:?}");
    }
    let sum = |points: &Vec<(i32, u32)>| points.iter().map(|&(p, n)| p * n as i32).sum::<i32>();
    assert_eq!(results.iter().map(sum).sum::<i32>(), 0);
    live_match.restart_deal();
    while !live_match.session.is_deal_over() {
        let action = live_match.session.legal_actions().nth_action(0).unwrap();
        live_match.apply(action).unwrap();
    }
    assert_eq!(live_match.results(Seat::South).unwrap().points, results[Seat::South.index()]);
    let mut bots = live_match.bots().clone();
    bots[Seat::East] = random.bots[Seat::East].clone();
    live_match.replay_deal(bots);
    play(&mut live_match, Seat::South);
    assert!(live_match.results(Seat::South).unwrap().points.is_empty());
}
