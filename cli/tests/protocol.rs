//! The bot protocol, with the real program at the other end of a pipe.

mod support;

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};
use support::stderr_of;
use troel_agents::registry::{self, ReleasedFor};
use troel_agents::{DecisionDetail, NamedBot, decide_one};
use troel_env::rng::{Purpose, Stream};
use troel_env::{Action, BySeat, Deals, N_ACTIONS, N_FEATURES, Record, RuleSet, Seat, State};

struct Bot {
    process: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    _deadline: support::Deadline,
}

impl Bot {
    fn start(name: &str) -> Bot {
        let mut command = support::troel();
        command.args(["bot", name]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.spawn().expect("starts");
        let input = process.stdin.take();
        let output = BufReader::new(process.stdout.take().expect("piped"));
        let _deadline = support::deadline(&process, "the answers of a bot");
        Bot { process, input, output, _deadline }
    }

    fn ask_raw(&mut self, line: &[u8]) -> Value {
        let input = self.input.as_mut().expect("open");
        input.write_all(line).and_then(|()| input.write_all(b"\n")).expect("takes a line");
        let mut answer = String::new();
        self.output.read_line(&mut answer).expect("answers");
        serde_json::from_str(&answer).expect("JSON")
    }

    fn ask(&mut self, request: &Value) -> Value {
        self.ask_raw(request.to_string().as_bytes())
    }

    fn end(mut self) {
        drop(self.input.take());
        assert!(self.process.wait().expect("ends").success());
    }
}

/// The requests and answers in the repository, which front ends are written against.
#[test]
fn the_transcript_is_what_the_bot_says() {
    let transcript = include_str!("../../docs/transcript.jsonl");
    let mut bot = Bot::start("rules");
    let mut pairs = 0;
    let lines: Vec<&str> = transcript.lines().collect();
    for pair in lines.chunks(2) {
        let mut answer = bot.ask_raw(pair[0].as_bytes());
        if answer.get("version").is_some() {
            answer["version"] = json!("0.1.0");
        }
        let wanted: Value = serde_json::from_str(pair[1]).expect("JSON");
        assert_eq!(answer, wanted, "{}", pair[0]);
        pairs += 1;
    }
    assert!(pairs >= 8);
    bot.end();
}

/// A bot plays the same deals over the protocol as in process.
#[test]
fn deals_are_played_over_the_wire() {
    for rules in RuleSet::all_built_in() {
        let released =
            registry::released_for(ReleasedFor::Points(rules.id())).expect("one for each");
        let checkpoint = format!("{}/../checkpoints/{released}", env!("CARGO_MANIFEST_DIR"));
        let mut bot = Bot::start(&checkpoint);
        let mut player = NamedBot::find(&checkpoint, rules).expect("released").instantiate(1);
        for n in 0..4 {
            let deal = Deals::new(rules, 77).shuffled(n, Seat::from_index_wrapping(n as usize));
            let mut record = Record::new(rules, &deal);
            let mut state = State::new(rules, &deal);
            while !state.is_done() {
                let seat = state.turn();
                let view = record.view(rules, seat).expect("a good record");
                let answer = bot.ask(&json!({"id": n, "cmd": "act", "record": view, "seat": seat}));
                let obs = state.observe(seat, BySeat::default());
                let decision =
                    decide_one(player.as_mut(), &obs, DecisionDetail::Policy).expect("legal");
                assert_eq!(answer["action"], json!(decision.action.to_string()), "{answer}");
                assert_eq!(answer["id"], json!(n));
                let policy = answer["policy"].as_object().expect("a policy");
                let sum: f64 = policy.values().filter_map(Value::as_f64).sum();
                assert!((sum - 1.0).abs() < 1e-4, "{answer}");
                assert_eq!(policy.len() as u32, state.legal_actions().len());
                let value = f64::from(decision.value.expect("a network has one"));
                assert!((answer["value"].as_f64().expect("a number") - value).abs() < 1e-5);
                let legal =
                    bot.ask(&json!({"id": 0, "cmd": "legal", "record": view, "seat": seat}));
                assert_eq!(legal["legal"].as_array().expect("a list").len(), policy.len());
                let inputs =
                    bot.ask(&json!({"id": 0, "cmd": "features", "record": view, "seat": seat}));
                let numbers = inputs["features"].as_array().expect("a list").iter();
                let numbers: Vec<f32> =
                    numbers.map(|n| n.as_f64().expect("a number") as f32).collect();
                let mut features = vec![0.0; N_FEATURES];
                let totals = BySeat(view.scores_before.unwrap_or_default());
                state.observe(seat, totals).encode(&mut features);
                assert_eq!(numbers, features);
                let mask = inputs["mask"].as_array().expect("a list").iter().map(|m| m == true);
                let legal = (0..N_ACTIONS).filter_map(Action::from_index);
                assert!(mask.eq(legal.map(|action| state.legal_actions().has(action))));
                state.apply(decision.action).expect("legal");
                record.actions.push(decision.action.to_string());
            }
        }
        bot.end();
    }
}

#[test]
fn nothing_brings_it_down() {
    let mut bot = Bot::start("rules");
    let code = |answer: &Value| answer["error"]["code"].as_str().unwrap_or("none").to_string();
    let long = vec![b'['; 3 << 20];
    assert_eq!(code(&bot.ask_raw(&long)), "too-long");
    let deep = "[".repeat(100_000);
    assert_eq!(code(&bot.ask_raw(deep.as_bytes())), "bad-json");
    let mut stream = Stream::new(3, Purpose::Action, 0);
    let good: Vec<&str> = include_str!("../../docs/transcript.jsonl").lines().step_by(2).collect();
    for n in 0..4000 {
        let mut bytes = good[n % good.len()].as_bytes().to_vec();
        for _ in 0..=stream.below(3) {
            if bytes.is_empty() {
                break;
            }
            let at = stream.below(bytes.len() as u32) as usize;
            match stream.below(3) {
                0 => bytes[at] = stream.bits() as u8,
                1 => drop(bytes.remove(at)),
                _ => bytes.truncate(at + 1),
            }
        }
        bytes.retain(|&b| b != b'\n');
        if bytes.trim_ascii().is_empty() {
            continue;
        }
        assert!(bot.ask_raw(&bytes).get("id").is_some());
    }
    assert_eq!(bot.ask(&json!({"id": 9, "cmd": "hello"}))["protocol"], json!(1));
    bot.end();
}

/// The schema in the repository describes the transcript. Needs the Python of the ONNX test.
#[test]
fn the_transcript_fits_the_schema() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let python = root.join("target/onnx-venv/bin/python");
    if !python.exists() {
        return support::tools::missing("onnxruntime", ".ci/run makes target/onnx-venv");
    }
    let mut command = std::process::Command::new(python);
    command.arg(root.join("cli/tests/check_schema.py")).arg(root.join("docs"));
    let output = command.output().expect("runs");
    assert!(output.status.success(), "{}", stderr_of(&output));
}

/// External programs. A bot over a pipe plays as it does in process. A program that keeps ending
/// forfeits its own deals and changes nothing else.
#[test]
#[cfg(unix)]
fn a_program_takes_part_in_a_match() {
    let play = |command: &str| -> Value {
        let troel = env!("CARGO_BIN_EXE_troel");
        let name = format!("bot:{command} '{troel}' bot rules");
        let args = ["eval", &name, "rules", "--rules", "wiezen", "--deals", "6", "--json"];
        let output = support::succeed(&args, b"");
        support::lines(&output)[0]["matches"][0].clone()
    };
    let same = play("limit=60:");
    assert_eq!(
        (&same["points_per_deal"], &same["detail"]["forfeits"]),
        (&json!(0.0), &json!([0, 0]))
    );
    let ending = play("sed -u 9q |");
    assert_eq!(ending["deals"], 6);
    assert!(ending["detail"]["forfeits"][0].as_u64().is_some_and(|n| n > 3), "{ending}");
}

/// A test without Python is skipped. It prints so although the harness captures output, and
/// `.ci/skipped` lists it.
#[test]
#[cfg(unix)]
fn a_skipped_test_is_seen() {
    let folder = tempfile::tempdir().expect("a folder");
    let list = folder.path().join("list");
    let summary = || {
        let mut command =
            std::process::Command::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.ci/skipped"));
        let output = command.env("TROEL_SKIPPED", &list).output().expect("runs");
        assert!(output.status.success(), "{output:?}");
        support::stdout_of(&output)
    };
    assert_eq!(summary(), "no test was skipped\n");
    let run = |variables: &[(&str, &str)]| {
        let mut command = std::process::Command::new(std::env::current_exe().expect("a path"));
        command.args(["the_example_in_python_takes_part", "--exact"]).env("PATH", folder.path());
        command.env("TROEL_SKIPPED", &list).env_remove("CI").env_remove("TROEL_MAY_LACK");
        command.envs(variables.iter().copied()).output().expect("runs")
    };
    let output = run(&[]);
    let told = stderr_of(&output);
    assert!(output.status.success(), "{output:?}");
    let test = "protocol::the_example_in_python_takes_part";
    assert!(told.contains(&format!("skipped: {test}: python3 is missing")), "{told:?}");
    assert!(run(&[("CI", "1"), ("TROEL_MAY_LACK", "python3")]).status.success());
    let wanted = format!("skipped: 1 test, for want of: python3 (1)\n  python3\t{test}\n");
    assert_eq!(summary(), wanted);
    assert_eq!(summary(), "no test was skipped\n", "told once");
    assert!(!run(&[("CI", "1")]).status.success(), "CI does without a tool");
}

#[test]
#[cfg(unix)]
fn the_example_in_python_takes_part() {
    if std::process::Command::new("python3").arg("--version").output().is_err() {
        return support::tools::missing("python3", "install Python 3");
    }
    for rules in ["luxembourg", "horesca", "wiezen", "iwwa"] {
        let name = "bot:python3 docs/example_bot.py";
        let args = ["eval", name, "rules", "--rules", rules, "--deals", "4", "--json"];
        let output = support::succeed(&args, b"");
        let played = &support::lines(&output)[0]["matches"][0];
        assert_eq!(played["detail"]["forfeits"], json!([0, 0]), "{rules}");
    }
}
