//! Shared libraries with variants: `docs/plugin.md`.
//!
//! | module | holds |
//! |---|---|
//! | `abi` | the interface in C |
//! | `contract` | declarations that the plugins of a task may make |
//! | `calls` | the current call, for observers |
//! | `memory_limit` | limit of the memory that plugins may request |
//! | `loaded_variant` | a plugin, and a variant of one |
//! | `library`, `table` | a library, and its table of variants |
//! | `loaded` | the plugins of this process |
//! | `baseline` | the plugin with the variants of NVIDIA's libraries |
//!
//! Nothing here depends on tasks: `plugin_session` runs variants, and `registry` loads plugins in
//! addition to the built-in variants. Nor does anything protect the process from a plugin that
//! crashes: the harness tries each in a separate process first, and watches the calls.

pub(crate) mod abi;
pub mod baseline;
pub(crate) mod calls;
pub(crate) mod contract;
mod library;
pub(crate) mod loaded;
pub(crate) mod loaded_variant;
pub(crate) mod memory_limit;
mod table;

pub use calls::{Call, Watch, set_watch};
pub use contract::Contract;
pub use library::{PluginError, PluginProblem};
pub use loaded::{any_for, plugins, quarantine};
pub(crate) use loaded_variant::PluginVariant;
pub use loaded_variant::{PluginInfo, Quarantine};
pub use memory_limit::set_available_memory;
