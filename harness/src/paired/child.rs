//! Child process: a `bench` executable that takes samples on request.

use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use reports::record::Software;

use super::error::{ChildProblem, PairedError};
use super::protocol::{FLAG, Request, Response, SUBCOMMAND, VERSION};
use crate::platform::address_space;
use crate::workers::{Process, Requests, Worker};

/// Timeout for starting a process and loading plugins, also on a busy machine.
const HELLO_TIMEOUT: Duration = Duration::from_secs(60);
const GREETING: &str = "identify itself";
/// One heap for all threads, which grows by huge pages and keeps them; tunables of the GNU C
/// library, which other C libraries ignore.
const MALLOC_TUNABLES: &str = "glibc.malloc.hugetlb=1:glibc.malloc.arena_max=1:\
    glibc.malloc.mmap_threshold=1073741824:glibc.malloc.trim_threshold=4294967296:\
    glibc.malloc.top_pad=16777216";
/// Niceness of the highest priority.
const HIGHEST_PRIORITY: libc::c_int = -20;

/// Side of a paired run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Side {
    Base,
    New,
}

impl Side {
    pub(super) const BOTH: [Side; 2] = [Side::Base, Side::New];

    pub(super) fn name(self) -> &'static str {
        match self {
            Side::Base => "base",
            Side::New => "new",
        }
    }
}

/// A child process. It is killed when this is dropped.
pub(super) struct Child {
    side: Side,
    bench: PathBuf,
    has_plugins: bool,
    process: Process,
    requests: Requests<Request>,
    responses: Receiver<Result<Response, String>>,
    pub(super) software: Software,
}

impl Child {
    /// Starts an executable.
    pub(super) fn start(
        side: Side,
        bench: &Path,
        plugins: &[PathBuf],
    ) -> Result<Self, PairedError> {
        let mut command = Command::new(bench);
        command.arg(SUBCOMMAND).arg(format!("--{FLAG}"));
        for plugin in plugins {
            command.arg("--plugin").arg(plugin);
        }
        unify_memory_layout(&mut command);
        raise_priority(&mut command);
        let bench = bench.to_owned();
        let started = Worker::start(command).and_then(|worker| {
            let Worker { process, requests, responses } = worker;
            let responses = responses.into_channel().inspect_err(|_| process.stop())?;
            Ok((process, requests, responses))
        });
        let (process, requests, responses) = match started {
            Ok(started) => started,
            Err(source) => return Err(PairedError::Start { bench, source }),
        };
        Ok(Child {
            side,
            bench,
            has_plugins: !plugins.is_empty(),
            process,
            requests,
            responses,
            software: Software::default(),
        })
    }

    /// Sends the greeting; the response is read separately. See [`Request::Hello`] for `again`.
    pub(super) fn greet(&mut self, again: bool) -> Result<(), PairedError> {
        let protocol = VERSION;
        let sent = self.send(&Request::Hello { protocol, again }, GREETING);
        // An older build may have ended before it has read anything.
        sent.map_err(|error| self.incompatible_if_died(error))
    }

    fn incompatible(&self, problem: String) -> PairedError {
        let bench = self.bench.clone();
        PairedError::Incompatible { bench, problem }
    }

    fn incompatible_if_died(&self, error: PairedError) -> PairedError {
        match error {
            PairedError::Child { problem: ChildProblem::Died { said, .. }, .. } => {
                self.incompatible(said)
            }
            other => other,
        }
    }

    /// Reads the response to the greeting.
    pub(super) fn introduced(&mut self) -> Result<(), PairedError> {
        match self.receive(GREETING, HELLO_TIMEOUT) {
            Ok(Response::Hello { protocol, software }) if protocol == VERSION => {
                self.software = *software;
                Ok(())
            }
            Ok(Response::Hello { protocol, .. }) => Err(self.incompatible(format!(
                "it uses version {protocol} of the protocol, not {VERSION}"
            ))),
            Ok(_) => Err(self.incompatible("it sent an unexpected response".to_owned())),
            // An older build reports that it does not know the subcommand.
            Err(error) => Err(self.incompatible_if_died(error)),
        }
    }

    /// Sends a request and waits for the response. After an error the child can't be used any more.
    pub(super) fn exchange(
        &mut self,
        request: &Request,
        task: &str,
        limit: Duration,
    ) -> Result<Response, PairedError> {
        self.send(request, task)?;
        self.receive(task, limit)
    }

    /// Sends a request without waiting.
    pub(super) fn send(&mut self, request: &Request, task: &str) -> Result<(), PairedError> {
        self.requests.send(request).map_err(|_| self.died(task))
    }

    /// Waits for a response.
    pub(super) fn receive(&mut self, task: &str, limit: Duration) -> Result<Response, PairedError> {
        match self.responses.recv_timeout(limit) {
            Ok(Ok(Response::Error { problem })) => Err(self.refused(task, problem)),
            Ok(Ok(response)) => Ok(response),
            Ok(Err(line)) => {
                let line: String = line.chars().take(80).collect();
                Err(self.incompatible(format!("it answers {line:?}")))
            }
            Err(RecvTimeoutError::Timeout) => {
                self.process.kill();
                let task = task.to_owned();
                Err(self.failed(ChildProblem::Hung { task, limit }))
            }
            Err(RecvTimeoutError::Disconnected) => Err(self.died(task)),
        }
    }

    /// Error for a response that does not match the request.
    pub(super) fn unexpected(&self, task: &str) -> PairedError {
        self.refused(task, "it sent an unexpected response".to_owned())
    }

    fn refused(&self, task: &str, problem: String) -> PairedError {
        let task = task.to_owned();
        self.failed(ChildProblem::Refused { task, problem })
    }

    fn failed(&self, problem: ChildProblem) -> PairedError {
        PairedError::Child { side: self.side.name(), bench: self.bench.clone(), problem }
    }

    fn died(&self, task: &str) -> PairedError {
        let ending = self.process.end();
        let said = [&[ending.status()], &ending.last_lines[..]].concat();
        let said = said.join(" / ").replacen(" / ", ", ", 1);
        let task = task.to_owned();
        self.failed(ChildProblem::Died { task, said, has_plugins: self.has_plugins })
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        self.process.stop();
    }
}

/// Gives both sides the same memory layout: fixed addresses, and huge pages also for blocks smaller
/// than one. The physical location of small blocks changes the time of cache-resident code by some
/// per cent; it is constant within a process, so more rounds would not reveal that the difference
/// is not due to the code.
fn unify_memory_layout(command: &mut Command) {
    command.env("GLIBC_TUNABLES", MALLOC_TUNABLES);
    // SAFETY: between fork and exec the closure makes only one system call, which is
    // async-signal-safe.
    unsafe {
        command.pre_exec(|| {
            // If that is refused, the run contains a note, and verdicts allow for it.
            let _ = address_space::fix();
            Ok(())
        });
    }
}

/// Raises the priority of a child, if allowed (as root). If this process was started with a
/// niceness, the child keeps it.
fn raise_priority(command: &mut Command) {
    // SAFETY: both system calls take integers and access no memory of this process.
    unsafe {
        command.pre_exec(|| {
            if libc::getpriority(libc::PRIO_PROCESS, 0) == 0 {
                // Without permission, the child keeps the normal priority.
                libc::setpriority(libc::PRIO_PROCESS, 0, HIGHEST_PRIORITY);
            }
            Ok(())
        });
    }
}
