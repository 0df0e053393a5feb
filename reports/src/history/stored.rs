//! Data of a stored run without its samples.

use std::path::{Path, PathBuf};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::store::{self, STORE_VERSION, entries, read_json, write_json};
use super::{HistoryError, Series, Store, series};
use crate::clock::now;
use crate::rank::TOTAL;
use crate::record::{RunRecord, SummaryRow, YesNo};
use crate::store::{StoreError, read_run, read_summary};

/// Name of the additional file in the folder of a stored run.
const RECEIPT: &str = "stored.json";

/// Time of adding, and hash of the files.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Receipt {
    pub(super) schema_version: u32,
    /// Larger than that of all runs that existed before.
    pub(super) order: u64,
    /// UTC, RFC 3339.
    pub(super) added: String,
    /// Hash by [`store::hash`].
    pub(super) sha256: String,
}

/// A run in the store.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct StoredRun {
    /// The name of its folder below `runs/`.
    pub id: String,
    /// Runs that were added later have higher values.
    pub order: u64,
    /// When it was added: UTC, RFC 3339.
    pub added: String,
    /// When it was started: UTC, RFC 3339.
    pub started: String,
    /// When it ended; `None` if it was killed.
    pub finished: Option<String>,
    /// The machine's key.
    pub machine_key: String,
    /// The machine's CPU.
    pub cpu_model: String,
    /// Models of the GPUs that points ran on.
    pub gpus: Vec<String>,
    /// Host name; runs of earlier versions don't have it.
    pub host_name: Option<String>,
    /// Name as in [`Series::name`].
    pub series: String,
    /// The suite's name, if the run was one of a suite.
    pub suite: Option<String>,
    /// The tasks, joined by `+`.
    pub tasks: String,
    /// The commit of the program.
    pub git_commit: Option<String>,
    /// Number of points with valid results.
    pub points: usize,
    /// Number of points without valid results.
    pub invalid: usize,
    /// Reason why the run can't be used, if there is one.
    pub problem: Option<String>,
    /// True if that is because it can't be read at the moment: it may be intact.
    #[serde(skip)]
    pub is_unreadable: bool,
}

impl Receipt {
    pub(super) fn new(order: u64, sha256: &str) -> Self {
        Receipt { schema_version: STORE_VERSION, order, added: now(), sha256: sha256.to_owned() }
    }

    pub(super) fn read(folder: &Path) -> Result<Self, HistoryError> {
        let path = folder.join(RECEIPT);
        read_json(&path, STORE_VERSION)?.ok_or_else(|| StoreError::NoRun(path).into())
    }

    /// The run, if it exists and is intact; an error if it can't be read.
    pub(super) fn find(folder: &Path) -> Result<Option<Self>, HistoryError> {
        match Self::read(folder) {
            Err(error) if error.is_unreadable() => Err(error),
            receipt => Ok(receipt.ok()),
        }
    }

    pub(super) fn write(&self, folder: &Path) -> Result<(), HistoryError> {
        write_json(&folder.join(RECEIPT), self)
    }
}

impl Store {
    /// The ids of all runs in the order of adding; those without a valid receipt come first.
    pub(super) fn ids(&self) -> Result<Vec<String>, HistoryError> {
        let ids = self.folders()?.map(|(folder, id)| {
            let receipt = Receipt::find(&folder)?;
            Ok((receipt.map(|receipt| (receipt.order, receipt.added)), id))
        });
        let mut ids = ids.collect::<Result<Vec<_>, HistoryError>>()?;
        ids.sort();
        Ok(ids.into_iter().map(|(_, id)| id).collect())
    }

    /// All runs in the order of adding; those without a valid receipt come first.
    pub(super) fn runs(&self) -> Result<Vec<StoredRun>, HistoryError> {
        let folders: Vec<_> = self.folders()?.collect();
        // Runs that disappeared were deleted meanwhile.
        let runs = folders.par_iter().filter_map(|(_, id)| self.inspect(id));
        let mut runs: Vec<StoredRun> = runs.collect();
        // Sorted by the receipts that were read with the runs: a receipt that is unreadable at one
        // moment and readable at the next must not make the newest run the oldest.
        let key = |run: &StoredRun| (run.order, run.added.clone(), run.id.clone());
        runs.sort_by_cached_key(key);
        Ok(runs)
    }

    /// The folders of all runs, with their ids.
    fn folders(&self) -> Result<impl Iterator<Item = (PathBuf, String)>, HistoryError> {
        let folders = entries(&self.runs_folder())?.into_iter().filter(|path| path.is_dir());
        Ok(folders.filter_map(|folder| {
            let id = folder.file_name()?.to_string_lossy().into_owned();
            Some((folder, id))
        }))
    }

    /// All runs, the one added last first, each read on demand.
    pub(super) fn newest_first(&self) -> Result<impl Iterator<Item = StoredRun>, HistoryError> {
        Ok(self.ids()?.into_iter().rev().filter_map(|id| self.inspect(&id)))
    }

    /// Reads all data of a run; `None` if it does not exist.
    pub(super) fn inspect(&self, id: &str) -> Option<StoredRun> {
        let folder = self.run_folder(id);
        let run = StoredRun::read(&folder, id);
        folder.exists().then_some(run)
    }
}

impl StoredRun {
    /// Reads a run; errors are stored in `problem`.
    fn read(folder: &Path, id: &str) -> Self {
        let mut run = StoredRun { id: id.to_owned(), ..StoredRun::default() };
        run.problem = match run.fill(folder) {
            Ok(true) => None,
            Ok(false) => Some("its files are not those that were stored".to_owned()),
            Err(error) => {
                run.is_unreadable = error.is_unreadable();
                Some(error.to_string())
            }
        };
        run
    }

    /// The series of the run.
    pub fn series(&self) -> Series {
        Series {
            machine_key: self.machine_key.clone(),
            gpus: self.gpus.clone(),
            name: self.series.clone(),
        }
    }

    /// Fills in the data; returns true if the files are the stored ones.
    fn fill(&mut self, folder: &Path) -> Result<bool, HistoryError> {
        let receipt = Receipt::read(folder);
        if let Ok(receipt) = &receipt {
            self.order = receipt.order;
            self.added.clone_from(&receipt.added);
        }
        let record = read_run(folder)?;
        self.describe(&record);
        let summary = read_summary(folder)?;
        self.count(&record, &summary);
        Ok(store::hash(folder)? == receipt?.sha256)
    }

    fn describe(&mut self, record: &RunRecord) {
        self.started.clone_from(&record.started);
        self.finished.clone_from(&record.finished);
        self.machine_key.clone_from(&record.machine_key);
        self.cpu_model.clone_from(&record.machine.cpu_model);
        self.host_name.clone_from(&record.host_name);
        self.suite = record.suite.as_ref().map(|part| part.name.clone());
        self.git_commit.clone_from(&record.software.git_commit);
    }

    fn count(&mut self, record: &RunRecord, summary: &[SummaryRow]) {
        let series = Series::for_run(record, summary);
        self.series = series.name;
        self.gpus = series.gpus;
        self.tasks = series::tasks(summary);
        let totals = summary.iter().filter(|row| row.stage == TOTAL);
        let (valid, invalid): (Vec<_>, Vec<_>) = totals.partition(|row| row.valid == YesNo::Yes);
        self.points = valid.len();
        self.invalid = invalid.len();
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::testing::{TestStore, record};

    #[test]
    fn damaged_runs_are_listed_as_such() {
        let fixture = TestStore::new();
        let ids: Vec<_> = (0..6).map(|seed| fixture.add(&record(seed))).collect();
        let path = |i: usize, name: &str| fixture.store.run_folder(&ids[i]).join(name);
        fs::write(path(1, "samples.csv"), "edited").expect("written");
        fs::remove_file(path(2, "summary.csv")).expect("removed");
        fs::write(path(3, "run.json"), "{").expect("written");
        fs::write(path(4, "stored.json"), r#"{"schema_version": 5}"#).expect("written");
        // Bit rot changes neither sizes nor times.
        let samples = fs::read_to_string(path(5, "samples.csv")).expect("read");
        fs::write(path(5, "samples.csv"), samples.replace("0.001", "0.009")).expect("written");
        fs::create_dir(fixture.store.run_folder("foreign")).expect("made");
        let listed = fixture.list();
        assert_eq!(listed.len(), 7);
        for entry in listed {
            let is_whole = entry.run.id == ids[0];
            assert_eq!(entry.run.problem.is_none(), is_whole, "{:?}", entry.run);
        }
    }

    /// Earlier versions had an index: it is neither read nor changed.
    #[test]
    fn an_index_is_left_alone() {
        let fixture = TestStore::new();
        let index = fixture.store.root().join("index.csv");
        fs::write(&index, "id,order\nnowhere,7\n").expect("written");
        fixture.add(&record(1));
        assert_eq!(fixture.list().len(), 1);
        assert!(fs::read_to_string(index).expect("there").contains("nowhere"));
    }
}
