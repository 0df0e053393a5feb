//! The subcommands beside measuring: list, devices, verify, generate, completions.

use std::fs;

use crate::common::{bench_in, can_measure, folder};
use reports::record::CeilingsRecord;
use reports::store::read_summary;

#[test]
fn the_list_names_every_variant() {
    let folder = folder();
    let run = bench_in(folder.path(), "list");
    assert_eq!(run.code, Some(0));
    let json = bench_in(folder.path(), "list --format json").stdout;
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    let variants = json[0]["variants"].as_array().expect("a list");
    assert!(variants.len() >= 4);
    for variant in variants {
        let name = variant["name"].as_str().expect("a name");
        assert!(run.stdout.contains(name), "{name}");
    }
}

#[test]
fn devices_are_described() {
    let folder = folder();
    let run = bench_in(folder.path(), "devices");
    assert_eq!(run.code, Some(0));
    for word in ["cpu:", "core", "memory", "gpu:"] {
        assert!(run.stdout.contains(word), "{}", run.stdout);
    }
}

#[test]
fn devices_are_described_for_other_tools() {
    let folder = folder();
    let run = bench_in(folder.path(), "devices --format json");
    assert_eq!(run.code, Some(0));
    let record: CeilingsRecord = serde_json::from_str(&run.stdout).expect("JSON");
    assert_eq!(record.machine.key(), record.machine_key);
    assert!(record.ceilings.is_empty() && record.links.is_empty());
}

#[test]
fn ceilings_are_not_measured_for_a_folder_that_has_some() {
    if !can_measure() {
        return;
    }
    let folder = folder();
    fs::write(folder.path().join("ceilings.json"), "{}").expect("written");
    let run = bench_in(folder.path(), "devices --measure --out .");
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    assert!(run.stderr.contains("choose another folder with --out"));
    assert!(!run.stderr.contains("measuring"), "{}", run.stderr);
}

#[test]
fn all_variants_are_verified() {
    let folder = folder();
    let run = bench_in(folder.path(), "verify sort --seeds 1");
    assert_eq!(run.code, Some(0), "{}", run.stdout);
    assert!(run.stdout.contains(" 0 wrong"), "{}", run.stdout);
    let one = bench_in(folder.path(), "verify --seeds 1 --variant std-stable");
    assert!(one.stdout.starts_with("1 variants"), "{}", one.stdout);
}

#[test]
fn completions_know_the_subcommands() {
    let folder = folder();
    for shell in ["bash", "zsh", "fish"] {
        let run = bench_in(folder.path(), &format!("completions {shell}"));
        assert_eq!(run.code, Some(0));
        assert!(run.stdout.contains("sort"), "{shell}");
    }
}

#[test]
fn help_has_examples_and_exit_codes() {
    let folder = folder();
    let run = bench_in(folder.path(), "--help");
    assert_eq!(run.code, Some(0));
    assert!(run.stdout.contains("Examples:") && run.stdout.contains("Exit codes:"));
    let run = bench_in(folder.path(), "sort --help");
    assert_eq!(run.code, Some(0));
    assert!(run.stdout.contains("bench sort --segments 24"));
}

#[test]
fn generated_files_are_the_same_each_time_and_can_be_sorted() {
    let folder = folder();
    for name in ["a.csv", "b.csv", "c.bin"] {
        let line = format!("generate sts --segments 24 --digis 5k --seed 7 --out {name}");
        let run = bench_in(folder.path(), &line);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
    }
    let read = |name: &str| fs::read(folder.path().join(name)).expect("written");
    assert_eq!(read("a.csv"), read("b.csv"));
    assert!(read("a.csv").starts_with(b"module,side,channel,time_ns,adc\n"));
    if !can_measure() {
        return;
    }
    for name in ["a.csv", "c.bin"] {
        let line = format!("sort --input {name} --out r-{name} --max-time 100ms --no-charts");
        let run = bench_in(folder.path(), &line);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        let rows = read_summary(&folder.path().join(format!("r-{name}"))).expect("readable");
        assert!(rows.iter().all(|row| row.items == 5000));
        let params = rows[0].params.to_string();
        assert!(params.starts_with("content="), "{params}");
        assert!(
            params.ends_with(&format!(";digis=5000;input={name};segments=24")),
            "{params}"
        );
    }
}

#[test]
fn simulated_digis_come_with_setup_and_truth() {
    let folder = folder();
    let generate = |flags: &str| {
        let line = format!("generate sts-physics --seed 7 {flags}");
        let run = bench_in(folder.path(), &line);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
    };
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).expect("written");
    generate("--preset cbm-auau --scale 0.001 --truth --out a.csv");
    generate("--preset cbm-auau --scale 0.001 --out b.csv");
    assert_eq!(read("a.csv"), read("b.csv"));
    assert_eq!(
        read("a.csv").lines().count(),
        read("a.sources.csv").lines().count()
    );
    assert!(read("a.crossings.csv").starts_with("module,collision,time_ns,x,y"));
    assert!(!folder.path().join("b.crossings.csv").exists());
    let setup = generators::io::read_setup(&folder.path().join("a.setup.json"));
    assert_eq!(setup.expect("a setup").modules().len(), 896);

    generate("--preset mcbm-2024 --scale 0.1 --noise 1Hz --rate 100Hz --out m.bin.gz");
    let digis = |name: &str| generators::io::read_digis(&folder.path().join(name));
    for name in ["m-0.bin.gz", "m-1.bin.gz"] {
        assert_eq!(digis(name).expect("digis").partition().segments(), 24);
    }
    assert!(!folder.path().join("m-2.bin.gz").exists());
}

#[test]
fn generated_pages_are_the_same_each_time() {
    let folder = folder();
    for name in ["a.pages", "b.pages"] {
        let flags = "--zs row12 --orbits 2 --sectors 2 --preset pp --seed 7";
        let run = bench_in(folder.path(), &format!("generate tpc {flags} --out {name}"));
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        assert!(run.stderr.contains("pages of 2 sectors"), "{}", run.stderr);
    }
    let read = |name: &str| fs::read(folder.path().join(name)).expect("written");
    assert!(read("a.pages") == read("b.pages"));
    let index = String::from_utf8(read("a.index.csv")).expect("text");
    let pages = index
        .lines()
        .skip(1)
        .filter_map(|line| line.rsplit(',').next());
    let pages: usize = pages
        .map(|count| count.parse::<usize>().expect("a number"))
        .sum();
    assert_eq!(read("a.pages").len(), 8192 * pages);
    assert!(
        index.starts_with("sector,endpoint,n_pages\n0,0,"),
        "{index}"
    );
}
