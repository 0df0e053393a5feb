//! Variants of plugins, run for tasks.
//!
//! | module | holds |
//! |---|---|
//! | `task` | what a task says to take plugins |
//! | `layout`, `lists` | the same of tasks whose input is arrays, or lists in them |
//! | `variant` | variants of plugins among those of a task |
//! | `session` | a variant that is ready for an input, of whatever task |
//! | `instance`, `host` | its calls, and what it is offered during calls |
//! | `held` | its buffers, and the copies of a run |
//! | `buffer`, `guarded` | memory that shows what plugins do to it |
//! | `account` | the memory that a plugin takes, against what it says |

mod account;
mod buffer;
#[cfg(test)]
pub(crate) mod compiled;
mod guarded;
mod held;
mod host;
mod instance;
mod layout;
mod lists;
mod session;
mod task;
mod variant;

pub(crate) use layout::Layout;
pub(crate) use lists::{InputLists, OutputLists};
pub(crate) use task::{
    Addresses, Array, Asked, Description, Figures, PluginTask, Room, Shown, Upload, changed_at_byte,
};
pub(crate) use variant::{of_baseline, variants};
