//! `bench export`: understood by the real servers, where they are installed.

use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};

use crate::common::servers::{Servers, are_installed, curl, words};
use crate::common::{Folder, can_measure, folder, measuring};

/// Measures a little, and exports it; returns the file's text.
fn exported(folder: &Folder, file: &str) -> String {
    let line = "sort --digis 2k --segments 3,4 --variant std-* --threads 1 --samples 3 --quiet \
                --device cpu --out run --no-charts";
    folder.bench(line).exits(0);
    folder.bench(format!("export run --out {file}")).exits(0);
    folder.read(file)
}

#[test]
fn prometheus_takes_the_text_format() {
    if !can_measure() || !are_installed(&["promtool"]) {
        return;
    }
    let folder = folder();
    let text = exported(&folder, "metrics.prom");
    let metric = "recobench_median_seconds{algorithm=\"sort\"";
    assert!(text.contains(metric), "{text}");
    let mut check = Command::new("promtool");
    check.args(["check", "metrics"]).stdin(Stdio::piped());
    check.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut checking = check.spawn().expect("promtool");
    let mut input = checking.stdin.take().expect("piped");
    input.write_all(text.as_bytes()).expect("taken");
    drop(input);
    let output = checking.wait_with_output().expect("an end");
    assert!(output.status.success(), "{}", words(&output));
}

#[test]
fn influxdb_takes_the_line_protocol() {
    if !can_measure() || !are_installed(&["influxd", "curl"]) {
        return;
    }
    let folder = folder();
    let lines = exported(&folder, "lines.lp").lines().count();
    let mut servers = Servers::default();
    let url = servers.start_influxdb(&folder);
    let lines_file = format!("@{}", folder.join("lines.lp").display());
    let written = curl(&["--data-binary", &lines_file, &format!("{url}/write?db=lab")]);
    assert!(written.is_some(), "the server refused the lines");
    let query = "q=SELECT count(median_s) FROM recobench";
    let answer = curl(&["-G", &format!("{url}/query?db=lab"), "--data-urlencode", query]);
    let answer = answer.expect("an answer");
    let count = format!(",{lines}]");
    assert!(answer.contains(&count), "{lines} lines: {answer}");
}

#[test]
fn tables_have_a_row_a_point_and_replace_the_file_as_a_whole() {
    let Some(folder) = measuring() else { return };
    let path = folder.path();
    let table = exported(&folder, "table.csv");
    assert_eq!(table.lines().count(), 1 + 4, "{table}");
    folder.write("t.parquet", "older");
    folder.bench("export run --out t.parquet").exits(0);
    let bytes = fs::read(path.join("t.parquet")).expect("written");
    assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"));
    let left = fs::read_dir(path).expect("readable").flatten();
    let drafts = left.filter(|entry| entry.file_name().to_string_lossy().starts_with('.'));
    assert_eq!(drafts.count(), 0);
}

#[test]
fn runs_that_can_not_be_exported_are_reported() {
    folder().check(
        "
            2 | export gone --format csv | there is no store
            2 | export --all --format csv | there is no store
            2 | export latest | no export format
            1 | export a/b --format influx | a/b
        ",
    );
}
