//! Plugins that can't be used.

use std::io;
use std::path::PathBuf;

use algorithms::device::TeamError;
use algorithms::plugin::PluginError;
use text::Foreign;

use crate::platform::Exit;

/// Why a plugin is not used at all.
#[expect(missing_docs, reason = "messages say what fields are")]
#[derive(Debug, thiserror::Error)]
pub enum PluginFailure {
    /// A file that can't be read.
    #[error("plugin {}: {problem}; --plugin takes a shared library", path.shown())]
    Unreadable { path: PathBuf, problem: String },
    /// It is no plugin, or not one for this bench: seen in another process.
    #[error("{0}")]
    Refused(String),
    /// It is no plugin, or not one beside the others.
    #[error(transparent)]
    Unusable(#[from] PluginError),
    /// It crashed or hung while it was being loaded.
    #[error("plugin {}: it {problem}; nothing was measured", path.shown())]
    Crashed { path: PathBuf, problem: String },
    /// Threads that can't be had.
    #[error(transparent)]
    Team(#[from] TeamError),
    /// A trial that can't write down how it goes.
    #[error("standard output: {0}")]
    Output(#[from] io::Error),
    /// The process that tries plugins can't be started.
    #[error("{} can't be started to try a plugin: {source}", bench.shown())]
    NoTrial { bench: PathBuf, source: io::Error },
}

impl PluginFailure {
    /// The exit code that tells scripts.
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
