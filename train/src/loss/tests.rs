use troel_agents::network::Evaluator;
use troel_env::rng::{Purpose, Stream};
use troel_env::{Action, RuleSet};
use troel_nn::{NetworkConfig, Weights};

use super::*;
use crate::rollout::{CollectSettings, collect};
use crate::sample::TriedCall;

/// Returns samples of two deals of self-play.
fn samples() -> Vec<Sample> {
    let config = NetworkConfig { hidden: 8, blocks: 0, ..NetworkConfig::default() };
    let weights = Weights::init(config, 3);
    let rules = RuleSet::built_in("luxembourg").expect("rules");
    let evaluator = Evaluator::new(&weights);
    collect(&CollectSettings::self_play(rules, &evaluator, 0, 2)).expect("no bot fails").samples
}

/// Returns the log-softmax of these logits.
fn log_softmax(logits: &[f64]) -> Vec<f64> {
    let total: f64 = logits.iter().map(|x| x.exp()).sum();
    logits.iter().map(|x| x - total.ln()).collect()
}

/// Returns KL(π‖π_old) of two vectors of logits.
fn divergence(logits: &[f64], old: &[f64]) -> f64 {
    let (new, old) = (log_softmax(logits), log_softmax(old));
    new.iter().zip(&old).map(|(new, old)| new.exp() * (new - old)).sum()
}

/// A call with a positive advantage is raised even if it is improbable. A call with a negative
/// advantage is lowered only down to a small probability.
#[test]
fn vines_raise_improbable_calls() {
    let samples = samples();
    let objective =
        TrainingObjective::Ppo(PpoLoss { policy_coef: 0.0, vine_coef: 0.5, ..PpoLoss::default() });
    let sample =
        samples.iter().find(|s| s.is_call() && s.decision.input.legal.len() > 3).expect("one");
    let calls: Vec<Action> = sample.decision.input.legal.into_iter().collect();
    // The first call has nearly all of the probability and no advantage.
    let gradient = |logit: f32, reward: f32| {
        let tried = [(calls[0], 1.0), (calls[1], reward)];
        let vine = tried.map(|(call, reward)| TriedCall { call, reward }).to_vec();
        let mut sample = sample.clone();
        sample.targets.vine = vine;
        let mut logits = [0.0; N_ACTIONS];
        (logits[calls[0].index()], logits[calls[1].index()]) = (40.0, logit);
        differentiate(objective, 1.0, &sample, &mut logits, &mut 0.0);
        logits[calls[1].index()]
    };
    // A step goes against the gradient.
    assert!((gradient(0.0, 3.0) + 0.5 * 2.0).abs() < 1e-4);
    assert!(gradient(0.0, -3.0).abs() < 1e-4);
    assert!(gradient(39.0, -3.0) > 0.1 && gradient(39.0, 3.0) < -0.1);
}

/// The gradient of a lesson does not vanish for improbable calls.
#[test]
fn lessons_raise_improbable_calls() {
    let samples = samples();
    let objective = TrainingObjective::Ppo(PpoLoss {
        vf_coef: 0.0,
        policy_coef: 0.0,
        bid_lesson_coef: 0.5,
        ..PpoLoss::default()
    });
    let sample =
        samples.iter().find(|s| s.is_call() && s.decision.input.legal.len() > 3).expect("one");
    let calls: Vec<usize> = sample.decision.input.legal.into_iter().map(Action::index).collect();
    let mut sample = sample.clone();
    sample.targets.taught = sample.decision.input.legal.into_iter().skip(1).take(2).collect();
    for logit in [1.0, 20.0, 80.0, 300.0] {
        let mut logits = [0.0; N_ACTIONS];
        logits[calls[0]] = logit;
        let sums = differentiate(objective, 1.0, &sample, &mut logits, &mut 0.0);
        let others = calls.len() as f64 - 1.0;
        let wanted = (f64::from(logit).exp() + others).ln() - 2.0f64.ln();
        assert!((sums[LossTerm::TaughtLoss] - wanted).abs() < 1e-4 * wanted, "{logit}");
        let p = 1.0 / (f64::from(logit).exp() + others);
        for taught in [calls[1], calls[2]] {
            assert!((f64::from(logits[taught]) - 0.5 * (p - 0.5)).abs() < 1e-5, "{logit}");
        }
    }
}

/// Compares the mean gradient of the estimate with that of KL(π‖π_old), by differences. The mean is
/// over actions drawn from the old policy.
#[test]
fn the_estimate_of_the_divergence_has_its_gradient() {
    let samples = samples();
    let objective = TrainingObjective::Ppo(PpoLoss {
        clip_coef: 1e6,
        vf_coef: 0.0,
        kl_coef: 0.7,
        ..PpoLoss::default()
    });
    let mut stream = Stream::new(9, Purpose::Action, 0);
    let mut tried = 0;
    for sample in samples.iter().filter(|sample| sample.decision.input.legal.len() > 2).take(20) {
        let legal: Vec<usize> =
            sample.decision.input.legal.into_iter().map(Action::index).collect();
        let mut draw = || legal.iter().map(|_| f64::from(stream.unit()) * 3.0).collect();
        let (new, old): (Vec<f64>, Vec<f64>) = (draw(), draw());
        let mut mean = vec![0.0; N_ACTIONS];
        for (action, log_prob) in sample.decision.input.legal.into_iter().zip(log_softmax(&old)) {
            let mut sample = sample.clone();
            sample.decision.action = action;
            sample.decision.log_prob = log_prob as f32;
            sample.targets.advantage = 0.0;
            sample.targets.for_policy = true;
            let mut logits = [0.0; N_ACTIONS];
            legal.iter().zip(&new).for_each(|(&place, &x)| logits[place] = x as f32);
            differentiate(objective, 1.0, &sample, &mut logits, &mut 0.0);
            let weight = log_prob.exp();
            mean.iter_mut().zip(logits).for_each(|(sum, g)| *sum += weight * f64::from(g));
        }
        for (nth, &place) in legal.iter().enumerate() {
            let [above, below] = [1e-5, -1e-5].map(|step| {
                let mut moved = new.clone();
                moved[nth] += step;
                divergence(&moved, &old)
            });
            let wanted = 0.7 * (above - below) / 2e-5;
            assert!((mean[place] - wanted).abs() < 1e-4, "{} {wanted}", mean[place]);
            tried += usize::from(wanted.abs() > 0.01);
        }
    }
    assert!(tried > 20, "only {tried} gradients are not zero");
}
