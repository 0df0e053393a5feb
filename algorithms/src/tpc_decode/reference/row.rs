//! Row pages: a record for each time bin.

use generators::tpc::geometry::pads_in_row;
use generators::tpc::{Digit, PadId};

use super::{Packed, Reader, append, set_bits};
use crate::tpc_decode::damage::{Damage, Expected, Field};
use crate::tpc_decode::header::OpenPage;

/// Bit of the row mask: the endpoint is the second of its region.
const SECOND_HALF: u16 = 1 << 15;
const ADDRESS_BYTES: usize = 2;
/// First pad and end of a sequence.
const HEAD_BYTES: usize = 2;

pub(super) fn decode(
    page: &OpenPage,
    reader: &mut Reader<'_>,
    digits: &mut Vec<Digit>,
) -> Result<(), Damage> {
    let mut pads = Vec::new();
    for index in 0..page.span {
        reader.position = reader.position.next_multiple_of(2);
        let time_bin = page.first_time_bin() + u32::from(index);
        decode_record(page, reader, &mut pads, |pads, samples| {
            append(digits, page, time_bin, pads, |index| samples.get(index));
        })?;
    }
    Ok(())
}

fn decode_record(
    page: &OpenPage,
    reader: &mut Reader<'_>,
    pads: &mut Vec<PadId>,
    mut put: impl FnMut(&[PadId], Packed<'_>),
) -> Result<(), Damage> {
    let rows = rows_of_record(page, reader)?;
    let addresses = reader.position;
    let following = rows.count_ones().saturating_sub(1) as usize;
    let addressed = reader.take(ADDRESS_BYTES * following)?;
    for (index, bit) in set_bits(rows.into()).enumerate() {
        if let Some(before) = index.checked_sub(1) {
            let at = ADDRESS_BYTES * before;
            let address = u16::from_le_bytes([addressed[at], addressed[at + 1]]);
            check_address(page, addresses + at, address, reader.position)?;
        }
        let row = (page.endpoint.rows().start + bit) as u8;
        pads_of_row(page, reader, row, pads)?;
        let bits = page.format.sample_bits() as usize;
        put(pads, reader.packed(pads.len(), bits)?);
    }
    Ok(())
}

/// Checks that a row starts at the end of the previous one.
fn check_address(
    page: &OpenPage,
    offset: usize,
    address: u16,
    position: usize,
) -> Result<(), Damage> {
    if usize::from(address) == position {
        return Ok(());
    }
    let expected = Expected::Exactly(position as u64);
    Err(page.damage(offset, Field::RowAddress, address, expected))
}

/// The rows with data: a bit for each row of the endpoint.
fn rows_of_record(page: &OpenPage, reader: &mut Reader<'_>) -> Result<u16, Damage> {
    let offset = reader.position;
    let mask = reader.u16()?;
    let rows = page.endpoint.rows();
    let half = if page.endpoint.half() == 1 { SECOND_HALF } else { 0 };
    let known = (1 << rows.len()) - 1;
    let right_half = mask == 0 || mask & SECOND_HALF == half;
    if !right_half || mask & !(known | SECOND_HALF) != 0 {
        let expected = Expected::Words("rows and half of the endpoint");
        return Err(page.damage(offset, Field::RowMask, mask, expected));
    }
    Ok(mask & known)
}

/// The pads of a row with samples, sequence by sequence.
fn pads_of_row(
    page: &OpenPage,
    reader: &mut Reader<'_>,
    row: u8,
    pads: &mut Vec<PadId>,
) -> Result<(), Damage> {
    pads.clear();
    let offset = reader.position;
    let sequences = reader.u8()?;
    if sequences == 0 {
        return Err(page.damage(offset, Field::Sequences, 0_u8, Expected::AtLeast(1)));
    }
    let pads_in_row = pads_in_row(usize::from(row));
    let heads = reader.position;
    let sequences = reader.take(HEAD_BYTES * usize::from(sequences))?;
    for (index, head) in sequences.chunks_exact(HEAD_BYTES).enumerate() {
        let first = head[0];
        let end = head[1];
        let offset = heads + HEAD_BYTES * index;
        let free = pads.last().map_or(0, |pad| u64::from(pad.pad()) + 1);
        if u64::from(first) < free {
            return Err(page.damage(offset, Field::FirstPad, first, Expected::AtLeast(free)));
        }
        let Some(length) = usize::from(end).checked_sub(pads.len()).filter(|&n| n > 0) else {
            let expected = Expected::AtLeast(pads.len() as u64 + 1);
            return Err(page.damage(offset + 1, Field::SequenceEnd, end, expected));
        };
        let remaining = pads_in_row.saturating_sub(usize::from(first));
        if length > remaining {
            let expected = Expected::AtMost((pads.len() + remaining) as u64);
            return Err(page.damage(offset + 1, Field::SequenceEnd, end, expected));
        }
        pads.extend((0..length).map(|i| PadId::new(row, first + i as u8)));
    }
    Ok(())
}
