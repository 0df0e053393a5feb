//! Timeslices that come when they are due: what became of each, and how late their results are.
//!
//! | module | holds |
//! |---|---|
//! | `row` | a speed, and its timeslices, as they are written |
//! | [`live`] | the same while it runs, for monitoring |
//! | `times` | how late results and timeslices were |
//! | `nodes` | what several nodes did at the same time, as one |
//! | `rates` | what was due and done in each part of the time |
//! | `kept_up` | whether workers keep up, and to which speed |
//! | `table` | all of that for people and programs |

#[cfg(test)]
pub(crate) mod fixture;
mod kept_up;
pub mod live;
mod nodes;
mod rates;
mod row;
mod table;
mod times;

pub use kept_up::{Shortfall, highest_kept_up, shortfall};
pub use nodes::{NodePart, together};
pub use rates::Rates;
pub use row::{Fate, StreamRow, TimesliceRow, WRONG};
pub(crate) use table::limits;
pub use table::{render, short};
pub use times::Times;
