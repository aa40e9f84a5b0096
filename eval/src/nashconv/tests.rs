use std::collections::HashMap;

use rayon::ThreadPoolBuilder;
use troel_agents::{Bot, BotError, Decision, DecisionDetail, decide_one};
use troel_env::{Action, CardSet, Deal, Observation, State};

use super::deals::DEALER;
use super::*;

/// Returns rules with three contracts, with these `ranks` and this `goal`. The contracts are one of
/// a pair, one of a lone seat and a misère.
fn rules(id: &str, ranks: &str, goal: u8) -> &'static RuleSet {
    let cards = ranks.len();
    let text = format!(
        "id = \"{id}\"\nfamily = \"turn-up\"\nscoring = \"table\"\ndeal = \"shuffle\"\nranks = \"{ranks}\"\n\
         packets = [[{cards}, 0, 0]]\nmatch_target = 0\nvoid_moves_dealer = false\nopen_misere_shown_after = 0\n\
         share_miseres = true\n\
         [[contract]]\nkind = \"suit\"\nlevel = 8\ntricks = {goal}\nmade = [3]\nfailed = 4\nopponents = 2\n\
         [[contract]]\nkind = \"misere\"\nmade = [5]\nfailed = 4\nopponents = 3\nopponents_several = 4\n\
         [[contract]]\nkind = \"solo\"\nlevel = 6\ntricks = {goal}\nmade = [7]\nfailed = 6\nopponents = 2\n"
    );
    RuleSet::from_toml(&text, id).expect("good rules")
}

/// A bot with a policy that depends on all that the seat knows, without a pattern.
struct Scattered;

impl Bot for Scattered {
    fn decide(
        &mut self,
        observations: &[Observation],
        _: DecisionDetail,
    ) -> Result<Vec<Decision>, BotError> {
        let one = |obs: &Observation| {
            let weight = |action: Action| {
                let bits = obs.fingerprint() >> (action.index() % 32);
                (bits % 7) as f32 + 0.5
            };
            let legal = obs.legal_actions();
            let sum: f32 = legal.into_iter().map(weight).sum();
            let policy: Vec<_> = legal.into_iter().map(|a| (a, weight(a) / sum)).collect();
            Decision { action: policy[0].0, log_prob: 0.0, value: None, policy }
        };
        Ok(observations.iter().map(one).collect())
    }
}

fn all(bot: &NamedBot) -> BySeat<NamedBot> {
    BySeat::from_fn(|_| bot.clone())
}

fn random() -> NamedBot {
    NamedBot::find("random", RuleSet::built_in("wiezen").expect("built in")).expect("built in")
}

fn scattered() -> NamedBot {
    NamedBot::new("scattered", |_| Box::new(Scattered))
}

fn exact(rules: &'static RuleSet, bots: &BySeat<NamedBot>) -> NashConv {
    nash_conv(rules, bots, BotOutput::Policy, 1, &|_| {}).expect("a small game")
}

/// Values found state by state, without the tree of public events. Information sets are mapped to
/// their states.
struct Naive {
    bot: Box<dyn Bot>,
    policies: HashMap<u64, Vec<(Action, f64)>>,
    responder: Seat,
    /// The states of each information set of the responder, with their weights. A weight is chance
    /// times the others' probabilities.
    states: HashMap<u64, Vec<(State, f64)>>,
    chosen: HashMap<u64, Action>,
}

impl Naive {
    fn see(state: &State) -> Observation {
        state.observe(state.turn(), BySeat::default())
    }

    fn policy(&mut self, state: &State) -> Vec<(Action, f64)> {
        let obs = Naive::see(state);
        let bot = &mut self.bot;
        let ask = || {
            let policy =
                decide_one(bot.as_mut(), &obs, DecisionDetail::Policy).expect("a policy").policy;
            let sum: f64 = policy.iter().map(|&(_, p)| f64::from(p)).sum();
            policy.into_iter().map(|(action, p)| (action, f64::from(p) / sum)).collect()
        };
        self.policies.entry(obs.fingerprint()).or_insert_with(ask).clone()
    }

    fn after(state: &State, action: Action) -> State {
        let mut state = *state;
        state.apply(action).expect("legal");
        state
    }

    fn collect(&mut self, state: State, weight: f64) {
        if state.is_done() {
            return;
        }
        if state.turn() == self.responder {
            let key = Naive::see(&state).fingerprint();
            self.states.entry(key).or_default().push((state, weight));
            for action in state.legal_actions() {
                self.collect(Naive::after(&state, action), weight);
            }
            return;
        }
        for (action, p) in self.policy(&state) {
            self.collect(Naive::after(&state, action), weight * p);
        }
    }

    /// Returns the expected points of each seat. The responder plays its best response if
    /// `responds` is set, and its policy otherwise.
    fn value(&mut self, state: &State, responds: bool) -> [f64; 4] {
        if let Some(scores) = state.scores() {
            return scores.0.map(f64::from);
        }
        if responds && state.turn() == self.responder {
            let action = self.best(Naive::see(state).fingerprint());
            return self.value(&Naive::after(state, action), responds);
        }
        let mut sum = [0.0; 4];
        for (action, p) in self.policy(state) {
            let below = self.value(&Naive::after(state, action), responds);
            (0..4).for_each(|i| sum[i] += p * below[i]);
        }
        sum
    }

    fn best(&mut self, key: u64) -> Action {
        if let Some(&action) = self.chosen.get(&key) {
            return action;
        }
        let states = self.states[&key].clone();
        let seat = self.responder.index();
        let mut best: Option<(f64, Action)> = None;
        for action in states[0].0.legal_actions() {
            let worth = |(state, weight): &(State, f64)| {
                weight * self.value(&Naive::after(state, action), true)[seat]
            };
            let points: f64 = states.iter().map(worth).sum();
            if best.is_none_or(|(most, _)| points > most) {
                best = Some((points, action));
            }
        }
        let (_, action) = best.expect("an action is legal");
        self.chosen.insert(key, action);
        action
    }
}

/// Returns expected points of all seats and of a seat's best response, by [`Naive`].
fn naive(rules: &'static RuleSet, bot: &NamedBot, responder: Seat) -> ([f64; 4], f64) {
    let mut starts: Vec<State> = Vec::new();
    let (hands, roots) = deals::roots(rules);
    for root in roots {
        for live in &root.deals {
            let hands: BySeat<CardSet> = BySeat(live.hands.map(|hand| hands[usize::from(hand)]));
            let turn_up = root.state.deal().turn_up;
            let deal = Deal { dealer: DEALER, hands, turn_up };
            assert_eq!(deal.check(rules), Ok(()));
            starts.push(State::new(rules, &deal));
        }
    }
    let mut naive = Naive {
        bot: bot.instantiate(1),
        policies: HashMap::new(),
        responder,
        states: HashMap::new(),
        chosen: HashMap::new(),
    };
    let mut values = [0.0; 4];
    for start in &starts {
        naive.collect(*start, 1.0);
        let value = naive.value(start, false);
        (0..4).for_each(|i| values[i] += value[i] / starts.len() as f64);
    }
    let best = |start: &State| naive.value(start, true)[responder.index()];
    let best = starts.iter().map(best).sum::<f64>() / starts.len() as f64;
    (values, best)
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-9
}

#[test]
fn values_are_those_found_state_by_state() {
    for (bot, is_uniform) in [(random(), true), (scattered(), false)] {
        let rules = rules("aces", "A", 1);
        let found = exact(rules, &all(&bot));
        assert_eq!(found.deals, 24);
        for (i, seat) in Seat::ALL.into_iter().enumerate() {
            let (values, best) = naive(rules, &bot, seat);
            assert!(close(found.seats[i].value, values[i]), "{found:?} {values:?}");
            assert!(close(found.seats[i].best_response, best), "{found:?} {best}");
            assert!(found.seats[i].gain > 0.1, "{is_uniform}: {found:?}");
        }
        let sum: f64 = found.seats.iter().map(|seat| seat.gain).sum();
        assert!(close(found.nash_conv, sum) && close(found.exploitability, sum / 4.0));
    }
}

/// Checks two cards each, so that cards are played with a choice; a single contract keeps it quick.
#[test]
fn play_of_the_cards_is_solved_too() {
    let mut spec = rules("kings", "AK", 2).spec().clone();
    spec.id = "kings-misere".to_string();
    spec.contract.retain(|row| row.kind.is_negative());
    spec.share_miseres = false;
    let rules = RuleSet::from_spec(spec, "kings").expect("good rules");
    let found = exact(rules, &all(&scattered()));
    assert_eq!(found.deals, 2 * 2520);
    let (values, best) = naive(rules, &scattered(), Seat::East);
    assert!(close(found.seats[1].value, values[1]), "{found:?} {values:?}");
    assert!(close(found.seats[1].best_response, best), "{found:?} {best}");
}

/// A bot that plays one action for each hand of a single card.
#[derive(Clone)]
struct ByHand(HashMap<u64, Action>);

impl Bot for ByHand {
    fn decide(
        &mut self,
        observations: &[Observation],
        _: DecisionDetail,
    ) -> Result<Vec<Decision>, BotError> {
        // Others may have called before: then the action may not be legal, and it passes.
        let one = |obs: &Observation| {
            let wanted = self.0[&obs.hand().0];
            let is_legal = obs.legal_actions().has(wanted);
            let other = obs.legal_actions().into_iter().next().unwrap_or(Action::PASS);
            Decision::sure(if is_legal { wanted } else { other }, DecisionDetail::Policy)
        };
        Ok(observations.iter().map(one).collect())
    }
}

/// Tries all pure strategies of the dealer, who has one decision for each of its four hands. The
/// three other seats pass.
#[test]
fn no_pure_strategy_beats_the_best_response() {
    let rules = rules("aces", "A", 1);
    let passes = BestResponse::new(HashMap::new()).named("passes");
    let mut bots = all(&passes);
    let found = exact(rules, &bots);
    let dealer = DEALER.index();
    let hands: Vec<u64> = rules.deck().iter().map(|card| CardSet::single(card).0).collect();
    let calls: Vec<Action> = {
        let (_, roots) = deals::roots(rules);
        let mut state = roots[0].state;
        (0..3).for_each(|_| state.apply(Action::PASS).expect("legal"));
        // An ask in the turn-up suit is legal with one turn-up in four.
        state.legal_actions().into_iter().filter(|call| call.as_suit_call().is_none()).collect()
    };
    assert_eq!(calls.len(), 6);
    let mut most = f64::MIN;
    for number in 0..calls.len().pow(4) {
        let call = |i: u32| calls[number / calls.len().pow(i) % calls.len()];
        let strategy = ByHand((0..4).map(|i| (hands[i as usize], call(i))).collect());
        bots[DEALER] = NamedBot::new("strategy", move |_| Box::new(strategy.clone()));
        most = most.max(exact(rules, &bots).seats[dealer].value);
    }
    assert!(close(found.seats[dealer].best_response, most), "{found:?} {most}");
    assert!(close(found.seats[dealer].value, 0.0) && most > 3.0, "{most}");
}

#[test]
fn a_best_response_gains_nothing_more() {
    let rules = rules("aces", "A", 1);
    for seat in Seat::ALL {
        let mut bots = all(&scattered());
        let before = exact(rules, &bots);
        let answer = best_response(rules, &bots, BotOutput::Policy, 1, seat).expect("a small game");
        bots[seat] = answer.named("answer");
        let after = exact(rules, &bots);
        let (before, after) = (&before.seats[seat.index()], &after.seats[seat.index()]);
        assert!(close(after.value, before.best_response), "{before:?} {after:?}");
        assert!(after.gain < 1e-9 && close(after.best_response, before.best_response));
    }
}

#[test]
fn threads_do_not_matter() {
    let mut spec = rules("kings", "AK", 2).spec().clone();
    spec.id = "kings-asked".to_string();
    spec.contract.truncate(1);
    let rules = RuleSet::from_spec(spec, "kings").expect("good rules");
    let run = |threads| {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| exact(rules, &all(&random())))
    };
    let one = run(1);
    assert_eq!(one, run(3));
    assert!(one.nash_conv > 0.1 && one.information_sets > 1000, "{one:?}");
}

#[test]
fn games_that_are_too_large_or_hide_cards_are_refused() {
    let refused = |rules: &'static RuleSet| {
        let answer = nash_conv(rules, &all(&random()), BotOutput::Policy, 1, &|_| {});
        answer.expect_err("refused").to_string()
    };
    let large = refused(RuleSet::built_in("luxembourg").expect("built in"));
    assert!(large.contains("too large") && large.contains("fewer ranks"), "{large}");
    let mut spec = rules("aces", "A", 1).spec().clone();
    spec.id = "open".to_string();
    spec.contract[1].kind = troel_env::ContractKind::OpenMisere;
    let open = refused(RuleSet::from_spec(spec, "open").expect("good rules"));
    assert!(open.contains("open-misere"), "{open}");
}
