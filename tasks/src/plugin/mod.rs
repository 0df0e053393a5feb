//! Shared libraries with variants and tasks: `docs/plugin.md`.
//!
//! | module | holds |
//! |---|---|
//! | `abi`, `task_abi` | the interface in C: of variants, and of tasks |
//! | `hooks` | an observer of calls, and the limit of memory |
//! | `loaded_variant` | a plugin, a variant of one, and what it may declare |
//! | `table` | the table of variants of a library |
//! | `loaded_task`, `task_table` | a task of a library, read from its table |
//! | `task_problem` | reasons why such a task can't be used |
//! | `loaded` | the libraries that are plugins of this process |
//! | `baseline` | the plugin with the variants of NVIDIA's libraries |
//!
//! Nothing here depends on tasks: `plugin_session` runs variants, and `registry` loads plugins in
//! addition to the built-in variants. Nor does anything protect the process from a plugin that
//! crashes: the harness tries each in a separate process first, and watches the calls.

pub mod abi;
pub mod baseline;
pub(crate) mod hooks;
pub(crate) mod loaded;
pub(crate) mod loaded_task;
pub(crate) mod loaded_variant;
mod table;
pub(crate) mod task_abi;
mod task_problem;
mod task_table;

pub use hooks::{Call, Watch, set_available_memory, set_watch};
pub use loaded::{PluginError, PluginProblem, any_for, plugins, quarantine};
pub use loaded_variant::{Contract, PluginInfo, PluginKind, PluginVariant, Quarantine, Stable};
pub use table::check_name;
pub use task_problem::{TaskError, TaskProblem};
