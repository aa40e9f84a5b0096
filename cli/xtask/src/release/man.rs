//! Manual pages, from the program's own help.

use std::path::PathBuf;
use std::process::Command;

use crate::{help, tools};

/// Width of the text, without the margin that `man` adds.
const COLUMNS: &str = "76";

/// Returns the files of the manual pages with their texts: `troel.1`, and one for each command.
/// `program` returns a command that runs the program.
pub fn pages(
    program: &dyn Fn() -> Command,
    version: &str,
) -> Result<Vec<(PathBuf, String)>, String> {
    let overview = help_of(program(), &[])?;
    let mut pages = vec![(PathBuf::from("troel.1"), page("troel", &overview, version))];
    for name in help::groups(&overview).into_iter().flat_map(|(_, names)| names) {
        if name != help::HELP {
            let name_of_page = format!("troel-{name}");
            let text = page(&name_of_page, &help_of(program(), &[name])?, version);
            pages.push((format!("{name_of_page}.1").into(), text));
        }
    }
    Ok(pages)
}

fn help_of(mut command: Command, names: &[&str]) -> Result<String, String> {
    command.args(names).arg("--help").env("COLUMNS", COLUMNS).env("NO_COLOR", "1");
    tools::run(&mut command).map(|(help, _)| help)
}

/// Returns a manual page with the unchanged help as its text.
fn page(name: &str, help: &str, version: &str) -> String {
    let about = help.lines().next().unwrap_or_default();
    let mut page = format!(
        ".TH {} 1 \"\" \"Troel {}\"\n.SH NAME\n{} \\- {}\n.SH DESCRIPTION\n.nf\n",
        escaped(name).to_uppercase(),
        escaped(version),
        escaped(name),
        escaped(about),
    );
    for line in help.trim_end().lines() {
        // At the start of a line, these characters begin a request.
        if line.starts_with(['.', '\'']) {
            page.push_str("\\&");
        }
        page.push_str(&escaped(line));
        page.push('\n');
    }
    page + ".fi\n"
}

/// Escapes the characters that roff would replace.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\e").replace('-', "\\-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_of_the_help_survives_roff() {
        let text = page("troel-eval", "Compare bots\n\n.hidden --flag\n'C:\\x'\n", "1.2.3");
        assert!(text.starts_with(".TH TROEL\\-EVAL 1 \"\" \"Troel 1.2.3\"\n"), "{text}");
        assert!(text.contains("\ntroel\\-eval \\- Compare bots\n"), "{text}");
        assert!(text.ends_with("\n\\&.hidden \\-\\-flag\n\\&'C:\\ex'\n.fi\n"), "{text}");
    }
}
