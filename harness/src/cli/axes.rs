//! The axes of a task as flags.

use algorithms::axis::{Axis, Kind, YES};
use clap::{Arg, ArgAction, ArgMatches, ValueHint};

use crate::request::{AxisValues, typed_default};

/// The flag of an axis; `many` for a list of values.
pub(super) fn flag(axis: &Axis, many: bool) -> Arg {
    let default = typed_default(axis);
    let default = default.map_or(String::new(), |value| format!(" [default: {value}]"));
    let flag = Arg::new(axis.name)
        .allow_negative_numbers(true)
        .long(axis.name)
        .value_name(axis.value_name)
        .help(format!("{}{default}", axis.help))
        .help_heading("Data");
    let flag = match axis.kind {
        Kind::Switch => flag
            .num_args(0..=1)
            .require_equals(true)
            .default_missing_value(YES),
        Kind::Path => flag.value_hint(ValueHint::AnyPath),
        _ => flag,
    };
    if many {
        flag.value_delimiter(',').action(ArgAction::Append)
    } else {
        flag
    }
}

/// The values given for the axes, each once.
pub(super) fn values(
    axes: impl IntoIterator<Item = &'static Axis>,
    matches: &ArgMatches,
) -> Result<AxisValues, String> {
    let mut given = Vec::new();
    for axis in axes {
        let Some(texts) = matches.get_many::<String>(axis.name) else {
            continue;
        };
        let mut values = Vec::new();
        for text in texts {
            let value = axis.parse(text).map_err(|error| error.to_string())?;
            if !values.contains(&value) {
                values.push(value);
            }
        }
        given.push((axis.name, values));
    }
    Ok(AxisValues::new(given))
}
