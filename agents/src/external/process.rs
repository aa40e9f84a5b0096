//! Requests to a running bot program, and its answers.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender, TrySendError};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::error::{ExternalError, external_error};
use super::running;
use crate::bot_protocol::MAX_MESSAGE_BYTES;

/// Maximum number of bytes of a program's standard error that are passed on; the rest is dropped.
const MAX_STDERR_BYTES: u64 = 1 << 12;

/// Maximum time between the end of a program's output and its exit.
const MAX_TIME_TO_END: Duration = Duration::from_millis(200);

/// Running bot program.
///
/// One thread writes requests, so that a program that reads none does not block the caller. One
/// thread reads answers, and one passes on the program's standard error.
pub(super) struct Process {
    child: Child,
    requests: SyncSender<String>,
    answers: Receiver<String>,
    /// Number of the last request.
    last_id: u64,
}

impl Drop for Process {
    fn drop(&mut self) {
        running::end(&mut self.child);
    }
}

impl Process {
    /// Starts a program by a shell command.
    pub fn start(command: &str) -> Result<Process, ExternalError> {
        let mut shell = Command::new("sh");
        shell.args(["-c", command]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = running::start(shell.stderr(Stdio::piped()))
            .map_err(|error| ExternalError(format!("cannot be started: {error}")))?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(mut input), Some(output), Some(program_stderr)) = pipes else {
            return external_error("has no standard input or output");
        };
        let (requests, to_write) = mpsc::sync_channel::<String>(1);
        std::thread::spawn(move || {
            for request in to_write {
                if input.write_all(request.as_bytes()).is_err() {
                    return;
                }
            }
        });
        std::thread::spawn(move || pass_on(program_stderr));
        // A bounded channel: a program that writes without being asked blocks instead of filling
        // the memory.
        let (send, answers) = mpsc::sync_channel(1);
        std::thread::spawn(move || {
            let mut output = BufReader::new(output);
            loop {
                let mut line = Vec::new();
                let read =
                    output.by_ref().take(MAX_MESSAGE_BYTES as u64).read_until(b'\n', &mut line);
                let is_complete = read.is_ok_and(|n| n > 0) && line.len() < MAX_MESSAGE_BYTES;
                if !is_complete || send.send(String::from_utf8_lossy(&line).to_string()).is_err() {
                    return;
                }
            }
        });
        Ok(Process { child, requests, answers, last_id: 0 })
    }

    /// Sends a request under a new number and waits for the answer of that number.
    pub fn ask(&mut self, mut request: Value, limit: Duration) -> Result<Value, ExternalError> {
        let until = Instant::now() + limit;
        self.last_id += 1;
        request["id"] = self.last_id.into();
        let late = || external_error(format!("gave no answer within {limit:?}"));
        match self.requests.try_send(format!("{request}\n")) {
            Ok(()) => {}
            // It has not read the previous request either.
            Err(TrySendError::Full(_)) => return late(),
            Err(TrySendError::Disconnected(_)) => return external_error("has ended"),
        }
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let line = match self.answers.recv_timeout(left) {
                Ok(line) => line,
                Err(RecvTimeoutError::Timeout) => return late(),
                Err(RecvTimeoutError::Disconnected) => return Err(self.why_answers_ended()),
            };
            let shown = troel_env::excerpt(&line, 200);
            let answer: Value = serde_json::from_str(&line)
                .map_err(|_| ExternalError(format!("answered {shown:?}, which is not JSON")))?;
            match answer["id"].as_u64() {
                Some(id) if id == self.last_id => return Ok(answer),
                // A late answer to an earlier request.
                Some(id) if id < self.last_id => continue,
                _ => {
                    let id = self.last_id;
                    return external_error(format!("answered {shown:?}, whose id is not {id}"));
                }
            }
        }
    }

    /// Returns the error of a program whose output has ended.
    fn why_answers_ended(&mut self) -> ExternalError {
        // A program closes its output shortly before its end.
        let until = Instant::now() + MAX_TIME_TO_END;
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => return ExternalError(format!("has ended ({status})")),
                Ok(None) if Instant::now() < until => std::thread::sleep(MAX_TIME_TO_END / 20),
                _ => {
                    let mebibytes = MAX_MESSAGE_BYTES >> 20;
                    return ExternalError(format!(
                        "has closed its output, or wrote a line of over {mebibytes} MiB"
                    ));
                }
            }
        }
    }
}

/// Passes on a program's standard error up to a limit. Reads the rest too, so that the program does
/// not block.
fn pass_on(mut program_stderr: impl Read) {
    let mut stderr = std::io::stderr();
    let passed = std::io::copy(&mut program_stderr.by_ref().take(MAX_STDERR_BYTES), &mut stderr);
    if passed.is_ok_and(|bytes| bytes == MAX_STDERR_BYTES) {
        tracing::warn!(
            "a bot program wrote over {MAX_STDERR_BYTES} bytes to standard error; the rest is \
             dropped"
        );
    }
    let _ = std::io::copy(&mut program_stderr, &mut std::io::sink());
}

#[cfg(all(test, unix))]
mod tests {
    use serde_json::json;

    use super::*;

    /// The time limit holds for a program that never reads and requests larger than a pipe.
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

    #[cfg(target_os = "linux")]
    fn wait_for(what: &str, is_there: &dyn Fn() -> bool) {
        let begun = Instant::now();
        while !is_there() {
            assert!(begun.elapsed() < Duration::from_secs(300), "waited for {what}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    #[cfg(target_os = "linux")]
    fn written(file: &std::path::Path) -> String {
        std::fs::read_to_string(file).unwrap_or_default()
    }

    /// Returns whether a process runs, and is not a zombie.
    #[cfg(target_os = "linux")]
    fn lives(pid: &str) -> bool {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        stat.contains(") S ") || stat.contains(") R ")
    }

    /// Only Linux has `/proc`, which shows the processes outside the group.
    #[test]
    #[cfg(target_os = "linux")]
    fn processes_started_by_a_program_end_with_it() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("pid");
        // In the group; in another session; in another session without a parent; and with a parent,
        // but without its environment.
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

    /// A bot program may start another bot program in a new process group, as troel does. The inner
    /// program ends with the outer one.
    #[test]
    #[cfg(target_os = "linux")]
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
