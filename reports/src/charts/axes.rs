//! Which axes a set of rows varies, and what that means for the picture.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::record::SummaryRow;
use crate::shape;

/// An axis with the values that occur.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// `digis`, `threads`.
    pub name: String,
    /// Distinct values, numbers by size.
    pub values: Vec<String>,
}

/// The rows of one combination of values.
#[derive(Clone, Debug)]
pub struct Panel<'a> {
    /// `order = random · threads = 2`; empty if nothing tells panels apart.
    pub title: String,
    /// The rows, in the order of the run.
    pub rows: Vec<&'a SummaryRow>,
}

/// What a value is called that a row does not have.
const ABSENT: &str = "–";

impl Axis {
    /// The values as numbers, if all of them are.
    pub fn numbers(&self) -> Option<Vec<f64>> {
        let number = |value: &String| value.parse().ok().filter(|number: &f64| number.is_finite());
        self.values.iter().map(number).collect()
    }

    /// Where each value stands among the others.
    pub fn positions(&self) -> HashMap<&str, usize> {
        let values = self.values.iter().map(String::as_str);
        values.zip(0..).collect()
    }

    /// The values in words, all in the same manner: as they are if none is
    /// long, else with prefixes, rounded where that leaves them distinct.
    pub fn labels(&self) -> Vec<String> {
        if self.values.iter().all(|value| value.len() <= 4) {
            return self.said(|axis, value| match shape::unit(axis) {
                Some(_) => shape::value(axis, value),
                None => value.to_owned(),
            });
        }
        let short = self.said(shape::short_value);
        let distinct: BTreeSet<&String> = short.iter().collect();
        if distinct.len() == short.len() { short } else { self.said(shape::value) }
    }

    fn said(&self, say: fn(&str, &str) -> String) -> Vec<String> {
        let words = self.values.iter().map(|value| say(&self.name, value));
        words.collect()
    }
}

/// The value of an axis in a row.
pub fn value_of(row: &SummaryRow, axis: &str) -> String {
    shape::axis(row, axis).unwrap_or_else(|| ABSENT.to_owned())
}

/// All axes of the rows, in reading order.
pub fn all(rows: &[&SummaryRow]) -> Vec<Axis> {
    let mut names: Vec<String> = Vec::new();
    for (name, _) in rows.iter().flat_map(|row| shape::axes(row)) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names.into_iter().map(|name| Axis { values: values(rows, &name), name }).collect()
}

/// The axes that vary on at least one device. An axis that merely differs
/// between devices, as threads do, would keep them out of each other's panels.
pub fn varying(rows: &[&SummaryRow]) -> Vec<Axis> {
    let mut by_device: BTreeMap<&str, Vec<&SummaryRow>> = BTreeMap::new();
    for row in rows {
        by_device.entry(&row.device).or_default().push(row);
    }
    let varies = |axis: &Axis| by_device.values().any(|rows| values(rows, &axis.name).len() > 1);
    all(rows).into_iter().filter(varies).collect()
}

/// The rows apart by the values of `axes`, in the order of those values.
pub fn panels<'a>(rows: &[&'a SummaryRow], axes: &[&Axis]) -> Vec<Panel<'a>> {
    let positions: Vec<_> = axes.iter().map(|axis| axis.positions()).collect();
    let mut panels: BTreeMap<Vec<usize>, Panel<'a>> = BTreeMap::new();
    for row in rows {
        let values: Vec<String> = axes.iter().map(|axis| value_of(row, &axis.name)).collect();
        let places = positions.iter().zip(&values);
        let key = places.filter_map(|(positions, value)| positions.get(value.as_str()).copied());
        let key = key.collect();
        let panel = panels
            .entry(key)
            .or_insert_with(|| Panel { title: title(axes, &values), rows: Vec::new() });
        panel.rows.push(row);
    }
    panels.into_values().collect()
}

fn title(axes: &[&Axis], values: &[String]) -> String {
    let pairs = axes.iter().zip(values);
    let parts =
        pairs.map(|(axis, value)| format!("{} = {}", axis.name, shape::value(&axis.name, value)));
    parts.collect::<Vec<_>>().join(shape::SEPARATOR)
}

fn values(rows: &[&SummaryRow], name: &str) -> Vec<String> {
    let distinct: BTreeSet<String> = rows.iter().map(|row| value_of(row, name)).collect();
    let mut values: Vec<String> = distinct.into_iter().collect();
    values.sort_by(|a, b| shape::order(a, b));
    values
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
        let axes = varying(&rows);
        let panels = panels(&rows, &axes.iter().collect::<Vec<_>>());
        let titles: Vec<_> = panels.iter().map(|panel| panel.title.as_str()).collect();
        assert_eq!(titles, ["n = 24", "n = 100"]);
    }

    #[test]
    fn labels_stay_distinct() {
        let values = vec!["1000000".to_owned(), "1000001".to_owned()];
        let axis = Axis { name: "digis".into(), values };
        assert_eq!(axis.labels(), ["1 M", "1000001"]);
        let values = vec!["1280".to_owned(), "1344".to_owned()];
        let name = "segments".into();
        assert_eq!(Axis { name, values }.labels(), ["1280", "1344"]);
    }
}
