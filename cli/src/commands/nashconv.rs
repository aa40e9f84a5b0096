//! `troel nashconv`.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::bail;
use serde::Serialize;
use troel_agents::NamedBot;
use troel_env::{BySeat, printable};
use troel_eval::ladder::Player;
use troel_eval::{BotOutput, NashConv, nash_conv};

use crate::commands;
use crate::figure::{self, CurveAxis, CurvePoint};
use crate::output;
use crate::progress::Progress;

/// Compute exact values, best responses and NashConv in a small game
///
/// For rule files with few ranks (`ranks = "AK"`): every deal and every history is visited. One bot
/// plays all four seats; four bots play North to West. West deals. For each seat it prints the
/// expected points of a deal, those of a best response to the other three, and the difference,
/// which is the gain. NashConv is the sum of the four gains, exploitability is NashConv / 4; both
/// are 0 in a Nash equilibrium. This also holds for general-sum points. With four players an
/// equilibrium does not guarantee a seat's result.
///
/// A trained bot is judged by its policy, as if it sampled its actions; with --likeliest by the
/// action that it plays. A bot without a policy is judged by its action.
///
/// Examples:
///   troel nashconv random --rules examples/rules/small-8.toml
///   troel nashconv --each runs/a/checkpoints/* --rules examples/rules/small-8.toml --curve a.svg
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Args {
    /// Bots, as for `troel eval`: one for all seats, or four
    #[arg(required = true, num_args = 1..)]
    bots: Vec<String>,
    /// Rule file of the game
    #[arg(long)]
    rules: String,
    /// Evaluate any number of bots one after the other, each in all four seats
    #[arg(long)]
    each: bool,
    /// Write a figure of NashConv over the decisions that checkpoints were trained on, as SVG;
    /// lines are recipes, bands their seeds
    #[arg(long, value_name = "FILE", requires = "each")]
    curve: Option<PathBuf>,
    /// Judge trained bots by their likeliest action instead of their policy
    #[arg(long)]
    likeliest: bool,
    /// Seed of the bots' random draws
    #[arg(long, default_value_t = 1, value_parser = commands::seed)]
    seed: u64,
    /// Print JSON, one object per line
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    threads: commands::Threads,
}

/// A line of `--json`.
#[derive(Serialize)]
struct JsonLine {
    /// The bot, or the four bots with commas in between.
    bot: String,
    /// Decisions that the bot was trained on; absent for bots without training and for four bots.
    #[serde(skip_serializing_if = "Option::is_none")]
    steps: Option<u64>,
    /// Whether trained bots were judged by their likeliest action (`--likeliest`).
    likeliest: bool,
    #[serde(flatten)]
    result: NashConv,
    seconds: f64,
}

pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    args.threads.apply()?;
    let rules = commands::rules(&args.rules)?;
    let found = args.bots.iter().map(|name| NamedBot::find(name, rules));
    let bots: Vec<NamedBot> = found.collect::<Result<_, _>>()?;
    let seatings: Vec<BySeat<NamedBot>> = match bots.as_slice() {
        [north, east, south, west] if !args.each => {
            vec![BySeat([north, east, south, west].map(NamedBot::clone))]
        }
        many if args.each || many.len() == 1 => {
            many.iter().map(|bot| BySeat::from_fn(|_| bot.clone())).collect()
        }
        many => bail!(
            "{} bots: name one for all seats, or four, one per seat. Add --each to evaluate them \
             one after the other",
            many.len()
        ),
    };
    let has_checkpoint = bots.iter().zip(&seatings).any(|(bot, _)| bot.training().is_some());
    anyhow::ensure!(args.curve.is_none() || has_checkpoint, "--curve: {}", figure::NO_CHECKPOINT);
    let judged = if args.likeliest { BotOutput::Action } else { BotOutput::Policy };
    let progress = Progress::of_kinds(&vec![1.0; seatings.len()], "games");
    let mut lines = Vec::new();
    for (kind, seating) in seatings.iter().enumerate() {
        let mut names: Vec<&str> = seating.iter().map(NamedBot::name).collect();
        if names.iter().all(|name| *name == names[0]) {
            names.truncate(1);
        }
        let bot = names.join(",");
        progress.begin(kind, bot.clone());
        let start = Instant::now();
        let result = nash_conv(rules, seating, judged, args.seed, &|share| progress.add(share))?;
        let training = seating.iter().next().and_then(NamedBot::training);
        let steps = training.filter(|_| names.len() == 1).map(|training| training.steps);
        let (likeliest, seconds) = (args.likeliest, start.elapsed().as_secs_f64());
        lines.push(JsonLine { bot, steps, likeliest, result, seconds });
    }
    progress.finish();
    if args.json {
        lines.iter().try_for_each(|line| output::line(&serde_json::to_string(line)?))?;
    } else {
        output::text(&text(&lines, judged, args.each))?;
    }
    if let Some(path) = &args.curve {
        let point = |(bot, line): (&NamedBot, &JsonLine)| CurvePoint {
            player: Player::from(bot),
            points: line.result.nash_conv,
        };
        let checkpoints: Vec<CurvePoint> = bots.iter().zip(&lines).map(point).collect();
        let title = format!("{}, exact NashConv", rules.id());
        let unit = "points per deal, four seats";
        let curve = figure::curve(&checkpoints, &title, CurveAxis::Decisions, unit)?;
        figure::write(path, &curve)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn text(lines: &[JsonLine], judged: BotOutput, each: bool) -> String {
    let format = |line: &JsonLine| {
        if each { row(line) } else { line.result.table(judged, line.seconds) }
    };
    lines.iter().map(format).collect()
}

/// Formats the result of one of many bots as one line.
fn row(line: &JsonLine) -> String {
    let steps = line.steps.map_or(String::new(), |steps| format!("{steps} decisions, "));
    let (conv, mean) = (line.result.nash_conv, line.result.exploitability);
    format!(
        "{conv:>9.4} NashConv  {mean:>9.4} exploitability (points per deal)  {steps}{}\n",
        printable(&line.bot)
    )
}
