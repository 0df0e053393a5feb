//! Data of a run that comparisons need, and the conditions of two runs: whether the machine was
//! busy, and differently in both, and whether they are of one executable.
//!
//! Load by other processes makes a run slower as a whole: its samples agree with each other, and
//! its blocks too. No statistics of one run can distinguish that from slower code.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use statistics::{MIN_BLOCKS, Series, blocks, median};
use text::Untrusted;

use super::Key;
use super::rounds::{Round, rounds};
use crate::aliases::{ALIASES, Aliases};
use crate::filter::PointFilter;
use crate::grouped::by_key;
use crate::rank::TOTAL;
use crate::record::{Params, QualityRow, RunRecord, SampleRow, SummaryRow, YesNo, flags};
use crate::store::{StoreError, read_distinct_summary, read_quality, read_run, read_samples};
use crate::units::counted;

/// Minimum number of undisturbed samples to judge by them alone.
const ENOUGH: usize = 10;
/// Share of disturbed samples above which verdicts are inconclusive.
pub const MAX_DISTURBED: f64 = 0.3;

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
    /// Energy of an item, if it was measured.
    pub energy: Option<PointEnergy>,
    /// Number of items of a run.
    pub items: u64,
    /// Metrics of quality, for a complete run whose truth is known.
    pub quality: Vec<QualityRow>,
}

/// Energy of an item of a point.
#[derive(Clone, Debug, PartialEq)]
pub struct PointEnergy {
    /// Median over the windows, in joules.
    pub j_per_item: f64,
    /// Value of each window; one of unknown windows.
    pub windows: Vec<f64>,
    /// Meters that measured it: `cpu`, `cpu+gpu`.
    pub source: String,
}

impl PointEnergy {
    /// Energy in a row of the summary.
    fn from_row(row: &SummaryRow) -> Option<Self> {
        let j_per_item = row.joules_per_item()?;
        let mut windows = row.joules_of_windows();
        if windows.is_empty() {
            windows.push(j_per_item);
        }
        Some(PointEnergy { j_per_item, windows, source: row.energy_source().to_owned() })
    }
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
        let of_point = |row: QualityRow| (row.point_id.clone(), row);
        let quality = by_key(read_quality(folder)?.into_iter().map(of_point));
        let quality: HashMap<String, Vec<QualityRow>> = quality.into_iter().collect();
        let is_paired = record.pair.is_some();
        let version = record.software.version.as_str();
        let point = |row: &SummaryRow| MeasuredPoint {
            key: Key::new(aliases.point(row.point(), version), &row.stage),
            fingerprint: row.fingerprint.clone(),
            metrics: row.metrics.clone(),
            samples: samples.samples(row, is_paired),
            energy: PointEnergy::from_row(row),
            items: row.items,
            quality: match quality.get(&row.point().id()) {
                Some(quality) if row.stage == TOTAL && row.valid == YesNo::Yes => quality.clone(),
                _ => Vec::new(),
            },
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
        self.disturbed as f64 > MAX_DISTURBED * self.all.samples() as f64
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

/// Share of disturbed samples from which on a machine counts as busy.
const DISTURBED: f64 = 0.1;
/// Share of disturbed samples from which on the whole run counts as disturbed.
const MOSTLY_DISTURBED: f64 = 0.3;
/// Difference of the loads per CPU above which loads count as different.
const UNLIKE: f64 = 0.25;

/// Conditions of two runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunConditions {
    /// Other processes used the machine during one of them.
    pub busy: bool,
    /// Many samples were disturbed, and the loads differed.
    pub unlike: bool,
    /// They are of two executables.
    pub rebuilt: bool,
}

impl RunConditions {
    /// Conditions by the samples and the load averages at the starts of both runs.
    pub fn new(base: &Measured, new: &Measured) -> Self {
        let executables = [base, new].map(|run| &run.record.software.fingerprint);
        let base = Load::from_run(base);
        let new = Load::from_run(new);
        let differ = base.load.zip(new.load).is_some_and(|(a, b)| (a - b).abs() > UNLIKE);
        RunConditions {
            busy: base.is_busy() || new.is_busy(),
            unlike: differ && base.disturbed.max(new.disturbed) > MOSTLY_DISTURBED,
            rebuilt: executables[0] != executables[1],
        }
    }
}

/// Load by other processes during a run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Load {
    /// The share of samples that were taken while other processes used the cores.
    pub disturbed: f64,
    /// Waiting processes at the start, per usable CPU.
    load: Option<f64>,
    /// True if these were many.
    was_busy: bool,
}

impl Load {
    pub fn from_run(run: &Measured) -> Self {
        let points = run.points.iter();
        let samples = points.filter_map(|point| point.samples.as_ref().ok());
        let count = |(all, disturbed), samples: &super::Samples| {
            (all + samples.all.samples(), disturbed + samples.disturbed)
        };
        let (all, disturbed) = samples.fold((0, 0), count);
        let environment = &run.record.environment;
        Load {
            disturbed: disturbed as f64 / all.max(1) as f64,
            load: environment.load_per_cpu(),
            was_busy: environment.is_busy(),
        }
    }

    fn is_busy(self) -> bool {
        self.disturbed > DISTURBED || self.was_busy
    }

    /// The share in per cent, if it is significant.
    pub fn percent_disturbed(self) -> Option<f64> {
        (self.disturbed > DISTURBED).then_some(100.0 * self.disturbed)
    }
}

/// Reason why runs can't be compared.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the variants say what they hold")]
pub enum CompareError {
    /// Both are the same run: the folders, and its start.
    #[error(
        "{} and {} are the same run, started {}; measure again, or name an earlier run", folders[0], folders[1], started.escaped()
    )]
    SameRun { folders: [String; 2], started: String },
    /// The runs are of different machines: the folders, and the machines.
    #[error(
        "{} was measured on another machine ({}) than {} ({}): their times are not comparable; use \
         --across-machines to compare them anyway",
        folders[0], machines[0], folders[1], machines[1]
    )]
    Machines { folders: [String; 2], machines: [String; 2] },
    /// No common point: the folders, and the numbers of points with samples.
    #[error(
        "nothing can be compared: {} has {} with samples, {} has {}, and none is in both",
        folders[0], counted(points[0], "point"), folders[1], points[1]
    )]
    NothingInCommon { folders: [String; 2], points: [usize; 2] },
}

impl CompareError {
    pub(super) fn same_run(runs: [&Measured; 2]) -> Self {
        let started = runs[1].record.started.clone();
        CompareError::SameRun { folders: folders(runs), started }
    }

    pub(super) fn machines(runs: [&Measured; 2]) -> Self {
        let machines = runs.map(|run| {
            let model = &run.record.machine.cpu_model;
            let key = &run.record.machine_key;
            let devices = run.points.iter().map(|point| point.key.point.device.as_str());
            let gpus = run.record.gpu_models(devices);
            let gpus = gpus.iter().map(|model| format!(", {}", model.escaped()));
            format!("{}, key {}{}", model.escaped(), key.escaped(), gpus.collect::<String>())
        });
        CompareError::Machines { folders: folders(runs), machines }
    }

    pub(super) fn nothing_in_common(runs: [&Measured; 2]) -> Self {
        let with_samples =
            |run: &Measured| run.points.iter().filter(|point| point.samples.is_ok()).count();
        CompareError::NothingInCommon { folders: folders(runs), points: runs.map(with_samples) }
    }
}

fn folders(runs: [&Measured; 2]) -> [String; 2] {
    runs.map(|run| run.folder.escaped().to_string())
}
