//! Decisions per second of random legal play through whole deals, dealing included: bare, with
//! observation, features and mask, and vectorised with dense and with packed observations.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use troel_env::rng::{Purpose, Stream};
use troel_env::{
    Action, Arrays, BySeat, Deals, EnvConfig, N_FEATURES, PackedArrays, PackedBuffers, RuleSet,
    Seat, State, VecEnv,
};

/// Plays deals at random until `decisions` are taken.
fn play(rules: &'static RuleSet, decisions: u64, mut visit: impl FnMut(&State)) {
    let deals = Deals::new(rules, 1);
    let mut stream = Stream::new(1, Purpose::Action, 0);
    let (mut taken, mut n) = (0, 0);
    while taken < decisions {
        let mut state =
            State::new(rules, &deals.shuffled(n, Seat::from_index_wrapping(n as usize)));
        n += 1;
        while !state.is_done() {
            visit(&state);
            let legal = state.legal_actions();
            if let Some(action) = legal.draw(&mut stream) {
                state.apply_unchecked(action);
            }
            taken += 1;
        }
    }
}

const DECISIONS: u64 = 100_000;

fn bare(c: &mut Criterion) {
    let mut group = c.benchmark_group("bare");
    group.throughput(Throughput::Elements(DECISIONS));
    for rules in RuleSet::all_built_in() {
        group.bench_function(BenchmarkId::from_parameter(rules.id()), |b| {
            b.iter(|| {
                play(rules, DECISIONS, |state| {
                    black_box(state.turn());
                });
            });
        });
    }
}

fn features(c: &mut Criterion) {
    let mut group = c.benchmark_group("features");
    group.throughput(Throughput::Elements(DECISIONS));
    let mut buffer = vec![0.0; N_FEATURES];
    let totals = BySeat::default();
    for rules in RuleSet::all_built_in() {
        group.bench_function(BenchmarkId::from_parameter(rules.id()), |b| {
            b.iter(|| {
                play(rules, DECISIONS, |state| {
                    state.observe_ref(state.turn(), &totals).encode(&mut buffer);
                    black_box(&buffer);
                });
            });
        });
    }
}

fn vec_env(c: &mut Criterion) {
    let mut group = c.benchmark_group("vec-env");
    let rules = RuleSet::built_in("luxembourg").expect("built in");
    for n in [1, 64, 1024, 4096, 16384] {
        let mut env = VecEnv::new(rules, EnvConfig::default(), n, 1);
        let mut arrays = Arrays::new(n);
        let mut stream = Stream::new(1, Purpose::Action, 1);
        let mut actions = vec![Action::PASS; n];
        group.throughput(Throughput::Elements(n as u64));
        group.bench_function(BenchmarkId::from_parameter(n), |b| {
            b.iter(|| {
                for (action, env) in actions.iter_mut().zip(env.envs()) {
                    let legal = env.legal_actions();
                    *action = legal.draw(&mut stream).expect("never over");
                }
                env.step(&actions, arrays.buffers()).expect("legal");
            });
        });
    }
}

/// The same with observations in packed form, and packed with every row expanded.
fn vec_env_packed(c: &mut Criterion) {
    let rules = RuleSet::built_in("luxembourg").expect("built in");
    for (name, expand) in [("vec-env-packed", false), ("vec-env-packed-expanded", true)] {
        let mut group = c.benchmark_group(name);
        for n in [1, 64, 1024, 4096, 16384] {
            let mut env = VecEnv::new(rules, EnvConfig::default(), n, 1);
            let mut arrays = PackedArrays::new(n);
            let mut dense = vec![0.0; N_FEATURES];
            env.step_packed(None, arrays.buffers()).expect("lengths fit");
            let mut stream = Stream::new(1, Purpose::Action, 1);
            let mut actions = vec![Action::PASS; n];
            group.throughput(Throughput::Elements(n as u64));
            group.bench_function(BenchmarkId::from_parameter(n), |b| {
                b.iter(|| {
                    for (action, legal) in actions.iter_mut().zip(&arrays.legal) {
                        *action = legal.draw(&mut stream).expect("never over");
                    }
                    let buffers = PackedBuffers { outcomes: None, ..arrays.buffers() };
                    env.step_packed(Some(&actions), buffers).expect("legal");
                    if expand {
                        for packed in &arrays.observations {
                            packed.expand(&mut dense);
                            black_box(&dense);
                        }
                    }
                });
            });
        }
    }
}

fn fingerprints(c: &mut Criterion) {
    let mut group = c.benchmark_group("fingerprint");
    group.throughput(Throughput::Elements(DECISIONS));
    let rules = RuleSet::built_in("luxembourg").expect("built in");
    let totals = BySeat::default();
    for fingerprint in [false, true] {
        let name = if fingerprint { "observation and fingerprint" } else { "observation" };
        group.bench_function(name, |b| {
            b.iter(|| {
                play(rules, DECISIONS, |state| {
                    let obs = state.observe(state.turn(), totals);
                    black_box(if fingerprint { obs.fingerprint() } else { obs.hand().0 });
                });
            });
        });
    }
}

criterion_group!(benches, bare, features, vec_env, vec_env_packed, fingerprints);
criterion_main!(benches);
