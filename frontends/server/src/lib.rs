//! The server of `troel serve`: a page to play on in a browser, and the bot protocol over HTTP.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use serde_json::{Map, Value, json};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use troel_agents::{Entry, RegistryError, registry};
use troel_env::RuleSet;
use troel_protocol::protocol::LONGEST;
use troel_protocol::{Opening, Refusal, Responder, TableError, table};

/// Settings of the server.
#[derive(Clone, Debug)]
pub struct ServerConfig {
    /// Address to listen on.
    pub address: SocketAddr,
    /// Bots to play against. For each rule set the first bot that can play it is used. Empty: the released bots, then
    /// `expert`.
    pub bots: Vec<String>,
    /// Largest number of simultaneous tables.
    pub tables: usize,
}

/// Largest message from the page, in bytes.
const LONGEST_MESSAGE: usize = 4096;

/// A table is closed after so long without a message.
const IDLE: Duration = Duration::from_secs(30 * 60);

/// Largest number of simultaneous connections, besides those of the tables: below the usual limits on open files.
const CONNECTIONS: usize = 512;

/// A connection is closed after so long without a request.
const SILENCE: Duration = Duration::from_secs(5);

/// Time limit for a request to arrive and be answered, and for a page to take a message.
const PATIENCE: Duration = Duration::from_secs(60);

/// Content security policy of the page: it loads nothing from elsewhere, and no page may embed it in a frame.
const POLICY: &str = "default-src 'self'; connect-src 'self'; img-src 'self' data:; \
    style-src 'self' 'unsafe-inline'; frame-ancestors 'none'";

struct Server {
    bots: Vec<Responder>,
    /// The rule sets, each with the bot that plays it.
    sets: Vec<(&'static RuleSet, Option<Entry>)>,
    tables: Arc<Semaphore>,
}

/// Why the server cannot run.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// A bot cannot be found.
    #[error(transparent)]
    Registry(#[from] RegistryError),
    /// A bot's house rules have the identifier of different rules.
    #[error(
        "{bot} plays house rules called {rules:?}, but so are other rules here; train the bot with another id"
    )]
    Clash {
        /// The bot.
        bot: String,
        /// Identifier of its rules.
        rules: String,
    },
    /// The address cannot be listened on.
    #[error("cannot listen on {address}; choose another with --port: {error}")]
    Address {
        /// The address.
        address: SocketAddr,
        /// The reason.
        error: std::io::Error,
    },
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
/// A bot cannot be found, house rules have the identifier of different rules, or the address cannot be listened on.
pub fn serve(
    config: &ServerConfig,
    ready: impl FnOnce(SocketAddr) -> std::io::Result<()>,
) -> Result<(), ServeError> {
    let mut sets: Vec<_> = RuleSet::names().filter_map(RuleSet::built_in).collect();
    let names = if config.bots.is_empty() { usual_bots() } else { config.bots.clone() };
    for name in &names {
        let Some(house) = registry::house_rules(name)? else { continue };
        let clash =
            sets.iter().any(|known| known.id() == house.id() && known.hash() != house.hash());
        if clash {
            return Err(ServeError::Clash { bot: name.clone(), rules: house.id().to_string() });
        }
        sets.push(house);
    }
    let named = names.iter().map(|name| Responder::find(name, &sets, 1));
    let bots = named.collect::<Result<Vec<_>, _>>()?;
    let first = |rules| names.iter().find_map(|name| Entry::find(name, rules).ok());
    let sets = sets.into_iter().map(|rules| (rules, first(rules))).collect();
    let tables = Arc::new(Semaphore::new(config.tables));
    let server = Arc::new(Server { bots, sets, tables });
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(listen(config.address, server, ready))
}

/// The released bots that are available, and `expert`, which always is.
fn usual_bots() -> Vec<String> {
    let released = registry::RELEASED.iter().filter(|name| registry::find_bundle(name).is_ok());
    let names: Vec<String> = released.chain(&["expert"]).map(ToString::to_string).collect();
    if names.len() == 1 {
        tracing::warn!("the released bots are not part of this build; expert plays instead");
    }
    names
}

async fn listen(
    address: SocketAddr,
    server: Arc<Server>,
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
        .route("/words.js", script(troel_web::WORDS))
        .route("/link.js", script(troel_web::LINK_SERVER))
        .route("/app.js", script(troel_web::APP))
        .route("/style.css", file("text/css; charset=utf-8", troel_web::STYLE.into()))
        .route("/v1/act", post(|s, b| answer("act", s, b)))
        .route("/v1/legal", post(|s, b| answer("legal", s, b)))
        .route("/v1/features", post(|s, b| answer("features", s, b)))
        .route("/v1/table", get(open_table))
        .layer(DefaultBodyLimit::max(LONGEST))
        .layer(middleware::from_fn(in_time))
        .with_state(server);
    let listener = TcpListener::bind(address).await;
    let listener = listener.map_err(|error| ServeError::Address { address, error })?;
    ready(listener.local_addr()?)?;
    tokio::select! {
        () = accept(&listener, app) => {}
        // Also ends if no signal handler can be installed.
        _ = tokio::signal::ctrl_c() => {}
    }
    Ok(())
}

/// Accepts and serves connections; those beyond the limit get an error.
async fn accept(listener: &TcpListener, app: Router) {
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(SILENCE);
    loop {
        let Ok((stream, _)) = listener.accept().await else {
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
        let service = TowerToHyperService::new(app.clone());
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
async fn answer(command: &'static str, State(server): State<Arc<Server>>, body: Bytes) -> Response {
    let mut fields = match serde_json::from_slice::<Map<String, Value>>(&body) {
        Ok(fields) => fields,
        Err(error) => {
            let message = format!("not a JSON object: {error}");
            return refuse(Value::Null, json!({"code": "bad-json", "message": message}));
        }
    };
    fields.insert("cmd".to_string(), command.into());
    let bytes = Value::Object(fields).to_string();
    let answered = tokio::task::spawn_blocking(move || {
        let mut answers = server.bots.iter().map(|bot| bot.respond(bytes.as_bytes()));
        let usable = |(_, result): &(Value, Result<_, Refusal>)| !matches!(result, Err(refusal) if refusal.code == "wrong-rules");
        let first = answers.next();
        match first {
            Some(first) if !usable(&first) => answers.find(usable).or(Some(first)),
            first => first,
        }
    });
    match answered.await {
        Ok(Some((id, Ok(fields)))) => {
            let answer: Map<_, _> = [("id".to_string(), id)].into_iter().chain(fields).collect();
            axum::Json(Value::Object(answer)).into_response()
        }
        Ok(Some((id, Err(refusal)))) => refuse(id, json!(refusal)),
        _ => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

fn refuse(id: Value, error: Value) -> Response {
    (StatusCode::BAD_REQUEST, axum::Json(json!({"id": id, "error": error}))).into_response()
}

/// Opens a table for this server's page; pages of other origins in the same browser are refused.
async fn open_table(
    State(server): State<Arc<Server>>,
    headers: HeaderMap,
    upgrade: WebSocketUpgrade,
) -> Response {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
    let from = text(header::ORIGIN).and_then(|origin| origin.split_once("://")).map(|(_, h)| h);
    if from.is_some() && from != text(header::HOST) {
        return (StatusCode::FORBIDDEN, "tables are only for the page of this server")
            .into_response();
    }
    let Ok(place) = server.tables.clone().try_acquire_owned() else {
        return (StatusCode::SERVICE_UNAVAILABLE, "all tables are taken; try later")
            .into_response();
    };
    upgrade.max_message_size(LONGEST_MESSAGE).on_upgrade(move |socket| async move {
        play(&server, socket).await;
        drop(place);
    })
}

async fn play(server: &Server, mut socket: WebSocket) {
    let mut table = None;
    while let Ok(Some(Ok(message))) = tokio::time::timeout(IDLE, socket.recv()).await {
        let text = match message {
            Message::Text(text) => text,
            Message::Close(_) => return,
            _ => continue,
        };
        // Bots take milliseconds; other tables continue meanwhile.
        let answers = tokio::task::block_in_place(|| {
            table::handle(&mut table, text.as_bytes(), |rules, seed| server.open(rules, seed))
        });
        for answer in answers {
            let sent = socket.send(Message::Text(answer.to_string().into()));
            if !matches!(tokio::time::timeout(PATIENCE, sent).await, Ok(Ok(()))) {
                return;
            }
        }
    }
}

impl Server {
    /// Settings of a new match.
    fn open(&self, rules: &str, seed: Option<u64>) -> Result<Opening, TableError> {
        let found = self.sets.iter().find(|(set, _)| set.id() == rules);
        let (rules, entry) = found.ok_or(TableError::CannotOpen("there is no such rule set"))?;
        let nobody = "no bot here plays this rule set; start the server with --bot expert";
        let entry = entry.as_ref().ok_or(TableError::CannotOpen(nobody))?;
        let seed = seed.unwrap_or_else(clock);
        Ok(Opening { rules, bot: entry.seat(seed), seed })
    }
}

fn clock() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    now.map_or(1, |time| time.as_nanos() as u64)
}
