//! Step 3: training and evaluation of a bot in twenty lines. It takes about half a minute on two
//! cores.

use std::sync::Arc;

use troel_agents::Registry;
use troel_train::{Event, Provenance, SingleProcess, TrainConfig, Trainer};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::temp_dir().join("troel-step-3");
    // A run is never overwritten; this one may be.
    let _ = std::fs::remove_dir_all(&folder);
    let recipe = format!(
        "rules = 'wiezen'\nrun = {folder:?}\nimitation = {{ bot = 'rules', iterations = 20 }}\niterations = 20\n\
         deals = 1024\n[ppo]\nlearning_rate = 3e-4\nent_coef = 0.002\n[eval]\nevery = 10\n"
    );
    let config = TrainConfig::parse(&recipe)?;
    let alone = Arc::new(SingleProcess);
    let mut trainer = Trainer::start(config, Provenance::default(), Registry::default(), alone)?;
    trainer.train(u64::MAX, |event| match event {
        Event::Iteration(report) => {
            println!("{:3}: {:+.2} points per deal", report.iteration, report.points)
        }
        Event::Evaluation(e) => {
            println!("{:+.2} ± {:.2} beyond {}", e.points, e.half_width, e.baseline)
        }
        Event::Problems(p) => println!("{:.0} % of {} solved", 100.0 * p.solved, p.suite),
    })?;
    print!("{}", trainer.evaluate(500, &["rules".into(), "random".into()], &|_| {})?.table());
    println!("the bot is in {}", trainer.save_bot()?.display());
    Ok(())
}
