//! Collection of samples: which deals, whose decisions, at which match totals.

use std::collections::BTreeMap;

use troel_agents::network::Evaluator;
use troel_agents::{Bot, BotError, Decision, DecisionDetail, NamedBot, Registry};
use troel_env::features::{BLOCKS, RuleView};
use troel_env::{Action, ContractKind, N_FEATURES, Observation, RuleSet, Scenario, Seat};
use troel_nn::{Bundle, NetworkConfig, Weights};
use troel_train::config::BidLessonsConfig;
use troel_train::{BaselineSource, CollectSettings, RecordedPlayer, RuleSetPool, Sample, collect};

fn rules(name: &str) -> &'static RuleSet {
    RuleSet::built_in(name).expect("built in")
}

fn evaluator() -> Evaluator {
    Evaluator::new(&Weights::init(
        NetworkConfig { hidden: 8, blocks: 0, ..NetworkConfig::default() },
        1,
    ))
}

fn block(name: &str) -> std::ops::Range<usize> {
    let before = BLOCKS.iter().take_while(|block| block.name != name);
    let start: usize = before.map(|block| block.len).sum();
    let len = BLOCKS.iter().find(|block| block.name == name).expect("a block").len;
    start..start + len
}

#[test]
fn scenarios_come_up_as_often_as_asked() {
    for name in ["luxembourg", "iwwa"] {
        let evaluator = evaluator();
        let scenarios = [
            (Scenario::Promising(ContractKind::Misere), 0.2),
            (Scenario::Promising(ContractKind::Abondance), 0.05),
        ];
        let mut settings = CollectSettings::self_play(rules(name), &evaluator, 3, 8000);
        settings.deals.scenarios = &scenarios;
        settings.deals.series = 4;
        let rollout = collect(&settings).expect("no bot fails");
        let (scenarios, ordinary) = (rollout.scenarios.deals as f64, rollout.ordinary.deals as f64);
        assert_eq!(scenarios + ordinary, 8000.0);
        // 4.5 standard errors of a share of a quarter, over 2,000 tables or more.
        let share = scenarios / 8000.0;
        assert!((share - 0.25).abs() < 0.044, "{name}: {share}");
        // One seat is recorded at a scenario table, all four at an ordinary table of self-play.
        assert_eq!(rollout.scenarios.seats, rollout.scenarios.deals);
        assert_eq!(rollout.ordinary.seats, 4 * rollout.ordinary.deals);
    }
}

/// Half of the tables are under drawn rules, all rule sets occur, and the network sees them.
#[test]
fn tables_draw_their_rules() {
    let evaluator = evaluator();
    let (luxembourg, iwwa) = (rules("luxembourg"), rules("iwwa"));
    let pool = RuleSetPool::new(vec![luxembourg, iwwa], 3, 0.5, 1);
    let mut settings = CollectSettings::self_play(luxembourg, &evaluator, 3, 8000);
    settings.deals.rule_set_pool = Some(&pool);
    settings.deals.series = 2;
    let rollout = collect(&settings).expect("no bot fails");
    assert_eq!(rollout.ordinary.deals, 8000);
    // Number of deals by view of the rules, counted at the first call of a deal.
    let mut deals = BTreeMap::<Vec<(usize, u32)>, u32>::new();
    for sample in rollout.samples.iter().filter(|sample| sample.decision.contract.is_none()) {
        let input = &sample.decision.input;
        let view: Vec<_> = input.rules.numbers().map(|(i, v)| (i, v.to_bits())).collect();
        let is_first = input.features.ones().all(|i| !block("CALLS").contains(&i));
        *deals.entry(view).or_default() += u32::from(is_first);
    }
    let of = |rules: &'static RuleSet| {
        let view: Vec<_> =
            RuleView::at_start(rules).numbers().map(|(i, v)| (i, v.to_bits())).collect();
        f64::from(deals.get(&view).copied().unwrap_or(0))
    };
    let [named, drawn] =
        [pool.named(), pool.drawn()].map(|sets| sets.iter().map(|&r| of(r)).collect::<Vec<_>>());
    assert!(named.iter().chain(&drawn).all(|&deals| deals > 100.0), "{named:?} {drawn:?}");
    let [named, drawn] = [named, drawn].map(|deals| deals.iter().sum::<f64>());
    // Some first seats have no choice; 4,000 draws, 4.5 standard errors and some more.
    assert!((drawn / (named + drawn) - 0.5).abs() < 0.05, "{named} {drawn}");
}

/// The seat recorded at a table of the aces scenario has three aces itself; at ordinary tables few
/// seats do.
#[test]
fn only_the_seat_that_a_scenario_is_about_is_learnt_from() {
    let evaluator = evaluator();
    let aces = |scenarios: &[(Scenario, f32)]| -> Vec<f32> {
        let mut settings = CollectSettings::self_play(rules("luxembourg"), &evaluator, 0, 400);
        settings.deals.scenarios = scenarios;
        let rollout = collect(&settings).expect("no bot fails");
        let mut features = vec![0.0; N_FEATURES];
        let phase = block("PHASE").start;
        let (hand, played) = (block("HAND"), block("PLAYED"));
        let ace = |of: usize, suit: usize| of + 13 * suit + 12;
        let mut counts = Vec::new();
        for sample in &rollout.samples {
            sample.decision.input.features.expand(&mut features);
            // In the auction all aces are still held.
            if features[phase] == 1.0 {
                let held = (0..4).map(|suit| features[ace(hand.start, suit)]);
                counts.push(held.sum::<f32>() + features[ace(played.start, 0)]);
            }
        }
        counts
    };
    let recorded = aces(&[(Scenario::Aces, 1.0)]);
    assert!(recorded.len() > 300 && recorded.iter().all(|&n| n >= 3.0));
    let ordinary = aces(&[]);
    let share = ordinary.iter().filter(|&&n| n >= 3.0).count() as f64 / ordinary.len() as f64;
    assert!(share < 0.1, "{share}");
}

#[test]
fn tables_start_at_random_scores_as_often_as_asked() {
    let evaluator = evaluator();
    let totals = block("TOTALS");
    let share = |name: &str, random_totals: f32, series: u64| -> f64 {
        let mut settings = CollectSettings::self_play(rules(name), &evaluator, 0, 1000);
        settings.deals.random_totals = random_totals;
        settings.deals.series = series;
        let rollout = collect(&settings).expect("no bot fails");
        let mut features = vec![0.0; N_FEATURES];
        let not_zero = rollout.samples.iter().filter(|sample| {
            sample.decision.input.features.expand(&mut features);
            features[totals.clone()].iter().any(|&total| total != 0.0)
        });
        not_zero.count() as f64 / rollout.samples.len() as f64
    };
    assert_eq!(share("luxembourg", 0.0, 1), 0.0);
    assert!((share("luxembourg", 0.5, 1) - 0.5).abs() < 0.08);
    assert!(share("wiezen", 1.0, 1) > 0.99);
    // Deals in a row at one table add up.
    assert!(share("iwwa", 0.0, 8) > 0.7);
}

/// The solver teaches only the decisions of defenders that see the declarer's hand. In endings they
/// play their likeliest cards, and the policy does not learn from outcomes.
#[test]
fn defenders_of_open_miseres_are_taught() {
    let path = format!("{}/../checkpoints/wiezen-v4", env!("CARGO_MANIFEST_DIR"));
    let bundle = Bundle::load(path.as_ref()).expect("released");
    let evaluator = Evaluator::new(&bundle.weights);
    let mut settings = CollectSettings::self_play(rules("wiezen"), &evaluator, 0, 800);
    settings.lessons.defence_nodes = Some(2000);
    let rollout = collect(&settings).expect("no bot fails");
    let (known, hand) = (block("KNOWN"), block("HAND"));
    let mut features = vec![0.0; N_FEATURES];
    let (mut taught, mut for_policy) = (0, 0);
    for sample in &rollout.samples {
        let Sample { decision, targets } = sample;
        let is_lesson = !targets.taught.is_empty();
        taught += u32::from(is_lesson);
        if is_lesson || !targets.for_policy {
            sample.decision.input.features.expand(&mut features);
            let cards: f32 = features[hand.clone()].iter().sum();
            // One hand of the others lies open.
            assert!(features[known.clone()].iter().sum::<f32>() >= cards - 1.0);
            // Of a closed misère the last card may be known: the turn-up.
            assert!(decision.contract.is_some_and(|kind| kind.is_misere()));
            assert!(!targets.for_policy);
            assert_eq!(targets.taught & decision.input.legal, targets.taught);
            assert_ne!(targets.taught, decision.input.legal);
        } else if decision.contract == Some(ContractKind::OpenMisere) && !sample.is_call() {
            for_policy += 1;
        }
    }
    // The declarer's own cards, and the first trick, when the hand is not yet open.
    assert!(taught > 20 && for_policy > 100, "{taught} {for_policy}");
    // Without a teacher nothing is taught, and all is learnt from outcomes.
    let plain = collect(&CollectSettings::self_play(rules("wiezen"), &evaluator, 0, 800))
        .expect("no bot fails");
    assert!(plain.samples.iter().all(|s| s.targets.taught.is_empty() && s.targets.for_policy));
    // On one thread as on several.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a pool");
    let alone = pool.install(|| collect(&settings)).expect("no bot fails");
    let key = |Sample { decision, targets }: &Sample| {
        (decision.action, targets.taught, targets.advantage.to_bits(), targets.for_policy)
    };
    assert!(alone.samples.iter().map(key).eq(rollout.samples.iter().map(key)));
}

/// With worlds, bids of strong hands are taught beyond those that are sure. Nothing else changes.
#[test]
fn strong_hands_are_taught_bids_that_rollouts_find_best() {
    let evaluator = evaluator();
    let scenarios = [(Scenario::Promising(ContractKind::Abondance), 0.5)];
    let rollout = |bids: Option<(u32, f32)>| {
        let bids = bids.map(|(worlds, share)| BidLessonsConfig { coef: 1.0, worlds, share });
        let mut settings = CollectSettings::self_play(rules("luxembourg"), &evaluator, 0, 400);
        settings.deals.scenarios = &scenarios;
        settings.lessons.bids = bids.as_ref();
        collect(&settings).expect("no bot fails").samples
    };
    let taught = |samples: &[Sample]| {
        let lessons = samples.iter().filter(|sample| !sample.targets.taught.is_empty());
        for Sample { decision, targets } in lessons.clone() {
            assert_eq!(targets.taught & decision.input.legal, targets.taught);
            assert!(targets.taught.into_iter().all(|call| call.as_bid().is_some()));
            assert!(!targets.for_policy);
        }
        lessons.count()
    };
    let (none, sure, all) = (rollout(None), rollout(Some((0, 1.0))), rollout(Some((16, 1.0))));
    let half = rollout(Some((16, 0.5)));
    let counts = [&none, &sure, &half, &all].map(|samples| taught(samples));
    assert_eq!(counts[0], 0);
    assert!(counts[1] > 10 && counts.windows(2).all(|pair| pair[0] < pair[1]), "{counts:?}");
    let actions = |samples: &[Sample]| -> Vec<Action> {
        samples.iter().map(|sample| sample.decision.action).collect()
    };
    assert_eq!(actions(&none), actions(&all));
    // On one thread as on several.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a pool");
    assert_eq!(pool.install(|| rollout(Some((16, 0.5)))), half);
}

/// The anchor is asked in the auction and the choice of trumps, not in the exchange and at cards,
/// in the learner's own situation.
#[test]
fn samples_know_what_the_anchor_would_have_called() {
    for name in ["luxembourg", "iwwa"] {
        anchor_is_asked(rules(name));
    }
}

fn anchor_is_asked(rules: &'static RuleSet) {
    let evaluator = evaluator();
    let phases = block("PHASE");
    let mut features = vec![0.0; N_FEATURES];
    let mut is_call = |sample: &Sample| {
        sample.decision.input.features.expand(&mut features);
        // Auction and choice of trumps are the first two.
        features[phases.start] == 1.0 || features[phases.start + 1] == 1.0
    };
    let bot = Registry::default().find("rules", rules).expect("built in");
    let plain_settings = CollectSettings::self_play(rules, &evaluator, 0, 200);
    let mut settings = plain_settings;
    settings.lessons.anchor = Some(&bot);
    let asked = collect(&settings).expect("no bot fails");
    let (mut calls, mut same) = (0, 0);
    for sample in &asked.samples {
        assert_eq!(sample.targets.anchor.is_some(), is_call(sample));
        if let Some(anchor) = sample.targets.anchor {
            assert!(sample.decision.input.legal.has(anchor));
            calls += 1;
            same += u32::from(anchor == sample.decision.action);
        }
    }
    // A network that has learnt nothing seldom agrees.
    assert!(calls > 500 && same * 2 < calls, "{same} of {calls}");
    // A learner that is the anchor always does.
    settings.tables.recorded_player = RecordedPlayer::Teacher(&bot);
    let rollout = collect(&settings).expect("no bot fails");
    let called: Vec<&Sample> = rollout.samples.iter().filter(|s| is_call(s)).collect();
    assert!(called.len() > 300, "{}", called.len());
    assert!(called.iter().all(|s| s.targets.anchor == Some(s.decision.action)));
    // Asking it changes nothing else.
    let plain = collect(&plain_settings).expect("no bot fails");
    let key = |Sample { decision, targets }: &Sample| {
        (decision.action, targets.advantage.to_bits(), targets.value_target.to_bits())
    };
    assert!(plain.samples.iter().map(key).eq(asked.samples.iter().map(key)));
}

/// Chooses an action that is never legal in an auction.
struct Broken;

impl Bot for Broken {
    fn decide(
        &mut self,
        views: &[Observation],
        detail: DecisionDetail,
    ) -> Result<Vec<Decision>, BotError> {
        Ok(views.iter().map(|_| Decision::sure(Action::GIVE, detail)).collect())
    }
}

#[test]
fn a_broken_bot_ends_the_collection() {
    let evaluator = evaluator();
    let broken = NamedBot::new("broken", |_| Box::new(Broken));
    let rules = rules("wiezen");
    let plain = CollectSettings::self_play(rules, &evaluator, 0, 8);
    let mut settings = plain;
    settings.tables.recorded_player = RecordedPlayer::Teacher(&broken);
    let error = collect(&settings).err().expect("stops").to_string();
    assert!(error.contains("give"), "{error}");
    let mut settings = plain;
    settings.advantages.baselines = BaselineSource::Bot(&broken);
    let error = collect(&settings).err().expect("stops");
    assert_eq!(error.name, "broken");
    let place = error.place.expect("it was asked for a batch");
    // Dealer is north at the first table, where east speaks first.
    assert_eq!((place.chunk, place.table), (0, 0));
    assert_eq!((place.seat, place.decisions), (Seat::East, 8));
    let bot = Registry::default().find("rules", rules).expect("built in");
    settings.advantages.baselines = BaselineSource::Bot(&bot);
    settings.lessons.anchor = Some(&broken);
    let error = collect(&settings).err().expect("stops");
    assert_eq!(error.name, "broken", "the anchor, not the bot that plays on");
    assert_eq!(error.place, Some(place));
    let message = error.to_string();
    let start = "broken (asked for 8 decisions, the first in chunk 0, at table 0, for seat E): ";
    assert!(message.starts_with(start), "{message}");
}
