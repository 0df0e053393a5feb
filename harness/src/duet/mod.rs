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
//! | `turns` | the order of visits, and when a point has enough of them |
//! | `session` | two run folders, and what goes into them |
//! | `base` | finds, or builds, the executable to compare with |

pub(crate) mod base;
mod child;
mod error;
pub(crate) mod points;
pub(crate) mod protocol;
mod session;
mod turns;

pub use error::DuetError;
pub(crate) use session::{Against, DuetOutcome, Executable, measure};
