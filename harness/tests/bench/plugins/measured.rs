//! Plugins that are right.

use reports::record::YesNo;
use serde_json::Value;

use super::compiled::{RIGHT, measuring, workshop};
use crate::common::row;

#[test]
fn the_example_is_measured_like_any_other_variant() {
    let Some(workshop) = measuring() else { return };
    let run = workshop.measure(&[&workshop.example()], "example*", "");
    run.exits(0).prints("example-lsd-radix");
    let rows = workshop.rows("r");
    let example = row(&rows, "example-lsd-radix");
    let own = row(&rows, "std-stable");
    assert_eq!((example.valid, example.stable), (YesNo::Yes, YesNo::Yes));
    assert!(example.median_s.is_some_and(|median| median > 0.0));
    assert!(example.fingerprint.starts_with("plugin:"));
    assert!(own.fingerprint.starts_with("code:"));
    let [plugin] = &workshop.record("r").plugins[..] else {
        panic!("not one plugin");
    };
    let is = (&plugin.file[..], &plugin.version[..]);
    assert_eq!(is, ("libexample.so", "1.0"));
    assert_eq!(plugin.fingerprint, example.fingerprint);
    // Input, output, and tables for two threads, which bench lends; starting the threads
    // takes some bytes more.
    let arrays = 2 * 5000 * 8;
    let tables = 2 * 4 * 2048 * 8;
    let bytes = example.memory_bytes.expect("known");
    let expected = arrays + tables..arrays + tables + 4096;
    assert!(expected.contains(&bytes), "{bytes}");
}

#[test]
fn the_example_is_right_on_hard_inputs_with_any_number_of_threads() {
    let Some(workshop) = workshop() else { return };
    let example = workshop.example();
    let line = format!("verify sort --plugin {example} --variant example* --device cpu");
    let run = workshop.bench(&line).exits(0);
    run.prints("0 wrong, 0 not run");
}

#[test]
fn its_threads_are_where_they_should_be() {
    let Some(workshop) = measuring() else { return };
    let example = workshop.example();
    let flags = "--places threads --bind close";
    workshop.measure(&[&example], "example*", flags).exits(0);
    let mut samples = workshop.samples("r");
    samples.retain(|sample| sample.variant == "example-lsd-radix");
    assert!(!samples.is_empty());
    for flags in samples.iter().map(|sample| &sample.flags) {
        let elsewhere = flags.contains("outside-place") || flags.contains("migrated");
        assert!(!elsewhere, "{flags}");
    }
}

#[test]
fn plugins_are_listed_with_their_files() {
    let Some(workshop) = workshop() else { return };
    let plugin = workshop.plugin("libforeign.so", RIGHT);
    let table = workshop.bench(format!("list --plugin {plugin}")).exits(0);
    let line = table.stdout.lines().find(|line| line.contains("foreign"));
    assert!(line.is_some_and(|line| line.contains("qsort a segment [libforeign.so]")));
    let json = workshop.bench(format!("list --format json --plugin {plugin}"));
    let list: Value = json.json();
    let variants = list[0]["variants"].as_array().expect("a list");
    let foreign = variants.iter().find(|variant| variant["name"] == "foreign");
    let foreign = foreign.expect("it is there");
    assert_eq!(foreign["plugin"], "libforeign.so");
    assert_eq!(foreign["available"], true);
}

#[test]
fn missing_features_are_listed_with_the_build_option() {
    let Some(workshop) = workshop() else { return };
    let tasks: Vec<Value> = workshop.bench("list --format json").json();
    let variants = tasks.iter().filter_map(|task| task["variants"].as_array());
    let mut of_libraries: Vec<_> = variants.flatten().collect();
    of_libraries.retain(|variant| {
        let name = variant["name"].as_str().unwrap_or_default();
        name.starts_with("cub-") || name.starts_with("cuda-")
    });
    assert_eq!(of_libraries.len(), 8);
    for variant in of_libraries {
        // Independent of whether it was built.
        let reason = variant["reason"].as_str().unwrap_or_default();
        let is_known = variant["available"] == true
            || reason.contains("scripts/build-kernels.sh --cub")
            || reason.contains("NVIDIA driver");
        assert!(is_known, "{variant}");
    }
}

#[test]
fn two_plugins_are_measured_together() {
    let Some(workshop) = measuring() else { return };
    let one = workshop.plugin("libone.so", "-DNAME=\"foreign-1\"");
    let two = workshop.plugin("libtwo.so", "-DNAME=\"foreign-2\"");
    let run = workshop.measure(&[&one, &two, &one], "foreign*", "");
    run.exits(0).prints("foreign-1").prints("foreign-2");
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
fn a_suite_names_plugins_next_to_itself() {
    let Some(workshop) = measuring() else { return };
    workshop.plugin("libforeign.so", RIGHT);
    workshop.write("foreign.toml", SUITE);
    let line = "run foreign.toml --no-charts --no-ceilings --out r";
    workshop.bench(line).exits(0);
    assert_eq!(row(&workshop.rows("r"), "foreign").valid, YesNo::Yes);
    // Another build of the plugin is another measurement.
    workshop.plugin("libforeign.so", "-DSUMMARY=\"changed\"");
    workshop.bench(line).exits(2).says("other plugins");
}

#[test]
fn a_suite_without_the_plugin_does_not_know_its_variants() {
    let Some(workshop) = workshop() else { return };
    let plugin = workshop.plugin("libforeign.so", RIGHT);
    let alone = SUITE.replace("plugins = [\"libforeign.so\"]\n", "");
    workshop.write("alone.toml", alone);
    let run = workshop.bench("run alone.toml --dry-run").exits(2);
    run.says("unknown variant \"foreign\"");
    let with = format!("run alone.toml --dry-run --plugin {plugin}");
    workshop.bench(with).exits(0);
}
