//! Observations per second through the policy network, encoding included, by batch size; and
//! decisions per second of the heuristic bot.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use troel_agents::network::{ActionSelection, Evaluator};
use troel_agents::{Bot, DecisionDetail, Heuristic, NetworkBot};
use troel_env::rng::{Purpose, Stream};
use troel_env::{BySeat, Deals, Observation, RuleSet, Seat, State};
use troel_nn::{NetworkConfig, Weights};

/// Observations from random play, with a choice to make.
fn observations(n: usize) -> Vec<Observation> {
    let rules = RuleSet::built_in("luxembourg").expect("built in");
    let mut stream = Stream::new(1, Purpose::Action, 0);
    let mut found = Vec::new();
    for deal in 0.. {
        let mut state = State::new(rules, &Deals::new(rules, 1).shuffled(deal, Seat::North));
        while !state.is_done() {
            let legal = state.legal_actions();
            if legal.len() > 1 {
                found.push(state.observe(state.turn(), BySeat::default()));
                if found.len() == n {
                    return found;
                }
            }
            let action = legal.draw(&mut stream).expect("some action");
            state.apply_unchecked(action);
        }
    }
    found
}

fn inference(c: &mut Criterion) {
    let weights = Weights::init(NetworkConfig::default(), 1);
    let mut bot =
        NetworkBot::new(Evaluator::new(&weights), ActionSelection::MostProbable, Some(1.0));
    let mut group = c.benchmark_group("infer");
    for n in [1, 16, 256, 4096] {
        let observations = observations(n);
        group.throughput(Throughput::Elements(n as u64));
        group.bench_function(BenchmarkId::from_parameter(n), |b| {
            b.iter(|| bot.decide(&observations, DecisionDetail::Action));
        });
    }
    group.finish();
    let observations = observations(4096);
    let mut group = c.benchmark_group("rules");
    group.throughput(Throughput::Elements(observations.len() as u64));
    group.bench_function("act", |b| {
        b.iter(|| Heuristic.decide(&observations, DecisionDetail::Action))
    });
}

criterion_group!(benches, inference);
criterion_main!(benches);
