//! Two runs, point by point: which points are slower?
//!
//! | module | does |
//! |---|---|
//! | `thresholds` | says what counts as a change |
//! | `comparison` | holds what a comparison says |

mod comparison;
mod thresholds;

pub use comparison::{Code, Comparison, Key, PointVerdict, RunName, Side, Unmatched, Verdict};
pub use thresholds::Thresholds;
