//! Digis whose events are hard to find correctly.

use generators_common::random::hash;
use generators_sts::{Address, Digi};

use super::input::DigiStream;
use super::rules::EventRules;

/// Digis up to 20 ns apart, five of them; events do not overlap.
const RULES: EventRules =
    EventRules { window_ns: 20, min_digis: 5, dead_time_ns: 50, before_ns: 20, after_ns: 30 };
const LAST_NS: u32 = (1 << 31) - 1;

/// Sizes around warps, steps, tiles and blocks.
const SIZES: [usize; 7] = [1, 5, 33, 65, 255, 2049, 4500];

pub(super) fn all(seed: u64) -> Vec<(String, DigiStream)> {
    let mut inputs = sizes(seed);
    inputs.extend(edge_cases());
    inputs.extend(thresholds(seed));
    inputs.extend(overlaps());
    inputs
}

fn input(name: impl Into<String>, times: Vec<u32>, rules: EventRules) -> (String, DigiStream) {
    let digi = |(index, time): (usize, u32)| {
        // Digis of the same time differ, and their order is kept.
        let address = Address::of_module(index % 7);
        Digi::new(address, (index % 2048) as u16, time, (index % 31) as u8)
    };
    let digis = times.into_iter().enumerate().map(digi).collect();
    let stream = DigiStream::new(digis, rules);
    (name.into(), stream.unwrap_or_else(|problem| unreachable!("few digis: {problem}")))
}

/// Times of `digis` digis, random below `length_ns`.
fn random(digis: usize, length_ns: u32, seed: u64) -> Vec<u32> {
    let time = |digi| (hash(seed, [digi]) % u64::from(length_ns)) as u32;
    (0..digis as u64).map(time).collect()
}

/// Bursts of `digis` digis in 8 ns, `apart_ns` apart.
fn bursts(count: u32, digis: u32, apart_ns: u32) -> Vec<u32> {
    (0..count).flat_map(|burst| (0..digis).map(move |i| burst * apart_ns + i % 8)).collect()
}

/// Sparse digis, with few triggers, and dense ones, with the maximum number: each trigger depends
/// on the one before.
fn sizes(seed: u64) -> Vec<(String, DigiStream)> {
    let of_size = |digis: usize| {
        [(10, "sparse"), (3, "at the threshold"), (1, "dense")].map(|(each_ns, name)| {
            let times = random(digis, each_ns * digis as u32, seed);
            input(format!("{digis} digis, {name}"), times, RULES)
        })
    };
    SIZES.into_iter().flat_map(of_size).collect()
}

/// Nothing, one time, and events at both ends.
fn edge_cases() -> Vec<(String, DigiStream)> {
    let long = EventRules { window_ns: LAST_NS, ..RULES };
    let at_ends = [bursts(1, 9, 0), (0..9).map(|i| LAST_NS - i).collect()].concat();
    vec![
        input("no digis", vec![], RULES),
        input("fewer digis than the threshold, all at once", vec![7; 4], RULES),
        input("3000 digis at one time", vec![12345; 3000], RULES),
        input("all at time 0", vec![0; 64], RULES),
        input("all at the last time", vec![LAST_NS; 64], RULES),
        input("bursts at both ends of all times", at_ends, RULES),
        input("a window longer than the timeslice", bursts(40, 30, 700), long),
        input("digis as far apart as the window is long", vec![0, 5, 10, 15, 20, 91, 112], RULES),
        input("one ns too far apart", vec![0, 5, 10, 15, 21, 27, 33, 39], RULES),
        input(
            "a digi at the end of a dead time",
            vec![0, 0, 0, 0, 0, 50, 51, 51, 51, 51, 51],
            RULES,
        ),
    ]
}

/// Thresholds that everything reaches, and that nothing does.
fn thresholds(seed: u64) -> Vec<(String, DigiStream)> {
    let with = |min_digis| EventRules { min_digis, ..RULES };
    let times = random(2500, 9000, seed);
    let of_threshold = |min_digis| {
        let name = format!("a threshold of {min_digis}");
        input(name, times.clone(), with(min_digis))
    };
    let mut inputs: Vec<_> = [0, 1, 2, 2500, 2501, u32::MAX].map(of_threshold).into();
    let all = EventRules { window_ns: 9000, ..with(2500) };
    inputs.push(input("all digis in one window", times, all));
    inputs
}

/// Bursts with adjacent or overlapping dead times or events.
fn overlaps() -> Vec<(String, DigiStream)> {
    let no_dead_time = EventRules { dead_time_ns: 0, ..RULES };
    let no_margins = EventRules { before_ns: 0, after_ns: 0, ..no_dead_time };
    let all = EventRules { before_ns: LAST_NS, after_ns: LAST_NS, dead_time_ns: LAST_NS, ..RULES };
    let odd = EventRules { before_ns: 1, after_ns: 2, window_ns: 7, ..no_dead_time };
    let dead = EventRules { dead_time_ns: 1_000_000, ..RULES };
    vec![
        input("bursts back to back", bursts(120, 20, 57), RULES),
        input("bursts as far apart as the dead time", bursts(120, 12, 50), RULES),
        input("events that overlap", bursts(150, 15, 9), no_dead_time),
        input("events without margins", bursts(150, 15, 9), no_margins),
        input("times of triggers between two ns", bursts(90, 11, 13), odd),
        input("an event that has all digis", bursts(60, 20, 100), all),
        input("dead from the first trigger on", bursts(300, 20, 60), dead),
        input("a dead time over many tiles", bursts(2, 2600, 900_000), dead),
    ]
}
