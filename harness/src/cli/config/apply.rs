//! The values of a file as defaults of flags.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};

use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command};
use text::Untrusted;

use super::FLAG;
use crate::document::{self, Entry, InvalidDocument, Section};
use crate::request::values::instead_of;

/// Flags that a file can't have.
const NOT_IN_FILES: [&str; 3] = [FLAG, "help", "version"];

/// Applies the defaults of a file to a command; `path` is for messages.
///
/// # Errors
/// All problems of the file.
pub fn with_defaults(command: Command, path: &str, text: &str) -> Result<Command, InvalidDocument> {
    document::read(path, text, |root| {
        let mut reader = Reader::default();
        let command = reader.command(command, Some(root), &[]);
        reader.report_unused();
        command
    })
}

/// A key with its values.
#[derive(Clone)]
struct KeyValues {
    key: String,
    words: Vec<String>,
    /// Byte offset in the file.
    at: usize,
}

/// Keys read so far, and their use.
#[derive(Default)]
struct Reader<'a> {
    /// Keys by byte offset, with the flags known in their section.
    keys: BTreeMap<usize, (Entry<'a>, BTreeSet<String>)>,
    /// Offsets of the keys that some command accepts.
    taken: BTreeSet<usize>,
    /// Problems of values that commands with that flag reject.
    refused: BTreeMap<usize, String>,
}

impl<'a> Reader<'a> {
    /// A command and all below it; `inherited` are defaults of the commands above.
    fn command(
        &mut self,
        mut command: Command,
        section: Option<Section<'a>>,
        inherited: &[KeyValues],
    ) -> Command {
        let mut defaults = inherited.to_vec();
        let entries: Vec<Entry<'a>> = section.into_iter().flat_map(Section::entries).collect();
        let (tables, values): (Vec<_>, Vec<_>) =
            entries.into_iter().partition(|entry| entry.is_section());
        for entry in values {
            let default = self.key_values(&command, entry);
            defaults.retain(|known| known.key != default.key);
            defaults.push(default);
        }
        for default in &defaults {
            command = self.flag(command, default);
        }
        let names: Vec<String> = subcommands(&command);
        for table in &tables {
            check_table(&command, *table, &names);
        }
        for name in names {
            let table = tables.iter().find(|entry| entry.key == name);
            let section = table.and_then(|entry| entry.section());
            command =
                command.mut_subcommand(&name, |below| self.command(below, section, &defaults));
        }
        command
    }

    fn key_values(&mut self, command: &Command, entry: Entry<'a>) -> KeyValues {
        self.keys.insert(entry.at, (entry, flags(command)));
        KeyValues { key: entry.key.to_owned(), words: entry.texts(), at: entry.at }
    }

    /// Makes a value the default of a flag, if the command has it and takes the value.
    fn flag(&mut self, command: Command, default: &KeyValues) -> Command {
        let Some(flag) = flag(&command, &default.key).cloned() else {
            return command;
        };
        match values(&flag, &default.words) {
            Ok(values) => {
                self.taken.insert(default.at);
                command.mut_arg(flag.get_id(), |flag| flag.default_values(values))
            }
            Err(problem) => {
                self.refused.insert(default.at, problem);
                command
            }
        }
    }

    /// Reports the keys that no command accepts, and why.
    fn report_unused(mut self) {
        for (at, (entry, known)) in self.keys {
            if self.taken.contains(&at) {
                continue;
            }
            let unknown = || {
                let key = entry.key;
                let known = known.iter().map(String::as_str);
                let instead = instead_of(key, &known.collect::<Vec<_>>());
                format!("unknown flag {}; {instead}", key.quoted())
            };
            entry.problem(self.refused.remove(&at).unwrap_or_else(unknown));
        }
    }
}

fn check_table(command: &Command, table: Entry<'_>, names: &[String]) {
    if names.iter().any(|name| name == table.key) {
        return;
    }
    let key = table.key;
    let above = command.get_name();
    let known: Vec<&str> = names.iter().map(String::as_str).collect();
    table.problem(if known.is_empty() {
        format!("{above} has no subcommand {}", key.quoted())
    } else {
        format!("unknown command {}; {}", key.quoted(), instead_of(key, &known))
    });
}

/// Subcommands that help shows.
fn subcommands(command: &Command) -> Vec<String> {
    let shown = command.get_subcommands().filter(|below| !below.is_hide_set());
    shown.map(|below| below.get_name().to_owned()).collect()
}

/// The flags of a command and of all below it.
fn flags(command: &Command) -> BTreeSet<String> {
    let own = command.get_arguments().filter_map(|flag| flag.get_long());
    let own = own.filter(|name| !NOT_IN_FILES.contains(name));
    let mut flags: BTreeSet<String> = own.map(str::to_owned).collect();
    let below = command.get_subcommands().filter(|it| !it.is_hide_set());
    flags.extend(below.flat_map(self::flags));
    flags
}

fn flag<'c>(command: &'c Command, name: &str) -> Option<&'c Arg> {
    let is_named = |flag: &&Arg| {
        let aliases = flag.get_all_aliases().unwrap_or_default();
        flag.get_long() == Some(name) || aliases.contains(&name)
    };
    command.get_arguments().find(is_named).filter(|_| !NOT_IN_FILES.contains(&name))
}

/// Splits the values of a flag.
fn values(flag: &Arg, words: &[String]) -> Result<Vec<String>, String> {
    let name = flag.get_long().unwrap_or_default();
    let values: Vec<String> = match flag.get_value_delimiter() {
        Some(mark) => words
            .iter()
            .flat_map(|word| word.split(mark))
            .map(|word| word.trim().to_owned())
            .collect(),
        None => words.to_vec(),
    };
    let takes_many = matches!(flag.get_action(), ArgAction::Append)
        || flag.get_num_args().is_some_and(|range| range.max_values() > 1);
    if values.len() > 1 && !takes_many {
        return Err(format!("{name} takes one value, not a list"));
    }
    for value in &values {
        check(flag, value)?;
    }
    Ok(values)
}

/// Checks a value as on the command line.
fn check(flag: &Arg, value: &str) -> Result<(), String> {
    let name = flag.get_long().unwrap_or_default();
    let probe = Arg::new("probe")
        .long(name.to_owned())
        .num_args(1)
        .allow_hyphen_values(true)
        .action(ArgAction::Set)
        .value_parser(flag.get_value_parser().clone());
    let probe = Command::new("bench").no_binary_name(true).arg(probe);
    let parsed = probe.try_get_matches_from([format!("--{name}={value}")]);
    parsed.map(drop).map_err(|error| in_a_line(&error))
}

/// Returns the parser's message in one line, without its hint to the help.
fn in_a_line(error: &clap::Error) -> String {
    let text = error.to_string();
    let text = text.strip_prefix("error: ").unwrap_or(&text);
    let lines = text.lines().map(str::trim);
    let said = lines.filter(|line| !line.is_empty() && !line.starts_with("For more information"));
    said.collect::<Vec<_>>().join(" ")
}

/// Returns the flags that make a command line without the file equivalent to one with it: records
/// contain them, so that a run can be repeated without the file.
///
/// `plain` is the command without the file's defaults. A default that has no effect because it
/// would contradict a typed flag is left out.
pub fn applied(
    plain: &Command,
    with_defaults: &Command,
    matches: &ArgMatches,
    typed: &[OsString],
) -> Vec<String> {
    let mut plain_below = plain;
    let mut below = with_defaults;
    let mut matches = matches;
    while let Some((name, matches_below)) = matches.subcommand() {
        let find = |command| Command::find_subcommand(command, name);
        let Some(plain_next) = find(plain_below) else { break };
        let Some(next) = find(below) else { break };
        plain_below = plain_next;
        below = next;
        matches = matches_below;
    }
    let mut flags: Vec<String> = Vec::new();
    for flag in below.get_arguments() {
        let is_default = matches.value_source(flag.get_id().as_str());
        let before = plain_below.get_arguments().find(|it| it.get_id() == flag.get_id());
        let before = before.map_or(&[][..], Arg::get_default_values);
        let defaults = flag.get_default_values();
        if is_default != Some(ValueSource::DefaultValue) || defaults == before {
            continue;
        }
        let added = [flags.clone(), words(flag, defaults)].concat();
        let line = typed.iter().cloned().chain(added.iter().map(OsString::from));
        if plain.clone().try_get_matches_from(line).is_ok() {
            flags = added;
        }
    }
    flags
}

/// Returns a flag with its values, in words of the form `--flag=value`.
fn words(flag: &Arg, values: &[impl AsRef<OsStr>]) -> Vec<String> {
    let Some(name) = flag.get_long() else { return Vec::new() };
    let mut values = values.iter().map(|value| value.as_ref().to_string_lossy().into_owned());
    if matches!(flag.get_action(), ArgAction::SetTrue) {
        return values.filter(|value| value == "true").map(|_| format!("--{name}")).collect();
    }
    match flag.get_value_delimiter() {
        Some(mark) => {
            let values: Vec<String> = values.collect();
            vec![format!("--{name}={}", values.join(&mark.to_string()))]
        }
        None if matches!(flag.get_action(), ArgAction::Append) => {
            values.map(|value| format!("--{name}={value}")).collect()
        }
        None => values.next().map(|value| format!("--{name}={value}")).into_iter().collect(),
    }
}

#[cfg(test)]
mod tests;
