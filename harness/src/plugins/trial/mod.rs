//! A process that tries a plugin, so that a crash costs nothing.
//!
//! `bench` starts itself with a subcommand that nobody sees. The process loads the
//! plugin, and takes a variant through full cycles on the task's hard inputs, on the
//! device and with the numbers of threads that it is to be measured with. It writes
//! down what it is about to do, line by line: the last line tells where it died.
//!
//! | module | holds |
//! |---|---|
//! | `child` | what that process does |
//! | `report` | what it writes, and what its end means |
//! | `process` | starting it, and listening |

mod child;
mod process;
mod report;

use std::fmt;
use std::path::Path;

use algorithms::device::Device;
use algorithms::plugin::{Condemnation, PluginInfo};

use super::PluginFailure;
pub(crate) use report::Event;
use report::{Problem, ProblemKind};

pub(crate) use child::{TrialRequest, VariantTrial, run as run_child};

/// The subcommand.
pub(crate) const SUBCOMMAND: &str = "plugin-trial";

/// A variant of a plugin, with the device and the threads to try it with.
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
        let (task, variant, file) = (self.task, self.variant, &self.plugin.file);
        write!(f, "{task} {variant} of {file} on {}", self.device)
    }
}

impl PluginVariant {
    /// Whether it is the same but for the threads.
    pub(super) fn is_same(&self, other: &PluginVariant) -> bool {
        let identity = |it: &Self| (it.plugin, it.task, it.variant, it.device);
        identity(self) == identity(other)
    }
}

/// Loads a plugin in a process of its own.
pub(super) fn load(path: &Path) -> Result<(), PluginFailure> {
    process::run(path, None)?.map_err(|Problem { kind, text }| match kind {
        ProblemKind::Refused => PluginFailure::Refused(text),
        ProblemKind::Wrong | ProblemKind::Failed => {
            PluginFailure::Crashed { path: path.to_owned(), problem: text }
        }
    })
}

/// Tries a variant; what is to be held against it, if anything.
pub(crate) fn run(variant: &PluginVariant) -> Result<Option<Condemnation>, PluginFailure> {
    let verdict = process::run(&variant.plugin.path, Some(variant))?;
    Ok(verdict.err().map(|Problem { kind, text }| match kind {
        ProblemKind::Wrong => Condemnation::Wrong(text),
        ProblemKind::Refused | ProblemKind::Failed => Condemnation::Failed(text),
    }))
}
