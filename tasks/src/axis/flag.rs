//! Axes with the types of their values.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;
use std::str::FromStr;

use generators_common::DataError;
use text::Untrusted;

use super::{Axis, Grammar, Kind, NO, Params, Role, YES, parse_choice};

/// An axis with the type of its values.
#[derive(Debug)]
pub struct Flag<T> {
    axis: Axis,
    values: PhantomData<fn() -> T>,
}

/// Declares the constructors of flags, each with a placeholder in the usage and a kind.
macro_rules! constructors {
    ($($(#[$doc:meta])+ $name:ident($value_name:literal, $kind:expr);)+) => {
        $($(#[$doc])+
        pub const fn $name(name: &'static str) -> Self {
            Self::new(name, $value_name, $kind)
        })+
    };
}

impl<T> Flag<T> {
    const fn new(name: &'static str, value_name: &'static str, kind: Kind) -> Self {
        Flag {
            axis: Axis {
                name,
                help: "",
                value_name,
                default: None,
                kind,
                small: None,
                derived_from: &[],
                unit: kind.unit(),
                label: name,
                role: Role::Data,
            },
            values: PhantomData,
        }
    }

    constructors! {
        /// A count of things that the name or the [label](Self::label) names.
        count("N", Kind::Count);
        /// An integer that is not a count.
        integer("N", Kind::Integer);
        /// A point in time in nanoseconds, which may be negative.
        time_stamp("NS", Kind::TimeStamp);
        /// A fraction.
        share("SHARE", Kind::Share);
        /// Any number.
        number("NUMBER", Kind::Number);
        /// A frequency in hertz.
        frequency("RATE", Kind::Frequency);
        /// A duration in nanoseconds.
        duration("TIME", Kind::Duration);
        /// A file path.
        path("FILE", Kind::Path);
        /// A half-open range of indices.
        range("A..B", Kind::Range);
        /// A switch, on or off.
        switch("YES|NO", Kind::Switch);
    }

    /// One of the given names.
    pub const fn choice(name: &'static str, names: &'static [&'static str]) -> Self {
        Self::new(name, "NAME", Kind::Choice(names))
    }

    /// Values with a grammar of their own.
    pub const fn with_grammar(name: &'static str, value_name: &'static str, kind: Grammar) -> Self {
        Self::new(name, value_name, Kind::Own(kind))
    }

    /// Sets the default.
    pub const fn or(mut self, default: &'static str) -> Self {
        self.axis.default = Some(default);
        self
    }

    /// Sets the maximum that a trial of a command uses for a parameter of the input size.
    pub const fn small(mut self, max: f64) -> Self {
        self.axis.small = Some(max);
        self
    }

    /// Sets the axes that it is derived from if they have values.
    pub const fn derived_from(mut self, axes: &'static [&'static str]) -> Self {
        self.axis.derived_from = axes;
        self
    }

    /// Sets the unit of plain values.
    pub const fn unit(mut self, unit: &'static str) -> Self {
        self.axis.unit = unit;
        self
    }

    /// Sets a name for tables and charts that differs from the flag's.
    pub const fn label(mut self, label: &'static str) -> Self {
        self.axis.label = label;
        self
    }

    /// Marks it as a parameter of the algorithm, which `bench pareto` varies.
    pub const fn of_algorithm(mut self) -> Self {
        self.axis.role = Role::Algorithm;
        self
    }

    /// Sets the placeholder in the usage.
    pub const fn called(mut self, value_name: &'static str) -> Self {
        self.axis.value_name = value_name;
        self
    }

    /// Sets the help text.
    pub const fn with_help(mut self, help: &'static str) -> Self {
        self.axis.help = help;
        self
    }

    /// An axis of a kind, for tests of values.
    #[cfg(test)]
    pub(super) const fn for_kind(kind: Kind) -> Self {
        Self::new("axis", "", kind)
    }

    /// Removes the type of the values.
    pub const fn axis(self) -> Axis {
        self.axis
    }
}

impl<T> Flag<T>
where
    T: FromStr,
    T::Err: fmt::Display,
{
    /// Returns the value, if there is one.
    ///
    /// # Errors
    /// If the value is not of this type.
    pub fn given(&self, params: &Params) -> Result<Option<T>, DataError> {
        let parse = |text: &str| {
            text.parse().map_err(|problem| {
                let name = self.axis.name;
                let text = text.quoted();
                DataError::Shape(format!("--{name} has no usable value ({text}): {problem}"))
            })
        };
        params.get(self.axis.name).map(parse).transpose()
    }

    /// Returns the value.
    ///
    /// # Errors
    /// If there is none, or it is not of this type.
    pub fn value(&self, params: &Params) -> Result<T, DataError> {
        let missing = || DataError::Shape(format!("--{} has no value", self.axis.name));
        self.given(params)?.ok_or_else(missing)
    }
}

impl<T> Deref for Flag<T> {
    type Target = Axis;

    fn deref(&self) -> &Axis {
        &self.axis
    }
}

/// Value of a switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Switch(pub bool);

impl FromStr for Switch {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        parse_choice(text, &[NO, YES]).map(|text| Switch(text == YES))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_their_type_or_an_error_with_the_flag() {
        const SECTOR: Flag<u8> = Flag::count("sector").or("7");
        let mut params = Params::default();
        assert_eq!(SECTOR.given(&params).expect("none"), None);
        let error = SECTOR.value(&params).expect_err("nothing was given").to_string();
        assert_eq!(error, "--sector has no value");
        params.complete(&[SECTOR.axis()]);
        assert_eq!(SECTOR.value(&params).expect("the default"), 7);
        const LENGTH: Flag<u64> = Flag::duration("length").or("2us");
        params.complete(&[LENGTH.axis()]);
        assert_eq!(LENGTH.value(&params).expect("in ns"), 2000);
        params.set(SECTOR.name, "300");
        let error = SECTOR.value(&params).expect_err("more than a byte").to_string();
        assert!(error.starts_with("--sector has no usable value (\"300\")"), "{error}");
    }
}
