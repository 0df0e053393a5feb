//! The fields of a digi: `digi.h`.

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
