//! Plugins that crash, hang, lie or are wrong: reported with exit code 3, never timed, and
//! nothing else is lost.

use reports::record::YesNo;

use super::compiled::{Workshop, measuring, processes_in, workshop};
use crate::common::{Run, row, rows_of, wait_until};

/// Returns the notes of misbehaving plugins in a single run; the other variants are measured.
fn notes_of(defines: &[&str]) -> Option<Vec<String>> {
    let workshop = measuring()?;
    let numbered = defines.iter().enumerate();
    let plugins = numbered.map(|(i, defines)| {
        let defines = format!("{defines} -DNAME=\"foreign-{i}\"");
        workshop.plugin(&format!("libforeign-{i}.so"), &defines)
    });
    let plugins: Vec<_> = plugins.collect();
    let plugins: Vec<_> = plugins.iter().map(String::as_str).collect();
    workshop.measure(&plugins, "foreign-*", "").exits(3);
    let rows = workshop.rows("r");
    let samples = workshop.samples("r");
    assert_eq!(rows.iter().filter(|row| row.median_s.is_some()).count(), 2);
    assert!(samples.iter().all(|it| it.variant.starts_with("std-")));
    let note = |i: usize| {
        let name = format!("foreign-{i}");
        let row = row(&rows, &name);
        assert_eq!((row.valid, row.samples), (YesNo::No, 0), "{}", row.note);
        row.note.replace(&format!("lib{name}.so"), "LIB")
    };
    Some((0..defines.len()).map(note).collect())
}

/// Tries the plugins of a table: how they are compiled, and how their notes begin.
#[track_caller]
fn check(table: &str) {
    let cases: Vec<[&str; 2]> = rows_of(table).collect();
    let defines: Vec<_> = cases.iter().map(|[defines, _]| *defines).collect();
    for (note, [defines, start]) in notes_of(&defines).iter().flatten().zip(&cases) {
        assert!(note.starts_with(start), "{defines}: {note}");
    }
}

#[test]
fn crashes_in_every_call() {
    check(
        "
            -DWHERE=prepare_call -DHOW=crash | failed: LIB crashed in prepare, on
            -DWHERE=memory_call -DHOW=crash | failed: LIB crashed in memory, on
            -DWHERE=reset_call -DHOW=crash | failed: LIB crashed in reset, on
            -DWHERE=run_call -DHOW=crash | failed: LIB crashed in run, on
            -DWHERE=output_call -DHOW=crash | failed: LIB crashed in output, on
            -DWHERE=release_call -DHOW=crash | failed: LIB crashed in release, on
        ",
    );
}

#[test]
fn crashes_of_every_kind_and_hanging() {
    check(
        "
            -DWHERE=run_call -DHOW=hang | failed: LIB hung in run, on
            -DWHERE=run_call -DHOW=give_up | failed: LIB crashed in run, on
            -DWHERE=run_call -DHOW=leave | failed: LIB ended the process in run, on
            -DWHERE=prepare_call -DHOW=leave | failed: LIB ended the process in prepare, on
        ",
    );
}

#[test]
fn a_crash_is_reported_with_its_signal_and_the_input() {
    let Some(notes) = notes_of(&["-DWHERE=run_call -DHOW=crash -DFROM=9000"]) else {
        return;
    };
    let note = &notes[0];
    let (_, input) = note.split_once(", on one segment of ").expect("an input");
    assert!(input.ends_with(" digis, 2 threads (SIGSEGV)"), "{note}");
}

#[test]
fn outputs_that_are_wrong_and_buffers_that_are_spoilt() {
    check(
        "
            -DWHERE=run_call -DHOW=wrong | wrong output: segment 0, position 0:
            -DWHERE=run_call -DHOW=beyond | wrong output: it wrote beyond the end of its output
            -DWHERE=run_call -DHOW=far_beyond | failed: LIB crashed in run, on
            -DWHERE=run_call -DHOW=spoil | wrong output: it changed its input, at position 0:
        ",
    );
}

#[test]
fn claims_that_no_machine_can_meet_are_refused_before_anything_is_taken() {
    let claim = "-DWHERE=memory_call -DHOW=ask";
    check(&format!("{claim} | failed: LIB asks for 70368.7 GB of scratch memory, but "));
    let Some(workshop) = measuring() else { return };
    let flags = "--digis 300k --variant foreign,std-stable";
    sort(&workshop, &format!("{claim} -DFROM=250000"), flags).exits(3);
    let rows = workshop.rows("r");
    let note = &row(&rows, "foreign").note;
    assert!(note.contains("asks for 70368.7 GB of scratch memory, but "), "{note}");
}

#[test]
fn a_trial_has_a_limit_of_memory_and_leaves_no_process() {
    let Some(workshop) = measuring() else { return };
    // Only in the trial: the real input has more digis.
    let plugins = [("need_limit", 1), ("bear", 2)].map(|(how, number)| {
        let defines = format!("-DHOW={how} -DUNTIL=1000 -DNAME=\"foreign-{number}\"");
        workshop.plugin(&format!("lib{how}.so"), &format!("-DWHERE=run_call {defines}"))
    });
    workshop.measure(&[&plugins[0], &plugins[1]], "foreign-*", "").exits(0);
    wait_until(|| processes_in(&workshop).is_empty());
}

const SORT: &str = "sort --segments 24 --max-time 100ms --device cpu --no-charts --out r";

/// Sorts with a plugin that is compiled in some way.
fn sort(workshop: &Workshop, defines: &str, flags: &str) -> Run {
    let plugin = workshop.plugin("libforeign.so", defines);
    workshop.bench(format!("{SORT} {flags} --plugin {plugin}"))
}

#[test]
fn what_is_wrong_on_the_real_input_only_is_found_there() {
    // More digis than any hard input has.
    let defines = "-DWHERE=run_call -DHOW=wrong -DFROM=250000";
    let Some(workshop) = measuring() else { return };
    let flags = "--digis 300k --variant foreign,std-stable";
    sort(&workshop, defines, flags).exits(3);
    let rows = workshop.rows("r");
    let note = &row(&rows, "foreign").note;
    assert!(note.starts_with("wrong output: segment "), "{note}");
}

#[test]
fn memory_that_is_not_reported_counts_too() {
    let Some(workshop) = measuring() else { return };
    let flags = "--digis 4M --variant foreign --samples 1";
    sort(&workshop, "-DWHERE=run_call -DHOW=lie", flags).exits(0);
    let row = &workshop.rows("r")[0];
    let expected = 4.0 * 4e6 * 8.0;
    let bytes = row.memory_bytes.expect("known") as f64;
    assert!((bytes / expected - 1.0).abs() < 0.1, "{bytes} bytes");
    let reported = "it declares allocations of 0.0 MB, but 6";
    assert!(row.note.contains(reported), "{}", row.note);
}

#[test]
fn a_run_of_which_no_sample_counts_measured_nothing() {
    let Some(workshop) = measuring() else { return };
    if std::thread::available_parallelism().map_or(1, usize::from) < 2 {
        eprintln!("skipped: a single CPU");
        return;
    }
    let flags = "--digis 20k --variant foreign --threads 1 --places {0} --bind close";
    sort(&workshop, "-DWHERE=run_call -DHOW=stray -DFROM=20000", flags).exits(5);
    let row = &workshop.rows("r")[0];
    let samples = workshop.samples("r");
    assert!(!samples.is_empty() && row.valid == YesNo::No);
    assert!(row.note.contains("a thread was outside its CPU set"), "{}", row.note);
}

#[test]
fn a_crash_in_this_process_names_the_plugin_and_keeps_what_was_measured() {
    let ways = [("crash", "SIGSEGV"), ("give_up", "SIGABRT"), ("leave", "exit")];
    for (how, word) in ways {
        let Some(workshop) = measuring() else { return };
        // On the second input only: when it was tried all was well.
        let defines = format!("-DWHERE=run_call -DHOW={how} -DFROM=250000");
        let flags = "--digis 5k,300k --variant std-stable,foreign";
        let run = sort(&workshop, &defines, flags).exits(3);
        run.says(format!(
            "bench: plugin libforeign.so, in run of sort foreign, crashed ({word}); what was \
             measured before is kept in r\n"
        ));
        // The samples of the first input are there.
        assert!(!workshop.samples("r").is_empty());
        workshop.rows("r");
    }
}

#[test]
fn verify_continues_without_the_plugin_that_crashes() {
    let Some(workshop) = workshop() else { return };
    let plugin = workshop.plugin("libforeign.so", "-DWHERE=run_call -DHOW=crash");
    let line = "verify sort --variant foreign,std-stable --device cpu --seeds 1";
    let run = workshop.bench(format!("{line} --plugin {plugin}")).exits(3);
    run.prints("sort foreign, 1 thread: failed: libforeign.so crashed in run, on one segment of 0")
        .prints("2 variants, ");
}

#[test]
fn verify_finds_a_smaller_input_on_which_a_plugin_is_wrong() {
    let Some(workshop) = workshop() else { return };
    let plugin = workshop.plugin("libforeign.so", "-DWHERE=run_call -DHOW=wrong -DFROM=1000");
    let generate = "generate sts --segments 24 --digis 5k --out digis.bin";
    workshop.bench(generate).exits(0);
    let line = "verify sort --variant foreign --device cpu --input digis.bin";
    let run = workshop.bench(format!("{line} --plugin {plugin}")).exits(3);
    let again = format!("again: bench verify sort --plugin {plugin} --variant foreign");
    run.prints("smallest input found: 1").prints(again);
}
