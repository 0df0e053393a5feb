//! The charts of synthetic runs, read back from their files.

mod bars;
mod layout;
mod lines;
mod rows;
