//! Quality of outputs, with the counts that intervals and paired comparisons need.

use super::{About, Metric, MetricInfo, Relation};

/// Maximum number of parts that are kept: more would take space and add nothing to an interval.
const MAX_PARTS: usize = 256;

/// A metric of quality, and the parts of the data that its value comes from.
#[derive(Clone, Debug, PartialEq)]
pub struct Quality {
    /// Declaration and value.
    pub metric: Metric,
    /// Relation of the value to the parts.
    pub kind: QualityKind,
    /// Sums of events, or of parts of the detector where there are few events, in an order that
    /// depends on the input only. Empty if they are unknown.
    pub parts: Vec<PartSum>,
}

/// Relation of the value of a metric to its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QualityKind {
    /// Passed items over all items.
    Share,
    /// Sum of a property of items over their number.
    Mean,
    /// Width of a distribution; the sum of a part is its width times its number of items.
    Width,
}

/// Sum over the items of a part of the data, and their number.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PartSum {
    /// Number of passed items, or the sum of a property.
    pub sum: f64,
    /// Number of items.
    pub count: u64,
}

impl PartSum {
    /// Counts of passed items among all.
    pub fn passed(passed: u64, total: u64) -> Self {
        PartSum { sum: passed as f64, count: total }
    }

    /// The width of the distribution of `count` values.
    pub fn width(width: f64, count: usize) -> Self {
        if count == 0 {
            return PartSum::default();
        }
        PartSum { sum: width * count as f64, count: count as u64 }
    }

    fn plus(self, other: PartSum) -> Self {
        PartSum { sum: self.sum + other.sum, count: self.count + other.count }
    }
}

impl Quality {
    /// A share of items; NaN if there are none.
    pub fn share(info: &'static MetricInfo, parts: impl IntoIterator<Item = PartSum>) -> Self {
        Self::ratio(info, QualityKind::Share, parts)
    }

    /// A share of items by the counts of each part: passed items, and all.
    pub fn share_of<T>(
        info: &'static MetricInfo,
        parts: &[T],
        counts: impl Fn(&T) -> [u64; 2],
    ) -> Self {
        let passed = |part: &T| {
            let [passed, total] = counts(part);
            PartSum::passed(passed, total)
        };
        Self::share(info, parts.iter().map(passed))
    }

    /// A mean over items; NaN if there are none.
    pub fn mean(info: &'static MetricInfo, parts: impl IntoIterator<Item = PartSum>) -> Self {
        Self::ratio(info, QualityKind::Mean, parts)
    }

    /// The width of the distribution of all items, and those of the parts.
    pub fn width(
        info: &'static MetricInfo,
        width: f64,
        parts: impl IntoIterator<Item = PartSum>,
    ) -> Self {
        let metric = Metric::new(info, width, Relation::Itself);
        Quality { metric, kind: QualityKind::Width, parts: merged(parts.into_iter().collect()) }
    }

    /// The width of the distribution of the values of all parts, and those of the parts.
    pub fn width_of<T>(
        info: &'static MetricInfo,
        parts: &mut [T],
        values: impl Fn(&mut T) -> &mut Vec<f32>,
        width: impl Fn(&mut [f32]) -> f64,
    ) -> Self {
        let mut all = Vec::new();
        let widths = parts.iter_mut().map(|part| {
            let own = values(part);
            all.extend_from_slice(own);
            PartSum::width(width(own), own.len())
        });
        let widths: Vec<PartSum> = widths.collect();
        Self::width(info, width(&mut all), widths)
    }

    fn ratio(
        info: &'static MetricInfo,
        kind: QualityKind,
        parts: impl IntoIterator<Item = PartSum>,
    ) -> Self {
        let parts: Vec<PartSum> = parts.into_iter().collect();
        let all = parts.iter().copied().fold(PartSum::default(), PartSum::plus);
        let metric = Metric::new(info, all.sum / all.count as f64, Relation::Itself);
        Quality { metric, kind, parts: merged(parts) }
    }

    /// True if it has a value, and rates the output by the truth: outputs have other properties,
    /// such as their size.
    pub fn is_of_truth(&self) -> bool {
        self.metric.info.about == About::Quality && self.value().is_finite()
    }

    /// The value; not finite if nothing was counted.
    pub fn value(&self) -> f64 {
        self.metric.value(1.0)
    }
}

/// A value without counts, of which there is no interval.
impl From<Metric> for Quality {
    fn from(metric: Metric) -> Self {
        Quality { metric, kind: QualityKind::Mean, parts: Vec::new() }
    }
}

/// Joins neighbouring parts so that no more than [`MAX_PARTS`] are left. Only their number
/// determines which are joined, so that runs on the same events have the same parts.
fn merged(parts: Vec<PartSum>) -> Vec<PartSum> {
    if parts.len() <= MAX_PARTS {
        return parts;
    }
    let together = parts.len().div_ceil(MAX_PARTS);
    let sum = |parts: &[PartSum]| parts.iter().copied().fold(PartSum::default(), PartSum::plus);
    parts.chunks(together).map(sum).collect()
}

#[cfg(test)]
mod tests {
    use super::super::metric::EFFICIENCY;
    use super::*;

    #[test]
    fn a_share_is_that_of_all_parts() {
        let parts = [PartSum::passed(1, 2), PartSum::passed(0, 0), PartSum::passed(8, 8)];
        let share = Quality::share(&EFFICIENCY, parts);
        assert_eq!((share.value(), share.parts.len()), (0.9, 3));
        assert!(Quality::share(&EFFICIENCY, []).value().is_nan());
    }

    #[test]
    fn many_parts_are_joined_and_none_is_lost() {
        let parts = (0..1000).map(|n| PartSum::passed(n, 1000));
        let share = Quality::share(&EFFICIENCY, parts);
        assert_eq!(share.parts.len(), 250);
        assert_eq!(share.parts[0], PartSum::passed(6, 4000));
        let passed: f64 = share.parts.iter().map(|part| part.sum).sum();
        assert_eq!(passed, 499_500.0);
        assert_eq!(share.value(), 0.4995);
    }

    #[test]
    fn widths_are_of_all_values_and_of_those_of_each_part() {
        let mut parts = [vec![3.0, 1.0], vec![], vec![8.0]];
        let largest = |values: &mut [f32]| values.iter().copied().fold(0.0, f32::max).into();
        let found = Quality::width_of(&EFFICIENCY, &mut parts, |part| part, largest);
        assert_eq!(found.value(), 8.0);
        assert_eq!(
            found.parts,
            [PartSum::width(3.0, 2), PartSum::default(), PartSum::width(8.0, 1)]
        );
    }

    #[test]
    fn an_empty_part_has_no_width() {
        assert_eq!(PartSum::width(f64::NAN, 0), PartSum::default());
        assert_eq!(PartSum::width(0.5, 4), PartSum { sum: 2.0, count: 4 });
    }
}
