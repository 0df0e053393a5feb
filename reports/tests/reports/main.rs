//! Runs, stores, comparisons, charts and reports from the outside: one program
//! of tests, since linking each file by itself would take longer than running it.

#![allow(clippy::disallowed_methods, reason = "tests print names of their own")]

mod charts;
mod common;
mod compare;
mod gate;
mod history_disk;
mod history_kill;
mod old_store;
mod report;
mod run_folder;
