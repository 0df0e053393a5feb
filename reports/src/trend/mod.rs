//! Points over many runs: changes of their level, and their state.
//!
//! | module | does |
//! |---|---|
//! | `point_history` | collects a point's medians over the runs of a machine |
//! | `levels` | finds changes that exceed the scatter |
//! | `shift` | determines the state of each change |
//! | `accepted` | changes that were accepted |
//! | `render` | writes trends for terminals, pages and programs |
//!
//! Nothing here reads a file.

mod accepted;
#[cfg(test)]
pub(crate) mod fixture;
mod levels;
mod point_history;
mod render;
mod shift;

pub use accepted::AcceptedShift;
pub(crate) use levels::levels;
pub use levels::{Level, ShiftLimits};
pub use point_history::{HistoryPoint, Moved, PointHistory, point_histories};
pub use render::{Listing, render, render_on};
pub(crate) use render::{moved_words, names, words};
pub use shift::{Direction, Shift, ShiftStatus, Trend, trends};
