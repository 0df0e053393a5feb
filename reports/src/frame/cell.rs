//! A value of a row.

use std::borrow::Cow;

use serde::Serialize;

use crate::record::YesNo;

/// A value, which may be unknown.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell<'a> {
    /// A text; empty if unknown.
    Text(Cow<'a, str>),
    /// Yes or no.
    Flag(bool),
    /// A whole number.
    Whole(Option<u64>),
    /// A number.
    Number(Option<f64>),
    /// A time in UTC, as RFC 3339 writes it.
    Time(&'a str),
    /// A text that may be a number: its column gets the type that fits all values.
    Free(&'a str),
    /// No value, in a column of any type.
    Nothing,
}

/// Type of the values of a column.
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

/// Implements conversions of types to cells.
macro_rules! cells {
    ($($value:ident: $from:ty => $cell:expr,)*) => {
        $(impl<'a> From<$from> for Cell<'a> {
            fn from($value: $from) -> Self {
                $cell
            }
        })*
    };
}

cells! {
    text: &'a str => Cell::Text(text.into()),
    text: &'a String => Cell::Text(text.into()),
    text: String => Cell::Text(text.into()),
    text: Option<&'a str> => Cell::Text(text.unwrap_or_default().into()),
    flag: bool => Cell::Flag(flag),
    flag: YesNo => Cell::Flag(flag == YesNo::Yes),
    number: usize => Cell::Whole(Some(number as u64)),
    number: Option<usize> => Cell::Whole(number.map(|number| number as u64)),
    number: u64 => Cell::Whole(Some(number)),
    number: Option<u64> => Cell::Whole(number),
    number: f64 => Cell::Number(Some(number)),
    number: Option<f64> => Cell::Number(number),
}
