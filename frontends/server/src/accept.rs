//! Accepts connections. Limits their number, and the time of clients that send or read nothing.

use std::sync::Arc;
use std::time::Duration;

use axum::{Extension, Router};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio_io_timeout::TimeoutStream;

use crate::limits::{Limits, Shares};
use crate::proxies::{Client, HeldShare, Peer, Proxies};

/// Accepts and serves connections. The response to a connection beyond the limits is an error.
pub async fn accept(
    listener: &TcpListener,
    app: Router,
    limits: &Limits,
    shares: &Shares,
    proxies: &Proxies,
) {
    let permits = Arc::new(Semaphore::new(limits.connections));
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(limits.header_timeout);
    loop {
        let Ok((stream, peer)) = listener.accept().await else {
            // Most likely too many files are open. Wait until some are closed.
            tokio::time::sleep(Duration::from_millis(100)).await;
            continue;
        };
        let peer = peer.ip();
        let permit = permits.clone().try_acquire_owned().ok();
        // A proxy's connections count for its clients, once their requests are read.
        let share = if proxies.is_trusted(peer) {
            Some(None)
        } else {
            shares.take(Client::new(peer).0).map(Some)
        };
        let (Some(permit), Some(share)) = (permit, share) else {
            // Best effort: the part that does not fit into the socket's buffer is dropped.
            let _ = stream.try_write(BUSY_RESPONSE);
            continue;
        };
        // If the option is refused, messages are sent a little later.
        let _ = stream.set_nodelay(true);
        let held = HeldShare::new(share);
        let app = app.clone().layer(Extension(Peer(peer))).layer(Extension(held.clone()));
        let service = TowerToHyperService::new(app);
        let mut stream = TimeoutStream::new(stream);
        stream.set_write_timeout(Some(limits.write_timeout));
        let stream = TokioIo::new(Box::pin(stream));
        let connection = http.serve_connection(stream, service).with_upgrades();
        tokio::spawn(async move {
            // A broken connection needs no action.
            let _ = connection.await;
            drop(permit);
            held.release();
        });
    }
}

/// Response to a connection beyond the limits.
const BUSY_RESPONSE: &[u8] =
    b"HTTP/1.1 503 Service Unavailable\r\ncontent-length: 31\r\nretry-after: 5\r\n\
    x-content-type-options: nosniff\r\nreferrer-policy: no-referrer\r\ncache-control: no-store\r\n\
    connection: close\r\n\r\ntoo many connections; try later";
