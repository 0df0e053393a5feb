//! Records of runs, and their evaluation: verdicts, tables, charts and pages.
//!
//! Reading order:
//!
//! | module | holds |
//! |---|---|
//! | [`record`] | the rows and the run description: the contract with other tools |
//! | [`store`] | the run folder: rows are appended and flushed as they arrive |
//! | [`export`] | export of runs: Prometheus, InfluxDB, CSV, Parquet |
//! | [`history`] | the store of runs: add, list, accept, prune |
//! | [`aliases`] | renamed and retired variants |
//! | `break_even` | input size from which a GPU is faster |
//! | [`compare`] | verdicts on two runs, point by point |
//! | [`filter`] | selection of the points of a command |
//! | [`trace`] | times of a run for viewers of time lines (Perfetto) and of call trees (Hatchet) |
//! | [`trend`] | points over many runs, and changes of their level |
//! | [`machines`] | machines side by side, and scores |
//! | [`mixed`] | results of several loads on one node, alone and together |
//! | [`pareto`] | settings of an algorithm by speed and quality |
//! | [`plan`] | nodes, power and cost of a farm for a rate |
//! | [`portability`] | cost of portable kernels relative to native ones |
//! | [`published`] | published figures and their measured counterparts |
//! | [`shape`] | descriptions of the axes of a point |
//! | [`run_table`] | a run as a table |
//! | [`table`] | tables for people: terminal, markdown, page |
//! | `frame` | typed columns for programs: CSV, JSON, Parquet |
//! | [`charts`] | a run as charts: SVG and PNG |
//! | [`report`] | a run as a page, or as a text for a merge request |
//! | [`site`] | a store as static pages |
//! | [`stream`] | results of open-loop runs of timeslices |
//! | [`submission`] | checks of run folders against their samples, and packing with hashes |
//! | [`throughput`] | results of concurrent streams of events |
//! | [`energy`] | energy by what measured it, and what of it counts |
//! | [`winners`] | the fastest variant at each setting |
//! | [`rank`] | time by which variants are ranked: end to end, or kernels |
//! | [`screen`] | output device of tables for people, and its colours |
//! | [`clock`] | time stamps of records |
//! | [`program`] | name of the program in commands and messages |
//! | [`units`] | formatting of numbers: seconds, counts, bytes, rates |
//!
//! This crate does not depend on how a run was made. The statistics of samples are in the crate
//! `statistics`.

pub mod aliases;
mod axis_name;
mod break_even;
mod breakdown;
pub mod charts;
pub mod clock;
pub mod compare;
pub mod energy;
pub mod export;
pub mod filter;
mod frame;
mod grouped;
pub mod history;
pub mod machines;
pub mod mixed;
pub mod pareto;
pub mod plan;
pub mod portability;
pub mod program;
pub mod published;
mod quality;
pub mod rank;
pub mod record;
pub mod report;
mod row;
pub mod run_table;
#[cfg(test)]
mod schema;
pub mod screen;
pub mod shape;
pub mod simulation;
pub mod site;
pub mod store;
pub mod stream;
pub mod submission;
pub mod table;
pub mod throughput;
pub mod trace;
pub mod trend;
pub mod units;
pub mod winners;
