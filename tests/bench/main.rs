//! The binary and the library from the outside: one program of tests, since
//! linking each file by itself would take longer than running it.

#![allow(clippy::disallowed_methods, reason = "tests print names of their own")]

mod against;
mod cluster_finder;
mod command_line;
mod common;
mod comparing;
mod cpu_sets;
mod documentation;
mod documentation_runs;
mod energy;
#[path = "../../fixtures/mod.rs"]
mod experiments;
mod export;
mod external;
#[path = "../faults/mod.rs"]
mod faults;
mod files;
mod gate;
mod gpu_results;
mod hip;
mod history;
mod limits;
mod live;
mod machine_identity;
mod machines;
mod measuring;
mod memory;
mod mixed;
mod nightly;
mod other_cpus;
mod own_tasks;
mod plan;
mod plugins;
mod portability;
mod process;
mod quality;
mod real_files;
mod refusals;
mod report;
mod reproduce;
mod slurm;
mod stream;
mod stream_nodes;
mod sts;
mod sts_raw;
mod submission;
mod suites;
mod sycl;
mod text_of_others;
mod throughput;
mod tools;
mod tpc;
mod trace;
mod wrong_variants;
