//! Plugins that are right.

use std::fs;

use reports::record::YesNo;
use reports::store::{read_run, read_samples, read_summary};

use super::compiled::{RIGHT, Workshop};
use crate::common::can_measure;

#[test]
fn the_example_is_measured_like_any_other_variant() {
    let Some(workshop) = Workshop::new().filter(|_| can_measure()) else {
        return;
    };
    let run = workshop.measure(&[&workshop.example()], "example*", "");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stdout.contains("example-lsd-radix"), "{}", run.stdout);
    let folder = workshop.path().join("r");
    let rows = read_summary(&folder).expect("readable");
    let row = rows.iter().find(|row| row.variant == "example-lsd-radix");
    let row = row.expect("a row");
    assert_eq!((row.valid, row.stable), (YesNo::Yes, YesNo::Yes));
    assert!(row.median_s.is_some_and(|median| median > 0.0));
    assert!(
        row.fingerprint.starts_with("plugin:"),
        "{}",
        row.fingerprint
    );
    let own = rows
        .iter()
        .find(|row| row.variant == "std-stable")
        .expect("a row");
    assert!(own.fingerprint.starts_with("code:"), "{}", own.fingerprint);
    let plugins = read_run(&folder).expect("readable").plugins;
    assert_eq!(plugins.len(), 1);
    assert_eq!(
        (plugins[0].file.as_str(), plugins[0].version.as_str()),
        ("libexample.so", "1.0")
    );
    assert_eq!(plugins[0].fingerprint, row.fingerprint);
    // Input, output, and tables for two threads, which bench lends; starting the threads
    // takes some bytes more.
    let (arrays, tables) = (2 * 5000 * 8, 2 * 4 * 2048 * 8);
    let bytes = row.memory_bytes.expect("known");
    assert!(
        (arrays + tables..arrays + tables + 4096).contains(&bytes),
        "{bytes}"
    );
}

#[test]
fn the_example_is_right_on_hard_inputs_with_any_number_of_threads() {
    let Some(workshop) = Workshop::new() else {
        return;
    };
    let example = workshop.example();
    let line = format!("verify sort --plugin {example} --variant example* --device cpu");
    let run = workshop.bench(&line);
    assert_eq!(run.code, Some(0), "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("0 wrong, 0 not run"), "{}", run.stdout);
}

#[test]
fn its_threads_are_where_they_should_be() {
    let Some(workshop) = Workshop::new().filter(|_| can_measure()) else {
        return;
    };
    let example = workshop.example();
    let run = workshop.measure(&[&example], "example*", "--places threads --bind close");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let samples = read_samples(&workshop.path().join("r")).expect("readable");
    let of_example = samples
        .iter()
        .filter(|row| row.variant == "example-lsd-radix");
    assert!(of_example.clone().count() > 0);
    for sample in of_example {
        let flags = sample.flags.as_str();
        assert!(
            !flags.contains("outside-place") && !flags.contains("migrated"),
            "{flags}"
        );
    }
}

#[test]
fn plugins_are_listed_with_their_files() {
    let Some(workshop) = Workshop::new() else {
        return;
    };
    let plugin = workshop.plugin("libforeign.so", RIGHT);
    let table = workshop.bench(&format!("list --plugin {plugin}"));
    assert_eq!(table.code, Some(0), "{}", table.stderr);
    let line = table.stdout.lines().find(|line| line.contains("foreign"));
    let line = line.expect("a line");
    assert!(line.contains("qsort a segment [libforeign.so]"), "{line}");
    let json = workshop.bench(&format!("list --format json --plugin {plugin}"));
    let list: serde_json::Value = serde_json::from_str(&json.stdout).expect("JSON");
    let variants = list[0]["variants"].as_array().expect("a list");
    let foreign = variants.iter().find(|variant| variant["name"] == "foreign");
    let foreign = foreign.expect("it is there");
    assert_eq!(
        (&foreign["plugin"], &foreign["available"]),
        (&"libforeign.so".into(), &true.into())
    );
}

#[test]
fn what_is_not_built_is_listed_with_the_way_to_get_it() {
    let Some(workshop) = Workshop::new() else {
        return;
    };
    let json = workshop.bench("list --format json");
    let list: serde_json::Value = serde_json::from_str(&json.stdout).expect("JSON");
    let tasks = list.as_array().expect("a list").iter();
    let variants = tasks.filter_map(|task| task["variants"].as_array());
    let of_libraries = variants.flatten().filter(|variant| {
        let name = variant["name"].as_str().unwrap_or_default();
        name.starts_with("cub-") || name.starts_with("cuda-")
    });
    let of_libraries: Vec<_> = of_libraries.collect();
    assert_eq!(of_libraries.len(), 6);
    for variant in of_libraries {
        // Whether or not somebody has built it.
        let reason = variant["reason"].as_str().unwrap_or_default();
        let is_known = variant["available"] == true
            || reason.contains("scripts/build-kernels.sh --cub")
            || reason.contains("NVIDIA driver");
        assert!(is_known, "{variant}");
    }
}

#[test]
fn two_plugins_are_measured_together() {
    let Some(workshop) = Workshop::new().filter(|_| can_measure()) else {
        return;
    };
    let (one, two) = (
        workshop.plugin("libone.so", "-DNAME=\"foreign-1\""),
        workshop.plugin("libtwo.so", "-DNAME=\"foreign-2\""),
    );
    let run = workshop.measure(&[&one, &two, &one], "foreign*", "");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(
        run.stdout.contains("foreign-1") && run.stdout.contains("foreign-2"),
        "{}",
        run.stdout
    );
}

const SUITE: &str = r#"
name = "foreign"
plugins = ["libforeign.so"]

[defaults]
max-time = "50ms"

[[task]]
name = "sort"
variants = ["foreign", "std-stable"]
[task.axes]
digis = "5k"
segments = 24
"#;

#[test]
fn a_suite_names_plugins_beside_itself() {
    let Some(workshop) = Workshop::new().filter(|_| can_measure()) else {
        return;
    };
    workshop.plugin("libforeign.so", RIGHT);
    fs::create_dir(workshop.path().join("elsewhere")).expect("made");
    fs::write(workshop.path().join("foreign.toml"), SUITE).expect("written");
    let line = "run foreign.toml --no-charts --no-ceilings --out r";
    let run = workshop.bench(line);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let rows = read_summary(&workshop.path().join("r")).expect("readable");
    assert!(
        rows.iter()
            .any(|row| row.variant == "foreign" && row.valid == YesNo::Yes)
    );
    // Another build of the plugin is another measurement.
    workshop.plugin("libforeign.so", "-DSUMMARY=\"changed\"");
    let run = workshop.bench(line);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    assert!(run.stderr.contains("other plugins"), "{}", run.stderr);
}

#[test]
fn a_suite_without_the_plugin_does_not_know_its_variants() {
    let Some(workshop) = Workshop::new() else {
        return;
    };
    let plugin = workshop.plugin("libforeign.so", RIGHT);
    let alone = SUITE.replace("plugins = [\"libforeign.so\"]\n", "");
    fs::write(workshop.path().join("alone.toml"), alone).expect("written");
    let run = workshop.bench("run alone.toml --dry-run");
    assert_eq!(run.code, Some(2));
    assert!(
        run.stderr.contains("unknown variant \"foreign\""),
        "{}",
        run.stderr
    );
    let run = workshop.bench(&format!("run alone.toml --dry-run --plugin {plugin}"));
    assert_eq!(run.code, Some(0), "{}", run.stderr);
}
