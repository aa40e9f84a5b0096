//! External bots: `bot:COMMAND` runs any program that speaks the bot protocol.

mod running;

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender, TrySendError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use troel_env::{Action, ActionSet, Observation, Record, RuleSet};

pub use self::running::end_all;
use crate::bot::{Bot, BotError, Decision, Detail};

/// Largest answer line, in bytes; the bot protocol limits requests to the same size.
const MAX_LINE_BYTES: usize = 1 << 20;

/// Maximum number of bytes kept of a program's standard error; the rest is dropped.
const MAX_TALK_BYTES: u64 = 1 << 12;

/// Time that a program has for an answer, unless its name says otherwise; enough for all bots here
/// but searches of thousands of worlds.
const TIME_LIMIT: Duration = Duration::from_secs(10);

/// Longest time limit that a name may set, in seconds: a day.
const MAX_TIME_LIMIT_SECONDS: f64 = 86_400.0;

/// Fault of a program, phrased to follow its name: "has ended", "answered …".
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ExternalError(String);

fn fault<T>(what: impl Into<String>) -> Result<T, ExternalError> {
    Err(ExternalError(what.into()))
}

/// A shell command that starts a bot program, and its time limit per answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    command: String,
    limit: Duration,
}

impl Program {
    /// Parses a shell command with an optional time limit in seconds: `COMMAND` or
    /// `limit=0.5:COMMAND`. The default limit is 10 seconds.
    ///
    /// # Errors
    /// The limit is not a number of seconds above 0 and at most 86,400.
    pub fn parse(text: &str) -> Result<Program, ExternalError> {
        let Some((seconds, command)) = text.strip_prefix("limit=").and_then(|t| t.split_once(':'))
        else {
            return Ok(Program { command: text.to_string(), limit: TIME_LIMIT });
        };
        let is_usable = |&seconds: &f64| seconds > 0.0 && seconds <= MAX_TIME_LIMIT_SECONDS;
        let limit = seconds.parse().ok().filter(is_usable);
        let limit = limit.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        match limit {
            Some(limit) => Ok(Program { command: command.to_string(), limit }),
            None => fault(format!(
                "has an invalid time limit {seconds:?}: write limit=SECONDS, above 0 and at most {MAX_TIME_LIMIT_SECONDS}, such as limit=0.5"
            )),
        }
    }
}

/// A bot whose actions come from an external program.
///
/// A crash, a time-out or an illegal answer is reported on standard error and forfeits the deal:
/// for the rest of it the seat passes, or takes its first legal action, without the program being
/// asked. In the next deal the program is asked again, and restarted if it ended, timed out or did
/// not answer with JSON.
pub struct External {
    program: Program,
    process: Option<Process>,
    /// Forfeited deals, by dealer and dealt hand: the actions up to each forfeit.
    forfeited: HashMap<String, Vec<Vec<String>>>,
}

/// A running program. One thread writes requests to it, so that a program which reads none delays
/// nobody, one reads its answers, one what it says on standard error.
struct Process {
    child: Child,
    requests: SyncSender<String>,
    answers: Receiver<String>,
    /// Number of the last request.
    last: u64,
}

impl Drop for Process {
    fn drop(&mut self) {
        running::end(&mut self.child);
    }
}

impl Process {
    fn start(command: &str) -> Result<Process, ExternalError> {
        let mut shell = Command::new("sh");
        shell.args(["-c", command]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = running::start(shell.stderr(Stdio::piped()))
            .map_err(|error| ExternalError(format!("cannot be started: {error}")))?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(mut input), Some(output), Some(talk)) = pipes else {
            return fault("has no standard input or output");
        };
        let (requests, to_write) = mpsc::sync_channel::<String>(1);
        std::thread::spawn(move || {
            for request in to_write {
                if input.write_all(request.as_bytes()).is_err() {
                    return;
                }
            }
        });
        std::thread::spawn(move || pass_on(talk));
        // A bounded channel: a program that writes without being asked blocks instead of filling
        // the memory.
        let (send, answers) = mpsc::sync_channel(1);
        std::thread::spawn(move || {
            let mut output = BufReader::new(output);
            loop {
                let mut line = Vec::new();
                let read = output.by_ref().take(MAX_LINE_BYTES as u64).read_until(b'\n', &mut line);
                let whole = read.is_ok_and(|n| n > 0) && line.len() < MAX_LINE_BYTES;
                if !whole || send.send(String::from_utf8_lossy(&line).to_string()).is_err() {
                    return;
                }
            }
        });
        Ok(Process { child, requests, answers, last: 0 })
    }

    /// Sends a request, under a number of its own, and waits for the answer of that number.
    fn ask(&mut self, mut request: Value, limit: Duration) -> Result<Value, ExternalError> {
        let until = Instant::now() + limit;
        self.last += 1;
        request["id"] = self.last.into();
        let late = || fault(format!("gave no answer within {limit:?}"));
        match self.requests.try_send(format!("{request}\n")) {
            Ok(()) => {}
            // It has not read the one before either.
            Err(TrySendError::Full(_)) => return late(),
            Err(TrySendError::Disconnected(_)) => return fault("has ended"),
        }
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let line = match self.answers.recv_timeout(left) {
                Ok(line) => line,
                Err(RecvTimeoutError::Timeout) => return late(),
                Err(RecvTimeoutError::Disconnected) => {
                    return fault("has ended, or wrote a line of over 1 MiB");
                }
            };
            let shown: String = line.chars().take(200).collect();
            let answer: Value = serde_json::from_str(&line)
                .map_err(|_| ExternalError(format!("answered {shown:?}, which is not JSON")))?;
            match answer["id"].as_u64() {
                Some(id) if id == self.last => return Ok(answer),
                // Late, to a request that nobody waits for any more.
                Some(id) if id < self.last => continue,
                _ => {
                    let last = self.last;
                    return fault(format!("answered {shown:?}, whose id is not {last}"));
                }
            }
        }
    }
}

/// Passes on what a program says on standard error, up to a limit, and reads on, so that it is not
/// held up.
fn pass_on(mut talk: impl Read) {
    let mut error = std::io::stderr();
    let passed = std::io::copy(&mut talk.by_ref().take(MAX_TALK_BYTES), &mut error);
    if passed.is_ok_and(|bytes| bytes == MAX_TALK_BYTES) {
        tracing::warn!(
            "a bot program wrote over {MAX_TALK_BYTES} bytes to standard error; the rest is dropped"
        );
    }
    let _ = std::io::copy(&mut talk, &mut std::io::sink());
}

impl External {
    /// A bot for this program, which is started at the first request.
    pub fn new(program: &Program) -> External {
        External { program: program.clone(), process: None, forfeited: HashMap::new() }
    }

    /// Starts the program and checks that it speaks version 1 of the bot protocol and plays a rule
    /// set.
    ///
    /// # Errors
    /// The program cannot be started, gives no usable answer, speaks another version, or does not
    /// play the rule set.
    pub fn check(&mut self, rules: &RuleSet) -> Result<(), ExternalError> {
        let answer = self.ask(json!({"cmd": "hello"}))?;
        if answer["protocol"] != json!(1) {
            return fault(format!("does not speak version 1 of the bot protocol: {answer}"));
        }
        let plays = answer["rules"].as_array().is_some_and(|all| all.contains(&json!(rules.id())));
        if plays { Ok(()) } else { fault(format!("does not play {}", rules.id())) }
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

    fn choose(&mut self, observation: &Observation) -> Action {
        let legal = observation.legal_actions();
        let seat = observation.seat();
        let record = Record::of(observation);
        // A deal is identified by the dealer and the seat's dealt hand, the tables of one deal by
        // their actions.
        let dealt = record.deal.trim_start_matches("N:").split(' ').nth(seat.index());
        let deal = format!("{} {}", record.dealer.letter(), dealt.unwrap_or_default());
        let forfeited = self.forfeited.get(&deal);
        if forfeited.is_some_and(|all| all.iter().any(|at| record.actions.starts_with(at))) {
            return lowest(legal);
        }
        let codes: Vec<String> = legal.into_iter().map(|action| action.to_string()).collect();
        let request = json!({"cmd": "act", "record": record, "seat": seat, "legal": codes});
        let action = self.ask(request).and_then(|answer| {
            let Some(code) = answer["action"].as_str() else {
                return fault(format!("answered {answer}, which has no action"));
            };
            let action = Action::parse(code, observation.state().phase());
            let shown: String = code.chars().take(40).collect();
            action
                .filter(|&a| legal.has(a))
                .map_or_else(|| fault(format!("answered {shown:?}, which is not legal there")), Ok)
        });
        action.unwrap_or_else(|error| {
            let (command, letter) = (&self.program.command, seat.letter());
            tracing::warn!("bot:{command}: {error}; {letter} forfeits the deal");
            self.forfeited.entry(deal).or_default().push(record.actions);
            lowest(legal)
        })
    }
}

/// The action of a forfeited seat: pass if that is legal, else the first legal action.
fn lowest(legal: ActionSet) -> Action {
    let first = || legal.nth_action(0).unwrap_or(Action::PASS);
    if legal.has(Action::PASS) { Action::PASS } else { first() }
}

impl Bot for External {
    fn decide(
        &mut self,
        observations: &[Observation],
        detail: Detail,
    ) -> Result<Vec<Decision>, BotError> {
        let decide = |observation| Decision::sure(self.choose(observation), detail);
        Ok(observations.iter().map(decide).collect())
    }

    fn forfeits(&self) -> u64 {
        self.forfeited.values().map(|all| all.len() as u64).sum()
    }
}

#[cfg(all(test, unix))]
mod tests {
    use troel_env::{BySeat, Deals, Seat, State};

    use super::*;

    /// Takes the number out of a request, in the shell.
    const ID: &str = "id=${x#*id\\\":}; id=${id%%[,\\}]*}";

    fn play(command: &str) -> (u32, u64) {
        let rules = RuleSet::built_in("luxembourg").unwrap();
        let mut bot = External::new(&Program::parse(&format!("limit=0.3:{command}")).unwrap());
        let mut decisions = 0;
        for n in 0..2 {
            let mut state = State::new(rules, &Deals::new(rules, 4).shuffled(n, Seat::North));
            while !state.is_done() {
                let view = state.observe(state.turn(), BySeat::default());
                let decision = crate::decide_one(&mut bot, &view, Detail::Action);
                let action = decision.expect("legal, whatever the program says").action;
                state.apply(action).expect("legal");
                decisions += 1;
            }
        }
        (decisions, bot.forfeits())
    }

    #[test]
    fn faults_forfeit_deals_and_no_more() {
        // Ends at once; does not exist; does not write JSON; writes an endless line; answers
        // illegally; never answers; answers another request; never reads, beyond what a pipe holds;
        // talks without end.
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
        assert!(check("true").unwrap_err().to_string().contains("ended"));
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
    /// A program that never reads, and requests larger than a pipe holds: the time limit holds.
    #[test]
    fn a_program_that_never_reads_delays_nobody() {
        let mut process = Process::start("sleep 30").unwrap();
        for n in 0..3 {
            let large = json!({"cmd": "x".repeat(1 << 18)});
            let error = process.ask(large, Duration::from_millis(200)).unwrap_err().to_string();
            assert!(error.contains("no answer within"), "{n}: {error}");
        }
    }

    #[test]
    fn a_late_answer_is_not_taken_for_the_next() {
        let mut process =
            Process::start("read a; read b; echo '{\"id\":1}'; echo '{\"id\":2,\"b\":1}'; cat")
                .unwrap();
        let ask = |process: &mut Process| process.ask(json!({}), Duration::from_millis(300));
        assert!(ask(&mut process).is_err());
        assert_eq!(ask(&mut process).unwrap()["b"], 1);
    }

    fn wait_for(what: &str, is_there: &dyn Fn() -> bool) {
        let begun = Instant::now();
        while !is_there() {
            assert!(begun.elapsed() < Duration::from_secs(300), "waited for {what}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    fn written(file: &std::path::Path) -> String {
        std::fs::read_to_string(file).unwrap_or_default()
    }

    /// Whether a process is there, and is not one that has ended and waits for its parent.
    fn lives(pid: &str) -> bool {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        stat.contains(") S ") || stat.contains(") R ")
    }

    #[test]
    fn what_a_program_starts_ends_with_it() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("pid");
        // In the group; in a session of its own; the same without a parent; and with a parent, but
        // without its environment.
        let sleeper = format!("sh -c 'echo $$ > {}; exec sleep 300'", file.display());
        for command in [
            format!("{sleeper} & cat"),
            format!("setsid {sleeper} & cat"),
            format!("(setsid {sleeper} &); cat"),
            format!("env -i setsid {sleeper} & cat"),
        ] {
            let process = Process::start(&command).unwrap();
            wait_for("the program to start another", &|| written(&file).ends_with('\n'));
            let pid = written(&file).trim().to_string();
            assert!(lives(&pid), "{command}");
            drop(process);
            wait_for(&format!("the end of {command}"), &|| !lives(&pid));
            std::fs::remove_file(&file).unwrap();
        }
    }

    /// A bot program may be troel, with a bot program in another group: it ends with the outer one.
    #[test]
    fn marks_of_outer_programs_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("marks");
        let inner = format!(
            "TROEL_BOT_ID=$TROEL_BOT_ID:inner setsid sh -c 'echo $$ $TROEL_BOT_ID > {}; exec sleep 300'",
            file.display()
        );
        let process = Process::start(&format!("({inner} &); cat")).unwrap();
        wait_for("the inner program to start", &|| written(&file).ends_with('\n'));
        let pid = written(&file).split(' ').next().unwrap().to_string();
        drop(process);
        wait_for("the inner program to end", &|| !lives(&pid));
    }
}
