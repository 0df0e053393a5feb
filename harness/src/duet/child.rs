//! A child: an executable of `bench` that samples when it is asked to.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child as Process, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use reports::record::Software;

use super::DuetError;
use super::protocol::{Answer, Ask, FLAG, SUBCOMMAND, VERSION};

/// Starting a process and loading plugins takes a moment, on a busy machine too.
const HELLO: Duration = Duration::from_secs(60);
const GREETING: &str = "say who it is";
/// One heap for all threads, that grows by huge pages and keeps them; as tunables of the
/// GNU C library, which others ignore.
const MALLOC: &str = "glibc.malloc.hugetlb=1:glibc.malloc.arena_max=1:\
    glibc.malloc.mmap_threshold=1073741824:glibc.malloc.trim_threshold=4294967296:\
    glibc.malloc.top_pad=16777216";
/// The niceness of who comes first.
#[cfg(target_os = "linux")]
const FIRST: libc::c_int = -20;
/// Lines of a child's standard error that are told when it dies.
const LAST_WORDS: usize = 5;

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
    process: Process,
    asks: ChildStdin,
    answers: Receiver<std::io::Result<String>>,
    said: Arc<Mutex<Vec<String>>>,
    pub(super) software: Software,
}

impl Child {
    /// Starts an executable.
    ///
    /// # Errors
    /// If it can't be run.
    pub(super) fn start(side: Side, bench: &Path, plugins: &[PathBuf]) -> Result<Self, DuetError> {
        let mut command = Command::new(bench);
        command.arg(SUBCOMMAND).arg(format!("--{FLAG}"));
        for plugin in plugins {
            command.arg("--plugin").arg(plugin);
        }
        // Ctrl-C is for the coordinator, which lets children end their samples.
        command.process_group(0);
        lay_out_alike(&mut command);
        come_first(&mut command);
        let mut process = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|source| DuetError::Start {
                bench: bench.to_owned(),
                source,
            })?;
        let (Some(asks), Some(stdout), Some(stderr)) = (
            process.stdin.take(),
            process.stdout.take(),
            process.stderr.take(),
        ) else {
            return Err(DuetError::Foreign {
                bench: bench.to_owned(),
                problem: "it has no standard streams".to_owned(),
            });
        };
        let said = Arc::new(Mutex::new(Vec::new()));
        let heard = Arc::clone(&said);
        thread::spawn(move || {
            for line in BufReader::new(stderr).lines().map_while(Result::ok) {
                let mut heard = heard.lock().unwrap_or_else(PoisonError::into_inner);
                if heard.len() == LAST_WORDS {
                    heard.remove(0);
                }
                heard.push(line);
            }
        });
        let (send, answers) = channel();
        thread::spawn(move || {
            for line in BufReader::new(stdout).lines() {
                if send.send(line).is_err() {
                    return;
                }
            }
        });
        Ok(Child {
            side,
            bench: bench.to_owned(),
            process,
            asks,
            answers,
            said,
            software: Software::default(),
        })
    }

    /// Greets it; the answer is still to be heard. See [`Ask::Hello`] for `again`.
    ///
    /// # Errors
    /// If it is dead.
    pub(super) fn greet(&mut self, again: bool) -> Result<(), DuetError> {
        let hello = Ask::Hello {
            protocol: VERSION,
            again,
        };
        // An older build may be gone before it has read anything.
        match self.send(&hello, GREETING) {
            Err(DuetError::Died { said, .. }) => Err(self.foreign(said)),
            sent => sent,
        }
    }

    fn foreign(&self, problem: String) -> DuetError {
        DuetError::Foreign {
            bench: self.bench.clone(),
            problem,
        }
    }

    /// Hears who it is.
    ///
    /// # Errors
    /// If it speaks another protocol.
    pub(super) fn introduced(&mut self) -> Result<(), DuetError> {
        match self.receive(GREETING, HELLO) {
            Ok(Answer::Hello { protocol, software }) if protocol == VERSION => {
                self.software = *software;
                Ok(())
            }
            Ok(Answer::Hello { protocol, .. }) => Err(self.foreign(format!(
                "it speaks version {protocol} of the protocol, not {VERSION}"
            ))),
            Ok(_) => Err(self.foreign("it answers something else".to_owned())),
            // An older build does not know the subcommand, and says so.
            Err(DuetError::Died { said, .. }) => Err(self.foreign(said)),
            Err(error) => Err(error),
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
    ///
    /// # Errors
    /// If it is dead.
    pub(super) fn send(&mut self, ask: &Ask, task: &str) -> Result<(), DuetError> {
        let text = serde_json::to_string(ask).unwrap_or_default();
        let written = writeln!(self.asks, "{text}").and_then(|()| self.asks.flush());
        written.map_err(|_| self.died(task))
    }

    /// Waits for an answer.
    ///
    /// # Errors
    /// As [`Child::ask`].
    pub(super) fn receive(&mut self, task: &str, limit: Duration) -> Result<Answer, DuetError> {
        let line = match self.answers.recv_timeout(limit) {
            Ok(Ok(line)) => line,
            Err(RecvTimeoutError::Timeout) => {
                let _ = self.process.kill();
                return Err(DuetError::Hung {
                    side: self.side.name(),
                    bench: self.bench.clone(),
                    task: task.to_owned(),
                    limit,
                });
            }
            Ok(Err(_)) | Err(RecvTimeoutError::Disconnected) => return Err(self.died(task)),
        };
        match serde_json::from_str(&line) {
            Ok(Answer::Error { problem }) => Err(self.refused(task, &problem)),
            Ok(answer) => Ok(answer),
            Err(_) => Err(DuetError::Foreign {
                bench: self.bench.clone(),
                problem: format!("it answers {:?}", line.chars().take(80).collect::<String>()),
            }),
        }
    }

    /// What is wrong with an answer that does not belong to its question.
    pub(super) fn refused(&self, task: &str, problem: &str) -> DuetError {
        DuetError::Refused {
            side: self.side.name(),
            bench: self.bench.clone(),
            task: task.to_owned(),
            problem: problem.to_owned(),
        }
    }

    fn died(&mut self, task: &str) -> DuetError {
        // It has closed its channel: it ends, or is made to.
        thread::sleep(Duration::from_millis(50));
        let _ = self.process.kill();
        let ended = self.process.wait();
        let how = ended.map_or_else(|error| error.to_string(), |status| status.to_string());
        let said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        let words = said.join(" / ");
        DuetError::Died {
            side: self.side.name(),
            bench: self.bench.clone(),
            task: task.to_owned(),
            said: if words.is_empty() {
                how
            } else {
                format!("{how}, {words}")
            },
        }
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
fn lay_out_alike(command: &mut Command) {
    command.env("GLIBC_TUNABLES", MALLOC);
    #[cfg(target_os = "linux")]
    // SAFETY: between fork and exec nothing is called but one system call.
    unsafe {
        command.pre_exec(|| {
            use nix::sys::personality::{self, Persona};
            // Who may not has other addresses in each process, and works all the same.
            let _ = personality::get()
                .and_then(|now| personality::set(now | Persona::ADDR_NO_RANDOMIZE));
            Ok(())
        });
    }
}

/// Lets a child run before whatever else is busy on its core, where that is allowed: root
/// may. Who was told to be nice itself stays so.
fn come_first(command: &mut Command) {
    #[cfg(target_os = "linux")]
    // SAFETY: both are system calls that touch no memory of ours.
    unsafe {
        command.pre_exec(|| {
            if libc::getpriority(libc::PRIO_PROCESS, 0) == 0 {
                // Who may not takes turns with the others, as everybody does.
                libc::setpriority(libc::PRIO_PROCESS, 0, FIRST);
            }
            Ok(())
        });
    }
    #[cfg(not(target_os = "linux"))]
    let _ = command;
}
