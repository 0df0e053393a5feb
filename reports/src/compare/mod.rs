//! Two runs, point by point: which points are slower?
//!
//! | module | does |
//! |---|---|
//! | `thresholds` | says what counts as a change |
//! | `measured` | reads what comparing needs of a run |
//! | `judge` | judges two series of samples |
//! | `rounds` | reads and judges what was measured in turn |
//! | `scatter` | says how much runs of the same code differ |
//! | `join` | finds the points that both runs have, and has them judged |
//! | `words`, `notes` | say why, and what to do next |
//! | `gate` | says how often verdicts err |
//! | `comparison` | holds what comes of it |
//! | `render` | writes it for terminals, pages, programs and CI servers |

mod comparison;
pub(crate) mod gate;
mod join;
mod judge;
mod measured;
mod notes;
pub mod render;
mod rounds;
mod scatter;
mod thresholds;
mod words;

pub use comparison::{
    Code, Comparison, Key, NOT_MEASURED, PointVerdict, RunName, Side, Unmatched, Verdict,
};
pub use join::{CompareError, Terms, compare};
pub use judge::{Judgement, Why, judge};
pub use measured::{Measured, MeasuredPoint, Samples};
pub use rounds::{Quantity, Round, judge_paired, paired};
pub use scatter::{RunScatter, scatter_of};
pub use thresholds::Thresholds;
pub use words::{command, confirm as confirm_command, quoted};
