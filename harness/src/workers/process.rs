//! Start and end of a worker process.

use std::collections::VecDeque;
use std::env;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::marker::PhantomData;
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::Builder;
use std::time::Duration;

use nix::libc;
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::messages::{line, messages};
use crate::platform::{die_with, process_time_of};

/// Timeout for the last lines of standard error: processes that a worker has started may keep it
/// open.
const STDERR_TIMEOUT: Duration = Duration::from_secs(5);
/// Number of these lines that are reported.
const LAST_LINES: usize = 5;
/// Maximum number of bytes of such a line; longer ones are cut into several.
const LINE_BYTES: u64 = 4096;

/// A worker process that was started, with its channel.
pub(crate) struct Worker<Req, Resp> {
    pub(crate) process: Process,
    pub(crate) requests: Requests<Req>,
    pub(crate) responses: Responses<Resp>,
}

/// A command of this executable.
pub(crate) fn bench(subcommand: &str) -> io::Result<Command> {
    let mut command = Command::new(env::current_exe()?);
    command.arg(subcommand);
    Ok(command)
}

impl<Req: Serialize, Resp: DeserializeOwned> Worker<Req, Resp> {
    /// Starts a worker. It is killed when the thread that starts it ends, which should be the main
    /// one.
    pub(crate) fn start(mut command: Command) -> io::Result<Self> {
        // Ctrl-C is handled by this process, which lets workers finish their current work.
        command.process_group(0);
        let parent = std::process::id();
        // SAFETY: between fork and exec the closure makes only async-signal-safe system calls.
        unsafe {
            command.pre_exec(move || {
                die_with(parent);
                Ok(())
            });
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn()?;
        let requests = Requests(child.stdin.take(), PhantomData);
        let stdout = child.stdout.take().expect("it is piped");
        let responses = Responses(stdout, PhantomData);
        let stderr = child.stderr.take().expect("it is piped");
        let id = child.id();
        let last_lines = LastLines::default();
        let state = State { child, status: None, stderr_closed: None };
        let process = Process { id, state: Arc::new(Mutex::new(state)), last_lines };
        // Without a listener the worker could block.
        let closed = process.last_lines.clone().read(stderr).inspect_err(|_| process.stop())?;
        process.state().stderr_closed = Some(closed);
        Ok(Worker { process, requests, responses })
    }
}

/// Sends requests to a worker.
pub(crate) struct Requests<Req>(Option<ChildStdin>, PhantomData<fn(Req)>);

impl<Req: Serialize> Requests<Req> {
    /// Sends a request.
    pub(crate) fn send(&mut self, request: &Req) -> io::Result<()> {
        match &mut self.0 {
            Some(pipe) => pipe.write_all(line(request).as_bytes()),
            None => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    /// Requests the end of the worker.
    pub(crate) fn close(&mut self) {
        self.0 = None;
    }
}

/// Receives responses of a worker.
pub(crate) struct Responses<Resp>(ChildStdout, PhantomData<fn() -> Resp>);

impl<Resp: DeserializeOwned + Send + 'static> Responses<Resp> {
    /// Responses until the worker closes its output; lines that are none are returned as errors.
    pub(crate) fn iter(self) -> impl Iterator<Item = Result<Resp, String>> {
        messages(self.0)
    }

    /// Responses as a channel, which allows timeouts.
    pub(crate) fn into_channel(self) -> io::Result<Receiver<Result<Resp, String>>> {
        let (sender, receiver) = channel();
        Builder::new().spawn(move || self.iter().try_for_each(|response| sender.send(response)))?;
        Ok(receiver)
    }
}

/// Handle of a worker process; copies refer to the same process.
#[derive(Clone)]
pub(crate) struct Process {
    pub(crate) id: u32,
    state: Arc<Mutex<State>>,
    last_lines: LastLines,
}

struct State {
    child: Child,
    /// Present if the process was waited for: its id may belong to another one then.
    status: Option<ExitStatus>,
    /// Disconnected once standard error is closed.
    stderr_closed: Option<Receiver<()>>,
}

/// End of a worker.
pub(crate) struct Ending {
    pub(crate) status: io::Result<ExitStatus>,
    /// Last lines of its standard error.
    pub(crate) last_lines: Vec<String>,
}

impl Ending {
    /// Description such as `exit status: 1`.
    pub(crate) fn status(&self) -> String {
        match &self.status {
            Ok(status) => status.to_string(),
            Err(error) => error.to_string(),
        }
    }

    /// Description such as `ended with exit status: 1: <last lines>`.
    pub(crate) fn in_words(&self) -> String {
        let lines = self.last_lines.join(" / ");
        let colon = if lines.is_empty() { "" } else { ": " };
        format!("ended with {}{colon}{lines}", self.status())
    }
}

impl Process {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// CPU time; `None` if the process has ended.
    pub(crate) fn cpu_time(&self) -> Option<Duration> {
        process_time_of(self.id)
    }

    /// Kills the process, if it is running, and its children.
    pub(crate) fn kill(&self) {
        self.state().kill();
    }

    /// Kills the process, if it is running, and waits for its end.
    pub(crate) fn stop(&self) {
        // Without a status there is nothing to clean up.
        let _ = self.state().stop();
    }

    /// Waits for the end of a process that was killed or has closed its channel; a process that
    /// keeps its standard error open is killed after a while.
    pub(crate) fn end(&self) -> Ending {
        let closed = self.state().stderr_closed.take();
        // Disconnected or timed out.
        let _ = closed.map(|closed| closed.recv_timeout(STDERR_TIMEOUT));
        let status = self.state().stop();
        Ending { status, last_lines: self.last_lines.lines().iter().cloned().collect() }
    }
}

impl State {
    fn kill(&self) {
        if self.status.is_none()
            && let Ok(id) = i32::try_from(self.child.id())
        {
            // Fails if the process and its children have already ended.
            let _ = killpg(Pid::from_raw(id), Signal::SIGKILL);
        }
    }

    fn stop(&mut self) -> io::Result<ExitStatus> {
        self.kill();
        let status = self.child.wait()?;
        self.status = Some(status);
        Ok(status)
    }
}

/// Last lines of a process' standard error.
#[derive(Clone, Default)]
struct LastLines(Arc<Mutex<VecDeque<String>>>);

impl LastLines {
    fn lines(&self) -> MutexGuard<'_, VecDeque<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads until the end in a thread; the receiver is disconnected then.
    fn read(self, stderr: ChildStderr) -> io::Result<Receiver<()>> {
        let (sender, closed) = channel();
        Builder::new().spawn(move || {
            let _sender = sender;
            let mut stderr = BufReader::new(stderr);
            let mut line = Vec::new();
            while let Ok(1..) = stderr.by_ref().take(LINE_BYTES).read_until(b'\n', &mut line) {
                let text = String::from_utf8_lossy(&line).trim().to_owned();
                if !text.is_empty() {
                    let mut lines = self.lines();
                    lines.push_back(text);
                    if lines.len() > LAST_LINES {
                        lines.pop_front();
                    }
                }
                line.clear();
            }
        })?;
        Ok(closed)
    }
}

/// Limits the data memory of a worker.
pub(crate) fn limit_data(command: &mut Command, bytes: u64) {
    // SAFETY: between fork and exec the closure makes only async-signal-safe system calls.
    unsafe {
        command.pre_exec(move || {
            let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
            if libc::getrlimit(libc::RLIMIT_DATA, &raw mut limit) == -1 {
                return Err(io::Error::last_os_error());
            }
            limit.rlim_cur = limit.rlim_cur.min(bytes);
            match libc::setrlimit(libc::RLIMIT_DATA, &raw const limit) {
                -1 => Err(io::Error::last_os_error()),
                _ => Ok(()),
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn worker(script: &str) -> Worker<u32, u32> {
        let mut shell = Command::new("sh");
        shell.args(["-c", script]);
        Worker::start(shell).expect("a shell")
    }

    #[test]
    fn requests_are_answered_until_the_input_is_closed() {
        let Worker { process, mut requests, responses } = worker("cat; echo over >&2; exit 3");
        let responses = responses.into_channel().expect("a thread");
        requests.send(&7).expect("it reads");
        assert_eq!(responses.recv(), Ok(Ok(7)));
        requests.close();
        assert!(responses.recv().is_err() && requests.send(&8).is_err());
        assert_eq!(process.end().in_words(), "ended with exit status: 3: over");
    }

    #[test]
    fn the_last_lines_of_standard_error_are_kept() {
        let script = "for i in 1 2 3 4 5 6 7; do echo line $i; echo; done >&2";
        let last_lines = worker(script).process.end().last_lines;
        assert_eq!(last_lines, ["line 3", "line 4", "line 5", "line 6", "line 7"]);
    }

    #[test]
    fn children_of_a_worker_are_killed_with_it() {
        let Worker { process, responses, .. } = worker("sleep 600 & echo $!; wait");
        let child = responses.iter().next().expect("a line").expect("a number");
        process.kill();
        assert_eq!(process.end().status(), "signal: 9 (SIGKILL)");
        let is_gone = || {
            let stat = std::fs::read_to_string(format!("/proc/{child}/stat"));
            stat.map_or(true, |stat| stat.contains(") Z "))
        };
        while !is_gone() {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}
