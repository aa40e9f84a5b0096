//! `troel corpus make` and `troel corpus judge`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Subcommand;
use troel_agents::NamedBot;
use troel_eval::DealRange;
use troel_eval::corpus::{self, CorpusInfo, DealsDone, DecisionLosses};

use crate::commands;
use crate::output;
use crate::progress::Progress;

/// Store searched positions, and judge bots by them
///
/// A corpus is a folder of shards that NumPy reads (safetensors; the tensors are documented at
/// `troel_eval::corpus`). It holds positions that a bot reached. Each legal action has its expected
/// points and their spread in two independent sets of sampled worlds.
///
/// Examples:
///   troel corpus make runs/positions --rules wiezen --deals 500 --worlds 50
///   troel corpus judge runs/positions wiezen-v5 runs/wiezen/bot rules
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Args {
    #[command(subcommand)]
    command: CorpusCommand,
}

#[derive(Subcommand)]
enum CorpusCommand {
    Make(MakeArgs),
    Judge(JudgeArgs),
}

/// Let a bot play all seats, choose positions at random and search them
///
/// Shards already in DIR are kept, so an interrupted command continues where it stopped. DIR may
/// also hold shards of other deals that were made on another machine.
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
struct MakeArgs {
    /// Folder of the corpus
    dir: PathBuf,
    /// Rule set, or path of a rule file [default: that of a trained --player, else luxembourg]
    #[arg(long)]
    rules: Option<String>,
    /// Number of deals, or a range: 500..1000 is deals 500 to 999
    #[arg(long, default_value = "500", value_parser = commands::deal_range_at_once)]
    deals: DealRange,
    /// Bot that plays, as for `troel eval`
    #[arg(long, default_value = "expert")]
    player: String,
    /// Number of worlds in each of the two sets
    #[arg(long, default_value_t = 50, value_parser = commands::number::<u32>(1..=100_000))]
    worlds: u32,
    /// Maximum number of calls, and of other decisions, of each deal
    #[arg(long, default_value_t = 2, value_parser = commands::number::<u32>(1..=1000))]
    per_deal: u32,
    /// Seed of the evaluation deals (training never plays them), of the choice of positions and of
    /// the worlds
    #[arg(long, default_value_t = 1, value_parser = commands::seed)]
    seed: u64,
    /// Also store the features that a network sees (6.8 kB per position)
    #[arg(long)]
    features: bool,
    #[command(flatten)]
    threads: commands::Threads,
}

/// Measure the points per decision that bots give away, for calls and for cards
///
/// One set of worlds chooses the best action, the other values it. Below zero, the bot chooses
/// better than the search. Intervals are 95 %, clustered by deal (by series of deals from one
/// deck).
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
struct JudgeArgs {
    /// Folder of a corpus
    dir: PathBuf,
    /// Bots, as for `troel eval`; the others are also compared with the first
    #[arg(required = true, num_args = 1..)]
    bots: Vec<String>,
    /// Path of the rule file, if the rules of the corpus are not built in
    #[arg(long)]
    rules: Option<String>,
    /// Seed of the bots' random draws
    #[arg(long, default_value_t = 1, value_parser = commands::seed)]
    seed: u64,
    /// Print JSON, an object for each bot
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    threads: commands::Threads,
}

pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    match &args.command {
        CorpusCommand::Make(args) => make(args),
        CorpusCommand::Judge(args) => judge(args),
    }
}

fn make(args: &MakeArgs) -> anyhow::Result<ExitCode> {
    args.threads.apply()?;
    let rules = commands::rules_for(args.rules.as_deref(), &[&args.player])?;
    let player = NamedBot::find(&args.player, rules)?;
    let deals = args.deals;
    let info = CorpusInfo {
        worlds: args.worlds as usize,
        per_deal: args.per_deal as usize,
        features: args.features,
        ..CorpusInfo::new(rules, &player, deals, args.seed)
    };
    let progress = Progress::new(deals.len() as f64, 0.0, "deals");
    corpus::make(&args.dir, &info, rules, &player, &|done| match done {
        DealsDone::Before(deals) => progress.add_before(deals as f64),
        DealsDone::Now => progress.add(1.0),
    })?;
    progress.finish();
    let (_, _, decisions) = corpus::read(&args.dir, Some(rules))?;
    let number = decisions.len();
    output::line(&format!("{}: {number} decisions", args.dir.display()))?;
    Ok(ExitCode::SUCCESS)
}

fn judge(args: &JudgeArgs) -> anyhow::Result<ExitCode> {
    args.threads.apply()?;
    let rules = args.rules.as_deref().map(commands::rules).transpose()?;
    let (info, rules, decisions) = corpus::read(&args.dir, rules)?;
    let find = |name: &String| commands::bot_for(name, rules, "the corpus");
    let bots = args.bots.iter().map(find).collect::<anyhow::Result<Vec<_>>>()?;
    let progress = Progress::of_kinds(&vec![decisions.len() as f64; bots.len()], "decisions");
    let found = corpus::measure_losses(rules, &decisions, &bots, args.seed, &|bot, n| {
        progress.begin(bot, bots[bot].name().to_string());
        progress.add(n);
    })?;
    progress.finish();
    if args.json {
        let results = bots.iter().zip(&found);
        let results: serde_json::Value =
            results.map(|(bot, losses)| DecisionLosses::json(bot, losses)).collect();
        output::line(&results.to_string())?;
        return Ok(ExitCode::SUCCESS);
    }
    output::text(&DecisionLosses::table(&info, &bots, &found))?;
    Ok(ExitCode::SUCCESS)
}
