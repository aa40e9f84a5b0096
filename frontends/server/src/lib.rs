//! The server of `troel serve`: a page to play on in a browser, and the bot protocol over HTTP.
//!
//! The module `guard` says who may ask, `compute` bounds what asking can cost, `sockets` has the pages' connections, `rooms`
//! tables of several persons. `accept` and `limits` bound what a client can hold, `proxies` tells
//! clients apart, `files` has the page.

mod accept;
mod compute;
mod files;
mod guard;
mod limits;
mod proxies;
mod rooms;
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

use axum::body::Bytes;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Extension, Router};
use ipnet::IpNet;
use serde_json::{Map, Value, json};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tower_http::compression::CompressionLayer;
use tower_http::limit::RequestBodyLimitLayer;
use tower_http::set_header::SetResponseHeaderLayer;
use tower_http::timeout::TimeoutLayer;
use troel_agents::{Entry, RegistryError, external, registry};
use troel_env::{Record, RuleSet};
use troel_protocol::protocol::MAX_REQUEST_BYTES;
use troel_protocol::{Provider, Refusal, RefusalCode, Responder, TableError, commands};

use self::compute::Compute;
use self::files::file;
use self::guard::Guard;
pub use self::limits::Limits;
use self::limits::{Guesses, Shares};
use self::proxies::{Client, Proxies};
use self::rooms::Rooms;

/// Settings of the server.
#[derive(Clone, Debug)]
pub struct ServerConfig {
    /// Address to listen on.
    pub address: SocketAddr,
    /// Bots to play against. For each rule set the first bot that can play it is used. Empty: the released bots, then
    /// `expert`.
    pub bots: Vec<String>,
    /// House rules to play besides the built-in rule sets and those that the bots carry.
    pub rules: Vec<&'static RuleSet>,
    /// Largest number of simultaneous tables.
    pub tables: usize,
    /// Names that the server may be called by, beside `localhost` and addresses.
    pub names: Vec<String>,
    /// File to which the record of each finished deal is appended.
    pub records: Option<PathBuf>,
    /// What everybody who asks has to know; required where others than this machine can reach the address.
    pub token: Option<String>,
    /// Reverse proxies whose headers `X-Forwarded-For` and `Forwarded` say who the client is.
    pub trusted_proxies: Vec<IpNet>,
    /// Limits of what clients may hold.
    pub limits: Limits,
}

/// Largest message from the page, in bytes.
const MAX_MESSAGE_BYTES: usize = 1 << 18;

/// Time limit for a request to arrive and be answered, and for a page to take a message.
const PATIENCE: Duration = Duration::from_secs(60);

/// What is still computed when the server is to end has so long to notice.
const FAREWELL: Duration = Duration::from_secs(2);

/// Content security policy of the page: it loads nothing from elsewhere, and no page may embed it in a frame.
const POLICY: &str = "default-src 'self'; connect-src 'self'; img-src 'self' data:; \
    script-src 'self' 'wasm-unsafe-eval'; \
    style-src 'self' 'unsafe-inline'; frame-ancestors 'none'";

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

/// Serves until the process is interrupted. `ready` is called with the address once the server listens.
///
/// # Errors
/// A bot cannot be found, house rules have the identifier of different rules or nobody plays them, the token is missing or
/// too short, or the address cannot be listened on.
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
    runtime.shutdown_timeout(FAREWELL);
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
    let script = |text: &'static str| file("text/javascript; charset=utf-8", text);
    let house_rules =
        server.sets.iter().map(|(rules, _)| *rules).filter(|rules| !rules.is_built_in());
    let html = troel_web::html(&house_rules.collect::<Vec<_>>());
    let connections = Shares::new(config.limits.connections_per_client);
    let proxies = Proxies::new(config.trusted_proxies.clone(), connections.clone());
    let proxies = Arc::new(proxies);
    let app = Router::new()
        .route("/", file("text/html; charset=utf-8", html))
        .route("/app.js", script(troel_web::APP))
        .route("/worker.js", script(troel_web::WORKER))
        .route("/sw.js", file("text/javascript; charset=utf-8", troel_web::service_worker()))
        .route("/troel.mjs", script(troel_web::MODULE))
        .route("/troel.wasm", file("application/wasm", troel_web::WASM))
        .route("/style.css", file("text/css; charset=utf-8", troel_web::STYLE))
        .route("/icon.svg", file("image/svg+xml", troel_web::ICON))
        .route("/manifest.webmanifest", file("application/manifest+json", troel_web::MANIFEST))
        // The files alone: an answer may hold secrets, whose length compression tells.
        .layer(CompressionLayer::new())
        .route("/v1/act", post(|s, c, b| answer("act", s, c, b)))
        .route("/v1/legal", post(|s, c, b| answer("legal", s, c, b)))
        .route("/v1/features", post(|s, c, b| answer("features", s, c, b)))
        .route("/health", get(|| async { "ok\n" }))
        .route("/metrics", get(metrics))
        .route("/v1/table", get(open_table))
        // The limit below replaces that of axum.
        .layer(DefaultBodyLimit::disable())
        .layer(RequestBodyLimitLayer::new(MAX_REQUEST_BYTES))
        .layer(TimeoutLayer::with_status_code(StatusCode::REQUEST_TIMEOUT, PATIENCE))
        .layer(middleware::from_fn_with_state(guard, guard::check))
        .layer(middleware::from_fn_with_state(Arc::clone(&proxies), proxies::identify));
    // On errors as well.
    let set =
        |name, value| SetResponseHeaderLayer::if_not_present(name, HeaderValue::from_static(value));
    let app = app
        .layer(set(header::CONTENT_SECURITY_POLICY, POLICY))
        .layer(set(header::X_CONTENT_TYPE_OPTIONS, "nosniff"))
        // The address of the page may have the token in it.
        .layer(set(header::REFERRER_POLICY, "no-referrer"))
        .layer(set(header::CACHE_CONTROL, "no-store"))
        .with_state(server);
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

/// Answers a request of the bot protocol with the first bot that plays its rule set.
async fn answer(
    command: &'static str,
    State(server): State<Arc<Server>>,
    Extension(Client(client)): Extension<Client>,
    body: Bytes,
) -> Response {
    let mut fields = match serde_json::from_slice::<Map<String, Value>>(&body) {
        Ok(fields) => fields,
        Err(error) => {
            let message = format!("not a JSON object: {error}");
            return refuse(Value::Null, &Refusal { code: RefusalCode::BadJson, message });
        }
    };
    fields.insert("cmd".to_string(), command.into());
    let bytes = Value::Object(fields).to_string();
    let Ok(place) = server.compute.place(client) else { return busy() };
    let answered = place.run(Some(PATIENCE), move || {
        let mut answers = server.bots.iter().map(|bot| bot.respond(bytes.as_bytes()));
        let usable = |(_, result): &(Value, Result<_, Refusal>)| !matches!(result, Err(refusal) if refusal.code == RefusalCode::WrongRules);
        let first = answers.next();
        match first {
            Some(first) if !usable(&first) => answers.find(usable).or(Some(first)),
            first => first,
        }
    });
    match answered.await {
        Some(Some((id, Ok(fields)))) => {
            let answer: Map<_, _> = [("id".to_string(), id)].into_iter().chain(fields).collect();
            axum::Json(Value::Object(answer)).into_response()
        }
        Some(Some((id, Err(refusal)))) => refuse(id, &refusal),
        _ => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

/// Response to a request beyond what is queued.
fn busy() -> Response {
    let message = "too many requests are waiting; try again in a moment";
    (StatusCode::SERVICE_UNAVAILABLE, [(header::RETRY_AFTER, "1")], message).into_response()
}

/// Figures for a monitor, in the text format of Prometheus.
async fn metrics(State(server): State<Arc<Server>>) -> impl IntoResponse {
    let taken = server.most_tables.saturating_sub(server.tables.available_permits());
    let compute = &server.compute;
    let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
    let text = format!(
        "# TYPE troel_tables gauge\ntroel_tables {taken}\n\
         # TYPE troel_shared_tables gauge\ntroel_shared_tables {}\n\
         # TYPE troel_waiting gauge\ntroel_waiting {}\n\
         # TYPE troel_accepted_total counter\ntroel_accepted_total {}\n\
         # TYPE troel_shed_total counter\ntroel_shed_total {}\n",
        server.rooms.len(),
        compute.load(),
        count(&compute.accepted),
        count(&compute.shed)
    );
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4")], text)
}

fn refuse(id: Value, error: &Refusal) -> Response {
    (StatusCode::BAD_REQUEST, axum::Json(json!({"id": id, "error": error}))).into_response()
}

/// Opens a table for this server's page.
async fn open_table(
    State(server): State<Arc<Server>>,
    Extension(Client(client)): Extension<Client>,
    upgrade: WebSocketUpgrade,
) -> Response {
    let Ok(place) = server.tables.clone().try_acquire_owned() else {
        return (StatusCode::SERVICE_UNAVAILABLE, "all tables are taken; try later")
            .into_response();
    };
    let Some(share) = server.table_shares.take(client) else {
        let message = "this address has too many tables; leave one";
        return (StatusCode::SERVICE_UNAVAILABLE, message).into_response();
    };
    upgrade.max_message_size(MAX_MESSAGE_BYTES).on_upgrade(move |socket| async move {
        sockets::play(&server, client, socket).await;
        drop((place, share));
    })
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
    fn seat(
        &self,
        rules: &str,
        bot: Option<&str>,
    ) -> Result<(&'static RuleSet, Entry), TableError> {
        let cannot = |why: String| TableError::CannotOpen(why);
        let found = self.sets.iter().find(|(set, _)| set.id() == rules);
        let (rules, usual) = found.ok_or_else(|| cannot("there is no such rule set".into()))?;
        if let Some(name) = bot {
            return Ok((rules, commands::named(name)?));
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
