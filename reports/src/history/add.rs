//! Adding a run: the copy appears atomically.

use std::path::Path;

use super::check::check;
use super::store::{self, create_folder, entries, rename, sync_folder};
use super::stored::Receipt;
use super::{HistoryError, Series, Store, series};
use crate::record::{RunRecord, SummaryRow};

/// Result of adding a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Added {
    /// The run was added.
    New(String),
    /// The run was in the store already.
    Known(String),
    /// The run was in the store, but damaged; it has been repaired.
    Repaired(String),
}

/// Treatment of a run that is not finished.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unfinished {
    /// Refuse it, as it may be resumed.
    Refuse,
    /// Store it: it was killed, and its data are wanted.
    Allow,
}

impl Added {
    /// Id of the run in the store.
    pub fn id(&self) -> &str {
        match self {
            Added::New(id) | Added::Known(id) | Added::Repaired(id) => id,
        }
    }
}

impl Store {
    /// Copies a run folder into the store. The folder itself is not changed. When this returns, the
    /// run survives a power cut.
    ///
    /// # Errors
    /// If the run can't be stored, or the store can't be written; the store is unchanged then.
    pub fn add(&self, folder: &Path, unfinished: Unfinished) -> Result<Added, HistoryError> {
        let (id, sha256) = identity(folder, unfinished)?;
        self.deliver(folder, id, &sha256).map_err(|error| error.not_stored(folder))
    }

    /// True if the store has an intact copy of this run.
    pub fn has(&self, folder: &Path) -> bool {
        identity(folder, Unfinished::Allow).is_ok_and(|(id, sha256)| {
            let target = self.run_folder(&id);
            is_intact(&target, Receipt::read(&target).ok().as_ref(), &sha256)
        })
    }

    fn deliver(&self, source: &Path, id: String, sha256: &str) -> Result<Added, HistoryError> {
        let writer = self.writer()?;
        let target = self.run_folder(&id);
        let receipt = Receipt::find(&target)?;
        let is_known = target.exists();
        if is_known && is_intact(&target, receipt.as_ref(), sha256) {
            // It may have been added just before a power cut.
            sync_folder(&self.runs_folder())?;
            return Ok(Added::Known(id));
        }
        // A repaired run keeps its order.
        let order = receipt.map_or_else(|| self.next_order(), |receipt| Ok(receipt.order))?;
        let copy = writer.draft("run")?;
        store::copy(source, &copy)?;
        if store::hash(&copy)? != sha256 {
            return Err(HistoryError::Changed(source.to_owned()));
        }
        Receipt::new(order, sha256).write(&copy)?;
        sync_folder(&copy)?;
        if is_known {
            writer.discard(&target)?;
        }
        create_folder(&self.runs_folder())?;
        rename(&copy, &target)?;
        Ok(if is_known { Added::Repaired(id) } else { Added::New(id) })
    }

    /// A number above the order of every existing run.
    fn next_order(&self) -> Result<u64, HistoryError> {
        let mut last = 0;
        for run in entries(&self.runs_folder())? {
            last = Receipt::find(&run)?.map_or(0, |receipt| receipt.order).max(last);
        }
        Ok(last + 1)
    }
}

/// The id of a run that can be stored, and the hash of its files.
fn identity(folder: &Path, unfinished: Unfinished) -> Result<(String, String), HistoryError> {
    // The hash is computed before the check and again of the copy, so that the checked files are
    // the stored ones.
    let sha256 = store::hash(folder)?;
    let (record, summary) = check(folder, unfinished)?;
    Ok((run_id(&record, &summary, &sha256), sha256))
}

fn is_intact(folder: &Path, receipt: Option<&Receipt>, sha256: &str) -> bool {
    receipt.is_some_and(|receipt| receipt.sha256 == sha256)
        && store::hash(folder).is_ok_and(|hash| hash == sha256)
}

/// `20260131T120000Z-nightly-0123456789abcdef`: equal for copies of one run.
fn run_id(record: &RunRecord, summary: &[SummaryRow], sha256: &str) -> String {
    const HASH: usize = 16;
    let started: String = record.started.chars().take(19).collect();
    let started = started.replace(['-', ':'], "").replace([' ', 't'], "T");
    let name = Series::for_run(record, summary).name;
    let hash = &sha256[..HASH.min(sha256.len())];
    format!("{started}Z-{}-{hash}", series::safe_name(&name))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::store::FILES;
    use super::super::testing::{TestStore, record, row, write};
    use super::*;

    #[test]
    fn a_run_is_stored_byte_for_byte_and_its_source_stays() {
        let fixture = TestStore::new();
        let id = fixture.add(&record(1));
        assert!(id.starts_with("20260101T000000Z-sort-"), "{id}");
        for name in FILES {
            let stored = fs::read(fixture.store.run_folder(&id).join(name)).expect("stored");
            let source = fs::read(fixture.source("seed-1").join(name)).expect("still there");
            assert_eq!(stored, source, "{name}");
        }
    }

    #[test]
    fn the_same_run_is_known_and_another_of_the_same_second_is_not() {
        let fixture = TestStore::new();
        let id = fixture.add(&record(1));
        let again = fixture.store.add(&fixture.source("seed-1"), Unfinished::Refuse);
        assert_eq!(again.expect("known"), Added::Known(id.clone()));
        assert_ne!(fixture.add(&record(2)), id);
        assert_eq!(fixture.list().len(), 2);
    }

    #[test]
    fn a_damaged_run_is_repaired_from_its_source_and_keeps_its_order() {
        let fixture = TestStore::new();
        let id = fixture.add(&record(1));
        fixture.add(&record(2));
        let summary = fixture.store.run_folder(&id).join("summary.csv");
        fs::write(&summary, "bit rot").expect("damaged");
        let again = fixture.store.add(&fixture.source("seed-1"), Unfinished::Refuse);
        assert_eq!(again.expect("mended"), Added::Repaired(id.clone()));
        let runs = fixture.list();
        assert!(runs.iter().all(|entry| entry.run.problem.is_none()));
        assert_eq!(runs[1].run.id, id);
    }

    #[test]
    fn a_refused_run_leaves_no_files() {
        let fixture = TestStore::new();
        let source = fixture.source("empty");
        write(&source, &record(1), &[]);
        assert!(fixture.store.add(&source, Unfinished::Refuse).is_err());
        assert!(fixture.list().is_empty());
    }

    #[test]
    fn strange_names_stay_inside_the_store() {
        let fixture = TestStore::new();
        let strange = SummaryRow { algorithm: "../../outside".into(), ..row("a") };
        let source = fixture.source("strange");
        write(&source, &record(1), &[strange]);
        let added = fixture.store.add(&source, Unfinished::Refuse).expect("added");
        assert!(!added.id().contains('/'), "{added:?}");
        assert!(fixture.store.run_folder(added.id()).is_dir());
    }
}
