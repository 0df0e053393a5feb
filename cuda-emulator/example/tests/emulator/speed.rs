//! Speed of the emulator. Not a check: run it with `cargo test --release -p cuda-emulator-example
//! --test emulator -- --ignored --nocapture`.

use std::time::Instant;

use cuda_emulator::Config;
use cuda_emulator_example::KERNELS;

use crate::device::{dedup, scan};

#[test]
#[ignore = "prints a speed"]
fn threads_per_second() {
    if let Some(reason) = KERNELS.unavailable() {
        println!("skipped: {reason}");
        return;
    }
    for checked in [false, true] {
        let config = Config { checked, ..Config::default() };
        let blocks = if checked { 512 } else { 32_768 };
        print_speed("dedup", checked, || dedup(config, "emulator_dedup", blocks));
        print_speed("scan", checked, || scan(config, "emulator_scan", blocks));
    }
}

fn print_speed<E: std::fmt::Debug>(
    name: &str,
    checked: bool,
    run: impl Fn() -> Result<cuda_emulator::Statistics, E>,
) {
    let start = Instant::now();
    let cpu = cpu_seconds();
    let statistics = run().expect("no bug");
    let seconds = start.elapsed().as_secs_f64();
    let cpu = cpu_seconds() - cpu;
    let millions = statistics.threads as f64 / 1e6;
    let rate = millions / seconds;
    let cpu_rate = millions / cpu;
    println!(
        "{name}, checked: {checked}: {rate:.2} million threads a second, {cpu_rate:.2} a second of a core; {statistics:?}"
    );
}

/// CPU time of the process in seconds: more meaningful than wall time on a busy machine.
fn cpu_seconds() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is valid for writes during the call.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut time) };
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}
