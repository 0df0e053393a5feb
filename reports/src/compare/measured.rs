//! What comparing needs to know of a run.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::thread;

use statistics::{MIN_VISITS, Series};

use super::comparison::Key;
use super::rounds::Round;
use crate::aliases::{ALIASES, Aliases};
use crate::filter::PointFilter;
use crate::record::{Params, RunRecord, SummaryRow, YesNo};
use crate::store::{
    SampleSeries, SeriesById, SeriesKey, StoreError, Visits, read_distinct_summary, read_run,
    read_series,
};

/// So many undisturbed samples do without the others.
const ENOUGH: usize = 10;
/// A larger share of disturbed samples makes a verdict doubtful.
const DOUBTFUL: f64 = 0.3;

/// A run, prepared for comparing.
#[derive(Clone, Debug)]
pub struct Measured {
    /// Where it was read from.
    pub folder: PathBuf,
    /// `run.json`.
    pub record: RunRecord,
    /// Its points and stages, in the order of `summary.csv`.
    pub points: Vec<MeasuredPoint>,
}

/// A point and stage with its samples.
#[derive(Clone, Debug)]
pub struct MeasuredPoint {
    /// What it is joined by, under the name that its variant has today.
    pub key: Key,
    /// What its samples are found by.
    pub point_id: String,
    /// The machine code that ran.
    pub fingerprint: String,
    /// Further figures of the row, the counts of the hardware among them.
    pub metrics: Params,
    /// The samples, or why there are none.
    pub samples: Result<Samples, String>,
}

/// The samples of a point, in two ways.
#[derive(Clone, Debug)]
pub struct Samples {
    /// All that count.
    pub all: Series,
    /// Those of them that were not disturbed, if they are enough to judge by:
    /// what others did meanwhile is no property of the code.
    pub quiet: Option<Series>,
    /// How many samples were taken while others used the cores.
    pub disturbed: usize,
    /// What each round of measuring in turn found; empty for a run by itself.
    pub rounds: Vec<Round>,
}

impl Measured {
    /// Reads a run folder.
    ///
    /// # Errors
    /// If a file is missing, damaged or of another version, or if a point
    /// occurs twice.
    pub fn read(folder: &Path) -> Result<Self, StoreError> {
        Self::read_with(folder, &ALIASES)
    }

    /// The same with a table of old names.
    ///
    /// # Errors
    /// As [`Measured::read`].
    pub fn read_with(folder: &Path, aliases: &Aliases) -> Result<Self, StoreError> {
        let record = read_run(folder)?;
        let (rows, series) = thread::scope(|scope| {
            let series = scope.spawn(|| read_series(folder));
            let rows = read_distinct_summary(folder);
            (rows, series.join())
        });
        let series = series.unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        let rows = rows?;
        Ok(Measured { folder: folder.to_owned(), record, points: points(&rows, &series, aliases) })
    }

    /// Leaves the points that a filter takes.
    pub fn keep(&mut self, filter: &PointFilter) {
        self.points.retain(|point| filter.takes(&point.key.point));
    }

    /// Whether the other one is this very run, read from the same folder or from a copy.
    pub fn is_same_run_as(&self, other: &Measured) -> bool {
        let whole = |run: &Measured| run.folder.canonicalize().ok();
        if whole(self).is_some_and(|folder| Some(folder) == whole(other)) {
            return true;
        }
        let samples = |point: &MeasuredPoint| {
            let samples = point.samples.as_ref().ok();
            samples.map(|samples| samples.all.sorted().to_vec())
        };
        let pairs = || self.points.iter().zip(&other.points);
        // Two runs may start in one second, but don't take the very same times.
        self.record == other.record
            && self.points.len() == other.points.len()
            && pairs().all(|(a, b)| a.key == b.key && samples(a) == samples(b))
    }
}

fn points(rows: &[SummaryRow], series: &SeriesById, aliases: &Aliases) -> Vec<MeasuredPoint> {
    let by_fields = ByFields::new(series);
    let point = |row: &SummaryRow| {
        let (point, stage) = (row.point(), &row.stage);
        let point_id = point.id();
        let key: SeriesKey = (point_id.as_bytes().into(), stage.as_bytes().into());
        let found = series.get(&key).or_else(|| by_fields.find(row));
        MeasuredPoint {
            fingerprint: row.fingerprint.clone(),
            metrics: row.metrics.clone(),
            samples: samples(row, found),
            key: Key::new(aliases.point(point), stage),
            point_id,
        }
    };
    rows.iter().map(point).collect()
}

fn samples(row: &SummaryRow, series: Option<&SampleSeries>) -> Result<Samples, String> {
    match (row.valid, series) {
        (YesNo::No, _) if row.note.is_empty() => Err("not valid".to_owned()),
        (YesNo::No, _) => Err(row.note.clone()),
        (YesNo::Yes, Some(series)) if !series.all.seconds.is_empty() => Ok(Samples::of(series)),
        (YesNo::Yes, _) => Err("no samples in samples.csv".to_owned()),
    }
}

impl Samples {
    pub(super) fn of(series: &SampleSeries) -> Self {
        let prepared = |visits: &Visits| Series::new(&visits.seconds, &visits.starts);
        let quiet = &series.quiet;
        let enough = quiet.seconds.len() >= ENOUGH && quiet.count() >= MIN_VISITS;
        Samples {
            all: prepared(&series.all),
            quiet: enough.then(|| prepared(quiet)),
            disturbed: series.disturbed(),
            rounds: Vec::new(),
        }
    }

    /// Whether both were measured in turn, round by round.
    pub fn is_in_turn_with(&self, other: &Samples) -> bool {
        !self.rounds.is_empty() && !other.rounds.is_empty()
    }

    /// Whether so many samples were disturbed that nothing is clear.
    pub fn is_doubtful(&self) -> bool {
        self.disturbed as f64 > DOUBTFUL * self.all.samples() as f64
    }
}

/// Series by what identifies them, for files whose ids are not ours. Places,
/// binding and cache are not among it: what they tell apart only ids can.
struct ByFields<'a>(HashMap<&'a [String; 6], Option<&'a SampleSeries>>);

impl<'a> ByFields<'a> {
    fn new(series: &'a SeriesById) -> Self {
        let mut found = HashMap::new();
        for series in series.values() {
            let entry = found.entry(&series.fields);
            entry.and_modify(|known| *known = None).or_insert(Some(series));
        }
        ByFields(found)
    }

    fn find(&self, row: &SummaryRow) -> Option<&'a SampleSeries> {
        let fields = [
            row.algorithm.clone(),
            row.variant.clone(),
            row.stage.clone(),
            row.device.clone(),
            row.threads.to_string(),
            row.params.to_string(),
        ];
        *self.0.get(&fields)?
    }
}
