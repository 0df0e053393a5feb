//! Helpers of the tests of the command line.

pub mod alice;
pub mod fake;
mod run;
pub mod servers;
pub mod stub_gpu;

use std::collections::BTreeSet;
use std::fs::{self, Permissions};
use std::ops::Deref;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Once;

use harness::cli::Request;
use nix::sys::signal::{SigHandler, Signal};
use reports::record::{RunRecord, SampleRow, SummaryRow, YesNo, flags};
use reports::store::{read_run, read_samples, read_summary};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tasks::task::Task;
use tempfile::TempDir;

pub use run::{Run, refuse};

/// The binary.
pub const BENCH: &str = env!("CARGO_BIN_EXE_bench");

/// Bandwidths are of so little memory: that of this machine's caches takes half a second.
pub const LITTLE_MEMORY: [(&str, &str); 1] = [("RECOBENCH_LAST_LEVEL_CACHE", "1M")];

/// A temporary folder to run `bench` in.
pub struct Folder(TempDir);

/// An empty folder.
pub fn folder() -> Folder {
    Folder(tempfile::tempdir().expect("a temporary folder"))
}

/// An empty folder to measure in. Development builds refuse to: then there is nothing to
/// test.
pub fn measuring() -> Option<Folder> {
    can_measure().then(folder)
}

/// Returns true if this build measures; prints a note if not.
pub fn can_measure() -> bool {
    let can = !cfg!(debug_assertions);
    if !can {
        eprintln!("skipped: development builds don't measure");
    }
    can
}

impl Deref for Folder {
    type Target = Path;

    fn deref(&self) -> &Path {
        self.0.path()
    }
}

impl Folder {
    /// The folder itself.
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// Writes a file.
    #[track_caller]
    pub fn write(&self, name: impl AsRef<Path>, content: impl AsRef<[u8]>) {
        fs::write(self.join(name), content).expect("written");
    }

    /// Reads a file.
    #[track_caller]
    pub fn read(&self, name: impl AsRef<Path>) -> String {
        let path = self.join(name);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    /// `bench` with the words of a line, to be run here.
    pub fn command(&self, line: &str) -> Command {
        hear_of_interrupts();
        let mut command = Command::new(BENCH);
        command.envs(LITTLE_MEMORY);
        command.args(line.split_whitespace());
        command.current_dir(self.path());
        command
    }

    /// Starts `bench` with the words of a line; standard error is kept.
    pub fn start(&self, line: &str) -> Child {
        let mut command = self.command(line);
        command.stdout(Stdio::null()).stderr(Stdio::piped());
        command.spawn().expect("the binary runs")
    }

    /// Runs `bench` with the words of a line.
    pub fn bench(&self, line: impl AsRef<str>) -> Run {
        Run::from_command(&mut self.command(line.as_ref()))
    }

    /// Runs `bench` with a limit of `blocks` blocks per file, as on a full disk.
    pub fn bench_with_file_limit(&self, blocks: usize, line: &str) -> Run {
        self.bench_with_limit(&format!("-f {blocks}"), line)
    }

    /// Runs `bench` with a limit set by the shell's `ulimit`.
    pub fn bench_with_limit(&self, limit: &str, line: &str) -> Run {
        let script = format!("ulimit {limit}; exec {BENCH} {line}");
        let mut shell = Command::new("sh");
        Run::from_command(shell.args(["-c", &script]).current_dir(self.path()).envs(LITTLE_MEMORY))
    }

    /// Runs the commands of a table; each line has an exit code, a command, and a part of its
    /// message: `2 | sort --segments 0 | 0 segments`.
    #[track_caller]
    pub fn check(&self, table: &str) {
        for [code, line, words] in rows_of(table) {
            let code = code.parse().expect("an exit code");
            self.bench(line).exits(code).says(words);
        }
    }

    /// Measures into `r`; returns the rows, all of which are valid.
    #[track_caller]
    pub fn measure(&self, line: impl AsRef<str>) -> Vec<SummaryRow> {
        self.bench(format!("{} --out r", line.as_ref())).exits(0);
        let rows = self.rows("r");
        for row in &rows {
            assert_eq!(row.valid, YesNo::Yes, "{row:?}");
        }
        rows
    }

    /// Sees that there are such files, whose names are divided by spaces.
    #[track_caller]
    pub fn has(&self, files: &str) {
        for file in files.split(' ') {
            assert!(self.join(file).is_file(), "{file}");
        }
    }

    /// The rows of a run.
    #[track_caller]
    pub fn rows(&self, run: impl AsRef<Path>) -> Vec<SummaryRow> {
        read_summary(&self.join(run)).expect("readable")
    }

    /// The samples of a run.
    #[track_caller]
    pub fn samples(&self, run: impl AsRef<Path>) -> Vec<SampleRow> {
        read_samples(&self.join(run)).expect("readable")
    }

    /// The record of a run.
    #[track_caller]
    pub fn record(&self, run: impl AsRef<Path>) -> RunRecord {
        read_run(&self.join(run)).expect("readable")
    }
}

/// Restores the handling of Ctrl-C: tests started in the background ignore it, and their child
/// processes inherit that.
fn hear_of_interrupts() {
    static FIRST: Once = Once::new();
    FIRST.call_once(|| {
        // SAFETY: the default is no function of ours.
        let before = unsafe { nix::sys::signal::signal(Signal::SIGINT, SigHandler::SigDfl) };
        before.expect("a known signal");
    });
}

/// Waits until something is so.
#[track_caller]
pub fn wait_until(is_so: impl Fn() -> bool) {
    let so = servers::retried(|| is_so().then_some(()));
    assert!(so.is_some(), "not so after two minutes");
}

/// Sends a signal to a process.
#[track_caller]
pub fn signal(child: &Child, name: &str) {
    let id = child.id().to_string();
    let status = Command::new("kill").args(["-s", name, &id]).status();
    assert!(status.expect("kill runs").success());
}

/// The children of a process, which are workers if that is a `bench`.
pub fn children(process: u32) -> Vec<u32> {
    let children = fs::read_to_string(format!("/proc/{process}/task/{process}/children"));
    let children = children.unwrap_or_default();
    children.split_whitespace().filter_map(|id| id.parse().ok()).collect()
}

/// Returns true if the process exists.
pub fn is_there(process: u32) -> bool {
    let status = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    // A zombie is gone.
    !status.is_empty() && !status.contains(") Z ")
}

/// Sends a signal to a process by its number.
#[track_caller]
pub fn send(signal: &str, process: u32) {
    let sent = Command::new("kill").args([&format!("-{signal}"), &process.to_string()]).status();
    assert!(sent.is_ok_and(|status| status.success()));
}

/// A program of shell commands.
#[track_caller]
pub fn program(folder: &Folder, name: &str, commands: &str) -> PathBuf {
    let path = folder.join(name);
    folder.write(name, format!("#!/bin/sh\n{commands}\n"));
    fs::set_permissions(&path, Permissions::from_mode(0o755)).expect("executable");
    path
}

/// Returns the lines of a table, each with `N` cells.
pub fn rows_of<const N: usize>(table: &str) -> impl Iterator<Item = [&str; N]> {
    let lines = table.lines().filter(|line| !line.trim().is_empty());
    lines.map(cells)
}

/// The cells of a line of a table, which are divided by ` | `.
#[track_caller]
pub fn cells<const N: usize>(line: &str) -> [&str; N] {
    let cells: Vec<&str> = line.split(" | ").map(str::trim).collect();
    cells.try_into().unwrap_or_else(|_| panic!("{line}"))
}

/// The row of a variant.
#[track_caller]
pub fn row<'r>(rows: &'r [SummaryRow], variant: &str) -> &'r SummaryRow {
    let mut rows = rows.iter();
    rows.find(|row| row.variant == variant).expect("a row")
}

/// The names of all variants that have rows.
pub fn variants(rows: &[SummaryRow]) -> BTreeSet<&str> {
    rows.iter().map(|row| row.variant.as_str()).collect()
}

/// The stages of a variant.
pub fn stages<'r>(rows: &'r [SummaryRow], variant: &str) -> BTreeSet<&'r str> {
    let rows = rows.iter().filter(|row| row.variant == variant);
    rows.map(|row| row.stage.as_str()).collect()
}

/// A file or a folder of the repository.
pub fn in_repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// Parses a command line; returns what it asks for.
#[track_caller]
pub fn assert_understood(line: &str) -> Request {
    set_tasks();
    let parsed = harness::cli::parse(line.split_whitespace().map(Into::into));
    parsed.unwrap_or_else(|answer| panic!("{line}: {}", answer.text()))
}

/// The first example of TOML in a page.
#[track_caller]
pub fn toml_example(page: &str) -> &str {
    let example = page.split("```toml\n").nth(1);
    let example = example.and_then(|rest| rest.split("```").next());
    example.expect("an example")
}

/// Changes each sample of a run.
pub fn edit(run: &Path, change: impl FnMut(&mut SampleRow)) {
    edit_rows(&run.join("samples.csv"), change);
}

/// Changes each row of a table.
pub fn edit_rows<R: Serialize + DeserializeOwned>(path: &Path, change: impl FnMut(&mut R)) {
    let mut reader = csv::Reader::from_path(path).expect("readable");
    let rows: Result<Vec<R>, _> = reader.deserialize().collect();
    let mut rows = rows.expect("rows");
    rows.iter_mut().for_each(change);
    let mut writer = csv::Writer::from_path(path).expect("writable");
    for row in rows {
        writer.serialize(row).expect("written");
    }
    writer.flush().expect("written");
}

/// A copy of a run that is kept with the documents, started at another time.
pub fn copy_documented(name: &str, to: &Path, started: &str) {
    copy_run(&in_repository("docs/results").join(name), to);
    edit_record(to, |record| record["started"] = started.into());
}

/// Copies a run.
pub fn copy_run(from: &Path, to: &Path) {
    fs::create_dir(to).expect("made");
    for file in ["run.json", "samples.csv", "summary.csv"] {
        fs::copy(from.join(file), to.join(file)).expect("copied");
    }
}

/// Marks a run as measured on an idle machine: comparisons of runs on a busy one are
/// inconclusive, and tests run concurrently.
pub fn calm(run: &Path) {
    edit(run, |row| row.flags = row.flags.replace(flags::DISTURBED, ""));
    edit_record(run, |record| record["environment"]["load_1min"] = 0.0.into());
}

/// Changes `run.json`.
pub fn edit_record(run: &Path, change: impl FnOnce(&mut Value)) {
    let path = run.join("run.json");
    let text = fs::read_to_string(&path).expect("readable");
    let mut record = serde_json::from_str(&text).expect("JSON");
    change(&mut record);
    fs::write(&path, format!("{record:#}\n")).expect("written");
}

/// Makes the tasks known to parts of the library that are called directly.
pub(crate) fn set_tasks() {
    harness::set_tasks(recobench::TASKS).expect("names are unique");
}

/// All tasks.
pub(crate) fn tasks() -> Vec<&'static dyn Task> {
    recobench::TASKS.iter().flat_map(|set| set.tasks).copied().collect()
}
