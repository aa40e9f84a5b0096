//! Single and vectorised environments, matches, and the gathered deck.

use ndarray::{Array1, Array2};
use troel_env::rng::{Purpose, Stream};
use troel_env::{
    Action, Arrays, Buffers, BySeat, Card, Deals, Env, EnvConfig, Episode, N_ACTIONS, N_FEATURES,
    N_FULL_FEATURES, PackedArrays, Reward, RuleSet, Seat, State, VecEnv, VecEnvError,
};

fn rules(name: &str) -> &'static RuleSet {
    RuleSet::built_in(name).expect("built in")
}

fn random(env: &Env, stream: &mut Stream) -> Action {
    let legal = env.legal_actions();
    legal.draw(stream).expect("some action is legal")
}

#[test]
fn vectorised_environments_match_single_ones() {
    for rules in RuleSet::all_built_in() {
        let n = 150; // more than one chunk
        let config = EnvConfig::default();
        let mut venv = VecEnv::new(rules, config, n, 42);
        let mut arrays = Arrays::new(n);
        venv.observe(arrays.buffers()).expect("shapes fit");
        // Environment 0 of one is environment 0 of many for its first deal.
        let mut single = Env::new(rules, config, 42);
        let mut stream = Stream::new(8, Purpose::Action, 0);
        let mut first_deal = true;
        for _ in 0..200 {
            let actions: Vec<Action> = venv.envs().iter().map(|e| random(e, &mut stream)).collect();
            if first_deal {
                let mut features = vec![0.0; N_FEATURES];
                single.observe().encode(&mut features);
                assert_eq!(arrays.observations.row(0).to_vec(), features);
                let mask: Vec<bool> = (0..N_ACTIONS)
                    .map(|i| single.legal_actions().has(Action::from_index(i).expect("in range")))
                    .collect();
                assert_eq!(arrays.masks.row(0).to_vec(), mask);
                assert_eq!(usize::from(arrays.seats[0]), single.turn().index());
            }
            venv.step(&actions, arrays.buffers()).expect("legal");
            if first_deal {
                let step = single.step(actions[0]).expect("legal");
                assert_eq!(arrays.rewards.row(0).to_vec(), step.rewards.0);
                assert_eq!(arrays.dones[0], step.done);
                first_deal = !step.done;
            }
        }
        assert!(!first_deal, "the first deal ended within 200 actions");
    }
}

#[test]
fn thread_count_does_not_matter() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| {
            let mut venv = VecEnv::new(rules("luxembourg"), EnvConfig::default(), 200, 1);
            let mut arrays = Arrays::new(200);
            let mut stream = Stream::new(1, Purpose::Action, 0);
            let mut sum = Array2::<f32>::zeros((200, 4));
            for _ in 0..120 {
                let actions: Vec<Action> =
                    venv.envs().iter().map(|e| random(e, &mut stream)).collect();
                venv.step(&actions, arrays.buffers()).expect("legal");
                sum += &arrays.rewards;
            }
            (sum, arrays.observations)
        })
    };
    assert_eq!(run(1), run(3));
}

#[test]
fn bad_input_is_refused_and_named() {
    let mut venv = VecEnv::new(rules("wiezen"), EnvConfig::default(), 3, 1);
    let mut small = Arrays::new(2);
    let error = venv.observe(small.buffers()).expect_err("two rows for three environments");
    assert!(matches!(error, VecEnvError::Shape { name: "observations", .. }), "{error}");
    let mut arrays = Arrays::new(3);
    let error = venv.step(&[Action::PASS], arrays.buffers()).expect_err("one action");
    assert!(matches!(error, VecEnvError::Shape { name: "actions", .. }), "{error}");
    let actions = [Action::PASS, Action::GIVE, Action::GIVE];
    let error = venv.step(&actions, arrays.buffers()).expect_err("nobody asked");
    assert!(matches!(error, VecEnvError::Illegal { index: 1, .. }), "{error}");
}

/// A batch with one illegal action is refused whole, on however many threads it would have run.
#[test]
fn a_refused_batch_changes_nothing() {
    let n = 300;
    let mut venv = VecEnv::new(rules("luxembourg"), EnvConfig::default(), n, 1);
    let mut arrays = Arrays::new(n);
    venv.observe(arrays.buffers()).expect("shapes fit");
    let mut stream = Stream::new(1, Purpose::Action, 0);
    let mut actions: Vec<Action> = venv.envs().iter().map(|e| random(e, &mut stream)).collect();
    let before = venv.envs().to_vec();
    for index in [0, 150, n - 1] {
        let good = std::mem::replace(&mut actions[index], Action::GIVE);
        let error = venv.step(&actions, arrays.buffers()).expect_err("nobody asked");
        assert!(matches!(error, VecEnvError::Illegal { index: i, .. } if i == index), "{error}");
        assert_eq!(venv.envs(), before, "{index}");
        actions[index] = good;
    }
    venv.step(&actions, arrays.buffers()).expect("legal");
}

#[test]
fn a_match_goes_to_a_hundred() {
    for name in ["luxembourg", "horesca"] {
        for reward in [Reward::Points, Reward::Centred, Reward::Match] {
            let config = EnvConfig { episode: Episode::Match, reward, ..Default::default() };
            let mut env = Env::new(rules(name), config, 3);
            let mut stream = Stream::new(4, Purpose::Action, 0);
            let mut sum = [0.0f32; 4];
            loop {
                let before = *env.state();
                let step = env.step(random(&env, &mut stream)).expect("legal");
                sum.iter_mut().zip(step.rewards.0).for_each(|(s, r)| *s += r);
                if step.done {
                    break;
                }
                if step.deal_over {
                    let moved = env.state().dealer() != before.dealer();
                    let passed_out = before.contract().is_none();
                    assert_eq!(moved, !passed_out, "{name}");
                }
            }
            let best = env.totals().iter().max().copied().expect("four seats");
            assert!(best >= 100, "{name} {best}");
            assert!(env.step(Action::PASS).is_err(), "the match is over");
            match reward {
                Reward::Points => {
                    assert_eq!(sum.map(|s| s as i32), env.totals().0);
                }
                Reward::Centred => assert!(sum.iter().sum::<f32>().abs() < 1e-2),
                Reward::Match => {
                    assert!(sum.iter().sum::<f32>().abs() < 1e-6);
                    let won = Seat::ALL.into_iter().find(|&s| env.totals()[s] == best);
                    assert!(sum[won.expect("somebody won").index()] > 0.0);
                }
            }
            env.reset(None);
            assert_eq!(env.totals(), &BySeat([0; 4]));
            env.step(random(&env, &mut stream)).expect("a new match");
        }
    }
}

#[test]
fn reset_with_a_seed_repeats_the_episode() {
    let config = EnvConfig { episode: Episode::Deals(3), ..Default::default() };
    let mut env = Env::new(rules("iwwa"), config, 9);
    let start = format!("{:?}", env.state());
    let mut stream = Stream::new(4, Purpose::Action, 0);
    let mut deals = 1;
    loop {
        let step = env.step(random(&env, &mut stream)).expect("legal");
        if step.done {
            break;
        }
        deals += u32::from(step.deal_over);
    }
    assert_eq!(deals, 3);
    env.reset(Some(9));
    assert_eq!(format!("{:?}", env.state()), start);
}

/// Neighbours of the same suit in a deck.
fn clumps(deck: &[Card; 52]) -> usize {
    deck.windows(2).filter(|w| w[0].suit() == w[1].suit()).count()
}

#[test]
fn the_iwwa_deck_is_gathered_and_cut() {
    let rules = rules("iwwa");
    let deals = Deals::new(rules, 21);
    let mut stream = Stream::new(2, Purpose::Action, 0);
    let mut state = State::new(rules, &deals.shuffled(0, Seat::North));
    let (mut gathered, mut passed_out) = (0, 0);
    for n in 1..200u64 {
        while !state.is_done() {
            // Mostly passing, so that passed-out deals and low contracts come up.
            let legal = state.legal_actions();
            let pass = legal.has(Action::PASS) && stream.below(10) < 9;
            let pick = legal.draw(&mut stream).expect("some action");
            state.apply(if pass { Action::PASS } else { pick }).expect("legal");
        }
        passed_out += usize::from(state.is_passed_out());
        let deck = state.gathered();
        gathered += clumps(&deck);
        let dealer = state.dealer().next();
        let next = deals.after(n, dealer, &state);
        next.check(rules).expect("a deal");
        assert_dealt_from(&deck, &next);
        state = State::new(rules, &next);
    }
    assert!(passed_out > 10, "{passed_out}");
    // A shuffled deck has 12 such neighbours on average; gathered tricks follow suit.
    assert!(gathered > 199 * 16, "{gathered}");
}

/// Asserts that some legal cut of the deck, dealt 4-4-5 or 4-5-4, gives the deal.
fn assert_dealt_from(deck: &[Card; 52], deal: &troel_env::Deal) {
    let found = (4..=48).any(|cut| {
        let mut cards = *deck;
        cards.rotate_left(cut);
        [[4, 4, 5], [4, 5, 4]].into_iter().any(|packets| {
            troel_env::Deal::from_deck(&cards, deal.dealer, packets, rules("iwwa")) == *deal
        })
    });
    assert!(found, "{deal}");
}

#[test]
fn packed_and_dense_buffers_say_the_same() {
    for rules in RuleSet::all_built_in() {
        let n = 130;
        let config = EnvConfig { episode: Episode::Deals(2), ..EnvConfig::default() };
        let mut dense = VecEnv::new(rules, config, n, 5);
        let mut packed = VecEnv::new(rules, config, n, 5);
        let (mut arrays, mut slices) = (Arrays::new(n), PackedArrays::new(n));
        let mut deal_over = Array1::from_elem(n, true);
        let mut scores = Array2::from_elem((n, 4), 9);
        let mut full = Array2::from_elem((n, N_FULL_FEATURES), f32::NAN);
        let mut stream = Stream::new(8, Purpose::Action, 0);
        let mut ended = 0;
        for step in 0..150 {
            let actions: Vec<Action> =
                dense.envs().iter().map(|e| random(e, &mut stream)).collect();
            let actions = (step > 0).then_some(&actions[..]);
            let buffers = Buffers {
                deal_over: Some(deal_over.view_mut()),
                scores: Some(scores.view_mut()),
                full: Some(full.view_mut()),
                ..arrays.buffers()
            };
            let done = match actions {
                Some(actions) => dense.step(actions, buffers),
                None => dense.observe(buffers),
            };
            done.expect("legal");
            packed.step_packed(actions, slices.buffers()).expect("legal");
            for row in 0..n {
                let mut features = vec![f32::NAN; N_FEATURES];
                slices.observations[row].expand(&mut features);
                assert_eq!(arrays.observations.row(row).to_vec(), features);
                let mut mask = [false; N_ACTIONS];
                slices.legal[row].write_mask(&mut mask);
                assert_eq!(arrays.masks.row(row).to_vec(), mask);
                assert_eq!(usize::from(arrays.seats[row]), slices.seats[row].index());
                assert_eq!(arrays.rewards.row(row).to_vec(), slices.rewards[row].0);
                assert_eq!(arrays.dones[row], slices.dones[row]);
                assert_eq!(deal_over[row], slices.outcomes[row].is_some());
                let points = slices.outcomes[row].map_or([0; 4], |outcome| outcome.scores.0);
                assert_eq!(scores.row(row).to_vec(), points);
                let mut all = vec![f32::NAN; N_FULL_FEATURES];
                dense.envs()[row].observe_full().encode_full(&mut all);
                assert_eq!(full.row(row).to_vec(), all);
                ended += u32::from(deal_over[row] && !arrays.dones[row]);
            }
        }
        assert!(ended > 0, "deals end inside episodes");
    }
}

#[test]
fn packed_buffers_of_another_length_are_refused() {
    let mut venv = VecEnv::new(rules("wiezen"), EnvConfig::default(), 3, 1);
    let mut slices = PackedArrays::new(3);
    slices.seats.pop();
    let error = venv.step_packed(None, slices.buffers()).expect_err("two seats");
    assert!(matches!(error, VecEnvError::Shape { name: "seats", .. }), "{error}");
    let mut arrays = Arrays::new(3);
    let mut scores = Array2::zeros((3, 3));
    let buffers = Buffers { scores: Some(scores.view_mut()), ..arrays.buffers() };
    let error = venv.observe(buffers).expect_err("3 columns");
    assert!(matches!(error, VecEnvError::Shape { name: "scores", .. }), "{error}");
}

#[test]
fn vectorised_environments_start_again_with_a_seed() {
    let n = 70;
    let mut venv = VecEnv::new(rules("iwwa"), EnvConfig::default(), n, 4);
    let mut arrays = Arrays::new(n);
    let mut stream = Stream::new(8, Purpose::Action, 0);
    for _ in 0..60 {
        let actions: Vec<Action> = venv.envs().iter().map(|e| random(e, &mut stream)).collect();
        venv.step(&actions, arrays.buffers()).expect("legal");
    }
    venv.reset(Some(9));
    let fresh = VecEnv::new(rules("iwwa"), EnvConfig::default(), n, 9);
    assert_eq!(venv.envs(), fresh.envs());
    venv.reset(None);
    assert_ne!(venv.envs(), fresh.envs());
    assert!(venv.envs().iter().all(|env| env.state().history().is_empty()));
}

#[test]
fn a_step_tells_what_a_deal_came_to() {
    let config = EnvConfig { episode: Episode::Deals(5), ..EnvConfig::default() };
    for rules in RuleSet::all_built_in() {
        let mut env = Env::new(rules, config, 12);
        let mut stream = Stream::new(1, Purpose::Action, 0);
        let (mut totals, mut deals) = (BySeat::default(), 0);
        while !env.is_over() {
            let mut last = *env.state();
            let action = random(&env, &mut stream);
            last.apply(action).expect("legal");
            let step = env.step(action).expect("legal");
            assert_eq!(step.deal_over, step.outcome.is_some());
            let Some(outcome) = step.outcome else { continue };
            assert_eq!(Some(outcome.scores), last.scores());
            assert_eq!(outcome.contract.as_ref(), last.contract());
            assert_eq!(&outcome.tricks, last.tricks());
            assert_eq!(outcome.rewards, step.rewards);
            totals = BySeat::from_fn(|s| totals[s] + outcome.scores[s]);
            assert_eq!(outcome.totals, totals);
            deals += 1;
        }
        assert_eq!(deals, 5);
    }
}

#[test]
fn an_environment_goes_on_from_a_state() {
    for rules in RuleSet::all_built_in() {
        let mut state = State::new(rules, &Deals::new(rules, 77).shuffled(0, Seat::East));
        let mut stream = Stream::new(1, Purpose::Action, 0);
        for _ in 0..9 {
            let action = state.legal_actions().sample(&mut stream).expect("some");
            state.apply(action).expect("legal");
        }
        let config = EnvConfig { episode: Episode::Deals(2), ..EnvConfig::default() };
        let mut env = Env::from_state(state, config);
        assert!(*env.state() == state);
        assert_eq!(env.config(), config);
        let mut deals = 0;
        while !env.is_over() {
            let step = env.step(random(&env, &mut stream)).expect("legal");
            deals += u32::from(step.deal_over);
        }
        assert_eq!(deals, 2);
        // A deal that is over is followed by the next one.
        let done = *env.state();
        let next = Env::from_state(done, config);
        assert!(!next.is_over() && next.state().history().is_empty());
        assert_eq!(Some(*next.totals()), done.scores());
        assert!(Env::from_state(done, EnvConfig::default()).is_over());
    }
}
