//! Result of a command line, and commands to which the system refuses a call, as containers do.

use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Output};

use nix::errno::Errno;
use nix::libc;
use serde::de::DeserializeOwned;

/// A command line that has ended.
pub struct Run {
    line: String,
    /// The exit code; `None` after a signal.
    pub code: Option<i32>,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

impl Run {
    /// Runs a command to its end.
    #[track_caller]
    pub fn from_command(command: &mut Command) -> Self {
        let output = command.output().expect("the program runs");
        Run::new(format!("{command:?}"), output)
    }

    /// Waits for a command that was started.
    #[track_caller]
    pub fn end_of(child: Child) -> Self {
        let output = child.wait_with_output().expect("it ends");
        Run::new("a command".to_owned(), output)
    }

    fn new(line: String, output: Output) -> Self {
        Run {
            line,
            code: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// Returns command, exit code and output, for messages of failed tests.
    pub fn story(&self) -> String {
        let said = self.stdout.clone() + &self.stderr;
        format!("{}\nexit code {:?}\n{said}", self.line, self.code)
    }

    /// Asserts this exit code, without a panic.
    #[track_caller]
    pub fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{}", self.story());
        assert!(!self.stderr.contains("panicked"), "{}", self.story());
        self
    }

    /// Asserts that standard error contains these words.
    #[track_caller]
    pub fn says(&self, words: impl AsRef<str>) -> &Self {
        let words = words.as_ref();
        let is_said = self.stderr.contains(words);
        assert!(is_said, "\"{words}\" is not said: {}", self.story());
        self
    }

    /// Asserts that standard output contains these words.
    #[track_caller]
    pub fn prints(&self, words: impl AsRef<str>) -> &Self {
        let words = words.as_ref();
        let is_printed = self.stdout.contains(words);
        assert!(is_printed, "\"{words}\" is not printed: {}", self.story());
        self
    }

    /// Parses JSON on standard output.
    #[track_caller]
    pub fn json<T: DeserializeOwned>(&self) -> T {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("{error}: {}", self.story()))
    }
}

/// Has a system call fail with an error in a command and in all that it starts.
pub fn refuse(command: &mut Command, call: libc::c_long, error: Errno) {
    let load_number = (libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0, 0);
    let is_the_call = (libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, 0, 1, call as u32);
    let refused = libc::SECCOMP_RET_ERRNO | error as u32;
    let answers = [refused, libc::SECCOMP_RET_ALLOW].map(|it| (libc::BPF_RET, 0, 0, it));
    let program = [load_number, is_the_call, answers[0], answers[1]];
    let mut program =
        program.map(|(code, jt, jf, k)| libc::sock_filter { code: code as u16, jt, jf, k });
    let filter = move || {
        let filter = libc::sock_fprog { len: program.len() as u16, filter: program.as_mut_ptr() };
        let on: libc::c_ulong = 1;
        let none: libc::c_ulong = 0;
        // SAFETY: both calls take numbers and a program that outlives them.
        let answers = unsafe {
            [
                libc::prctl(libc::PR_SET_NO_NEW_PRIVS, on, none, none, none),
                libc::prctl(
                    libc::PR_SET_SECCOMP,
                    libc::c_ulong::from(libc::SECCOMP_MODE_FILTER),
                    &raw const filter,
                ),
            ]
        };
        if answers == [0, 0] { Ok(()) } else { Err(Errno::last().into()) }
    };
    // SAFETY: between fork and exec nothing is allocated, and only system calls are made.
    unsafe { command.pre_exec(filter) };
}
