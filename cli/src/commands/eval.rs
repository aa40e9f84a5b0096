//! `troel eval`.

use std::process::ExitCode;

use serde_json::json;
use troel_agents::NamedBot;
use troel_env::RuleSet;
use troel_eval::{
    CONTROL_DEALS_PER_DEAL, DealRange, DuplicateBots, DuplicateConfig, Lineup, Report, Sprt,
    correct_by_control, min_deals_for_control, play_by_deal, play_duplicate, play_matches,
    play_until,
};

use crate::commands::{self, ScopeArg, merge};
use crate::progress::Progress;
use crate::{output, report};

/// Play bots against each other on the same deals and seats
///
/// Each challenger takes each seat in turn among three baselines. Its points are compared with
/// those of a table of four baselines. Intervals are 95 % confidence intervals, clustered by deal.
/// Two bots: the first is compared with the second. More bots: each is compared with every other.
///
/// Names of bots, here and in other commands:
///   random, rules, expert     built in: uniformly random, heuristic, heuristic with solved endings
///   pimc:worlds=20            built in: search in 20 sampled worlds
///   luxembourg-v5             trained: a released bot (troel doctor lists them)
///   runs/mine                 trained: the folder of a run, of a checkpoint or of an export
///   NAME                      trained: the folder NAME in checkpoints/ or in $TROEL_CHECKPOINTS
///   TRAINED:sample            a trained bot that samples from its policy
///   search:TRAINED:worlds=20  a trained bot with look-ahead in 20 sampled worlds
///   bot:COMMAND               a program that speaks the bot protocol (docs/protocol.md)
///
/// Examples:
///   troel eval luxembourg-v5 rules --rules luxembourg --deals 2000
///   troel eval random rules wiezen-v5 --rules wiezen --deals 0..500 --json > part-1.json
///   troel eval runs/new/bot runs/old/bot --sprt 0 0.2
///   troel eval runs/new/bot expert --deals 1000 --control rules
///   troel eval runs/new/bot luxembourg-v5 --matches 2000
///   troel merge part-1.json part-2.json
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Args {
    /// Bots by name: built in, trained, or a program (`troel eval --help` lists the names)
    #[arg(required = true, num_args = 1..)]
    bots: Vec<String>,
    #[command(flatten)]
    rules: commands::RulesArg,
    /// Number of deals, or a range: 500..1000 is deals 500 to 999 (shards of one evaluation can be
    /// merged) [default: 1000; with --sprt at most 50000]
    #[arg(long, value_parser = commands::deal_range_at_once)]
    deals: Option<DealRange>,
    /// Play until a sequential test accepts a gain of LOW or of HIGH points per deal, with a 5 %
    /// error probability each way: 0 0.2 tests for a gain of 0.2. Half the distance takes four
    /// times as many deals
    #[arg(long, num_args = 2, value_names = ["LOW", "HIGH"], allow_negative_numbers = true, value_parser = commands::decimal)]
    sprt: Option<Vec<f64>>,
    /// Narrow the interval by a control variate: also play the challenger against this bot, on the
    /// same deals and on ten times as many others. This pays if the baseline is slow, such as
    /// expert, and the control fast, such as rules. The printed correlation shows its effect
    #[arg(long, value_name = "BOT", conflicts_with = "sprt")]
    control: Option<String>,
    /// Seed of the evaluation deals; training never plays them (troel deal --evaluation prints
    /// them)
    #[arg(long, default_value_t = 1, value_parser = commands::seed)]
    seed: u64,
    /// Decisions to compare
    #[arg(long, value_enum, default_value = "full")]
    scope: ScopeArg,
    /// Seat two challengers opposite each other against two baselines
    #[arg(long)]
    pairs: bool,
    /// Only deals of a scenario: any, aces, low-cards, near-slam, or a contract that suits some
    /// hand: suit, solo, abondance, misere, …
    #[arg(long, default_value = "any", alias = "suite")]
    scenario: String,
    /// Bot that makes the decisions that are not compared, in the scopes bidding and play
    /// [default: rules]
    #[arg(long, value_name = "BOT")]
    fixed: Option<String>,
    /// Also solve every position double dummy and print the tricks that the cards played gave away
    /// (about a second per deal)
    #[arg(long)]
    regret: bool,
    /// Number of whole matches to play to the rule set's target instead of single deals, at least
    /// 16; the result is the share of matches won. A match longer than 1,000 deals is an error
    #[arg(
        long,
        value_name = "MATCHES",
        value_parser = commands::number::<u64>(MIN_MATCHES..=MAX_MATCHES),
        conflicts_with_all = ["deals", "sprt", "control", "scope", "pairs", "scenario", "fixed", "regret", "contracts"]
    )]
    matches: Option<u64>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Also print how often the challenger made each contract in each role (declarer, partner,
    /// defender), and its mean points
    #[arg(long)]
    contracts: bool,
    #[command(flatten)]
    threads: commands::Threads,
}

/// Minimum number of matches, for a usable interval.
const MIN_MATCHES: u64 = 16;
/// Maximum number of matches of a pair.
const MAX_MATCHES: u64 = 10_000_000;
/// Default of `--deals`.
const DEFAULT_DEALS: DealRange = DealRange::new(0, 1000);
/// Default of `--deals` with `--sprt`, where it is the most deals of the test.
const DEFAULT_SEQUENTIAL_DEALS: DealRange = DealRange::new(0, 50_000);
/// Default of `--fixed`.
const DEFAULT_FIXED: &str = "rules";

pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    if args.bots[0] == "merge" {
        // The command of earlier versions.
        return merge::join(&args.bots[1..], args.json, args.contracts);
    }
    anyhow::ensure!(args.bots.len() >= 2, "eval needs at least two bots, such as: random rules");
    check_scope(args)?;
    args.threads.apply()?;
    let fixed = args.fixed.as_deref().unwrap_or(DEFAULT_FIXED);
    let names = args.bots.iter().chain(&args.control).map(String::as_str).chain([fixed]);
    let rules = commands::rules_for(args.rules.name(), &names.collect::<Vec<_>>())?;
    let bots = args.bots.iter().map(|name| NamedBot::find(name, rules));
    let bots = bots.collect::<Result<Vec<_>, _>>()?;
    if let Some(matches) = args.matches {
        return whole_matches(args, rules, matches, &bots);
    }
    let fixed = NamedBot::find(fixed, rules)?;
    let control = args.control.as_ref().map(|name| NamedBot::find(name, rules)).transpose()?;
    if let Some(control) = &control
        && let Some(same) = bots.iter().find(|bot| bot.identity() == control.identity())
    {
        anyhow::bail!(
            "--control {}: {} is one of the compared bots; name a third bot",
            control.name(),
            same.name()
        );
    }
    compare(args, rules, &bots, &fixed, control.as_ref())
}

/// Refuses options that have no effect in the scope.
fn check_scope(args: &Args) -> anyhow::Result<()> {
    if let Some(fixed) = args.fixed.as_ref().filter(|_| args.scope == ScopeArg::Full) {
        anyhow::bail!(
            "--fixed {fixed}: the scope full leaves no decision to this bot; add --scope bidding \
             or --scope play, or remove --fixed"
        );
    }
    anyhow::ensure!(
        !args.regret || args.scope != ScopeArg::Bidding,
        "--regret: the scope bidding gives no data, because it compares no cards; use --scope \
         play or full"
    );
    Ok(())
}

/// Compares the bots pair by pair on the same deals and seats, and prints the report.
fn compare(
    args: &Args,
    rules: &'static RuleSet,
    bots: &[NamedBot],
    fixed: &NamedBot,
    control: Option<&NamedBot>,
) -> anyhow::Result<ExitCode> {
    let sprt = args.sprt.as_deref().and_then(<[f64]>::as_array);
    let sprt = sprt.map(|&[low, high]| Sprt::new(low, high)).transpose()?;
    let pairs = pairs(bots.len());
    let scopes = args.scope.scopes();
    anyhow::ensure!(
        sprt.is_none() || pairs.len() * scopes.len() == 1,
        "--sprt tests two bots in one scope; name two bots, and a scope other than all"
    );
    let mut config = config(args, rules)?;
    let mut report = Report::new(&config, &args.scenario);
    report.commit = env!("TROEL_COMMIT").to_string();
    let (deals, min) = (report.deals, min_deals_for_control(rules, config.scenario));
    anyhow::ensure!(
        control.is_none() || deals >= min,
        "--control: {deals} deals are too few for its interval; use at least {min}"
    );
    let deals_of_pair = deals as f64 * scopes.len() as f64;
    let mut totals = totals_by_baseline(&pairs, bots.len(), deals_of_pair);
    // The deals against the control are the last kind of work.
    let control_kind = totals.len();
    if control.is_some() {
        let deals = deals_of_pair * (1 + CONTROL_DEALS_PER_DEAL) as f64;
        totals.push(deals * pairs.len() as f64);
    }
    let progress = Progress::of_kinds(&totals, "deals");
    let add = |deals| progress.add(deals);
    for &(challenger, baseline) in &pairs {
        for &scope in &scopes {
            config.scope = scope;
            let compared =
                DuplicateBots { challenger: &bots[challenger], baseline: &bots[baseline], fixed };
            progress.begin(baseline, against(compared));
            if let Some(control) = control {
                let (result, differences) = play_by_deal(&config, compared, &add)?;
                let controlling = DuplicateBots { baseline: control, ..compared };
                progress.begin(control_kind, against(controlling));
                let corrected = correct_by_control(&config, &differences, controlling, &add)?;
                report.add(scope, compared, result, None).control = Some(corrected);
                continue;
            }
            let result = match &sprt {
                None => play_duplicate(&config, compared, &add)?,
                Some(sprt) => play_until(&config, compared, &add, |result| {
                    progress.set_message(sprt.describe(&result.difference));
                    sprt.is_decided(&result.difference)
                })?,
            };
            report.add(scope, compared, result, sprt.as_ref());
        }
    }
    progress.finish();
    report::show(&report, args.json, args.contracts)?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the settings of the comparisons, without their scope.
fn config(args: &Args, rules: &'static RuleSet) -> anyhow::Result<DuplicateConfig> {
    let default = if args.sprt.is_some() { DEFAULT_SEQUENTIAL_DEALS } else { DEFAULT_DEALS };
    Ok(DuplicateConfig {
        scenario: commands::scenario(&args.scenario, rules)?,
        lineup: if args.pairs { Lineup::TwoVsTwo } else { Lineup::OneVsThree },
        regret: args.regret,
        ..DuplicateConfig::new(rules, args.deals.unwrap_or(default), args.seed)
    })
}

/// Names the opponents of a comparison, for the progress.
fn against(bots: DuplicateBots<'_>) -> String {
    format!("{} against {}", bots.challenger.name(), bots.baseline.name())
}

/// Plays matches to the target, pair by pair.
fn whole_matches(
    args: &Args,
    rules: &'static RuleSet,
    matches: u64,
    bots: &[NamedBot],
) -> anyhow::Result<ExitCode> {
    anyhow::ensure!(
        rules.spec().match_target > 0,
        "--matches: {} has no target (match_target) that would end a match",
        rules.id()
    );
    let pairs = pairs(bots.len());
    let totals = totals_by_baseline(&pairs, bots.len(), matches as f64);
    let progress = Progress::of_kinds(&totals, "matches");
    for (challenger, baseline) in pairs {
        let compared = DuplicateBots::full(&bots[challenger], &bots[baseline]);
        progress.begin(baseline, against(compared));
        let DuplicateBots { challenger, baseline, .. } = compared;
        let found = play_matches(rules, args.seed, 0..matches, challenger, baseline, &|n| {
            progress.add(n);
        })?;
        if args.json {
            let mut value = found.json(rules, args.seed, challenger, baseline);
            value["commit"] = json!(env!("TROEL_COMMIT"));
            output::line(&value.to_string())?;
        } else {
            output::line(&found.line(challenger.name(), baseline.name()))?;
        }
    }
    progress.finish();
    Ok(ExitCode::SUCCESS)
}

/// Returns the pairs of challenger and baseline: the first and second bot, or all ordered pairs.
fn pairs(bots: usize) -> Vec<(usize, usize)> {
    if bots == 2 {
        return vec![(0, 1)];
    }
    (0..bots).flat_map(|a| (0..bots).map(move |b| (a, b))).filter(|(a, b)| a != b).collect()
}

/// Returns the number of deals or matches of each baseline; a pair plays `each`. Most seats are the
/// baseline's, so the time of its deals hardly depends on the challenger.
fn totals_by_baseline(pairs: &[(usize, usize)], bots: usize, each: f64) -> Vec<f64> {
    let mut totals = vec![0.0; bots];
    pairs.iter().for_each(|&(_, baseline)| totals[baseline] += each);
    totals
}
