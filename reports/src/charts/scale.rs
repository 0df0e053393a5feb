//! Mapping of values to pixels, the choice of labelled values, and their units.

use std::ops::Range;

use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint, Ranged};

use crate::units;

/// Range and mapping of an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    /// The smallest value on the axis.
    pub low: f64,
    /// The largest value on the axis.
    pub high: f64,
    /// Linear or logarithmic.
    pub spread: Spread,
}

/// Equal steps, or equal factors, a pixel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spread {
    /// Equal steps.
    Linear,
    /// Equal factors.
    Log,
}

impl Spread {
    /// Logarithmic if the values span this factor.
    pub fn beyond(factor: f64, low: f64, high: f64) -> Spread {
        match low > 0.0 && high / low >= factor {
            true => Spread::Log,
            false => Spread::Linear,
        }
    }
}

impl Scale {
    /// From zero to a bit above `high`.
    pub fn from_zero(high: f64) -> Scale {
        let high = if high > 0.0 { high * 1.08 } else { 1.0 };
        Scale { low: 0.0, high, spread: Spread::Linear }
    }

    /// From zero to a bit above `high`; around the values if it is logarithmic.
    pub fn from_zero_or_log(low: f64, high: f64, spread: Spread) -> Scale {
        match spread {
            Spread::Linear => Scale::from_zero(high),
            Spread::Log => Scale::new(low, high, Spread::Log),
        }
    }

    /// Around the values, logarithmic if they span a decade.
    pub fn around(low: f64, high: f64) -> Scale {
        Scale::new(low, high, Spread::beyond(10.0, low, high))
    }

    /// Around the values, with a margin at both ends.
    pub fn new(low: f64, high: f64, spread: Spread) -> Scale {
        let (low, high) = match spread {
            Spread::Linear => {
                // A single value needs margins too.
                let span = (high - low).max(high.abs() * 0.1);
                let margin = if span > 0.0 { span * 0.06 } else { 0.06 };
                (low - margin, high + margin)
            }
            Spread::Log => {
                let margin = (high / low).powf(0.05);
                (low / margin, high * margin)
            }
        };
        Scale { low, high, spread }
    }

    /// Position of a value: 0 at the low end, 1 at the high end.
    pub fn position(&self, value: f64) -> f64 {
        match self.spread {
            Spread::Linear => (value - self.low) / (self.high - self.low),
            Spread::Log => (value / self.low).ln() / (self.high / self.low).ln(),
        }
    }

    /// Number of powers of ten between the ends.
    pub fn decades(&self) -> f64 {
        (self.high / self.low).log10()
    }

    /// The values to label: round ones, at most about `count` of them.
    pub fn ticks(&self, count: usize) -> Vec<f64> {
        match self.spread {
            Spread::Linear => self.linear_ticks(count),
            Spread::Log => {
                let steps = [&[1.0, 2.0, 5.0][..], &[1.0, 3.0], &[1.0]];
                let mut ticks = steps.map(|steps| self.multiples(steps)).into_iter();
                let fitting = ticks.find(|ticks| ticks.len() <= count);
                fitting.unwrap_or_else(|| {
                    let decades = self.multiples(&[1.0]);
                    let step = decades.len().div_ceil(count.max(1)).max(1);
                    decades.into_iter().step_by(step).collect()
                })
            }
        }
    }

    fn linear_ticks(&self, count: usize) -> Vec<f64> {
        let rough = (self.high - self.low) / count.max(1) as f64;
        let power = 10f64.powf(rough.log10().floor());
        let nice = [1.0, 2.0, 5.0, 10.0].map(|step| step * power);
        let step = nice.into_iter().find(|step| *step >= rough * 0.999).unwrap_or(rough);
        let first = (self.low / step).ceil() as i64;
        let last = (self.high / step).floor() as i64;
        (first..=last).map(|i| i as f64 * step).collect()
    }

    /// `factors` times each power of ten, as far as they lie on the axis.
    fn multiples(&self, factors: &[f64]) -> Vec<f64> {
        let first = exponent(self.low.log10().floor());
        let last = exponent(self.high.log10().ceil());
        let all = (first..=last).flat_map(|e| factors.iter().map(move |f| f * 10f64.powi(e)));
        let on_axis = |value: &f64| (-1e-9..=1.0 + 1e-9).contains(&self.position(*value));
        all.filter(on_axis).collect()
    }
}

/// The exponent of a power of ten, within `i32`. The margins of a scale may exceed the range of a
/// number; nothing is labelled there.
fn exponent(value: f64) -> i32 {
    let limit = f64::from(f64::MAX_EXP);
    value.clamp(-limit, limit) as i32
}

impl Ranged for Scale {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, (start, end): (i32, i32)) -> i32 {
        start + (self.position(*value) * f64::from(end - start)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        self.ticks(hint.max_num_points())
    }

    fn range(&self) -> Range<f64> {
        self.low..self.high
    }
}

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
    fn a_decade_makes_an_axis_logarithmic() {
        assert_eq!(Scale::around(1.0, 9.0).spread, Spread::Linear);
        assert_eq!(Scale::around(1.0, 10.0).spread, Spread::Log);
        assert_eq!(Scale::around(0.0, 10.0).spread, Spread::Linear);
    }

    #[test]
    fn equal_factors_are_equal_distances() {
        let scale = Scale::around(1e3, 1e8);
        let step = |a: f64, b: f64| scale.position(b) - scale.position(a);
        assert!((step(1e3, 1e4) - step(1e7, 1e8)).abs() < 1e-12);
        assert_eq!(scale.ticks(10).len(), 6);
    }

    #[test]
    fn the_ends_of_all_numbers_have_an_axis() {
        for (low, high) in [(5e-324, 1.0), (1.0, f64::MAX)] {
            let scale = Scale::new(low, high, Spread::Log);
            assert!(scale.ticks(10).len() < 50, "{scale:?}");
        }
    }

    #[test]
    fn linear_ticks_are_round_and_start_at_zero() {
        let ticks = Scale::from_zero(12.3).ticks(6);
        assert_eq!(ticks, [0.0, 5.0, 10.0]);
        let ticks = Scale::from_zero(0.9).ticks(6);
        assert_eq!(ticks.len(), 5);
    }

    #[test]
    fn a_single_value_has_an_axis() {
        let scale = Scale::around(5.0, 5.0);
        assert!((scale.position(5.0) - 0.5).abs() < 1e-9);
        assert!(!scale.ticks(5).is_empty());
        assert!(Scale::from_zero(0.0).position(0.0).is_finite());
    }

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
