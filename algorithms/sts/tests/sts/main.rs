//! Tests of the STS chain on data with known results.

#![allow(clippy::disallowed_methods, reason = "tests print names of their own")]

mod common;
#[path = "../../../../fixtures/mod.rs"]
mod experiments;
mod fixtures;
mod goldens;
mod simulated;
mod windows;
