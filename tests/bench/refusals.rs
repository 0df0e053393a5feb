//! Invalid requests are refused with a clear message and exit code.

use std::fs;
use std::process::Command;

use crate::common::{BENCH, Run, cells, folder, measuring};

/// Runs the commands of a table, which must not create files.
#[track_caller]
fn check(table: &str) {
    let folder = folder();
    folder.check(table);
    let left: Vec<_> = fs::read_dir(folder.path()).expect("readable").collect();
    assert!(left.is_empty(), "refused commands left {left:?}");
}

#[test]
fn command_lines_that_make_no_sense() {
    check(
        "
            2 | srot | 'sort'
            2 | sort --segmets 24 | --segments
            2 | sort --digis many | not a whole number
            2 | sort --digis 99999999999999999999 | not a whole number
            2 | sort --order sideways | there are random, time and jitter:N
            2 | sort --rate NaN | 0 or more, and finite
            2 | sort --noise -5 | 0 or more
            2 | sort --skew -2 | use 1 to 1000000
            2 | sort --duplicates 2 | not a share
            2 | sort --timeslice ten | use a time such as 10ms
            2 | sort --timeslice -1ms | use a time such as 10ms
            2 | sort --max-time ten | use a time such as 10ms
            2 | sort --max-time -1s | use a time such as 10ms
            2 | sort --max-time -1 | invalid value '-1' for '--max-time <TIME>': use a time such as 10ms
            2 | sort --budget -.5 | invalid value '-.5' for '--budget <TIME>': use a time such as 10ms
            2 | stream --duration -10s | invalid value '-10s' for '--duration <TIME>': use a time such as 10ms
            2 | sort --seed -1 | invalid value '-1' for '--seed <N>': use a whole number from 0
            2 | sort --threads 2,-1 | invalid value '-1' for '--threads <N>'
            2 | sort --threads -1 | invalid value '-1' for '--threads <N>'
            2 | compare a b --min-effect -1% | invalid value '-1%' for '--min-effect
            2 | sort --quiet -1 | unexpected value '-1' for '--quiet'
            2 | sort -1 | unexpected argument '-1'
            2 | sort --device gpu | there are cpu, cuda:N, hip:N, wgpu:N, wgpu:N+checked and emulator
            2 | sort --threads none | --threads
            2 | sort --input digis.csv --segments 24 | --segments
            2 | generate | sts
            2 | generate sts | --out
            2 | generate tpc | --out
            2 | generate tpc --zs dense --out a.pages | dense-link-v2
            2 | generate tpc --preset pbpb --out a.pages | there are pbpb-50khz
            2 | presort --digi-window 2 | unexpected argument '--digi-window'
            2 | cluster --cluster-window 2 | unexpected argument '--cluster-window'
            2 | velo --phi-tolerance 1600 | use 0 to 1570 mrad
            2 | verify srot | sort
        ",
    );
}

/// Holds for builds with and without shaders.
#[test]
fn gpus_for_shaders_that_are_not_there() {
    check(
        "
            5 | sort --device wgpu:99 | nothing was measured: wgpu:99 can't be used
            5 | verify sort --device wgpu:99 | nothing was verified: wgpu:99 can't be used
            2 | sort --device wgpu:x | there are cpu, cuda:N, hip:N, wgpu:N, wgpu:N+checked and emulator
        ",
    );
}

#[test]
fn shapes_that_no_data_can_have() {
    check(
        r#"
            2 | sort --segments 0 | 0 segments
            2 | sort --segments 300000 | 17-bit module address
            2 | sort --digis 0 | 0 digis
            2 | sort --digis 1T | of memory, but
            2 | sort --rate 1000000GHz | of memory, but
            2 | sort --timeslice 10s | 31-bit time
            2 | sort --timeslice 10 | 31-bit time
            2 | sort --rate 1MHz --digis 5 | give either
            2 | sort --rate 0Hz | 0 digis
            2 | sort --variant std-stabel | did you mean "std-stable"?
            2 | sort --profile | --variant
            1 | sort --out x.txt/../y --input missing.csv | missing.csv
            1 | sort --input digis.root | No such file
            2 | generate sts --segments 3 --digis 10 --out d.bin | even number
            2 | generate sts --digis 10 --out d.root | use .csv, .bin
            2 | generate sts-physics --preset cbm --out d.csv | cbm-auau, mcbm-2024
            2 | generate sts-physics --scale 0 --out d.csv | --scale 0
            2 | generate sts-physics --scale 0.01 --out d.root | use .csv, .bin
            2 | generate sts-physics --rate 5GHz --out d.bin | of memory
            2 | generate tpc --out d.csv | .pages
            2 | generate tpc --sectors 37 --out a.pages | 1 to 36
            2 | generate tpc --orbits 0 --out a.pages | 0 orbits
            2 | generate tpc --occupancy 2 --out a.pages | share of pads
            2 | generate tpc --rate 1kHz --occupancy 0.1 --out a.pages | give either
            2 | generate tpc --orbits 40k --occupancy 0.9 --out a.pages | of memory, but
            1 | generate tpc --mapping missing --out a.pages | TABLE-IROC.txt
            1 | generate tpc --sectors 1 --out no/a.pages | no/a.pages
            2 | generate tpc --hot-pads 2 --out a.pages | use 0 to 1
            2 | noisy-pads --noisy-pads 0.9 --hot-pads 0.2 | use 0 to 1
            2 | noisy-pads --max-occupancy 2 | not a share of the time
            2 | noisy-pads --orbits 148 | use 147 orbits or fewer
            2 | noisy-pads --orbits 147 --sectors 36 | of memory, but
            2 | noisy-pads --max-run -1 | not a whole number
        "#,
    );
}

#[test]
fn devices_that_are_not_there() {
    check(
        "
            5 | sort --device emulator | bench verify --device emulator
            5 | pareto events --vary min-digis=3,6 --device emulator | bench verify --device emulator
            5 | sort --device cuda:9999 | cuda:9999 can't be used:
            5 | sort --device cpu --variant block-merge-256x11 | runs on cpu
            5 | verify --device cuda:9999 | cuda:9999 can't be used:
        ",
    );
}

#[test]
fn a_missing_device_exits_with_5_whatever_else_was_measured() {
    let Some(folder) = measuring() else { return };
    let line = "sort --digis 5k --device cpu,cuda:9999 --max-time 50ms --no-charts --quiet --out r";
    let run = folder.bench(line).exits(5);
    run.says("cuda:9999 can't be used: ").prints("std-stable");
    assert_eq!(folder.record("r").missing_devices, ["cuda:9999"]);
    let devices = "--device cpu,cuda:9999 --no-charts --quiet --out";
    for line in [
        format!("throughput sort --digis 2k --segments 24 --duration 50ms --streams 1 {devices} t"),
        format!(
            "stream --preset mcbm-2024 --scale 0.0005 --processes 1 --ring 2 --speed 0.05 \
             --duration 1s {devices} st"
        ),
    ] {
        folder.bench(line).exits(5).says("cuda:9999 can't be used: ");
    }
    let task = |device: &str| {
        format!(
            "[[task]]\nname = \"sort\"\nvariants = [\"block-merge\"]\ndevice = \"{device}\"\n\
             axes = {{ segments = 24, digis = \"1k\" }}\n"
        )
    };
    let suite = ["cpu", "cuda:9999"].map(task).concat();
    folder.write("both.toml", format!("name = \"both\"\n[defaults]\nmax-time = \"50ms\"\n{suite}"));
    let line = "run both.toml --store s --no-charts --no-ceilings --quiet --out";
    let run = folder.bench(format!("{line} suite")).exits(5);
    run.says("left out: 1 point of sort: cuda:9999: ");
    // A second time: the run is complete except for the same missing points.
    folder.bench(format!("{line} suite")).exits(5).says("cuda:9999");
    let run = folder.bench(format!("{line} paired --against suite"));
    assert!(matches!(run.code, Some(4 | 5)), "{}", run.story());
    run.says("left out: 1 point of sort: cuda:9999: ");
}

#[test]
fn damaged_input_is_named() {
    let folder = folder();
    let header = "module,side,channel,time_ns,adc\n";
    for case in [
        "cut.csv | HEADER0,0,1,1,1\n0,0,1,1,1 | line 3: the file ends within this line",
        "few.csv | HEADER0,0,1\n0,0,1,1,1 | line 2: 3 fields instead of 5",
        "word.csv | HEADER0,0,one,1,1\n0,0,1,1,1 | line 2: channel \"one\"",
        "empty.csv | HEADER | no digis",
        "magic.bin | not digis at all | byte 0: the magic is",
        "cut.bin | STSDIGI1\0\0 | byte 10: the file ends here",
    ] {
        let [name, content, words] = cells(case);
        folder.write(name, content.replace("HEADER", header));
        let run = folder.bench(format!("sort --input {name} --out r-{name}"));
        run.exits(1).says(name).says(words);
    }
}

#[test]
fn folders_that_cannot_be_written() {
    let Some(folder) = measuring() else { return };
    folder.write("file", "");
    let sort = |out: &str| {
        let line = "sort --segments 24 --digis 5k --max-time 50ms --out";
        folder.bench(format!("{line} {out}"))
    };
    sort("file/below").exits(1).says("file/below");
    sort("r").exits(0);
    let before = folder.read("r/summary.csv");
    sort("r").exits(2).says("holds a run already");
    assert_eq!(before, folder.read("r/summary.csv"));
}

#[test]
fn a_disk_that_fills_up_keeps_what_was_measured() {
    let Some(folder) = measuring() else { return };
    let line = "sort --segments 24 --digis 2k --no-charts --samples 500 --out r";
    let run = folder.bench_with_file_limit(64, line).exits(1);
    run.says(".csv: File too large").says("is kept in r");
    folder.samples("r");
    folder.rows("r");
}

#[test]
fn standard_output_may_be_full_or_closed() {
    for argument in ["list", "--help"] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full");
        let Ok(full) = full else {
            eprintln!("skipped: no /dev/full here");
            return;
        };
        let run = Run::from_command(Command::new(BENCH).arg(argument).stdout(full));
        run.exits(1).says("standard output");
    }
}

#[test]
fn a_reader_that_leaves_changes_no_exit_code() {
    let Some(folder) = measuring() else { return };
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let line = "sort --segments 24 --digis 5k --max-time 50ms --out r";
    Run::from_command(folder.command(line).stdout(writer)).exits(0);
    let chart = folder.join("r/bars.svg");
    assert!(chart.exists(), "charts are drawn all the same");
}

#[test]
fn what_does_not_fit_into_the_memory_of_the_process_is_refused() {
    let Some(folder) = measuring() else { return };
    let line = "sort --segments 24 --digis 20M --threads 1 --max-time 1s --out r";
    for limit in ["-v 900000", "-d 700000"] {
        let refused = folder.bench_with_limit(limit, line).exits(2);
        refused.says("of memory, but").says("are available");
    }
    assert!(!folder.join("r").exists());
}

#[test]
fn a_link_that_leads_nowhere_is_reported_as_that() {
    let Some(folder) = measuring() else { return };
    std::os::unix::fs::symlink("nowhere", folder.join("results")).expect("linked");
    let line = "sort --segments 4 --digis 1k --threads 1 --samples 3 --variant std-stable";
    folder.bench(line).exits(1).says("a link in its path leads nowhere");
}

#[test]
fn a_system_without_known_memory_sets_no_limit() {
    let Some(folder) = measuring() else { return };
    let hide = |line: &str| {
        let script = format!("mount -t tmpfs none /proc && exec {line}");
        let mut namespace = Command::new("unshare");
        namespace.args(["--mount", "sh", "-c", &script]).current_dir(folder.path()).output()
    };
    if !hide("true").is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: file systems can't be mounted here");
        return;
    }
    let line = "sort --variant std-stable --segments 4 --digis 1k --threads 1 --samples 3 --out r";
    let output = hide(&format!("{BENCH} {line}")).expect("it runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(folder.rows("r").len(), 1);
}
