//! Specification of a paired run, plugins of its sides, and its result.

use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use reports::compare::Thresholds;
use reports::history::Store;
use reports::record::{PluginRecord, Point, RunRecord, SummaryRow};
use reports::store::{StoreError, read_summary};
use text::Untrusted;

use super::PairedError;
use super::child::Side;
use super::points::InputOrder;
use crate::measure::Start;
use crate::plugins;

/// An executable with a display name.
#[derive(Clone, Debug)]
pub(crate) struct Executable {
    pub(crate) bench: PathBuf,
    pub(crate) name: String,
}

impl Executable {
    pub(crate) fn new(bench: PathBuf, name: &str) -> Self {
        let name = name.to_owned();
        Executable { bench, name }
    }

    /// Executable of this process.
    pub(crate) fn this_process(name: &str) -> io::Result<Self> {
        Ok(Executable::new(std::env::current_exe()?, name))
    }
}

/// Specification of a paired run: new side and base.
pub(crate) struct Against<'a> {
    pub(crate) base: Executable,
    pub(crate) base_plugins: SidePlugins,
    pub(crate) new: Executable,
    pub(crate) new_plugins: SidePlugins,
    /// Rows of the new side for points that must not be measured on either side, because the trial
    /// of their plugin failed.
    pub(crate) refused: Vec<SummaryRow>,
    pub(crate) inputs: Vec<InputOrder>,
    /// Fraction by which the new side of a point is slowed down; used by self-tests.
    pub(crate) slowdown: &'a dyn Fn(&Point) -> f64,
    /// Metadata of the run, except for the software.
    pub(crate) record: RunRecord,
    pub(crate) out: PathBuf,
    pub(crate) start: Start,
    pub(crate) thresholds: Thresholds,
    pub(crate) started: Instant,
    pub(crate) budget: Option<Duration>,
    pub(crate) quiet: bool,
}

impl Against<'_> {
    /// Executable of a side, and its plugins.
    pub(super) fn side(&self, side: Side) -> (&Executable, &SidePlugins) {
        match side {
            Side::Base => (&self.base, &self.base_plugins),
            Side::New => (&self.new, &self.new_plugins),
        }
    }
}

/// Result of a paired run. Measured rows are in the folders, even after a failure.
pub(crate) struct PairedResult {
    /// Folder of the new side; that of the base is in it.
    pub(crate) folder: PathBuf,
    pub(crate) base: PathBuf,
    pub(crate) interrupted: bool,
    /// Number of points without results because time ran out.
    pub(crate) left_out: usize,
    /// Error that ended it early.
    pub(crate) failure: Option<PairedError>,
}

/// Files of a side's plugins, and those that are no longer available.
#[derive(Clone, Debug, Default)]
pub(crate) struct SidePlugins {
    pub(crate) files: Vec<PathBuf>,
    /// Records of the plugins for the side's metadata.
    pub(super) records: Vec<PluginRecord>,
    lost: Vec<LostPlugin>,
}

/// A plugin of an earlier run of which there is no copy.
#[derive(Clone, Debug)]
struct LostPlugin {
    plugin: PluginRecord,
    /// Points of that run that were measured with it.
    points: Vec<Point>,
}

impl SidePlugins {
    /// Plugins from these files, with their records.
    pub(crate) fn from_files(files: Vec<PathBuf>, records: Vec<PluginRecord>) -> Self {
        SidePlugins { files, records, lost: Vec::new() }
    }

    /// Plugins of an earlier run: those of these files that are unchanged, and the others from the
    /// store.
    pub(crate) fn from_run(
        folder: &Path,
        record: &RunRecord,
        candidates: &[PathBuf],
        store: Option<&Store>,
    ) -> Result<Self, StoreError> {
        let records = record.plugins.clone();
        let mut found = SidePlugins { records, ..SidePlugins::default() };
        let mut lost = Vec::new();
        for plugin in &record.plugins {
            let is_same = |file: &&PathBuf| {
                plugins::fingerprint(file).is_ok_and(|hash| hash == plugin.fingerprint)
            };
            let unchanged = candidates.iter().find(is_same).cloned();
            let kept =
                || store?.plugin(&plugin.fingerprint, &plugin.file).filter(|it| is_same(&it));
            match unchanged.or_else(kept) {
                Some(file) => found.files.push(file),
                None => lost.push(plugin.clone()),
            }
        }
        if lost.is_empty() {
            return Ok(found);
        }
        let rows = read_summary(folder)?;
        let points_of = |plugin: &PluginRecord| {
            let rows = rows.iter().filter(|row| row.fingerprint == plugin.fingerprint);
            rows.map(|row| row.point()).collect()
        };
        let lost = lost.into_iter();
        found.lost = lost.map(|plugin| LostPlugin { points: points_of(&plugin), plugin }).collect();
        Ok(found)
    }

    /// Reason for a point that can't be measured; `None` if its plugin, if it has one, is
    /// available.
    pub(crate) fn why_lost(&self, point: &Point) -> Option<String> {
        let variant =
            |point: &Point| (point.algorithm.clone(), point.variant.clone(), point.device.clone());
        let has =
            |lost: &&LostPlugin| lost.points.iter().any(|known| variant(known) == variant(point));
        let lost = self.lost.iter().find(has)?;
        Some(format!(
            "not run: {} has changed since, and the one that was measured was not kept; measure \
             the base again with --store, which keeps plugins",
            lost.plugin.file.escaped()
        ))
    }
}
