//! How good what variants find is, beside the time that they take for it.
//!
//! A variant that is faster but worse is to be seen as such.

use super::bars::{self, Quantity};
use super::depends::{axes_that_matter, silent};
use super::figure::{Figure, Plot};
use super::lines::THREADS;
use super::study::Study;
use crate::quality::{Quality, is_known};
use crate::shape;

const READING: &str = "figures: of the first input; residuals and pulls: 68 % are less far off; \
    dashed: what would be ideal; time: median";

/// Panels beside each other.
const COLUMNS: usize = 2;

/// Figures of the same input are equal, or not.
const SAME: f64 = 1.0;

/// The chart of a study that knows how good its rows are.
pub fn figure(study: &Study) -> Option<Figure> {
    let study = with_quality(study);
    if study.rows.is_empty() {
        return None;
    }
    let quantities = Quality::ALL.map(Quantity::Quality);
    let axes = axes_that_matter(&study, &quantities, SAME);
    let reading = reading(&silent(&study.varying, &axes));
    let of = |study: &Study, quantity| bars::beside_others(study, &axes, quantity, &reading);
    let (serial, threads) = with_fewest_threads(&study);
    let time = of(&serial, Quantity::Time);
    let mut plots = titled(time.plots, &format!("time, {threads}"));
    for quantity in quantities {
        plots.extend(titled(of(&study, quantity).plots, quantity.name()));
    }
    Some(Figure {
        title: format!("{}: how good, how fast", study.algorithm),
        legend: time.legend,
        swatch: time.swatch,
        columns: COLUMNS,
        plots,
        caption: Quantity::Quality(Quality::Efficiency).caption(&study, &reading),
    })
}

/// Plots whose titles say what they show.
fn titled(plots: Vec<Plot>, what: &str) -> Vec<Plot> {
    let titled = plots.into_iter().map(|plot| Plot {
        title: match plot.title.as_str() {
            "" => what.to_owned(),
            title => format!("{what}, {title}"),
        },
        ..plot
    });
    titled.collect()
}

fn reading(silent: &[&str]) -> String {
    match silent {
        [] => READING.to_owned(),
        axes => format!("{READING}; figures are the same at all values of {}", axes.join(", ")),
    }
}

/// The study without the rows of which nothing is known.
fn with_quality<'a>(study: &Study<'a>) -> Study<'a> {
    let mut study = study.clone();
    study.rows.retain(|row| is_known(row));
    study
}

/// The rows whose times compare best, and how many threads those are.
fn with_fewest_threads<'a>(study: &Study<'a>) -> (Study<'a>, String) {
    let mut study = study.clone();
    let fewest = study.rows.iter().map(|row| row.threads).min().unwrap_or(1);
    study.rows.retain(|row| row.threads == fewest);
    (study, shape::phrase(THREADS, &fewest.to_string()))
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{row, run};
    use super::super::study::SeriesNames;
    use super::*;
    use crate::record::SummaryRow;

    fn of(rows: &[SummaryRow]) -> Option<Figure> {
        let (run, names) = (run(), SeriesNames::new(rows));
        figure(&Study::new(&run, "sort", rows, &[], &names))
    }

    fn good(variant: &str, threads: usize, efficiency: &str) -> SummaryRow {
        let mut row = SummaryRow { threads, ..row(variant, "n=1", 1e-3) };
        for quality in Quality::ALL {
            row.metrics.set(quality.metric(), "0.5");
        }
        row.metrics.set(Quality::Efficiency.metric(), efficiency);
        row
    }

    #[test]
    fn what_threads_do_not_change_is_shown_once_beside_the_time() {
        let rows = [
            good("a", 1, "0.97"),
            good("a", 2, "0.97"),
            good("b", 1, "0.95"),
            good("b", 2, "0.95"),
        ];
        let figure = of(&rows).expect("known");
        assert_eq!(figure.plots.len(), 1 + Quality::ALL.len());
        assert_eq!(figure.plots[0].title, "time, 1 thread");
        assert_eq!(figure.plots[1].title, "efficiency");
        assert_eq!(figure.plots[1].x.ticks.len(), 2);
        assert!(figure.caption[2].contains("at all values of threads"));
    }

    #[test]
    fn what_an_axis_changes_is_shown_for_each_value() {
        let rows = [good("a", 1, "0.97"), good("a", 2, "0.96")];
        let figure = of(&rows).expect("known");
        assert_eq!(figure.plots[1].x.label, "threads");
        assert_eq!(figure.plots[1].x.ticks.len(), 2);
    }

    #[test]
    fn rows_of_unknown_quality_have_no_such_chart() {
        assert!(of(&[row("a", "n=1", 1e-3)]).is_none());
    }
}
