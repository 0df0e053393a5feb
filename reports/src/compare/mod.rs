//! Two runs, point by point: which points are slower?
//!
//! | module | does |
//! |---|---|
//! | `thresholds` | says what counts as a change |
//! | `measured` | reads what comparing needs of a run |
//! | `judge` | judges two series of samples |
//! | `doubts` | takes judgements back that are not clear |
//! | `rounds` | reads and judges what was measured in turn |
//! | `scatter`, `nights` | say how much runs of the same code differ: by a self-test, by history |
//! | `busy` | says whether others used the machine |
//! | `multiplicity` | takes back what is to be expected among so many points |
//! | `join` | finds the points that both runs have, and has them judged |
//! | `words`, `counters`, `notes`, `advice` | say why, and what to do next |
//! | `unjudged` | names the points that have no verdict |
//! | `gate` | says how often verdicts err |
//! | `comparison` | holds what comes of it |
//! | `render` | writes it for terminals, pages, programs and CI servers |

mod advice;
mod busy;
mod comparison;
mod counters;
mod doubts;
mod error;
pub(crate) mod gate;
mod join;
mod judge;
mod measured;
mod multiplicity;
mod nights;
mod notes;
pub mod render;
mod rounds;
mod scatter;
mod thresholds;
mod unjudged;
mod words;

pub use advice::{confirm as confirm_command, measure_again, quoted};
pub(crate) use comparison::is_wrong;
pub use comparison::{
    Code, Comparison, Key, NEW, NOT_MEASURED, PointVerdict, RETIRED, RunName, Side, Unmatched,
    Verdict,
};
pub use error::CompareError;
pub use join::{Terms, compare};
pub use judge::{Judgement, Why, judge};
pub use measured::{Measured, MeasuredPoint, Samples};
pub use rounds::{Quantity, Round, judge_paired, paired};
pub use scatter::{Origin, RunScatter, scatter_of};
pub use thresholds::Thresholds;
pub use unjudged::Unjudged;
