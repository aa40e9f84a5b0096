//! `troel export`.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use sha2::{Digest, Sha256};
use troel_agents::registry;
use troel_env::{Action, BySeat, Deals, N_ACTIONS, RuleSet, Seat, State};
use troel_files::FileError;
use troel_nn::{
    BotInfo, Bundle, BundleError, CpuNetwork, NetworkInput, Scratch, bundle, onnx, probabilities,
};

use crate::commands::WeightsArg;
use crate::{commands, model_card, output};

/// Write a trained bot for other programs
///
/// The folder contains model.safetensors and bot.toml (a checkpoint that troel itself can use),
/// model.onnx (inputs features and mask, and suits for networks with canonical suits; outputs
/// policy and value), golden.json (observations with the bot's outputs, to test other programs),
/// troel.mjs and troel.wasm (the bot in JavaScript), play.html (a page to play against it, without
/// a server), MODEL_CARD.md and SHA256SUMS.
///
/// Example: troel export luxembourg-v5 my-bot
#[derive(clap::Args)]
pub struct Args {
    /// Trained bot, as for `troel eval`: a released bot, or the name or folder of another
    checkpoint: String,
    /// The folder to write; it must not exist yet
    folder: PathBuf,
    /// The rule file that the bot was trained for, if it is neither built in nor in the checkpoint
    #[arg(long, value_name = "FILE")]
    rules: Option<String>,
    /// Number format of the weights
    #[arg(long, value_enum, default_value_t)]
    weights: WeightsArg,
}

/// Number of observations in golden.json.
const GOLDEN_OBSERVATIONS: usize = 64;

pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    anyhow::ensure!(
        !args.folder.exists(),
        "{} already exists; name a new folder",
        args.folder.display()
    );
    let (path, loaded) = registry::find_bundle(&args.checkpoint)?;
    let mut loaded = args.weights.apply(loaded);
    let rules = rules(args.rules.as_deref(), &path, &loaded.info)?;
    // Older checkpoints do not contain their house rules, and bots that play under any are exported
    // for these.
    loaded.info.set_rules(rules);
    let bots = [(bundle::short_name(&path), loaded)];
    let play = troel_web::standalone(&bots)?;
    let [(_, loaded)] = bots;
    bundle::write_folder(&args.folder, |folder| {
        loaded.write_files(folder)?;
        let write = |name: &str, bytes: &[u8]| bundle::write_file(&folder.join(name), bytes);
        write("model.onnx", &onnx::model(&loaded))?;
        write("golden.json", golden(&loaded, rules).as_bytes())?;
        write("MODEL_CARD.md", model_card::text(&loaded, rules).as_bytes())?;
        write("play.html", play.as_bytes())?;
        write("troel.mjs", troel_web::MODULE.as_bytes())?;
        write("troel.wasm", troel_web::WASM)?;
        bundle::seal(folder)?;
        write(bundle::SUMS_FILE, sums(folder)?.as_bytes())
    })?;
    output::line(&format!("{}: exported from {}", args.folder.display(), path.display()))?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the rules of the exported bot: those of the option `--rules`, which the bot must play.
/// Without the option, these are the rules that the bot was trained for.
fn rules(option: Option<&str>, path: &Path, info: &BotInfo) -> anyhow::Result<&'static RuleSet> {
    let Some(name) = option else { return Ok(info.rule_set(path)?) };
    let rules = commands::rules(name)?;
    if info.check_rules(path, rules).is_ok() {
        return Ok(rules);
    }
    // Without the option, the rules must be built in or in the checkpoint.
    let remedy = match info.rule_set(path) {
        Ok(own) => format!("leave --rules out to export it for {}", own.id()),
        Err(_) => "give the rule file that it was trained for".to_string(),
    };
    anyhow::bail!(
        "--rules {name}: {} was trained for rule set {} (hash {}), not for {} (hash {}); {remedy}",
        path.display(),
        info.rules,
        info.rules_hash,
        rules.id(),
        rules.hash()
    )
}

/// Returns the checksums of all other files in a folder, as `sha256sum -c` reads them.
pub fn sums(folder: &Path) -> Result<String, BundleError> {
    let files: Result<Vec<_>, _> = fs::read_dir(folder).map_err(FileError::at(folder))?.collect();
    let mut paths: Vec<_> =
        files.map_err(FileError::at(folder))?.iter().map(fs::DirEntry::path).collect();
    paths.retain(|path| path.is_file() && !path.ends_with(bundle::SUMS_FILE));
    paths.sort();
    let mut text = String::new();
    for path in paths {
        let bytes = fs::read(&path).map_err(FileError::at(&path))?;
        let digest: String = Sha256::digest(bytes).iter().map(|b| format!("{b:02x}")).collect();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let _ = writeln!(text, "{digest}  {name}");
    }
    Ok(text)
}

/// Returns observations of self-play with the bot's outputs. They are indices and values of the
/// nonzero features.
fn golden(loaded: &Bundle, rules: &'static RuleSet) -> String {
    let (network, config) = (CpuNetwork::new(&loaded.weights), loaded.weights.config);
    let (mut scratch, mut inputs) = (Scratch::default(), vec![0.0; config.inputs()]);
    let mut rows = Vec::new();
    'deals: for n in 0.. {
        let mut state = State::new(rules, &Deals::new(rules, 20).shuffled(n, Seat::North));
        while !state.is_done() {
            let input = NetworkInput::from(&state.observe(state.turn(), BySeat::default()));
            network.evaluate(&[input], &mut scratch);
            let Some(logits) = scratch.logits().next() else { break };
            let policy = probabilities(input.legal, logits);
            let action = troel_nn::most_probable(input.legal, logits);
            if policy.len() > 1 {
                input.expand(&config, &mut inputs);
                let features: Vec<(usize, f32)> =
                    inputs.iter().copied().enumerate().filter(|&(_, x)| x != 0.0).collect();
                let legal: Vec<usize> = policy.iter().map(|(a, _)| a.index()).collect();
                let chances: Vec<f32> = policy.iter().map(|&(_, p)| p).collect();
                rows.push(serde_json::json!({
                    "features": features,
                    "suits": input.suits.number(),
                    "legal": legal,
                    "policy": chances,
                    "value": scratch.values()[0] * loaded.info.reward_scale,
                    "action": action.to_string(),
                }));
                if rows.len() == GOLDEN_OBSERVATIONS {
                    break 'deals;
                }
            }
            state.apply_unchecked(action);
        }
    }
    let actions: Vec<String> =
        (0..N_ACTIONS).filter_map(Action::from_index).map(|a| a.to_string()).collect();
    let golden = serde_json::json!({
        "features": config.inputs(),
        "value_unit": loaded.info.value_unit(),
        "actions": actions,
        "rows": rows,
    });
    format!("{golden}\n")
}

#[cfg(test)]
mod tests {
    use troel_nn::NetworkConfig;

    use super::*;

    #[test]
    fn the_remedy_for_other_rules_is_possible() {
        let [wiezen, iwwa] =
            ["wiezen", "iwwa"].map(|name| RuleSet::built_in(name).expect("built in"));
        let mut info = BotInfo::new(wiezen, NetworkConfig::default(), 1.0, 1);
        let refused = |info: &BotInfo, name: Option<&str>| {
            rules(name, Path::new("bot"), info).expect_err("other rules").to_string()
        };
        assert_eq!(rules(None, Path::new("bot"), &info).expect("its own"), wiezen);
        let error = refused(&info, Some("iwwa"));
        assert!(error.contains("leave --rules out to export it for wiezen"), "{error}");
        // Without the option it would be refused: its rules have changed since its training.
        info.rules_hash = "0123456789abcdef".to_string();
        let error = refused(&info, Some("iwwa"));
        assert!(error.contains("give the rule file that it was trained for"), "{error}");
        assert!(refused(&info, None).contains("have changed since"));
        info.any_rules = true;
        assert_eq!(rules(Some("iwwa"), Path::new("bot"), &info).expect("any"), iwwa);
    }
}
