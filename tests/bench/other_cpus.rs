//! The binary on other CPUs, emulated by qemu: those that have less than it was built for, or just
//! that, and what `scripts/aarch64.sh` says where there is no emulator.

use std::process::Command;

use crate::common::servers::are_installed;
use crate::common::{BENCH, Run, folder, in_repository, program};

const QEMU: &str = "qemu-x86_64";

/// `bench` on a CPU by qemu's name.
fn on_cpu(cpu: &str, line: &str) -> Run {
    let mut command = Command::new(QEMU);
    command.args(["-cpu", cpu, BENCH]).args(line.split_whitespace());
    Run::from_command(&mut command)
}

/// Returns true if this binary can be refused, and there is an emulator for that.
fn can_be_refused() -> bool {
    if !cfg!(target_feature = "avx2") {
        eprintln!("skipped: built for CPUs without AVX2");
        return false;
    }
    are_installed(&[QEMU])
}

#[test]
fn a_cpu_that_lacks_instructions_gets_a_sentence() {
    if !can_be_refused() {
        return;
    }
    for line in ["--version", "list", "sort --segments 24 --digis 2k"] {
        let run = on_cpu("Nehalem", line).exits(2);
        run.says("bench: this binary was built for a CPU with more than this one has: ");
        run.says(" avx2 ").says("; use a binary for x86-64-v2, or build one here");
        assert_eq!(run.stdout, "");
    }
}

#[test]
fn a_cpu_that_has_them_runs_the_binary() {
    if !can_be_refused() {
        return;
    }
    // Builds for this machine's own CPU, as by the README, need one like it: all later ones than
    // Haswell have one of these.
    if cfg!(any(target_feature = "adx", target_feature = "rdseed", target_feature = "sse4a")) {
        eprintln!("skipped: built for CPUs with more than AVX2");
        return;
    }
    on_cpu("Haswell", "--version").exits(0).prints("bench ");
    on_cpu("Haswell", "list sort").exits(0).prints("std-stable");
}

#[test]
fn the_script_for_aarch64_names_what_to_install() {
    let folder = folder();
    program(&folder, "dirname", "echo \"${1%/*}\"");
    let mut script = Command::new("/bin/bash");
    script.arg(in_repository("scripts/aarch64.sh")).env("PATH", folder.path());
    let run = Run::from_command(&mut script).exits(0);
    run.prints("skipped: no qemu-aarch64; apt-get install ");
}
