//! What the store knows of a run without reading its samples.

use std::path::Path;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use super::store::{STORE_VERSION, parse_json};
use super::{HistoryError, Series, content, durable, series};
use crate::record::{RunRecord, SummaryRow, YesNo};
use crate::store::{read_run, read_summary, read_text};

/// The file beside those of the run.
pub(super) const RECEIPT: &str = "stored.json";

/// When a run was added, and what its bytes were.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Receipt {
    pub(super) schema_version: u32,
    /// Above that of every run that was there before.
    pub(super) order: u64,
    /// UTC, RFC 3339.
    pub(super) added: String,
    /// See [`content::hash`].
    pub(super) sha256: String,
}

/// A run in the store; a row of `index.csv`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredRun {
    /// The name of its folder below `runs/`.
    pub id: String,
    /// Runs that were added later have higher numbers.
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
    /// [`Series::name`].
    pub series: String,
    /// The suite's name, if it was one.
    pub suite: Option<String>,
    /// The tasks, joined by `+`.
    pub tasks: String,
    /// The commit of the program.
    pub git_commit: Option<String>,
    /// Points with valid numbers.
    pub points: usize,
    /// Points without.
    pub invalid: usize,
    /// Why the run can't be used, if it can't.
    pub problem: Option<String>,
}

impl Receipt {
    pub(super) fn new(order: u64, sha256: &str) -> Self {
        Receipt { schema_version: STORE_VERSION, order, added: now(), sha256: sha256.to_owned() }
    }

    pub(super) fn read(folder: &Path) -> Result<Self, HistoryError> {
        let path = folder.join(RECEIPT);
        parse_json(&path, &read_text(&path)?, STORE_VERSION)
    }

    pub(super) fn write(&self, folder: &Path) -> Result<(), HistoryError> {
        let path = folder.join(RECEIPT);
        let text = serde_json::to_string_pretty(self);
        let text = text.map_err(|error| HistoryError::format(&path, error))?;
        durable::write_new(&path, (text + "\n").as_bytes())
    }
}

impl StoredRun {
    /// Reads all of a run; what can't be read is told in `problem`.
    pub(super) fn inspect(folder: &Path, id: &str) -> Self {
        let mut run = StoredRun { id: id.to_owned(), ..StoredRun::default() };
        run.problem = match run.fill(folder) {
            Ok(true) => None,
            Ok(false) => Some("its files are not those that were stored".to_owned()),
            Err(error) => Some(error.to_string()),
        };
        run
    }

    /// The series that the run belongs to.
    pub fn series(&self) -> Series {
        Series { machine_key: self.machine_key.clone(), name: self.series.clone() }
    }

    /// When it was started, if that can be told.
    pub(super) fn started_at(&self) -> Option<SystemTime> {
        humantime::parse_rfc3339_weak(&self.started).ok()
    }

    /// Whether the files are those that were stored.
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
        Ok(content::hash(folder)? == receipt?.sha256)
    }

    fn describe(&mut self, record: &RunRecord) {
        self.started.clone_from(&record.started);
        self.finished.clone_from(&record.finished);
        self.machine_key.clone_from(&record.machine_key);
        self.cpu_model.clone_from(&record.machine.cpu_model);
        self.suite = record.suite.as_ref().map(|part| part.name.clone());
        self.git_commit.clone_from(&record.software.git_commit);
    }

    fn count(&mut self, record: &RunRecord, summary: &[SummaryRow]) {
        self.series = Series::of(record, summary).name;
        self.tasks = series::tasks(summary);
        let totals = summary.iter().filter(|row| row.stage == "total");
        let (valid, invalid): (Vec<_>, Vec<_>) = totals.partition(|row| row.valid == YesNo::Yes);
        self.points = valid.len();
        self.invalid = invalid.len();
    }
}

/// UTC, RFC 3339.
pub(super) fn now() -> String {
    humantime::format_rfc3339_seconds(SystemTime::now()).to_string()
}
