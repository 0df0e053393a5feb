//! Dense link pages: a block for each time bin, with all its links.

use generators::tpc::geometry::CHANNELS_IN_LINK;
use generators::tpc::page::link_header::{
    BlockHead, FEC_MASK, FLAT_MASK, MASK_BYTES, SECOND_LEVEL_SHIFT, SHORT_SAMPLE_BITS,
    SHORT_SAMPLES, SHORT_SAMPLES_CROSSING_MASK,
};
use generators::tpc::time::{BC_PER_ORBIT, BC_PER_TIME_BIN};
use generators::tpc::{Digit, PadId, PadMapping, ZsFormat};

use super::reader::Reader;
use super::{append, set_bits};
use crate::tpc_decode::damage::{Damage, Expected, Field};
use crate::tpc_decode::header::OpenPage;

/// A page fills up its last words with at most this number of bytes.
const MAX_PADDING: usize = 31;

pub(super) fn decode(
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
        let time_bin = time_bin_of(page, start, crossing)?;
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
fn time_bin_of(page: &OpenPage, start: usize, crossing: u16) -> Result<u32, Damage> {
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
