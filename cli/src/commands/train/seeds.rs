//! `troel train --seeds`: one run per seed, one after the other.

use std::fmt::{self, Display, Formatter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::str::FromStr;

use anyhow::bail;
use troel_agents::Registry;
use troel_env::printable;
use troel_eval::{ClusteredMean, Estimate};
use troel_nn::{Bundle, ComparisonSummary};
use troel_train::{TrainConfig, Trainer};

use super::next_steps;
use crate::output;
use crate::processes::Processes;

/// Maximum number of seeds.
const MAX_SEEDS: usize = 1000;

/// Seeds in the order in which they are trained, each once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seeds {
    /// The option as it was given.
    text: String,
    list: Vec<u64>,
}

impl FromStr for Seeds {
    type Err = String;

    fn from_str(text: &str) -> Result<Seeds, String> {
        let number = |part: &str| {
            let seed: Option<u64> = part.trim().parse().ok();
            seed.filter(|&seed| i64::try_from(seed).is_ok()).ok_or_else(|| {
                format!(
                    "{part:?} is not a seed from 0 to {}; write 1..5 for five seeds, or 1,2,7",
                    i64::MAX
                )
            })
        };
        let mut list = Vec::new();
        for part in text.split(',') {
            let (first, last) = part.split_once("..").unwrap_or((part, part));
            let (first, last) = (number(first)?, number(last)?);
            if first > last {
                return Err(format!(
                    "{part}: the range ends before it begins; write {last}..{first}"
                ));
            }
            if last - first >= MAX_SEEDS as u64 {
                return Err(format!("{part}: at most {MAX_SEEDS} seeds"));
            }
            for seed in first..=last {
                if list.contains(&seed) {
                    return Err(format!("seed {seed} is listed twice; name each seed once"));
                }
                list.push(seed);
            }
        }
        if list.len() > MAX_SEEDS {
            return Err(format!("{} seeds; at most {MAX_SEEDS}", list.len()));
        }
        Ok(Seeds { text: text.replace(' ', ""), list })
    }
}

impl Display for Seeds {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Run of a seed when the command begins.
#[derive(Clone, Debug, PartialEq, Eq)]
enum SeedRun {
    /// The run is finished; the folder of its bot.
    Finished(PathBuf),
    /// The run has a checkpoint to resume from.
    Resumable,
    /// There is no run yet.
    New,
}

impl SeedRun {
    /// Finds the run of a recipe.
    ///
    /// # Errors
    /// The run cannot be started, or cannot be resumed under this recipe.
    fn of(config: &TrainConfig, resume: bool) -> anyhow::Result<SeedRun> {
        if resume {
            let can_resume = Trainer::can_resume(config);
            match Trainer::finished(config) {
                Ok(Some(bot)) => return Ok(SeedRun::Finished(bot)),
                // It may get another horizon, which its last checkpoint allows.
                Ok(None) | Err(_) if can_resume => {
                    Trainer::check_resume(config)?;
                    return Ok(SeedRun::Resumable);
                }
                Ok(None) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Trainer::check_start(config, &Registry::default())?;
        Ok(SeedRun::New)
    }
}

/// Trains one run per seed. A seed that fails does not end the others. `train_run` trains a recipe
/// to its end, or resumes it, and returns the folder of the bot; none if it was interrupted. `hint`
/// says how an interrupted training continues. `recipe` is the path of the recipe, for the commands
/// to run next.
pub fn train(
    recipe: &Path,
    config: &TrainConfig,
    seeds: &Seeds,
    resume: bool,
    hint: &str,
    processes: &Processes,
    train_run: impl Fn(TrainConfig, bool) -> anyhow::Result<Option<PathBuf>>,
) -> anyhow::Result<ExitCode> {
    let of_seed = |&seed: &u64| {
        let run = Path::new(&config.run).join(seed.to_string()).display().to_string();
        TrainConfig { run, seed, ..config.clone() }
    };
    let configs: Vec<TrainConfig> = seeds.list.iter().map(of_seed).collect();
    if Trainer::can_resume(config) {
        bail!("{} holds the run of a single seed; name another folder with --run", config.run);
    }
    // Reports an error of any seed before the first is trained.
    let found: Vec<SeedRun> =
        configs.iter().map(|config| SeedRun::of(config, resume)).collect::<Result<_, _>>()?;
    let (mut bots, mut failed) = (Vec::new(), Vec::new());
    for (nth, (config, found)) in configs.into_iter().zip(found).enumerate() {
        let (seed, run) = (config.seed, config.run.clone());
        let place = format!("seed {seed} ({} of {})", nth + 1, seeds.list.len());
        if let SeedRun::Finished(bot) = found {
            processes.note(&format!("{place}: {run} is finished, skipped"));
            output::line(&format!("bot: {}", bot.display()))?;
            bots.push((seed, bot));
            continue;
        }
        let verb = if found == SeedRun::Resumable { "resumed" } else { "started" };
        processes.note(&format!("{place}: {run} is {verb}"));
        match train_run(config, found == SeedRun::Resumable) {
            Ok(Some(bot)) => {
                output::line(&format!("bot: {}", bot.display()))?;
                bots.push((seed, bot));
            }
            Ok(None) => processes.interrupted(hint),
            Err(error) if output::is_broken_pipe(&error) => return Err(error),
            Err(error) => {
                processes.note(&format!("{place} failed: {error:#}"));
                failed.push(seed.to_string());
            }
        }
    }
    if !bots.is_empty() {
        output::text(&table(&bots)?)?;
    }
    if failed.is_empty()
        && let Some((seed, bot)) = bots.first()
    {
        let heading = format!("What to do next, with the bot of seed {seed}");
        output::note(&next_steps::text(&heading, recipe, bot, &config.run));
    }
    if !failed.is_empty() {
        bail!(
            "{} of {} seeds failed: {}; fix the errors above and continue with\n  {}",
            failed.len(),
            seeds.list.len(),
            failed.join(", "),
            hint.lines().last().unwrap_or_default().trim()
        );
    }
    Ok(ExitCode::SUCCESS)
}

/// Formats the final evaluations by seed, and their means over seeds.
fn table(bots: &[(u64, PathBuf)]) -> anyhow::Result<String> {
    let mut rows = Vec::new();
    for (seed, path) in bots {
        rows.push((*seed, Bundle::load(path)?.info.evaluation));
    }
    Ok(table_of(&rows))
}

/// Formats the table of these evaluations, by seed.
fn table_of(rows: &[(u64, Vec<ComparisonSummary>)]) -> String {
    // A run that got another horizon has several evaluations against a baseline: the last one
    // counts.
    let last = |evaluations: &[ComparisonSummary], baseline: &str| {
        evaluations.iter().rev().find(|found| found.baseline == baseline).cloned()
    };
    let mut baselines: Vec<&str> = Vec::new();
    for found in rows.iter().flat_map(|(_, evaluations)| evaluations) {
        if !baselines.contains(&found.baseline.as_str()) {
            baselines.push(&found.baseline);
        }
    }
    let mut out = String::new();
    for baseline in baselines {
        let known: Vec<(u64, ComparisonSummary)> = rows
            .iter()
            .filter_map(|(seed, evaluations)| Some((*seed, last(evaluations, baseline)?)))
            .collect();
        let deals = |found: &ComparisonSummary| (found.deals, found.seed);
        let is_shared = known.iter().all(|(_, found)| deals(found) == deals(&known[0].1));
        let _ = writeln!(
            out,
            "\nfinal evaluation against {}, points per deal (95 % over deals)",
            printable(baseline)
        );
        let mut points = ClusteredMean::default();
        for (seed, found) in &known {
            let half = (found.ci95[1] - found.ci95[0]) / 2.0;
            let cell = Estimate::new(found.points_per_deal, half).text(2);
            let _ = writeln!(out, "  seed {seed:<6} {cell}");
            points.add(found.points_per_deal);
        }
        let _ = match (points.n, is_shared) {
            (1, _) => writeln!(out, "  one seed: no interval over seeds"),
            (n, true) => {
                let mean = points.estimate().text(2);
                writeln!(out, "  mean        {mean} (95 % over {n} seeds, on the same deals)")
            }
            (_, false) => writeln!(out, "  no mean: the seeds were evaluated on different deals"),
        };
    }
    if out.is_empty() {
        out.push_str("no final evaluation: eval.final_deals is 0, or there is no baseline\n");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seeds(text: &str) -> Result<Vec<u64>, String> {
        text.parse::<Seeds>().map(|seeds| seeds.list)
    }

    #[test]
    fn ranges_include_both_ends() {
        assert_eq!(seeds("1..5"), Ok(vec![1, 2, 3, 4, 5]));
        assert_eq!(seeds("7"), Ok(vec![7]));
        assert_eq!(seeds("1,2,7"), Ok(vec![1, 2, 7]));
        assert_eq!(seeds("9, 1..3"), Ok(vec![9, 1, 2, 3]));
        for (text, why) in [
            ("", "not a seed"),
            ("1,", "not a seed"),
            ("..5", "not a seed"),
            ("1..=5", "not a seed"),
            ("-1", "not a seed"),
            ("9223372036854775808", "not a seed"),
            ("5..1", "write 1..5"),
            ("1..5,3", "twice"),
            ("0..1000", "at most 1000"),
            ("0..9223372036854775807", "at most 1000"),
            ("0..999,2000", "at most 1000"),
        ] {
            let error = seeds(text).expect_err(text);
            assert!(error.contains(why), "{text}: {error}");
        }
    }

    fn summary(points: f64, deals: u64) -> ComparisonSummary {
        ComparisonSummary {
            baseline: "rules".to_string(),
            scope: "full".to_string(),
            points_per_deal: points,
            ci95: [points - 0.1, points + 0.1],
            deals,
            seed: 1,
            rules: String::new(),
        }
    }

    #[test]
    fn the_interval_is_over_seeds() {
        let rows = [1.0, 2.0, 3.0].map(|points| (points as u64, vec![summary(points, 100)]));
        let table = table_of(&rows);
        assert!(table.contains("seed 2      +2.00 ± 0.10"), "{table}");
        // t = 4.303 with two degrees of freedom, times 1/√3.
        assert!(table.contains("+2.00 ± 2.48 (95 % over 3 seeds"), "{table}");
        let one = table_of(&rows[..1]);
        assert!(one.contains("one seed") && !one.contains("mean"), "{one}");
        let last = [(1, vec![summary(9.0, 100), summary(1.0, 50)]), rows[1].clone()];
        assert!(table_of(&last).contains("different deals"), "{}", table_of(&last));
        assert!(table_of(&[(1, Vec::new())]).contains("no final evaluation"));
    }
}
