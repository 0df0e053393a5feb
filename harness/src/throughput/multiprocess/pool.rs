//! Processes that drive streams: children of this process, each with a listener thread.

use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use super::worker_process::{Opening, Request, Response, SUBCOMMAND};
use crate::platform::Interrupt;
use crate::request::DeviceSet;
use crate::throughput::failure::PointFailure;
use crate::throughput::plan::PointSpec;
use crate::throughput::point::Setup;
use crate::workers::{self, Pool, Requests, Usage, Worker};

/// Timeout for the last response of a process whose stream has failed.
const LAST_ANSWER: Duration = Duration::from_secs(10);
/// Interval between checks for an interrupt.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// All processes of a point. They are killed when this is dropped.
#[derive(Default)]
pub(in crate::throughput) struct WorkerPool {
    channels: Vec<Channel>,
    pool: Pool,
    /// Responses that were received and not processed yet; `None` if a process is gone.
    received: Option<Receiver<(usize, Option<Response>)>>,
    /// Device and number of processes that the streams were started for.
    device_set: Option<(DeviceSet, usize)>,
}

struct Channel {
    /// Device of the streams, or devices that they are distributed to.
    device: String,
    requests: Requests<Request>,
}

impl WorkerPool {
    /// Starts the missing processes of a point.
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
            self.start(process, point, setup, sender.clone()).map_err(|problem| {
                let problem = format!("not run: process {process} can't be started: {problem}");
                PointFailure::Unavailable(problem)
            })?;
        }
        (self.received, self.device_set) = (Some(receiver), device_set);
        Ok(())
    }

    fn start(
        &mut self,
        number: usize,
        point: &PointSpec,
        setup: &Setup<'_>,
        received: Sender<(usize, Option<Response>)>,
    ) -> io::Result<()> {
        let Worker { process, mut requests, responses } =
            Worker::start(workers::bench(SUBCOMMAND)?)?;
        let opening = Opening {
            command: setup.command.words.to_vec(),
            config: setup.command.config.map(Into::into),
        };
        // If the process is gone, that is noticed next.
        let _ = requests.send(&Request::Open(opening));
        let device = match point.processes % point.device_set.devices().len() {
            0 => point.device_set.of_stream(number).to_string(),
            _ => point.device_set.to_string(),
        };
        self.channels.push(Channel { device, requests });
        self.pool.listen(number, process, move |_| {
            let responses = responses.iter().map_while(Result::ok).map(Some);
            // The receiver may be gone, after it has ended the process.
            let _ = responses.chain([None]).try_for_each(|it| received.send((number, it)));
        })
    }

    /// Sends a request to each of them.
    pub(super) fn send_all(
        &mut self,
        request: impl Fn(usize) -> Request,
    ) -> Result<(), PointFailure> {
        for number in 0..self.channels.len() {
            if self.channels[number].requests.send(&request(number)).is_err() {
                return Err(self.lost(number));
            }
        }
        Ok(())
    }

    /// Next response of each of them, in their order.
    pub(super) fn each(&mut self, interrupt: &Interrupt) -> Result<Vec<Response>, PointFailure> {
        let mut responses: Vec<Option<Response>> = self.channels.iter().map(|_| None).collect();
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
    pub(super) fn look(&mut self) -> Result<(), PointFailure> {
        let mut numbers = 0..self.channels.len();
        let gone = numbers.find(|&number| !self.pool.is_running(number));
        gone.map_or(Ok(()), |number| Err(self.lost(number)))
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
        self.channels[number].requests.close();
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
        let Channel { device, requests } = &mut self.channels[number];
        requests.close();
        let process = self.pool.process(number).expect("it was started with its channel");
        // It has closed its output or its input.
        process.kill();
        let how = process.end().in_words();
        PointFailure::Wrong(format!("failed: process {number} on {device} {how}"))
    }

    /// CPU times up to now.
    pub(super) fn usage(&self) -> Usage {
        self.pool.usage()
    }

    /// Kills all of them.
    pub(super) fn end(&mut self) {
        *self = WorkerPool::default();
    }
}
