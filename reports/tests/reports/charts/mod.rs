//! The charts of synthetic runs, read back from their files.

mod bars;
mod break_even;
mod files;
mod layout;
mod lines;
mod link;
mod picture;
mod rows;
