//! The vertical axis: time, in a unit that suits.

use super::figure::{Ruler, Tick};
use super::number_axis::plain;
use super::scale::{Scale, Spread};
use crate::units;

/// Beyond this many decades no single unit is readable at both ends.
const DECADES_OF_A_UNIT: f64 = 3.0;

/// The ruler of a time axis `height` pixels high: `median time [ms]`.
pub fn ruler(scale: &Scale, height: f64, what: &str) -> Ruler {
    let values = scale.ticks((height / 36.0) as usize);
    let own_units = scale.spread() == Spread::Log && scale.decades() > DECADES_OF_A_UNIT;
    let (unit, name) = units::second_unit(values.last().copied().unwrap_or(scale.high()) * NUDGE);
    let label = |value: f64| match own_units {
        true => units::seconds(value * NUDGE, 1),
        false => plain(value / unit),
    };
    let pixel = |value: f64| height * (1.0 - scale.position(value));
    let tick = |value: f64| Tick { at: pixel(value), label: label(value) };
    Ruler {
        label: if own_units { what.to_owned() } else { format!("{what} [{name}]") },
        ticks: values.into_iter().map(tick).collect(),
        minor: scale.minor_ticks().into_iter().map(pixel).collect(),
        grid: true,
    }
}

/// Keeps 1e-3 s from being 1000 µs by a rounding error.
const NUDGE: f64 = 1.0 + 1e-9;

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(scale: Scale) -> (String, Vec<String>) {
        let ruler = ruler(&scale, 300.0, "time");
        let labels = ruler.ticks.into_iter().map(|tick| tick.label);
        (ruler.label, labels.collect())
    }

    #[test]
    fn the_unit_suits_the_values() {
        let (label, ticks) = labels(Scale::from_zero(0.0123));
        assert_eq!(label, "time [ms]");
        assert_eq!(ticks, ["0", "2", "4", "6", "8", "10", "12"].map(String::from).to_vec());
        assert_eq!(labels(Scale::from_zero(3.3e-7)).0, "time [ns]");
        assert_eq!(labels(Scale::from_zero(3.3e-5)).0, "time [µs]");
    }

    #[test]
    fn many_decades_take_a_unit_each() {
        let (label, ticks) = labels(Scale::around(1e-6, 1.0));
        assert_eq!(label, "time");
        assert_eq!(ticks.first().map(String::as_str), Some("1 µs"));
        assert_eq!(ticks.last().map(String::as_str), Some("1 s"));
        assert!(ticks.contains(&"1 ms".to_owned()));
    }

    #[test]
    fn zero_is_at_the_bottom() {
        let ruler = ruler(&Scale::from_zero(2.0), 300.0, "time");
        assert_eq!(ruler.ticks[0].at, 300.0);
    }
}
