//! `troel`: train, evaluate and play colour-whist bots.

mod commands;
#[cfg(test)]
mod documented_commands;
mod figure;
mod interrupt;
mod lines;
mod misspelt_keys;
mod model_card;
mod output;
mod pace;
mod processes;
#[cfg(target_arch = "x86_64")]
mod processor;
mod progress;
mod record_rules;
mod report;

use std::fmt::Write as _;
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

/// Groups of commands in the help.
const GROUPS: [(&str, &[&str]); 5] = [
    ("Play", &["play", "bid", "serve", "page", "review"]),
    ("Train", &["train", "verify"]),
    (
        "Evaluate",
        &[
            "eval",
            "merge",
            "problems",
            "behaviour",
            "compare",
            "benchmark",
            "ladder",
            "tables",
            "exploit",
            "calibration",
            "corpus",
            "nashconv",
        ],
    ),
    ("Export", &["export", "bot"]),
    ("Tools", &["rules", "deal", "replay", "solve", "bench", "doctor", "completions", "help"]),
];

/// Text of `troel` without arguments: a first command for each kind of user.
const FIRST_STEPS: &str = "\
Play whist against three bots:     troel play --rules wiezen
Train a bot (about 4.5 minutes):   troel train quickstart
Find out which bot is better:      troel eval luxembourg-v5 rules --deals 2000
Take a bot into a page or an app:  troel export luxembourg-v5 my-bot
Use the game from Python:          import troel (troel doctor says if Python finds the package)

troel --help lists all commands.";

/// Train, evaluate and play colour-whist bots.
#[derive(Parser)]
#[command(version = env!("TROEL_VERSION"), about, long_about = None)]
#[command(after_help = "Examples:
  troel train quickstart
  troel eval luxembourg-v5 rules --rules luxembourg --deals 2000
  troel play --rules wiezen
  troel replay games.jsonl --legal
  troel solve deals.jsonl")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Train(commands::train::Args),
    Eval(commands::eval::Args),
    Merge(commands::merge::Args),
    Compare(commands::compare::Args),
    Benchmark(commands::benchmark::Args),
    Behaviour(commands::behaviour::Args),
    Calibration(commands::calibration::Args),
    Exploit(commands::exploit::Args),
    Corpus(commands::corpus::Args),
    Ladder(commands::ladder::Args),
    Nashconv(commands::nashconv::Args),
    Tables(commands::tables::Args),
    Problems(commands::problems::Args),
    Play(commands::play::Args),
    Bid(commands::bid::Args),
    Replay(commands::replay::Args),
    Solve(commands::solve::Args),
    Rules(commands::rules::Args),
    Deal(commands::deal::Args),
    Bench(commands::bench::Args),
    Bot(commands::bot::Args),
    Review(commands::review::Args),
    Serve(commands::serve::Args),
    Export(commands::export::Args),
    Page(commands::page::Args),
    Verify(commands::verify::Args),
    Doctor(commands::doctor::Args),
    Completions(commands::completions::Args),
    #[command(hide = true)]
    CompleteNames(commands::completions::NamesArgs),
}

/// Returns the command line, with a help that lists the commands by group.
fn command_line() -> clap::Command {
    let mut command = Cli::command();
    // Adds the command `help`.
    command.build();
    let mut groups = String::new();
    for (heading, names) in GROUPS {
        let _ = writeln!(groups, "{heading}:");
        for subcommand in names.iter().filter_map(|name| command.find_subcommand(name)) {
            let about = subcommand.get_about().map(ToString::to_string).unwrap_or_default();
            let _ = writeln!(groups, "  {:<11}  {about}", subcommand.get_name());
        }
        groups.push('\n');
    }
    with_negative_numbers(Cli::command()).help_template(format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{groups}Options:\n{{options}}{{after-help}}"
    ))
}

/// Lets every option take a negative number, so that its own error says what it needs.
fn with_negative_numbers(command: clap::Command) -> clap::Command {
    let takes_value = |arg: &clap::Arg| !arg.is_positional() && arg.get_action().takes_values();
    command
        .mut_args(|arg| if takes_value(&arg) { arg.allow_negative_numbers(true) } else { arg })
        .mut_subcommands(with_negative_numbers)
}

fn main() -> ExitCode {
    #[cfg(target_arch = "x86_64")]
    if !processor::is_supported() {
        return ExitCode::from(2);
    }
    run()
}

/// Runs the command of the command line.
// Not inlined: `main` must not use newer instructions before it has checked for them.
#[inline(never)]
fn run() -> ExitCode {
    tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .with_ansi(output::has_colour(&std::io::stderr()))
        .with_target(false)
        .without_time()
        .with_max_level(tracing::Level::INFO)
        // A closed standard error must not make the command fail.
        .log_internal_errors(false)
        .init();
    if std::env::args_os().len() <= 1 {
        output::note(FIRST_STEPS);
        return ExitCode::from(2);
    }
    let arguments = command_line().get_matches();
    let command = Cli::from_arg_matches(&arguments).unwrap_or_else(|error| error.exit()).command;
    // The server handles the signals itself, to shut down in order.
    let handled = match command {
        Command::Serve(_) => Ok(()),
        _ => interrupt::handle(),
    };
    let result = handled.and_then(|()| match command {
        Command::Train(args) => commands::train::run(&args),
        Command::Eval(args) => commands::eval::run(&args),
        Command::Merge(args) => commands::merge::run(&args),
        Command::Compare(args) => commands::compare::run(&args),
        Command::Benchmark(args) => commands::benchmark::run(&args),
        Command::Behaviour(args) => commands::behaviour::run(&args),
        Command::Calibration(args) => commands::calibration::run(&args),
        Command::Exploit(args) => commands::exploit::run(&args),
        Command::Corpus(args) => commands::corpus::run(&args),
        Command::Ladder(args) => commands::ladder::run(&args),
        Command::Nashconv(args) => commands::nashconv::run(&args),
        Command::Tables(args) => commands::tables::run(&args),
        Command::Problems(args) => commands::problems::run(&args),
        Command::Play(args) => commands::play::run(&args),
        Command::Bid(args) => commands::bid::run(&args),
        Command::Replay(args) => commands::replay::run(&args),
        Command::Solve(args) => commands::solve::run(&args),
        Command::Rules(args) => commands::rules::run(&args),
        Command::Deal(args) => commands::deal::run(&args),
        Command::Bench(args) => commands::bench::run(&args),
        Command::Bot(args) => commands::bot::run(&args),
        Command::Review(args) => commands::review::run(&args),
        Command::Serve(args) => commands::serve::run(&args),
        Command::Export(args) => commands::export::run(&args),
        Command::Page(args) => commands::page::run(&args),
        Command::Verify(args) => commands::verify::run(&args),
        Command::Doctor(args) => commands::doctor::run(&args),
        Command::Completions(args) => commands::completions::run(&args, Cli::command()),
        Command::CompleteNames(args) => commands::completions::run_names(&args, Cli::command()),
    });
    match result {
        Ok(code) => code,
        // The reader closed our output (`troel deal | head`): not an error.
        Err(error) if output::is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            output::note(&format!("troel: {}", output::without_codes(&format!("{error:#}"))));
            ExitCode::from(2)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_help_has_each_command_once() {
        let mut listed = GROUPS.map(|(_, names)| names).concat();
        listed.sort_unstable();
        let mut command = Cli::command();
        command.build();
        let shown = command.get_subcommands().filter(|command| !command.is_hide_set());
        let mut names: Vec<&str> = shown.map(clap::Command::get_name).collect();
        names.sort_unstable();
        assert_eq!(listed, names);
    }
}
