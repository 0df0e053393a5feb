//! Launches of the test kernels with their configurations, and the expected results.

use std::collections::HashSet;

use cuda_emulator::{
    Argument, Config, Emulator, EmulatorError, Lanes, Launch, Policy, Schedule, Statistics,
};
use cuda_emulator_example::KERNELS;

/// Threads of a block in all tests.
pub const THREADS: u32 = 128;

/// All tested combinations, or none without an emulator.
pub fn configs(checked: bool, seeds: u64) -> Vec<Config> {
    if let Some(reason) = KERNELS.unavailable() {
        println!("skipped: {reason}");
        return Vec::new();
    }
    let mut configs = Vec::new();
    for lanes in [Lanes::L32, Lanes::L64] {
        for policy in Policy::ALL {
            for seed in 0..seeds {
                let schedule = Schedule { seed, policy };
                let workers = 1 + (seed % 2) as usize;
                configs.push(Config { lanes, schedule, checked, workers, ..Config::default() });
            }
        }
    }
    configs
}

type Outcome = Result<Statistics, EmulatorError>;

/// Drops double keys of each block and compares with a set.
pub fn dedup(config: Config, kernel: &str, blocks: u32) -> Outcome {
    let emulator = Emulator::new(config);
    let count = blocks * THREADS - 3;
    let keys: Vec<u64> = (0..u64::from(count)).map(|i| 1 + i * 7919 % 90).collect();
    let slots = 4 * THREADS;
    let input = emulator.upload(&keys)?;
    let output = emulator.upload(&vec![0_u64; (blocks * THREADS) as usize])?;
    let counts = emulator.allocate(blocks as usize * 4)?;
    let launch = Launch::linear(blocks, THREADS).with_shared_bytes(slots as usize * 8);
    let arguments = [
        Argument::pointer(&input),
        Argument::value(&count),
        Argument::value(&slots),
        Argument::pointer(&output),
        Argument::pointer(&counts),
    ];
    // SAFETY: the kernel stays within these buffers.
    let statistics = unsafe { emulator.launch(KERNELS.named(kernel), &launch, &arguments) }?;
    let kept = emulator.download::<u64>(output)?;
    let counts = emulator.download::<u32>(counts)?;
    let parts = keys.chunks(THREADS as usize).zip(kept.chunks(THREADS as usize));
    for ((part, kept), &count) in parts.zip(&counts) {
        let expected: HashSet<_> = part.iter().collect();
        let found: HashSet<_> = kept[..count as usize].iter().collect();
        assert_eq!((count as usize, found), (expected.len(), expected), "{config:?}");
    }
    Ok(statistics)
}

/// Prefix sums, compared with sequential ones.
pub fn scan(config: Config, kernel: &str, blocks: u32) -> Outcome {
    let emulator = Emulator::new(config);
    let count = blocks * THREADS - 5;
    let values: Vec<u32> = (0..count).map(|i| (i.wrapping_mul(2_654_435) >> 20) & 7).collect();
    let input = emulator.upload(&values)?;
    let output = emulator.allocate(count as usize * 4)?;
    let states = emulator.upload(&vec![0_u64; blocks as usize])?;
    let ticket = emulator.upload(&[0_u32])?;
    let arguments = [
        Argument::pointer(&input),
        Argument::pointer(&output),
        Argument::value(&count),
        Argument::pointer(&states),
        Argument::pointer(&ticket),
    ];
    // SAFETY: the kernel stays within these buffers.
    let statistics = unsafe {
        emulator.launch(KERNELS.named(kernel), &Launch::linear(blocks, THREADS), &arguments)
    }?;
    let sums = values.iter().scan(0, |sum, value| {
        *sum += value;
        Some(*sum)
    });
    let expected: Vec<u32> = sums.collect();
    assert!(emulator.download::<u32>(output)? == expected, "{config:?}");
    Ok(statistics)
}

/// Each lane's neighbour's value.
pub fn exchange(config: Config, kernel: &str, blocks: u32) -> Outcome {
    let emulator = Emulator::new(config);
    let values: Vec<u32> = (0..blocks * THREADS).collect();
    let input = emulator.upload(&values)?;
    let output = emulator.allocate(values.len() * 4)?;
    let arguments = [Argument::pointer(&input), Argument::pointer(&output)];
    // SAFETY: the kernel stays within these buffers.
    let statistics = unsafe {
        emulator.launch(KERNELS.named(kernel), &Launch::linear(blocks, THREADS), &arguments)
    }?;
    let lanes = config.lanes.count();
    let neighbour = |i: u32| i / lanes * lanes + (i + 1) % lanes;
    let expected: Vec<u32> = values.iter().map(|&i| neighbour(i)).collect();
    assert!(emulator.download::<u32>(output)? == expected, "{config:?}");
    Ok(statistics)
}

/// Rank of each digit among the equal ones before it in its warp's part.
pub fn rank(config: Config, kernel: &str, blocks: u32) -> Outcome {
    let emulator = Emulator::new(config);
    let rounds = 3_u32;
    let count = blocks * THREADS * rounds;
    let digits: Vec<u8> = (0..count).map(|i| (i * 31 % 23) as u8).collect();
    let input = emulator.upload(&digits)?;
    let output = emulator.allocate(count as usize * 4)?;
    let lanes = config.lanes.count();
    let shared = (THREADS / lanes * 256 * 4) as usize;
    let launch = Launch::linear(blocks, THREADS).with_shared_bytes(shared);
    let arguments =
        [Argument::pointer(&input), Argument::pointer(&output), Argument::value(&rounds)];
    // SAFETY: the kernel stays within these buffers.
    let statistics = unsafe { emulator.launch(KERNELS.named(kernel), &launch, &arguments) }?;
    let mut expected = Vec::new();
    for part in digits.chunks((lanes * rounds) as usize) {
        let mut counts = [0_u32; 256];
        expected.extend(part.iter().map(|&digit| {
            counts[usize::from(digit)] += 1;
            counts[usize::from(digit)] - 1
        }));
    }
    assert!(emulator.download::<u32>(output)? == expected, "{config:?}");
    Ok(statistics)
}
