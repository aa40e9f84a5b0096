//! `troel bot`.

use std::process::ExitCode;

use anyhow::Context;
use troel_agents::{NamedBot, registry};
use troel_env::RuleSet;
use troel_protocol::Responder;
use troel_protocol::bot_protocol::MAX_MESSAGE_BYTES;

use crate::lines::read_line;
use crate::{commands, output};

/// Answer another program's requests: one JSON line in, one out
///
/// {"id":1,"cmd":"hello"} names the bot; {"id":2,"cmd":"act","record":{…},"seat":"S"} asks for its
/// action, given a game record of what that seat may see of the deal (`-` for hidden hands);
/// "legal" asks for the legal actions. Errors have a code and a message. They do not end the bot;
/// only the end of input does. docs/protocol.md describes the whole protocol.
///
/// Example: echo '{"id":1,"cmd":"hello"}' | troel bot luxembourg-v5
#[derive(clap::Args)]
pub struct Args {
    /// Bot, as for `troel eval`
    #[arg(default_value = "rules")]
    bot: String,
    /// A rule file to offer in addition to the built-in rule sets
    #[arg(long, value_name = "FILE")]
    rules: Option<String>,
    /// Seed of the bot's random draws
    #[arg(long, default_value_t = 1, value_parser = commands::seed)]
    seed: u64,
}

pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let mut sets = RuleSet::all_built_in();
    if let Some(file) = &args.rules {
        let rules = commands::rules(file)?;
        NamedBot::find(&args.bot, rules).context("--rules")?;
        sets.push(rules);
    }
    sets.extend(registry::house_rules(&args.bot)?);
    let bot = Responder::find(&args.bot, &sets, args.seed)?;
    let mut input = std::io::stdin().lock();
    while let Some(bytes) =
        read_line(&mut input, MAX_MESSAGE_BYTES as u64).context("standard input")?
    {
        if !bytes.trim_ascii().is_empty() {
            output::line(&bot.answer(&bytes))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}
