//! The server of `troel serve` and its clients, from several addresses of this machine.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Stdio};
use std::time::Instant;

use serde_json::Value;
use socket2::{Domain, Socket, Type};
use tungstenite::client::IntoClientRequest;
use tungstenite::handshake::HandshakeError;
use tungstenite::stream::MaybeTlsStream;
use tungstenite::{Error, Message, WebSocket};

/// The server on a free port of this machine; it ends when this is dropped.
pub struct Server {
    pub process: Child,
    pub address: String,
}

impl Server {
    /// Starts it with more arguments.
    pub fn start(more: &[&str]) -> Server {
        let mut command = super::troel();
        // One heap for all threads, so that fragmentation does not distort the measurement.
        command.env("MALLOC_ARENA_MAX", "1");
        command.args(["serve", "--port", "0"]).args(more).stdout(Stdio::piped());
        let mut process = command.spawn().expect("starts");
        let line = super::first_line(process.stdout.take().expect("piped"));
        let address = line.trim().trim_start_matches("http://").trim_end_matches('/').to_string();
        Server { process, address }
    }

    /// Status and body of a request.
    pub fn http(&self, method: &str, path: &str, body: &[u8]) -> (u16, String) {
        let kind = format!("Host: {}\r\nContent-Type: application/json", self.address);
        self.http_with(&kind, method, path, body)
    }

    /// The same with these headers.
    pub fn http_with(&self, more: &str, method: &str, path: &str, body: &[u8]) -> (u16, String) {
        let head = format!(
            "{method} {path} HTTP/1.1\r\n{more}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        let stream = TcpStream::connect(&self.address).expect("listens");
        let reply = Reply::to(stream, &[head.as_bytes(), body].concat());
        (reply.status, String::from_utf8_lossy(&reply.body).to_string())
    }

    /// A table, if there is a place.
    pub fn table(&self) -> Option<Table> {
        let socket = tungstenite::connect(format!("ws://{}/v1/table", self.address)).ok()?.0;
        if let MaybeTlsStream::Plain(stream) = socket.get_ref() {
            stream.set_read_timeout(Some(super::PATIENCE)).expect("set");
        }
        Some(Table(socket))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A WebSocket to a table.
pub struct Table(pub WebSocket<MaybeTlsStream<TcpStream>>);

impl Table {
    pub fn send(&mut self, command: &Value) {
        self.0.send(Message::text(command.to_string())).expect("open");
    }

    pub fn read(&mut self) -> Value {
        let begun = Instant::now();
        let message = loop {
            assert!(begun.elapsed() < super::PATIENCE, "waited for a message of the table");
            // The server asks now and then whether somebody is there.
            match self.0.read().expect("answers in time") {
                Message::Ping(_) => {}
                message => break message,
            }
        };
        serde_json::from_str(message.to_text().expect("text")).expect("JSON")
    }

    /// The table once it is the person's turn, or the deal is over.
    pub fn settled(&mut self) -> Value {
        loop {
            let table = self.read();
            assert_eq!(table["type"], "table", "{table}");
            if table["turn"] == table["you"] || table["turn"].is_null() {
                return table;
            }
        }
    }
}

/// Response to a request; the status is 0 where there was none.
pub struct Reply {
    pub status: u16,
    pub head: String,
    pub body: Vec<u8>,
}

impl Reply {
    /// Sends a request that asks for the connection to be closed, and reads the response.
    pub fn to(mut stream: TcpStream, request: &[u8]) -> Reply {
        stream.set_read_timeout(Some(super::PATIENCE)).expect("set");
        // A server that has refused the head may close before it has read the body.
        let _ = stream.write_all(request);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let end = answer.windows(4).position(|four| four == b"\r\n\r\n");
        let (head, body) = answer.split_at(end.map_or(answer.len(), |end| end + 4));
        let head = String::from_utf8_lossy(head).to_string();
        let status = head.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0);
        Reply { status, head, body: body.to_vec() }
    }

    /// Value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().filter_map(|line| line.split_once(':'));
        let mut found = lines.filter(|(own, _)| own.eq_ignore_ascii_case(name));
        found.next().map(|(_, value)| value.trim())
    }
}

/// Connects from an address of this machine, such as 127.0.0.2: a client of its own.
pub fn connect_from(from: &str, to: &str) -> TcpStream {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).expect("a socket");
    let from = SocketAddr::new(from.parse().expect("an address"), 0);
    socket.bind(&from.into()).expect("an address of this machine");
    let to: SocketAddr = to.parse().expect("an address");
    socket.connect(&to.into()).expect("listens");
    socket.into()
}

/// Gets a path from an address of this machine, with these lines of headers.
pub fn get_from(from: &str, to: &str, path: &str, headers: &str) -> Reply {
    let request = format!("GET {path} HTTP/1.1\r\n{headers}Connection: close\r\n\r\n");
    Reply::to(connect_from(from, to), request.as_bytes())
}

/// Opens a WebSocket from an address of this machine; the status where it is refused.
pub fn table_from(from: &str, to: &str, headers: &[(&'static str, &str)]) -> Result<Table, u16> {
    let mut request = format!("ws://{to}/v1/table").into_client_request().expect("a request");
    for (name, value) in headers {
        request.headers_mut().insert(*name, value.parse().expect("a header"));
    }
    match tungstenite::client(request, MaybeTlsStream::Plain(connect_from(from, to))) {
        Ok((socket, _)) => Ok(Table(socket)),
        Err(HandshakeError::Failure(Error::Http(response))) => Err(response.status().as_u16()),
        Err(_) => Err(0),
    }
}
