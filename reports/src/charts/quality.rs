//! Quality of the output of variants, next to their time.
//!
//! The chart makes visible when a variant is faster but worse. Metrics in which variants don't
//! differ have no bars: values that are equal for all rows are in the caption, and differences
//! between settings are drawn as lines ([`super::lines::quality`]). Only if nothing differs, all
//! metrics have bars.

use super::axes;
use super::bar_panels::BarPanel;
use super::bars::{self, Quantity};
use super::caption;
use super::chart::Chart;
use super::study::Study;
use crate::quality::{Quality, is_known};
use crate::record::SummaryRow;
use crate::units;
use crate::winners::is_of_data;

const READING: &str = "dashed: ideal value; time: median";
const FIGURES: &str = "figures: of the first input; residuals and pulls: standard deviations, by \
    the 68 % in the middle";
/// Values within this factor count as equal.
const SAME: f64 = 1.001;

/// The chart of a study with metrics of quality, if variants differ in them, or if no other chart
/// shows them.
pub fn figure(study: &Study) -> Option<Chart<BarPanel>> {
    let (study, threads) = with_quality(study)?;
    let axes = &study.varying;
    let of = |quantity, what: &str| {
        let panels = bars::chart(&study, axes, quantity, READING).panels.into_iter();
        panels.map(|panel| panel.showing(what)).collect::<Vec<_>>()
    };
    let mut panels = of(Quantity::Time, &format!("time, {threads}"));
    let mut shown = Vec::new();
    let mut same = Vec::new();
    let differs = |quality: &Quality| the_only_value(&study.rows, *quality).is_none();
    let known = Quality::known(study.rows.iter().copied());
    let shows_all = axes.is_empty() && !known.iter().any(differs);
    for quality in known {
        match the_only_value(&study.rows, quality) {
            Some(_) if shows_all => {
                panels.extend(of(Quantity::Quality(quality), quality.name));
                shown.push(quality);
            }
            Some(value) => same.push(format!("{} {}", quality.name, quality.words(value))),
            None if variants_agree(&study, quality) => {}
            None => {
                panels.extend(of(Quantity::Quality(quality), quality.name));
                shown.push(quality);
            }
        }
    }
    let same = match same.is_empty() {
        true => String::new(),
        false => format!("; the same for all: {}", same.join(", ")),
    };
    let reading = format!("{}; {READING}{same}", reading(&shown));
    (!shown.is_empty()).then(|| Chart {
        headline: None,
        title: format!("{}: quality and time", study.algorithm),
        columns: 2,
        panels,
        caption: caption::caption(&study, &reading),
    })
}

/// Explanation of the metrics of a chart.
pub fn reading(shown: &[Quality]) -> String {
    let meanings = shown.iter().filter_map(|quality| quality.meaning);
    std::iter::once(FIGURES).chain(meanings).collect::<Vec<_>>().join("; ")
}

/// True if the variants have the same value of a metric at each setting.
pub fn variants_agree(study: &Study, quality: Quality) -> bool {
    let settings = axes::panels(&study.rows, &study.varying);
    let is_known = |row: &SummaryRow| quality.value(row).is_some();
    settings
        .iter()
        .filter(|setting| setting.rows.iter().any(|row| is_known(row)))
        .all(|setting| the_only_value(&setting.rows, quality).is_some())
}

/// The value of a metric if all rows have the same one.
pub fn the_only_value(rows: &[&SummaryRow], quality: Quality) -> Option<f64> {
    let values = rows.iter().filter_map(|row| quality.value(row));
    let (low, high) =
        values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
    (low <= high && high - low <= (SAME - 1.0) * high.abs()).then_some(high)
}

/// The rows with metrics of quality whose times compare best, and a description of their threads.
/// Results do not depend on the number or the placement of threads: these axes don't vary.
pub fn with_quality<'a>(study: &Study<'a>) -> Option<(Study<'a>, String)> {
    let mut study = study.clone();
    study.rows.retain(|row| is_known(row));
    let fewest = study.rows.iter().map(|row| row.threads).min()?;
    study.rows.retain(|row| row.threads == fewest);
    study.varying.retain(|axis| is_of_data(&axis.name));
    Some((study, units::counted(fewest, "thread")))
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{of_study, row};
    use super::*;

    const FIGURES: [&str; 4] = ["efficiency", "ghosts", "x_pull", "x_residual_um"];

    fn good(variant: &str, threads: usize, efficiency: &str) -> SummaryRow {
        let mut row = SummaryRow { threads, ..row(variant, "n=1", 1e-3) };
        for metric in FIGURES {
            row.metrics.set(metric, "0.5");
        }
        row.metrics.set("efficiency", efficiency);
        row
    }

    #[test]
    fn without_differences_all_metrics_or_none_are_shown() {
        let rows = ["a", "b"].map(|variant| good(variant, 1, "0.5"));
        let chart = of_study(&rows, &[], figure).expect("a chart");
        assert_eq!(chart.panels.len(), 1 + FIGURES.len());
        let others = rows
            .clone()
            .map(|row| SummaryRow { params: "n=2".parse().expect("well formed"), ..row });
        assert!(of_study(&[rows, others].concat(), &[], figure).is_none());
    }

    #[test]
    fn quality_independent_of_threads_is_shown_once() {
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
    fn variants_that_agree_have_no_bars() {
        let at = |params: &str, efficiency: &str| {
            ["a", "b"].map(|variant| SummaryRow {
                params: params.parse().expect("well formed"),
                ..good(variant, 1, efficiency)
            })
        };
        let rows = [at("n=1", "0.97"), at("n=2", "0.95")].concat();
        assert!(of_study(&rows, &[], figure).is_none());
    }

    #[test]
    fn rows_of_unknown_quality_have_no_such_chart() {
        assert!(of_study(&[row("a", "n=1", 1e-3)], &[], figure).is_none());
    }
}
