//! From what a user types to a run.

use std::path::PathBuf;

use super::{Entry, HistoryError, Series, Store, StoredRun};

/// So many names are suggested.
const SUGGESTIONS: usize = 3;

impl Store {
    /// The folder of a run: by its id, the beginning of its id or of the hash
    /// in it, `latest` for the run added last, or `accepted` for the baseline.
    /// The last two mean those of a series, where one is given. The run's
    /// files are what was stored.
    ///
    /// # Errors
    /// If there is no such run, or more than one, or it is damaged.
    pub fn resolve(&self, name: &str, of: Option<&Series>) -> Result<PathBuf, HistoryError> {
        let entry = self.find(name, of)?;
        Ok(self.run_folder(&entry.run.id))
    }

    /// The same as [`Store::resolve`], with what is known of the run.
    ///
    /// # Errors
    /// As there.
    pub fn find(&self, name: &str, of: Option<&Series>) -> Result<Entry, HistoryError> {
        match name {
            "latest" => self.latest(of),
            "accepted" => self.accepted(of),
            _ => self.named(name),
        }
    }

    /// A run by its whole id, if its files are what was stored.
    pub(super) fn intact(&self, id: &str) -> Result<Entry, HistoryError> {
        let entries = self.entries()?;
        match entries.iter().find(|entry| entry.run.id == id) {
            Some(entry) => self.whole(entry),
            None => Err(unknown(id, &entries)),
        }
    }

    fn latest(&self, of: Option<&Series>) -> Result<Entry, HistoryError> {
        let mut entries = self.entries()?;
        entries.retain(|entry| of.is_none_or(|series| entry.run.series() == *series));
        let last = entries.last();
        self.whole(last.ok_or_else(|| unknown("latest", &[]))?)
    }

    fn accepted(&self, of: Option<&Series>) -> Result<Entry, HistoryError> {
        let series = match of {
            Some(series) => series.clone(),
            None => self.only_accepted_series()?,
        };
        let baseline = self.baseline(&series)?;
        baseline.ok_or(HistoryError::NoneAccepted(series))
    }

    /// Without a series, `accepted` is clear if only one has a baseline.
    fn only_accepted_series(&self) -> Result<Series, HistoryError> {
        let mut series = self.accepted_series()?;
        match series.len() {
            0 => Err(unknown("accepted", &[])),
            1 => Ok(series.remove(0)),
            _ => Err(HistoryError::WhichSeries(self.accepted_ids()?)),
        }
    }

    fn named(&self, name: &str) -> Result<Entry, HistoryError> {
        let entries = self.entries()?;
        if let Some(entry) = entries.iter().find(|entry| entry.run.id == name) {
            return self.whole(entry);
        }
        let is_meant = |entry: &&Entry| is_meant(name, &entry.run.id);
        let mut meant = entries.iter().filter(is_meant);
        match (meant.next(), meant.next()) {
            (Some(entry), None) => self.whole(entry),
            (Some(_), Some(_)) => Err(HistoryError::Ambiguous {
                name: name.to_owned(),
                candidates: ids(entries.iter().filter(is_meant)),
            }),
            _ => Err(unknown(name, &entries)),
        }
    }

    /// The run, if its files are what was stored: they are read once more,
    /// since rot changes neither their sizes nor their times.
    fn whole(&self, entry: &Entry) -> Result<Entry, HistoryError> {
        let id = &entry.run.id;
        match StoredRun::inspect(&self.run_folder(id), id).problem {
            Some(problem) => Err(HistoryError::Damaged { id: id.clone(), problem }),
            None => Ok(entry.clone()),
        }
    }
}

/// Whether a name is the beginning of an id or of the hash in it.
pub(super) fn is_meant(name: &str, id: &str) -> bool {
    let hash = id.rsplit('-').next().unwrap_or("");
    !name.is_empty() && (id.starts_with(name) || hash.starts_with(name))
}

/// Suggests the runs that share most of their beginning, the newest first.
fn unknown(name: &str, entries: &[Entry]) -> HistoryError {
    let mut near: Vec<&Entry> = entries.iter().rev().collect();
    near.sort_by_key(|entry| std::cmp::Reverse(common_start(&entry.run.id, name)));
    HistoryError::Unknown { name: name.to_owned(), near: ids(near.into_iter().take(SUGGESTIONS)) }
}

fn common_start(a: &str, b: &str) -> usize {
    a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count()
}

fn ids<'a>(entries: impl Iterator<Item = &'a Entry>) -> Vec<String> {
    entries.map(|entry| entry.run.id.clone()).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::Filter;
    use super::super::testing::{Shelf, record, row};
    use super::*;

    #[test]
    fn runs_are_found_by_id_beginning_and_hash() {
        let shelf = Shelf::new();
        let (first, second) = (shelf.add(&record(1)), shelf.add(&record(2)));
        let find = |name: &str| shelf.store.find(name, None).map(|entry| entry.run.id);
        let hash = first.rsplit('-').next().expect("a hash");
        assert_eq!(find(&first).expect("found"), first);
        assert_eq!(find(&first[..first.len() - 8]).expect("found"), first);
        assert_eq!(find(&hash[..8]).expect("found"), first);
        assert_eq!(find("latest").expect("found"), second);
        let path = shelf.store.resolve(&first, None).expect("found");
        assert!(path.join("run.json").exists());
    }

    #[test]
    fn what_is_not_clear_is_refused_with_names() {
        let shelf = Shelf::new();
        let ids = [shelf.add(&record(1)), shelf.add(&record(2))];
        let refusal = |name: &str| shelf.store.find(name, None).expect_err(name).to_string();
        for name in ["2026", "20260102", "zzz"] {
            let refusal = refusal(name);
            assert!(ids.iter().all(|id| refusal.contains(id)), "{refusal}");
        }
        assert!(refusal("2026").contains("more than one run"));
        assert!(refusal("zzz").contains("did you mean"));
        assert!(refusal("accepted").contains("no run \"accepted\""));
        assert!(refusal("").contains("did you mean"));
    }

    #[test]
    fn rot_that_no_list_sees_is_found() {
        let shelf = Shelf::new();
        let id = shelf.add(&record(1));
        let path = shelf.store.run_folder(&id).join("samples.csv");
        let times = fs::metadata(&path).and_then(|it| it.modified());
        let rotten = fs::read_to_string(&path).expect("read").replace("0.001", "0.009");
        fs::write(&path, rotten).expect("written");
        let file = fs::File::options().write(true).open(&path).expect("opened");
        file.set_modified(times.expect("a time")).expect("set back");
        let listed = shelf.store.list(&Filter::default()).expect("listed");
        assert_eq!(listed[0].run.problem, None);
        let refusal = shelf.store.resolve("latest", None).expect_err("rotten");
        assert!(matches!(refusal, HistoryError::Damaged { .. }), "{refusal}");
    }

    #[test]
    fn accepted_and_latest_are_those_of_a_series() {
        let shelf = Shelf::new();
        let mine = shelf.add(&record(1));
        let mut other = record(2);
        other.machine_key = "11".into();
        let theirs = shelf.add(&other);
        let series = Series::of(&record(1), &[row("a")]);
        let find = |name: &str| shelf.store.find(name, Some(&series));
        assert_eq!(find("latest").expect("found").run.id, mine);
        let refusal = find("accepted").expect_err("none yet");
        assert!(matches!(refusal, HistoryError::NoneAccepted(_)), "{refusal}");
        shelf.store.accept(&mine, "").expect("accepted");
        assert_eq!(find("accepted").expect("found").run.id, mine);
        assert_eq!(shelf.store.find("accepted", None).expect("one").run.id, mine);
        shelf.store.accept(&theirs, "").expect("accepted");
        let refusal = shelf.store.find("accepted", None).expect_err("two");
        assert!(matches!(refusal, HistoryError::WhichSeries(_)), "{refusal}");
    }
}
