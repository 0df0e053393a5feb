//! Points without a valid result, with reasons.

use super::{TOTAL, grouped};
use crate::record::SummaryRow;
use crate::shape::name;

/// Points of a variant that have no time for the same reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The variant, with its device if that is not the CPU.
    pub variant: String,
    /// The note of the rows.
    pub reason: String,
    /// Number of points.
    pub points: usize,
}

/// The refusals among rows.
pub fn refusals(rows: &[&SummaryRow]) -> Vec<Refusal> {
    let refused = rows.iter().filter(|row| row.stage == TOTAL && row.valid_median().is_none());
    let groups = grouped(refused, |row| (name(row), reason(row)));
    let refusal = |((variant, reason), rows): ((String, String), Vec<_>)| Refusal {
        variant,
        reason,
        points: rows.len(),
    };
    groups.into_iter().map(refusal).collect()
}

fn reason(row: &SummaryRow) -> String {
    match row.note.as_str() {
        "" => "no reason was recorded".to_owned(),
        note => note.to_owned(),
    }
}
