//! `troel serve`.

use std::io::{ErrorKind, IsTerminal, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use ipnet::IpNet;
use qrcode::QrCode;
use qrcode::render::unicode;
use troel_server::{Limits, ServerConfig, TableStore};

use crate::commands;

/// Play in a browser, and answer other programs over HTTP
///
/// The page is at http://127.0.0.1:7200/. POST /v1/act, /v1/legal and /v1/features answer the
/// requests of the bot protocol (docs/protocol.md); /v1/table is the page's WebSocket. Only this
/// machine can reach the server. With --lan others in your network can, if they know the token in
/// the address. There is no encryption. To let people play over the internet, put a reverse proxy
/// with TLS in front of it, which passes on the header Host and sets X-Forwarded-For. Then set
/// --token, --host-name and --trusted-proxy (SECURITY.md has the settings of nginx and Caddy).
///
/// Example: troel serve --bot luxembourg-v5 --bot wiezen-v5
#[derive(clap::Args)]
pub struct Args {
    /// Address to listen on
    #[arg(long, default_value = "127.0.0.1")]
    host: IpAddr,
    /// Let others in your network play: the same as --host 0.0.0.0. Their address is printed, also
    /// as a QR code for telephones
    #[arg(long, conflicts_with = "host")]
    lan: bool,
    /// Port; 0 picks any free one
    #[arg(long, default_value_t = 7200, value_parser = commands::number(0..=u16::MAX))]
    port: u16,
    /// Bot to play against, as for `troel eval`; may be repeated. For each rule set, the first bot
    /// that can play it is used [default: the released bots if they are found, then expert]
    #[arg(long = "bot")]
    bots: Vec<String>,
    /// A rule file to offer in addition to the built-in rule sets; may be repeated. At a first
    /// visit the page begins with the first of them. The released bot universal-v2 plays them;
    /// name other bots with --bot
    #[arg(long, value_name = "FILE")]
    rules: Vec<String>,
    /// Maximum number of simultaneous connections to tables, and of shared tables (counted
    /// separately)
    #[arg(long, default_value_t = 200, value_parser = commands::number::<u32>(1..=100_000))]
    tables: u32,
    /// Maximum number of simultaneous connections to tables from one client: one address, or one
    /// IPv6 /64 network
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = commands::number::<u32>(1..=100_000))]
    tables_per_client: u32,
    /// Name by which other machines may call the server (localhost and addresses are always
    /// allowed); may be repeated
    #[arg(long = "host-name", value_name = "NAME")]
    names: Vec<String>,
    /// Address or network (10.0.0.0/8) of a reverse proxy that sets X-Forwarded-For or Forwarded;
    /// may be repeated. The last address in the header that is not a trusted proxy is the client,
    /// whose limits apply. Headers from others are ignored
    #[arg(long = "trusted-proxy", value_name = "ADDRESS", value_parser = network)]
    trusted_proxies: Vec<IpNet>,
    /// Append the record of each deal that is finished at a table to this file, for troel review
    #[arg(long, value_name = "FILE")]
    records: Option<PathBuf>,
    /// Keep shared tables in this folder, so that they go on after a restart. It also keeps the
    /// random token, so that links stay valid. Each server needs a separate folder
    #[arg(long, value_name = "FOLDER")]
    state: Option<PathBuf>,
    /// Secret that every request must carry, at least 16 characters: ?token=… in the address of a
    /// page, Authorization: Bearer … in a request of a program. Default: none if only this machine
    /// can reach the server, else a random one, which is printed
    #[arg(long, env = "TROEL_TOKEN", hide_env_values = true)]
    token: Option<String>,
}

/// Parses a network, or one address.
fn network(text: &str) -> Result<IpNet, String> {
    let address = text.parse::<IpAddr>().map(|address| address.to_canonical().into());
    let wrong = "use an address, such as 127.0.0.1, or a network, such as 10.0.0.0/8";
    address.or_else(|_| text.parse()).map_err(|_| wrong.to_string())
}

/// Draws a secret token.
fn random_token() -> anyhow::Result<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|error| {
        anyhow::anyhow!("cannot draw a random token ({error}); set one with --token")
    })?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Returns the random token that the folder `state` keeps, or draws one and keeps it there.
fn kept_token(state: Option<&Path>) -> anyhow::Result<String> {
    let Some(folder) = state else { return random_token() };
    // Nobody else may read the token.
    TableStore::open(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let path = folder.join("token");
    let in_file = || format!("cannot use the token in {}: remove the file", path.display());
    match std::fs::read_to_string(&path) {
        Ok(text) => Ok(text.trim().to_string()),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let token = random_token()?;
            troel_files::replace(&path, format!("{token}\n").as_bytes()).with_context(in_file)?;
            Ok(token)
        }
        Err(error) => Err(error).with_context(in_file),
    }
}

pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let is_name = |name: &String| {
        !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '.' || c == '-')
    };
    if let Some(name) = args.names.iter().find(|name| !is_name(name)) {
        anyhow::bail!(
            "--host-name {name:?}: use a name without scheme and port, such as whist.example"
        );
    }
    // An empty environment variable counts as not set.
    let given = args.token.clone().filter(|token| !token.is_empty());
    let host = if args.lan { Ipv4Addr::UNSPECIFIED.into() } else { args.host };
    let token = match given {
        None if !host.is_loopback() => Some(kept_token(args.state.as_deref())?),
        token => token,
    };
    anyhow::ensure!(
        token.as_ref().is_none_or(|token| !token.is_empty()
            && token.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')),
        "--token (or TROEL_TOKEN): use letters, digits, - and _ only"
    );
    let suffix = token.as_ref().map(|token| format!("?token={token}")).unwrap_or_default();
    let config = ServerConfig {
        address: SocketAddr::new(host, args.port),
        bots: args.bots.clone(),
        rules: args.rules.clone(),
        tables: args.tables as usize,
        names: args.names.clone(),
        records: args.records.clone(),
        state: args.state.clone(),
        token,
        trusted_proxies: args.trusted_proxies.clone(),
        limits: Limits { tables_per_client: args.tables_per_client as usize, ..Limits::default() },
    };
    troel_server::serve(&config, |reached| {
        let mut text = format!("http://{}/{suffix}\n", reached.here);
        if let Some(address) = reached.for_others().filter(|&address| address != reached.here) {
            text += &invitation(&format!("http://{address}/{suffix}"));
        }
        // At once: a program may read the first line only.
        let mut out = std::io::stdout();
        out.write_all(text.as_bytes())?;
        out.flush()
    })?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the address for others in the network, at a terminal also as a QR code.
fn invitation(address: &str) -> String {
    let mut text = format!("for others in your network: {address}\n");
    // The address is short enough for a code.
    if std::io::stdout().is_terminal()
        && let Ok(code) = QrCode::new(address)
    {
        let mut code = code.render::<unicode::Dense1x2>();
        // Terminals are usually dark.
        code.dark_color(unicode::Dense1x2::Light).light_color(unicode::Dense1x2::Dark);
        text += &format!("{}\n", code.build());
    }
    text
}
