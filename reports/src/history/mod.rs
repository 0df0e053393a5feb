//! The store of runs: a folder that other tools can read.
//!
//! | path | content |
//! |---|---|
//! | `store.json` | marks the folder as a store, with its version |
//! | `runs/<id>/` | a run folder, and `stored.json`: when it was added |
//! | `accepted/<series>.json` | the accepted run of a series, and earlier ones |
//! | `machine-keys.json` | keys of earlier versions, with current ones |
//! | `selftest/<machine>.json` | error rates of comparisons on a machine |
//! | `executables/<fingerprint>` | executables of runs |
//! | `plugins/<fingerprint>/` | plugins of runs |
//! | `incoming/`, `trash/` | files being written or deleted |
//! | `lock` | locked by the process that writes |
//!
//! Files and folders appear and disappear by one rename, after their bytes are on disk, so that
//! killing the process at any moment leaves all or nothing. `docs/history.md` is the contract with
//! other tools.

mod add;
mod attachments;
mod check;
mod list;
mod listing;
mod marks;
mod resolve;
mod retention;
mod series;
mod store;
mod stored;

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

pub use add::{Added, Unfinished};
pub use list::{Entry, Filter};
pub use resolve::{BaselineState, Elsewhere};
pub use retention::Retention;
pub use series::Series;
pub(crate) use series::safe_name;
pub use store::Store;
pub(crate) use store::short_hash;
pub use stored::StoredRun;

use text::{SENTENCE, Untrusted};

use crate::store::StoreError;

/// Error of a store, or of a run that can't be stored or found.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the variants say what they hold")]
pub enum HistoryError {
    /// There is no store.
    #[error("there is no store of runs in {folder}; `bench history add RUN --store {folder}` \
        creates one", folder = .0.escaped())]
    Missing(PathBuf),
    /// Not a store.
    #[error("{} is neither a store of runs nor empty; choose another folder with --store", .0.escaped())]
    NotAStore(PathBuf),
    /// A self-test of another version of the comparison: the file, its version and the known one.
    #[error("{}: schema version {found} is older than version {known}; run `bench selftest` again", path.escaped())]
    OldSelfTest { path: PathBuf, found: u32, known: u32 },
    /// A run folder that can't be read.
    #[error(transparent)]
    Run(#[from] StoreError),
    /// The run has no results.
    #[error("{}: an empty run: no row is valid, so there is nothing to store", .0.escaped())]
    Empty(PathBuf),
    /// The run is not finished.
    #[error("{}: the run is not finished; wait for it, or add it with --unfinished if it was \
        killed", .0.escaped())]
    Unfinished(PathBuf),
    /// The files changed while they were copied.
    #[error("{}: the files changed while they were read; add the run again when it has ended", .0.escaped())]
    Changed(PathBuf),
    /// No run has that name; similar names are listed.
    #[error("no run {} in the store{}", name.quoted(), hint("; did you mean", near))]
    Unknown { name: String, near: Vec<String> },
    /// Several runs match that name.
    #[error("{} matches more than one run{}", name.quoted(), hint(":", candidates))]
    Ambiguous { name: String, candidates: Vec<String> },
    /// The series has no baseline.
    #[error("no run of {0} is accepted yet; `bench history accept RUN` marks one")]
    NoneAccepted(Series),
    /// Several series have a baseline.
    #[error("more than one series has an accepted run; name the run instead{}", hint(":", .0))]
    WhichSeries(Vec<String>),
    /// An unfinished run can't be a baseline.
    #[error(
        "{} is unfinished: later runs would have points without a baseline; accept a finished run",
        .0.escaped()
    )]
    NotFinished(String),
    /// A run that can't be a baseline, with the reason.
    #[error("{} can't be accepted: it {problem}", id.escaped())]
    NotAcceptable { id: String, problem: String },
    /// The suite has no baseline on this machine, but had one on another.
    #[error(
        "{0}; no run is accepted automatically where the suite is known: `bench history accept \
         RUN` accepts a run of this machine"
    )]
    BaselineElsewhere(Box<Elsewhere>),
    /// The run is not the baseline.
    #[error("{} is not accepted, so there is nothing to revoke", .0.escaped())]
    NotAccepted(String),
    /// A stored run whose files have changed, with the problem.
    #[error(
        "{} is damaged in the store: {}; if its run folder is still there, add it again",
        id.escaped(), problem.escaped().at_most(SENTENCE)
    )]
    Damaged { id: String, problem: String },
    /// A stored run that can't be read although it may be intact, with the error of the system.
    #[error("{} in the store: {}", id.escaped(), problem.escaped().at_most(SENTENCE))]
    Unreadable { id: String, problem: String },
    /// A damaged file of the store, with the problem.
    #[error(
        "{}: {}; restore a copy of the file, or delete it",
        path.escaped(), problem.escaped().at_most(SENTENCE)
    )]
    Format { path: PathBuf, problem: String },
    /// Error of the operating system: the file or folder, the error, and a remedy if one is known.
    #[error("{}: {source}{remedy}", path.escaped())]
    Io { path: PathBuf, source: io::Error, remedy: &'static str },
    /// A valid run that could not be stored: its folder, and the error.
    #[error("{source}; the store is unchanged, the run is still in {}", run.escaped())]
    NotStored { run: PathBuf, source: Box<HistoryError> },
}

impl HistoryError {
    /// True if a file exists that can't be read at the moment, although it may be intact.
    fn is_unreadable(&self) -> bool {
        matches!(self, HistoryError::Io { .. } | HistoryError::Run(StoreError::Io { .. }))
    }

    /// Error of writing.
    fn io(path: &Path, source: io::Error) -> Self {
        let remedy = match source.kind() {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => {
                "; free space (`bench history prune --keep 100` with this --store), or choose \
                 another store with --store"
            }
            ErrorKind::ReadOnlyFilesystem | ErrorKind::PermissionDenied => {
                "; make the store writable, or choose another one with --store"
            }
            _ => "",
        };
        HistoryError::Io { path: path.to_owned(), source, remedy }
    }

    fn format(path: &Path, problem: impl ToString) -> Self {
        HistoryError::Format { path: path.to_owned(), problem: problem.to_string() }
    }

    /// Adds the folder of the run, which is valid, if the error is one of the store.
    fn not_stored(self, run: &Path) -> Self {
        match self {
            HistoryError::Io { .. } => {
                HistoryError::NotStored { run: run.to_owned(), source: Box::new(self) }
            }
            error => error,
        }
    }
}

fn hint(words: &str, names: &[String]) -> String {
    if names.is_empty() {
        return String::new();
    }
    let names: Vec<_> = names.iter().map(|name| name.escaped().to_string()).collect();
    format!("{words} {}", names.join(", "))
}

/// Helpers of the tests of the store.
#[cfg(test)]
pub(crate) mod testing {
    use std::path::{Path, PathBuf};

    use super::{Added, Entry, Filter, Store, Unfinished};
    use crate::charts::fixture;
    use crate::record::{RunRecord, SampleRow, SummaryRow};
    use crate::store::RunFolder;

    /// A temporary folder.
    pub fn folder() -> tempfile::TempDir {
        tempfile::tempdir().expect("a temporary folder")
    }

    /// A finished run; the seed makes it differ from others.
    pub fn record(seed: u64) -> RunRecord {
        let finished = Some("2026-01-01T00:01:00Z".to_owned());
        RunRecord { seed, finished, machine_key: "00ff".into(), ..fixture::run() }
    }

    /// A finished run of another machine.
    pub fn elsewhere(seed: u64) -> RunRecord {
        RunRecord { machine_key: "11".into(), ..record(seed) }
    }

    /// A valid row of a variant.
    pub fn row(variant: &str) -> SummaryRow {
        fixture::row(variant, "digis=1000", 0.001)
    }

    /// Writes a run with a row and a sample for each of these summaries.
    pub fn write(folder: &Path, record: &RunRecord, rows: &[SummaryRow]) {
        let mut run = RunFolder::create(folder, record).expect("created");
        for row in rows {
            let sample = SampleRow::new(&row.point(), "total", 0, 0, 0.001);
            run.append_samples(&[sample]).expect("written");
        }
        run.append_summary(rows).expect("written");
    }

    /// A store with the folders of the runs that were added.
    pub struct TestStore {
        pub folder: tempfile::TempDir,
        pub store: Store,
    }

    impl TestStore {
        pub fn new() -> Self {
            let folder = folder();
            let store = Store::create_or_open(&folder.path().join("store")).expect("made");
            TestStore { folder, store }
        }

        /// Folder of a run before it is added.
        pub fn source(&self, name: &str) -> PathBuf {
            self.folder.path().join(name)
        }

        /// All runs, the one added last first.
        pub fn list(&self) -> Vec<Entry> {
            self.store.list(&Filter::default()).expect("listed")
        }

        /// Adds a run, and returns its id.
        pub fn add(&self, record: &RunRecord) -> String {
            let folder = self.source(&format!("seed-{}", record.seed));
            write(&folder, record, &[row("std-stable")]);
            match self.store.add(&folder, Unfinished::Refuse) {
                Ok(Added::New(id)) => id,
                other => panic!("not added: {other:?}"),
            }
        }
    }
}
