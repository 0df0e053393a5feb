//! Published figures and their measured counterparts.
//!
//! | module | does |
//! |---|---|
//! | `figure` | a figure: its values, their counterparts, and its claims |
//! | `data` | reads all figures from the tables that are part of the program |
//! | `measured` | finds the counterpart of a published value in a run |
//! | `shows` | what figures about streams show |
//! | `streams`, `read_streams` | streams that were measured for figures |
//! | `stream_values` | finds the counterpart of a value in them |
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
mod read_streams;
mod render;
mod shows;
mod stream_values;
mod streams;
mod verdict;

pub use data::figures;
pub use figure::{Claim, Figure, Threads, Unit, Value};
pub use measured::{Here, Measured};
pub use read_streams::read_published_streams;
pub(crate) use render::{heading, sentences, table};
pub use render::{list, render};
pub use shows::{Quantity, Shows, Stream};
pub use streams::Streams;
pub use verdict::{ClaimVerdict, JudgedClaim, Reproduction, reproduce};
