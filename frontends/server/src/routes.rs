//! The addresses of the server: the page, the bot protocol, tables, and figures for monitors.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use axum::body::Bytes;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Extension, Router};
use serde_json::Value;
use tokio::sync::Semaphore;
use tower_http::compression::CompressionLayer;
use tower_http::limit::RequestBodyLimitLayer;
use tower_http::set_header::SetResponseHeaderLayer;
use tower_http::timeout::TimeoutLayer;
use troel_protocol::bot_protocol::{self, BotAnswer, MAX_MESSAGE_BYTES};
use troel_protocol::{Refusal, RefusalCode};

use crate::config::ServerConfig;
use crate::files::file;
use crate::guard::{self, Guard};
use crate::limits::{Limits, REQUEST_TIMEOUT, Shares};
use crate::proxies::{self, Client, Proxies};
use crate::services::Services;
use crate::sockets;
use crate::tables::SharedTables;

/// Content security policy of the page. It loads nothing from other servers, and no page may embed
/// it in a frame.
const POLICY: &str = "default-src 'self'; connect-src 'self'; img-src 'self' data:; \
    script-src 'self' 'wasm-unsafe-eval'; \
    style-src 'self' 'unsafe-inline'; frame-ancestors 'none'";

/// State of the server that requests share.
pub struct App {
    services: Arc<Services>,
    shared_tables: Arc<SharedTables>,
    limits: Limits,
    /// Permits for connections to tables.
    table_permits: Arc<Semaphore>,
    /// Number of permits in `table_permits`, taken ones included.
    max_tables: usize,
    /// Connections to tables of each client.
    table_shares: Shares,
}

impl App {
    /// Returns the state of a server with these tables.
    pub fn new(
        config: &ServerConfig,
        services: Arc<Services>,
        shared_tables: Arc<SharedTables>,
    ) -> App {
        let max_tables = config.tables;
        App {
            shared_tables,
            services,
            limits: config.limits.clone(),
            table_permits: Arc::new(Semaphore::new(max_tables)),
            max_tables,
            table_shares: Shares::new(config.limits.tables_per_client),
        }
    }

    /// Returns the routes of the server, with the checks that each request passes first.
    pub fn router(self, guard: Arc<Guard>, proxies: Arc<Proxies>) -> Router {
        let script = |text: &'static str| file("text/javascript; charset=utf-8", text);
        let rule_sets = self.services.rule_sets.iter().map(|offered| offered.rules);
        let house_rules = rule_sets.filter(|rules| !rules.is_built_in());
        let html = troel_web::html(&house_rules.collect::<Vec<_>>());
        let mut app = Router::new();
        for (language, texts) in troel_web::PAGE_TEXTS {
            app = app.route(&format!("/words/{language}.json"), file("application/json", texts));
        }
        let app = app
            .route("/", file("text/html; charset=utf-8", html))
            .route("/app.js", script(troel_web::APP))
            .route("/worker.js", script(troel_web::WORKER))
            .route("/sw.js", file("text/javascript; charset=utf-8", troel_web::service_worker()))
            .route("/troel.mjs", script(troel_web::MODULE))
            .route("/troel.wasm", file("application/wasm", troel_web::WASM))
            .route("/style.css", file("text/css; charset=utf-8", troel_web::STYLE))
            .route("/icon.svg", file("image/svg+xml", troel_web::ICON))
            .route("/manifest.webmanifest", file("application/manifest+json", troel_web::MANIFEST))
            // Only files: the length of a compressed answer could reveal a secret.
            .layer(CompressionLayer::new())
            .route("/v1/act", post(|s, c, b| answer("act", s, c, b)))
            .route("/v1/legal", post(|s, c, b| answer("legal", s, c, b)))
            .route("/v1/features", post(|s, c, b| answer("features", s, c, b)))
            .route("/health", get(|| async { "ok\n" }))
            .route("/metrics", get(metrics))
            .route("/v1/table", get(open_table))
            // The limit below replaces that of axum.
            .layer(DefaultBodyLimit::disable())
            .layer(RequestBodyLimitLayer::new(MAX_MESSAGE_BYTES))
            .layer(TimeoutLayer::with_status_code(StatusCode::REQUEST_TIMEOUT, REQUEST_TIMEOUT))
            .layer(middleware::map_response(explain))
            .layer(middleware::from_fn_with_state(guard, guard::check))
            .layer(middleware::from_fn_with_state(proxies, proxies::identify));
        // Also on errors.
        let set = |name, value| {
            SetResponseHeaderLayer::if_not_present(name, HeaderValue::from_static(value))
        };
        app.layer(set(header::CONTENT_SECURITY_POLICY, POLICY))
            .layer(set(header::X_CONTENT_TYPE_OPTIONS, "nosniff"))
            // The address of the page may have the token in it.
            .layer(set(header::REFERRER_POLICY, "no-referrer"))
            .layer(set(header::CACHE_CONTROL, "no-store"))
            .with_state(Arc::new(self))
    }
}

/// Answers a request of the bot protocol with the first bot that plays its rule set.
async fn answer(
    command: &'static str,
    State(app): State<Arc<App>>,
    Extension(Client(client)): Extension<Client>,
    body: Bytes,
) -> Response {
    let (id, request) = bot_protocol::parse(&body, Some(command));
    let request = match request {
        Ok(request) => request,
        Err(refusal) => return respond(id, &Err(refusal)),
    };
    let Ok(slot) = app.services.compute.try_reserve(client) else { return busy() };
    let answered = slot.run(Some(REQUEST_TIMEOUT), move || {
        bot_protocol::respond_with_first(&app.services.bots, &request)
    });
    respond(id, &answered.await.unwrap_or_else(|| Err(Refusal::internal())))
}

/// Returns the response with the answer to the request with this `id`.
fn respond(id: Value, result: &Result<BotAnswer, Refusal>) -> Response {
    let status = result.as_ref().map_or_else(|refusal| status(refusal.code), |_| StatusCode::OK);
    (status, axum::Json(bot_protocol::answer(id, result))).into_response()
}

/// Returns the HTTP status of a refusal.
fn status(code: RefusalCode) -> StatusCode {
    match code {
        RefusalCode::NotFound => StatusCode::NOT_FOUND,
        RefusalCode::WrongMethod => StatusCode::METHOD_NOT_ALLOWED,
        RefusalCode::TooLong => StatusCode::PAYLOAD_TOO_LARGE,
        RefusalCode::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        RefusalCode::BadJson
        | RefusalCode::BadRequest
        | RefusalCode::BadRecord
        | RefusalCode::WrongRules
        | RefusalCode::NotYourTurn
        | RefusalCode::BotFailed => StatusCode::BAD_REQUEST,
    }
}

/// Replaces the response to a request without a route, or with too long a body. The new response is
/// an error of the bot protocol.
async fn explain(response: Response) -> Response {
    let refusal = match response.status() {
        StatusCode::NOT_FOUND => Refusal::new(
            RefusalCode::NotFound,
            "the server has no such address: the page is at /, the bots answer POST requests to \
             /v1/act, /v1/legal and /v1/features",
        ),
        StatusCode::METHOD_NOT_ALLOWED => Refusal::new(
            RefusalCode::WrongMethod,
            "the address does not take this method: use POST for /v1/act, /v1/legal and \
             /v1/features, and GET for the others",
        ),
        StatusCode::PAYLOAD_TOO_LARGE => Refusal::too_long(),
        _ => return response,
    };
    respond(Value::Null, &Err(refusal))
}

/// Returns the response to a request that the queue does not take.
fn busy() -> Response {
    let message = "too many requests are waiting: try again after a second";
    (StatusCode::SERVICE_UNAVAILABLE, [(header::RETRY_AFTER, "1")], message).into_response()
}

/// Returns figures for a monitor, in the text format of Prometheus.
async fn metrics(State(app): State<Arc<App>>) -> impl IntoResponse {
    let taken = app.max_tables.saturating_sub(app.table_permits.available_permits());
    let compute = &app.services.compute;
    let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
    let text = format!(
        "# TYPE troel_tables gauge\ntroel_tables {taken}\n\
         # TYPE troel_shared_tables gauge\ntroel_shared_tables {}\n\
         # TYPE troel_waiting gauge\ntroel_waiting {}\n\
         # TYPE troel_accepted_total counter\ntroel_accepted_total {}\n\
         # TYPE troel_shed_total counter\ntroel_shed_total {}\n",
        app.shared_tables.len(),
        compute.load(),
        count(&compute.accepted),
        count(&compute.shed)
    );
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4")], text)
}

/// Opens the connection of a page for its table.
async fn open_table(
    State(app): State<Arc<App>>,
    Extension(Client(client)): Extension<Client>,
    upgrade: WebSocketUpgrade,
) -> Response {
    let Ok(permit) = app.table_permits.clone().try_acquire_owned() else {
        return (StatusCode::SERVICE_UNAVAILABLE, "all tables are taken: try later")
            .into_response();
    };
    let Some(share) = app.table_shares.take(client) else {
        let message = "this client has too many tables: leave one";
        return (StatusCode::SERVICE_UNAVAILABLE, message).into_response();
    };
    upgrade.max_message_size(sockets::MAX_COMMAND_BYTES).on_upgrade(move |socket| async move {
        sockets::play(&app.services, &app.shared_tables, &app.limits, client, socket).await;
        drop((permit, share));
    })
}
