//! `scripts/gpu-results.sh`, with a made-up `bench` where a GPU would be needed.

use std::path::Path;
use std::process::Command;

use crate::common::{BENCH, Folder, Run, assert_understood, folder, in_repository, program};

/// Runs the script in a folder with a program for `bench`.
fn script(folder: &Folder, bench: &Path, line: &str) -> Run {
    let path = std::env::var("PATH").unwrap_or_default();
    let mut bash = Command::new("bash");
    bash.arg(in_repository("scripts/gpu-results.sh"));
    bash.args(line.split_whitespace());
    bash.env("BENCH", bench).env_remove("FLAGS");
    bash.env("PATH", format!("{}:{path}", folder.display()));
    Run::from_command(bash.current_dir(folder.path()))
}

/// The exit codes of all steps, by name.
fn codes(folder: &Folder) -> Vec<(String, String)> {
    let text = folder.read("out/steps.md");
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

/// Returns the commands of a dry run, and their maximum duration in seconds.
fn dry_run(line: &str) -> (Vec<String>, u32) {
    let folder = folder();
    let line = format!("{line} --dry-run --out out");
    let run = script(&folder, Path::new("/nowhere"), &line).exits(0);
    assert!(!folder.join("out").exists(), "nothing was run");
    let commands = run.stdout.lines();
    let commands = commands.filter_map(|line| Some(line.split_once(" s  ")?.1.to_owned()));
    let total = run.stdout.lines().last().expect("the sum");
    let total = total.trim_start_matches("at most ").trim_end_matches(" s");
    (commands.collect(), total.parse().expect("seconds"))
}

#[test]
fn a_dry_run_names_commands_that_are_understood() {
    let (commands, _) = dry_run("");
    for command in &commands {
        assert_understood(command);
    }
    let tasks = ["sort", "decode", "noisy-pads", "clusters", "sts", "merge", "gather", "velo"];
    let suites = tasks.map(|task| format!("run gpu-{task}"));
    let others = ["bench verify --device cuda:0", "devices --measure", "report"];
    for words in suites.into_iter().chain(others.map(str::to_owned)) {
        let named = commands.iter().any(|command| command.contains(&words));
        assert!(named, "{words}");
    }
}

#[test]
fn parts_take_up_to_ten_minutes_and_have_all_suites() {
    let suites = |part: &str| {
        let (mut commands, total) = dry_run(part);
        commands.retain(|command| command.starts_with("bench run "));
        (commands, total)
    };
    let parts = ["first", "second", "third"].map(|part| {
        let (commands, total) = suites(part);
        assert!((300..=600).contains(&total), "{part}: {total}");
        commands
    });
    assert_eq!(suites("").0, parts.concat());
}

#[test]
fn without_a_gpu_it_says_why() {
    if portable_gpu::cuda::devices().is_ok() {
        eprintln!("skipped: there is a GPU");
        return;
    }
    let folder = folder();
    let run = script(&folder, Path::new(BENCH), "--out out");
    run.exits(5).says("cuda:0 can't be used");
    assert_eq!(codes(&folder), [("verify".to_owned(), "5".to_owned())]);
}

/// Runs all steps with a `bench` of such commands.
fn run_with(folder: &Folder, commands: &str) -> (Run, Vec<(String, String)>) {
    let bench = program(folder, "bench", commands);
    let run = script(folder, &bench, "--out out");
    (run, codes(folder))
}

#[test]
fn all_is_well_if_all_steps_are() {
    let folder = folder();
    let (run, codes) = run_with(&folder, "echo \"$*\" >> calls; echo some output");
    let run = run.exits(0);
    assert_eq!(folder.read("calls").lines().count(), codes.len());
    assert!(codes.iter().all(|(_, code)| code == "0"), "{codes:?}");
    assert_eq!(folder.read("out/gpu-sort.txt"), "some output\n");
    assert!(!run.stderr.contains("WRONG"), "{}", run.stderr);
}

#[test]
fn a_step_that_fails_keeps_no_other_from_running() {
    let fails = "case \"$1 $2\" in \"run gpu-sort\") echo no disk >&2; exit 1;; esac";
    let (run, codes) = run_with(&folder(), fails);
    run.exits(1).says("no disk");
    assert_eq!(code_of(&codes, "gpu-sort"), "1");
    assert_eq!(code_of(&codes, "gpu-break-even-text"), "0");
}

#[test]
fn a_wrong_output_is_loud_and_decides_the_exit_code() {
    let fails = "case $1 in devices) exit 1;; run) exit 3;; esac";
    let (run, codes) = run_with(&folder(), fails);
    let loud = "!!! WRONG OUTPUT in: gpu-sort gpu-break-even gpu-decode gpu-noisy-pads \
                gpu-clusters gpu-sts gpu-merge gpu-gather gpu-velo";
    run.exits(3).says(loud);
    assert_eq!(code_of(&codes, "devices"), "1");
}

#[test]
fn a_step_that_takes_too_long_is_stopped_and_reported() {
    let folder = folder();
    // Replaces coreutils' timeout by one that runs nothing.
    program(&folder, "timeout", "exit 124");
    let (run, codes) = run_with(&folder, "exit 0");
    run.exits(124).prints("stopped at its time limit");
    assert!(codes.iter().all(|(_, code)| code == "124"));
}

#[test]
fn an_interrupt_ends_it() {
    let (run, codes) = run_with(&folder(), "[ $1 = devices ] && exit 130; exit 0");
    run.exits(130);
    assert_eq!(codes.len(), 2);
}

#[test]
fn invalid_input_is_refused() {
    let folder = folder();
    for line in ["--outt out", "--out"] {
        let run = script(&folder, Path::new(BENCH), line);
        run.exits(2).says("scripts/gpu-results.sh");
    }
    let run = script(&folder, Path::new("/nowhere"), "--out out");
    run.exits(1).says("/nowhere is no program");
}
