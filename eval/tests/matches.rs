//! Duplicate matches: fair, repeatable, mergeable.

use troel_agents::{Entry, Heuristic, find_rules};
use troel_env::{Deals, RuleSet, Scenario};
use troel_eval::driver;
use troel_eval::series::series;
use troel_eval::{Format, MatchConfig, MatchReport, MatchResult, Report, Scope, play_match};

const ALL: [&str; 4] = ["luxembourg", "horesca", "wiezen", "iwwa"];

fn config(rules: &'static RuleSet, deals: (u64, u64)) -> MatchConfig {
    MatchConfig {
        rules,
        deals,
        seed: 11,
        scenario: Scenario::Any,
        scope: Scope::Full,
        format: Format::OneVsThree,
        regret: false,
    }
}

fn run(config: &MatchConfig, a: &str, b: &str) -> MatchResult {
    let find = |name| Entry::find(name, config.rules).expect("a bot");
    play_match(config, &find(a), &find(b), &find("rules"), &|_| {}).expect("no bot fails")
}

#[test]
fn a_bot_against_itself_is_exactly_even() {
    for name in ALL {
        for format in [Format::OneVsThree, Format::TwoVsTwo] {
            let rules = find_rules(name).expect("built in");
            let result = run(&MatchConfig { format, ..config(rules, (0, 100)) }, "rules", "rules");
            assert_eq!(result.difference.n, 100);
            // Without a table of the baseline's own, the seats' points cancel.
            assert_eq!(result.difference.sum, 0.0, "{name} {format:?}");
            assert_eq!(result.difference.squares, 0.0, "{name} {format:?}");
        }
    }
}

#[test]
fn rules_beat_random_in_bidding_and_in_play() {
    for name in ALL {
        let rules = find_rules(name).expect("built in");
        for scope in [Scope::Full, Scope::Bidding, Scope::Play] {
            for format in [Format::OneVsThree, Format::TwoVsTwo] {
                let config = MatchConfig { scope, format, ..config(rules, (0, 200)) };
                let result = run(&config, "rules", "random");
                let [low, _] = result.difference.ci95();
                assert!(low > 0.0, "{name} {scope:?} {format:?}: {:?}", result.difference);
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
            pool.expect("threads").install(|| run(&config(rules, (0, 300)), "random", "rules"))
        };
        assert_eq!(with(1), with(3));
    }
}

#[test]
fn shards_join_to_the_whole() {
    let rules = find_rules("iwwa").expect("built in");
    let report = |from, to| {
        let config = config(rules, (from, to));
        let mut report = Report::new(&config, "any");
        report.matches.push(MatchReport::new(
            "rules",
            "random",
            "full",
            run(&config, "rules", "random"),
        ));
        report
    };
    let whole = report(0, 256);
    // Joined through JSON, as files are.
    let json = |r: &Report| serde_json::to_string(r).expect("serialises");
    let read = |text: &str| serde_json::from_str::<Report>(text).expect("a report");
    let parts = [read(&json(&report(100, 256))), read(&json(&report(0, 100)))];
    let joined = Report::merge(&parts).expect("shards");
    assert_eq!(joined.deals, 256);
    assert!((joined.matches[0].points_per_deal - whole.matches[0].points_per_deal).abs() < 1e-9);
    assert_eq!(joined.matches[0].detail.challenger, whole.matches[0].detail.challenger);
    let overlap = Report::merge(&[report(0, 100), report(64, 128)]).expect_err("shared deals");
    assert!(overlap.to_string().contains("64 to 100"), "{overlap}");
    let mut other = report(128, 256);
    other.seed = 12;
    let differs = Report::merge(&[report(0, 128), other]).expect_err("other deals");
    assert!(differs.to_string().contains("seed"), "{differs}");
}

#[test]
fn gathered_deals_are_those_of_the_whole_series() {
    let rules = find_rules("iwwa").expect("built in");
    let deals = Deals::new(rules, 4);
    let all = series(&deals, Scenario::Any, 0, 40);
    let part = series(&deals, Scenario::Any, 13, 30);
    assert_eq!(all[13..30], part[..]);
    let shuffled = |n: u64| deals.shuffled(n, all[n as usize].dealer);
    assert_eq!(all[16], shuffled(16));
    assert_ne!(all[17], shuffled(17));
}

#[test]
fn tables_show_what_is_not_significant() {
    let rules = find_rules("wiezen").expect("built in");
    let config = config(rules, (0, 64));
    let mut report = Report::new(&config, "any");
    for (a, b) in [("rules", "random"), ("random", "rules"), ("rules", "rules")] {
        report.matches.push(MatchReport::new(a, b, "full", run(&config, a, b)));
    }
    let table = report.table();
    assert_eq!(table.matches("not significant").count(), 1, "{table}");
    assert_eq!(report.cross_table().lines().count(), 3);
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
        let result = run(&config(rules, (0, 200)), path.to_str().expect("plain"), "random");
        assert!(result.difference.ci95()[0] > 0.0, "{path:?}: {:?}", result.difference);
        count += 1;
    }
    assert!(count > 0, "there are released bots");
}

/// What the cards gave away explains the whole way from the double-dummy value of the deal to its result.
#[test]
fn regret_adds_up_to_the_result() {
    use troel_env::{Deals, Seat, State};
    use troel_eval::regret::{self, Regret};
    use troel_solver::{Goal, Position, Solver};

    let rules = RuleSet::built_in("wiezen").unwrap();
    let mut solver = Solver::default();
    let mut checked = 0;
    for n in 0..40 {
        let start = State::new(rules, &Deals::new(rules, 12).shuffled(n, Seat::North));
        let end = driver::play_on(&[start], &mut Heuristic).expect("legal")[0];
        let Some(contract) = end.contract() else { continue };
        let mut opening = start;
        let position = loop {
            match Position::of_state(&opening) {
                Some(position) if opening.trick().is_empty() => break Some(position),
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
        regret::add_deal(&start, &end, &mut solver, &mut regrets, |seat| Some(seat.index()));
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

/// The strength that the bots are there for; deals and bots are seeded, so the outcome is the same everywhere.
#[test]
fn stronger_bots_beat_weaker_ones() {
    let rules = RuleSet::built_in("wiezen").unwrap();
    for (challenger, baseline, deals) in [("expert", "rules", 300), ("pimc:worlds=5", "expert", 60)]
    {
        let result = run(&config(rules, (0, deals)), challenger, baseline);
        let [low, _] = result.difference.ci95();
        assert!(low > 0.0, "{challenger} against {baseline}: {:?}", result.difference.ci95());
    }
}
