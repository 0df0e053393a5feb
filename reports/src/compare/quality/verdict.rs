//! Verdicts on metrics of quality.

use std::fmt;

use serde::{Deserialize, Serialize};
use statistics::Interval;

use crate::compare::Key;
use crate::units;

/// Significant digits of values and differences.
const DIGITS: usize = 4;

/// A metric of quality of one point, judged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct QualityVerdict {
    /// The point.
    pub key: Key,
    /// The metric's name.
    pub metric: String,
    /// Its name in tables, with its unit.
    pub label: String,
    /// Its value in the base.
    pub base: QualitySide,
    /// Its value in the new run.
    pub new: QualitySide,
    /// Its worsening: of shares the difference, of others relative to the base. Negative
    /// if it became better; null if it is unknown.
    #[serde(deserialize_with = "crate::compare::nan_for_null")]
    pub worsening: f64,
    /// The 95 % interval of that, if there is one.
    #[cfg_attr(test, schemars(with = "Option<crate::schema::Interval>"))]
    pub interval: Option<Interval>,
    /// Two-sided p-value of "it changed by at most the limit".
    pub p_value: Option<f64>,
    /// True if both runs were compared part by part of the same data.
    pub paired: bool,
    /// The verdict.
    pub verdict: QualityChange,
    /// Reason of the verdict.
    pub reason: String,
}

/// Value of a metric in one run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct QualitySide {
    /// The value.
    pub value: f64,
    /// Its 95 % interval, if there is one.
    #[cfg_attr(test, schemars(with = "Option<crate::schema::Interval>"))]
    pub interval: Option<Interval>,
}

/// Verdict on a metric of quality.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "UPPERCASE")]
pub enum QualityChange {
    /// Worse by more than the limit.
    Worse,
    /// The counts allow no conclusion.
    Undecided,
    /// Better by more than the limit.
    Better,
    /// No change beyond the limit.
    Unchanged,
}

impl QualityChange {
    /// All verdicts, the most urgent first.
    pub const ALL: [QualityChange; 4] = [
        QualityChange::Worse,
        QualityChange::Undecided,
        QualityChange::Better,
        QualityChange::Unchanged,
    ];
}

impl fmt::Display for QualityChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            QualityChange::Worse => "WORSE",
            QualityChange::Undecided => "UNDECIDED",
            QualityChange::Better => "BETTER",
            QualityChange::Unchanged => "UNCHANGED",
        })
    }
}

impl QualityVerdict {
    /// The values of both runs, the change and its interval, as texts.
    pub fn values(&self) -> [String; 4] {
        let value = |value: f64| units::significant(value, DIGITS);
        let signed = |by: f64| {
            let sign = if by > 0.0 { "-" } else { "+" };
            if by == 0.0 {
                units::percent(0.0)
            } else {
                format!("{sign}{}", units::percent(by.abs()))
            }
        };
        let interval = self.interval.map_or(units::UNKNOWN.to_owned(), |interval| {
            format!("{} to {}", signed(interval.high), signed(interval.low))
        });
        let change = if self.worsening.is_nan() {
            units::UNKNOWN.to_owned()
        } else {
            signed(self.worsening)
        };
        [value(self.base.value), value(self.new.value), change, interval]
    }
}
