//! Quality of the points of two runs: efficiencies, ghosts, residuals, judged by the limit for a
//! drop.
//!
//! Runs on the same data are compared part by part of these
//! ([`PairedParts`](statistics::PairedParts)): the same output gives the same counts, so that runs of
//! the same code raise no alarm. Runs on other data are compared by the interval of each.
//!
//! | module | does |
//! |---|---|
//! | `pair` | compares a metric in two runs |
//! | `verdict` | the result |

mod pair;
mod verdict;

pub use verdict::{QualityChange, QualitySide, QualityVerdict};

use std::collections::HashMap;

use statistics::critical_p_value;

use super::measured::{Measured, MeasuredPoint};
use super::{Key, Thresholds};
use crate::record::{Better, MetricRecord, QualityRow, Quantities};
use crate::units::counted;
use pair::Pair;

/// The axis of data that were read from a file.
const INPUT: &str = "input";

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

#[cfg(test)]
mod tests;
