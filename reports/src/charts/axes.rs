//! Axes that vary in a set of rows, and the panels that follow from them.

use std::collections::{BTreeMap, BTreeSet};

use crate::grouped::{distinct, grouped};
use crate::record::SummaryRow;
use crate::shape::{self, AxisName};

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
