//! Points over many runs: when did their level change, and does anybody mind?
//!
//! | module | does |
//! |---|---|
//! | `track` | collects a point's medians over the runs of a machine |
//! | `levels` | finds where they change, by more than they scatter |
//! | `shift` | says of each change what became of it |
//! | `accepted` | holds the changes that somebody has accepted |
//! | `render` | writes it for terminals, pages and programs |
//!
//! Nothing here reads a file.

mod accepted;
#[cfg(test)]
pub(crate) mod fixture;
mod levels;
mod render;
mod shift;
mod track;

pub use accepted::AcceptedShift;
pub(crate) use levels::levels;
pub use levels::{Level, Terms};
pub use render::{Listing, render, render_on};
pub(crate) use render::{moved_words, names, words};
pub use shift::{Direction, Shift, Standing, Trend, trends};
pub use track::{Moved, Track, Visit, tracks};
