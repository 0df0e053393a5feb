//! Units of axes, and the formatting of their values.

use super::scale::{Scale, Spread};
use crate::units;

/// Number of decades beyond which no single unit is readable at both ends.
const DECADES_OF_A_UNIT: f64 = 3.0;
/// Keeps 1e-3 s from being 1000 µs by a rounding error.
const NUDGE: f64 = 1.0 + 1e-9;

/// Unit of an axis, with the name of the quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Seconds.
    Time(&'static str),
    /// Count.
    Count(&'static str),
    /// A plain number: a share, a metric of quality.
    Number(&'static str),
    /// A ratio.
    Factor(&'static str),
    /// Count per second.
    Rate(&'static str),
    /// Bytes per second of a memory or a link.
    Bandwidth,
    /// Bytes per second.
    Bytes(&'static str),
}

impl Unit {
    /// The name of the axis with the unit that suits the largest value, and a function that formats
    /// labels.
    pub fn axis(self, scale: &Scale, largest: f64) -> (String, impl Fn(f64) -> String + use<>) {
        let own_units = scale.spread == Spread::Log && scale.decades() > DECADES_OF_A_UNIT;
        let (unit, in_units) = units::second_unit(largest);
        let name = match self {
            Unit::Number(what)
            | Unit::Count(what)
            | Unit::Factor(what)
            | Unit::Rate(what)
            | Unit::Bytes(what) => what.to_owned(),
            Unit::Bandwidth => "bandwidth".to_owned(),
            Unit::Time(what) if own_units => what.to_owned(),
            Unit::Time(what) => format!("{what} [{in_units}]"),
        };
        let label = move |value: f64| match self {
            Unit::Number(_) => plain(value),
            Unit::Count(_) => units::count(value),
            Unit::Rate(_) => units::rate(value),
            Unit::Factor(_) => format!("{} ×", plain(value)),
            Unit::Bandwidth | Unit::Bytes(_) => units::bytes_per_second(value),
            Unit::Time(_) if own_units => units::seconds(value * NUDGE, 1),
            Unit::Time(_) => plain(value / unit),
        };
        (name, label)
    }
}

/// A number without rounding errors: `0.3`, not `0.30000000000000004`.
fn plain(value: f64) -> String {
    let rounded = (value * 1e9).round() / 1e9;
    format!("{rounded}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_unit_suits_the_values_and_many_decades_take_a_unit_each() {
        let linear = Scale { low: 0.0, high: 1.5, spread: Spread::Linear };
        let (name, label) = Unit::Time("time").axis(&linear, 0.5);
        assert_eq!((name.as_str(), label(0.002).as_str()), ("time [ms]", "2"));
        let log = Scale { low: 1e-6, high: 1.0, spread: Spread::Log };
        let (name, label) = Unit::Time("time").axis(&log, 1.0);
        assert_eq!((name.as_str(), label(1e-3).as_str()), ("time", "1 ms"));
    }
}
