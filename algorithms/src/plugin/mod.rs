//! Variants from shared libraries: `docs/plugin.md`.
//!
//! | module | holds |
//! |---|---|
//! | `abi` | the interface in C |
//! | `calls` | who is called right now, for those who watch |
//! | `loaded_variant` | a plugin, and a variant of one |
//! | `library`, `table` | a library, and what it says that it has |
//! | `loaded` | the plugins of this process |
//! | `baseline` | the plugin with the variants of NVIDIA's libraries |
//! | `task` | what a task says to take plugins |
//! | `variant` | variants of plugins among those of a task |
//! | `session` | a variant that is ready for an input, of whatever task |
//! | `instance`, `host` | its calls, and what it is offered during calls |
//! | `held` | its buffers, and the copies of a run |
//! | `buffer`, `guarded` | memory that shows what plugins do to it |
//! | `account` | the memory that a plugin takes, against what it says |
//!
//! Nothing here protects the process from a plugin that crashes: the harness tries
//! each in a process of its own first, and watches the calls.

pub(crate) mod abi;
mod account;
pub mod baseline;
mod buffer;
mod calls;
#[cfg(test)]
pub(crate) mod compiled;
mod error;
mod guarded;
mod held;
mod host;
mod instance;
mod library;
mod loaded;
mod loaded_variant;
mod session;
mod table;
mod task;
mod variant;

pub use calls::{Call, Watch, set_watch};
pub use error::PluginError;
pub use loaded::{any_for, condemn, load, plugins};
pub use loaded_variant::{Condemnation, PluginInfo};

pub(crate) use loaded_variant::PluginVariant;
pub(crate) use task::{
    Addresses, Array, Description, Figures, PluginTask, Shown, Upload, changed_at_byte,
};
pub(crate) use variant::variants;
