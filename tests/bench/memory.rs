//! Memory estimates before generation agree with the memory used.

use std::fs;
use std::process::Child;
use std::thread;
use std::time::Duration;

use crate::common::{Run, measuring};

/// A millisecond of gold-gold collisions: large compared with the memory of an idle process.
const DATA: &str = "--preset cbm-auau --scale 0.1 --threads 1 --no-charts";
/// So much more or less may be taken than is reckoned with.
const APART: f64 = 1.3;
/// More than fits in the memory of any machine.
const TOO_MANY: u32 = 1_000_000;

/// The most memory of its own that a process had, and what it shares.
fn memory_of(process: u32) -> Option<[u64; 2]> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let kib = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        line.split_whitespace().next()?.parse::<u64>().ok()
    };
    let shared = kib("RssShmem:")?;
    let own = kib("VmHWM:")?.saturating_sub(kib("RssFile:")? + shared);
    Some([1024 * own, 1024 * shared])
}

fn children(process: u32) -> Vec<u32> {
    let text = fs::read_to_string(format!("/proc/{process}/task/{process}/children"));
    let text = text.unwrap_or_default();
    text.split_whitespace().filter_map(|id| id.parse().ok()).collect()
}

/// The most memory that a `bench` had of its own, a child of it, and what that shares.
fn peaks(mut bench: Child) -> [u64; 3] {
    let mut peaks = [0; 3];
    while bench.try_wait().expect("a child").is_none() {
        let [own, _] = memory_of(bench.id()).unwrap_or_default();
        let of_children = children(bench.id()).into_iter().filter_map(memory_of).max();
        let [of_child, shared] = of_children.unwrap_or_default();
        for (peak, now) in peaks.iter_mut().zip([own, of_child, shared]) {
            *peak = now.max(*peak);
        }
        thread::sleep(Duration::from_millis(2));
    }
    Run::end_of(bench);
    peaks
}

/// The bytes that a refusal reckons with, the last word before some words of it.
fn reckoned(refusal: &str, before: &str) -> f64 {
    let (text, _) = refusal.split_once(before).expect("reported");
    let words: Vec<&str> = text.split_whitespace().collect();
    let [.., number, unit] = words[..] else { panic!("{refusal}") };
    let power = ["B", "kB", "MB", "GB", "TB", "PB"].iter().position(|known| *known == unit);
    number.parse::<f64>().expect("a number") * 1000_f64.powi(power.expect("a unit") as i32)
}

fn assert_near(what: &str, taken: f64, reckoned: f64) {
    let ratio = taken / reckoned;
    assert!((1.0 / APART..APART).contains(&ratio), "{what}: {taken} taken, {reckoned} reckoned");
}

#[test]
#[ignore = "takes a minute"]
fn memory_that_is_reckoned_with_is_taken_by_streams_of_events() {
    let Some(folder) = measuring() else { return };
    for variant in ["time-sweep", "online", "offline"] {
        let line = format!("throughput sts {DATA} --variant {variant} --batch 2 --duration 100ms");
        let refusal = folder.bench(format!("{line} --streams {TOO_MANY}")).exits(2).stderr;
        let reckoned = reckoned(&refusal, " a stream with");
        let [one, three] = [1, 3].map(|streams| {
            peaks(folder.start(&format!("{line} --streams {streams} --out {variant}-{streams}")))[0]
        });
        assert_near(variant, three.saturating_sub(one) as f64 / 2.0, reckoned);
    }
}

#[test]
#[ignore = "takes a minute"]
fn memory_that_is_reckoned_with_is_taken_by_workers() {
    let Some(folder) = measuring() else { return };
    for own in ["", "--variant offline", "--from raw", "--from raw --events"] {
        let line = |ring: u32, processes: u32| {
            let run = format!("run{}-{ring}", own.replace(' ', ""));
            let shape = format!("--ring {ring} --processes {processes} --out {run} {own}");
            format!("stream {DATA} --duration 1s --speed 0.002 {shape}")
        };
        let reckoned = |ring, processes| {
            let refused = folder.bench(line(ring, processes)).exits(2);
            reckoned(&refused.stderr, " of memory") / f64::from(TOO_MANY)
        };
        let [few, more] = [1, 5].map(|ring| peaks(folder.start(&line(ring, 1))));
        for (ring, [_, worker, _]) in [(1, few), (5, more)] {
            assert_near(&format!("worker {own}"), worker as f64, reckoned(ring, TOO_MANY));
        }
        let all = |peaks: [u64; 3]| peaks.iter().sum::<u64>() as f64;
        let of_timeslice = (all(more) - all(few)) / 4.0;
        assert_near(&format!("a timeslice {own}"), of_timeslice, reckoned(TOO_MANY, 1));
    }
}
