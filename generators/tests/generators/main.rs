//! Tests of the whole crate: files, encoders and generated data.

#![allow(clippy::disallowed_methods, reason = "tests print names of their own")]

mod cluster_files;
mod digi_files;
mod digi_tables;
#[path = "../../../fixtures/mod.rs"]
mod experiments;
mod generated_digis;
mod slice_track_files;
mod sts_physics;
mod sts_raw;
mod sts_setup;
mod timeslice_archives;
mod tpc;
