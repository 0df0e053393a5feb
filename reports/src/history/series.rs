//! Which runs follow each other.

use std::fmt;

use serde::{Deserialize, Serialize};
use text::Foreign;

use super::content;
use crate::grouped::tasks_of;
use crate::record::{RunRecord, SuitePart, SummaryRow};

/// The runs of one suite, or of one task, on one kind of machine.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Series {
    /// The machine's key.
    pub machine_key: String,
    /// The suite, with the shard if it is one: `nightly 2/4`; without a suite
    /// the task: `sort`.
    pub name: String,
}

impl Series {
    /// The series that a run belongs to.
    pub fn of(record: &RunRecord, summary: &[SummaryRow]) -> Self {
        match &record.suite {
            Some(part) => Series::of_suite(&record.machine_key, part),
            None => Series { machine_key: record.machine_key.clone(), name: tasks(summary) },
        }
    }

    /// The series of the runs of a suite, or of a shard of it, on a machine.
    pub fn of_suite(machine_key: &str, part: &SuitePart) -> Self {
        Series {
            machine_key: machine_key.to_owned(),
            name: match part.shard {
                Some(shard) => format!("{} {shard}", part.name),
                None => part.name.clone(),
            },
        }
    }

    /// A file name that no other series has.
    pub(super) fn file_name(&self) -> String {
        let name = safe_name(&self.name);
        format!("{name}@{}.json", safe_name(&self.machine_key))
    }
}

impl fmt::Display for Series {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} on machine {}", self.name.shown(), self.machine_key.shown())
    }
}

/// The tasks of a run, each once, in their order: `sort+cluster`.
pub(super) fn tasks(summary: &[SummaryRow]) -> String {
    tasks_of(summary).join("+")
}

/// A text as part of a file name. Different texts make different names: where
/// something had to be replaced, a hash follows.
pub(crate) fn safe_name(text: &str) -> String {
    const LONGEST: usize = 60;
    let is_safe = |c: char| c.is_ascii_alphanumeric() || "+_.".contains(c) || c == '-';
    let safe: String =
        text.chars().map(|c| if is_safe(c) { c } else { '-' }).take(LONGEST).collect();
    if safe == text && !text.is_empty() && !text.starts_with('.') {
        return safe;
    }
    format!("{}~{}", safe.trim_start_matches('.'), content::short_hash(text))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{record, row};
    use super::*;
    use crate::record::{Shard, SuitePart};

    #[test]
    fn a_run_belongs_to_its_suite_else_to_its_task() {
        let mut record = record(1);
        assert_eq!(Series::of(&record, &[row("a")]).name, "sort");
        record.suite = Some(SuitePart {
            name: "nightly".into(),
            hash: "h".into(),
            shard: Some(Shard { number: 2, of: 4 }),
            points: 1,
            path: None,
        });
        assert_eq!(Series::of(&record, &[row("a")]).name, "nightly 2/4");
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
