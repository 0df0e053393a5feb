//! Selection of runs to list.

use std::time::SystemTime;

use super::{Entry, StoredRun};

/// Conditions of runs to list; by default none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Prefix of the machine's key.
    pub machine: Option<String>,
    /// Name of the suite.
    pub suite: Option<String>,
    /// A task of the run.
    pub task: Option<String>,
    /// Prefix of the commit's hash.
    pub commit: Option<String>,
    /// Earliest start.
    pub since: Option<SystemTime>,
    /// Starts must be before this.
    pub until: Option<SystemTime>,
    /// Accepted runs of series only.
    pub accepted: bool,
    /// Maximum number of runs: the ones that were added last.
    pub last: Option<usize>,
}

impl Filter {
    /// True if a run matches, apart from the maximum number.
    pub(super) fn takes(&self, entry: &Entry) -> bool {
        let run = &entry.run;
        let commit = run.git_commit.as_deref().unwrap_or("");
        let suite = run.suite.as_deref();
        given(&self.machine, |key| run.machine_key.starts_with(key))
            && given(&self.suite, |name| suite == Some(name))
            && given(&self.task, |task| run.tasks.split('+').any(|it| it == task))
            && given(&self.commit, |hash| commit.starts_with(hash))
            && self.is_in_time(run)
            && (entry.accepted || !self.accepted)
    }

    /// A run without a valid start is in no interval of time.
    fn is_in_time(&self, run: &StoredRun) -> bool {
        let started = humantime::parse_rfc3339_weak(&run.started).ok();
        let since = self.since.is_none_or(|since| started.is_some_and(|it| it >= since));
        let until = self.until.is_none_or(|until| started.is_some_and(|it| it < until));
        since && until
    }
}

fn given(wanted: &Option<String>, holds: impl Fn(&str) -> bool) -> bool {
    wanted.as_deref().is_none_or(holds)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry() -> Entry {
        let run = StoredRun {
            id: "id".into(),
            started: "2026-01-02T00:00:00Z".into(),
            machine_key: "00ff".into(),
            suite: Some("nightly".into()),
            tasks: "sort+cluster".into(),
            git_commit: Some("abc123".into()),
            ..StoredRun::default()
        };
        Entry { run, accepted: false, notes: vec![] }
    }

    fn time(text: &str) -> Option<SystemTime> {
        humantime::parse_rfc3339_weak(text).ok()
    }

    #[test]
    fn each_condition_counts() {
        let takes = |filter: Filter| filter.takes(&entry());
        assert!(takes(Filter::default()));
        for (is_taken, machine, suite, task, commit) in [
            (true, "00", "nightly", "cluster", "abc"),
            (false, "ff", "nightly", "cluster", "abc"),
            (false, "00", "night", "cluster", "abc"),
            (false, "00", "nightly", "clust", "abc"),
            (false, "00", "nightly", "cluster", "bc"),
        ] {
            let [machine, suite, task, commit] =
                [machine, suite, task, commit].map(|text| Some(text.to_owned()));
            let filter = Filter { machine, suite, task, commit, ..Filter::default() };
            assert_eq!(takes(filter.clone()), is_taken, "{filter:?}");
        }
        for (is_taken, since, until) in [
            (true, "2026-01-02 00:00:00", "2026-01-02 00:00:01"),
            (false, "2026-01-02 00:00:01", "2026-01-02 00:00:02"),
            (false, "2026-01-01 00:00:00", "2026-01-02 00:00:00"),
        ] {
            let filter = Filter { since: time(since), until: time(until), ..Filter::default() };
            assert_eq!(takes(filter), is_taken, "{since} {until}");
        }
        assert!(!takes(Filter { accepted: true, ..Filter::default() }));
    }
}
