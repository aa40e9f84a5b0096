//! The addresses under which the server is reached.

use std::net::{IpAddr, SocketAddr};

/// The addresses under which a server is reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reached {
    /// From this machine.
    pub here: SocketAddr,
    /// From other machines of the network, the most usual address first; empty if the server cannot
    /// be reached from there, or if this machine has no network.
    pub elsewhere: Vec<SocketAddr>,
}

impl Reached {
    /// Returns the address to give to persons at other machines.
    pub fn for_others(&self) -> Option<SocketAddr> {
        self.elsewhere.first().copied()
    }
}

/// Returns the addresses of a server that listens on `address`.
pub fn reached(address: SocketAddr) -> Reached {
    let interfaces = if_addrs::get_if_addrs().unwrap_or_default();
    of_interfaces(address, interfaces.into_iter().map(|interface| interface.ip()))
}

/// The same on a machine whose interfaces have these addresses.
fn of_interfaces(address: SocketAddr, interfaces: impl Iterator<Item = IpAddr>) -> Reached {
    let ip = address.ip();
    if ip.is_loopback() {
        return Reached { here: address, elsewhere: Vec::new() };
    }
    if !ip.is_unspecified() {
        return Reached { here: address, elsewhere: vec![address] };
    }
    let is_reached = |ip: &IpAddr| match ip {
        IpAddr::V4(ip) => !ip.is_loopback() && !ip.is_link_local(),
        // Addresses of version 4 are easier to type, and local networks have them.
        IpAddr::V6(_) => false,
    };
    let mut ips: Vec<IpAddr> = interfaces.filter(is_reached).collect();
    let is_usual = |ip: &IpAddr| matches!(ip, IpAddr::V4(ip) if ip.is_private());
    // Networks of containers and virtual machines usually have 172.16.0.0/12.
    let is_container = |ip: &IpAddr| matches!(ip, IpAddr::V4(ip) if ip.octets()[0] == 172);
    ips.sort_by_key(|ip| (!is_usual(ip), is_container(ip)));
    let with_port = |ip| SocketAddr::new(ip, address.port());
    let localhost = if ip.is_ipv4() { "127.0.0.1" } else { "::1" };
    let here = localhost.parse().map_or(address, with_port);
    Reached { here, elsewhere: ips.into_iter().map(with_port).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(address: &str, interfaces: &[&str]) -> (String, Vec<String>) {
        let interfaces = interfaces.iter().map(|ip| ip.parse().expect("an address"));
        let reached = of_interfaces(address.parse().expect("an address"), interfaces);
        (reached.here.to_string(), reached.elsewhere.iter().map(ToString::to_string).collect())
    }

    const INTERFACES: [&str; 6] =
        ["127.0.0.1", "::1", "172.17.0.1", "192.168.1.5", "fe80::1", "169.254.3.4"];

    #[test]
    fn only_this_machine_reaches_a_loopback_address() {
        let (here, elsewhere) = found("127.0.0.1:7200", &INTERFACES);
        assert_eq!((here.as_str(), elsewhere.len()), ("127.0.0.1:7200", 0));
    }

    #[test]
    fn others_reach_the_address_of_the_network() {
        let (here, elsewhere) = found("0.0.0.0:7200", &INTERFACES);
        assert_eq!(here, "127.0.0.1:7200");
        assert_eq!(elsewhere, ["192.168.1.5:7200", "172.17.0.1:7200"]);
        let (here, elsewhere) = found("192.168.1.5:80", &INTERFACES);
        assert_eq!((here.as_str(), elsewhere), ("192.168.1.5:80", vec!["192.168.1.5:80".into()]));
        assert_eq!(found("0.0.0.0:7200", &["127.0.0.1"]).1.len(), 0);
    }
}
