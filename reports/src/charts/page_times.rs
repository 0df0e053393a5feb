//! Total time and time a page, side by side.
//!
//! Formats pack the same samples into more pages or fewer: one may be quicker with a
//! page and slower with all of them. Seen together, either is explained.

use super::bar_panels::{BarPanel, BarPanels};
use super::bars::{self, Quantity};
use super::study::Study;

const READING: &str = "bars: median, and median over the number of pages with data; whiskers: 95 % \
    confidence interval";

/// The chart of a study whose rows have pages.
pub fn figure(study: &Study) -> Option<BarPanels> {
    let study = study.knowing(Quantity::PageTime);
    if study.rows.is_empty() {
        return None;
    }
    let [total, page] = [Quantity::Time, Quantity::PageTime]
        .map(|quantity| bars::chart(&study, &study.varying, quantity, READING));
    let pairs = total.panels.into_iter().zip(page.panels);
    let panels = pairs.flat_map(|(total, page)| [titled(total, "total"), titled(page, "a page")]);
    Some(BarPanels {
        title: format!("{}: total time and time a page", study.algorithm),
        panels: panels.collect(),
        columns: 2,
        caption: total.caption,
    })
}

/// A panel whose title says what it shows.
pub fn titled(panel: BarPanel, what: &str) -> BarPanel {
    let title = match panel.title.as_str() {
        "" => what.to_owned(),
        title => format!("{what}, {title}"),
    };
    BarPanel { title, ..panel }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{row, run};
    use super::super::study::SeriesNames;
    use super::*;
    use crate::record::SummaryRow;

    fn of(rows: &[SummaryRow]) -> Option<BarPanels> {
        let (run, names) = (run(), SeriesNames::new(rows));
        let algorithm = &rows[0].algorithm;
        figure(&Study::new(&run, algorithm, rows, &[], &names))
    }

    #[test]
    fn formats_are_compared_by_total_and_by_page() {
        let mut rows = Vec::new();
        for (format, us) in [("link", "5.5"), ("row12", "11.25")] {
            let mut row = row("simd", &format!("zs={format}"), 1e-3);
            row.metrics.set("us_per_page", us);
            rows.push(row);
        }
        let panels = of(&rows).expect("pages").panels;
        let titles: Vec<_> = panels.iter().map(|panel| panel.title.as_str()).collect();
        assert_eq!(
            titles,
            ["total, zs = link", "a page, zs = link", "total, zs = row12", "a page, zs = row12"]
        );
        assert_eq!(panels[1].bars[0].words, "5.50 µs · 1.00 ×");
    }

    #[test]
    fn rows_without_pages_have_no_such_chart() {
        assert!(of(&[row("a", "n=1", 1e-3)]).is_none());
    }
}
