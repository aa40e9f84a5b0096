//! The server of `troel serve`: a page to play on in a browser, and the bot protocol over HTTP.
//!
//! The module `routes` has the addresses, `guard` checks who may ask, `compute` bounds the
//! processor time of requests, `sockets` has the pages' connections, `rooms` the tables of several
//! persons. `accept` and `limits` bound what a client can hold, `proxies` tells clients apart,
//! `files` has the page.

mod accept;
mod compute;
mod files;
mod guard;
mod limits;
mod proxies;
mod rooms;
mod routes;
mod sockets;
#[cfg(test)]
mod testing;

use std::fs::File;
use std::io::Write;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use ipnet::IpNet;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use troel_agents::{Entry, RegistryError, external, registry};
use troel_env::{Record, RuleSet};
use troel_protocol::provider::named;
use troel_protocol::{Provider, Responder, TableError};

use self::compute::Compute;
use self::guard::Guard;
pub use self::limits::Limits;
use self::limits::{Guesses, Shares};
use self::proxies::Proxies;
use self::rooms::Rooms;

/// Settings of the server.
#[derive(Clone, Debug)]
pub struct ServerConfig {
    /// Address to listen on.
    pub address: SocketAddr,
    /// Bots to play against. For each rule set the first bot that can play it is used. Empty: the
    /// released bots, then `expert`.
    pub bots: Vec<String>,
    /// House rules to play besides the built-in rule sets and those that the bots carry.
    pub rules: Vec<&'static RuleSet>,
    /// Largest number of simultaneous tables.
    pub tables: usize,
    /// Names that the server may be called by, beside `localhost` and addresses.
    pub names: Vec<String>,
    /// File to which the record of each finished deal is appended.
    pub records: Option<PathBuf>,
    /// What everybody who asks has to know; required where others than this machine can reach the
    /// address.
    pub token: Option<String>,
    /// Reverse proxies whose headers `X-Forwarded-For` and `Forwarded` say who the client is.
    pub trusted_proxies: Vec<IpNet>,
    /// Limits of what clients may hold.
    pub limits: Limits,
}

/// Time limit for a request to arrive and be answered, and for a page to take a message.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(60);

/// Time for computations to stop when the server ends.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(2);

struct Server {
    bots: Vec<Responder>,
    /// The rule sets, each with the bot that plays it.
    sets: Vec<(&'static RuleSet, Option<Entry>)>,
    tables: Arc<Semaphore>,
    /// Tables of each client.
    table_shares: Shares,
    limits: Limits,
    most_tables: usize,
    compute: Compute,
    rooms: Rooms,
    /// What everybody who asks has to know.
    token: Option<String>,
    /// Connections to shared tables so far.
    connections: AtomicU64,
    /// Where records of finished deals go.
    records: Option<Mutex<File>>,
}

/// Why the server cannot run.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// A bot cannot be found.
    #[error(transparent)]
    Registry(#[from] RegistryError),
    /// House rules have the identifier of different rules.
    #[error("{of} has rules called {rules:?}, but so are other rules here; give them another id")]
    Clash {
        /// The bot that carries them, or the rule file.
        of: String,
        /// Identifier of its rules.
        rules: String,
    },
    /// House rules with a deck of fewer ranks.
    #[error(
        "{0} has a deck of fewer than 13 ranks, which the page does not show; play it with troel play"
    )]
    SmallDeck(String),
    /// House rules that none of the bots can play.
    #[error("no bot here plays {0:?}; add --bot universal-v1 or --bot expert")]
    Nobody(String),
    /// The address cannot be listened on.
    #[error("cannot listen on {address}; choose another with --port: {error}")]
    Address {
        /// The address.
        address: SocketAddr,
        /// The reason.
        error: std::io::Error,
    },
    /// The file for records cannot be opened.
    #[error("the file for records, {}, cannot be opened: {error}", path.display())]
    Records {
        /// The file.
        path: PathBuf,
        /// The reason.
        error: std::io::Error,
    },
    /// Everybody who can reach the address could use the server.
    #[error("{0} can be reached from other machines: a token is required")]
    Open(SocketAddr),
    /// The token can be guessed.
    #[error("the token has {0} characters; use {least} or more, at random", least = guard::MIN_TOKEN_CHARS)]
    ShortToken(usize),
    /// The server cannot be started.
    #[error("the server cannot be started: {0}")]
    Io(std::io::Error),
}

// The message holds that of the cause.
impl From<std::io::Error> for ServeError {
    fn from(error: std::io::Error) -> ServeError {
        ServeError::Io(error)
    }
}

/// Serves until the process is interrupted. `ready` is called with the address once the server
/// listens.
///
/// # Errors
/// A bot cannot be found, house rules have the identifier of different rules or nobody plays them,
/// the token is missing or too short, or the address cannot be listened on.
pub fn serve(
    config: &ServerConfig,
    ready: impl FnOnce(SocketAddr) -> std::io::Result<()>,
) -> Result<(), ServeError> {
    if !config.address.ip().is_loopback() && config.token.is_none() {
        return Err(ServeError::Open(config.address));
    }
    let short = config.token.iter().map(|token| token.chars().count());
    if let Some(chars) = short.min().filter(|&chars| chars < guard::MIN_TOKEN_CHARS) {
        return Err(ServeError::ShortToken(chars));
    }
    let mut sets = RuleSet::all();
    let names = if config.bots.is_empty() { usual_bots() } else { config.bots.clone() };
    let given = config.rules.iter().map(|&rules| ("a rule file", rules));
    let mut house_rules: Vec<_> = given.filter(|(_, rules)| !rules.is_built_in()).collect();
    for name in &names {
        house_rules.extend(registry::house_rules(name)?.map(|rules| (name.as_str(), rules)));
    }
    for (of, rules) in house_rules {
        if rules.cards_per_hand() < 13 {
            return Err(ServeError::SmallDeck(rules.id().to_string()));
        }
        match sets.iter().find(|known| known.id() == rules.id()) {
            Some(known) if known.hash() == rules.hash() => (),
            Some(_) => {
                return Err(ServeError::Clash {
                    of: of.to_string(),
                    rules: rules.id().to_string(),
                });
            }
            None => sets.push(rules),
        }
    }
    let named = names.iter().map(|name| Responder::find(name, &sets, 1));
    let bots = named.collect::<Result<Vec<_>, _>>()?;
    let first = |rules| names.iter().find_map(|name| Entry::find(name, rules).ok());
    let sets: Vec<_> = sets.into_iter().map(|rules| (rules, first(rules))).collect();
    let lone = sets.iter().find(|(rules, bot)| !rules.is_built_in() && bot.is_none());
    if let Some((rules, _)) = lone {
        return Err(ServeError::Nobody(rules.id().to_string()));
    }
    let tables = Arc::new(Semaphore::new(config.tables));
    let (most_tables, compute) = (config.tables, Compute::new());
    let records = config.records.as_deref().map(open_records).transpose()?.map(Mutex::new);
    let (rooms, connections) = (Rooms::default(), AtomicU64::new(0));
    let token = config.token.clone();
    let limits = config.limits.clone();
    let table_shares = Shares::new(limits.tables_per_client);
    let guard = Guard {
        names: config.names.clone(),
        token: config.token.clone(),
        guesses: Guesses::new(limits.guesses, limits.guess_window),
        guess_delay: limits.guess_delay,
    };
    let server = Server {
        bots,
        sets,
        tables,
        table_shares,
        limits,
        most_tables,
        compute,
        rooms,
        token,
        connections,
        records,
    };
    let server = Arc::new(server);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let ended = runtime.block_on(listen(config, server, Arc::new(guard), ready));
    // Connections are dropped, which cancels what they wait for.
    runtime.shutdown_timeout(SHUTDOWN_TIMEOUT);
    ended
}

/// The file to which records are appended.
fn open_records(path: &Path) -> Result<File, ServeError> {
    let opened = File::options().append(true).create(true).open(path);
    opened.map_err(|error| ServeError::Records { path: path.to_path_buf(), error })
}

/// The released bots that are available, and `expert`, which always is.
fn usual_bots() -> Vec<String> {
    let released = registry::all_released().into_iter();
    let available = released.filter(|name| registry::find_bundle(name).is_ok());
    let names: Vec<String> = available.chain(["expert"]).map(ToString::to_string).collect();
    if names.len() == 1 {
        tracing::warn!("the released bots are not part of this build; expert plays instead");
    }
    names
}

async fn listen(
    config: &ServerConfig,
    server: Arc<Server>,
    guard: Arc<Guard>,
    ready: impl FnOnce(SocketAddr) -> std::io::Result<()>,
) -> Result<(), ServeError> {
    let connections = Shares::new(config.limits.connections_per_client);
    let proxies = Proxies::new(config.trusted_proxies.clone(), connections.clone());
    let proxies = Arc::new(proxies);
    let app = routes::router(server, guard, Arc::clone(&proxies));
    let address = config.address;
    let listener = TcpListener::bind(address).await;
    let listener = listener.map_err(|error| ServeError::Address { address, error })?;
    ready(listener.local_addr()?)?;
    tokio::select! {
        () = accept::accept(&listener, app, &config.limits, &connections, &proxies) => {}
        // Also ends if no signal handler can be installed.
        _ = tokio::signal::ctrl_c() => {}
        () = terminated() => {}
    }
    external::end_all();
    Ok(())
}

/// Waits for the signals by which services are ended.
#[cfg(unix)]
async fn terminated() {
    use tokio::signal::unix::{SignalKind, signal};
    match (signal(SignalKind::terminate()), signal(SignalKind::hangup())) {
        (Ok(mut terminated), Ok(mut hung_up)) => tokio::select! {
            _ = terminated.recv() => {}
            _ = hung_up.recv() => {}
        },
        _ => std::future::pending().await,
    }
}

#[cfg(not(unix))]
async fn terminated() {
    std::future::pending().await
}

impl Server {
    /// A number for a connection to a shared table.
    fn next_connection(&self) -> u64 {
        self.connections.fetch_add(1, Ordering::Relaxed)
    }

    /// Appends a record, if they are kept.
    fn append(&self, record: &Record) {
        let Some(records) = &self.records else { return };
        let mut file = records.lock().unwrap_or_else(PoisonError::into_inner);
        let line = serde_json::to_string(record).unwrap_or_default() + "\n";
        // One write for a line: nobody reads half of one.
        if let Err(error) = file.write_all(line.as_bytes()) {
            tracing::warn!("a record could not be written: {error}");
        }
    }
}

impl Provider for Server {
    fn rules_and_bot(
        &self,
        rules: &str,
        bot: Option<&str>,
    ) -> Result<(&'static RuleSet, Entry), TableError> {
        let cannot = |why: String| TableError::CannotOpen(why);
        let found = self.sets.iter().find(|(set, _)| set.id() == rules);
        let (rules, usual) = found.ok_or_else(|| cannot("there is no such rule set".into()))?;
        if let Some(name) = bot {
            return Ok((rules, named(name)?));
        }
        let nobody = "no bot here plays this rule set; start the server with --bot expert";
        let entry = usual.as_ref().ok_or_else(|| cannot(nobody.into()))?;
        Ok((rules, entry.clone()))
    }

    fn seed(&self) -> Result<u64, TableError> {
        // Not the time, from which others at a table could tell the cards. Whole for JavaScript.
        let drawn = getrandom::u64().map(|bits| bits >> 11);
        drawn.map_err(|error| TableError::CannotOpen(format!("no seed could be drawn: {error}")))
    }

    fn secret(&self) -> Result<[u8; 32], TableError> {
        let mut secret = [0; 32];
        let drawn = getrandom::fill(&mut secret).map(|()| secret);
        drawn.map_err(|error| TableError::CannotOpen(format!("no cards could be drawn: {error}")))
    }
}
