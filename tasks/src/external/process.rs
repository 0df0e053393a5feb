//! A run of a command in a process of its own: isolated, with limits.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::libc;
use nix::sched::{CpuSet, sched_setaffinity};
use nix::sys::signal::{SigHandler, Signal, killpg, signal};
use nix::sys::wait::{Id, WaitPidFlag, waitid};
use nix::unistd::Pid;
use text::Untrusted;

/// Most bytes of standard output that are read.
const MAX_OUTPUT: u64 = 1 << 20;
/// Most characters of standard error that a message has.
const MAX_ERROR: usize = 400;
/// Names of the files with standard output and standard error, which no program would choose.
const STDOUT: &str = ".recobench-stdout";
const STDERR: &str = ".recobench-stderr";

/// A command with its surroundings.
pub(crate) struct Launch<'a> {
    /// The program and its arguments.
    pub(crate) words: &'a [OsString],
    /// Its working directory, which is empty and its own.
    pub(crate) folder: &'a Path,
    /// CPUs that it may use; those of this thread if there are none.
    pub(crate) cpus: Option<&'a CpuSet>,
    /// Threads that it should use.
    pub(crate) threads: usize,
    /// Time after which it is killed.
    pub(crate) timeout: Duration,
    /// Size of the largest file that it may write.
    pub(crate) max_file_bytes: u64,
}

/// A run that ended well.
#[derive(Clone, Debug)]
pub(crate) struct Finished {
    /// Wall time from its start to its end.
    pub(crate) seconds: f64,
    /// Its standard output.
    pub(crate) stdout: String,
    /// Largest resident memory of its process.
    pub(crate) peak_bytes: u64,
}

/// A run that did not.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ProcessError {
    #[error("{} can't be started: {source}; {}", program.quoted(), started_from(source))]
    NotStarted { program: String, source: io::Error },
    #[error("did not end within {}; raise its timeout, or use less data", humantime::format_duration(*.0))]
    TimedOut(Duration),
    #[error("wrote a file of more than {0} bytes, which its output can't need")]
    TooMuch(u64),
    #[error("ended with {status}{}", after(said))]
    Ended { status: ExitStatus, said: String },
    #[error("can't be watched: {0}; end other programs")]
    NoWatchdog(io::Error),
    #[error("can't be waited for: {0}")]
    Lost(#[from] Errno),
    #[error("its folder can't be used: {0}")]
    Folder(#[from] io::Error),
}

fn started_from(source: &io::Error) -> &'static str {
    match source.kind() {
        io::ErrorKind::NotFound => {
            "its path starts at the folder of the file that describes it; a name without a / is \
             looked for in PATH"
        }
        io::ErrorKind::PermissionDenied => "is it executable?",
        _ => "run it by hand first",
    }
}

fn after(said: &str) -> String {
    if said.is_empty() { String::new() } else { format!(": {said}") }
}

/// Runs a command to its end.
///
/// # Errors
/// If it can't be started, or does not end well.
pub(crate) fn run(launch: &Launch<'_>) -> Result<Finished, ProcessError> {
    let [stdout, stderr] = [STDOUT, STDERR].map(|name| launch.folder.join(name));
    let mut command = Command::new(&launch.words[0]);
    command
        .args(&launch.words[1..])
        .current_dir(launch.folder)
        .env("OMP_NUM_THREADS", launch.threads.to_string())
        .stdin(Stdio::null())
        .stdout(File::create(&stdout)?)
        .stderr(File::create(&stderr)?)
        .process_group(0);
    let cpus = launch.cpus.copied();
    let max_file_bytes = launch.max_file_bytes;
    // SAFETY: between fork and exec the closure makes only async-signal-safe system calls.
    unsafe {
        command.pre_exec(move || isolate(cpus.as_ref(), max_file_bytes));
    }
    let start = Instant::now();
    let child = command.spawn().map_err(|source| {
        let program = launch.words[0].to_string_lossy().into_owned();
        ProcessError::NotStarted { program, source }
    })?;
    let id = Pid::from_raw(child.id().cast_signed());
    let watchdog = Watchdog::start(id, launch.timeout);
    if watchdog.is_err() {
        // Nothing would end it.
        let _ = killpg(id, Signal::SIGKILL);
    }
    let ended = wait(id);
    let seconds = start.elapsed().as_secs_f64();
    let timed_out = watchdog.map(Watchdog::stop);
    // Whatever it has left behind. Fails if there is nothing.
    let _ = killpg(id, Signal::SIGKILL);
    ended?;
    let (status, peak_bytes) = reap(id)?;
    if timed_out.map_err(ProcessError::NoWatchdog)? {
        return Err(ProcessError::TimedOut(launch.timeout));
    }
    if status.signal() == Some(libc::SIGXFSZ) {
        return Err(ProcessError::TooMuch(launch.max_file_bytes));
    }
    if !status.success() {
        return Err(ProcessError::Ended { status, said: last_words(&stderr) });
    }
    Ok(Finished { seconds, stdout: read_at_most(&stdout)?, peak_bytes })
}

/// Limits the process that is about to become the program.
fn isolate(cpus: Option<&CpuSet>, max_file_bytes: u64) -> io::Result<()> {
    if let Some(cpus) = cpus {
        sched_setaffinity(Pid::from_raw(0), cpus)?;
    }
    limit(libc::RLIMIT_FSIZE, max_file_bytes)?;
    // `bench` ignores the signal to report full files itself.
    // SAFETY: the default action is no handler.
    unsafe { signal(Signal::SIGXFSZ, SigHandler::SigDfl) }?;
    // A crash leaves nothing behind.
    limit(libc::RLIMIT_CORE, 0)?;
    // SAFETY: `prctl` with this option takes a signal, and accesses no memory.
    unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) };
    Ok(())
}

/// Lowers a limit of this process.
fn limit(resource: libc::__rlimit_resource_t, bytes: u64) -> io::Result<()> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: `getrlimit` writes only `limit`, which is a valid local variable.
    if unsafe { libc::getrlimit(resource, &raw mut limit) } == -1 {
        return Err(io::Error::last_os_error());
    }
    limit.rlim_cur = limit.rlim_max.min(bytes);
    // SAFETY: `setrlimit` reads only `limit`, which is a valid local variable.
    match unsafe { libc::setrlimit(resource, &raw const limit) } {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}

/// Waits for the end of a process, and keeps its id taken.
fn wait(id: Pid) -> Result<(), Errno> {
    loop {
        match waitid(Id::Pid(id), WaitPidFlag::WEXITED | WaitPidFlag::WNOWAIT) {
            Err(Errno::EINTR) => {}
            ended => return ended.map(drop),
        }
    }
}

/// Status and largest resident memory of a process that has ended.
fn reap(id: Pid) -> Result<(ExitStatus, u64), Errno> {
    let mut status = 0;
    // SAFETY: all fields of `rusage` are integers.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: `wait4` writes only `status` and `usage`, which are valid local variables.
    let reaped = unsafe { libc::wait4(id.as_raw(), &raw mut status, 0, &raw mut usage) };
    Errno::result(reaped)?;
    let kibibytes = u64::try_from(usage.ru_maxrss).unwrap_or_default();
    Ok((ExitStatus::from_raw(status), kibibytes << 10))
}

/// A thread that kills a process after a while.
struct Watchdog {
    stop: Sender<()>,
    thread: JoinHandle<bool>,
}

impl Watchdog {
    fn start(id: Pid, timeout: Duration) -> io::Result<Self> {
        let (stop, stopped) = channel();
        let thread = Builder::new().spawn(move || {
            let is_late = stopped.recv_timeout(timeout) == Err(RecvTimeoutError::Timeout);
            if is_late {
                // The process is not reaped before this thread has ended. Fails if it has ended.
                let _ = killpg(id, Signal::SIGKILL);
            }
            is_late
        })?;
        Ok(Watchdog { stop, thread })
    }

    /// Returns true if it has killed the process.
    fn stop(self) -> bool {
        // Fails if it is late.
        let _ = self.stop.send(());
        self.thread.join().unwrap_or(false)
    }
}

/// The end of standard error, in a line.
fn last_words(path: &Path) -> String {
    let bytes = fs::read(path).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let said = lines[lines.len().saturating_sub(3)..].join(" / ");
    let start = said.char_indices().rev().nth(MAX_ERROR).map_or(0, |(at, _)| at);
    said[start..].escaped().to_string()
}

fn read_at_most(path: &Path) -> io::Result<String> {
    let mut bytes = Vec::new();
    File::open(path)?.take(MAX_OUTPUT).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run_words(words: &[&str], change: impl FnOnce(&mut Launch<'_>)) -> Result<Finished, String> {
        let folder = tempfile::tempdir().expect("a folder");
        let words: Vec<OsString> = words.iter().map(OsString::from).collect();
        let mut launch = Launch {
            words: &words,
            folder: folder.path(),
            cpus: None,
            threads: 3,
            timeout: Duration::from_secs(60),
            max_file_bytes: 1 << 16,
        };
        change(&mut launch);
        run(&launch).map_err(|error| error.to_string())
    }

    fn launch(script: &str, change: impl FnOnce(&mut Launch<'_>)) -> Result<Finished, String> {
        run_words(&["sh", "-c", script], change)
    }

    #[test]
    fn the_time_is_that_of_the_process_and_its_output_is_kept() {
        let finished = launch("sleep 0.05; echo $OMP_NUM_THREADS; pwd -P > path", |_| {});
        let finished = finished.expect("it ends well");
        assert_eq!(finished.stdout, "3\n");
        assert!(finished.seconds >= 0.05 && finished.seconds < 20.0, "{}", finished.seconds);
        assert!(finished.peak_bytes > 100_000, "{}", finished.peak_bytes);
    }

    #[test]
    fn failures_are_reported_with_the_last_lines() {
        let problem = launch("for i in 1 2 3 4; do echo line $i >&2; done; exit 3", |_| {});
        let problem = problem.expect_err("it fails");
        assert_eq!(problem, "ended with exit status: 3: line 2 / line 3 / line 4");
        let killed = launch("kill -SEGV $$", |_| {}).expect_err("it crashes");
        assert!(killed.starts_with("ended with signal: 11 (SIGSEGV)"), "{killed}");
    }

    #[test]
    fn a_program_that_hangs_is_killed_with_its_children() {
        let folder = tempfile::tempdir().expect("a folder");
        let child = folder.path().join("child");
        let script = format!("sleep 600 & echo $! > {}; wait", child.to_string_lossy());
        let problem = launch(&script, |launch| launch.timeout = Duration::from_millis(300));
        assert_eq!(
            problem.expect_err("it hangs"),
            "did not end within 300ms; raise its timeout, or use less data"
        );
        let child = fs::read_to_string(child).expect("it was started");
        let stat = format!("/proc/{}/stat", child.trim());
        while !fs::read_to_string(&stat).map_or(true, |stat| stat.contains(") Z ")) {
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    #[test]
    fn a_program_that_writes_too_much_is_stopped() {
        let problem = launch("exec head -c 100000 /dev/zero > big", |_| {});
        let problem = problem.expect_err("it writes too much");
        assert_eq!(problem, "wrote a file of more than 65536 bytes, which its output can't need");
    }

    #[test]
    fn a_program_that_is_not_there_is_reported() {
        let problem = run_words(&["/nowhere/to/be/found"], |_| {}).expect_err("it is not there");
        assert!(problem.contains("can't be started") && problem.contains("PATH"), "{problem}");
    }
}
