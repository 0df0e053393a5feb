//! Content of a report, independent of its format.
//!
//! | module | finds |
//! |---|---|
//! | `command` | the command line, for a shell |
//! | `settings` | common axes of all points, and those that distinguish them |
//! | `verdict` | the run in a sentence |
//! | `winners` | the fastest variant of each task |
//! | `tally` | counts of what was measured |
//! | `refusals` | points without a valid result, with reasons |
//! | `position` | distance of variants from the measured bandwidth |
//! | `series` | medians over runs |
//! | `time` | dates and durations |

pub mod command;
pub mod position;
pub mod refusals;
pub mod series;
pub mod settings;
pub mod tally;
pub mod time;
pub mod verdict;
pub mod winners;

#[cfg(test)]
pub mod fixture;

pub(crate) use crate::grouped::grouped;
pub use crate::rank::TOTAL;
use crate::record::SummaryRow;
pub use crate::units::counted;

/// The rows of an algorithm.
pub fn rows_of<'a>(rows: &'a [SummaryRow], algorithm: &str) -> Vec<&'a SummaryRow> {
    let of_algorithm = |row: &&SummaryRow| row.algorithm == algorithm;
    rows.iter().filter(of_algorithm).collect()
}
