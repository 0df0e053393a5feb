//! `[[variant]]`: a program that does a task.

use std::path::Path;

use regex_lite::Regex;
use tasks::algorithm::Semantics;
use tasks::external::{Comparison, ExternalVariant, NAME_PREFIX, TimeSource, TimeUnit};
use tasks::program_task::ProgramTask;
use text::Untrusted;

use super::keys::{self, COMPARISON, Placeholders};
use super::unloaded;
use crate::document::{Entry, Section};
use crate::registry;

/// Keys of a variant, in addition to those of a comparison.
const KEYS: [&str; 10] = [
    "task",
    "name",
    "summary",
    "command",
    "input",
    "output",
    "report",
    "unit",
    "timeout",
    "semantics",
];
/// Keys that variants of a task of the same file have from that.
const OF_TASK: [&str; 7] =
    ["input", "output", "compare", "keys", "columns", "tolerances", "relative-tolerances"];
const PLACEHOLDERS: Placeholders<'_> =
    Placeholders { known: &["input", "output", "threads"], required: &["input", "output"] };

/// Reads a variant; `own_tasks` are those of the same file.
pub(super) fn read(
    section: Section<'_>,
    folder: &Path,
    own_tasks: &[ProgramTask],
) -> Option<ExternalVariant> {
    keys::report_unknown(section, "of a variant", &[&KEYS[..], &COMPARISON].concat());
    let task = keys::name(section, "task", "variant");
    let name = keys::name(section, "name", "variant");
    let command = keys::command(section, "command", folder, &PLACEHOLDERS);
    if section.entry("command").is_none() {
        section.problem("this variant has no command; write it such as command = ['./sort', '{input}', '{output}']");
    }
    let own_task = own_tasks.iter().find(|own| Some(own.name) == task);
    let exchange = exchange(section, task, own_task);
    let time = time(section);
    let semantics = semantics(section);
    let timeout = keys::timeout(section);
    let name: &'static str = format!("{NAME_PREFIX}{}", without_prefix(name?)).leak();
    Some(ExternalVariant {
        task: task?,
        name,
        summary: summary(section, name),
        command: command?,
        input_ending: exchange.input_ending,
        output_ending: exchange.output_ending,
        comparison: exchange.comparison,
        time: time?,
        timeout,
        semantics,
        plugin: unloaded(),
    })
}

fn without_prefix(name: &str) -> &str {
    name.strip_prefix(NAME_PREFIX).unwrap_or(name)
}

fn summary(section: Section<'_>, name: &str) -> &'static str {
    let text = keys::text(section, "summary");
    if text.is_empty() { format!("the program {name}").leak() } else { text.leak() }
}

/// Formats of the files of a program, and how its output is compared.
struct FileExchange {
    input_ending: String,
    output_ending: String,
    comparison: Comparison,
}

fn exchange(
    section: Section<'_>,
    task: Option<&str>,
    own_task: Option<&ProgramTask>,
) -> FileExchange {
    if let Some(own) = own_task {
        for entry in section.entries().filter(|entry| OF_TASK.contains(&entry.key)) {
            entry
                .problem(format!("{} belongs to the task {}; write it there", entry.key, own.name));
        }
        return FileExchange {
            input_ending: own.input_endings[0].to_owned(),
            output_ending: own.output_ending.to_owned(),
            comparison: own.comparison.clone(),
        };
    }
    let of_task = task.and_then(registry::task).map(|task| task.info().file_endings);
    let first = || of_task.and_then(|endings| endings.first()).copied().unwrap_or("csv").to_owned();
    let output_ending = keys::ending(section, "output").unwrap_or_else(|| "csv".to_owned());
    FileExchange {
        input_ending: keys::ending(section, "input").unwrap_or_else(first),
        comparison: keys::comparison(section, &output_ending),
        output_ending,
    }
}

/// The source of the time of a run.
fn time(section: Section<'_>) -> Option<TimeSource> {
    let unit = section.entry("unit");
    let Some(report) = section.entry("report") else {
        if let Some(unit) = unit {
            unit.problem("unit is that of the number that report finds; write that, too");
        }
        return Some(TimeSource::Wall);
    };
    let pattern = report.value(|text| {
        let pattern = Regex::new(text).map_err(|error| error.to_string().replace('\n', " "))?;
        match pattern.captures_len() {
            1 => Err("it has no group; put the number in parentheses: ([0-9.]+)".to_owned()),
            _ => Ok(pattern),
        }
    });
    let Some(unit) = unit else {
        section.problem("report needs a unit: s, ms, us or ns");
        return None;
    };
    let unit = unit.value(|text| {
        let known = TimeUnit::NAMED.iter().find(|(name, _)| *name == text);
        known.map(|(_, unit)| *unit).ok_or_else(|| "unknown; there are s, ms, us, ns".to_owned())
    });
    Some(TimeSource::Report { pattern: pattern?, unit: unit? })
}

fn semantics(section: Section<'_>) -> Semantics {
    let given = section.entry("semantics").and_then(|entry: Entry<'_>| {
        entry.value(|text| {
            text.parse::<Semantics>().map_err(|error| error.to_string().escaped().to_string())
        })
    });
    given.unwrap_or_default()
}
