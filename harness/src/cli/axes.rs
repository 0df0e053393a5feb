//! The axes of a task as flags.

use std::ffi::OsStr;
use std::fmt::Display;

use algorithms::axis::{Axis, Kind, YES};
use clap::builder::TypedValueParser;
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Command, ValueHint};

use crate::request::values::each_once;
use crate::request::{AxisValues, as_tried, typed_default};

/// The flag of an axis; `many` for a list of values.
pub(super) fn flag(axis: &'static Axis, many: bool) -> Arg {
    let default = typed_default(axis);
    let default = default.map_or(String::new(), |value| format!(" [default: {value}]"));
    let flag = Arg::new(axis.name)
        .allow_negative_numbers(true)
        .long(axis.name)
        .value_name(axis.value_name)
        .value_parser(Parser(axis))
        .help(format!("{}{default}", axis.help))
        .help_heading("Data");
    let flag = match axis.kind {
        Kind::Switch => flag.num_args(0..=1).require_equals(true).default_missing_value(YES),
        Kind::Path => flag.value_hint(ValueHint::AnyPath),
        _ => flag,
    };
    if many { flag.value_delimiter(',').action(ArgAction::Append) } else { flag }
}

/// The values given for the axes, each once.
pub(super) fn values(
    axes: impl IntoIterator<Item = &'static Axis>,
    matches: &ArgMatches,
) -> AxisValues {
    let given = |axis: &'static Axis| {
        let plain = matches.get_many(axis.name)?.cloned();
        let mut values: Vec<String> = plain.map(|plain| as_tried(axis, plain)).collect();
        each_once(&mut values);
        Some((axis.name, values))
    };
    AxisValues::new(axes.into_iter().filter_map(given).collect())
}

/// Returns the values of generated data.
pub(super) fn generated(
    axes: impl IntoIterator<Item = &'static Axis> + Clone,
    matches: &ArgMatches,
) -> AxisValues {
    values(axes.clone(), matches).to_generate(axes)
}

/// Takes the values of an axis, in plain form.
#[derive(Clone)]
struct Parser(&'static Axis);

impl TypedValueParser for Parser {
    type Value = String;

    fn parse_ref(
        &self,
        command: &Command,
        _: Option<&Arg>,
        value: &OsStr,
    ) -> Result<String, clap::Error> {
        let invalid =
            |problem: &dyn Display| command.clone().error(ErrorKind::ValueValidation, problem);
        let not_utf8 = "the value is not UTF-8; rename the file";
        let text = value.to_str().ok_or_else(|| invalid(&not_utf8))?;
        self.0.parse(text).map_err(|error| invalid(&error))
    }
}
