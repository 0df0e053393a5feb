//! Total time and time a page, side by side.
//!
//! Formats pack the same samples into more pages or fewer: one may be quicker with a
//! page and slower with all of them. Seen together, either is explained.

use super::bars::{self, Quantity, page_time};
use super::figure::{Figure, Plot};
use super::study::Study;

const READING: &str = "bars: median, and median over the number of pages with data; whiskers: 95 % \
    confidence interval";

/// The chart of a study whose rows have pages.
pub fn figure(study: &Study) -> Option<Figure> {
    let study = with_pages(study);
    if study.rows.is_empty() {
        return None;
    }
    let [total, page] = [Quantity::Time, Quantity::PageTime]
        .map(|quantity| bars::figure(&study, &study.varying, quantity, READING));
    let title = format!("{}: total time and time a page", study.algorithm);
    let plots = titled(total.plots, "total").chain(titled(page.plots, "a page"));
    Some(Figure { title, plots: plots.collect(), columns: 2, ..total })
}

/// Plots whose titles say which time they show.
fn titled(plots: Vec<Plot>, what: &str) -> impl Iterator<Item = Plot> {
    plots.into_iter().map(move |plot| {
        let title = match plot.title.as_str() {
            "" => what.to_owned(),
            title => format!("{what}, {title}"),
        };
        Plot { title, ..plot }
    })
}

/// The study without the rows that have no pages.
fn with_pages<'a>(study: &Study<'a>) -> Study<'a> {
    let mut study = study.clone();
    let (known, unknown) = study.rows.into_iter().partition(|row| page_time(row).is_some());
    study.rows = known;
    study.left_out.extend::<Vec<_>>(unknown);
    study
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{row, run};
    use super::super::study::SeriesNames;
    use super::*;
    use crate::record::SummaryRow;

    fn of(rows: &[SummaryRow]) -> Option<Figure> {
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
        let figure = of(&rows).expect("pages");
        let titles: Vec<_> = figure.plots.iter().map(|plot| &plot.title).collect();
        assert_eq!(titles, ["total", "a page"]);
        assert_eq!(figure.plots[1].x.ticks.len(), 2);
        assert!(figure.plots[1].y.label.contains("a page"));
        assert_ne!(figure.plots[0].y.label, figure.plots[1].y.label);
    }

    #[test]
    fn rows_without_pages_have_no_such_chart() {
        assert!(of(&[row("a", "n=1", 1e-3)]).is_none());
    }
}
