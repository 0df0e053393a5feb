//! Client for InfluxDB and other servers that accept its line protocol by HTTP.

use std::io::{self, Read};

use minreq::ResponseLazy;
use text::Untrusted;

/// Timeout of the server, in s.
const TIMEOUT: u64 = 2;
/// Maximum length of the response that is read.
const MAX_RESPONSE_BYTES: u64 = 1 << 10;
const MAX_HEADER_BYTES: usize = 8 << 10;

/// Destination of lines.
#[derive(Clone, Debug)]
pub(super) struct Influx {
    url: String,
    /// Name for messages and records: the rest of the URL may contain a password.
    name: String,
    token: Option<String>,
    /// Name of this machine.
    host: String,
}

/// Failed delivery of lines.
#[derive(Debug, thiserror::Error)]
pub(super) enum PushError {
    #[error("there is no answer within {TIMEOUT} s")]
    Silent,
    #[error("there is no connection: {0}")]
    Unconnected(io::Error),
    #[error("invalid response: {0}")]
    Odd(minreq::Error),
    #[error("it refuses with status {status}{}{}", quoted_response(response_text), advice(*status))]
    Refused { status: u16, response_text: String },
}

fn quoted_response(response_text: &str) -> String {
    if response_text.is_empty() { String::new() } else { format!(": {}", response_text.escaped()) }
}

/// Advice for a status.
fn advice(status: u16) -> &'static str {
    match status {
        401 | 403 => "; set INFLUX_TOKEN to a token that may write",
        404 => "; create the database, and write its name after db= in --influx",
        _ => "",
    }
}

impl Influx {
    /// Creates a client for a URL such as `http://localhost:8086/write?db=lab`, with its token.
    pub(super) fn new(url: &str, token: Option<String>) -> Self {
        let name = url.split('?').next().unwrap_or_default().to_owned();
        let host = sysinfo::System::host_name().unwrap_or_default();
        Influx { url: url.to_owned(), name, token, host }
    }

    /// Name for messages.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Name of this machine.
    pub(super) fn host(&self) -> &str {
        &self.host
    }

    /// Writes lines.
    ///
    /// # Errors
    /// If they are not accepted.
    pub(super) fn write(&self, lines: String) -> Result<(), PushError> {
        let mut request = minreq::post(&self.url)
            .with_timeout(TIMEOUT)
            .with_follow_redirects(false)
            .with_max_headers_size(MAX_HEADER_BYTES)
            .with_header("Content-Type", "text/plain; charset=utf-8")
            .with_body(lines);
        if let Some(token) = &self.token {
            request = request.with_header("Authorization", format!("Token {token}"));
        }
        let answer = request.send_lazy()?;
        match answer.status_code {
            200..300 => Ok(()),
            status => Err(PushError::Refused { status, response_text: response_text(answer) }),
        }
    }
}

/// Response text of the server, as far as it was received.
fn response_text(answer: ResponseLazy) -> String {
    let mut response_text = Vec::new();
    let _ = answer.take(MAX_RESPONSE_BYTES).read_to_end(&mut response_text);
    String::from_utf8_lossy(&response_text).trim().to_owned()
}

impl From<minreq::Error> for PushError {
    fn from(error: minreq::Error) -> Self {
        match error {
            minreq::Error::IoError(error) if error.kind() == io::ErrorKind::TimedOut => {
                PushError::Silent
            }
            minreq::Error::IoError(error) => PushError::Unconnected(error),
            error => PushError::Odd(error),
        }
    }
}
