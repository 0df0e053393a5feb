//! Rows of `quality.csv`: metrics of quality with their intervals, and the counts that two runs of
//! the same data are compared by.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use statistics::{Interval, Items, MIN_PARTS, Part, binomial_interval, bootstrap_interval};
use text::Untrusted;

use super::Point;
use crate::units::counted;

/// A metric of quality of a point.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct QualityRow {
    /// See [`Point::id`].
    pub point_id: String,
    /// The subcommand's name.
    pub algorithm: String,
    /// The variant's name.
    pub variant: String,
    /// The metric's name.
    pub metric: String,
    /// Relation of the value to the parts.
    pub kind: FigureKind,
    /// The value.
    pub value: f64,
    /// Lower end of the 95 % interval; empty without an interval.
    pub low: Option<f64>,
    /// Upper end of the 95 % interval; empty without an interval.
    pub high: Option<f64>,
    /// Source of the interval, or the reason why there is none.
    pub interval: String,
    /// Sum and number of items of each part of the data, in an order that only the data determine:
    /// `12/13 5/5`.
    pub parts: Parts,
}

/// Relation of a value to its parts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum FigureKind {
    /// Passed items over all items.
    Share,
    /// Sum of a property of items over their number.
    #[default]
    Mean,
    /// Width of a distribution; sums are widths of parts times their numbers of items.
    Width,
}

/// Sums and numbers of items of the parts of a run's data.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(with = "String"))]
#[serde(try_from = "String", into = "String")]
pub struct Parts(pub Vec<Part>);

/// A part that is not `SUM/COUNT`.
#[derive(Debug, thiserror::Error)]
#[error("{} is not a sum and a count, such as 12/13", .0.quoted())]
pub struct InvalidPart(String);

impl fmt::Display for Parts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, Part { sum, count }) in self.0.iter().enumerate() {
            let separator = if index == 0 { "" } else { " " };
            write!(f, "{separator}{sum}/{count}")?;
        }
        Ok(())
    }
}

impl From<Parts> for String {
    fn from(parts: Parts) -> Self {
        parts.to_string()
    }
}

impl TryFrom<String> for Parts {
    type Error = InvalidPart;

    fn try_from(text: String) -> Result<Self, InvalidPart> {
        text.parse()
    }
}

impl FromStr for Parts {
    type Err = InvalidPart;

    fn from_str(text: &str) -> Result<Self, InvalidPart> {
        let part = |word: &str| {
            let numbers = word.split_once('/').and_then(|(sum, count)| {
                let part = Part { sum: sum.parse().ok()?, count: count.parse().ok()? };
                (part.sum.is_finite() && part.count.is_finite() && part.count >= 0.0)
                    .then_some(part)
            });
            numbers.ok_or_else(|| InvalidPart(word.to_owned()))
        };
        Ok(Parts(text.split_whitespace().map(part).collect::<Result<_, _>>()?))
    }
}

impl QualityRow {
    /// The row of a metric, with its interval.
    pub fn new(point: &Point, metric: &str, kind: FigureKind, value: f64, parts: Parts) -> Self {
        let (interval, source) = interval(kind, value, &parts.0);
        QualityRow {
            point_id: point.id(),
            algorithm: point.algorithm.clone(),
            variant: point.variant.clone(),
            metric: metric.to_owned(),
            kind,
            value,
            low: interval.map(|interval| interval.low),
            high: interval.map(|interval| interval.high),
            interval: source,
            parts,
        }
    }

    /// The 95 % interval of the value, if there is one.
    pub fn bounds(&self) -> Option<Interval> {
        Some(Interval { low: self.low?, high: self.high? })
    }

    /// Kind of the items of its parts.
    pub(crate) fn items(&self) -> Items {
        match self.kind {
            FigureKind::Share => Items::PassOrFail,
            FigureKind::Mean | FigureKind::Width => Items::Numbers,
        }
    }
}

/// The interval of a value, and its source or the reason why there is none.
fn interval(kind: FigureKind, value: f64, parts: &[Part]) -> (Option<Interval>, String) {
    if parts.is_empty() {
        return (None, "none: the task gives no counts".to_owned());
    }
    let filled = parts.iter().filter(|part| part.count > 0.0).count();
    let bootstrap = || format!("bootstrap over {}", counted(filled, "part"));
    let (found, source) = match kind {
        FigureKind::Share => (binomial_interval(parts), "binomial".to_owned()),
        FigureKind::Mean => (bootstrap_interval(parts), bootstrap()),
        FigureKind::Width => (width_interval(value, parts), bootstrap()),
    };
    match found {
        Some(_) => (found, source),
        None => (None, format!("none: {}, {MIN_PARTS} are needed", counted(filled, "part"))),
    }
}

/// The interval of the mean width of parts, about the width of all: parts are narrower.
fn width_interval(value: f64, parts: &[Part]) -> Option<Interval> {
    let mean = parts.iter().map(|part| part.sum).sum::<f64>()
        / parts.iter().map(|part| part.count).sum::<f64>();
    let found = bootstrap_interval(parts)?;
    if mean > 0.0 { Some(found.times(value / mean)) } else { Some(found) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(kind: FigureKind, value: f64, parts: &str) -> QualityRow {
        let parts = parts.parse().expect("parts");
        QualityRow::new(&Point::default(), "efficiency", kind, value, parts)
    }

    #[test]
    fn parts_are_read_as_written_and_others_refused() {
        for text in ["", "12/13 0/0 5/5", "0.1/3 2.5/7"] {
            assert_eq!(text.parse::<Parts>().expect("parts").to_string(), text);
        }
        for text in ["12", "a/3", "1/-2", "NaN/1", "1/inf", "1/2/3"] {
            let error = text.parse::<Parts>().expect_err(text).to_string();
            assert!(error.contains("not a sum and a count"), "{error}");
        }
    }

    #[test]
    fn the_interval_fits_the_kind_and_its_lack_is_explained() {
        let share = row(FigureKind::Share, 0.5, "50/100");
        assert_eq!(share.interval, "binomial");
        assert!(share.low.is_some_and(|low| (low - 0.4038).abs() < 1e-3));
        let mean = row(FigureKind::Mean, 1.5, "1/1 2/1 1/1 2/1 1/1 2/1 0/0");
        assert_eq!(mean.interval, "bootstrap over 6 parts");
        let width = row(FigureKind::Width, 3.0, "1/1 2/1 1/1 2/1 1/1 2/1");
        assert_eq!(width.low.zip(mean.low).map(|(a, b)| a / b), Some(2.0));
        let one = row(FigureKind::Mean, 1.5, "15/10");
        assert_eq!((one.bounds(), one.interval.as_str()), (None, "none: 1 part, 6 are needed"));
        let unknown = row(FigureKind::Share, 0.5, "");
        assert_eq!(unknown.interval, "none: the task gives no counts");
    }
}
