//! File of reviewed and accepted changes.
//!
//! ```toml
//! [[accepted]]
//! run = "20260131T120000Z-nightly"
//! note = "hits are sorted, too"
//! task = "sts"
//! variant = ["online", "time-sweep"]
//! params = { preset = "cbm-auau" }
//! ```

use std::path::Path;

use files::{LARGEST_DOCUMENT, read_text};
use reports::trend::AcceptedShift;
use text::Untrusted;

use crate::document::{self, Entry, InvalidDocument, Section};
use crate::request::values::instead_of;
use crate::suite::SuiteError;

/// The name of the file in a store.
pub(crate) const FILE: &str = "accepted-shifts.toml";

const KEYS: [&str; 6] = ["run", "note", "task", "variant", "device", "params"];

/// Reads the file.
///
/// # Errors
/// If it can't be read, or all that is wrong with it.
pub(crate) fn read(path: &Path) -> Result<Vec<AcceptedShift>, SuiteError> {
    let text = read_text(path, LARGEST_DOCUMENT)
        .map_err(|source| SuiteError::Unreadable { path: path.to_owned(), source })?;
    Ok(parse(&path.escaped().to_string(), &text)?)
}

/// Reads the file from its text; `path` is for messages.
pub(crate) fn parse(path: &str, text: &str) -> Result<Vec<AcceptedShift>, InvalidDocument> {
    document::read(path, text, |root| {
        for entry in root.entries().filter(|entry| entry.key != "accepted") {
            let key = entry.key.quoted();
            entry.problem(format!("unknown key {key}; there is: accepted"));
        }
        root.sections("accepted").into_iter().map(shift).collect()
    })
}

/// One `[[accepted]]`.
fn shift(section: Section<'_>) -> AcceptedShift {
    let mut shift = AcceptedShift::default();
    for entry in section.entries() {
        match entry.key {
            "run" => shift.run = text(entry),
            "note" => shift.note = text(entry),
            "task" => shift.tasks = entry.texts(),
            "variant" => shift.variants = entry.texts(),
            "device" => shift.devices = entry.texts(),
            "params" => shift.params = params(entry),
            key => {
                let instead = instead_of(key, &KEYS);
                entry.problem(format!("unknown key {}; {instead}", key.quoted()));
            }
        }
    }
    if shift.run.is_empty() {
        section
            .problem("run is needed: the id of the first run after the change, or its beginning");
    }
    if shift.note.is_empty() {
        section.problem("note is needed: why this is all right");
    }
    shift
}

fn text(entry: Entry<'_>) -> String {
    entry.word().map_or_else(String::new, |word| word.text)
}

fn params(entry: Entry<'_>) -> Vec<(String, String)> {
    let params = entry.section().into_iter().flat_map(Section::entries);
    params.map(|param| (param.key.to_owned(), text(param))).collect()
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
    fn all_problems_are_reported_by_line() {
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
