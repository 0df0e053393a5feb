//! Parameters of tasks, and their values.
//!
//! | module | holds |
//! |---|---|
//! | `flag` | axes with the types of their values, as tasks declare them |
//! | `params` | values of a point |
//! | `values` | the grammar of values |

mod flag;
mod params;
mod values;

use std::fmt;
use std::str::FromStr;

use text::Untrusted;

pub use flag::{Flag, Switch};
pub use params::Params;
pub use values::IndexRange;
use values::{parse_choice, parse_duration, parse_number, parse_time_stamp};
pub use values::{parse_count, parse_frequency, parse_time};

/// Value of a switch that is on.
pub const YES: &str = "yes";
/// Value of a switch that is off.
pub const NO: &str = "no";

/// A parameter that can be varied: a flag of the task's subcommand.
#[derive(Clone, Copy, Debug)]
pub struct Axis {
    /// The flag without dashes.
    pub name: &'static str,
    /// Meaning, with an example if that helps.
    pub help: &'static str,
    /// The placeholder in the usage: `N`, `TIME`.
    pub value_name: &'static str,
    /// Default value; `None` if the task determines it otherwise.
    pub default: Option<&'static str>,
    /// Kind of its values.
    pub kind: Kind,
    /// Maximum that a trial of a command uses, for parameters of the input size.
    pub small: Option<f64>,
    /// Axes that this one is derived from if they have values, for an axis without a default.
    pub derived_from: &'static [&'static str],
    /// The unit of plain values, which may follow a value; empty without one.
    pub unit: &'static str,
    /// Name in tables and charts, in the plural for a [`Kind::Count`]; by default that of the flag.
    pub label: &'static str,
    /// Subject of its values.
    pub role: Role,
}

/// Subject of the values of an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The data.
    Data,
    /// The algorithm: the data are the same for all values, and outputs differ.
    Algorithm,
}

/// Declares axes and their list, in the order of their flags in help. An item is an axis
/// (`NAME: TYPE = FLAG => HELP;`), one that is declared elsewhere (`NAME;`), or a list of these
/// (`..LIST;`). An axis that is derived from another one may have its help.
#[macro_export]
#[doc(hidden)]
macro_rules! __axes {
    ($(#[$doc:meta])* $vis:vis $LIST:ident { $($items:tt)* }) => {
        $crate::axis::axes! { @ { $(#[$doc])* $vis $LIST } [] $($items)* }
    };
    (@ { $(#[$doc:meta])* $vis:vis $LIST:ident } [$($part:expr,)*]) => {
        $(#[$doc])*
        $vis const $LIST: &[$crate::axis::Axis] = {
            const PARTS: &[&[$crate::axis::Axis]] = &[$($part),*];
            const ALL: [$crate::axis::Axis; $crate::axis::count(PARTS)] =
                $crate::axis::joined(PARTS);
            &ALL
        };
    };
    (@ $list:tt [$($part:expr,)*]
        $(#[$doc:meta])* $vis:vis $NAME:ident: $type:ty = $flag:expr $(=> $help:expr)?;
        $($rest:tt)*) => {
        $(#[$doc])*
        $vis const $NAME: $crate::axis::Flag<$type> = $flag$(.with_help($help))?;
        $crate::axis::axes! { @ $list [$($part,)* &[$NAME.axis()],] $($rest)* }
    };
    (@ $list:tt [$($part:expr,)*] ..$axes:expr; $($rest:tt)*) => {
        $crate::axis::axes! { @ $list [$($part,)* $axes,] $($rest)* }
    };
    (@ $list:tt [$($part:expr,)*] $flag:expr $(=> $help:expr)?; $($rest:tt)*) => {
        $crate::axis::axes! { @ $list [$($part,)* &[$flag$(.with_help($help))?.axis()],] $($rest)* }
    };
}
pub use __axes as axes;

/// Number of elements of several lists.
#[doc(hidden)]
pub const fn count<T>(lists: &[&[T]]) -> usize {
    let mut count = 0;
    let mut i = 0;
    while i < lists.len() {
        count += lists[i].len();
        i += 1;
    }
    count
}

/// Concatenates lists, of which the first one has an element.
#[doc(hidden)]
pub const fn joined<T: Copy, const N: usize>(lists: &[&[T]]) -> [T; N] {
    let mut all = [lists[0][0]; N];
    let mut next = 0;
    let mut i = 0;
    while i < lists.len() {
        let mut k = 0;
        while k < lists[i].len() {
            all[next] = lists[i][k];
            next += 1;
            k += 1;
        }
        i += 1;
    }
    all
}

/// Kinds of values of an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A count of things that the label names: `24`, `20M`.
    Count,
    /// An integer that is not a count, such as an index or a threshold: `7`.
    Integer,
    /// A point in time in nanoseconds, which may be negative: `-500`.
    TimeStamp,
    /// A fraction: `0.25`.
    Share,
    /// Any number: `2.3`.
    Number,
    /// A frequency in hertz: `50kHz`.
    Frequency,
    /// A duration, stored in nanoseconds: `10ms`.
    Duration,
    /// The path of a file or folder.
    Path,
    /// A half-open range of indices: `3..7`.
    Range,
    /// [`YES`] or [`NO`]; the flag without a value means the former.
    Switch,
    /// One of the given names.
    Choice(&'static [&'static str]),
    /// Values with a grammar of their own.
    Own(Grammar),
}

impl Kind {
    /// Unit of plain values of all axes of this kind; empty without one.
    const fn unit(self) -> &'static str {
        match self {
            Kind::Frequency => "Hz",
            Kind::Duration => "ns",
            _ => "",
        }
    }

    /// Name in records.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Count => "count",
            Kind::Integer => "integer",
            Kind::TimeStamp => "time stamp",
            Kind::Share => "share",
            Kind::Number => "number",
            Kind::Frequency => "frequency",
            Kind::Duration => "duration",
            Kind::Path => "path",
            Kind::Range => "range",
            Kind::Switch => "switch",
            Kind::Choice(_) => "choice",
            Kind::Own(grammar) => grammar.name,
        }
    }
}

/// An invalid value of an axis.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("--{axis} {}: {problem}", text.quoted())]
pub struct InvalidValue {
    axis: &'static str,
    text: String,
    problem: String,
}

impl InvalidValue {
    /// Problem, with the valid values.
    pub fn problem(&self) -> &str {
        &self.problem
    }
}

impl Axis {
    /// Converts a value to its plain form: `20M` to `20000000`, `10ms` to `10000000` (ns).
    ///
    /// # Errors
    /// If the value is invalid; the error lists the valid ones.
    pub fn parse(&self, text: &str) -> Result<String, InvalidValue> {
        let number = self.without_unit(text);
        let plain = match self.kind {
            Kind::Count | Kind::Integer => parse_count(number).map(|count| count.to_string()),
            Kind::TimeStamp => parse_time_stamp(number).map(|time| time.to_string()),
            Kind::Share | Kind::Number => parse_number(number).map(|number| number.to_string()),
            Kind::Frequency => parse_frequency(text).map(|hertz| hertz.to_string()),
            Kind::Duration => parse_duration(text).map(|time| time.to_string()),
            Kind::Path => Ok(text.to_owned()),
            Kind::Range => {
                text.parse().map(|IndexRange(all)| format!("{}..{}", all.start, all.end))
            }
            Kind::Switch => parse_choice(text, &[NO, YES]),
            Kind::Choice(names) => parse_choice(text, names),
            Kind::Own(grammar) => (grammar.plain)(text),
        };
        plain.map_err(|problem| InvalidValue { axis: self.name, text: text.to_owned(), problem })
    }

    /// Removes a unit after a number.
    fn without_unit<'t>(&self, text: &'t str) -> &'t str {
        match text.strip_suffix(self.unit) {
            Some(number) if !self.unit.is_empty() => number.trim_end(),
            _ => text,
        }
    }
}

/// The text form of a type of values, for axes that no other [`Kind`] fits.
#[derive(Clone, Copy, Debug)]
pub struct Grammar {
    /// Name in records; no two grammars share one.
    name: &'static str,
    plain: fn(&str) -> Result<String, String>,
}

impl Grammar {
    /// The grammar of a type, whose plain form is that which it is displayed in.
    pub const fn for_type<T>(name: &'static str) -> Self
    where
        T: FromStr + fmt::Display,
        T::Err: fmt::Display,
    {
        Grammar { name, plain: plain_form::<T> }
    }
}

impl PartialEq for Grammar {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Grammar {}

fn plain_form<T>(text: &str) -> Result<String, String>
where
    T: FromStr + fmt::Display,
    T::Err: fmt::Display,
{
    let value: T = text.parse().map_err(|error: T::Err| error.to_string())?;
    Ok(value.to_string())
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    fn axis(kind: Kind) -> Axis {
        Flag::<String>::for_kind(kind).axis()
    }

    #[test]
    fn a_value_may_have_the_unit_of_its_axis() {
        const CUTOFF: Axis = Flag::<u8>::integer("cutoff").unit("ADC units").axis();
        assert_eq!(
            ["3", "3 ADC units", "3ADC units"].map(|text| CUTOFF.parse(text).ok()),
            [Some("3".into()), Some("3".into()), Some("3".into())]
        );
        assert!(CUTOFF.parse("3 e").is_err());
    }

    #[test]
    fn values_have_one_plain_form() {
        assert_eq!(axis(Kind::Frequency).parse("10MHz"), Ok("10000000".into()));
        assert_eq!(axis(Kind::Frequency).parse("0.5 Hz"), Ok("0.5".into()));
        assert_eq!(axis(Kind::Duration).parse("10ms"), Ok("10000000".into()));
        assert_eq!(axis(Kind::Share).parse("0.250"), Ok("0.25".into()));
        let address = axis(Kind::Own(Grammar::for_type::<Ipv4Addr>("address")));
        assert_eq!(address.parse("127.0.0.1"), Ok("127.0.0.1".into()));
        assert!(address.parse("127.0.0").is_err());
    }

    #[test]
    fn choices_are_refused_with_the_known_ones() {
        let axis = axis(Kind::Choice(&["near", "far"]));
        assert_eq!(axis.parse("far"), Ok("far".into()));
        let error = axis.parse("Far").expect_err("unknown").to_string();
        assert_eq!(error, "--axis \"Far\": unknown; there are near, far");
    }

    #[test]
    fn invalid_values_are_refused_with_the_flag() {
        for bad in ["NaN", "-1kHz", "inf", "fast", "1XHz"] {
            let error = axis(Kind::Frequency).parse(bad).expect_err(bad).to_string();
            assert!(error.starts_with(&format!("--axis \"{bad}\": ")), "{error}");
        }
        assert_eq!(axis(Kind::Duration).parse("10"), Ok("10000000000".into()));
        for bad in ["ten", "-1ms", ""] {
            assert!(axis(Kind::Duration).parse(bad).is_err(), "{bad}");
        }
    }
}
