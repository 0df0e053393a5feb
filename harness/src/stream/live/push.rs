//! Pushes counts every second to InfluxDB, or another server that accepts its line protocol.
//! Failed deliveries are counted and not repeated, because
//! all numbers are totals.

use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant, SystemTime};

use minreq::ResponseLazy;
use reports::export::live::{LiveStream, lines};
use text::Untrusted;

use super::live_counts::LiveCounts;
use super::spawn_low_priority;

/// Interval between deliveries.
const INTERVAL: Duration = Duration::from_secs(1);
/// Interval between checks for the first counts, so that problems with the server are reported
/// early.
const FIRST_INTERVAL: Duration = Duration::from_millis(50);

/// Handle of the thread that pushes.
pub(super) struct Pusher {
    stop: Arc<AtomicBool>,
    problem: Receiver<String>,
    thread: JoinHandle<Deliveries>,
}

/// Statistics of deliveries.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Deliveries {
    pub(super) tried: u64,
    pub(super) failed: u64,
    /// Error of the last failed delivery.
    pub(super) problem: Option<String>,
}

impl Pusher {
    /// Starts pushing the live counts.
    pub(super) fn start(influx: Influx, live_counts: Arc<LiveCounts>) -> io::Result<Self> {
        let stop = Arc::new(AtomicBool::new(false));
        let (report, problem) = channel();
        let is_stopped = Arc::clone(&stop);
        let push_thread = PushThread {
            influx,
            live_counts,
            report,
            all: Deliveries::default(),
            delivered: Vec::new(),
        };
        let thread = spawn_low_priority("influx", move || push_thread.work(&is_stopped))?;
        Ok(Pusher { stop, problem, thread })
    }

    /// Error of the first failed delivery, returned once.
    pub(super) fn first_problem(&self) -> Option<String> {
        self.problem.try_recv().ok()
    }

    /// Makes a last delivery and ends. Returns the statistics of all deliveries.
    pub(super) fn end(self) -> Deliveries {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.thread().unpark();
        self.thread.join().unwrap_or_else(|_| Deliveries {
            problem: Some("the client has failed".to_owned()),
            ..Deliveries::default()
        })
    }
}

/// State of the thread that pushes.
struct PushThread {
    influx: Influx,
    live_counts: Arc<LiveCounts>,
    report: Sender<String>,
    all: Deliveries,
    /// For each speed, true if its final counts were delivered.
    delivered: Vec<bool>,
}

impl PushThread {
    fn work(mut self, stop: &AtomicBool) -> Deliveries {
        loop {
            let begun = Instant::now();
            let is_last = stop.load(Ordering::Relaxed);
            self.deliver();
            if is_last {
                return self.all;
            }
            let pause = if self.all.tried == 0 { FIRST_INTERVAL } else { INTERVAL };
            while begun.elapsed() < pause && !stop.load(Ordering::Relaxed) {
                thread::park_timeout(pause.saturating_sub(begun.elapsed()));
            }
        }
    }

    /// Delivers running speeds, and those that have ended since the last delivery.
    fn deliver(&mut self) {
        let streams = self.live_counts.all();
        self.delivered.resize(streams.len(), false);
        let due: Vec<usize> = (0..streams.len()).filter(|&index| !self.delivered[index]).collect();
        let text = text(due.iter().map(|&index| &streams[index]), self.influx.host());
        if text.is_empty() {
            return;
        }
        self.all.tried += 1;
        match self.influx.write(text) {
            Ok(()) => {
                let delivered = due.into_iter().filter(|&index| !streams[index].is_running);
                delivered.for_each(|index| self.delivered[index] = true);
            }
            Err(problem) => self.count(&problem),
        }
    }

    fn count(&mut self, problem: &PushError) {
        let problem = problem.to_string();
        if self.all.failed == 0 {
            // At the end the receiver is gone; the statistics have the error.
            let _ = self.report.send(problem.clone());
        }
        self.all.failed += 1;
        self.all.problem = Some(problem);
    }
}

/// Current counts of speeds in the line protocol.
fn text<'a>(streams: impl Iterator<Item = &'a LiveStream>, host: &str) -> String {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    streams.map(|stream| lines(stream, host, now.as_nanos())).collect()
}

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
enum PushError {
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
    fn host(&self) -> &str {
        &self.host
    }

    /// Writes lines.
    fn write(&self, lines: String) -> Result<(), PushError> {
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
