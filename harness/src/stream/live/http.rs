//! One HTTP/1.1 request and its response, after which the connection is closed.

use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use httparse::{EMPTY_HEADER, Request, Status};
use reports::export::live::CONTENT_TYPE;

/// Timeout for reading a request and for writing a response.
const TIMEOUT: Duration = Duration::from_secs(1);
/// Maximum length of a request head.
const MAX_HEAD_BYTES: usize = 8 << 10;
const MAX_HEADERS: usize = 64;

/// Response to a request.
pub(super) struct Reply {
    status: &'static str,
    body: String,
}

impl Reply {
    /// Response with a page.
    pub(super) fn page(body: String) -> Self {
        Reply { status: "200 OK", body }
    }

    /// Response for an unknown page; the body names the right one.
    pub(super) fn nothing_here(body: &str) -> Self {
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
///
/// # Errors
/// If the client is gone, or too slow.
pub(super) fn serve(mut stream: TcpStream, page: impl FnOnce(&str) -> Reply) -> io::Result<()> {
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
