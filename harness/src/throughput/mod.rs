//! Throughput of concurrent event streams: rates in a time window, and latencies of events.
//!
//! A stream is a team of threads with its own buffers, and on a GPU with its own queue. It
//! processes the events of its batch cyclically, each as soon as the previous one is done: a closed
//! loop. All streams run from before the window until after it. `mixed` runs streams of several
//! tasks in one window, and open loops, whose events wait until they are due.
//!
//! | module | holds |
//! |---|---|
//! | `plan` | points, and whether their events fit into memory |
//! | `placement` | CPUs of each stream's threads, near its GPU if it has one, and a handle of that |
//! | `prepared` | streams prepared, checked, run, and checked again |
//! | `point` | one point: its streams for a window, and its row |
//! | `failure` | reasons for points to have no figures |
//! | `window` | warm-up, start and end of the window, CPU utilisation and power in it |
//! | `stream` | events of all streams, and the main loop of a stream |
//! | `schedule` | due times of events of an open loop |
//! | `tally` | events → rates and quantiles |
//! | `links` | concurrent bandwidth of the links of several GPUs |
//! | `ceilings` | bandwidth limits, and the fractions of them that are reached |
//! | `multiprocess` | streams driven by several processes |
//! | `session` | a run: folder, ceilings, and one point after the other |

mod ceilings;
mod failure;
mod links;
mod multiprocess;
mod placement;
mod plan;
mod point;
mod prepared;
mod schedule;
mod session;
mod stream;
mod tally;
mod window;

pub(crate) use ceilings::{Ceilings, EventGpuMetrics};
pub(crate) use failure::PointFailure;
pub(crate) use links::{LinkLoad, Links, LinksError};
pub(crate) use multiprocess::{SUBCOMMAND, opening, refuse, work};
pub(crate) use placement::{StreamGpus, StreamTeam, stream_specs, team_specs};
pub(crate) use plan::{PointSpec, StreamPlan, others_problem};
pub(crate) use prepared::{
    ScheduledStream, Stream, StreamParts, WorkSummary, after_window, check_each, prepare, remarks,
    run_each,
};
pub(crate) use schedule::Schedule;
pub(crate) use session::{Session, ThroughputResult};
pub(crate) use stream::{Batch, Event, Events};
pub(crate) use tally::Tally;
pub(crate) use window::{Clock, Window, WindowStats, watch, with_warm_up};

#[cfg(test)]
pub(crate) mod tests;
