//! `troel serve`.

use std::io::Write;
use std::net::SocketAddr;
use std::process::ExitCode;

use troel_server::ServerConfig;

/// Play in a browser, and answer other programs over HTTP
///
/// The page is at http://127.0.0.1:7200/. POST /v1/act, /v1/legal and /v1/features answer the requests of the bot
/// protocol (docs/protocol.md); /v1/table is the page's WebSocket. Only this machine can reach the server unless
/// --host says otherwise. There is no password and no encryption: put a reverse proxy in front of it to admit others.
///
/// Example: troel serve --bot luxembourg-v3 --bot wiezen-v3
#[derive(clap::Args)]
pub struct Args {
    /// Address to listen on
    #[arg(long, default_value = "127.0.0.1")]
    host: std::net::IpAddr,
    /// Port; 0 picks any free one
    #[arg(long, default_value_t = 7200)]
    port: u16,
    /// Bot to play against; may be repeated. For each rule set the first bot that can play it is used (default: the
    /// released bots, where they are found, then expert)
    #[arg(long = "bot")]
    bots: Vec<String>,
    /// Largest number of simultaneous tables
    #[arg(long, default_value_t = 200)]
    tables: usize,
}

pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let config = ServerConfig {
        address: SocketAddr::new(args.host, args.port),
        bots: args.bots.clone(),
        tables: args.tables,
    };
    let mut out = std::io::stdout();
    troel_server::serve(&config, |address| {
        writeln!(out, "http://{address}/")?;
        out.flush()
    })?;
    Ok(ExitCode::SUCCESS)
}
