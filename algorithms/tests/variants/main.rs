//! Every variant is right: on what is hard to get right, and on data whose answer is
//! known.

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
