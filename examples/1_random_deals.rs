//! Step 1: deals played at random, with an environment.

use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::SeedableRng;
use troel_env::{Env, EnvConfig, Episode, RuleSet};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let rules = RuleSet::built_in("luxembourg").ok_or("luxembourg is built in")?;
    // An episode of three deals; all draws come from seeds, so every run prints the same.
    let config = EnvConfig { episode: Episode::Deals(3), ..EnvConfig::default() };
    let mut env = Env::new(rules, config, 42);
    let mut rng = Pcg64Mcg::seed_from_u64(1);
    while !env.is_over() {
        // The observation holds only facts that the seat to act may know. A bot sees nothing else.
        let observation = env.observe();
        let action = env.legal_actions().sample(&mut rng).ok_or("some action is legal")?;
        let phase = observation.public().phase().name();
        println!("{} {phase:8} {action}", observation.seat().letter());
        let step = env.step(action)?;
        if step.deal_over {
            println!("rewards N E S W: {:?}, match points {:?}\n", step.rewards.0, env.totals().0);
        }
    }
    Ok(())
}
