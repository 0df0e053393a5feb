//! Two executables measured in turn.
//!
//! Each is a child of its own, which makes the inputs, and takes a few samples of a point
//! whenever it is asked. A coordinator has them take turns (base, new, new, base, …), so that
//! whatever drifts is common to both sides of a round, starts both anew now and then, so that
//! no verdict rests on where things lie in the memory of one process, and stops each point once
//! its rounds say enough.
//!
//! | module | does |
//! |---|---|
//! | `protocol` | what the children are asked, and answer: a contract |
//! | `child` | starts a child, asks it, and notices when it dies or hangs |
//! | `points` | the points of a suite, input by input |
//! | `serve` | what a child does |
//! | `turns` | the order of visits, and when a point has enough of them |
//! | `against` | what is measured against what |
//! | `session`, `visits` | two children, and what comes of their visits |
//! | `folders` | the run folders of both sides |
//! | `side_plugins` | the plugins that a side is measured with |
//! | `base` | finds, or builds, the executable to compare with |
//! | `checkout` | the git checkout whose revisions are bases |

mod against;
pub(crate) mod base;
mod checkout;
mod child;
mod error;
mod folders;
pub(crate) mod points;
pub(crate) mod protocol;
mod serve;
mod session;
mod side_plugins;
mod turns;
mod visits;

pub(crate) use against::{Against, DuetOutcome, Executable};
pub use error::{ChildProblem, DuetError};
pub use serve::ServeError;
pub(crate) use serve::serve;
pub(crate) use session::measure;
pub(crate) use side_plugins::SidePlugins;
