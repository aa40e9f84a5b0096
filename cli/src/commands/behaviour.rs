//! `troel behaviour`.

use std::process::ExitCode;

use troel_agents::NamedBot;
use troel_eval::{Behaviour, DealRange, deals_with_unit, measure_behaviour};

use crate::commands;
use crate::output;
use crate::progress::Progress;

/// Show the bids, results and leads of bots side by side
///
/// Each bot plays all four seats of the same evaluation deals. For every contract, the sheet shows
/// the share of the deals, the share that was made (the bot declares and defends), the declarer's
/// mean points, and the positions of declarers: 1 is left of the dealer, 4 is the dealer. Next is
/// the share of misères and piccolos that were beaten, among those that could be beaten with all
/// hands visible (if the solver needs at most 200,000 positions). Then come the opening leads of
/// trick contracts. The last rows are the shares of hands that propose, and of those that go along
/// with a proposal. Columns are high-card points: 0–3, 4–7, 8–11, 12–15, 16 or more (ace 4, king 3,
/// queen 2, jack 1).
///
/// Example: troel behaviour luxembourg-v5 expert --rules luxembourg --deals 2000
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
    #[command(flatten)]
    seed: commands::DealSeed,
    /// Scenario of the deals: any, aces, low-cards, near-slam, or a contract that suits some hand
    #[arg(long, default_value = "any")]
    scenario: String,
    /// Print a JSON object, keyed by bot
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    threads: commands::Threads,
}

pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    args.threads.apply()?;
    let names: Vec<&str> = args.bots.iter().map(String::as_str).collect();
    let rules = commands::rules_for(args.rules.name(), &names)?;
    let bots =
        args.bots.iter().map(|name| NamedBot::find(name, rules)).collect::<Result<Vec<_>, _>>()?;
    let scenario = commands::scenario(&args.scenario, rules)?;
    let (range, seed) = (args.deals, args.seed.number());
    let progress = Progress::of_kinds(&vec![range.len() as f64; bots.len()], "deals");
    let mut sheets = Vec::new();
    for (kind, bot) in bots.iter().enumerate() {
        progress.begin(kind, bot.name().to_string());
        let add = |deals| progress.add(deals);
        let sheet = measure_behaviour(rules, bot, scenario, range, seed, &add)?;
        sheets.push((bot.name().to_string(), sheet));
    }
    progress.finish();
    if args.json {
        let sheets: serde_json::Map<_, _> = sheets
            .into_iter()
            .map(|(name, sheet)| (name, sheet.json(rules, &args.scenario, range, seed)))
            .collect();
        output::line(&serde_json::Value::Object(sheets).to_string())?;
    } else {
        output::line(&format!(
            "{} · {} ({}) · seed {seed}",
            rules.id(),
            deals_with_unit(range.len()),
            args.scenario
        ))?;
        output::text(&Behaviour::table(&sheets))?;
    }
    Ok(ExitCode::SUCCESS)
}
