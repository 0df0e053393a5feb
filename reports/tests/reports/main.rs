//! Integration tests of runs, stores, comparisons, charts and reports: a single program, because
//! linking each file separately would take longer than running it.

#![allow(clippy::disallowed_methods, reason = "tests print names of their own")]

mod charts {
    mod bars;
    mod layout;
    mod lines;
    mod rows;
}
mod common;
mod compare;
mod compare_machines;
mod gate;
mod history_disk;
mod history_kill;
mod old_store;
mod paired_runs;
mod report {
    mod fixture;
    mod page;
}
mod run_folder;
