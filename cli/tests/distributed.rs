//! `troel train --distributed`: real processes under mpirun, one killed, one with another recipe or
//! other rules, a full disk, and two hosts (network namespaces) whose network is cut for half a
//! minute, or slow and lossy.
#![cfg(feature = "mpi")]

mod support;

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

/// Common settings of the trainings in this file: small, but with several shards.
const RECIPE: [&str; 12] = [
    "--set",
    "deals=512",
    "--set",
    "imitation.iterations=2",
    "--set",
    "ppo.shards=4",
    "--set",
    "eval.every=0",
    "--set",
    "eval.final_deals=0",
    "--set",
    "checkpoint_every=1",
];

/// Returns the arguments of a training in this folder.
fn training(run: &Path, iterations: u32) -> Vec<String> {
    let mut words: Vec<String> = vec!["train".into(), "quickstart".into()];
    words.extend(RECIPE.map(String::from));
    words.extend(["--iterations".into(), iterations.to_string()]);
    words.extend(["--run".into(), run.display().to_string(), "--threads".into(), "1".into()]);
    words
}

/// Returns mpirun with options for any number of cores and any user, root included.
fn mpirun(ranks: u32) -> Command {
    let mut command = Command::new("mpirun");
    command.args(["--oversubscribe", "--bind-to", "none", "-n", &ranks.to_string()]);
    command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    command
}

fn distributed(ranks: u32, run: &Path, iterations: u32, more: &[&str]) -> Command {
    let mut command = mpirun(ranks);
    command.arg(env!("CARGO_BIN_EXE_troel")).args(training(run, iterations)).arg("--distributed");
    command.args(more);
    command
}

fn output(command: &mut Command) -> Output {
    command.output().expect("mpirun is installed: .ci/run installs it")
}

fn weights(run: &Path) -> Vec<u8> {
    std::fs::read(run.join("bot/model.safetensors")).expect("a finished bot")
}

/// Returns the bot of one process without MPI.
fn alone(folder: &Path, iterations: u32) -> Vec<u8> {
    let run = folder.join("alone");
    let done = support::troel().args(training(&run, iterations)).output().expect("starts");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    weights(&run)
}

#[test]
fn the_bot_is_that_of_one_process() {
    let folder = tempfile::tempdir().expect("a folder");
    let wanted = alone(folder.path(), 3);
    for ranks in [1, 2, 3] {
        let run = folder.path().join(ranks.to_string());
        let done = output(&mut distributed(ranks, &run, 3, &[]));
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        assert!(weights(&run) == wanted, "{ranks} processes train another bot");
        let text = String::from_utf8_lossy(&done.stdout).to_string();
        assert_eq!(text.matches("bot:").count(), 1, "one process speaks: {text}");
    }
}

/// Returns the processes whose command line names this folder.
fn processes(run: &Path) -> Vec<u32> {
    let run = run.display().to_string();
    let all = std::fs::read_dir("/proc").expect("Linux").flatten();
    let numbers = all.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let is_ours = |number: &u32| {
        let line = std::fs::read(format!("/proc/{number}/cmdline")).unwrap_or_default();
        let words: Vec<&[u8]> = line.split(|&byte| byte == 0).collect();
        // Not mpirun itself, whose command line has the same words.
        words.first().is_some_and(|program| program.ends_with(b"/troel"))
            && words.contains(&run.as_bytes())
    };
    numbers.filter(is_ours).collect()
}

fn wait_for(run: &Path, iterations: usize) {
    let metrics = run.join("metrics.jsonl");
    let done = || std::fs::read_to_string(&metrics).map_or(0, |text| text.lines().count());
    support::wait_for(&format!("{iterations} iterations"), || (done() >= iterations).then_some(()));
}

fn spawn(command: &mut Command) -> Child {
    command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("mpirun is installed")
}

/// A killed process ends the job. The resumed run ends in the same bot, with any number of
/// processes.
#[test]
fn a_killed_process_ends_the_job_and_loses_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let wanted = alone(folder.path(), 12);
    let run = folder.path().join("run");
    let job = spawn(&mut distributed(3, &run, 12, &[]));
    wait_for(&run, 3);
    let all = processes(&run);
    assert_eq!(all.len(), 3, "{all:?}");
    let last = all.iter().max().expect("three").to_string();
    assert!(Command::new("kill").args(["-9", &last]).status().expect("kill").success());
    let _deadline = support::deadline(&job, "a job to end");
    let ended = job.wait_with_output().expect("ends");
    assert!(!ended.status.success());
    let text = String::from_utf8_lossy(&ended.stderr);
    assert!(text.contains("signal 9") || text.contains("Killed"), "{text}");
    assert!(processes(&run).is_empty(), "processes are left");
    let resumed = output(&mut distributed(2, &run, 12, &["--resume"]));
    assert!(resumed.status.success(), "{}", String::from_utf8_lossy(&resumed.stderr));
    assert!(weights(&run) == wanted, "another bot after a process was killed");
}

/// Three of them, as the third only receives.
#[test]
fn the_sum_of_gradients_is_timed() {
    let mut command = mpirun(3);
    command.arg(env!("CARGO_BIN_EXE_troel"));
    command.args(["bench", "--distributed", "--seconds", "0.1", "--json"]);
    let done = output(&mut command);
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let report: serde_json::Value = serde_json::from_slice(&done.stdout).expect("one report");
    let names: Vec<_> =
        report["rows"].as_array().expect("rows").iter().map(|r| &r["name"]).collect();
    assert_eq!(names, ["all-reduce/3/p50", "all-reduce/3/p99"]);
    let alone = support::run_with(&["bench", "--distributed"], b"");
    assert!(String::from_utf8_lossy(&alone.stderr).contains("mpirun -n 2"));
}

/// SIGTERM, as at the end of a job's time: the first process saves and prints how to resume. Only
/// unfinished deals are lost.
#[test]
fn an_interrupted_job_saves() {
    let folder = tempfile::tempdir().expect("a folder");
    let wanted = alone(folder.path(), 60);
    let run = folder.path().join("run");
    // Regular checkpoints come too late: the one that is found was saved by the interruption.
    let mut command = distributed(2, &run, 60, &["--set", "checkpoint_every=1000"]);
    command.args(["--mca", "odls_base_sigkill_timeout", "5"]);
    let mut words: Vec<_> = command.get_args().map(ToOwned::to_owned).collect();
    // Options of mpirun come before the program.
    let options = words.split_off(words.len() - 3);
    let mut command = Command::new("mpirun");
    command.args(options).args(words);
    command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    let job = spawn(&mut command);
    wait_for(&run, 3);
    let job_number = job.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &job_number]).status().expect("kill").success());
    let _deadline = support::deadline(&job, "a job to end");
    let ended = job.wait_with_output().expect("ends");
    let text = String::from_utf8_lossy(&ended.stderr);
    assert!(!ended.status.success() && text.contains("mpirun -n 2 troel train"), "{text}");
    assert!(run.join("checkpoint").exists(), "no checkpoint was saved");
    let resumed =
        output(&mut distributed(2, &run, 60, &["--resume", "--set", "checkpoint_every=1000"]));
    assert!(resumed.status.success(), "{}", String::from_utf8_lossy(&resumed.stderr));
    assert!(weights(&run) == wanted);
}

/// Conflicting settings are refused before training begins.
#[test]
fn processes_that_do_not_fit_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = folder.path().join("run");
    let mut command = mpirun(1);
    command.arg(env!("CARGO_BIN_EXE_troel")).args(training(&run, 3)).arg("--distributed");
    command.args([":", "-n", "1", env!("CARGO_BIN_EXE_troel")]).args(training(&run, 3));
    command.args(["--distributed", "--set", "ppo.ent_coef=0.5"]);
    let refused = output(&mut command);
    assert!(!refused.status.success());
    let text = String::from_utf8_lossy(&refused.stderr);
    assert!(text.contains("another recipe than process 0: ppo.ent_coef (0.001"), "{text}");
    assert!(!run.join("checkpoint").exists() && processes(&run).is_empty());
    let mut forgotten = mpirun(2);
    forgotten.arg(env!("CARGO_BIN_EXE_troel")).args(training(&run, 3));
    let text = String::from_utf8_lossy(&output(&mut forgotten).stderr).into_owned();
    assert!(text.contains("works alone") && text.contains("Add --distributed"), "{text}");
}

/// A full disk of the first process ends the job with a message. The run resumes from its last
/// checkpoint.
#[test]
fn a_full_disk_ends_the_job() {
    let folder = tempfile::tempdir().expect("a folder");
    let wanted = alone(folder.path(), 6);
    let run = folder.path().join("run");
    let mut command = mpirun(1);
    command.args(["-x", "TROEL_FAULT=full:60", env!("CARGO_BIN_EXE_troel")]);
    command.args(training(&run, 6)).arg("--distributed");
    command.args([":", "-n", "1", env!("CARGO_BIN_EXE_troel")]).args(training(&run, 6));
    command.arg("--distributed");
    let ended = output(&mut command);
    let text = String::from_utf8_lossy(&ended.stderr);
    assert!(!ended.status.success() && text.contains("no space left"), "{text}");
    assert!(processes(&run).is_empty(), "processes are left");
    let resumed = output(&mut distributed(2, &run, 6, &["--resume"]));
    assert!(resumed.status.success(), "{}", String::from_utf8_lossy(&resumed.stderr));
    assert!(weights(&run) == wanted);
}

/// A rule file that differs between machines is refused.
#[test]
fn processes_with_other_rules_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../configs/rules/wiezen.toml");
    let wiezen = std::fs::read_to_string(file).expect("there");
    let mut hosts = Vec::new();
    for (host, target) in [("a", "match_target = 30"), ("b", "match_target = 50")] {
        let rules = wiezen.replace("id = \"wiezen\"", "id = \"club\"");
        let rules = rules.replace("match_target = 0", target);
        assert!(rules.contains(target));
        let host = folder.path().join(host);
        std::fs::create_dir(&host).expect("made");
        std::fs::write(host.join("club.toml"), rules).expect("written");
        hosts.push(host);
    }
    let run = folder.path().join("run");
    let mut command = mpirun(1);
    for (host, more) in hosts.iter().zip([&[][..], &[":", "-n", "1"]]) {
        command.args(more).arg("--wdir").arg(host).arg(env!("CARGO_BIN_EXE_troel"));
        command.args(training(&run, 3)).args(["--distributed", "--set", "rules=club.toml"]);
    }
    let refused = output(&mut command);
    let text = String::from_utf8_lossy(&refused.stderr);
    assert!(!refused.status.success());
    assert!(text.contains("process 1 has another rule set"), "{text}");
}

/// Two connected network namespaces, removed on drop.
struct Hosts {
    names: [String; 2],
    agent: PathBuf,
}

impl Hosts {
    /// Creates the namespaces, unconnected. `None` where namespaces cannot be made.
    fn new(folder: &Path, name: &str) -> Option<Hosts> {
        let names = [1, 2].map(|n| format!("troel{}-{name}{n}", std::process::id()));
        let hosts = Hosts { names, agent: folder.join("agent") };
        let [a, b] = &hosts.names;
        if !(ip(&format!("netns add {a}")) && ip(&format!("netns add {b}"))) {
            support::tools::missing("netns", "network namespaces need root and iproute2");
            return None;
        }
        // In ssh's place: mpirun gives it the host and the command.
        let agent = format!("#!/bin/sh\nshift\nexec ip netns exec {b} sh -c \"$*\"\n");
        std::fs::write(&hosts.agent, agent).expect("written");
        let made = Command::new("chmod").arg("+x").arg(&hosts.agent).status();
        assert!(made.expect("chmod").success());
        Some(hosts)
    }

    /// Connects them without delay or loss; false where that cannot be done.
    fn connect(&self) -> bool {
        let [a, b] = &self.names;
        if !ip(&format!("-n {a} link add eth1 type veth peer name eth1 netns {b}")) {
            support::tools::missing("netns", "the kernel has no pairs of network devices (veth)");
            return false;
        }
        for (name, address) in [(a, "10.77.0.1"), (b, "10.77.0.2")] {
            assert!(ip(&format!("-n {name} addr add {address}/24 dev eth1")));
            assert!(ip(&format!("-n {name} link set eth1 up")));
            assert!(ip(&format!("-n {name} link set lo up")));
        }
        true
    }

    fn set(&self, state: &str) {
        assert!(ip(&format!("-n {} link set eth1 {state}", self.names[0])));
    }

    /// A training by a process on each.
    fn training(&self, run: &Path, iterations: u32) -> Command {
        let mut command = Command::new("ip");
        command.args(["netns", "exec", &self.names[0], "mpirun", "--bind-to", "none", "-n", "2"]);
        command.args(["--host", "10.77.0.1:1,10.77.0.2:1", "--mca", "plm_rsh_agent"]);
        command.arg(&self.agent).args(["--mca", "btl", "tcp,self"]);
        command.args(["--mca", "btl_tcp_if_include", "10.77.0.0/24"]);
        command.args(["--mca", "oob_tcp_if_include", "10.77.0.0/24", env!("CARGO_BIN_EXE_troel")]);
        command.args(training(run, iterations)).arg("--distributed");
        command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
        command
    }
}

impl Drop for Hosts {
    fn drop(&mut self) {
        for name in &self.names {
            // Those that were never made need not be removed.
            let _ = Command::new("ip").args(["netns", "del", name]).output();
        }
    }
}

/// Says why where it fails.
fn ip(words: &str) -> bool {
    let Ok(done) = Command::new("ip").args(words.split(' ')).output() else { return false };
    eprint!("{}", String::from_utf8_lossy(&done.stderr));
    done.status.success()
}

#[test]
fn two_hosts_outlive_a_network_that_is_cut() {
    let folder = tempfile::tempdir().expect("a folder");
    let Some(hosts) = Hosts::new(folder.path(), "cut") else { return };
    if !hosts.connect() {
        return;
    }
    let wanted = alone(folder.path(), 20);
    let run = folder.path().join("run");
    let job = spawn(&mut hosts.training(&run, 20));
    wait_for(&run, 4);
    hosts.set("down");
    std::thread::sleep(Duration::from_secs(2));
    let lines =
        || std::fs::read_to_string(run.join("metrics.jsonl")).expect("metrics").lines().count();
    let before = lines();
    std::thread::sleep(Duration::from_secs(28));
    assert_eq!(lines(), before, "nothing goes on without the other host");
    hosts.set("up");
    let _deadline = support::deadline(&job, "a job to end");
    let ended = job.wait_with_output().expect("ends");
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    assert!(weights(&run) == wanted, "another bot after a cut");
}

/// Packets that are 10 ms late each way, of which one in two hundred is lost, only make the job
/// slower.
#[test]
fn two_hosts_get_along_with_a_slow_line_that_loses_packets() {
    let folder = tempfile::tempdir().expect("a folder");
    let Some(hosts) = Hosts::new(folder.path(), "slow") else { return };
    if !Path::new("/dev/net/tun").exists() {
        support::tools::missing("tun", "the kernel has no /dev/net/tun");
        return;
    }
    let mut line = Command::new("python3");
    line.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/line.py")).args(&hosts.names);
    line.args(["10", "0.005"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let Ok(mut line) = line.spawn() else {
        support::tools::missing("python3", "it makes the slow line");
        return;
    };
    let mut said = BufReader::new(line.stdout.take().expect("piped")).lines();
    assert_eq!(said.next().and_then(Result::ok).as_deref(), Some("ready"));
    let run = folder.path().join("run");
    let mut job = spawn(&mut hosts.training(&run, 4));
    let _deadline = support::deadline(&job, "a job to end over a slow line");
    while job.try_wait().expect("a child").is_none() {
        // Without the line the job would wait for half an hour.
        if line.try_wait().expect("a child").is_some() {
            job.kill().expect("a child");
            panic!("the line has ended");
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    let ended = job.wait_with_output().expect("ends");
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    assert!(weights(&run) == alone(folder.path(), 4), "another bot over a slow line");
    drop(line.stdin.take());
    let _deadline = support::deadline(&line, "the counts of the slow line");
    let counts = said.next().and_then(Result::ok).expect("the line's counts");
    let counts: Vec<u64> = counts.split(' ').map(|n| n.parse().expect("a number")).collect();
    assert!(line.wait().expect("ends").success());
    assert!(counts[0] > 1000 && counts[1] > 0, "packets through and lost: {counts:?}");
}
