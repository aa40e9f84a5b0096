//! `troel completions` and `troel complete-names`: completion of commands, options and names.

mod names;
mod script;

use std::process::ExitCode;

use clap_complete::Shell;

use self::names::Kind;
use crate::output;

/// Print a completion script for a shell
///
/// The scripts of bash, zsh and fish also complete the names of bots, recipes, rule sets and suites
/// of problems.
///
/// Examples:
///   mkdir -p ~/.local/share/bash-completion/completions
///   troel completions bash > ~/.local/share/bash-completion/completions/troel
///   mkdir -p ~/.zfunc && troel completions zsh > ~/.zfunc/_troel    # with ~/.zfunc in fpath
///   mkdir -p ~/.config/fish/completions
///   troel completions fish > ~/.config/fish/completions/troel.fish
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Args {
    /// Shell to complete for
    shell: Shell,
}

/// Print the names that can be at the end of a command line, for the completion scripts
#[derive(clap::Args)]
pub struct NamesArgs {
    /// Print only the part of each name after the last `:` or `=` of the last word. bash splits
    /// words there
    #[arg(long)]
    split: bool,
    /// Words of the command line after `troel`; the last one is completed
    #[arg(last = true)]
    words: Vec<String>,
}

/// Prints the completion script for `command`.
pub fn run(args: &Args, mut command: clap::Command) -> anyhow::Result<ExitCode> {
    let mut generated = Vec::new();
    clap_complete::generate(args.shell, &mut command, "troel", &mut generated);
    output::write(script::with_names(args.shell, &String::from_utf8_lossy(&generated)).as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

/// Prints the names that complete a command line of `command`, one per line. Prints nothing if the
/// last word is not a name.
pub fn run_names(args: &NamesArgs, mut command: clap::Command) -> anyhow::Result<ExitCode> {
    command.build();
    let words = if args.split { joined(&args.words) } else { args.words.clone() };
    let Some((arg, begun)) = argument(&command, &words) else { return Ok(ExitCode::SUCCESS) };
    let Some(kind) = Kind::of(arg) else { return Ok(ExitCode::SUCCESS) };
    let last = words.last().map_or("", String::as_str);
    let cut = if args.split {
        last.rfind([':', '=']).map_or(0, |at| at + 1).saturating_sub(last.len() - begun.len())
    } else {
        0
    };
    let mut text = String::new();
    for name in names::beginning_with(kind, begun) {
        // A folder name may contain a line break, which the shell would read as two names.
        if !name.contains('\n') {
            text += name.get(cut..).unwrap_or_default();
            text.push('\n');
        }
    }
    output::text(&text)?;
    Ok(ExitCode::SUCCESS)
}

/// Joins the words that bash has split at `:` and `=`.
fn joined(words: &[String]) -> Vec<String> {
    let is_break = |word: &str| !word.is_empty() && word.chars().all(|c| c == ':' || c == '=');
    let mut joined: Vec<String> = Vec::new();
    let mut goes_on = false;
    for word in words {
        match joined.last_mut() {
            Some(last) if goes_on || is_break(word) => last.push_str(word),
            _ => joined.push(word.clone()),
        }
        goes_on = is_break(word);
    }
    joined
}

/// Returns the argument that the last word belongs to, and its value as typed so far.
///
/// Returns `None` if the last word is an option or a command.
fn argument<'a>(
    mut command: &'a clap::Command,
    words: &'a [String],
) -> Option<(&'a clap::Arg, &'a str)> {
    let (last, before) = words.split_last()?;
    let option = |command: &'a clap::Command, name: &str| {
        let mut options = command.get_opts().filter(|arg| arg.get_action().takes_values());
        options.find(|arg| arg.get_long() == Some(name))
    };
    let mut awaits = None;
    let mut positionals = 0;
    let mut has_names = false;
    for word in before {
        if awaits.take().is_some() {
            continue;
        }
        if let Some(name) = word.strip_prefix("--") {
            awaits = option(command, name);
        } else if !word.starts_with('-') {
            match command.find_subcommand(word).filter(|_| positionals == 0) {
                Some(below) => command = below,
                None => positionals += 1,
            }
            has_names = true;
        }
    }
    if awaits.is_some() {
        return awaits.map(|arg| (arg, last.as_str()));
    }
    if let Some((name, value)) = last.strip_prefix("--").and_then(|word| word.split_once('=')) {
        return option(command, name).map(|arg| (arg, value));
    }
    if last.starts_with('-') || !has_names {
        return None;
    }
    // The last positional argument may be repeated.
    let arg = command.get_positionals().nth(positionals);
    arg.or_else(|| command.get_positionals().last()).map(|arg| (arg, last.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split(' ').map(String::from).collect()
    }

    #[test]
    fn the_last_word_belongs_to_an_argument() {
        let mut command = crate::command_line();
        command.build();
        for (line, wanted) in [
            ("train ", Some(("config", ""))),
            ("train qui", Some(("config", "qui"))),
            ("train --run a --exploit wi", Some(("exploit", "wi"))),
            ("eval a --deals 4 b", Some(("bots", "b"))),
            ("eval --rules=wi", Some(("rules", "wi"))),
            ("corpus judge there ru", Some(("bots", "ru"))),
            ("tr", None),
            ("eval --ru", None),
        ] {
            let words = words(line);
            let found = argument(&command, &words);
            let found = found.map(|(arg, begun)| (arg.get_id().as_str(), begun));
            assert_eq!(found, wanted, "{line}");
        }
    }

    #[test]
    fn words_that_bash_splits_are_joined() {
        let found = joined(&words("eval pimc : worlds = 20 rules --rules = wi"));
        assert_eq!(found, words("eval pimc:worlds=20 rules --rules=wi"));
    }
}
