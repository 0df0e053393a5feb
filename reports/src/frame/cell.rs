//! A value of a row.

use std::borrow::Cow;

use serde::Serialize;

use crate::record::YesNo;

/// A value, which need not be known.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell<'a> {
    /// A text; empty if not known.
    Text(Cow<'a, str>),
    /// Yes or no.
    Flag(bool),
    /// A whole number.
    Whole(Option<u64>),
    /// A number.
    Number(Option<f64>),
    /// A time in UTC, as RFC 3339 writes it.
    Time(&'a str),
    /// A text that may be a number: its column has the type that fits all of them.
    Free(&'a str),
    /// Nothing, in a column of any type.
    Nothing,
}

/// What the values of a column are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    Flag,
    Whole,
    Number,
    Time,
}

impl Cell<'_> {
    /// The name of a value of an enum, as serde writes it.
    pub fn named(value: impl Serialize) -> Self {
        match serde_json::to_value(value) {
            Ok(serde_json::Value::String(name)) => Cell::Text(name.into()),
            _ => Cell::Text("".into()),
        }
    }

    pub(super) fn kind(&self) -> Kind {
        match self {
            Cell::Text(_) | Cell::Free(_) | Cell::Nothing => Kind::Text,
            Cell::Flag(_) => Kind::Flag,
            Cell::Whole(_) => Kind::Whole,
            Cell::Number(_) => Kind::Number,
            Cell::Time(_) => Kind::Time,
        }
    }
}

impl<'a> From<&'a str> for Cell<'a> {
    fn from(text: &'a str) -> Self {
        Cell::Text(text.into())
    }
}

impl<'a> From<&'a String> for Cell<'a> {
    fn from(text: &'a String) -> Self {
        Cell::Text(text.into())
    }
}

impl From<String> for Cell<'_> {
    fn from(text: String) -> Self {
        Cell::Text(text.into())
    }
}

impl<'a> From<Option<&'a str>> for Cell<'a> {
    fn from(text: Option<&'a str>) -> Self {
        Cell::Text(text.unwrap_or_default().into())
    }
}

impl From<bool> for Cell<'_> {
    fn from(flag: bool) -> Self {
        Cell::Flag(flag)
    }
}

impl From<YesNo> for Cell<'_> {
    fn from(flag: YesNo) -> Self {
        Cell::Flag(flag == YesNo::Yes)
    }
}

impl From<usize> for Cell<'_> {
    fn from(number: usize) -> Self {
        Cell::Whole(Some(number as u64))
    }
}

impl From<Option<usize>> for Cell<'_> {
    fn from(number: Option<usize>) -> Self {
        Cell::Whole(number.map(|number| number as u64))
    }
}

impl From<u64> for Cell<'_> {
    fn from(number: u64) -> Self {
        Cell::Whole(Some(number))
    }
}

impl From<Option<u64>> for Cell<'_> {
    fn from(number: Option<u64>) -> Self {
        Cell::Whole(number)
    }
}

impl From<f64> for Cell<'_> {
    fn from(number: f64) -> Self {
        Cell::Number(Some(number))
    }
}

impl From<Option<f64>> for Cell<'_> {
    fn from(number: Option<f64>) -> Self {
        Cell::Number(number)
    }
}
