//! The file of changes that somebody has looked at and accepted.
//!
//! ```toml
//! [[accepted]]
//! run = "20260131T120000Z-nightly"
//! note = "hits are sorted, too"
//! task = "sts"
//! variant = ["online", "time-sweep"]
//! params = { preset = "cbm-auau" }
//! ```

use std::fs;
use std::path::Path;

use reports::trend::AcceptedShift;
use toml::de::DeTable;

use crate::request::suggestion::instead_of;
use crate::suite::SuiteError;
use crate::suite::document::{Entry, Section};
use crate::suite::problems::Problems;
use crate::suite::read::syntax;

/// The name of the file in a store.
pub(crate) const FILE: &str = "accepted-shifts.toml";

const KEYS: [&str; 6] = ["run", "note", "task", "variant", "device", "params"];

/// Reads the file.
///
/// # Errors
/// If it can't be read, or all that is wrong with it.
pub(crate) fn read(path: &Path) -> Result<Vec<AcceptedShift>, SuiteError> {
    let text = fs::read_to_string(path).map_err(|source| SuiteError::Unreadable {
        path: path.to_owned(),
        source,
    })?;
    parse(&path.display().to_string(), &text)
}

/// Reads the file from its text; `path` is for messages.
fn parse(path: &str, text: &str) -> Result<Vec<AcceptedShift>, SuiteError> {
    let (document, errors) = DeTable::parse_recoverable(text);
    syntax(&errors).refuse(path, text)?;
    let mut problems = Problems::default();
    let mut shifts = Vec::new();
    for entry in Section::root(&document).entries() {
        match entry.key {
            "accepted" => {
                let sections = entry.sections(&mut problems);
                shifts.extend(sections.into_iter().map(|it| shift(it, &mut problems)));
            }
            key => problems.add(
                entry.at,
                format!("unknown key \"{key}\"; there is: accepted"),
            ),
        }
    }
    problems.refuse(path, text)?;
    Ok(shifts)
}

/// One `[[accepted]]`.
fn shift(section: Section<'_>, problems: &mut Problems) -> AcceptedShift {
    let mut shift = AcceptedShift::default();
    for entry in section.entries() {
        match entry.key {
            "run" => shift.run = word(entry, problems),
            "note" => shift.note = word(entry, problems),
            "task" => shift.tasks = words(entry, problems),
            "variant" => shift.variants = words(entry, problems),
            "device" => shift.devices = words(entry, problems),
            "params" => shift.params = params(entry, problems),
            key => {
                let instead = instead_of(key, &KEYS);
                problems.add(entry.at, format!("unknown key \"{key}\"; {instead}"));
            }
        }
    }
    if shift.run.is_empty() {
        let advice = "run is needed: the id of the first run after the change, or its beginning";
        problems.add(section.at, advice);
    }
    if shift.note.is_empty() {
        problems.add(section.at, "note is needed: why this is all right");
    }
    shift
}

fn word(entry: Entry<'_>, problems: &mut Problems) -> String {
    entry
        .word(problems)
        .map(|word| word.text)
        .unwrap_or_default()
}

fn words(entry: Entry<'_>, problems: &mut Problems) -> Vec<String> {
    let words = entry.words(problems).into_iter();
    words.map(|word| word.text).collect()
}

fn params(entry: Entry<'_>, problems: &mut Problems) -> Vec<(String, String)> {
    let Some(section) = entry.section(problems) else {
        return Vec::new();
    };
    let param = |entry: Entry<'_>| (entry.key.to_owned(), word(entry, problems));
    section.entries().map(param).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_accepted_for_some_points_and_a_reason() {
        let text = r#"
            [[accepted]]
            run = "20260131T120000Z-nightly"
            note = "hits are sorted, too"
            task = "sts"
            variant = ["online", "time-sweep"]
            params = { preset = "cbm-auau", segments = 24 }
            [[accepted]]
            run = "2026"
            note = "another kernel"
        "#;
        let shifts = parse("f.toml", text).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(shifts.len(), 2);
        assert_eq!(shifts[0].tasks, ["sts"]);
        assert_eq!(shifts[0].variants.len(), 2);
        let segments = ("segments".to_owned(), "24".to_owned());
        assert!(shifts[0].params.contains(&segments));
        assert!(shifts[1].tasks.is_empty() && shifts[1].note == "another kernel");
    }

    #[test]
    fn all_that_is_wrong_is_told_by_line() {
        let text = "[[accepted]]\nrum = \"x\"\nparams = 1\n[other]\n";
        let error = parse("f.toml", text).expect_err("wrong").to_string();
        for message in [
            "5 problems in f.toml",
            "f.toml:1:1: note is needed",
            "f.toml:1:1: run is needed",
            "f.toml:2:1: unknown key \"rum\"; did you mean \"run\"?",
            "f.toml:3:1: params is a table of its own",
            "f.toml:4:2: unknown key \"other\"",
        ] {
            assert!(error.contains(message), "{message}: {error}");
        }
        assert!(parse("f.toml", "[[accepted").is_err());
        assert!(parse("f.toml", "").is_ok_and(|shifts| shifts.is_empty()));
    }
}
