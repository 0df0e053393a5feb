//! Bars of the variants, a panel for each setting.

use super::bar_panels::{Bar, BarPanel};
use super::caption;
use super::chart::{Chart, columns};
use super::scale::Unit;
use super::study::{self, Axis, Panel, Study, interval, median};
use crate::grouped::grouped;
use crate::quality::Quality;
use crate::record::SummaryRow;
use crate::units;
use crate::winners::{self, MIN_SAMPLES};

const READING: &str = "bars: median, the fastest first, with its ratio to the fastest; whiskers: \
    95 % confidence interval of the median";
const PAGES: &str = "bars: median, and median over the number of pages with data; whiskers: 95 % \
    confidence interval";
const OF_PEAK: &str = "bars: minimum bytes of any variant, over the median time, as a share of the \
    bandwidth measured in the run with the same number of threads (of memory; end to end on a GPU, \
    of its link); dashed: all of it";
const HATCHED: &str = "; hatched: fewer than 6 samples";
/// Metric of the time per page, in µs.
const PAGE_TIME: &str = "us_per_page";

/// Quantity that bars show.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Quantity {
    /// The median time.
    Time,
    /// Median time over the number of pages, for tasks with pages.
    PageTime,
    /// Memory over that of the input.
    Memory,
    /// Minimum bytes per second, over the measured bandwidth of the device.
    Bandwidth,
    /// Quality of the output.
    Quality(Quality),
}

impl Quantity {
    /// Name in the title of a chart.
    pub fn name(self) -> &'static str {
        match self {
            Quantity::Time => "time",
            Quantity::PageTime => "time per page",
            Quantity::Memory => "memory",
            Quantity::Bandwidth => "bandwidth",
            Quantity::Quality(quality) => quality.name,
        }
    }

    /// Value of a row.
    pub fn value(self, row: &SummaryRow) -> Option<f64> {
        match self {
            Quantity::Time => row.median_s,
            Quantity::PageTime => row.metrics.number(PAGE_TIME).map(|us| us * 1e-6),
            Quantity::Memory => row.memory_ratio,
            Quantity::Bandwidth => row.peak_fraction,
            Quantity::Quality(quality) => quality.value(row),
        }
        .filter(|value| value.is_finite())
    }

    fn unit(self) -> Unit {
        match self {
            Quantity::Time => Unit::Time("median time"),
            Quantity::PageTime => Unit::Time("median time per page"),
            Quantity::Memory => Unit::Number("memory [× input]"),
            Quantity::Bandwidth => Unit::Number("of the measured bandwidth"),
            Quantity::Quality(quality) => Unit::Number(quality.name),
        }
    }

    /// Ends of the whisker, if there is one.
    fn interval(self, row: &SummaryRow, value: f64) -> Option<(f64, f64)> {
        let share = value / median(row);
        self.is_time().then(|| interval(row))?.map(|(low, high)| (low * share, high * share))
    }

    fn is_time(self) -> bool {
        matches!(self, Quantity::Time | Quantity::PageTime)
    }

    /// Text after a bar: the value, and its distance from the best one.
    fn words(self, row: &SummaryRow, value: f64, best: f64) -> String {
        match self {
            Quantity::Memory => format!("{value:.2} ×"),
            Quantity::Bandwidth => {
                let bytes = row.bytes_per_s.map(units::bytes_per_second).unwrap_or_default();
                match row.is_in_cache() {
                    true => format!("{bytes} · in cache"),
                    false => format!("{bytes} · {}", units::percent(value)),
                }
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

    /// Reference value of all bars.
    fn reference(self) -> Option<f64> {
        match self {
            Quantity::Time | Quantity::PageTime => None,
            Quantity::Memory | Quantity::Bandwidth => Some(1.0),
            Quantity::Quality(quality) => quality.ideal,
        }
    }

    fn why_not(self, row: &SummaryRow) -> String {
        match (row.note.as_str(), self) {
            (_, Quantity::Memory) if row.valid_median().is_some() => "memory not known".to_owned(),
            ("", _) => "not valid".to_owned(),
            // The rest says where it was noticed.
            (note, _) => note.split(';').next().unwrap_or(note).to_owned(),
        }
    }
}

/// Chart of the times of a study.
pub fn times(study: &Study) -> Chart<BarPanel> {
    let mut chart = chart(study, &study.varying, Quantity::Time, READING);
    if let Some(rank) = study.ranked_by {
        chart.title += &format!(" ({})", rank.words());
    }
    chart
}

/// Total time and time per page, side by side, if the rows of a study have pages.
///
/// Formats pack the same samples into more or fewer pages: one may be faster per page and slower in
/// total. Side by side, each explains the other.
pub fn times_and_pages(study: &Study) -> Option<Chart<BarPanel>> {
    let study = study.knowing(|row| Quantity::PageTime.value(row))?;
    let [total, page] = [Quantity::Time, Quantity::PageTime]
        .map(|quantity| chart(&study, &study.varying, quantity, PAGES));
    let pairs = total.panels.into_iter().zip(page.panels);
    let panels = pairs.flat_map(|(total, page)| [total.showing("total"), page.showing("a page")]);
    Some(Chart {
        headline: total.headline,
        title: format!("{}: total time and time per page", study.algorithm),
        panels: panels.collect(),
        columns: 2,
        caption: total.caption,
    })
}

/// Chart of the bandwidths of a study, if that of the machine was measured.
pub fn bandwidth(study: &Study) -> Option<Chart<BarPanel>> {
    let study = study.knowing(|row| Quantity::Bandwidth.value(row))?;
    Some(chart(&study, &study.varying, Quantity::Bandwidth, OF_PEAK))
}

/// Chart of a quantity that depends on `axes`; `reading` explains the marks. Of rows that differ in
/// other axes only, the first one is shown. Times of variants with different kinds of input are
/// separate.
pub fn chart(study: &Study, axes: &[Axis], quantity: Quantity, reading: &str) -> Chart<BarPanel> {
    let rows: Vec<&SummaryRow> = study.rows.iter().chain(&study.left_out).copied().collect();
    let given = if quantity.is_time() { study::given(&study.rows) } else { None };
    let axes: Vec<Axis> = axes.iter().cloned().chain(given).collect();
    let panels = study::panels(&rows, &axes).into_iter();
    let panels: Vec<BarPanel> = panels.map(|panel| self::panel(study, quantity, panel)).collect();
    let is_hatched = panels.iter().flat_map(|panel| &panel.bars).any(|bar| bar.is_unsure);
    let reading = format!("{reading}{}", if is_hatched { HATCHED } else { "" });
    // Variants without a bar are named in the panels.
    let mut shown = study.clone();
    shown.left_out.clear();
    let caption = match quantity.is_time() {
        true => caption::of_samples(&shown, &reading),
        false => caption::caption(&shown, &reading),
    };
    Chart {
        headline: headline(study, quantity, &panels),
        title: format!("{}: {} by variant", study.algorithm, quantity.name()),
        columns: columns(study::panels_a_row(&axes), panels.len()),
        panels,
        caption,
    }
}

/// Headline of a chart; `None` where a quantity has no best value.
fn headline(study: &Study, quantity: Quantity, panels: &[BarPanel]) -> Option<String> {
    match quantity {
        Quantity::Time => study.headline(),
        Quantity::Memory => {
            let best = Best::find(panels, |value| format!("{value:.2} ×"))?;
            Some(best.says(["takes", "take"], "the least memory", "the input"))
        }
        Quantity::Bandwidth => {
            let best = Best::find(panels, units::percent)?;
            Some(best.says(["has", "have"], "the highest bandwidth", "what was measured"))
        }
        Quantity::PageTime | Quantity::Quality(_) => None,
    }
}

/// Variants that are best at the most settings.
struct Best<'a> {
    names: Vec<&'a str>,
    /// Their smallest and largest value there, formatted.
    values: [String; 2],
    settings: usize,
    all_settings: usize,
}

impl<'a> Best<'a> {
    /// Finds the best. Bars with the same text by `say` are equally good; the first bar of a panel
    /// is the best.
    fn find(panels: &'a [BarPanel], say: fn(f64) -> String) -> Option<Self> {
        let drawn: Vec<_> = panels.iter().filter(|panel| !panel.bars.is_empty()).collect();
        let best = drawn.iter().flat_map(|panel| {
            let value = say(panel.bars[0].value);
            panel.bars.iter().filter(move |bar| say(bar.value) == value)
        });
        let by_name = grouped(best, |bar| bar.name.as_str());
        let settings = by_name.iter().map(|(_, bars)| bars.len()).max()?;
        let names: Vec<_> =
            by_name.into_iter().filter(|(_, bars)| bars.len() == settings).collect();
        let values = || names.iter().flat_map(|(_, bars)| bars.iter().map(|bar| bar.value));
        let low = values().fold(f64::INFINITY, f64::min);
        let high = values().fold(f64::NEG_INFINITY, f64::max);
        Some(Best {
            names: names.iter().map(|(name, _)| *name).collect(),
            values: [low, high].map(say),
            settings,
            all_settings: drawn.len(),
        })
    }

    /// Formats `a and b take the least memory at both settings: 1.00 to 1.08 × the input`.
    fn says(&self, [one, several]: [&str; 2], what: &str, of: &str) -> String {
        let names = match self.names.as_slice() {
            [name] => format!("{name} {one}"),
            [a, b] => format!("{a} and {b} {several}"),
            names => format!("{} variants {several}", names.len()),
        };
        let at = match (self.settings, self.all_settings) {
            (_, 1) => String::new(),
            (some, all) if some == all => format!(" at {}", winners::all_settings(all)),
            (some, all) => format!(" at {some} of {all} settings"),
        };
        let [low, high] = &self.values;
        let value = if low == high {
            low.clone()
        } else {
            let number = low.rsplit_once(' ').map_or(low.as_str(), |(number, _)| number);
            format!("{number} to {high}")
        };
        let of = if self.values[0].ends_with('%') { format!("of {of}") } else { of.to_owned() };
        format!("{names} {what}{at}: {value} {of}")
    }
}

/// Bars of a panel's rows, the best one first, and the rows without a bar.
pub fn panel(study: &Study, quantity: Quantity, panel: Panel) -> BarPanel {
    let rows = grouped(panel.rows, |row| study.series(row)).into_iter().map(|(_, rows)| rows[0]);
    let is_drawn =
        |row: &&SummaryRow| row.valid_median().is_some() && quantity.value(row).is_some();
    let (mut drawn, refused): (Vec<_>, Vec<_>) = rows.partition(is_drawn);
    let value = |row: &SummaryRow| quantity.value(row).unwrap_or_default();
    drawn.sort_by(|a, b| value(a).total_cmp(&value(b)));
    if quantity == Quantity::Bandwidth {
        drawn.reverse();
    }
    let best = drawn.first().map_or(0.0, |row| value(row));
    let bar = |row: &SummaryRow| {
        let series = study.series(row);
        let words = quantity.words(row, value(row), best);
        Bar {
            interval: quantity.interval(row, value(row)),
            is_unsure: quantity.is_time() && is_unsure(row),
            ..Bar::new(&series, value(row), words, study.style(&series))
        }
    };
    let why_not = |row: &SummaryRow| (study.series(row), quantity.why_not(row));
    BarPanel {
        refused: refused.into_iter().map(why_not).collect(),
        reference: quantity.reference(),
        ..BarPanel::new(panel.title, quantity.unit(), drawn.into_iter().map(bar).collect())
    }
}

fn is_unsure(row: &SummaryRow) -> bool {
    row.samples < MIN_SAMPLES
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{of_study, row};
    use super::*;

    fn times_chart(rows: &[SummaryRow]) -> Chart<BarPanel> {
        of_study(rows, &[], times)
    }

    #[test]
    fn variants_with_other_inputs_have_separate_panels() {
        let given = |variant: &str, given: &str| SummaryRow {
            given: given.into(),
            ..row(variant, "n=1", 1.0)
        };
        let rows = [given("a", "by time"), given("b", "any order"), given("c", "any order")];
        let chart = of_study(&rows, &[], |study| Some(times(study))).expect("bars");
        let panels = chart.panels.iter().map(|panel| (panel.title.as_str(), panel.bars.len()));
        let expected = [("given = any order", 2), ("given = by time", 1)];
        assert_eq!(panels.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn the_fastest_is_first_and_the_others_are_compared_with_it() {
        let chart = times_chart(&[row("a", "n=1", 3e-3), row("b", "n=1", 2e-3)]);
        let bars = &chart.panels[0].bars;
        let phrases: Vec<_> =
            bars.iter().map(|bar| (bar.name.as_str(), bar.words.as_str())).collect();
        assert_eq!(phrases, [("b", "2.00 ms · 1.00 ×"), ("a", "3.00 ms · 1.50 ×")]);
        assert_eq!(chart.headline.as_deref(), Some("b is fastest, 1.50 × ahead of a"));
        let bandwidth = of_study(&[row("a", "n=1", 3e-3)], &[], bandwidth).expect("measured");
        let expected = "a has the highest bandwidth: 50 % of what was measured";
        assert_eq!(bandwidth.headline.as_deref(), Some(expected));
    }

    #[test]
    fn few_samples_are_hatched_and_counted() {
        let few = SummaryRow { samples: 3, ..row("a", "n=1", 1e-3) };
        let bars = times_chart(&[few, row("b", "n=1", 2e-3)]).panels.remove(0).bars;
        assert_eq!(bars[0].words, "1.00 ms · 1.00 × · n = 3");
        assert_eq!([bars[0].is_unsure, bars[1].is_unsure], [true, false]);
    }

    #[test]
    fn formats_are_compared_by_total_and_by_page() {
        let mut rows = Vec::new();
        for (format, us) in [("link", "5.5"), ("row12", "11.25")] {
            let mut row = row("simd", &format!("zs={format}"), 1e-3);
            row.metrics.set("us_per_page", us);
            rows.push(row);
        }
        let panels = of_study(&rows, &[], times_and_pages).expect("pages").panels;
        let titles: Vec<_> = panels.iter().map(|panel| panel.title.as_str()).collect();
        assert_eq!(
            titles,
            ["total, zs = link", "a page, zs = link", "total, zs = row12", "a page, zs = row12"]
        );
        assert_eq!(panels[1].bars[0].words, "5.50 µs · 1.00 ×");
        assert!(of_study(&[row("a", "n=1", 1e-3)], &[], times_and_pages).is_none());
    }
}
