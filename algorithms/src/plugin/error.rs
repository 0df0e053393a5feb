//! What can be wrong with a plugin.

use std::path::PathBuf;

use super::abi::ABI;
use crate::device::Backend;

/// A library that is no plugin that can be used. See `docs/plugin.md`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PluginError {
    /// No such file, no library, or one for another machine.
    #[error("plugin {}: {problem}", path.display())]
    NotALibrary {
        /// The file.
        path: PathBuf,
        /// What the system says.
        problem: String,
    },
    /// Functions that every plugin has are missing.
    #[error(
        "plugin {}: it lacks {}; a plugin exports recobench_plugin_abi and recobench_plugin: see recobench.h",
        path.display(), symbols.join(" and ")
    )]
    MissingSymbols {
        /// The file.
        path: PathBuf,
        /// The functions.
        symbols: Vec<&'static str>,
    },
    /// Made for another version of the interface.
    #[error(
        "plugin {}: made for version {found} of recobench.h, and this bench has version {ABI}; compile it with the header of this bench",
        path.display()
    )]
    OtherVersion {
        /// The file.
        path: PathBuf,
        /// The version.
        found: u32,
    },
    /// A table that can't be as it is.
    #[error("plugin {}: {problem}", path.display())]
    Table {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where.
        problem: String,
    },
    /// A variant whose name is taken.
    #[error(
        "plugin {}: its variant \"{name}\" ({task}, {backend}) has the name of one {other}; rename one of them",
        path.display()
    )]
    NameTaken {
        /// The file.
        path: PathBuf,
        /// The task.
        task: String,
        /// The backend.
        backend: Backend,
        /// The name.
        name: String,
        /// Whose the other one is: `of libother.so`, `that bench has itself`.
        other: String,
    },
}
