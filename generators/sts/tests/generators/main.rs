//! Tests of the whole crate: files and generated data.

#![allow(clippy::disallowed_methods, reason = "tests print names of their own")]

mod digi_files;
mod digi_tables;
#[path = "../../../../fixtures/mod.rs"]
mod experiments;
mod generated_digis;
mod physics;
mod raw;
mod setup;
mod timeslice_archives;
mod truth;
