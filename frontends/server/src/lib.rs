//! The server of `troel serve`: a page to play on in a browser, and the bot protocol over HTTP.
//!
//! - `config` and `error`: settings of the server, and errors of starting it.
//! - `addresses`: the addresses under which the server is reached.
//! - `accept` and `limits`: connections, and the resources that one client can hold.
//! - `proxies`: the client of a request, also behind a reverse proxy.
//! - `guard`: tokens, host names and origins of requests.
//! - `routes` and `files`: the addresses, and the static files of the page.
//! - `services`: bots, rule sets, processor time and records, which all tables share.
//! - `compute`: the queue of requests that need processor time.
//! - `sockets`: the connections of pages, each with a private table or a seat at a shared one.
//! - `tables`: the shared tables.

mod accept;
mod addresses;
mod compute;
mod config;
mod error;
mod files;
mod guard;
mod limits;
mod proxies;
mod routes;
mod services;
mod sockets;
mod tables;
#[cfg(test)]
mod testing;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;
use troel_agents::external;
use troel_protocol::ServerLink;

pub use self::addresses::Reached;
pub use self::config::ServerConfig;
pub use self::error::ServeError;
use self::guard::Guard;
pub use self::limits::Limits;
use self::limits::Shares;
use self::proxies::Proxies;
use self::routes::App;
use self::services::Services;
use self::tables::SharedTables;
pub use self::tables::TableStore;

/// Time for computations to stop when the server ends.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(2);

/// Serves until the process is interrupted. `ready` is called with the addresses once the server
/// listens.
///
/// # Errors
/// - A bot or rule file cannot be found.
/// - House rules have the identifier of different rules, or no bot plays them.
/// - The token is missing or too short.
/// - The address cannot be listened on.
/// - The folder for tables cannot be used.
pub fn serve(
    config: &ServerConfig,
    ready: impl FnOnce(&Reached) -> std::io::Result<()>,
) -> Result<(), ServeError> {
    check_token(config)?;
    let services = Arc::new(Services::new(config)?);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let ended = runtime.block_on(listen(config, services, ready));
    // Connections are dropped, which cancels the computations that they wait for.
    runtime.shutdown_timeout(SHUTDOWN_TIMEOUT);
    ended
}

/// Checks that a server which other machines can reach has a token, and that it is long enough.
fn check_token(config: &ServerConfig) -> Result<(), ServeError> {
    if !config.address.ip().is_loopback() && config.token.is_none() {
        return Err(ServeError::NoToken(config.address));
    }
    let chars = config.token.as_ref().map(|token| token.chars().count());
    match chars.filter(|&chars| chars < guard::MIN_TOKEN_CHARS) {
        Some(chars) => Err(ServeError::ShortToken(chars)),
        None => Ok(()),
    }
}

/// Binds the address, and accepts connections until a signal ends the server.
async fn listen(
    config: &ServerConfig,
    services: Arc<Services>,
    ready: impl FnOnce(&Reached) -> std::io::Result<()>,
) -> Result<(), ServeError> {
    let connections = Shares::new(config.limits.connections_per_client);
    let proxies = Proxies::new(config.trusted_proxies.clone(), connections.clone());
    let proxies = Arc::new(proxies);
    let guard = Arc::new(Guard::new(config));
    let address = config.address;
    let listener = TcpListener::bind(address).await;
    let listener = listener.map_err(|error| ServeError::Address { address, error })?;
    let reached = addresses::reached(listener.local_addr()?);
    let link = ServerLink {
        // Behind a proxy or under a name, the page itself knows the address.
        address: reached
            .for_others()
            .filter(|_| config.names.is_empty() && config.trusted_proxies.is_empty())
            .map(|address| format!("http://{address}/")),
        token: config.token.clone(),
    };
    let store = config.state.as_deref().map(open_store).transpose()?;
    let tables = SharedTables::new(Arc::clone(&services), config.tables, link, store);
    let tables = Arc::new(tables);
    tables.reopen();
    let app = App::new(config, services, tables).router(guard, Arc::clone(&proxies));
    ready(&reached)?;
    tokio::select! {
        () = accept::accept(&listener, app, &config.limits, &connections, &proxies) => {}
        // Also ends if no signal handler can be installed.
        _ = tokio::signal::ctrl_c() => {}
        () = terminated() => {}
    }
    external::end_all();
    Ok(())
}

/// Opens the folder that keeps shared tables.
fn open_store(path: &Path) -> Result<TableStore, ServeError> {
    let opened = TableStore::open(path);
    opened.map_err(|error| ServeError::State { path: path.to_path_buf(), error })
}

/// Waits for a signal that ends a service.
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
