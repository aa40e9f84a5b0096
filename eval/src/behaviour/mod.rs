//! Behaviour sheets: calls, results and opening leads of a bot that plays all four seats.

mod leads;
mod proposals;
mod table;

use std::collections::BTreeMap;
use std::convert::Infallible;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use troel_agents::NamedBot;
use troel_agents::driver::{BotTable, Recorder};
use troel_env::{Deals, Phase, RuleSet, Scenario, Seat, State};
use troel_solver::Solver;

pub use self::leads::LeadClass;
pub use self::proposals::{ByStrength, Proposals};
use crate::chunks::{chunks, play_chunks, self_play};
use crate::deal_range::DealRange;
use crate::error::EvalError;
use crate::progress::ProgressFn;

/// Calls, results and leads of a bot over some deals.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Behaviour {
    /// Deals played.
    pub deals: u64,
    /// Deals that were passed out.
    pub passed_out: u64,
    /// Contracts by kind.
    pub contracts: BTreeMap<String, ContractCounts>,
    /// Opening leads against or in trick contracts by the name of their [`LeadClass`].
    pub leads: BTreeMap<String, u64>,
    /// Proposals, and answers to them, by the strength of the hand.
    #[serde(default)]
    pub proposals: Proposals,
}

/// Contracts of a kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContractCounts {
    /// Deals with it.
    pub deals: u64,
    /// Deals in which it was made: the first declarer scored more than 0.
    pub made: u64,
    /// Points of the first declarer, summed.
    pub points: i64,
    /// Deals by the position of a declarer, clockwise from the dealer's left to the dealer. A pair
    /// counts twice.
    pub positions: [u64; 4],
    /// Declarers of a misère or piccolo that the best defence would have beaten. The defence plays
    /// from the first card on, with all cards seen. A declarer that takes the solver more than
    /// 200,000 positions is not counted.
    #[serde(default)]
    pub beatable: u64,
    /// Declarers among the `beatable` ones that were beaten.
    #[serde(default)]
    pub beaten: u64,
}

/// Counts the calls and results of a bot in all four seats of evaluation deals of a scenario.
///
/// # Errors
/// The bot failed.
pub fn measure_behaviour(
    rules: &'static RuleSet,
    bot: &NamedBot,
    scenario: Scenario,
    deals: DealRange,
    seed: u64,
    progress: ProgressFn<'_>,
) -> Result<Behaviour, EvalError> {
    let parts = play_chunks(&chunks(deals), |range| {
        let part = measure_chunk(rules, bot, scenario, range, seed);
        progress(range.len() as f64);
        part
    })?;
    let mut total = Behaviour::default();
    parts.iter().for_each(|part| total.merge(part));
    Ok(total)
}

fn measure_chunk(
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

/// Maximum number of positions that the solver visits for a declarer, so that a sheet takes
/// seconds. One in six to nine declarers of trained networks needs more, and is not counted.
const MAX_DEFENCE_NODES: u64 = 200_000;

/// Declarers of a misère or piccolo.
#[derive(Clone, Copy, Default)]
struct DefenceCounts {
    /// Declarers that could have been beaten.
    beatable: u64,
    /// Declarers among them that were beaten.
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
        if solver.declarer_makes(&start, declarer, MAX_DEFENCE_NODES) == Ok(Some(false)) {
            let makes = solver.declarer_makes(end, declarer, MAX_DEFENCE_NODES);
            let is_beaten = makes == Ok(Some(false));
            counts.beatable += 1;
            counts.beaten += u64::from(is_beaten);
        }
    }
    counts
}

impl Behaviour {
    /// Returns the sheet as JSON, with the settings of its measurement.
    pub fn json(&self, rules: &RuleSet, scenario: &str, deals: DealRange, seed: u64) -> Value {
        let mut value = json!(self);
        value["rules"] = json!(rules.id());
        value["scenario"] = json!(scenario);
        value["range"] = json!(deals);
        value["seed"] = json!(seed);
        value
    }

    fn add(&mut self, state: &State, defence: DefenceCounts) {
        self.deals += 1;
        self.proposals.count(state);
        let (Some(contract), Some(scores)) = (state.contract(), state.scores()) else {
            self.passed_out += 1;
            return;
        };
        let counts = self.contracts.entry(contract.kind.name().to_string()).or_default();
        counts.deals += 1;
        counts.beatable += defence.beatable;
        counts.beaten += defence.beaten;
        if let Some(first) = contract.declarers.first() {
            counts.made += u64::from(scores[first] > 0);
            counts.points += i64::from(scores[first]);
        }
        for seat in contract.declarers.iter() {
            counts.positions[position(state, seat)] += 1;
        }
        if let Some(class) = LeadClass::of_deal(state) {
            *self.leads.entry(class.name().to_string()).or_default() += 1;
        }
    }

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

/// Returns 0 for the seat left of the dealer, to 3 for the dealer.
fn position(state: &State, seat: Seat) -> usize {
    seat.relative_to(state.dealer().next())
}

#[cfg(test)]
mod tests {
    use troel_agents::driver::{self, Seating};
    use troel_env::{ContractKind, Session};

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
