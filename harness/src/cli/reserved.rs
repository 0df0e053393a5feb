//! Names that tasks of plugins can't have for themselves or for their axes.

use std::collections::HashSet;

use crate::registry::tasks;
use clap::Command;
use tasks::task::Task;
use text::Untrusted;

/// Names of all commands and flags of `bench` itself.
pub(crate) struct ReservedNames {
    commands: HashSet<String>,
    flags: HashSet<String>,
}

/// A name of a plugin's task that is reserved.
#[derive(Debug, thiserror::Error)]
pub enum ReservedName {
    /// A task with the name of a command.
    #[error("its task {} has the name of a command of bench; rename it", task.quoted())]
    Task {
        /// The task.
        task: &'static str,
    },
    /// An axis with the name of a flag.
    #[error(
        "the axis {} of its task {} has the name of a flag of bench; rename it",
        axis.quoted(), task.quoted()
    )]
    Axis {
        /// The task.
        task: &'static str,
        /// The axis.
        axis: &'static str,
    },
}

impl ReservedNames {
    /// All names before plugins add tasks.
    pub(crate) fn collect() -> Self {
        let bench = super::command();
        let commands = bench.get_subcommands().map(|command| command.get_name().to_owned());
        let mut flags = HashSet::from(["help".to_owned(), "version".to_owned()]);
        add_flags(&bench, &mut flags);
        for task in tasks() {
            for axis in task.axes().iter().chain(task.file_axes()) {
                flags.remove(axis.name);
            }
        }
        ReservedNames { commands: commands.collect(), flags }
    }

    /// Checks the names of a task.
    ///
    /// # Errors
    /// The first name that is reserved.
    pub(crate) fn check(&self, task: &dyn Task) -> Result<(), ReservedName> {
        let name = task.name();
        if self.commands.contains(name) {
            return Err(ReservedName::Task { task: name });
        }
        let taken = task.axes().iter().find(|axis| self.flags.contains(axis.name));
        taken.map_or(Ok(()), |axis| Err(ReservedName::Axis { task: name, axis: axis.name }))
    }
}

fn add_flags(command: &Command, flags: &mut HashSet<String>) {
    for flag in command.get_arguments() {
        flags.insert(flag.get_id().to_string());
        flags.extend(flag.get_long().map(str::to_owned));
    }
    command.get_subcommands().for_each(|below| add_flags(below, flags));
}
