//! The static files of the page, with the headers by which browsers keep them.

use std::sync::Arc;

use axum::body::Bytes;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, get};

/// Only browsers may store a response, because it may set the cookie with the token. They ask at
/// each use whether the file has changed.
const CACHE_CONTROL_VALUE: &str = "private, no-cache";

struct StaticFile {
    kind: &'static str,
    content: Bytes,
    /// Weak, because compressed responses have the same one.
    etag: String,
}

/// Route of a static file with this content type.
pub fn file<S: Clone + Send + Sync + 'static>(
    kind: &'static str,
    content: impl Into<Bytes>,
) -> MethodRouter<S> {
    let content = content.into();
    let etag = format!("W/\"{}\"", &blake3::hash(&content).to_hex()[..32]);
    let file = Arc::new(StaticFile { kind, content, etag });
    get(move |headers: HeaderMap| async move { respond(&file, &headers) })
}

fn respond(file: &StaticFile, request: &HeaderMap) -> Response {
    let kept = [
        (header::ETAG, file.etag.clone()),
        (header::CACHE_CONTROL, CACHE_CONTROL_VALUE.to_string()),
    ];
    if is_known(request, &file.etag) {
        return (StatusCode::NOT_MODIFIED, [(header::VARY, "accept-encoding")], kept)
            .into_response();
    }
    (kept, [(header::CONTENT_TYPE, file.kind)], file.content.clone()).into_response()
}

/// Returns whether the client has this file already.
fn is_known(request: &HeaderMap, etag: &str) -> bool {
    let values = request.get_all(header::IF_NONE_MATCH).iter();
    let values = values.filter_map(|value| value.to_str().ok());
    let mut tags = values.flat_map(|value| value.split(',')).map(str::trim);
    // Proxies may make tags weak or strong.
    let opaque = |tag: &str| tag.strip_prefix("W/").unwrap_or(tag).to_string();
    tags.any(|known| known == "*" || opaque(known) == opaque(etag))
}
