//! `troel ladder`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;

use troel_agents::NamedBot;
use troel_env::RuleSet;
use troel_eval::ladder::{
    self, LadderEvent, LadderResult, MIN_DEALS, Strength, cross_table, strength_table,
};
use troel_eval::{DealRange, DuplicateConfig, Scope};

use crate::commands::{self, ScopeArg};
use crate::figure::{self, CurveAxis, CurvePoint};
use crate::output;
use crate::progress::Progress;

/// Rank any number of bots by comparisons that are kept in a file
///
/// A comparison is one seat of a bot against three copies of another. Every bot plays every other
/// or, with --against, only those bots. Each result is appended to FILE as a JSON line as soon as
/// the comparison ends. A comparison that FILE already has, of the same weights, rules, deals and
/// seed, is not played again. So an interrupted ladder continues where it stopped, and a new bot
/// plays only its own comparisons.
///
/// All results in FILE of the same rules and scope then give one strength per bot, in points per
/// deal beyond the anchor, with 95 % intervals. Beside it is the misfit: the root mean squared
/// residual of the bot's results in points and in standard errors, 1 if single strengths describe
/// them. α-Rank is the bot's share among the bots that all met each other both ways
/// (docs/rating.md). Without bots, the command shows FILE and plays nothing. A trained bot is
/// identified by its weights, any other by its name alone. Begin a new FILE after a change of a
/// program or of troel itself, and on another machine if a search is limited by time
/// (search:BOT:ms=M).
///
/// Examples:
///   troel ladder ladder.jsonl luxembourg-v5 rules expert --deals 2000 --svg ladder.svg
///   troel ladder ladder.jsonl --cross
///   troel ladder run.jsonl runs/new/checkpoints/* --against rules --against expert --curve run.svg
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Args {
    /// File of results, JSON lines; it is created if it does not exist
    file: PathBuf,
    /// Bots, as for `troel eval`
    bots: Vec<String>,
    /// Play only against this bot; may be repeated
    #[arg(long)]
    against: Vec<String>,
    /// Bot whose strength is zero
    #[arg(long, default_value = "rules")]
    anchor: String,
    #[command(flatten)]
    rules: commands::RulesArg,
    /// Number of deals per comparison, 16 or more, or a range: 500..1000 is deals 500 to 999
    #[arg(long, default_value = "1000", value_parser = commands::deal_range_at_once)]
    deals: DealRange,
    #[command(flatten)]
    seed: commands::DealSeed,
    /// Decisions to compare; `rules` makes the others
    #[arg(long, value_enum, default_value = "full")]
    scope: ScopeArg,
    /// Same as `--scope play`
    #[arg(long, hide = true, conflicts_with = "scope")]
    play: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Print Markdown tables instead: the cross table and the strengths for each rule set and scope
    /// in FILE
    #[arg(long, conflicts_with_all = ["json", "svg", "curve"])]
    cross: bool,
    /// Draw the ladder as an SVG figure
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Draw the strength of the checkpoints in FILE as an SVG figure: one line per recipe, for
    /// several seeds their mean with its 95 % interval over seeds (Student's t)
    #[arg(long, value_name = "FILE")]
    curve: Option<PathBuf>,
    /// Horizontal axis of the curve: decisions trained on, or hours of training
    #[arg(long, value_enum, default_value = "decisions")]
    over: CurveAxis,
    #[command(flatten)]
    threads: commands::Threads,
}

pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    args.threads.apply()?;
    let mut results = ladder::read(&args.file)?;
    let rules = rules(args, &results)?;
    let scopes = if args.play { vec![Scope::Play] } else { args.scope.scopes() };
    check_options(args, &scopes)?;
    let config = DuplicateConfig::new(rules, args.deals, args.seed.number());
    let [bots, against] = find_bots(args, rules)?;
    let anchor = anchor(args, rules, &results, [&bots, &against])?;
    for &scope in &scopes {
        let config = DuplicateConfig { scope, ..config };
        results.extend(play_missing(&args.file, &config, &bots, &against, &results)?);
    }
    if args.cross {
        ladder::check_overlaps(&args.file, &results)?;
        anyhow::ensure!(
            !results.is_empty(),
            "{} has no results; name two or more bots to compare",
            args.file.display()
        );
        output::text(&cross_tables(&results, rules, &anchor))?;
    } else {
        show_scopes(args, &config, &scopes, &results, &anchor)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Refuses too few deals, and figures of several scopes.
fn check_options(args: &Args, scopes: &[Scope]) -> anyhow::Result<()> {
    anyhow::ensure!(
        args.deals.len() >= MIN_DEALS,
        "--deals {}: too few for a standard error; use at least {MIN_DEALS}",
        commands::deals_text(args.deals)
    );
    anyhow::ensure!(
        scopes.len() == 1 || (args.svg.is_none() && args.curve.is_none()),
        "--scope all: a figure shows one scope; use full, bidding or play"
    );
    Ok(())
}

/// Returns the bots, and those of `--against`. Refuses a selection without any comparison, unless a
/// curve is drawn.
fn find_bots(args: &Args, rules: &'static RuleSet) -> anyhow::Result<[Vec<NamedBot>; 2]> {
    let find = |name: &String| NamedBot::find(name, rules);
    let bots = args.bots.iter().map(find).collect::<Result<Vec<_>, _>>()?;
    let against = args.against.iter().map(find).collect::<Result<Vec<_>, _>>()?;
    anyhow::ensure!(
        bots.len() != 1 || !against.is_empty(),
        "{} has no opponent: name a second bot, or an opponent with --against BOT",
        args.bots[0]
    );
    anyhow::ensure!(
        !bots.is_empty() || against.is_empty() || args.curve.is_some(),
        "--against {}: name the bots that play against it after FILE",
        args.against[0]
    );
    Ok([bots, against])
}

/// Prints and draws the results of the scopes that have some, and warns of all others.
fn show_scopes(
    args: &Args,
    config: &DuplicateConfig,
    scopes: &[Scope],
    results: &[LadderResult],
    anchor: &str,
) -> anyhow::Result<()> {
    let has_results = |scope: &Scope| {
        let config = DuplicateConfig { scope: *scope, ..*config };
        results.iter().any(|result| result.is_comparable(&config))
    };
    let shown: Vec<Scope> = scopes.iter().copied().filter(has_results).collect();
    // Without any results the first scope says so.
    let shown = if shown.is_empty() { &scopes[..1] } else { &shown };
    for (nth, &scope) in shown.iter().enumerate() {
        if nth > 0 && !args.json {
            output::line("")?;
        }
        show(args, &DuplicateConfig { scope, ..*config }, results, anchor)?;
    }
    let hash = config.rules.hash();
    let is_shown = |result: &&LadderResult| result.rules == hash && shown.contains(&result.scope);
    let hidden = results.len() - results.iter().filter(is_shown).count();
    if hidden > 0 {
        tracing::warn!(
            "{} has {hidden} more results, of other rules or in another scope: --rules and --scope \
             select them, --cross shows all",
            args.file.display()
        );
    }
    Ok(())
}

/// Returns the identity of the anchor. A bot in the results need not exist any more.
fn anchor(
    args: &Args,
    rules: &'static RuleSet,
    results: &[LadderResult],
    [bots, against]: [&[NamedBot]; 2],
) -> anyhow::Result<String> {
    let anchor = match ladder::identity_of(results, &args.anchor) {
        Some(identity) => identity.to_string(),
        None => NamedBot::find(&args.anchor, rules)?.identity().to_string(),
    };
    let is_compared = results.iter().any(|result| result.has(&anchor))
        || bots.iter().chain(against).any(|bot| bot.identity() == anchor);
    anyhow::ensure!(
        bots.is_empty() || is_compared,
        "the anchor {} is in no comparison: name it among the bots, or another with --anchor",
        args.anchor
    );
    Ok(anchor)
}

/// Prints and draws the strengths by the results of one scope.
fn show(
    args: &Args,
    config: &DuplicateConfig,
    results: &[LadderResult],
    anchor: &str,
) -> anyhow::Result<()> {
    let rules = config.rules.id();
    let results: Vec<LadderResult> =
        results.iter().filter(|result| result.is_comparable(config)).cloned().collect();
    ladder::check_overlaps(&args.file, &results)?;
    anyhow::ensure!(
        args.file.exists(),
        "{} does not exist, so there are no results; name two or more bots to create it",
        args.file.display()
    );
    anyhow::ensure!(
        !results.is_empty(),
        "{} has no results of {rules} in the scope {}; name bots to compare",
        args.file.display(),
        config.scope.name()
    );
    let ladder = ladder::fit(&results, anchor);
    let of = match config.scope {
        Scope::Full => "",
        Scope::Bidding => "bidding alone, ",
        Scope::Play => "card play alone, ",
    };
    if args.json {
        output::line(&ladder.json(config.rules, config.scope).to_string())?;
    } else {
        let head = format!("{rules} · {of}points per deal beyond {}", args.anchor);
        output::text(&format!("{head}\n{}", ladder.table()))?;
    }
    let title = format!("{rules}, {of}points per deal beyond {}", args.anchor);
    if let Some(path) = &args.svg {
        figure::write(path, &figure::ladder(&ladder, &title)?)?;
    }
    if let Some(path) = &args.curve {
        let point = |s: &Strength| CurvePoint { player: s.player.clone(), points: s.points };
        let checkpoints: Vec<CurvePoint> = ladder.strengths.iter().map(point).collect();
        let curve = figure::curve(&checkpoints, &title, args.over, "points per deal")?;
        figure::write(path, &curve)?;
    }
    Ok(())
}

/// Returns the rule set of `--rules`. Without it, returns that of the named trained bots. If no bot
/// is named, returns that of the results if they are all of one built-in rule set.
fn rules(args: &Args, results: &[LadderResult]) -> anyhow::Result<&'static RuleSet> {
    if args.rules.name().is_none()
        && args.bots.is_empty()
        && let Some(rules) = ladder::built_in_rules(results)
    {
        return Ok(rules);
    }
    let names = args.bots.iter().chain(&args.against).chain([&args.anchor]).map(String::as_str);
    commands::rules_for(args.rules.name(), &names.collect::<Vec<_>>())
}

/// Formats a table for each rule set and scope of the results. The built-in rule sets come in their
/// order, then others.
fn cross_tables(results: &[LadderResult], rules: &'static RuleSet, anchor: &str) -> String {
    let built_in = RuleSet::all_built_in().into_iter();
    let known: Vec<&RuleSet> = built_in.chain([rules]).collect();
    let place = |hash: &str| known.iter().position(|rules| rules.hash() == hash);
    let mut kinds: Vec<(&str, Scope)> = Vec::new();
    for result in results {
        let kind = (result.rules.as_str(), result.scope);
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    kinds.sort_by_key(|&(hash, scope)| (place(hash).unwrap_or(known.len()), hash, scope.name()));
    let table = |&(hash, scope): &(&str, Scope)| {
        let of_kind = |r: &&LadderResult| (r.rules.as_str(), r.scope) == (hash, scope);
        let of_kind: Vec<LadderResult> = results.iter().filter(of_kind).cloned().collect();
        let stored = of_kind.iter().find_map(|r| r.rules_id.as_deref()).unwrap_or(hash);
        let name = place(hash).map_or(stored, |at| known[at].id());
        let is_other = |r: &LadderResult| r.rules != hash && r.rules_id.as_deref() == Some(name);
        let name = if results.iter().any(is_other) {
            format!("{name} ({hash})")
        } else {
            name.to_string()
        };
        let scope = match scope {
            Scope::Full => String::new(),
            scope => format!(", {} alone", scope.name()),
        };
        let [cross, strengths] = [cross_table, strength_table].map(|table| table(&of_kind, anchor));
        format!("**{name}**{scope}\n\n{cross}\n{strengths}")
    };
    kinds.iter().map(table).collect::<Vec<_>>().join("\n")
}

/// Plays the comparisons that are not among the results yet, and appends each to the file.
fn play_missing(
    path: &Path,
    config: &DuplicateConfig,
    bots: &[NamedBot],
    against: &[NamedBot],
    results: &[LadderResult],
) -> anyhow::Result<Vec<LadderResult>> {
    let baselines = if against.is_empty() { bots } else { against };
    let progress = Mutex::new(None);
    let watch = |event: LadderEvent<'_>| {
        let Ok(mut progress) = progress.lock() else { return };
        match (event, &*progress) {
            // Most seats are the baseline's, so its deals take about as long with every challenger.
            (LadderEvent::Planned(totals), _) => {
                *progress = Some(Progress::of_kinds(totals, "deals"));
            }
            (LadderEvent::Begins { challenger, baseline, index }, Some(progress)) => {
                progress.begin(index, format!("{} against {}", challenger.name(), baseline.name()));
            }
            (LadderEvent::Deals(deals), Some(progress)) => progress.add(deals),
            _ => {}
        }
    };
    let commit = env!("TROEL_COMMIT");
    Ok(ladder::play_missing(path, config, bots, baselines, results, commit, &watch)?)
}
