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
//! | `line` | what it writes |
//! | `process` | starting it, and listening |
//! | `ending` | what its end means |

mod child;
mod ending;
mod line;
mod process;

use std::fmt;
use std::path::Path;

use algorithms::device::Device;
use algorithms::plugin::{Condemnation, PluginInfo};

use super::PluginFailure;
use ending::Ending;

pub(crate) use child::{Errand, TrialRequest, run as run_child};

/// The subcommand.
pub(crate) const SUBCOMMAND: &str = "plugin-trial";

/// A variant to be tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Subject {
    pub(crate) plugin: &'static PluginInfo,
    pub(crate) task: &'static str,
    pub(crate) variant: &'static str,
    pub(crate) device: Device,
    /// Numbers of threads.
    pub(crate) threads: Vec<usize>,
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (task, variant, file) = (self.task, self.variant, &self.plugin.file);
        write!(f, "{task} {variant} of {file} on {}", self.device)
    }
}

/// Adds a number of threads to a subject, which is added too if it is not there.
pub(super) fn add(subjects: &mut Vec<Subject>, new: Subject, threads: usize) {
    let same = |known: &&mut Subject| {
        let key = |subject: &Subject| (subject.task, subject.variant, subject.device);
        key(known) == key(&new) && known.plugin == new.plugin
    };
    let subject = match subjects.iter_mut().find(same) {
        Some(known) => known,
        None => {
            subjects.push(new);
            let last = subjects.len() - 1;
            &mut subjects[last]
        }
    };
    if !subject.threads.contains(&threads) {
        subject.threads.push(threads);
    }
}

/// Loads a plugin in a process of its own.
///
/// # Errors
/// If it is none, or crashes or hangs.
pub(super) fn load(path: &Path) -> Result<(), PluginFailure> {
    match process::run(path, None)? {
        Ending::Right => Ok(()),
        Ending::Refused(problem) => Err(PluginFailure::Refused(problem)),
        Ending::Failed(problem) | Ending::Wrong(problem) => Err(PluginFailure::Crashed {
            path: path.to_owned(),
            problem,
        }),
    }
}

/// Tries a variant; what is to be held against it, if anything.
///
/// # Errors
/// If it can't be tried.
pub(crate) fn run(subject: &Subject) -> Result<Option<Condemnation>, PluginFailure> {
    Ok(match process::run(&subject.plugin.path, Some(subject))? {
        Ending::Right => None,
        Ending::Wrong(problem) => Some(Condemnation::Wrong(problem)),
        Ending::Failed(problem) | Ending::Refused(problem) => Some(Condemnation::Failed(problem)),
    })
}
