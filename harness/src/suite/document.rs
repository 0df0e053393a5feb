//! A TOML document as sections of keys and words that know where they stand.
//!
//! Numbers are words too: what a word means is for the functions to say that
//! read the values of flags, so that both are written the same way.

use std::slice;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::problems::Problems;

/// A value as it is written.
#[derive(Clone, Debug)]
pub(crate) struct Word {
    /// The text, without quotes.
    pub(crate) text: String,
    /// Where it stands, in bytes from the start.
    pub(crate) at: usize,
}

/// A table.
#[derive(Clone, Copy)]
pub(crate) struct Section<'a> {
    table: &'a DeTable<'a>,
    /// Where its header stands, in bytes from the start.
    pub(crate) at: usize,
}

/// A key with its value.
#[derive(Clone, Copy)]
pub(crate) struct Entry<'a> {
    /// The key.
    pub(crate) key: &'a str,
    /// Where the key stands, in bytes from the start.
    pub(crate) at: usize,
    value: &'a Spanned<DeValue<'a>>,
}

impl<'a> Section<'a> {
    /// The whole document.
    pub(crate) fn root(document: &'a Spanned<DeTable<'a>>) -> Self {
        Section {
            table: document.get_ref(),
            at: 0,
        }
    }

    /// All keys with their values.
    pub(crate) fn entries(self) -> impl Iterator<Item = Entry<'a>> {
        self.table.iter().map(|(key, value)| Entry {
            key: key.get_ref(),
            at: key.span().start,
            value,
        })
    }

    /// A key with its value.
    pub(crate) fn entry(self, key: &str) -> Option<Entry<'a>> {
        self.entries().find(|entry| entry.key == key)
    }
}

impl<'a> Entry<'a> {
    /// A value, or the values of a list.
    pub(crate) fn words(self, problems: &mut Problems) -> Vec<Word> {
        let values: &[_] = match self.value.get_ref() {
            DeValue::Array(list) => list,
            _ => slice::from_ref(self.value),
        };
        if values.is_empty() {
            problems.add(self.at, format!("{} needs at least one value", self.key));
        }
        let words = values
            .iter()
            .filter_map(|value| self.scalar(value, problems));
        words.collect()
    }

    /// A single value.
    pub(crate) fn word(self, problems: &mut Problems) -> Option<Word> {
        if let DeValue::Array(_) = self.value.get_ref() {
            problems.add(self.at, format!("{} takes one value, not a list", self.key));
            return None;
        }
        self.scalar(self.value, problems)
    }

    fn scalar(self, value: &Spanned<DeValue<'_>>, problems: &mut Problems) -> Option<Word> {
        let at = value.span().start;
        let text = match value.get_ref() {
            DeValue::String(text) => text.to_string(),
            DeValue::Integer(number) => number.to_string(),
            DeValue::Float(number) => number.to_string(),
            DeValue::Boolean(value) => value.to_string(),
            other => {
                let (key, kind) = (self.key, other.type_str());
                problems.add(
                    at,
                    format!("{key} takes numbers and strings; found: {kind}"),
                );
                return None;
            }
        };
        Some(Word { text, at })
    }

    /// Whether it is a table.
    pub(crate) fn is_section(self) -> bool {
        section(self.value).is_some()
    }

    /// A table: `[defaults]`.
    pub(crate) fn section(self, problems: &mut Problems) -> Option<Section<'a>> {
        let section = section(self.value);
        if section.is_none() {
            let (key, kind) = (self.key, self.value.get_ref().type_str());
            problems.add(
                self.at,
                format!("{key} is a table of its own; found: {kind}"),
            );
        }
        section
    }

    /// The tables of a list of them: `[[task]]`.
    pub(crate) fn sections(self, problems: &mut Problems) -> Vec<Section<'a>> {
        let sections = match self.value.get_ref() {
            DeValue::Array(list) => list.iter().map(section).collect(),
            _ => None,
        };
        sections.unwrap_or_else(|| {
            let key = self.key;
            let advice = format!("{key} is a list of tables; head each with two pairs of brackets");
            problems.add(self.at, advice);
            Vec::new()
        })
    }
}

fn section<'a>(value: &'a Spanned<DeValue<'a>>) -> Option<Section<'a>> {
    let at = value.span().start;
    let table = value.get_ref().as_table()?;
    Some(Section { table, at })
}
