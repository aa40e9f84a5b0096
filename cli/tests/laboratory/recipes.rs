//! Exploiters, and recipes that begin with another recipe.

use crate::support::{expect_error, expect_success, run};

#[test]
fn an_exploiter_learns_against_one_bot() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let small = [
        "--iterations",
        "2",
        "--set",
        "checkpoint_keep_every=1",
        "--set",
        "deals=16",
        "--set",
        "eval.final_deals=32",
        "--set",
        "eval.every=0",
    ];
    let train = |more: &[&str]| run(&[["train", "quickstart"].as_slice(), &small, more].concat());
    for (seed, name) in [("1", "runs/a-1"), ("2", "runs/a-2")] {
        let run = path(name);
        // The later of two settings counts, and an absent key may be removed.
        let more = ["--set", "deals=32", "--set", "deals=16", "--set", "imitation=", "--run", &run];
        let args = ["--exploit", "luxembourg-v5", "--seed", seed];
        let told = expect_success(&train(&[args.as_slice(), &more].concat()));
        assert!(told.contains("trained     luxembourg-v5") && !told.contains("random"), "{told}");
        let info = std::fs::read_to_string(format!("{run}/bot/bot.toml")).expect("written");
        assert!(
            info.contains("opponent = \"luxembourg-v5\"") && info.contains("--exploit"),
            "{info}"
        );
        assert!(info.contains("init = \"luxembourg-v5\""), "{info}");
    }
    // Two seeds of a recipe are one line of a curve, with the interval of their mean as a band.
    let kept = |seed: u32, n: u32| path(&format!("runs/a-{seed}/checkpoints/{n:06}"));
    let bots = [kept(1, 1), kept(1, 2), kept(2, 1), kept(2, 2)];
    let bots = bots.each_ref().map(String::as_str);
    let (file, svg) = (path("ladder.jsonl"), path("curve.svg"));
    let draw = |bots: &[&str], over: &str| {
        let args = ["ladder", &file, "--against", "rules", "--deals", "32"];
        expect_success(&run(&[args.as_slice(), bots, &["--curve", &svg, "--over", over]].concat()));
        std::fs::read_to_string(&svg).expect("drawn")
    };
    let figure = draw(&bots, "decisions");
    assert!(figure.contains("runs/a-1 (mean of 2 seeds, 95 % interval)"), "{figure}");
    assert!(figure.contains("millions"), "{figure}");
    let band = figure.split("<polygon").nth(1).expect("a band");
    let points = band.split("points=\"").nth(1).and_then(|rest| rest.split('"').next());
    assert!(points.is_some_and(|points| points.matches(',').count() >= 4), "{band}");
    assert!(draw(&[], "hours").contains("hours of the run"));

    let nobody = expect_error(&train(&["--exploit", "nobody", "--run", &path("runs/b")]));
    assert!(nobody.contains("nobody"), "{nobody}");
    // Keys that --exploit sets cannot be set to something else.
    for setting in [
        "init=universal-v2",
        "eval={baselines=['rules'],final_deals=32,every=0}",
        "network.hidden=64",
        "imitation.iterations=5",
        "tables=[{opponent='rules',weight=1,learners=1}]",
    ] {
        let other = ["--exploit", "luxembourg-v5", "--set", setting, "--run", &path("runs/b")];
        let refused = expect_error(&train(&other));
        assert!(refused.contains(&format!("--set {setting}: --exploit")), "{refused}");
    }
}

#[test]
fn a_recipe_begins_with_another() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join("run").join(name);
    let dir = path("").display().to_string();
    let train = |more: &[&str]| {
        let first = "start.set=['iterations=1','deals=16','imitation.iterations=1','eval.every=0']";
        let args = ["train", "champion", "--set", "rules=wiezen", "--run", &dir, "--seed", "3"];
        let small = [
            "--iterations",
            "2",
            "--set",
            "deals=16",
            "--set",
            "eval.final_deals=32",
            "--set",
            first,
        ];
        run(&[args.as_slice(), &small, more].concat())
    };
    let told = expect_success(&train(&[]));
    assert_eq!(told.matches("bot: ").count(), 1, "{told}");
    let info = |name: &str| std::fs::read_to_string(path(name).join("bot.toml")).expect("written");
    assert!(
        info("start/bot").contains("rules = \"wiezen\"") && info("start/bot").contains("seed = 3")
    );
    assert!(
        info("bot").contains("init = ") && info("bot").contains("start/bot"),
        "{}",
        info("bot")
    );
    let weights = || std::fs::read(path("bot/model.safetensors")).expect("written");
    let whole = weights();
    assert!(expect_error(&train(&[])).contains("--resume"));
    // An error in the second recipe is reported before the first is trained.
    let elsewhere = folder.path().join("other").display().to_string();
    let wrong = ["train", "champion", "--run", &elsewhere, "--set", "eval.baselines=['nobody']"];
    assert!(expect_error(&run(&wrong)).contains("nobody"));
    assert!(!folder.path().join("other").exists());
    // A kill between two renames leaves the checkpoint under another name: it is found, and the run
    // may have moved.
    std::fs::rename(path("checkpoint/00000002"), path("checkpoint/00000002.old")).expect("there");
    assert!(expect_error(&train(&[])).contains("--resume"));
    let moved = format!("{}/./run", folder.path().display());
    let told = expect_success(&run(&[
        "train",
        "champion",
        "--resume",
        "--run",
        &moved,
        "--seed",
        "3",
        "--set",
        "rules=wiezen",
        "--iterations",
        "2",
        "--set",
        "deals=16",
        "--set",
        "eval.final_deals=0",
        "--set",
        "start.set=['iterations=1','deals=16','imitation.iterations=1','eval.every=0']",
    ]));
    assert!(told.contains("bot: "), "{told}");
    assert_eq!(weights(), whole);
    // Killed before the second recipe had a checkpoint, then before the first had a bot: the
    // resumed run ends in the same bot.
    for lost in [["bot", "checkpoint", "best"].as_slice(), &["bot", "checkpoint", "start/bot"]] {
        for name in lost.iter().filter(|name| path(name).exists()) {
            std::fs::remove_dir_all(path(name)).expect("there");
        }
        assert!(expect_error(&train(&[])).contains("--resume"), "{lost:?}");
        expect_success(&train(&["--resume"]));
        assert_eq!(weights(), whole, "{lost:?}");
    }
    // Another recipe is refused before anything is trained.
    let wrong = expect_error(&train(&["--resume", "--set", "ppo.clip_coef=0.3"]));
    assert!(wrong.contains("ppo.clip_coef (was") && !wrong.contains("first trains"), "{wrong}");
    // The bot of the first recipe is another's.
    std::fs::remove_dir_all(path("bot")).expect("there");
    std::fs::remove_dir_all(path("checkpoint")).expect("there");
    let other = expect_error(&train(&[
        "--resume",
        "--set",
        "start.set=['iterations=2','deals=16','imitation.iterations=1','eval.every=0']",
    ]));
    assert!(other.contains("iterations (was 1, is 2)"), "{other}");
    let wide = expect_error(&train(&["--set", "network.hidden=64"]));
    assert!(wide.contains("start: quickstart trains another network"), "{wide}");
}
