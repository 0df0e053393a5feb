//! Pushes counts to InfluxDB every second. Failed deliveries are counted and not repeated, because
//! all numbers are totals.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant, SystemTime};

use reports::stream::live::{LiveStream, lines};

use super::behind::spawn_behind;
use super::board::Board;
use super::influx::{Influx, Undelivered};

/// Interval between deliveries.
const BETWEEN: Duration = Duration::from_secs(1);
/// Interval between checks for the first counts, so that problems with the server are reported
/// early.
const SOON: Duration = Duration::from_millis(50);

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
    /// Starts pushing the contents of the board.
    ///
    /// # Errors
    /// If the system refuses a thread.
    pub(super) fn start(influx: Influx, board: Arc<Board>) -> io::Result<Self> {
        let stop = Arc::new(AtomicBool::new(false));
        let (tell, problem) = channel();
        let is_stopped = Arc::clone(&stop);
        let deliverer =
            Deliverer { influx, board, tell, all: Deliveries::default(), delivered: Vec::new() };
        let thread = spawn_behind("influx", move || deliverer.work(&is_stopped))?;
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
struct Deliverer {
    influx: Influx,
    board: Arc<Board>,
    tell: Sender<String>,
    all: Deliveries,
    /// For each speed, true if its final counts were delivered.
    delivered: Vec<bool>,
}

impl Deliverer {
    fn work(mut self, stop: &AtomicBool) -> Deliveries {
        loop {
            let begun = Instant::now();
            let is_last = stop.load(Ordering::Relaxed);
            self.deliver();
            if is_last {
                return self.all;
            }
            let pause = if self.all.tried == 0 { SOON } else { BETWEEN };
            while begun.elapsed() < pause && !stop.load(Ordering::Relaxed) {
                thread::park_timeout(pause.saturating_sub(begun.elapsed()));
            }
        }
    }

    /// Delivers running speeds, and those that have ended since the last delivery.
    fn deliver(&mut self) {
        let streams = self.board.all();
        self.delivered.resize(streams.len(), false);
        let due: Vec<usize> = (0..streams.len()).filter(|&place| !self.delivered[place]).collect();
        let text = text(due.iter().map(|&place| &streams[place]), self.influx.host());
        if text.is_empty() {
            return;
        }
        self.all.tried += 1;
        match self.influx.write(text) {
            Ok(()) => {
                let delivered = due.into_iter().filter(|&place| !streams[place].is_running);
                delivered.for_each(|place| self.delivered[place] = true);
            }
            Err(problem) => self.count(&problem),
        }
    }

    fn count(&mut self, problem: &Undelivered) {
        let problem = problem.to_string();
        if self.all.failed == 0 {
            // At the end the receiver is gone; the statistics have the error.
            let _ = self.tell.send(problem.clone());
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
