//! Kernels without a bug: the right result, and nothing found, in all orders.

use cuda_emulator::{Config, EmulatorError, Statistics};

use crate::device::{configs, dedup, exchange, rank, scan};

const BLOCKS: u32 = 30;
const BLOCKS_CHECKED: u32 = 8;
const SEEDS: u64 = 6;
const SEEDS_CHECKED: u64 = 4;

fn silent(kernel: &str, run: impl Fn(Config, &str, u32) -> Result<Statistics, EmulatorError>) {
    let plain = configs(false, SEEDS).into_iter().map(|config| (config, BLOCKS));
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
