//! Two runs joined by their points, each pair judged.

use std::collections::HashMap;

use rayon::prelude::*;

use super::Thresholds;
use super::comparison::{
    Code, Comparison, Key, NOT_MEASURED, PointVerdict, RunName, Side, Unmatched,
};
use super::judge::{Judgement, judge};
use super::measured::{Measured, MeasuredPoint, Samples};
use super::rounds::judge_rounds;
use super::scatter::RunScatter;
use super::words::{self, Advice};
use crate::statistics::Series;

/// What a comparison goes by.
#[derive(Clone, Debug, Default)]
pub struct Terms {
    /// What counts as a change.
    pub thresholds: Thresholds,
    /// Whether runs of unlike machines may be compared.
    pub across_machines: bool,
    /// The flags that the same comparison needs when it is made again, word by
    /// word: `--store DIR`. Advice that can be copied has them.
    pub flags: Vec<String>,
    /// How much runs of the same code differ on the machine, where that is known.
    pub scatter: Option<RunScatter>,
}

/// Runs that can't be compared.
#[derive(Debug, thiserror::Error)]
pub enum CompareError {
    /// They are of unlike machines.
    #[error(
        "{base} was measured on another machine ({base_machine}) than {new} ({new_machine}): \
         their times say nothing of the code; use --across-machines if that is what you want"
    )]
    Machines {
        /// The base's folder.
        base: String,
        /// The base's machine.
        base_machine: String,
        /// The new run's folder.
        new: String,
        /// The new run's machine.
        new_machine: String,
    },
    /// No point is in both.
    #[error(
        "nothing can be compared: {base} has {base_points} points with samples, {new} has \
         {new_points}, and none is in both"
    )]
    NothingInCommon {
        /// The base's folder.
        base: String,
        /// Its points with samples.
        base_points: usize,
        /// The new run's folder.
        new: String,
        /// Its points with samples.
        new_points: usize,
    },
}

/// Compares a run with an earlier one.
///
/// # Errors
/// If the machines are unlike and that was not asked for, or if no point is in
/// both.
pub fn compare(base: &Measured, new: &Measured, terms: &Terms) -> Result<Comparison, CompareError> {
    if base.record.machine_key != new.record.machine_key && !terms.across_machines {
        return Err(machines(base, new));
    }
    let (in_base, in_new) = (by_key(base), by_key(new));
    let (name, other) = (name(base), self::name(new));
    let advice = Advice {
        confirm: words::confirm(&name.folder, &other.folder, &terms.flags),
        seed: new.record.seed,
    };
    let verdict = |point: &MeasuredPoint| {
        let partner = in_base.get(&point.key)?;
        let (before, after) = (partner.samples.as_ref().ok()?, point.samples.as_ref().ok()?);
        let code = Code::of(&partner.fingerprint, &point.fingerprint);
        let sides = [(before, &partner.fingerprint), (after, &point.fingerprint)];
        Some(judged(&point.key, sides, code, terms, &advice))
    };
    let points: Vec<_> = new.points.par_iter().filter_map(verdict).collect();
    if points.is_empty() {
        return Err(nothing_in_common(base, new));
    }
    Ok(Comparison {
        only_base: unmatched(base, &in_new),
        only_new: unmatched(new, &in_base),
        notes: super::notes::notes(base, new, terms),
        thresholds: terms.thresholds,
        base: name,
        new: other,
        gate: None,
        points,
    })
}

fn judged(
    key: &Key,
    [base, new]: [(&Samples, &String); 2],
    code: Code,
    terms: &Terms,
    advice: &Advice,
) -> PointVerdict {
    let thresholds = &terms.thresholds;
    let (judgement, series) = match base.0.is_in_turn_with(new.0) {
        true => (
            judge_rounds(base.0, new.0, thresholds),
            [&base.0.all, &new.0.all],
        ),
        false => of_runs(key, [base.0, new.0], terms),
    };
    let side = |series: &Series, fingerprint: &String| Side {
        samples: series.samples(),
        median_s: series.median(),
        fingerprint: fingerprint.clone(),
    };
    PointVerdict {
        key: key.clone(),
        base: side(series[0], base.1),
        new: side(series[1], new.1),
        ratio: judgement.ratio,
        interval: judgement.interval,
        p_value: judgement.p_value,
        verdict: judgement.verdict,
        code,
        reason: words::reason(&judgement, code, thresholds),
        next: words::next(&judgement, code, key, advice),
    }
}

/// Of runs one after the other: what runs of the same code differ by counts.
fn of_runs<'a>(
    key: &Key,
    [base, new]: [&'a Samples; 2],
    terms: &Terms,
) -> (Judgement, [&'a Series; 2]) {
    let (judgement, series) = judged_alike(base, new, &terms.thresholds);
    let between = terms.scatter.as_ref().map(|scatter| scatter.of(key));
    let judgement = between.map_or(judgement, |between| {
        judgement.of_runs_that_differ(between, &terms.thresholds)
    });
    (judgement, series)
}

/// By the undisturbed samples if both sides have enough, else by all: quiet
/// samples of one run say nothing beside disturbed ones of the other.
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
    let judgement = if doubtful {
        judgement.doubted()
    } else {
        judgement
    };
    (judgement, [&base.all, &new.all])
}

/// The points of a run by what they are joined by.
type ByKey<'a> = HashMap<&'a Key, &'a MeasuredPoint>;

fn by_key(run: &Measured) -> ByKey<'_> {
    run.points.iter().map(|point| (&point.key, point)).collect()
}

/// The points of a run that have no partner with samples in the other one.
fn unmatched(run: &Measured, partners: &ByKey<'_>) -> Vec<Unmatched> {
    let lonely = |point: &MeasuredPoint| {
        point.samples.as_ref().ok()?;
        let reason = match partners.get(&point.key) {
            None => NOT_MEASURED.to_owned(),
            Some(partner) => partner.samples.as_ref().err()?.clone(),
        };
        let key = point.key.clone();
        Some(Unmatched { key, reason })
    };
    run.points.iter().filter_map(lonely).collect()
}

fn name(run: &Measured) -> RunName {
    RunName {
        folder: run.folder.display().to_string(),
        started: run.record.started.clone(),
        git_commit: run.record.software.git_commit.clone(),
        machine_key: run.record.machine_key.clone(),
        cpu_model: run.record.machine.cpu_model.clone(),
    }
}

fn machines(base: &Measured, new: &Measured) -> CompareError {
    let machine = |run: &Measured| {
        let (model, key) = (&run.record.machine.cpu_model, &run.record.machine_key);
        format!("{model}, key {key}")
    };
    CompareError::Machines {
        base: base.folder.display().to_string(),
        base_machine: machine(base),
        new: new.folder.display().to_string(),
        new_machine: machine(new),
    }
}

fn nothing_in_common(base: &Measured, new: &Measured) -> CompareError {
    let count = |run: &Measured| {
        run.points
            .iter()
            .filter(|point| point.samples.is_ok())
            .count()
    };
    CompareError::NothingInCommon {
        base: base.folder.display().to_string(),
        base_points: count(base),
        new: new.folder.display().to_string(),
        new_points: count(new),
    }
}
