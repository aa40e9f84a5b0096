//! Commands with invalid arguments and files: each ends within seconds with an error message, in
//! limited memory.
#![cfg(unix)]

mod support;

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use support::{lines, run_with, stderr_of, stdout_of, troel};

/// Address space of a command, in KiB. Unbounded growth ends in an abort.
const MEMORY: &str = "4000000";

/// Time limit of a command in seconds, with room for a machine under load.
const DEADLINE: &str = "120";

/// Runs the program with a limit on its memory and its time.
fn limited(args: &[&str], input: Stdio) -> Output {
    let program = troel();
    let script = format!("ulimit -v {MEMORY}; exec timeout -s KILL {DEADLINE} \"$0\" \"$@\"");
    let mut command = Command::new("sh");
    command.args(["-c", &script]).arg(program.get_program()).args(args);
    command.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("..")).stdin(input);
    command.output().expect("sh is there")
}

/// Checks that a command is refused with a message that has these words.
fn check_refused(args: &[&str], words: &str, output: &Output) {
    let told = stderr_of(output) + &stdout_of(output);
    let is_refused = matches!(output.status.code(), Some(1 | 2));
    assert!(is_refused && told.contains(words), "{args:?}: {:?}, {told:.2000}", output.status);
    assert!(!told.contains("panicked") && told.len() < 20_000, "{args:?}: {told:.2000}");
}

/// What cannot be read or written is refused before anything is computed.
#[test]
fn missing_folders_and_files_are_named_with_the_remedy() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    fs::create_dir(path("empty")).expect("a folder");
    let (empty, none, ladder) = (path("empty"), path("none/file"), path("ladder.jsonl"));
    let small = "examples/rules/small-8.toml";
    for (args, words) in [
        (vec!["eval", &empty, "rules", "--deals", "8"], "holds no bot"),
        (vec!["problems", "sure-contracts", "--write", &none], "create it first"),
        (vec!["play", "--records", &none], "create it first"),
        (vec!["ladder", &ladder], "does not exist"),
        (vec!["nashconv", "rules", "--rules", small, "--each", "--curve", &none], "no bot is"),
    ] {
        check_refused(&args, words, &limited(&args, Stdio::null()));
    }
}

/// Words of the system and of parsers are not enough: the error says what to do.
#[test]
fn errors_of_files_and_numbers_name_the_remedy() {
    for (args, words) in [
        (["replay", "no-such.jsonl"].as_slice(), "no-such.jsonl: No such file"),
        (&["replay", "no-such.jsonl"], "; check the path"),
        (&["train", "no-such.toml"], "or the path of a TOML file"),
        (&["problems", "sure-contract", "rules"], "Did you mean sure-contracts?"),
        (&["eval", "luxemburg-v5", "rules"], "Did you mean luxembourg-v5?"),
        (&["eval", "rules", "random", "--threads", "x"], "write a whole number from 1 to 1024"),
        (&["eval", "rules", "random", "--sprt", "x", "1"], "write a number, such as 0.5"),
        (&["serve", "--port", "x"], "write a whole number from 0 to 65535"),
        (&["serve", "--port", "65536"], "write a whole number from 0 to 65535"),
        (&["train", "quickstart", "--iterations", "x"], "write a whole number from 0 to"),
        (&["bench", "--seconds", "x"], "write a number"),
    ] {
        let output = limited(args, Stdio::null());
        check_refused(args, words, &output);
        let told = stderr_of(&output);
        let is_raw = ["os error", "invalid digit", "invalid float"].map(|raw| told.contains(raw));
        assert_eq!(is_raw, [false; 3], "{args:?}: {told}");
    }
}

#[test]
fn a_refused_training_leaves_no_folder() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = folder.path().join("run");
    let shown = run.display().to_string();
    for (recipe, setting, words) in [
        ("quickstart", "init=nobody", "init: \"nobody\""),
        ("quickstart", "anchor.bot=nobody", "anchor.bot"),
        // The anchor of this recipe is `init`.
        ("champion", "init=nobody", "troel: init: \"nobody\" is not a trained bot"),
        ("champion", "init=wiezen-v5", "troel: init: "),
        ("quickstart", "rules=wizen", "Did you mean wiezen?"),
        ("quickstart", "init=luxemburg-v5", "Did you mean luxembourg-v5?"),
        ("quickstrat", "deals=16", "Did you mean quickstart?"),
        ("quickstrat", "deals=16", "Use a built-in one (quickstart, champion)"),
    ] {
        let args = ["train", recipe, "--set", setting, "--run", &shown];
        check_refused(&args, words, &limited(&args, Stdio::null()));
        assert!(!run.exists(), "{args:?}");
    }
}

#[test]
fn numbers_out_of_range_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let corpus = folder.path().join("corpus").display().to_string();
    let mut cases: Vec<(String, &str)> = Vec::new();
    let mut case = |args: String, words: &'static str| cases.push((args, words));
    let huge = "18446744073709551615";
    for deals in ["1000000000000", huge, "0", "-1", "0..-1", "1.5", "NaN", "inf", "5..5"] {
        for command in [
            "corpus make @",
            "eval rules random",
            "behaviour rules",
            "ladder @ rules random",
            "tables rules random",
        ] {
            case(format!("{command} --deals={deals}"), "--deals");
        }
        case(format!("calibration rules --deals={deals}"), "--deals");
        case(format!("exploit rules --deals={deals}"), "--deals");
        case(format!("exploit rules --search-deals={deals}"), "--search-deals");
    }
    for limit in ["1e19", "1e300", "NaN", "inf", "-1", "0", "86401", ""] {
        case(format!("eval bot:limit={limit}:cat rules"), "limit=SECONDS");
        case(format!("bot bot:limit={limit}:cat"), "limit=SECONDS");
    }
    for worlds in ["0", "-1", "100001", "18446744073709551616", "NaN", "1e3", ""] {
        case(format!("eval pimc:worlds={worlds} rules"), "pimc:worlds=N");
        case(format!("eval search:luxembourg-v5:worlds={worlds} rules"), "search:BOT:worlds=N");
        case(format!("corpus make @ --worlds={worlds}"), "--worlds");
        case(format!("review Cargo.toml --worlds={worlds}"), "--worlds");
        case(format!("exploit rules --worlds={worlds}"), "--worlds");
        case(format!("calibration rules --worlds={worlds}"), "--worlds");
    }
    for cards in ["0", "1", "9", "-1", "NaN", ""] {
        case(format!("eval search:luxembourg-v5:endings={cards} rules"), "endings=K");
    }
    for ms in ["0", "-1", "60001", "inf"] {
        case(format!("eval search:luxembourg-v5:ms={ms} rules"), "search:BOT:ms=M");
    }
    case("eval pimc:worlds=9,solve=12 rules".to_string(), "solve=M");
    for seconds in ["0", "-1", "NaN", "inf", "1e300", "3601"] {
        case(format!("bench --seconds={seconds}"), "--seconds");
    }
    for number in ["-1", "0", "99999999999999999999", "NaN"] {
        case(format!("eval rules random --threads={number}"), "--threads");
        case(format!("tables rules random --threads={number}"), "--threads");
        case(format!("eval rules random --matches={number}"), "--matches");
        case(format!("corpus make @ --per-deal={number}"), "--per-deal");
        case(format!("solve Cargo.toml --memory={number}"), "--memory");
        case(format!("serve --tables={number}"), "--tables");
    }
    for number in ["-1", "99999999999999999999", "NaN"] {
        let judges =
            ["eval rules random", "tables rules random", "calibration rules", "exploit rules"];
        for command in ["deal", "play", "bot", "corpus make @"].into_iter().chain(judges) {
            case(format!("{command} --seed={number}"), "--seed");
        }
        case(format!("calibration rules --positions={number}"), "--positions");
        case(format!("exploit rules --run @ --iterations={number}"), "--iterations");
        case(format!("play --deals={number}"), "--deals");
        case(format!("serve --port={number}"), "--port");
        case(format!("deal --par --nodes={number}"), "--nodes");
        case(format!("solve Cargo.toml --nodes={number}"), "--nodes");
        case(format!("train quickstart --iterations={number}"), "--iterations");
    }
    for number in ["-1", "0", "1025", "99999999999999999999", "NaN"] {
        let rules = "--rules examples/rules/small-8.toml";
        case(format!("nashconv random {rules} --threads={number}"), "--threads");
    }
    for seed in ["-1", "99999999999999999999", "NaN"] {
        let rules = "--rules examples/rules/small-8.toml";
        case(format!("nashconv random {rules} --seed={seed}"), "--seed");
    }
    case("nashconv random --rules luxembourg".to_string(), "too large");
    case("nashconv random --rules examples/rules/small-16.toml".to_string(), "too large");
    case("nashconv random rules --rules examples/rules/small-8.toml".to_string(), "--each");
    case("serve --rules examples/rules/small-8.toml".to_string(), "fewer than 13 ranks");
    case("problems endings rules --rules examples/rules/small-8.toml".to_string(), "full decks");
    for [low, high] in [["NaN", "1"], ["0", "inf"], ["1", "1"], ["1", "0"]] {
        case(format!("eval rules random --sprt {low} {high}"), "sequential test");
    }
    case(format!("train quickstart --iterations={huge}"), "iterations");
    case(format!("train quickstart --seed={huge}"), "seed");
    for (args, words) in cases {
        let args: Vec<String> = args.split(' ').map(|arg| arg.replace('@', &corpus)).collect();
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        check_refused(&args, words, &limited(&args, Stdio::null()));
    }
}

/// Returns files that hold neither text nor a bot: a description, the path, and whether a command
/// that reads a stream is given the file as well.
fn bad_files(folder: &Path) -> Vec<(&'static str, PathBuf, bool)> {
    let (pipe, large) = (folder.join("pipe"), folder.join("large"));
    let made = Command::new("mkfifo").arg(&pipe).status().expect("mkfifo is there");
    assert!(made.success());
    // A sparse file, which takes no space on the disk.
    File::create(&large).and_then(|file| file.set_len(8 << 30)).expect("a large file");
    let mut files = vec![
        ("a device", PathBuf::from("/dev/zero"), true),
        ("a pipe", pipe, false),
        ("a folder", folder.to_path_buf(), true),
        ("a large file", large, true),
        ("no file", folder.join("no-such-file"), true),
    ];
    let locked = folder.join("locked");
    fs::write(&locked, "").expect("written");
    Command::new("chmod").args(["000"]).arg(&locked).status().expect("chmod is there");
    // The superuser can read it nevertheless.
    if File::open(&locked).is_err() {
        files.push(("an unreadable file", locked, true));
    }
    files
}

#[test]
fn files_that_are_none_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("out").display().to_string();
    let corpus = folder.path().join("corpus");
    fs::create_dir(&corpus).expect("a folder");
    let made = corpus.display().to_string();
    let made = limited(
        &["corpus", "make", &made, "--deals", "1", "--worlds", "1", "--player", "rules"],
        Stdio::null(),
    );
    assert_eq!(made.status.code(), Some(0), "{}", stderr_of(&made));
    let corpus = corpus.display().to_string();
    // `@` stands for the file; the commands in the second list read streams.
    let whole: [&[&str]; 17] = [
        &["train", "@"],
        &["train", "quickstart", "--run", &out, "--set", "rules=@"],
        &["eval", "rules", "random", "--rules", "@"],
        &["merge", "@"],
        &["behaviour", "rules", "--rules", "@"],
        &["tables", "rules", "random", "--rules", "@"],
        &["corpus", "make", &out, "--rules", "@"],
        &["corpus", "judge", &corpus, "rules", "--rules", "@"],
        &["ladder", "@"],
        &["ladder", "@", "rules", "random", "--deals", "16"],
        &["ladder", &out, "--rules", "@"],
        &["play", "--rules", "@"],
        &["deal", "--rules", "@"],
        &["bot", "--rules", "@"],
        &["serve", "--port", "0", "--rules", "@"],
        &["export", "luxembourg-v5", &out, "--rules", "@"],
        &["verify", "@/bot.toml"],
    ];
    let streams: [&[&str]; 4] =
        [&["review", "@"], &["review", "@", "--html", &out], &["replay", "@"], &["solve", "@"]];
    for (kind, path, is_stream) in bad_files(folder.path()) {
        let path = path.display().to_string();
        let streams = streams.iter().filter(|_| is_stream);
        for args in whole.iter().chain(streams) {
            let args: Vec<String> = args.iter().map(|arg| arg.replace('@', &path)).collect();
            // A new ladder is begun where there is none.
            if kind == "no file" && args[0] == "ladder" && args[1] == path {
                continue;
            }
            let args: Vec<&str> = args.iter().map(String::as_str).collect();
            let output = limited(&args, Stdio::null());
            check_refused(&args, &path, &output);
        }
    }
}

/// Returns the files of a bot, a corpus and a folder of rules.
#[test]
fn files_within_folders_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let released = Path::new(env!("CARGO_MANIFEST_DIR")).join("../checkpoints/wiezen-v5");
    for (kind, path, _) in bad_files(folder.path()) {
        for file in ["bot.toml", "model.safetensors"] {
            let bot = folder.path().join(format!("{kind} {file}"));
            fs::create_dir(&bot).expect("a folder");
            for other in ["bot.toml", "model.safetensors"].iter().filter(|other| **other != file) {
                fs::copy(released.join(other), bot.join(other)).expect("copied");
            }
            std::os::unix::fs::symlink(&path, bot.join(file)).expect("linked");
            let bot = bot.display().to_string();
            let out = folder.path().join("out").display().to_string();
            for args in [
                ["eval", &bot, "rules", "--rules", "wiezen"].as_slice(),
                &["bot", &bot],
                &["verify", &bot],
                &["verify", "--accept", &bot],
                &["export", &bot, &out],
                &["page", &out, "--bot", &bot],
                &[
                    "train",
                    "quickstart",
                    "--run",
                    &format!("{out}-run"),
                    "--set",
                    &format!("init={bot}"),
                ],
            ] {
                check_refused(args, &bot, &limited(args, Stdio::null()));
            }
        }
        let corpus = folder.path().join(format!("{kind} corpus"));
        fs::create_dir(&corpus).expect("a folder");
        std::os::unix::fs::symlink(&path, corpus.join("0.safetensors")).expect("linked");
        let corpus = corpus.display().to_string();
        for args in [
            ["corpus", "judge", &corpus, "rules"].as_slice(),
            &["corpus", "make", &corpus, "--deals", "1"],
        ] {
            check_refused(args, "0.safetensors", &limited(args, Stdio::null()));
        }
    }
}

/// Standard input without lines, and lines without end.
#[test]
fn standard_input_without_lines_is_given_up() {
    let zero = || Stdio::from(File::open("/dev/zero").expect("a device"));
    for args in [["replay", "-"].as_slice(), &["solve", "-"], &["bot", "rules"], &["play"]] {
        let output = limited(args, zero());
        check_refused(args, "a line of over", &output);
    }
    // A line that is only too long is skipped, as before.
    let long = [&vec![b'x'; 3 << 20][..], b"\nfish\nq\n"].concat();
    let played = run_with(&["play", "--seed", "4", "--bot", "rules"], &long);
    assert_eq!(played.status.code(), Some(0), "{}", stderr_of(&played));
    assert!(stdout_of(&played).contains("\"fish\""), "{}", stdout_of(&played));
    let answered =
        run_with(&["bot", "rules"], &[&long[..], b"{\"id\":1,\"cmd\":\"hello\"}\n"].concat());
    let answers = lines(&answered);
    assert_eq!(answers[0]["error"]["code"], "too-long");
    assert_eq!(answers.last().expect("an answer")["id"], 1);
}

const RESULT: &str = r#"{"rules":"HASH","challenger":{"name":"NAME","id":"x"},"baseline":{"name":"rules","id":"rules"},"scope":"full","seed":1,"deals":[0,100],"points":1.0,"error":0.1,"commit":""}"#;

/// Names in the file of a ladder are untrusted. They change no terminal, figure or table.
#[test]
fn names_in_a_ladder_are_only_text() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("ladder.jsonl");
    let rules = troel_env::RuleSet::built_in("luxembourg").expect("built in");
    let hostile = r"\u001b]0;owned\u0007\u001b[2J\u009b31m\u202e<b>&|`x`\nrules +99";
    let line = RESULT.replace("HASH", rules.hash()).replace("NAME", hostile);
    fs::write(&file, format!("{line}\n")).expect("written");
    let file = file.display().to_string();
    let svg = folder.path().join("ladder.svg");
    let drawn = svg.display().to_string();
    let shown = limited(&["ladder", &file, "--svg", &drawn], Stdio::null());
    assert_eq!(shown.status.code(), Some(0), "{}", stderr_of(&shown));
    let cross = limited(&["ladder", &file, "--cross"], Stdio::null());
    let json = limited(&["ladder", &file, "--json"], Stdio::null());
    // Errors quote names as well.
    let unknown = limited(&["ladder", &file, "--anchor", "\x1b[2J"], Stdio::null());
    let svg = fs::read_to_string(svg).expect("drawn");
    let outputs = [stdout_of(&shown), stdout_of(&cross), stdout_of(&json), stderr_of(&unknown)];
    for out in outputs.into_iter().chain([svg.clone()]) {
        let is_control = |c: char| c != '\n' && c.is_control() || c == '\u{202e}';
        assert!(!out.contains(is_control) && !out.is_empty(), "{out:?}");
    }
    // A head, the columns and two bots; or a head, a rule and one row, and the strengths of two.
    assert_eq!(stdout_of(&shown).lines().count(), 4, "{}", stdout_of(&shown));
    let rows = stdout_of(&cross).lines().filter(|line| line.starts_with('|')).count();
    assert_eq!(rows, 7, "{}", stdout_of(&cross));
    assert!(svg.contains("&lt;b&gt;&amp;") && !svg.contains("<b>"), "{svg}");
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).expect("JSON");
    let name = json["strengths"][0]["player"]["name"].as_str().expect("a name");
    assert!(name.starts_with("\x1b]0;owned\x07"), "{name:?}");
}

/// A last line without its end may be a result that a kill cut off. Any other line is somebody's.
#[test]
fn a_ladder_keeps_files_that_are_not_its_own() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("notes.txt");
    let file = path.display().to_string();
    for text in
        ["my notes", "my notes\nsecond", "{\"a\":1}", "{\"rules\":\"luxembourg\",\"rules_hash"]
    {
        fs::write(&path, text).expect("written");
        let args = ["ladder", &file, "rules", "random", "--deals", "20"];
        check_refused(&args, "not a result of `troel ladder`", &limited(&args, Stdio::null()));
        assert_eq!(fs::read_to_string(&path).expect("read"), text);
    }
}

#[test]
fn impossible_results_in_a_ladder_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("ladder.jsonl");
    let rules = troel_env::RuleSet::built_in("luxembourg").expect("built in");
    let good = RESULT.replace("HASH", rules.hash()).replace("NAME", "x");
    for (from, to, words) in [
        ("[0,100]", "[100,100]", "deals 100..100"),
        ("[0,100]", "[0,18446744073709551615]", "deals 0.."),
        ("\"points\":1.0", "\"points\":1e300", "points 1e300"),
        ("\"error\":0.1", "\"error\":-1.0", "error -1e0"),
        ("\"commit\"", "\"forfeits\":[18446744073709551615,0],\"commit\"", "forfeits"),
        ("\"id\":\"x\"", "\"id\":\"x\",\"steps\":1,\"seconds\":1e300", "seconds 1e300"),
        ("\"full\"", "\"half\"", "scope: \"half\" is unknown; use full, bidding, play"),
    ] {
        let bad = good.replace(from, to);
        assert_ne!(bad, good, "{from}");
        fs::write(&path, format!("{good}\n{bad}\n")).expect("written");
        let file = path.display().to_string();
        let args = ["ladder", &file];
        let output = limited(&args, Stdio::null());
        check_refused(&args, "line 2", &output);
        check_refused(&args, words, &output);
    }
}
