//! `troel benchmark`.

use std::process::ExitCode;

use serde_json::{Value, json};
use troel_agents::NamedBot;
use troel_agents::registry::TrainingSummary;
use troel_env::RuleSet;
use troel_eval::benchmark::{self, PROTOCOL, REFERENCE, SEED, Task};
use troel_eval::{SeedComparison, SeedComparisonEvent, check_seeds};

use crate::commands::{self, groups};
use crate::output;
use crate::progress::Progress;

/// Score bots by a fixed protocol, for results that others can compare
///
/// Tasks:
///   bidding       the auction; `expert` plays all cards
///   play          the cards; `expert` bids for all seats
///   full          all decisions
///   unseen-rules  all decisions, under 32 rule files that differ from the built-in ones
///
/// Name the bots of one recipe, one per training seed; publish at least five. They play
/// against `expert` on fixed deals: one seat against three copies of it, and the other way round.
/// The score is the mean of both directions, in points per deal, with a 95 % interval over seeds
/// and deals (unseen-rules: over seeds and rule files). docs/benchmark.md has the scores so far.
///
/// Examples:
///   troel benchmark full runs/mine/*
///   troel benchmark bidding pimc:worlds=20 --rules wiezen
///   troel benchmark unseen-rules universal-v2 --json > result.json
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Args {
    /// Task
    #[arg(value_enum)]
    task: TaskArg,
    /// Bots of one recipe, as for `troel eval`: one per training seed, or one bot without a
    /// training seed
    #[arg(required = true, num_args = 1..)]
    bots: Vec<String>,
    /// Built-in rule set of the tasks bidding, play and full [default: that of the trained bots,
    /// else luxembourg]
    #[arg(long)]
    rules: Option<String>,
    /// Play only this number of deals under each rule set, to try the command. The result is marked
    /// as a trial and does not count
    #[arg(long, value_name = "DEALS", value_parser = commands::number::<u64>(MIN_TRIAL..=u64::MAX))]
    trial: Option<u64>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    threads: commands::Threads,
}

/// Minimum number of deals of a trial: two independent units, also where a deck is never shuffled.
const MIN_TRIAL: u64 = 16;

#[derive(Clone, Copy, clap::ValueEnum)]
enum TaskArg {
    Bidding,
    Play,
    Full,
    UnseenRules,
}

impl TaskArg {
    fn task(self) -> Task {
        match self {
            TaskArg::Bidding => Task::Bidding,
            TaskArg::Play => Task::Play,
            TaskArg::Full => Task::Full,
            TaskArg::UnseenRules => Task::UnseenRules,
        }
    }
}

pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    args.threads.apply()?;
    let names: Vec<&str> = args.bots.iter().map(String::as_str).collect();
    groups::check_names(&names)?;
    let task = args.task.task();
    let rule_sets = rule_sets(task, args.rules.as_deref(), &names)?;
    let deals = args.trial.unwrap_or(task.deals()).min(task.deals());
    let total = 2.0 * (names.len() * rule_sets.len()) as f64 * deals as f64;
    let progress = Progress::new(total, 0.0, "deals");
    let watch = |event: SeedComparisonEvent<'_>| {
        if let SeedComparisonEvent::Deals(deals) = event {
            progress.add(deals);
        }
    };
    let mut found = Vec::new();
    let mut training = Vec::new();
    let mut identities = Vec::new();
    for rules in &rule_sets {
        let bots = groups::bots(&args.bots, rules)?;
        check_seeds(&bots)?;
        let reference = NamedBot::find(REFERENCE, rules)?;
        anyhow::ensure!(
            bots.iter().all(|bot| bot.identity() != reference.identity()),
            "{REFERENCE} is the opponent of the benchmark, and its score is 0 by definition; name \
             another bot"
        );
        found.push(benchmark::play_task(task, rules, deals, &bots, &reference, &watch)?);
        identities = bots.iter().map(|bot| bot.identity().to_owned()).collect();
        training = bots.iter().filter_map(|bot| bot.training().cloned()).collect();
    }
    progress.finish();
    let is_trial = args.trial.is_some();
    let by_rules = (rule_sets.iter().zip(&found))
        .map(|(rules, one)| json!({"rules": rules.id(), "mean": one.mean}))
        .collect();
    let (score, place) = match &found[..] {
        [one] if task != Task::UnseenRules => (one.clone(), rule_sets[0].id().to_owned()),
        all => (SeedComparison::over_rules(all), format!("{} rule files", all.len())),
    };
    let result = Outcome { task, is_trial, place, names, identities, score, by_rules, training };
    if args.json { result.print_json() } else { result.print_text() }
}

/// Outcome of a task.
struct Outcome<'a> {
    task: Task,
    /// Whether fewer deals were played than the protocol asks for.
    is_trial: bool,
    /// The rule set, or the number of rule files.
    place: String,
    names: Vec<&'a str>,
    /// Identities of the bots, which do not depend on their names.
    identities: Vec<String>,
    score: SeedComparison,
    /// Rule set and mean, for each rule set.
    by_rules: Vec<Value>,
    /// Trainings of the bots that have one.
    training: Vec<TrainingSummary>,
}

/// Returns the rule sets of a task, at least one.
fn rule_sets(
    task: Task,
    option: Option<&str>,
    bots: &[&str],
) -> anyhow::Result<Vec<&'static RuleSet>> {
    if task == Task::UnseenRules {
        anyhow::ensure!(
            option.is_none(),
            "--rules: the task unseen-rules has its own rule files; remove the option"
        );
        return Ok(benchmark::unseen_rules()?);
    }
    let rules = commands::rules_for(option, bots)?;
    let names = RuleSet::built_in_names().collect::<Vec<_>>().join(", ");
    anyhow::ensure!(
        rules.is_built_in(),
        "--rules {}: the benchmark is defined for the built-in rule sets; use one of {names}",
        rules.id()
    );
    Ok(vec![rules])
}

impl Outcome<'_> {
    /// Returns the largest number of training decisions of the bots, if they are trained.
    fn decisions(&self) -> Option<u64> {
        self.training.iter().map(|summary| summary.steps).max()
    }

    fn print_text(&self) -> anyhow::Result<ExitCode> {
        let Self { task, place, score, .. } = self;
        output::line(&format!(
            "benchmark {PROTOCOL} · {} · {place} · {} deals each way · seed {SEED} · opponent \
             {REFERENCE}",
            task.name(),
            score.deals
        ))?;
        if self.is_trial {
            output::line("trial: too few deals for a result")?;
        }
        for (name, row) in self.names.iter().zip(&score.pairs) {
            output::line(&format!("{name}: {:+.3}", row[0]))?;
        }
        output::line(&format!("score: {}", self.score_text()))?;
        if let Some(decisions) = self.decisions() {
            let class = benchmark::budget(decisions)
                .map_or("above all classes".to_owned(), |name| format!("class {name}"));
            let millions = decisions as f64 / 1e6;
            output::line(&format!("training: {millions:.1} million decisions, {class}"))?;
        }
        Ok(ExitCode::SUCCESS)
    }

    fn score_text(&self) -> String {
        let score = &self.score;
        let samples = if self.task == Task::UnseenRules { "rule files" } else { "deals" };
        match (score.estimate().margin(), score.estimate_over_deals().margin()) {
            (Some(half), _) => {
                let seeds = if score.seedless[0] { "" } else { "training seeds and " };
                format!(
                    "{:+.3} ± {half:.3} points per deal (95 % over {seeds}{samples})",
                    score.mean
                )
            }
            (None, Some(half)) => format!(
                "{:+.3} ± {half:.3} points per deal (95 % over {samples} alone: one training seed \
                 says nothing about its recipe; train more seeds)",
                score.mean
            ),
            (None, None) => format!("{:+.3} points per deal (nothing differed)", score.mean),
        }
    }

    fn print_json(&self) -> anyhow::Result<ExitCode> {
        let decisions = self.decisions();
        let mut value = serde_json::to_value(&self.score)?;
        value["protocol"] = json!(PROTOCOL);
        value["task"] = json!(self.task.name());
        value["trial"] = json!(self.is_trial);
        value["rules"] = json!(self.place);
        value["opponent"] = json!(REFERENCE);
        value["seed"] = json!(SEED);
        value["bots"] = json!(self.names);
        value["identities"] = json!(self.identities);
        value["by_rules"] = json!(self.by_rules);
        value["training_seeds"] = self.training.iter().map(|summary| json!(summary.seed)).collect();
        value["decisions"] = json!(decisions);
        value["class"] = json!(decisions.and_then(benchmark::budget));
        value["commit"] = json!(env!("TROEL_COMMIT"));
        output::line(&value.to_string())?;
        Ok(ExitCode::SUCCESS)
    }
}
