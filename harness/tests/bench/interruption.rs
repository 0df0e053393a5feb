//! Ctrl-C and sudden death keep what was measured.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::common::{BENCH, can_measure, folder};
use reports::store::{read_run, read_samples, read_summary};

/// A run that would take minutes, once it has written some samples.
fn long_run(folder: &Path) -> Child {
    let line = "sort --segments 24 --digis 20k,30k --samples 100000 --max-time 10m --out r \
                --variant std-*,block-merge,segmented-radix";
    let child = Command::new(BENCH)
        .args(line.split_whitespace())
        .current_dir(folder)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    let samples = folder.join("r/samples.csv");
    let deadline = Instant::now() + Duration::from_secs(60);
    let written = || fs::read_to_string(&samples).map_or(0, |text| text.lines().count());
    while written() < 20 {
        assert!(Instant::now() < deadline, "no samples in a minute");
        std::thread::sleep(Duration::from_millis(20));
    }
    child
}

fn signal(child: &Child, name: &str) {
    let id = child.id().to_string();
    let status = Command::new("kill").args(["-s", name, &id]).status();
    assert!(status.expect("kill runs").success());
}

#[test]
fn ctrl_c_ends_the_run_and_says_where_the_results_are() {
    if !can_measure() {
        return;
    }
    let folder = folder();
    let child = long_run(folder.path());
    signal(&child, "INT");
    let output = child.wait_with_output().expect("ends");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{stderr}");
    assert!(
        stderr.contains("what was measured is kept in r"),
        "{stderr}"
    );
    let path = folder.path().join("r");
    let rows = read_summary(&path).expect("readable");
    assert_eq!(rows.len(), 4, "a row for each variant of the first point");
    assert!(rows.iter().all(|row| row.stopped_by == "interrupt"));
    let samples: usize = rows.iter().map(|row| row.samples).sum();
    assert_eq!(read_samples(&path).expect("readable").len(), samples);
    assert_eq!(read_run(&path).expect("readable").finished, None);
    assert!(path.join("bars.svg").exists());
}

#[test]
fn a_killed_run_leaves_readable_files() {
    if !can_measure() {
        return;
    }
    let folder = folder();
    let mut child = long_run(folder.path());
    signal(&child, "KILL");
    child.wait().expect("ends");
    let path = folder.path().join("r");
    assert!(read_samples(&path).expect("readable").len() >= 19);
    assert_eq!(read_summary(&path).expect("readable").len(), 0);
    assert_eq!(read_run(&path).expect("readable").finished, None);
}
