//! Generators and files of the VELO.

#![allow(clippy::disallowed_methods, reason = "tests print names of their own")]

mod mdf;
mod mdf_defects;
mod simulated;
mod small;

#[allow(dead_code, reason = "the full sets alone are used")]
#[path = "../../../../fixtures/mod.rs"]
mod fixtures;
