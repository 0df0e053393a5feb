//! Trial of a plugin in a separate process, so that a crash is harmless.
//!
//! `bench` starts itself with a hidden subcommand. The process loads the plugin, and takes a
//! variant through full cycles on the task's hard inputs, on the device and with the numbers of
//! threads that it is to be measured with. It reports each step before it starts, line by line: the
//! last line shows where it died.
//!
//! | module | holds |
//! |---|---|
//! | `child` | main function of that process |
//! | `report` | lines that it writes, and interpretation of its end |
//! | `process` | starting it, and reading its report |

mod child;
mod process;
mod report;

use std::fmt;
use std::path::Path;

use algorithms::device::Device;
use algorithms::plugin::{PluginInfo, Quarantine};

use super::PluginFailure;
pub(crate) use report::Event;
use report::{Problem, ProblemKind};

pub(crate) use child::{TrialRequest, VariantTrial, run as run_child};

/// Hidden subcommand of the trial process.
pub(crate) const SUBCOMMAND: &str = "plugin-trial";

/// A variant of a plugin, with the device and the numbers of threads to try it with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PluginVariant {
    pub(crate) plugin: &'static PluginInfo,
    pub(crate) task: &'static str,
    pub(crate) variant: &'static str,
    pub(crate) device: Device,
    /// Numbers of threads.
    pub(crate) threads: Vec<usize>,
}

impl fmt::Display for PluginVariant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let task = self.task;
        let variant = self.variant;
        let file = &self.plugin.file;
        write!(f, "{task} {variant} of {file} on {}", self.device)
    }
}

impl PluginVariant {
    /// True if both are equal except for the threads.
    pub(super) fn is_same(&self, other: &PluginVariant) -> bool {
        let identity = |it: &Self| (it.plugin, it.task, it.variant, it.device);
        identity(self) == identity(other)
    }
}

/// Loads a plugin in a separate process.
pub(super) fn load(path: &Path) -> Result<(), PluginFailure> {
    process::run(path, None)?.map_err(|Problem { kind, text }| match kind {
        ProblemKind::Refused => PluginFailure::Refused(text),
        ProblemKind::Wrong | ProblemKind::Failed => {
            PluginFailure::Crashed { path: path.to_owned(), problem: text }
        }
    })
}

/// Tries a variant; returns the reason to refuse it, if any.
pub(crate) fn run(variant: &PluginVariant) -> Result<Option<Quarantine>, PluginFailure> {
    let verdict = process::run(&variant.plugin.path, Some(variant))?;
    Ok(verdict.err().map(|Problem { kind, text }| match kind {
        ProblemKind::Wrong => Quarantine::Wrong(text),
        ProblemKind::Refused | ProblemKind::Failed => Quarantine::Failed(text),
    }))
}
