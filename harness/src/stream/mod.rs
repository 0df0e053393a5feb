//! Open-loop streams: timeslices arrive when they are due, regardless of the state of the workers,
//! and are processed by several processes.
//!
//! The source is a thread of this process; workers are its direct children. Timeslices are in
//! shared memory; a worker receives an index, and returns when it started and finished.
//!
//! | module | holds |
//! |---|---|
//! | `plan` | devices, workers and CPUs |
//! | `memory` | memory estimate |
//! | `data` | prepared timeslices with their reference results |
//! | `ring` | prepared timeslices in shared memory |
//! | `protocol` | messages between this process and workers |
//! | `worker` | main loop of a worker |
//! | `workers` | start, listeners and end of all workers |
//! | `schedule` | start of a speed, alone or with other nodes; due times and choice of timeslices |
//! | `timeslice_log` | log of timeslices, independent of clocks, threads and processes |
//! | `timeslice_record` | records of timeslices, their counts, and changes since the last update |
//! | `dispatcher` | dispatcher: the log and the workers' input pipes, for all threads |
//! | `source` | emission of timeslices when they are due |
//! | `speed` | one speed, from its first timeslice to the last result |
//! | `live` | live monitoring |
//! | `tally` | conversion of a log to rows |
//! | `session` | a run: folder, and one device and speed after the other |

mod data;
mod dispatcher;
mod live;
mod memory;
mod plan;
mod protocol;
mod ring;
mod schedule;
mod session;
mod source;
mod speed;
mod tally;
mod timeslice_log;
mod timeslice_record;
mod worker;
mod workers;

use std::io;
use std::path::PathBuf;

use text::Untrusted;

use crate::measure::MeasureError;
use crate::platform::{Exit, RAISE_LIMITS};
pub(crate) use live::LiveError;
pub(crate) use plan::Planned;
pub(crate) use session::Session;
pub(crate) use worker::{SUBCOMMAND, work};

/// Error that ended a stream early or prevented its start.
#[derive(Debug, thiserror::Error)]
pub enum StreamError {
    /// Error of data, folders or charts.
    #[error(transparent)]
    Measure(#[from] MeasureError),
    /// A worker that can't be started.
    #[error("a worker can't be started: {0}; use fewer --processes, or {RAISE_LIMITS}")]
    Start(io::Error),
    /// The system refuses a thread for the source of timeslices.
    #[error("timeslices can't be emitted, as the system gives no thread: {0}")]
    Source(io::Error),
    /// Results can't be written.
    #[error("{}: {source}", path.escaped())]
    Results {
        /// Folder of the results.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
    /// Live monitoring can't be started.
    #[error(transparent)]
    Live(#[from] LiveError),
    /// Shared memory can't be allocated.
    #[error(
        "timeslices can't be put into shared memory: {source}; use a smaller --ring or --{length_flag}"
    )]
    Memory {
        /// Error of the system.
        source: io::Error,
        /// Flag that makes timeslices shorter.
        length_flag: &'static str,
    },
}

impl StreamError {
    /// Exit code for scripts.
    pub(crate) fn exit(&self) -> Exit {
        match self {
            StreamError::Measure(error) => error.exit(),
            _ => Exit::Failed,
        }
    }
}
