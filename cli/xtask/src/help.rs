//! Pages that the program itself writes: its commands, and the rule sets in short.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use crate::tools;

/// Command that prints the help of other commands; it is not listed.
pub const HELP: &str = "help";

/// Returns a command that runs `troel`: the program in `TROEL_PROGRAM`, or else the release build,
/// which cargo brings up to date first.
pub fn troel<S: AsRef<OsStr>>(root: &Path, arguments: &[S]) -> Command {
    let mut command = match tools::variable("TROEL_PROGRAM") {
        Some(program) => Command::new(program),
        None => {
            let mut cargo = tools::cargo(root);
            cargo.args(["run", "--release", "--quiet", "--package", "troel", "--"]);
            cargo
        }
    };
    command.args(arguments).current_dir(root).env("COLUMNS", "100").env("NO_COLOR", "1");
    command
}

/// Returns the page, in Markdown.
pub fn page(root: &Path) -> Result<String, String> {
    let help = help_of(root, &[])?;
    let mut page = format!(
        "# Commands\n\nThis page is the output of `troel --help` and `troel COMMAND --help`.\n\n{}",
        block(&help)
    );
    let groups = groups(&help);
    if groups.iter().all(|(_, names)| names.is_empty()) {
        return Err("troel --help lists no commands".into());
    }
    for (group, names) in groups {
        let _ = write!(page, "\n## {group}\n");
        for name in names.into_iter().filter(|name| *name != HELP) {
            add(root, &[name], &mut page)?;
        }
    }
    Ok(page)
}

/// Returns the page of a rule set in short, in Markdown.
pub fn rules_page(root: &Path, rules: &str) -> Result<String, String> {
    let (text, _) = tools::run(&mut troel(root, &["rules", rules, "--explain"]))?;
    let mut lines = text.lines().skip(1);
    let description = lines.next().unwrap_or_default();
    let mut page = format!(
        "# {rules} in short\n\n{description}. This page is the output of `troel rules {rules} \
         --explain`. [The full rules]({rules}.md) name their source.\n"
    );
    for line in lines {
        let is_heading = line.starts_with(char::is_uppercase) && line == line.to_uppercase();
        let _ = match line.chars().next().filter(|_| is_heading) {
            Some(first) => writeln!(page, "## {first}{}", line[first.len_utf8()..].to_lowercase()),
            None => writeln!(page, "{line}"),
        };
    }
    Ok(page)
}

/// Adds the help of a command and of the commands below it.
fn add(root: &Path, names: &[&str], page: &mut String) -> Result<(), String> {
    let help = help_of(root, names)?;
    let _ = write!(page, "\n### troel {}\n\n{}", names.join(" "), block(&help));
    for (heading, below) in groups(&help) {
        for name in below.into_iter().filter(|name| heading == "Commands" && *name != HELP) {
            add(root, &[names, &[name]].concat(), page)?;
        }
    }
    Ok(())
}

fn help_of(root: &Path, names: &[&str]) -> Result<String, String> {
    let (help, _) = tools::run(&mut troel(root, &[names, &["--help"]].concat()))?;
    Ok(help)
}

fn block(help: &str) -> String {
    format!("```text\n{}\n```\n", help.trim_end())
}

/// Returns the headings before the options, each with the first words of its entries.
pub fn groups(help: &str) -> Vec<(&str, Vec<&str>)> {
    let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
    for line in help.lines().take_while(|line| *line != "Options:") {
        let entry = line.strip_prefix("  ").filter(|entry| !entry.starts_with(' '));
        if let Some(heading) = line.strip_suffix(':').filter(|_| !line.starts_with(' ')) {
            groups.push((heading, Vec::new()));
        } else if let (Some((_, names)), Some(entry)) = (groups.last_mut(), entry) {
            names.extend(entry.split_whitespace().next());
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_listed_by_group() {
        let help = "About\n\nUsage: troel <COMMAND>\n\nPlay:\n  play   Play\n         and more\n  \
                    serve  Serve\n\nTools:\n  deal   Deal\n\nOptions:\n  -h\n\nExamples:\n  troel";
        assert_eq!(groups(help), [("Play", vec!["play", "serve"]), ("Tools", vec!["deal"])]);
    }
}
