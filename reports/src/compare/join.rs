//! Joins two runs by their points and judges each pair.
//!
//! Requested points without a verdict are found, too: a comparison that passes without them has
//! compared less than it seems.

use std::collections::HashMap;

use rayon::prelude::*;
use statistics::Series;
use text::Untrusted;

use super::advice::Advice;
use super::downgrade::{Family, hold_back};
use super::energy::compare_energy;
use super::judge::{CompareOptions, Judgement, judge, judge_rounds};
use super::measured::{CompareError, Measured, MeasuredPoint, RunConditions, Samples};
use super::quality::compare_quality;
use super::rounds::JUDGED;
use super::words::{self, PointReport};
use super::{
    Comparison, Key, NEW, NOT_MEASURED, PointVerdict, RETIRED, RunName, Side, Thresholds,
    Unmatched, Verdict, render,
};
use crate::rank::TOTAL;
use crate::record::{Code, RunRecord, SMALL_NOTE};
use crate::{aliases, units};

/// A point that both runs have, judged.
struct Pair<'a> {
    base: &'a MeasuredPoint,
    new: &'a MeasuredPoint,
    code: Code,
    /// The samples of both sides by which it was judged.
    series: [&'a Series; 2],
    judgement: Judgement,
}

/// Compares a run with an earlier one.
///
/// # Errors
/// If both are the same run, if the machines differ and that was not allowed, or if they have no
/// point in common.
pub fn compare(
    base: &Measured,
    new: &Measured,
    options: &CompareOptions,
) -> Result<Comparison, CompareError> {
    if base.is_same_run_as(new) {
        return Err(CompareError::same_run([base, new]));
    }
    if base.record.machine_key != new.record.machine_key && !options.across_machines {
        return Err(CompareError::machines([base, new]));
    }
    let is_paired = base.is_paired_with(new);
    let in_base = by_key(base, is_paired);
    let in_new = by_key(new, is_paired);
    let conditions = RunConditions::new(base, new);
    let points: Vec<_> = judged_points(new, is_paired).collect();
    let other_gpu = |key: &Key| other_gpu([base, new], key).filter(|_| !options.across_machines);
    let pairs = points.into_par_iter().filter_map(|point| {
        let partner = in_base.get(&point.key).filter(|_| other_gpu(&point.key).is_none())?;
        Pair::judged(partner, point, is_paired, conditions, options)
    });
    let mut pairs: Vec<Pair<'_>> = pairs.collect();
    if pairs.is_empty() {
        let elsewhere = judged_points(new, is_paired)
            .any(|point| in_base.contains_key(&point.key) && other_gpu(&point.key).is_some());
        let of_unlike =
            if elsewhere { CompareError::machines } else { CompareError::nothing_in_common };
        return Err(of_unlike([base, new]));
    }
    let judged = pairs.iter_mut().map(|pair| (pair.is_whole(), &mut pair.judgement));
    let family = hold_back(&mut judged.collect::<Vec<_>>(), &options.thresholds);
    let base_name = name(base);
    let new_name = name(new);
    let advice = Advice::new(&base_name.folder, new, &options.flags);
    let points = pairs.iter().map(|pair| pair.verdict(family(pair.is_whole()), options, &advice));
    let energy = compare_energy(base, new, &options.thresholds, |key| other_gpu(key).is_some());
    let quality = compare_quality(base, new, &options.thresholds);
    Ok(Comparison {
        points: points.collect(),
        quality: quality.verdicts,
        energy: energy.verdicts,
        only_base: unmatched(judged_points(base, is_paired), &in_new, NOT_MEASURED, other_gpu),
        only_new: unmatched(judged_points(new, is_paired), &in_base, NEW, other_gpu),
        asked_alike: asked_alike(base, new),
        aslr: super::notes::randomised([base, new]),
        notes: [
            small_runs(base, new),
            super::notes::notes(base, new, options),
            Vec::from_iter(energy.note),
            quality.notes,
        ]
        .concat(),
        thresholds: options.thresholds,
        base: base_name,
        new: new_name,
        gate: None,
    })
}

impl<'a> Pair<'a> {
    /// Judges a pair; `None` if one side has no samples.
    fn judged(
        base: &'a MeasuredPoint,
        new: &'a MeasuredPoint,
        is_paired: bool,
        conditions: RunConditions,
        options: &CompareOptions,
    ) -> Option<Self> {
        let of_base = base.samples.as_ref().ok()?;
        let of_new = new.samples.as_ref().ok()?;
        let code = Code::from_fingerprints(&base.fingerprint, &new.fingerprint);
        let limits = &options.thresholds;
        let (judgement, series) = if is_paired {
            let judgement = judge_rounds(of_base, of_new, limits);
            let is_moved = conditions.rebuilt && code == Code::Same;
            let judgement = if is_moved { judgement.of_the_same_code() } else { judgement };
            (judgement, [&of_base.all, &of_new.all])
        } else {
            let (judgement, series) = judged_alike(of_base, of_new, limits);
            let judgement = match &options.scatter {
                Some(scatter) => judgement.of_runs_that_differ(scatter.for_key(&new.key), limits),
                None => judgement,
            };
            (judgement.under(conditions), series)
        };
        Some(Pair { base, new, code, series, judgement })
    }

    /// True if it is a complete run, not a part of one.
    fn is_whole(&self) -> bool {
        self.new.key.stage == TOTAL
    }

    fn verdict(
        &self,
        family: Family,
        options: &CompareOptions,
        advice: &Advice<'_>,
    ) -> PointVerdict {
        let Pair { base, new, code, series, judgement } = self;
        let side = |point: &MeasuredPoint, series: &Series| Side {
            samples: series.samples(),
            median_s: series.median(),
            fingerprint: point.fingerprint.clone(),
        };
        let found = PointReport {
            judgement,
            code: *code,
            family,
            counters: words::counter_changes(&base.metrics, &new.metrics),
            thresholds: &options.thresholds,
            quantity: "time",
        };
        let steps = found.next(&new.key, advice);
        let mut commands = steps.commands.into_iter();
        PointVerdict {
            key: new.key.clone(),
            base: side(base, series[0]),
            new: side(new, series[1]),
            ratio: judgement.estimate.ratio,
            interval: judgement.estimate.interval,
            p_value: judgement.p_value,
            p_change: judgement.p_change,
            resolution: judgement.estimate.resolution(),
            detectable: found.detectable(),
            verdict: judgement.verdict,
            code: *code,
            reason: found.reason(),
            next: commands.next(),
            then: commands.next(),
            hint: steps.hint.map(str::to_owned),
        }
    }
}

/// Selects the undisturbed samples if both sides have enough, else all: quiet samples of one run
/// can't be compared with disturbed ones of the other.
fn judged_alike<'a>(
    base: &'a Samples,
    new: &'a Samples,
    thresholds: &Thresholds,
) -> (Judgement, [&'a Series; 2]) {
    if let (Some(base), Some(new)) = (&base.quiet, &new.quiet) {
        return (judge(base, new, thresholds), [base, new]);
    }
    let judgement = judge(&base.all, &new.all, thresholds);
    let doubtful = base.is_doubtful() || new.is_doubtful();
    let judgement = if doubtful { judgement.downgraded() } else { judgement };
    (judgement, [&base.all, &new.all])
}

/// The points of a run by key.
type ByKey<'a> = HashMap<&'a Key, &'a MeasuredPoint>;

fn by_key(run: &Measured, is_paired: bool) -> ByKey<'_> {
    judged_points(run, is_paired).map(|point| (&point.key, point)).collect()
}

/// The points and stages that are judged.
fn judged_points(run: &Measured, is_paired: bool) -> impl Iterator<Item = &MeasuredPoint> {
    let is_judged = move |point: &&MeasuredPoint| JUDGED.contains(&point.key.stage.as_str());
    run.points.iter().filter(move |point| !is_paired || is_judged(point))
}

/// Reason if a point was measured on different GPUs in two runs; `None` if they are of one model.
fn other_gpu(runs: [&Measured; 2], key: &Key) -> Option<String> {
    let [base, new] = runs.map(|run| run.record.gpu_model(&key.point.device));
    let (base, new) = base.zip(new).filter(|(base, new)| base != new)?;
    Some(format!(
        "measured on another GPU: {} in the base, {} in the new run",
        base.escaped(),
        new.escaped()
    ))
}

/// The points of a run without a partner with samples in the other one, on a GPU of that model.
fn unmatched<'a>(
    points: impl Iterator<Item = &'a MeasuredPoint>,
    partners: &ByKey<'_>,
    alone: &str,
    other_gpu: impl Fn(&Key) -> Option<String>,
) -> Vec<Unmatched> {
    let lonely = |point: &MeasuredPoint| {
        point.samples.as_ref().ok()?;
        let reason = match partners.get(&point.key) {
            None if alone == NOT_MEASURED && is_retired(point) => RETIRED.to_owned(),
            None => alone.to_owned(),
            Some(partner) => {
                partner.samples.as_ref().err().cloned().or_else(|| other_gpu(&point.key))?
            }
        };
        let key = point.key.clone();
        Some(Unmatched { key, reason })
    };
    points.filter_map(lonely).collect()
}

fn is_retired(point: &MeasuredPoint) -> bool {
    aliases::find_retired(&point.key.point).is_some()
}

/// A note for each run whose times say nothing.
fn small_runs(base: &Measured, new: &Measured) -> Vec<String> {
    let runs = [("base", base), ("new run", new)].into_iter();
    let small = runs.filter(|(_, run)| run.record.is_small());
    small.map(|(name, _)| format!("the {name}: {SMALL_NOTE}")).collect()
}

fn name(run: &Measured) -> RunName {
    RunName {
        folder: run.folder.to_string_lossy().into_owned(),
        started: run.record.started.clone(),
        git_commit: run.record.software.git_commit.clone(),
        machine_key: run.record.machine_key.clone(),
        cpu_model: run.record.machine.cpu_model.clone(),
    }
}

/// Stages of complete runs: other stages may appear and disappear with their names.
const WHOLE: [&str; 2] = [TOTAL, "sample"];

/// Maximum number of points named in a sentence.
const NAMED: usize = 5;

/// A point without a verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unjudged<'a> {
    /// The point.
    pub key: &'a Key,
    /// Reason why it has no verdict.
    pub reason: &'a str,
}

impl Comparison {
    /// The points without a verdict: samples without an interval, points with a result on one side
    /// only, and missing points. Wrong outputs are in [`Comparison::wrong`]; new points have no
    /// counterpart.
    pub fn unjudged(&self) -> Vec<Unjudged<'_>> {
        let without_interval = self
            .points
            .iter()
            .filter(|point| point.interval.is_none() && point.verdict == Verdict::Inconclusive);
        let without_interval =
            without_interval.map(|point| Unjudged { key: &point.key, reason: &point.reason });
        let lost = self.only_base.iter().filter(|point| {
            let is_gone = point.reason == NOT_MEASURED && !self.asked_alike;
            !point.is_wrong() && point.reason != RETIRED && !is_gone
        });
        let without_base = self.only_new.iter().filter(|point| point.reason != NEW);
        let one_sided = lost.chain(without_base);
        let one_sided = one_sided.map(|point| Unjudged { key: &point.key, reason: &point.reason });
        let all = without_interval.chain(one_sided);
        all.filter(|point| WHOLE.contains(&point.key.stage.as_str())).collect()
    }

    /// Number of points without a verdict, with some names; `None` if all have one.
    pub fn unjudged_words(&self) -> Option<String> {
        let unjudged = self.unjudged();
        let names = unjudged.iter().take(NAMED).map(|point| render::words(point.key));
        let names = names.collect::<Vec<_>>().join("; ");
        let more = match unjudged.len().saturating_sub(NAMED) {
            0 => String::new(),
            more => format!("; and {more} more"),
        };
        let count = units::counted(unjudged.len(), "point");
        (!unjudged.is_empty()).then(|| format!("not judged: {count}: {names}{more}"))
    }
}

/// True if two runs were requested with the same points, so that points of only one of them are
/// missing in the other: runs of one suite, or of one command.
pub(super) fn asked_alike(base: &Measured, new: &Measured) -> bool {
    match (&base.record.suite, &new.record.suite) {
        (Some(base), Some(new)) => (&base.name, base.shard) == (&new.name, new.shard),
        (None, None) => asked(&base.record).eq(asked(&new.record)),
        _ => false,
    }
}

/// The arguments of a command that select points: neither the program nor the run folder.
fn asked(record: &RunRecord) -> impl Iterator<Item = &str> {
    let mut words = record.command.iter().skip(1).map(String::as_str);
    std::iter::from_fn(move || {
        loop {
            match words.next()? {
                "--out" => drop(words.next()),
                word if word.starts_with("--out=") => {}
                word => return Some(word),
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::super::{Unmatched, Verdict};
    use super::*;
    use crate::report::fixture::comparison;

    fn reasons(comparison: &Comparison) -> Vec<&str> {
        comparison.unjudged().iter().map(|point| point.reason).collect()
    }

    #[test]
    fn a_point_without_an_interval_has_no_verdict() {
        let mut compared = comparison(&[Verdict::Same, Verdict::Inconclusive]);
        compared.only_base.clear();
        compared.only_new.clear();
        assert_eq!(compared.unjudged_words(), None);
        compared.points[1].interval = None;
        compared.points[1].reason = "too few samples".into();
        assert_eq!(reasons(&compared), ["too few samples"]);
        // Identical samples need no interval.
        compared.points[1].verdict = Verdict::Same;
        assert!(reasons(&compared).is_empty());
    }

    #[test]
    fn points_that_vanished_have_no_verdict_and_new_ones_need_none() {
        let mut compared = comparison(&[Verdict::Same]);
        let mut key = compared.points[0].key.clone();
        let alone = |key: &Key, reason: &str| Unmatched { key: key.clone(), reason: reason.into() };
        compared.only_base = vec![alone(&key, NOT_MEASURED), alone(&key, "wrong output: digi 7")];
        compared.only_base.push(alone(&key, RETIRED));
        compared.only_new = vec![alone(&key, NEW), alone(&key, "not run: no room")];
        key.stage = "kernel".into();
        compared.only_base.push(alone(&key, NOT_MEASURED));
        compared.asked_alike = false;
        assert_eq!(reasons(&compared), ["not run: no room"]);
        compared.asked_alike = true;
        assert_eq!(reasons(&compared), [NOT_MEASURED, "not run: no room"]);
        let words = compared.unjudged_words().expect("two");
        assert!(words.starts_with("not judged: 2 points: "), "{words}");
    }

    #[test]
    fn a_command_is_the_same_in_whatever_folder_its_results_are() {
        let record = |command: &str| RunRecord {
            command: command.split(' ').map(str::to_owned).collect(),
            ..RunRecord::default()
        };
        let first = record("bench sort --out a --digis 2M");
        assert!(asked(&first).eq(asked(&record("/bin/bench sort --digis 2M --out=b"))));
        assert!(!asked(&first).eq(asked(&record("bench sort --digis 4M"))));
    }
}
