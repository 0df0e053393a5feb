//! Reasons why a run is not fit.

use serde::Serialize;
use text::{SENTENCE, Untrusted};

use crate::record::SummaryRow;
use crate::row::named_cells;
use crate::shape;
use crate::store::StoreError;

/// Rule that a run breaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum Rule {
    /// All files are there, and those of a packed run are unchanged.
    #[default]
    Files,
    /// The files have the known layout.
    Schema,
    /// The program is of a known version, and built from a commit for measuring.
    Build,
    /// The machine is described.
    Machine,
    /// The machine was not busy.
    Load,
    /// The run was finished, and all planned points have rows.
    Plan,
    /// Points and samples are there once.
    Duplicates,
    /// Each row has the samples that it says.
    Samples,
    /// Statistics and rates are those of the samples.
    Statistics,
    /// Rows of a variant are of one machine code, that of the plan.
    Fingerprint,
    /// All variants gave the right output, or were not run for a reason.
    Validity,
}

named_cells! { Rule }

impl Rule {
    /// Name for readers.
    pub fn name(self) -> &'static str {
        match self {
            Rule::Files => "files",
            Rule::Schema => "schema",
            Rule::Build => "build",
            Rule::Machine => "machine",
            Rule::Load => "load",
            Rule::Plan => "plan",
            Rule::Duplicates => "duplicates",
            Rule::Samples => "samples",
            Rule::Statistics => "statistics",
            Rule::Fingerprint => "fingerprint",
            Rule::Validity => "validity",
        }
    }
}

/// Reason why a run is not fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The broken rule.
    pub rule: Rule,
    /// The problem, its location, and what to do.
    pub problem: String,
}

impl Finding {
    /// A finding.
    pub(super) fn new(rule: Rule, problem: impl Into<String>) -> Self {
        Finding { rule, problem: problem.into() }
    }

    /// A file that can't be read.
    pub(super) fn unreadable(error: &StoreError) -> Self {
        let rule = match error {
            StoreError::NoRun(_) | StoreError::OtherKind { .. } | StoreError::NotRegular { .. } => {
                Rule::Files
            }
            _ => Rule::Schema,
        };
        Finding::new(rule, error.to_string())
    }

    /// One finding for all problems of a kind: their number, and the first one. `None` without any.
    pub(super) fn first_of(rule: Rule, things: &str, problems: &[String]) -> Option<Self> {
        let first = problems.first()?;
        Some(match problems.len() {
            1 => Finding::new(rule, first.clone()),
            count => Finding::new(rule, format!("{count} {things}, the first: {first}")),
        })
    }
}

/// Line of a row of a table, counted from 1 with the header as the first.
pub(super) fn line(index: usize) -> usize {
    index + 2
}

/// `summary.csv, row 3 (sort std-stable total, 2 M digis · 1 thread)`.
pub(super) fn row_words(index: usize, row: &SummaryRow) -> String {
    let SummaryRow { algorithm, stage, .. } = row;
    let name = format!("{algorithm} {} {stage}", shape::name(row));
    format!(
        "summary.csv, row {} ({}, {})",
        line(index),
        name.escaped().at_most(SENTENCE),
        shape::words(row)
    )
}
