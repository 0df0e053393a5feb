//! Sorting against the standard library's stable sort.

use super::{Numbers, emulator, kernel, run};

/// Channel, then time: 11 bits from the 37th on, and the lowest 31.
fn key(digi: u64) -> u64 {
    (digi >> 37 & 0x7ff) << 31 | digi & 0x7fff_ffff
}

/// Digis in segments of these lengths, of which `mask` has the bits that differ.
fn sorts(name: &str, lengths: &[usize], mask: u64, is_checked: bool, seed: u64) {
    let Some(emulator) = emulator(is_checked, seed) else { return };
    let mut offsets = vec![0_u64];
    for &length in lengths {
        offsets.push(offsets[offsets.len() - 1] + length as u64);
    }
    let mut numbers = Numbers(seed);
    let total = offsets[lengths.len()];
    let digis: Vec<u64> = (0..total).map(|_| numbers.next() & mask).collect();
    let mut expected = digis.clone();
    for ends in offsets.windows(2) {
        expected[ends[0] as usize..ends[1] as usize].sort_by_key(|&digi| key(digi));
    }
    let on_device = emulator.upload(&digis).expect("room");
    let scratch = emulator.allocate(digis.len() * 8).expect("room");
    let begins = emulator.upload(&offsets).expect("room");
    let arrays = [on_device, scratch, begins];
    run(&emulator, &kernel(name), lengths.len() as u32, &arrays, &[]);
    let sorted = emulator.download::<u64>(on_device).expect("the same length");
    let wrong = sorted.iter().zip(&expected).position(|(found, right)| found != right);
    assert_eq!(wrong, None, "{name}, {lengths:?}, {mask:x}: the first digi that is wrong");
}

/// Around warps, chunks and levels, so that segments start at odd indices, too.
fn lengths(tile: usize) -> Vec<usize> {
    let around = |length: usize| [length - 1, length, length + 1];
    let levels = [32, 352, tile, 2 * tile, 3 * tile, 4 * tile];
    [0, 1, 0, 2, 3].into_iter().chain(levels.into_iter().flat_map(around)).collect()
}

const BLOCKS: [(&str, usize); 2] =
    [("block_merge_sort", 512 * 11), ("block_merge_sort_256_11", 256 * 11)];

#[test]
fn segments_of_all_lengths_are_sorted() {
    for (seed, (name, tile)) in BLOCKS.into_iter().enumerate() {
        sorts(name, &lengths(tile), u64::MAX, false, seed as u64);
        sorts(name, &[9 * tile + 1, 1], u64::MAX, false, seed as u64);
    }
}

#[test]
fn equals_keep_their_order() {
    // Four channels and four times; equal keys have different addresses and charges.
    let few = !(0x7fc << 37) & !0x7fff_fffc;
    for (name, tile) in BLOCKS {
        for mask in [few, !(0x7ff << 37) & !0x7fff_ffff] {
            sorts(name, &[3 * tile + 5, 7, tile], mask, false, 2);
        }
    }
}

#[test]
fn the_largest_keys_come_before_padding() {
    let Some(emulator) = emulator(false, 0) else { return };
    let digis = vec![0x0000_ffe0_7fff_ffff_u64; 45];
    let on_device = emulator.upload(&digis).expect("room");
    let scratch = emulator.allocate(digis.len() * 8).expect("room");
    let begins = emulator.upload(&[0_u64, 45]).expect("room");
    run(&emulator, &kernel("block_merge_sort"), 1, &[on_device, scratch, begins], &[]);
    assert_eq!(emulator.download::<u64>(on_device).expect("the same length"), digis);
}

#[test]
fn no_access_races_or_is_out_of_bounds() {
    for (seed, (name, tile)) in BLOCKS.into_iter().enumerate() {
        sorts(name, &[1, 351, tile + 1, 2 * tile + 3], u64::MAX, true, 2 + seed as u64);
    }
}
