//! Plugins of a side.

use std::path::{Path, PathBuf};

use reports::history::Store;
use reports::record::{PluginRecord, Point, RunRecord};
use reports::store::{StoreError, read_summary};
use text::Untrusted;

use crate::plugins;

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
    ///
    /// # Errors
    /// If the run can't be read.
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
