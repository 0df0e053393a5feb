//! The process that tries a plugin, from outside.

use std::io::Read;
use std::path::Path;
use std::process::{Child, ChildStderr, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use algorithms::device::Device;

use super::report::{Event, Trace, Verdict};
use super::{PluginVariant, SUBCOMMAND};
use crate::platform::lines_of;
use crate::plugins::PluginFailure;

/// A call on the host that takes longer hangs: inputs are small.
const CALL_TIMEOUT: Duration = Duration::from_secs(10);
/// A first call on a GPU may have the driver compile kernels. And `bench` itself may
/// wait for a slow machine.
const LONG_TIMEOUT: Duration = Duration::from_secs(120);
/// Somebody else may hold what it writes to: the process may have left others behind.
const STDERR_TIMEOUT: Duration = Duration::from_secs(1);
/// So much of what a plugin says is listened to.
const MAX_BYTES: u64 = 1 << 20;
/// And so much of it is repeated.
const MAX_CHARACTERS: usize = 200;

/// Loads a plugin, and tries a variant if one is given.
pub(super) fn run(
    plugin: &Path,
    variant: Option<&PluginVariant>,
) -> Result<Verdict, PluginFailure> {
    let mut child = start(plugin, variant)?;
    let said = child.stderr.take().map(last_line);
    let lines = child.stdout.take().map(lines_of);
    let timeout = match variant.map(|variant| variant.device) {
        None | Some(Device::Cpu) => CALL_TIMEOUT,
        Some(_) => LONG_TIMEOUT,
    };
    let (trace, hung) = listen(lines, timeout);
    if let Some(timeout) = hung {
        let _ = child.kill();
        let _ = child.wait();
        return Ok(trace.hung(timeout));
    }
    // It closed its output: it ends, or else it hangs where nobody looks.
    let Some(status) = wait(&mut child) else {
        return Ok(trace.hung(LONG_TIMEOUT));
    };
    let said = said.and_then(|said| said.recv_timeout(STDERR_TIMEOUT).ok());
    Ok(trace.ended(status, &said.unwrap_or_default()))
}

fn start(plugin: &Path, variant: Option<&PluginVariant>) -> Result<Child, PluginFailure> {
    let no_trial =
        |bench: &Path, source| PluginFailure::NoTrial { bench: bench.to_owned(), source };
    let bench = std::env::current_exe().map_err(|error| no_trial(Path::new("bench"), error))?;
    let mut command = Command::new(&bench);
    command.arg(SUBCOMMAND).arg(plugin);
    if let Some(variant) = variant {
        let threads: Vec<_> = variant.threads.iter().map(usize::to_string).collect();
        command
            .args(["--task", variant.task, "--variant", variant.variant])
            .args(["--device", &variant.device.to_string()])
            .args(["--threads", &threads.join(",")]);
    }
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| no_trial(&bench, error))
}

/// Listens to the end, or until one takes too long: then it says how long.
fn listen(lines: Option<Receiver<String>>, timeout: Duration) -> (Trace, Option<Duration>) {
    let mut trace = Trace::default();
    let Some(lines) = lines else {
        return (trace, None);
    };
    loop {
        let timeout = if trace.is_inside() { timeout } else { LONG_TIMEOUT };
        match lines.recv_timeout(timeout) {
            // What is no event was not written by us.
            Ok(line) => serde_json::from_str::<Event>(&line).map_or((), |event| trace.note(event)),
            Err(RecvTimeoutError::Disconnected) => return (trace, None),
            Err(RecvTimeoutError::Timeout) => return (trace, Some(timeout)),
        }
    }
}

/// The last line that was said as an error, once all is said.
fn last_line(errors: ChildStderr) -> Receiver<String> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let (mut bytes, mut errors) = (Vec::new(), errors);
        let _ = errors.by_ref().take(MAX_BYTES).read_to_end(&mut bytes);
        // Whoever goes on talking must not have to wait.
        let _ = std::io::copy(&mut errors, &mut std::io::sink());
        let said = String::from_utf8_lossy(&bytes);
        let last = said.lines().rfind(|line| !line.trim().is_empty());
        let printable = last.unwrap_or_default().trim().chars();
        let printable = printable.filter(|c| !c.is_control());
        let _ = sender.send(printable.take(MAX_CHARACTERS).collect());
    });
    receiver
}

/// Waits for a process that ends; one that does not is ended.
fn wait(child: &mut Child) -> Option<ExitStatus> {
    const STEP: Duration = Duration::from_millis(5);
    let steps = CALL_TIMEOUT.as_millis() / STEP.as_millis();
    for _ in 0..steps {
        if let Ok(Some(status)) = child.try_wait() {
            return Some(status);
        }
        thread::sleep(STEP);
    }
    let _ = child.kill();
    let _ = child.wait();
    None
}
