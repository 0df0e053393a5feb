//! The preloaded library: compiled once, and configured with the fault to inject.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use tempfile::TempDir;

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

/// Something that a program did to files; paths are below the folder that was looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operation {
    /// An empty file.
    Create(PathBuf),
    /// An empty folder.
    Folder(PathBuf),
    Write {
        path: PathBuf,
        offset: usize,
        bytes: Vec<u8>,
    },
    Truncate {
        path: PathBuf,
        length: usize,
    },
    /// A file, or the names in a folder.
    Sync(PathBuf),
    Rename {
        from: PathBuf,
        to: PathBuf,
    },
    /// A file or an empty folder.
    Remove(PathBuf),
    /// Change of permissions, which affects neither content nor names.
    Mode,
    /// From outside the folder, which is not logged.
    Copy(PathBuf),
    Read,
}

impl Operation {
    /// Returns true if it changes something.
    pub fn changes(&self) -> bool {
        *self != Operation::Read
    }
}

/// Reads a log of entries `OPERATION NUMBER LENGTH\nPATH\nOTHER PATH\n` and LENGTH bytes.
pub fn read_log(mut log: &[u8], root: &Path) -> Vec<Operation> {
    let mut operations = Vec::new();
    while !log.is_empty() {
        let [head, path, other] = [0; 3].map(|_| line(&mut log));
        let [name, number, length] = words(head);
        let number: i64 = number.parse().expect("a number");
        let length: usize = length.parse().expect("a number");
        let (bytes, rest) = log.split_at(if name == "write" { length } else { 0 });
        log = rest;
        let below = |path: &str| Path::new(path).strip_prefix(root).expect("below").to_owned();
        let path = below(path);
        operations.push(match name {
            "create" => Operation::Create(path),
            "folder" => Operation::Folder(path),
            "write" => Operation::Write { path, offset: number as usize, bytes: bytes.to_vec() },
            "truncate" => Operation::Truncate { path, length: number as usize },
            "sync" => Operation::Sync(path),
            "rename" => Operation::Rename { from: path, to: below(other) },
            "remove" => Operation::Remove(path),
            "mode" => Operation::Mode,
            "copy" => Operation::Copy(path),
            "read" => Operation::Read,
            other => panic!("unknown operation {other}"),
        });
    }
    operations
}

fn line<'l>(log: &mut &'l [u8]) -> &'l str {
    let end = log.iter().position(|&byte| byte == b'\n').expect("a line");
    let (line, rest) = log.split_at(end);
    *log = &rest[1..];
    std::str::from_utf8(line).expect("a text")
}

fn words(head: &str) -> [&str; 3] {
    let words: Vec<_> = head.split(' ').collect();
    words.try_into().expect("three words")
}
