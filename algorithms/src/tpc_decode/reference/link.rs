//! Link pages: a block for each link and time bin.

use generators::tpc::geometry::CHANNELS_IN_LINK;
use generators::tpc::page::LinkHeader;
use generators::tpc::page::link_header::{
    DATA_WORD_BYTES, LINK_HEADER_BYTES, LINK_MAGIC, SAMPLES_IN_DATA_WORD, SAMPLES_IN_WORD,
};
use generators::tpc::time::{BC_PER_ORBIT, BC_PER_TIME_BIN};
use generators::tpc::{Digit, PadId, PadMapping};

use super::reader::Reader;
use super::{append, set_bits};
use crate::tpc_decode::damage::{Damage, Expected, Field};
use crate::tpc_decode::header::OpenPage;

const SAMPLE_BITS: usize = 12;

pub(super) fn decode(
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
