//! Timeslices that come when they are due: what became of each, and how late their results are.
//!
//! | module | holds |
//! |---|---|
//! | `row` | a speed, and its timeslices, as they are written |
//! | [`live`] | the same while it runs, for monitoring |
//! | `kept_up` | whether workers keep up, and to which speed |
//! | `table` | all of that for people and programs |

#[cfg(test)]
pub(crate) mod fixture;
mod kept_up;
pub mod live;
mod row;
mod table;

pub use kept_up::{Shortfall, highest_kept_up, shortfall};
pub use row::{Fate, StreamRow, TimesliceRow};
pub use table::{render, short};
