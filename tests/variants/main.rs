//! Tests that every variant is right, on hard inputs and on data with known results.

#![allow(clippy::disallowed_methods, reason = "tests print names of their own")]

mod common;
#[path = "../../fixtures/mod.rs"]
mod experiments;
mod faults;
mod hard_inputs;
#[cfg(feature = "wgpu")]
mod shaders;
mod sts_unpack;
mod tpc_clusters;
mod tpc_pages;
mod traffic;
