//! The memory that variants take, as multiples of their input.
//!
//! It seldom depends on all that varies: the order of the data changes times,
//! not buffers. Only what it depends on makes groups and panels.

use super::axes::Axis;
use super::bar_panels::BarPanels;
use super::bars::{self, Quantity};
use super::depends::{axes_that_matter, silent};
use super::study::Study;

const READING: &str = "bars: every buffer alive during the run, the input included; \
    dashed: the input itself";

/// Ratios within this factor are called the same.
const SAME: f64 = 1.01;

/// The chart of a study, if the memory of a row is known.
pub fn figure(study: &Study) -> Option<BarPanels> {
    let study = study.knowing(Quantity::Memory);
    if study.rows.is_empty() {
        return None;
    }
    let axes = axes_that_matter(&study, Quantity::Memory, SAME);
    let reading = reading(&study.varying, &axes);
    Some(bars::chart(&study, &axes, Quantity::Memory, &reading))
}

/// What the bars mean, and where they are the same.
fn reading(varying: &[Axis], shown: &[Axis]) -> String {
    let silent = silent(varying, shown);
    match (silent.is_empty(), shown.is_empty()) {
        (true, _) => READING.to_owned(),
        (false, true) => format!("{READING}; the same to 1 % at all points"),
        (false, false) => {
            format!("{READING}; the same to 1 % at all values of {}", silent.join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{row, run};
    use super::super::study::SeriesNames;
    use super::*;
    use crate::record::SummaryRow;

    fn of(rows: &[SummaryRow]) -> Option<BarPanels> {
        let (run, names) = (run(), SeriesNames::new(rows));
        figure(&Study::new(&run, "sort", rows, &[], &names))
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
    fn what_is_the_same_everywhere_is_shown_once() {
        let figure = of(&rows(|digis, _| 2.0 + f64::from(digis) * 1e-6)).expect("known");
        assert_eq!(figure.panels.len(), 1);
        let names: Vec<_> = figure.panels[0].bars.iter().map(|bar| &bar.name).collect();
        assert_eq!(names, ["a", "b"]);
        assert!(figure.caption[2].contains("the same to 1 % at all points"));
    }

    #[test]
    fn only_axes_that_matter_are_shown() {
        let figure = of(&rows(|digis, _| f64::from(digis))).expect("known");
        assert_eq!(figure.panels.len(), 3);
        assert!(figure.caption[2].contains("the same to 1 % at all values of order"));
        let both = |digis: u32, order: &str| f64::from(digis) + order.len() as f64 * 100.0;
        assert_eq!(of(&rows(both)).expect("known").panels.len(), 6);
    }

    #[test]
    fn variants_without_memory_are_named() {
        let mut rows = rows(|_, _| 2.0);
        rows.iter_mut().for_each(|row| row.memory_ratio = None);
        assert!(of(&rows).is_none());
        rows[0].memory_ratio = Some(2.0);
        let panel = of(&rows).expect("one is known").panels.remove(0);
        assert_eq!(panel.refused, [("b".to_owned(), "memory not known".to_owned())]);
    }
}
