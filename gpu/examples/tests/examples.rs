//! Each example runs on the emulator, and reports a device that is not there.

use std::path::Path;
use std::process::{Command, Output};

/// All examples.
const EXAMPLES: [&str; 7] = [
    env!("CARGO_BIN_EXE_01-vector-add"),
    env!("CARGO_BIN_EXE_02-prefix-sum"),
    env!("CARGO_BIN_EXE_03-overlap"),
    env!("CARGO_BIN_EXE_04-graph"),
    env!("CARGO_BIN_EXE_05-two-devices"),
    env!("CARGO_BIN_EXE_06-races"),
    env!("CARGO_BIN_EXE_07-transpose"),
];

fn run(example: &str, devices: &[&str]) -> Output {
    Command::new(example).args(devices).output().expect("it starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Returns true, with a message, if the examples were built without a C++ compiler.
fn has_no_emulator() -> bool {
    let reason = portable_gpu::emulator::unavailable();
    if let Some(reason) = reason {
        eprintln!("skipped: {reason}");
    }
    reason.is_some()
}

#[test]
fn all_examples_are_tested() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/bin");
    assert_eq!(folder.read_dir().expect("a folder").count(), EXAMPLES.len());
}

#[test]
fn examples_run_on_the_emulator() {
    if has_no_emulator() {
        return;
    }
    for example in EXAMPLES {
        let output = run(example, &[]);
        assert!(output.status.success(), "{example}: {}", text(&output.stderr));
    }
    let races = text(&run(EXAMPLES[5], &[]).stdout);
    assert!(races.contains("race") && races.contains("neighbours.cu:"), "{races}");
}

#[test]
fn devices_that_do_not_exist_are_reported() {
    for example in EXAMPLES {
        let output = run(example, &["nowhere:0", "nowhere:1"]);
        let message = text(&output.stderr);
        assert!(!output.status.success());
        assert!(message.contains("nowhere:0"), "{example}: {message}");
    }
}

#[test]
fn other_pairs_of_devices_copy_through_the_host() {
    if has_no_emulator() {
        return;
    }
    let output = run(EXAMPLES[4], &["emulator", "emulator"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let output = run(EXAMPLES[4], &["emulator"]);
    assert!(text(&output.stderr).contains("name two devices"));
}
