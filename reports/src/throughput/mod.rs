//! Throughput of concurrent streams of events: rates and latencies over the number of streams.
//!
//! | module | holds |
//! |---|---|
//! | `row` | the results of a point and of its events |
//! | `curve` | points that differ in their streams only, and their saturation |
//! | `limit` | limits of a point, by the shares of resources |
//! | `table` | output for people and programs |

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
