//! Rows for programs: values with the names of their columns.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Serialize;

/// One row: values with the names of their columns.
#[derive(Clone, Debug, Default)]
pub struct Record<'a> {
    pub(crate) fixed: Vec<(&'static str, Cell<'a>)>,
    /// Values that only some rows have, by the names of their columns.
    pub(crate) further: BTreeMap<String, Cell<'a>>,
}

impl<'a> Record<'a> {
    /// Adds a value to the row.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl Into<Cell<'a>>) -> Self {
        self.fixed.push((name, value.into()));
        self
    }

    /// The names of its columns.
    #[cfg(test)]
    pub fn names(&self) -> Vec<&'static str> {
        self.fixed.iter().map(|(name, _)| *name).collect()
    }

    /// Appends the values of another row.
    #[must_use]
    pub fn and(mut self, other: Record<'a>) -> Self {
        self.fixed.extend(other.fixed);
        self.further.extend(other.further);
        self
    }

    /// Adds a column for each of `values`: `axis_digis`, `metric_us_per_page`.
    #[must_use]
    pub fn spread(
        mut self,
        prefix: &str,
        values: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Self {
        let values = values.into_iter();
        let named = values.map(|(name, value)| (spread_name(prefix, name), Cell::Free(value)));
        self.further.extend(named);
        self
    }
}

/// Declares a struct whose fields are the columns of a table; `field as "column"` has another name
/// there, and `field in "s"` a unit. A row with a lifetime is made for its record and becomes it.
macro_rules! row {
    (@name $field:ident) => { stringify!($field) };
    (@name $field:ident $column:literal) => { $column };
    (@unit) => { "" };
    (@unit $unit:literal) => { $unit };
    (@impl $row:ident ($($field:ident $(as $column:literal)? $(in $unit:literal)?,)*)) => {
        impl $row {
            /// The columns with their units; empty for texts, counts and ratios.
            #[allow(dead_code, reason = "not all tables are exported with units")]
            pub(crate) const UNITS: &[(&str, &str)] = &[
                $(($crate::row::row!(@name $field $($column)?), $crate::row::row!(@unit $($unit)?)),)*
            ];

            /// The row for programs.
            pub(crate) fn record(&self) -> $crate::row::Record<'_> {
                $crate::row::Record::default()
                    $(.with($crate::row::row!(@name $field $($column)?), &self.$field))*
            }
        }
    };
    (@impl $row:ident<$lifetime:lifetime> ($($field:ident $(as $column:literal)?,)*)) => {
        impl<$lifetime> From<$row<$lifetime>> for $crate::row::Record<$lifetime> {
            fn from(row: $row<$lifetime>) -> Self {
                $crate::row::Record::default()
                    $(.with($crate::row::row!(@name $field $($column)?), row.$field))*
            }
        }
    };
    (
        $(#[$of_row:meta])*
        $public:vis struct $row:ident $(<$lifetime:lifetime>)? {
            $($(#[$of_field:meta])* $visible:vis $field:ident $(as $column:literal)? $(in $unit:literal)?: $kind:ty,)*
        }
    ) => {
        $(#[$of_row])*
        $public struct $row $(<$lifetime>)? {
            $($(#[$of_field])* $(#[serde(rename = $column)])? $visible $field: $kind,)*
        }

        $crate::row::row!(@impl $row $(<$lifetime>)? ($($field $(as $column)? $(in $unit)?,)*));
    };
}
pub(crate) use row;

/// Name of the column of a value that only some rows have: `axis_first_orbit`.
pub fn spread_name(prefix: &str, name: &str) -> String {
    format!("{prefix}_{}", name.replace('-', "_"))
}

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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Texts.
    Text,
    /// Booleans.
    #[serde(rename = "boolean")]
    Flag,
    /// Integers that fit in 63 bits.
    #[serde(rename = "integer")]
    Whole,
    /// Finite floating-point numbers.
    Number,
    /// Times in UTC, RFC 3339.
    Time,
}

impl Cell<'_> {
    /// The name of a value of an enum, as serde writes it.
    pub(crate) fn named(value: impl Serialize) -> Self {
        match serde_json::to_value(value) {
            Ok(serde_json::Value::String(name)) => Cell::Text(name.into()),
            _ => Cell::Text("".into()),
        }
    }

    pub(crate) fn kind(&self) -> Kind {
        match self {
            Cell::Text(_) | Cell::Free(_) | Cell::Nothing => Kind::Text,
            Cell::Flag(_) => Kind::Flag,
            Cell::Whole(_) => Kind::Whole,
            Cell::Number(_) => Kind::Number,
            Cell::Time(_) => Kind::Time,
        }
    }
}

/// Implements conversions of enums to cells, by the names that serde writes.
macro_rules! named_cells {
    ($($name:ty)*) => {
        $(impl From<$name> for $crate::row::Cell<'_> {
            fn from(value: $name) -> Self {
                $crate::row::Cell::named(value)
            }
        })*
    };
}
pub(crate) use named_cells;

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
    flag: &bool => Cell::Flag(*flag),
    number: usize => Cell::Whole(Some(number as u64)),
    number: Option<usize> => Cell::Whole(number.map(|number| number as u64)),
    number: u64 => Cell::Whole(Some(number)),
    number: Option<u64> => Cell::Whole(number),
    number: f64 => Cell::Number(Some(number)),
    number: Option<f64> => Cell::Number(number),
    number: &usize => (*number).into(),
    number: &u64 => (*number).into(),
    number: &Option<u64> => (*number).into(),
    number: &f64 => (*number).into(),
    number: &Option<f64> => (*number).into(),
}
