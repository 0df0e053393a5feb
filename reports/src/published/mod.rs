//! Published figures and their measured counterparts.
//!
//! | module | does |
//! |---|---|
//! | `figure` | a figure: its values, their counterparts, and its claims |
//! | `data` | reads all figures from the tables that are part of the program, and measured streams |
//! | `measured` | finds the counterpart of a published value in a run |
//! | `stream_values` | finds the counterpart of a value in streams |
//! | `verdict` | judges whether the claims hold here |
//! | `render` | writes figures for terminals, pages and programs |
//!
//! The tables are in `assets/published/`: a row for each figure, for each published number with its
//! counterpart, and for each claim.

mod data;
mod figure;
#[cfg(test)]
pub(crate) mod fixture;
mod measured;
mod render;
mod stream_values;
mod verdict;

pub use data::{Streams, figures, read_published_streams};
pub use figure::{Claim, Figure, Quantity, Shows, Stream, Threads, Unit, Value};
pub use measured::{Here, Measured};
pub(crate) use render::{heading, sentences, table};
pub use verdict::{ClaimVerdict, JudgedClaim, Reproduction, reproduce};
