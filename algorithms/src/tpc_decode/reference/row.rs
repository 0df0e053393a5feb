//! Row pages: a record for each time bin.

use generators::tpc::geometry::pads_in_row;
use generators::tpc::{Digit, PadId};

use super::Samples;
use super::reader::Reader;
use crate::tpc_decode::damage::{Damage, Expected, Field};
use crate::tpc_decode::header::OpenPage;

/// In the mask of rows: the endpoint is the second of its region.
const SECOND_HALF: u16 = 1 << 15;

pub(super) fn decode(
    page: &OpenPage,
    reader: &mut Reader<'_>,
    digits: &mut Vec<Digit>,
) -> Result<(), Damage> {
    let mut samples = Samples::default();
    for number in 0..page.span {
        reader.position = reader.position.next_multiple_of(2);
        let time_bin = page.first_time_bin() + u32::from(number);
        decode_record(page, reader, &mut samples, |samples| {
            samples.append_to(digits, page, time_bin);
        })?;
    }
    Ok(())
}

fn decode_record(
    page: &OpenPage,
    reader: &mut Reader<'_>,
    samples: &mut Samples,
    mut put: impl FnMut(&Samples),
) -> Result<(), Damage> {
    let rows = rows_of_record(page, reader)?;
    let mut addresses = Vec::new();
    for _ in 1..rows.len() {
        addresses.push((reader.position, reader.u16()?));
    }
    for (number, &row) in rows.iter().enumerate() {
        if let Some((offset, address)) = number.checked_sub(1).map(|i| addresses[i])
            && usize::from(address) != reader.position
        {
            let expected = Expected::Exactly(reader.position as u64);
            return Err(page.damage(offset, Field::RowAddress, address, expected));
        }
        pads_of_row(page, reader, row, &mut samples.pads)?;
        let bits = page.format.sample_bits() as usize;
        reader.samples(samples.pads.len(), bits, &mut samples.adcs)?;
        put(samples);
    }
    Ok(())
}

/// The rows with data, as numbers in the sector.
fn rows_of_record(page: &OpenPage, reader: &mut Reader<'_>) -> Result<Vec<u8>, Damage> {
    let offset = reader.position;
    let mask = reader.u16()?;
    let rows = page.endpoint.rows();
    let half = if page.endpoint.half() == 1 {
        SECOND_HALF
    } else {
        0
    };
    let known = (1 << rows.len()) - 1;
    let right_half = mask == 0 || mask & SECOND_HALF == half;
    if !right_half || mask & !(known | SECOND_HALF) != 0 {
        let expected = Expected::Words("rows and half of the endpoint");
        return Err(page.damage(offset, Field::RowMask, mask, expected));
    }
    let bits = (0..rows.len()).filter(|bit| mask >> bit & 1 == 1);
    Ok(bits.map(|bit| (rows.start + bit) as u8).collect())
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
    for _ in 0..sequences {
        let offset = reader.position;
        let (first, end) = (reader.u8()?, reader.u8()?);
        let free = pads.last().map_or(0, |pad| u64::from(pad.pad()) + 1);
        if u64::from(first) < free {
            return Err(page.damage(offset, Field::FirstPad, first, Expected::AtLeast(free)));
        }
        let Some(length) = usize::from(end).checked_sub(pads.len()).filter(|&n| n > 0) else {
            let expected = Expected::AtLeast(pads.len() as u64 + 1);
            return Err(page.damage(offset + 1, Field::SequenceEnd, end, expected));
        };
        let room = pads_in_row(usize::from(row)).saturating_sub(usize::from(first));
        if length > room {
            let expected = Expected::AtMost((pads.len() + room) as u64);
            return Err(page.damage(offset + 1, Field::SequenceEnd, end, expected));
        }
        pads.extend((0..length).map(|i| PadId::new(row, first + i as u8)));
    }
    Ok(())
}
