//! Pages of the TPC.

mod charge_files;
mod common;
mod encoders;
mod fixtures;
mod generated;
mod goldens;
mod mapping;
mod page_files;
mod raw_files;
mod truth;
