//! Notes down what the binary is built from and by.

use std::env;
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=../.git/HEAD");
    println!("cargo:rerun-if-changed=../.git/logs/HEAD");
    // Where sources come without their history, as into a container.
    println!("cargo:rerun-if-env-changed=RECOBENCH_COMMIT");
    let given = env::var("RECOBENCH_COMMIT")
        .ok()
        .filter(|commit| !commit.is_empty());
    let commit = given.or_else(|| output("git", &["rev-parse", "--short=12", "HEAD"]));
    let commit = commit.unwrap_or_default();
    let rustc = env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let compiler = output(&rustc, &["--version"]).unwrap_or_else(|| "unknown".to_owned());
    let variable = |name| env::var(name).unwrap_or_default();
    println!("cargo:rustc-env=BUILD_COMMIT={commit}");
    println!("cargo:rustc-env=BUILD_COMPILER={compiler}");
    println!("cargo:rustc-env=BUILD_TARGET={}", variable("TARGET"));
    let features = variable("CARGO_CFG_TARGET_FEATURE");
    println!("cargo:rustc-env=BUILD_FEATURES={features}");
}

fn output(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}
