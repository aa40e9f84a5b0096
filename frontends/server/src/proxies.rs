//! Address of the client of a request. It is the peer of the connection or, behind a reverse proxy,
//! the address that the proxy names.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use axum::Extension;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use ipnet::IpNet;

use crate::limits::{Share, Shares};

const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// Identity of a client for all limits. It is the client's IPv4 address, or the first address of
/// its IPv6 /64 network, the size that a provider assigns to a household.
#[derive(Clone, Copy)]
pub struct Client(pub IpAddr);

impl Client {
    pub fn new(address: IpAddr) -> Client {
        Client(match address.to_canonical() {
            IpAddr::V6(address) => {
                Ipv6Addr::from_bits(address.to_bits() & (u128::MAX << 64)).into()
            }
            address => address,
        })
    }
}

/// The other end of the TCP connection of a request.
#[derive(Clone, Copy)]
pub struct Peer(pub IpAddr);

/// The client's share of the server that a connection holds.
///
/// A connection from a trusted proxy holds the share of the client of its last request, until the
/// next request or its end. A response that is still being written thus holds the share.
#[derive(Clone)]
pub struct HeldShare(Arc<Mutex<Option<Share>>>);

impl HeldShare {
    pub fn new(share: Option<Share>) -> HeldShare {
        HeldShare(Arc::new(Mutex::new(share)))
    }

    /// Gives back the share.
    pub fn release(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Exchanges the share for one of this client; false if it holds the maximum.
    fn exchange(&self, shares: &Shares, client: Client) -> bool {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Given back first: it may be of the same client.
        *held = None;
        *held = shares.take(client.0);
        held.is_some()
    }
}

/// The reverse proxies whose headers are trusted, and the connections of their clients.
pub struct Proxies {
    trusted: Vec<IpNet>,
    /// Connections of each client. A connection from a proxy counts for the client of the last
    /// request that it carried.
    connections: Shares,
    /// Whether the log has a line about a proxy that is not trusted.
    has_warned: AtomicBool,
}

impl Proxies {
    pub fn new(trusted: Vec<IpNet>, connections: Shares) -> Proxies {
        Proxies { trusted, connections, has_warned: AtomicBool::new(false) }
    }

    /// Returns whether an address is that of a trusted proxy.
    pub fn is_trusted(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.trusted.iter().any(|network| network.contains(&address))
    }

    /// Returns the client's address: the rightmost one that is not a trusted proxy.
    fn client(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        if !self.is_trusted(peer) {
            return peer;
        }
        let last = |name: &HeaderName, parse: fn(&str) -> Option<IpAddr>| {
            let values = headers.get_all(name).iter().collect::<Vec<_>>();
            (!values.is_empty()).then(|| self.last_hop(peer, values, parse))
        };
        let (old, new) = (last(&X_FORWARDED_FOR, address), last(&header::FORWARDED, forwarded_for));
        match (old, new) {
            // A proxy that sets one of them passes on the client's own value of the other.
            (Some(old), Some(new)) if old != new => peer,
            (old, new) => old.or(new).unwrap_or(peer),
        }
    }

    /// Walks back through the hops of a header to the first that is not a trusted proxy. Stops
    /// before a hop that cannot be parsed.
    fn last_hop(
        &self,
        peer: IpAddr,
        values: Vec<&header::HeaderValue>,
        parse: fn(&str) -> Option<IpAddr>,
    ) -> IpAddr {
        let mut client = peer;
        for value in values.into_iter().rev() {
            let Ok(text) = value.to_str() else { return client };
            for hop in text.rsplit(',') {
                let Some(address) = parse(hop) else { return client };
                client = address;
                if !self.is_trusted(client) {
                    return client;
                }
            }
        }
        client
    }
}

/// Parses an address, with or without a port, IPv6 with or without brackets.
fn address(text: &str) -> Option<IpAddr> {
    let text = text.trim();
    let inner = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(text);
    let with_port = || text.parse::<SocketAddr>().map(|address| address.ip());
    inner.parse().or_else(|_| with_port()).ok()
}

/// Parses `for` of an element of the header `Forwarded` (RFC 7239). A part with an odd number of
/// quotes belongs to a quoted text with `,` or `;`, and a quote after `\` ends none. Such elements
/// are refused: a client may have written the text.
fn forwarded_for(element: &str) -> Option<IpAddr> {
    let is_cut = |pair: &str| !pair.matches('"').count().is_multiple_of(2);
    if element.contains('\\') || element.split(';').any(is_cut) {
        return None;
    }
    let mut pairs = element.split(';').filter_map(|pair| pair.split_once('='));
    let (_, node) = pairs.find(|(name, _)| name.trim().eq_ignore_ascii_case("for"))?;
    address(node.trim().trim_matches('"'))
}

/// Adds its [`Client`] to a request, and counts a request through a proxy for that client.
pub async fn identify(
    State(proxies): State<Arc<Proxies>>,
    Extension(Peer(peer)): Extension<Peer>,
    Extension(held): Extension<HeldShare>,
    mut request: Request,
    next: Next,
) -> Response {
    let headers = request.headers();
    let client = Client::new(proxies.client(peer, headers));
    let is_proxy = proxies.is_trusted(peer);
    let is_forwarded =
        headers.contains_key(&X_FORWARDED_FOR) || headers.contains_key(header::FORWARDED);
    // Only for peers on this machine: any other client could suggest a proxy to trust.
    if is_forwarded
        && !is_proxy
        && peer.to_canonical().is_loopback()
        && !proxies.has_warned.swap(true, Ordering::Relaxed)
    {
        tracing::warn!(
            "requests come through a proxy at {peer}, whose clients share the limits of one client; \
             add --trusted-proxy {peer} if the proxy sets X-Forwarded-For"
        );
    }
    // A connection without a proxy is counted already.
    if is_proxy && !held.exchange(&proxies.connections, client) {
        return too_many_connections();
    }
    request.extensions_mut().insert(client);
    next.run(request).await
}

/// Response to a request beyond the connections of its client.
fn too_many_connections() -> Response {
    let headers = [(header::RETRY_AFTER, "5")];
    let message = "too many connections; try later";
    (StatusCode::SERVICE_UNAVAILABLE, headers, message).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(peer: &str, headers: &[(&str, &str)]) -> String {
        let trusted = ["127.0.0.1/32", "10.0.0.0/8", "2001:db8:1::/48"];
        let trusted = trusted.map(|network| network.parse().unwrap()).to_vec();
        let proxies = Proxies::new(trusted, Shares::new(1));
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(HeaderName::from_bytes(name.as_bytes()).unwrap(), value.parse().unwrap());
        }
        proxies.client(peer.parse().unwrap(), &map).to_string()
    }

    #[test]
    fn the_last_address_that_is_no_proxy_counts() {
        let old = |peer: &str, value: &str| client(peer, &[("x-forwarded-for", value)]);
        assert_eq!(client("127.0.0.1", &[]), "127.0.0.1");
        assert_eq!(old("127.0.0.1", "192.0.2.1"), "192.0.2.1");
        assert_eq!(old("::ffff:127.0.0.1", "192.0.2.1"), "192.0.2.1");
        // Clients may have written the addresses on the left.
        assert_eq!(old("127.0.0.1", "198.51.100.7, 192.0.2.1"), "192.0.2.1");
        assert_eq!(old("127.0.0.1", "198.51.100.7, 192.0.2.1, 10.1.2.3"), "192.0.2.1");
        assert_eq!(
            old("127.0.0.1", "10.9.9.9, 10.1.2.3"),
            "10.9.9.9",
            "a client among the proxies"
        );
        for (value, address) in [
            ("192.0.2.1:4711", "192.0.2.1"),
            ("2001:db8::7", "2001:db8::7"),
            ("[2001:db8::7]", "2001:db8::7"),
            ("[2001:db8::7]:4711", "2001:db8::7"),
            ("192.0.2.1, 2001:db8:1::5", "192.0.2.1"),
        ] {
            assert_eq!(old("127.0.0.1", value), address, "{value}");
        }
        for unknown in
            ["", "unknown", "192.0.2.1,", "300.1.1.1", "192.0.2.1 198.51.100.7", "[::1", "é"]
        {
            assert_eq!(old("127.0.0.1", unknown), "127.0.0.1", "{unknown:?}");
        }
        assert_eq!(old("127.0.0.1", "192.0.2.1, unknown, 10.1.2.3"), "10.1.2.3");
        let lines = [("x-forwarded-for", "198.51.100.7"), ("x-forwarded-for", "192.0.2.1")];
        assert_eq!(client("127.0.0.1", &lines), "192.0.2.1", "the last line is the last hop");
    }

    #[test]
    fn headers_from_others_are_ignored() {
        for peer in ["192.0.2.9", "127.0.0.2", "::1", "2001:db8:2::1"] {
            for name in ["x-forwarded-for", "forwarded"] {
                let headers = [(name, "192.0.2.1"), (name, "for=192.0.2.1")];
                assert_eq!(client(peer, &headers), peer);
            }
        }
    }

    #[test]
    fn the_standard_header_is_read() {
        let new = |value: &str| client("127.0.0.1", &[("forwarded", value)]);
        for (value, address) in [
            ("for=192.0.2.1", "192.0.2.1"),
            ("For=\"192.0.2.1:4711\"", "192.0.2.1"),
            ("for=\"[2001:db8::7]:4711\"", "2001:db8::7"),
            ("for=198.51.100.7, for=192.0.2.1;proto=https;by=10.0.0.1", "192.0.2.1"),
            ("proto=https ; for=192.0.2.1, for=10.0.0.1", "192.0.2.1"),
            ("for=\", for=192.0.2.1", "192.0.2.1"),
        ] {
            assert_eq!(new(value), address, "{value}");
        }
        for unknown in [
            "for=unknown",
            "for=_hidden",
            "by=192.0.2.1",
            "192.0.2.1",
            "for=192.0.2.1;host=\"a, for=198.51.100.7\"",
            "host=\"x;for=198.51.100.7\";for=192.0.2.1",
            "host=\"x;for=198.51.100.7;y\"",
            r#"host="x\";for=198.51.100.7;y=\"";for=192.0.2.1"#,
        ] {
            assert_eq!(new(unknown), "127.0.0.1", "{unknown}");
        }
    }

    #[test]
    fn headers_that_disagree_count_for_the_proxy() {
        let both = |old, new| client("127.0.0.1", &[("x-forwarded-for", old), ("forwarded", new)]);
        assert_eq!(both("192.0.2.1", "for=192.0.2.1"), "192.0.2.1");
        assert_eq!(both("192.0.2.1", "for=198.51.100.7"), "127.0.0.1");
        assert_eq!(both("192.0.2.1", "nonsense"), "127.0.0.1");
    }

    #[test]
    fn an_ipv6_network_is_one_client() {
        let client = |text: &str| Client::new(text.parse().unwrap()).0.to_string();
        assert_eq!(client("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::");
        assert_eq!(client("2001:db8:1:2:ffff::"), client("2001:db8:1:2::1"));
        assert_ne!(client("2001:db8:1:3::1"), client("2001:db8:1:2::1"));
        assert_eq!(client("192.0.2.1"), "192.0.2.1");
        assert_eq!(client("::ffff:192.0.2.1"), "192.0.2.1");
    }
}
