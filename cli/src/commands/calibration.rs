//! `troel calibration`.

use std::process::ExitCode;

use anyhow::ensure;
use troel_agents::network::Evaluator;
use troel_agents::search::Beliefs;
use troel_agents::{NamedBot, RegistryError, registry};
use troel_eval::{CalibrationSettings, DealRange, measure_calibration};

use crate::commands;
use crate::output;
use crate::progress::Progress;

/// Compare predictions of bots with outcomes
///
/// Each bot plays all four seats of the same evaluation deals. The first part judges its values:
/// the points that it predicts at a decision, compared with the points that the seat then scores in
/// the deal. It shows the mean error, the slope of achieved on predicted points (1 is calibrated),
/// the share of the variance that the values explain, the calibration error (root mean square over
/// deciles of the prediction, noise subtracted), and the deciles. Bots without values, such as
/// expert, have only the second part.
///
/// The second part judges sampled worlds: the probability that they give to the true holder of each
/// unseen card, and its log score in bits. Worlds of a trained bot are weighted by its own policy,
/// as search:BOT weights them; those of other bots by calls, as expert and pimc weight them. For
/// comparison, it shows the probabilities by the numbers of cards and shown voids alone, and those
/// of equally likely worlds that the record allows. A log score from N sampled worlds is too high
/// by about 1.5 / N bits, more if their weights differ. Raise --worlds to reduce this bias.
///
/// Intervals are 95 % confidence intervals, clustered by deal.
///
/// Examples:
///   troel calibration luxembourg-v5 expert --deals 2000
///   troel calibration iwwa-v5 --positions 1000 --worlds 256 --json
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Args {
    /// Bots, as for `troel eval`
    #[arg(required = true, num_args = 1..)]
    bots: Vec<String>,
    #[command(flatten)]
    rules: commands::RulesArg,
    /// Number of deals, or a range: 500..1000 is deals 500 to 999
    #[arg(long, default_value = "1000", value_parser = commands::deal_range_at_once)]
    deals: DealRange,
    /// Number of deals from which one call and one card are drawn to judge the sampled worlds; at
    /// most --deals
    #[arg(long, default_value_t = 200, value_parser = commands::number::<u64>(0..=1_000_000))]
    positions: u64,
    /// Number of worlds to sample in each of these positions
    #[arg(long, default_value_t = 128, value_parser = commands::number::<u32>(1..=10_000))]
    worlds: u32,
    /// Seed of the evaluation deals (training never plays them), of the positions and of the worlds
    #[arg(long, default_value_t = 1, value_parser = commands::seed)]
    seed: u64,
    /// Print JSON, an object per bot
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    threads: commands::Threads,
}

/// Maximum number of deals: every decision of all of them is kept until the end.
const MAX_DEALS: u64 = 200_000;

pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    args.threads.apply()?;
    let names: Vec<&str> = args.bots.iter().map(String::as_str).collect();
    let rules = commands::rules_for(args.rules.name(), &names)?;
    let deals = args.deals;
    let number = deals.len();
    ensure!(
        number <= MAX_DEALS,
        "--deals {:?}: at most {MAX_DEALS} deals at a time, because they are kept in memory",
        commands::deals_text(deals)
    );
    let settings = CalibrationSettings {
        rules,
        deals,
        positions: args.positions.min(number),
        worlds: args.worlds as usize,
        seed: args.seed,
    };
    let bots = names.iter().map(|name| Ok((NamedBot::find(name, rules)?, beliefs(name)?)));
    let bots: Vec<(NamedBot, Beliefs)> = bots.collect::<Result<_, RegistryError>>()?;
    let progress = Progress::of_kinds(&vec![number as f64; bots.len()], "deals");
    let mut found = Vec::new();
    for (kind, (bot, beliefs)) in bots.iter().enumerate() {
        progress.begin(kind, bot.name().to_string());
        let add = |deals| progress.add(deals);
        found.push(measure_calibration(&settings, bot, beliefs, &add)?);
    }
    progress.finish();
    for (nth, found) in found.iter().enumerate() {
        if args.json {
            output::line(&serde_json::to_string(found)?)?;
        } else {
            let before = if nth == 0 { "" } else { "\n" };
            output::text(&format!("{before}{}", found.table()))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the weighting of the worlds of a bot: by its network, or by calls if it has none.
fn beliefs(name: &str) -> Result<Beliefs, RegistryError> {
    Ok(match registry::find_bundle_of_bot(name)? {
        Some((path, trained)) => Beliefs::Network(Evaluator::of_trained(&path, &trained)?),
        None => Beliefs::Calls,
    })
}
