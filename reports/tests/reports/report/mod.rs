//! Reports of made-up runs: what they say, how large they are, and whether a
//! browser shows them.

mod browser;
mod fixture;
mod page;
mod text;
mod unknown;
