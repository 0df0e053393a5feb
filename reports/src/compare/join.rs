//! Joins two runs by their points and judges each pair.

use std::collections::HashMap;

use rayon::prelude::*;
use statistics::Series;
use text::Untrusted;

use super::Thresholds;
use super::advice::Advice;
use super::comparison::{
    Comparison, Key, NEW, NOT_MEASURED, PointVerdict, RETIRED, RunName, Side, Unmatched,
};
use super::counters;
use super::error::CompareError;
use super::judge::{Judgement, judge, judge_rounds};
use super::load::RunConditions;
use super::measured::{Measured, MeasuredPoint, Samples};
use super::multiplicity::{Family, hold_back};
use super::rounds::JUDGED;
use super::thresholds::CompareOptions;
use super::unjudged::asked_alike;
use super::words::PointReport;
use crate::code::Code;
use crate::rank::TOTAL;
use crate::record::SMALL_NOTE;
use crate::retired;

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
    Ok(Comparison {
        points: points.collect(),
        only_base: unmatched(judged_points(base, is_paired), &in_new, NOT_MEASURED, other_gpu),
        only_new: unmatched(judged_points(new, is_paired), &in_base, NEW, other_gpu),
        asked_alike: asked_alike(base, new),
        aslr: super::notes::randomised([base, new]),
        notes: [small_runs(base, new), super::notes::notes(base, new, options)].concat(),
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
            counters: counters::words(&base.metrics, &new.metrics),
            thresholds: &options.thresholds,
        };
        let steps = found.next(&new.key, advice);
        let mut commands = steps.commands.into_iter();
        PointVerdict {
            key: new.key.clone(),
            base: side(base, series[0]),
            new: side(new, series[1]),
            ratio: judgement.ratio,
            interval: judgement.interval,
            p_value: judgement.p_value,
            p_change: judgement.p_change,
            resolution: judgement.resolution(),
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
    retired::find(&point.key.point).is_some()
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
