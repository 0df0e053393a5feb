//! The axis that makes inputs larger.

use std::collections::{BTreeMap, BTreeSet};

use crate::grouped::grouped;
use crate::record::SummaryRow;
use crate::shape::{self, Axes, GIVEN};

/// Minimum number of sizes that locate a crossing.
pub const MIN_SIZES: usize = 3;

/// The numeric axis of the data with the most values, among those along which the number of items
/// grows while all else is fixed. `digis` is one, and so is a rate if the time is fixed.
pub fn axis(rows: &[&SummaryRow]) -> Option<String> {
    let names: BTreeSet<&str> =
        rows.iter().flat_map(|row| row.params.iter().map(|(name, _)| name)).collect();
    let counted = names.into_iter().map(|name| (values(rows, name), name));
    let long = counted.filter(|(values, _)| *values >= MIN_SIZES);
    let sizes = long.filter(|(_, name)| items_rise_with(rows, name));
    sizes.max().map(|(_, name)| name.to_owned())
}

/// Axes of the data, the state of the cache and the kind of input, without the axis of the size.
/// Number and placement of threads only matter on the CPU.
pub fn setting(row: &SummaryRow, size: &str) -> Axes {
    let params = shape::param_axes(&row.algorithm, &row.params).into_iter();
    let params = params.filter(|(name, _)| *name != *size);
    let others = [("cache", &row.cache), (GIVEN, &row.given)];
    let others = others.into_iter().filter(|(name, value)| *name != GIVEN || !value.is_empty());
    params.chain(others.map(|(name, value)| (name.into(), value.clone()))).collect()
}

/// The number of different values, if all are numbers.
fn values(rows: &[&SummaryRow], name: &str) -> usize {
    let values: Option<Vec<f64>> = rows.iter().map(|row| row.params.number(name)).collect();
    let mut values = values.unwrap_or_default();
    values.sort_by(f64::total_cmp);
    values.dedup();
    values.len()
}

fn items_rise_with(rows: &[&SummaryRow], name: &str) -> bool {
    let settings = grouped(rows.iter().copied(), |row| setting(row, name));
    settings.iter().all(|(_, rows)| {
        let points = rows.iter().filter_map(|row| Some((row.params.number(name)?, row.items)));
        rises(points)
    })
}

/// True if each larger value has more items than all smaller ones.
fn rises(points: impl Iterator<Item = (f64, u64)>) -> bool {
    let mut ranges: BTreeMap<u64, (f64, f64)> = BTreeMap::new();
    for (value, items) in points {
        let range = ranges.entry(items).or_insert((value, value));
        *range = (range.0.min(value), range.1.max(value));
    }
    let ranges: Vec<_> = ranges.into_values().collect();
    ranges.iter().all(|(low, high)| low == high)
        && ranges.windows(2).all(|pair| pair[0].1 < pair[1].0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charts::fixture::row;

    fn with_items(params: &str, items: u64) -> SummaryRow {
        SummaryRow { items, ..row("a", params, 1e-3) }
    }

    fn size_axis(rows: &[SummaryRow]) -> Option<String> {
        axis(&rows.iter().collect::<Vec<_>>())
    }

    #[test]
    fn the_size_axis_changes_the_number_of_items() {
        let mut rows = Vec::new();
        for segments in [1, 2, 3, 4] {
            for digis in [10, 20, 30] {
                let params = format!("digis={digis};order=random;segments={segments}");
                rows.push(with_items(&params, digis));
            }
        }
        assert_eq!(size_axis(&rows).as_deref(), Some("digis"));
    }

    #[test]
    fn a_rate_makes_more_items_too() {
        let rows = [1, 2, 3].map(|rate| with_items(&format!("noise=5;rate={rate}"), 7 * rate + 2));
        assert_eq!(size_axis(&rows).as_deref(), Some("rate"));
    }

    #[test]
    fn two_sizes_and_what_items_do_not_follow_are_none() {
        let rows = |sizes: &[u64], items: fn(u64) -> u64| -> Vec<SummaryRow> {
            sizes.iter().map(|&n| with_items(&format!("n={n}"), items(n))).collect()
        };
        assert_eq!(size_axis(&rows(&[1, 2], |n| n)), None, "two");
        assert_eq!(size_axis(&rows(&[1, 2, 3], |n| 10 - n)), None, "falls");
        assert_eq!(size_axis(&rows(&[1, 2, 3], |_| 10)), None, "stays");
        let words = ["a", "b", "c"].map(|n| with_items(&format!("n={n}"), n.len() as u64));
        assert_eq!(size_axis(&words), None);
    }
}
