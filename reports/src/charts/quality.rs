//! How good what variants find is, beside the time that they take for it.
//!
//! A variant that is faster but worse is to be seen as such. Figures that are the same for all
//! have no bars: they are said under the chart.

use super::axes::Axis;
use super::bar_panels::BarPanel;
use super::bars::{self, Quantity};
use super::caption;
use super::chart::Chart;
use super::lines::THREADS;
use super::study::Study;
use crate::quality::{Quality, is_known};
use crate::record::SummaryRow;
use crate::shape;
use crate::winners::is_of_data;

const READING: &str = "figures: of the first input; residuals and pulls: 68 % are less far off; \
    dashed: what would be ideal; time: median";
/// Figures within this factor are called the same.
const SAME: f64 = 1.001;

/// The chart of a study that knows how good its rows are.
pub fn figure(study: &Study) -> Option<Chart<BarPanel>> {
    let (study, threads) = with_quality(study)?;
    // What is found does not depend on where threads run, nor on how many.
    let of_data = study.varying.iter().filter(|axis| is_of_data(&axis.name));
    let axes: Vec<Axis> = of_data.cloned().collect();
    let of = |quantity, what: &str| {
        let panels = bars::chart(&study, &axes, quantity, READING).panels.into_iter();
        panels.map(|panel| panel.showing(what)).collect::<Vec<_>>()
    };
    let mut panels = of(Quantity::Time, &format!("time, {threads}"));
    let mut same = Vec::new();
    for quality in Quality::ALL {
        match the_only_value(&study.rows, quality) {
            Some(value) => same.push(format!("{} {}", quality.name, quality.words(value))),
            None => panels.extend(of(Quantity::Quality(quality), quality.name)),
        }
    }
    let reading = match same.is_empty() {
        true => READING.to_owned(),
        false => format!("{READING}; the same for all: {}", same.join(", ")),
    };
    Some(Chart {
        title: format!("{}: how good, how fast", study.algorithm),
        columns: 2,
        panels,
        caption: caption::caption(&study, &reading),
    })
}

/// The value of a figure if all rows have the same.
fn the_only_value(rows: &[&SummaryRow], quality: Quality) -> Option<f64> {
    let values = rows.iter().filter_map(|row| quality.of(row));
    let (low, high) =
        values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
    (low <= high && high - low <= (SAME - 1.0) * high.abs()).then_some(high)
}

/// The rows of which something is known and whose times compare best, and how many threads
/// those are of.
fn with_quality<'a>(study: &Study<'a>) -> Option<(Study<'a>, String)> {
    let mut study = study.clone();
    study.rows.retain(|row| is_known(row));
    let fewest = study.rows.iter().map(|row| row.threads).min()?;
    study.rows.retain(|row| row.threads == fewest);
    Some((study, shape::phrase(THREADS, &fewest.to_string())))
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{of_study, row};
    use super::*;

    fn good(variant: &str, threads: usize, efficiency: &str) -> SummaryRow {
        let mut row = SummaryRow { threads, ..row(variant, "n=1", 1e-3) };
        for quality in Quality::ALL {
            row.metrics.set(quality.metric, "0.5");
        }
        row.metrics.set(Quality::EFFICIENCY.metric, efficiency);
        row
    }

    #[test]
    fn what_threads_do_not_change_is_shown_once_beside_the_time() {
        let rows = [("a", "0.97"), ("b", "0.95")]
            .map(|(variant, value)| [1, 2].map(|threads| good(variant, threads, value)));
        let chart = of_study(&rows.concat(), &[], figure).expect("known");
        let titles: Vec<_> = chart.panels.iter().map(|panel| panel.title.as_str()).collect();
        assert_eq!(titles, ["time, 1 thread", "efficiency"]);
        let values: Vec<f64> = chart.panels[1].bars.iter().map(|bar| bar.value).collect();
        assert_eq!(values, [0.95, 0.97]);
        assert!(chart.caption[2].contains("the same for all: ghosts 0.5"), "{:?}", chart.caption);
    }

    #[test]
    fn rows_of_unknown_quality_have_no_such_chart() {
        assert!(of_study(&[row("a", "n=1", 1e-3)], &[], figure).is_none());
    }
}
