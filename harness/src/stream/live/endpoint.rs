//! Endpoint for Prometheus: answers `GET /metrics`, one request at a time.
//!
//! The connection of a client that sends a malformed or slow request is closed after a second.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use httparse::{EMPTY_HEADER, Request, Status};
use reports::export::live::{CONTENT_TYPE, page};

use super::live_counts::LiveCounts;
use super::spawn_low_priority;

/// Interval between checks for a connection.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// The endpoint; it is closed when it is dropped.
pub(super) struct Endpoint {
    address: SocketAddr,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Endpoint {
    /// Opens a port, such as `127.0.0.1:9464`, and serves the live counts.
    pub(super) fn open(address: &str, live_counts: Arc<LiveCounts>) -> io::Result<Self> {
        let listener = TcpListener::bind(address)?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let stop = Arc::new(AtomicBool::new(false));
        let is_stopped = Arc::clone(&stop);
        let thread = spawn_low_priority("metrics", move || {
            answer_all(&listener, &live_counts, &is_stopped)
        })?;
        Ok(Endpoint { address, stop, thread: Some(thread) })
    }

    /// Address of the endpoint.
    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Endpoint {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            // The thread returns no result.
            let _ = thread.join();
        }
    }
}

fn answer_all(listener: &TcpListener, live_counts: &LiveCounts, is_stopped: &AtomicBool) {
    while !is_stopped.load(Ordering::Relaxed) {
        match listener.accept() {
            // Errors of clients that disconnect early are ignored.
            Ok((asks, _)) => drop(serve(asks, |path| reply(path, live_counts))),
            // No connection, or it can't be accepted now.
            Err(_) => thread::park_timeout(POLL_INTERVAL),
        }
    }
}

fn reply(path: &str, live_counts: &LiveCounts) -> Reply {
    match path {
        "/metrics" => Reply::page(page(&live_counts.all())),
        _ => Reply::nothing_here("metrics are at /metrics\n"),
    }
}

/// Timeout for reading a request and for writing a response.
const TIMEOUT: Duration = Duration::from_secs(1);
/// Maximum length of a request head.
const MAX_HEAD_BYTES: usize = 8 << 10;
const MAX_HEADERS: usize = 64;

/// Response to a request.
struct Reply {
    status: &'static str,
    body: String,
}

impl Reply {
    /// Response with a page.
    fn page(body: String) -> Self {
        Reply { status: "200 OK", body }
    }

    /// Response for an unknown page; the body names the right one.
    fn nothing_here(body: &str) -> Self {
        Reply { status: "404 Not Found", body: body.to_owned() }
    }

    fn refusal(status: &'static str) -> Self {
        Reply { status, body: format!("{status}\n") }
    }
}

/// Parsed request.
enum HttpRequest {
    /// Request of a page, by its path without the query string.
    Page(String),
    Other(&'static str),
}

/// Reads a request and answers it.
fn serve(mut stream: TcpStream, page: impl FnOnce(&str) -> Reply) -> io::Result<()> {
    stream.set_nonblocking(false)?;
    stream.set_write_timeout(Some(TIMEOUT))?;
    let reply = match read_request(&mut stream)? {
        HttpRequest::Page(path) => page(&path),
        HttpRequest::Other(status) => Reply::refusal(status),
    };
    let Reply { status, body } = reply;
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {CONTENT_TYPE}\r\nContent-Length: {}\r\n\
         Connection: close\r\n\r\n",
        body.len()
    );
    stream.write_all((head + &body).as_bytes())
}

fn read_request(stream: &mut TcpStream) -> io::Result<HttpRequest> {
    let end = Instant::now() + TIMEOUT;
    let mut head = Vec::new();
    let mut piece = [0; 1024];
    loop {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(ErrorKind::TimedOut.into());
        }
        stream.set_read_timeout(Some(left))?;
        let read = stream.read(&mut piece)?;
        head.extend_from_slice(&piece[..read]);
        match parse_head(&head) {
            Some(request) => return Ok(request),
            None if read == 0 => return Err(ErrorKind::UnexpectedEof.into()),
            None if head.len() > MAX_HEAD_BYTES => {
                return Ok(HttpRequest::Other("431 Request Header Fields Too Large"));
            }
            None => {}
        }
    }
}

/// Parses a request head; `None` while it is incomplete.
fn parse_head(head: &[u8]) -> Option<HttpRequest> {
    let mut headers = [EMPTY_HEADER; MAX_HEADERS];
    let mut request = Request::new(&mut headers);
    match request.parse(head) {
        Ok(Status::Partial) => None,
        Ok(Status::Complete(_)) => Some(match (request.method, request.path) {
            (Some("GET"), Some(path)) => {
                HttpRequest::Page(path.split('?').next().unwrap_or_default().to_owned())
            }
            _ => HttpRequest::Other("405 Method Not Allowed"),
        }),
        Err(_) => Some(HttpRequest::Other("400 Bad Request")),
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpStream;

    use reports::export::live::LiveStream;

    use super::*;

    fn endpoint() -> Endpoint {
        let live_counts = Arc::new(LiveCounts::default());
        live_counts.put(LiveStream::new("time-sweep", "cpu", 2.0, 0.05, 1));
        Endpoint::open("127.0.0.1:0", live_counts).expect("a port")
    }

    /// Response to a request, which may be malformed.
    fn answer(endpoint: &Endpoint, request: &[u8]) -> String {
        let mut stream = TcpStream::connect(endpoint.address()).expect("open");
        // The endpoint may close the connection before everything is written.
        let _ = stream.write_all(request);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8(answer).expect("a text")
    }

    #[test]
    fn metrics_are_served() {
        let endpoint = endpoint();
        let answer = answer(&endpoint, b"GET /metrics?x=y HTTP/1.1\r\nHost: here\r\n\r\n");
        let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
        assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "{head}");
        assert!(head.contains("Content-Type: text/plain; version=0.0.4"), "{head}");
        assert!(head.contains(&format!("Content-Length: {}\r\n", body.len())), "{head}");
        assert!(body.contains("recobench_stream_running{device=\"cpu\",speed=\"2\""), "{body}");
    }

    #[test]
    fn malformed_requests_are_answered() {
        let endpoint = endpoint();
        let long = [b"GET /metrics HTTP/1.1\r\nX: ".as_slice(), &[b'x'; 20_000]].concat();
        for (request, status) in [
            (&b"GET / HTTP/1.1\r\n\r\n"[..], "404 "),
            (b"POST /metrics HTTP/1.1\r\n\r\n", "405 "),
            (b"\x16\x03\x01\x02\r\n\r\n", "400 "),
            (b"GET /metrics\r\n\r\n", "400 "),
            (&long, ""),
            (b"GET /metr", ""),
        ] {
            let answer = answer(&endpoint, request);
            assert!(answer.starts_with(&format!("HTTP/1.1 {status}")) || status.is_empty());
            assert!(!answer.contains("200 OK"), "{answer}");
        }
        let fine = answer(&endpoint, b"GET /metrics HTTP/1.0\r\n\r\n");
        assert!(fine.contains("200 OK"), "{fine}");
    }

    #[test]
    fn a_port_is_exclusive_until_it_is_closed() {
        let endpoint = endpoint();
        let address = endpoint.address().to_string();
        let taken = Endpoint::open(&address, Arc::default()).err().expect("taken");
        assert_eq!(taken.kind(), io::ErrorKind::AddrInUse);
        drop(endpoint);
        assert!(Endpoint::open(&address, Arc::default()).is_ok());
    }
}
