//! The server of `troel serve`: a page to play on in a browser, and the bot protocol over HTTP.
//!
//! The module `guard` says who may ask, `compute` bounds what asking can cost, `sockets` has the pages' connections, `rooms`
//! tables of several persons.

mod compute;
mod guard;
mod rooms;
mod sockets;

use std::fs::File;
use std::io::Write;
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Extension, Router};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use serde_json::{Map, Value, json};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use troel_agents::{Entry, RegistryError, external, registry};
use troel_env::RuleSet;
use troel_protocol::protocol::LONGEST;
use troel_protocol::{House, Refusal, Responder, TableError, commands};

use self::compute::Compute;
use self::guard::Guard;
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
}

/// Largest message from the page, in bytes.
const LONGEST_MESSAGE: usize = 1 << 18;

/// Largest number of simultaneous connections, besides those of the tables: below the usual limits on open files.
const CONNECTIONS: usize = 512;

/// A connection is closed after so long without a request.
const SILENCE: Duration = Duration::from_secs(5);

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

/// Address of a client.
#[derive(Clone, Copy)]
struct Client(IpAddr);

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
/// A bot cannot be found, house rules have the identifier of different rules or nobody plays them, or the address cannot be listened on.
pub fn serve(
    config: &ServerConfig,
    ready: impl FnOnce(SocketAddr) -> std::io::Result<()>,
) -> Result<(), ServeError> {
    if !config.address.ip().is_loopback() && config.token.is_none() {
        return Err(ServeError::Open(config.address));
    }
    let mut sets: Vec<_> = RuleSet::names().filter_map(RuleSet::built_in).collect();
    let names = if config.bots.is_empty() { usual_bots() } else { config.bots.clone() };
    let given = config.rules.iter().map(|&rules| ("a rule file", rules));
    let mut house: Vec<_> = given.filter(|(_, rules)| !rules.is_built_in()).collect();
    for name in &names {
        house.extend(registry::house_rules(name)?.map(|rules| (name.as_str(), rules)));
    }
    for (of, house) in house {
        match sets.iter().find(|known| known.id() == house.id()) {
            Some(known) if known.hash() == house.hash() => (),
            Some(_) => {
                return Err(ServeError::Clash {
                    of: of.to_string(),
                    rules: house.id().to_string(),
                });
            }
            None => sets.push(house),
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
    let server =
        Server { bots, sets, tables, most_tables, compute, rooms, token, connections, records };
    let server = Arc::new(server);
    let guard = Guard { names: config.names.clone(), token: config.token.clone() };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let ended = runtime.block_on(listen(config.address, server, Arc::new(guard), ready));
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
    address: SocketAddr,
    server: Arc<Server>,
    guard: Arc<Guard>,
    ready: impl FnOnce(SocketAddr) -> std::io::Result<()>,
) -> Result<(), ServeError> {
    let file = |kind: &'static str, text: Bytes| {
        let headers = [(header::CONTENT_TYPE, kind), (header::CONTENT_SECURITY_POLICY, POLICY)];
        get(move || async move { (headers, text) })
    };
    let script = |text: &'static str| {
        file("text/javascript; charset=utf-8", Bytes::from_static(text.as_bytes()))
    };
    let house = server.sets.iter().map(|(rules, _)| *rules).filter(|rules| !rules.is_built_in());
    let html = troel_web::html(&house.collect::<Vec<_>>());
    let app = Router::new()
        .route("/", file("text/html; charset=utf-8", html.into()))
        .route("/app.js", script(troel_web::APP))
        .route("/worker.js", script(troel_web::WORKER))
        .route("/sw.js", file("text/javascript; charset=utf-8", troel_web::service_worker().into()))
        .route("/troel.mjs", script(troel_web::MODULE))
        .route("/troel.wasm", file("application/wasm", Bytes::from_static(troel_web::WASM)))
        .route("/style.css", file("text/css; charset=utf-8", troel_web::STYLE.into()))
        .route("/icon.svg", file("image/svg+xml", troel_web::ICON.into()))
        .route(
            "/manifest.webmanifest",
            file("application/manifest+json", troel_web::MANIFEST.into()),
        )
        .route("/v1/act", post(|s, c, b| answer("act", s, c, b)))
        .route("/v1/legal", post(|s, c, b| answer("legal", s, c, b)))
        .route("/v1/features", post(|s, c, b| answer("features", s, c, b)))
        .route("/health", get(|| async { "ok\n" }))
        .route("/metrics", get(metrics))
        .route("/v1/table", get(open_table))
        .layer(DefaultBodyLimit::max(LONGEST))
        .layer(middleware::from_fn(in_time))
        .layer(middleware::from_fn_with_state(guard, guard::check))
        .with_state(server);
    let listener = TcpListener::bind(address).await;
    let listener = listener.map_err(|error| ServeError::Address { address, error })?;
    ready(listener.local_addr()?)?;
    tokio::select! {
        () = accept(&listener, app) => {}
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

/// Accepts and serves connections; those beyond the limit get an error.
async fn accept(listener: &TcpListener, app: Router) {
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(SILENCE);
    loop {
        let Ok((stream, peer)) = listener.accept().await else {
            // Most likely too many open files: some are closed before long.
            tokio::time::sleep(Duration::from_millis(100)).await;
            continue;
        };
        let Ok(place) = places.clone().try_acquire_owned() else {
            // Best effort: whatever does not fit into the socket's buffer is dropped.
            let _ = stream.try_write(BUSY);
            continue;
        };
        // Messages go out without delay; if the option is refused, only a little later.
        let _ = stream.set_nodelay(true);
        let client = Extension(Client(peer.ip()));
        let service = TowerToHyperService::new(app.clone().layer(client));
        let connection = http.serve_connection(TokioIo::new(stream), service).with_upgrades();
        tokio::spawn(async move {
            // Nothing to do about a broken connection.
            let _ = connection.await;
            drop(place);
        });
    }
}

/// Response to a connection beyond the limit.
const BUSY: &[u8] =
    b"HTTP/1.1 503 Service Unavailable\r\ncontent-length: 31\r\nconnection: close\r\n\r\n\
    too many connections; try later";

/// Limits the time of a request; answers with an error if it takes longer.
async fn in_time(request: Request, next: Next) -> Response {
    let late = || (StatusCode::REQUEST_TIMEOUT, "the request took too long").into_response();
    tokio::time::timeout(PATIENCE, next.run(request)).await.unwrap_or_else(|_| late())
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
            return refuse(Value::Null, json!({"code": "bad-json", "message": message}));
        }
    };
    fields.insert("cmd".to_string(), command.into());
    let bytes = Value::Object(fields).to_string();
    let Ok(place) = server.compute.place(client) else { return busy() };
    let answered = place.run(Some(PATIENCE), move || {
        let mut answers = server.bots.iter().map(|bot| bot.respond(bytes.as_bytes()));
        let usable = |(_, result): &(Value, Result<_, Refusal>)| !matches!(result, Err(refusal) if refusal.code == "wrong-rules");
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
        Some(Some((id, Err(refusal)))) => refuse(id, json!(refusal)),
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

fn refuse(id: Value, error: Value) -> Response {
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
    upgrade.max_message_size(LONGEST_MESSAGE).on_upgrade(move |socket| async move {
        sockets::play(&server, client, socket).await;
        drop(place);
    })
}

impl Server {
    /// A number for a connection to a shared table.
    fn next_connection(&self) -> u64 {
        self.connections.fetch_add(1, Ordering::Relaxed)
    }

    /// Appends the record of a deal that has ended with this command of a person who played it; one that is restored was
    /// kept before.
    fn keep(&self, command: &str, last: Option<&Value>) {
        let record = last.map(|table| &table["record"]).filter(|record| record.is_object());
        let Some(record) = record else { return };
        let command = serde_json::from_str::<Value>(command).unwrap_or_default();
        if ["act", "claim", "new", "next", "again"].iter().any(|kind| command["type"] == *kind) {
            self.append(record);
        }
    }

    /// Appends a record, if they are kept.
    fn append(&self, record: &Value) {
        let Some(records) = &self.records else { return };
        let mut file = records.lock().unwrap_or_else(PoisonError::into_inner);
        // One write for a line: nobody reads half of one.
        if let Err(error) = file.write_all(format!("{record}\n").as_bytes()) {
            tracing::warn!("a record could not be written: {error}");
        }
    }
}

impl House for Server {
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
