//! Memory of variants, as multiples of their input.
//!
//! It seldom depends on all that varies: the order of the data changes times, not buffers. Only
//! axes that it depends on make groups and panels.

use std::collections::BTreeMap;

use super::bar_panels::BarPanel;
use super::bars::{self, Quantity};
use super::chart::Chart;
use super::study::{Axis, Study, value_of};

const READING: &str = "bars: every buffer alive during the run, the input included; \
    dashed: the input itself";

/// Ratios within this factor count as equal.
const SAME: f64 = 1.01;

/// The chart of a study, if the memory of a row is known.
pub fn figure(study: &Study) -> Option<Chart<BarPanel>> {
    let study = study.knowing(|row| Quantity::Memory.value(row))?;
    let shown = axes_that_matter(&study);
    let silent = study.varying.iter().filter(|axis| !shown.contains(axis));
    let silent: Vec<&str> = silent.map(|axis| axis.name.as_str()).collect();
    let same = match (silent.is_empty(), shown.is_empty()) {
        (true, _) => String::new(),
        (false, true) => "; the same to 1 % at all points".to_owned(),
        (false, false) => format!("; the same to 1 % at all values of {}", silent.join(", ")),
    };
    Some(bars::chart(&study, &shown, Quantity::Memory, &format!("{READING}{same}")))
}

/// The varying axes that change the memory.
fn axes_that_matter(study: &Study) -> Vec<Axis> {
    let mut kept = study.varying.clone();
    for axis in &study.varying {
        let mut others = kept.clone();
        others.retain(|other| other != axis);
        if is_decided_by(study, &others) {
            kept = others;
        }
    }
    kept
}

/// True if rows of a series that agree in `axes` take the same memory.
fn is_decided_by(study: &Study, axes: &[Axis]) -> bool {
    let mut ranges: BTreeMap<(String, Vec<String>), (f64, f64)> = BTreeMap::new();
    for row in &study.rows {
        let values = axes.iter().map(|axis| value_of(row, &axis.name));
        let key = (study.series(row), values.collect());
        let value = Quantity::Memory.value(row).unwrap_or_default();
        let range = ranges.entry(key).or_insert((value, value));
        *range = (range.0.min(value), range.1.max(value));
    }
    ranges.values().all(|(low, high)| *high <= low * SAME)
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{of_study, row};
    use super::*;
    use crate::record::SummaryRow;

    fn memory_chart(rows: &[SummaryRow]) -> Option<Chart<BarPanel>> {
        of_study(rows, &[], figure)
    }

    /// Rows of two variants whose memory is a function of digis and order.
    fn rows(ratio: fn(u32, &str) -> f64) -> Vec<SummaryRow> {
        let mut rows = Vec::new();
        for name in ["a", "b"] {
            for digis in [1000, 2000, 3000] {
                for order in ["random", "time"] {
                    rows.push(SummaryRow {
                        memory_ratio: Some(ratio(digis, order)),
                        ..row(name, &format!("digis={digis};order={order}"), 1e-3)
                    });
                }
            }
        }
        rows
    }

    #[test]
    fn only_axes_that_matter_are_shown() {
        let chart_of = |ratio| memory_chart(&rows(ratio)).expect("known");
        let none = chart_of(|digis, _| 2.0 + f64::from(digis) * 1e-6);
        let names: Vec<_> = none.panels[0].bars.iter().map(|bar| bar.name.as_str()).collect();
        assert_eq!((none.panels.len(), names), (1, vec!["a", "b"]));
        assert!(none.caption[2].contains("the same to 1 % at all points"));
        let headline = "a and b take the least memory: 2.00 × the input";
        assert_eq!(none.headline.as_deref(), Some(headline));
        let digis = chart_of(|digis, _| f64::from(digis));
        assert_eq!(digis.panels.len(), 3);
        assert!(digis.caption[2].contains("the same to 1 % at all values of order"));
        let both = chart_of(|digis, order| f64::from(digis) + order.len() as f64 * 100.0);
        assert_eq!(both.panels.len(), 6);
    }

    #[test]
    fn variants_without_memory_are_named() {
        let mut rows = rows(|_, _| 2.0);
        rows.iter_mut().for_each(|row| row.memory_ratio = None);
        assert!(memory_chart(&rows).is_none());
        rows[0].memory_ratio = Some(2.0);
        let panel = memory_chart(&rows).expect("one is known").panels.remove(0);
        assert_eq!(panel.refused, [("b".to_owned(), "memory not known".to_owned())]);
    }
}
