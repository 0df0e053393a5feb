//! A child: an executable of `bench` that samples when it is asked to.

use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child as Process, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use reports::record::Software;

use super::error::{ChildProblem, DuetError};
use super::protocol::{Answer, Ask, FLAG, SUBCOMMAND, VERSION};
use crate::platform::addresses;
use crate::platform::children::end_with_parent;
use crate::platform::lines_of;
use crate::platform::worker::line;

/// Starting a process and loading plugins takes a moment, on a busy machine too.
const HELLO_TIMEOUT: Duration = Duration::from_secs(60);
const GREETING: &str = "say who it is";
/// One heap for all threads, that grows by huge pages and keeps them; as tunables of the
/// GNU C library, which others ignore.
const MALLOC_TUNABLES: &str = "glibc.malloc.hugetlb=1:glibc.malloc.arena_max=1:\
    glibc.malloc.mmap_threshold=1073741824:glibc.malloc.trim_threshold=4294967296:\
    glibc.malloc.top_pad=16777216";
/// The niceness of who runs before all others.
const HIGHEST_PRIORITY: libc::c_int = -20;
/// How long the last words of a child that dies are waited for: whoever it has started may
/// hold its standard error, too.
const LAST_WORDS_TIMEOUT: Duration = Duration::from_secs(5);
/// Lines of a child's standard error that are told when it dies.
const LAST_LINES: usize = 5;

/// Which of two sides.
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

/// A process that answers. It is ended when this is dropped.
pub(super) struct Child {
    side: Side,
    bench: PathBuf,
    has_plugins: bool,
    process: Process,
    asks: ChildStdin,
    answers: Receiver<String>,
    /// What it writes to standard error.
    said: Receiver<String>,
    pub(super) software: Software,
}

impl Child {
    /// Starts an executable.
    pub(super) fn start(side: Side, bench: &Path, plugins: &[PathBuf]) -> Result<Self, DuetError> {
        let mut command = Command::new(bench);
        command.arg(SUBCOMMAND).arg(format!("--{FLAG}"));
        for plugin in plugins {
            command.arg("--plugin").arg(plugin);
        }
        // Ctrl-C is for the coordinator, which lets children end their samples.
        command.process_group(0);
        end_with_parent(&mut command);
        unify_memory_layout(&mut command);
        raise_priority(&mut command);
        command.stdin(Stdio::piped());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let bench = bench.to_owned();
        let mut process = match command.spawn() {
            Ok(process) => process,
            Err(source) => return Err(DuetError::Start { bench, source }),
        };
        let (asks, stdout) = (process.stdin.take(), process.stdout.take());
        let (Some(asks), Some(stdout), Some(stderr)) = (asks, stdout, process.stderr.take()) else {
            let problem = "it has no standard streams".to_owned();
            return Err(DuetError::Foreign { bench, problem });
        };
        let listening = lines_of(stdout).and_then(|answers| Ok((answers, lines_of(stderr)?)));
        let (answers, said) = match listening {
            Ok(listening) => listening,
            Err(source) => {
                let _ = process.kill();
                let _ = process.wait();
                return Err(DuetError::Start { bench, source });
            }
        };
        Ok(Child {
            side,
            bench,
            has_plugins: !plugins.is_empty(),
            process,
            asks,
            answers,
            said,
            software: Software::default(),
        })
    }

    /// Greets it; the answer is still to be heard. See [`Ask::Hello`] for `again`.
    pub(super) fn greet(&mut self, again: bool) -> Result<(), DuetError> {
        let protocol = VERSION;
        let sent = self.send(&Ask::Hello { protocol, again }, GREETING);
        // An older build may be gone before it has read anything.
        sent.map_err(|error| self.foreign_if_died(error))
    }

    fn foreign(&self, problem: String) -> DuetError {
        let bench = self.bench.clone();
        DuetError::Foreign { bench, problem }
    }

    fn foreign_if_died(&self, error: DuetError) -> DuetError {
        match error {
            DuetError::Child { problem: ChildProblem::Died { said, .. }, .. } => self.foreign(said),
            other => other,
        }
    }

    /// Hears who it is.
    ///
    /// # Errors
    /// If it speaks another protocol.
    pub(super) fn introduced(&mut self) -> Result<(), DuetError> {
        match self.receive(GREETING, HELLO_TIMEOUT) {
            Ok(Answer::Hello { protocol, software }) if protocol == VERSION => {
                self.software = *software;
                Ok(())
            }
            Ok(Answer::Hello { protocol, .. }) => Err(self
                .foreign(format!("it speaks version {protocol} of the protocol, not {VERSION}"))),
            Ok(_) => Err(self.foreign("it answers something else".to_owned())),
            // An older build does not know the subcommand, and says so.
            Err(error) => Err(self.foreign_if_died(error)),
        }
    }

    /// Asks, and waits for the answer.
    ///
    /// # Errors
    /// If it dies, hangs or can't; it is of no use then.
    pub(super) fn ask(
        &mut self,
        ask: &Ask,
        task: &str,
        limit: Duration,
    ) -> Result<Answer, DuetError> {
        self.send(ask, task)?;
        self.receive(task, limit)
    }

    /// Asks without waiting.
    pub(super) fn send(&mut self, ask: &Ask, task: &str) -> Result<(), DuetError> {
        let written = self.asks.write_all(line(ask).as_bytes()).and_then(|()| self.asks.flush());
        written.map_err(|_| self.died(task))
    }

    /// Waits for an answer.
    pub(super) fn receive(&mut self, task: &str, limit: Duration) -> Result<Answer, DuetError> {
        let line = match self.answers.recv_timeout(limit) {
            Ok(line) => line,
            Err(RecvTimeoutError::Timeout) => {
                let _ = self.process.kill();
                let task = task.to_owned();
                return Err(self.failed(ChildProblem::Hung { task, limit }));
            }
            Err(RecvTimeoutError::Disconnected) => return Err(self.died(task)),
        };
        match serde_json::from_str(&line) {
            Ok(Answer::Error { problem }) => Err(self.refused(task, problem)),
            Ok(answer) => Ok(answer),
            Err(_) => {
                let line: String = line.chars().take(80).collect();
                Err(self.foreign(format!("it answers {line:?}")))
            }
        }
    }

    /// What is wrong with an answer that does not belong to its question.
    pub(super) fn unexpected(&self, task: &str) -> DuetError {
        self.refused(task, "it answers something else".to_owned())
    }

    fn refused(&self, task: &str, problem: String) -> DuetError {
        let task = task.to_owned();
        self.failed(ChildProblem::Refused { task, problem })
    }

    fn failed(&self, problem: ChildProblem) -> DuetError {
        DuetError::Child { side: self.side.name(), bench: self.bench.clone(), problem }
    }

    fn died(&mut self, task: &str) -> DuetError {
        // It has closed its channel: it ends, or is made to.
        let end = Instant::now() + LAST_WORDS_TIMEOUT;
        let left = || end.saturating_duration_since(Instant::now());
        let said = std::iter::from_fn(|| self.said.recv_timeout(left()).ok());
        let said: Vec<_> = said.collect();
        let _ = self.process.kill();
        let ended = self.process.wait();
        let how = ended.map_or_else(|error| error.to_string(), |status| status.to_string());
        let last = &said[said.len().saturating_sub(LAST_LINES)..];
        let said = if last.is_empty() { how } else { format!("{how}, {}", last.join(" / ")) };
        let task = task.to_owned();
        self.failed(ChildProblem::Died { task, said, has_plugins: self.has_plugins })
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Has both sides lay out their memory alike: at the same addresses, and on huge pages
/// also for blocks of less than one. Where small blocks happen to lie in physical memory
/// makes some per cent for code that lives in the caches; it is the same for all visits of
/// a process, so no number of rounds would show that it is not the code.
fn unify_memory_layout(command: &mut Command) {
    command.env("GLIBC_TUNABLES", MALLOC_TUNABLES);
    // SAFETY: between fork and exec nothing is called but one system call.
    unsafe {
        command.pre_exec(|| {
            // Where that is refused, the run says so, and verdicts allow for it.
            let _ = addresses::fix();
            Ok(())
        });
    }
}

/// Lets a child run before whatever else is busy on its core, where that is allowed: root
/// may. Who was told to be nice itself stays so.
fn raise_priority(command: &mut Command) {
    // SAFETY: both are system calls that touch no memory of ours.
    unsafe {
        command.pre_exec(|| {
            if libc::getpriority(libc::PRIO_PROCESS, 0) == 0 {
                // Who may not takes turns with the others, as everybody does.
                libc::setpriority(libc::PRIO_PROCESS, 0, HIGHEST_PRIORITY);
            }
            Ok(())
        });
    }
}
