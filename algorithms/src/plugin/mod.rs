//! Variants from shared libraries: `docs/plugin.md`.
//!
//! | module | holds |
//! |---|---|
//! | `abi` | the interface in C |
//! | `library`, `table` | a library, and what it says that it has |
//! | `loaded` | the plugins of this process |
//! | `instance` | a variant that is ready for an input: the calls |
//! | `host` | what plugins are offered during calls |
//! | `calls` | who is called right now, for those who watch |
//! | `guarded`, `resident` | memory that shows what plugins do to it |
//! | `baseline` | the plugin with the variants of NVIDIA's CUB |
//!
//! Nothing here protects the process from a plugin that crashes: the harness tries
//! each in a process of its own first, and watches the calls.

pub(crate) mod abi;
pub mod baseline;
mod calls;
mod error;
pub(crate) mod guarded;
mod host;
pub(crate) mod instance;
mod library;
mod loaded;
pub(crate) mod resident;
mod table;

pub use calls::{Call, Watch, set_watch};
pub use error::PluginError;
pub use loaded::{Condemnation, PluginInfo, any_for, condemn, load, plugins};

pub(crate) use loaded::{Buffers, Functions, LoadedVariant, Waiting, variants_of};
