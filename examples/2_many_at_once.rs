//! Step 2: a thousand environments that step together and write into your arrays.

use ndarray::{Array1, Array2};
use rand::RngExt;
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::SeedableRng;
use troel_env::vec_env::Buffers;
use troel_env::{Action, EnvConfig, N_ACTIONS, N_FEATURES, RuleSet, VecEnv};

const N: usize = 1000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let rules = RuleSet::built_in("wiezen").ok_or("wiezen is built in")?;
    let mut env = VecEnv::new(rules, EnvConfig::default(), N, 42);
    let mut observations = Array2::<f32>::zeros((N, N_FEATURES));
    let mut masks = Array2::from_elem((N, N_ACTIONS), false);
    let (mut seats, mut dones) = (Array1::<u8>::zeros(N), Array1::from_elem(N, false));
    let mut rewards = Array2::<f32>::zeros((N, 4));
    let mut buffers = Buffers {
        observations: observations.view_mut(),
        masks: masks.view_mut(),
        seats: seats.view_mut(),
        rewards: rewards.view_mut(),
        dones: dones.view_mut(),
    };
    env.observe(&mut buffers)?;
    let mut rng = Pcg64Mcg::seed_from_u64(1);
    let (mut deals, mut points) = (0u32, [0.0f32; 4]);
    for _ in 0..200 {
        // A policy would look at the observations; this one draws from the masks.
        let draw = |mask: ndarray::ArrayView1<'_, bool>| {
            let legal: Vec<usize> = (0..N_ACTIONS).filter(|&a| mask[a]).collect();
            Action::from_index(legal[rng.random_range(0..legal.len())])
        };
        let actions: Option<Vec<Action>> = buffers.masks.outer_iter().map(draw).collect();
        env.step(&actions.ok_or("masks hold actions")?, &mut buffers)?;
        for (done, rewards) in buffers.dones.iter().zip(buffers.rewards.outer_iter()) {
            deals += u32::from(*done);
            points.iter_mut().zip(rewards).for_each(|(sum, reward)| *sum += reward);
        }
    }
    println!("{} decisions, {deals} deals, points N E S W {points:?}", 200 * N);
    Ok(())
}
