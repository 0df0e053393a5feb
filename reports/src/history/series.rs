//! Series of comparable runs, and machine keys of earlier versions, mapped to current ones.
//!
//! Runs are mapped when they are read: they contain the machine from which their key was computed.
//! Self-tests and marks whose runs were deleted contain the key only. Those are mapped by the runs
//! of the store with the same key, and by `machine-keys.json`, which stores the keys of deleted
//! runs.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use text::Untrusted;

use super::store::{self, STORE_VERSION, Writer, entries, read_json};
use super::{HistoryError, Store};
use crate::grouped::tasks_of;
use crate::record::{RunRecord, SuitePart, SummaryRow};
use crate::store::WrittenKey;

/// Runs of one suite, or of one task, on one kind of machine.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Series {
    /// The machine's key.
    pub machine_key: String,
    /// Models of the GPUs that points ran on; empty if all ran on CPUs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gpus: Vec<String>,
    /// The suite, with the shard if it is one: `nightly 2/4`; without a suite the task: `sort`.
    pub name: String,
}

impl Series {
    /// The series of a run.
    pub fn for_run(record: &RunRecord, summary: &[SummaryRow]) -> Self {
        Series {
            machine_key: record.machine_key.clone(),
            gpus: record.gpu_models(summary.iter().map(|row| row.device.as_str())),
            name: record.suite.as_ref().map_or_else(|| tasks(summary), suite_name),
        }
    }

    /// Series of a planned run of a suite, or of a shard of it: by the description of the run so
    /// far, and the devices of its points.
    pub fn for_suite<'a>(
        record: &RunRecord,
        devices: impl IntoIterator<Item = &'a str>,
        part: &SuitePart,
    ) -> Self {
        Series {
            machine_key: record.machine_key.clone(),
            gpus: record.gpu_models(devices),
            name: suite_name(part),
        }
    }

    /// Difference of the GPUs from those of another series, if there is one.
    pub(super) fn other_gpus(&self, before: &Self) -> Option<String> {
        let words = |series: &Self| match &*series.gpus {
            [] => "no GPU".to_owned(),
            gpus => {
                gpus.iter().map(|gpu| gpu.escaped().to_string()).collect::<Vec<_>>().join(" + ")
            }
        };
        (self.gpus != before.gpus).then(|| format!("{} instead of {}", words(self), words(before)))
    }

    /// A file name that is unique to the series.
    pub(super) fn file_name(&self) -> String {
        let name = safe_name(&self.name);
        format!("{name}@{}.json", safe_name(&machine_name(&self.machine_key, &self.gpus)))
    }
}

impl fmt::Display for Series {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} on machine {}", self.name.escaped(), self.machine_key.escaped())?;
        if self.gpus.is_empty() {
            return Ok(());
        }
        let gpus: Vec<_> = self.gpus.iter().map(|model| model.escaped().to_string()).collect();
        write!(f, " with {}", gpus.join(" and "))
    }
}

/// Name of a suite with its shard: `nightly 2/4`.
fn suite_name(part: &SuitePart) -> String {
    match part.shard {
        Some(shard) => format!("{} {shard}", part.name),
        None => part.name.clone(),
    }
}

/// Name of a machine in file names: its key and the models of GPUs, joined by `+`.
fn machine_name(key: &str, gpus: &[String]) -> String {
    std::iter::once(key).chain(gpus.iter().map(String::as_str)).collect::<Vec<_>>().join("+")
}

/// The tasks of a run, without repeats, in their order: `sort+cluster`.
pub(super) fn tasks(summary: &[SummaryRow]) -> String {
    tasks_of(summary).join("+")
}

/// A text as part of a file name. Different texts give different names: a hash is appended if a
/// character had to be replaced.
pub(crate) fn safe_name(text: &str) -> String {
    const LONGEST: usize = 60;
    let is_safe = |c: char| c.is_ascii_alphanumeric() || "+_.".contains(c) || c == '-';
    let safe: String =
        text.chars().map(|c| if is_safe(c) { c } else { '-' }).take(LONGEST).collect();
    if safe == text && !text.is_empty() && !text.starts_with('.') {
        return safe;
    }
    format!("{}~{}", safe.trim_start_matches('.'), store::short_hash(text))
}

/// Content of `machine-keys.json`.
#[derive(Serialize, Deserialize)]
struct Table {
    schema_version: u32,
    /// Current keys by those of earlier versions.
    keys: BTreeMap<String, String>,
}

impl Store {
    /// Current keys by those of earlier versions, as far as they are known.
    pub(super) fn todays_keys(&self) -> Result<BTreeMap<String, String>, HistoryError> {
        let mut keys = self.kept_keys()?;
        keys.extend(entries(&self.runs_folder())?.into_iter().filter_map(joined));
        Ok(keys)
    }

    /// Stores the keys of runs that are about to be deleted.
    pub(super) fn keep_keys(
        &self,
        writer: &Writer<'_>,
        runs: &[String],
    ) -> Result<(), HistoryError> {
        let mut keys = self.kept_keys()?;
        let known = keys.len();
        keys.extend(runs.iter().filter_map(|id| joined(self.run_folder(id))));
        if keys.len() == known {
            return Ok(());
        }
        let table = Table { schema_version: STORE_VERSION, keys };
        writer.replace_json(&self.keys_path(), &table)
    }

    fn kept_keys(&self) -> Result<BTreeMap<String, String>, HistoryError> {
        let table = read_json::<Table>(&self.keys_path(), STORE_VERSION)?;
        Ok(table.map_or_else(BTreeMap::new, |table| table.keys))
    }

    fn keys_path(&self) -> PathBuf {
        self.root().join("machine-keys.json")
    }
}

/// Key that an earlier version wrote into a run, with the current one; `None` for damaged runs.
fn joined(run: PathBuf) -> Option<(String, String)> {
    let written = WrittenKey::read(&run).ok()?;
    let today = written.replaced_by()?;
    Some((written.machine_key, today))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{record, row};
    use super::*;
    use crate::record::{Gpu, Shard, SuitePart};

    #[test]
    fn a_run_belongs_to_its_suite_else_to_its_task() {
        let mut record = record(1);
        assert_eq!(Series::for_run(&record, &[row("a")]).name, "sort");
        record.suite = Some(SuitePart {
            name: "nightly".into(),
            hash: "h".into(),
            shard: Some(Shard { number: 2, of: 4 }),
            points: 1,
            path: None,
        });
        assert_eq!(Series::for_run(&record, &[row("a")]).name, "nightly 2/4");
    }

    #[test]
    fn only_runs_with_points_on_gpus_are_of_their_models() {
        let mut with_gpus = record(1);
        with_gpus.machine.gpus =
            ["H100", "A100"].map(|model| Gpu { model: model.into(), ..Gpu::default() }).to_vec();
        assert_eq!(
            Series::for_run(&with_gpus, &[row("a")]),
            Series::for_run(&record(1), &[row("a")])
        );
        let on = |device: &str| SummaryRow { device: device.into(), ..row("b") };
        let series = Series::for_run(&with_gpus, &[row("a"), on("cuda:1"), on("cuda:0")]);
        assert_eq!(series.gpus, ["A100", "H100"]);
        assert_eq!(series.to_string(), "sort on machine 00ff with A100 and H100");
        assert!(series.file_name().starts_with("sort@00ff+A100+H100"), "{}", series.file_name());
        let cpu = Series::for_run(&record(1), &[row("a")]);
        assert_eq!(
            serde_json::to_value(&cpu).expect("JSON").as_object().map(|it| it.len()),
            Some(2)
        );
    }

    #[test]
    fn names_are_safe_and_remain_different() {
        assert_eq!(safe_name("sort+cluster"), "sort+cluster");
        let names = ["a/b", "a-b", "a b", "../a", "", "..", &"x".repeat(300)];
        let safe: std::collections::BTreeSet<_> = names.iter().map(|n| safe_name(n)).collect();
        assert_eq!(safe.len(), names.len());
        for name in safe {
            assert!(!name.contains('/') && !name.starts_with('.'), "{name}");
            assert!((1..100).contains(&name.len()), "{name}");
        }
    }
}
