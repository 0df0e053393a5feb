//! Slow and obvious: a reader that knows where it is, and one file for each layout.

mod dense;
mod link;
mod reader;
mod row;

use generators::tpc::pages::RawPages;
use generators::tpc::{Digit, Layout, PadId, PadMapping};

use super::damage::{Damage, DamagedPage};
use super::header::{FrameBounds, OpenPage, open_in_stream};
use super::payload::Payload;
use reader::Reader;

/// All digits of a time frame in the order of the pages, and the pages that have
/// none because they are damaged.
pub(super) fn decode(
    pages: &RawPages,
    bounds: &FrameBounds,
    mapping: &PadMapping,
) -> (Vec<Digit>, Vec<DamagedPage>) {
    let (mut digits, mut damaged) = (Vec::new(), Vec::new());
    let mut payload = Payload::new();
    for stream in pages.streams() {
        for number in 0..stream.pages.len() {
            let decoded = open_in_stream(stream.pages, number, stream.id, bounds)
                .and_then(|page| {
                    let Some(page) = page else { return Ok(Vec::new()) };
                    payload.fill(&page, &stream.pages[number], stream.pages.get(number + 1));
                    decode_page(&page, &payload, mapping)
                });
            match decoded {
                Ok(of_page) => digits.extend(of_page),
                Err(damage) => damaged.push(DamagedPage {
                    page: stream.first_page + number,
                    sector: stream.id.sector,
                    endpoint: stream.id.endpoint.number() as u8,
                    damage,
                }),
            }
        }
    }
    (digits, damaged)
}

/// The digits of a page, if all of it is sound.
pub(super) fn decode_page(
    page: &OpenPage,
    payload: &Payload,
    mapping: &PadMapping,
) -> Result<Vec<Digit>, Damage> {
    let mut reader = Reader::new(page, payload);
    let digits = match page.format.layout() {
        Layout::Row => row::decode(page, &mut reader),
        Layout::Link => link::decode(page, &mut reader, mapping),
        Layout::DenseLink => dense::decode(page, &mut reader, mapping),
    }?;
    if digits.len() == usize::from(page.samples) {
        Ok(digits)
    } else {
        Err(page.wrong_samples(digits.len()))
    }
}

/// The digits of one time bin.
fn digits_of<'a>(
    page: &OpenPage,
    time_bin: u32,
    pads: &'a [PadId],
    adcs: &'a [u16],
) -> impl Iterator<Item = Digit> + use<'a> {
    let sector = page.sector;
    let pairs = pads.iter().zip(adcs);
    pairs.map(move |(&pad, &adc)| Digit::new(sector, pad, time_bin, adc))
}
