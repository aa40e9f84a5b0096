//! `search:BOT`: networks that look ahead.

use std::num::NonZeroUsize;
use std::time::Duration;

use troel_agents::network::Evaluator;
use troel_agents::search::{Lookahead, SearchBudget};
use troel_agents::{Bot, BotError, DecisionDetail, NamedBot, decide, decide_one, with_threads};
use troel_env::{BySeat, Deals, RuleSet, Scenario, Seat, State};
use troel_nn::{NetworkConfig, Weights};

use super::{impossible, observe};

/// A network that has learned nothing, so that it is sure of nothing.
fn newborn() -> Evaluator {
    let config = NetworkConfig { hidden: 8, blocks: 0, ..NetworkConfig::default() };
    Evaluator::new(&Weights::init(config, 1))
}

fn lookahead(worlds: usize) -> Lookahead {
    Lookahead::new(newborn(), SearchBudget::Worlds(worlds), 1)
}

/// Checks in every contract that decisions are legal, and equal when repeated, after decisions of
/// other seats and with any number of threads.
#[test]
fn it_plays_legally_and_repeats_itself() {
    for rules in RuleSet::all_built_in() {
        let mut kinds: Vec<&str> = rules.rows().iter().map(|row| row.kind.name()).collect();
        kinds.dedup();
        for (n, name) in kinds.into_iter().enumerate() {
            let deals = Deals::new(rules, 5).with_scenario(Scenario::parse(name).expect("a kind"));
            let mut state = State::new(rules, &deals.shuffled(n as u64, Seat::West));
            // In the first contract enough for several threads.
            let worlds = if n == 0 { 20 } else { 3 };
            let mut bot = lookahead(worlds);
            while !state.is_done() {
                let obs = observe(&state);
                let ask = |bot: &mut Lookahead| {
                    decide(bot, &[obs, obs], DecisionDetail::Action).expect("legal")
                };
                let decisions = ask(&mut bot);
                assert_eq!(decisions[0], decisions[1]);
                let three = NonZeroUsize::new(3).expect("not 0");
                assert_eq!(decisions, with_threads(three, || ask(&mut lookahead(worlds))));
                state.apply(decisions[0].action).expect("legal");
            }
        }
    }
}

/// Points of a seat in a deal whose other seats a bot plays.
fn points(deal: u64, seat: Seat, own: &mut dyn Bot, others: &mut dyn Bot) -> i32 {
    let rules = RuleSet::built_in("wiezen").expect("built in");
    let mut state = State::new(rules, &Deals::new(rules, 7).shuffled(deal, Seat::West));
    while !state.is_done() {
        let bot: &mut dyn Bot = if state.turn() == seat { &mut *own } else { &mut *others };
        let obs = state.observe(state.turn(), BySeat::default());
        state
            .apply(decide_one(bot, &obs, DecisionDetail::Action).expect("legal").action)
            .expect("legal");
    }
    state.scores().expect("done")[seat]
}

/// An untrained network gains points by look-ahead: one seat against three copies without it.
#[test]
fn looking_ahead_gains_points() {
    let mut network = NamedBot::network("newborn", newborn(), Some(10.0)).instantiate(1);
    let mut again = NamedBot::network("newborn", newborn(), Some(10.0)).instantiate(1);
    let (mut without, mut with) = (0, 0);
    for deal in 0..24 {
        let seat = Seat::ALL[deal as usize % 4];
        without += points(deal, seat, network.as_mut(), again.as_mut());
        with += points(deal, seat, &mut lookahead(8), again.as_mut());
    }
    assert!(with > without + 24, "{with} points in 24 deals with looking ahead, {without} without");
}

/// Without time there are sixteen worlds; with time there are more, which may come to another
/// decision and are legal still.
#[test]
fn time_is_worlds() {
    let rules = RuleSet::built_in("wiezen").expect("built in");
    let mut has_changed = false;
    for deal in 0..6 {
        let mut state = State::new(rules, &Deals::new(rules, 4).shuffled(deal, Seat::North));
        while !state.is_done() {
            let obs = state.observe(state.turn(), BySeat::default());
            let ask = |budget| {
                let mut bot = Lookahead::new(newborn(), budget, 1);
                decide_one(&mut bot, &obs, DecisionDetail::Action).expect("decides").action
            };
            let action = ask(SearchBudget::Worlds(16));
            assert_eq!(ask(SearchBudget::Time(Duration::ZERO)), action);
            let changes = |millis| ask(SearchBudget::Time(Duration::from_millis(millis))) != action;
            // The number of worlds within a time limit depends on the machine: a slow one has up to
            // 64 times as much time.
            has_changed |= changes(20);
            has_changed = has_changed || [80, 320, 1280].into_iter().any(changes);
            state.apply(action).expect("legal");
        }
    }
    assert!(has_changed, "time makes no difference");
}

/// If the leader is about to win, other actions are best than by points.
#[test]
fn matches_are_not_points() {
    let rules = RuleSet::built_in("horesca").expect("built in");
    let differing = |totals: [i32; 4]| {
        let (mut points, mut matches) = (lookahead(8), lookahead(8).maximising_match_share());
        let differs = |&deal: &u64| {
            let state = State::new(rules, &Deals::new(rules, 9).shuffled(deal, Seat::North));
            let obs = state.observe(state.turn(), BySeat(totals));
            let ask = |bot: &mut Lookahead| decide_one(bot, &obs, DecisionDetail::Action);
            ask(&mut points).expect("decides").action != ask(&mut matches).expect("decides").action
        };
        (0..40).filter(differs).count()
    };
    let (level, late) = (differing([0; 4]), differing([60, 40, 95, 20]));
    assert!(late > level, "{level} decisions at level totals, {late} where one is about to win");
}

#[test]
fn what_cannot_be_is_an_error() {
    for tricks in [1, 7] {
        let answer = lookahead(3).decide(&[impossible(tricks)], DecisionDetail::Action);
        assert!(matches!(answer, Err(BotError::Failed(_))), "{answer:?}");
    }
}

/// Weights that are damaged are an error, wherever the network is asked.
#[test]
fn damaged_weights_are_an_error() {
    let config = NetworkConfig { hidden: 8, blocks: 0, ..NetworkConfig::default() };
    let mut weights = Weights::init(config, 1);
    weights.values.fill(f32::NAN);
    let rules = RuleSet::built_in("wiezen").expect("built in");
    let state = State::new(rules, &Deals::new(rules, 1).shuffled(0, Seat::North));
    let mut bot = Lookahead::new(Evaluator::new(&weights), SearchBudget::Worlds(4), 1);
    let answer = bot.decide(&[observe(&state)], DecisionDetail::Action);
    assert_eq!(answer, Err(BotError::NotFinite("policy")));
}

/// If no action is probable because many are legal, the first is as good as any.
#[test]
fn nothing_need_be_probable() {
    let config = NetworkConfig { hidden: 8, blocks: 0, ..NetworkConfig::default() };
    let mut weights = Weights::init(config, 1);
    weights.values.fill(0.0);
    let mut most = 0;
    for rules in RuleSet::all_built_in() {
        let state = State::new(rules, &Deals::new(rules, 1).shuffled(0, Seat::North));
        let mut bot = Lookahead::new(Evaluator::new(&weights), SearchBudget::Worlds(2), 1);
        bot.decide(&[observe(&state)], DecisionDetail::Action).expect("an action");
        most = most.max(state.legal_actions().len());
    }
    assert!(most > 30, "{most}");
}

#[test]
fn names_say_what_looks_ahead_and_how_far() {
    let folder = tempfile::tempdir().expect("a folder");
    let rules = RuleSet::built_in("wiezen").expect("built in");
    let config = NetworkConfig { hidden: 4, blocks: 0, ..NetworkConfig::default() };
    let info = troel_nn::BotInfo::new(rules, config, 10.0, 1);
    let path = folder.path().join("a:b");
    let bundle = troel_nn::Bundle { info, weights: Weights::init(config, 1) };
    bundle.save(&path).expect("saved");
    let path = path.to_str().expect("plain");
    let find = |name: String| NamedBot::find(&name, rules);
    let weights = find(path.to_string()).expect("a bot").identity().to_string();
    let bot = find(format!("search:{path}:worlds=7")).expect("a bot");
    assert_eq!(bot.identity(), format!("{weights}:search:worlds=7"));
    let usual = find(format!("search:{path}")).expect("a bot");
    assert_eq!(usual.identity(), format!("{weights}:search:worlds=20"));
    for number in ["", "0", "x", "-1", "100001"] {
        let error = find(format!("search:{path}:worlds={number}")).expect_err("refused");
        assert!(error.to_string().contains("search:BOT:worlds=N"), "{error}");
    }
    let timed = find(format!("search:{path}:ms=7")).expect("a bot");
    assert_eq!(timed.identity(), format!("{weights}:search:ms=7"));
    for number in ["", "0", "1.5", "60001"] {
        let error = find(format!("search:{path}:ms={number}")).expect_err("refused");
        assert!(error.to_string().contains("search:BOT:ms=M"), "{error}");
    }
    assert!(timed.is_timed() && !usual.is_timed());
    // This looks like an option, but is part of a path.
    let deep = folder.path().join("x:worlds=3/y:ms=5");
    std::fs::create_dir_all(deep.parent().expect("a folder")).expect("made");
    bundle.save(&deep).expect("saved");
    let deep = format!("search:{}/.", deep.display());
    assert!(find(deep.clone()).is_ok_and(|e| e.identity() == usual.identity()), "{deep}");
    assert!(find(format!("{deep}:worlds=7")).is_ok_and(|e| e.identity() == bot.identity()));
    for name in ["search:", "search:wiezen-v5:sample", "search:wiezen-v5:world=3"] {
        let error = find(name.to_string()).expect_err("no trained bot").to_string();
        assert!(error.contains(name) && error.contains("with a trained bot"), "{error}");
    }
    for (name, bot) in [("search:nobody", "nobody"), ("search:rules:worlds=3", "rules")] {
        let error = find(name.to_string()).expect_err("no trained bot").to_string();
        assert!(error.starts_with(&format!("{bot:?} is not a trained bot")), "{error}");
    }
    let other = RuleSet::built_in("iwwa").expect("built in");
    assert!(NamedBot::find(&format!("search:{path}"), other).is_err(), "for other rules");
}

/// With `endings_only` the network alone decides until few cards are left; from then on the search
/// plays as ever.
#[test]
fn endings_alone_are_searched() {
    let rules = RuleSet::built_in("wiezen").expect("built in");
    let mut network = NamedBot::network("newborn", newborn(), Some(10.0)).instantiate(1);
    let (mut changed, mut endings) = (0, 0);
    for deal in 0..24 {
        let mut state = State::new(rules, &Deals::new(rules, 7).shuffled(deal, Seat::West));
        while !state.is_done() {
            let obs = state.observe(state.turn(), BySeat::default());
            let own =
                decide_one(network.as_mut(), &obs, DecisionDetail::Action).expect("legal").action;
            let ask = |bot: &mut Lookahead| {
                decide_one(bot, &obs, DecisionDetail::Action).expect("legal").action
            };
            let searched = ask(&mut lookahead(8).endings_only(5));
            let in_play = state.phase() == troel_env::Phase::Play;
            if in_play && obs.hand().len() <= 5 {
                assert_eq!(searched, ask(&mut lookahead(8)), "deal {deal}");
                endings += 1;
                changed += u32::from(searched != own);
            } else {
                assert_eq!(searched, own, "deal {deal}");
            }
            state.apply(own).expect("legal");
        }
    }
    assert!(endings > 100 && changed > 10, "{changed} of {endings}");
}
