//! `troel doctor`.

mod machine;
mod row;
mod tools;

use std::process::ExitCode;

use self::row::{Row, Status};
use crate::output;

/// Show what this machine offers, and which optional tools are installed
///
/// Lists the parts of the program, the machine, the folders that are used, and the optional tools
/// with their versions. For a missing tool it says what the tool is for and how to get it. The exit
/// status is 1 only if a part is broken that the program itself needs.
///
/// Example: troel doctor
#[derive(clap::Args)]
pub struct Args {
    /// Print JSON lines: one object per row, with group, name, status, found, purpose and remedy
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let mut rows = machine::program();
    rows.extend(machine::machine());
    rows.extend(machine::folders());
    rows.extend(tools::find());
    if args.json {
        for row in &rows {
            output::line(&serde_json::to_string(row)?)?;
        }
    } else {
        output::text(&text(&rows))?;
    }
    let is_broken = rows.iter().any(|row| row.status == Status::Broken);
    Ok(ExitCode::from(u8::from(is_broken)))
}

/// Formats the report: a heading per group, a line per row, and a line for what is missing.
fn text(rows: &[Row]) -> String {
    let width = rows.iter().map(|row| row.name.chars().count()).max().unwrap_or(0);
    let mut text = String::new();
    let mut group = "";
    for row in rows {
        if row.group != group {
            group = row.group;
            let gap = if text.is_empty() { "" } else { "\n" };
            text += &format!("{gap}{group}\n");
        }
        let status = match row.status {
            Status::Ok => "ok",
            Status::Missing => "--",
            Status::Broken => "BROKEN",
        };
        let purpose = match row.purpose {
            "" => String::new(),
            purpose => format!(" ({purpose})"),
        };
        text += &format!("  {status:<6}  {:<width$}  {}{purpose}\n", row.name, row.found);
        if row.status != Status::Ok && !row.remedy.is_empty() {
            text += &format!("  {:6}  {:width$}  {}\n", "", "", row.remedy);
        }
    }
    text
}
