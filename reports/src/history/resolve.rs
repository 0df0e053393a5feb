//! Resolves the name of a run that a user typed, and the baseline of a suite on a machine.

use std::fmt;
use std::path::PathBuf;

use text::Untrusted;

use super::{HistoryError, Series, Store, StoredRun};
use crate::compare::is_wrong;
use crate::record::{Machine, RunRecord, SummaryRow, YesNo};
use crate::store::read_run;
use crate::units;

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

/// State of the baseline of a series.
#[derive(Clone, Debug, PartialEq)]
pub enum BaselineState {
    /// This run is accepted.
    Accepted(StoredRun),
    /// None, but the same suite or task has or had one on another machine.
    Elsewhere(Elsewhere),
    /// No run of the suite or task was ever accepted.
    Unknown,
}

/// The most recently accepted run of a suite or task on another machine or in the past.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Elsewhere {
    wanted: Series,
    run: String,
    /// The series that the run was accepted for.
    of: Series,
    /// Differences of that machine; `None` if the run is no longer stored.
    differences: Option<Vec<String>>,
}

impl Store {
    /// The state of the baseline of a series on a machine.
    ///
    /// # Errors
    /// If the store can't be read, or the accepted run is damaged or gone.
    pub fn baseline_state(
        &self,
        series: &Series,
        machine: &Machine,
    ) -> Result<BaselineState, HistoryError> {
        if let Some(run) = self.baseline(series)? {
            return Ok(BaselineState::Accepted(run));
        }
        let same_name = self.acceptances()?.into_iter();
        let same_name = same_name.filter(|accepted| accepted.series.name == series.name);
        let Some(last) = same_name.max_by(|a, b| a.when.cmp(&b.when)) else {
            return Ok(BaselineState::Unknown);
        };
        let record = read_run(&self.run_folder(&last.run)).ok();
        let differences = record.map(|record| {
            let mut differences = machine.differences(&record.machine);
            differences.extend(series.other_gpus(&last.series));
            differences
        });
        Ok(BaselineState::Elsewhere(Elsewhere {
            wanted: series.clone(),
            of: last.series,
            run: last.run,
            differences,
        }))
    }
}

impl fmt::Display for Elsewhere {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let run = self.run.escaped();
        let key = self.of.machine_key.escaped();
        write!(f, "no baseline of {} any more: the last one, {run}, was ", self.wanted)?;
        if self.of == self.wanted {
            return write!(f, "revoked");
        }
        write!(f, "of {key}, which differs: ")?;
        match self.differences.as_deref() {
            Some([]) => write!(f, "in nothing that is recorded"),
            Some(differences) => write!(f, "{}", differences.join(", ")),
            None => write!(f, "in unknown properties, as that run was deleted"),
        }
    }
}

/// Maximum number of variants named in a sentence.
const NAMED: usize = 5;

/// Reason why a run can't be a baseline, as the end of a sentence; `None` if it can.
pub(super) fn problem(record: &RunRecord, rows: &[SummaryRow]) -> Option<String> {
    if record.is_small() {
        return Some(
            "was measured under RECOBENCH_SMALL, so its times are meaningless; measure without it"
                .to_owned(),
        );
    }
    if record.command.get(1).is_some_and(|word| word == "selftest") {
        return Some("is of a self-test, which slows samples down on purpose".to_owned());
    }
    let wrong: Vec<&SummaryRow> =
        rows.iter().filter(|row| row.valid == YesNo::No && is_wrong(&row.note)).collect();
    let mut names: Vec<&str> = wrong.iter().map(|row| row.variant.as_str()).collect();
    names.dedup();
    names.truncate(NAMED);
    (!wrong.is_empty()).then(|| {
        let count = units::counted(wrong.len(), "point");
        let names = names.join(", ");
        format!("has {count} whose output was wrong or that failed ({names}); fix them first")
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing::{TestStore, elsewhere, record, row};
    use super::super::{Added, Unfinished};
    use super::*;
    use crate::record::{RunRecord, SMALL_NOTE};

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

    #[test]
    fn a_suite_is_known_wherever_a_run_of_it_was_accepted() {
        let fixture = TestStore::new();
        let store = &fixture.store;
        let here = record(1);
        let mut there = RunRecord { machine_key: "11".into(), ..record(2) };
        there.machine.cores += 2;
        let folder = fixture.source("there");
        super::super::testing::write(&folder, &there, &[row("std-stable")]);
        let series = Series::for_run(&here, &[row("a")]);
        let state = || store.baseline_state(&series, &here.machine).expect("read");
        assert_eq!(state(), BaselineState::Unknown);
        let Ok(Added::New(elsewhere)) = store.add(&folder, Unfinished::Refuse) else {
            panic!("not added");
        };
        assert_eq!(state(), BaselineState::Unknown);
        store.accept(&elsewhere, "").expect("accepted");
        let words = |state| match state {
            BaselineState::Elsewhere(elsewhere) => elsewhere.to_string(),
            state => panic!("{state:?}"),
        };
        let then = there.machine.cores;
        let now = here.machine.cores;
        let expected = format!(
            "no baseline of sort on machine 00ff any more: the last one, {elsewhere}, was of 11, \
             which differs: {now} instead of {then} cores"
        );
        assert_eq!(words(state()), expected);
        let own = fixture.add(&here);
        store.accept(&own, "").expect("accepted");
        assert!(matches!(state(), BaselineState::Accepted(run) if run.id == own));
        store.unaccept(&own).expect("revoked");
        store.unaccept(&elsewhere).expect("revoked");
        assert!(words(state()).starts_with("no baseline of sort on machine 00ff any more"));
    }

    #[test]
    fn small_runs_self_tests_and_wrong_variants_are_no_baselines() {
        let problem_of = |change: fn(&mut RunRecord, &mut SummaryRow)| {
            let mut record = record(1);
            let mut row = row("std-stable");
            change(&mut record, &mut row);
            problem(&record, &[row]).unwrap_or_default()
        };
        assert_eq!(problem_of(|_, _| ()), "");
        let small = problem_of(|record, _| record.notes.push(SMALL_NOTE.to_owned()));
        assert!(small.contains("RECOBENCH_SMALL"), "{small}");
        let test = problem_of(|record, _| record.command = vec!["bench".into(), "selftest".into()]);
        assert!(test.contains("self-test"), "{test}");
        let wrong = problem_of(|_, row| {
            row.valid = YesNo::No;
            row.note = "wrong output: digi 7".into();
        });
        assert!(wrong.starts_with("has 1 point whose output was wrong"), "{wrong}");
        // A variant that does not run here is no fault of the run.
        let refused = problem_of(|_, row| {
            row.valid = YesNo::No;
            row.note = "not run: no room".into();
        });
        assert_eq!(refused, "");
    }
}
