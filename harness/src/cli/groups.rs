//! Groups of commands in the help of `bench`.
//!
//! Each command states its group where it is declared, as its display order. The help of `bench`
//! fits one screen: tasks are listed by name, every other command has one line.

use crate::registry::task;
use clap::Command;
use reports::program;

use super::answer::STYLES;

/// Width of the help in columns.
const WIDTH: usize = 100;

/// Width of the column of command names.
const NAMES: usize = 13;

/// Exit codes, in one line.
pub(super) const EXIT_CODES: &str = "0 success, 1 error, 2 usage, 3 wrong output, 4 regression, \
    5 no result, 130 interrupted";

/// Group of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Group {
    Measure,
    Load,
    Judge,
    Results,
    Data,
    System,
}

impl Group {
    const ALL: [Group; 6] =
        [Group::Measure, Group::Load, Group::Judge, Group::Results, Group::Data, Group::System];

    /// Display order of the commands of this group.
    pub(super) const fn order(self) -> usize {
        self as usize
    }

    fn contains(self, command: &Command) -> bool {
        !command.is_hide_set() && command.get_display_order() == self.order()
    }
}

/// Sets the help of `bench`: its commands by group.
pub(super) fn with_grouped_help(command: Command) -> Command {
    let header = STYLES.get_header();
    let groups: Vec<String> = Group::ALL.iter().map(|group| section(*group, &command)).collect();
    let help = format!(
        "{{about}}\n\n{{usage-heading}} {{usage}}\n\n{}\n{header}Options:{header:#} {}\n\
         {header}Exit codes:{header:#} {EXIT_CODES}\n\
         Run '{} COMMAND --help' for the options and examples of a command.\n",
        groups.join("\n"),
        options(&command),
        program::name(),
    );
    command.help_template(help)
}

/// Heading of a group and its commands.
fn section(group: Group, command: &Command) -> String {
    let header = STYLES.get_header();
    let literal = STYLES.get_literal();
    let commands = command.get_subcommands().filter(|command| group.contains(command));
    let (tasks, tools): (Vec<&Command>, Vec<&Command>) =
        commands.partition(|command| task(command.get_name()).is_some());
    let mut text = format!("{header}{group:?}:{header:#}\n");
    for line in wrapped(tasks.iter().map(|task| task.get_name())) {
        text += &format!("  {literal}{line}{literal:#}\n");
    }
    for tool in tools {
        let name = tool.get_name();
        let about = tool.get_about().map(ToString::to_string).unwrap_or_default();
        text += &format!("  {literal}{name:NAMES$}{literal:#}{about}\n");
    }
    text
}

/// Names in lines of at most [`WIDTH`] columns, indented by two.
fn wrapped<'a>(names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for name in names {
        match lines.last_mut() {
            Some(line) if line.len() + name.len() + 4 <= WIDTH => *line += &format!(", {name}"),
            _ => lines.push(name.to_owned()),
        }
    }
    lines
}

/// Options of `bench` itself, in one line.
fn options(command: &Command) -> String {
    let mut options = vec!["-h, --help".to_owned(), "-V, --version".to_owned()];
    for option in command.get_arguments() {
        let name = option.get_long().unwrap_or_default();
        let value = option.get_value_names().and_then(|names| names.first());
        options.push(format!("--{name} <{}>", value.map_or("", |value| value.as_str())));
    }
    options.join("; ")
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use crate::registry::tasks;

    use super::*;
    use crate::cli;

    /// Maximum number of lines of the help, with six more commands than today.
    const LINES: usize = 55;

    fn help(line: &str) -> String {
        let arguments = line.split(' ').map(OsString::from);
        cli::parse(arguments).err().expect("help").text()
    }

    #[test]
    fn every_command_is_in_one_group() {
        let command = cli::command();
        for subcommand in command.get_subcommands().filter(|it| !it.is_hide_set()) {
            let groups = Group::ALL.iter().filter(|group| group.contains(subcommand));
            assert_eq!(groups.count(), 1, "{} has no group", subcommand.get_name());
        }
    }

    #[test]
    fn the_help_lists_every_command_once_on_one_screen() {
        let text = help("bench --help");
        let is_wide = |line: &&str| line.chars().count() > WIDTH;
        assert_eq!(text.lines().find(is_wide), None);
        let lines = text.lines().count();
        assert!(lines + 6 <= LINES, "{lines} lines leave no space for six more commands");
        let words: Vec<&str> = text.split([' ', ',', '\n']).collect();
        for task in tasks() {
            let count = words.iter().filter(|word| **word == task.name()).count();
            assert!(count >= 1, "{} is not listed", task.name());
        }
        for command in cli::command().get_subcommands().filter(|it| !it.is_hide_set()) {
            let starts = format!("  {:NAMES$}", command.get_name());
            let count = text.lines().filter(|line| line.starts_with(&starts)).count();
            let is_task = task(command.get_name()).is_some();
            assert!(is_task || count == 1, "{} has {count} lines", command.get_name());
        }
    }

    #[test]
    fn all_forms_of_the_help_are_the_same() {
        let long = help("bench --help");
        assert!(long.contains("\nExit codes: ") && long.contains("\nResults:\n"), "{long}");
        for line in ["bench -h", "bench help", "bench"] {
            assert_eq!(help(line), long, "{line}");
        }
        assert!(help("bench help sort").contains("--segments"));
        assert!(!help("bench sort --help").contains("\nResults:\n"));
    }
}
