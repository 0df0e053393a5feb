//! Loads that run concurrently on one node: each alone, all pairs, all together, and each with
//! background loads.
//!
//! All loads are prepared once, with their own threads, buffers and queues, and keep them for all
//! windows, so that configurations differ only in what runs. Windows are those of `throughput`.
//!
//! | module | holds |
//! |---|---|
//! | `file` | the file of the mix: loads with tasks, devices, streams and rates |
//! | `plan` | loads → plans, and whether their events fit into memory together |
//! | `background` | loads that are not tasks: arithmetic, copies of arrays, copies over a link |
//! | `configurations` | sets of loads to measure, and their order |
//! | `participants` | loads and background loads that are ready to run |
//! | `window` | one window of a configuration: rows, or the load that failed |
//! | `session` | a run: folder, ceilings, blocks of windows, results |

mod background;
mod configurations;
mod file;
mod participants;
mod plan;
mod session;
mod window;

pub(crate) use file::parse;
pub(crate) use plan::MixPlan;
pub(crate) use session::{MixedOutcome, Session};

#[cfg(test)]
mod tests;
