//! What streams of events get done side by side: rates and latencies over the number of streams.
//!
//! | module | holds |
//! |---|---|
//! | `row` | a point, and its events, as they are written |
//! | `curve` | points that differ in their streams only, and where they stop growing |
//! | `limit` | what limits a point, by the shares of what there is |
//! | `table` | all of that for people and programs |

mod curve;
#[cfg(test)]
pub(crate) mod fixture;
mod limit;
mod row;
mod table;

pub use curve::{Curve, curves};
pub use limit::{LIMITED, shares, what_limits};
pub use row::{EventRow, ThroughputRow};
pub use table::render;
