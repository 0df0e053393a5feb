//! Workers of a stream: child processes, each with a listener thread.

use std::io::Write;
use std::process::{Child, ChildStdout};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use algorithms::algorithm::Segments;

use super::StreamError;
use super::dispatcher::{Dispatcher, Wrong};
use super::protocol::{Opening, Request, Response, ResultDigest};
use super::timeslice_log::TimesliceResult;
use super::worker::SUBCOMMAND;
use crate::platform::shared_memory::SharedMemory;
use crate::platform::worker::{self, Worker};
use crate::platform::{lines, process_time_of};

/// Timeout for all of them to become ready.
const READY_TIMEOUT: Duration = Duration::from_secs(120);

/// Reason for a worker to refuse.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct WorkerRefusal {
    pub(super) problem: String,
    /// True if the variant is wrong, rather than the machine unsuitable.
    pub(super) is_wrong: bool,
}

/// All workers on a device.
pub(super) struct Workers {
    dispatcher: Arc<Dispatcher>,
    slots: Vec<Option<RunningWorker>>,
}

/// A worker with its listener.
struct RunningWorker {
    process: Arc<Mutex<Child>>,
    id: u32,
    listener: JoinHandle<()>,
    /// Receives responses that are not results.
    responses: Receiver<Response>,
}

/// A worker that was started and is not ready yet.
struct StartingWorker {
    number: usize,
    since: Instant,
}

/// Result of comparing all prepared timeslices.
pub(super) enum Comparison {
    Right,
    Wrong(Wrong),
    /// Some workers did not respond, with the reasons.
    Unknown(String),
}

/// Statistics of the workers' start.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Readiness {
    /// Longest time from start to readiness, in seconds.
    pub(super) seconds: f64,
    /// Mean processing time of the prepared timeslices, in seconds.
    pub(super) took_s: f64,
}

impl Workers {
    /// Creates slots for `count` workers.
    pub(super) fn new(dispatcher: Arc<Dispatcher>, count: usize) -> Self {
        Workers { dispatcher, slots: (0..count).map(|_| None).collect() }
    }

    /// Starts missing workers, all at the same time, and waits until they are ready: each has
    /// processed all prepared timeslices, and its results match the reference.
    ///
    /// # Errors
    /// If a process can't be started. A worker's own refusal is returned as the inner result.
    pub(super) fn fill(
        &mut self,
        memory: &SharedMemory,
        openings: &[Opening],
    ) -> Result<Result<Readiness, WorkerRefusal>, StreamError> {
        let mut starting = Vec::new();
        for (number, opening) in openings.iter().enumerate() {
            if self.is_there(number) {
                continue;
            }
            starting.push(self.start(number, memory, opening)?);
        }
        let mut readiness = Readiness::default();
        for started in &starting {
            match self.wait_for(started) {
                Ok(ready) => {
                    readiness.seconds = readiness.seconds.max(ready.seconds);
                    readiness.took_s = readiness.took_s.max(ready.took_s);
                }
                Err(refusal) => return Ok(Err(refusal)),
            }
        }
        Ok(Ok(readiness))
    }

    fn is_there(&self, number: usize) -> bool {
        self.slots[number].as_ref().is_some_and(|worker| !worker.listener.is_finished())
    }

    fn start(
        &mut self,
        number: usize,
        memory: &SharedMemory,
        opening: &Opening,
    ) -> Result<StartingWorker, StreamError> {
        let since = Instant::now();
        let started = Worker::start(SUBCOMMAND, |command| {
            let memory = memory.lend_to(command);
            command.arg("--memory").arg(memory.to_string());
        });
        let Worker { process, mut requests, responses, stderr_lines } =
            started.map_err(StreamError::Start)?;
        let line = worker::line(&Request::Open(opening.clone()));
        // If the worker is gone, that is noticed next.
        let _ = requests.write_all(line.as_bytes());
        self.dispatcher.add_worker(number, requests);
        let id = process.id();
        let process = Arc::new(Mutex::new(process));
        let (sender, first_responses) = channel();
        let ear = WorkerReader {
            number,
            dispatcher: Arc::clone(&self.dispatcher),
            process: Arc::clone(&process),
            stderr_lines,
        };
        let listener = Builder::new().spawn(move || ear.listen(responses, &sender));
        let listener = listener.map_err(StreamError::Start)?;
        self.slots[number] =
            Some(RunningWorker { process, id, listener, responses: first_responses });
        Ok(StartingWorker { number, since })
    }

    fn wait_for(&self, started: &StartingWorker) -> Result<Readiness, WorkerRefusal> {
        let number = started.number;
        let unable = |problem: String| WorkerRefusal { problem, is_wrong: false };
        match self.response_of(number, READY_TIMEOUT.saturating_sub(started.since.elapsed())) {
            Ok(Response::Ready { found, took_ns }) => {
                let seconds = started.since.elapsed().as_secs_f64();
                if let Some((_, problem)) = self.first_wrong(&found) {
                    return Err(WorkerRefusal { problem, is_wrong: true });
                }
                let mean = took_ns.iter().sum::<u64>() as f64 / took_ns.len().max(1) as f64;
                Ok(Readiness { seconds, took_s: mean * 1e-9 })
            }
            Ok(Response::Refused { problem, is_wrong }) => Err(WorkerRefusal { problem, is_wrong }),
            Ok(Response::Done { .. } | Response::Compared { .. }) => {
                Err(unable(format!("worker {number} responds too early")))
            }
            Err(RecvTimeoutError::Timeout) => {
                let limit = humantime::format_duration(READY_TIMEOUT);
                Err(unable(format!("worker {number} was not ready within {limit}")))
            }
            Err(RecvTimeoutError::Disconnected) => {
                let how = self.end_of(number);
                Err(unable(format!("worker {number} {how} before it was ready")))
            }
        }
    }

    /// Next response of a worker that is not a result.
    fn response_of(&self, number: usize, timeout: Duration) -> Result<Response, RecvTimeoutError> {
        let worker = self.slots[number].as_ref().ok_or(RecvTimeoutError::Disconnected)?;
        worker.responses.recv_timeout(timeout)
    }

    /// Description of a worker's end.
    fn end_of(&self, number: usize) -> String {
        let end = self.dispatcher.ends().into_iter().find(|(worker, _)| *worker == number);
        end.map_or_else(String::new, |(_, how)| how)
    }

    /// First prepared timeslice whose digest differs from the reference.
    fn first_wrong(&self, found: &[ResultDigest]) -> Option<(usize, String)> {
        found.iter().enumerate().find_map(|(data, &found)| {
            let problem = self.dispatcher.wrong(data, found, Segments::ALL)?;
            Some((data, format!("timeslice {data} of those prepared: {problem}")))
        })
    }

    /// Has all running workers process all prepared timeslices once more, and compares their
    /// complete outputs. They must be idle.
    pub(super) fn compare(&self) -> Comparison {
        let since = Instant::now();
        let there: Vec<usize> = self.ids().into_iter().map(|(number, _)| number).collect();
        there.iter().for_each(|&number| self.dispatcher.send_request(number, &Request::Compare));
        let mut comparison = Comparison::Right;
        for worker in there {
            let unknown =
                |problem: String| Comparison::Unknown(format!("worker {worker} {problem}"));
            match self.response_of(worker, READY_TIMEOUT.saturating_sub(since.elapsed())) {
                Ok(Response::Compared { found }) => {
                    if let Some((data, problem)) = self.first_wrong(&found) {
                        return Comparison::Wrong(Wrong { worker, number: data as u64, problem });
                    }
                }
                Ok(Response::Refused { problem, is_wrong: true }) => {
                    return Comparison::Wrong(Wrong { worker, number: 0, problem });
                }
                Ok(Response::Refused { problem, .. }) => comparison = unknown(problem),
                Ok(_) => comparison = unknown("sent an unexpected response".to_owned()),
                Err(RecvTimeoutError::Timeout) => {
                    self.end(worker);
                    let limit = humantime::format_duration(READY_TIMEOUT);
                    comparison = unknown(format!("did not answer within {limit}"));
                }
                Err(RecvTimeoutError::Disconnected) => comparison = unknown(self.end_of(worker)),
            }
        }
        comparison
    }

    /// Process ids of the running workers, by index.
    pub(super) fn ids(&self) -> Vec<(usize, u32)> {
        let slots = self.slots.iter().enumerate();
        let there = slots.filter(|(number, _)| self.is_there(*number));
        there.filter_map(|(number, worker)| Some((number, worker.as_ref()?.id))).collect()
    }

    /// CPU time of the running workers.
    pub(super) fn cpu_time(&self) -> Duration {
        self.ids().into_iter().filter_map(|(_, id)| process_time_of(id)).sum()
    }

    /// Kills a worker that hangs; its listener notices.
    pub(super) fn end(&self, number: usize) {
        if let Some(worker) = &self.slots[number] {
            kill(&worker.process);
        }
    }
}

impl Drop for Workers {
    /// Workers end when their input is closed, or are killed.
    fn drop(&mut self) {
        self.dispatcher.shut_down();
        for worker in self.slots.iter().flatten() {
            kill(&worker.process);
        }
        for worker in self.slots.drain(..).flatten() {
            // Listeners end with their processes, and return nothing.
            let _ = worker.listener.join();
        }
    }
}

fn kill(process: &Mutex<Child>) {
    // Fails if the process has already ended.
    let _ = process.lock().unwrap_or_else(PoisonError::into_inner).kill();
}

/// Listener of a worker.
struct WorkerReader {
    number: usize,
    dispatcher: Arc<Dispatcher>,
    process: Arc<Mutex<Child>>,
    /// Lines that it writes to standard error.
    stderr_lines: Receiver<String>,
}

impl WorkerReader {
    /// Forwards its responses to the dispatcher until it is gone; the first one goes to the thread that
    /// waits for readiness.
    fn listen(self, responses: ChildStdout, first: &Sender<Response>) {
        let mut refusal = None;
        for line in lines(responses).map_while(Result::ok) {
            match serde_json::from_str(&line) {
                Ok(Response::Done { number, begun_ns, ended_ns, check, built }) => {
                    let outcome =
                        TimesliceResult { number, begun_ns, ended_ns, check: None, built };
                    if self.dispatcher.record_result(self.number, outcome, check).is_err() {
                        refusal = Some(format!(
                            "answered for timeslice {number}, which was not assigned to it"
                        ));
                        break;
                    }
                }
                Ok(response) => {
                    if let Response::Refused { problem, .. } = &response {
                        refusal = Some(format!("gave up: {problem}"));
                    }
                    // If the receiver has timed out, it treats the worker as lost.
                    let _ = first.send(response);
                }
                Err(_) => break,
            }
        }
        // It has closed its output: it ends, or is killed. Only after that another worker may get
        // its timeslice.
        let how = self.end();
        self.dispatcher.lose(self.number, refusal.unwrap_or(how));
    }

    /// Waits for its end; returns a description of it.
    fn end(&self) -> String {
        kill(&self.process);
        let mut process = self.process.lock().unwrap_or_else(PoisonError::into_inner);
        worker::end_of(&mut process, &self.stderr_lines)
    }
}
