//! Streams of events side by side: what they get done in a window of time, and how long an event
//! takes.
//!
//! A stream is a team of threads of its own with buffers of its own, on a GPU with a queue of its
//! own, which takes the events of its batch in turn, each as soon as the one before is done: a
//! closed loop. All streams run from before the window until after it.
//!
//! | module | holds |
//! |---|---|
//! | `plan` | which points, and whether their events fit into memory |
//! | `places` | the CPUs of each stream's threads, near its GPU if it has one |
//! | `gpus` | a GPU for each stream, all in one context of the driver |
//! | `events` | the events of all streams |
//! | `point` | one point: streams made ready, checked, run, and checked again |
//! | `window` | when all are warm, and when it is over |
//! | `stream` | what a stream does |
//! | `tally` | events → rates and quantiles |
//! | `links` | what the links of several GPUs carry at the same time |
//! | `ceilings` | what the machine can do at most, and shares of that |
//! | `apart` | the same by several processes |
//! | `session` | a run: folder, ceilings, and one point after the other |

mod apart;
mod ceilings;
mod events;
mod gpus;
mod links;
mod places;
mod plan;
mod point;
mod session;
mod stream;
mod tally;
#[cfg(test)]
mod tests;
mod window;

pub(crate) use apart::{SUBCOMMAND, opening, refuse, work};
pub(crate) use gpus::StreamGpus;
pub(crate) use links::Links;
pub(crate) use places::team_specs;
pub(crate) use plan::{StreamPlan, others_problem};
pub(crate) use session::{Outcome, Session};
