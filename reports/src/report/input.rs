//! What a report is made of.

use crate::compare::Comparison;
use crate::grouped::tasks_of;
use crate::published::Reproduction;
use crate::rank::Rank;
use crate::record::RunRecord;
use crate::store::{Run, RunSummary};

/// What a report is made of.
#[derive(Clone, Copy, Debug)]
pub struct ReportInput<'a> {
    /// The heading; `None` for one that says what was measured where and when.
    pub title: Option<&'a str>,
    /// The run that is reported.
    pub run: &'a Run,
    /// Other runs, in any order and of any machine: those before it on the
    /// same machine are its history.
    pub earlier: &'a [RunSummary],
    /// The run against another one.
    pub comparison: Option<&'a Comparison>,
    /// Published figures beside what the run has measured.
    pub published: &'a [Reproduction],
    /// What variants are ranked by, where there is a choice.
    pub rank: Rank,
    /// Where `samples.csv` is, as seen from the report: samples that are too
    /// many to be in the page are linked.
    pub samples_link: Option<&'a str>,
    /// Whether charts for whoever doubts the measuring are wanted too.
    pub diagnostics: bool,
}

impl<'a> ReportInput<'a> {
    /// What a report of a run by itself is made of.
    pub fn of(run: &'a Run) -> Self {
        ReportInput {
            title: None,
            run,
            earlier: &[],
            comparison: None,
            published: &[],
            rank: Rank::default(),
            samples_link: None,
            diagnostics: false,
        }
    }

    /// The runs before the reported one on the same machine, the oldest first.
    pub(super) fn history(&self) -> Vec<&'a RunSummary> {
        let started = &self.run.record.started;
        let mut runs: Vec<_> =
            self.of_this_machine().filter(|run| run.record.started < *started).collect();
        runs.sort_by(|a, b| a.record.started.cmp(&b.record.started));
        runs
    }

    /// How many runs of the same machine are later than the reported one: they
    /// are no part of its history.
    pub(super) fn later(&self) -> usize {
        self.of_this_machine().count() - self.history().len()
    }

    fn of_this_machine(&self) -> impl Iterator<Item = &'a RunSummary> {
        let key = &self.run.record.machine_key;
        let earlier = self.earlier.iter();
        earlier.filter(move |run| run.record.machine_key == *key)
    }

    /// All records, that of the reported run first.
    pub(super) fn records(&self) -> impl Iterator<Item = &'a RunRecord> {
        let earlier = self.earlier.iter().map(|run| &run.record);
        std::iter::once(&self.run.record).chain(earlier)
    }

    /// Names of the tasks in the order of the run.
    pub(super) fn algorithms(&self) -> Vec<&'a str> {
        tasks_of(&self.run.summary)
    }
}
