//! Data of a run that comparisons need.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use statistics::{MIN_BLOCKS, Series, blocks, median};

use super::comparison::Key;
use super::rounds::{Round, rounds};
use crate::aliases::{ALIASES, Aliases};
use crate::filter::PointFilter;
use crate::grouped::by_key;
use crate::record::{Params, RunRecord, SampleRow, SummaryRow, YesNo, flags};
use crate::store::{StoreError, read_distinct_summary, read_run, read_samples};

/// Minimum number of undisturbed samples to judge by them alone.
const ENOUGH: usize = 10;
/// Share of disturbed samples above which verdicts are inconclusive.
const DOUBTFUL: f64 = 0.3;

/// A run, prepared for comparisons.
#[derive(Clone, Debug)]
pub struct Measured {
    /// The folder that it was read from.
    pub folder: PathBuf,
    /// Content of `run.json`.
    pub record: RunRecord,
    /// Its points and stages, in the order of `summary.csv`.
    pub points: Vec<MeasuredPoint>,
    /// Median clock of the samples on each device, in MHz, where it was recorded.
    pub clock_mhz: BTreeMap<String, f64>,
}

/// A point and stage with its samples.
#[derive(Clone, Debug)]
pub struct MeasuredPoint {
    /// Key by which it is joined, with the current name of its variant.
    pub key: Key,
    /// The machine code that ran.
    pub fingerprint: String,
    /// Further metrics of the row, hardware counters included.
    pub metrics: Params,
    /// The samples, or the reason why there are none.
    pub samples: Result<Samples, String>,
}

/// The samples of a point: all, and the undisturbed ones.
#[derive(Clone, Debug)]
pub struct Samples {
    /// All samples that count.
    pub all: Series,
    /// The undisturbed samples, if they are enough to judge by: load by other processes is no
    /// property of the code.
    pub quiet: Option<Series>,
    /// Number of samples that were taken while other processes used the cores, or that a CPU quota
    /// stopped.
    pub disturbed: usize,
    /// The rounds of a paired run; empty for a separate run.
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

    /// Reads a run folder with a table of old names.
    ///
    /// # Errors
    /// As of [`Measured::read`].
    pub fn read_with(folder: &Path, aliases: &Aliases) -> Result<Self, StoreError> {
        let record = read_run(folder)?;
        let rows = read_distinct_summary(folder)?;
        let samples = read_samples(folder)?;
        let clock_mhz = clocks(&samples);
        let samples = ByPoint::new(&samples);
        let is_paired = record.pair.is_some();
        let version = record.software.version.as_str();
        let point = |row: &SummaryRow| MeasuredPoint {
            key: Key::new(aliases.point(row.point(), version), &row.stage),
            fingerprint: row.fingerprint.clone(),
            metrics: row.metrics.clone(),
            samples: samples.samples(row, is_paired),
        };
        let points = rows.iter().map(point).collect();
        Ok(Measured { folder: folder.to_owned(), points, record, clock_mhz })
    }

    /// True if these are the two sides of a paired run.
    pub fn is_paired_with(&self, other: &Measured) -> bool {
        self.record.pair.is_some() && self.record.pair == other.record.pair
    }

    /// Retains the points that match a filter.
    pub fn keep(&mut self, filter: &PointFilter) {
        self.points.retain(|point| filter.takes(&point.key.point));
    }

    /// True if both are one run, read from the same folder or from a copy.
    pub fn is_same_run_as(&self, other: &Measured) -> bool {
        let whole = |run: &Measured| run.folder.canonicalize().ok();
        if whole(self).is_some_and(|folder| Some(folder) == whole(other)) {
            return true;
        }
        // Two runs may start in the same second, but their times differ.
        self.record == other.record
            && self.points.iter().map(found).eq(other.points.iter().map(found))
    }
}

/// Median clock of the samples on each device.
fn clocks(samples: &[SampleRow]) -> BTreeMap<String, f64> {
    let seen = samples.iter().filter_map(|row| Some((row.device.clone(), row.clock_mhz?)));
    by_key(seen).into_iter().map(|(device, clocks)| (device, median(&clocks))).collect()
}

fn found(point: &MeasuredPoint) -> (&Key, Option<&[f64]>) {
    (&point.key, point.samples.as_ref().ok().map(|samples| samples.all.sorted()))
}

/// The samples of a stage of a point.
type Rows<'a> = Vec<&'a SampleRow>;

/// Fields that distinguish points, except for CPU sets, binding and cache.
type Fields<'a> = (&'a str, &'a str, &'a str, &'a str, usize, &'a Params);

/// Samples by the points' ids and stages; for files with ids by other programs also by other
/// fields, where these are unique.
struct ByPoint<'a> {
    ids: HashMap<(&'a str, &'a str), Rows<'a>>,
    fields: HashMap<Fields<'a>, Option<(&'a str, &'a str)>>,
}

impl<'a> ByPoint<'a> {
    fn new(samples: &'a [SampleRow]) -> Self {
        let mut ids: HashMap<_, Rows<'a>> = HashMap::new();
        for row in samples {
            ids.entry((&*row.point_id, &*row.stage)).or_default().push(row);
        }
        let mut fields = HashMap::new();
        for (id, rows) in &ids {
            let SampleRow { algorithm, variant, stage, device, threads, params, .. } = rows[0];
            let key: Fields<'a> = (algorithm, variant, stage, device, *threads, params);
            fields.entry(key).and_modify(|known| *known = None).or_insert(Some(*id));
        }
        ByPoint { ids, fields }
    }

    /// The samples of a row of the summary, or the reason why there are none.
    fn samples(&self, row: &SummaryRow, is_paired: bool) -> Result<Samples, String> {
        if row.valid == YesNo::No {
            let note = if row.note.is_empty() { "not valid" } else { &row.note };
            return Err(note.to_owned());
        }
        let SummaryRow { algorithm, variant, stage, device, threads, params, .. } = row;
        let id = row.point().id();
        let by_id = self.ids.get(&(&*id, stage));
        let by_fields = || {
            let known = self.fields.get(&(algorithm, variant, stage, device, *threads, params))?;
            self.ids.get(&(*known)?)
        };
        let samples = by_id.or_else(by_fields).map(|rows| Samples::from_rows(rows, is_paired));
        let samples = samples.filter(|samples| samples.all.samples() > 0);
        samples.ok_or_else(|| "no samples in samples.csv".to_owned())
    }
}

impl Samples {
    fn from_rows(rows: &[&SampleRow], is_paired: bool) -> Self {
        let mut all = SampleBlocks::default();
        let mut quiet = SampleBlocks::default();
        for row in rows {
            if flags::has(&row.flags, flags::FRESH) {
                all.begin();
                quiet.begin();
            }
            if !flags::has(&row.flags, flags::OUTSIDE_CPU_SET) {
                all.seconds.push(row.seconds);
                let disturbing = [flags::DISTURBED, flags::QUOTA_THROTTLED];
                if !disturbing.iter().any(|flag| flags::has(&row.flags, flag)) {
                    quiet.seconds.push(row.seconds);
                }
            }
        }
        Samples {
            disturbed: all.seconds.len() - quiet.seconds.len(),
            all: all.series(),
            quiet: quiet.are_enough().then(|| quiet.series()),
            rounds: if is_paired { rounds(rows) } else { Vec::new() },
        }
    }

    /// True if too many samples were disturbed for any conclusion.
    pub fn is_doubtful(&self) -> bool {
        self.disturbed as f64 > DOUBTFUL * self.all.samples() as f64
    }
}

/// Samples in seconds, and the indices of the first samples of blocks.
#[derive(Default)]
struct SampleBlocks {
    seconds: Vec<f64>,
    starts: Vec<usize>,
}

impl SampleBlocks {
    fn begin(&mut self) {
        self.starts.push(self.seconds.len());
    }

    fn series(&self) -> Series {
        Series::new(&self.seconds, &self.starts)
    }

    fn are_enough(&self) -> bool {
        let taken = blocks(&self.seconds, &self.starts).filter(|block| !block.is_empty());
        self.seconds.len() >= ENOUGH && taken.count() >= MIN_BLOCKS
    }
}
