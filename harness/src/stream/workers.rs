//! Workers of a stream: child processes, each with a listener thread.

use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use tasks::algorithm::Segments;

use super::StreamError;
use super::dispatcher::{Dispatcher, Wrong};
use super::protocol::{Opening, Request, Response, ResultDigest, WorkerRefusal};
use super::timeslice_log::TimesliceResult;
use super::worker::SUBCOMMAND;
use crate::platform::shared_memory::SharedMemory;
use crate::workers::{self, Pool, Process, Responses, Usage, Worker};

/// Timeout for all of them to become ready.
const READY_TIMEOUT: Duration = Duration::from_secs(120);

/// All workers on a device.
pub(super) struct Workers {
    dispatcher: Arc<Dispatcher>,
    pool: Pool,
    /// Receivers of each worker's responses that are not results.
    responses: Vec<Option<Receiver<Response>>>,
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
        let responses = (0..count).map(|_| None).collect();
        Workers { dispatcher, pool: Pool::default(), responses }
    }

    /// Starts missing workers, all at the same time, and waits until they are ready: each has
    /// processed all prepared timeslices, and its results match the reference. A worker's own
    /// refusal is returned as the inner result.
    pub(super) fn fill(
        &mut self,
        memory: &SharedMemory,
        openings: &[Opening],
    ) -> Result<Result<Readiness, WorkerRefusal>, StreamError> {
        let mut starting = Vec::new();
        for (number, opening) in openings.iter().enumerate() {
            if !self.pool.is_running(number) {
                let started = self.start(number, memory, opening);
                starting.push(started.map_err(StreamError::Start)?);
            }
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

    fn start(
        &mut self,
        number: usize,
        memory: &SharedMemory,
        opening: &Opening,
    ) -> io::Result<StartingWorker> {
        let since = Instant::now();
        let mut command = workers::bench(SUBCOMMAND)?;
        let descriptor = memory.lend_to(&mut command);
        command.arg("--memory").arg(descriptor.to_string());
        let Worker { process, mut requests, responses } = Worker::start(command)?;
        // If the worker is gone, its listener notices.
        let _ = requests.send(&Request::Open(opening.clone()));
        self.dispatcher.add_worker(number, requests);
        let (sender, others) = channel();
        self.responses[number] = Some(others);
        let dispatcher = Arc::clone(&self.dispatcher);
        self.pool.listen(number, process, move |process| {
            listen(number, process, responses, &dispatcher, &sender);
        })?;
        Ok(StartingWorker { number, since })
    }

    fn wait_for(&self, started: &StartingWorker) -> Result<Readiness, WorkerRefusal> {
        let number = started.number;
        let unable = |problem: String| WorkerRefusal::unable(problem);
        match self.response_of(number, READY_TIMEOUT.saturating_sub(started.since.elapsed())) {
            Ok(Response::Ready { found, took_ns }) => {
                let seconds = started.since.elapsed().as_secs_f64();
                if let Some((_, problem)) = self.first_wrong(&found) {
                    return Err(WorkerRefusal::wrong(problem));
                }
                let mean = took_ns.iter().sum::<u64>() as f64 / took_ns.len().max(1) as f64;
                Ok(Readiness { seconds, took_s: mean * 1e-9 })
            }
            Ok(Response::Refused(refusal)) => Err(refusal),
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
        let responses = self.responses[number].as_ref().ok_or(RecvTimeoutError::Disconnected)?;
        responses.recv_timeout(timeout)
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
        let there: Vec<usize> = self.pool.running().map(|(number, _)| number).collect();
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
                Ok(Response::Refused(WorkerRefusal { problem, is_wrong: true })) => {
                    return Comparison::Wrong(Wrong { worker, number: 0, problem });
                }
                Ok(Response::Refused(refusal)) => comparison = unknown(refusal.problem),
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

    /// Process ids of the running workers.
    pub(super) fn ids(&self) -> impl Iterator<Item = u32> {
        self.pool.running().map(|(_, process)| process.id)
    }

    /// CPU times up to now.
    pub(super) fn usage(&self) -> Usage {
        self.pool.usage()
    }

    /// Kills a worker that hangs; its listener notices.
    pub(super) fn end(&self, number: usize) {
        if let Some(process) = self.pool.process(number) {
            process.kill();
        }
    }
}

impl Drop for Workers {
    /// Closes the input of the workers before the pool ends them.
    fn drop(&mut self) {
        self.dispatcher.shut_down();
    }
}

/// Forwards results of a worker to the dispatcher until it is gone, and its other responses to
/// those that wait for them.
fn listen(
    worker: usize,
    process: &Process,
    responses: Responses<Response>,
    dispatcher: &Dispatcher,
    others: &Sender<Response>,
) {
    let mut refusal = None;
    for response in responses.iter().map_while(Result::ok) {
        match response {
            Response::Done { number, begun_ns, ended_ns, check, stage } => {
                let outcome = TimesliceResult { number, begun_ns, ended_ns, check: None, stage };
                if dispatcher.record_result(worker, outcome, check).is_err() {
                    let answer = format!("answered for timeslice {number}");
                    refusal = Some(format!("{answer}, which was not assigned to it"));
                    break;
                }
            }
            response => {
                if let Response::Refused(WorkerRefusal { problem, .. }) = &response {
                    refusal = Some(format!("gave up: {problem}"));
                }
                // If the receiver has timed out, it treats the worker as lost.
                let _ = others.send(response);
            }
        }
    }
    // It has closed its output: it ends, or is killed. Only after that another worker may get its
    // timeslice.
    process.kill();
    let ending = process.end();
    dispatcher.lose(worker, refusal.unwrap_or_else(|| ending.in_words()));
}
