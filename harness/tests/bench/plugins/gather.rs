//! A plugin with variants of two tasks, one of them gathering.

use reports::record::YesNo;

use super::compiled::{RIGHT, Workshop, measuring, workshop};
use crate::common::{Run, cells, row};

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
