//! Open-loop runs: timeslices arrive at the detector's rate, and the latency of their results is
//! measured.
//!
//! | module | holds |
//! |---|---|
//! | `row` | the results of a speed and of its timeslices |
//! | `times` | latencies and delays |
//! | `nodes` | combined results of several nodes |
//! | `rates` | due and completed rates over time |
//! | `kept_up` | verdict on whether workers keep up |
//! | `table` | output for people and programs |

#[cfg(test)]
pub(crate) mod fixture;
mod kept_up;
mod nodes;
mod rates;
mod row;
mod table;
mod times;

pub use kept_up::{Shortfall, highest_kept_up, shortfall};
pub use nodes::{NodePart, together};
pub use rates::Rates;
pub use row::{StreamRow, TimesliceRow, TimesliceState, WRONG};
pub(crate) use table::limits;
pub use table::{render, short};
pub use times::Times;
