//! `scripts/gpu-results.sh`, with a made-up `bench` where a GPU would be needed.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::{BENCH, Run, folder};

/// Runs the script in a folder with a program for `bench`.
fn script(folder: &Path, bench: &Path, line: &str) -> Run {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let path = std::env::var("PATH").unwrap_or_default();
    let output = Command::new("bash")
        .arg(root.join("scripts/gpu-results.sh"))
        .args(line.split_whitespace())
        .env("BENCH", bench)
        .env("PATH", format!("{}:{path}", folder.display()))
        .env_remove("FLAGS")
        .current_dir(folder)
        .output()
        .expect("bash runs");
    output.into()
}

/// A program of shell commands.
fn program(folder: &Path, name: &str, commands: &str) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, format!("#!/bin/sh\n{commands}\n")).expect("written");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("executable");
    path
}

/// The exit codes of all steps, by name.
fn codes(folder: &Path) -> Vec<(String, String)> {
    let text = fs::read_to_string(folder.join("out/steps.md")).expect("steps.md");
    let code = |line: &str| {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        (cells[1].to_owned(), cells[3].to_owned())
    };
    text.lines().skip(2).map(code).collect()
}

fn code_of(codes: &[(String, String)], step: &str) -> String {
    let found = codes.iter().find(|(name, _)| name == step);
    found.expect("the step was run").1.clone()
}

/// What a dry run says: the commands, and the seconds that they take at most.
fn dry_run(line: &str) -> (Vec<String>, u32) {
    let folder = folder();
    let line = format!("{line} --dry-run --out out");
    let run = script(folder.path(), Path::new("/nowhere"), &line);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(!folder.path().join("out").exists(), "nothing was run");
    let commands = run.stdout.lines();
    let commands = commands.filter_map(|line| Some(line.split_once(" s  ")?.1.to_owned()));
    let total = run.stdout.lines().last().expect("the sum");
    let total: u32 = total
        .trim_start_matches("at most ")
        .trim_end_matches(" s")
        .parse()
        .expect("seconds");
    (commands.collect(), total)
}

#[test]
fn a_dry_run_names_commands_that_are_understood() {
    let (commands, _) = dry_run("");
    for command in &commands {
        let parsed = harness::cli::parse(command.split_whitespace().map(OsString::from));
        assert!(parsed.is_ok(), "{command}");
    }
    for word in [
        "bench verify --device cuda:0",
        "devices --measure",
        "run gpu-sort",
        "run gpu-decode",
        "run gpu-noisy-pads",
        "run gpu-sts",
        "run gpu-merge",
        "run gpu-gather",
        "report",
    ] {
        assert!(
            commands.iter().any(|command| command.contains(word)),
            "{word}"
        );
    }
}

#[test]
fn halves_take_ten_minutes_each_and_have_all_suites() {
    let suites = |half: &str| {
        let (commands, total) = dry_run(half);
        assert!((300..=600).contains(&total), "{half}: {total}");
        let runs = commands.into_iter();
        runs.filter(|command| command.starts_with("bench run "))
            .collect::<Vec<_>>()
    };
    let halves = [suites("first"), suites("second")].concat();
    let (all, _) = dry_run("");
    let all = all.into_iter();
    assert!(
        all.filter(|command| command.starts_with("bench run "))
            .eq(halves)
    );
}

#[test]
fn without_a_gpu_it_says_why() {
    if algorithms::device::gpu::cuda::devices().is_ok() {
        eprintln!("skipped: there is a GPU");
        return;
    }
    let folder = folder();
    let run = script(folder.path(), Path::new(BENCH), "--out out");
    assert_eq!(run.code, Some(5), "{}", run.stderr);
    assert!(
        run.stderr.contains("cuda:0 can't be used"),
        "{}",
        run.stderr
    );
    assert_eq!(
        codes(folder.path()),
        [("verify".to_owned(), "5".to_owned())]
    );
}

#[test]
fn all_is_well_if_all_steps_are() {
    let folder = folder();
    let bench = program(
        folder.path(),
        "bench",
        "echo \"$*\" >> calls; echo some output",
    );
    let run = script(folder.path(), &bench, "--out out");
    assert_eq!(run.code, Some(0), "{}{}", run.stdout, run.stderr);
    let calls = fs::read_to_string(folder.path().join("calls")).expect("calls");
    let codes = codes(folder.path());
    assert_eq!(calls.lines().count(), codes.len());
    assert!(codes.iter().all(|(_, code)| code == "0"), "{codes:?}");
    let kept = fs::read_to_string(folder.path().join("out/gpu-sort.txt")).expect("kept");
    assert_eq!(kept, "some output\n");
    assert!(!run.stderr.contains("WRONG"), "{}", run.stderr);
}

#[test]
fn a_step_that_fails_keeps_no_other_from_running() {
    let folder = folder();
    let fails = "case \"$1 $2\" in \"run gpu-sort\") echo no disk >&2; exit 1;; esac";
    let bench = program(folder.path(), "bench", fails);
    let run = script(folder.path(), &bench, "--out out");
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    assert!(run.stderr.contains("no disk"), "{}", run.stderr);
    let codes = codes(folder.path());
    assert_eq!(code_of(&codes, "gpu-sort"), "1");
    assert_eq!(code_of(&codes, "gpu-break-even-text"), "0");
}

#[test]
fn a_wrong_output_is_loud_and_decides_the_exit_code() {
    let folder = folder();
    let fails = "case $1 in devices) exit 1;; run) exit 3;; esac";
    let bench = program(folder.path(), "bench", fails);
    let run = script(folder.path(), &bench, "--out out");
    assert_eq!(run.code, Some(3), "{}", run.stderr);
    let loud = "!!! WRONG OUTPUT in: gpu-sort gpu-break-even gpu-decode gpu-noisy-pads \
                gpu-sts gpu-merge gpu-gather";
    assert!(run.stderr.contains(loud), "{}", run.stderr);
    assert_eq!(code_of(&codes(folder.path()), "devices"), "1");
}

#[test]
fn a_step_that_takes_too_long_is_stopped_and_told() {
    let folder = folder();
    // In place of coreutils' own: one that lets nobody run.
    program(folder.path(), "timeout", "exit 124");
    let bench = program(folder.path(), "bench", "exit 0");
    let run = script(folder.path(), &bench, "--out out");
    assert_eq!(run.code, Some(124), "{}", run.stderr);
    assert!(codes(folder.path()).iter().all(|(_, code)| code == "124"));
    assert!(
        run.stdout.contains("stopped at its time limit"),
        "{}",
        run.stdout
    );
}

#[test]
fn an_interrupt_ends_it() {
    let folder = folder();
    let bench = program(
        folder.path(),
        "bench",
        "[ $1 = devices ] && exit 130; exit 0",
    );
    let run = script(folder.path(), &bench, "--out out");
    assert_eq!(run.code, Some(130), "{}", run.stderr);
    assert_eq!(codes(folder.path()).len(), 2);
}

#[test]
fn what_makes_no_sense_is_refused() {
    let folder = folder();
    for line in ["--outt out", "--out"] {
        let run = script(folder.path(), Path::new(BENCH), line);
        assert_eq!(run.code, Some(2), "{line}");
        assert!(
            run.stderr.contains("scripts/gpu-results.sh"),
            "{}",
            run.stderr
        );
    }
    let run = script(folder.path(), Path::new("/nowhere"), "--out out");
    assert_eq!(run.code, Some(1));
    assert!(
        run.stderr.contains("/nowhere is no program"),
        "{}",
        run.stderr
    );
}
