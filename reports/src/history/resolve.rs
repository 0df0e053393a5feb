//! Resolves the name of a run that a user typed.

use std::path::PathBuf;

use super::{HistoryError, Series, Store, StoredRun};

/// Maximum number of suggestions.
const SUGGESTIONS: usize = 3;

impl Store {
    /// The folder of a run: by its id, a prefix of its id or of the hash in it, `latest` for the
    /// run added last, or `accepted` for the baseline. The last two refer to a series, if one is
    /// specified. The run's files are verified.
    ///
    /// # Errors
    /// If there is no such run, or more than one, or it is damaged.
    pub fn resolve(&self, name: &str, of: Option<&Series>) -> Result<PathBuf, HistoryError> {
        Ok(self.run_folder(&self.find(name, of)?.id))
    }

    /// The run that [`Store::resolve`] finds, with its description.
    ///
    /// # Errors
    /// As of [`Store::resolve`].
    pub fn find(&self, name: &str, of: Option<&Series>) -> Result<StoredRun, HistoryError> {
        match name {
            "latest" => self.latest(of),
            "accepted" => self.accepted(of),
            _ => self.named(name),
        }
    }

    /// A run by its full id, if its files are intact.
    pub(super) fn intact(&self, id: &str) -> Result<StoredRun, HistoryError> {
        self.inspect(id).map_or_else(|| self.unknown(id), whole)
    }

    fn latest(&self, of: Option<&Series>) -> Result<StoredRun, HistoryError> {
        let is_meant = |run: &StoredRun| of.is_none_or(|series| run.series() == *series);
        match self.newest_first()?.find(is_meant) {
            Some(run) => whole(run),
            None => Err(HistoryError::Unknown { name: "latest".to_owned(), near: vec![] }),
        }
    }

    fn accepted(&self, of: Option<&Series>) -> Result<StoredRun, HistoryError> {
        if let Some(series) = of {
            let baseline = self.baseline(series)?;
            return baseline.ok_or_else(|| HistoryError::NoneAccepted(series.clone()));
        }
        // Without a series the name is unique if only one series has a baseline.
        let all = self.accepted_runs()?;
        match all.as_slice() {
            [] => Err(HistoryError::Unknown { name: "accepted".to_owned(), near: vec![] }),
            [id] => self.intact(id),
            _ => Err(HistoryError::WhichSeries(all)),
        }
    }

    fn named(&self, name: &str) -> Result<StoredRun, HistoryError> {
        let mut meant = self.ids()?;
        if meant.iter().any(|id| id == name) {
            return self.intact(name);
        }
        meant.retain(|id| is_meant(name, id));
        match meant.as_slice() {
            [] => self.unknown(name),
            [id] => self.intact(id),
            _ => Err(HistoryError::Ambiguous { name: name.to_owned(), candidates: meant }),
        }
    }

    /// Suggests the runs with the longest common prefix, the newest first.
    fn unknown<T>(&self, name: &str) -> Result<T, HistoryError> {
        let mut near = self.ids()?;
        near.reverse();
        near.sort_by_key(|id| std::cmp::Reverse(common_start(id, name)));
        near.truncate(SUGGESTIONS);
        Err(HistoryError::Unknown { name: name.to_owned(), near })
    }
}

fn whole(run: StoredRun) -> Result<StoredRun, HistoryError> {
    match run {
        StoredRun { id, problem: Some(problem), .. } => Err(HistoryError::Damaged { id, problem }),
        run => Ok(run),
    }
}

/// True if a name is a prefix of an id or of the hash in it.
pub(super) fn is_meant(name: &str, id: &str) -> bool {
    let hash = id.rsplit('-').next().unwrap_or("");
    !name.is_empty() && (id.starts_with(name) || hash.starts_with(name))
}

fn common_start(a: &str, b: &str) -> usize {
    a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use super::super::testing::{TestStore, elsewhere, record, row};
    use super::*;

    #[test]
    fn runs_are_found_by_id_beginning_and_hash() {
        let fixture = TestStore::new();
        let first = fixture.add(&record(1));
        let second = fixture.add(&record(2));
        let find = |name: &str| fixture.store.find(name, None).map(|run| run.id);
        let hash = first.rsplit('-').next().expect("a hash");
        assert_eq!(find(&first).expect("found"), first);
        assert_eq!(find(&first[..first.len() - 8]).expect("found"), first);
        assert_eq!(find(&hash[..8]).expect("found"), first);
        assert_eq!(find("latest").expect("found"), second);
        let path = fixture.store.resolve(&first, None).expect("found");
        assert!(path.join("run.json").exists());
    }

    #[test]
    fn ambiguous_names_are_refused_with_candidates() {
        let fixture = TestStore::new();
        let ids = [fixture.add(&record(1)), fixture.add(&record(2))];
        let refusal = |name: &str| fixture.store.find(name, None).expect_err(name).to_string();
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
    fn accepted_and_latest_are_those_of_a_series() {
        let fixture = TestStore::new();
        let mine = fixture.add(&record(1));
        let theirs = fixture.add(&elsewhere(2));
        let series = Series::for_run(&record(1), &[row("a")]);
        let find = |name: &str| fixture.store.find(name, Some(&series));
        assert_eq!(find("latest").expect("found").id, mine);
        let refusal = find("accepted").expect_err("none yet");
        assert!(matches!(refusal, HistoryError::NoneAccepted(_)), "{refusal}");
        fixture.store.accept(&mine, "").expect("accepted");
        assert_eq!(find("accepted").expect("found").id, mine);
        assert_eq!(fixture.store.find("accepted", None).expect("one").id, mine);
        fixture.store.accept(&theirs, "").expect("accepted");
        let refusal = fixture.store.find("accepted", None).expect_err("two");
        assert!(matches!(refusal, HistoryError::WhichSeries(_)), "{refusal}");
    }
}
