//! `troel compare`.

use std::process::ExitCode;

use troel_eval::{DealRange, SeedComparisonEvent, check_seeds, compare_groups};

use crate::commands::{self, groups};
use crate::output;
use crate::progress::Progress;

/// Compare two recipes by bots that were trained with several seeds
///
/// Every bot of the first group plays every bot of the second on the same deals: one seat against
/// three copies of it, and the other way round. The result is the mean of both directions. The 95 %
/// interval is over training seeds and deals together. With one training seed on a side there is no
/// interval, because bots of one recipe differ by a quarter of a point. Bots without a training
/// seed (rules, expert, programs) are fixed: they add no error. Each pair is also printed on
/// standard error when it is done, so an interruption does not lose it. Options come before the
/// bots.
///
/// Examples:
///   troel compare runs/a/* -- runs/b/*
///   troel compare --rules wiezen --deals 2000 runs/a/1 runs/a/2 -- runs/b/1 runs/b/2/bot
///   troel compare runs/a/* -- expert
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Args {
    /// Bots of the first recipe, as for `troel eval`, one per training seed
    #[arg(required = true, num_args = 1..)]
    first: Vec<String>,
    /// Bots of the second recipe, after `--`
    #[arg(last = true, required = true, num_args = 1..)]
    second: Vec<String>,
    #[command(flatten)]
    rules: commands::RulesArg,
    /// Number of deals that each pair plays, or a range: 500..1000 is deals 500 to 999
    #[arg(long, default_value = "1000", value_parser = commands::deal_range_at_once)]
    deals: DealRange,
    #[command(flatten)]
    seed: commands::DealSeed,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    threads: commands::Threads,
}

pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    args.threads.apply()?;
    let names: Vec<&str> = args.first.iter().chain(&args.second).map(String::as_str).collect();
    groups::check_names(&names)?;
    let rules = commands::rules_for(args.rules.name(), &names)?;
    let (first, second) = (groups::bots(&args.first, rules)?, groups::bots(&args.second, rules)?);
    check_seeds(&first)?;
    check_seeds(&second)?;
    let config = groups::duplicate_config(rules, args.deals, args.seed.number())?;
    let number = config.deals.len();
    let total = 2.0 * (first.len() * second.len()) as f64 * number as f64;
    let progress = Progress::new(total, 0.0, "deals");
    let watch = |event: SeedComparisonEvent<'_>| match event {
        SeedComparisonEvent::Deals(deals) => progress.add(deals),
        SeedComparisonEvent::Pair { first, second, mean } => progress.line(&format!(
            "{} over {}: {mean:+.3} points per deal in {number} deals",
            first.name(),
            second.name()
        )),
    };
    let found = compare_groups(&config, &first, &second, None, &watch)?;
    progress.finish();
    if args.json {
        output::line(&found.json(&config, [&first, &second]).to_string())?;
    } else {
        output::text(&found.report(&config, [&first, &second]))?;
    }
    Ok(ExitCode::SUCCESS)
}
