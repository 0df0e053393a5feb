//! Tests of the whole crate: files, encoders and generated data.

#![allow(clippy::disallowed_methods, reason = "tests print names of their own")]

mod cluster_files;
mod common;
mod encoders;
#[path = "../../../../fixtures/mod.rs"]
mod experiments;
mod generated;
mod goldens;
mod mapping;
mod page_files;
mod raw_files;
mod slice_track_files;
mod truth;
