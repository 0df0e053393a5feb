//! Errors of a store of runs.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use text::{SENTENCE, Untrusted};

use super::{Elsewhere, Series};
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
    pub(super) fn is_unreadable(&self) -> bool {
        matches!(self, HistoryError::Io { .. } | HistoryError::Run(StoreError::Io { .. }))
    }

    /// Error of writing.
    pub(super) fn io(path: &Path, source: io::Error) -> Self {
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

    pub(super) fn format(path: &Path, problem: impl ToString) -> Self {
        HistoryError::Format { path: path.to_owned(), problem: problem.to_string() }
    }

    /// Adds the folder of the run, which is valid, if the error is one of the store.
    pub(super) fn not_stored(self, run: &Path) -> Self {
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
