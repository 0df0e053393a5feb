//! Selection of the points of a command.

use std::str::FromStr;

use glob::Pattern;
use text::Untrusted;

use crate::record::Point;

/// Points of some tasks, variants and axes; by default all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PointFilter {
    tasks: Vec<Pattern>,
    variants: Vec<Pattern>,
    axes: Vec<AxisValues>,
}

/// An axis with the selected values: `segments=24,1792`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AxisValues {
    name: String,
    values: Vec<String>,
}

/// Error of a filter.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the variants say what they hold")]
pub enum FilterError {
    /// Not a valid glob: the text, and the problem.
    #[error("invalid pattern {}: {problem}; use names, * and ?, such as block-*", text.quoted())]
    Pattern { text: String, problem: &'static str },
    /// Not an axis with values.
    #[error("{} is not of the form NAME=VALUE[,VALUE], such as segments=24,1792", .0.quoted())]
    Axis(String),
}

impl PointFilter {
    /// Selects points whose task and variant match one of the globs each, and that have one of the
    /// values on each axis. An empty list of globs matches everything.
    ///
    /// # Errors
    /// If a glob is not valid.
    pub fn new<T: AsRef<str>>(
        tasks: &[T],
        variants: &[T],
        axes: &[AxisValues],
    ) -> Result<Self, FilterError> {
        Ok(PointFilter {
            tasks: patterns(tasks)?,
            variants: patterns(variants)?,
            axes: axes.to_vec(),
        })
    }

    /// True if a point is selected.
    pub fn takes(&self, point: &Point) -> bool {
        any(&self.tasks, &point.algorithm)
            && any(&self.variants, &point.variant)
            && self.axes.iter().all(|axis| axis.takes(point))
    }

    /// True if all points are selected.
    pub fn is_all(&self) -> bool {
        *self == PointFilter::default()
    }
}

fn patterns<T: AsRef<str>>(globs: &[T]) -> Result<Vec<Pattern>, FilterError> {
    let pattern = |glob: &T| {
        let text = glob.as_ref();
        Pattern::new(text)
            .map_err(|error| FilterError::Pattern { text: text.to_owned(), problem: error.msg })
    };
    globs.iter().map(pattern).collect()
}

fn any(patterns: &[Pattern], name: &str) -> bool {
    patterns.is_empty() || patterns.iter().any(|pattern| pattern.matches(name))
}

impl AxisValues {
    fn takes(&self, point: &Point) -> bool {
        let threads = point.threads.to_string();
        let value = match self.name.as_str() {
            "device" => Some(point.device.as_str()),
            "threads" => Some(threads.as_str()),
            "places" => Some(point.cpu_sets.as_str()),
            "bind" => Some(point.bind.as_str()),
            "cache" => Some(point.cache.as_str()),
            name => point.params.get(name),
        };
        let is_meant = |value: &str| self.values.iter().any(|wanted| equal(wanted, value));
        value.is_some_and(is_meant)
    }
}

/// Compares values; they may be abbreviated as on a command line: `2M` for `2000000`.
fn equal(wanted: &str, value: &str) -> bool {
    wanted == value || number(wanted).is_some_and(|wanted| value.parse() == Ok(wanted))
}

/// A number, optionally in thousands, millions or thousands of millions.
fn number(text: &str) -> Option<f64> {
    let (digits, factor) = match text.char_indices().last()? {
        (end, 'k') => (&text[..end], 1e3),
        (end, 'M') => (&text[..end], 1e6),
        (end, 'G') => (&text[..end], 1e9),
        _ => (text, 1.0),
    };
    Some(digits.parse::<f64>().ok()? * factor)
}

impl FromStr for AxisValues {
    type Err = FilterError;

    fn from_str(text: &str) -> Result<Self, FilterError> {
        let wrong = || FilterError::Axis(text.to_owned());
        let (name, values) = text.split_once('=').ok_or_else(wrong)?;
        let values: Vec<String> = values.split(',').map(str::to_owned).collect();
        let is_whole = !name.is_empty() && values.iter().all(|value| !value.is_empty());
        let axis = AxisValues { name: name.to_owned(), values };
        if is_whole { Ok(axis) } else { Err(wrong()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charts::fixture::row;

    fn takes(tasks: &[&str], variants: &[&str], axes: &[&str]) -> bool {
        let axes: Result<Vec<AxisValues>, _> = axes.iter().map(|axis| axis.parse()).collect();
        let filter = PointFilter::new(tasks, variants, &axes.expect("axes"));
        let point = row("block-merge", "digis=2000000;order=time;window=1.5", 1.0).point();
        filter.expect("globs").takes(&point)
    }

    #[test]
    fn each_condition_counts_and_none_means_all() {
        assert!(takes(&[], &[], &[]) && PointFilter::default().is_all());
        assert!(takes(&["so*"], &["x", "block-*"], &["digis=1,2000000", "order=time"]));
        assert!(!takes(&["sts"], &[], &[]));
        assert!(!takes(&[], &["merge"], &[]));
        assert!(!takes(&[], &[], &["order=random"]));
        assert!(!takes(&[], &[], &["order=time", "digis=1"]));
        assert!(!takes(&[], &[], &["segments=24"]), "no such axis");
    }

    #[test]
    fn values_may_be_written_as_flags_are() {
        for axis in
            ["digis=2M", "digis=2000k", "window=1.50", "threads=2", "device=cpu", "cache=hot"]
        {
            assert!(takes(&[], &[], &[axis]), "{axis}");
        }
        assert!(!takes(&[], &[], &["digis=2"]));
        assert!(!takes(&[], &[], &["digis=M"]));
    }

    #[test]
    fn invalid_filters_are_reported() {
        for text in ["", "digis", "=2", "digis=", "digis=2,"] {
            let error = text.parse::<AxisValues>().expect_err(text).to_string();
            assert!(error.contains("NAME=VALUE"), "{error}");
        }
        let error = PointFilter::new(&["["], &[], &[]).expect_err("no glob").to_string();
        assert!(error.starts_with("invalid pattern \"[\""), "{error}");
    }
}
