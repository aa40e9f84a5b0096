//! Step 2: a thousand environments that step together and write into your arrays.

use rand::RngExt;
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::SeedableRng;
use troel_env::{Action, Arrays, EnvConfig, N_ACTIONS, RuleSet, VecEnv};

const N: usize = 1000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let rules = RuleSet::built_in("wiezen").ok_or("wiezen is built in")?;
    let mut env = VecEnv::new(rules, EnvConfig::default(), N, 42);
    // Views of your own arrays work, too: `Buffers { observations: mine.view_mut(), … }`.
    let mut arrays = Arrays::new(N);
    env.observe(arrays.buffers())?;
    let mut rng = Pcg64Mcg::seed_from_u64(1);
    let (mut deals, mut points) = (0u32, [0.0f32; 4]);
    for _ in 0..200 {
        // A policy would look at the observations; this one draws from the masks.
        let draw = |mask: ndarray::ArrayView1<'_, bool>| {
            let legal: Vec<usize> = (0..N_ACTIONS).filter(|&a| mask[a]).collect();
            Action::from_index(legal[rng.random_range(0..legal.len())])
        };
        let actions: Option<Vec<Action>> = arrays.masks.outer_iter().map(draw).collect();
        env.step(&actions.ok_or("masks hold actions")?, arrays.buffers())?;
        for (done, rewards) in arrays.dones.iter().zip(arrays.rewards.outer_iter()) {
            deals += u32::from(*done);
            points.iter_mut().zip(rewards).for_each(|(sum, reward)| *sum += reward);
        }
    }
    println!("{} decisions, {deals} deals, points N E S W {points:?}", 200 * N);
    Ok(())
}
