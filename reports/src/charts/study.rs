//! Subject of the charts of one algorithm: the rows that can be drawn, the axes that vary among
//! them, and the names and styles of the series.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::palette::{Palette, Style};
use crate::grouped::{distinct, grouped};
use crate::rank::{Rank, TOTAL, has_kernels, representatives};
use crate::record::{RunRecord, SampleRow, SummaryRow};
use crate::shape::{self, AxisName, CPU};
use crate::winners;

/// One algorithm of a run.
#[derive(Clone, Debug)]
pub struct Study<'a> {
    /// The run.
    pub run: &'a RunRecord,
    /// The subcommand's name.
    pub algorithm: &'a str,
    /// Valid rows with a median, in the order of the run.
    pub rows: Vec<&'a SummaryRow>,
    /// Rows of the parts of a run, such as the kernels of a GPU.
    pub stages: Vec<&'a SummaryRow>,
    /// Rows that cannot be drawn.
    pub left_out: Vec<&'a SummaryRow>,
    /// Axes with several values on a device.
    pub varying: Vec<Axis>,
    /// All samples of the run.
    pub samples: &'a [SampleRow],
    /// The time that rows show, where it has to be stated because something runs on a GPU.
    pub ranked_by: Option<Rank>,
    /// Styles of the series of the whole run, and of placements, equal in all of its charts.
    palette: Palette,
    placements: Palette,
    several_devices: bool,
}

impl<'a> Study<'a> {
    /// The end-to-end rows of `algorithm` among those of a run.
    pub fn new(
        run: &'a RunRecord,
        algorithm: &'a str,
        rows: &'a [SummaryRow],
        samples: &'a [SampleRow],
    ) -> Self {
        let several_devices = rows.iter().any(|row| row.device != rows[0].device);
        let series = rows
            .iter()
            .map(|row| (name(row, several_devices), row.variant.clone(), row.device != CPU));
        let palette = Palette::for_variants(series);
        let placements = Palette::new(rows.iter().map(placement));
        let of_study = rows.iter().filter(|row| row.algorithm == algorithm);
        let ranked_by = has_kernels(of_study.clone()).then_some(Rank::Total);
        let (rows, stages): (Vec<_>, Vec<_>) = of_study.partition(|row| row.stage == TOTAL);
        let (rows, left_out): (Vec<_>, Vec<_>) =
            rows.into_iter().partition(|row| row.valid_median().is_some());
        Study {
            run,
            algorithm,
            varying: varying(&rows),
            rows,
            stages,
            left_out,
            samples,
            ranked_by,
            palette,
            placements,
            several_devices,
        }
    }

    /// The fastest variant and its lead, if variants are compared.
    pub fn headline(&self) -> Option<String> {
        winners::headline(&winners::rankings_of(&self.rows), |row| self.series(row))
    }

    /// The rows of total times and of stages.
    pub fn with_stages(&self) -> Vec<&'a SummaryRow> {
        self.rows.iter().chain(&self.stages).copied().collect()
    }

    /// Study of the kernels of variants that have any; `None` if no variant has.
    pub fn by_kernels(&self) -> Option<Self> {
        self.ranked_by?;
        let rows = representatives(self.with_stages(), Rank::Kernel);
        Some(Study { varying: varying(&rows), rows, ranked_by: Some(Rank::Kernel), ..self.clone() })
    }

    /// Study of the rows with a known quantity; `None` if there are none.
    pub fn knowing(&self, value: impl Fn(&SummaryRow) -> Option<f64>) -> Option<Self> {
        let mut study = self.clone();
        let is_known = |row: &&SummaryRow| value(row).is_some();
        let (known, unknown): (Vec<_>, Vec<_>) = study.rows.into_iter().partition(is_known);
        study.rows = known;
        study.left_out.extend(unknown);
        (!study.rows.is_empty()).then_some(study)
    }

    /// The name of a row's series: the variant, and the device if that is needed.
    pub fn series(&self, row: &SummaryRow) -> String {
        name(row, self.several_devices)
    }

    /// Style of a series.
    pub fn style(&self, series: &str) -> Style {
        self.palette.style(series)
    }

    /// Style of a placement where placements are compared.
    pub fn placement_style(&self, words: &str) -> Style {
        self.placements.style(words)
    }

    /// The axis of this name, if it varies.
    pub fn varying_axis(&self, name: &str) -> Option<&Axis> {
        self.varying.iter().find(|axis| axis.name == name)
    }

    /// Number of series.
    pub fn series_count(&self) -> usize {
        let names: BTreeSet<String> = self.rows.iter().map(|row| self.series(row)).collect();
        names.len()
    }

    /// The samples of all points in the order of their rounds, by the points'
    /// ids.
    pub fn samples_by_point(&self) -> HashMap<&'a str, Vec<&'a SampleRow>> {
        let mut points: HashMap<&str, Vec<&SampleRow>> = HashMap::new();
        for sample in self.samples.iter().filter(|sample| sample.stage == TOTAL) {
            points.entry(&sample.point_id).or_default().push(sample);
        }
        for samples in points.values_mut() {
            samples.sort_by_key(|sample| (sample.round, sample.sample));
        }
        points
    }
}

/// The median of a row that is drawn.
pub fn median(row: &SummaryRow) -> f64 {
    row.median_s.unwrap_or_default()
}

/// The interval of the median, if there is one.
pub fn interval(row: &SummaryRow) -> Option<(f64, f64)> {
    let interval = row.ci95_low_s.zip(row.ci95_high_s);
    interval.filter(|(low, high)| *low > 0.0 && low <= high && high.is_finite())
}

fn name(row: &SummaryRow, several_devices: bool) -> String {
    match several_devices {
        true => format!("{} ({})", row.variant, row.device),
        false => row.variant.clone(),
    }
}

/// The axes that make up a placement, in the order in which they are printed.
pub const PLACEMENT: [&str; 2] = ["places", "bind"];
/// Label of a value that a row does not have.
const ABSENT: &str = "–";

/// An axis with the values that occur.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// `digis`, `threads`.
    pub name: AxisName,
    /// Distinct values, numbers by size.
    pub values: Vec<String>,
}

/// The rows of one combination of values.
#[derive(Clone, Debug)]
pub struct Panel<'a> {
    /// `order = random · threads = 2`; empty for a single panel.
    pub title: String,
    /// The rows, in the order of the run.
    pub rows: Vec<&'a SummaryRow>,
}

impl Axis {
    /// The axis of this name with its values in some rows.
    fn from_rows(name: &str, rows: &[&SummaryRow]) -> Axis {
        let declares = rows.iter().find(|row| row.params.get(name).is_some()).or(rows.first());
        let named = declares.map_or_else(|| name.into(), |row| shape::axis_name(row, name));
        Axis::new(named, rows.iter().map(|row| value_of(row, name)))
    }

    /// The axis of this name with the distinct ones of some values.
    pub fn new(name: impl Into<AxisName>, values: impl IntoIterator<Item = String>) -> Axis {
        let distinct: BTreeSet<String> = values.into_iter().collect();
        let mut values: Vec<String> = distinct.into_iter().collect();
        values.sort_by(|a, b| shape::order(a, b));
        Axis { name: name.into(), values }
    }

    /// The values as numbers, if all of them are.
    pub fn numbers(&self) -> Option<Vec<f64>> {
        let number = |value: &String| value.parse().ok().filter(|number: &f64| number.is_finite());
        self.values.iter().map(number).collect()
    }

    /// Labels of the values in one common style: unchanged if all are short, else with prefixes,
    /// rounded where that keeps them distinct.
    pub fn labels(&self) -> Vec<String> {
        if self.values.iter().all(|value| value.len() <= 4) {
            return self.phrases(|axis, value| match axis.declared().unit.is_empty() {
                false => shape::value(axis, value),
                true => value.to_owned(),
            });
        }
        let short = self.phrases(shape::short_value);
        let distinct: BTreeSet<&String> = short.iter().collect();
        if distinct.len() == short.len() { short } else { self.phrases(shape::value) }
    }

    fn phrases(&self, say: fn(&AxisName, &str) -> String) -> Vec<String> {
        self.values.iter().map(|value| say(&self.name, value)).collect()
    }
}

/// The value of an axis in a row.
pub fn value_of(row: &SummaryRow, axis: &str) -> String {
    shape::axis(row, axis).unwrap_or_else(|| ABSENT.to_owned())
}

/// All axes of the rows, in reading order.
pub fn all(rows: &[&SummaryRow]) -> Vec<Axis> {
    let names = distinct(rows.iter().flat_map(|row| shape::axes(row)).map(|(name, _)| name));
    names.iter().map(|name| Axis::from_rows(name, rows)).collect()
}

/// The axes that vary on at least one device. An axis that merely differs between devices, as
/// threads do, would put them into separate panels.
pub fn varying(rows: &[&SummaryRow]) -> Vec<Axis> {
    let by_device = grouped(rows.iter().copied(), |row| &row.device);
    let varies = |axis: &Axis| {
        by_device.iter().any(|(_, rows)| Axis::from_rows(&axis.name, rows).values.len() > 1)
    };
    all(rows).into_iter().filter(varies).collect()
}

/// Kinds of input of the rows, if they differ: such rows can't be compared.
pub fn given(rows: &[&SummaryRow]) -> Option<Axis> {
    let given = Axis::from_rows(shape::GIVEN, rows);
    (given.values.len() > 1).then_some(given)
}

/// Groups rows by the values of `axes`, in the order of those values.
pub fn panels<'a>(rows: &[&'a SummaryRow], axes: &[Axis]) -> Vec<Panel<'a>> {
    let mut panels: BTreeMap<Vec<usize>, Panel<'a>> = BTreeMap::new();
    for row in rows {
        let values: Vec<String> = axes.iter().map(|axis| value_of(row, &axis.name)).collect();
        let values_of_axes = axes.iter().zip(&values);
        let index = |(axis, value): (&Axis, &String)| axis.values.iter().position(|v| v == value);
        let panel = panels.entry(values_of_axes.filter_map(index).collect()).or_insert_with(|| {
            let names = axes.iter().map(|axis| &axis.name);
            Panel { title: title(names.zip(&values)), rows: Vec::new() }
        });
        panel.rows.push(row);
    }
    panels.into_values().collect()
}

/// Number of panels in a row: those that differ in the last axis only.
pub fn panels_a_row(axes: &[Axis]) -> usize {
    axes.last().map_or(1, |axis| axis.values.len())
}

/// `order = random · threads = 2`.
pub fn title<'a>(setting: impl IntoIterator<Item = (&'a AxisName, &'a String)>) -> String {
    let setting = setting.into_iter();
    let parts = setting.map(|(name, value)| format!("{name} = {}", shape::value(name, value)));
    parts.collect::<Vec<_>>().join(shape::SEPARATOR)
}

/// Placement of the threads of a row: `not placed`, `cores close`, `{0:4},{4:4} close`.
pub fn placement(row: &SummaryRow) -> String {
    let values = PLACEMENT.into_iter().zip([&row.cpu_sets, &row.bind]);
    let phrases = values.filter(|(name, value)| !shape::is_silent(name, value));
    let phrases: Vec<&str> = phrases.map(|(_, value)| value.as_str()).collect();
    if phrases.is_empty() { "not placed".to_owned() } else { phrases.join(" ") }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::row;
    use super::*;

    #[test]
    fn an_axis_varies_only_within_a_device() {
        let mut gpu = row("a", "digis=1", 1e-3);
        gpu.device = "cuda:0".into();
        gpu.threads = 1;
        let cpu = row("a", "digis=1", 1e-3);
        assert_eq!(varying(&[&cpu, &gpu]), []);
        let more = row("a", "digis=10", 1e-3);
        let names: Vec<_> = varying(&[&cpu, &gpu, &more]).into_iter().map(|a| a.name).collect();
        assert_eq!(names, ["digis"]);
    }

    #[test]
    fn panels_come_in_the_order_of_their_values() {
        let rows = [row("a", "n=100;order=b", 1.0), row("a", "n=24;order=b", 1.0)];
        let rows: Vec<_> = rows.iter().collect();
        let panels = panels(&rows, &varying(&rows));
        let titles: Vec<_> = panels.iter().map(|panel| panel.title.as_str()).collect();
        assert_eq!(titles, ["n = 24", "n = 100"]);
    }

    #[test]
    fn labels_stay_distinct() {
        let labels = |name: &str, values: [&str; 2]| {
            Axis::new(AxisName::count(name), values.map(str::to_owned)).labels()
        };
        assert_eq!(labels("digis", ["1000000", "1000001"]), ["1 M", "1000001"]);
        assert_eq!(labels("segments", ["1280", "1344"]), ["1280", "1344"]);
    }

    #[test]
    fn a_placement_is_printed_as_in_the_command() {
        for (cpu_sets, bind, expected) in [
            ("none", "false", "not placed"),
            ("cores", "close", "cores close"),
            ("sockets", "spread", "sockets spread"),
            ("{0:4},{4:4}", "false", "{0:4},{4:4}"),
        ] {
            let row = row("a", "n=1", 1e-3);
            let row = SummaryRow { cpu_sets: cpu_sets.into(), bind: bind.into(), ..row };
            assert_eq!(placement(&row), expected);
        }
    }
}
