//! Subcommands that do not measure: list, devices, verify, generate, completions.

use std::fs;

use portable_gpu::emulator;
use reports::record::CeilingsRecord;
use serde_json::Value;

use crate::common::{can_measure, folder, measuring};

#[test]
fn devices_are_described_or_the_reason_for_none() {
    let run = folder().bench("devices").exits(0);
    for word in ["cpu:", "core", "memory", "gpu:"] {
        run.prints(word);
    }
    let has_gpu = run.stdout.contains("gpu: cuda:0, ");
    let is_told = run.stdout.contains("gpu: none; ");
    assert_ne!(has_gpu, is_told, "{}", run.stdout);
    let record: CeilingsRecord = folder().bench("devices --format json").exits(0).json();
    assert_eq!(record.machine.key(), record.machine_key);
    assert!(record.ceilings.is_empty() && record.links.is_empty());
}

#[test]
fn ceilings_are_not_measured_for_a_folder_that_has_some() {
    let Some(folder) = measuring() else { return };
    folder.write("ceilings.json", "{}");
    let run = folder.bench("devices --measure --out .").exits(2);
    run.says("choose another folder with --out");
    assert!(!run.stderr.contains("measuring"), "{}", run.stderr);
}

#[test]
fn all_variants_are_verified() {
    let folder = folder();
    let all = folder.bench("verify sort --seeds 1").exits(0);
    all.prints(" 0 wrong");
    let one = folder.bench("verify --seeds 1 --variant std-stable");
    assert!(one.stdout.starts_with("1 variant, "), "{}", one.stdout);
}

#[test]
fn manual_pages_are_of_all_subcommands() {
    let folder = folder();
    folder.bench("man pages").exits(0).says("manual pages in pages");
    for page in ["bench.1", "bench-sort.1", "bench-history-list.1"] {
        assert!(folder.read(format!("pages/{page}")).contains(".TH bench"), "{page}");
    }
    assert!(folder.read("pages/bench-sort.1").contains("segments"));
    folder.bench("man /dev/null/pages").exits(1).says("/dev/null/pages");
}

#[test]
fn completions_know_the_subcommands() {
    for shell in ["bash", "zsh", "fish"] {
        let run = folder().bench(format!("completions {shell}"));
        run.exits(0).prints("sort");
    }
}

#[test]
fn help_has_examples_and_exit_codes() {
    folder().bench("--help").exits(0).prints("Exit codes:");
    let run = folder().bench("sort --help").exits(0);
    run.prints("Examples:").prints("bench sort --segments 24");
}

#[test]
fn generated_files_are_the_same_each_time_and_can_be_sorted() {
    let folder = folder();
    for name in ["a.csv", "b.csv", "c.bin"] {
        let line = format!("generate sts --segments 24 --digis 5k --seed 7 --out {name}");
        folder.bench(line).exits(0);
    }
    let read = |name: &str| fs::read(folder.join(name)).expect("written");
    assert_eq!(read("a.csv"), read("b.csv"));
    assert!(read("a.csv").starts_with(b"module,side,channel,time_ns,adc\n"));
    if !can_measure() {
        return;
    }
    for name in ["a.csv", "c.bin"] {
        let line = format!("sort --input {name} --max-time 100ms --no-charts --variant std-*");
        let rows = folder.measure(line);
        fs::remove_dir_all(folder.join("r")).expect("removed");
        assert!(rows.iter().all(|row| row.items == 5000));
        let params = rows[0].params.to_string();
        assert!(params.starts_with("content="), "{params}");
        let end = format!(";digis=5000;input={name};segments=24");
        assert!(params.ends_with(&end), "{params}");
    }
}

#[test]
fn the_setup_of_other_data_is_not_replaced() {
    let folder = folder();
    let physics = "generate sts-physics --preset mcbm-2024 --scale 0.0005 --out";
    let raw = "generate sts-raw --preset mcbm-2024 --scale 0.0005 --out";
    folder.bench(format!("{physics} d.csv")).exits(0);
    let setup = folder.read("d.setup.json");
    let run = folder.bench(format!("{raw} d.ts.bin")).exits(1);
    run.says("d.setup.json: it holds the setup of the detector of other data");
    assert_eq!(folder.read("d.setup.json"), setup);
    assert!(!folder.join("d.ts.bin").exists());
    folder.bench(format!("{raw} e.ts.bin")).exits(0);
    folder.bench(format!("{raw} e.ts.bin")).exits(0);
    let run = folder.bench(format!("{physics} e.csv")).exits(1);
    run.says("e.setup.json: it holds the tables of boards of other data");
    folder.bench(format!("{physics} d.csv")).exits(0);
}

#[test]
fn simulated_digis_come_with_setup_and_truth() {
    let folder = folder();
    let generate = |flags: &str| {
        let line = format!("generate sts-physics --seed 7 {flags}");
        folder.bench(line).exits(0);
    };
    let read = |name: &str| folder.read(name);
    generate("--preset cbm-auau --scale 0.001 --truth --out a.csv");
    generate("--preset cbm-auau --scale 0.001 --out b.csv");
    assert_eq!(read("a.csv"), read("b.csv"));
    let lines = |name| read(name).lines().count();
    assert_eq!(lines("a.csv"), lines("a.sources.csv"));
    assert!(read("a.crossings.csv").starts_with("module,collision,time_ns,x,y"));
    assert!(!folder.join("b.crossings.csv").exists());
    let setup = generators_sts::io::read_setup(&folder.join("a.setup.json"));
    assert_eq!(setup.expect("a setup").modules().len(), 896);

    generate("--preset mcbm-2024 --scale 0.1 --noise 1Hz --rate 100Hz --out m.bin.gz");
    let digis = |name: &str| generators_sts::io::read_digis(&folder.join(name));
    for name in ["m-0.bin.gz", "m-1.bin.gz"] {
        assert_eq!(digis(name).expect("digis").partition().segments(), 24);
    }
    assert!(!folder.join("m-2.bin.gz").exists());
}

#[test]
fn generated_pages_are_the_same_each_time() {
    let folder = folder();
    for name in ["a.pages", "b.pages"] {
        let flags = "--zs row12 --orbits 2 --sectors 2 --preset pp --seed 7";
        let run = folder.bench(format!("generate tpc {flags} --out {name}"));
        run.exits(0).says("pages of 2 sectors");
    }
    let read = |name: &str| fs::read(folder.join(name)).expect("written");
    assert!(read("a.pages") == read("b.pages"));
    let index = String::from_utf8(read("a.index.csv")).expect("text");
    let counts = index.lines().skip(1).filter_map(|line| line.rsplit(',').next());
    let pages: usize = counts.map(|count| count.parse::<usize>().expect("a number")).sum();
    assert_eq!(read("a.pages").len(), 8192 * pages);
    assert!(index.starts_with("sector,endpoint,n_pages\n0,0,"));
}

#[test]
fn kernels_are_verified_on_an_input_of_ones_own() {
    if let Some(reason) = emulator::unavailable() {
        eprintln!("skipped: {reason}");
        return;
    }
    let folder = folder();
    let generate = "generate sts --segments 4 --digis 700 --order time --out digis.bin";
    folder.bench(generate).exits(0);
    let line = "verify sort --device emulator --input digis.bin --schedules";
    for flags in ["4", "2 --lanes 64", "2 --races"] {
        let run = folder.bench(format!("{line} {flags}")).exits(0);
        run.prints(" 0 wrong, 0 not run");
    }
}

#[test]
fn a_device_is_verified_by_its_own_variants() {
    let folder = folder();
    let line = "verify sort --device cpu --variant block-merge-256x11 --seeds 1";
    folder.bench(line).exits(5).says("nothing was verified");
}

#[test]
fn the_list_has_all_variants_and_why_some_can_not_run_here() {
    let folder = folder();
    let table = folder.bench("list").exits(0);
    let list: Value = folder.bench("list --format json").json();
    let variants = list[0]["variants"].as_array().expect("variants");
    for variant in variants {
        table.prints(variant["name"].as_str().expect("a name"));
    }
    let of_backend =
        |backend: &'static str| variants.iter().filter(move |v| v["backend"] == backend);
    assert!(of_backend("cpu").all(|variant| variant["available"] == true));
    assert!(of_backend("cuda").count() >= 4);
    for variant in of_backend("cuda") {
        let available = variant["available"] == true;
        let reason = variant["reason"].is_string();
        assert_ne!(available, reason, "{variant}");
    }
    let emulator = &list[0]["emulator"];
    assert_eq!(emulator["available"] == true, emulator["reason"].is_null());
}
