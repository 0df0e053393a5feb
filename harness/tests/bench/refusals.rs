//! What makes no sense is refused with a clear message and its exit code.

use std::fs;
use std::process::{Command, Stdio};

use crate::common::{BENCH, Run, bench_in, can_measure, folder};

/// The line, the exit code, and a part of the message.
type Case = (&'static str, i32, &'static str);

fn check(cases: &[Case]) {
    let folder = folder();
    for (line, code, message) in cases {
        let run = bench_in(folder.path(), line);
        assert_eq!(run.code, Some(*code), "{line}: {}", run.stderr);
        assert!(run.stderr.contains(message), "{line}: {}", run.stderr);
        assert!(!run.stderr.contains("panicked"), "{line}: {}", run.stderr);
    }
    let left: Vec<_> = fs::read_dir(folder.path()).expect("readable").collect();
    assert!(left.is_empty(), "refused commands left {left:?}");
}

#[test]
fn command_lines_that_make_no_sense() {
    check(&[
        ("srot", 2, "'sort'"),
        ("sort --segmets 24", 2, "--segments"),
        ("sort --digis many", 2, "not a whole number"),
        ("sort --digis 99999999999999999999", 2, "not a whole number"),
        (
            "sort --order sideways",
            2,
            "there are random, time and jitter:N",
        ),
        ("sort --rate NaN", 2, "0 or more, and finite"),
        ("sort --noise -5", 2, "0 or more"),
        ("sort --skew -2", 2, "use 1 to 1000000"),
        ("sort --duplicates 2", 2, "not a share"),
        ("sort --timeslice 10", 2, "not a time"),
        ("sort --device gpu", 2, "there are cpu, cuda:N and emulator"),
        ("sort --threads none", 2, "--threads"),
        ("sort --input digis.csv --segments 24", 2, "--segments"),
        ("generate", 2, "sts"),
        ("generate sts", 2, "--out"),
        ("generate tpc", 2, "--out"),
        ("generate tpc --zs dense --out a.pages", 2, "dense-link-v2"),
        (
            "generate tpc --preset pbpb --out a.pages",
            2,
            "there are pbpb-50khz",
        ),
        ("verify srot", 2, "sort"),
    ]);
}

#[test]
fn shapes_that_no_data_can_have() {
    check(&[
        ("sort --segments 0", 2, "0 segments"),
        ("sort --segments 300000", 2, "17-bit module address"),
        ("sort --digis 0", 2, "0 digis"),
        ("sort --digis 1T", 2, "of memory, but"),
        ("sort --rate 1000000GHz", 2, "of memory, but"),
        ("sort --timeslice 10s", 2, "31-bit time"),
        ("sort --rate 1MHz --digis 5", 2, "give either"),
        ("sort --rate 0Hz", 2, "0 digis"),
        (
            "sort --variant std-stabel",
            2,
            "did you mean \"std-stable\"?",
        ),
        ("sort --profile", 2, "--variant"),
        (
            "sort --out x.txt/../y --input missing.csv",
            1,
            "missing.csv",
        ),
        ("sort --input digis.root", 2, "use .csv, .bin"),
        (
            "generate sts --segments 3 --digis 10 --out d.bin",
            2,
            "even number",
        ),
        ("generate sts --digis 10 --out d.root", 2, "use .csv, .bin"),
        (
            "generate sts-physics --preset cbm --out d.csv",
            2,
            "cbm-auau, mcbm-2024",
        ),
        ("generate sts-physics --scale 0 --out d.csv", 2, "--scale 0"),
        (
            "generate sts-physics --scale 0.01 --out d.root",
            2,
            "use .csv, .bin",
        ),
        (
            "generate sts-physics --rate 5GHz --out d.bin",
            2,
            "of memory",
        ),
        ("generate tpc --out d.csv", 2, ".pages"),
        ("generate tpc --sectors 37 --out a.pages", 2, "1 to 36"),
        ("generate tpc --orbits 0 --out a.pages", 2, "0 orbits"),
        (
            "generate tpc --occupancy 2 --out a.pages",
            2,
            "share of pads",
        ),
        (
            "generate tpc --rate 1kHz --occupancy 0.1 --out a.pages",
            2,
            "give either",
        ),
        (
            "generate tpc --orbits 40k --occupancy 0.9 --out a.pages",
            2,
            "of memory, but",
        ),
        (
            "generate tpc --mapping missing --out a.pages",
            1,
            "TABLE-IROC.txt",
        ),
        ("generate tpc --sectors 1 --out no/a.pages", 1, "no/a.pages"),
        ("generate tpc --hot-pads 2 --out a.pages", 2, "use 0 to 1"),
        (
            "noisy-pads --noisy-pads 0.9 --hot-pads 0.2",
            2,
            "use 0 to 1",
        ),
        ("noisy-pads --max-occupancy 2", 2, "not a share of the time"),
        ("noisy-pads --orbits 148", 2, "use 147 orbits or fewer"),
        ("noisy-pads --orbits 147 --sectors 36", 2, "of memory, but"),
        ("noisy-pads --max-run -1", 2, "not a whole number"),
    ]);
}

#[test]
fn devices_that_are_not_there() {
    check(&[
        (
            "sort --device emulator",
            5,
            "bench verify --device emulator",
        ),
        ("sort --device cuda:9999", 5, "cuda:9999 can't be used: "),
        (
            "sort --device cpu --variant segmented-radix-pairs",
            5,
            "runs on cpu",
        ),
        ("verify --device cuda:9999", 5, "cuda:9999 can't be used: "),
    ]);
}

#[test]
fn a_device_without_variants_beside_one_with_is_noted() {
    if !can_measure() {
        return;
    }
    let folder = folder();
    let line = "sort --digis 5k --device cpu,cuda:9999 --max-time 50ms --no-charts --out r";
    let run = bench_in(folder.path(), line);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let note = "cuda:9999 can't be used: ";
    assert!(run.stderr.contains(note), "{}", run.stderr);
}

#[test]
fn damaged_input_is_named() {
    let folder = folder();
    let header = "module,side,channel,time_ns,adc\n";
    for (name, content, message) in [
        (
            "cut.csv",
            format!("{header}0,0,1,1,1\n0,0,1"),
            "line 3: 3 fields instead of 5",
        ),
        (
            "word.csv",
            format!("{header}0,0,one,1,1\n"),
            "line 2: channel \"one\"",
        ),
        ("empty.csv", header.to_owned(), "no digis"),
        (
            "magic.bin",
            "not digis at all".to_owned(),
            "byte 0: the magic is",
        ),
        (
            "cut.bin",
            "STSDIGI1\0\0".to_owned(),
            "byte 10: the file ends here",
        ),
    ] {
        fs::write(folder.path().join(name), content).expect("written");
        let run = bench_in(
            folder.path(),
            &format!("sort --input {name} --out r-{name}"),
        );
        assert_eq!(run.code, Some(1), "{name}: {}", run.stderr);
        assert!(
            run.stderr.contains(name) && run.stderr.contains(message),
            "{}",
            run.stderr
        );
    }
}

#[test]
fn folders_that_cannot_be_written() {
    if !can_measure() {
        return;
    }
    let folder = folder();
    fs::write(folder.path().join("file"), "").expect("written");
    let line = "sort --segments 24 --digis 5k --max-time 50ms";
    let run = bench_in(folder.path(), &format!("{line} --out file/below"));
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    assert!(run.stderr.contains("file/below"), "{}", run.stderr);
    assert_eq!(
        bench_in(folder.path(), &format!("{line} --out r")).code,
        Some(0)
    );
    let before = fs::read(folder.path().join("r/summary.csv")).expect("readable");
    let run = bench_in(folder.path(), &format!("{line} --out r"));
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    assert!(run.stderr.contains("holds a run already"), "{}", run.stderr);
    let after = fs::read(folder.path().join("r/summary.csv")).expect("readable");
    assert_eq!(before, after);
}

#[test]
fn a_disk_that_fills_up_keeps_what_was_measured() {
    if !can_measure() {
        return;
    }
    let folder = folder();
    // A limit on the size of files, as a disk that has no more blocks.
    let script = format!(
        "trap '' XFSZ; ulimit -f 16; exec {BENCH} sort --segments 24 --digis 2k --no-charts \
         --samples 500 --out r"
    );
    let output = Command::new("sh")
        .args(["-c", &script])
        .current_dir(folder.path())
        .output();
    let run = Run::from(output.expect("a shell"));
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    assert!(
        run.stderr.contains(".csv: File too large"),
        "{}",
        run.stderr
    );
    assert!(run.stderr.contains("is kept in r"), "{}", run.stderr);
    let path = folder.path().join("r");
    reports::store::read_samples(&path).expect("readable");
    reports::store::read_summary(&path).expect("readable");
}

#[test]
fn standard_output_may_be_full_or_closed() {
    let full = fs::OpenOptions::new().write(true).open("/dev/full");
    let Ok(full) = full else {
        eprintln!("skipped: no /dev/full here");
        return;
    };
    let output = Command::new(BENCH)
        .arg("list")
        .stdout(Stdio::from(full))
        .output();
    let run = Run::from(output.expect("the binary runs"));
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("standard output"), "{}", run.stderr);
}

#[test]
fn a_reader_that_leaves_changes_no_exit_code() {
    if !can_measure() {
        return;
    }
    let folder = folder();
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let line = "sort --segments 24 --digis 5k --max-time 50ms --out r";
    let output = Command::new(BENCH)
        .args(line.split(' '))
        .current_dir(folder.path())
        .stdout(Stdio::from(writer))
        .output();
    assert_eq!(Run::from(output.expect("the binary runs")).code, Some(0));
    assert!(
        folder.path().join("r/bars.svg").exists(),
        "charts are drawn all the same"
    );
}
