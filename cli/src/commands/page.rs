//! `troel page`.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use troel_agents::registry;
use troel_nn::{Bundle, bundle};

use crate::output;

/// Write a page that plays without a server
///
/// One HTML file with the bots inside (WebAssembly): open it in a browser, send it to a friend, or
/// put it on any web server. Only trained bots can be included. For each rule set, the first bot is
/// the opponent.
///
/// Example: troel page troel.html --bot luxembourg-v5 --bot my-wiezen-bot
#[derive(clap::Args)]
pub struct Args {
    /// The file to write; it must not exist yet
    file: PathBuf,
    /// Checkpoints: folders, or their names under checkpoints/
    #[arg(long = "bot", default_values = registry::released_for_points())]
    bots: Vec<String>,
}

pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let name = args.file.display();
    anyhow::ensure!(!args.file.exists(), "{name} already exists; name a new file");
    let load = |bot: &String| -> anyhow::Result<(String, Bundle)> {
        let found =
            registry::find_bundle(bot).context("only trained bots can be included in a page")?;
        let rules = found.1.info.rule_set(&found.0)?;
        anyhow::ensure!(
            rules.has_full_deck(),
            "{bot} plays {}, whose deck has fewer than 13 ranks; the page cannot show it",
            rules.id()
        );
        Ok((bundle::short_name(&found.0), found.1))
    };
    let bots = args.bots.iter().map(load).collect::<anyhow::Result<Vec<_>>>()?;
    let text = troel_web::standalone(&bots)?;
    bundle::write_file(&args.file, text.as_bytes())?;
    output::line(&format!("{name}: {:.1} MB", text.len() as f64 / 1e6))?;
    Ok(ExitCode::SUCCESS)
}
