//! Behaviour sheets: calls, results and opening leads of a bot that plays all four seats.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::fmt::Write;

use serde::{Deserialize, Serialize};
use troel_agents::NamedBot;
use troel_agents::driver::{BotTable, Recorder};
use troel_env::{ContractKind, Deals, Phase, RuleSet, Scenario, Seat, State};
use troel_solver::Solver;

use crate::chunks::{chunks, play_chunks, self_play};
use crate::deal_range::DealRange;
use crate::error::EvalError;
use crate::progress::ProgressFn;
pub use crate::proposals::{ByStrength, Proposals};

/// Calls, results and leads of a bot over some deals.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Behaviour {
    /// Deals played.
    pub deals: u64,
    /// Deals that were passed out.
    pub passed_out: u64,
    /// Contracts by kind.
    pub contracts: BTreeMap<String, Declared>,
    /// Opening leads against or in trick contracts by the name of their [`LeadClass`].
    pub leads: BTreeMap<String, u64>,
    /// Proposals, and answers to them, by the strength of the hand.
    #[serde(default)]
    pub proposals: Proposals,
}

/// Class of an opening lead: the first that fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeadClass {
    /// A trump.
    Trump,
    /// An ace of another suit.
    Ace,
    /// The only card of another suit.
    Singleton,
    /// A king, queen or jack of another suit.
    Honour,
    /// A lower card of another suit.
    Low,
}

impl LeadClass {
    /// All classes.
    pub const ALL: [LeadClass; 5] =
        [LeadClass::Trump, LeadClass::Ace, LeadClass::Singleton, LeadClass::Honour, LeadClass::Low];

    /// Returns the name: `trump`, `ace`, `singleton`, `honour` or `low`.
    pub const fn name(self) -> &'static str {
        match self {
            LeadClass::Trump => "trump",
            LeadClass::Ace => "ace",
            LeadClass::Singleton => "singleton",
            LeadClass::Honour => "honour",
            LeadClass::Low => "low",
        }
    }
}

/// Contracts of a kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Declared {
    /// Deals with it.
    pub deals: u64,
    /// Deals in which it was made: the first declarer scored more than 0.
    pub made: u64,
    /// Points of the first declarer, summed.
    pub points: i64,
    /// Deals by the position of a declarer: left of the dealer, the next, the next, the dealer. A
    /// pair counts twice.
    pub positions: [u64; 4],
    /// Declarers of a misère or piccolo that a defence with all cards seen would have beaten from
    /// the first card on. A declarer that takes the solver more than 200,000 positions is not
    /// counted.
    #[serde(default)]
    pub beatable: u64,
    /// Declarers among the `beatable` ones that were beaten.
    #[serde(default)]
    pub beaten: u64,
}

/// Plays evaluation deals of a scenario with the bot in all four seats, and counts calls and
/// results.
///
/// # Errors
/// The bot failed.
pub fn behaviour(
    rules: &'static RuleSet,
    bot: &NamedBot,
    scenario: Scenario,
    deals: DealRange,
    seed: u64,
    progress: ProgressFn<'_>,
) -> Result<Behaviour, EvalError> {
    let parts = play_chunks(&chunks(deals), |range| {
        let part = play(rules, bot, scenario, range, seed);
        progress(range.len() as f64);
        part
    })?;
    let mut total = Behaviour::default();
    parts.iter().for_each(|part| total.merge(part));
    Ok(total)
}

fn play(
    rules: &'static RuleSet,
    bot: &NamedBot,
    scenario: Scenario,
    range: DealRange,
    seed: u64,
) -> Result<Behaviour, EvalError> {
    let deals = Deals::for_evaluation(rules, seed).with_scenario(scenario);
    let mut counter = Counter::default();
    self_play(&deals, range, bot, seed, &mut counter)?;
    Ok(counter.sheet)
}

/// Adds each deal to a sheet.
#[derive(Default)]
struct Counter {
    sheet: Behaviour,
    solver: Solver,
}

impl Recorder for Counter {
    type Error = Infallible;

    fn deal_over(&mut self, _at: usize, table: &BotTable) {
        let state = table.session.state();
        let defence = defence(state, &mut self.solver);
        self.sheet.add(state, defence);
    }
}

/// Positions that the solver may look at for a declarer, so that a sheet takes seconds. Of the
/// declarers of our networks one in six to nine needs more, and is not counted.
const MAX_NODES: u64 = 200_000;

/// Declarers of a misère or piccolo.
#[derive(Clone, Copy, Default)]
struct DefenceCounts {
    /// Declarers that could have been beaten.
    beatable: u64,
    /// Those among them that were.
    beaten: u64,
}

/// Counts the declarers of a misère or piccolo that could have been beaten.
fn defence(end: &State, solver: &mut Solver) -> DefenceCounts {
    let mut counts = DefenceCounts::default();
    let Some(contract) = end.contract().filter(|contract| contract.kind.is_negative()) else {
        return counts;
    };
    let mut before = end.steps().map(|(before, ..)| before);
    let Some(start) = before.find(|before| before.phase() == Phase::Play) else { return counts };
    for declarer in contract.declarers.iter() {
        // The set of uncounted contracts must not depend on the deals before.
        solver.clear();
        if solver.makes(&start, declarer, MAX_NODES) == Some(false) {
            let is_beaten = solver.makes(end, declarer, MAX_NODES) == Some(false);
            counts.beatable += 1;
            counts.beaten += u64::from(is_beaten);
        }
    }
    counts
}

impl Behaviour {
    fn add(&mut self, state: &State, defence: DefenceCounts) {
        self.deals += 1;
        self.proposals.count(state);
        let (Some(contract), Some(scores)) = (state.contract(), state.scores()) else {
            self.passed_out += 1;
            return;
        };
        let declared = self.contracts.entry(contract.kind.name().to_string()).or_default();
        declared.deals += 1;
        declared.beatable += defence.beatable;
        declared.beaten += defence.beaten;
        if let Some(first) = contract.declarers.first() {
            declared.made += u64::from(scores[first] > 0);
            declared.points += i64::from(scores[first]);
        }
        for seat in contract.declarers.iter() {
            declared.positions[position(state, seat)] += 1;
        }
        if let Some(class) = lead(state) {
            *self.leads.entry(class.name().to_string()).or_default() += 1;
        }
    }
}

/// Returns 0 for the seat left of the dealer, to 3 for the dealer.
fn position(state: &State, seat: Seat) -> usize {
    seat.relative_to(state.dealer().next())
}

/// Returns the class of the opening lead of a trick contract.
fn lead(state: &State) -> Option<LeadClass> {
    let contract = state.contract()?;
    if contract.kind.is_negative() {
        return None;
    }
    let (before, seat, action) = state.steps().find(|step| step.0.phase() == Phase::Play)?;
    let card = action.as_card()?;
    let alone = before.hands()[seat].of(card.suit()).len() == 1;
    Some(match card.rank() {
        _ if contract.trump == Some(card.suit()) => LeadClass::Trump,
        12 => LeadClass::Ace,
        _ if alone => LeadClass::Singleton,
        9..12 => LeadClass::Honour,
        _ => LeadClass::Low,
    })
}

impl Behaviour {
    fn merge(&mut self, other: &Behaviour) {
        self.deals += other.deals;
        self.passed_out += other.passed_out;
        for (kind, theirs) in &other.contracts {
            let ours = self.contracts.entry(kind.clone()).or_default();
            ours.deals += theirs.deals;
            ours.made += theirs.made;
            ours.points += theirs.points;
            ours.beatable += theirs.beatable;
            ours.beaten += theirs.beaten;
            ours.positions
                .iter_mut()
                .zip(theirs.positions)
                .for_each(|(ours, theirs)| *ours += theirs);
        }
        for (class, count) in &other.leads {
            *self.leads.entry(class.clone()).or_default() += count;
        }
        self.proposals.merge(&other.proposals);
    }
}

/// Width of the cells of a bot in the table.
const CELL_WIDTH: usize = 44;
/// Width of the names of the rows in the table.
const NAME_WIDTH: usize = 17;

/// Formats the names of the bots and the titles of their columns.
fn heading(sheets: &[(String, Behaviour)]) -> String {
    let mut out = format!("{:<NAME_WIDTH$}", "");
    for (name, _) in sheets {
        let hidden = name.chars().count().saturating_sub(CELL_WIDTH);
        let end: String = name.chars().skip(hidden).collect();
        let _ = write!(out, "  {end:<CELL_WIDTH$}");
    }
    out.truncate(out.trim_end().len());
    let _ = write!(out, "\n{:<NAME_WIDTH$}", "contract");
    for _ in sheets {
        let _ = write!(
            out,
            "  {:>6} {:>5} {:>7}  {:<22}",
            "deals", "made", "points", "by position 1 2 3 4"
        );
    }
    out
}

/// Formats the sheets of some bots side by side.
pub fn table(sheets: &[(String, Behaviour)]) -> String {
    let mut out = heading(sheets);
    let percent = |part: u64, whole: u64| 100.0 * part as f64 / whole.max(1) as f64;
    let mut row = |name: &str, cell: &dyn Fn(&Behaviour) -> String| {
        let cells = sheets.iter().map(|(_, sheet)| format!("  {:<CELL_WIDTH$}", cell(sheet)));
        let line = format!("{name:<NAME_WIDTH$}{}", cells.collect::<String>());
        let _ = write!(out, "\n{}", line.trim_end());
    };
    row("passed out", &|sheet| format!("{:>5.1}%", percent(sheet.passed_out, sheet.deals)));
    for kind in ContractKind::ALL.map(ContractKind::name) {
        if !sheets.iter().any(|(_, sheet)| sheet.contracts.contains_key(kind)) {
            continue;
        }
        row(kind, &|sheet| {
            let declared = sheet.contracts.get(kind).copied().unwrap_or_default();
            if declared.deals == 0 {
                return format!("{:>5.1}%", 0.0);
            }
            let all = declared.positions.iter().sum::<u64>();
            let positions = declared.positions.map(|n| format!("{:.0}%", percent(n, all)));
            format!(
                "{:>5.1}% {:>4.0}% {:>+7.2}  {}",
                percent(declared.deals, sheet.deals),
                percent(declared.made, declared.deals),
                declared.points as f64 / declared.deals as f64,
                positions.join(" ")
            )
        });
    }
    for kind in ContractKind::ALL.into_iter().filter(|kind| kind.is_negative()) {
        let of = |sheet: &Behaviour| {
            let declared = sheet.contracts.get(kind.name()).copied().unwrap_or_default();
            (declared.beaten, declared.beatable)
        };
        if sheets.iter().any(|(_, sheet)| of(sheet).1 > 0) {
            row(&format!("beat {}", kind.name()), &|sheet| {
                let (beaten, beatable) = of(sheet);
                let share = percent(beaten, beatable);
                if beatable == 0 { "    -".into() } else { format!("{share:>5.1}% of {beatable}") }
            });
        }
    }
    for class in LeadClass::ALL.map(LeadClass::name) {
        row(&format!("lead {class}"), &|sheet| {
            let all = sheet.leads.values().sum::<u64>();
            format!("{:>5.1}%", percent(sheet.leads.get(class).copied().unwrap_or(0), all))
        });
    }
    row("high-card points", &|_| ByStrength::heading());
    row("propose", &|sheet| sheet.proposals.proposed.shares());
    row("go along", &|sheet| sheet.proposals.went_along.shares());
    out.push('\n');
    out
}

#[cfg(test)]
mod tests {
    use troel_agents::driver::{self, Seating};
    use troel_env::Session;

    use super::*;

    /// Counts declarers of misères with and without a trick.
    #[derive(Default)]
    struct Check {
        solver: Solver,
        counts: [u64; 2],
        tricks: [u64; 2],
    }

    impl Recorder for Check {
        type Error = Infallible;

        fn deal_over(&mut self, _at: usize, table: &BotTable) {
            let state = table.session.state();
            let Some(contract) = state.contract() else { return };
            if !contract.kind.is_negative() || contract.kind == ContractKind::Piccolo {
                return;
            }
            let DefenceCounts { beatable, beaten } = defence(state, &mut self.solver);
            let with =
                contract.declarers.iter().filter(|&seat| state.tricks()[seat] > 0).count() as u64;
            let without = u64::from(contract.declarers.len()) - with;
            assert!(beaten <= with && beatable - beaten <= without, "{contract:?}");
            self.counts[0] += beatable;
            self.counts[1] += beaten;
            self.tricks[0] += with;
            self.tricks[1] += without;
        }
    }

    #[test]
    fn beaten_declarers_could_be_beaten_and_took_a_trick() {
        let rules = RuleSet::built_in("luxembourg").unwrap();
        let deals = Deals::for_evaluation(rules, 3);
        let deals = deals.with_scenario(Scenario::parse("misere").unwrap());
        let mut tables: Vec<BotTable> = (0..16)
            .map(|n| BotTable {
                session: Session::from_deal(rules, &deals.shuffled(n, Seat::dealer(n))),
                seating: Seating::all(0),
            })
            .collect();
        let mut check = Check::default();
        let bot = NamedBot::find("rules", rules).unwrap();
        driver::run(&mut tables, &mut [bot.instantiate(1)], &mut check).unwrap();
        let Check { counts: [beatable, beaten], tricks: [with, without], .. } = check;
        assert!(beaten > 0 && with > 0 && without > 0, "{beatable} {beaten} {with} {without}");
    }
}
