//! `troel serve`.

use std::io::Write;
use std::net::SocketAddr;
use std::process::ExitCode;

use troel_server::ServerConfig;

/// Play in a browser, and answer other programs over HTTP
///
/// The page is at http://127.0.0.1:7200/. POST /v1/act, /v1/legal and /v1/features answer the requests of the bot protocol
/// (docs/protocol.md); /v1/table is the page's WebSocket. Only this machine can reach it unless --host says otherwise;
/// there is no password and no encryption, so put a proxy before it if others are to come in.
///
/// Example: troel serve --bot luxembourg-v1 --bot wiezen-v1
#[derive(clap::Args)]
pub struct Args {
    /// Address to listen on
    #[arg(long, default_value = "127.0.0.1")]
    host: std::net::IpAddr,
    /// Port; 0 takes any that is free
    #[arg(long, default_value_t = 7200)]
    port: u16,
    /// Bots to play against, each under the rule sets that it can play; the first that can is the one taken (default: the
    /// released bots, where they are found, then expert)
    #[arg(long = "bot")]
    bots: Vec<String>,
    /// Tables at once
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
