//! Keys that variants and tasks share: commands, names, comparisons.

use std::path::Path;
use std::time::Duration;

use tasks::external::{CommandTemplate, Comparison, TableRules, Tolerance};
use tasks::plugin::check_name;
use text::Untrusted;

use crate::document::{Entry, Section};
use crate::request::values;

/// Time after which a program is killed, if none is given.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Keys of a comparison.
pub(super) const COMPARISON: [&str; 5] =
    ["compare", "keys", "columns", "tolerances", "relative-tolerances"];

/// A name for commands and tables.
pub(super) fn name(section: Section<'_>, key: &str, what: &str) -> Option<&'static str> {
    let Some(entry) = section.entry(key) else {
        section.problem(format!("this {what} has no {key}"));
        return None;
    };
    let word = entry.word()?;
    word.or_problem(check_name(&word.text, key))?;
    Some(word.text.leak())
}

/// A text; empty if there is none.
pub(super) fn text(section: Section<'_>, key: &str) -> String {
    let word = section.entry(key).and_then(Entry::word);
    word.map_or_else(String::new, |word| word.text)
}

/// The ending of a file name, without its dot.
pub(super) fn ending(section: Section<'_>, key: &str) -> Option<String> {
    section.entry(key)?.value(|text| {
        let ending = text.strip_prefix('.').unwrap_or(text);
        let is_ending = |text: &str| {
            !text.is_empty()
                && text.chars().all(|it| it.is_ascii_alphanumeric() || "._-".contains(it))
        };
        match is_ending(ending) {
            true => Ok(ending.to_owned()),
            false => Err("not the ending of a file name; write it such as csv".to_owned()),
        }
    })
}

/// Names of placeholders of a command.
pub(super) struct Placeholders<'a> {
    /// Those that it may have.
    pub(super) known: &'a [&'a str],
    /// Those that it must have.
    pub(super) required: &'static [&'static str],
}

/// A command, if there is one.
pub(super) fn command(
    section: Section<'_>,
    key: &str,
    folder: &Path,
    placeholders: &Placeholders<'_>,
) -> Option<CommandTemplate> {
    let entry = section.entry(key)?;
    let words = entry.texts();
    if words.is_empty() {
        return None;
    }
    let Placeholders { known, required } = *placeholders;
    let template = CommandTemplate::new(&words, folder, known, required);
    template.map_err(|problem| entry.problem(format!("{key}: {problem}"))).ok()
}

/// Time after which a program is killed.
pub(super) fn timeout(section: Section<'_>) -> Duration {
    let given = section.entry("timeout").and_then(|entry| {
        entry.value(|text| match values::duration(text)? {
            Duration::ZERO => Err("no program is that fast; write it such as 10s".to_owned()),
            time => Ok(time),
        })
    });
    given.unwrap_or(TIMEOUT)
}

/// Comparison of outputs with this ending.
pub(super) fn comparison(section: Section<'_>, ending: &str) -> Comparison {
    let given = section.entry("compare").and_then(|entry| {
        entry.value(|text| match text {
            "csv" => Ok(true),
            "bytes" => Ok(false),
            _ => Err("unknown; there are csv, bytes".to_owned()),
        })
    });
    let is_table = given.unwrap_or(ending == "csv");
    if !is_table {
        for key in &COMPARISON[1..] {
            if let Some(entry) = section.entry(key) {
                entry.problem(format!("{key} is for tables; set compare = \"csv\""));
            }
        }
        return Comparison::Bytes;
    }
    let list = |key| section.entry(key).map_or_else(Vec::new, Entry::texts);
    let mut rules =
        TableRules { keys: list("keys"), columns: list("columns"), tolerances: Vec::new() };
    for (key, is_relative) in [("tolerances", false), ("relative-tolerances", true)] {
        let entries = section.entry(key).and_then(Entry::section);
        for entry in entries.into_iter().flat_map(Section::entries) {
            let Some(value) = entry.value(tolerance) else { continue };
            if rules.keys.iter().any(|column| column == entry.key) {
                let column = entry.key.quoted();
                entry.problem(format!("{column} is a key, and keys have no tolerances"));
            }
            let tolerance = tolerance_of(&mut rules, entry.key);
            if is_relative { tolerance.relative = value } else { tolerance.absolute = value }
        }
    }
    Comparison::Table(rules)
}

fn tolerance_of<'r>(rules: &'r mut TableRules, column: &str) -> &'r mut Tolerance {
    let known = rules.tolerances.iter().position(|tolerance| tolerance.column == column);
    let index = known.unwrap_or_else(|| {
        rules.tolerances.push(Tolerance { column: column.to_owned(), ..Tolerance::default() });
        rules.tolerances.len() - 1
    });
    &mut rules.tolerances[index]
}

fn tolerance(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() && number >= 0.0 => Ok(number),
        _ => Err("not a tolerance; write a number from 0 on, such as 1e-4".to_owned()),
    }
}

/// Reports the keys that nothing reads.
pub(super) fn report_unknown(section: Section<'_>, context: &str, known: &[&str]) {
    for entry in section.entries().filter(|entry| !known.contains(&entry.key)) {
        entry.unknown(context, known);
    }
}
