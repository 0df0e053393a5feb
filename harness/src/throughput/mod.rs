//! Throughput of concurrent event streams: rates in a time window, and latencies of events.
//!
//! A stream is a team of threads with its own buffers, and on a GPU with its own queue. It
//! processes the events of its batch cyclically, each as soon as the previous one is done: a closed
//! loop. All streams run from before the window until after it.
//!
//! | module | holds |
//! |---|---|
//! | `plan` | points, and whether their events fit into memory |
//! | `placement` | CPUs of each stream's threads, near its GPU if it has one, and a handle of that |
//! | `point` | one point: streams prepared, checked, run, and checked again |
//! | `failure` | reasons for points to have no figures |
//! | `window` | warm-up, start and end of the window, CPU utilisation and power in it |
//! | `stream` | events of all streams, and the main loop of a stream |
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
mod session;
mod stream;
mod tally;
mod window;

pub(crate) use links::Links;
pub(crate) use multiprocess::{SUBCOMMAND, opening, refuse, work};
pub(crate) use placement::{StreamGpus, team_specs};
pub(crate) use plan::{StreamPlan, others_problem};
pub(crate) use session::{Session, ThroughputResult};

#[cfg(test)]
mod tests;
