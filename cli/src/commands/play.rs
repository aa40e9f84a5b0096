//! placeholder
use std::process::ExitCode;
/// placeholder
#[derive(clap::Args)]
pub struct Args {}
pub fn run(_args: &Args) -> anyhow::Result<ExitCode> { Ok(ExitCode::SUCCESS) }
