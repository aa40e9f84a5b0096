//! Duplicate comparisons: fair, repeatable, mergeable.

use std::ops::Range;

use troel_agents::driver;
use troel_agents::{Bot, BotError, Decision, DecisionDetail, Heuristic, NamedBot, find_rules};
use troel_env::{Action, Deals, Observation, RuleSet, Scenario};
use troel_eval::{
    ComparisonReport, DealRange, DuplicateBots, DuplicateConfig, DuplicateResult, Lineup, Report,
    Scope, Tally, deals_in, play_duplicate,
};

const ALL: [&str; 4] = ["luxembourg", "horesca", "wiezen", "iwwa"];

fn config(rules: &'static RuleSet, deals: Range<u64>) -> DuplicateConfig {
    DuplicateConfig::new(rules, deals, 11)
}

fn run(config: &DuplicateConfig, a: &str, b: &str) -> DuplicateResult {
    let find = |name| NamedBot::find(name, config.rules).expect("a bot");
    let [challenger, baseline, fixed] = [a, b, "rules"].map(find);
    let bots = DuplicateBots { challenger: &challenger, baseline: &baseline, fixed: &fixed };
    play_duplicate(config, bots, &|_| {}).expect("no bot fails")
}

#[test]
fn a_bot_against_itself_is_exactly_even() {
    for name in ALL {
        for lineup in [Lineup::OneVsThree, Lineup::TwoVsTwo] {
            let rules = find_rules(name).expect("built in");
            let result =
                run(&DuplicateConfig { lineup, ..config(rules, 0..100) }, "rules", "rules");
            assert_eq!(result.difference.n, 100);
            // Without a baseline table, the seats' points cancel.
            assert_eq!(result.difference.sum, 0.0, "{name} {lineup:?}");
            assert_eq!(result.difference.half_width(), 0.0, "{name} {lineup:?}");
        }
    }
}

/// Deals from one gathered deck are not independent: intervals are clustered by series of eight.
#[test]
fn gathered_deals_are_clustered_by_series() {
    let gathered = find_rules("iwwa").expect("built in");
    let result = run(&config(gathered, 0..128), "random", "rules");
    assert_eq!((result.difference.n, result.difference.clusters), (128, 16));
    // A range that begins and ends within a series has the rest of both as clusters of their own.
    let part = run(&config(gathered, 5..21), "random", "rules");
    assert_eq!((part.difference.n, part.difference.clusters), (16, 3));
    let scenario = DuplicateConfig { scenario: Scenario::Aces, ..config(gathered, 0..16) };
    assert_eq!(run(&scenario, "random", "rules").difference.clusters, 16, "shuffled each time");
    let shuffled = find_rules("wiezen").expect("built in");
    assert_eq!(run(&config(shuffled, 0..16), "random", "rules").difference.clusters, 16);
}

/// Takes the first legal action, and after `after` decisions an illegal one.
struct Breaks {
    after: u32,
}

impl Bot for Breaks {
    fn decide(
        &mut self,
        views: &[Observation],
        detail: DecisionDetail,
    ) -> Result<Vec<Decision>, BotError> {
        let mut decide = |obs: &Observation| {
            self.after = self.after.saturating_sub(1);
            let legal = obs.legal_actions().nth_action(0).expect("some action is legal");
            Decision::sure(if self.after == 0 { Action::GIVE } else { legal }, detail)
        };
        Ok(views.iter().map(&mut decide).collect())
    }
}

/// A custom bot is evaluated like any other; one that breaks the rules ends the match with an error
/// that names it.
#[test]
fn custom_bots_play_and_broken_ones_are_errors() {
    let rules = find_rules("luxembourg").expect("built in");
    let play = |after: u32| {
        let mine = NamedBot::new("mine", move |_| Box::new(Breaks { after }));
        let baseline = NamedBot::find("rules", rules).expect("a bot");
        play_duplicate(&config(rules, 0..20), DuplicateBots::full(&mine, &baseline), &|_| {})
    };
    let result = play(u32::MAX).expect("plays legally");
    assert_eq!(result.difference.n, 20);
    assert!(result.difference.mean() < 0.0, "the first legal action loses points");
    let error = play(30).expect_err("breaks the rules").to_string();
    assert!(error.contains("mine") && error.contains("give"), "{error}");
}

/// Progress adds up to the deals of the match, and comes in steps smaller than a chunk.
#[test]
fn progress_is_reported_during_a_comparison() {
    let rules = find_rules("wiezen").expect("built in");
    let reported = std::sync::Mutex::new(Vec::new());
    let bot = NamedBot::find("rules", rules).expect("a bot");
    let report = |deals: f64| reported.lock().expect("no panic").push(deals);
    play_duplicate(&config(rules, 0..100), DuplicateBots::full(&bot, &bot), &report)
        .expect("plays legally");
    let reported = reported.into_inner().expect("no panic");
    assert!((reported.iter().sum::<f64>() - 100.0).abs() < 1e-6);
    assert!(reported.len() > 10, "{reported:?}");
    assert!(reported.iter().all(|&deals| deals > 0.0 && deals < 40.0), "{reported:?}");
}

#[test]
fn rules_beat_random_in_bidding_and_in_play() {
    for name in ALL {
        let rules = find_rules(name).expect("built in");
        for scope in [Scope::Full, Scope::Bidding, Scope::Play] {
            for lineup in [Lineup::OneVsThree, Lineup::TwoVsTwo] {
                let config = DuplicateConfig { scope, lineup, ..config(rules, 0..200) };
                let result = run(&config, "rules", "random");
                let low = result.difference.interval().low;
                assert!(low > 0.0, "{name} {scope:?} {lineup:?}: {:?}", result.difference);
            }
        }
    }
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    for name in ["luxembourg", "iwwa"] {
        let rules = find_rules(name).expect("built in");
        let with = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            pool.expect("threads").install(|| run(&config(rules, 0..300), "random", "rules"))
        };
        assert_eq!(with(1), with(3));
    }
}

#[test]
fn shards_join_to_the_whole() {
    let rules = find_rules("iwwa").expect("built in");
    let report = |from, to| {
        let config = config(rules, from..to);
        let mut report = Report::new(&config, "any");
        report.comparisons.push(ComparisonReport::new(
            "rules",
            "random",
            Scope::Full,
            run(&config, "rules", "random"),
        ));
        report
    };
    let whole = report(0, 256);
    // Merged through JSON, as files are.
    let json = |r: &Report| serde_json::to_string(r).expect("serialises");
    let read = |text: &str| serde_json::from_str::<Report>(text).expect("a report");
    let parts = [read(&json(&report(100, 256))), read(&json(&report(0, 100)))];
    let joined = Report::merge(&parts).expect("shards");
    assert_eq!(joined.deals, 256);
    assert!(
        (joined.comparisons[0].points_per_deal - whole.comparisons[0].points_per_deal).abs() < 1e-9
    );
    assert_eq!(joined.comparisons[0].detail.challenger, whole.comparisons[0].detail.challenger);
    // The cut went through a series of gathered deals.
    let half_width = |r: &Report| r.comparisons[0].detail.difference.half_width();
    assert!((half_width(&joined) - half_width(&whole)).abs() < 1e-9);
    let overlap = Report::merge(&[report(0, 100), report(64, 128)]).expect_err("shared deals");
    assert!(overlap.to_string().contains("64..100"), "{overlap}");
    let gap = Report::merge(&[report(64, 128), report(0, 32)]).expect_err("a shard is missing");
    assert!(gap.to_string().contains("32..64"), "{gap}");
    // What is not of one evaluation, or does not hold together, is refused with its reason.
    let refused = |change: &dyn Fn(&mut Report)| {
        let mut other = report(128, 256);
        change(&mut other);
        Report::merge(&[report(0, 128), other]).expect_err("refused").to_string()
    };
    let weights = refused(&|r| r.comparisons[0].identities[0] = "other".to_string());
    assert!(weights.contains("weights of a bot"), "{weights}");
    assert!(refused(&|r| r.fixed = "expert".to_string()).contains("--fixed"));
    assert!(refused(&|r| r.commit = "other".to_string()).contains("commit"));
    assert!(refused(&|r| r.deals = 127).contains("127 deals, but ranges of 128"));
    assert!(refused(&|r| r.comparisons[0].deals = 3).contains("a comparison of 3 deals"));
    assert!(refused(&|r| r.comparisons[0].detail.difference.n += 1).contains("129"));
    assert!(
        refused(&|r| r.comparisons[0].points_per_deal = 50.0).contains("+50.00 points per deal")
    );
    assert!(refused(&|r| r.ranges = vec![DealRange::new(256, 128)]).contains("256..128"));
    let most = u64::MAX;
    assert!(
        refused(&|r| r.ranges = vec![DealRange::new(0, most)]).contains("the range of deals 0..")
    );
    for forfeits in [[most, 0], [0, most]] {
        let found = refused(&|r| r.comparisons[0].detail.forfeits = forfeits.into());
        assert!(found.contains(&format!("{most} forfeits in 128 deals")), "{found}");
    }
    // Tables of contracts: of other seats, of other points, made more often than played.
    let tally = |r: &mut Report, change: fn(&mut Tally)| {
        change(r.comparisons[0].detail.challenger.values_mut().next().expect("a contract"));
    };
    assert!(refused(&|r| tally(r, |t| t.deals += 1)).contains("contracts of 513 seats"));
    assert!(refused(&|r| tally(r, |t| t.points += 128)).contains("contracts that add up to"));
    assert!(refused(&|r| tally(r, |t| t.made = t.deals + 1)).contains("made at"));
    assert!(refused(&|r| tally(r, |t| t.deals = u64::MAX)).contains("contracts of"));
    assert!(refused(&|r| tally(r, |t| t.points = i64::MIN)).contains("contract"));
    assert!(
        refused(&|r| r.comparisons[0].detail.challenger.clear()).contains("contracts of 0 seats")
    );
    let clusters = |text: &str, value: u64| {
        let text = text.replace("\"clusters\":16,", &format!("\"clusters\":{value},"));
        Report::merge(&[report(0, 128), read(&text)]).expect_err("refused").to_string()
    };
    for value in [0, 129, most] {
        let found = clusters(&json(&report(128, 256)), value);
        assert!(found.contains("clusters") || found.contains("sums"), "{found}");
    }
    let mut other = report(128, 256);
    other.seed = 12;
    let differs = Report::merge(&[report(0, 128), other]).expect_err("other deals");
    assert!(differs.to_string().contains("seed"), "{differs}");
}

#[test]
fn gathered_deals_are_those_of_the_whole_series() {
    let rules = find_rules("iwwa").expect("built in");
    let deals = Deals::new(rules, 4);
    let all = deals_in(&deals, DealRange::new(0, 40)).expect("legal");
    let part = deals_in(&deals, DealRange::new(13, 30)).expect("legal");
    assert_eq!(all[13..30], part[..]);
    let shuffled = |n: u64| deals.shuffled(n, all[n as usize].dealer);
    assert_eq!(all[16], shuffled(16));
    assert_ne!(all[17], shuffled(17));
}

#[test]
fn tables_show_what_is_not_significant() {
    let rules = find_rules("wiezen").expect("built in");
    let config = config(rules, 0..64);
    let mut report = Report::new(&config, "any");
    for (a, b) in [("rules", "random"), ("random", "rules"), ("rules", "rules")] {
        report.comparisons.push(ComparisonReport::new(a, b, Scope::Full, run(&config, a, b)));
    }
    // A bot against three copies of itself has the difference 0 in every deal: no interval.
    assert!(!report.table().contains("not significant"), "{}", report.table());
    let few = DuplicateConfig { deals: DealRange::new(0, 8), ..config };
    report.comparisons.push(ComparisonReport::new(
        "expert",
        "rules",
        Scope::Full,
        run(&few, "expert", "rules"),
    ));
    assert_eq!(report.table().matches("not significant").count(), 1, "{}", report.table());
    assert_eq!(report.pair_table().lines().count(), 4);
    assert!(report.contract_table().contains("suit 8 declarer"));
}

#[test]
fn released_bots_load_and_are_worth_their_place() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../checkpoints");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).expect("part of the repository").flatten() {
        if !entry.path().is_dir() {
            continue;
        }
        let path = entry.path();
        let bundle = troel_nn::Bundle::load(&path).expect("loads");
        let info = &bundle.info;
        assert!(!info.command.is_empty() && !info.commit.is_empty(), "{path:?}");
        assert!(info.evaluation.iter().any(|e| e.baseline == "rules"), "{path:?}");
        let rules = find_rules(&info.rules).expect("built in");
        let result = run(&config(rules, 0..200), path.to_str().expect("plain"), "random");
        assert!(result.difference.interval().low > 0.0, "{path:?}: {:?}", result.difference);
        count += 1;
    }
    assert!(count > 0, "there are released bots");
}

/// The regrets of a deal add up to the difference between its double-dummy value and its result.
#[test]
fn regret_adds_up_to_the_result() {
    use troel_env::{Deals, Seat, Session, State};
    use troel_eval::{Regret, add_regret};
    use troel_solver::{Goal, Position, Solver};

    let rules = RuleSet::built_in("wiezen").unwrap();
    let mut solver = Solver::default();
    let mut checked = 0;
    for n in 0..40 {
        let start = State::new(rules, &Deals::new(rules, 12).shuffled(n, Seat::North));
        let session = Session::from_state(start);
        let ends = driver::roll_out([&session].into_iter(), &mut Heuristic).expect("legal");
        let end = *ends[0].state();
        let Some(contract) = end.contract() else { continue };
        let mut opening = start;
        let position = loop {
            match Position::from_state(&opening) {
                Ok(position) if opening.trick().is_empty() => break Some(position),
                _ if opening.is_done() || opening.history().len() >= end.history().len() - 51 => {
                    break None;
                }
                _ => {
                    let next =
                        end.history().iter().nth(opening.history().len()).unwrap().1.unwrap();
                    opening.apply(next).unwrap();
                }
            }
        };
        let Some(position) = position.filter(|p| p.objective().goal == Goal::Most) else {
            continue;
        };
        let mut regrets: Vec<Regret> = (0..4).map(|_| Regret::default()).collect();
        add_regret(&start, &end, &mut solver, &mut regrets, |seat| Some(seat.index()));
        let lost = |declarers: bool| -> i64 {
            let seats = Seat::ALL.into_iter().filter(|&s| contract.declarers.has(s) == declarers);
            seats.map(|s| regrets[s.index()].all_tricks().lost as i64).sum()
        };
        let taken: u8 = contract.declarers.iter().map(|s| end.tricks()[s]).sum();
        let value = i64::from(solver.value(&position));
        assert_eq!(value - lost(true) + lost(false), i64::from(taken), "deal {n}");
        assert!(regrets.iter().all(|r| r.all_tricks().cards <= 13));
        checked += 1;
    }
    assert!(checked > 10);
}

/// Minimum strength of the bots; deals and bots are seeded, so the outcome is the same everywhere.
#[test]
fn stronger_bots_beat_weaker_ones() {
    let rules = RuleSet::built_in("wiezen").unwrap();
    for (challenger, baseline, deals) in
        [("expert", "rules", 300), ("pimc:worlds=5", "expert", 240)]
    {
        let result = run(&config(rules, 0..deals), challenger, baseline);
        let low = result.difference.interval().low;
        assert!(low > 0.0, "{challenger} against {baseline}: {:?}", result.difference.interval());
    }
}
