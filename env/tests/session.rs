//! Matches: dealers, totals, ends, rewards and the order of deals.

use serde_json::Value;
use troel_env::hand::misere_risk;
use troel_env::rng::{Purpose, Stream};
use troel_env::{
    Action, BySeat, CardSet, ContractKind, Deal, Deals, Episode, IllegalAction, Phase, Record,
    Reward, RuleSet, Scenario, Seat, Session, SessionConfig, SessionError, State,
};

fn rules(name: &str) -> &'static RuleSet {
    RuleSet::built_in(name).expect("built in")
}

fn session(name: &str, config: SessionConfig, dealer: Seat) -> Session {
    Session::new(Deals::new(rules(name), 5), config, 0, dealer)
}

fn until_target() -> SessionConfig {
    SessionConfig { episode: Episode::UntilTarget, ..SessionConfig::default() }
}

/// Passes in all seats where that is legal, and plays at random otherwise.
fn pass_out(session: &mut Session, stream: &mut Stream) {
    while !session.is_deal_over() {
        let legal = session.legal_actions();
        let action = legal.silent_call().or_else(|| legal.sample(stream)).expect("some action");
        session.apply(action).expect("legal");
    }
}

/// A deal that ends with these points of N E S W: one that an independent implementation has
/// played.
fn played(name: &str, wanted: impl Fn([i32; 4]) -> bool) -> (Deal, Vec<Action>, [i32; 4]) {
    let path = format!("{}/tests/golden/{name}.jsonl", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).expect("part of the repository");
    for line in text.lines() {
        let record: Record = serde_json::from_str(line).expect("a record");
        let Some(points) = record.extra["expect"]["scores"].as_array() else { continue };
        let points: Vec<i64> = points.iter().filter_map(Value::as_i64).collect();
        let Ok(points) = <[i64; 4]>::try_from(points) else { continue };
        let points = points.map(|p| p as i32);
        if wanted(points) {
            let rules = rules(name);
            let end = record.play(rules, |_, _| {}).expect("a good record");
            let actions = end.history().iter().filter_map(|(_, action)| action).collect();
            return (end.deal(), actions, points);
        }
    }
    panic!("no such deal among the golden ones of {name}");
}

/// Plays a golden deal with a configuration.
fn replay(
    name: &str,
    config: SessionConfig,
    wanted: impl Fn([i32; 4]) -> bool,
) -> (Session, [i32; 4]) {
    let (deal, actions, points) = played(name, wanted);
    let deals = Deals::listed(rules(name), vec![deal]).expect("a deal");
    let mut session = Session::new(deals, config, 0, Seat::North);
    for action in actions {
        session.apply(action).expect("legal");
    }
    (session, points)
}

#[test]
fn the_dealer_moves_as_the_rules_say() {
    for (name, moves_when_passed_out) in
        [("luxembourg", false), ("horesca", false), ("wiezen", true), ("iwwa", true)]
    {
        let mut session = session(name, until_target(), Seat::West);
        let mut stream = Stream::new(1, Purpose::Action, 0);
        let (mut passed_out, mut played) = (0, 0);
        for _ in 0..40 {
            let dealer = session.state().dealer();
            pass_out(&mut session, &mut stream);
            if session.is_over() {
                break;
            }
            let everybody_passed = session.state().is_passed_out();
            session.next_deal().expect("another deal");
            let moved = moves_when_passed_out || !everybody_passed;
            let wanted = if moved { dealer.next() } else { dealer };
            assert_eq!(session.state().dealer(), wanted, "{name}");
            assert_eq!(session.turn(), wanted.next(), "eldest speaks first");
            passed_out += u32::from(everybody_passed);
            played += u32::from(!everybody_passed);
        }
        assert!(passed_out > 0 && played > 0, "{name}: {passed_out} passed out, {played} played");
    }
}

#[test]
fn totals_are_the_sums_of_the_points() {
    let totals = BySeat([50, -20, 0, 3]);
    for name in RuleSet::built_in_names() {
        let config = SessionConfig { episode: Episode::Deals(6), totals, ..until_target() };
        let mut session = session(name, config, Seat::East);
        let mut stream = Stream::new(2, Purpose::Action, 0);
        let mut sum = totals;
        loop {
            assert_eq!(session.outcome(), None);
            while !session.is_deal_over() {
                assert_eq!(*session.totals(), sum);
                let action = session.legal_actions().sample(&mut stream).expect("some action");
                session.apply(action).expect("legal");
            }
            let outcome = session.outcome().expect("the deal is over");
            assert_eq!(Some(outcome.scores), session.state().scores());
            sum = BySeat::from_fn(|s| sum[s] + outcome.scores[s]);
            assert_eq!((outcome.totals, *session.totals()), (sum, sum));
            if session.is_over() {
                break;
            }
            session.next_deal().expect("another deal");
        }
        assert_eq!(session.deals_dealt(), 6, "{name}");
        assert_eq!(session.next_deal(), Err(SessionError::Over));
        session.restart();
        assert_eq!((*session.totals(), session.deals_dealt()), (totals, 1));
    }
}

#[test]
fn episodes_end_when_they_should() {
    let with =
        |episode, totals| SessionConfig { episode, totals: BySeat(totals), ..until_target() };
    let won_by_north = |points: [i32; 4]| points[0] > 0;
    let far = [0; 4];
    // One deal, for any totals.
    let (session, _) = replay("horesca", with(Episode::Deal, far), won_by_north);
    assert!(session.is_over());
    // A given number of deals.
    let (mut session, _) = replay("horesca", with(Episode::Deals(2), far), won_by_north);
    assert!(!session.is_over());
    session.next_deal().expect("a second deal");
    assert_eq!(session.next_deal(), Err(SessionError::DealNotOver));
    // A match goes to a hundred: not at 99, but at 100.
    for episode in [Episode::Match, Episode::UntilTarget] {
        for (short, over) in [(1, false), (0, true)] {
            let (_, _, points) = played("horesca", won_by_north);
            let totals = [100 - short - points[0], 0, 0, 0];
            let (session, _) = replay("horesca", with(episode, totals), won_by_north);
            assert_eq!(session.totals()[Seat::North], 100 - short);
            assert_eq!(session.is_over(), over, "{episode:?} {short}");
        }
    }
    // Without a target a match is one deal, and `UntilTarget` has no end.
    let high = [1000, 0, 0, -1000];
    assert!(replay("wiezen", with(Episode::Match, high), won_by_north).0.is_over());
    assert!(!replay("wiezen", with(Episode::UntilTarget, high), won_by_north).0.is_over());
}

#[test]
fn rewards_are_as_worked_out_by_hand() {
    let scores = BySeat([7, 7, 0, -2]);
    let totals = BySeat([100, 40, 100, 7]);
    assert_eq!(Reward::Points.of_deal(&scores, &totals, true), BySeat([7.0, 7.0, 0.0, -2.0]));
    // Mean 3.
    assert_eq!(Reward::Centred.of_deal(&scores, &totals, false), BySeat([4.0, 4.0, -3.0, -5.0]));
    assert_eq!(Reward::Match.of_deal(&scores, &totals, false), BySeat([0.0; 4]));
    // Two winners share one point; each seat is charged a quarter.
    let shares = BySeat([0.25, -0.25, 0.25, -0.25]);
    assert_eq!(Reward::Match.of_deal(&scores, &totals, true), shares);
    let alone = BySeat([-0.25, -0.25, 0.75, -0.25]);
    assert_eq!(Reward::Match.of_deal(&scores, &BySeat([-9, -9, -8, -20]), true), alone);
    assert_eq!(Reward::Match.of_deal(&scores, &BySeat([5; 4]), true), BySeat([0.0; 4]));
}

#[test]
fn sessions_reward_the_points_of_the_deal() {
    // East and West take nine tricks in eight clubs: 10 for each by the table, and nothing for the
    // others.
    let eight_clubs = |points: [i32; 4]| points == [0, 10, 0, 10];
    let with = |reward| SessionConfig { reward, totals: BySeat([99, 60, 0, 60]), ..until_target() };
    let (session, _) = replay("horesca", with(Reward::Points), eight_clubs);
    let outcome = session.outcome().expect("over");
    assert_eq!(outcome.scores.0, [0, 10, 0, 10]);
    assert_eq!(outcome.totals.0, [99, 70, 0, 70]);
    assert_eq!(outcome.rewards.0, [0.0, 10.0, 0.0, 10.0]);
    let contract = outcome.contract.expect("one was played");
    assert_eq!((contract.kind, contract.goal), (ContractKind::Suit, 8));
    let declarers: Vec<Seat> = contract.declarers.iter().collect();
    assert_eq!(declarers, [Seat::East, Seat::West]);
    assert_eq!(outcome.tricks[Seat::East] + outcome.tricks[Seat::West], 9);
    assert_eq!(outcome.tricks.iter().sum::<u8>(), 13);
    let (session, _) = replay("horesca", with(Reward::Centred), eight_clubs);
    assert_eq!(session.outcome().expect("over").rewards.0, [-5.0, 5.0, -5.0, 5.0]);
    // Nobody has reached a hundred.
    let (session, _) = replay("horesca", with(Reward::Match), eight_clubs);
    assert!(!session.is_over());
    assert_eq!(session.outcome().expect("over").rewards.0, [0.0; 4]);
    // East and West reach 105 together; then a deal in which North already had more than they.
    for (north, rewards) in [(99, [-0.25, 0.25, -0.25, 0.25]), (130, [0.75, -0.25, -0.25, -0.25])] {
        let near = SessionConfig { totals: BySeat([north, 95, 0, 95]), ..with(Reward::Match) };
        let (session, _) = replay("horesca", near, eight_clubs);
        assert!(session.is_over());
        assert_eq!(session.outcome().expect("over").rewards.0, rewards);
    }
}

#[test]
fn refused_actions_change_nothing() {
    let mut session = session("luxembourg", SessionConfig::default(), Seat::North);
    let before = session.clone();
    let refused = session.apply(Action::GIVE);
    assert_eq!(
        refused,
        Err(IllegalAction::NotLegal { action: Action::GIVE, phase: Phase::Auction })
    );
    assert_eq!(session, before);
    pass_out(&mut session, &mut Stream::new(1, Purpose::Action, 0));
    assert!(session.legal_actions().is_empty());
    assert_eq!(session.apply(Action::PASS), Err(IllegalAction::Finished));
}

#[test]
fn only_actions_are_taken_at_once() {
    for name in RuleSet::built_in_names() {
        let mut session = session(name, SessionConfig::default(), Seat::North);
        let mut stream = Stream::new(6, Purpose::Action, 0);
        let mut saved = 0;
        while !session.is_deal_over() {
            let before = session.state().history().len();
            session.apply_only_actions();
            saved += session.state().history().len() - before;
            assert_ne!(session.legal_actions().len(), 1);
            if let Some(action) = session.legal_actions().sample(&mut stream) {
                session.apply(action).expect("legal");
            }
        }
        // The last trick at least, if cards were played.
        assert!(session.state().is_passed_out() || saved >= 4, "{name}: {saved}");
    }
}

#[test]
fn listed_deals_come_in_turn_with_their_own_dealers() {
    for name in RuleSet::built_in_names() {
        let rules = rules(name);
        let list: Vec<Deal> = [3, 1, 2]
            .map(|n| Deals::new(rules, 8).shuffled(n, Seat::from_index_wrapping(n as usize)))
            .into();
        let deals = Deals::listed(rules, list.clone()).expect("deals");
        let config = SessionConfig { episode: Episode::Deals(7), ..until_target() };
        let mut session = Session::new(deals.clone(), config, 1, Seat::North);
        let mut stream = Stream::new(1, Purpose::Action, 0);
        for n in 1..8 {
            assert_eq!(session.state().deal(), list[n % 3], "{name} {n}");
            pass_out(&mut session, &mut stream);
            let _ = session.next_deal();
        }
        assert!(session.is_over());
        assert!(Deals::listed(rules, Vec::new()).is_err());
    }
    let luxembourg = Deals::new(rules("luxembourg"), 1).shuffled(0, Seat::North);
    assert!(Deals::listed(rules("wiezen"), vec![luxembourg]).is_err(), "no turn-up");
}

#[test]
fn sessions_beside_each_other_share_no_deal() {
    let mut dealt = Vec::new();
    for first in 0..3 {
        let config = SessionConfig { episode: Episode::Deals(4), stride: 3, ..until_target() };
        let deals = Deals::new(rules("horesca"), 2);
        let mut session = Session::new(deals.clone(), config, first, Seat::North);
        let mut stream = Stream::new(1, Purpose::Action, 0);
        loop {
            let (deal, dealer) = (session.state().deal(), session.state().dealer());
            let number = (0..12).find(|&number| deals.fresh(number, dealer) == deal);
            dealt.push(number.expect("one of the first twelve deals"));
            pass_out(&mut session, &mut stream);
            if session.next_deal().is_err() {
                break;
            }
        }
        session.restart();
        let number = first + 12;
        let dealer = deals.first_dealer(number);
        assert_eq!(session.state().dealer(), dealer);
        assert_eq!(session.state().deal(), deals.fresh(number, dealer));
    }
    dealt.sort_unstable();
    assert_eq!(dealt, (0..12).collect::<Vec<_>>());
}

#[test]
fn a_state_of_other_rules_is_refused() {
    let state = State::new(
        rules("luxembourg"),
        &Deals::new(rules("luxembourg"), 1).shuffled(0, Seat::North),
    );
    let deals = Deals::new(rules("horesca"), 1);
    let refused = Session::resume(deals, until_target(), state, 0);
    assert_eq!(refused.err(), Some(SessionError::OtherRules));
}

/// Chi-square of the aces that a seat does not hold over the other three seats: two degrees of
/// freedom.
fn chi_square_of_aces(deals: &Deals, observer: Seat, dealer: Seat) -> f64 {
    let mut counts = [0.0; 4];
    for n in 0..3000 {
        let deal = deals.shuffled(n, dealer);
        for seat in Seat::ALL.into_iter().filter(|&s| s != observer) {
            counts[seat.index()] += f64::from(deal.hands[seat].aces().len());
        }
    }
    let expected = counts.iter().sum::<f64>() / 3.0;
    let others = Seat::ALL.into_iter().filter(|&s| s != observer);
    others.map(|s| (counts[s.index()] - expected).powi(2) / expected).sum()
}

/// The hand of the seat in focus meets the scenario; given that hand, the others are as in any
/// deal.
#[test]
fn a_focus_leaves_the_other_hands_alone() {
    type Meets = fn(CardSet) -> bool;
    let meets: [(Scenario, Meets); 3] = [
        (Scenario::Aces, |hand| hand.aces().len() >= 3),
        (Scenario::Promising(ContractKind::OpenMisere), |hand| {
            misere_risk(hand, CardSet::FULL) <= 0.25
        }),
        (Scenario::Promising(ContractKind::Misere), |hand| misere_risk(hand, CardSet::FULL) <= 0.6),
    ];
    for name in ["luxembourg", "iwwa"] {
        for (i, (scenario, meets)) in meets.into_iter().enumerate() {
            let seat = Seat::from_index_wrapping(i + 1);
            let deals = Deals::new(rules(name), 31).with_scenario(scenario).with_focus(seat);
            assert!((0..300).all(|n| meets(deals.shuffled(n, Seat::South).hands[seat])));
            let chi = chi_square_of_aces(&deals, seat, Seat::South);
            // One in a thousand is above 13.8.
            assert!(chi < 13.8, "{name} {scenario:?}: {chi}");
        }
    }
    // For another seat than the one in focus they are not: a seat with few aces knows who has them.
    let deals = Deals::new(rules("luxembourg"), 31).with_scenario(Scenario::Aces);
    let chi = chi_square_of_aces(&deals.with_focus(Seat::East), Seat::North, Seat::South);
    assert!(chi > 100.0, "{chi}");
}

/// The seeds are built so that the streams of the two purposes would begin alike.
#[test]
fn evaluation_deals_are_none_of_training() {
    for rules in RuleSet::all_built_in() {
        for seed in [0, 1, 7, 12345, u64::MAX] {
            let twin = seed ^ ((1 ^ 8) << 56);
            let evaluation = Deals::for_evaluation(rules, seed);
            for training in [Deals::new(rules, seed), Deals::new(rules, twin)] {
                for n in 0..100 {
                    let deal = evaluation.shuffled(n, Seat::North);
                    assert_ne!(deal, training.shuffled(n, Seat::North), "{seed} {n}");
                }
            }
        }
    }
}
