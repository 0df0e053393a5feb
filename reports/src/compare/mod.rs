//! Comparison of two runs, point by point.
//!
//! | module | does |
//! |---|---|
//! | `thresholds` | limits for a change |
//! | `measured` | reads the data of a run that comparisons need |
//! | `judge` | judges two series of samples |
//! | `downgrade` | downgrades verdicts whose conditions are not clear |
//! | `rounds` | reads and judges paired runs |
//! | `scatter`, `history_scatter` | scatter between runs of the same code, by a self-test or by history |
//! | `load` | detects load by other processes |
//! | `multiplicity` | rejects changes that are expected by chance among many points |
//! | `join` | finds the points that both runs have, and judges them |
//! | `words`, `counters`, `notes`, `advice` | reasons, and next steps |
//! | `unjudged` | names the points without a verdict |
//! | `gate` | error rates of verdicts |
//! | `comparison` | the result |
//! | `render` | output for terminals, pages, programs and CI servers |

mod advice;
mod comparison;
mod counters;
mod downgrade;
mod error;
pub(crate) mod gate;
mod history_scatter;
mod join;
mod judge;
mod load;
mod measured;
mod multiplicity;
mod notes;
pub mod render;
mod rounds;
mod scatter;
mod thresholds;
mod unjudged;
mod words;

pub use crate::code::Code;
pub use advice::{confirm as confirm_command, measure_again, quoted};
pub(crate) use comparison::is_wrong;
pub use comparison::{
    Comparison, Key, NEW, NOT_MEASURED, PointVerdict, RETIRED, RunName, Side, Unmatched, Verdict,
};
pub use error::CompareError;
pub use join::compare;
pub use judge::{Judgement, Why, judge, judge_paired};
pub use measured::{Measured, MeasuredPoint, Samples};
pub use rounds::{Quantity, Round, paired};
pub use scatter::{Origin, RunScatter, scatter_of};
pub use thresholds::{CompareOptions, Thresholds};
pub use unjudged::Unjudged;
