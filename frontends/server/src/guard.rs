//! Checks of requests. The page of this server and programs of its user may send them, other pages
//! in the same browser may not.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Extension;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::config::ServerConfig;
use crate::limits::WrongTokenCounter;
use crate::proxies::Client;

/// Conditions that each request must fulfil.
pub struct Guard {
    /// Host names of the server, in addition to `localhost` and addresses.
    names: Vec<String>,
    /// Secret that each request must carry, if the server has one.
    token: Option<String>,
    /// Wrong tokens of each client.
    wrong_tokens: WrongTokenCounter,
    /// Delay before each answer to a token of a client beyond the limit. The right token waits as
    /// well.
    wrong_token_delay: Duration,
}

/// Minimum number of characters of a token.
pub const MIN_TOKEN_CHARS: usize = 16;

/// Name of the cookie that holds the token in a browser.
const COOKIE: &str = "troel_token";

/// Time for which a browser keeps the cookie: 400 days, the most that browsers allow. An installed
/// page has no token in its address, and telephones end the browser's session often.
const COOKIE_SECONDS: u64 = 400 * 24 * 60 * 60;

/// Refuses requests that do not fulfil the conditions of the guard.
pub async fn check(
    State(guard): State<Arc<Guard>>,
    Extension(Client(client)): Extension<Client>,
    request: Request,
    next: Next,
) -> Response {
    let (method, headers) = (request.method(), request.headers());
    let query = request.uri().query().unwrap_or("");
    let refusal = guard.check_request(method, headers, query).err();
    let is_wrong = matches!(refusal, Some((StatusCode::UNAUTHORIZED, _)));
    if (is_wrong || refusal.is_none())
        && is_guess(headers, query)
        && let Some(wait) = guard.wrong_tokens.check(client, is_wrong)
    {
        // The right token is still accepted, so that nobody can lock out others at the same
        // address. It takes as long as a wrong one. Otherwise a client could tell a wrong guess by
        // the missing answer, and close the connection for the next guess. With the delay for
        // both, each connection gives one answer per delay.
        tokio::time::sleep(guard.wrong_token_delay).await;
        if is_wrong {
            let headers = [(header::RETRY_AFTER, wait.as_secs().max(1).to_string())];
            let message =
                "this client sent too many wrong tokens: try later, or with the right one";
            return (StatusCode::TOO_MANY_REQUESTS, headers, message).into_response();
        }
    }
    match refusal {
        Some((status, message)) => (status, message).into_response(),
        None => {
            let given = token_in_query(query);
            let cookie =
                guard.token.as_deref().filter(|token| given.is_some_and(|g| is_same(g, token)));
            let cookie = cookie.map(|token| {
                format!(
                    "{COOKIE}={token}; HttpOnly; SameSite=Strict; Path=/; Max-Age={COOKIE_SECONDS}"
                )
            });
            let mut response = next.run(request).await;
            if let Some(value) = cookie.and_then(|cookie| cookie.parse().ok()) {
                response.headers_mut().insert(header::SET_COOKIE, value);
            }
            response
        }
    }
}

impl Guard {
    /// Returns the conditions that the settings of the server ask for.
    pub fn new(config: &ServerConfig) -> Guard {
        let limits = &config.limits;
        Guard {
            names: config.names.clone(),
            token: config.token.clone(),
            wrong_tokens: WrongTokenCounter::new(
                limits.max_wrong_tokens,
                limits.wrong_token_window,
            ),
            wrong_token_delay: limits.wrong_token_delay,
        }
    }

    /// Checks the conditions for a request.
    fn check_request(
        &self,
        method: &Method,
        headers: &HeaderMap,
        query: &str,
    ) -> Result<(), RefusedRequest> {
        check_single_headers(headers)?;
        let Some(host) = text(headers, header::HOST) else {
            return refuse(StatusCode::BAD_REQUEST, "the header Host is missing: send one");
        };
        // A page can make its own name resolve to this server (DNS rebinding).
        if !self.is_own_host(host) {
            let message = format!(
                "this server does not know the host {host:?}: start it with --host-name to add it"
            );
            return refuse(StatusCode::FORBIDDEN, message);
        }
        check_origin(headers, host)?;
        check_content_type(method, headers)?;
        self.check_token(headers, query)
    }

    fn check_token(&self, headers: &HeaderMap, query: &str) -> Result<(), RefusedRequest> {
        let Some(token) = &self.token else { return Ok(()) };
        if tokens(headers, query).any(|given| is_same(given, token)) {
            return Ok(());
        }
        let message = "the token is missing or wrong: open the address with ?token=… that the \
            server printed, or send the header Authorization: Bearer TOKEN";
        refuse(StatusCode::UNAUTHORIZED, message)
    }

    fn is_own_host(&self, host: &str) -> bool {
        let name = match host.strip_prefix('[') {
            Some(rest) => rest.split(']').next().unwrap_or(rest),
            None => host.rsplit_once(':').map_or(host, |(name, _)| name),
        };
        // Only names can be made to resolve to another server.
        name.parse::<IpAddr>().is_ok()
            || name.eq_ignore_ascii_case("localhost")
            || self.names.iter().any(|own| own.eq_ignore_ascii_case(name))
    }
}

/// Status and message with which a request is refused.
type RefusedRequest = (StatusCode, String);

fn refuse(status: StatusCode, message: impl Into<String>) -> Result<(), RefusedRequest> {
    Err((status, message.into()))
}

/// Returns the value of a header, if it is text.
fn text(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// Refuses several headers of one name that a check depends on. A reverse proxy may have checked a
/// different one than this server would.
fn check_single_headers(headers: &HeaderMap) -> Result<(), RefusedRequest> {
    for name in [header::HOST, header::ORIGIN, header::CONTENT_TYPE, header::AUTHORIZATION] {
        if headers.get_all(&name).iter().count() > 1 {
            let message = format!("the request has more than one header {name}: send one");
            return refuse(StatusCode::BAD_REQUEST, message);
        }
    }
    Ok(())
}

/// Refuses requests of pages from another host than `host`.
fn check_origin(headers: &HeaderMap, host: &str) -> Result<(), RefusedRequest> {
    let Some(origin) = headers.get(header::ORIGIN) else { return Ok(()) };
    let origin = origin.to_str().ok().and_then(|origin| origin.split_once("://"));
    if origin.is_some_and(|(_, from)| from.eq_ignore_ascii_case(host)) {
        return Ok(());
    }
    let message = "the Origin is not that of this server: pages of other servers cannot use it";
    refuse(StatusCode::FORBIDDEN, message)
}

/// Refuses posts of types other than JSON. Pages of other servers can send those without a
/// preflight request.
fn check_content_type(method: &Method, headers: &HeaderMap) -> Result<(), RefusedRequest> {
    let kind = text(headers, header::CONTENT_TYPE).and_then(|kind| kind.split(';').next());
    let is_json = kind.is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json"));
    if method != Method::POST || is_json {
        return Ok(());
    }
    let message = "the content type is wrong: send the header Content-Type: application/json";
    refuse(StatusCode::UNSUPPORTED_MEDIA_TYPE, message)
}

/// Returns the tokens of a request. At most one each comes from the header, the cookie and the
/// query, so that one request is not many guesses.
fn tokens<'a>(headers: &'a HeaderMap, query: &'a str) -> impl Iterator<Item = &'a str> {
    let bearer = text(headers, header::AUTHORIZATION).and_then(|value| value.split_once(' '));
    let bearer = bearer.filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
    let cookies = text(headers, header::COOKIE).unwrap_or("").split(';');
    let mut cookies = cookies.filter_map(|cookie| cookie.trim().split_once('='));
    let cookie = cookies.find(|(name, _)| *name == COOKIE);
    [bearer, cookie].into_iter().flatten().map(|(_, given)| given).chain(token_in_query(query))
}

fn token_in_query(query: &str) -> Option<&str> {
    query.split('&').find_map(|pair| pair.strip_prefix("token="))
}

/// Returns whether a request has a token.
fn is_guess(headers: &HeaderMap, query: &str) -> bool {
    tokens(headers, query).next().is_some()
}

/// Compares two secrets in a time that does not depend on their common prefix.
fn is_same(given: &str, token: &str) -> bool {
    blake3::hash(given.as_bytes()) == blake3::hash(token.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guard(names: &[&str], token: Option<&str>) -> Guard {
        Guard {
            names: names.iter().map(ToString::to_string).collect(),
            token: token.map(ToString::to_string),
            wrong_tokens: WrongTokenCounter::new(2, Duration::from_secs(60)),
            wrong_token_delay: Duration::ZERO,
        }
    }

    fn refusal(guard: &Guard, method: &str, headers: &[(&str, &str)], query: &str) -> Option<u16> {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            let name = HeaderName::from_bytes(name.as_bytes()).unwrap();
            map.append(name, value.parse().unwrap());
        }
        guard
            .check_request(&method.parse().unwrap(), &map, query)
            .err()
            .map(|(status, _)| status.as_u16())
    }

    #[test]
    fn pages_from_elsewhere_are_turned_away() {
        let guard = guard(&["whist.example"], None);
        let get = |headers: &[(&str, &str)]| refusal(&guard, "GET", headers, "");
        for host in
            ["localhost:7200", "127.0.0.1:7200", "[::1]:7200", "192.168.1.5", "Whist.example"]
        {
            assert_eq!(get(&[("host", host)]), None, "{host}");
            let same = format!("http://{host}");
            assert_eq!(get(&[("host", host), ("origin", &same)]), None, "{host}");
        }
        for host in ["evil.example:7200", "localhost.evil.example", "127.0.0.1.evil.example", ""] {
            assert_eq!(get(&[("host", host)]), Some(403), "{host}");
        }
        assert_eq!(get(&[]), Some(400));
        for origin in
            ["null", "http://evil.example", "http://localhost:7201", "http://localhost", ""]
        {
            assert_eq!(
                get(&[("host", "localhost:7200"), ("origin", origin)]),
                Some(403),
                "{origin}"
            );
        }
        let post = |kind: &str| {
            refusal(&guard, "POST", &[("host", "localhost"), ("content-type", kind)], "")
        };
        assert_eq!(post("application/json; charset=utf-8"), None);
        for kind in ["text/plain", "application/x-www-form-urlencoded", "application/jsonp", ""] {
            assert_eq!(post(kind), Some(415), "{kind}");
        }
        assert_eq!(refusal(&guard, "POST", &[("host", "localhost")], ""), Some(415));
    }

    #[test]
    fn a_token_is_asked_for() {
        let guard = guard(&[], Some("secret"));
        let get = |more: &[(&str, &str)], query: &str| {
            refusal(&guard, "GET", &[[("host", "10.0.0.1")].as_slice(), more].concat(), query)
        };
        assert_eq!(get(&[], ""), Some(401));
        assert_eq!(get(&[], "token=secret"), None);
        assert_eq!(get(&[("authorization", "Bearer secret")], ""), None);
        assert_eq!(get(&[("authorization", "bearer secret")], ""), None);
        assert_eq!(get(&[("cookie", "a=b; troel_token=secret")], ""), None);
        for wrong in ["Bearer ", "Bearer secre", "Bearer secret2", "secret"] {
            assert_eq!(get(&[("authorization", wrong)], ""), Some(401), "{wrong}");
        }
        assert_eq!(get(&[("cookie", "token=secret")], "token="), Some(401));
        // One request is one guess each for the header, the cookie and the query.
        assert_eq!(get(&[("cookie", "troel_token=a; troel_token=secret")], ""), Some(401));
        assert_eq!(get(&[], "token=a&token=secret"), Some(401));
        assert_eq!(get(&[("cookie", "troel_token=old")], "token=secret"), None);
    }

    #[test]
    fn headers_that_decide_are_there_once() {
        let guard = guard(&[], Some("secret"));
        let host = ("host", "localhost");
        let bearer = ("authorization", "Bearer secret");
        let json = ("content-type", "application/json");
        let post = |headers: &[(&str, &str)]| refusal(&guard, "POST", headers, "");
        assert_eq!(post(&[host, bearer, json]), None);
        for twice in [host, bearer, json, ("origin", "http://localhost")] {
            assert_eq!(post(&[host, bearer, json, twice, twice]), Some(400), "{twice:?}");
        }
        assert_eq!(post(&[("host", "localhost"), ("host", "127.0.0.1"), bearer, json]), Some(400));
    }
}
