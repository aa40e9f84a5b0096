//! Arguments: refused with advice, help, names of bots and recipes.

use std::path::Path;
use std::process::Stdio;

use troel_agents::registry::{self, ReleasedFor};

use super::GOOD;
use crate::support::{lines, run, run_with, stderr_of, stdout_of, troel};

#[test]
fn negative_numbers_are_refused_by_their_option() {
    for (args, wanted) in [
        (&["deal", "--seed", "-1"][..], "write a whole number from 0 to"),
        (&["corpus", "make", "nowhere", "--seed", "-1"], "write a whole number from 0 to"),
        (&["deal", "--deals", "-1"], "500..1000 for deals 500 to 999"),
        (&["eval", "rules", "random", "--threads", "-1"], "write a whole number from 1 to 1024"),
    ] {
        let output = run(args);
        let error = stderr_of(&output);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {error}");
        assert!(error.contains(wanted) && !error.contains("tip:"), "{args:?}: {error}");
    }
}

#[test]
fn options_without_effect_are_refused() {
    let eval = ["eval", "rules", "random", "--deals", "2"];
    for (more, wanted) in [
        (&["--fixed", "expert"][..], "--fixed expert: the scope full"),
        (&["--regret", "--scope", "bidding"], "--regret: the scope bidding gives no data"),
    ] {
        let output = run(&[&eval[..], more].concat());
        let error = stderr_of(&output);
        assert_eq!(output.status.code(), Some(2), "{more:?}: {error}");
        assert!(error.contains(wanted), "{more:?}: {error}");
    }
    let fixed = run(&[&eval[..], &["--fixed", "expert", "--scope", "bidding", "--json"]].concat());
    assert_eq!(lines(&fixed)[0]["fixed"], "expert");
}

/// Advice names only options that the command has.
#[test]
fn a_bot_for_other_rules_is_refused_with_advice_that_fits() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    std::fs::write(path("game.jsonl"), GOOD).expect("written");
    let problems = ["problems", "sure-miseres", "--rules", "iwwa", "--problems", "2", "--write"];
    assert!(run(&[&problems[..], &[&path("problems.jsonl")]].concat()).status.success());
    for args in [
        vec!["review", &path("game.jsonl"), "--bot", "luxembourg-v5"],
        vec!["problems", &path("problems.jsonl"), "luxembourg-v5"],
    ] {
        let output = run(&args);
        let error = stderr_of(&output);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {error}");
        assert!(error.contains("luxembourg-v5 was trained for rule set luxembourg"), "{error}");
        assert!(error.contains("name a bot for these rules"), "{error}");
        assert!(!error.contains("--rules") && !error.contains("--set"), "{args:?}: {error}");
    }
    let export = run(&["export", "wiezen-v5", &path("out"), "--rules", "luxembourg"]);
    let error = stderr_of(&export);
    assert!(error.contains("leave --rules out") && !error.contains("--set"), "{error}");
}

#[test]
fn bad_arguments_get_one_clear_sentence() {
    let huge = "18446744073709551615";
    let cases: [(&[&str], &str); 21] = [
        (&["eval", "rules", "random", "--deals", huge], huge),
        (&["eval", "rules", "random", "--deals", "1000000000000"], "at a time"),
        (
            &["eval", "rules", "random", "--deals", "18446744073709551614..18446744073709551615"],
            huge,
        ),
        (&["eval", "rules", "random", "--threads", "5000"], "5000"),
        (&["eval", "rules", "random", "--sprt", "nan", "1"], "NaN"),
        (&["eval", "pimc:worlds=99999999999", "random"], "worlds"),
        (&["serve", "--tables", huge], huge),
        (&["solve", "--memory", "99999999", "-"], "99999999"),
        (&["deal", "--deals", huge], huge),
        (&["behaviour", "rules", "--deals", huge], huge),
        (&["eval", "rules", "random", "--rules", "/dev/zero"], "not a regular file"),
        (&["train", "/dev/zero"], "not a regular file"),
        (&["eval", "rules"], "two bots"),
        (&["eval", "rules", "nobody"], "nobody"),
        (&["eval", "rules", "random", "--rules", "bridge"], "bridge"),
        (&["eval", "rules", "random", "--deals", "9..3"], "9..3"),
        (&["eval", "rules", "random", "--suite", "poker"], "poker"),
        (&["merge", "Cargo.toml"], "Cargo.toml"),
        (&["train", "no-such.toml"], "no-such.toml"),
        (&["train", "Cargo.toml"], "Cargo.toml"),
        (&["replay", "no-such.jsonl"], "no-such.jsonl"),
    ];
    for (args, what) in cases {
        let output = run(args);
        let error = stderr_of(&output);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {error}");
        assert!(error.contains(what) && !error.contains("panicked"), "{args:?}: {error}");
    }
}

#[test]
fn help_and_completions_are_there() {
    let help = stdout_of(&run(&["--help"]));
    assert!(help.contains("\nEvaluate:\n") && help.contains("\n  merge  "), "{help}");
    for command in ["train", "eval", "play", "replay", "deal"] {
        let help = stdout_of(&run(&[command, "--help"]));
        assert!(help.contains("Example"), "{command}: {help}");
        assert!(!help.contains("without b"), "{command}: {help}");
    }
    for shell in ["bash", "zsh", "fish"] {
        let output = run(&["completions", shell]);
        assert!(stdout_of(&output).contains("replay"), "{shell}");
    }
}

/// Bots, recipes and rules are part of the program, so commands work in any folder, as
/// docs/train.md says.
#[test]
fn bots_and_recipes_are_found_in_any_folder() {
    let folder = tempfile::tempdir().expect("a folder");
    let run_there = |args: &[&str]| {
        let mut command = troel();
        command.current_dir(folder.path()).env_remove("TROEL_CHECKPOINTS").args(args);
        command.stdin(Stdio::null()).output().expect("the program starts")
    };
    for rules in ["luxembourg", "horesca", "wiezen", "iwwa"] {
        let bot = registry::released_for(ReleasedFor::Points(rules)).expect("one for each");
        let output = run_there(&["eval", bot, "rules", "--rules", rules, "--deals", "4"]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr_of(&output));
    }
    assert_eq!(run_there(&["page", "troel.html"]).status.code(), Some(0));
    assert_eq!(run_there(&["export", "iwwa-v5", "my-bot"]).status.code(), Some(0));
    // The recipe is found, and refused for its number of iterations.
    let train = ["train", "quickstart", "--seed", "1", "--iterations", "9999999999"];
    let refused = stderr_of(&run_there(&train));
    assert!(refused.contains("iterations"), "{refused}");
    let unknown = run_there(&["train", "slowstart"]);
    assert!(stderr_of(&unknown).contains("quickstart, champion"), "{}", stderr_of(&unknown));
    // The folder of TROEL_CHECKPOINTS comes first.
    let own = folder.path().join("mine");
    std::fs::create_dir_all(own.join("luxembourg-v5")).expect("a folder");
    let ask = || {
        let mut command = troel();
        command.current_dir(folder.path()).env("TROEL_CHECKPOINTS", &own);
        let args = ["eval", "luxembourg-v5", "rules", "--deals", "2"];
        command.args(args).output().expect("starts")
    };
    assert_eq!(ask().status.code(), Some(0), "a folder that is no checkpoint hides nothing");
    std::fs::write(own.join("luxembourg-v5/bot.toml"), "nonsense").expect("written");
    let output = ask();
    assert!(stderr_of(&output).contains("mine"), "{}", stderr_of(&output));
}

/// A folder with the name of a released bot is used before it, and said to be another bot if it is
/// one.
#[test]
fn a_bot_in_the_place_of_a_released_one_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let checkpoints = Path::new(env!("CARGO_MANIFEST_DIR")).join("../checkpoints");
    let there = folder.path().join("checkpoints/luxembourg-v5");
    std::fs::create_dir_all(&there).expect("a folder");
    for (bot, is_other) in [("luxembourg-match-v1", true), ("luxembourg-v5", false)] {
        for file in ["bot.toml", "model.safetensors"] {
            std::fs::copy(checkpoints.join(bot).join(file), there.join(file)).expect("copied");
        }
        let mut command = troel();
        command.current_dir(folder.path()).env_remove("TROEL_CHECKPOINTS");
        command.args(["eval", "luxembourg-v5", "rules", "--deals", "2"]).stdin(Stdio::null());
        let output = command.output().expect("the program starts");
        let told = stderr_of(&output);
        assert_eq!(output.status.code(), Some(0), "{told}");
        let wanted = if is_other { 1 } else { 0 };
        assert_eq!(
            told.matches("checkpoints/luxembourg-v5, which is not").count(),
            wanted,
            "{told}"
        );
    }
}

#[test]
fn a_part_of_a_call_lists_the_calls_and_bids_nothing() {
    let asked = |typed: &str| {
        let play = ["play", "--rules", "wiezen", "--bot", "rules", "--seed", "4"];
        stdout_of(&run_with(&play, format!("{typed}\nq\n").as_bytes()))
    };
    let text = asked("Abondance 9");
    assert!(text.contains("abondance-9S abondance-9C abondance-9D abondance-9H\n"), "{text}");
    assert!(!text.contains("abondance-10") && !text.contains("neither a call"), "{text}");
    assert!(!text.contains("You: "), "nothing is bid: {text}");
    let text = asked("abondance clubs");
    assert!(text.contains("abondance-9C\n") && !text.contains("abondance-9S"), "{text}");
    let text = asked("solo 6");
    assert!(text.contains("\"solo 6\" is not allowed here"), "{text}");
    assert!(text.contains("  open-misere\n"), "the legal calls are listed: {text}");
    assert!(asked("pass").contains("I pass"));
}

#[test]
fn legal_cards_are_listed_in_the_order_of_the_hand() {
    let played =
        run_with(&["play", "--rules", "wiezen", "--bot", "rules", "--seed", "23"], b"pass\nq\n");
    let text = stdout_of(&played);
    let last = |title: &str| -> Vec<&str> {
        let line = text.lines().rev().find_map(|line| line.trim().strip_prefix(title));
        line.unwrap_or_else(|| panic!("no {title:?} in {text}")).split_whitespace().collect()
    };
    let (hand, legal) = (last("Your hand"), last("You may"));
    assert!(legal.len() >= 2 && legal.iter().all(|card| hand.contains(card)), "{text}");
    let in_hand: Vec<&str> = hand.into_iter().filter(|card| legal.contains(card)).collect();
    assert_eq!(legal, in_hand);
}
