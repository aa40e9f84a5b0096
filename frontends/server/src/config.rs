//! Settings of the server.

use std::net::SocketAddr;
use std::path::PathBuf;

use ipnet::IpNet;

use crate::limits::Limits;

/// Settings of the server.
#[derive(Clone, Debug)]
pub struct ServerConfig {
    /// Address to listen on.
    pub address: SocketAddr,
    /// Bots to play against. For each rule set the first bot that can play it is used. Empty: the
    /// released bots, then `expert`.
    pub bots: Vec<String>,
    /// Rule files of house rules to offer, in addition to the built-in rule sets and those of bots.
    pub rules: Vec<String>,
    /// Largest number of simultaneous connections to tables, and of simultaneous shared tables. The
    /// two are counted apart.
    pub tables: usize,
    /// Host names that requests may use, in addition to `localhost` and addresses.
    pub names: Vec<String>,
    /// File to which the record of each finished deal is appended.
    pub records: Option<PathBuf>,
    /// Folder that keeps shared tables, so that they go on after a restart. It is created if it is
    /// missing.
    pub state: Option<PathBuf>,
    /// Secret that every request must carry. Required if other machines can reach the address.
    pub token: Option<String>,
    /// Reverse proxies whose headers `X-Forwarded-For` and `Forwarded` name the client.
    pub trusted_proxies: Vec<IpNet>,
    /// Limits of what clients may hold.
    pub limits: Limits,
}
