//! Kernels without a bug.

use crate::device::{configs, dedup, exchange, rank, scan};

const BLOCKS: u32 = 30;
const SEEDS: u64 = 6;

#[test]
fn a_hash_set_in_shared_memory() {
    for config in configs(false, SEEDS) {
        dedup(config, "emulator_dedup", BLOCKS).expect("no bug");
    }
}

#[test]
fn a_scan_that_looks_back() {
    for config in configs(false, SEEDS) {
        scan(config, "emulator_scan", BLOCKS).expect("no bug");
    }
}

#[test]
fn an_exchange_in_a_warp() {
    for config in configs(false, SEEDS) {
        exchange(config, "emulator_exchange", BLOCKS).expect("no bug");
    }
}

#[test]
fn ranks_by_match_any() {
    for config in configs(false, SEEDS) {
        rank(config, "emulator_rank", BLOCKS).expect("no bug");
    }
}
