//! A run as a report: one page to read, or a short text for a merge request.
//!
//! | module | does |
//! |---|---|
//! | `facts` | computes the content, independent of the format |
//! | `html` | writes a self-contained page |
//! | `markdown` | writes the main results in a few lines |
//!
//! Nothing here reads or writes a file.

mod facts;
pub(crate) mod html;
mod markdown;

use std::io;

pub(crate) use facts::{day, minute};

use crate::charts::{ChartError, NamedSvg};
use crate::compare::Comparison;
use crate::frame::FrameError;
use crate::grouped::tasks_of;
use crate::machines::MachineComparison;
use crate::plan::Plan;
use crate::published::Reproduction;
use crate::rank::Rank;
use crate::record::RunRecord;
use crate::store::{Run, RunSummary};

#[cfg(test)]
pub(crate) use facts::fixture;

/// The report as a page: charts, tables and raw data in one self-contained file.
///
/// # Errors
/// If a chart can't be drawn or the raw data can't be packed.
pub fn html(input: &ReportInput) -> Result<String, ReportError> {
    html::page(input)
}

/// A plan as a page: farms, chart, changes and all assumptions.
pub fn plan_page(plan: &Plan, charts: &[NamedSvg]) -> String {
    html::plan::page(plan, charts)
}

/// Machines side by side as a page: ratios, charts, rates and scores.
pub fn machines_page(comparison: &MachineComparison, charts: &[NamedSvg]) -> String {
    html::machine_comparison::page(comparison, charts)
}

/// The report as a text for a merge request: short, without pictures.
pub fn markdown(input: &ReportInput) -> String {
    markdown::text(input)
}

/// Input of a report.
#[derive(Clone, Copy, Debug)]
pub struct ReportInput<'a> {
    /// The heading; `None` for the default with task, machine and date.
    pub title: Option<&'a str>,
    /// The reported run.
    pub run: &'a Run,
    /// Other runs, in any order and of any machine: earlier ones on the same machine are its
    /// history.
    pub earlier: &'a [RunSummary],
    /// The comparison of the run with another one.
    pub comparison: Option<&'a Comparison>,
    /// Published figures with the values of the run.
    pub published: &'a [Reproduction],
    /// Time by which variants are ranked, if both exist.
    pub rank: Rank,
    /// Path of `samples.csv` relative to the report: samples that are too large to embed are
    /// linked.
    pub samples_link: Option<&'a str>,
    /// True if diagnostic charts of samples are wanted, too.
    pub diagnostics: bool,
}

impl<'a> ReportInput<'a> {
    /// Input for a report of a single run.
    pub fn for_run(run: &'a Run) -> Self {
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
    fn history(&self) -> Vec<&'a RunSummary> {
        let started = &self.run.record.started;
        let mut runs: Vec<_> =
            self.of_this_machine().filter(|run| run.record.started < *started).collect();
        runs.sort_by(|a, b| a.record.started.cmp(&b.record.started));
        runs
    }

    /// Number of later runs of the same machine, which are no part of its history.
    fn later(&self) -> usize {
        self.of_this_machine().count() - self.history().len()
    }

    fn of_this_machine(&self) -> impl Iterator<Item = &'a RunSummary> {
        let key = &self.run.record.machine_key;
        let earlier = self.earlier.iter();
        earlier.filter(move |run| run.record.machine_key == *key)
    }

    /// All records, that of the reported run first.
    fn records(&self) -> impl Iterator<Item = &'a RunRecord> {
        let earlier = self.earlier.iter().map(|run| &run.record);
        std::iter::once(&self.run.record).chain(earlier)
    }

    /// Names of the tasks in the order of the run.
    fn algorithms(&self) -> Vec<&'a str> {
        tasks_of(&self.run.summary)
    }
}

/// Reason why a report could not be made.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// A chart can't be drawn.
    #[error("{0}; --format markdown makes a report without charts")]
    Chart(#[from] ChartError),
    /// The rows can't be serialised to CSV.
    #[error("the raw data: {0}")]
    Rows(#[from] FrameError),
    /// The record can't be serialised to JSON.
    #[error("run.json: {0}; --format markdown makes a report without raw data")]
    Record(#[from] serde_json::Error),
    /// The samples can't be packed.
    #[error("packing samples.csv: {0}; --format markdown makes a report without raw data")]
    Packing(#[from] io::Error),
}
