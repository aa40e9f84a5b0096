//! Answers of bots to problems, and the points that they lose.

use std::fmt::Write;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use troel_agents::{Bot, BotError, DecisionDetail, NamedBot, decide, driver};
use troel_env::{Action, Observation, Record, Session, State, printable};

use super::types::{PosedProblem, ProblemError, SuiteName};
use crate::progress::ProgressFn;
use crate::statistics::ClusteredMean;
use crate::text_table::column_width;

/// Problems per chunk. Fixed, so that results do not depend on the number of threads.
const PROBLEMS_PER_CHUNK: usize = 16;

/// Maximum number of unsolved problems that a sheet lists.
const MAX_WORST_PROBLEMS: usize = 100;

/// Result of a bot on a suite of problems.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProblemSheet {
    /// Name of the bot.
    pub bot: String,
    /// The suite.
    pub suite: SuiteName,
    /// Share of the problems that were answered by an accepted action, 0 to 1.
    pub solved: f64,
    /// Mean probability of the accepted actions in the bot's policy, 0 to 1.
    pub probability: f64,
    /// Smallest probability of the accepted actions of a problem, 0 to 1.
    pub least_probability: f64,
    /// Points lost per problem against the best accepted action. Where the value of every action
    /// is known, this is the difference of the values. Otherwise the bot plays the deal out in all
    /// four seats, after its own action and after the best one; an accepted action loses nothing.
    /// The loss is negative where the bot's own action scores more.
    pub lost: ClusteredMean,
    /// The unsolved problems, those that lost most first; at most a hundred.
    pub worst: Vec<WorstProblem>,
}

/// An unsolved problem.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorstProblem {
    /// Number of the problem in its suite, from 1.
    pub number: usize,
    /// Code of the bot's action.
    pub action: String,
    /// Code of the best accepted action.
    pub best: String,
    /// Points lost; negative where the bot's own action scores more.
    pub lost: f64,
    /// Reason that the best action is right.
    pub reason: String,
    /// The deal after the bot's action, played out by the bot. Where the values of the actions are
    /// known, it ends at the decision.
    pub record: Record,
}

/// A bot's answer to one problem.
struct Answer {
    is_accepted: bool,
    probability: f64,
    lost: f64,
    worst: WorstProblem,
}

/// Asks a bot about problems. Suites come back in the order in which they first appear.
/// `progress` counts problems.
///
/// # Errors
/// The bot failed.
pub fn ask(
    problems: &[PosedProblem],
    bot: &NamedBot,
    seed: u64,
    progress: ProgressFn<'_>,
) -> Result<Vec<ProblemSheet>, ProblemError> {
    let chunk = |(number, chunk): (usize, &[PosedProblem])| {
        let first = number * PROBLEMS_PER_CHUNK + 1;
        let answers = answer(chunk, first, &mut *bot.instantiate(seed)).map_err(|error| {
            let numbers = (first, first + chunk.len() - 1);
            ProblemError::Bot { name: bot.name().to_string(), numbers, error }
        });
        progress(chunk.len() as f64);
        answers
    };
    let answers: Vec<Vec<Answer>> =
        problems.par_chunks(PROBLEMS_PER_CHUNK).enumerate().map(chunk).collect::<Result<_, _>>()?;
    let mut suites: Vec<(&SuiteName, Vec<Answer>)> = Vec::new();
    for (posed, answer) in problems.iter().zip(answers.into_iter().flatten()) {
        let suite = &posed.problem.suite;
        match suites.iter_mut().find(|(name, _)| *name == suite) {
            Some((_, answers)) => answers.push(answer),
            None => suites.push((suite, vec![answer])),
        }
    }
    Ok(suites.into_iter().map(|(suite, answers)| sheet(bot.name(), suite, answers)).collect())
}

fn sheet(bot: &str, suite: &SuiteName, answers: Vec<Answer>) -> ProblemSheet {
    let mut lost = ClusteredMean::default();
    answers.iter().for_each(|answer| lost.add(answer.lost));
    let n = answers.len() as f64;
    let solved = answers.iter().filter(|answer| answer.is_accepted).count() as f64 / n;
    let probability = answers.iter().map(|answer| answer.probability).sum::<f64>() / n;
    let least_probability = answers.iter().map(|answer| answer.probability).fold(1.0, f64::min);
    let mut worst: Vec<WorstProblem> = answers
        .into_iter()
        .filter(|answer| !answer.is_accepted)
        .map(|answer| answer.worst)
        .collect();
    worst.sort_by(|a, b| b.lost.total_cmp(&a.lost));
    worst.truncate(MAX_WORST_PROBLEMS);
    let (bot, suite) = (bot.to_string(), suite.clone());
    ProblemSheet { bot, suite, solved, probability, least_probability, lost, worst }
}

/// Returns the answers of a bot, in the order of the problems. `first` is the number of the first
/// one.
fn answer(
    problems: &[PosedProblem],
    first: usize,
    bot: &mut dyn Bot,
) -> Result<Vec<Answer>, BotError> {
    let observe =
        |posed: &PosedProblem| posed.state.observe(posed.state.turn(), Default::default());
    let observations: Vec<Observation> = problems.iter().map(observe).collect();
    let decisions = decide(bot, &observations, DecisionDetail::Policy)?;
    let actions: Vec<_> = decisions.iter().map(|decision| decision.action).collect();
    let own = roll_out_after(problems, |nth| actions[nth], bot)?;
    let best = roll_out_after(problems, |nth| problems[nth].accept[0], bot)?;
    let answers = problems.iter().zip(&decisions).enumerate().map(|(nth, (posed, decision))| {
        let action = decision.action;
        let is_accepted = posed.accept.contains(&action);
        let accepted = decision.policy.iter().filter(|(action, _)| posed.accept.contains(action));
        let lost = match (&own[nth], &best[nth]) {
            _ if is_accepted => 0.0,
            (Some(own), Some(best)) => points(best, posed) - points(own, posed),
            _ => value(posed, posed.accept[0]) - value(posed, action),
        };
        let record = match &own[nth] {
            Some(state) => Record::from_state(state, &Default::default()),
            None => posed.problem.record.clone(),
        };
        let worst = WorstProblem {
            number: first + nth,
            action: action.to_string(),
            best: posed.accept[0].to_string(),
            lost,
            reason: posed.problem.reason.clone(),
            record,
        };
        // The sum of no numbers is −0.0.
        let probability = accepted.map(|&(_, p)| f64::from(p)).sum::<f64>().abs();
        Answer { is_accepted, probability, lost, worst }
    });
    Ok(answers.collect())
}

/// Returns the final states of deals that one bot plays out in all seats after an action. `None`
/// where the values of all actions are known.
fn roll_out_after(
    problems: &[PosedProblem],
    action: impl Fn(usize) -> Action,
    bot: &mut dyn Bot,
) -> Result<Vec<Option<State>>, BotError> {
    let mut sessions = Vec::new();
    for (nth, posed) in problems.iter().enumerate().filter(|(_, posed)| posed.values.is_empty()) {
        let mut state = posed.state;
        state.apply(action(nth)).map_err(|error| BotError::Failed(error.to_string()))?;
        sessions.push(Session::from_state(state));
    }
    let mut played = driver::roll_out(sessions.iter(), bot)?.into_iter();
    let state = |posed: &PosedProblem| {
        if posed.values.is_empty() { played.next().map(|session| *session.state()) } else { None }
    };
    Ok(problems.iter().map(state).collect())
}

/// Returns the points of the seat of a problem in a finished deal.
fn points(end: &State, posed: &PosedProblem) -> f64 {
    let scores = end.scores().expect("a roll-out ends with the deal");
    f64::from(scores[posed.problem.seat])
}

/// Returns the value of a legal action of a problem that has values.
fn value(posed: &PosedProblem, action: Action) -> f64 {
    let found = posed.values.iter().find(|(known, _)| *known == action);
    found.expect("values hold every legal action").1
}

impl ProblemSheet {
    /// Formats the sheets as a table, one line per suite and bot.
    pub fn table(sheets: &[ProblemSheet]) -> String {
        let bots = column_width(sheets.iter().map(|sheet| &sheet.bot), "bot".len());
        let suites =
            column_width(sheets.iter().map(|sheet| sheet.suite.to_string()), "suite".len());
        let mut out = format!(
            "{:<suites$}  {:<bots$}  problems   solved  probability  points lost per problem \
             (95 %)\n",
            "suite", "bot"
        );
        for sheet in sheets {
            let margin = sheet.lost.estimate().margin();
            let margin = margin.map_or(String::new(), |points| format!(" ± {points:.2}"));
            let _ = writeln!(
                out,
                "{:<suites$}  {:<bots$}  {:>8}  {:>5.1} %  {:>9.1} %  {:.2}{margin}",
                printable(&sheet.suite.to_string()),
                sheet.bot,
                sheet.lost.n,
                100.0 * sheet.solved,
                100.0 * sheet.probability,
                sheet.lost.mean(),
            );
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use troel_env::{Deals, RuleSet, Seat};

    use super::super::types::Suite;
    use super::*;

    /// The bot's own action may score more than the accepted one, and is no solution all the same.
    #[test]
    fn all_unsolved_problems_are_listed_by_loss() {
        let rules = RuleSet::built_in("wiezen").expect("built in");
        let record = Record::new(rules, &Deals::new(rules, 1).shuffled(0, Seat::North));
        let answer = |number: usize, is_accepted: bool, lost: f64| {
            let (action, best, reason) = ("pass".to_string(), "8S".to_string(), String::new());
            let record = record.clone();
            let worst = WorstProblem { number, action, best, lost, reason, record };
            Answer { is_accepted, probability: 0.5, lost, worst }
        };
        let answers = vec![
            answer(1, false, -2.0),
            answer(2, true, 0.0),
            answer(3, false, 4.0),
            answer(4, false, 0.0),
        ];
        let sheet = sheet("a bot", &Suite::Endings.into(), answers);
        let numbers: Vec<usize> = sheet.worst.iter().map(|worst| worst.number).collect();
        assert_eq!((sheet.solved, numbers), (0.25, vec![3, 4, 1]));
    }
}
