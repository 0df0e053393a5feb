//! A plugin with variants of two tasks, one of them gathering.

use reports::record::YesNo;
use reports::store::read_summary;

use super::compiled::{RIGHT, Workshop};
use crate::common::{Run, can_measure};

/// Gathers a little, with a variant of our own beside it.
fn measure(workshop: &Workshop, tracks: &str, defines: &str) -> Run {
    let plugin = workshop.plugin_of("gather.c", "libtwo.so", defines);
    workshop.bench(&format!(
        "gather --tracks {tracks} --row-clusters 3 --variant naive,foreign-* --max-time 100ms \
         --threads 2 --device cpu --no-charts --out r --plugin {plugin}"
    ))
}

#[test]
fn a_gather_of_a_plugin_is_measured_beside_the_others() {
    let Some(workshop) = Workshop::new().filter(|_| can_measure()) else {
        return;
    };
    let run = measure(&workshop, "400", RIGHT);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let rows = read_summary(&workshop.path().join("r")).expect("readable");
    let stage = |name: &str| {
        let mut rows = rows.iter().filter(|row| row.variant == "foreign-gather");
        rows.find(|row| row.stage == name).expect("a row")
    };
    let total = stage("total");
    assert_eq!((total.valid, total.stable), (YesNo::Yes, YesNo::Yes));
    assert!(total.fingerprint.starts_with("plugin:"));
    let rate = total.metrics.number("packed_gb_per_s");
    assert!(rate.is_some_and(|rate| rate > 0.0));
    for name in ["places", "copy"] {
        assert!(stage(name).median_s.is_some_and(|median| median > 0.0));
    }
}

#[test]
fn it_is_right_on_hard_inputs_as_is_the_sort_beside_it() {
    let Some(workshop) = Workshop::new() else {
        return;
    };
    let plugin = workshop.plugin_of("gather.c", "libtwo.so", RIGHT);
    let line = "verify gather sort --variant foreign-* --device cpu --seeds 1 --plugin";
    let run = workshop.bench(&format!("{line} {plugin}"));
    assert_eq!(run.code, Some(0), "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("2 variants, "), "{}", run.stdout);
    assert!(run.stdout.contains("0 wrong, 0 not run"), "{}", run.stdout);
}

#[test]
fn both_tasks_list_their_variants() {
    let Some(workshop) = Workshop::new() else {
        return;
    };
    let plugin = workshop.plugin_of("gather.c", "libtwo.so", RIGHT);
    let table = workshop.bench(&format!("list --plugin {plugin}"));
    let (sort, gather) = table.stdout.split_once("gather: ").expect("both tasks");
    assert!(sort.contains("qsort where digis are [libtwo.so]"), "{sort}");
    assert!(gather.contains("a memcpy a piece [libtwo.so]"), "{gather}");
}

#[test]
fn what_goes_wrong_is_told_and_never_timed() {
    for (defines, expected) in [
        (
            "-DHOW=crash -DTRACKS=300",
            "failed: libtwo.so crashed in run, on tracks of one cluster, 2 threads (SIGSEGV)",
        ),
        ("-DHOW=wrong", "wrong output: attached_q_tot, entry 0: "),
        (
            "-DHOW=spoil",
            "wrong output: it changed its source, at byte 5 ",
        ),
    ] {
        let Some(workshop) = Workshop::new().filter(|_| can_measure()) else {
            return;
        };
        let run = measure(&workshop, "400", defines);
        assert_eq!(run.code, Some(3), "{defines}: {}", run.stderr);
        let rows = read_summary(&workshop.path().join("r")).expect("readable");
        let foreign = rows.iter().find(|row| row.variant == "foreign-gather");
        let foreign = foreign.expect("a row");
        assert_eq!((foreign.valid, foreign.samples), (YesNo::No, 0));
        assert!(foreign.note.starts_with(expected), "{}", foreign.note);
        let own = rows.iter().find(|row| row.variant == "naive");
        assert!(own.is_some_and(|row| row.median_s.is_some()));
    }
}

#[test]
fn a_crash_on_the_real_input_only_names_it() {
    let Some(workshop) = Workshop::new().filter(|_| can_measure()) else {
        return;
    };
    // More tracks than any hard input has.
    let run = measure(&workshop, "5k", "-DHOW=crash -DTRACKS=4000");
    assert_eq!(run.code, Some(3), "{}", run.stderr);
    let expected = "bench: plugin libtwo.so, in run of gather foreign-gather, crashed (SIGSEGV)";
    assert!(run.stderr.contains(expected), "{}", run.stderr);
}

#[test]
fn tables_that_make_no_sense_for_gathering_are_refused() {
    for (defines, expected) in [
        (
            "-DBUFFERS=RECOBENCH_IN_PLACE",
            "variant \"foreign-gather\": buffers is 2; use one of these for gather on cpu: \
             RECOBENCH_SEPARATE",
        ),
        (
            "-DBUFFERS=RECOBENCH_TO_HOST",
            "variant \"foreign-gather\": buffers is 3; use one of these for gather on cpu: \
             RECOBENCH_SEPARATE",
        ),
        (
            "-DSTABLE=0",
            "variant \"foreign-gather\": stable is 0, but a gather keeps the order",
        ),
    ] {
        let Some(workshop) = Workshop::new() else {
            return;
        };
        let plugin = workshop.plugin_of("gather.c", "libtwo.so", defines);
        let run = workshop.bench(&format!("list --plugin {plugin}"));
        assert_eq!(run.code, Some(2), "{defines}: {}", run.stderr);
        assert!(run.stderr.contains(expected), "{}", run.stderr);
    }
}
