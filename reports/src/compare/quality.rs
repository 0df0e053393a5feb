//! Quality of the points of two runs: efficiencies, ghosts, residuals, judged by the limit for a
//! drop.
//!
//! Runs on the same data are compared part by part of these ([`PairedParts`]): the same output gives
//! the same counts, so that runs of the same code raise no alarm. Runs on other data are compared by
//! the interval of each.

use std::collections::HashMap;
use std::fmt;

use serde::{Deserialize, Serialize};
use statistics::{Difference, Interval, PairedParts, critical_p_value};

use super::measured::{Measured, MeasuredPoint};
use super::{Key, Thresholds};
use crate::record::{Better, MetricRecord, QualityRow, Quantities};
use crate::units::{self, counted};

/// The axis of data that were read from a file.
const INPUT: &str = "input";
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
    /// How much worse it became: of shares the difference, of others relative to the base. Negative
    /// if it became better; null if it is unknown.
    #[serde(deserialize_with = "super::nan_for_null")]
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

/// Qualities of the points of two runs.
#[derive(Debug, Default)]
pub(super) struct QualityComparison {
    /// Metrics that both runs have.
    pub verdicts: Vec<QualityVerdict>,
    /// Notes on what could not be compared, or not part by part.
    pub notes: Vec<String>,
}

/// Judges all metrics of quality that both runs have of a point.
pub(super) fn compare_quality(
    base: &Measured,
    new: &Measured,
    thresholds: &Thresholds,
) -> QualityComparison {
    let in_base: HashMap<&Key, &MeasuredPoint> =
        base.points.iter().map(|point| (&point.key, point)).collect();
    let quantities = new.record.quantities();
    let limit = thresholds.quality_drop;
    let mut verdicts = Vec::new();
    let mut one_sided = [0; 2];
    for point in &new.points {
        let Some(partner) = in_base.get(&point.key) else { continue };
        one_sided[0] += usize::from(point.quality.is_empty() && !partner.quality.is_empty());
        one_sided[1] += usize::from(!point.quality.is_empty() && partner.quality.is_empty());
        let same_data = have_same_data([base, new], [partner, point]);
        for row in &point.quality {
            let before = partner.quality.iter().find(|before| before.metric == row.metric);
            let declared = declared(&quantities, &point.key, row);
            let Some((before, declared)) = before.zip(declared) else { continue };
            let pair = Pair { declared, base: before, new: row, same_data };
            verdicts.push(pair.verdict(&point.key, limit));
        }
    }
    hold_back(&mut verdicts, thresholds.false_discovery);
    let unpaired = verdicts.iter().filter(|verdict| !verdict.paired).count();
    let notes = [note_of_one_sided(one_sided), note_of_unpaired(unpaired)];
    QualityComparison { verdicts, notes: notes.into_iter().flatten().collect() }
}

fn declared<'a>(
    quantities: &'a Quantities,
    key: &Key,
    row: &QualityRow,
) -> Option<&'a MetricRecord> {
    let declared = quantities.metrics.get(&key.point.algorithm, &row.metric)?;
    (declared.better != Better::Neutral).then_some(declared)
}

/// True if a point had the same data in both runs: those of the same seed, or of the same files.
fn have_same_data([a, b]: [&Measured; 2], [in_a, in_b]: [&MeasuredPoint; 2]) -> bool {
    let is_from_file = in_b.key.point.params.get(INPUT).is_some();
    let same_source = if is_from_file {
        a.record.inputs == b.record.inputs
    } else {
        a.record.seed == b.record.seed
    };
    same_source && in_a.items == in_b.items
}

fn note_of_one_sided([base, new]: [usize; 2]) -> Option<String> {
    let side = |count: usize, run: &str| {
        (count > 0).then(|| format!("of {} is known in the {run} only", counted(count, "point")))
    };
    let sides: Vec<String> =
        [side(base, "base"), side(new, "new run")].into_iter().flatten().collect();
    (!sides.is_empty()).then(|| {
        format!("the quality {}: earlier versions kept no counts of it", sides.join(", and that "))
    })
}

fn note_of_unpaired(count: usize) -> Option<String> {
    (count > 0).then(|| {
        format!(
            "{} of quality compared without pairs, because the data differ: measure both runs with \
             the same seed and parameters to find smaller changes",
            counted(count, "metric")
        )
    })
}

/// A metric of a point in both runs.
struct Pair<'a> {
    declared: &'a MetricRecord,
    base: &'a QualityRow,
    new: &'a QualityRow,
    same_data: bool,
}

impl Pair<'_> {
    fn verdict(&self, key: &Key, limit: f64) -> QualityVerdict {
        let side = |row: &QualityRow| QualitySide { value: row.value, interval: row.bounds() };
        let MetricRecord { unit, label, .. } = self.declared;
        let judged = self.judged();
        let judged = match judged {
            Judged::Found { difference, .. } if !self.is_share() => match self.scale() {
                Some(scale) => judged.with(difference.over(scale)),
                None => {
                    Judged::Open("the base is 0, so that there is no relative change".to_owned())
                }
            },
            judged => judged,
        };
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
        match judged {
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

    /// How much worse the metric became, in its own unit.
    fn judged(&self) -> Judged {
        let found = if self.same_data {
            PairedParts::new(self.new.items(), &self.base.parts.0, &self.new.parts.0)
        } else {
            PairedParts::Unpaired
        };
        match found {
            PairedParts::Identical => Judged::Identical,
            PairedParts::Differ(difference) => {
                Judged::Found { difference: self.worsening(difference), paired: true }
            }
            PairedParts::TooFew { parts, .. } => Judged::Open(format!(
                "{} of the data {}: too few for an interval",
                counted(parts, "part"),
                if parts == 1 { "differs" } else { "differ" }
            )),
            PairedParts::Unpaired => match (self.base.bounds(), self.new.bounds()) {
                (Some(base), Some(new)) => {
                    let difference =
                        Difference::unpaired((self.base.value, base), (self.new.value, new));
                    Judged::Found { difference: self.worsening(difference), paired: false }
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

    /// What a relative change refers to.
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

impl Judged {
    fn with(self, difference: Difference) -> Self {
        match self {
            Judged::Found { paired, .. } => Judged::Found { difference, paired },
            other => other,
        }
    }
}

/// Withdraws the changes that are expected by chance among all metrics.
fn hold_back(verdicts: &mut [QualityVerdict], false_discovery: f64) {
    let is_change = |verdict: &QualityVerdict| {
        matches!(verdict.verdict, QualityChange::Worse | QualityChange::Better)
    };
    let p_values: Vec<f64> = verdicts
        .iter()
        .map(|verdict| verdict.p_value.filter(|_| is_change(verdict)).unwrap_or(1.0))
        .collect();
    let critical = critical_p_value(&p_values, false_discovery).unwrap_or(-1.0);
    let metrics = verdicts.len();
    for (verdict, p) in verdicts.iter_mut().zip(p_values) {
        if is_change(verdict) && p > critical {
            verdict.verdict = QualityChange::Undecided;
            verdict.reason = format!(
                "{}, which may be chance among {}",
                verdict.reason,
                counted(metrics, "metric")
            );
        }
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use statistics::Part;
    use statistics::synthetic::Noise;

    use super::*;
    use crate::charts::fixture::{row, run};
    use crate::rank::TOTAL;
    use crate::record::{About, FigureKind, Params, Parts, RunRecord};

    fn metric(better: Better, unit: &str, ideal: Option<f64>) -> MetricRecord {
        let label = "figure".to_owned();
        let unit = unit.to_owned();
        MetricRecord {
            label,
            unit,
            better,
            ideal,
            about: About::Quality,
            ..MetricRecord::default()
        }
    }

    /// A run with a point of one metric.
    fn measured(started: &str, figure: QualityRow, metric: &MetricRecord) -> Measured {
        let point = MeasuredPoint {
            key: Key::new(row("a", "n=1", 1.0).point(), TOTAL),
            fingerprint: "code:1".into(),
            metrics: Params::default(),
            samples: Err("not needed".into()),
            energy: None,
            items: 10,
            quality: vec![figure],
        };
        Measured {
            folder: started.into(),
            record: RunRecord {
                started: started.into(),
                metrics: BTreeMap::from([("figure".into(), metric.clone())]),
                ..run()
            },
            points: vec![point],
            clock_mhz: BTreeMap::new(),
        }
    }

    fn figure(kind: FigureKind, value: f64, parts: Vec<Part>) -> QualityRow {
        let point = row("a", "n=1", 1.0).point();
        QualityRow::new(&point, "figure", kind, value, Parts(parts))
    }

    fn share(passed: &[f64]) -> QualityRow {
        let parts: Vec<Part> = passed.iter().map(|&sum| Part { sum, count: 1000.0 }).collect();
        let value = passed.iter().sum::<f64>() / (1000.0 * passed.len() as f64);
        figure(FigureKind::Share, value, parts)
    }

    fn judged(base: &Measured, new: &Measured, quality_drop: f64) -> QualityVerdict {
        let thresholds = Thresholds { quality_drop, ..Thresholds::default() };
        compare_quality(base, new, &thresholds).verdicts.remove(0)
    }

    #[test]
    fn a_loss_of_half_a_per_cent_is_worse_and_its_opposite_better() {
        let higher = metric(Better::Higher, "", None);
        let full = measured("1", share(&[900.0; 40]), &higher);
        let less: Vec<f64> = (0..40).map(|n| 894.0 + f64::from(n % 3)).collect();
        let less = measured("2", share(&less), &higher);
        let lost = judged(&full, &less, 0.001);
        assert_eq!(lost.verdict, QualityChange::Worse, "{lost:?}");
        assert!(lost.paired && (lost.worsening - 0.005).abs() < 2e-4, "{lost:?}");
        assert!(lost.reason.starts_with("worse by 0.50 % points, the limit is 0.10 %"), "{lost:?}");
        assert_eq!(lost.values()[..3], ["0.9000", "0.8950", "-0.50 %"]);
        assert_eq!(judged(&less, &full, 0.001).verdict, QualityChange::Better);
        assert_eq!(judged(&full, &less, 0.02).verdict, QualityChange::Unchanged);
        let lower = metric(Better::Lower, "", None);
        let [full, less] = [full, less].map(|mut run| {
            run.record.metrics.insert("figure".into(), lower.clone());
            run
        });
        assert_eq!(judged(&less, &full, 0.001).verdict, QualityChange::Worse);
    }

    #[test]
    fn equal_counts_are_unchanged_for_any_limit() {
        let higher = metric(Better::Higher, "", None);
        let mut noise = Noise::new(1);
        for _ in 0..20 {
            let passed: Vec<f64> = (0..30).map(|_| (900.0 * noise.uniform()).floor()).collect();
            let [base, new] = ["1", "2"].map(|run| measured(run, share(&passed), &higher));
            for limit in [0.0, 0.001] {
                assert_eq!(judged(&base, &new, limit).verdict, QualityChange::Unchanged);
            }
        }
    }

    #[test]
    fn other_data_are_compared_without_pairs_and_a_note_says_so() {
        let higher = metric(Better::Higher, "", None);
        let base = measured("1", share(&[900.0; 40]), &higher);
        let mut new = measured("2", share(&[895.0; 40]), &higher);
        new.record.seed += 1;
        let found = compare_quality(&base, &new, &Thresholds::default());
        assert_eq!(found.verdicts[0].verdict, QualityChange::Undecided);
        assert!(!found.verdicts[0].paired);
        assert!(found.notes[0].starts_with("1 metric of quality compared without pairs"));
        let much_less = measured("3", share(&[800.0; 40]), &higher);
        let other = Measured { record: new.record.clone(), ..much_less };
        assert_eq!(judged(&base, &other, 0.001).verdict, QualityChange::Worse);
        new.points[0].items = 11;
        new.record.seed = base.record.seed;
        assert!(!judged(&base, &new, 0.001).paired, "another number of items");
    }

    #[test]
    fn widths_are_compared_relative_to_the_base_and_pulls_by_their_distance_from_one() {
        let width = |value: f64| {
            let parts = (0..20).map(|n| {
                let count = f64::from(100 + n);
                Part { sum: value * count, count }
            });
            figure(FigureKind::Width, value, parts.collect())
        };
        let of = |better, unit, ideal, base: f64, new: f64| {
            let metric = metric(better, unit, ideal);
            judged(&measured("1", width(base), &metric), &measured("2", width(new), &metric), 0.01)
        };
        let wider = of(Better::Lower, "µm", None, 20.0, 21.0);
        assert_eq!(wider.verdict, QualityChange::Worse);
        assert!((wider.worsening - 0.05).abs() < 1e-9, "{wider:?}");
        assert_eq!(wider.label, "figure [µm]");
        assert!(wider.reason.contains("of the base"));
        let pull = |base, new| of(Better::Near, "", Some(1.0), base, new);
        assert_eq!(pull(1.2, 1.3).verdict, QualityChange::Worse);
        assert_eq!(pull(0.8, 0.7).verdict, QualityChange::Worse);
        assert_eq!(pull(0.8, 0.9).verdict, QualityChange::Better);
        let across = pull(0.9, 1.3);
        assert!((across.worsening - 0.2).abs() < 1e-9, "{across:?}");
        let back = pull(1.3, 0.9);
        assert!((back.worsening + 0.2).abs() < 1e-9, "{back:?}");
        assert_eq!(of(Better::Lower, "µm", None, 0.0, 1.0).verdict, QualityChange::Undecided);
    }

    #[test]
    fn qualities_of_one_run_only_are_noted() {
        let higher = metric(Better::Higher, "", None);
        let base = measured("1", share(&[900.0]), &higher);
        let mut without = base.clone();
        without.points[0].quality.clear();
        let found = compare_quality(&without, &base, &Thresholds::default());
        assert!(found.verdicts.is_empty());
        assert_eq!(
            found.notes,
            [
                "the quality of 1 point is known in the new run only: earlier versions kept no counts \
              of it"
            ]
        );
    }

    #[test]
    fn a_weak_change_among_many_metrics_is_withdrawn() {
        let higher = metric(Better::Higher, "", None);
        let verdict = |p: f64, verdict| QualityVerdict {
            p_value: Some(p),
            verdict,
            ..judged(
                &measured("1", share(&[1.0]), &higher),
                &measured("2", share(&[1.0]), &higher),
                0.0,
            )
        };
        let mut all = vec![verdict(1.0, QualityChange::Unchanged); 99];
        all.push(verdict(0.01, QualityChange::Worse));
        hold_back(&mut all, 0.02);
        assert_eq!(all[99].verdict, QualityChange::Undecided);
        assert!(all[99].reason.ends_with("chance among 100 metrics"));
        let mut few = vec![verdict(1e-6, QualityChange::Worse)];
        hold_back(&mut few, 0.02);
        assert_eq!(few[0].verdict, QualityChange::Worse);
    }
}
