//! Ctrl-C and sudden death keep what was measured.

use std::fs;
use std::process::Child;

use crate::common::{Folder, Run, measuring, signal, wait_until};

/// A run that would take minutes, once it has written some samples.
fn long_run(folder: &Folder) -> Child {
    let line = "sort --segments 24 --digis 20k,30k --samples 100000 --max-time 10m --out r \
                --variant std-*,block-merge,segmented-radix";
    let child = folder.start(line);
    let samples = folder.join("r/samples.csv");
    let written = || fs::read_to_string(&samples).map_or(0, |text| text.lines().count());
    wait_until(|| written() >= 20);
    child
}

#[test]
fn ctrl_c_ends_the_run_and_prints_the_folder_of_the_results() {
    let Some(folder) = measuring() else { return };
    let child = long_run(&folder);
    signal(&child, "INT");
    let run = Run::end_of(child).exits(130);
    run.says("what was measured is kept in r");
    let rows = folder.rows("r");
    assert_eq!(rows.len(), 4, "a row for each variant of the first point");
    assert!(rows.iter().all(|row| row.stopped_by == "interrupt"));
    let samples: usize = rows.iter().map(|row| row.samples).sum();
    assert_eq!(folder.samples("r").len(), samples);
    assert_eq!(folder.record("r").finished, None);
    assert!(folder.join("r/bars.svg").exists());
}

#[test]
fn a_killed_run_leaves_readable_files() {
    let Some(folder) = measuring() else { return };
    let mut child = long_run(&folder);
    signal(&child, "KILL");
    child.wait().expect("ends");
    assert!(folder.samples("r").len() >= 19);
    assert_eq!(folder.rows("r").len(), 0);
    assert_eq!(folder.record("r").finished, None);
}
