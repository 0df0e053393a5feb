//! The axis that lines run over.

use super::super::axes::Axis;
use super::super::figure::{Ruler, Tick};
use super::super::scale::{Scale, Spread};
use super::{SEGMENTS, THREADS};
use crate::shape;

/// Axes with more decades are labelled by decade.
const DECADES_WITH_VALUES: f64 = 2.9;

/// From this ratio of its ends on an axis is logarithmic. Segments are so
/// sooner, as they are varied by factors.
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

/// Ticks at the measured values where there is room, at round ones otherwise.
pub fn ruler(axis: &Axis, scale: &Scale, width: f64) -> Ruler {
    let measured =
        with_ticks(axis, scale, width, &axis.numbers().unwrap_or_default(), axis.labels());
    let by_decade = scale.spread() == Spread::Log && scale.decades() > DECADES_WITH_VALUES;
    if axis.name == THREADS {
        // A number of threads that was not measured says little.
        return measured.thinned();
    }
    if measured.fits() && !by_decade {
        return measured;
    }
    let round = |count: usize| round(axis, scale, width, count);
    let fitting = [10, 7, 5, 3].into_iter().map(round).find(Ruler::fits);
    fitting.unwrap_or_else(|| round(2))
}

/// About `count` ticks at round values.
fn round(axis: &Axis, scale: &Scale, width: f64, count: usize) -> Ruler {
    let values = scale.ticks(count);
    let label = |value: &f64| shape::short_value(&axis.name, &value.to_string());
    let labels = values.iter().map(label).collect();
    let minor = scale.minor_ticks().into_iter();
    Ruler {
        minor: minor.map(|value| width * scale.position(value)).collect(),
        ..with_ticks(axis, scale, width, &values, labels)
    }
}

fn with_ticks(
    axis: &Axis,
    scale: &Scale,
    width: f64,
    values: &[f64],
    labels: Vec<String>,
) -> Ruler {
    let tick = |(value, label): (&f64, String)| Tick { at: width * scale.position(*value), label };
    Ruler {
        label: axis.name.clone(),
        ticks: std::iter::zip(values, labels).map(tick).collect(),
        minor: Vec::new(),
        grid: true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(name: &str, values: &[u32]) -> Axis {
        Axis { name: name.into(), values: values.iter().map(u32::to_string).collect() }
    }

    fn labels(axis: &Axis) -> Vec<String> {
        let ticks = ruler(axis, &scale(axis), 390.0).ticks;
        ticks.into_iter().map(|tick| tick.label).collect()
    }

    #[test]
    fn powers_of_ten_are_equally_far_apart_and_named_briefly() {
        let axis = axis("digis", &[1000, 10_000, 100_000, 1_000_000]);
        assert_eq!(labels(&axis), ["1 k", "10 k", "100 k", "1 M"]);
        let ticks = ruler(&axis, &scale(&axis), 390.0).ticks;
        let steps: Vec<f64> = ticks.windows(2).map(|t| t[1].at - t[0].at).collect();
        assert!(steps.iter().all(|step| (step - steps[0]).abs() < 1e-6));
    }

    #[test]
    fn few_values_are_ticks_themselves() {
        let axis = axis("segments", &[24, 240, 1792]);
        assert_eq!(labels(&axis), ["24", "240", "1792"]);
    }

    #[test]
    fn segments_are_logarithmic_from_a_factor_of_four_on() {
        let spread = |name: &str, values: &[u32]| scale(&axis(name, values)).spread();
        assert_eq!(spread("segments", &[24, 96]), Spread::Log);
        assert_eq!(spread("segments", &[24, 95]), Spread::Linear);
        assert_eq!(spread("digis", &[24, 96]), Spread::Linear);
    }

    #[test]
    fn threads_are_labelled_as_counted_and_the_most_always() {
        let axis = axis("threads", &[1, 2, 4, 8, 16, 32, 64, 128, 144]);
        assert_eq!(scale(&axis).spread(), Spread::Log);
        assert_eq!(labels(&axis), ["1", "2", "4", "8", "16", "32", "64", "144"]);
        assert_eq!(ruler(&axis, &scale(&axis), 390.0).minor.len(), 1);
    }
}
