//! TOML files written by users (suites, defaults of flags, accepted changes), and their problems.
//!
//! Keys and values know their byte offset and record their problems: the reader continues, and all
//! problems are reported at once. Structs filled by serde would end at the first problem and not
//! know the offsets of keys. Numbers are texts, too: the parsers of flags read them, so that both
//! have the same syntax.

use std::cell::RefCell;
use std::{fmt, slice};

use text::{SENTENCE, Untrusted};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::request::values::instead_of;

/// Reads a document; `path` is for messages.
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

    /// Returns true if it is a list, of values or of tables.
    pub(crate) fn is_list(self) -> bool {
        self.value.get_ref().is_array()
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

/// A document that makes no sense.
#[derive(Debug, thiserror::Error)]
#[error("{}", listing(path, problems))]
pub struct InvalidDocument {
    /// File name, for messages.
    pub path: String,
    /// All problems, by line.
    pub problems: Vec<Problem>,
}

/// A problem and its line.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// Problem and its fix.
    pub text: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.text)
    }
}

/// One a line, in the form that editors jump to.
fn listing(path: &str, problems: &[Problem]) -> String {
    let count = problems.len();
    let plural = if problems.len() == 1 { "" } else { "s" };
    let mut text = format!("{count} problem{plural} in {path}");
    for problem in problems {
        text.push_str(&format!("\n{path}:{problem}"));
    }
    text
}

/// Collects problems by their byte offsets. All readers of a document share it.
#[derive(Debug, Default)]
struct Problems(RefCell<Vec<(usize, String)>>);

impl Problems {
    /// Takes down a problem.
    fn add(&self, at: usize, text: impl Into<String>) {
        // Messages of parsers repeat their input.
        let text = text.into().escaped().at_most(SENTENCE).to_string();
        self.0.borrow_mut().push((at, text));
    }

    /// Returns the number of problems so far.
    fn count(&self) -> usize {
        self.0.borrow().len()
    }

    /// Succeeds if there are no problems. Reports all problems, by line.
    fn refuse(&self, path: &str, text: &str) -> Result<(), InvalidDocument> {
        let problem = |(at, problem)| {
            let (line, column) = position(text, at);
            Problem { line, column, text: problem }
        };
        let mut problems: Vec<_> = self.0.take().into_iter().map(problem).collect();
        if problems.is_empty() {
            return Ok(());
        }
        problems.sort();
        problems.dedup();
        let path = path.to_owned();
        Err(InvalidDocument { path, problems })
    }
}

/// Line and column of a byte, from 1.
fn position(text: &str, at: usize) -> (usize, usize) {
    // Not every offset that a parser reports is the start of a character.
    let before = String::from_utf8_lossy(&text.as_bytes()[..at.min(text.len())]);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
    (line, column)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters() {
        let text = "a\nä=µ\n";
        assert_eq!(position(text, 0), (1, 1));
        assert_eq!(position(text, 2), (2, 1));
        assert_eq!(position(text, 5), (2, 3));
        assert_eq!(position(text, 99), (3, 1));
    }

    #[test]
    fn problems_are_reported_by_line() {
        let problems = Problems::default();
        problems.add(2, "second");
        problems.add(0, "first");
        let error = problems.refuse("s.toml", "a\nb").expect_err("two");
        let text = "2 problems in s.toml\ns.toml:1:1: first\ns.toml:2:1: second";
        assert_eq!(error.to_string(), text);
        assert!(Problems::default().refuse("s.toml", "").is_ok());
    }
}
