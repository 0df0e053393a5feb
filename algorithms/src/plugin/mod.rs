//! Variants from shared libraries: `docs/plugin.md`.
//!
//! | module | holds |
//! |---|---|
//! | `abi` | the interface in C |
//! | `library`, `table` | a library, and what it says that it has |
//! | `loaded` | the plugins of this process |
//! | `variant` | variants of plugins among those of a task |
//! | `instance` | a variant that is ready for an input: the calls |
//! | `on_host`, `on_gpu` | what such a variant has, whatever its task |
//! | `refused` | a variant that is not to be called |
//! | `host` | what plugins are offered during calls |
//! | `calls` | who is called right now, for those who watch |
//! | `guarded` | memory that shows what plugins do to it |
//! | `account`, `resident` | the memory that a plugin takes, against what it says |
//! | `baseline` | the plugin with the variants of NVIDIA's libraries |
//!
//! Nothing here protects the process from a plugin that crashes: the harness tries
//! each in a process of its own first, and watches the calls.

pub(crate) mod abi;
mod account;
pub mod baseline;
mod calls;
#[cfg(test)]
pub(crate) mod compiled;
mod error;
pub(crate) mod guarded;
mod host;
pub(crate) mod instance;
mod library;
mod loaded;
pub(crate) mod on_gpu;
pub(crate) mod on_host;
mod refused;
mod resident;
mod table;
mod variant;

pub use calls::{Call, Watch, set_watch};
pub use error::PluginError;
pub use loaded::{Condemnation, PluginInfo, any_for, condemn, load, plugins};

pub(crate) use loaded::{Buffers, Functions, LoadedVariant, Waiting, variants_of};
pub(crate) use variant::{PluginTask, PluginVariant, Ready, variants};
