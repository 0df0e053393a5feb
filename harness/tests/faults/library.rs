//! The preloaded library: compiled once, and configured with the fault to inject.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use tempfile::TempDir;

use super::log::{Operation, read_log};
use crate::common::{Folder, Run};

const SOURCE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/faults/faults.c");

/// Kind of fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An operation changes nothing and ends with an error.
    Fail,
    /// All later operations that need space fail, too.
    Full,
    /// The process is killed before an operation.
    Kill,
    /// The process is killed in the middle of an operation.
    Cut,
    /// Something can't be read.
    Read,
}

impl Kind {
    /// Those of operations that change something.
    pub const OF_CHANGES: [Kind; 4] = [Kind::Fail, Kind::Full, Kind::Kill, Kind::Cut];

    fn name(self) -> &'static str {
        match self {
            Kind::Fail => "fail",
            Kind::Full => "full",
            Kind::Kill => "kill",
            Kind::Cut => "cut",
            Kind::Read => "read",
        }
    }

    /// Returns true if the process can report the fault.
    pub fn survives(self) -> bool {
        !matches!(self, Kind::Kill | Kind::Cut)
    }
}

/// Fault and the number of the operation that fails, from 1.
#[derive(Clone, Copy, Debug)]
pub struct Fault {
    pub kind: Kind,
    pub at: usize,
}

/// Returns true if faults can be injected; prints a note if not.
pub fn can_inject() -> bool {
    let can = library().is_some();
    if !can {
        eprintln!("skipped: no C compiler, so that no faults can be injected");
    }
    can
}

/// The library, if there is a compiler that makes it.
fn library() -> Option<&'static Path> {
    static LIBRARY: LazyLock<Option<(TempDir, PathBuf)>> = LazyLock::new(compiled);
    LIBRARY.as_ref().map(|(_, path)| path.as_path())
}

fn compiled() -> Option<(TempDir, PathBuf)> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("libfaults.so");
    let mut compiler = Command::new("cc");
    compiler.args(["-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-o"]);
    compiler.arg(&path).args([SOURCE, "-ldl", "-pthread"]);
    let output = compiler.output().ok()?;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some((folder, path))
}

/// `bench` with the words of a line, to be run in a folder, all of whose operations are looked at.
fn command(folder: &Folder, line: &str) -> Command {
    let mut command = folder.command(line);
    command.env("LD_PRELOAD", library().expect("asked before"));
    // The path that the system reports for descriptors.
    let root = folder.path().canonicalize().expect("a folder");
    command.env("FAULTS_ROOT", root);
    command
}

/// Runs a command in which something goes wrong.
pub fn run_with(fault: Fault, folder: &Folder, line: &str) -> Run {
    let mut command = command(folder, line);
    command.env("FAULTS_KIND", fault.kind.name()).env("FAULTS_AT", fault.at.to_string());
    Run::from_command(&mut command)
}

/// Runs a command in which nothing goes wrong; returns its operations.
pub fn record(folder: &Folder, line: &str) -> (Run, Vec<Operation>) {
    let log = tempfile::NamedTempFile::new().expect("a file");
    let run = Run::from_command(command(folder, line).env("FAULTS_LOG", log.path()));
    let root = folder.path().canonicalize().expect("a folder");
    let operations = read_log(&fs::read(log.path()).expect("readable"), &root);
    (run, operations)
}

/// Runs a command with a clock that is wrong by `seconds` seconds.
pub fn run_by_clock(seconds: i64, folder: &Folder, line: &str) -> Run {
    Run::from_command(command(folder, line).env("FAULTS_CLOCK", seconds.to_string()))
}
