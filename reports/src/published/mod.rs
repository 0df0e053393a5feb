//! Published figures, beside what was measured here.
//!
//! | module | does |
//! |---|---|
//! | `figure` | holds a figure: its values, what they are here, and what follows from them |
//! | `data` | reads all figures from the tables that come with the program |
//! | `measured` | finds in a run what a published value is here |
//! | `streams` | finds the same in streams that were measured for it |
//! | `outcome` | says whether what was concluded holds here |
//! | `render` | writes figures for terminals, pages and programs |
//!
//! The tables are in `assets/published/`: a row for each figure, for each number that was
//! printed with its counterpart here, and for each conclusion.

mod data;
mod figure;
#[cfg(test)]
pub(crate) mod fixture;
mod measured;
mod outcome;
mod render;
mod streams;

pub use data::figures;
pub use figure::{Claim, Figure, Threads, Unit, Value};
pub use measured::{Here, Measured};
pub use outcome::{Judged, Outcome, Reproduction, reproduce};
pub(crate) use render::{heading, sentences, table};
pub use render::{list, render};
pub use streams::{Quantity, Shows, Stream, Streams};
