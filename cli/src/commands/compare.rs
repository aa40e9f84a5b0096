//! `troel compare`.

use std::fmt::Write;
use std::process::ExitCode;

use serde_json::json;
use troel_agents::NamedBot;
use troel_eval::{SeedComparison, SeedComparisonEvent, column_width, compare_groups};

use crate::commands::{self, groups};
use crate::output;
use crate::progress::Progress;

/// Compare two recipes by bots that were trained with several seeds
///
/// Every bot of the first group plays every bot of the second on the same deals: one seat against
/// three copies of it, and the other way round; the result is the mean of both directions. The 95 %
/// interval is over training seeds and deals together. With one training seed on a side there is
/// none: bots of one recipe differ by a quarter of a point. Bots without a training seed (rules,
/// expert, programs) are fixed: they count as exact. Each pair is also printed on standard error
/// when it is done, so that an interruption does not lose it. Options come before the bots.
///
/// Examples:
///   troel compare runs/a/* -- runs/b/*
///   troel compare --rules wiezen --deals 2000 runs/a/1 runs/a/2 -- runs/b/1 runs/b/2/bot
///   troel compare runs/a/* -- expert
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Args {
    /// Bots of the first recipe, one per training seed: names, or folders of bots or runs
    #[arg(required = true, num_args = 1..)]
    first: Vec<String>,
    /// Bots of the second recipe, after `--`
    #[arg(last = true, required = true, num_args = 1..)]
    second: Vec<String>,
    /// Rule set, or path of a rule file [default: that of the trained bots, else luxembourg]
    #[arg(long)]
    rules: Option<String>,
    /// Number of deals that each pair plays, or a range: 500..1000 is deals 500 to 999
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
    let names: Vec<&str> = args.first.iter().chain(&args.second).map(String::as_str).collect();
    groups::check_names(&names)?;
    let rules = commands::rules_for(args.rules.as_deref(), &names)?;
    let (first, second) = (groups::bots(&args.first, rules)?, groups::bots(&args.second, rules)?);
    groups::check_group(&first)?;
    groups::check_group(&second)?;
    let config = groups::duplicate_config(rules, &args.deals, args.seed)?;
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
    let found = compare_groups(&config, &first, &second, &watch)?;
    progress.finish();
    if args.json {
        let mut value = serde_json::to_value(&found)?;
        value["rules"] = json!(rules.id());
        value["seed"] = json!(args.seed);
        value["first"] = json!(groups::names(&first));
        value["second"] = json!(groups::names(&second));
        output::line(&value.to_string())?;
    } else {
        let head = format!("{} · {number} deals a pair · seed {}", rules.id(), args.seed);
        output::text(&text(&head, &found, [&first, &second]))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn text(head: &str, found: &SeedComparison, bots: [&[NamedBot]; 2]) -> String {
    let mut out =
        format!("{head} · {} against {}\n", groups::side(found, 0), groups::side(found, 1));
    let _ = write!(out, "first over second: {:+.3} points per deal", found.mean);
    let over = if found.seedless == [true; 2] { "deals" } else { "seeds and deals" };
    let margin = found.estimate().margin();
    if found.half_width.is_some() && margin.is_none() {
        let _ = writeln!(out, " (no interval: neither bots nor deals differed)");
    } else if let Some(((half, detectable), degrees)) =
        margin.zip(found.detectable).zip(found.degrees)
    {
        let mark = if found.is_significant() == Some(true) { "" } else { ", not significant" };
        let _ = writeln!(out, " ± {half:.3} (95 % over {over}{mark})");
        let error = |nth: usize, name: &str| {
            if found.seedless[nth] {
                format!("none from the {name} bot, which has no training seed")
            } else {
                let error = found.standard_errors[nth].unwrap_or_default();
                format!("{error:.3} from the {name} seeds")
            }
        };
        let deals = found.standard_errors[2].unwrap_or_default();
        let _ = writeln!(
            out,
            "standard errors: {}, {}, {deals:.3} from the deals; {degrees:.1} degrees of freedom",
            error(0, "first"),
            error(1, "second")
        );
        let _ = writeln!(
            out,
            "a true difference of {detectable:.3} would be detected with probability 0.8"
        );
    } else {
        let _ = match found.estimate_over_deals().margin() {
            Some(half) => writeln!(out, " ± {half:.3} (95 % over deals alone)"),
            None => writeln!(out, " (no interval: no deal differed)"),
        };
        let _ = writeln!(
            out,
            "no finding about the recipes: one training seed on a side; train more with other seeds"
        );
    }
    out.push('\n');
    let width = column_width(bots[0].iter().map(NamedBot::name), 0);
    for (bot, row) in bots[0].iter().zip(&found.pairs) {
        let cells: String = row.iter().map(|mean| format!("  {mean:+.3}")).collect();
        let _ = writeln!(out, "{:<width$}{cells}", bot.name());
    }
    let columns: Vec<&str> = bots[1].iter().map(NamedBot::name).collect();
    let _ = writeln!(out, "columns: {}", columns.join(", "));
    out
}
