//! What a report has to say, whatever it looks like.
//!
//! | module | finds |
//! |---|---|
//! | `command` | what was asked for, as it would be typed |
//! | `settings` | what all points share, and what tells them apart |
//! | `verdict` | the run in a sentence |
//! | `winners` | the fastest variant of each task |
//! | `tally` | how much was measured |
//! | `refusals` | what is not valid, and why |
//! | `position` | how close variants come to the measured bandwidth |
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
