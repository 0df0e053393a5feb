//! Submissions: run folders to be published, checked against their own samples, and packed with
//! hashes.
//!
//! Reading order:
//!
//! | module | holds |
//! |---|---|
//! | `finding` | reasons why a run is not fit |
//! | `described` | description of the run: version, build, machine, load, completion |
//! | `plan` | completeness, duplicates and fingerprints |
//! | `samples` | samples of each row: identity, number, order |
//! | `statistics_again` | statistics and rates, computed from the samples again |
//! | `validity` | valid rows, and those that are not |
//! | `manifest` | packed folders: files with their hashes |
//! | `table` | output for people and programs |
//!
//! A check finds what contradicts itself. A run that was made up consistently is found by measuring
//! again only.

mod described;
mod finding;
mod manifest;
mod plan;
mod samples;
mod statistics_again;
mod table;
#[cfg(test)]
mod tests;
mod validity;

use std::path::{Path, PathBuf};

pub use finding::{Finding, Rule};
pub use manifest::{MANIFEST, Manifest, PackedFile, pack};
pub use table::SubmissionChecks;
#[cfg(test)]
pub(crate) use table::SubmissionFinding;

use crate::record::{RunRecord, SampleRow, SummaryRow};
use crate::store::{StoreError, read_run, read_samples, read_summary};

/// A run that is checked.
struct Submission {
    record: RunRecord,
    rows: Vec<SummaryRow>,
    samples: Vec<SampleRow>,
}

/// Result of the check of a run.
#[derive(Clone, Debug)]
pub struct SubmissionCheck {
    /// The folder.
    pub folder: PathBuf,
    /// `run.json`, if it can be read.
    pub record: Option<RunRecord>,
    /// The rows of `summary.csv`, if they can be read.
    pub rows: Vec<SummaryRow>,
    /// Number of rows in `samples.csv`.
    pub samples: usize,
    /// Reasons why the run is not fit.
    pub findings: Vec<Finding>,
}

impl SubmissionCheck {
    /// Checks a run folder, or a packed one.
    pub fn new(folder: &Path) -> Self {
        let mut findings = manifest::check(folder);
        let read = read(folder);
        let mut check = SubmissionCheck {
            folder: folder.to_owned(),
            record: None,
            rows: Vec::new(),
            samples: 0,
            findings: Vec::new(),
        };
        match read {
            Ok(run) => {
                findings.extend(problems(&run));
                check.samples = run.samples.len();
                check.rows = run.rows;
                check.record = Some(run.record);
            }
            Err(error) => {
                check.record = read_run(folder).ok();
                findings.push(Finding::unreadable(&error));
            }
        }
        check.findings = findings;
        check
    }

    /// True if nothing speaks against the run.
    pub fn is_fit(&self) -> bool {
        self.findings.is_empty()
    }
}

fn read(folder: &Path) -> Result<Submission, StoreError> {
    Ok(Submission {
        record: read_run(folder)?,
        rows: read_summary(folder)?,
        samples: read_samples(folder)?,
    })
}

/// All reasons, by rule.
fn problems(run: &Submission) -> Vec<Finding> {
    let described = described::problems(&run.record, &run.samples);
    let plan = plan::problems(&run.record, &run.rows);
    let by_point = samples::ByPoint::new(&run.samples);
    let samples = samples::problems(&run.rows, &run.samples, &by_point);
    let statistics = statistics_again::problems(&run.rows, &by_point);
    let validity = validity::problems(&run.rows, &by_point);
    [described, plan, samples, statistics, validity].concat()
}
