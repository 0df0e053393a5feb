//! The emulator runs correct kernels and finds the bugs of wrong ones.
//!
//! Its speed is no check: print it with `cargo test --release -p cuda-emulator-example
//! --test emulator -- --ignored --nocapture`.

mod device;
mod queues;
mod wrong;

use std::time::Instant;

use cuda_emulator::{Argument, Config, Emulator, EmulatorError, Launch, SECTOR_BYTES, Statistics};
use cuda_emulator_example::KERNELS;

use self::device::{configs, dedup, exchange, rank, scan};

const CORRECT_BLOCKS: u32 = 30;
const BLOCKS_CHECKED: u32 = 8;
const SEEDS: u64 = 6;
const SEEDS_CHECKED: u64 = 4;

fn silent(kernel: &str, run: impl Fn(Config, &str, u32) -> Result<Statistics, EmulatorError>) {
    let plain = configs(false, SEEDS).into_iter().map(|config| (config, CORRECT_BLOCKS));
    let checked = configs(true, SEEDS_CHECKED).into_iter();
    for (config, blocks) in plain.chain(checked.map(|config| (config, BLOCKS_CHECKED))) {
        let outcome = run(config, kernel, blocks);
        outcome.unwrap_or_else(|error| panic!("{config:?}: {error}"));
    }
}

#[test]
fn a_hash_set_in_shared_memory() {
    silent("emulator_dedup", dedup);
}

#[test]
fn a_scan_that_looks_back() {
    silent("emulator_scan", scan);
}

#[test]
fn an_exchange_in_a_warp() {
    silent("emulator_exchange", exchange);
}

#[test]
fn ranks_by_match_any() {
    silent("emulator_rank", rank);
}

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

const TRAFFIC_BLOCKS: u32 = 2;
const THREADS: u32 = 256;
/// A multiple of neither the size of a sector nor that of a block.
const BYTES: u32 = 1003;

#[test]
fn bytes_that_are_read_and_written_are_counted_once() {
    if let Some(reason) = KERNELS.unavailable() {
        println!("skipped: {reason}");
        return;
    }
    let config = Config { checked: true, ..Config::default() };
    let emulator = Emulator::new(config);
    let bytes = emulator.upload(&[7_u8; BYTES as usize]).expect("memory");
    let counts = emulator.upload(&[0_u32; 256]).expect("memory");
    let arguments =
        [Argument::pointer(&bytes), Argument::value(&BYTES), Argument::pointer(&counts)];
    let launch = Launch::linear(TRAFFIC_BLOCKS, THREADS);
    let histogram = |launch: &Launch| {
        // SAFETY: the kernel stays within the buffers.
        unsafe { emulator.launch(KERNELS.named("histogram"), launch, &arguments) }
    };
    histogram(&launch).expect("no bug");
    emulator.count_traffic();
    histogram(&launch.with_declared_bytes(3000)).expect("no bug");
    histogram(&launch.with_declared_bytes(40)).expect("no bug");
    histogram(&launch).expect("no bug");
    emulator.end_of_work();
    histogram(&launch).expect("no bug");
    emulator.download::<u32>(counts).expect("counts");
    let traffic = emulator.traffic();
    let counted = 256 * size_of::<u32>() as u64;
    assert_eq!(traffic.input_bytes, u64::from(BYTES) + counted);
    assert_eq!(traffic.output_bytes, counted, "what was counted is read after the work");
    let sectors = u64::from(BYTES.next_multiple_of(SECTOR_BYTES as u32));
    let launches =
        |declared| traffic.kernels.iter().find(move |it| (it.declared_bytes > 0) == declared);
    let declared = launches(true).expect("two launches");
    assert_eq!((declared.launches, declared.declared_bytes), (2, 3040));
    assert_eq!(declared.read_bytes, 2 * (sectors + counted));
    assert_eq!(declared.written_bytes, 2 * counted);
    let others = launches(false).expect("a launch, and none after the work");
    assert_eq!((others.launches, others.read_bytes), (1, sectors + counted));
    assert_eq!(traffic.kernels.len(), 2);
    assert_eq!(emulator.traffic(), Default::default(), "the count has ended");
}
