//! `troel tables`.

use std::fmt::Write;
use std::process::ExitCode;

use anyhow::ensure;
use serde_json::{Value, json};
use troel_agents::NamedBot;
use troel_eval::{CompositionResults, Estimate, SeedComparison, play_compositions};

use crate::commands::{self, groups};
use crate::output;
use crate::progress::Progress;

/// Seat two bots at tables in every composition: 1 + 3, 2 + 2 and 3 + 1
///
/// Every pair of bots, A and B, plays each deal in all 16 ways to seat the two. The tables show the
/// points per deal of a seat of A and of a seat of B in every composition, with 95 % intervals over
/// deals. If one strength per bot described the results, the lead of A would be the same at every
/// mixed table (exactly so where points add up to zero). With `--` between two groups, every bot of
/// the first plays with every bot of the second, and intervals are over training seeds and deals
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
    /// Rule set, or path of a rule file [default: that of the trained bots, else luxembourg]
    #[arg(long)]
    rules: Option<String>,
    /// Number of deals that each pair plays, each at 16 tables, or a range: 500..1000 is deals 500
    /// to 999
    #[arg(long, default_value = "1000")]
    deals: String,
    /// Seed of the deals, which no training plays
    #[arg(long, default_value_t = 1, value_parser = commands::seed)]
    seed: u64,
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
        "tables needs two bots, such as: troel tables wiezen-v5 rules"
    );
    let names: Vec<&str> = args.bots.iter().chain(&args.second).map(String::as_str).collect();
    groups::check_names(&names)?;
    let rules = commands::rules_for(args.rules.as_deref(), &names)?;
    let (first, second) = (groups::bots(&args.bots, rules)?, groups::bots(&args.second, rules)?);
    if !second.is_empty() {
        groups::check_group(&first)?;
        groups::check_group(&second)?;
    }
    let config = groups::duplicate_config(rules, &args.deals, args.seed)?;
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
        let (id, seed) = (rules.id(), args.seed);
        output::line(&format!("{id} · {deals} deals a pair, each at 16 tables · seed {seed}"))?;
    }
    for [a, b] in pairs {
        let found = play_compositions(&config, a, b, &|deals| progress.add(deals))?;
        if args.json {
            let mut value: Value = serde_json::to_value(&found)?;
            value["rules"] = json!(rules.id());
            value["seed"] = json!(args.seed);
            value["deals"] = json!(deals);
            value["first"] = json!(groups::names(a));
            value["second"] = json!(groups::names(b));
            value["commit"] = json!(env!("TROEL_COMMIT"));
            output::line(&value.to_string())?;
        } else {
            output::text(&text(&found, [a, b]))?;
        }
    }
    progress.finish();
    Ok(ExitCode::SUCCESS)
}

/// Returns the mean with its interval: over seeds and deals if there are enough seeds, else deals.
fn estimate(found: &SeedComparison) -> Estimate {
    if found.half_width.is_some() { found.estimate() } else { found.estimate_over_deals() }
}

fn cell(found: &SeedComparison) -> String {
    estimate(found).text(2)
}

fn text(found: &CompositionResults, [first, second]: [&[NamedBot]; 2]) -> String {
    let names = |bots: &[NamedBot]| bots.iter().map(NamedBot::name).collect::<Vec<_>>().join(", ");
    let mut out = format!("\nA: {}\nB: {}\n", names(first), names(second));
    let _ = writeln!(
        out,
        "{:<20}  {:>15}  {:>15}  {:>15}",
        "table", "an A seat", "a B seat", "lead of A"
    );
    for at in found.compositions.iter().rev() {
        let cell = |of: &Option<SeedComparison>| of.as_ref().map(cell).unwrap_or_default();
        let row = format!(
            "{:<20}  {:>15}  {:>15}  {:>15}",
            at.composition.name(),
            cell(&at.a),
            cell(&at.b),
            cell(&at.lead)
        );
        let _ = writeln!(out, "{}", row.trim_end());
    }
    let [a, b] = &found.gain_alone;
    let _ = writeln!(out, "one A among three B gains  {:>15}", cell(a));
    let _ = writeln!(out, "one B among three A gains  {:>15}", cell(b));
    let verdict = match estimate(&found.lead_change).interval() {
        change if change.low > 0.0 => "each does better as the stranger",
        change if change.high < 0.0 => "each does worse as the stranger",
        _ => "not significant",
    };
    let _ = writeln!(
        out,
        "lead of A changes by       {:>15}  from 3 A + 1 B to 1 A + 3 B: {verdict}",
        cell(&found.lead_change)
    );
    let (seeds, seedless) = (found.lead_change.seeds, found.lead_change.seedless);
    let _ = match (seeds, found.lead_change.half_width) {
        _ if seedless == [true; 2] => writeln!(out, "95 % over deals"),
        ([1, 1], _) => writeln!(out, "95 % over deals; these bots, not their recipes"),
        (_, None) => writeln!(
            out,
            "95 % over deals alone: one training seed on a side is no finding about the recipes"
        ),
        _ => {
            let side = |nth| groups::side(&found.lead_change, nth);
            writeln!(out, "95 % over deals and training seeds: {} against {}", side(0), side(1))
        }
    };
    let forfeits = found.forfeits;
    for (bots, lost) in [(first, forfeits.challenger), (second, forfeits.baseline)] {
        if lost > 0 {
            let _ = writeln!(out, "{} forfeited {lost} deals", names(bots));
        }
    }
    out
}
