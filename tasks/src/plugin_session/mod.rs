//! Variants of plugins, run for tasks.
//!
//! | module | holds |
//! |---|---|
//! | `task` | interface of tasks that take plugins |
//! | `layout` | its implementation for tasks whose input is arrays, or lists in them |
//! | `variant` | variants of plugins in the list of a task |
//! | `session` | a variant that is prepared for an input of any task |
//! | `instance`, `host` | its calls, and the services during calls |
//! | `plugin_buffers` | its buffers, and the copies of a run |
//! | `buffer` | memory that detects writes out of bounds |
//! | `library_task` | tasks that a library brings |
//! | `account` | the memory of a plugin, compared with its declaration |

mod account;
mod buffer;
mod host;
mod instance;
mod layout;
mod library_task;
mod plugin_buffers;
mod session;
mod task;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
mod variant;

pub use layout::{Layout, OutputLists};
pub(crate) use library_task::{self_check, wrap};
pub use task::{
    AbiInput, Addresses, Array, Description, Figures, OutputSpec, PluginRequest, PluginTask,
    Upload, changed_at_byte,
};
pub use variant::{of_baseline, variants};
