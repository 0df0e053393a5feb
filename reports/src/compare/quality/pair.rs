//! Comparison of a metric of quality in two runs.

use statistics::{Difference, Interval, PairedParts};

use super::{QualityChange, QualitySide, QualityVerdict};
use crate::compare::Key;
use crate::record::{Better, MetricRecord, QualityRow};
use crate::units::{self, counted};

/// A metric of a point in both runs.
pub(super) struct Pair<'a> {
    pub(super) declared: &'a MetricRecord,
    pub(super) base: &'a QualityRow,
    pub(super) new: &'a QualityRow,
    /// True if both runs had the same data.
    pub(super) same_data: bool,
}

impl Pair<'_> {
    /// The verdict for a limit.
    pub(super) fn verdict(&self, key: &Key, limit: f64) -> QualityVerdict {
        let side = |row: &QualityRow| QualitySide { value: row.value, interval: row.bounds() };
        let MetricRecord { unit, label, .. } = self.declared;
        let verdict = QualityVerdict {
            key: key.clone(),
            metric: self.new.metric.clone(),
            label: if unit.is_empty() { label.clone() } else { format!("{label} [{unit}]") },
            base: side(self.base),
            new: side(self.new),
            worsening: f64::NAN,
            interval: None,
            p_value: None,
            paired: self.same_data,
            verdict: QualityChange::Undecided,
            reason: String::new(),
        };
        match self.judged() {
            Judged::Identical => QualityVerdict {
                worsening: 0.0,
                interval: Some(Interval { low: 0.0, high: 0.0 }),
                paired: true,
                verdict: QualityChange::Unchanged,
                reason: "the same counts in all parts of the data".to_owned(),
                ..verdict
            },
            Judged::Open(reason) => QualityVerdict { reason, ..verdict },
            Judged::Found { difference, paired } => {
                let (change, why) = self.by_limit(&difference, limit);
                QualityVerdict {
                    worsening: difference.value,
                    interval: Some(difference.interval),
                    p_value: Some(difference.p_value(limit)),
                    paired,
                    verdict: change,
                    reason: why,
                    ..verdict
                }
            }
        }
    }

    /// Worsening of the metric: of shares the difference, of others relative to the base.
    fn judged(&self) -> Judged {
        let found = if self.same_data {
            PairedParts::new(self.new.items(), &self.base.parts.0, &self.new.parts.0)
        } else {
            PairedParts::Unpaired
        };
        match found {
            PairedParts::Identical => Judged::Identical,
            PairedParts::Differ(difference) => self.found(difference, true),
            PairedParts::TooFew { parts, .. } => Judged::Open(format!(
                "{} of the data {}: too few for an interval",
                counted(parts, "part"),
                if parts == 1 { "differs" } else { "differ" }
            )),
            PairedParts::Unpaired => match (self.base.bounds(), self.new.bounds()) {
                (Some(base), Some(new)) => {
                    let difference =
                        Difference::unpaired((self.base.value, base), (self.new.value, new));
                    self.found(difference, false)
                }
                (None, _) => {
                    Judged::Open(format!("no interval in the base: {}", self.base.interval))
                }
                (_, None) => {
                    Judged::Open(format!("no interval in the new run: {}", self.new.interval))
                }
            },
        }
    }

    fn found(&self, difference: Difference, paired: bool) -> Judged {
        let worsening = self.worsening(difference);
        if self.is_share() {
            return Judged::Found { difference: worsening, paired };
        }
        match self.scale() {
            Some(scale) => Judged::Found { difference: worsening.over(scale), paired },
            None => Judged::Open("the base is 0, so that there is no relative change".to_owned()),
        }
    }

    /// Worsening in the metric's own unit.
    fn worsening(&self, difference: Difference) -> Difference {
        match self.declared.better {
            Better::Higher => difference.negative(),
            Better::Lower | Better::Neutral => difference,
            Better::Near => {
                let ideal = self.declared.ideal.unwrap_or_default();
                let before = self.base.value - ideal;
                let is_above = self.new.value >= ideal;
                let turned = if is_above { difference } else { difference.negative() };
                if is_above == (before >= 0.0) {
                    return turned;
                }
                // From one side of the ideal to the other: the distance before is on the way, too.
                turned.plus(-2.0 * before.abs())
            }
        }
    }

    fn is_share(&self) -> bool {
        self.declared.unit.is_empty() && self.declared.better != Better::Near
    }

    /// Value that a relative change refers to.
    fn scale(&self) -> Option<f64> {
        let scale = match self.declared.better {
            Better::Near => self.declared.ideal?.abs(),
            _ => self.base.value.abs(),
        };
        (scale > 0.0).then_some(scale)
    }

    fn by_limit(&self, worse: &Difference, limit: f64) -> (QualityChange, String) {
        let Interval { low, high } = worse.interval;
        let unit = if self.is_share() { "points" } else { "of the base" };
        let size = |by: f64| units::percent(by.abs());
        let limit_words = size(limit);
        if low > limit {
            let words =
                format!("worse by {} {unit}, the limit is {limit_words}", size(worse.value));
            (QualityChange::Worse, words)
        } else if high < -limit {
            (QualityChange::Better, format!("better by {} {unit}", size(worse.value)))
        } else if low >= -limit && high <= limit {
            (QualityChange::Unchanged, format!("within {limit_words} {unit}"))
        } else {
            let words = format!(
                "between {} better and {} worse, the limit is {limit_words}; measure more events",
                size(low.min(0.0)),
                size(high.max(0.0))
            );
            (QualityChange::Undecided, words)
        }
    }
}

/// Result of a comparison.
enum Judged {
    Identical,
    Found {
        difference: Difference,
        paired: bool,
    },
    /// No interval, for this reason.
    Open(String),
}
