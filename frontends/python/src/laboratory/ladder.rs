//! Ladders.

use std::path::PathBuf;

use pyo3::prelude::*;
use troel_agents::NamedBot;
use troel_env::RuleSet;
use troel_eval::ladder::{
    self as ladders, LadderEvent, LadderResult, MIN_DEALS, cross_table, play_missing,
};
use troel_eval::{DealRange, DuplicateConfig};

use super::computation::{Computation, too_few_deals};
use crate::agent::rules_for;
use crate::arguments::{seed, to_python, value_error};
use crate::evaluation_arguments::{range, scope_of, threads};

/// Plays the comparisons that the file of a ladder lacks, and fits strengths to all of the same
/// rules and scope. Returns the JSON of `troel ladder`, its text, and the cross table as Markdown.
#[pyfunction]
#[pyo3(signature = (file, bots, against, anchor, rules, deals, *, seed, scope, threads, progress))]
#[expect(clippy::too_many_arguments, reason = "they have names in Python")]
pub fn ladder<'py>(
    py: Python<'py>,
    file: PathBuf,
    bots: Vec<Bound<'py, PyAny>>,
    against: Vec<Bound<'py, PyAny>>,
    anchor: &Bound<'py, PyAny>,
    rules: Option<&str>,
    #[pyo3(from_py_with = range)] deals: DealRange,
    #[pyo3(from_py_with = seed)] seed: u64,
    scope: &str,
    #[pyo3(from_py_with = threads)] threads: Option<usize>,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<(Bound<'py, PyAny>, String, String)> {
    if deals.len() < MIN_DEALS {
        return Err(too_few_deals(
            deals,
            &format!("for a standard error; use at least {MIN_DEALS}"),
        ));
    }
    if bots.len() == 1 && against.is_empty() {
        return Err(value_error(
            "the bot has no opponent: name a second bot, or an opponent in against",
        ));
    }
    if bots.is_empty() && !against.is_empty() {
        return Err(value_error("against: name the bots that play against it in bots"));
    }
    let mut results = ladders::read(&file).map_err(value_error)?;
    let rules = match ladders::built_in_rules(&results) {
        Some(found) if rules.is_none() && bots.is_empty() => found,
        _ => {
            let all = bots.iter().chain(&against).chain([anchor]);
            rules_for(rules, &all.collect::<Vec<_>>())?
        }
    };
    let config =
        DuplicateConfig { scope: scope_of(scope)?, ..DuplicateConfig::new(rules, deals, seed) };
    let mut computation = Computation::new(rules);
    let (bots, against) = (computation.bots(&bots)?, computation.bots(&against)?);
    let (name, anchor) = identity(&mut computation, anchor, &results)?;
    let is_compared = results.iter().any(|result| result.has(&anchor))
        || bots.iter().chain(&against).any(|bot| bot.identity() == anchor);
    if !bots.is_empty() && !is_compared {
        return Err(value_error(format!(
            "anchor={name:?} is in no comparison: name it among the bots, or use another anchor"
        )));
    }
    let (path, stored) = (file.clone(), results.clone());
    let played = computation.run(py, threads, progress, move |progress| {
        let watch = |event: LadderEvent<'_>| match event {
            LadderEvent::Planned(deals) => progress.plan(deals.iter().sum()),
            LadderEvent::Deals(deals) => progress.add(deals),
            LadderEvent::Begins { .. } => {}
        };
        let baselines = if against.is_empty() { &bots } else { &against };
        play_missing(&path, &config, &bots, baselines, &stored, "", &watch)
    })?;
    results.extend(played);
    results.retain(|result| result.is_comparable(&config));
    ladders::check_overlaps(&file, &results).map_err(value_error)?;
    if results.is_empty() {
        return Err(no_results(&file, rules, scope));
    }
    let fitted = ladders::fit(&results, &anchor);
    let json = to_python(py, &fitted.json(rules, config.scope))?;
    Ok((json, fitted.table(), cross_table(&results, &anchor)))
}

/// Returns the name and the identity of the anchor. A bot in the results need not exist any more.
fn identity(
    computation: &mut Computation,
    anchor: &Bound<'_, PyAny>,
    results: &[LadderResult],
) -> PyResult<(String, String)> {
    if let Ok(name) = anchor.extract::<String>()
        && let Some(identity) = ladders::identity_of(results, &name)
    {
        let identity = identity.to_string();
        return Ok((name, identity));
    }
    let anchor: NamedBot = computation.bot(anchor)?;
    Ok((anchor.name().to_string(), anchor.identity().to_string()))
}

fn no_results(file: &std::path::Path, rules: &RuleSet, scope: &str) -> PyErr {
    let (file, rules) = (file.display(), rules.id());
    value_error(format!("{file} has no results of {rules} in the scope {scope}; name two bots"))
}
