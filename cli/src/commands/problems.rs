//! `troel problems`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail};
use serde_json::json;
use troel_agents::{NamedBot, registry};
use troel_env::{Phase, RuleSet, Seat, printable};
use troel_eval::problems::{self, PosedProblem, ProblemSheet, Suite};

use crate::commands;
use crate::output;
use crate::progress::Progress;
use crate::record_rules::RulesFolder;

/// Ask bots for decisions with known answers
///
/// SUITE is a suite that Troel generates, or a file of problems (JSON lines):
///   sure-contracts    eldest hand makes an abondance, a slam or `alone` however the other
///                     cards lie; the contracts that pay the most are accepted
///   long-trumps       the same with ten to thirteen trumps, in any seat after passes; a sure
///                     misère is accepted where it pays more
///   top-cards         eleven to thirteen cards from the top of their suits, in any seat after
///                     passes; accepted as in long-trumps
///   near-slams        twelve tricks from the top and a loser, in any seat after passes; every call
///                     is accepted except slams, which fail if the ace is kept
///   strong-contracts  eldest hand makes no contract for certain, and rollouts find that only
///                     contracts alone are best
///   sure-miseres      hands that cannot be made to take a trick
///   losing-miseres    low hands with which a misère nearly always fails
///   endings           the last three to five tricks, every card's mean double-dummy points
///   never             calls that fail for certain, and cards that another one beats in every deal
///                     of the unseen cards
///   misere-defence    cards against an open misère, mean double-dummy points
///
/// Scores of each bot: the share of the problems that it solves, the probability of the accepted
/// actions in its policy, and the points that it loses per problem. Points are found by playing the
/// deal out with the bot in all seats, after its own action and after the best one, or from the
/// values that the file gives.
///
/// Examples:
///   troel problems sure-contracts luxembourg-v5 rules
///   troel problems sure-miseres iwwa-v5 --rules iwwa --problems 80
///   troel problems sure-contracts --rules wiezen --write wiezen.jsonl
///   troel problems wiezen.jsonl wiezen-v5 --worst 20
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Args {
    /// Suite, or path of a file of problems
    suite: String,
    /// Bots, as for `troel eval`
    bots: Vec<String>,
    /// Rule set of a generated suite, or path of a rule file [default: that of the trained bots,
    /// else luxembourg]
    #[arg(long)]
    rules: Option<String>,
    /// Number of problems of a generated suite [default: 200]
    #[arg(long, value_parser = commands::number::<u32>(1..=100_000))]
    problems: Option<u32>,
    /// Seed of a generated suite and of the bots' random draws; with a file, only of these draws
    #[arg(long, default_value_t = 1, value_parser = commands::seed)]
    seed: u64,
    /// Number of unsolved problems to list with their positions (at most 100), largest loss first
    #[arg(long, default_value_t = 5, value_name = "N", value_parser = commands::number::<u32>(0..=100))]
    worst: u32,
    /// Write the problems to a new file, one JSON object per line
    #[arg(long, value_name = "FILE")]
    write: Option<PathBuf>,
    /// Print JSON: an object per bot and suite; `lost` holds the mean and its 95 % interval `ci95`
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    folder: RulesFolder,
    #[command(flatten)]
    threads: commands::Threads,
}

/// Default of `--problems`.
const DEFAULT_PROBLEMS: u32 = 200;

pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    args.threads.apply()?;
    if args.bots.is_empty() && args.write.is_none() {
        bail!("nothing to do: name a bot, or write the problems to a file with --write");
    }
    if let Some(path) = &args.write {
        if path.exists() {
            bail!("--write {}: the file already exists; name a new one", path.display());
        }
        output::check_path(path).context("--write")?;
    }
    let posed = problems(args)?;
    if let Some(path) = &args.write {
        let lines: Vec<String> = posed
            .iter()
            .map(|posed| serde_json::to_string(&posed.problem))
            .collect::<Result<_, _>>()?;
        troel_files::replace(path, (lines.join("\n") + "\n").as_bytes())
            .map_err(|error| anyhow::anyhow!("{}: {error}", path.display()))?;
        output::note(&format!("{} problems written to {}", posed.len(), path.display()));
    }
    // A file may hold problems of several rule sets: a bot has to play each.
    let mut sets: Vec<&'static RuleSet> = Vec::new();
    for posed in &posed {
        let rules = posed.state.rules();
        if !sets.contains(&rules) {
            sets.push(rules);
        }
    }
    let mut bots = Vec::new();
    for name in &args.bots {
        let find = |rules: &&'static RuleSet| match Suite::parse(&args.suite) {
            Some(_) => Ok(NamedBot::find(name, rules)?),
            None => commands::bot_for(name, rules, "a problem of the file"),
        };
        let found = sets.iter().map(find).collect::<anyhow::Result<Vec<_>>>()?;
        bots.extend(found.into_iter().next());
    }
    let progress = Progress::of_kinds(&vec![posed.len() as f64; bots.len()], "problems");
    let mut sheets = Vec::new();
    for (kind, bot) in bots.iter().enumerate() {
        progress.begin(kind, bot.name().to_string());
        sheets.extend(problems::ask(&posed, bot, args.seed, &|n| progress.add(n))?);
    }
    progress.finish();
    if bots.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    if args.json {
        for sheet in &mut sheets {
            sheet.worst.truncate(args.worst as usize);
            let mut value = serde_json::to_value(&*sheet)?;
            value["lost"]["mean"] = json!(sheet.lost.mean());
            // Its ends are null for a single problem.
            value["lost"]["ci95"] = json!(sheet.lost.interval());
            output::line(&value.to_string())?;
        }
    } else {
        output::text(&ProblemSheet::table(&sheets))?;
        output::text(&worst(&sheets, &posed, args.worst as usize))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the problems of a generated suite or of a file.
fn problems(args: &Args) -> anyhow::Result<Vec<PosedProblem>> {
    if let Some(suite) = Suite::parse(&args.suite) {
        let names: Vec<&str> = args.bots.iter().map(String::as_str).collect();
        let rules = commands::rules_for(args.rules.as_deref(), &names)?;
        let count = args.problems.unwrap_or(DEFAULT_PROBLEMS) as usize;
        let progress = Progress::new(count as f64, 0.0, "problems");
        progress.set_message(format!("generating {}", suite.name()));
        let posed =
            problems::generate(suite, rules, count, args.seed, &|found| progress.add(found))?;
        progress.finish();
        return Ok(posed);
    }
    let path = Path::new(&args.suite);
    if !path.exists() {
        let suites: Vec<&str> = Suite::ALL.into_iter().map(Suite::name).collect();
        let suggestion = registry::suggestion(&args.suite, suites.iter().copied());
        bail!(
            "{:?} is neither a suite nor a file.{suggestion} Use one of {}, or the path of a file",
            args.suite,
            suites.join(", ")
        );
    }
    let given = [("--rules", args.rules.is_some()), ("--problems", args.problems.is_some())];
    if let Some((option, _)) = given.into_iter().find(|&(_, is_given)| is_given) {
        bail!(
            "{option}: the file {} sets its problems and their rules; remove {option}, or name a \
             suite instead",
            path.display()
        );
    }
    let mut sets = args.folder.rule_sets();
    Ok(problems::read(path, |name| sets.find(name).map_err(|fault| fault.message))?)
}

/// Lists the unsolved problems that lost most, each with its position.
fn worst(sheets: &[ProblemSheet], posed: &[PosedProblem], max_rows: usize) -> String {
    let mut out = String::new();
    for sheet in sheets.iter().filter(|sheet| max_rows > 0 && !sheet.worst.is_empty()) {
        out +=
            &format!("\n{} in {}, points lost:\n", sheet.bot, printable(&sheet.suite.to_string()));
        for worst in sheet.worst.iter().take(max_rows) {
            let reason = match worst.reason.as_str() {
                "" => String::new(),
                reason => format!("; {}", printable(reason)),
            };
            out += &format!(
                "{:>6.1}  problem {}: {} instead of {}{reason}\n",
                worst.lost, worst.number, worst.action, worst.best,
            );
            if let Some(posed) = worst.number.checked_sub(1).and_then(|nth| posed.get(nth)) {
                out += &position(posed);
            }
        }
    }
    out
}

/// Describes the position of a problem. The text has the cards that the seats still hold, the
/// turn-up, the current trick, the tricks taken, and the actions so far.
fn position(posed: &PosedProblem) -> String {
    let (state, record) = (&posed.state, &posed.problem.record);
    let hands = Seat::ALL.map(|seat| state.hands()[seat].to_string()).join(" ");
    let (dealer, turn) = (state.dealer(), state.turn());
    let rules = state.rules().id();
    let turn_up = state.deal().turn_up.map(|card| format!(", turn-up {card}")).unwrap_or_default();
    let mut out = format!("        {rules}, dealer {dealer}{turn_up}, {turn} to act  N:{hands}\n");
    if state.phase() == Phase::Play {
        let tricks = Seat::ALL.map(|seat| format!("{seat} {}", state.tricks()[seat]));
        let cards = state.trick().cards().map(|(seat, card)| format!("{seat} {card}"));
        let cards = cards.collect::<Vec<_>>().join(", ");
        let cards = if cards.is_empty() { "no card yet" } else { &cards };
        out += &format!("        current trick: {cards}; tricks taken: {}\n", tricks.join(", "));
    }
    if !record.actions.is_empty() {
        out += &format!("        after {}\n", record.actions.join(" "));
    }
    out
}
