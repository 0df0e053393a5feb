//! Runs that were measured in turn, round by round.

use std::collections::HashMap;
use std::path::PathBuf;

use super::judge::{Judgement, Why, by_limits};
use super::measured::{Measured, Samples};
use super::{Thresholds, Verdict};
use crate::statistics::{Paired, median};
use crate::store::{SampleSeries, SeriesById, SeriesKey, StoreError, Visits, read_series};

/// What a round found of a point, in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Round {
    /// The median of all samples that count; `None` without any.
    pub all: Option<f64>,
    /// That of those which were not disturbed; `None` without any.
    pub quiet: Option<f64>,
}

impl Measured {
    /// Reads the rounds of measuring in turn, each a run of the same points by
    /// the same code. The record and the rows are those of the first; each round
    /// adds its visits, and a round that lacks a point is empty for it.
    ///
    /// # Errors
    /// As [`Measured::read`], or if there is no round.
    pub fn read_rounds(folders: &[PathBuf]) -> Result<Self, StoreError> {
        let Some((first, others)) = folders.split_first() else {
            return Err(StoreError::NoRun(PathBuf::new()));
        };
        let mut measured = Measured::read(first)?;
        let mut series = read_series(first)?;
        let mut rounds = rounds_of(&series);
        for (number, folder) in (1..).zip(others) {
            for (key, more) in read_series(folder)? {
                let of_point = rounds.entry(key.clone()).or_default();
                of_point.resize(number, Round::default());
                of_point.push(Round::of(&more));
                series.entry(key).or_default().append(more);
            }
        }
        for point in &mut measured.points {
            let key = point.key.of_series();
            if let (Ok(samples), Some(all)) = (&mut point.samples, series.get(&key)) {
                *samples = Samples::of(all);
                samples.rounds = rounds.remove(&key).unwrap_or_default();
                samples.rounds.resize(folders.len(), Round::default());
            }
        }
        Ok(measured)
    }
}

/// The rounds of each point and stage.
type RoundsById = HashMap<SeriesKey, Vec<Round>>;

fn rounds_of(first: &SeriesById) -> RoundsById {
    let round = |(key, series): (&SeriesKey, _)| (key.clone(), vec![Round::of(series)]);
    first.iter().map(round).collect()
}

impl Round {
    fn of(series: &SampleSeries) -> Self {
        let middle = |visits: &Visits| Some(median(&visits.seconds)).filter(|m| m.is_finite());
        Round {
            all: middle(&series.all),
            quiet: middle(&series.quiet),
        }
    }

    /// The times of both sides of a round: like by like, of undisturbed samples
    /// if both have some.
    pub fn pair(base: &Round, new: &Round) -> Option<(f64, f64)> {
        base.quiet.zip(new.quiet).or(base.all.zip(new.all))
    }
}

/// Judges what was measured in turn by the ratios of the rounds: whatever drifts
/// from round to round is common to both sides.
pub(super) fn judge_rounds(base: &Samples, new: &Samples, thresholds: &Thresholds) -> Judgement {
    let rounds = base.rounds.iter().zip(&new.rounds);
    let pairs = rounds.filter_map(|(base, new)| Round::pair(base, new));
    let Some(paired) = Paired::of(pairs) else {
        return too_few(base, new);
    };
    let (interval, p_value) = (paired.interval(), paired.p_value());
    let (verdict, why) = by_limits(interval, p_value, thresholds);
    Judgement {
        ratio: paired.ratio(),
        interval: Some(interval),
        p_value,
        verdict,
        why,
        rounds: Some(paired.rounds()),
        runs_differ: None,
    }
}

fn too_few(base: &Samples, new: &Samples) -> Judgement {
    Judgement {
        ratio: new.all.median() / base.all.median(),
        interval: None,
        p_value: None,
        verdict: Verdict::Inconclusive,
        why: Why::TooFewRounds,
        rounds: Some(0),
        runs_differ: None,
    }
}
