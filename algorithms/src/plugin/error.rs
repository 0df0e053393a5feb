//! Errors of plugins.

use std::path::PathBuf;

use text::Untrusted;

use super::abi::{ABI, OLDEST_ABI};
use crate::device::Backend;

/// A library that is not a usable plugin. See `docs/plugin.md`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("plugin {}: {problem}", path.escaped())]
pub struct PluginError {
    /// The file.
    pub path: PathBuf,
    /// Problem.
    pub problem: PluginProblem,
}

/// Reason why a library can't be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PluginProblem {
    /// No such file, not a library, or one for another machine, as the system reports it; or an
    /// invalid table.
    #[error("{0}")]
    Unusable(String),
    /// Functions that every plugin has are missing.
    #[error(
        "it lacks {}; a plugin exports recobench_plugin_abi and recobench_plugin: see recobench.h",
        _0.join(" and ")
    )]
    MissingSymbols(Vec<&'static str>),
    /// Built for another version of the interface.
    #[error(
        "made for version {0} of recobench.h, and this bench has version {ABI} and runs those from {OLDEST_ABI} on; compile it with the header of this bench"
    )]
    OtherVersion(u32),
    /// A variant whose name is taken.
    #[error(
        "its variant \"{name}\" ({task}, {backend}) has the name of one {other}; rename one of them"
    )]
    NameTaken {
        /// The task.
        task: String,
        /// The backend.
        backend: Backend,
        /// The name.
        name: String,
        /// Owner of the other variant: `of libother.so`, `that bench has itself`.
        other: String,
    },
    /// A variant that is to be compared with a missing one.
    #[error(
        "its variant {} is to be compared with {} of {task}, which bench does not have in CUDA; {}",
        name.quoted(),
        native.quoted(),
        instead_of_native(known)
    )]
    NoNative {
        /// The task.
        task: String,
        /// The variant.
        name: String,
        /// Name of the variant to compare with.
        native: String,
        /// Variants that it could be compared with.
        known: Vec<&'static str>,
    },
}

fn instead_of_native(known: &[&str]) -> String {
    match known {
        [] => "it has no such variants; set native to NULL".to_owned(),
        known => format!("native can be {}", known.join(", ")),
    }
}

impl From<String> for PluginProblem {
    fn from(problem: String) -> Self {
        PluginProblem::Unusable(problem)
    }
}
