//! External bots: `bot:COMMAND` runs any program that speaks the bot protocol.

mod error;
mod process;
mod program;
mod running;

use std::collections::HashMap;

use serde_json::{Value, json};
use troel_env::{Action, ActionSet, CardSet, Observation, Record, RuleSet, Seat, excerpt};

pub use self::error::ExternalError;
use self::error::external_error;
use self::process::Process;
pub use self::program::Program;
pub use self::running::end_all;
use crate::bot::{Bot, BotError, Decision, DecisionDetail, decide_each};
use crate::bot_protocol::PROTOCOL_VERSION;

/// Bot whose actions come from an external program.
///
/// A crash, a timeout or an illegal answer is reported on standard error and forfeits the deal. For
/// the rest of the deal the seat passes, or takes its first legal action, and the program is not
/// asked. In the next deal the program is asked again. It is restarted if it ended, timed out or
/// did not answer with JSON.
pub struct External {
    program: Program,
    process: Option<Process>,
    /// The actions up to each forfeit, by deal. Tables at which the same deal is played differ in
    /// their actions.
    forfeited: HashMap<DealKey, Vec<Vec<String>>>,
}

/// Identity of a deal, as far as a seat knows it.
#[derive(PartialEq, Eq, Hash)]
struct DealKey {
    dealer: Seat,
    /// The seat's hand as dealt.
    dealt_hand: CardSet,
}

impl DealKey {
    /// Returns the identity of the observed deal.
    fn of(obs: &Observation) -> DealKey {
        DealKey { dealer: obs.public().dealer(), dealt_hand: obs.dealt_hand() }
    }
}

impl External {
    /// Creates a bot for this program, which is started at the first request.
    pub fn new(program: &Program) -> External {
        External { program: program.clone(), process: None, forfeited: HashMap::new() }
    }

    /// Starts the program and checks that it plays a rule set. It must speak the bot protocol
    /// ([`PROTOCOL_VERSION`]).
    ///
    /// # Errors
    /// The program cannot be started, gives no usable answer, speaks another version, or does not
    /// play the rule set.
    pub fn check(&mut self, rules: &RuleSet) -> Result<(), ExternalError> {
        let answer = self.ask(json!({"cmd": "hello"}))?;
        if answer["protocol"] != json!(PROTOCOL_VERSION) {
            return external_error(format!(
                "does not speak version {PROTOCOL_VERSION} of the bot protocol: {answer}"
            ));
        }
        let plays = answer["rules"].as_array().is_some_and(|all| all.contains(&json!(rules.id())));
        if plays { Ok(()) } else { external_error(format!("does not play {}", rules.id())) }
    }

    fn ask(&mut self, request: Value) -> Result<Value, ExternalError> {
        let process = match &mut self.process {
            Some(process) => process,
            none => none.insert(Process::start(&self.program.command)?),
        };
        let answer = process.ask(request, self.program.limit);
        if answer.is_err() {
            self.process = None;
        }
        answer
    }

    fn choose(&mut self, obs: &Observation) -> Action {
        let legal = obs.legal_actions();
        let seat = obs.seat();
        let record = Record::from_observation(obs);
        let deal = DealKey::of(obs);
        let forfeited = self.forfeited.get(&deal);
        if forfeited.is_some_and(|all| all.iter().any(|at| record.actions.starts_with(at))) {
            return forfeit_action(legal);
        }
        let codes: Vec<String> = legal.into_iter().map(|action| action.to_string()).collect();
        let request = json!({"cmd": "act", "record": record, "seat": seat, "legal": codes});
        let action = self.ask(request).and_then(|answer| {
            let Some(code) = answer["action"].as_str() else {
                return external_error(format!("answered {answer}, which has no action"));
            };
            let action = Action::parse(code, obs.public().phase());
            let shown = excerpt(code, 40);
            let illegal =
                || external_error(format!("answered {shown:?}, which is not a legal action"));
            action.filter(|&a| legal.has(a)).map_or_else(illegal, Ok)
        });
        action.unwrap_or_else(|error| {
            let command = &self.program.command;
            tracing::warn!("bot:{command}: {error}; {seat} forfeits the deal");
            self.forfeited.entry(deal).or_default().push(record.actions);
            forfeit_action(legal)
        })
    }
}

/// Returns the action of a forfeited seat: pass if that is legal, else the first legal action.
fn forfeit_action(legal: ActionSet) -> Action {
    let first = || legal.nth_action(0).unwrap_or(Action::PASS);
    if legal.has(Action::PASS) { Action::PASS } else { first() }
}

impl Bot for External {
    fn decide(
        &mut self,
        observations: &[Observation],
        detail: DecisionDetail,
    ) -> Result<Vec<Decision>, BotError> {
        decide_each(observations, detail, |obs| Ok(self.choose(obs)))
    }

    fn forfeits(&self) -> u64 {
        self.forfeited.values().map(|all| all.len() as u64).sum()
    }
}

#[cfg(all(test, unix))]
mod tests {
    use troel_env::{BySeat, Deals, State};

    use super::*;

    /// Shell code that extracts the number of a request.
    const ID: &str = "id=${x#*id\\\":}; id=${id%%[,\\}]*}";

    fn play(command: &str) -> (u32, u64) {
        let rules = RuleSet::built_in("luxembourg").unwrap();
        let mut bot = External::new(&Program::parse(&format!("limit=0.3:{command}")).unwrap());
        let mut decisions = 0;
        for n in 0..2 {
            let mut state = State::new(rules, &Deals::new(rules, 4).shuffled(n, Seat::North));
            while !state.is_done() {
                let obs = state.observe(state.turn(), BySeat::default());
                let decision = crate::decide_one(&mut bot, &obs, DecisionDetail::Action);
                let action = decision.expect("legal, for any answer of the program").action;
                state.apply(action).expect("legal");
                decisions += 1;
            }
        }
        (decisions, bot.forfeits())
    }

    #[test]
    fn faults_forfeit_deals_and_no_more() {
        // In order: ends at once; does not exist; writes no JSON; writes an endless line; answers
        // illegally; never answers; answers another request; answers without a number; writes
        // only to standard error, without end.
        for command in [
            "true",
            "no-such-program",
            "yes",
            "cat /dev/zero",
            &format!("while read x; do {ID}; echo '{{\"id\":'$id',\"action\":\"XX\"}}'; done"),
            "sleep 9",
            "while read x; do echo '{\"id\":77,\"action\":\"pass\"}'; done",
            "while read x; do echo '{\"action\":\"pass\"}'; done",
            "yes >&2",
        ] {
            let (decisions, forfeited) = play(command);
            assert!(decisions >= 8, "{command}");
            assert_eq!(forfeited, 8, "{command}: each seat, each deal, once");
        }
        let answers =
            format!("while read x; do {ID}; echo '{{\"id\":'$id',\"action\":\"pass\"}}'; done");
        let (decisions, forfeited) = play(&answers);
        assert!(decisions >= 8 && forfeited < 8, "passing is legal for a while");
    }

    #[test]
    fn a_program_that_does_not_speak_is_refused() {
        let rules = RuleSet::built_in("iwwa").unwrap();
        let check = |command: &str| External::new(&Program::parse(command)?).check(rules);
        assert!(check("exit 3").unwrap_err().to_string().contains("has ended (exit status: 3)"));
        assert!(check("echo '{\"id\":1}'; cat").unwrap_err().to_string().contains("version 1"));
        assert!(check("echo '{}'; cat").unwrap_err().to_string().contains("whose id is not 1"));
        let hello = |rules: &str| {
            format!("echo '{{\"id\":1,\"protocol\":1,\"rules\":[\"{rules}\"]}}'; cat")
        };
        assert!(check(&hello("wiezen")).unwrap_err().to_string().contains("does not play iwwa"));
        assert_eq!(check(&hello("iwwa")), Ok(()));
        assert_eq!(check(&format!("limit=2.5:{}", hello("iwwa"))), Ok(()));
        assert!(check("limit=0.1:sleep 9").unwrap_err().to_string().contains("within 100ms"));
        for limit in ["", "0", "-1", "NaN", "inf", "1e30", "1e19", "86401", "two"] {
            assert!(
                check(&format!("limit={limit}:cat")).unwrap_err().to_string().contains("SECONDS")
            );
        }
    }
}
