//! `bench portability` from the outside, without a GPU: refusals, and output for a run that was
//! measured on a GPU.

use std::collections::HashMap;

use reports::record::SummaryRow;

use crate::common::{Folder, copy_run, edit, edit_rows, folder, in_repository};
use crate::plugins::compiled::workshop;

/// A run with CUDA and shaders on one GPU.
const RUN: &str = "docs/results/shaders/sort";

fn compared(folder: &Folder, flags: &str) -> String {
    let run = in_repository(RUN);
    folder.bench(format!("portability --run {} {flags}", run.display())).exits(0).stdout
}

#[test]
fn kernels_of_a_run_are_compared_with_their_native_ones() {
    let folder = folder();
    let table = compared(&folder, "--out o");
    let heading = "sort: block-merge-256x11, 20 M digis · 24 segments";
    assert!(table.contains(heading), "{table}");
    assert!(!table.contains("sort: block-merge,"), "chunks of another size: {table}");
    assert!(
        table.lines().any(|line| line.starts_with("shaders") && line.contains("1.8")),
        "{table}"
    );
    folder.has("o/portability.svg o/portability.png o/portability.csv");
    let rows = folder.read("o/portability.csv");
    assert_eq!(rows.lines().count(), 1 + 4, "two sorts of two inputs: {rows}");
    assert!(rows.lines().all(|line| !line.contains("block-merge-512x7")), "{rows}");
    let markdown = compared(&folder, "--format markdown");
    assert!(markdown.starts_with("### sort: "), "{markdown}");
}

#[test]
fn what_has_no_partner_in_a_run_is_nothing_to_compare() {
    let run = in_repository(RUN);
    let line = format!("portability unpack --run {}", run.display());
    folder().bench(line).exits(5).says("nothing was compared");
}

#[test]
fn tasks_and_devices_that_make_no_sense_are_refused() {
    let folder = folder();
    for (line, words) in [
        ("portability merge", "no kernels that are there natively and portably"),
        ("portability sorrt", "did you mean \"sort\"?"),
        ("portability --device cpu", "cpu is neither"),
        ("portability --device wgpu:0", "--device names no cuda:N"),
        ("portability --device cuda:0,cuda:1", "--device takes one GPU"),
        ("portability --run r --device cuda:0", "cannot be used with"),
    ] {
        folder.bench(line).exits(2).says(words);
    }
}

#[test]
fn without_a_gpu_nothing_is_measured_and_the_reason_is_reported() {
    let folder = folder();
    for (line, words) in [
        ("portability --device emulator", "not how fast they are"),
        ("portability --device cuda:9999,wgpu:0", "native kernels need a GPU by NVIDIA"),
    ] {
        folder.bench(line).exits(5).says(words);
    }
}

#[test]
fn kernels_of_a_plugin_are_compared_with_those_that_it_names() {
    let Some(workshop) = workshop() else { return };
    let run = workshop.join("run");
    copy_run(&in_repository(RUN), &run);
    // As if the plugin had taken what shaders took.
    let mut ids = HashMap::new();
    edit_rows(&run.join("summary.csv"), |row: &mut SummaryRow| {
        if (&*row.variant, &*row.device) == ("segmented-radix", "wgpu:0") {
            let id = row.point().id();
            (row.variant, row.device) = ("foreign".into(), "cuda:0".into());
            ids.insert(id, row.point().id());
        }
    });
    edit(&run, |row| {
        if let Some(id) = ids.get(&row.point_id) {
            row.point_id = id.clone();
            (row.variant, row.device) = ("foreign".into(), "cuda:0".into());
        }
    });
    let defines = "-DBACKEND=RECOBENCH_CUDA -DNATIVE=\"segmented-radix\" \
                   -DWRITTEN_AS=\"layer\" -DDIFFERS=\"nothing-much\"";
    let plugin = workshop.plugin("libforeign.so", defines);
    let table = workshop.bench("portability sort --run run").exits(0).stdout;
    assert!(!table.contains("segmented-radix"), "nothing corresponds to it: {table}");
    let table = workshop.bench(format!("portability --run run --plugin {plugin}")).exits(0).stdout;
    assert_eq!(table.matches("sort: segmented-radix,").count(), 2, "{table}");
    let layer = table.lines().find(|line| line.starts_with("layer")).expect("a row");
    assert!(layer.contains("33.3 ms") && layer.contains("4.2385"), "{layer}");
    assert!(table.contains("What differs: nothing-much."), "{table}");
}
