//! Validity of each variant: valid rows have times and samples, others a reason and neither.

use text::{SENTENCE, Untrusted};

use super::finding::row_words;
use super::samples::{ByPoint, counts};
use super::{Finding, Rule};
use crate::record::{SummaryRow, YesNo};

/// All problems.
pub(super) fn problems(rows: &[SummaryRow], by_point: &ByPoint<'_>) -> Vec<Finding> {
    let problem = |(index, row): (usize, &SummaryRow)| {
        let samples = by_point.get(&row.point().id(), &row.stage);
        let counted = samples.iter().filter(|sample| counts(sample)).count();
        let problem = match row.valid {
            YesNo::Yes => of_valid(row)?,
            YesNo::No => of_refused(row, counted)?,
        };
        Some(format!("{}: {problem}", row_words(index, row)))
    };
    let problems: Vec<String> = rows.iter().enumerate().filter_map(problem).collect();
    Finding::first_of(Rule::Validity, "rows", &problems).into_iter().collect()
}

fn of_valid(row: &SummaryRow) -> Option<String> {
    if row.notes_failure() {
        return Some(format!("marked valid, but its variant failed: {}", note(row)));
    }
    row.median_s.is_none().then(|| "marked valid, but without a time".to_owned())
}

fn of_refused(row: &SummaryRow, samples: usize) -> Option<String> {
    if row.notes_failure() {
        return Some(format!("its variant failed: {}", note(row)));
    }
    if row.median_s.is_some() || row.samples > 0 || samples > 0 {
        return Some("marked not valid, but with a time or samples".to_owned());
    }
    row.note.is_empty().then(|| "marked not valid, without a reason".to_owned())
}

fn note(row: &SummaryRow) -> String {
    row.note.escaped().at_most(SENTENCE).to_string()
}
