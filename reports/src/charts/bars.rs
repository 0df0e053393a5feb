//! Bars of the variants, a panel for each setting.

use super::axes::{self, Axis, Panel};
use super::bar_panels::{Bar, BarPanel, BarPanels};
use super::caption;
use super::study::{Study, interval, is_drawable, median};
use super::unit::Unit;
use crate::quality::Quality;
use crate::record::SummaryRow;
use crate::units;
use crate::winners::FEWEST_SAMPLES;

const READING: &str = "bars: median, the fastest first, with its ratio to the fastest; whiskers: \
    95 % confidence interval of the median";
const OF_PEAK: &str = "bars: the bytes that any variant must move, over the median time, as a \
    share of the bandwidth measured in the run with as many threads (of memory; of a GPU end to \
    end, of its link); dashed: all of it";
const HATCHED: &str = "; hatched: fewer than 6 samples";
/// The metric that says the time a page, in µs.
const PAGE_TIME: &str = "us_per_page";

/// What is compared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Quantity {
    /// The median time.
    Time,
    /// The median time over the number of pages, where a task has pages.
    PageTime,
    /// The memory over that of the input.
    Memory,
    /// The bytes that have to be moved a second, over what was measured of the device.
    Bandwidth,
    /// How good the output is.
    Quality(Quality),
}

impl Quantity {
    /// What the title of a chart calls it.
    pub fn name(self) -> &'static str {
        match self {
            Quantity::Time => "time",
            Quantity::PageTime => "time a page",
            Quantity::Memory => "memory",
            Quantity::Bandwidth => "bandwidth",
            Quantity::Quality(quality) => quality.name,
        }
    }

    /// The value of a row.
    pub fn value(self, row: &SummaryRow) -> Option<f64> {
        match self {
            Quantity::Time => row.median_s,
            Quantity::PageTime => row.metrics.number(PAGE_TIME).map(|us| us * 1e-6),
            Quantity::Memory => row.memory_ratio,
            Quantity::Bandwidth => row.peak_fraction,
            Quantity::Quality(quality) => quality.of(row),
        }
        .filter(|value| value.is_finite())
    }

    fn unit(self) -> Unit {
        match self {
            Quantity::Time => Unit::Time("median time"),
            Quantity::PageTime => Unit::Time("median time a page"),
            Quantity::Memory => Unit::Number("memory [× input]"),
            Quantity::Bandwidth => Unit::Number("of the measured bandwidth"),
            Quantity::Quality(quality) => Unit::Number(quality.name),
        }
    }

    /// The ends of a whisker, where there is one.
    fn interval(self, row: &SummaryRow, value: f64) -> Option<(f64, f64)> {
        let share = value / median(row);
        self.is_time().then(|| interval(row))?.map(|(low, high)| (low * share, high * share))
    }

    fn is_time(self) -> bool {
        matches!(self, Quantity::Time | Quantity::PageTime)
    }

    /// What stands behind a bar: the value, and how far it is behind the best one.
    fn words(self, row: &SummaryRow, value: f64, best: f64) -> String {
        match self {
            Quantity::Memory => format!("{value:.2} ×"),
            Quantity::Bandwidth => {
                let bytes = row.bytes_per_s.map(units::bytes_per_second).unwrap_or_default();
                format!("{bytes} · {}", units::percent(value))
            }
            Quantity::Quality(quality) => quality.words(value),
            Quantity::Time | Quantity::PageTime => {
                let time = units::seconds(value, 3);
                let few = match is_unsure(row) {
                    true => format!(" · n = {}", row.samples),
                    false => String::new(),
                };
                format!("{time} · {}{few}", units::times(value / best))
            }
        }
    }

    /// The value that all bars are compared with.
    fn reference(self) -> Option<f64> {
        match self {
            Quantity::Time | Quantity::PageTime => None,
            Quantity::Memory | Quantity::Bandwidth => Some(1.0),
            Quantity::Quality(quality) => quality.ideal,
        }
    }

    fn why_not(self, row: &SummaryRow) -> String {
        match (row.note.as_str(), self) {
            (_, Quantity::Memory) if is_drawable(row) => "memory not known".to_owned(),
            ("", _) => "not valid".to_owned(),
            // What follows is where it was noticed.
            (note, _) => note.split(';').next().unwrap_or(note).to_owned(),
        }
    }
}

/// The times of a study.
pub fn times(study: &Study) -> BarPanels {
    let mut chart = chart(study, &study.varying, Quantity::Time, READING);
    if let Some(rank) = study.ranked_by {
        chart.title += &format!(" ({})", rank.words());
    }
    chart
}

/// The bandwidths of a study, if that of the machine was measured.
pub fn bandwidth(study: &Study) -> Option<BarPanels> {
    let study = study.knowing(Quantity::Bandwidth);
    let chart = || chart(&study, &study.varying, Quantity::Bandwidth, OF_PEAK);
    (!study.rows.is_empty()).then(chart)
}

/// The chart of a quantity that depends on `axes`; `reading` says what the marks mean. Of rows
/// that differ in other axes only, the first one is shown.
pub fn chart(study: &Study, axes: &[Axis], quantity: Quantity, reading: &str) -> BarPanels {
    let axes: Vec<&Axis> = axes.iter().collect();
    let rows: Vec<&SummaryRow> = study.rows.iter().chain(&study.left_out).copied().collect();
    let panels = axes::panels(&rows, &axes).into_iter();
    let panels: Vec<BarPanel> = panels.map(|panel| self::panel(study, quantity, panel)).collect();
    let is_hatched = panels.iter().flat_map(|panel| &panel.bars).any(|bar| bar.is_unsure);
    let reading = format!("{reading}{}", if is_hatched { HATCHED } else { "" });
    // Who has no bar is named in the panels.
    let mut shown = study.clone();
    shown.left_out.clear();
    let caption = match quantity.is_time() {
        true => caption::of_samples(&shown, &reading),
        false => caption::caption(&shown, &reading),
    };
    BarPanels {
        title: format!("{}: {} by variant", study.algorithm, quantity.name()),
        columns: super::columns(axes.last().map_or(1, |axis| axis.values.len()), panels.len()),
        panels,
        caption,
    }
}

/// The bars of a panel's rows, the best one first, and of whom there is none.
pub fn panel(study: &Study, quantity: Quantity, panel: Panel) -> BarPanel {
    let mut rows: Vec<&SummaryRow> = Vec::new();
    for row in panel.rows {
        if !rows.iter().any(|other| study.series(other) == study.series(row)) {
            rows.push(row);
        }
    }
    let value = |row: &&SummaryRow| quantity.value(row).filter(|_| is_drawable(row));
    let (mut drawn, refused): (Vec<_>, Vec<_>) =
        rows.into_iter().partition(|row| value(row).is_some());
    let value = |row: &SummaryRow| quantity.value(row).unwrap_or_default();
    drawn.sort_by(|a, b| value(a).total_cmp(&value(b)));
    if quantity == Quantity::Bandwidth {
        drawn.reverse();
    }
    let best = drawn.first().map_or(0.0, |row| value(row));
    let bar = |row: &SummaryRow| Bar {
        name: study.series(row),
        value: value(row),
        interval: quantity.interval(row, value(row)),
        dots: Vec::new(),
        is_unsure: quantity.is_time() && is_unsure(row),
        words: quantity.words(row, value(row), best),
        style: study.style(&study.series(row)),
    };
    let why_not = |row: &SummaryRow| (study.series(row), quantity.why_not(row));
    BarPanel {
        title: panel.title,
        unit: quantity.unit(),
        bars: drawn.into_iter().map(bar).collect(),
        refused: refused.into_iter().map(why_not).collect(),
        reference: quantity.reference(),
    }
}

fn is_unsure(row: &SummaryRow) -> bool {
    row.samples < FEWEST_SAMPLES
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{row, run};
    use super::super::study::SeriesNames;
    use super::*;
    use crate::record::YesNo;

    fn of(rows: &[SummaryRow]) -> BarPanels {
        let (run, names) = (run(), SeriesNames::new(rows));
        times(&Study::new(&run, "sort", rows, &[], &names))
    }

    #[test]
    fn the_fastest_is_first_and_the_others_are_compared_with_it() {
        let chart = of(&[row("a", "n=1", 3e-3), row("b", "n=1", 2e-3)]);
        let bars = &chart.panels[0].bars;
        let said: Vec<_> = bars.iter().map(|bar| (bar.name.as_str(), bar.words.as_str())).collect();
        assert_eq!(said, [("b", "2.00 ms · 1.00 ×"), ("a", "3.00 ms · 1.50 ×")]);
    }

    #[test]
    fn each_setting_has_a_panel() {
        let rows = [row("a", "n=1;order=b", 1e-3), row("a", "n=2;order=b", 1e-3)];
        let titles: Vec<_> = of(&rows).panels.into_iter().map(|panel| panel.title).collect();
        assert_eq!(titles, ["n = 1", "n = 2"]);
    }

    #[test]
    fn few_samples_are_hatched_and_counted() {
        let few = SummaryRow { samples: 3, ..row("a", "n=1", 1e-3) };
        let bars = of(&[few, row("b", "n=1", 2e-3)]).panels.remove(0).bars;
        assert_eq!(bars[0].words, "1.00 ms · 1.00 × · n = 3");
        assert_eq!([bars[0].is_unsure, bars[1].is_unsure], [true, false]);
    }

    #[test]
    fn who_refuses_is_named_with_the_reason() {
        let refusing = SummaryRow {
            valid: YesNo::No,
            median_s: None,
            note: "digis must be in order; channel 3 has 5 after 7".into(),
            ..row("concat", "n=1", 1.0)
        };
        let panel = of(&[row("a", "n=1", 1e-3), refusing]).panels.remove(0);
        let expected = ("concat".to_owned(), "digis must be in order".to_owned());
        assert_eq!((panel.bars.len(), panel.refused), (1, vec![expected]));
    }
}
