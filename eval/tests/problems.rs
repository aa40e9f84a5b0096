//! Suites of problems: their answers hold, and the sheets of bots are right.

use std::fs;

use troel_agents::driver::{self, BotTable, Seating};
use troel_agents::{Bot, BotError, Decision, DecisionDetail, NamedBot, heuristic};
use troel_env::hand::max_tricks_against_aces;
use troel_env::rng::{Purpose, Stream};
use troel_env::{
    Action, BySeat, CardSet, Contract, Observation, Phase, RuleSet, SeatSet, Session, State, Suit,
    conformance, score, sure_calls_worth_bidding,
};
use troel_eval::problems::{self, PosedProblem, ProblemError, Suite, SuiteName};
use troel_solver::{Position, Solver};

fn generate(suite: Suite, rules: &'static RuleSet, count: usize) -> Vec<PosedProblem> {
    problems::generate(suite, rules, count, 3, &|_| {}).expect("problems")
}

/// Returns the state after a call and the passes of all other seats; `None` if one cannot pass.
fn in_play(mut state: State, call: Action) -> Option<State> {
    state.apply(call).ok()?;
    while state.phase() == troel_env::Phase::Auction {
        state.apply(state.legal_actions().silent_call()?).ok()?;
    }
    while state.phase() != troel_env::Phase::Play && !state.is_done() {
        // A discard, or the end of an exchange: any choice will do, the problem is the call.
        state.apply(state.legal_actions().nth_action(0)?).ok()?;
    }
    Some(state)
}

/// Returns another state that the seat to act cannot tell from this one.
fn redeal(state: &State, stream: &mut Stream) -> State {
    conformance::redeal(state, state.turn(), stream).expect("another deal fits the calls")
}

/// Checks with the solver that the accepted contracts of `count` problems of a suite are made, with
/// the hidden cards dealt again. Returns the number of misères among them.
fn assert_accepted_contracts_are_made(suite: Suite, count: usize) -> u32 {
    let (mut solver, mut stream) = (Solver::default(), Stream::new(1, Purpose::Position, 0));
    let mut miseres = 0;
    for rules in RuleSet::all_built_in() {
        let mut solved = 0;
        for posed in generate(suite, rules, count) {
            for _ in 0..2 {
                let state = redeal(&posed.state, &mut stream);
                for &call in &posed.accept {
                    let Some(state) = in_play(state, call) else { continue };
                    let contract = *state.contract().expect("a contract");
                    let position = Position::from_state(&state).expect("a position");
                    miseres += u32::from(contract.kind.is_misere());
                    let is_made = if contract.kind.is_misere() {
                        solver.value(&position) == 0
                    } else {
                        solver.reaches(&position, contract.goal)
                    };
                    let hands = state.deal().format_hands();
                    assert!(is_made, "{} {call}: {hands}", rules.id());
                    solved += 1;
                }
            }
        }
        assert!(solved >= 40, "{}: only {solved} positions were solved", rules.id());
    }
    miseres
}

#[test]
fn sure_contracts_are_made_against_any_defence() {
    assert_accepted_contracts_are_made(Suite::SureContracts, 25);
}

#[test]
fn contracts_with_long_trumps_are_made_against_any_defence() {
    let miseres = assert_accepted_contracts_are_made(Suite::LongTrumps, 200);
    assert!(miseres > 0, "no hand has a misère that pays more");
}

#[test]
fn contracts_with_top_cards_are_made_against_any_defence() {
    assert_accepted_contracts_are_made(Suite::TopCards, 25);
}

/// The suite has hands in every seat. Thirteen trumps have a contract for all tricks as their best
/// answer.
#[test]
fn long_trumps_come_in_every_seat_and_thirteen_make_a_slam() {
    for rules in RuleSet::all_built_in() {
        let (mut of_seat, mut thirteen) = ([0; 4], 0);
        for posed in generate(Suite::LongTrumps, rules, 200) {
            let (state, seat) = (&posed.state, posed.state.turn());
            let place = seat.relative_to(state.dealer().next());
            of_seat[place] += 1;
            let hand = state.hands()[seat];
            if Suit::ALL.into_iter().any(|suit| hand.of(suit).len() == 13) {
                let contract = state.rules().lone_contract(posed.accept[0], seat, None);
                assert!(contract.is_some_and(|c| c.goal == 13), "{}: {posed:?}", rules.id());
                thirteen += 1;
            }
        }
        assert!(thirteen >= 10, "{}: {thirteen}", rules.id());
        assert!(of_seat.iter().all(|&count| count >= 5), "{}: {of_seat:?}", rules.id());
    }
}

/// The answers come from rollouts with `rules`. With `expert` at all seats and in other worlds,
/// they score more than passing, too.
#[test]
fn strong_contracts_score_more_than_passing_with_another_player() {
    let mut stream = Stream::new(3, Purpose::Position, 0);
    for rules in RuleSet::all_built_in() {
        let expert = NamedBot::find("expert", rules).expect("a bot");
        let points = |mut state: State, call: Action| {
            let seat = state.turn();
            state.apply(call).expect("a legal call");
            let mut table = [BotTable {
                session: Session::from_state(state),
                seating: Seating::full(BySeat([0; 4])),
            }];
            driver::run(&mut table, &mut [expert.instantiate(1)], &mut ()).expect("played");
            table[0].session.state().scores().expect("a finished deal")[seat]
        };
        let (mut gain, mut deals) = (0, 0);
        for posed in generate(Suite::StrongContracts, rules, 10) {
            let observation = posed.state.observe(posed.state.turn(), BySeat::default());
            assert_eq!(sure_calls_worth_bidding(&observation), [], "{}", rules.id());
            assert!(!posed.accept.contains(&Action::PASS), "{}", rules.id());
            for _ in 0..4 {
                let state = redeal(&posed.state, &mut stream);
                gain += points(state, posed.accept[0]) - points(state, Action::PASS);
                deals += 1;
            }
        }
        let mean = f64::from(gain) / f64::from(deals);
        assert!(mean > 2.0, "{}: {mean} points more than passing", rules.id());
    }
}

#[test]
fn sure_miseres_take_no_trick_against_any_defence() {
    let (mut solver, mut stream) = (Solver::default(), Stream::new(2, Purpose::Position, 0));
    for rules in RuleSet::all_built_in() {
        let mut solved = 0;
        for posed in generate(Suite::SureMiseres, rules, 25) {
            let state = redeal(&posed.state, &mut stream);
            let Some(state) = in_play(state, posed.accept[0]) else { continue };
            let position = Position::from_state(&state).expect("a position");
            assert_eq!(solver.value(&position), 0, "{}", state.deal().format_hands());
            solved += 1;
        }
        assert!(solved >= 20, "{}: only {solved} positions were solved", rules.id());
    }
}

/// Sure misères that `expert`, which thinks longer, plays under each rule set.
const EXPERT_MISERES: u32 = 10;

#[test]
fn rules_and_expert_lose_no_sure_misere_in_the_play() {
    for rules in RuleSet::all_built_in() {
        let expert = NamedBot::find("expert", rules).expect("a bot");
        let mut played = 0;
        for posed in generate(Suite::SureMiseres, rules, 200) {
            let Some(state) = in_play(posed.state, posed.accept[0]) else { continue };
            let end = heuristic::roll_out(state);
            let hands = state.deal().format_hands();
            assert_eq!(end.tricks()[posed.state.turn()], 0, "{}: {hands}", rules.id());
            if played < EXPERT_MISERES {
                let mut table = [BotTable {
                    session: Session::from_state(state),
                    seating: Seating::full(BySeat([0; 4])),
                }];
                driver::run(&mut table, &mut [expert.instantiate(1)], &mut ()).expect("played");
                let tricks = table[0].session.state().tricks();
                assert_eq!(tricks[posed.state.turn()], 0, "expert, {}: {hands}", rules.id());
            }
            played += 1;
        }
        assert!(played >= 150, "{}: only {played} were played", rules.id());
    }
}

/// The worlds in which a misère must fail are sampled. In others it fails nearly always, too.
#[test]
fn losing_miseres_fail_in_other_worlds() {
    let (mut solver, mut stream) = (Solver::default(), Stream::new(4, Purpose::Position, 0));
    for rules in RuleSet::all_built_in() {
        let (mut made, mut solved) = (0, 0);
        for posed in generate(Suite::LosingMiseres, rules, 10) {
            let legal = posed.state.legal_actions();
            assert!(posed.accept.contains(&legal.silent_call().expect("a pass")), "{}", rules.id());
            for call in legal.into_iter().filter(|call| !posed.accept.contains(call)) {
                for _ in 0..5 {
                    let state = redeal(&posed.state, &mut stream);
                    let Some(state) = in_play(state, call) else { continue };
                    let position = Position::from_state(&state).expect("a position");
                    if let Some(is_made) = solver.is_made(&position, 50_000) {
                        made += u32::from(is_made);
                        solved += 1;
                    }
                }
            }
        }
        assert!(solved >= 40, "{}: only {solved} positions were solved", rules.id());
        assert!(made * 20 <= solved, "{}: {made} of {solved} are made", rules.id());
    }
}

#[test]
fn calls_that_are_never_right_fail_against_any_defence() {
    assert_other_calls_fail(Suite::Never, 12, |hand, contract| {
        problems::max_tricks(hand, contract.trump.expect("trumps"))
    });
}

#[test]
fn near_slams_fail_against_an_ace_that_is_kept() {
    assert_other_calls_fail(Suite::NearSlams, 24, |hand, _| {
        max_tricks_against_aces(hand, CardSet::FULL)
    });
}

/// Asserts that the calls that a suite does not accept fail, with the hidden cards dealt again.
/// `n_calls` of its first 24 problems ask for calls. `most` is the bound on the tricks of the
/// declarer.
fn assert_other_calls_fail(suite: Suite, n_calls: usize, most: impl Fn(CardSet, &Contract) -> u8) {
    let (mut solver, mut stream) = (Solver::default(), Stream::new(3, Purpose::Position, 0));
    for rules in RuleSet::all_built_in() {
        let mut solved = 0;
        let posed = generate(suite, rules, 24);
        let calls = posed.iter().filter(|posed| posed.state.phase() == Phase::Auction);
        let calls: Vec<&PosedProblem> = calls.collect();
        assert_eq!(calls.len(), n_calls, "{}", rules.id());
        for posed in calls {
            let seat = posed.state.turn();
            let legal = posed.state.legal_actions();
            let never = legal.into_iter().filter(|call| !posed.accept.contains(call));
            for call in never {
                let state = redeal(&posed.state, &mut stream);
                let Some(state) = in_play(state, call) else { continue };
                let contract = *state.contract().expect("a contract");
                assert!(contract.declarers == SeatSet::single(seat), "{call}");
                let position = Position::from_state(&state).expect("a position");
                let deal = state.deal().format_hands();
                assert!(!solver.reaches(&position, contract.goal), "{} {call}: {deal}", rules.id());
                let mut tricks = BySeat([0; 4]);
                tricks[seat] = most(state.hands()[seat], &contract);
                assert!(!solver.reaches(&position, tricks[seat] + 1), "{call}: {deal}");
                assert!(score(rules, &contract, &tricks)[seat] < 0, "{call}");
                solved += 1;
            }
            // Passing is accepted, and costs nothing if all pass.
            let passes = [Action::PASS, Action::KEEP].iter().any(|c| posed.accept.contains(c));
            assert!(passes, "{}", rules.id());
        }
        assert!(solved >= 12, "{}: only {solved} positions were solved", rules.id());
    }
}

#[test]
fn tricks_are_lost_to_the_highest_trumps() {
    let tricks = |hand: &str| {
        problems::max_tricks(troel_env::parse_hand(hand).expect("a hand"), Suit::Spades)
    };
    assert_eq!(tricks("A32.AKQ.AKQ.AKQJ"), 13);
    assert_eq!(tricks("KQJT98765432.A.."), 12);
    // Ace, king and queen can fall together, the jack cannot.
    assert_eq!(tricks("JT98765432.AKQ.."), 12);
    assert_eq!(tricks("T98765432.AKQJ.."), 11);
    assert_eq!(tricks(".AKQJ.AKQJ.AKQJT"), 8);
}

#[test]
fn sure_tricks_are_counted_from_the_top() {
    let tricks = |hand: &str, trumps| {
        let hand = troel_env::parse_hand(hand).expect("a hand");
        troel_env::hand::sure_tricks(hand, CardSet::FULL, trumps)
    };
    assert_eq!(tricks("AKQJT98765432...", Suit::Spades), 13);
    // Five others at most, and five rounds that draw them: eight trumps, and two aces and a king.
    assert_eq!(tricks("AKQJT432.AK.A.32", Suit::Spades), 11);
    // Four rounds are sure, but five trumps can be in one hand: the small ones may lose.
    assert_eq!(tricks("AKQJ5432.AK.A.32", Suit::Spades), 4);
    // A side suit of eight from the top has no card of others left after five rounds.
    assert_eq!(tricks("AKQJT98.AKQJT9..", Suit::Spades), 13);
    assert_eq!(tricks("432.AKQJT98.432.", Suit::Spades), 0);
}

#[test]
fn suites_are_the_same_for_the_same_seed_and_survive_a_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("problems.jsonl");
    for suite in Suite::ALL {
        let wiezen = RuleSet::built_in("wiezen").expect("rules");
        // Those that need the solver take longer.
        let count = match suite {
            Suite::SureContracts
            | Suite::LongTrumps
            | Suite::TopCards
            | Suite::NearSlams
            | Suite::SureMiseres => 200,
            _ => 5,
        };
        let posed = generate(suite, wiezen, count);
        let list = |posed: &[PosedProblem]| -> Vec<_> {
            posed.iter().map(|posed| posed.problem.clone()).collect()
        };
        assert_eq!(list(&posed), list(&generate(suite, wiezen, count)));
        let other = problems::generate(suite, wiezen, count, 4, &|_| {}).expect("problems");
        assert_ne!(list(&posed), list(&other));
        let lines = posed.iter().map(|posed| serde_json::to_string(&posed.problem).expect("JSON"));
        fs::write(&path, lines.collect::<Vec<_>>().join("\n")).expect("written");
        let read = problems::read(&path, |_| Ok::<_, String>(wiezen)).expect("read");
        assert_eq!(list(&posed), list(&read));
    }
}

#[test]
fn bad_problems_are_refused_with_their_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("problems.jsonl");
    let rules = RuleSet::built_in("luxembourg").expect("rules");
    let good = generate(Suite::SureContracts, rules, 1)[0].problem.clone();
    let refused = |text: String| {
        fs::write(&path, format!("\n{}\n{text}\n", serde_json::to_string(&good).expect("JSON")))
            .expect("written");
        match problems::read(&path, |_| Ok::<_, String>(rules)) {
            Err(ProblemError::Line { line: 3, fault, .. }) => fault.to_string(),
            other => panic!("{other:?}"),
        }
    };
    refused("[]".to_string());
    assert!(refused("{}".to_string()).contains("the key \"suite\" is missing"));
    let mut problem = good.clone();
    problem.seat = problem.seat.next();
    let line = |problem: &problems::Problem| serde_json::to_string(problem).expect("JSON");
    assert!(refused(line(&problem)).contains("turn"));
    problem.seat = good.seat;
    problem.accept = vec!["AS".to_string()];
    assert!(refused(line(&problem)).contains("AS"));
    problem.accept.clear();
    assert!(refused(line(&problem)).contains("accept"));
    problem.values = Some([(good.accept[0].clone(), 1.0)].into());
    assert!(refused(line(&problem)).contains("every legal action"));
    fs::write(&path, "\n").expect("written");
    let read = || problems::read(&path, |_| Ok::<_, String>(rules));
    assert!(matches!(read(), Err(ProblemError::Empty(_))));
    // A file may name its suite freely, and give no reason and no proof.
    let mut mine = serde_json::to_value(&good).expect("JSON");
    mine["suite"] = "mine".into();
    let keys = mine.as_object_mut().expect("an object");
    keys.remove("reason").and(keys.remove("proof")).expect("both are written");
    fs::write(&path, mine.to_string()).expect("written");
    let mine = read().expect("read").remove(0).problem;
    assert_eq!(mine.suite, SuiteName::Custom("mine".to_string()));
    assert!(line(&mine).starts_with("{\"suite\":\"mine\","), "{}", line(&mine));
    assert!(line(&mine).contains("\"proof\":\"judgement\""), "{}", line(&mine));
    assert!(line(&good).starts_with("{\"suite\":\"sure-contracts\","), "{}", line(&good));
}

/// Answers known problems with the accepted call or by passing, and everything else like `rules`.
struct Answers {
    known: Vec<PosedProblem>,
    passes: bool,
    otherwise: Box<dyn Bot>,
}

impl Bot for Answers {
    fn decide(
        &mut self,
        observations: &[Observation],
        detail: DecisionDetail,
    ) -> Result<Vec<Decision>, BotError> {
        let mut decisions = self.otherwise.decide(observations, detail)?;
        for (observation, decision) in observations.iter().zip(&mut decisions) {
            let is_posed = |posed: &&PosedProblem| {
                posed.state.observe(posed.state.turn(), Default::default()) == *observation
            };
            if let Some(posed) = self.known.iter().find(is_posed) {
                let silent = [Action::PASS, Action::KEEP].into_iter();
                let mut silent = silent.filter(|&action| observation.legal_actions().has(action));
                let action =
                    if self.passes { silent.next_back() } else { posed.accept.first().copied() };
                *decision = Decision::sure(action.expect("a legal action"), detail);
            }
        }
        Ok(decisions)
    }
}

#[test]
fn bots_are_judged_by_what_they_call_and_what_it_costs() {
    let rules = RuleSet::built_in("luxembourg").expect("rules");
    let posed = generate(Suite::SureContracts, rules, 60);
    let judge = |passes: bool| {
        let known = posed.clone();
        let bot = NamedBot::new("answers", move |seed| {
            let otherwise = NamedBot::find("rules", rules).expect("a bot").instantiate(seed);
            Box::new(Answers { known: known.clone(), passes, otherwise })
        });
        let mut sheets = problems::ask(&posed, &bot, 1, &|_| ()).expect("judged");
        assert_eq!(sheets.len(), 1);
        sheets.remove(0)
    };
    let perfect = judge(false);
    assert_eq!((perfect.solved, perfect.probability, perfect.lost.mean()), (1.0, 1.0, 0.0));
    assert!(perfect.worst.is_empty());
    let timid = judge(true);
    assert_eq!((timid.solved, timid.probability), (0.0, 0.0));
    assert!(timid.lost.mean() > 20.0, "{}", timid.lost.mean());
    let worst = &timid.worst;
    assert!(worst.windows(2).all(|pair| pair[0].lost >= pair[1].lost) && worst[0].lost > 0.0);
    // The worst ones are deals that were played to their ends.
    let replay = worst[0].record.replay(rules, false).expect("a record");
    assert!(replay.scores.is_some());
}

#[test]
fn known_values_are_what_an_answer_costs() {
    let rules = RuleSet::built_in("luxembourg").expect("rules");
    let mut problem = generate(Suite::SureContracts, rules, 1)[0].problem.clone();
    let state = problem.record.play(rules, |_, _| ()).expect("a state");
    problem.accept.clear();
    let legal: Vec<Action> = state.legal_actions().into_iter().collect();
    let values = legal.iter().enumerate().map(|(n, action)| (action.to_string(), n as f64));
    problem.values = Some(values.collect());
    let posed = PosedProblem::new(problem, rules).expect("a problem");
    assert_eq!(posed.accept, vec![*legal.last().expect("an action")]);
    let bot = NamedBot::find("rules", rules).expect("a bot");
    let sheets = problems::ask(std::slice::from_ref(&posed), &bot, 1, &|_| ()).expect("judged");
    let chosen = sheets[0].worst.first().map_or(legal.len() - 1, |worst| {
        legal.iter().position(|action| action.to_string() == worst.action).expect("legal")
    });
    assert_eq!(sheets[0].lost.mean(), (legal.len() - 1 - chosen) as f64);
}

/// Fewer problems are generated where the suite is rare, and none for a small deck.
#[test]
fn suites_that_run_out_give_what_they_have() {
    let small = include_str!("../../examples/rules/small-8.toml");
    let small = RuleSet::from_toml(small, "small-8.toml").expect("a rule set");
    let at_most = |rules, count| {
        problems::generate_at_most(Suite::SureContracts, rules, count, 1, &|_| {}).len()
    };
    assert_eq!(at_most(small, 10), 0);
    let full = RuleSet::built_in("iwwa").expect("built in");
    assert_eq!(at_most(full, 10), 10);
    let refused = problems::generate(Suite::SureContracts, small, 10, 1, &|_| {});
    assert!(matches!(refused, Err(ProblemError::SmallDeck(_))));
}
