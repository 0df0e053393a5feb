//! Plugins that end the process on the real input, after they did well in the trial; and how a
//! process with plugins is ended by others.

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use super::compiled::{RIGHT, Workshop, measuring, processes_in, workshop};
use crate::common::{BENCH, Run, rows_of, signal, wait_until};

const SORT: &str = "sort --segments 24 --max-time 100ms --device cpu --no-charts --out r";

#[test]
fn whatever_ends_the_process_is_reported_and_keeps_what_was_measured() {
    let ways = rows_of(
        "
            quit | plugin libforeign.so, in run of sort foreign, ended the process (exit code 0)
            vanish | plugin libforeign.so, in run of sort foreign, was ended by SIGKILL
            heap | plugin libforeign.so, in release of sort foreign, crashed (SIGABRT)
            unmap | the process crashed (SIGSEGV) while plugins were loaded, which may have spoilt it; the last call was of libforeign.so, in run of sort foreign
        ",
    );
    for [how, reported] in ways {
        let Some(workshop) = measuring() else { return };
        // On the second input only: when it was tried all was well.
        let defines = format!("-DWHERE=run_call -DHOW={how} -DFROM=250000");
        let plugin = workshop.plugin("libforeign.so", &defines);
        let flags = "--digis 5k,300k --variant std-stable,foreign";
        let run = workshop.bench(format!("{SORT} {flags} --plugin {plugin}")).exits(3);
        run.says(format!("bench: {reported}; what was measured before is kept in r\n"));
        // The samples of the first input are there.
        assert!(!workshop.samples("r").is_empty());
        workshop.rows("r");
    }
}

#[test]
fn a_suite_and_a_verification_end_likewise() {
    let Some(workshop) = measuring() else { return };
    let defines = "-DWHERE=run_call -DHOW=quit -DFROM=250000";
    let plugin = workshop.plugin("libforeign.so", defines);
    workshop.write("foreign.toml", suite("300k"));
    let reported = "bench: plugin libforeign.so, in run of sort foreign, ended the process";
    let line = "run foreign.toml --no-charts --no-ceilings --out r";
    workshop.bench(line).exits(3).says(reported);
    workshop.bench("generate sts --segments 24 --digis 300k --out digis.bin").exits(0);
    let line = "verify sort --variant foreign --device cpu --input digis.bin";
    workshop.bench(format!("{line} --plugin {plugin}")).exits(3).says(reported);
}

#[test]
fn a_side_that_a_plugin_ends_is_reported_as_that() {
    let Some(workshop) = measuring() else { return };
    workshop.plugin("libforeign.so", "-DWHERE=run_call -DHOW=quit -DFROM=250000");
    workshop.write("foreign.toml", suite("300k"));
    let run = workshop.bench(format!("run foreign.toml --no-charts --against {BENCH} --out r"));
    run.exits(3).says("ended when it was asked to");
    wait_until(|| processes_in(&workshop).is_empty());
}

fn suite(digis: &str) -> String {
    format!(
        "name = \"foreign\"\nplugins = [\"libforeign.so\"]\n[defaults]\nmax-time = \"50ms\"\n\
         device = [\"cpu\"]\n[[task]]\nname = \"sort\"\nvariants = [\"foreign\", \"std-stable\"]\n\
         [task.axes]\ndigis = \"{digis}\"\nsegments = 24\n"
    )
}

#[test]
fn a_plugin_that_goes_elsewhere_takes_no_results_along() {
    for function in ["constructor", "prepare_call", "run_call"] {
        let Some(workshop) = measuring() else { return };
        let defines = format!("-DWHERE={function} -DHOW=wander");
        let plugin = workshop.plugin("libforeign.so", &defines);
        let flags = "--digis 5k --variant foreign,std-stable --store s --format json=t.json";
        let line = SORT.replace(" --no-charts", "");
        let run = workshop.bench(format!("{line} {flags} --plugin {plugin}")).exits(0);
        run.says("results go to r\n");
        workshop.has("r/run.json r/summary.csv r/bars.svg t.json");
        assert!(workshop.join("s").is_dir());
    }
}

#[test]
fn a_hang_on_the_real_input_can_be_interrupted() {
    let Some(workshop) = measuring() else { return };
    let plugin = workshop.plugin("libforeign.so", "-DWHERE=run_call -DHOW=hang -DFROM=250000");
    let line = format!("{SORT} --digis 5k,300k --variant foreign --plugin {plugin}");
    let mut bench = workshop.start(&line);
    let mut lines = BufReader::new(bench.stderr.take().expect("a pipe")).lines();
    let mut wait_for = |text: &str| {
        let mut lines = lines.by_ref().map_while(Result::ok);
        assert!(lines.any(|line| line.contains(text)), "{text}");
    };
    wait_for("[2/2]");
    for reported in [Some("stopping after this sample"), None] {
        signal(&bench, "INT");
        reported.into_iter().for_each(&mut wait_for);
    }
    assert_eq!(bench.wait().expect("it ends").code(), Some(130));
    let mut left = lines.map_while(Result::ok);
    assert!(!left.any(|line| line.contains("crashed")));
}

/// A run with a plugin that would take minutes, in a process group of its own, once it has
/// written some samples.
fn long_run(workshop: &Workshop) -> Child {
    let plugin = workshop.plugin("libforeign.so", RIGHT);
    let mut bench = workshop.command(&format!(
        "sort --segments 24 --digis 20k --samples 100000 --max-time 10m --out r --no-charts \
         --device cpu --variant std-stable,foreign --plugin {plugin}"
    ));
    bench.process_group(0).stdout(Stdio::null()).stderr(Stdio::piped());
    let child = bench.spawn().expect("the binary runs");
    let samples = workshop.join("r/samples.csv");
    let written = || fs::read_to_string(&samples).map_or(0, |text| text.lines().count());
    wait_until(|| written() >= 20);
    child
}

#[test]
fn ctrl_c_counts_once_whether_all_processes_get_it_or_one() {
    for to_all in [true, false] {
        let Some(workshop) = measuring() else { return };
        let child = long_run(&workshop);
        let target = if to_all { format!("-{}", child.id()) } else { child.id().to_string() };
        let sent = Command::new("kill").args(["-s", "INT", "--", &target]).status();
        assert!(sent.expect("kill runs").success());
        let run = Run::end_of(child).exits(130);
        run.says("what was measured is kept in r");
        let rows = workshop.rows("r");
        assert_eq!(rows.len(), 2);
        assert!(rows.iter().all(|row| row.stopped_by == "interrupt"));
    }
}

#[test]
fn no_process_survives_when_bench_is_killed() {
    let Some(workshop) = measuring() else { return };
    let mut child = long_run(&workshop);
    assert!(processes_in(&workshop).len() > 1);
    signal(&child, "KILL");
    child.wait().expect("it ends");
    wait_until(|| processes_in(&workshop).is_empty());
    assert!(workshop.samples("r").len() >= 19);
}

#[test]
fn no_trial_survives_when_bench_is_killed() {
    let Some(workshop) = workshop() else { return };
    let plugin = workshop.plugin("libforeign.so", "-DWHERE=run_call -DHOW=hang");
    let line = format!("verify sort --variant foreign --device cpu --plugin {plugin}");
    let mut child = workshop.start(&line);
    let is_trial = |process: &PathBuf| {
        let line = fs::read_to_string(process.join("cmdline")).unwrap_or_default();
        line.contains("plugin-trial") && line.contains("--variant")
    };
    wait_until(|| processes_in(&workshop).iter().any(is_trial));
    signal(&child, "KILL");
    child.wait().expect("it ends");
    wait_until(|| processes_in(&workshop).is_empty());
}

#[test]
fn ctrl_c_ends_a_trial_at_once() {
    let Some(workshop) = workshop() else { return };
    let plugin = workshop.plugin("libforeign.so", "-DWHERE=describe -DHOW=hang");
    let mut child = workshop.start(&format!("list --plugin {plugin}"));
    let is_trial = |process: &PathBuf| {
        let line = fs::read_to_string(process.join("cmdline")).unwrap_or_default();
        line.contains("plugin-trial")
    };
    wait_until(|| processes_in(&workshop).iter().any(is_trial));
    signal(&child, "INT");
    let ended = child.wait().expect("it ends");
    assert_eq!(ended.signal(), Some(2));
    wait_until(|| processes_in(&workshop).is_empty());
}
