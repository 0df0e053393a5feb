//! The fields of a digi: `digi.h`; and runs of digis that a block moves 16 bytes at a time, at any
//! alignment: `streams.h`.
//!
//! Arrays are aligned to 16 bytes, so the index of a run's first digi determines its alignment.

use cubecl_core as cubecl;
use cubecl_core::prelude::*;

const TIME_BITS: u32 = 31;
const CHANNEL_BITS: u32 = 11;
const CHANNEL_SHIFT: u32 = 37;
/// Bits of the sort key.
pub const KEY_BITS: u32 = CHANNEL_BITS + TIME_BITS;

/// The sort key: the channel above the time.
#[cube]
pub fn digi_key(digi: u64) -> u64 {
    let time = digi & comptime!((1u64 << TIME_BITS) - 1);
    let channel = (digi >> CHANNEL_SHIFT as u64) & comptime!((1u64 << CHANNEL_BITS) - 1);
    channel << TIME_BITS as u64 | time
}

type Pair = Vector<u64, Const<2>>;

/// Digis before the first boundary of 16 bytes: none or one.
#[cube]
fn misaligned_digis(begin: u32, count: u32) -> u32 {
    u32::min(count, begin % 2)
}

/// Reads `count` digis starting at `begin` to shared memory starting at `to`; all threads share the
/// work.
#[cube]
pub fn read_digis(
    digis: &Array<u64>,
    begin: u32,
    count: u32,
    items: &mut SharedMemory<u64>,
    to: u32,
    #[comptime] threads: u32,
) {
    let thread = UNIT_POS_X;
    let head = misaligned_digis(begin, count);
    let pairs = digis.slice((begin + head) as usize, (begin + count) as usize);
    let pairs = pairs.into_vectorized().with_vector_size::<Const<2>>();
    let pair_count = (count - head) / 2;
    if thread == 0 && head > 0 {
        items[to as usize] = digis[begin as usize];
    }
    for p in range_stepped(thread, pair_count, threads) {
        let pair: Pair = pairs[p as usize];
        items[(to + head + 2 * p) as usize] = pair[0];
        items[(to + head + 2 * p + 1) as usize] = pair[1];
    }
    let done = head + 2 * pair_count;
    if thread == threads - 1 && done < count {
        items[(to + done) as usize] = digis[(begin + done) as usize];
    }
}

/// Writes the first `count` digis of shared memory to `begin` and after; all threads share the
/// work.
#[cube]
pub fn write_digis(
    digis: &mut Array<u64>,
    begin: u32,
    count: u32,
    items: &SharedMemory<u64>,
    #[comptime] threads: u32,
) {
    let thread = UNIT_POS_X;
    let head = misaligned_digis(begin, count);
    let pairs = digis.slice_mut((begin + head) as usize, (begin + count) as usize);
    let mut pairs = pairs.into_vectorized().with_vector_size::<Const<2>>();
    let pair_count = (count - head) / 2;
    if thread == 0 && head > 0 {
        digis[begin as usize] = items[0];
    }
    for p in range_stepped(thread, pair_count, threads) {
        let mut pair = Pair::empty();
        pair[0] = items[(head + 2 * p) as usize];
        pair[1] = items[(head + 2 * p + 1) as usize];
        pairs[p as usize] = pair;
    }
    let done = head + 2 * pair_count;
    if thread == threads - 1 && done < count {
        digis[(begin + done) as usize] = items[done as usize];
    }
}
