//! Which axes a quantity depends on.

use std::collections::BTreeMap;

use super::axes::{Axis, value_of};
use super::bars::Quantity;
use super::study::Study;

/// The varying axes without those that change nothing: values within the factor `same`
/// are called the same.
pub fn axes_that_matter(study: &Study, quantity: Quantity, same: f64) -> Vec<Axis> {
    let mut kept = study.varying.clone();
    for axis in &study.varying {
        let others = kept.iter().filter(|other| *other != axis);
        let others: Vec<Axis> = others.cloned().collect();
        if is_decided_by(study, &others, quantity, same) {
            kept = others;
        }
    }
    kept
}

/// Whether rows of a series that agree in `axes` have the same value.
fn is_decided_by(study: &Study, axes: &[Axis], quantity: Quantity, same: f64) -> bool {
    let mut ranges: BTreeMap<(String, Vec<String>), (f64, f64)> = BTreeMap::new();
    for row in &study.rows {
        let values = axes.iter().map(|axis| value_of(row, &axis.name));
        let key = (study.series(row), values.collect());
        let value = quantity.value(row).unwrap_or_default();
        let range = ranges.entry(key).or_insert((value, value));
        *range = (range.0.min(value), range.1.max(value));
    }
    ranges.values().all(|(low, high)| *high <= low * same)
}

/// The axes that vary, but are not shown.
pub fn silent<'a>(varying: &'a [Axis], shown: &[Axis]) -> Vec<&'a str> {
    let silent = varying.iter().filter(|axis| !shown.contains(axis));
    silent.map(|axis| axis.name.as_str()).collect()
}
