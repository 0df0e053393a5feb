//! Processes that drive streams: children of this process, each with a listener thread.

use std::io::Write;
use std::process::{Child, ChildStdin, ChildStdout};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use super::worker_process::{Opening, Request, Response, SUBCOMMAND};
use crate::platform::worker::{Worker, end_of, line};
use crate::platform::{Interrupt, lines, process_time_of};
use crate::request::DeviceSet;
use crate::throughput::plan::PointSpec;
use crate::throughput::point::{PointFailure, Setup};

/// Timeout for the last response of a process whose stream has failed.
const LAST_ANSWER: Duration = Duration::from_secs(10);
/// Interval between checks for an interrupt.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// All processes of a point. They are killed when this is dropped.
#[derive(Default)]
pub(in crate::throughput) struct WorkerPool {
    running: Vec<WorkerProcess>,
    /// Responses that were received and not processed yet; `None` if a process is gone.
    received: Option<Receiver<(usize, Option<Response>)>>,
    /// Device and number of processes that the streams were started for.
    device_set: Option<(DeviceSet, usize)>,
}

struct WorkerProcess {
    /// Device of its streams, or devices that they are distributed to.
    device: String,
    process: Child,
    requests: Option<ChildStdin>,
    listener: JoinHandle<()>,
    stderr_lines: Receiver<String>,
}

impl WorkerPool {
    /// Starts the missing processes of a point.
    ///
    /// # Errors
    /// If one can't be started.
    pub(super) fn fill(
        &mut self,
        point: &PointSpec,
        setup: &Setup<'_>,
    ) -> Result<(), PointFailure> {
        let device_set = Some((point.device_set.clone(), point.busy_processes()));
        if self.device_set == device_set {
            return Ok(());
        }
        self.end();
        let (sender, receiver) = channel();
        for process in 0..point.busy_processes() {
            let worker_process = WorkerProcess::start(process, point, setup, sender.clone());
            self.running.push(worker_process.map_err(|problem| {
                let problem = format!("not run: process {process} can't be started: {problem}");
                PointFailure::Unavailable(problem)
            })?);
        }
        (self.received, self.device_set) = (Some(receiver), device_set);
        Ok(())
    }

    /// Sends a request to each of them.
    ///
    /// # Errors
    /// If one is gone.
    pub(super) fn send_all(
        &mut self,
        request: impl Fn(usize) -> Request,
    ) -> Result<(), PointFailure> {
        for number in 0..self.running.len() {
            let message = line(&request(number));
            let requests = self.running[number].requests.as_mut();
            if requests.is_none_or(|requests| requests.write_all(message.as_bytes()).is_err()) {
                return Err(self.lost(number));
            }
        }
        Ok(())
    }

    /// Next response of each of them, in their order.
    ///
    /// # Errors
    /// If one refuses or is gone, or the user interrupts.
    pub(super) fn each(&mut self, interrupt: &Interrupt) -> Result<Vec<Response>, PointFailure> {
        let mut responses: Vec<Option<Response>> = self.running.iter().map(|_| None).collect();
        while responses.iter().any(Option::is_none) {
            if interrupt.asked() {
                return Err(PointFailure::Interrupted);
            }
            if let Some((number, response)) = self.next(POLL_INTERVAL)? {
                responses[number] = Some(response);
            }
        }
        Ok(responses.into_iter().flatten().collect())
    }

    /// Checks that all of them are running while no responses are expected. A process that is past
    /// the window may report that before the window is over here, so its response is kept.
    ///
    /// # Errors
    /// If one refuses or is gone.
    pub(super) fn look(&mut self) -> Result<(), PointFailure> {
        for number in 0..self.running.len() {
            if self.running[number].listener.is_finished() {
                return Err(self.lost(number));
            }
        }
        Ok(())
    }

    fn next(&mut self, timeout: Duration) -> Result<Option<(usize, Response)>, PointFailure> {
        let Some(received) = &self.received else { return Ok(None) };
        match received.recv_timeout(timeout) {
            Ok((number, Some(Response::Refused(PointFailure::Interrupted)))) => {
                Err(self.failed(number))
            }
            Ok((_, Some(Response::Refused(refusal)))) => Err(refusal),
            Ok((number, Some(response))) => Ok(Some((number, response))),
            Ok((number, None)) => Err(self.lost(number)),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => Err(self.lost(0)),
        }
    }

    /// Refusal of a process whose stream has failed: it reports the reason after the request to
    /// end.
    fn failed(&mut self, number: usize) -> PointFailure {
        self.running[number].requests = None;
        let until = Instant::now() + LAST_ANSWER;
        let left = || until.saturating_duration_since(Instant::now());
        let received = self.received.as_ref();
        let next = || received.and_then(|received| received.recv_timeout(left()).ok());
        let own = std::iter::from_fn(next).filter(|(from, _)| *from == number);
        let refusal = own.map(|(_, response)| response).find_map(|response| match response {
            Some(Response::Refused(refusal)) => Some(Some(refusal)),
            None => Some(None),
            Some(_) => None,
        });
        refusal.flatten().unwrap_or_else(|| self.lost(number))
    }

    /// Error for a process that is gone, with a description of its end.
    fn lost(&mut self, number: usize) -> PointFailure {
        let worker_process = &mut self.running[number];
        worker_process.requests = None;
        // It has closed its output or its input.
        let _ = worker_process.process.kill();
        let how = end_of(&mut worker_process.process, &worker_process.stderr_lines);
        PointFailure::Wrong(format!("failed: process {number} on {} {how}", worker_process.device))
    }

    /// CPU time of all of them.
    pub(super) fn cpu_time(&self) -> Duration {
        self.running
            .iter()
            .filter_map(|worker_process| process_time_of(worker_process.process.id()))
            .sum()
    }

    /// Kills all of them.
    pub(super) fn end(&mut self) {
        for mut worker_process in self.running.drain(..) {
            worker_process.requests = None;
            // Fails if the process has already ended.
            let _ = worker_process.process.kill();
            let _ = worker_process.process.wait();
            let _ = worker_process.listener.join();
        }
        (self.received, self.device_set) = (None, None);
    }
}

impl Drop for WorkerPool {
    fn drop(&mut self) {
        self.end();
    }
}

impl WorkerProcess {
    fn start(
        number: usize,
        point: &PointSpec,
        setup: &Setup<'_>,
        received: Sender<(usize, Option<Response>)>,
    ) -> std::io::Result<Self> {
        let Worker { process, mut requests, responses, stderr_lines } =
            Worker::start(SUBCOMMAND, |_| ())?;
        let opening = Opening {
            command: setup.command.words.to_vec(),
            config: setup.command.config.map(Into::into),
        };
        // If the process is gone, that is noticed next.
        let _ = requests.write_all(line(&Request::Open(opening)).as_bytes());
        let listener = Builder::new().spawn(move || listen(number, responses, &received))?;
        let device = match point.processes % point.device_set.devices().len() {
            0 => point.device_set.of_stream(number).to_string(),
            _ => point.device_set.to_string(),
        };
        Ok(WorkerProcess { device, process, requests: Some(requests), listener, stderr_lines })
    }
}

/// Forwards the responses of a process, and the fact that it is gone.
fn listen(number: usize, responses: ChildStdout, received: &Sender<(usize, Option<Response>)>) {
    for line in lines(responses).map_while(Result::ok) {
        let Ok(response) = serde_json::from_str(&line) else { break };
        if received.send((number, Some(response))).is_err() {
            return;
        }
    }
    // The receiver may be gone, after it has ended the process.
    let _ = received.send((number, None));
}
