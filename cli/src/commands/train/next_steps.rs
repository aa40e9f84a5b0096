//! Commands to run after a finished training.

use std::fmt::Write as _;
use std::path::Path;

use troel_agents::Registry;
use troel_nn::Bundle;
use troel_train::{TrainConfig, Trainer};

use super::word;

/// Built-in recipe of self-play.
const SELF_PLAY: &str = "champion";

/// Largest number that is appended to a name to find a free one.
const MAX_SUFFIX: u32 = 100;

/// Returns the commands to run next with a bot that `recipe` trained, under a heading. The folder
/// of another training is named after `run`.
pub fn text(heading: &str, recipe: &Path, bot: &Path, run: &str) -> String {
    let name = word(&bot.display().to_string());
    let mut text = format!("{heading}:\n");
    let mut add = |what: &str, command: &str| {
        let _ = writeln!(text, "  {what:<19} troel {command}");
    };
    add("play against it", &format!("play --bot {name}"));
    add("judge it", &format!("eval {name} expert --deals 2000"));
    if recipe.file_stem() != Some(SELF_PLAY.as_ref())
        && let Some(settings) = self_play(bot, run)
    {
        add("train by self-play", &format!("train {SELF_PLAY} {settings}"));
    }
    add("play in a browser", &format!("serve --bot {name}"));
    text.truncate(text.trim_end().len());
    text
}

/// Returns the options with which the recipe of self-play starts from a bot, in a folder named
/// after `run`.
///
/// Returns `None` if it cannot start, for example because the bot has another network.
fn self_play(bot: &Path, run: &str) -> Option<String> {
    let info = Bundle::load(bot).ok()?.info;
    // The bundle has house rules inside, but a recipe needs their file.
    if info.any_rules || info.house_rules.is_some() {
        return None;
    }
    let run = run.trim_end_matches(['/', '\\']);
    let settings = [format!("init={}", bot.display()), format!("rules={}", info.rules)];
    let mut config = TrainConfig::load_with(Path::new(SELF_PLAY), &settings).ok()?;
    if config.network != info.network {
        return None;
    }
    config.start = None;
    // The recipe's own folder may hold a run, and so may others.
    let mut runs = (1..=MAX_SUFFIX).map(|n| match n {
        1 => format!("{run}-{SELF_PLAY}"),
        n => format!("{run}-{SELF_PLAY}-{n}"),
    });
    config.run = runs.find(|run| !Path::new(run).exists())?;
    Trainer::check_start(&config, &Registry::default()).ok()?;
    let settings = settings.map(|setting| format!("--set {}", setting_word(&setting)));
    Some(format!("{} --run {}", settings.join(" "), word(&config.run)))
}

/// Returns a setting `KEY=VALUE` as a word of a shell.
fn setting_word(setting: &str) -> String {
    match setting.split_once('=') {
        Some((key, value)) if word(value) == value => format!("{key}={value}"),
        _ => super::quoted(setting),
    }
}
