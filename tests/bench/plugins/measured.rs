//! Plugins that are right, some with variants of two tasks.

use reports::record::YesNo;
use serde_json::Value;

use super::compiled::{RIGHT, Workshop, measuring, workshop};
use crate::common::{Run, cells, row};

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
fn remarks_are_notes_of_results() {
    let Some(workshop) = measuring() else { return };
    let plugin = workshop.plugin("libforeign.so", "-DREMARK=\"threads_of_its_own\"");
    workshop.measure(&[&plugin], "foreign", "").exits(0).prints("threads_of_its_own");
    let rows = workshop.rows("r");
    assert!(row(&rows, "foreign").note.contains("threads_of_its_own"));
    assert!(!row(&rows, "std-stable").note.contains("threads_of_its_own"));
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

/// Gathers a small input with the plugin and a built-in variant.
fn measure(workshop: &Workshop, tracks: &str, defines: &str) -> Run {
    let plugin = workshop.plugin_of("gather.c", "libtwo.so", defines);
    workshop.bench(format!(
        "gather --tracks {tracks} --row-clusters 3 --variant naive,foreign-* --max-time 100ms \
         --threads 2 --device cpu --no-charts --out r --plugin {plugin}"
    ))
}

#[test]
fn a_gather_of_a_plugin_is_measured_next_to_the_others() {
    let Some(workshop) = measuring() else { return };
    measure(&workshop, "400", RIGHT).exits(0);
    let rows = workshop.rows("r");
    let stage = |name: &str| {
        let mut rows = rows.iter().filter(|row| row.variant == "foreign-gather");
        rows.find(|row| row.stage == name).expect("a row")
    };
    let total = stage("total");
    assert_eq!((total.valid, total.stable), (YesNo::Yes, YesNo::Yes));
    assert!(total.fingerprint.starts_with("plugin:"));
    let rate = total.metrics.number("packed_gb_per_s");
    assert!(rate.is_some_and(|rate| rate > 0.0));
    for name in ["offsets", "copy"] {
        assert!(stage(name).median_s.is_some_and(|median| median > 0.0));
    }
}

#[test]
fn it_is_right_on_hard_inputs_as_is_the_sort_next_to_it() {
    let Some(workshop) = workshop() else { return };
    let plugin = workshop.plugin_of("gather.c", "libtwo.so", RIGHT);
    let line = "verify gather sort --variant foreign-* --device cpu --seeds 1 --plugin";
    let run = workshop.bench(format!("{line} {plugin}")).exits(0);
    run.prints("2 variants, ").prints("0 wrong, 0 not run");
}

#[test]
fn both_tasks_list_their_variants() {
    let Some(workshop) = workshop() else { return };
    let plugin = workshop.plugin_of("gather.c", "libtwo.so", RIGHT);
    let table = workshop.bench(format!("list --plugin {plugin}"));
    let (sort, gather) = table.stdout.split_once("gather: ").expect("both tasks");
    assert!(sort.contains("qsort where digis are [libtwo.so]"), "{sort}");
    assert!(gather.contains("a memcpy a piece [libtwo.so]"), "{gather}");
}

#[test]
fn errors_are_reported_and_never_timed() {
    let crashed = "failed: libtwo.so crashed in run, on tracks of one cluster, 2 threads (SIGSEGV)";
    let wrong = "wrong output: attached_q_tot, entry 0: ";
    let spoilt = "wrong output: it changed its source, at byte 5 ";
    for (defines, start) in
        [("-DHOW=crash -DTRACKS=300", crashed), ("-DHOW=wrong", wrong), ("-DHOW=spoil", spoilt)]
    {
        let Some(workshop) = measuring() else { return };
        measure(&workshop, "400", defines).exits(3);
        let rows = workshop.rows("r");
        let foreign = row(&rows, "foreign-gather");
        assert_eq!((foreign.valid, foreign.samples), (YesNo::No, 0));
        assert!(foreign.note.starts_with(start), "{}", foreign.note);
        assert!(row(&rows, "naive").median_s.is_some());
    }
}

#[test]
fn a_crash_on_the_real_input_only_names_it() {
    let Some(workshop) = measuring() else { return };
    // More tracks than any hard input has.
    let run = measure(&workshop, "5k", "-DHOW=crash -DTRACKS=4000").exits(3);
    run.says("bench: plugin libtwo.so, in run of gather foreign-gather, crashed (SIGSEGV)");
}

#[test]
fn tables_that_make_no_sense_for_gathering_are_refused() {
    let Some(workshop) = workshop() else { return };
    for case in [
        "-DBUFFERS=RECOBENCH_IN_PLACE | buffers is 2; use one of these for gather on cpu: ",
        "-DBUFFERS=RECOBENCH_TO_HOST | buffers is 3; use one of these for gather on cpu: ",
        "-DSTABLE=0 | stable is 0, but gather keeps the order",
    ] {
        let [defines, problem] = cells(case);
        let plugin = workshop.plugin_of("gather.c", "libtwo.so", defines);
        let run = workshop.bench(format!("list --plugin {plugin}")).exits(2);
        run.says(format!("variant \"foreign-gather\": {problem}"));
    }
}
