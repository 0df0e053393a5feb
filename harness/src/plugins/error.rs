//! Errors of plugins.

use std::io;
use std::path::PathBuf;

use algorithms::device::TeamError;
use algorithms::plugin::PluginError;
use text::Untrusted;

use crate::platform::Exit;

/// Reason for not using a plugin at all.
#[expect(missing_docs, reason = "messages say what fields are")]
#[derive(Debug, thiserror::Error)]
pub enum PluginFailure {
    /// A file that can't be read.
    #[error("plugin {}: {problem}; --plugin takes a shared library", path.escaped())]
    Unreadable { path: PathBuf, problem: String },
    /// The file is not a plugin, or not one for this version; found in the trial process.
    #[error("{0}")]
    Refused(String),
    /// The file is not a plugin, or conflicts with another one.
    #[error(transparent)]
    Unusable(#[from] PluginError),
    /// The plugin crashed or hung during loading.
    #[error("plugin {}: it {problem}; nothing was measured", path.escaped())]
    Crashed { path: PathBuf, problem: String },
    /// Threads that can't be started.
    #[error(transparent)]
    Team(#[from] TeamError),
    /// A trial that can't write its report.
    #[error("standard output: {0}")]
    Output(#[from] io::Error),
    /// The trial process can't be started.
    #[error("{} can't be started to try a plugin: {source}", bench.escaped())]
    NoTrial { bench: PathBuf, source: io::Error },
}

impl PluginFailure {
    /// Exit code for scripts.
    pub(crate) fn exit(&self) -> Exit {
        match self {
            PluginFailure::Unreadable { .. }
            | PluginFailure::Refused(_)
            | PluginFailure::Unusable(_) => Exit::Usage,
            PluginFailure::Crashed { .. } => Exit::WrongOutput,
            _ => Exit::Failed,
        }
    }
}
