//! Paired runs: two executables, sampled alternately.
//!
//! Each is a child process, which generates the inputs and takes a few samples of a point on
//! request. A coordinator alternates between them (base, new, new, base, …), so that drifts affect
//! both sides of a round equally; restarts both from time to time, so that no verdict depends on
//! the memory layout of one process; and stops each point once its rounds allow a verdict.
//!
//! | module | does |
//! |---|---|
//! | `protocol` | requests and responses of children: a contract |
//! | `child` | starts a child, sends requests, and detects when it dies or hangs |
//! | `points` | points of a suite, input by input |
//! | `serve` | main loop of a child |
//! | `paired_points` | order of the blocks of samples, and the stopping rule of a point |
//! | `against` | specification of a paired run, plugins of its sides |
//! | `session`, `blocks` | two children, and the results of their blocks |
//! | `folders` | run folders of both sides |
//! | `base` | finds, or builds from a git checkout, the base executable |

mod against;
pub(crate) mod base;
mod blocks;
mod child;
mod error;
mod folders;
mod paired_points;
pub(crate) mod points;
pub(crate) mod protocol;
mod serve;
mod session;

pub(crate) use against::{Against, Executable, PairedResult, SidePlugins};
pub use error::PairedError;
pub use serve::ServeError;
pub(crate) use serve::serve;
pub(crate) use session::measure;
