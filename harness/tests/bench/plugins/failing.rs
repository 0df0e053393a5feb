//! Plugins that crash, hang, lie or are wrong: told with exit code 3, never timed, and
//! nothing else is lost.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use reports::record::{SummaryRow, YesNo};
use reports::store::{read_samples, read_summary};

use super::compiled::Workshop;
use crate::common::{BENCH, Run, can_measure};

fn rows(workshop: &Workshop) -> Vec<SummaryRow> {
    read_summary(&workshop.path().join("r")).expect("readable")
}

/// The notes of plugins that do such things, in a single run; what is beside them is
/// measured.
fn notes_of(defines: &[&str]) -> Option<Vec<String>> {
    let workshop = Workshop::new().filter(|_| can_measure())?;
    let numbered = defines.iter().enumerate();
    let plugins = numbered.map(|(i, defines)| {
        let defines = format!("{defines} -DNAME=\"foreign-{i}\"");
        workshop.plugin(&format!("libforeign-{i}.so"), &defines)
    });
    let plugins: Vec<_> = plugins.collect();
    let plugins: Vec<_> = plugins.iter().map(String::as_str).collect();
    let run = workshop.measure(&plugins, "foreign-*", "");
    assert_eq!(run.code, Some(3), "{}", run.stderr);
    let (rows, out) = (rows(&workshop), workshop.path().join("r"));
    assert_eq!(rows.iter().filter(|row| row.median_s.is_some()).count(), 2);
    let samples = read_samples(&out).expect("readable");
    assert!(
        samples
            .iter()
            .all(|sample| sample.variant.starts_with("std-"))
    );
    let note = |i: usize| {
        let name = format!("foreign-{i}");
        let row = rows.iter().find(|row| row.variant == name).expect("a row");
        assert_eq!((row.valid, row.samples), (YesNo::No, 0), "{}", row.note);
        row.note.replace(&format!("lib{name}.so"), "LIB")
    };
    Some((0..defines.len()).map(note).collect())
}

fn check(cases: &[(&str, &str)]) {
    let defines: Vec<_> = cases.iter().map(|(defines, _)| *defines).collect();
    let Some(notes) = notes_of(&defines) else {
        return;
    };
    for (note, (defines, expected)) in notes.iter().zip(cases) {
        assert!(note.starts_with(expected), "{defines}: {note}");
    }
}

#[test]
fn crashes_in_every_call() {
    check(&[
        (
            "-DWHERE=prepare_call -DHOW=crash",
            "failed: LIB crashed in prepare, on ",
        ),
        (
            "-DWHERE=memory_call -DHOW=crash",
            "failed: LIB crashed in memory, on ",
        ),
        (
            "-DWHERE=reset_call -DHOW=crash",
            "failed: LIB crashed in reset, on ",
        ),
        (
            "-DWHERE=run_call -DHOW=crash",
            "failed: LIB crashed in run, on ",
        ),
        (
            "-DWHERE=output_call -DHOW=crash",
            "failed: LIB crashed in output, on ",
        ),
        (
            "-DWHERE=release_call -DHOW=crash",
            "failed: LIB crashed in release, on ",
        ),
    ]);
}

#[test]
fn crashes_of_every_kind() {
    check(&[
        (
            "-DWHERE=run_call -DHOW=give_up",
            "failed: LIB crashed in run, on ",
        ),
        (
            "-DWHERE=run_call -DHOW=leave",
            "failed: LIB ended the process in run, on ",
        ),
        (
            "-DWHERE=prepare_call -DHOW=leave",
            "failed: LIB ended the process in prepare, on ",
        ),
    ]);
}

#[test]
fn a_crash_is_told_with_its_signal_and_the_input() {
    let Some(notes) = notes_of(&["-DWHERE=run_call -DHOW=crash -DFROM=9000"]) else {
        return;
    };
    let note = &notes[0];
    let (_, place) = note.split_once(", on ").expect("a place");
    assert!(
        place.starts_with("one segment of ") && place.ends_with(" digis, 2 threads (SIGSEGV)"),
        "{note}"
    );
}

#[test]
fn a_plugin_that_hangs_is_not_waited_for() {
    check(&[(
        "-DWHERE=run_call -DHOW=hang",
        "failed: LIB hung in run, on ",
    )]);
}

#[test]
fn outputs_that_are_wrong_and_buffers_that_are_spoilt() {
    check(&[
        (
            "-DWHERE=run_call -DHOW=wrong",
            "wrong output: segment 0, position 0: ",
        ),
        (
            "-DWHERE=run_call -DHOW=beyond",
            "wrong output: it wrote beyond the end of its output",
        ),
        (
            "-DWHERE=run_call -DHOW=far_beyond",
            "failed: LIB crashed in run, on ",
        ),
        (
            "-DWHERE=run_call -DHOW=spoil",
            "wrong output: it changed its input, at position 0: ",
        ),
    ]);
}

#[test]
fn what_is_wrong_on_the_real_input_only_is_found_there() {
    // More digis than any hard input has.
    let defines = "-DWHERE=run_call -DHOW=wrong -DFROM=250000";
    let Some(workshop) = Workshop::new().filter(|_| can_measure()) else {
        return;
    };
    let plugin = workshop.plugin("libforeign.so", defines);
    let line = "sort --segments 24 --digis 300k --variant foreign,std-stable --max-time 100ms";
    let run = workshop.bench(&format!(
        "{line} --device cpu --no-charts --out r --plugin {plugin}"
    ));
    assert_eq!(run.code, Some(3), "{}", run.stderr);
    let rows = rows(&workshop);
    let foreign = rows
        .iter()
        .find(|row| row.variant == "foreign")
        .expect("a row");
    assert!(
        foreign.note.starts_with("wrong output: segment "),
        "{}",
        foreign.note
    );
}

#[test]
fn memory_that_is_not_told_counts_all_the_same() {
    let Some(workshop) = Workshop::new().filter(|_| can_measure()) else {
        return;
    };
    let plugin = workshop.plugin("libforeign.so", "-DWHERE=run_call -DHOW=lie");
    let line = "sort --segments 24 --digis 4M --variant foreign --samples 1 --max-time 100ms";
    let run = workshop.bench(&format!(
        "{line} --device cpu --no-charts --out r --plugin {plugin}"
    ));
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let rows = rows(&workshop);
    assert!(
        rows[0]
            .note
            .contains("it says that it allocates 0.0 MB, but 6"),
        "{}",
        rows[0].note
    );
    let bytes = rows[0].memory_bytes.expect("known") as f64;
    let expected = 4.0 * 4e6 * 8.0;
    assert!(
        (bytes / expected - 1.0).abs() < 0.1,
        "{bytes} instead of {expected}"
    );
}

/// Crashes on the second input only, in this process: when it was tried all was well.
fn crash_on_the_real_input(how: &str) -> Option<(Workshop, Run)> {
    let workshop = Workshop::new().filter(|_| can_measure())?;
    let defines = format!("-DWHERE=run_call -DHOW={how} -DFROM=250000");
    let plugin = workshop.plugin("libforeign.so", &defines);
    let run = workshop.bench(&format!(
        "sort --segments 24 --digis 5k,300k --variant std-stable,foreign --max-time 200ms \
         --device cpu --no-charts --out r --plugin {plugin}"
    ));
    Some((workshop, run))
}

#[test]
fn a_crash_in_this_process_names_the_plugin_and_keeps_what_was_measured() {
    for (how, word) in [
        ("crash", "SIGSEGV"),
        ("give_up", "SIGABRT"),
        ("leave", "exit"),
    ] {
        let Some((workshop, run)) = crash_on_the_real_input(how) else {
            return;
        };
        assert_eq!(run.code, Some(3), "{how}: {}", run.stderr);
        let expected = format!(
            "bench: plugin libforeign.so, in run of sort foreign, crashed ({word}); what was \
             measured before is kept in r\n"
        );
        assert!(run.stderr.ends_with(&expected), "{how}: {}", run.stderr);
        let samples = read_samples(&workshop.path().join("r")).expect("readable");
        assert!(
            !samples.is_empty(),
            "{how}: the samples of the first input are there"
        );
        read_summary(&workshop.path().join("r")).expect("readable");
    }
}

#[test]
fn a_hang_on_the_real_input_can_be_interrupted() {
    let Some(workshop) = Workshop::new().filter(|_| can_measure()) else {
        return;
    };
    let plugin = workshop.plugin("libforeign.so", "-DWHERE=run_call -DHOW=hang -DFROM=250000");
    let line = "sort --segments 24 --digis 5k,300k --variant foreign --max-time 100ms \
                --device cpu --no-charts --out r --plugin";
    let mut bench = Command::new(BENCH)
        .args(line.split_whitespace())
        .arg(&plugin)
        .current_dir(workshop.path())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    let mut lines = BufReader::new(bench.stderr.take().expect("a pipe")).lines();
    let mut wait_for = |text: &str| {
        let found = lines
            .by_ref()
            .map_while(Result::ok)
            .any(|line| line.contains(text));
        assert!(found, "{text}");
    };
    wait_for("[2/2]");
    for told in [Some("stopping after this sample"), None] {
        let id = bench.id().to_string();
        let sent = Command::new("kill").args(["-s", "INT", &id]).status();
        assert!(sent.expect("kill runs").success());
        told.into_iter().for_each(&mut wait_for);
    }
    assert_eq!(bench.wait().expect("it ends").code(), Some(130));
    assert!(
        !lines
            .map_while(Result::ok)
            .any(|line| line.contains("crashed"))
    );
}

#[test]
fn verify_goes_on_without_the_plugin_that_crashes() {
    let Some(workshop) = Workshop::new() else {
        return;
    };
    let plugin = workshop.plugin("libforeign.so", "-DWHERE=run_call -DHOW=crash");
    let line = "verify sort --variant foreign,std-stable --device cpu --seeds 1";
    let run = workshop.bench(&format!("{line} --plugin {plugin}"));
    assert_eq!(run.code, Some(3), "{}", run.stderr);
    let told =
        "sort foreign, 1 thread: failed: libforeign.so crashed in run, on one segment of 0 digis";
    assert!(run.stdout.contains(told), "{}", run.stdout);
    assert!(run.stdout.contains("2 variants, "), "{}", run.stdout);
}

#[test]
fn verify_finds_a_smaller_input_on_which_a_plugin_is_wrong() {
    let Some(workshop) = Workshop::new() else {
        return;
    };
    let plugin = workshop.plugin(
        "libforeign.so",
        "-DWHERE=run_call -DHOW=wrong -DFROM=150000",
    );
    let line = "verify sort --variant foreign --device cpu --seeds 1";
    let run = workshop.bench(&format!("{line} --plugin {plugin}"));
    assert_eq!(run.code, Some(3), "{}", run.stderr);
    assert!(
        run.stdout.contains("smallest input found: 1"),
        "{}",
        run.stdout
    );
    let again = format!("again: bench verify sort --plugin {plugin} --variant foreign");
    assert!(run.stdout.contains(&again), "{}", run.stdout);
}
