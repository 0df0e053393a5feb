//! The layouts of pages: row pages, a record for each time bin; link pages, a block for each link
//! and time bin; and dense ones, a block for each time bin with all its links.

use generators_tpc::geometry::{CHANNELS_IN_LINK, pads_in_row};
use generators_tpc::page::LinkHeader;
use generators_tpc::page::link_header::{
    BlockHead, DATA_WORD_BYTES, FEC_MASK, FLAT_MASK, LINK_HEADER_BYTES, LINK_MAGIC, MASK_BYTES,
    SAMPLES_IN_DATA_WORD, SAMPLES_IN_WORD, SECOND_LEVEL_SHIFT, SHORT_SAMPLE_BITS, SHORT_SAMPLES,
    SHORT_SAMPLES_CROSSING_MASK,
};
use generators_tpc::time::{BC_PER_ORBIT, BC_PER_TIME_BIN};
use generators_tpc::{Digit, PadId, PadMapping, ZsFormat};

use super::{Packed, Reader, append, set_bits};
use crate::tpc_decode::damage::{Damage, Expected, Field};
use crate::tpc_decode::header::OpenPage;

/// Bit of the row mask: the endpoint is the second of its region.
const SECOND_HALF: u16 = 1 << 15;
const ADDRESS_BYTES: usize = 2;
/// First pad and end of a sequence.
const HEAD_BYTES: usize = 2;

pub(super) fn decode_rows(
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

const SAMPLE_BITS: usize = 12;

pub(super) fn decode_links(
    page: &OpenPage,
    reader: &mut Reader<'_>,
    mapping: &PadMapping,
    digits: &mut Vec<Digit>,
) -> Result<(), Damage> {
    let mut pads = Vec::new();
    let mut previous = None;
    for _ in 0..page.blocks {
        let start = reader.position;
        let header = read_header(page, reader)?;
        let time_bin = time_bin_of(page, start, &header)?;
        let key = (time_bin, header.fec);
        if previous >= Some(key) {
            let expected = Expected::Words("blocks in ascending order of time bin and card");
            return Err(page.damage(start + 13, Field::Fec, header.fec, expected));
        }
        previous = Some(key);
        list_pads(page, &header, mapping, &mut pads);
        let words = read_words(page, reader, start, &header, pads.len())?;
        append(digits, page, time_bin, &pads, |index| sample(words, index));
    }
    Ok(())
}

fn read_header(page: &OpenPage, reader: &mut Reader<'_>) -> Result<LinkHeader, Damage> {
    let start = reader.position;
    let mut bytes = [0; LINK_HEADER_BYTES];
    bytes.copy_from_slice(reader.take(LINK_HEADER_BYTES)?);
    let header = LinkHeader::from_bytes(&bytes);
    if header.magic != LINK_MAGIC {
        let expected = Expected::Exactly(LINK_MAGIC.into());
        return Err(page.damage(start + 15, Field::LinkMagic, header.magic, expected));
    }
    if !page.endpoint.fecs().contains(&usize::from(header.fec)) {
        let expected = Expected::Words("a card of the endpoint");
        return Err(page.damage(start + 13, Field::Fec, header.fec, expected));
    }
    Ok(header)
}

/// Time bin of a block; the crossing is relative to the page's first time bin.
fn time_bin_of(page: &OpenPage, start: usize, header: &LinkHeader) -> Result<u32, Damage> {
    let crossing = u64::from(page.time_offset) + u64::from(header.crossing);
    let time_bin = ((page.orbit_start + crossing) / BC_PER_TIME_BIN) as u32;
    if crossing >= BC_PER_ORBIT || time_bin > page.last_time_bin() {
        let expected = Expected::Words("a time bin that the page announces");
        return Err(page.damage(start + 10, Field::Crossing, header.crossing, expected));
    }
    Ok(time_bin)
}

fn list_pads(page: &OpenPage, header: &LinkHeader, mapping: &PadMapping, pads: &mut Vec<PadId>) {
    let link = usize::from(header.fec) * CHANNELS_IN_LINK;
    let link = &mapping.pads(page.endpoint.region())[link..link + CHANNELS_IN_LINK];
    pads.clear();
    pads.extend(set_bits(header.channels).map(|channel| link[channel]));
}

/// The data words of a block with `samples` samples.
fn read_words<'a>(
    page: &OpenPage,
    reader: &mut Reader<'a>,
    start: usize,
    header: &LinkHeader,
    samples: usize,
) -> Result<&'a [u8], Damage> {
    let data_words = samples.div_ceil(SAMPLES_IN_DATA_WORD);
    if usize::from(header.data_words) != data_words {
        let expected = Expected::Exactly(data_words as u64);
        return Err(page.damage(start + 11, Field::DataWords, header.data_words, expected));
    }
    reader.take(data_words * DATA_WORD_BYTES)
}

/// A sample by its index: a 64-bit word has five.
#[inline]
fn sample(words: &[u8], index: usize) -> u16 {
    let mut word = [0; 8];
    word.copy_from_slice(&words[index / SAMPLES_IN_WORD * 8..][..8]);
    let word = u64::from_le_bytes(word) >> (index % SAMPLES_IN_WORD * SAMPLE_BITS);
    word as u16 & ((1 << SAMPLE_BITS) - 1)
}

/// A page fills up its last words with at most this number of bytes.
const MAX_PADDING: usize = 31;

pub(super) fn decode_dense_links(
    page: &OpenPage,
    reader: &mut Reader<'_>,
    mapping: &PadMapping,
    digits: &mut Vec<Digit>,
) -> Result<(), Damage> {
    let mut pads = Vec::new();
    let mut previous = None;
    for index in 0..page.blocks {
        let start = reader.position;
        let (links, crossing, bits) = read_head(page, reader)?;
        let time_bin = time_bin_in_orbit(page, start, crossing)?;
        if previous >= Some(time_bin) {
            let expected = Expected::Words("blocks in ascending order of time bin");
            return Err(page.damage(start, Field::Crossing, crossing, expected));
        }
        previous = Some(time_bin);
        read_links(page, reader, links, mapping, &mut pads)?;
        let samples = reader.packed(pads.len(), bits)?;
        append(digits, page, time_bin, &pads, |index| samples.get(index));
        check_end_of_block(page, reader.position, index)?;
    }
    check_end(page, reader.position)
}

/// Number of links, bunch crossing and bits of a sample.
fn read_head(page: &OpenPage, reader: &mut Reader<'_>) -> Result<(u8, u16, usize), Damage> {
    let head = BlockHead::from_bytes(reader.u16()?.to_le_bytes());
    if page.format != ZsFormat::DenseLinkV2 {
        return Ok((head.links, head.crossing, 12));
    }
    let crossing = head.crossing & SHORT_SAMPLES_CROSSING_MASK;
    let bits = if head.crossing & SHORT_SAMPLES != 0 { SHORT_SAMPLE_BITS as usize } else { 12 };
    Ok((head.links, crossing, bits))
}

/// Time bin of a block; the crossing is relative to the page's orbit.
fn time_bin_in_orbit(page: &OpenPage, start: usize, crossing: u16) -> Result<u32, Damage> {
    let time_bin = ((page.orbit_start + u64::from(crossing)) / BC_PER_TIME_BIN) as u32;
    let announced = page.first_time_bin()..=page.last_time_bin();
    if u64::from(crossing) >= BC_PER_ORBIT || !announced.contains(&time_bin) {
        let expected = Expected::Words("a time bin that the page announces");
        return Err(page.damage(start, Field::Crossing, crossing, expected));
    }
    Ok(time_bin)
}

/// The pads with samples, link after link.
fn read_links(
    page: &OpenPage,
    reader: &mut Reader<'_>,
    links: u8,
    mapping: &PadMapping,
    pads: &mut Vec<PadId>,
) -> Result<(), Damage> {
    pads.clear();
    let mut cards = 0_u32;
    for _ in 0..links {
        let start = reader.position;
        let first = reader.u8()?;
        let fec = first & FEC_MASK;
        let seen = cards >> fec & 1 == 1;
        if !page.endpoint.fecs().contains(&usize::from(fec)) || seen {
            let expected = Expected::Words("a card of the endpoint, each once");
            return Err(page.damage(start, Field::Fec, fec, expected));
        }
        cards |= 1 << fec;
        let link = usize::from(fec) * CHANNELS_IN_LINK;
        let link = &mapping.pads(page.endpoint.region())[link..link + CHANNELS_IN_LINK];
        read_channels(reader, first, link, pads)?;
    }
    Ok(())
}

/// The pads of a link's channels: the mask has a byte for each group of eight with any samples.
fn read_channels(
    reader: &mut Reader<'_>,
    first: u8,
    link: &[PadId],
    pads: &mut Vec<PadId>,
) -> Result<(), Damage> {
    let second_level = if first & FLAT_MASK != 0 {
        (1 << MASK_BYTES) - 1
    } else {
        u16::from(first >> SECOND_LEVEL_SHIFT) << 8 | u16::from(reader.u8()?)
    };
    for group in set_bits(second_level.into()) {
        let eight = &link[8 * group..8 * group + 8];
        pads.extend(set_bits(reader.u8()?.into()).map(|bit| eight[bit]));
    }
    Ok(())
}

/// Only the last block may continue in the next page.
fn check_end_of_block(page: &OpenPage, end: usize, index: u16) -> Result<(), Damage> {
    if end > page.end && index + 1 < page.blocks {
        return Err(page.wrong_blocks(Expected::AtMost((index + 1).into())));
    }
    Ok(())
}

fn check_end(page: &OpenPage, end: usize) -> Result<(), Damage> {
    let unused = page.joined_end() - end;
    let limit = if page.continuation.is_some() { 0 } else { MAX_PADDING };
    if unused > limit {
        let expected = Expected::AtLeast((page.joined_end() - limit) as u64);
        return Err(page.damage(end, Field::End, end as u64, expected));
    }
    Ok(())
}
