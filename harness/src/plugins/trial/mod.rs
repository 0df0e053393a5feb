//! Trial of a plugin in a separate process, so that a crash is harmless.
//!
//! `bench` starts itself with a hidden subcommand. The process loads the plugin, and takes a
//! variant through full cycles on the task's hard inputs, on the device and with the numbers of
//! threads that it is to be measured with. It reports each step before it starts, line by line: the
//! last line shows where it died.
//!
//! | module | holds |
//! |---|---|
//! | `child` | main function of that process |
//! | `report` | lines that it writes, and interpretation of its end |

mod child;
mod report;

use std::fmt;
use std::io::{self, ErrorKind};
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::Builder;
use std::time::Duration;

use nix::libc;
use tasks::device::Device;
use tasks::plugin::{PluginInfo, Quarantine};

use crate::plugins::{PluginFailure, trial_budget};
use crate::workers::{self, Ending, Process, Worker, limit_data};
pub(crate) use child::{TrialRequest, VariantTrial, run as run_child};
pub(crate) use report::Event;
use report::{Problem, ProblemKind, Trace, Verdict};

/// Hidden subcommand of the trial process.
pub(crate) const SUBCOMMAND: &str = "plugin-trial";

/// A variant of a plugin, with the device and the numbers of threads to try it with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PluginVariant {
    pub(crate) plugin: &'static PluginInfo,
    pub(crate) task: &'static str,
    pub(crate) variant: &'static str,
    pub(crate) device: Device,
    /// Numbers of threads.
    pub(crate) threads: Vec<usize>,
}

impl fmt::Display for PluginVariant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let task = self.task;
        let variant = self.variant;
        let file = &self.plugin.file;
        write!(f, "{task} {variant} of {file} on {}", self.device)
    }
}

impl PluginVariant {
    /// True if both are equal except for the threads.
    pub(super) fn is_same(&self, other: &PluginVariant) -> bool {
        let identity = |it: &Self| (it.plugin, it.task, it.variant, it.device);
        identity(self) == identity(other)
    }
}

/// Loads a plugin in a separate process.
pub(super) fn load(path: &Path) -> Result<(), PluginFailure> {
    run_trial(path, None)?.map_err(|Problem { kind, text }| match kind {
        ProblemKind::Refused => PluginFailure::Refused(text),
        ProblemKind::Wrong | ProblemKind::Failed => {
            PluginFailure::Crashed { path: path.to_owned(), problem: text }
        }
    })
}

/// Tries a variant; returns the reason to refuse it, if any.
pub(crate) fn run(variant: &PluginVariant) -> Result<Option<Quarantine>, PluginFailure> {
    let verdict = run_trial(&variant.plugin.path, Some(variant))?;
    Ok(verdict.err().map(|Problem { kind, text }| match kind {
        ProblemKind::Wrong => Quarantine::Wrong(text),
        ProblemKind::Refused | ProblemKind::Failed => Quarantine::Failed(text),
    }))
}

/// Timeout of a call on the host; inputs are small.
const CALL_TIMEOUT: Duration = Duration::from_secs(10);
/// Timeout of a first call on a GPU, for which the driver may compile kernels, and of `bench`
/// itself on a slow machine.
const LONG_TIMEOUT: Duration = Duration::from_secs(120);
/// Timeout for report lines after the end: child processes may keep the pipe open.
const LAST_LINES_TIMEOUT: Duration = Duration::from_secs(5);
/// Maximum number of characters of a plugin's output that are repeated in messages.
const MAX_CHARACTERS: usize = 200;

/// Loads a plugin, and tries a variant if one is given.
fn run_trial(plugin: &Path, variant: Option<&PluginVariant>) -> Result<Verdict, PluginFailure> {
    let no_trial = |source| {
        let bench = std::env::current_exe().unwrap_or_else(|_| "bench".into());
        PluginFailure::NoTrial { bench, source }
    };
    let (process, events) = start(plugin, variant).map_err(no_trial)?;
    let timeout = match variant.map(|variant| variant.device) {
        None | Some(Device::Cpu) => CALL_TIMEOUT,
        Some(_) => LONG_TIMEOUT,
    };
    let mut trace = Trace::default();
    let hung = listen(&events, &mut trace, timeout);
    process.kill();
    if let Some(timeout) = hung {
        process.stop();
        return Ok(trace.hung(timeout));
    }
    drain(&events, &mut trace);
    let Ending { status, last_lines } = process.end();
    let last = last_lines.last().map_or("", String::as_str);
    let printable = last.chars().filter(|c| !c.is_control());
    Ok(trace.ended(status?, &printable.take(MAX_CHARACTERS).collect::<String>()))
}

/// Starts a trial, with a thread that waits for its end and one that reads its report.
fn start(
    plugin: &Path,
    variant: Option<&PluginVariant>,
) -> io::Result<(Process, Receiver<ProcessEvent>)> {
    let mut command = workers::bench(SUBCOMMAND)?;
    command.arg(plugin);
    if let Some(variant) = variant {
        let threads: Vec<_> = variant.threads.iter().map(usize::to_string).collect();
        command
            .args(["--task", variant.task, "--variant", variant.variant])
            .args(["--device", &variant.device.to_string()])
            .args(["--threads", &threads.join(",")]);
    }
    if variant.is_none_or(|variant| variant.device == Device::Cpu) {
        // No limit with a GPU, whose driver reserves far more address space than it uses.
        let threads = variant.and_then(|variant| variant.threads.iter().max());
        limit_data(&mut command, trial_budget(threads.map_or(1, |&threads| threads)));
    }
    let worker = Worker::start(command)?;
    let process = worker.process.clone();
    let events = events(worker).inspect_err(|_| process.stop())?;
    Ok((process, events))
}

/// Events of the process.
enum ProcessEvent {
    Report(Event),
    /// It has closed its output.
    Silence,
    /// It has ended. Its children may keep the pipe open.
    End,
}

/// Events of the process, as they occur.
fn events(worker: Worker<(), Event>) -> io::Result<Receiver<ProcessEvent>> {
    let (sender, receiver) = channel();
    let ends = sender.clone();
    let id = worker.process.id;
    Builder::new().spawn(move || {
        wait_for_end(id);
        ends.send(ProcessEvent::End)
    })?;
    Builder::new().spawn(move || {
        // Lines that are not events are output of the plugin.
        let mut reports = worker.responses.iter().filter_map(Result::ok);
        reports.try_for_each(|report| sender.send(ProcessEvent::Report(report)))?;
        sender.send(ProcessEvent::Silence)
    })?;
    Ok(receiver)
}

/// Reads until the process ends, or until it exceeds a timeout: then returns that timeout.
fn listen(
    events: &Receiver<ProcessEvent>,
    trace: &mut Trace,
    timeout: Duration,
) -> Option<Duration> {
    let mut is_silent = false;
    loop {
        // After closing its output it should end quickly; otherwise it hangs outside of calls.
        let is_quick = trace.is_inside() || is_silent;
        let timeout = if is_quick { timeout } else { LONG_TIMEOUT };
        match events.recv_timeout(timeout) {
            Ok(ProcessEvent::Report(event)) => trace.note(event),
            Ok(ProcessEvent::Silence) => is_silent = true,
            Ok(ProcessEvent::End) | Err(RecvTimeoutError::Disconnected) => return None,
            Err(RecvTimeoutError::Timeout) => return Some(timeout),
        }
    }
}

/// Reads what the process had written before it ended.
fn drain(events: &Receiver<ProcessEvent>, trace: &mut Trace) {
    while let Ok(ProcessEvent::Report(event)) = events.recv_timeout(LAST_LINES_TIMEOUT) {
        trace.note(event);
    }
}

/// Waits until a child has ended, without reaping it.
fn wait_for_end(id: u32) {
    let flags = libc::WEXITED | libc::WNOWAIT;
    loop {
        // SAFETY: the call writes only to the local struct, for which all zeros are valid.
        let ended = unsafe {
            let mut info = std::mem::zeroed::<libc::siginfo_t>();
            libc::waitid(libc::P_PID, id, &raw mut info, flags)
        };
        let is_interrupted = || io::Error::last_os_error().kind() == ErrorKind::Interrupted;
        if ended == 0 || !is_interrupted() {
            return;
        }
    }
}
