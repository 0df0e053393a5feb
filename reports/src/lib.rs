//! What a run leaves behind, and what can be said about it.
//!
//! Reading order:
//!
//! | module | holds |
//! |---|---|
//! | [`record`] | the rows and the run description: the contract with other tools |
//! | [`store`] | the run folder: rows appended and flushed as they come |
//! | [`export`] | runs in the formats of others: Prometheus, InfluxDB, CSV, Parquet |
//! | [`history`] | the store of runs: add, list, accept, prune |
//! | [`aliases`] | variants that got other names |
//! | [`break_even`] | from which size on a GPU is worth it |
//! | [`compare`] | two runs, point by point: verdicts |
//! | [`filter`] | which points a command is about |
//! | [`trend`] | points over many runs: when their level changed |
//! | [`portability`] | what portable kernels cost, compared with native ones |
//! | [`published`] | published figures beside what was measured here |
//! | [`shape`] | the data shape of a point in words |
//! | [`run_table`] | a run as a table |
//! | [`table`] | tables for people: terminal, markdown, page |
//! | [`frame`] | typed columns for programs: CSV, JSON, Parquet |
//! | [`charts`] | a run as charts: SVG and PNG |
//! | [`report`] | a run as a page, or as a text for a merge request |
//! | [`site`] | a store as pages that need no server |
//! | [`stream`] | what becomes of timeslices that come when they are due |
//! | [`throughput`] | what streams of events get done side by side |
//! | [`winners`] | who is the fastest at each setting |
//! | [`rank`] | what variants are ranked by: end to end, or kernels |
//! | [`paint`] | colours of words for terminals |
//! | [`screen`] | what tables for people are shown on |
//! | [`clock`] | the time of day, as records have it |
//! | [`units`] | numbers in words: seconds, counts, bytes, rates |
//!
//! This crate knows nothing of how a run was made. What samples say is in the crate
//! `statistics`.

pub mod aliases;
pub mod break_even;
mod breakdown;
pub mod charts;
pub mod clock;
pub mod compare;
pub mod export;
pub mod filter;
pub mod frame;
mod grouped;
pub mod history;
pub mod paint;
pub mod portability;
pub mod published;
mod quality;
pub mod rank;
pub mod record;
pub mod report;
pub mod retired;
pub mod run_table;
#[cfg(test)]
mod schema;
pub mod screen;
pub mod shape;
pub mod site;
pub mod store;
pub mod stream;
pub mod table;
pub mod throughput;
pub mod trend;
pub mod units;
pub mod winners;
