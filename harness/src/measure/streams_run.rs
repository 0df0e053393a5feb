//! A run of streams in progress, closed or open loop: its folder, rows, notes and end.

use std::path::Path;

use reports::charts::{self, ChartError, NamedSvg};
use reports::clock::now;
use reports::record::RunRecord;
use reports::store::{Folder, RunRows};
use text::Untrusted;

use super::run_spec::{Counts, MeasureError, RunSpec, run_folder};
use super::session::describe;
use crate::platform::control_groups::StoppedPeriods;
use crate::platform::{Exit, Topology};

/// A run of streams: what is measured is on disk at once.
pub(crate) struct StreamsRun<R: RunRows> {
    pub(crate) rows: Vec<R>,
    pub(crate) record: RunRecord,
    pub(crate) counts: Counts,
    pub(crate) interrupted: bool,
    folder: Folder<R>,
    stopped: StoppedPeriods,
}

impl<R: RunRows> StreamsRun<R> {
    /// Creates the folder, by default one named after the time and `name`.
    pub(crate) fn start(
        name: &str,
        out: Option<&Path>,
        run_spec: &RunSpec<'_>,
        notes: &[String],
    ) -> Result<Self, MeasureError> {
        let stopped = StoppedPeriods::start();
        let record = describe(run_spec, &Topology::this_machine());
        // Its points are those of streams.
        let mut record = RunRecord { planned: Vec::new(), ..record };
        record.notes.extend_from_slice(notes);
        let path = run_folder(out, name)?;
        let folder = Folder::create(&path, &record)?;
        let counts = Counts::default();
        Ok(StreamsRun { rows: Vec::new(), record, counts, interrupted: false, folder, stopped })
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    fn kept(&self) -> String {
        self.path().escaped().to_string()
    }

    /// Writes `run.json`.
    pub(crate) fn describe(&self) -> Result<(), MeasureError> {
        Ok(self.folder.describe(&self.record)?)
    }

    /// Stores a row with its details.
    pub(crate) fn append(&mut self, row: R, details: &[R::Detail]) -> Result<(), MeasureError> {
        if let Err(source) = self.folder.append(&row, details) {
            return Err(MeasureError::StoreInterrupted { source, kept: self.kept() });
        }
        self.rows.push(row);
        Ok(())
    }

    /// Stores details of rows that follow.
    pub(crate) fn append_details(&mut self, details: &[R::Detail]) -> Result<(), MeasureError> {
        let stored = self.folder.append_details(details);
        stored.map_err(|source| MeasureError::StoreInterrupted { source, kept: self.kept() })
    }

    /// The folder.
    pub(crate) fn folder(&self) -> &Folder<R> {
        &self.folder
    }

    /// Draws the charts, if any, and completes `run.json`.
    pub(crate) fn finish(
        &mut self,
        interrupted: bool,
        draw: Option<impl FnOnce(&RunRecord, &[R]) -> Result<Vec<NamedSvg>, ChartError>>,
    ) -> Result<(), MeasureError> {
        self.interrupted = interrupted;
        if let Some(draw) = draw {
            let drawn = draw(&self.record, &self.rows);
            let written = drawn.and_then(|drawn| charts::write(self.path(), &drawn));
            written.map_err(|source| MeasureError::Chart { source, kept: self.kept() })?;
        }
        self.record.throttled = self.stopped.so_far();
        self.record.finished = (!interrupted).then(now);
        self.describe()
    }

    /// Exit code for scripts.
    pub(crate) fn exit(&self) -> Exit {
        self.counts.exit(&self.record, self.interrupted)
    }
}
