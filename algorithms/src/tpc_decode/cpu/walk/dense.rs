//! Dense link pages: a block for each time bin, with all its links.

use std::ops::Range;

use generators::tpc::geometry::MAX_FECS;
use generators::tpc::page::link_header::{
    BLOCK_HEAD_BYTES, BlockHead, FEC_MASK, FLAT_MASK, MASK_BYTES, SECOND_LEVEL_SHIFT,
    SHORT_SAMPLES, SHORT_SAMPLES_CROSSING_MASK,
};
use generators::tpc::time::{BC_PER_ORBIT, BC_PER_TIME_BIN};
use generators::tpc::{PadId, ZsFormat};

use super::position::Walk;
use crate::tpc_decode::cpu::kernel::{Isa, Packing};
use crate::tpc_decode::pads::{LINK_STRIDE, LinkPads};

/// A page fills up its last words with at most this number of bytes.
const MAX_PADDING: usize = 31;
/// Second-level bits of a flat mask: all of them.
const FLAT_LEVEL: u16 = (1 << MASK_BYTES) - 1;
const CHANNELS: u128 = (1 << (8 * MASK_BYTES)) - 1;

#[inline(always)]
pub(super) fn walk(walk: &mut Walk<'_, impl Isa>, links: &LinkPads) -> Option<()> {
    let links = links.of_endpoint(walk.page.endpoint);
    let announced = walk.page.first_time_bin()..walk.page.last_time_bin() + 1;
    let mut free = announced.start;
    let last = walk.page.blocks.wrapping_sub(1);
    for index in 0..walk.page.blocks {
        let limit = if index == last { walk.page.joined_end() } else { walk.page.end };
        let time_bin = block(walk, links, limit, free..announced.end)?;
        free = time_bin + 1;
    }
    let unused = walk.page.joined_end().checked_sub(walk.position)?;
    let padding = if walk.page.continuation.is_some() { 0 } else { MAX_PADDING };
    (unused <= padding).then_some(())
}

/// Decodes a block and returns its time bin.
#[inline(always)]
fn block(
    walk: &mut Walk<'_, impl Isa>,
    links: &[[PadId; LINK_STRIDE]; MAX_FECS],
    limit: usize,
    time_bins: Range<u32>,
) -> Option<u32> {
    let head = BlockHead::from_bytes(*walk.array_at(walk.position));
    let v2 = walk.page.format == ZsFormat::DenseLinkV2;
    let crossing = if v2 { head.crossing & SHORT_SAMPLES_CROSSING_MASK } else { head.crossing };
    let crossing = u64::from(crossing);
    let time_bin = ((walk.page.orbit_start + crossing) / BC_PER_TIME_BIN) as u32;
    if crossing >= BC_PER_ORBIT || !time_bins.contains(&time_bin) {
        return None;
    }
    walk.position += BLOCK_HEAD_BYTES;
    let pads = link_heads(walk, links, head.links)?;
    let template = walk.template(time_bin);
    let short = v2 && head.crossing & SHORT_SAMPLES != 0;
    let packing = if short { Packing::Bits10 } else { Packing::Bits12 };
    walk.samples(pads, packing, template, limit)?;
    Some(time_bin)
}

/// Lists the pads of a block and returns their number. Cards are checked to be of the endpoint and
/// unique, so the list has capacity for all pads.
#[inline(always)]
fn link_heads(
    walk: &mut Walk<'_, impl Isa>,
    links: &[[PadId; LINK_STRIDE]; MAX_FECS],
    count: u8,
) -> Option<usize> {
    let cards = walk.page.endpoint.fecs();
    let mut free = (1_u32 << cards.end) - (1 << cards.start);
    let mut position = walk.position;
    let mut end = walk.joiner.listed;
    for _ in 0..count {
        let [first, second] = *walk.array_at(position);
        let fec = first & FEC_MASK;
        if free >> fec & 1 == 0 {
            return None;
        }
        free ^= 1 << fec;
        let flat = first & FLAT_MASK != 0;
        let level = u16::from(first >> SECOND_LEVEL_SHIFT) << 8 | u16::from(second);
        let (level, bytes) = if flat { (FLAT_LEVEL, position + 1) } else { (level, position + 2) };
        let channels = walk.isa.spread(level, walk.array_at(bytes)) & CHANNELS;
        end = walk.isa.list_selected(walk.joiner.pads, end, &links[usize::from(fec)], channels);
        position = bytes + level.count_ones() as usize;
    }
    walk.position = position;
    Some(end - walk.joiner.listed)
}
