//! Pushes counts to InfluxDB every second. Failed deliveries are counted and not repeated, because
//! all numbers are totals.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant, SystemTime};

use reports::export::live::{LiveStream, lines};

use super::influx::{Influx, PushError};
use super::live_counts::LiveCounts;
use super::low_priority::spawn_low_priority;

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
    ///
    /// # Errors
    /// If the system refuses a thread.
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
