//! TOML files written by users: suites, defaults of flags, accepted changes.
//!
//! Keys and values know their byte offset and record their problems: the reader continues, and all
//! problems are reported at once. Structs filled by serde would end at the first problem and not
//! know the offsets of keys. Numbers are texts, too: the parsers of flags read them, so that both
//! have the same syntax.

mod problems;

use std::slice;

use text::Untrusted;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::request::values::instead_of;
use problems::Problems;
pub use problems::{InvalidDocument, Problem};

/// Reads a document; `path` is for messages.
///
/// # Errors
/// All its problems.
pub(crate) fn read<T>(
    path: &str,
    text: &str,
    read: impl FnOnce(Section<'_>) -> T,
) -> Result<T, InvalidDocument> {
    let problems = Problems::default();
    let (table, errors) = DeTable::parse_recoverable(text);
    for error in errors {
        let message = error.message().trim().replace('\n', "; ");
        problems.add(error.span().map_or(0, |span| span.start), message);
    }
    problems.refuse(path, text)?;
    let value = read(Section { table: table.get_ref(), at: 0, problems: &problems });
    problems.refuse(path, text)?;
    Ok(value)
}

/// A table.
#[derive(Clone, Copy)]
pub(crate) struct Section<'a> {
    table: &'a DeTable<'a>,
    /// Byte offset of its header.
    at: usize,
    problems: &'a Problems,
}

/// A key with its value.
#[derive(Clone, Copy)]
pub(crate) struct Entry<'a> {
    /// The key.
    pub(crate) key: &'a str,
    /// Byte offset of the key.
    pub(crate) at: usize,
    value: &'a Spanned<DeValue<'a>>,
    problems: &'a Problems,
}

/// A value as it is written, without quotes.
pub(crate) struct Word<'a> {
    pub(crate) text: String,
    at: usize,
    problems: &'a Problems,
}

impl<'a> Section<'a> {
    /// All keys with their values.
    pub(crate) fn entries(self) -> impl Iterator<Item = Entry<'a>> {
        self.table.iter().map(move |(key, value)| Entry {
            key: key.get_ref(),
            at: key.span().start,
            value,
            problems: self.problems,
        })
    }

    /// A key with its value.
    pub(crate) fn entry(self, key: &str) -> Option<Entry<'a>> {
        self.entries().find(|entry| entry.key == key)
    }

    /// Returns the tables of an array of tables, if there is one.
    pub(crate) fn sections(self, key: &str) -> Vec<Section<'a>> {
        self.entry(key).map_or_else(Vec::new, Entry::sections)
    }

    /// Records a problem of the table.
    pub(crate) fn problem(self, text: impl Into<String>) {
        self.problems.add(self.at, text);
    }

    /// Returns the number of problems of the document so far.
    pub(crate) fn problem_count(self) -> usize {
        self.problems.count()
    }
}

impl<'a> Entry<'a> {
    /// Takes down a problem.
    pub(crate) fn problem(self, text: impl Into<String>) {
        self.problems.add(self.at, text);
    }

    /// Takes down that nothing reads this key in its section.
    pub(crate) fn unknown(self, context: &str, known: &[&str]) {
        let key = self.key.quoted();
        let instead = instead_of(self.key, known);
        self.problem(format!("unknown key {key} {context}; {instead}"));
    }

    /// A value, or the values of a list.
    pub(crate) fn words(self) -> Vec<Word<'a>> {
        let values: &[_] = match self.value.get_ref() {
            DeValue::Array(list) => list,
            _ => slice::from_ref(self.value),
        };
        if values.is_empty() {
            self.problem(format!("{} needs at least one value", self.key));
        }
        let words = values.iter().filter_map(|value| self.scalar(value));
        words.collect()
    }

    /// Returns the values as texts.
    pub(crate) fn texts(self) -> Vec<String> {
        self.words().into_iter().map(|word| word.text).collect()
    }

    /// A single value.
    pub(crate) fn word(self) -> Option<Word<'a>> {
        if let DeValue::Array(_) = self.value.get_ref() {
            self.problem(format!("{} takes one value, not a list", self.key));
            return None;
        }
        self.scalar(self.value)
    }

    /// Parses the single value.
    pub(crate) fn value<T>(self, parse: impl Fn(&str) -> Result<T, String>) -> Option<T> {
        self.word()?.value(self.key, parse)
    }

    /// Parses the values.
    pub(crate) fn values<T>(self, parse: impl Fn(&str) -> Result<T, String>) -> Vec<T> {
        let words = self.words().into_iter();
        let values = words.filter_map(|word| word.value(self.key, &parse));
        values.collect()
    }

    fn scalar(self, value: &Spanned<DeValue<'_>>) -> Option<Word<'a>> {
        let at = value.span().start;
        let problems = self.problems;
        let text = match value.get_ref() {
            DeValue::String(text) => text.to_string(),
            DeValue::Integer(number) => number.to_string(),
            DeValue::Float(number) => number.to_string(),
            DeValue::Boolean(value) => value.to_string(),
            other => {
                let key = self.key;
                let kind = other.type_str();
                problems.add(at, format!("{key} takes numbers and strings; found: {kind}"));
                return None;
            }
        };
        Some(Word { text, at, problems })
    }

    /// Returns true if it is a table.
    pub(crate) fn is_section(self) -> bool {
        self.value.get_ref().is_table()
    }

    /// A table: `[defaults]`.
    pub(crate) fn section(self) -> Option<Section<'a>> {
        let section = self.section_of(self.value);
        if section.is_none() {
            let key = self.key;
            let kind = self.value.get_ref().type_str();
            self.problem(format!("{key} is a table of its own; found: {kind}"));
        }
        section
    }

    /// The tables of a list of them: `[[task]]`.
    pub(crate) fn sections(self) -> Vec<Section<'a>> {
        let list = self.value.get_ref().as_array();
        let sections = list.and_then(|list| list.iter().map(|it| self.section_of(it)).collect());
        sections.unwrap_or_else(|| {
            let key = self.key;
            self.problem(format!(
                "{key} is a list of tables; head each with two pairs of brackets"
            ));
            Vec::new()
        })
    }

    fn section_of(self, value: &'a Spanned<DeValue<'a>>) -> Option<Section<'a>> {
        Some(Section {
            table: value.get_ref().as_table()?,
            at: value.span().start,
            problems: self.problems,
        })
    }
}

impl Word<'_> {
    /// Takes down a problem.
    pub(crate) fn problem(&self, text: impl Into<String>) {
        self.problems.add(self.at, text);
    }

    /// Returns the value, or records the error.
    pub(crate) fn or_problem<T>(&self, result: Result<T, String>) -> Option<T> {
        result.map_err(|text| self.problem(text)).ok()
    }

    fn value<T>(&self, key: &str, parse: impl Fn(&str) -> Result<T, String>) -> Option<T> {
        let text = &self.text;
        let parsed = parse(text).map_err(|problem| format!("{key} {}: {problem}", text.quoted()));
        self.or_problem(parsed)
    }
}
