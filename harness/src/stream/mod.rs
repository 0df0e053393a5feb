//! Timeslices that come when they are due, whether anybody is ready or not: an open loop, processed
//! by several processes.
//!
//! The source is a thread of this process; workers are its direct children. Timeslices lie in
//! memory that all share; what goes to a worker is a number, and what comes back is when it began
//! and ended.
//!
//! | module | holds |
//! |---|---|
//! | `plan` | what runs where |
//! | `memory` | whether it fits into memory |
//! | `data` | the timeslices that are prepared, with their right answers |
//! | `ring` | the same in shared memory |
//! | `protocol` | what is said to workers, and what they say |
//! | `worker` | what a worker does |
//! | `job` | a timeslice that it is ready for |
//! | `hits_file` | hits as files |
//! | `workers` | all of them: started, listened to, ended |
//! | `begin` | when a speed begins, by itself or with other nodes |
//! | `schedule` | when timeslices are due, and which ones they are |
//! | `ledger` | what becomes of each: a book without clocks, threads or processes |
//! | `desk` | the ledger for all threads, with the ways to the workers |
//! | `source` | emits timeslices when they are due |
//! | `speed` | one speed, from its first timeslice to the last result |
//! | `live` | what others are told of it while it runs |
//! | `limit` | the highest speed that is kept up |
//! | `tally` | a ledger as rows |
//! | `session` | a run: folder, and one device and speed after the other |

mod begin;
mod check_budget;
mod data;
mod desk;
mod hits_file;
mod job;
mod ledger;
mod limit;
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
mod variants;
mod worker;
mod workers;

use std::io;
use std::path::PathBuf;

use text::Foreign;

use crate::measure::MeasureError;
use crate::platform::{Exit, RAISE_LIMITS};

pub(crate) use live::LiveError;
pub(crate) use plan::Planned;
pub(crate) use session::Session;
pub(crate) use worker::{SUBCOMMAND, work};

/// Why a stream ended before its time, or did not begin.
#[derive(Debug, thiserror::Error)]
pub enum StreamError {
    /// Data, folders, charts.
    #[error(transparent)]
    Measure(#[from] MeasureError),
    /// A worker that can't be started.
    #[error("a worker can't be started: {0}; use fewer --processes, or {RAISE_LIMITS}")]
    Start(io::Error),
    /// The system gives no thread for the source of timeslices.
    #[error("timeslices can't be emitted, as the system gives no thread: {0}")]
    Source(io::Error),
    /// Hits can't be written.
    #[error("{}: {source}", path.shown())]
    Hits {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Nobody can be told of the stream as it was asked for.
    #[error(transparent)]
    Live(#[from] LiveError),
    /// The timeslices are in no memory that can be shared.
    #[error("timeslices can't be put into shared memory: {0}; use a smaller --ring or --scale")]
    Memory(io::Error),
}

impl StreamError {
    /// The exit code that tells scripts.
    pub(crate) fn exit(&self) -> Exit {
        match self {
            StreamError::Measure(error) => error.exit(),
            _ => Exit::Failed,
        }
    }
}
