//! Errors of children and of paired runs.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use reports::history::HistoryError;
use reports::store::StoreError;
use text::Untrusted;

use crate::platform::{self, Exit};

/// Error that prevents or ends a paired run.
#[derive(Debug, thiserror::Error)]
pub enum PairedError {
    /// The executable can't be run at all.
    #[error("{} can't be run: {source}; {}", bench.escaped(), remedy(source))]
    Start { bench: PathBuf, source: io::Error },
    /// The executable does not know the request.
    #[error(
        "{} can't be measured in a paired run: {problem}; the protocol is there from version 0.2 on: \
         choose a later base, or compare its run with `bench compare`",
        bench.escaped()
    )]
    Incompatible { bench: PathBuf, problem: String },
    /// A side that does not fulfil a request.
    #[error("the {side} side ({}) {problem}", bench.escaped())]
    Child { side: &'static str, bench: PathBuf, problem: ChildProblem },
    /// Both sides generated data of the same name with different content.
    #[error(
        "base and new make other data of {input}: {base} and {new} (items, bytes); their times \
         can't be compared"
    )]
    OtherData { input: String, base: String, new: String },
    /// An unknown name of a base.
    #[error(
        "--against {}: no run of that name in {}, no such file, and no revision of a git \
         checkout here{hint}", name.escaped(), store.escaped()
    )]
    NoBase { name: String, store: PathBuf, hint: String },
    /// A run whose executable was not kept.
    #[error(
        "the executable that made {} was not kept in {1}: measure a base with `bench run SUITE \
         --store {1}` and accept it with `bench history accept latest --store {1}`, or name an \
         executable or a revision", run.escaped(), store.escaped()
    )]
    NotKept { run: String, store: PathBuf },
    /// A revision that can't be built.
    #[error("{} can't be built: {problem}; see the output in {}", revision.escaped(), log.escaped())]
    Build { revision: String, problem: String, log: PathBuf },
    /// A file or folder that can't be read or written.
    #[error("{}: {source}", path.escaped())]
    File { path: PathBuf, source: io::Error },
    /// Rows that can't be written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A store of runs that can't be used, or has no such run.
    #[error(transparent)]
    History(#[from] HistoryError),
    /// A run that was started by other builds.
    #[error(
        "can't go on with the run in {}: base or new is another build now; choose another folder \
         with --out", folder.escaped()
    )]
    OtherBuild { folder: PathBuf },
}

impl PairedError {
    /// Exit code for scripts.
    pub(crate) fn exit(&self) -> Exit {
        match self {
            // A base that is no longer available is not a usage error.
            PairedError::NotKept { .. } => Exit::NothingMeasured,
            PairedError::Start { source, .. } if platform::is_limit(source) => Exit::Failed,
            PairedError::NoBase { .. }
            | PairedError::Incompatible { .. }
            | PairedError::Start { .. }
            | PairedError::OtherData { .. }
            | PairedError::OtherBuild { .. } => Exit::Usage,
            PairedError::History(error) => error.into(),
            PairedError::Store(error) => error.into(),
            PairedError::Child {
                problem: ChildProblem::Died { has_plugins: true, .. }, ..
            } => Exit::WrongOutput,
            _ => Exit::Failed,
        }
    }
}

/// Advice for an executable that can't be run.
fn remedy(error: &io::Error) -> &'static str {
    if platform::is_limit(error) {
        platform::RAISE_LIMITS
    } else {
        "--against needs an executable of bench"
    }
}

/// Failure of a child to fulfil a request.
#[derive(Debug, thiserror::Error)]
pub enum ChildProblem {
    /// It ended during the request; `said` has its last lines. With plugins loaded, one of them is
    /// the cause.
    #[error("ended when it was asked to {task}: {said}")]
    Died { task: String, said: String, has_plugins: bool },
    /// It does not respond.
    #[error("did not {task} within {}: it was ended", humantime::format_duration(*limit))]
    Hung { task: String, limit: Duration },
    /// It reports that it can't.
    #[error("can't {task}: {problem}")]
    Refused { task: String, problem: String },
}
