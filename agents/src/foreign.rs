//! `bot:CMD`: any program that speaks the bot protocol, as an agent.

use std::collections::HashSet;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::Duration;

use serde_json::{Value, json};
use troel_env::{Action, ActionSet, Observation, Record, RuleSet};

use crate::agent::Agent;

/// Time that a program has for an answer; more than any bot here takes, less than anybody waits.
const TIME_LIMIT: Duration = Duration::from_secs(10);

/// A program at the table.
///
/// A crash, a time-out or an answer that is not legal is reported on standard error and forfeits the deal: from there
/// on the seat passes and plays its lowest cards without the program being asked. The next deal starts it anew.
pub struct Foreign {
    command: String,
    limit: Duration,
    process: Option<Process>,
    /// Deals that are forfeited, by what the seat was dealt.
    forfeited: HashSet<String>,
}

/// A running program, with a thread that reads its answers.
struct Process {
    child: Child,
    input: ChildStdin,
    answers: Receiver<String>,
}

impl Drop for Process {
    fn drop(&mut self) {
        // One that ended by itself cannot be ended again.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Process {
    fn start(command: &str) -> Result<Process, String> {
        let mut child = Command::new("sh")
            .args(["-c", command])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("cannot be started: {error}"))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("has no input or output".to_string());
        };
        let (send, answers) = mpsc::channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines() {
                let Ok(line) = line else { return };
                if send.send(line).is_err() {
                    return;
                }
            }
        });
        Ok(Process { child, input, answers })
    }

    fn ask(&mut self, request: &Value, limit: Duration) -> Result<Value, String> {
        writeln!(self.input, "{request}").map_err(|_| "has ended".to_string())?;
        let line = self.answers.recv_timeout(limit).map_err(|error| match error {
            RecvTimeoutError::Timeout => format!("gave no answer within {limit:?}"),
            RecvTimeoutError::Disconnected => "has ended".to_string(),
        })?;
        let shown: String = line.chars().take(200).collect();
        serde_json::from_str(&line).map_err(|_| format!("answered {shown:?}, which is not JSON"))
    }
}

impl Foreign {
    /// The program of a shell command.
    pub fn new(command: &str) -> Foreign {
        Foreign::with_limit(command, TIME_LIMIT)
    }

    fn with_limit(command: &str, limit: Duration) -> Foreign {
        let command = command.to_string();
        Foreign { command, limit, process: None, forfeited: HashSet::new() }
    }

    /// Starts the program and asks it whether it speaks the protocol and plays a rule set.
    ///
    /// # Errors
    /// Says what is amiss.
    pub fn check(&mut self, rules: &RuleSet) -> Result<(), String> {
        let answer = self.ask(&json!({"id": 0, "cmd": "hello"}))?;
        if answer["protocol"] != json!(1) {
            return Err(format!("does not speak version 1 of the bot protocol: {answer}"));
        }
        let plays = answer["rules"].as_array().is_some_and(|all| all.contains(&json!(rules.id())));
        if plays { Ok(()) } else { Err(format!("does not play {}", rules.id())) }
    }

    fn ask(&mut self, request: &Value) -> Result<Value, String> {
        let process = match &mut self.process {
            Some(process) => process,
            none => none.insert(Process::start(&self.command)?),
        };
        let answer = process.ask(request, self.limit);
        if answer.is_err() {
            self.process = None;
        }
        answer
    }

    fn choose(&mut self, observation: &Observation) -> Action {
        let legal = observation.legal_actions();
        let seat = observation.seat();
        let record = Record::of(observation);
        // What a seat was dealt tells its deals apart: it stays the same from the first call to the last card.
        let dealt = record.deal.trim_start_matches("N:").split(' ').nth(seat.index());
        let deal = format!("{} {}", record.dealer.letter(), dealt.unwrap_or_default());
        if self.forfeited.contains(&deal) {
            return lowest(legal);
        }
        let request = json!({"id": 1, "cmd": "act", "record": record, "seat": seat});
        let action = self.ask(&request).and_then(|answer| {
            let code = answer["action"].as_str().ok_or_else(|| format!("answered {answer}"))?;
            let action = Action::parse(code, observation.state().phase());
            action.filter(|&a| legal.has(a)).ok_or_else(|| {
                let shown: String = code.chars().take(40).collect();
                format!("answered {shown:?}, which is not legal there")
            })
        });
        action.unwrap_or_else(|fault| {
            eprintln!("bot:{}: {fault}; {} forfeits the deal", self.command, seat.letter());
            self.forfeited.insert(deal);
            lowest(legal)
        })
    }
}

/// The pass, or the first action there is: what a forfeited seat does.
fn lowest(legal: ActionSet) -> Action {
    let first = || legal.nth_action(0).unwrap_or(Action::PASS);
    if legal.has(Action::PASS) { Action::PASS } else { first() }
}

impl Agent for Foreign {
    fn act(&mut self, observations: &[Observation], out: &mut [Action]) {
        for (observation, action) in observations.iter().zip(out) {
            *action = self.choose(observation);
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use troel_env::{BySeat, Deals, Seat, State};

    use super::*;

    fn play(command: &str) -> (u32, usize) {
        let rules = RuleSet::built_in("luxembourg").unwrap();
        let mut agent = Foreign::with_limit(command, Duration::from_millis(300));
        let mut decisions = 0;
        for n in 0..2 {
            let mut state = State::new(rules, &Deals::new(rules, 4).shuffled(n, Seat::North));
            while !state.is_done() {
                let mut action = [Action::PASS];
                agent.act(&[state.observe(state.turn(), BySeat::default())], &mut action);
                state.apply(action[0]).expect("legal, whatever the program says");
                decisions += 1;
            }
        }
        (decisions, agent.forfeited.len())
    }

    #[test]
    fn faults_forfeit_deals_and_no_more() {
        // Ends at once; cannot be found; says what is no JSON; what is not legal; nothing at all.
        for command in [
            "true",
            "no-such-program",
            "yes",
            "while read x; do echo '{\"action\":\"XX\"}'; done",
            "sleep 9",
        ] {
            let (decisions, forfeited) = play(command);
            assert!(decisions >= 8, "{command}");
            assert_eq!(forfeited, 8, "{command}: each seat, each deal, once");
        }
        let answers = "while read x; do echo '{\"action\":\"pass\"}'; done";
        let (decisions, forfeited) = play(answers);
        assert!(decisions >= 8 && forfeited < 8, "passing is legal for a while");
    }

    #[test]
    fn a_program_that_does_not_speak_is_refused() {
        let rules = RuleSet::built_in("iwwa").unwrap();
        let check = |command: &str| Foreign::new(command).check(rules);
        assert!(check("true").unwrap_err().contains("ended"));
        assert!(check("echo '{}'; cat").unwrap_err().contains("version 1"));
        let hello = |rules: &str| format!("echo '{{\"protocol\":1,\"rules\":[\"{rules}\"]}}'; cat");
        assert!(check(&hello("wiezen")).unwrap_err().contains("does not play iwwa"));
        assert_eq!(check(&hello("iwwa")), Ok(()));
    }
}
