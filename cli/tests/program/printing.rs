//! Evaluations and their progress as text and JSON, a deal played in the terminal, a closed pipe.

use std::process::Stdio;

use crate::support::{self, lines, run, run_with, stderr_of, stdout_of, troel};

#[test]
fn evaluation_prints_what_the_format_says() {
    let args = ["eval", "rules", "random", "--rules", "iwwa", "--seed", "3", "--json"];
    let output = run(&[&args[..], &["--deals", "64"]].concat());
    let report = lines(&output).remove(0);
    assert_eq!(report["rules"], "iwwa");
    assert_eq!(report["rules_hash"].as_str().expect("a hash").len(), 16);
    assert_eq!((&report["deals"], &report["seed"]), (&64.into(), &3.into()));
    let m = &report["matches"][0];
    assert_eq!((&m["challenger"], &m["baseline"]), (&"rules".into(), &"random".into()));
    assert_eq!((&m["scope"], &m["deals"]), (&"full".into(), &64.into()));
    let low = m["ci95"][0].as_f64().expect("a number");
    let mean = m["points_per_deal"].as_f64().expect("a number");
    assert!(low < mean && low > 0.0);
    // Merged shards give the same result.
    let folder = tempfile::tempdir().expect("a folder");
    let mut files = Vec::new();
    for range in ["0..32", "32..64"] {
        let shard = run(&[&args[..], &["--deals", range]].concat());
        let file = folder.path().join(range);
        std::fs::write(&file, shard.stdout).expect("written");
        files.push(file.to_str().expect("plain").to_string());
    }
    let merged = run(&["merge", &files[0], &files[1], "--json"]);
    // The command of earlier versions.
    assert_eq!(run(&["eval", "merge", &files[0], &files[1], "--json"]).stdout, merged.stdout);
    let merged = lines(&merged).remove(0);
    assert_eq!(merged["matches"][0]["points_per_deal"], m["points_per_deal"]);
    let table = stdout_of(&run(&["merge", &files[0], &files[1], "--contracts"]));
    assert!(table.contains("points per deal") && table.contains("defender"), "{table}");
}

#[test]
fn a_person_can_play_a_deal() {
    let args = ["play", "--rules", "luxembourg", "--seed", "4", "--deals", "1", "--bot", "rules"];
    // Nonsense, a question, then passes and any card: only legal ones are taken.
    let mut script = String::from("fish\n?\nh\n");
    for _ in 0..400 {
        script += "pass\nkeep\ntrump-H\n";
    }
    let ranks = "23456789TJQKA";
    for _ in 0..14 {
        for suit in "shdc".chars() {
            ranks.chars().for_each(|rank| script += &format!("{rank}{suit}\n"));
        }
    }
    let output = run_with(&args, script.as_bytes());
    let screen = stdout_of(&output);
    assert_eq!(output.status.code(), Some(0), "{}", stderr_of(&output));
    assert!(screen.contains("neither a call nor a card"), "{screen}");
    for line in [
        "  ask 8         8D 8H",
        "  go along 8 ♣  8C",
        "  abondance 9   abondance-9S abondance-9C abondance-9D abondance-9H",
    ] {
        assert!(screen.lines().any(|shown| shown == line), "{line}: {screen}");
    }
    assert!(screen.contains("(Bot: 100 %)"), "a hint: {screen}");
    assert!(screen.contains("Points  North"), "{screen}");
    assert!(!screen.contains('\x1b'), "no colours where it is no terminal");
    // Taking back is refused without a decision. Suits may be signs, letters any case.
    let output = run_with(&args, "u\n9♠\nu\nl\np\nSLAM-nt\nfish\n".as_bytes());
    let screen = stdout_of(&output);
    for shown in [
        "That is not possible now",
        "I go along: 9 ♠",
        "Taken back",
        "Last trick  –",
        "Total",
        "You: slam no trumps",
    ] {
        assert!(screen.contains(shown), "{shown}: {screen}");
    }
    // The prompts are in the language, too.
    let german = run_with(&[&args[..], &["--language", "de"]].concat(), b"u\nSLAM-nt\n");
    let screen = stdout_of(&german);
    assert!(screen.contains("Ansagen> ") && screen.contains("Du bist dran> "), "{screen}");
    assert!(screen.contains("Das geht jetzt nicht."), "{screen}");
    assert!(!screen.contains("auction") && !screen.contains("play>"), "{screen}");
    // In another language, with a record of the deal that can be reviewed.
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("played.jsonl").display().to_string();
    let more = ["--language", "lb", "--records", &file];
    let output = run_with(&[args.as_slice(), &more].concat(), format!("8C\n{script}").as_bytes());
    let screen = stdout_of(&output);
    assert!(screen.contains("Deng Hand") && screen.contains("Nord: "), "{screen}");
    assert!(screen.contains("Däi Streech (") && !screen.contains("fir Du"), "{screen}");
    let reviewed = run(&["review", &file, "--seat", "S", "--worlds", "5"]);
    assert!(stdout_of(&reviewed).contains("decisions as the bot"), "{}", stderr_of(&reviewed));
    // The end of input, or q, ends the game.
    assert_eq!(run(&args).status.code(), Some(0));
    assert_eq!(run_with(&args, b"q\n").status.code(), Some(0));
}

#[test]
fn troel_is_explained_once_in_each_language() {
    // East and West are declarers in the first deal of this seed.
    let play = ["play", "--rules", "wiezen", "--seed", "10", "--bot", "rules", "--language"];
    for (language, part) in [
        ("en", "holder of the fourth ace"),
        ("lb", "dat véiert Ass huet"),
        ("nl", "de vierde aas heeft"),
        ("de", "das vierte Ass hat"),
        ("fr", "le quatrième as"),
    ] {
        let typed = b"pass\nu\npass\nq\n";
        let screen = stdout_of(&run_with(&[&play[..], &[language]].concat(), typed));
        assert_eq!(screen.matches(part).count(), 1, "{screen}");
    }
}

#[test]
fn a_match_is_in_the_language_of_the_person() {
    let args = ["play", "--rules", "wiezen", "--seed", "4", "--bot", "rules", "--language", "nl"];
    let output = run_with(&args, "troel\n8\u{2660}\nHZ\n".as_bytes());
    let screen = stdout_of(&output);
    let first = screen.lines().next().expect("a line");
    assert_eq!(first, "wiezen");
    assert!(screen.contains("\n  Jij bent Zuid · seed 4\n"), "{screen}");
    assert!(screen.contains("troel bied je niet: wie er de azen voor heeft"), "{screen}");
    assert!(screen.contains("\"HZ\" is geen bod en geen kaart"), "{screen}");
    // What nobody may say now, and what may mean several calls.
    let args = ["play", "--rules", "luxembourg", "--seed", "7", "--bot", "rules"];
    let typed = b"je vous suis\ndemande\n";
    let french = run_with(&[&args[..], &["--language", "fr", "--seat", "W"]].concat(), typed);
    let asked = stdout_of(&french);
    assert!(asked.contains("\"je vous suis\" n’est pas permis ici"), "{asked}");
    assert!(asked.contains("Vous pouvez\n  demander 8  8S 8C 8D 8H\n"), "{asked}");
    let (_, hand) = screen.split_once("Jouw hand").expect("a hand");
    let hand = hand.lines().next().expect("cards");
    assert!(!hand.contains(['K', 'Q', 'J']), "letters of the language: {hand}");
}

/// At a terminal a slam has to be typed twice. The program `script` of Linux gives it a terminal;
/// that of macOS has other options.
#[cfg(target_os = "linux")]
#[test]
fn a_slam_at_a_terminal_is_called_when_it_is_typed_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log").display().to_string();
    let program = env!("CARGO_BIN_EXE_troel");
    let command = format!("'{program}' play --rules luxembourg --seed 4 --bot rules");
    let screen_of = |typed: &str| {
        let child = std::process::Command::new("script")
            .args(["-q", "-e", "-E", "never", "-c", &command, &log])
            .env("NO_COLOR", "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn();
        let mut child =
            child.expect("the program script of util-linux, which Debian installs as bsdutils");
        let _deadline = support::deadline(&child, "a match at a terminal");
        let mut input = child.stdin.take().expect("a pipe");
        std::io::Write::write_all(&mut input, typed.as_bytes()).expect("written");
        let output = child.wait_with_output().expect("the program ends");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let asks = "slam no trumps: type it again to call it";
    let once = screen_of("SLAM-nt\nu\nq\n");
    assert!(once.contains(asks) && !once.contains("You: slam no trumps"), "{once}");
    let between = screen_of("SLAM-nt\n?\nSLAM-nt\nq\n");
    assert!(between.matches(asks).count() == 2 && !between.contains("You: slam"), "{between}");
    let twice = screen_of("SLAM-nt\nslam-NT\nq\n");
    assert!(twice.contains(asks) && twice.contains("You: slam no trumps"), "{twice}");
}

#[test]
fn a_closed_pipe_is_no_error() {
    let mut child = troel()
        .args(["deal", "--deals", "100000"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    drop(child.stdout.take());
    let _deadline = support::deadline(&child, "a program whose output nobody reads to end");
    let output = child.wait_with_output().expect("the program ends");
    assert_eq!(output.status.code(), Some(0), "{}", stderr_of(&output));
}

/// Deals against the control are timed apart from those of the match. Their time is unknown before
/// the first of them was played.
#[test]
fn deals_of_a_control_are_timed_apart() {
    let output = troel()
        .args(["eval", "rules", "expert", "--control", "luxembourg-v5", "--deals", "150"])
        .env("TROEL_PROGRESS_SECONDS", "0.02")
        .stdin(Stdio::null())
        .output()
        .expect("the program starts");
    let told = stderr_of(&output);
    let (mut of_match, mut of_control) = (0, 0);
    for (before, message) in told.lines().filter_map(|line| line.split_once(" left  ")) {
        // No time is printed for the last second, so the match has to be long.
        match message {
            "rules against expert" => {
                of_match += 1;
                assert!(before.contains(", at least "), "{before}");
            }
            "rules against luxembourg-v5" => {
                of_control += 1;
                assert!(!before.contains("at least"), "{before}");
            }
            other => panic!("{other}"),
        }
    }
    assert!(of_match > 0 && of_control > 0, "{told}");
}

#[test]
fn progress_is_printed_without_a_terminal() {
    let output = troel()
        .args(["eval", "expert", "rules", "--rules", "wiezen", "--deals", "40"])
        .env("TROEL_PROGRESS_SECONDS", "0.02")
        .stdin(Stdio::null())
        .output()
        .expect("the program starts");
    let told = stderr_of(&output);
    let lines: Vec<&str> = told.lines().collect();
    assert!(lines.len() > 2, "{told}");
    assert!(
        lines.iter().all(|line| line.contains(" of 40 deals, ") && line.contains("/s")),
        "{told}"
    );
    assert!(lines.iter().any(|line| line.contains(" left  expert against rules")), "{told}");
    let done = |line: &str| line.split(' ').next().and_then(|n| n.parse::<u64>().ok());
    assert!(lines.iter().map(|line| done(line).expect("a number")).is_sorted(), "{told}");
}
