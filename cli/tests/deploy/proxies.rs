//! A server behind nginx and behind Caddy, with the committed files. Only ports, certificates and
//! TLS are different.

use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tungstenite::stream::MaybeTlsStream;

use crate::support::server::{Server, Table, get_from, table_from};
use crate::support::tools;
use crate::{HOST, TOKEN, read, replaced};

/// Deadline for the start of a proxy, with room for a machine under load.
const PATIENCE: Duration = Duration::from_secs(120);

/// Number of attempts to start a proxy: another process may take its port first.
const ATTEMPTS: usize = 5;

/// A reverse proxy on a free port; it ends when this is dropped.
struct Proxy {
    process: Child,
    address: String,
    /// Address at which nginx answers requests without encryption.
    plain_address: Option<String>,
    _folder: tempfile::TempDir,
}

/// An address on which nothing listens.
fn free_address() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    listener.local_addr().expect("bound").to_string()
}

impl Proxy {
    /// nginx in front of a server; `None` where it is not installed.
    fn nginx(server: &str) -> Option<Proxy> {
        let programs = ["/usr/sbin/nginx", "/usr/bin/nginx"].map(PathBuf::from);
        let Some(program) = programs.iter().find(|path| path.exists()) else {
            tools::missing("nginx", ".ci/install installs it (nginx-light)");
            return None;
        };
        (0..ATTEMPTS).find_map(|_| Proxy::try_nginx(program, server)).or_else(|| {
            panic!("nginx does not start");
        })
    }

    fn try_nginx(program: &Path, server: &str) -> Option<Proxy> {
        let (address, plain) = (free_address(), free_address());
        let is_usable = |line: &&str| {
            let line = line.trim();
            !line.starts_with("ssl_") && !line.starts_with("listen [::]")
        };
        let settings = read("nginx.conf").lines().filter(is_usable).collect::<Vec<_>>().join("\n");
        let settings = replaced(
            settings,
            &[
                ("listen 443 ssl http2", &format!("listen {address}")),
                ("listen 80", &format!("listen {plain}")),
                ("127.0.0.1:7200", server),
            ],
        );
        let folder = tempfile::tempdir().expect("a folder");
        let at = folder.path().display();
        let kinds = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
        let temporary: String =
            kinds.iter().map(|kind| format!("{kind}_temp_path {at}/{kind};\n")).collect();
        // One process, which ends with this one's handle.
        let text = format!(
            "daemon off;\nmaster_process off;\npid {at}/pid;\nerror_log {at}/error.log;\n\
             events {{}}\nhttp {{\naccess_log off;\n{temporary}{settings}\n}}\n"
        );
        let file = folder.path().join("nginx.conf");
        std::fs::write(&file, text).expect("written");
        let mut command = Command::new(program);
        command.arg("-p").arg(folder.path()).arg("-e").arg(folder.path().join("start.log"));
        command.arg("-c").arg(&file).stderr(Stdio::inherit());
        Proxy::started(command, folder, address, Some(plain))
    }

    /// Caddy in front of a server; `None` where it is not installed.
    fn caddy(server: &str) -> Option<Proxy> {
        let program = Path::new("/usr/bin/caddy");
        if !program.exists() {
            tools::missing("caddy", ".ci/install installs it");
            return None;
        }
        (0..ATTEMPTS).find_map(|_| Proxy::try_caddy(program, server)).or_else(|| {
            panic!("Caddy does not start");
        })
    }

    fn try_caddy(program: &Path, server: &str) -> Option<Proxy> {
        let address = free_address();
        let port = address.rsplit(':').next().expect("a port");
        let site = format!("http://{HOST}:{port} {{\n\tbind 127.0.0.1");
        let own_site = format!("\n{HOST} {{");
        let settings = replaced(
            read("Caddyfile"),
            &[(&own_site, &format!("\n{site}")), ("127.0.0.1:7200", server)],
        );
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("Caddyfile");
        std::fs::write(&file, format!("{{\n\tadmin off\n}}\n{settings}")).expect("written");
        let mut command = Command::new(program);
        command.args(["run", "--adapter", "caddyfile", "--config"]).arg(&file);
        // Caddy keeps its state in these folders.
        for folder_of in ["HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"] {
            command.env(folder_of, folder.path());
        }
        command.stderr(Stdio::null());
        Proxy::started(command, folder, address, None)
    }

    /// Starts a proxy and waits until it listens; `None` if it ends first.
    fn started(
        mut command: Command,
        folder: tempfile::TempDir,
        address: String,
        plain_address: Option<String>,
    ) -> Option<Proxy> {
        let process = command.stdin(Stdio::null()).spawn().expect("the proxy starts");
        let mut proxy = Proxy { process, address, plain_address, _folder: folder };
        let began = Instant::now();
        while proxy.process.try_wait().expect("a child").is_none() {
            if TcpStream::connect(&proxy.address).is_ok() {
                return Some(proxy);
            }
            assert!(began.elapsed() < PATIENCE, "the proxy does not listen");
            std::thread::sleep(Duration::from_millis(20));
        }
        None
    }

    /// Opens a WebSocket through the proxy from an address of this machine.
    fn table(&self, from: &str, more: &[(&'static str, &str)]) -> Table {
        let bearer = format!("Bearer {TOKEN}");
        let headers = [("Host", HOST), ("Authorization", &bearer[..])];
        let headers = [&headers[..], more].concat();
        let table = table_from(from, &self.address, &headers).expect("a place");
        if let MaybeTlsStream::Plain(stream) = table.0.get_ref() {
            stream.set_read_timeout(Some(PATIENCE)).expect("a time limit");
        }
        table
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Starts a server, and each proxy that is installed in front of it.
fn with_each_proxy(check: impl Fn(&Proxy)) {
    for start in [Proxy::nginx, Proxy::caddy] {
        // A server for each proxy: the limits of its clients are those of one test.
        let server = Server::start(&[
            "--bot",
            "rules",
            "--token",
            TOKEN,
            "--host-name",
            HOST,
            "--trusted-proxy",
            "127.0.0.1",
        ]);
        let address = server.address.split('/').next().expect("an address");
        if let Some(proxy) = start(address) {
            check(&proxy);
        }
    }
}

/// Each client behind a proxy has its own share. Headers that it sends do not change that.
#[test]
fn clients_behind_a_proxy_have_their_own_shares() {
    with_each_proxy(|proxy| {
        let share = |from: &str, number: usize, more: &[(&'static str, &str)]| {
            let mut table = proxy.table(from, more);
            let name = format!("table-{number}-0123456789abcdef");
            table.send(&json!({
                "type": "share", "table": name, "key": name, "name": "anna", "rules": "wiezen",
                "seat": "S",
            }));
            let first = table.read();
            (table, first)
        };
        let is_full = |first: &Value| {
            first["type"] == "refused"
                && first["message"].as_str().is_some_and(|why| why.contains("too many tables"))
        };
        let mut tables = Vec::new();
        for number in 0..16 {
            let (table, first) = share("127.0.0.2", number, &[]);
            assert_eq!(first["type"], "table", "{number}: {first}");
            tables.push(table);
        }
        for more in [
            &[][..],
            &[("X-Forwarded-For", "192.0.2.1")],
            &[("X-Forwarded-For", "192.0.2.1, 127.0.0.1")],
            &[("Forwarded", "for=192.0.2.1")],
        ] {
            let (_, first) = share("127.0.0.2", 16, more);
            assert!(is_full(&first), "{more:?}: {first}");
        }
        let (_table, first) = share("127.0.0.3", 17, &[]);
        assert_eq!(first["type"], "table", "another client has its own share: {first}");

        let get = |from: &str, given: &str| {
            // Caddy otherwise asks the server for a compressed file, and sends it in chunks.
            let headers = format!(
                "Host: {HOST}\r\nAuthorization: Bearer {given}\r\nAccept-Encoding: identity\r\n"
            );
            get_from(from, &proxy.address, "/troel.wasm", &headers)
        };
        let guessed = (0..200).any(|_| get("127.0.0.2", "wrong").status == 429);
        assert!(guessed, "wrong tokens are not counted");
        assert_eq!(get("127.0.0.3", "wrong").status, 401, "another client has its own count");
        let page = get("127.0.0.2", TOKEN);
        assert_eq!(page.status, 200);
        assert!(page.body.ends_with(troel_web::WASM), "the file comes whole");
    });
}

/// A browser keeps the token after it is closed, and sends it only over encrypted connections.
#[test]
fn browsers_keep_the_token() {
    with_each_proxy(|proxy| {
        let host = format!("Host: {HOST}\r\n");
        let page = get_from("127.0.0.2", &proxy.address, &format!("/?token={TOKEN}"), &host);
        assert_eq!(page.status, 200);
        let cookie = page.header("set-cookie").expect("a cookie").to_lowercase();
        for part in ["httponly", "samesite=strict", "max-age=", "secure"] {
            assert!(cookie.split("; ").any(|own| own.starts_with(part)), "{part}: {cookie}");
        }
        assert!(page.header("strict-transport-security").is_some(), "{}", page.head);
        let kept = format!("{host}Cookie: troel_token={TOKEN}\r\n");
        assert_eq!(get_from("127.0.0.2", &proxy.address, "/", &kept).status, 200);
        if let Some(plain) = &proxy.plain_address {
            let reply = get_from("127.0.0.2", plain, "/?lang=nl", &host);
            let location = format!("https://{HOST}/?lang=nl");
            assert_eq!((reply.status, reply.header("location")), (301, Some(&location[..])));
        }
    });
}

/// A person plays a deal at a shared table through the proxy. In each phase their telephone loses
/// its network, and they come back from another address to the same seat and cards.
#[test]
fn a_deal_is_played_through_a_proxy() {
    with_each_proxy(|proxy| {
        let request = |kind: &str| {
            json!({
                "type": kind, "table": "0123456789abcdef", "key": "anna-0123456789abcdef",
                "name": "Anna", "rules": "wiezen", "seat": "S",
            })
        };
        let mut table = proxy.table("127.0.0.2", &[]);
        table.send(&request("share"));
        let mut shown = table.read();
        let mut lost_in = Vec::new();
        let mut acted_on = None;
        loop {
            assert_eq!(shown["type"], "table", "{shown}");
            let now = (shown["deal"].clone(), shown["history"].as_array().map(Vec::len));
            let is_new = acted_on.as_ref() != Some(&now);
            if shown["scores"].is_object() && is_new {
                if shown["void"] == false {
                    break;
                }
                table.send(&json!({"type": "next"}));
                acted_on = Some(now);
            } else if shown["turn"] == "S" && is_new {
                let is_auction = shown["phase"] == "auction";
                if !lost_in.contains(&is_auction) {
                    lost_in.push(is_auction);
                    // The old connection stays open: a lost network closes nothing.
                    let mut back = proxy.table("127.0.0.3", &[]);
                    back.send(&request("join"));
                    let again = back.read();
                    for same in ["you", "deal", "hand", "history", "legal"] {
                        assert_eq!(again[same], shown[same], "{same}");
                    }
                    table = back;
                }
                let legal = shown["legal"].as_array().expect("a list");
                // Calls high, so that cards are played.
                table.send(&json!({"type": "act", "action": legal.last().expect("an action")}));
                acted_on = Some(now);
            }
            shown = table.read();
        }
        assert_eq!(lost_in, [true, false], "lost in the auction and in the play");
        assert_eq!(shown["people"]["S"]["whole"], true, "no bot has played for her: {shown}");
        let points = shown["scores"].as_object().expect("scores");
        let sum: f64 = points.values().filter_map(Value::as_f64).sum();
        assert_eq!((points.len(), sum), (4, 0.0), "{shown}");
    });
}
