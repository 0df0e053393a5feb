//! Link pages: a block for each link and time bin.

use generators::tpc::page::link_header::{LINK_HEADER_BYTES, LINK_MAGIC, SAMPLES_IN_DATA_WORD};
use generators::tpc::time::{BC_PER_ORBIT, BC_PER_TIME_BIN};

use super::position::Walk;
use crate::tpc_decode::cpu::kernel::{Isa, Packing};
use crate::tpc_decode::pads::LinkPads;

const MASK_BITS: u32 = 80;
const CROSSING_MASK: u64 = 0xfff;
/// Bits of the 128-bit header below the number of data words, and the card.
const DATA_WORDS_SHIFT: u32 = 92;
const FEC_SHIFT: u32 = 104;
const MAGIC_SHIFT: u32 = 120;

#[inline(always)]
pub(super) fn walk(walk: &mut Walk<'_, impl Isa>, links: &LinkPads) -> Option<()> {
    let links = links.of_endpoint(walk.page.endpoint);
    let mut previous = 0;
    for _ in 0..walk.page.blocks {
        let start = walk.position;
        let header = u128::from_le_bytes(*walk.array_at(start));
        let fec = (header >> FEC_SHIFT) as u8;
        let time_bin = time_bin_of(walk, (header >> MASK_BITS) as u64 & CROSSING_MASK)?;
        // Plus one, so that the smallest is larger than the initial value 0.
        let key = 1 + (u64::from(time_bin) << 8 | u64::from(fec));
        let known = walk.page.endpoint.fecs().contains(&usize::from(fec));
        if (header >> MAGIC_SHIFT) as u8 != LINK_MAGIC || !known || key <= previous {
            return None;
        }
        previous = key;
        let channels = header & ((1 << MASK_BITS) - 1);
        let pads = channels.count_ones() as usize;
        let data_words = pads.div_ceil(SAMPLES_IN_DATA_WORD);
        if (header >> DATA_WORDS_SHIFT) as usize & 0xf != data_words {
            return None;
        }
        let link = &links[usize::from(fec)];
        walk.isa.list_selected(walk.joiner.pads, walk.joiner.listed, link, channels);
        walk.position = start + LINK_HEADER_BYTES;
        let template = walk.template(time_bin);
        walk.samples(pads, Packing::Words, template, walk.page.end)?;
    }
    Some(())
}

/// Time bin of a block; the crossing is relative to the page's first time bin.
#[inline(always)]
fn time_bin_of(walk: &Walk<'_, impl Isa>, crossing: u64) -> Option<u32> {
    let crossing = u64::from(walk.page.time_offset) + crossing;
    let time_bin = ((walk.page.orbit_start + crossing) / BC_PER_TIME_BIN) as u32;
    (crossing < BC_PER_ORBIT && time_bin <= walk.page.last_time_bin()).then_some(time_bin)
}
