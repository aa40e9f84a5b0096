//! `troel export`.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use sha2::{Digest, Sha256};
use troel_agents::registry;
use troel_env::{Action, BySeat, Deals, N_ACTIONS, N_FEATURES, RuleSet, Seat, State};
use troel_nn::forward::Scratch;
use troel_nn::{Bundle, BundleError, Forward, Input, bundle, onnx, probabilities};

use crate::{commands, output};

/// Write a trained bot for other programs
///
/// The folder gets model.safetensors and bot.toml (a checkpoint that troel itself can use), model.onnx (inputs features
/// and mask, outputs policy and value), golden.json (observations with what the bot makes of them, to test another
/// program against), troel.mjs and troel.wasm (the bot in JavaScript), play.html (a page to play against it, without a
/// server), MODEL_CARD.md and SHA256SUMS.
///
/// Example: troel export luxembourg-v1 my-bot
#[derive(clap::Args)]
pub struct Args {
    /// The checkpoint: a folder, or its name under checkpoints/
    checkpoint: String,
    /// The folder to write; it must not be there yet
    folder: PathBuf,
    /// The rule file that the bot was trained for, if it is neither built in nor in the checkpoint
    #[arg(long, value_name = "FILE")]
    rules: Option<String>,
}

/// Observations in golden.json.
const GOLDEN: usize = 64;

pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    anyhow::ensure!(
        !args.folder.exists(),
        "{} is there already; name a new folder",
        args.folder.display()
    );
    let (path, mut loaded) = registry::find_bundle(&args.checkpoint)?;
    let rules = match &args.rules {
        Some(file) => commands::rules(file)?,
        None => loaded.info.rule_set(&path)?,
    };
    loaded.info.check_rules(&path, rules)?;
    // One that was trained before bots took their rules along gets them now.
    loaded.info.house_rules = (!rules.is_built_in()).then(|| rules.spec().clone());
    let bots = [(bundle::short_name(&path), loaded)];
    let play = troel_web::standalone(&bots)?;
    let [(_, loaded)] = bots;
    bundle::write_folder(&args.folder, |folder| {
        loaded.write_files(folder)?;
        let write = |name: &str, bytes: &[u8]| bundle::write_file(&folder.join(name), bytes);
        write("model.onnx", &onnx::model(&loaded))?;
        write("golden.json", golden(&loaded, rules).as_bytes())?;
        write("MODEL_CARD.md", card(&loaded, rules).as_bytes())?;
        write("play.html", play.as_bytes())?;
        write("troel.mjs", troel_web::MODULE.as_bytes())?;
        write("troel.wasm", troel_web::WASM)?;
        write("SHA256SUMS", sums(folder)?.as_bytes())
    })?;
    output::line(&format!("{}: exported from {}", args.folder.display(), path.display()))?;
    Ok(ExitCode::SUCCESS)
}

/// Checksums of all files in a folder, as `sha256sum -c` reads them.
fn sums(folder: &Path) -> Result<String, BundleError> {
    let io = |source| BundleError::Io { path: folder.to_path_buf(), source };
    let files: Result<Vec<_>, _> = fs::read_dir(folder).map_err(io)?.collect();
    let mut paths: Vec<_> = files.map_err(io)?.iter().map(fs::DirEntry::path).collect();
    paths.sort();
    let mut text = String::new();
    for path in paths {
        let bytes =
            fs::read(&path).map_err(|source| BundleError::Io { path: path.clone(), source })?;
        let digest: String = Sha256::digest(bytes).iter().map(|b| format!("{b:02x}")).collect();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let _ = writeln!(text, "{digest}  {name}");
    }
    Ok(text)
}

/// Observations of deals that the bot plays with itself, as indices and values of features that are not zero, and what
/// it makes of them.
fn golden(loaded: &Bundle, rules: &'static RuleSet) -> String {
    let forward = Forward::new(&loaded.weights);
    let mut scratch = Scratch::default();
    let mut rows = Vec::new();
    'deals: for n in 0.. {
        let mut state = State::new(rules, &Deals::new(rules, 20).shuffled(n, Seat::North));
        while !state.is_done() {
            let input = Input::from(&state.observe(state.turn(), BySeat::default()));
            forward.evaluate(&[input], &mut scratch);
            let Some(logits) = scratch.logits().next() else { break };
            let policy = probabilities(input.legal, logits);
            let action = troel_nn::likeliest(input.legal, logits);
            if policy.len() > 1 {
                let ones = input.features.ones().map(|i| (i, 1.0));
                let features: Vec<(usize, f32)> = ones.chain(input.features.numbers()).collect();
                let legal: Vec<usize> = policy.iter().map(|(a, _)| a.index()).collect();
                let chances: Vec<f32> = policy.iter().map(|&(_, p)| p).collect();
                rows.push(serde_json::json!({
                    "features": features,
                    "legal": legal,
                    "policy": chances,
                    "value": scratch.values()[0] * loaded.info.reward_scale,
                    "action": action.to_string(),
                }));
                if rows.len() == GOLDEN {
                    break 'deals;
                }
            }
            state.apply_unchecked(action);
        }
    }
    let actions: Vec<String> =
        (0..N_ACTIONS).filter_map(Action::from_index).map(|a| a.to_string()).collect();
    let golden = serde_json::json!({
        "features": N_FEATURES,
        "actions": actions,
        "rows": rows,
    });
    format!("{golden}\n")
}

fn card(loaded: &Bundle, rules: &RuleSet) -> String {
    let info = &loaded.info;
    let network = info.network;
    let mut text = format!(
        "# A troel bot for {rules}\n\n\
         Plays the auction and the cards of {description}. It was trained for rule set `{rules}` (hash \
         `{hash}`) and for no other; other house rules need another bot.\n\n\
         ## Use\n\n\
         - troel: the folder is a checkpoint; give its path wherever a bot is named.\n\
         - `model.onnx`: inputs `features` [batch, {features}] (f32, observation version {observation}) and `mask` \
         [batch, {actions}] (bool, true for legal actions, action version {action}); outputs `policy` (probabilities) \
         and `value` (points that the seat may expect of the deal).\n\
         - `golden.json`: observations with the answers, to test a program of your own against.\n\
         - `play.html`: open it in a browser and play against the bot; it needs no server.\n\
         - `troel.mjs`, `troel.wasm`: the bot in JavaScript, for pages and Node; the first lines say how.\n\n\
         ## Training\n\n\
         Self-play PPO: {deals} deals, {steps} decisions, {minutes:.0} minutes, seed {seed}. Network {hidden} wide, \
         {blocks} residual block(s), {weights} weights. The recipe is in `bot.toml`.\n\n\
         ## Evaluation\n\n",
        rules = info.rules,
        description = rules.spec().description,
        hash = info.rules_hash,
        features = info.features,
        observation = info.observation_version,
        actions = info.actions,
        action = info.action_version,
        deals = info.deals,
        steps = info.steps,
        minutes = info.train_seconds / 60.0,
        seed = info.seed,
        hidden = network.hidden,
        blocks = network.blocks,
        weights = network.len(),
    );
    if info.evaluation.is_empty() {
        text += "None yet: run `troel eval`.\n";
    } else {
        text += "Points per deal beyond the baseline's on the same deals and seats (95 % interval):\n\n\
                 | against | what | points | interval | deals |\n|---|---|---|---|---|\n";
        for e in &info.evaluation {
            let [low, high] = e.ci95;
            let _ = writeln!(
                text,
                "| `{}` | {} | {:+.2} | {low:+.2} to {high:+.2} | {} |",
                e.baseline, e.scope, e.points_per_deal, e.deals
            );
        }
    }
    text += "\n## Limits\n\n\
             It sees what its seat may see and keeps nothing from one deal to the next. It was measured against the bots above, \
             not against people; contracts that come up seldom are its weakest.";
    text += match info.match_totals {
        true => " It was rewarded for points, whatever the score of the match.\n",
        false => " Match totals were always zero in training, and it is blind to them.\n",
    };
    text
}
