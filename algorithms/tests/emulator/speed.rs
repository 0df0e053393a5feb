//! How fast kernels are emulated. Not a check of anything: run it with
//! `cargo test --release -p algorithms --test emulator -- --ignored --nocapture`.

use std::time::Instant;

use algorithms::device::emulator::{Config, unavailable};

use crate::device::{dedup, scan};

#[test]
#[ignore = "prints a speed"]
fn threads_a_second() {
    if let Some(reason) = unavailable() {
        println!("skipped: {reason}");
        return;
    }
    for checked in [false, true] {
        let config = Config {
            checked,
            ..Config::default()
        };
        let blocks = if checked { 512 } else { 32_768 };
        print_speed("dedup", checked, || dedup(config, "emulator_dedup", blocks));
        print_speed("scan", checked, || scan(config, "emulator_scan", blocks));
    }
}

fn print_speed<E: std::fmt::Debug>(
    name: &str,
    checked: bool,
    run: impl Fn() -> Result<algorithms::device::emulator::Statistics, E>,
) {
    let start = Instant::now();
    let statistics = run().expect("no bug");
    let seconds = start.elapsed().as_secs_f64();
    let rate = statistics.threads as f64 / seconds / 1e6;
    println!("{name}, checked: {checked}: {rate:.2} million threads a second, {statistics:?}");
}
