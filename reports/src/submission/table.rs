//! Checked submissions as a table: a line for each reason.

use serde::Serialize;

use super::{Finding, Rule, SubmissionCheck};
use crate::frame::{Frame, json_text};
use crate::row::{Record, row};
use crate::screen::Screen;
use crate::table::{Highlight, NOTHING, Side, Table, TableError, Tabular};
use crate::units::counted;
use text::Untrusted;

/// Checks of several runs.
#[derive(Clone, Copy, Debug)]
pub struct SubmissionChecks<'a>(pub &'a [SubmissionCheck]);

row! {
    /// A run that is fit, or a reason why it is not.
    #[derive(Serialize)]
    #[cfg_attr(test, derive(schemars::JsonSchema))]
    pub(crate) struct SubmissionFinding<'a> {
        /// Folder of the run.
        run: String,
        /// True if the run is fit.
        fit: bool,
        /// The broken rule; empty if the run is fit.
        rule: &'a str,
        /// The reason; empty if the run is fit.
        reason: &'a str,
        /// Number of rows of its summary.
        rows: usize,
        /// Number of rows of its samples.
        samples: usize,
    }
}

impl<'a> SubmissionFinding<'a> {
    fn new(check: &'a SubmissionCheck, found: Option<&'a Finding>) -> Self {
        SubmissionFinding {
            run: check.folder.escaped().to_string(),
            fit: check.is_fit(),
            rule: found.map_or("", |found| found.rule.name()),
            reason: found.map_or("", |found| found.problem.as_str()),
            rows: check.rows.len(),
            samples: check.samples,
        }
    }
}

impl<'a> SubmissionChecks<'a> {
    fn findings(&self) -> impl Iterator<Item = SubmissionFinding<'a>> + use<'a> {
        self.0.iter().flat_map(|check| {
            let fit = check.is_fit().then(|| SubmissionFinding::new(check, None));
            let reasons = check.findings.iter();
            let reasons = reasons.map(move |found| SubmissionFinding::new(check, Some(found)));
            fit.into_iter().chain(reasons)
        })
    }
}

impl Tabular for SubmissionChecks<'_> {
    fn tables(&self, _: Screen) -> Vec<Table> {
        let columns =
            [("run", Side::Left), ("", Side::Left), ("rule", Side::Left), ("reason", Side::Left)];
        let cells = |found: &SubmissionFinding<'_>| {
            let [verdict, rule, reason] = if found.fit {
                let [rows, samples] = [(found.rows, "row"), (found.samples, "sample")]
                    .map(|(count, thing)| counted(count, thing));
                ["fit".to_owned(), NOTHING.to_owned(), format!("{rows}, {samples}")]
            } else {
                ["not fit".to_owned(), found.rule.to_owned(), found.reason.to_owned()]
            };
            [found.run.clone(), verdict, rule, reason]
        };
        let highlight = |found: &SubmissionFinding<'_>| {
            if found.fit { Highlight::Winner } else { Highlight::NotValid }
        };
        let findings: Vec<_> = self.findings().collect();
        let fit = self.0.iter().filter(|check| check.is_fit()).count();
        let note = format!("{fit} of {} fit", counted(self.0.len(), "run"));
        let table = Table::new(&columns, findings.iter().map(cells))
            .with_highlights(findings.iter().map(highlight).collect())
            .with_notes(vec![note]);
        vec![table]
    }

    fn frame(&self) -> Frame {
        let rule = Rule::default().name();
        let empty = SubmissionFinding {
            run: String::new(),
            fit: false,
            rule,
            reason: "",
            rows: 0,
            samples: 0,
        };
        Frame::new(&Record::from(empty), self.findings().map(Record::from))
    }

    fn json(&self) -> Result<String, TableError> {
        Ok(json_text(&self.findings().collect::<Vec<_>>())?)
    }
}
