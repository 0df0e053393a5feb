//! Notes down what the binary is built from and by.

#![allow(clippy::disallowed_methods, reason = "what a build script prints is for cargo")]

use std::env;
use std::path::Path;
use std::process::Command;

/// The root of the repository, from here.
const ROOT: &str = "..";

/// Sources of the binary, below the root. Any change in here makes it anew in any
/// case: looking for changes costs no build of its own.
const SOURCES: [&str; 31] = [
    "Cargo.lock",
    "Cargo.toml",
    "algorithms/memory",
    "algorithms/sts",
    "algorithms/tpc",
    "cuda-emulator",
    "files/Cargo.toml",
    "files/src",
    "generators/common/Cargo.toml",
    "generators/common/src",
    "generators/sts/Cargo.toml",
    "generators/sts/src",
    "generators/tpc/Cargo.toml",
    "generators/tpc/src",
    "gpu",
    "harness/Cargo.toml",
    "harness/build.rs",
    "harness/src",
    "parallel/Cargo.toml",
    "parallel/src",
    "reports/Cargo.toml",
    "reports/assets",
    "reports/src",
    "src",
    "statistics/Cargo.toml",
    "statistics/src",
    "suites",
    "tasks/Cargo.toml",
    "tasks/src",
    "text/Cargo.toml",
    "text/src",
];

/// Suffix of a commit's name if the files differ from it.
const DIRTY: &str = "-dirty";

fn main() {
    for source in SOURCES {
        let path = Path::new(ROOT).join(source);
        if path.exists() {
            println!("cargo:rerun-if-changed={}", path.display());
        }
    }
    // In a worktree these are elsewhere.
    for file in ["HEAD", "logs/HEAD"] {
        if let Some(path) = git(&["rev-parse", "--git-path", file]) {
            println!("cargo:rerun-if-changed={}", Path::new(ROOT).join(path).display());
        }
    }
    // Sources may come without their history, as into a container.
    println!("cargo:rerun-if-env-changed=RECOBENCH_COMMIT");
    let given = env::var("RECOBENCH_COMMIT").ok().filter(|commit| !commit.is_empty());
    let commit = given.or_else(commit).unwrap_or_default();
    let rustc = env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let compiler = output(Command::new(rustc).arg("--version"));
    let compiler = compiler.unwrap_or_else(|| "unknown".to_owned());
    let variable = |name| env::var(name).unwrap_or_default();
    println!("cargo:rustc-env=BUILD_COMMIT={commit}");
    println!("cargo:rustc-env=BUILD_COMPILER={compiler}");
    println!("cargo:rustc-env=BUILD_TARGET={}", variable("TARGET"));
    let features = variable("CARGO_CFG_TARGET_FEATURE");
    println!("cargo:rustc-env=BUILD_FEATURES={features}");
}

/// The commit that is checked out, and whether sources differ from it.
fn commit() -> Option<String> {
    let commit = git(&["rev-parse", "--short=12", "HEAD"])?;
    let mut status = vec!["status", "--porcelain", "--untracked-files=no", "--"];
    status.extend(SOURCES);
    let changed = git(&status).is_some_and(|changes| !changes.is_empty());
    Some(if changed { commit + DIRTY } else { commit })
}

/// Output of git at the root; it writes nothing there.
fn git(arguments: &[&str]) -> Option<String> {
    let mut command = Command::new("git");
    command.current_dir(ROOT).arg("--no-optional-locks");
    output(command.args(arguments))
}

fn output(command: &mut Command) -> Option<String> {
    let output = command.output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}
