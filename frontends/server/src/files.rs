//! The static files of the page, compressed and with the headers by which browsers keep them.

use std::io::Write;
use std::sync::{Arc, OnceLock};

use axum::body::Bytes;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, get};
use flate2::Compression;
use flate2::write::GzEncoder;

/// Kept by browsers, and by them alone: a response may set the cookie that holds the token. Each
/// use asks whether the file has changed.
const CACHE: &str = "private, no-cache";

struct StaticFile {
    kind: &'static str,
    plain: Bytes,
    hash: String,
    /// Compressed when it is first asked for.
    packed: OnceLock<Option<Bytes>>,
}

/// Route of a static file with this content type.
pub fn file<S: Clone + Send + Sync + 'static>(
    kind: &'static str,
    text: impl Into<Bytes>,
) -> MethodRouter<S> {
    let plain = text.into();
    let hash = blake3::hash(&plain).to_hex()[..32].to_string();
    let file = Arc::new(StaticFile { kind, plain, hash, packed: OnceLock::new() });
    get(move |headers: HeaderMap| async move { respond(file, &headers).await })
}

async fn respond(file: Arc<StaticFile>, request: &HeaderMap) -> Response {
    let packed = match accepts_gzip(request) {
        true => packed(&file).await,
        false => None,
    };
    // A compressed file is another representation, and has another tag.
    let tag = format!("\"{}{}\"", file.hash, if packed.is_some() { "-gzip" } else { "" });
    let kept = [
        (header::ETAG, tag.clone()),
        (header::CACHE_CONTROL, CACHE.to_string()),
        (header::VARY, "accept-encoding".to_string()),
    ];
    if is_known(request, &tag) {
        return (StatusCode::NOT_MODIFIED, kept).into_response();
    }
    let kind = [(header::CONTENT_TYPE, file.kind)];
    match packed {
        Some(packed) => (kept, kind, [(header::CONTENT_ENCODING, "gzip")], packed).into_response(),
        None => (kept, kind, file.plain.clone()).into_response(),
    }
}

/// The compressed file; `None` if it could not be compressed. The first time takes a while, during
/// which this thread answers others.
async fn packed(file: &Arc<StaticFile>) -> Option<Bytes> {
    if let Some(packed) = file.packed.get() {
        return packed.clone();
    }
    let file = Arc::clone(file);
    let packing = move || file.packed.get_or_init(|| pack(&file.plain)).clone();
    tokio::task::spawn_blocking(packing).await.ok().flatten()
}

fn pack(plain: &[u8]) -> Option<Bytes> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(plain).ok()?;
    encoder.finish().ok().map(Bytes::from)
}

/// The elements of a header that is a list, with commas or on several lines.
fn elements<'a>(
    headers: &'a HeaderMap,
    name: &'a header::HeaderName,
) -> impl Iterator<Item = &'a str> {
    let values = headers.get_all(name).iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).map(str::trim)
}

/// Whether the client has this file already.
fn is_known(request: &HeaderMap, tag: &str) -> bool {
    let mut tags = elements(request, &header::IF_NONE_MATCH);
    // A proxy that changes the encoding makes tags weak.
    tags.any(|known| known == "*" || known.strip_prefix("W/").unwrap_or(known) == tag)
}

/// Whether the client takes gzip: named with a weight above 0, or not named where anything else is
/// taken.
fn accepts_gzip(request: &HeaderMap) -> bool {
    let mut other = false;
    for coding in elements(request, &header::ACCEPT_ENCODING) {
        let (name, weight) = coding.split_once(';').unwrap_or((coding, ""));
        let weight = weight.trim().strip_prefix("q=").map(|q| q.trim().parse::<f32>());
        let is_taken = weight.is_none_or(|q| q.is_ok_and(|q| q > 0.0));
        match name.trim().to_ascii_lowercase().as_str() {
            "gzip" | "x-gzip" => return is_taken,
            "*" => other = is_taken,
            _ => {}
        }
    }
    other
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gzip_is_sent_to_those_who_take_it() {
        let accepts = |lines: &[&str]| {
            let mut headers = HeaderMap::new();
            for line in lines {
                headers.append(header::ACCEPT_ENCODING, line.parse().unwrap());
            }
            accepts_gzip(&headers)
        };
        for yes in [
            "gzip",
            "deflate, gzip, br",
            "GZIP",
            "gzip;q=0.1",
            "gzip; q=1",
            "*",
            "br, *;q=0.5",
            "x-gzip",
        ] {
            assert!(accepts(&[yes]), "{yes}");
        }
        for no in [
            "",
            "br",
            "identity",
            "gzip;q=0",
            "gzip;q=0.000, *",
            "*, gzip;q=0",
            "*;q=0",
            "gzip;q=x",
            "gzipped",
        ] {
            assert!(!accepts(&[no]), "{no}");
        }
        assert!(accepts(&["br", "gzip"]) && !accepts(&[]));
    }
}
