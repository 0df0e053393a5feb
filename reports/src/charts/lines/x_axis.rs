//! The horizontal axis of lines.

use super::super::axes::Axis;
use super::super::line_panels::{Tick, XAxis};
use super::super::scale::{Scale, Spread};
use super::{SEGMENTS, THREADS};
use crate::shape;

/// Ratio of its ends from which on an axis is logarithmic. It is smaller for segments, which are
/// varied by factors.
fn log_from(axis: &Axis) -> f64 {
    if axis.name == SEGMENTS { 4.0 } else { 10.0 }
}

/// From the smallest value to the largest.
pub fn scale(axis: &Axis) -> Scale {
    let numbers = axis.numbers().unwrap_or_default();
    let low = numbers.iter().copied().fold(f64::INFINITY, f64::min);
    let high = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    Scale::new(low, high, Spread::beyond(log_from(axis), low, high))
}

/// Axis with ticks at the measured values if they fit, at round ones otherwise.
pub fn with_ticks(axis: &Axis) -> XAxis {
    let scale = scale(axis);
    let tick = |(value, label)| Tick::new(value, label);
    let with_ticks = |ticks| XAxis { name: axis.name.label().to_owned(), scale, ticks };
    let numbers = axis.numbers().unwrap_or_default();
    let measured = with_ticks(numbers.into_iter().zip(axis.labels()).map(tick).collect());
    if axis.name == THREADS {
        // Ticks at numbers of threads that were not measured are of no use.
        return measured.thinned();
    }
    if measured.fits() {
        return measured;
    }
    let label = |value: f64| Tick::new(value, shape::short_value(&axis.name, &value.to_string()));
    let round = |count: usize| with_ticks(scale.ticks(count).into_iter().map(label).collect());
    let fitting = [10, 7, 5, 3].into_iter().map(round).find(XAxis::fits);
    fitting.unwrap_or_else(|| round(2))
}

/// Axis of counts: ticks between integers would mean nothing.
pub fn counted(name: &str, first: usize, last: usize) -> XAxis {
    let scale = Scale::new(first as f64, last as f64, Spread::Linear);
    let is_whole =
        |value: &f64| value.fract() == 0.0 && (first as f64..=last as f64).contains(value);
    let ticks = scale.ticks(8).into_iter().filter(is_whole);
    let ticks = ticks.map(|value| Tick::new(value, value.to_string())).collect();
    XAxis { name: name.to_owned(), scale, ticks }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::AxisName;

    fn axis(name: &str, values: &[u32]) -> Axis {
        Axis { name: AxisName::count(name), values: values.iter().map(u32::to_string).collect() }
    }

    #[test]
    fn measured_values_are_ticks_and_of_threads_the_most_always() {
        let labels = |name: &str, values: &[u32]| -> Vec<String> {
            with_ticks(&axis(name, values)).ticks.into_iter().map(|tick| tick.label).collect()
        };
        assert_eq!(labels("segments", &[24, 240, 1792]), ["24", "240", "1792"]);
        let expected = ["1", "2", "4", "8", "16", "32", "64", "144"];
        assert_eq!(labels("threads", &[1, 2, 4, 8, 16, 32, 64, 128, 144]), expected);
    }

    #[test]
    fn segments_are_logarithmic_from_a_factor_of_four_on_and_others_of_ten() {
        let spread = |name: &str, values: &[u32]| scale(&axis(name, values)).spread;
        assert_eq!(spread("segments", &[24, 96]), Spread::Log);
        assert_eq!(spread("segments", &[24, 95]), Spread::Linear);
        assert_eq!(spread("digis", &[24, 96]), Spread::Linear);
        assert_eq!(spread("threads", &[1, 144]), Spread::Log);
    }

    #[test]
    fn counts_have_integer_ticks() {
        let labels = counted("round", 0, 6).ticks.into_iter().map(|tick| tick.label);
        assert!(labels.into_iter().all(|label| !label.contains('.')));
    }
}
