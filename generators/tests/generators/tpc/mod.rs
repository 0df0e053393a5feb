//! Pages of the TPC.

mod common;
mod encoders;
mod generated;
mod goldens;
mod mapping;
mod page_files;
mod raw_files;
mod truth;
