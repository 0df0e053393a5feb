//! The examples of the documentation: each is compiled without a warning, listed, and right on the
//! hard inputs of its task.

use std::fs;
use std::process::Command;

use reports::record::YesNo;

use super::compiled::{Workshop, measuring, workshop};
use crate::common::{Run, in_repository, row, stages};

/// Asserts that an example's variants are correct on all hard inputs of a task.
fn assert_right(workshop: &Workshop, task: &str, device: &str, plugin: &str) {
    let line =
        format!("verify {task} --variant example-* --device {device} --seeds 1 --plugin {plugin}");
    let run = workshop.bench(line).exits(0);
    run.prints(" checks: ").prints("0 wrong, 0 not run");
}

/// Checks the example for a task, in C unless a file is named.
fn check(task: &str, file: &str) {
    if let Some(workshop) = workshop() {
        let plugin = workshop.example_of(file, "libexample.so");
        assert_right(&workshop, task, "cpu", &plugin);
    }
}

/// `examples! { presort = "presort.c", … }`: a test for each.
macro_rules! examples {
    ($($name:ident: $task:literal = $file:literal,)*) => {
        const EXAMPLES: &[(&str, &str)] = &[$(($task, $file)),*];

        $(#[test]
        fn $name() {
            check($task, $file);
        })*
    };
}

examples! {
    sort_in_cpp: "sort" = "sort.cpp",
    unpack: "unpack" = "unpack.c",
    presort: "presort" = "presort.c",
    cluster: "cluster" = "cluster.c",
    cluster_sort: "cluster-sort" = "cluster-sort.c",
    hits: "hits" = "hits.c",
    collect: "collect" = "collect.c",
    sts: "sts" = "sts.c",
    decode: "decode" = "decode.c",
    noisy_pads: "noisy-pads" = "noisy-pads.c",
    merge: "merge" = "merge.c",
    gather: "gather" = "gather.c",
    velo_cluster: "velo-cluster" = "velo-cluster.c",
    velo_decode: "velo-decode" = "velo-decode.c",
    velo_sort: "velo-sort" = "velo-sort.c",
    velo_tracks: "velo-tracks" = "velo-tracks.c",
    velo: "velo" = "velo.c",
}

#[test]
fn each_task_that_takes_plugins_has_an_example_and_each_is_tested() {
    for task in crate::common::tasks() {
        if task.contract().is_none() {
            continue;
        }
        let tested = EXAMPLES.iter().any(|(tested, _)| *tested == task.name());
        assert!(tested, "{} has no example", task.name());
    }
    let folder = fs::read_dir(in_repository("docs/plugin/examples")).expect("a folder");
    for file in folder {
        let name = file.expect("readable").file_name().into_string().expect("UTF-8");
        let is_source = [".c", ".cpp", ".cu"].iter().any(|ending| name.ends_with(ending));
        let tested = EXAMPLES.iter().map(|(_, tested)| *tested).chain([IN_CUDA, WITH_TASK]);
        assert!(!is_source || tested.into_iter().any(|tested| tested == name), "{name}");
    }
}

const IN_CUDA: &str = "noisy-pads.cu";

/// Brings a task; see `task.rs`.
pub const WITH_TASK: &str = "pixel-clusters.cpp";

#[test]
fn noisy_pads_in_cuda() {
    let Some(workshop) = workshop() else { return };
    if let Some(plugin) = workshop.example_in_cuda(IN_CUDA, "libexample.so") {
        assert_right(&workshop, "noisy-pads", "cuda:0", &plugin);
    }
}

#[test]
fn the_example_in_rust_is_right() {
    let Some(workshop) = workshop() else { return };
    let mut cargo = Command::new("cargo");
    cargo.args(["build", "--release", "--offline", "--quiet", "--target-dir", "target"]);
    cargo.arg("--manifest-path").arg(in_repository("examples/plugin-rust/Cargo.toml"));
    cargo.current_dir(workshop.path()).env("RUSTFLAGS", "-D warnings");
    if cargo.output().is_err() {
        eprintln!("skipped: no compiler (cargo)");
        return;
    }
    Run::from_command(&mut cargo).exits(0);
    assert_right(&workshop, "sort", "cpu", "./target/release/libplugin_rust.so");
}

#[test]
fn a_chain_of_a_plugin_is_measured_with_the_built_in_variants() {
    let Some(workshop) = measuring() else { return };
    let plugin = workshop.example_of("sts.c", "libsts.so");
    let line = "sts --preset mcbm-2024 --scale 0.002 --variant example-*,time-sweep --device cpu";
    let flags = "--max-time 100ms --threads 2 --no-charts --out r --plugin";
    workshop.bench(format!("{line} {flags} {plugin}")).exits(0);
    let rows = workshop.rows("r");
    let [own, ours] = ["example-chain", "time-sweep"].map(|name| row(&rows, name));
    assert_eq!((own.valid, ours.valid), (YesNo::Yes, YesNo::Yes));
    assert!(own.fingerprint.starts_with("plugin:"));
    for name in ["presort", "sort", "cluster", "hits", "total"] {
        assert!(stages(&rows, "example-chain").contains(name), "{name}");
    }
    // The quality of hits is known for plugins, too.
    let efficiency = |row: &reports::record::SummaryRow| row.metrics.number("efficiency");
    assert_eq!(efficiency(own), efficiency(ours));
    // Streams, clusters, hits and scratch memory: more than what any of them takes alone.
    let bytes = own.memory_bytes.expect("known");
    assert!(bytes > 8 * own.items, "{bytes}");
}

#[test]
fn the_answer_of_the_online_reconstruction_is_asked_for_with_compat() {
    let Some(workshop) = measuring() else { return };
    let plugin = workshop.example_of("cluster.c", "libcluster.so");
    let line = "cluster --compat --preset mcbm-2024 --scale 0.002 --variant example-* --device cpu";
    let flags = "--max-time 100ms --threads 1 --no-charts --out r --plugin";
    workshop.bench(format!("{line} {flags} {plugin}")).exits(0);
    let rows = workshop.rows("r");
    let example = row(&rows, "example-neighbours");
    assert_eq!(example.valid, YesNo::Yes);
    assert!(example.note.contains("right by the reference \"published\""), "{}", example.note);
}
