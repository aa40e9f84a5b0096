//! `troel train`: a run is trained, killed and resumed.

use std::process::Stdio;

use serde_json::Value;

use crate::support::{self, run, stderr_of, stdout_of, troel};

#[test]
fn a_recipe_that_runs_a_program_says_so() {
    let folder = tempfile::tempdir().expect("a folder");
    let run_folder = folder.path().join("run").display().to_string();
    let args = ["train", "champion", "--run", &run_folder, "--set"];
    let output = run(&[args.as_slice(), &["eval.baselines=['bot:true']"]].concat());
    let told = stderr_of(&output);
    assert!(told.contains("the recipe runs a program: \"true\""), "{told}");
}

#[test]
fn a_run_trains_resumes_and_leaves_a_bot() {
    let folder = tempfile::tempdir().expect("a folder");
    let recipe = folder.path().join("tiny.toml");
    let run_folder = folder.path().join("run");
    let text_of = format!(
        "rules = \"wiezen\"\nrun = {run_folder:?}\niterations = 2\ndeals = 64\n\
         network = {{ hidden = 8, blocks = 0 }}\n\
         tables = [{{ opponent = \"random\", weight = 1.0, learners = 1 }}]\n\
         [eval]\nbaselines = [\"random\"]\nfinal_deals = 16\n"
    );
    std::fs::write(&recipe, text_of).expect("written");
    let recipe = recipe.to_str().expect("plain");
    let first = troel().args(["train", recipe]).env("TROEL_PROGRESS_SECONDS", "0").output();
    let first = first.expect("the program starts");
    let told = stderr_of(&first);
    assert_eq!(first.status.code(), Some(0), "{told}");
    assert!(stdout_of(&first).contains("points per deal"));
    // The text names the seats of the points, and has those of the other seats.
    assert!(told.contains("points per deal: learning seats ") && told.contains(", other seats "));
    // The commands that it names work. Self-play needs another network than this bot's.
    let next = told.split("What to do next:\n").nth(1).expect("next steps");
    assert!(next.contains("troel play --bot ") && next.contains("troel serve --bot "), "{next}");
    assert!(!next.contains("troel train"), "{next}");
    let judge = next.lines().find_map(|line| line.split_once(" troel eval ")).expect("a line").1;
    let words: Vec<&str> = judge.split(' ').map(|word| word.trim_matches('\'')).collect();
    let judged = run(&[&["eval"], &words[..words.len() - 1], &["8"]].concat());
    assert_eq!(judged.status.code(), Some(0), "{judge}: {}", stderr_of(&judged));
    let again = run(&["train", recipe]);
    assert!(stderr_of(&again).contains("--resume"));
    let resumed = run(&["train", recipe, "--resume"]);
    assert_eq!(resumed.status.code(), Some(0), "{}", stderr_of(&resumed));
    let metrics = std::fs::read_to_string(run_folder.join("metrics.jsonl")).expect("metrics");
    let last: Value = serde_json::from_str(metrics.lines().last().expect("lines")).expect("JSON");
    assert_eq!(last["iteration"], 2);
    for key in
        ["losses/approx_kl", "charts/others_return", "losses/explained_variance", "bids/suit"]
    {
        assert!(last[key].is_number(), "{key} in {last}");
    }
    assert!(run_folder.join("tensorboard/0").is_dir());
    let bot = run_folder.join("bot");
    let bot = bot.to_str().expect("plain");
    let eval = run(&["eval", bot, "random", "--rules", "wiezen", "--deals", "8"]);
    assert_eq!(eval.status.code(), Some(0), "{}", stderr_of(&eval));
    let whole = run_folder.to_str().expect("plain");
    // The folder of the run is its bot.
    let of_run = run(&["eval", whole, bot, "--rules", "wiezen", "--deals", "8"]);
    assert_eq!(of_run.status.code(), Some(0), "{}", stderr_of(&of_run));
    assert!(stdout_of(&of_run).contains("all deals gave the same"), "{}", stdout_of(&of_run));
    let unfinished = folder.path().join("unfinished");
    std::fs::create_dir_all(unfinished.join("checkpoint")).expect("a folder");
    let unfinished = unfinished.to_str().expect("plain");
    let refused = run(&["eval", unfinished, "random", "--rules", "wiezen", "--deals", "8"]);
    assert_eq!(refused.status.code(), Some(2));
    let told = stderr_of(&refused);
    assert!(told.contains("without a finished bot") && told.contains("--resume"), "{told}");
    let wrong = run(&["eval", bot, "random", "--rules", "iwwa", "--deals", "8"]);
    assert!(stderr_of(&wrong).contains("trained for rule set wiezen"));
}

#[test]
fn a_killed_run_resumes_to_the_same_bot() {
    let folder = tempfile::tempdir().expect("a folder");
    let recipe = |name: &str| {
        let path = folder.path().join(format!("{name}.toml"));
        let text = format!(
            "rules = \"luxembourg\"\nrun = {:?}\niterations = 40\ndeals = 64\n\
             checkpoint_every = 1\ntensorboard = false\n\
             network = {{ hidden = 8, blocks = 0 }}\n\
             [pool]\nevery = 5\n[eval]\nevery = 0\nfinal_deals = 0\n",
            folder.path().join(name)
        );
        std::fs::write(&path, text).expect("written");
        path.to_str().expect("plain").to_string()
    };
    let (whole, killed) = (recipe("whole"), recipe("killed"));
    assert_eq!(run(&["train", &whole, "--workers", "1"]).status.code(), Some(0));
    let run_folder = folder.path().join("killed");
    let mut child = troel()
        .args(["train", &killed])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
    support::wait_for("the first checkpoint, or the end of the training", || {
        let is_saved = run_folder.join("checkpoint/00000001").exists();
        (is_saved || child.try_wait().expect("a child").is_some()).then_some(())
    });
    child.kill().expect("killed");
    child.wait().expect("ended");
    let resumed = run(&["train", &killed, "--resume"]);
    assert_eq!(resumed.status.code(), Some(0), "{}", stderr_of(&resumed));
    let weights = |name: &str| {
        std::fs::read(folder.path().join(name).join("bot/model.safetensors")).expect("weights")
    };
    assert_eq!(weights("whole"), weights("killed"));
}
