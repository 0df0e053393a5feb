//! Row pages: a record for each time bin.

use generators::tpc::geometry::pads_in_row;
use generators::tpc::{PadId, ZsFormat};

use super::Walk;
use crate::tpc_decode::cpu::kernel::{Isa, Packing, RowOfPads, SEQUENCE};

/// Bit of the row mask: the endpoint is the second of its region.
const SECOND_HALF: u16 = 1 << 15;
const MASK_BYTES: usize = 2;
const ADDRESS_BYTES: usize = 2;
const SEQUENCE_BYTES: usize = 2;

#[inline(always)]
pub(super) fn walk(walk: &mut Walk<'_, impl Isa>) -> Option<()> {
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
    walk.position += MASK_BYTES;
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
