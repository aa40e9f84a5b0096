//! `troel compare`.

use std::process::ExitCode;

use anyhow::ensure;
use troel_agents::NamedBot;
use troel_eval::{DealRange, SeedComparisonEvent, check_seeds, compare_groups, compare_pairs};

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
/// --paired is for runs that continue from the same bot in pairs. A strong start makes both bots of
/// a pair strong, so only the two play each other, and the interval is over pairs and deals.
///
/// Examples:
///   troel compare runs/a/* -- runs/b/*
///   troel compare --rules wiezen --deals 2000 runs/a/1 runs/a/2 -- runs/b/1 runs/b/2/bot
///   troel compare runs/a/* -- expert
///   troel compare --paired runs/a/1 runs/a/2 -- runs/b/1 runs/b/2
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Args {
    /// Bots of the first recipe, as for `troel eval`, one per training seed
    #[arg(required = true, num_args = 1..)]
    first: Vec<String>,
    /// Bots of the second recipe, after `--`
    #[arg(last = true, required = true, num_args = 1..)]
    second: Vec<String>,
    /// Play the nth bot of the first recipe only against the nth of the second, which continued
    /// from the same bot
    #[arg(long)]
    paired: bool,
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
    if args.paired {
        check_pairs(&first, &second)?;
    }
    let pairs = if args.paired { first.len() } else { first.len() * second.len() };
    let total = 2.0 * pairs as f64 * number as f64;
    let progress = Progress::new(total, 0.0, "deals");
    let watch = |event: SeedComparisonEvent<'_>| match event {
        SeedComparisonEvent::Deals(deals) => progress.add(deals),
        SeedComparisonEvent::Pair { first, second, mean } => progress.line(&format!(
            "{} over {}: {mean:+.3} points per deal in {number} deals",
            first.name(),
            second.name()
        )),
    };
    let groups = [&first[..], &second[..]];
    let (json, report) = if args.paired {
        let found = compare_pairs(&config, &first, &second, &watch)?;
        (found.json(&config, groups), found.report(&config, groups))
    } else {
        let found = compare_groups(&config, &first, &second, None, &watch)?;
        (found.json(&config, groups), found.report(&config, groups))
    };
    progress.finish();
    if args.json {
        output::line(&json.to_string())?;
    } else {
        output::text(&report)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Checks that each bot is trained and has its pair.
fn check_pairs(first: &[NamedBot], second: &[NamedBot]) -> anyhow::Result<()> {
    ensure!(
        first.len() == second.len(),
        "--paired: {} before `--` and {} after it; name one of each for every start",
        first.len(),
        second.len()
    );
    let fixed = first.iter().chain(second).find(|bot| bot.training().is_none());
    ensure!(
        fixed.is_none(),
        "--paired: {} has no training seed; leave --paired out to compare with it",
        fixed.map_or("", NamedBot::name)
    );
    Ok(())
}
