//! `troel review`.

mod deal;
mod page;
mod summary;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use troel_agents::review::{DEFAULT_REVIEW_WORLDS, Reviewer};
use troel_env::{Record, RuleSet, Seat};
use troel_eval::parse_json;
use troel_solver::Solver;

use self::deal::ReviewedDeal;
use crate::commands::{self, SeatArg};
use crate::lines::{self, MAX_LINE_BYTES, TOO_LONG, read_line};
use crate::misspelt_keys;
use crate::output;
use crate::record_rules::RulesFolder;

/// Judge each decision of a game by search, and show its cost
///
/// Prints a table for each record: the action of the seat, the best action by search, the action of
/// the bot, and the probabilities in the bot's policy. `lost` is the expected number of points lost
/// against the best action, over sampled worlds consistent with the observation of the seat. It is
/// 0 if the best action is not better by more than two standard errors, because the difference may
/// be chance. The best action is the bot's, unless another one is better by more than one standard
/// error. `±` is the standard error; more --worlds reduce it, and a single world gives none. `over
/// bot` is the expected number of points gained over the bot's action, or 0 if it is not clearly
/// better. The rest is hindsight, with all hands visible: the tricks that a card gave away, par,
/// and the points that each seat scored below par. --language writes the costly decisions as
/// sentences instead, the worst first. --html writes a page with the deals, the worst mistakes
/// first.
///
/// Example: troel review games.jsonl --seat S --bot luxembourg-v5 --html review.html
#[derive(clap::Args)]
pub struct Args {
    /// Game records, one JSON object per line; - is standard input
    file: PathBuf,
    /// Seat to review [default: all four]
    #[arg(long, value_enum, ignore_case = true)]
    seat: Option<SeatArg>,
    /// Bot to compare with, as for `troel eval` [default: the released bot of the rule set; for
    /// house rules universal-v2; expert if that bot cannot be used]
    #[arg(long)]
    bot: Option<String>,
    /// Number of worlds to average the points over
    #[arg(long, default_value_t = DEFAULT_REVIEW_WORLDS as u32, value_parser = commands::number::<u32>(1..=10_000))]
    worlds: u32,
    /// Seed of the worlds and of the bot
    #[arg(long, default_value_t = 1, value_parser = commands::seed)]
    seed: u64,
    /// Print a summary in this language instead of the table
    #[arg(long, value_parser = commands::language_codes())]
    language: Option<String>,
    #[command(flatten)]
    rules: RulesFolder,
    /// Print one JSON object per record instead, with the fields of docs/table.md
    #[arg(long, conflicts_with = "language")]
    json: bool,
    /// Also write an HTML page to this file, which must not exist yet
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let path = lines::shown(&args.file);
    if let Some(page) = &args.html {
        output::check_path(page).context("--html")?;
        if is_same_file(page, &args.file) {
            anyhow::bail!(
                "--html {}: this would overwrite the records; name another file",
                page.display()
            );
        }
        anyhow::ensure!(
            !page.exists(),
            "--html {}: the file already exists; name a new one",
            page.display()
        );
    }
    let words = args.language.as_deref().map(commands::words).transpose()?;
    let mut input = lines::open(&args.file)?;
    let mut reviews = Vec::new();
    let mut records = 0;
    let mut rule_sets = args.rules.rule_sets();
    // The page is written even if the reader closed our output (`| head`).
    let mut shown = Ok(());
    for n in 1_u64.. {
        let place = || format!("{path}: line {n}");
        let Some(line) = read_line(&mut input, MAX_LINE_BYTES).with_context(place)? else { break };
        if line.len() as u64 > MAX_LINE_BYTES {
            anyhow::bail!("{}: {TOO_LONG}", place());
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        records += 1;
        let record: Record = parse_json(&line).with_context(place)?;
        let rules = rule_sets.find(&record.rules).map_err(|bad| anyhow::anyhow!(bad.message));
        let rules = rules.with_context(place)?;
        misspelt_keys::warn(&place(), &record, rules);
        let review = review(args, rules, record).with_context(place)?;
        let text = match &words {
            _ if args.json => review.json(),
            Some(words) => review.summary(rules, words),
            None => review.table(),
        };
        shown = shown.and_then(|()| output::text(&text));
        if args.html.is_some() {
            reviews.push(review);
        }
    }
    if records == 0 {
        anyhow::bail!(
            "{path}: holds no game records; `troel play --records FILE` writes one after each finished deal"
        );
    }
    if let Some(file) = &args.html {
        let written = std::fs::File::create_new(file).and_then(|mut new| {
            std::io::Write::write_all(&mut new, page::page(&reviews).as_bytes())
        });
        written.with_context(|| file.display().to_string())?;
    }
    shown.map(|()| ExitCode::SUCCESS)
}

/// Returns whether two paths lead to one file.
fn is_same_file(one: &Path, other: &Path) -> bool {
    let [one, other] = [one, other].map(|path| std::fs::canonicalize(path).ok());
    one.is_some() && one == other
}

fn review(args: &Args, rules: &'static RuleSet, record: Record) -> anyhow::Result<ReviewedDeal> {
    let bot = match &args.bot {
        Some(name) => commands::bot_for(name, rules, "a record")?,
        None => commands::default_bot(rules)?,
    };
    let worlds = args.worlds as usize;
    let mut reviewer = Reviewer::new(&bot, worlds, args.seed, Solver::default());
    let wanted = args.seat.map(Seat::from);
    let review = reviewer.review(rules, &record, wanted)?;
    Ok(ReviewedDeal { record, bot: bot.name().to_string(), review })
}
