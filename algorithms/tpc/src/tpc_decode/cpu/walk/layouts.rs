//! Walks through the layouts of pages: row pages, a record for each time bin; link pages, a block
//! for each link and time bin; and dense ones, a block for each time bin with all its links.

use std::ops::Range;

use generators_tpc::geometry::{MAX_FECS, pads_in_row};
use generators_tpc::page::link_header::{
    BLOCK_HEAD_BYTES, BlockHead, FEC_MASK, FLAT_MASK, LINK_HEADER_BYTES, LINK_MAGIC, MASK_BYTES,
    SAMPLES_IN_DATA_WORD, SECOND_LEVEL_SHIFT, SHORT_SAMPLES, SHORT_SAMPLES_CROSSING_MASK,
};
use generators_tpc::time::{BC_PER_ORBIT, BC_PER_TIME_BIN};
use generators_tpc::{PadId, ZsFormat};

use super::Walk;
use crate::tpc_decode::cpu::kernel::{Isa, Packing, RowOfPads, SEQUENCE};
use crate::tpc_decode::input::{LINK_STRIDE, LinkPads};

/// Bit of the row mask: the endpoint is the second of its region.
const SECOND_HALF: u16 = 1 << 15;
const ROW_MASK_BYTES: usize = 2;
const ADDRESS_BYTES: usize = 2;
const SEQUENCE_BYTES: usize = 2;

#[inline(always)]
pub(super) fn walk_rows(walk: &mut Walk<'_, impl Isa>) -> Option<()> {
    let first = walk.page.first_time_bin();
    for number in 0..u32::from(walk.page.span) {
        record(walk, first + number)?;
    }
    Some(())
}

#[inline(always)]
fn record(walk: &mut Walk<'_, impl Isa>, time_bin: u32) -> Option<()> {
    walk.position += walk.position % 2;
    let mask = walk.u16_at(walk.position);
    walk.position += ROW_MASK_BYTES;
    if walk.position > walk.page.end {
        return None;
    }
    let mut rows = rows_of(walk, mask)?;
    if rows == 0 {
        return Some(());
    }
    let template = walk.template(time_bin);
    let mut address = walk.position;
    walk.position += (rows.count_ones() as usize - 1) * ADDRESS_BYTES;
    let first_row = walk.page.endpoint.rows().start;
    loop {
        let row = first_row + rows.trailing_zeros() as usize;
        decode_row(walk, row, template)?;
        rows &= rows - 1;
        if rows == 0 {
            return Some(());
        }
        if usize::from(walk.u16_at(address)) != walk.position {
            return None;
        }
        address += ADDRESS_BYTES;
    }
}

/// The bits of the rows with data.
#[inline(always)]
fn rows_of(walk: &Walk<'_, impl Isa>, mask: u16) -> Option<u16> {
    let half = (walk.page.endpoint.half() as u16) << 15;
    let known = (1_u16 << walk.page.endpoint.rows().len()) - 1;
    let right_half = mask == 0 || mask & SECOND_HALF == half;
    let rows = mask & !SECOND_HALF;
    (right_half && rows & !known == 0).then_some(rows)
}

#[inline(always)]
fn decode_row(walk: &mut Walk<'_, impl Isa>, row: usize, template: u64) -> Option<()> {
    let count = usize::from(walk.u8_at(walk.position));
    let head = walk.position + 1;
    walk.position = head + count * SEQUENCE_BYTES;
    if count == 0 || walk.position > walk.page.end {
        return None;
    }
    let row = RowOfPads { row: row as u8, pads: pads_in_row(row) };
    let heads = walk.array_at(head);
    let pads = walk
        .isa
        .few_sequences(walk.joiner.pads, walk.joiner.listed, row, heads, count)
        .or_else(|| any_sequences(walk, row, head, count))?;
    let packing = match walk.page.format {
        ZsFormat::Row10 => Packing::Bits10,
        _ => Packing::Bits12,
    };
    walk.samples(pads, packing, template, walk.page.end)
}

/// Lists the pads of any sequences and returns their number.
#[inline(always)]
fn any_sequences(
    walk: &mut Walk<'_, impl Isa>,
    row: RowOfPads,
    head: usize,
    count: usize,
) -> Option<usize> {
    let mut free = 0;
    let mut total = 0;
    for number in 0..count {
        let [first, end] = *walk.array_at(head + number * SEQUENCE_BYTES);
        let length = usize::from(end).checked_sub(total)?;
        let pads_end = usize::from(first) + length;
        if length == 0 || usize::from(first) < free || pads_end > row.pads {
            return None;
        }
        for done in (0..length).step_by(SEQUENCE) {
            let pad = PadId::new(row.row, first + done as u8);
            let index = walk.joiner.listed + total + done;
            walk.isa.number(walk.joiner.pads.target(index), pad);
        }
        (free, total) = (pads_end, usize::from(end));
    }
    Some(total)
}

const MASK_BITS: u32 = 80;
const CROSSING_MASK: u64 = 0xfff;
/// Bits of the 128-bit header below the number of data words, and the card.
const DATA_WORDS_SHIFT: u32 = 92;
const FEC_SHIFT: u32 = 104;
const MAGIC_SHIFT: u32 = 120;

#[inline(always)]
pub(super) fn walk_links(walk: &mut Walk<'_, impl Isa>, links: &LinkPads) -> Option<()> {
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

/// A page fills up its last words with at most this number of bytes.
const MAX_PADDING: usize = 31;
/// Second-level bits of a flat mask: all of them.
const FLAT_LEVEL: u16 = (1 << MASK_BYTES) - 1;
const CHANNELS: u128 = (1 << (8 * MASK_BYTES)) - 1;

#[inline(always)]
pub(super) fn walk_dense_links(walk: &mut Walk<'_, impl Isa>, links: &LinkPads) -> Option<()> {
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
