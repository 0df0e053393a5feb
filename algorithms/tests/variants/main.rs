//! Tests that every variant is right, on hard inputs and on data with known results.

#![allow(clippy::disallowed_methods, reason = "tests print names of their own")]

mod common;
mod cpu;
mod cuda;
#[path = "../../../fixtures/mod.rs"]
mod experiments;
mod lost_devices;
mod skipped_waits;
mod sts_unpack;
mod tpc_clusters;
mod tpc_fragments;
mod tpc_pages;
mod traffic;
