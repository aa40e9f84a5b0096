//! `troel tables`.

use std::process::ExitCode;

use anyhow::ensure;
use serde_json::{Value, json};
use troel_agents::NamedBot;
use troel_eval::{DealRange, check_seeds, play_compositions};

use crate::commands::{self, groups};
use crate::output;
use crate::progress::Progress;

/// Seat two bots at tables in every composition: 1 + 3, 2 + 2 and 3 + 1
///
/// Every pair of bots, A and B, plays each deal in all 16 ways to seat the two. The tables show the
/// points per deal of a seat of A and of a seat of B in every composition, with 95 % intervals over
/// deals. If one strength per bot described the results, the lead of A would be the same at every
/// mixed table (exactly, if points add up to zero). With `--` between two groups, every bot of the
/// first plays with every bot of the second, and intervals are over training seeds and deals
/// together. Options come before the bots. docs/rating.md explains the tables.
///
/// Examples:
///   troel tables wiezen-v5 rules
///   troel tables --rules wiezen --deals 500 wiezen-v5 universal-v2 rules --json
///   troel tables runs/a/* -- runs/b/*
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Args {
    /// Bots, as for `troel eval`, or folders of runs: at least two, or those of the first group
    #[arg(required = true, num_args = 1..)]
    bots: Vec<String>,
    /// Bots of a second group, after `--`
    #[arg(last = true)]
    second: Vec<String>,
    #[command(flatten)]
    rules: commands::RulesArg,
    /// Number of deals that each pair plays, each at 16 tables, or a range: 500..1000 is deals 500
    /// to 999
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
    ensure!(
        !args.second.is_empty() || args.bots.len() > 1,
        "tables needs at least two bots, such as: troel tables wiezen-v5 rules"
    );
    let names: Vec<&str> = args.bots.iter().chain(&args.second).map(String::as_str).collect();
    groups::check_names(&names)?;
    let rules = commands::rules_for(args.rules.name(), &names)?;
    let (first, second) = (groups::bots(&args.bots, rules)?, groups::bots(&args.second, rules)?);
    if !second.is_empty() {
        check_seeds(&first)?;
        check_seeds(&second)?;
    }
    let seed = args.seed.number();
    let config = groups::duplicate_config(rules, args.deals, seed)?;
    let pairs: Vec<[&[NamedBot]; 2]> = if second.is_empty() {
        (0..first.len())
            .flat_map(|a| (a + 1..first.len()).map(move |b| (a, b)))
            .map(|(a, b)| [&first[a..=a], &first[b..=b]])
            .collect()
    } else {
        vec![[&first, &second]]
    };
    let deals = config.deals.len();
    let total: usize = pairs.iter().map(|[a, b]| a.len() * b.len()).sum();
    let progress = Progress::new(total as f64 * deals as f64, 0.0, "deals");
    if !args.json {
        let id = rules.id();
        output::line(&format!("{id} · {deals} deals per pair, each at 16 tables · seed {seed}"))?;
    }
    for [a, b] in pairs {
        let found = play_compositions(&config, a, b, &|deals| progress.add(deals))?;
        if args.json {
            let mut value: Value = serde_json::to_value(&found)?;
            value["rules"] = json!(rules.id());
            value["seed"] = json!(seed);
            value["deals"] = json!(deals);
            value["first"] = json!(groups::names(a));
            value["second"] = json!(groups::names(b));
            value["commit"] = json!(env!("TROEL_COMMIT"));
            output::line(&value.to_string())?;
        } else {
            output::text(&found.table([a, b]))?;
        }
    }
    progress.finish();
    Ok(ExitCode::SUCCESS)
}
