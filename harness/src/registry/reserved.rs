//! Names that tasks can't have for themselves or for their axes, because a command or a flag has
//! them.

use std::collections::HashSet;

use clap::{Arg, Command};
use tasks::axis::Axis;
use tasks::task::Task;
use text::Untrusted;

/// Commands and flags that every program has, before its tasks add some.
const BUILT_IN: [&str; 2] = ["help", "version"];

/// A name of a task that is reserved.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReservedName {
    /// A task with the name of a command.
    #[error("the task {} has the name of a command of bench; rename it", task.quoted())]
    Task {
        /// The task.
        task: String,
    },
    /// An axis with the name of a flag.
    #[error(
        "the axis {} of the task {} has the name of a flag of bench; rename it",
        axis.quoted(), task.quoted()
    )]
    Axis {
        /// The task.
        task: String,
        /// The axis.
        axis: String,
    },
    /// A flag that is there twice and is no axis of a task.
    #[error("`bench {command}` has two flags --{flag}; rename one of them")]
    Flag {
        /// The command.
        command: String,
        /// The flag.
        flag: String,
    },
}

/// Names of all commands, and of the flags that the commands of all tasks have.
#[derive(Default)]
pub(crate) struct ReservedNames {
    commands: HashSet<String>,
    flags: HashSet<String>,
}

impl ReservedNames {
    /// The names in a command line for these tasks, without their axes.
    pub(crate) fn new(bench: &Command, tasks: &[&dyn Task]) -> Self {
        let commands = bench.get_subcommands().map(|command| command.get_name().to_owned());
        let mut reserved = ReservedNames {
            commands: commands.chain(BUILT_IN.map(str::to_owned)).collect(),
            flags: HashSet::from(BUILT_IN.map(str::to_owned)),
        };
        reserved.flags.extend(bench.get_arguments().flat_map(names));
        // The command of a further task has the flags that those of all tasks have.
        let of_tasks = bench
            .get_subcommands()
            .filter(|command| tasks.iter().any(|task| task.name() == command.get_name()));
        let of_tasks = of_tasks.map(|command| command.get_arguments().flat_map(names).collect());
        let shared = of_tasks.reduce(|all: HashSet<String>, own| &all & &own);
        reserved.flags.extend(shared.unwrap_or_default());
        for axis in tasks.iter().flat_map(|task| axes(*task)) {
            reserved.flags.remove(axis.name);
        }
        reserved
    }

    /// Checks the names of a further task.
    ///
    /// # Errors
    /// The first name that is reserved.
    pub(crate) fn check(&self, task: &dyn Task) -> Result<(), ReservedName> {
        let name = task.name();
        if self.commands.contains(name) {
            return Err(ReservedName::Task { task: name.to_owned() });
        }
        let taken = axes(task).find(|axis| self.flags.contains(axis.name));
        taken.map_or(Ok(()), |axis| {
            Err(ReservedName::Axis { task: name.to_owned(), axis: axis.name.to_owned() })
        })
    }
}

/// Checks that a command line has each command and each flag once, which clap only asserts.
///
/// # Errors
/// The first name that is there twice.
pub(crate) fn check_command_line(bench: &Command, tasks: &[&dyn Task]) -> Result<(), ReservedName> {
    let global: Vec<&Arg> = bench.get_arguments().filter(|flag| flag.is_global_set()).collect();
    check_command(bench, &[], tasks)?;
    check_below(bench, &global, tasks)
}

fn check_below(
    command: &Command,
    global: &[&Arg],
    tasks: &[&dyn Task],
) -> Result<(), ReservedName> {
    command.get_subcommands().try_for_each(|below| {
        check_command(below, global, tasks)?;
        check_below(below, global, tasks)
    })
}

fn check_command(
    command: &Command,
    global: &[&Arg],
    tasks: &[&dyn Task],
) -> Result<(), ReservedName> {
    let mut commands = HashSet::from(["help"]);
    for below in command.get_subcommands().map(Command::get_name) {
        if !commands.insert(below) {
            return Err(ReservedName::Task { task: below.to_owned() });
        }
    }
    let mut flags = HashSet::from(["help".to_owned()]);
    for flag in global.iter().copied().chain(command.get_arguments()) {
        let mut own = HashSet::new();
        for name in names(flag).filter(|name| own.insert(name.clone())) {
            if !flags.insert(name.clone()) {
                return Err(taken_flag(command.get_name(), name, tasks));
            }
        }
    }
    Ok(())
}

/// A flag that a command has twice: an axis of its task, or else of any.
fn taken_flag(command: &str, flag: String, tasks: &[&dyn Task]) -> ReservedName {
    let has_it = |task: &&&dyn Task| axes(**task).any(|axis| axis.name == flag);
    let own = tasks.iter().find(|task| task.name() == command).filter(has_it);
    match own.or_else(|| tasks.iter().find(has_it)) {
        Some(task) => ReservedName::Axis { task: task.name().to_owned(), axis: flag },
        None => ReservedName::Flag { command: command.to_owned(), flag },
    }
}

fn axes(task: &dyn Task) -> impl Iterator<Item = &'static Axis> + use<> {
    task.axes().iter().chain(task.file_axes())
}

/// All names of a flag.
fn names(flag: &Arg) -> impl Iterator<Item = String> + use<'_> {
    let aliases = flag.get_all_aliases().unwrap_or_default().into_iter();
    let names = flag.get_long().into_iter().chain(aliases).map(str::to_owned);
    std::iter::once(flag.get_id().to_string()).chain(names)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::tasks;

    fn pulses() -> Command {
        Command::new("sort").arg(Arg::new("segments").long("segments"))
    }

    fn bench(task: Command) -> Command {
        let color = Arg::new("color").long("color").global(true);
        Command::new("bench").arg(color).subcommands([Command::new("list"), task])
    }

    fn problem(task: Command) -> Option<String> {
        let checked = check_command_line(&bench(task), tasks());
        checked.err().map(|problem| problem.to_string())
    }

    #[test]
    fn names_that_are_there_once_are_accepted() {
        assert_eq!(problem(pulses()), None);
        assert_eq!(check_command_line(&crate::cli::command(), tasks()), Ok(()));
    }

    #[test]
    fn a_task_with_the_name_of_a_command_is_named() {
        for name in ["list", "help"] {
            let expected =
                format!("the task \"{name}\" has the name of a command of bench; rename it");
            assert_eq!(problem(Command::new(name)), Some(expected));
        }
    }

    #[test]
    fn an_axis_with_the_name_of_a_flag_is_named_with_its_task() {
        let expected = "the axis \"segments\" of the task \"sort\" has the name of a flag of bench";
        for second in [
            Arg::new("segments").long("other"),
            Arg::new("other").long("segments"),
            Arg::new("other").long("another").alias("segments"),
        ] {
            let problem = problem(pulses().arg(second)).expect("refused");
            assert!(problem.starts_with(expected), "{problem}");
        }
        let global = problem(pulses().arg(Arg::new("color").long("color"))).expect("refused");
        assert_eq!(global, "`bench sort` has two flags --color; rename one of them");
    }

    #[test]
    fn flags_are_reserved_unless_they_are_axes() {
        let reserved = ReservedNames::new(&crate::cli::command(), tasks());
        for name in ["threads", "variants", "color", "help"] {
            assert!(reserved.flags.contains(name), "{name}");
        }
        for name in ["segments", "streams", "hits"] {
            assert!(!reserved.flags.contains(name), "{name}");
        }
        let sort = crate::registry::task("sort").expect("a task");
        let expected = ReservedName::Task { task: "sort".to_owned() };
        assert_eq!(reserved.check(sort), Err(expected));
    }
}
