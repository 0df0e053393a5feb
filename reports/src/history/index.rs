//! `index.csv`: a row a run, for other tools and for fast lists.
//!
//! A row is believed as long as the sizes and times of the run's files are
//! those that it was made from. A missing or damaged index costs time only.

use std::collections::HashMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use super::stored::RECEIPT;
use super::{HistoryError, Store, StoredRun, content};

const COLUMNS: &str = "id,order,added,started,finished,machine_key,cpu_model,series,suite,tasks,\
    git_commit,points,invalid,problem,stamp";

/// A run, and the state of the files that it was read from.
type Row = (StoredRun, String);

impl Store {
    /// All runs in the order of adding, and an index that says the same.
    pub(super) fn refresh_index(&self) -> Result<Vec<StoredRun>, HistoryError> {
        let known = self.read_index();
        let rows = self.rows(&known)?;
        if rows != known {
            let path = self.index();
            let text = format(&rows).map_err(|error| HistoryError::format(&path, error))?;
            // A store that can't be written can still be read.
            let _ = self.replace(&path, &text);
        }
        Ok(runs(rows))
    }

    /// All runs in the order of adding; writes nothing.
    pub(super) fn scan(&self) -> Result<Vec<StoredRun>, HistoryError> {
        Ok(runs(self.rows(&self.read_index())?))
    }

    fn index(&self) -> PathBuf {
        self.root().join("index.csv")
    }

    /// What the index says; nothing if it is missing or damaged.
    fn read_index(&self) -> Vec<Row> {
        let text = fs::read_to_string(self.index());
        text.ok().and_then(|text| parse(&text)).unwrap_or_default()
    }

    fn rows(&self, known: &[Row]) -> Result<Vec<Row>, HistoryError> {
        let known: HashMap<&str, &Row> = known.iter().map(|row| (row.0.id.as_str(), row)).collect();
        let ids = self.ids()?;
        let row = |id: &String| self.row(id, known.get(id.as_str()).copied());
        let mut rows: Vec<Row> = ids.iter().filter_map(row).collect();
        rows.sort_by(|(a, _), (b, _)| (a.order, &a.added, &a.id).cmp(&(b.order, &b.added, &b.id)));
        Ok(rows)
    }

    /// `None` if the run was deleted a moment ago.
    fn row(&self, id: &str, known: Option<&Row>) -> Option<Row> {
        let folder = self.run_folder(id);
        let stamp = stamp(&folder);
        match known {
            Some(row) if row.1 == stamp && row.0.problem.is_none() => Some(row.clone()),
            _ => {
                let run = StoredRun::inspect(&folder, id);
                folder.exists().then_some((run, stamp))
            }
        }
    }

    /// The names of the folders below `runs/`.
    fn ids(&self) -> Result<Vec<String>, HistoryError> {
        let folder = self.runs_folder();
        if !folder.exists() {
            return Ok(vec![]);
        }
        let unreadable = |source| HistoryError::unreadable(&folder, source);
        let mut ids = Vec::new();
        for entry in fs::read_dir(&folder).map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?;
            if entry.path().is_dir() {
                ids.push(entry.file_name().to_string_lossy().into_owned());
            }
        }
        Ok(ids)
    }
}

fn runs(rows: Vec<Row>) -> Vec<StoredRun> {
    rows.into_iter().map(|(run, _)| run).collect()
}

/// Sizes and times of a run's files, as a short hash.
fn stamp(folder: &Path) -> String {
    let mut text = String::new();
    for name in content::files(folder).chain([RECEIPT]) {
        let metadata = fs::metadata(folder.join(name)).ok();
        let size = metadata.as_ref().map(fs::Metadata::len);
        let modified = metadata.and_then(|metadata| metadata.modified().ok());
        let age = modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let _ = write!(text, "{size:?} {age:?};");
    }
    content::short_hash(&text)
}

fn format(rows: &[Row]) -> Result<Vec<u8>, csv::Error> {
    let mut builder = csv::WriterBuilder::new();
    let mut writer = builder.has_headers(false).from_writer(Vec::new());
    writer.write_record(COLUMNS.split(','))?;
    for row in rows {
        writer.serialize(row)?;
    }
    writer.into_inner().map_err(|error| error.into_error().into())
}

/// `None` unless all of it is well formed.
fn parse(text: &str) -> Option<Vec<Row>> {
    let (header, rows) = text.split_once('\n')?;
    if header != COLUMNS || !text.ends_with('\n') {
        return None;
    }
    let mut builder = csv::ReaderBuilder::new();
    let mut reader = builder.has_headers(false).from_reader(rows.as_bytes());
    reader.deserialize().collect::<Result<_, _>>().ok()
}

#[cfg(test)]
mod tests {
    use super::super::Filter;
    use super::super::testing::{Shelf, record};
    use super::*;

    fn index(shelf: &Shelf) -> String {
        fs::read_to_string(shelf.store.index()).expect("readable")
    }

    #[test]
    fn the_index_has_a_row_a_run_and_reads_back() {
        let shelf = Shelf::new();
        let ids = [shelf.add(&record(1)), shelf.add(&record(2))];
        let rows = parse(&index(&shelf)).expect("well formed");
        assert_eq!(rows.iter().map(|row| &row.0.id).collect::<Vec<_>>(), [&ids[0], &ids[1]]);
        assert_eq!(rows[0].0.tasks, "sort");
        assert_eq!(rows[0].0.machine_key, "00ff");
    }

    #[test]
    fn a_lost_or_damaged_index_is_made_anew() {
        let shelf = Shelf::new();
        shelf.add(&record(1));
        shelf.add(&record(2));
        let whole = index(&shelf);
        for damage in ["", "garbage", &whole[..whole.len() / 2], &whole.replace('\n', "\n1,2\n")] {
            fs::write(shelf.store.index(), damage).expect("damaged");
            assert_eq!(shelf.store.list(&Filter::default()).expect("listed").len(), 2);
            assert_eq!(index(&shelf), whole);
        }
        fs::remove_file(shelf.store.index()).expect("removed");
        assert_eq!(shelf.store.list(&Filter::default()).expect("listed").len(), 2);
    }

    #[test]
    fn damaged_runs_are_told_and_break_no_list() {
        let shelf = Shelf::new();
        let ids: Vec<_> = (0..5).map(|seed| shelf.add(&record(seed))).collect();
        let path = |i: usize, name: &str| shelf.store.run_folder(&ids[i]).join(name);
        fs::write(path(1, "samples.csv"), "edited").expect("written");
        fs::remove_file(path(2, "summary.csv")).expect("removed");
        fs::write(path(3, "run.json"), "{").expect("written");
        fs::write(path(4, "stored.json"), r#"{"schema_version": 5}"#).expect("written");
        fs::create_dir(shelf.store.run_folder("foreign")).expect("made");
        let listed = shelf.store.list(&Filter::default()).expect("listed");
        assert_eq!(listed.len(), 6);
        for entry in listed {
            let is_whole = entry.run.id == ids[0];
            assert_eq!(entry.run.problem.is_none(), is_whole, "{:?}", entry.run);
        }
    }

    #[test]
    fn the_index_names_the_fields_in_their_order() {
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.serialize(StoredRun::default()).expect("serialised");
        let text = String::from_utf8(writer.into_inner().expect("flushed")).expect("text");
        let header = text.lines().next().expect("a header");
        assert_eq!(format!("{header},stamp"), COLUMNS);
    }
}
